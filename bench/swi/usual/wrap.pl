% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- text(N, 1, Ps), atomics_to_string(Ps, T), split_string(T, " ", "", Ws), lines(Ws, Ls),
    atomic_list_concat(Ls, '\n', R), string_length(R, K), length(Ls, M), writeln(M-K).

atomics_to_string(Ps, T) :- atomic_list_concat(Ps, A), atom_string(A, T).

text(0, _, ["end"]) :- !.
text(N, X, ["w",I," "|Ps1]) :- Y is (X * 69069 + 1) mod 1048576, I is Y // 16 mod 49997, N1 is N - 1, text(N1, Y, Ps1).

lines([], []).
lines([W|Ws], Ls) :- string_length(W, K), line(Ws, K, [W|E], E, Ls).

line([], _, L, [], [S]) :- atomic_list_concat(L, ' ', S).
line([W|Ws], K, L, E, Ls) :- string_length(W, N), M is K + 1 + N, line(M, W, N, Ws, L, E, Ls).

line(M, W, _, Ws, L, E, Ls) :- M =< 60, !, E = [W|E1], line(Ws, M, L, E1, Ls).
line(_, W, N, Ws, L, E, Ls) :- E = [], atomic_list_concat(L, ' ', S), Ls = [S|Ls1], line(Ws, N, [W|E1], E1, Ls1).
