% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

:- use_module(library(apply)).
run(N) :- numlist(1, N, L), maplist(square, L, M), include(odd, M, O), foldl(add, O, 0, S), writeln(S).

square(X, Y) :- Y is X * X mod 1000.
odd(X) :- X mod 2 =:= 1.
add(X, A, B) :- B is A + X.
