% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- step(N, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0).

step(0, X, Y, _, _, X2, Y2, _, _) :- !,
    A is truncate(X * 1000000), B is truncate(Y * 1000000), C is truncate(X2 * 1000000),
    D is truncate(Y2 * 1000000), writeln([A,B,C,D]).
step(N, X1, Y1, U1, V1, X2, Y2, U2, V2) :-
    Dx is X2 - X1, Dy is Y2 - Y1, R2 is Dx * Dx + Dy * Dy + 0.01, R3 is R2 * sqrt(R2), M is 0.001 / R3,
    A1 is U1 + Dx * M, B1 is V1 + Dy * M, A2 is U2 - Dx * M, B2 is V2 - Dy * M,
    P1 is X1 + A1 * 0.001, Q1 is Y1 + B1 * 0.001, P2 is X2 + A2 * 0.001, Q2 is Y2 + B2 * 0.001,
    N1 is N - 1, step(N1, P1, Q1, A1, B1, P2, Q2, A2, B2).
