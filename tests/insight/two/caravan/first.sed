s/^weigh(\[C|Cs\], Last, Ls) :- integer(Last) | \(.*\)weigh(Cs, L, Ls1)/weigh([C|Cs], Last, Ls) :- \1weigh(Cs, Last, Ls1)/
