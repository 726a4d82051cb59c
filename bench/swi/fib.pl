% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :-
    current_prolog_flag(argv, [A]), atom_number(A, N), repeat(N, 0).

repeat(0, Sum) :- !, writeln(Sum).
repeat(N, Sum) :-
    fib(25, F), N1 is N - 1, Sum1 is Sum + F, repeat(N1, Sum1).

fib(N, R) :- N < 2, !, R = N.
fib(N, R) :-
    N1 is N - 1, N2 is N - 2, fib(N1, R1), fib(N2, R2), R is R1 + R2.
