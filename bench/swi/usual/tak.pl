% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- A is N + 10, C is N - 9, tak(A, N, C, R), writeln(R).

tak(X, Y, Z, R) :- X =< Y, !, R = Z.
tak(X, Y, Z, R) :-
    X1 is X - 1, Y1 is Y - 1, Z1 is Z - 1,
    tak(X1, Y, Z, A), tak(Y1, Z, X, B), tak(Z1, X, Y, C), tak(A, B, C, R).
