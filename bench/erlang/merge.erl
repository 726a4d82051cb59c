%% SPDX-License-Identifier: MIT
-module(merge).
-export([main/1]).

main([A]) ->
    N = list_to_integer(A),
    Main = self(),
    Consumer = spawn(fun() -> consume(8, 0, Main) end),
    [spawn(fun() -> produce(1, N, Consumer) end) || _ <- lists:seq(1, 8)],
    receive {sum, Sum} -> io:format("~w~n", [Sum]) end.

produce(I, N, To) when I =< N -> To ! I, produce(I + 1, N, To);
produce(_, _, To) -> To ! done.

consume(0, A, Main) -> Main ! {sum, A};
consume(Open, A, Main) ->
    receive
        done -> consume(Open - 1, A, Main);
        X -> consume(Open, A + X, Main)
    end.
