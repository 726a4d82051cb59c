%% SPDX-License-Identifier: MIT
-module(primes).
-export([main/1]).

main([A]) ->
    io:format("~w~n", [repeat(list_to_integer(A), 0)]).

repeat(0, Sum) -> Sum;
repeat(N, Sum) ->
    Main = self(),
    Sieve = spawn(fun() -> sieve(Main) end),
    spawn(fun() -> generate(2, 5000, Sieve) end),
    repeat(N - 1, Sum + count(0)).

generate(I, N, To) when I =< N -> To ! I, generate(I + 1, N, To);
generate(_, _, To) -> To ! done.

%% The end of the chain: what comes here is prime, and makes it a filter with a new end behind.
sieve(Main) ->
    receive
        done -> Main ! done;
        P ->
            Main ! P,
            Next = spawn(fun() -> sieve(Main) end),
            filter(P, Next)
    end.

filter(P, To) ->
    receive
        done -> To ! done;
        I when I rem P =:= 0 -> filter(P, To);
        I -> To ! I, filter(P, To)
    end.

count(A) ->
    receive
        done -> A;
        _ -> count(A + 1)
    end.
