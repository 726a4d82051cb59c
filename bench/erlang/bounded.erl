%% SPDX-License-Identifier: MIT
-module(bounded).
-export([main/1]).

main([A]) ->
    N = list_to_integer(A),
    Main = self(),
    Consumer = spawn(fun() -> receive {producer, P} -> consume(0, P, Main) end end),
    Producer = spawn(fun() -> produce(1, N, 8, Consumer) end),
    Consumer ! {producer, Producer},
    receive {sum, Sum} -> io:format("~w~n", [Sum]) end.

%% Places is how many more the buffer takes.
produce(I, N, 0, To) -> receive place -> produce(I, N, 1, To) end;
produce(I, N, Places, To) when I =< N -> To ! I, produce(I + 1, N, Places - 1, To);
produce(_, _, _, To) -> To ! done.

consume(A, Producer, Main) ->
    receive
        done -> Main ! {sum, A};
        X -> Producer ! place, consume(A + X, Producer, Main)
    end.
