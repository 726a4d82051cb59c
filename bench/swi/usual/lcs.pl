% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- letters(N, 3, A), letters(N, 11, B), zeros(B, Z), rows(A, B, Z, L), writeln(L).

letters(0, _, L) :- !, L = [].
letters(N, X, [C|L]) :- Y is (X * 1103 + 12345) mod 65536, C is Y // 64 mod 4, N1 is N - 1, letters(N1, Y, L).

zeros([_|B], [0|Z]) :- zeros(B, Z).
zeros([], []).

rows([A|As], B, R, L) :- row(B, A, R, 0, 0, R1), rows(As, B, R1, L).
rows([], _, R, L) :- last(R, L).

row([A|B], A, [U|Us], D, _, [X|R]) :- !, X is D + 1, row(B, A, Us, U, X, R).
row([_|B], A, [U|Us], _, L, [X|R]) :- X is max(U, L), row(B, A, Us, U, X, R).
row([], _, _, _, _, []).
