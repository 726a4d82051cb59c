% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

:- use_module(library(assoc)).

run(N) :- text(N, 1, Ws), empty_assoc(M), count(Ws, M, M1), assoc_to_list(M1, Ps), squares(Ps, 0, S), writeln(S).

text(0, _, Ws) :- !, Ws = [].
text(N, X, [W|Ws]) :-
    Y is (X * 69069 + 1) mod 1048576, I is Y // 16 mod 997,
    number_string(I, T), string_concat("w", T, W), N1 is N - 1, text(N1, Y, Ws).

count([W|Ws], M, M2) :- ( get_assoc(W, M, C) -> C1 is C + 1 ; C1 = 1 ), put_assoc(W, M, C1, M1), count(Ws, M1, M2).
count([], M, M).

squares([_-C|Ps], A, S) :- A1 is A + C * C, squares(Ps, A1, S).
squares([], A, A).
