% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- text(N, Cs), expression(Cs, V, _), writeln(V).

text(1, Cs) :- !, term(1, Cs, []).
text(N, Cs) :- term(N, Cs, [0'+|Cs1]), N1 is N - 1, text(N1, Cs1).

term(N, [0'(,E,D,0'+,D,0'),0'*,E|End], End) :- D is N mod 10 + 0'0, E is N // 10 mod 9 + 0'1.

expression(Cs, V, Rest) :- product(Cs, A, Cs1), more(Cs1, A, V, Rest).

more([0'+|Cs], A, V, Rest) :- !, product(Cs, B, Cs1), A1 is A + B, more(Cs1, A1, V, Rest).
more(Cs, A, A, Cs).

product(Cs, V, Rest) :- factor(Cs, A, Cs1), times(Cs1, A, V, Rest).

times([0'*|Cs], A, V, Rest) :- !, factor(Cs, B, Cs1), A1 is A * B, times(Cs1, A1, V, Rest).
times(Cs, A, A, Cs).

factor([0'(|Cs], V, Rest) :- !, expression(Cs, V, Cs1), Cs1 = [0')|Rest].
factor([C|Cs], V, Rest) :- C >= 0'0, C =< 0'9, digits([C|Cs], 0, V, Rest).

digits([C|Cs], A, V, Rest) :- C >= 0'0, C =< 0'9, !, A1 is A * 10 + C - 0'0, digits(Cs, A1, V, Rest).
digits(Cs, A, A, Cs).
