% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- numbers(N, 0, S), writeln(S).

numbers(0, A, S) :- !, S = A.
numbers(N, A, S) :- M is 2 ** 70 + N, divide(M, 2, 0, K), A1 is A + K, N1 is N - 1, numbers(N1, A1, S).

divide(_, P, A, K) :- P > 1000, !, K = A.
divide(M, P, A, K) :- M mod P =:= 0, !, M1 is M // P, A1 is A + 1, divide(M1, P, A1, K).
divide(M, P, A, K) :- P1 is P + 1, divide(M, P1, A, K).
