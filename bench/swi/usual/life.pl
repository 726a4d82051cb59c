% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- cells(4096, 17, L), V =.. [v|L], generations(N, V).

cells(0, _, L) :- !, L = [].
cells(N, X, [C|L1]) :- Y is (X * 69069 + 1) mod 1048576, C is Y // 512 mod 2, N1 is N - 1, cells(N1, Y, L1).

generations(0, V) :- !, count(0, V, 0, S), writeln(S).
generations(N, V) :- next(0, V, L), W =.. [v|L], N1 is N - 1, generations(N1, W).

next(4096, _, L) :- !, L = [].
next(I, V, [New|L1]) :- X is I /\ 63, Y is I - X, W is (X + 63) /\ 63, E is (X + 1) /\ 63,
    N is (Y + 4032) /\ 4095, S is (Y + 64) /\ 4095, NW is N + W + 1, NN is N + X + 1, NE is N + E + 1, WW is Y + W + 1,
    EE is Y + E + 1, SW is S + W + 1, SS is S + X + 1, SE is S + E + 1, I1 is I + 1,
    arg(NW, V, A), arg(NN, V, B), arg(NE, V, C), arg(WW, V, D), arg(EE, V, F), arg(SW, V, G), arg(SS, V, H),
    arg(SE, V, J), arg(I1, V, Old), K is A + B + C + D + F + G + H + J, cell(K, Old, New), next(I1, V, L1).

cell(3, _, C) :- !, C = 1.
cell(2, Old, C) :- !, C = Old.
cell(_, _, 0).

count(4096, _, A, S) :- !, S = A.
count(I, V, A, S) :- I1 is I + 1, arg(I1, V, X), A1 is A + X, count(I1, V, A1, S).
