%% SPDX-License-Identifier: MIT
-module(path).
-export([main/1]).

main([A]) ->
    N = list_to_integer(A),
    Main = self(),
    First = rows(200, Main),
    spawn(fun() -> First ! 0, border(N - 1, First) end),
    io:format("~w~n", [last(0)]).

%% Rows I to 1, from the last to the first: each knows the one below.
rows(0, Below) -> Below;
rows(I, Below) ->
    rows(I - 1, spawn(fun() -> row(I, 1, 1000000000, Below) end)).

border(0, To) -> To ! done;
border(J, To) -> To ! 1000000000, border(J - 1, To).

row(I, J, Left, Below) ->
    receive
        done -> Below ! done;
        Up ->
            Cost = min(Up, Left) + (I * J + 1) rem 11,
            Below ! Cost,
            row(I, J + 1, Cost, Below)
    end.

last(Last) ->
    receive
        done -> Last;
        X -> last(X)
    end.
