% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- poly(N, P), diff(P, D), simple(D, E), size(E, 0, S), writeln(S).

poly(0, c(1)) :- !.
poly(N, plus(times(c(N), power(x, N)), Q)) :- N1 is N - 1, poly(N1, Q).

diff(x, c(1)).
diff(c(_), c(0)).
diff(plus(A, B), plus(DA, DB)) :- diff(A, DA), diff(B, DB).
diff(times(A, B), plus(times(DA, B), times(A, DB))) :- diff(A, DA), diff(B, DB).
diff(power(A, N), times(times(c(N), power(A, N1)), DA)) :- N1 is N - 1, diff(A, DA).

simple(x, x).
simple(c(N), c(N)).
simple(power(A, N), E) :- simple(A, B), power(N, B, E).
simple(plus(A, B), E) :- simple(A, C), simple(B, D), plus(C, D, E).
simple(times(A, B), E) :- simple(A, C), simple(B, D), times(C, D, E).

power(0, _, c(1)) :- !.
power(1, B, B) :- !.
power(N, B, power(B, N)).

plus(c(0), B, B) :- !.
plus(A, c(0), A) :- !.
plus(A, B, plus(A, B)).

times(c(0), _, c(0)) :- !.
times(c(1), B, B) :- !.
times(_, c(0), c(0)) :- !.
times(A, c(1), A) :- !.
times(c(A), times(c(B), C), times(c(N), C)) :- !, N is A * B.
times(A, B, times(A, B)).

size(x, A, S) :- S is A + 1.
size(c(_), A, S) :- S is A + 1.
size(power(B, _), A, S) :- A1 is A + 1, size(B, A1, S).
size(plus(B, C), A, S) :- A1 is A + 1, size(B, A1, A2), size(C, A2, S).
size(times(B, C), A, S) :- A1 is A + 1, size(B, A1, A2), size(C, A2, S).
