%% SPDX-License-Identifier: MIT
-module(ring).
-export([main/1]).

main([A]) ->
    N = list_to_integer(A),
    First = ring(99, self()),
    [First ! N || _ <- lists:seq(1, 10)],
    stop(10, First),
    io:format("done~n").

ring(0, Next) -> spawn(fun() -> pass(Next) end);
ring(K, Next) -> ring(K - 1, spawn(fun() -> pass(Next) end)).

pass(Next) -> receive X -> Next ! X, pass(Next) end.

stop(0, _) -> ok;
stop(K, First) ->
    receive
        0 -> stop(K - 1, First);
        X -> First ! X - 1, stop(K, First)
    end.
