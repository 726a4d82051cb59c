% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- L = N, zeros(L, Z), V0 =.. [v|Z], things(200, 17, L, V0, Best), writeln(Best).

zeros(-1, Z) :- !, Z = [].
zeros(N, [0|Z]) :- N1 is N - 1, zeros(N1, Z).

things(0, _, L, V, Best) :- !, L1 is L + 1, arg(L1, V, Best).
things(I, X, L, V, Best) :-
    Y is (X * 69069 + 1) mod 65536, W is Y // 8 mod 91 + 10, P is Y mod 97 + 3,
    row(0, L, W, P, V, R), V1 =.. [v|R], I1 is I - 1, things(I1, Y, L, V1, Best).

row(J, L, _, _, _, R) :- J > L, !, R = [].
row(J, L, W, P, V, R) :- J < W, !, J1 is J + 1, arg(J1, V, X), R = [X|R1], row(J1, L, W, P, V, R1).
row(J, L, W, P, V, [C|R]) :-
    J1 is J + 1, K is J1 - W, arg(J1, V, A), arg(K, V, B0), B is B0 + P, C is max(A, B), row(J1, L, W, P, V, R).
