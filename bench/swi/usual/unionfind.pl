% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- numlist(1, N, L), V =.. [v|L], joins(N, 11, N, V, N, S), writeln(S).

joins(0, _, _, _, K, S) :- !, S = K.
joins(I, X, N, V, K, S) :- Y is (X * 69069 + 1) mod 1073741824, Z is (Y * 69069 + 1) mod 1073741824,
    A is Y // 32 mod N + 1, B is Z // 32 mod N + 1,
    find(A, V, RA), find(B, V, RB), join(RA, RB, I, Z, N, V, K, S).

join(A, B, I, X, N, V, K, S) :- A =:= B, !, I1 is I - 1, joins(I1, X, N, V, K, S).
join(A, B, I, X, N, V, K, S) :- nb_setarg(A, V, B), I1 is I - 1, K1 is K - 1, joins(I1, X, N, V, K1, S).

find(A, V, R) :- arg(A, V, P), find(P, A, V, R).

find(P, A, _, R) :- P =:= A, !, R = A.
find(P, A, V, R) :- arg(P, V, G), nb_setarg(A, V, G), find(G, V, R).
