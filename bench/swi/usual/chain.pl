% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- N1 is N + 1, sizes(N1, 3, L), P =.. [p|L], M is N * N, functor(T, t, M), zeros(M, T), lengths(2, N, P, T),
    arg(N, T, C), writeln(C).

zeros(0, _) :- !.
zeros(I, T) :- nb_setarg(I, T, 0), I1 is I - 1, zeros(I1, T).

sizes(0, _, []) :- !.
sizes(N, X, [S|L1]) :- Y is (X * 69069 + 1) mod 1048576, S is Y // 64 mod 90 + 10, N1 is N - 1, sizes(N1, Y, L1).

lengths(L, N, _, _) :- L > N, !.
lengths(L, N, P, T) :- parts(0, L, N, P, T), L1 is L + 1, lengths(L1, N, P, T).

parts(I, L, N, _, _) :- I + L > N, !.
parts(I, L, N, P, T) :- J is I + L - 1, At is I * N + J + 1, best(I, I, J, N, P, T, 1000000000000, C),
    nb_setarg(At, T, C), I1 is I + 1, parts(I1, L, N, P, T).

best(K, _, J, _, _, _, B, C) :- K >= J, !, C = B.
best(K, I, J, N, P, T, B, C) :- X is I * N + K + 1, K1 is K + 1, Y is K1 * N + J + 1, J2 is J + 2, I1 is I + 1, K2 is K + 2,
    arg(X, T, A), arg(Y, T, D), arg(I1, P, PI), arg(K2, P, PK), arg(J2, P, PJ),
    B1 is min(B, A + D + PI * PK * PJ), best(K1, I, J, N, P, T, B1, C).
