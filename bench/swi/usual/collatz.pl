% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :- current_prolog_flag(argv, [A]), atom_number(A, N), run(N).

run(N) :- try(1, N, 0, 0, B), writeln(B).

try(N, N, B, _, R) :- !, R = B.
try(I, N, B, Most, R) :- chain(I, 1, L), ( L > Most -> B1 = I, M1 = L ; B1 = B, M1 = Most ), I1 is I + 1, try(I1, N, B1, M1, R).

chain(1, A, L) :- !, L = A.
chain(N, A, L) :- N /\ 1 =:= 0, !, N1 is N >> 1, A1 is A + 1, chain(N1, A1, L).
chain(N, A, L) :- N1 is 3 * N + 1, A1 is A + 1, chain(N1, A1, L).
