% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :-
    current_prolog_flag(argv, [A]), atom_number(A, N), range(1, 8, Columns),
    repeat(N, Columns, 0).

repeat(0, _, Sum) :- !, writeln(Sum).
repeat(N, Columns, Sum) :-
    place(Columns, [], [], Boards, []), count(Boards, 0, Found),
    N1 is N - 1, Sum1 is Sum + Found, repeat(N1, Columns, Sum1).

place([Q|Free], Tried, Board, Out, End) :-
    safe(Board, Q, 1, Safe),
    append(Tried, Free, Rest),
    grow(Safe, Rest, [Q|Board], Out, Middle),
    place(Free, [Q|Tried], Board, Middle, End).
place([], Tried, Board, Out, End) :- full(Tried, Board, Out, End).

full([_|_], _, End, End).
full([], Board, [Board|End], End).

grow(yes, Rest, Board, Out, End) :- place(Rest, [], Board, Out, End).
grow(no, _, _, End, End).

safe([], _, _, yes).
safe([P|Board], Q, D, Safe) :-
    (   P =:= Q + D
    ->  Safe = no
    ;   P =:= Q - D
    ->  Safe = no
    ;   D1 is D + 1, safe(Board, Q, D1, Safe)
    ).

append([H|X], Y, [H|Z]) :- append(X, Y, Z).
append([], Y, Y).

count([_|L], A, N) :- A1 is A + 1, count(L, A1, N).
count([], N, N).

range(I, N, L) :- I =< N, !, L = [I|L1], I1 is I + 1, range(I1, N, L1).
range(_, _, []).
