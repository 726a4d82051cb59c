% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- numlist(1, 30, L), times(N, L, 0).

times(0, _, S) :- !, writeln(S).
times(N, L, S) :- eval(call(nrev, [const(L)]), [], [X|_]), S1 is S + X, N1 is N - 1, times(N1, L, S1).

function(nrev, if(arg(0), call(append, [call(nrev, [tail(arg(0))]), cons(head(arg(0)), const([]))]), const([]))).
function(append, if(arg(0), cons(head(arg(0)), call(append, [tail(arg(0)),arg(1)])), arg(1))).

eval(const(C), _, C).
eval(arg(I), Args, V) :- nth(I, Args, V).
eval(head(E), Args, V) :- eval(E, Args, [V|_]).
eval(tail(E), Args, V) :- eval(E, Args, [_|V]).
eval(cons(E, F), Args, [H|T]) :- eval(E, Args, H), eval(F, Args, T).
eval(if(C, E, F), Args, V) :- eval(C, Args, W), branch(W, E, F, Args, V).
eval(call(F, Es), Args, V) :- values(Es, Args, Vs), function(F, B), eval(B, Vs, V).

branch([_|_], E, _, Args, V) :- eval(E, Args, V).
branch([], _, F, Args, V) :- eval(F, Args, V).

values([E|Es], Args, [V|Vs]) :- eval(E, Args, V), values(Es, Args, Vs).
values([], _, []).

nth(0, [X|_], V) :- !, V = X.
nth(I, [_|Xs], V) :- I1 is I - 1, nth(I1, Xs, V).
