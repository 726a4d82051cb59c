% SPDX-License-Identifier: MIT
:- initialization(main, main).

main :-
    current_prolog_flag(argv, [A]), atom_number(A, N), repeat(N, 0).

repeat(0, Sum) :- !, writeln(Sum).
repeat(N, Sum) :-
    generate(2, 5000, S), sieve(S, Primes), count(Primes, 0, Found),
    N1 is N - 1, Sum1 is Sum + Found, repeat(N1, Sum1).

generate(I, N, S) :- I =< N, !, S = [I|S1], I1 is I + 1, generate(I1, N, S1).
generate(_, _, []).

sieve([P|S], [P|Primes]) :- filter(S, P, S1), sieve(S1, Primes).
sieve([], []).

filter([I|S], P, F) :- I mod P =:= 0, !, filter(S, P, F).
filter([I|S], P, [I|F]) :- filter(S, P, F).
filter([], _, []).

count([_|L], A, N) :- A1 is A + 1, count(L, A1, N).
count([], N, N).
