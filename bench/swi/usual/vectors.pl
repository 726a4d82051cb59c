% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- numlist(0, 99, L), V =.. [v|L], turns(N, V, 0, S), writeln(S).

turns(0, _, A, S) :- !, S = A.
turns(N, V, A, S) :- I is N mod 100 + 1, arg(I, V, X), A1 is A + X, N1 is N - 1, turns(N1, V, A1, S).
