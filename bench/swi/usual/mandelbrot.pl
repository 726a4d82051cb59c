% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- rows(0, N, 0, S), writeln(S).

rows(N, N, A, S) :- !, S = A.
rows(I, N, A, S) :- Y is I * 2.0 / N - 1.0, points(0, N, Y, A, A1), I1 is I + 1, rows(I1, N, A1, S).

points(N, N, _, A, S) :- !, S = A.
points(J, N, Y, A, S) :- X is J * 3.0 / N - 2.0, point(100, X, Y, 0.0, 0.0, B), J1 is J + 1, A1 is A + B, points(J1, N, Y, A1, S).

point(0, _, _, _, _, B) :- !, B = 1.
point(_, _, _, X, Y, B) :- X * X + Y * Y > 4.0, !, B = 0.
point(I, A, C, X, Y, B) :- X1 is X * X - Y * Y + A, Y1 is 2.0 * X * Y + C, I1 is I - 1, point(I1, A, C, X1, Y1, B).
