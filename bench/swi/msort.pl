% SPDX-License-Identifier: MIT
% The same as shapes/msort.fl.
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), random(N, 12345, L), msorted(L, S), check(S, 0, R), writeln(R).

random(0, _, L) :- !, L = [].
random(N, X, [X1|L1]) :- X1 is (X * 1103515245 + 12345) mod 2147483648, N1 is N - 1, random(N1, X1, L1).

msorted([], S) :- !, S = [].
msorted([X], S) :- !, S = [X].
msorted(L, S) :- halve(L, A, B), msorted(A, SA), msorted(B, SB), merged(SA, SB, S).

halve([], [], []).
halve([X], A, B) :- !, A = [X], B = [].
halve([X,Y|L], [X|A], [Y|B]) :- halve(L, A, B).

merged([], B, S) :- !, S = B.
merged([X|A], [], S) :- !, S = [X|A].
merged([X|A], [Y|B], [X|S]) :- X =< Y, !, merged(A, [Y|B], S).
merged([X|A], [Y|B], [Y|S]) :- merged([X|A], B, S).

check([], A, A).
check([X|L], A, R) :- A1 is (A + X) mod 65537, check(L, A1, R).
