% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- pieces(N, L), atomics_to_string_joined(L, S), split_string(S, ",", "", P), lengths(P, 0, K), writeln(K).

atomics_to_string_joined(L, S) :- atomic_list_concat(L, ',', A), atom_string(A, S).

pieces(0, L) :- !, L = [].
pieces(N, [S|L]) :- number_string(N, T), string_concat("p", T, S), N1 is N - 1, pieces(N1, L).

lengths([S|L], A, K) :- string_length(S, N), A1 is A + N, lengths(L, A1, K).
lengths([], A, A).
