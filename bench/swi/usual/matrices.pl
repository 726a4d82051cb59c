% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- matrix(N, N, 1, A), matrix(N, N, 7, B), columns(B, Bt), rows(A, Bt, C), sum_rows(C, 0, S), writeln(S).

matrix(0, _, _, M) :- !, M = [].
matrix(I, N, X, [R|M]) :- row(N, X, R), I1 is I - 1, X1 is (X * 13 + 5) mod 1009, matrix(I1, N, X1, M).

row(0, _, R) :- !, R = [].
row(J, X, [Y|R]) :- Y is (X * 31 + 7) mod 101, J1 is J - 1, row(J1, Y, R).

columns([[]|_], []) :- !.
columns([[X|Xs]|Rs], [[X|Hs]|C]) :- heads(Rs, Hs, Ts), columns([Xs|Ts], C).

heads([[X|Xs]|Rs], [X|Hs], [Xs|Ts]) :- heads(Rs, Hs, Ts).
heads([], [], []).

rows([R|Rs], Bt, [Cr|C]) :- products(Bt, R, Cr), rows(Rs, Bt, C).
rows([], _, []).

products([B|Bs], R, [X|C]) :- product(R, B, 0, X), products(Bs, R, C).
products([], _, []).

product([X|Xs], [Y|Ys], A, P) :- A1 is A + X * Y, product(Xs, Ys, A1, P).
product([], [], A, A).

sum_rows([R|Rs], A, S) :- sum(R, A, A1), sum_rows(Rs, A1, S).
sum_rows([], A, A).

sum([X|Xs], A, S) :- A1 is A + X, sum(Xs, A1, S).
sum([], A, A).
