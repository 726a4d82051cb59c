% SPDX-License-Identifier: MIT
:- initialization(main, main).
:- use_module(library(heaps)).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- empty_heap(Q), symbols(N, 7, Q, Q1), join(Q1, T), lengths(T, 0, 0, S), writeln(S).

symbols(0, _, Q, Q2) :- !, Q2 = Q.
symbols(N, X, Q, Q2) :- Y is (X * 69069 + 1) mod 1048576, F is Y // 64 + 1,
    add_to_heap(Q, F, leaf(N,F), Q1), N1 is N - 1, symbols(N1, Y, Q1, Q2).

join(Q, R) :- get_from_heap(Q, F, T, Q1), join(Q1, F, T, R).

join(Q, F, T, R) :- get_from_heap(Q, G, U, Q1), !, H is F + G, add_to_heap(Q1, H, node(T,U), Q2), join(Q2, R).
join(_, _, T, T).

lengths(leaf(_,F), D, A, S) :- S is A + F * D.
lengths(node(T,U), D, A, S) :- D1 is D + 1, lengths(T, D1, A, A1), lengths(U, D1, A1, S).
