% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- numbers(N, 1, L), sorted(N, L, S), sum(S, 0, 0, R), writeln(R).

numbers(0, _, L) :- !, L = [].
numbers(N, X, [Y|L]) :- Y is (X * 69069 + 1) mod 16777216, N1 is N - 1, numbers(N1, Y, L).

sorted(N, L, S) :- N =< 1, !, S = L.
sorted(N, L, S) :- H is N // 2, K is N - H, split(H, L, A, B), sorted(H, A, SA), sorted(K, B, SB), merged(SA, SB, S).

split(0, L, A, B) :- !, A = [], B = L.
split(N, [X|L], [X|A], B) :- N1 is N - 1, split(N1, L, A, B).

merged([X|A], [Y|B], S) :- X =< Y, !, S = [X|S1], merged(A, [Y|B], S1).
merged([X|A], [Y|B], S) :- !, S = [Y|S1], merged([X|A], B, S1).
merged([], B, B) :- !.
merged(A, [], A).

sum([X|L], I, A, R) :- A1 is (A * 3 + X) mod 1000003, I1 is I + 1, sum(L, I1, A1, R).
sum([], _, A, A).
