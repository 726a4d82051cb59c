% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :-
    current_prolog_flag(argv, [A]), atom_number(A, N), numbers(2000, 42, L), repeat(N, L, 0).

repeat(0, _, Sum) :- !, writeln(Sum).
repeat(N, L, Sum) :-
    qsort(L, Sorted, []), ordered(Sorted, 0, 0, Count),
    N1 is N - 1, Sum1 is Sum + Count, repeat(N1, L, Sum1).

qsort([], S, S).
qsort([P|L], S, T) :- part(L, P, A, B), qsort(A, S, [P|M]), qsort(B, M, T).

part([X|L], P, A, B) :- X =< P, !, A = [X|A1], part(L, P, A1, B).
part([X|L], P, A, [X|B]) :- part(L, P, A, B).
part([], _, [], []).

ordered([X|L], Previous, A, N) :- X >= Previous, !, A1 is A + 1, ordered(L, X, A1, N).
ordered([X|L], _, A, N) :- ordered(L, X, A, N).
ordered([], _, N, N).

numbers(0, _, L) :- !, L = [].
numbers(I, X, [X1|L]) :-
    X1 is (X * 69069 + 1) mod 2147483648, I1 is I - 1, numbers(I1, X1, L).
