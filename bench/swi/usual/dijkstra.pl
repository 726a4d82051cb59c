% SPDX-License-Identifier: MIT
:- initialization(main, main).
:- use_module(library(heaps)).
:- use_module(library(assoc)).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- empty_heap(Q), add_to_heap(Q, 0, 0, Q1), empty_assoc(M), walk(Q1, M, N, 0, 0).

walk(Q, M, N, K, S) :- get_from_heap(Q, D, V, Q1), !, visit(D, V, Q1, M, N, K, S).
walk(_, _, _, K, S) :- writeln(K-S).

visit(_, V, Q, M, N, K, S) :- get_assoc(V, M, _), !, walk(Q, M, N, K, S).
visit(D, V, Q, M, N, K, S) :- put_assoc(V, M, D, M1), K1 is K + 1, S1 is (S + D) mod 1000003,
    arcs(5, V, D, N, Q, Q1), walk(Q1, M1, N, K1, S1).

arcs(0, _, _, _, Q, Q2) :- !, Q2 = Q.
arcs(I, V, D, N, Q, Q2) :- W is (V * 7919 + I * 104729 + 13) mod N, D1 is D + (V * 31 + I * 17) mod 100 + 1,
    add_to_heap(Q, D1, W, Q1), I1 is I - 1, arcs(I1, V, D, N, Q1, Q2).
