% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- bits(N, 5, L), encode(L, Rs), decode(Rs, M), same(L, M, 0, K), length(Rs, R), writeln(R-K).

bits(0, _, []) :- !.
bits(N, X, [B|L1]) :- Y is (X * 69069 + 1) mod 1048576, B is Y >> 17 /\ Y >> 18 /\ 1, N1 is N - 1, bits(N1, Y, L1).

encode([], []).
encode([B|L], Rs) :- run(L, B, 1, Rs).

run([C|L], B, N, Rs) :- C =:= B, !, N1 is N + 1, run(L, B, N1, Rs).
run([C|L], B, N, [r(B,N)|Rs1]) :- run(L, C, 1, Rs1).
run([], B, N, [r(B,N)]).

decode([], []).
decode([r(B,N)|Rs], L) :- copies(N, B, L, L1), decode(Rs, L1).

copies(0, _, L, L) :- !.
copies(N, B, [B|L1], E) :- N1 is N - 1, copies(N1, B, L1, E).

same([], _, A, A).
same([X|Xs], [Y|Ys], A, K) :- X =:= Y, A1 is A + 1, same(Xs, Ys, A1, K).
