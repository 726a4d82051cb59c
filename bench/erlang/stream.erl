%% SPDX-License-Identifier: MIT
-module(stream).
-export([main/1]).

main([A]) ->
    N = list_to_integer(A),
    Main = self(),
    Consumer = spawn(fun() -> consume(0, Main) end),
    spawn(fun() -> produce(1, N, Consumer) end),
    receive {sum, Sum} -> io:format("~w~n", [Sum]) end.

produce(I, N, To) when I =< N -> To ! I, produce(I + 1, N, To);
produce(_, _, To) -> To ! done.

consume(A, Main) ->
    receive
        done -> Main ! {sum, A};
        X -> consume(A + X, Main)
    end.
