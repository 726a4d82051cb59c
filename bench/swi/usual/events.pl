% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- begin(100, empty, Q1), events(N, 7, 0, Q1).

begin(0, Q, Q2) :- !, Q2 = Q.
begin(I, Q, Q2) :- merge(q(I,I,empty,empty), Q, Q1), I1 is I - 1, begin(I1, Q1, Q2).

events(0, _, S, _) :- !, writeln(S).
events(N, X, S, q(T,M,L,R)) :-
    merge(L, R, Q), Y is (X * 69069 + M) mod 1048576,
    T1 is T + Y // 32 mod 500 + 1, merge(q(T1,M,empty,empty), Q, Q1), S1 is (S + T * M) mod 1000003, N1 is N - 1,
    events(N1, Y, S1, Q1).

merge(empty, Q, Q) :- !.
merge(Q, empty, Q) :- !.
merge(q(K1,X1,L1,R1), q(K2,X2,L2,R2), Q) :- K1 =< K2, !, Q = q(K1,X1,M,L1), merge(R1, q(K2,X2,L2,R2), M).
merge(Q1, q(K2,X2,L2,R2), q(K2,X2,M,L2)) :- merge(Q1, R2, M).
