% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :-
    current_prolog_flag(argv, [A]), atom_number(A, N),
    border(N, Beyond), rows(1, 200, [0|Beyond], Last), last(Last, 0, Cost), writeln(Cost).

border(1, Costs) :- !, Costs = [].
border(J, [1000000000|Costs]) :- J1 is J - 1, border(J1, Costs).

rows(I, N, Above, Last) :- I =< N, !,
    row(Above, I, 1, 1000000000, Costs), I1 is I + 1, rows(I1, N, Costs, Last).
rows(_, _, Last, Last).

row([Up|Above], I, J, Left, [Cost|Costs]) :- Up =< Left, !,
    Cost is Up + (I * J + 1) mod 11, J1 is J + 1, row(Above, I, J1, Cost, Costs).
row([_|Above], I, J, Left, [Cost|Costs]) :-
    Cost is Left + (I * J + 1) mod 11, J1 is J + 1, row(Above, I, J1, Cost, Costs).
row([], _, _, _, []).

last([X|L], _, Last) :- last(L, X, Last).
last([], Last, Last).
