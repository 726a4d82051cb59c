% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- factorial(N, 1, F), digits(F, 0, S), writeln(S).

factorial(0, A, F) :- !, F = A.
factorial(N, A, F) :- A1 is A * N, N1 is N - 1, factorial(N1, A1, F).

digits(0, A, S) :- !, S = A.
digits(N, A, S) :- D is N mod 1000000000, small(D, A, A1), N1 is N // 1000000000, digits(N1, A1, S).

small(0, A, S) :- !, S = A.
small(N, A, S) :- A1 is A + N mod 10, N1 is N // 10, small(N1, A1, S).
