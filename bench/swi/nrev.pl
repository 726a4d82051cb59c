% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :-
    current_prolog_flag(argv, [A]), atom_number(A, N), range(1, 500, L), repeat(N, L, 0).

repeat(0, _, Sum) :- !, writeln(Sum).
repeat(N, L, Sum) :-
    nrev(L, R), count(R, 0, Length),
    N1 is N - 1, Sum1 is Sum + Length, repeat(N1, L, Sum1).

nrev([H|T], R) :- nrev(T, R1), append(R1, [H], R).
nrev([], []).

append([H|X], Y, [H|Z]) :- append(X, Y, Z).
append([], Y, Y).

count([_|L], A, N) :- A1 is A + 1, count(L, A1, N).
count([], N, N).

range(I, N, L) :- I =< N, !, L = [I|L1], I1 is I + 1, range(I1, N, L1).
range(_, _, []).
