%% SPDX-License-Identifier: MIT
-module(bank).
-export([main/1]).

main([A]) ->
    N = list_to_integer(A),
    Bank = self(),
    [spawn(fun() -> customer(N, K, Bank) end) || K <- lists:seq(1, 1000)],
    io:format("~w~n", [bank(1000, 0)]).

customer(0, _, Bank) -> Bank ! done;
customer(N, X, Bank) ->
    Bank ! {pay, X, self()},
    receive ok -> customer(N - 1, X, Bank) end.

bank(0, A) -> A;
bank(Open, A) ->
    receive
        done -> bank(Open - 1, A);
        {pay, X, From} -> From ! ok, bank(Open, (A + X) rem 65537)
    end.
