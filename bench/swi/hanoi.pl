% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :-
    current_prolog_flag(argv, [A]), atom_number(A, N), repeat(N, 0).

repeat(0, Sum) :- !, writeln(Sum).
repeat(N, Sum) :-
    hanoi(16, a, b, c, Moves, []), count(Moves, 0, Length),
    N1 is N - 1, Sum1 is Sum + Length, repeat(N1, Sum1).

hanoi(0, _, _, _, Moves, Moves) :- !.
hanoi(D, From, To, Over, Moves, End) :-
    D1 is D - 1,
    hanoi(D1, From, Over, To, Moves, [From-To|Middle]),
    hanoi(D1, Over, To, From, Middle, End).

count([_|L], A, N) :- A1 is A + 1, count(L, A1, N).
count([], N, N).
