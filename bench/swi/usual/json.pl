% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- records(N, Ps, ["{}]"]), atomic_list_concat(["["|Ps], T), atom_codes(T, Cs), value(Cs, V, _), pieces(V, Qs, []),
    atomic_list_concat(Qs, U), atom_length(T, K), atom_length(U, M), writeln(K-M).

records(0, Ps, E) :- !, Ps = E.
records(N, ["{\"id\":",N,",\"name\":\"n",N,"\",\"tags\":[1,2,",N,"]},"|Ps1], E) :- N1 is N - 1, records(N1, Ps1, E).

value([0'{|Cs], V, R) :- !, members(Cs, Ms, R), V = object(Ms).
value([0'[|Cs], V, R) :- !, items(Cs, Is, R), V = array(Is).
value([0'"|Cs], V, R) :- !, text(Cs, Ts, R), string_codes(S, Ts), V = text(S).
value([C|Cs], V, R) :- C >= 0'0, C =< 0'9, X is C - 0'0, number(Cs, X, Y, R), V = number(Y).

number([C|Cs], X, Y, R) :- C >= 0'0, C =< 0'9, !, Z is X * 10 + C - 0'0, number(Cs, Z, Y, R).
number(Cs, X, X, Cs).

text([0'"|Cs], Ts, R) :- !, Ts = [], R = Cs.
text([C|Cs], [C|Ts1], R) :- text(Cs, Ts1, R).

items([0']|Cs], Is, R) :- !, Is = [], R = Cs.
items([0',|Cs], Is, R) :- !, items(Cs, Is, R).
items(Cs, [I|Is1], R) :- value(Cs, I, Cs1), items(Cs1, Is1, R).

members([0'}|Cs], Ms, R) :- !, Ms = [], R = Cs.
members([0',|Cs], Ms, R) :- !, members(Cs, Ms, R).
members([0'"|Cs], [K-V|Ms1], R) :- text(Cs, Ts, Cs1), string_codes(K, Ts), Cs1 = [0':|Cs2], value(Cs2, V, Cs3),
    members(Cs3, Ms1, R).

pieces(number(N), [N|E], E).
pieces(text(S), ["\"",S,"\""|E], E).
pieces(array(Is), ["["|P1], E) :- each(Is, P1, ["]"|E]).
pieces(object(Ms), ["{"|P1], E) :- fields(Ms, P1, ["}"|E]).

each([], E, E) :- !.
each([I], P, E) :- !, pieces(I, P, E).
each([I,J|Is], P, E) :- pieces(I, P, [","|P1]), each([J|Is], P1, E).

fields([], E, E) :- !.
fields([K-V], ["\"",K,"\":"|P1], E) :- !, pieces(V, P1, E).
fields([K-V,M|Ms], ["\"",K,"\":"|P1], E) :- pieces(V, P1, [","|P2]), fields([M|Ms], P2, E).
