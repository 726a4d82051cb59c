% SPDX-License-Identifier: MIT
%
% An interpreter of Fleng on the coroutines of SWI-Prolog, for differential tests: variables are
% Prolog's, a goal that waits is a wakeup/1 hung on them by when/2, and the system's unification
% does the rest. The schedule is drawn at random from a seed. No clock, no trace: answers and ends.
%
%   swipl interpreter.pl          reads requests, a term a line: run(File, Goal, Seed),
%                                 Goal a text for -e, or main; Seed an integer
%   Answer, a line of JSON:       {"end":"normal"|"failure"|"deadlock"|"halted"|"limit",
%                                  "status":N, "waiting":N, "output":"...", "why":"..."}
%
% A clause is kept ground, variable I of it as '$v'(I); an attempt makes an environment for it, so
% that head and guard never touch a variable of the goal. A vector is a compound named '$vector'.

:- set_prolog_flag(double_quotes, string).
:- set_prolog_flag(prefer_rationals, false).
:- set_prolog_flag(float_format, '').
:- use_module(library(assoc)).
:- use_module(library(http/json)).

:- op(1100, xfy, '|').
:- op(700, xfx, :=).
:- op(700, xfx, =\=).
:- op(200, xfy, :).
:- op(200, xfx, @).

:- dynamic item/3.              % item(Name/Arity, Place, clause(...) or otherwise)
:- dynamic written/1.

reductions_at_most(100000).

% ---- Programs ---------------------------------------------------------------------------------

load(File) :-
    retractall(item(_, _, _)),
    setup_call_cleanup(open(File, read, S, [encoding(utf8)]), load_items(S, 0, none), close(S)).

load_items(S, N, Last) :-
    read_term(S, T, [module(user)]),
    (   T == end_of_file
    ->  true
    ;   load_item(T, N, Last, Next),
        N1 is N + 1,
        load_items(S, N1, Next)
    ).

load_item(otherwise, N, Last, Last) :- !, assertz(item(Last, N, otherwise)).
load_item(alternatively, _, Last, Last) :- !.
load_item(T, N, _, Key) :-
    clause_parts(T, Head, Guards, Body),
    functor(Head, Name, Arity),
    Key = Name/Arity,
    kept(c(Head, Guards, Body), c(H, G, B), Count),
    assertz(item(Key, N, clause(Count, H, G, B))).

clause_parts((H :- G | B), H, G, B) :- !.
clause_parts((H :- B), H, true, B) :- !.
clause_parts(H, H, true, true).

% Ground, with vectors as such.
kept(T, Kept, Count) :-
    term_variables(T, Vs),
    numbered(Vs, 1, Count),
    vectors(T, Kept).

numbered([], N, Count) :- Count is N - 1.
numbered(['$v'(N)|Vs], N, Count) :- N1 is N + 1, numbered(Vs, N1, Count).

vectors(T, T) :- ( atomic(T), T \== {} ; T = '$v'(_) ), !.
vectors({}, '$vector'()) :- !.
vectors({Elements}, V) :- !,
    elements(Elements, Es),
    maplist(vectors, Es, Vs),
    compound_name_arguments(V, '$vector', Vs).
vectors(T, R) :-
    compound_name_arguments(T, F, As),
    maplist(vectors, As, Bs),
    compound_name_arguments(R, F, Bs).

elements(T, [A|Es]) :- nonvar(T), T = (A, B), !, elements(B, Es).
elements(T, [T]).

% What a kept term is in an environment. In an expression of a body every variable of the text
% stands for a number: '$n'(V).
made('$v'(I), Env, T) :- !, arg(I, Env, T).
made(T, _, T) :- atomic(T), !.
made(T, Env, R) :-
    compound_name_arguments(T, F, As),
    all_made(As, Env, Bs),
    compound_name_arguments(R, F, Bs).

all_made([], _, []).
all_made([A|As], Env, [B|Bs]) :- made(A, Env, B), all_made(As, Env, Bs).

expression('$v'(I), Env, '$n'(T)) :- !, arg(I, Env, T).
expression(T, _, T) :- atomic(T), !.
expression(T, Env, R) :-
    compound_name_arguments(T, F, As),
    expressions(As, Env, Bs),
    compound_name_arguments(R, F, Bs).

expressions([], _, []).
expressions([A|As], Env, [B|Bs]) :- expression(A, Env, B), expressions(As, Env, Bs).

% ---- Heads ------------------------------------------------------------------------------------

% fits(+Pattern, +Term, +Env, +Set0, -Set, +Waits0, -Waits): fails where they differ. Set: the
% variables of the clause that have a value. Waits: conditions, one of which must come about.
fits('$v'(I), T, Env, S0, S, W0, W) :- !,
    arg(I, Env, V),
    (   ord_memberchk(I, S0)
    ->  S = S0, alike(V, T, W0, W)
    ;   ord_add_element(S0, I, S), V = T, W = W0
    ).
fits(P, T, _, S, S, W, [nonvar(T)|W]) :- var(T), !, nonvar(P).
fits(P, T, _, S, S, W, W) :- atomic(P), !, P == T.
fits(P, T, Env, S0, S, W0, W) :-
    compound(T),
    compound_name_arguments(P, F, As),
    compound_name_arguments(T, F, Bs),
    fit_all(As, Bs, Env, S0, S, W0, W).

fit_all([], [], _, S, S, W, W).
fit_all([A|As], [B|Bs], Env, S0, S, W0, W) :-
    fits(A, B, Env, S0, S1, W0, W1),
    fit_all(As, Bs, Env, S1, S, W1, W).

% alike(+A, +B, +Waits0, -Waits): structurally equal, fails where they differ.
alike(A, B, W, W) :- A == B, !.
alike(A, B, W, [?=(A, B)|W]) :- var(A), var(B), !.
alike(A, _, W, [nonvar(A)|W]) :- var(A), !.
alike(_, B, W, [nonvar(B)|W]) :- var(B), !.
alike(A, B, W0, W) :-
    compound(A), compound(B),
    compound_name_arguments(A, F, As),
    compound_name_arguments(B, F, Bs),
    all_alike(As, Bs, W0, W).

all_alike([], [], W, W).
all_alike([A|As], [B|Bs], W0, W) :- alike(A, B, W0, W1), all_alike(As, Bs, W1, W).

comparison(A, B, R) :-
    (   alike(A, B, [], W)
    ->  ( W == [] -> R = equal ; R = wait(W) )
    ;   R = different
    ).

% ---- Guards -----------------------------------------------------------------------------------

% guard(+Guard, +Env, +Set0, -Set, -Result): yes, no, or wait(Conditions)
guard(true, _, S, S, yes) :- !.
guard((A, B), Env, S0, S, R) :- !,
    guard(A, Env, S0, S1, R1),
    ( R1 == yes -> guard(B, Env, S1, S, R) ; S = S1, R = R1 ).
guard((A ; B), Env, S0, S, R) :- !,
    guard(A, Env, S0, S1, R1),
    (   R1 == yes
    ->  S = S1, R = yes
    ;   guard(B, Env, S0, S2, R2),
        (   R2 == yes
        ->  S = S2, R = yes
        ;   S = S0, neither(R1, R2, R)
        )
    ).
guard(G, Env, S, S, R) :- compared(G, Op, A, B), !,
    expression(A, Env, X), expression(B, Env, Y),
    value(X, VX),
    (   VX = number(NX)
    ->  value(Y, VY),
        (   VY = number(NY)
        ->  ( holds(Op, NX, NY) -> R = yes ; R = no )
        ;   guard_result(VY, R)
        )
    ;   guard_result(VX, R)
    ).
guard(X := E, Env, S0, S, R) :- !,
    expression(E, Env, T), value(T, V),
    ( V = number(N) -> given(X, N, Env, S0, S, R) ; S = S0, guard_result(V, R) ).
guard(X == Y, Env, S, S, R) :- !,
    made(X, Env, A), made(Y, Env, B), comparison(A, B, C),
    ( C == equal -> R = yes ; C == different -> R = no ; R = C ).
guard(X \= Y, Env, S, S, R) :- !,
    made(X, Env, A), made(Y, Env, B), comparison(A, B, C),
    ( C == equal -> R = no ; C == different -> R = yes ; R = C ).
guard(unbound(X), Env, S, S, R) :- !,
    made(X, Env, A), ( var(A) -> R = yes ; R = no ).
guard(functor(X, F, N), Env, S0, S, R) :- !,
    made(X, Env, T),
    (   var(T)
    ->  S = S0, R = wait([nonvar(T)])
    ;   inspected(T, Name, Arity),
        given(F, Name, Env, S0, S1, R1),
        ( R1 == yes -> given(N, Arity, Env, S1, S, R) ; S = S1, R = R1 )
    ).
guard(arg(N, X, A), Env, S0, S, R) :- !,
    made(N, Env, I), made(X, Env, T),
    (   var(I)
    ->  S = S0, R = wait([nonvar(I)])
    ;   \+ integer(I)
    ->  S = S0, R = no
    ;   var(T)
    ->  S = S0, R = wait([nonvar(T)])
    ;   compound(T), arg(I, T, E)
    ->  given(A, E, Env, S0, S, R)
    ;   S = S0, R = no
    ).
guard(G, Env, S, S, R) :-
    G =.. [Test, X],
    made(X, Env, T),
    ( var(T) -> R = wait([nonvar(T)]) ; is_of(Test, T) -> R = yes ; R = no ).

neither(wait(A), wait(B), wait(C)) :- !, append(A, B, C).
neither(wait(A), _, wait(A)) :- !.
neither(_, R, R).

% A variable that the guard gives a value, or a term that has to be equal to one.
given('$v'(I), T, Env, S0, S, yes) :- \+ ord_memberchk(I, S0), !,
    arg(I, Env, T), ord_add_element(S0, I, S).
given(X, T, Env, S, S, R) :-
    made(X, Env, A), comparison(A, T, C),
    ( C == equal -> R = yes ; C == different -> R = no ; R = C ).

guard_result(wait(V), wait([nonvar(V)])).
guard_result(wrong(_), no).

compared(A < B, <, A, B).
compared(A > B, >, A, B).
compared(A =< B, =<, A, B).
compared(A >= B, >=, A, B).
compared(A =:= B, =:=, A, B).
compared(A =\= B, =\=, A, B).

holds(Op, X, Y) :- call(Op, X, Y).

is_of(wait, _).
is_of(integer, T) :- integer(T).
is_of(float, T) :- float(T).
is_of(number, T) :- number(T).
is_of(atom, T) :- an_atom(T).
is_of(atomic, T) :- atomic(T).
is_of(list, [_|_]).
is_of(compound, T) :- compound(T), T \= [_|_], \+ is_vector(T).
is_of(string, T) :- string(T).
is_of(vector, T) :- is_vector(T).

% For Prolog [] is none.
an_atom(T) :- ( atom(T) ; T == [] ), !.

is_vector(T) :- compound(T), compound_name_arity(T, '$vector', _).

inspected(T, '.', 2) :- T = [_|_], !.
inspected(T, {}, N) :- is_vector(T), !, compound_name_arity(T, _, N).
inspected(T, F, N) :- compound(T), !, compound_name_arity(T, F, N).
inspected(T, T, 0).

% ---- Arithmetic -------------------------------------------------------------------------------

% value(+Expression, -Result): number(N), wait(V), or wrong(What)
value(E, wait(E)) :- var(E), !.
value('$n'(E), R) :- !,
    ( var(E) -> R = wait(E) ; number(E) -> R = number(E) ; R = wrong(E) ).
value(E, number(E)) :- number(E), !.
value(E, R) :-
    compound(E), compound_name_arguments(E, Op, As), length(As, N), operator(Op, N), !,
    values(As, Vs, R0),
    ( R0 == ok -> applied(Op, Vs, R) ; R = R0 ).
value(E, wrong(E)).

values([], [], ok).
values([A|As], Vs, R) :-
    value(A, V),
    (   V = number(N)
    ->  Vs = [N|Ns], values(As, Ns, R)
    ;   R = V
    ).

operator(Op, 2) :- memberchk(Op, [+, -, *, /, //, mod, rem, min, max, >>, <<, /\, \/, xor, **]).
operator(Op, 1) :- memberchk(Op, [-, +, abs, sign, \, sqrt, exp, log, sin, cos, tan, atan, float,
                                  integer, truncate, round, floor, ceiling]).

applied(Op, Vs, R) :-
    (   catch(result(Op, Vs, N), error(_, _), fail)
    ->  R = number(N)
    ;   T =.. [Op|Vs], R = wrong(T)
    ).

result(/, [A, B], N) :- integer(A), integer(B), !, N is A // B.
result(//, [A, B], N) :- !, integer(A), integer(B), N is A // B.
result(max, [A, B], N) :- !, ( A >= B -> N = A ; N = B ).
result(min, [A, B], N) :- !, ( A =< B -> N = A ; N = B ).
result(**, [A, B], N) :- integer(A), integer(B), !, B >= 0, N is A ^ B.
result(Op, Vs, N) :- E =.. [Op|Vs], N is E.


% ---- Reducing ---------------------------------------------------------------------------------

% Goals are goal(Term) in b_ globals: ready ones in a list, and how many there are in all.
spawn(G) :-
    b_getval(ready, Ready), b_setval(ready, [G|Ready]),
    b_getval(alive, N), N1 is N + 1, b_setval(alive, N1).

wakeup(G) :- b_getval(ready, Ready), b_setval(ready, [G|Ready]).

suspend(G, Conditions) :-
    sort(Conditions, Cs),
    disjunction(Cs, C),
    when(C, wakeup(G)).

disjunction([C], C) :- !.
disjunction([C|Cs], (C ; D)) :- disjunction(Cs, D).

reduced :- b_getval(alive, N), N1 is N - 1, b_setval(alive, N1).

run_all(Left) :-
    b_getval(ready, Ready),
    (   Ready == []
    ->  true
    ;   Left =< 0
    ->  throw(limit)
    ;   length(Ready, N), I is random(N), nth0(I, Ready, G, Rest),
        b_setval(ready, Rest),
        step(G),
        Left1 is Left - 1,
        run_all(Left1)
    ).

step(G) :- builtin(G, Effect), !, act(G, Effect).
step(G) :-
    functor(G, Name, Arity),
    findall(I, item(Name/Arity, _, I), Items),
    ( Items == [] -> throw(failure(unknown(Name/Arity))) ; true ),
    attempt(Items, G, [], Result),
    (   Result = commit(Body, Env)
    ->  reduced, start(Body, Env)
    ;   Result = wait(W)
    ->  suspend(G, W)
    ;   throw(failure(no_clause(G)))
    ).

act(G, wait(W)) :- !, suspend(G, W).
act(_, wrong(What)) :- !, throw(failure(What)).
act(_, do(Goal)) :- reduced, ( call(Goal) -> true ; throw(failure(Goal)) ).

attempt([], _, W, R) :- ( W == [] -> R = none ; R = wait(W) ).
attempt([otherwise|_], _, W, wait(W)) :- W \== [], !.
attempt([otherwise|Items], G, W, R) :- !, attempt(Items, G, W, R).
attempt([clause(Count, Head, Guards, Body)|Items], G, W, R) :-
    functor(Env, env, Count),
    (   fits(Head, G, Env, [], Set, [], HeadWaits)
    ->  (   HeadWaits \== []
        ->  append(HeadWaits, W, W1), attempt(Items, G, W1, R)
        ;   guard(Guards, Env, Set, _, GuardResult),
            (   GuardResult == yes
            ->  R = commit(Body, Env)
            ;   GuardResult = wait(GuardWaits)
            ->  append(GuardWaits, W, W1), attempt(Items, G, W1, R)
            ;   attempt(Items, G, W, R)
            )
        )
    ;   attempt(Items, G, W, R)
    ).

start((A, B), Env) :- !, start(A, Env), start(B, Env).
start(true, _) :- !.
start(X = Y, Env) :- !, made(X, Env, A), made(Y, Env, B), equate(A, B).
start(X := E, Env) :- !, made(X, Env, Y), expression(E, Env, F), spawn('$assign'(Y, F)).
start(G, Env) :- made(G, Env, T), spawn(T).

equate(A, B) :- ( A = B -> true ; throw(failure(A = B)) ).

% ---- Builtins ---------------------------------------------------------------------------------

% builtin(+Goal, -Effect): do(Goal), wait(Conditions) or wrong(What); fails for what is no builtin
builtin('$assign'(X, E), R) :- assigned(X, E, R).
builtin(X := E, R) :- assigned(X, E, R).
builtin(compute(Op, A, B, X), R) :-
    needed([Op, A, B], W),
    (   W \== [] -> W = [First|_], R = wait([First])
    ;   atom(Op), number(A), number(B), operator(Op, 2), applied(Op, [A, B], number(N))
    ->  R = do(equate(X, N))
    ;   R = wrong(compute(Op, A, B))
    ).
builtin(call(G), R) :- called(G, [], R).
builtin(call(G, A), R) :- called(G, [A], R).
builtin(halt, do(throw(halted(0)))).
builtin(halt(N), R) :- ( var(N) -> R = wait([nonvar(N)]) ; R = do(throw(halted(N))) ).
builtin(write(T), R) :- writes(T, false, '', R).
builtin(print(T), R) :- writes(T, true, '', R).
builtin(writeln(T), R) :- writes(T, false, '\n', R).
builtin(nl, do(written('\n', ''))).
builtin(functor(T, F, N), R) :-
    (   nonvar(T) -> inspected(T, Name, Arity), R = do((equate(F, Name), equate(N, Arity)))
    ;   needed([F, N], W), W \== [] -> R = wait([nonvar(T)|W])
    ;   integer(N), N >= 0, ( N =:= 0 ; an_atom(F) )
    ->  ( N =:= 0 -> S = F ; functor(S, F, N) ), R = do(equate(T, S))
    ;   R = wrong(functor(T, F, N))
    ).
builtin(arg(N, T, A), R) :-
    needed([N, T], W),
    (   W = [First|_] -> R = wait([First])
    ;   integer(N), compound(T), arg(N, T, E) -> R = do(equate(A, E))
    ;   R = wrong(arg(N, T, A))
    ).
builtin(T =.. L, R) :-
    (   nonvar(T)
    ->  (   is_vector(T) -> R = wrong(T =.. L)
        ;   T = [A|B] -> R = do(equate(L, ['.', A, B]))
        ;   T =.. S, R = do(equate(L, S))
        )
    ;   list_end(L, End), var(End) -> R = wait([nonvar(T), nonvar(End)])
    ;   is_list(L), L = [F|As]
    ->  (   var(F) -> R = wait([nonvar(T), nonvar(F)])
        ;   As == [] -> R = do(equate(T, F))
        ;   atom(F) -> S =.. L, R = do(equate(T, S))
        ;   R = wrong(T =.. L)
        )
    ;   R = wrong(T =.. L)
    ).
builtin(new_vector(V, N), R) :-
    (   var(N) -> R = wait([nonvar(N)])
    ;   integer(N), N >= 0
    ->  length(Zeros, N), maplist(=(0), Zeros),
        compound_name_arguments(New, '$vector', Zeros), R = do(equate(V, New))
    ;   list_end(N, End), var(End) -> R = wait([nonvar(End)])
    ;   is_list(N) -> compound_name_arguments(New, '$vector', N), R = do(equate(V, New))
    ;   R = wrong(new_vector(V, N))
    ).
builtin(set_vector_element(V, I, Old, E, W), R) :-
    needed([V, I], Waits),
    (   Waits = [First|_] -> R = wait([First])
    ;   is_vector(V), integer(I), compound_name_arguments(V, F, Es), nth0(I, Es, O, Rest)
    ->  nth0(I, New, E, Rest), compound_name_arguments(N, F, New),
        R = do((equate(Old, O), equate(W, N)))
    ;   R = wrong(set_vector_element(V, I, Old, E, W))
    ).
builtin(number_string(N, S), R) :-
    (   nonvar(N)
    ->  ( number(N) -> text(N, true, T), R = do(equate(S, T)) ; R = wrong(number_string(N, S)) )
    ;   var(S) -> R = wait([nonvar(N), nonvar(S)])
    ;   string(S), number_codes_of(S, M) -> R = do(equate(N, M))
    ;   R = wrong(number_string(N, S))
    ).
builtin(string_concat(A, B, C), R) :- strings([A, B], R, S, string_concat(A, B, S), C).
builtin(string_length(A, N), R) :- strings([A], R, L, string_length(A, L), N).
builtin(split(S, Sep, L), R) :- strings([S, Sep], R, Parts, parts(S, Sep, Parts), L).
builtin(string_codes(S, L), R) :- nonvar(S), strings([S], R, Cs, string_codes(S, Cs), L).
builtin(string_codes(S, L), R) :- var(S),
    (   list_end(L, End), var(End) -> R = wait([nonvar(S), nonvar(End)])
    ;   member(C, L), var(C) -> R = wait([nonvar(S), nonvar(C)])
    ;   string_codes(T, L), R = do(equate(S, T))
    ).
builtin(term_string(T, S), R) :-
    (   nonvar(T)
    ->  (   ground(T) -> text(T, true, X), R = do(equate(S, X))
        ;   term_variables(T, [V|_]), R = wait([nonvar(V)])
        )
    ;   var(S) -> R = wait([nonvar(T), nonvar(S)])
    ;   term_string(X, S), kept(X, Y, 0) -> R = do(equate(T, Y))
    ;   R = wrong(term_string(T, S))
    ).

assigned(X, E, R) :-
    value(E, V),
    (   V = number(N) -> R = do(equate(X, N))
    ;   V = wait(W) -> R = wait([nonvar(W)])
    ;   R = V
    ).

needed([], []).
needed([X|Xs], Ws) :- ( var(X) -> Ws = [nonvar(X)|Vs] ; Ws = Vs ), needed(Xs, Vs).

list_end(L, L) :- var(L), !.
list_end([_|T], End) :- !, list_end(T, End).
list_end(L, L).

strings(Texts, R, Value, Goal, Result) :-
    needed(Texts, W),
    (   W = [First|_] -> R = wait([First])
    ;   maplist(string, Texts), call(Goal) -> R = do(equate(Result, Value))
    ;   R = wrong(Goal)
    ).

parts(S, Sep, Parts) :-
    Sep \== "",
    atomic_list_concat(Atoms, Sep, S),
    maplist(atom_string, Atoms, Parts).

number_codes_of(S, N) :- catch(number_string(N, S), _, fail).

called(G, _, wait([nonvar(G)])) :- var(G), !.
called((A, B), [], R) :- !,
    (   member(X, [A, B]), var(X) -> R = wait([nonvar(X)])
    ;   called(A, [], RA), called(B, [], RB),
        ( RA = do(DA), RB = do(DB) -> R = do((DA, DB)) ; RA = do(_) -> R = RB ; R = RA )
    ).
called(G, Extra, R) :-
    (   atom(G) -> T =.. [G|Extra]
    ;   compound(G), \+ is_vector(G), G \= [_|_] -> G =.. L0, append(L0, Extra, L1), T =.. L1
    ;   true
    ),
    (   var(T) -> R = wrong(call(G))
    ;   T == true -> R = do(true)
    ;   T = (X = Y) -> R = do(equate(X, Y))
    ;   R = do(spawn(T))
    ).

% ---- Output -----------------------------------------------------------------------------------

writes(T, Quoted, Ending, R) :-
    (   ground(T) -> R = do((text(T, Quoted, S), written(S, Ending)))
    ;   term_variables(T, [V|_]), R = wait([nonvar(V)])
    ).

written(S, Ending) :- assertz(written(S)), assertz(written(Ending)).

text(T, Quoted, Text) :-
    shown(T, S),
    format(string(Raw), '~W', [S, [quoted(Quoted), numbervars(true), spacing(standard)]]),
    ( Quoted == true -> Name = "'{}'" ; Name = "{}" ),
    atomic_list_concat(Parts, an_atom_of_braces, Raw),
    atomic_list_concat(Parts, Name, Atom),
    atom_string(Atom, Text).

% With vectors as braces; the atom '{}' is no empty vector.
shown(T, an_atom_of_braces) :- T == {}, !.
shown(T, T) :- ( var(T) ; atomic(T) ), !.
shown(T, S) :- is_vector(T), !,
    compound_name_arguments(T, _, As),
    maplist(shown, As, Bs),
    ( Bs == [] -> S = {} ; conjunction(Bs, C), S = {C} ).
shown(T, S) :-
    compound_name_arguments(T, F, As),
    maplist(shown, As, Bs),
    compound_name_arguments(S, F, Bs).

conjunction([A], A) :- !.
conjunction([A|As], (A, B)) :- conjunction(As, B).

% ---- A run ------------------------------------------------------------------------------------

run(File, Goal, Seed, Answer) :-
    load(File),
    set_random(seed(Seed)),
    retractall(written(_)),
    b_setval(ready, []), b_setval(alive, 0),
    query(Goal, Kept, Count, Names),
    functor(Env, env, Count),
    reductions_at_most(Limit),
    catch(( start(Kept, Env), run_all(Limit), End = ended ), Ball, End = Ball),
    b_getval(alive, Alive),
    ending(End, Alive, Kind, Status, Why),
    ( Kind == normal -> answers(Names, Env) ; true ),
    findall(W, written(W), Ws), atomic_list_concat(Ws, Output),
    Answer = json([end=Kind, status=Status, waiting=Alive, output=Output, why=Why]).

ending(ended, 0, normal, 0, '') :- !.
ending(ended, _, deadlock, 3, '') :- !.
ending(failure(What), _, failure, 1, Why) :- !, format(atom(Why), '~q', [What]).
ending(halted(N), _, halted, N, '') :- !.
ending(limit, _, limit, 0, '') :- !.
ending(Error, _, broken, 70, Why) :- format(atom(Why), '~q', [Error]).

query(main, main, 0, []) :- !.
query(Text, Kept, Count, Names) :-
    term_string(T, Text, [variable_names(Bound)]),
    term_variables(T, Vs),
    findall(N-I, ( nth1(I, Vs, V), member(N=W, Bound), W == V, \+ sub_atom(N, 0, _, _, '_') ), Names),
    kept(T, Kept, Count).

% What -e shows of its variables; what stayed unbound is _1, _2, ... by occurrence.
answers(Names, Env) :-
    findall(Name, member(Name-_, Names), Ns),
    values_of(Names, Env, Values),
    copy_term_nat(Values, Plain),
    term_variables(Plain, Vs),
    named(Vs, 1),
    answer_lines(Ns, Plain).

values_of([], _, []).
values_of([_-I|Names], Env, [V|Vs]) :- arg(I, Env, V), values_of(Names, Env, Vs).

named([], _).
named(['$VAR'(A)|Vs], N) :- format(atom(A), '_~d', [N]), N1 is N + 1, named(Vs, N1).

answer_lines([], []).
answer_lines([Name|Ns], [T|Ts]) :-
    text(T, true, S),
    format(string(Line), '~w = ~w', [Name, S]),
    written(Line, '\n'),
    answer_lines(Ns, Ts).

broken(E, json([end=broken, why=Why])) :- format(atom(Why), '~q', [E]).

requests :-
    read_term(R, []),
    (   R = run(File, Goal, Seed)
    ->  ( catch(run(File, Goal, Seed, A), E, broken(E, A)) -> true ; broken(failed, A) ),
        json_write(current_output, A, [width(0)]), nl, flush_output,
        requests
    ;   true % end_of_file
    ).

:- initialization((requests, halt), main).
