%% SPDX-License-Identifier: MIT
-module(pipeline).
-export([main/1]).

main([A]) ->
    N = list_to_integer(A),
    Main = self(),
    Sum = spawn(fun() -> sum(0, Main) end),
    C3 = spawn(fun() -> copy(Sum) end),
    C2 = spawn(fun() -> copy(C3) end),
    C1 = spawn(fun() -> copy(C2) end),
    spawn(fun() -> gen(N, C1) end),
    receive {sum, S} -> io:format("~w~n", [S]) end.

gen(0, To) -> To ! done;
gen(N, To) -> To ! N, gen(N - 1, To).

copy(To) ->
    receive
        done -> To ! done;
        X -> To ! X, copy(To)
    end.

sum(A, Main) ->
    receive
        done -> Main ! {sum, A};
        X -> sum(A + X, Main)
    end.
