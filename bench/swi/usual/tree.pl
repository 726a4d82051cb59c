% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- numbers(N, 1, L), insert(L, leaf, T), lookup(L, T, 0, C), writeln(C).

numbers(0, _, L) :- !, L = [].
numbers(N, X, [Y|L]) :- Y is (X * 69069 + 1) mod 16777216, N1 is N - 1, numbers(N1, Y, L).

insert([X|L], T, T2) :- put(T, X, T1), insert(L, T1, T2).
insert([], T, T).

put(leaf, X, t(leaf,X,leaf)).
put(t(A,Y,B), X, T) :- X < Y, !, T = t(A1,Y,B), put(A, X, A1).
put(t(A,Y,B), X, T) :- X > Y, !, T = t(A,Y,B1), put(B, X, B1).
put(T, _, T).

lookup([X|L], T, A, C) :- in(T, X, F), A1 is A + F, lookup(L, T, A1, C).
lookup([], _, A, A).

in(leaf, _, 0).
in(t(A,Y,_), X, F) :- X < Y, !, in(A, X, F).
in(t(_,Y,B), X, F) :- X > Y, !, in(B, X, F).
in(_, _, 1).
