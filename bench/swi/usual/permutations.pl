% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- numlist(1, N, L), permute(L, [], 0, S), writeln(S).

permute([], P, A, S) :- value(P, 0, V), S is (A * 31 + V) mod 1000003.
permute([X|Xs], P, A, S) :- choose([X|Xs], [], P, A, S).

choose([], _, _, A, A).
choose([X|Xs], Before, P, A, S) :- rest(Before, Xs, R), permute(R, [X|P], A, A1), choose(Xs, [X|Before], P, A1, S).

rest([], Y, Y).
rest([X|Xs], Y, R) :- rest(Xs, [X|Y], R).

value([], A, A).
value([X|Xs], A, V) :- A1 is (A * 7 + X) mod 1009, value(Xs, A1, V).
