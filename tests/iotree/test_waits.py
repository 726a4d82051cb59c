#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings about waits: each program has one cause, which the first finding must name, with the span that
the program has once the lines after `fixed` take the place of those before; programs whose waits are meant, of
which nothing is promised; and programs that must not have a finding of one kind.

usage: test_waits.py FLENG PAF
"""

import json
import os
import subprocess
import sys
import tempfile

NEAR = 0.04  # of the span, by which a price may err

WORK = """\
work(0,X,Y) :- Y = X.
work(K,X,Y) :- K > 0, K1 := K-1, X1 := (X*7+K) mod 101 | work(K1,X1,Y).
"""

# Two who take one fork by turns.
FORK = """\
main :- merge([merge(A),merge(B)],As), fork(As), eat(8,A,1,X), eat(8,B,2,Y), R := X+Y, writeln(R).
fork([]).
fork([take(G,Back)|As]) :- G = yes, lent(Back,As).
eat(0,A,S,R) :- A = [], R = S.
eat(N,A,S,R) :- N > 0, N1 := N-1 | A = [take(G,B)|A1], hold(G,N1,A1,S,B,R).
"""

# name, kind, line of the clause, what the text must say, main and what both programs share, slow, fixed
CAUSES = [
    ('token', 'order', 5, 'waits for Y from work/3', """\
main :- desk([1,2,3,4,5,6,7,8],B), sum(B,0,S), writeln(S).
sum([],S,T) :- T = S.
sum([Y|B],S,T) :- S1 := S+Y, sum(B,S1,T).
""", """\
desk([C|Cs],B) :- work(20,C,Y), B = [Y|B1], next(Y,Cs,B1).
next(Y,Cs,B) :- wait(Y) | desk(Cs,B).
desk([],B) :- B = [].
""", """\
desk([C|Cs],B) :- work(20,C,Y), B = [Y|B1], desk(Cs,B1).
desk([],B) :- B = [].
"""),
    ('barrier', 'order', 8, 'does not use it', """\
main :- phase([1,2,3,4,5],[90,1,1,1,1],Ds,Ys), all(Ds,Go), second(Go,[1,1,1,1,90],Ys,Zs), show(Zs).
show([A,B,C,D,E]) :- S := A+B+C+D+E, writeln(S).
phase([],_,D,Y) :- D = [], Y = [].
phase([X|Xs],[K|Ks],D,Y) :- D = [E|D1], Y = [Z|Y1], work(K,X,Z), told(Z,E), phase(Xs,Ks,D1,Y1).
told(Z,E) :- wait(Z) | E = done.
""", """\
all([done|Ds],Go) :- all(Ds,Go).
all([],Go) :- Go = go.
second(go,Ks,Ys,Zs) :- begin(Ks,Ys,Zs).
begin([],_,Zs) :- Zs = [].
begin([K|Ks],[Y|Ys],Zs) :- Zs = [Z|Z1], work(K,Y,Z), begin(Ks,Ys,Z1).
""", """\
all(_,Go) :- Go = go.
second(_,Ks,Ys,Zs) :- begin(Ks,Ys,Zs).
begin([],_,Zs) :- Zs = [].
begin([K|Ks],[Y|Ys],Zs) :- Zs = [Z|Z1], work(K,Y,Z), begin(Ks,Ys,Z1).
"""),
    ('one member holds up the rounds', 'order', 8, 'with cora in argument 1, 12 of 12 times', """\
main :- go(12,[w(anna,5),w(bert,6),w(cora,21),w(dora,4)],0,S), writeln(S).
go(0,_,A,S) :- S = A.
out([w(I,K)|Ws],N,L,R,A,S) :- make(I,K,L,M), A1 := A+K*N, out(Ws,N,M,R,A1,S).
out([],_,L,R,A,S) :- sign(L,R), S = A.
make(I,0,L,R) :- passed(I,L,R).
make(I,K,L,R) :- K > 0, K1 := K-1 | make(I,K1,L,R).
""", """\
go(N,Ws,A,S) :- N > 0, N1 := N-1 | out(Ws,N,go,Done,A,A1), next(Done,N1,Ws,A1,S).
next(done,N,Ws,A,S) :- go(N,Ws,A,S).
sign(go,R) :- R = done.
passed(_,L,R) :- R = L.
""", """\
go(N,Ws,A,S) :- N > 0, N1 := N-1 | out(Ws,N,go,Done,A,A1), next(Done,N1,Ws,A1,S).
next(_,N,Ws,A,S) :- go(N,Ws,A,S).
sign(go,R) :- R = done.
passed(_,L,R) :- R = L.
"""),
    ('two tokens at once', 'order', 6, 'and other values', """\
main :- desk([1,2,3,4,5,6,7,8],B), sum(B,0,S), writeln(S).
sum([],S,T) :- T = S.
sum([Y|B],S,T) :- S1 := S+Y, sum(B,S1,T).
""", """\
desk([C|Cs],B) :- work(20,C,Y), work(20,C,Z), A := Y+Z, B = [A|B1], ends(Y,Z,D,E), next(D,E,Cs,B1).
desk([],B) :- B = [].
next(done,done,Cs,B) :- desk(Cs,B).
ends(Y,Z,D,E) :- end(Y,D), end(Z,E).
end(Y,D) :- wait(Y) | D = done.
""", """\
desk([C|Cs],B) :- work(20,C,Y), work(20,C,Z), A := Y+Z, B = [A|B1], desk(Cs,B1).
desk([],B) :- B = [].
"""),
    ('acknowledgements', 'order', 6, 'waits for', """\
main :- send(1,20,As,Ps), relay(Ps,Qs), relay(Qs,Rs), take(Rs,As,0).
relay([P|Ps],Qs) :- Qs = [P|Qs1], relay(Ps,Qs1).
relay([],Qs) :- Qs = [].
""", """\
send(N,M,As,Ps) :- N =< M | Ps = [N|Ps1], N1 := N+1, more(As,N1,M,Ps1).
send(N,M,_,Ps) :- N > M | Ps = [].
more([ack|As],N,M,Ps) :- send(N,M,As,Ps).
take([P|Ps],As,S) :- As = [ack|As1], S1 := S+P, take(Ps,As1,S1).
take([],As,S) :- As = [], writeln(S).
""", """\
send(N,M,As,Ps) :- N =< M | Ps = [N|Ps1], N1 := N+1, send(N1,M,As,Ps1).
send(N,M,_,Ps) :- N > M | Ps = [].
take([P|Ps],As,S) :- As = [ack|As1], S1 := S+P, take(Ps,As1,S1).
take([],As,S) :- As = [], writeln(S).
"""),
    ('guard that waits', 'wait', 3, 'only hands that value on', """\
main :- work(40,3,T), start(T,5,R), writeln(R).
""", """\
start(T,D,R) :- D > 0 | begin(T,D,R).
begin(T,D,R) :- integer(T) | work(40,D,U), bill(U,T,R).
bill(U,T,R) :- R := U*T.
""", """\
start(T,D,R) :- D > 0 | work(40,D,U), bill(U,T,R).
bill(U,T,R) :- R := U*T.
"""),
    ('early read', 'early-read', 3, 'only bill/3 (line 3) needs it', """\
main :- rate(T), start(T,5,R), writeln(R).
rate(T) :- work(40,3,X), made(X,T).
""", """\
start(rate(T),D,R) :- work(40,D,U), bill(U,T,R).
made(X,T) :- integer(X) | T = rate(X).
bill(U,T,R) :- R := U*T.
""", """\
start(T,D,R) :- work(40,D,U), bill(U,T,R).
made(X,T) :- integer(X) | T = rate(X).
bill(U,rate(T),R) :- R := U*T.
"""),
    # Without the wait for one of them it would wait for the other one.
    ('two values that come late', 'early-read', 3, 'and other values, the last of them', """\
main :- work(60,3,X), made(X,T), work(60,5,Y), taxed(Y,U), start(T,U,5,R), writeln(R).
made(X,T) :- Z := X+1 | T = rate(Z).
""", """\
start(rate(T),tax(U),D,R) :- work(40,D,X), bill(X,T,U,R).
taxed(X,T) :- Z := X+1 | T = tax(Z).
bill(X,T,U,R) :- V := X*T+U, work(30,V,R).
""", """\
start(T,U,D,R) :- work(40,D,X), bill(X,T,U,R).
taxed(X,T) :- Z := X+1 | T = tax(Z).
bill(X,rate(T),tax(U),R) :- V := X*T+U, work(30,V,R).
"""),
    # Who gets what the guard computes waits for what it computes that from.
    ('early read for a guard', 'early-read', 3, 'comes to work(40, D, U)', """\
main :- rate(T), start(T,5,R), writeln(R).
rate(T) :- work(60,3,X), made(X,T).
""", """\
start(rate(T),D,R) :- T1 := T*2 | work(40,D,U), bill(U,T1,R).
made(X,T) :- integer(X) | T = rate(X).
bill(U,T,R) :- V := U*T, work(30,V,R).
""", """\
start(T,D,R) :- work(40,D,U), bill(U,T,R).
made(X,T) :- integer(X) | T = rate(X).
bill(U,rate(T),R) :- T1 := T*2 | V := U*T1, work(30,V,R).
"""),
    # The plan is there; what it says of the rates is not.
    ('early read inside a pattern', 'early-read', 3, 'only pay/4 (line 3) needs it', """\
main :- stops(6,S), work(90,7,X), rates(X,R), tour(plan(S,R),3,B), writeln(B).
stops(N,S) :- N > 0, N1 := N-1 | S = [N|S1], stops(N1,S1).
""", """\
tour(plan(S,rates(D,M)),V,B) :- drive(S,V,W), pay(W,D,M,B).
stops(0,S) :- S = [].
rates(X,R) :- Y := X mod 6+1 | R = rates(X,Y).
drive([],W,M) :- M = W.
drive([D|Ds],V,M) :- work(9,V,W), on(W,D,Ds,M).
on(W,D,Ds,M) :- W1 := W+D | drive(Ds,W1,M).
pay(W,D,M,B) :- B := D*12+W*M.
""", """\
tour(plan(S,R),V,B) :- drive(S,V,W), pay(W,R,B).
stops(0,S) :- S = [].
rates(X,R) :- Y := X mod 6+1 | R = rates(X,Y).
drive([],W,M) :- M = W.
drive([D|Ds],V,M) :- work(9,V,W), on(W,D,Ds,M).
on(W,D,Ds,M) :- W1 := W+D | drive(Ds,W1,M).
pay(W,rates(D,M),B) :- B := D*12+W*M.
"""),
    ('two inputs', 'early-read', 4, 'before it does anything', """\
main :- list(30,Xs), work(60,1,H), late(H,30,Ys), log(Xs,Ys,Bs,As), follow(As,1,P), sum(Bs,0,S), R := P+S, writeln(R).
list(N,Xs) :- N > 0 | Xs = [N|X1], N1 := N-1, list(N1,X1).
list(0,Xs) :- Xs = [].
""", """\
log([X|Xs],[Y|Ys],Bs,As) :- As = [A|As1], A := X*2, Bs = [B|Bs1], B := X+Y, log(Xs,Ys,Bs1,As1).
log([],[],Bs,As) :- Bs = [], As = [].
late(H,N,Ys) :- N > 0 | N1 := N-1, H1 := (H*3+N) mod 19, Ys = [H1|Ys1], cold(H1,N1,Ys1).
late(_,0,Ys) :- Ys = [].
cold(H,N,Ys) :- H >= 0 | late(H,N,Ys).
follow([],P,R) :- R = P.
follow([A|As],P,R) :- work(6,P,Q), add(Q,A,P1), follow(As,P1,R).
add(Q,A,P) :- P := Q+A.
sum([],S,T) :- T = S.
sum([Y|B],S,T) :- S1 := S+Y, sum(B,S1,T).
""", """\
log(Xs,Ys,Bs,As) :- first(Xs,As), second(Xs,Ys,Bs).
first([X|Xs],As) :- As = [A|As1], A := X*2, first(Xs,As1).
first([],As) :- As = [].
second([X|Xs],[Y|Ys],Bs) :- Bs = [B|Bs1], B := X+Y, second(Xs,Ys,Bs1).
second([],[],Bs) :- Bs = [].
late(H,N,Ys) :- N > 0 | N1 := N-1, H1 := (H*3+N) mod 19, Ys = [H1|Ys1], cold(H1,N1,Ys1).
late(_,0,Ys) :- Ys = [].
cold(H,N,Ys) :- H >= 0 | late(H,N,Ys).
follow([],P,R) :- R = P.
follow([A|As],P,R) :- work(6,P,Q), add(Q,A,P1), follow(As,P1,R).
add(Q,A,P) :- P := Q+A.
sum([],S,T) :- T = S.
sum([Y|B],S,T) :- S1 := S+Y, sum(B,S1,T).
"""),
    # Only the angle of a frame is needed at once; the picture in it may come later.
    ('late inside what is passed on', 'early-read', 5, 'waits for photo(B) from photo/2', """\
main :- star(20,9,Ss), photos(20,Cs), frames(Ss,Cs,Fs), guide(Fs,1,P), look(Fs,0,B), writeln([P,B]).
star(0,_,S) :- S = [].
star(N,X,S) :- N > 0, N1 := N-1, Y := (X*11+7) mod 360 | S = [Y|S1], star(N1,Y,S1).
photos(0,C) :- C = [].
""", """\
frames([S|Ss],[photo(B)|Cs],Fs) :- A := S mod 7, Fs = [frame(A,B)|Fs1], frames(Ss,Cs,Fs1).
photos(N,C) :- N > 0, N1 := N-1, K := 80-N | C = [P|C1], work(K,N,X), photo(X,P), photos(N1,C1).
photo(X,P) :- Y := X+1 | P = photo(Y).
frames([],[],Fs) :- Fs = [].
guide([],P,Q) :- Q = P.
guide([frame(A,_)|Fs],P,Q) :- P1 := (P+A) mod 59, work(4,P1,P2), guide(Fs,P2,Q).
look([],B,R) :- R = B.
look([frame(_,B)|Fs],S,R) :- S1 := S+B, look(Fs,S1,R).
""", """\
frames([S|Ss],[C|Cs],Fs) :- A := S mod 7, Fs = [frame(A,C)|Fs1], frames(Ss,Cs,Fs1).
photos(N,C) :- N > 0, N1 := N-1, K := 80-N | C = [P|C1], work(K,N,X), photo(X,P), photos(N1,C1).
photo(X,P) :- Y := X+1 | P = photo(Y).
frames([],[],Fs) :- Fs = [].
guide([],P,Q) :- Q = P.
guide([frame(A,_)|Fs],P,Q) :- P1 := (P+A) mod 59, work(4,P1,P2), guide(Fs,P2,Q).
look([],B,R) :- R = B.
look([frame(_,photo(B))|Fs],S,R) :- S1 := S+B, look(Fs,S1,R).
"""),
    ('decision', 'early-read', 4, 'comes whatever that value is', """\
main :- try([3,1,4,1,5,9,2,6],0,R), writeln(R).
""", """\
try([M|Ms],Best,R) :- value(M,V), better(V,Ms,Best,R).
try([],Best,R) :- R = Best.
better(V,Ms,Best,R) :- V > Best | try(Ms,V,R).
better(V,Ms,Best,R) :- V =< Best | try(Ms,Best,R).
value(M,V) :- work(25,M,V).
""", """\
try([M|Ms],Best,R) :- value(M,V), better(V,Best,B1), try(Ms,B1,R).
try([],Best,R) :- R = Best.
better(V,Best,B) :- V > Best | B = V.
better(V,Best,B) :- V =< Best | B = Best.
value(M,V) :- work(25,M,V).
"""),
    ('late output', 'late-output', 4, 'could: goals only hand', """\
main :- run(40,3,7,Out), long(Out,R), writeln(R).
long(limit(L),R) :- work(30,L,R).
""", """\
run(N,X,L,Out) :- N > 0 | N1 := N-1, Y := (X*5+N) mod 91, run(N1,Y,L,Out).
run(0,_,L,Out) :- Out = limit(L).
""", """\
run(N,X,L,Out) :- Out = limit(L), count(N,X).
count(N,X) :- N > 0 | N1 := N-1, Y := (X*5+N) mod 91, count(N1,Y).
count(0,_).
"""),
    ('alias of a state', 'alias', 5, 'makes W = F', """\
look(found(X),R) :- work(60,X,R).
list(N,Xs) :- N > 0 | Xs = [N|X1], N1 := N-1, list(N1,X1).
list(0,Xs) :- Xs = [].
""", """\
main :- list(60,Xs), first(Xs,none,W), look(W,R), writeln(R).
first([],F,W) :- W = F.
first([X|Xs],none,W) :- X > 55 | first(Xs,found(X),W).
first([X|Xs],none,W) :- X =< 55 | first(Xs,none,W).
first([_|Xs],found(X),W) :- first(Xs,found(X),W).
""", """\
main :- list(60,Xs), first(Xs,W), look(W,R), writeln(R).
first([],W) :- W = none.
first([X|Xs],W) :- X > 55 | W = found(X), rest(Xs).
first([X|Xs],W) :- X =< 55 | first(Xs,W).
rest([]).
rest([_|Xs]) :- rest(Xs).
"""),
    # The card goes through all stations inside the state, and comes out as it went in.
    ('a value carried in a state', 'alias', 6, 'always is Card', """\
use(card(X),R) :- work(60,X,R).
list(N,Xs) :- N > 0 | Xs = [N|X1], N1 := N-1, list(N1,X1).
list(0,Xs) :- Xs = [].
""", """\
main :- list(40,Xs), Card = card(7), go(Xs,s(1,box(Card),0),End), out(End,C), use(C,R), writeln(R).
go([],S,E) :- E = S.
out(s(_,box(C),_),D) :- D = C.
go([X|Xs],s(A,B,N),E) :- X mod 3 =:= 0, A1 := A*2 mod 97, N1 := N+1 | go(Xs,s(A1,B,N1),E).
go([X|Xs],S,E) :- X mod 3 > 0 | step(X,S,S1), go(Xs,S1,E).
step(X,s(A,B,N),S) :- A1 := A+X, S = s(A1,B,N).
""", """\
main :- list(40,Xs), Card = card(7), go(Xs,s(1,0),E), use(Card,R), out(E,R).
out(s(_,_),R) :- writeln(R).
go([],S,E) :- E = S.
go([X|Xs],s(A,N),E) :- X mod 3 =:= 0, A1 := A*2 mod 97, N1 := N+1 | go(Xs,s(A1,N1),E).
go([X|Xs],S,E) :- X mod 3 > 0 | step(X,S,S1), go(Xs,S1,E).
step(X,s(A,N),S) :- A1 := A+X, S = s(A1,N).
"""),
    ('guard before it publishes', 'late-output', 6, 'before it comes to', """\
main :- ask(12,5,Qs,R), serve(Qs,1,_), writeln(R).
ask(0,X,Qs,R) :- Qs = [], R = X.
ask(N,X,Qs,R) :- N > 0, N1 := N-1 | Qs = [q(X,A)|Qs1], then(A,N1,Qs1,R).
then(A,N,Qs,R) :- work(10,A,X), ask(N,X,Qs,R).
""", """\
serve([q(X,A)|Qs],S,T) :- work(8,S,S1), enter(S1,X,A,Qs,T).
enter(S,X,A,Qs,T) :- integer(S) | A = X, serve(Qs,S,T).
serve([],S,T) :- T = S.
""", """\
serve([q(X,A)|Qs],S,T) :- A = X, work(8,S,S1), enter(S1,Qs,T).
enter(S,Qs,T) :- integer(S) | serve(Qs,S,T).
serve([],S,T) :- T = S.
"""),
    ('order of tests', 'guard', 6, 'before C==gold, which already decides', """\
main :- queue(20,grey,R), writeln(R).
queue(0,C,R) :- R = C.
queue(N,C,R) :- N > 0, N1 := N-1 | look(C,N,W), pass(C,W,C1), queue(N1,C1,R).
look(grey,N,W) :- work(15,N,W).
look(red,N,W) :- W := N.
""", """\
pass(C,W,D) :- W > 1000, C == gold | D = red.
otherwise.
pass(C,_,D) :- C == grey | D = grey.
""", """\
pass(C,W,D) :- C == gold, W > 1000 | D = red.
otherwise.
pass(C,_,D) :- C == grey | D = grey.
"""),
    ('order of tests in every clause', 'guard', 8, 'which already decides', """\
main :- run(40,20,0,R), writeln(R).
run(0,_,S,R) :- R = S.
run(K,V,S,R) :- K > 0, K1 := K-1 | work(15,K,Q), speed(V,K,W), check(Q,W,A), act(A,W,K1,S,R).
speed(V,K,W) :- W := V+K*7 mod 5+9.
act(stop,W,K,S,R) :- S1 := S+1, V := W//3+16 | run(K,V,S1,R).
act(go,W,K,S,R) :- run(K,W,S,R).
""", """\
check(Q,W,A) :- Q =< 90, W =< 20 | A = go.
check(Q,_,A) :- Q > 90 | A = stop.
check(Q,W,A) :- Q =< 90, W > 20 | A = stop.
""", """\
check(_,W,A) :- W > 20 | A = stop.
check(Q,W,A) :- W =< 20, Q > 90 | A = stop.
check(Q,W,A) :- W =< 20, Q =< 90 | A = go.
"""),
    # No limit of the run is as low as the constant of the other test.
    ('a test that another one implies', 'guard', 6, 'besides H<70, which already decides', """\
main :- work(60,7,L), bricks(20,3,Bs), sort_out(Bs,L,0,S), writeln(S).
bricks(0,_,Bs) :- Bs = [].
bricks(N,H,Bs) :- N > 0, N1 := N-1, H1 := (H*13+5) mod 69 | Bs = [b(N,H1)|B1], bricks(N1,H1,B1).
sort_out([b(N,H)|Bs],L,S,T) :- H >= 70 | S1 := S+N+L, sort_out(Bs,L,S1,T).
sort_out([],_,S,T) :- T = S.
""", """\
sort_out([b(_,H)|Bs],L,S,T) :- L+90 >= H, H < 70 | work(4,H,W), add(W,S,S1), sort_out(Bs,L,S1,T).
add(W,S,S1) :- S1 := (S*3+W) mod 1009.
""", """\
sort_out([b(_,H)|Bs],L,S,T) :- H < 70 | work(4,H,W), add(W,S,S1), sort_out(Bs,L,S1,T).
add(W,S,S1) :- S1 := (S*3+W) mod 1009.
"""),
    # Whatever the slow first answer is, a `no` of the second one is a `no`.
    ('an answer that decides', 'guard', 8, 'argument 2, which is no, already decides', """\
main :- ask(90,7,0,P), ask(9,4,9,Q), both(P,Q,R), letter(R,L), writeln(L).
ask(K,X,M,A) :- work(K,X,Y), judge(Y,M,A).
judge(Y,M,A) :- Y >= M*20 | A = yes.
judge(Y,M,A) :- Y < M*20 | A = no.
letter(no,L) :- work(40,3,L).
letter(yes,L) :- work(5,3,L).
""", """\
both(no,_,R) :- R = no.
both(yes,Q,R) :- R = Q.
""", """\
both(no,_,R) :- R = no.
both(_,no,R) :- R = no.
both(yes,yes,R) :- R = yes.
"""),
    ('a guard before an answer that decides', 'guard', 7, 'argument 2, which is 1, already decides', """\
main :- ask(90,7,0,P), ask(9,4,9,Q), either(P,Q,R), letter(R,L), writeln(L).
ask(K,X,M,A) :- work(K,X,Y), judge(Y,M,A).
judge(Y,M,A) :- Y >= M*20 | A = 0.
judge(Y,M,A) :- Y < M*20 | A = 1.
letter(1,L) :- work(40,3,L).
letter(0,L) :- work(5,3,L).
""", """\
either(P,Q,R) :- P =:= 0 | R = Q.
either(P,_,R) :- P > 0 | R = 1.
""", """\
either(_,1,R) :- R = 1.
either(P,Q,R) :- P =:= 0 | R = Q.
either(P,_,R) :- P > 0 | R = 1.
"""),
    ('ranges that exclude each other', 'order', 5, 'does not use it', """\
main :- paper(30,2,0,R), writeln(R).
paper(0,_,S,R) :- R = S.
paper(K,L,S,R) :- K > 0, K1 := K-1, S1 := S+L, P := (K*13+L*5) mod 40 |
    work(20,K,E), mark(P,E,L,M), paper(K1,M,S1,R).
""", """\
mark(P,E,L,M) :- E >= 0, P < 18 | M := L mod 2+4.
mark(P,E,L,M) :- E >= 0, P > 17, P < 36 | M := L mod 3+2.
mark(P,E,_,M) :- E > 50, P >= 36 | M = 1.
mark(P,E,_,M) :- E =< 50, P >= 36 | M = 2.
""", """\
mark(P,_,L,M) :- P < 18 | M := L mod 2+4.
mark(P,_,L,M) :- P > 17, P < 36 | M := L mod 3+2.
mark(P,E,_,M) :- P >= 36, E > 50 | M = 1.
mark(P,E,_,M) :- P >= 36, E =< 50 | M = 2.
"""),
    # The next value follows from this one, but what comes before it does not.
    ('work in a loop before its state is known', 'early-read', 4, 'comes to work(14, K, Z)', """\
main :- turn(12,5,0,R), writeln(R).
turn(0,V,S,R) :- R := V*1000+S.
turn(K,V,S,R) :- K > 0, K1 := K-1, S1 := S+V | work(15,V,W), check(W,K1,S1,R).
""", """\
check(W,K,S,R) :- W > 50 | work(14,K,Z), W1 := W-50+Z, turn(K,W1,S,R).
check(W,K,S,R) :- W =< 50 | work(14,K,Z), W1 := W+Z, turn(K,W1,S,R).
""", """\
check(W,K,S,R) :- work(14,K,Z), low(W,Z,W1), turn(K,W1,S,R).
low(W,Z,W1) :- W > 50 | W1 := W-50+Z.
low(W,Z,W1) :- W =< 50 | W1 := W+Z.
"""),
    # All that works here is the loop itself, one level down; but no value needs the one before.
    ('a search in a search', 'early-read', 7, 'comes whatever that value is', """\
main :- best(3,1,V), writeln(V).
best(0,X,V) :- V := X*7 mod 31.
best(D,X,V) :- D > 0, D1 := D-1 | try(4,D1,X,0,V).
try(0,_,_,M,V) :- V = M.
try(K,D,X,M,V) :- K > 0, Y := (X*5+K) mod 37, K1 := K-1 | best(D,Y,W), better(W,K1,D,X,M,V).
""", """\
better(W,K,D,X,M,V) :- W =< M | try(K,D,X,M,V).
better(W,K,D,X,M,V) :- W > M | try(K,D,X,W,V).
""", """\
better(W,K,D,X,M,V) :- most(W,M,M1), try(K,D,X,M1,V).
most(W,M,M1) :- W > M | M1 = W.
most(W,M,M1) :- W =< M | M1 = M.
"""),
    # Built-ins begin the work: the goals that go on with what they make are not in the body.
    ('a product of the value that is there', 'early-read', 4, 'comes to P := A * 2', """\
main :- work(9,3,A), work(70,4,B), both(A,B,P,Q), work(80,P,R), finish(R,Q).
finish(R,Q) :- S := R*1000+Q, writeln(S).
""", """\
both(A,B,P,Q) :- B > 40 | P := A*2, Q = B.
both(A,B,P,Q) :- B =< 40, A > 6 | P := A*2, Q := A+B.
both(A,B,P,Q) :- B =< 40, A =< 6 | P := A*2, Q := A-B.
""", """\
both(A,B,P,Q) :- P := A*2, second(A,B,Q).
second(_,B,Q) :- B > 40 | Q = B.
second(A,B,Q) :- B =< 40, A > 6 | Q := A+B.
second(A,B,Q) :- B =< 40, A =< 6 | Q := A-B.
"""),
    ('found once, and told at the end', 'alias', 11, 'from there on goals only hand', """\
main :- entries(1,120,Es), find(Es,nobody,0,Owner,Sum), greet(Owner,Text), show(Text,Sum).
entries(I,N,E) :- I =< N, I1 := I+1, K := I*7 mod 120 | E = [e(K,I)|E1], entries(I1,N,E1).
entries(I,N,E) :- I > N | E = [].
ask(K,A) :- K =:= 63 | A = yes.
ask(K,A) :- K =\\= 63 | A = no.
greet(O,T) :- integer(O) | work(200,O,T).
show(T,S) :- format("~w ~w~n",[T,S]).
find([e(K,V)|Es],F,S,O,Sum) :- S1 := S+V | ask(K,A), seen(A,V,Es,F,S1,O,Sum).
seen(no,_,Es,F,S,O,Sum) :- find(Es,F,S,O,Sum).
""", """\
seen(yes,V,Es,_,S,O,Sum) :- find(Es,V,S,O,Sum).
find([],F,S,O,Sum) :- O = F, Sum = S.
""", """\
seen(yes,V,Es,_,S,O,Sum) :- O = V, find(Es,V,S,_,Sum).
find([],_,S,_,Sum) :- Sum = S.
"""),
    ('what was found is called for at the end', 'late-output', 10, 'calls ice(', """\
main :- trays(150,Ts), bake(Ts,raw,0,Cake,Heat), writeln(Cake-Heat).
trays(0,T) :- T = [].
trays(N,T) :- N > 0, N1 := N-1 | kind(N,K), T = [K|T1], trays(N1,T1).
kind(N,K) :- N =:= 140 | K = special(N).
kind(N,K) :- N =\\= 140 | K = plain.
ice(cake(N),K,C) :- ice1(N,K,C).
ice1(N,K,C) :- K > 0, K1 := K-1, N1 := (N*5+K) mod 977 | ice1(N1,K1,C).
ice1(N,0,C) :- C = N.
""", """\
bake([plain|Ts],Found,H,C,Heat) :- H1 := H+1 | bake(Ts,Found,H1,C,Heat).
bake([],Found,H,C,Heat) :- Heat = H, ice(Found,100,C).
bake([special(N)|Ts],_,H,C,Heat) :- H1 := H+N | bake(Ts,cake(N),H1,C,Heat).
""", """\
bake([plain|Ts],F,H,C,Heat) :- H1 := H+1 | bake(Ts,F,H1,C,Heat).
bake([],_,H,_,Heat) :- Heat = H.
bake([special(N)|Ts],F,H,C,Heat) :- H1 := H+N | ice(cake(N),100,C), bake(Ts,F,H1,_,Heat).
"""),
    ('alternatives', 'early-read', 9, 'only when it is known which of them is needed', """\
main :- trips([5,17,8,33,21,40,11,9,27,36,3,14],Rs), sum(Rs,0,S), writeln(S).
trips([],Rs) :- Rs = [].
traffic(T,D) :- work(80,T,D).
walk(T,R) :- work(70,T,R).
bus(T,R) :- X := T+3, work(60,X,R).
train(T,R) :- work(65,T,Y), R := Y*2.
sum([],S,T) :- T = S.
sum([X|Xs],S,T) :- S1 := S+X, sum(Xs,S1,T).
""", """\
route(D,T,R) :- D < 33 | walk(T,R).
route(D,T,R) :- D >= 33, D < 66 | bus(T,R).
route(D,T,R) :- D >= 66 | train(T,R).
trips([T|Ts],Rs) :- Rs = [R|Rs1], traffic(T,D), route(D,T,R), trips(Ts,Rs1).
""", """\
route(D,A,_,_,R) :- D < 33 | R = A.
route(D,_,A,_,R) :- D >= 33, D < 66 | R = A.
route(D,_,_,A,R) :- D >= 66 | R = A.
trips([T|Ts],Rs) :- Rs = [R|Rs1], traffic(T,D), walk(T,A), bus(T,B), train(T,C), route(D,A,B,C,R),
    trips(Ts,Rs1).
"""),
    ('one after the other, each where the one before has failed', 'early-read', 16,
     'depot/3, office/3 or return/2 only when it is known', """\
main :- parcels(14,Ps), deliver(Ps,Rs), show(Rs,0).
parcels(0,P) :- P = [].
parcels(N,P) :- N > 0, N1 := N-1, W := (N*37) mod 50 | P = [p(N,W)|P1], parcels(N1,P1).
deliver([],Rs) :- Rs = [].
street(N,W,A) :- go(40,N,W,X), said(X,7,A).
depot(W,N,A) :- go(35,W,N,X), said(X,4,A).
office(N,W,A) :- go(45,W,N,X), said(X,5,A).
return(N,R) :- go(30,N,7,R).
said(X,M,A) :- X mod M =\\= 0 | A = no.
said(X,M,A) :- X mod M =:= 0 | A = yes(X).
go(0,X,_,Y) :- Y = X.
go(K,X,W,Y) :- K > 0, K1 := K-1, X1 := (X*7+W+K) mod 211 | go(K1,X1,W,Y).
show([],S) :- writeln(S).
show([R|Rs],S) :- S1 := S+R, show(Rs,S1).
""", """\
deliver([p(N,W)|Ps],Rs) :- Rs = [R|R1], street(N,W,A), second(A,W,N,R), deliver(Ps,R1).
second(no,W,N,R) :- depot(W,N,B), third(B,N,W,R).
second(yes(X),_,_,R) :- R = X.
third(no,N,W,R) :- office(N,W,C), fourth(C,N,R).
third(yes(X),_,_,R) :- R = X.
fourth(no,N,R) :- return(N,R).
fourth(yes(X),_,R) :- R = X.
""", """\
deliver([p(N,W)|Ps],Rs) :- Rs = [R|R1], street(N,W,A), depot(W,N,B), office(N,W,C), return(N,D), first(A,B,C,D,R), deliver(Ps,R1).
first(yes(X),_,_,_,R) :- R = X.
first(no,yes(X),_,_,R) :- R = X.
first(no,no,yes(X),_,R) :- R = X.
first(no,no,no,D,R) :- R = D.
"""),
    # Who lets the loop go ahead of itself spares that wait, too; but the loop's own state is meant.
    ('something that the state does not need', 'wait', 7, 'waits for W', """\
main :- sail(16,3,Log), show(Log,0).
sail(0,_,L) :- L = [].
sail(N,C,L) :- N > 0, N1 := N-1 | work(50,N,W), work(9,C,D), steer(W,D,C,N,C1,L,L1), next(C1,N1,L1).
next(C,N,L) :- integer(C) | sail(N,C,L).
show([],S) :- writeln(S).
show([at(N,C,W)|L],S) :- S1 := S+N*C+W, show(L,S1).
""", """\
steer(W,D,C,N,C1,L,L1) :- wait(W), integer(D) | L = [at(N,C,W)|L1], C1 := (C+D) mod 32.
""", """\
steer(W,D,C,N,C1,L,L1) :- integer(D) | L = [at(N,C,W)|L1], C1 := (C+D) mod 32.
"""),
    ('a loop that only waits for all', 'order', 11, 'does not use it', """\
main :- cells(1,12,Cs), ripple(10,Cs,R), writeln(R).
cells(I,N,C) :- I =< N, I1 := I+1, H := I*13 mod 17 | C = [H|C1], cells(I1,N,C1).
cells(I,N,C) :- I > N | C = [].
ripple(0,Cs,R) :- R = Cs.
step(L,[H,M|Cs],K,Ds) :- W := 3 + (K*7 + M) mod 2, Ds = [D|Ds1], cell(W,L,H,M,D), step(H,[M|Cs],K,Ds1).
step(L,[H],_,Ds) :- Ds = [D], cell(4,L,H,0,D).
cell(W,L,H,R,D) :- integer(W), integer(L), integer(H), integer(R) | wave(W,L,H,R,D).
wave(0,L,H,R,D) :- D := (L+H+R) mod 17.
wave(W,L,H,R,D) :- W > 0, W1 := W-1, H1 := (H*3+L+R) mod 17 | wave(W1,L,H1,R,D).
""", """\
ripple(K,Cs,R) :- K > 0, K1 := K-1 | step(0,Cs,K,Ds), settled(Ds,Ds,K1,R).
settled([D|Ds],All,K,R) :- integer(D) | settled(Ds,All,K,R).
settled([],All,K,R) :- ripple(K,All,R).
""", """\
ripple(K,Cs,R) :- K > 0, K1 := K-1 | step(0,Cs,K,Ds), ripple(K1,Ds,R).
"""),
    ('tries, of which few come to the second', 'early-read', 10, 'month/2 or name/2 only when it is known', """\
main :- words([28,56,23,51,18,46,13,41,8,36],Ks), sum(Ks,0,S), writeln(S).
digits(W,R) :- work(25,W,X), rank(X,R).
month(W,M) :- work(35,W,X), rank(X,M).
name(W,N) :- work(45,W,N).
rank(X,R) :- X mod 3 =:= 0 | R = X.
rank(X,R) :- X mod 3 > 0 | R = -1.
sum([],S,T) :- T = S.
sum([K|Ks],S,T) :- S1 := S+K, sum(Ks,S1,T).
""", """\
or_month(R,_,K) :- R >= 0 | K = R.
or_month(R,W,K) :- R < 0 | month(W,M), or_name(M,W,K).
or_name(M,_,K) :- M >= 0 | K = M.
or_name(M,W,K) :- M < 0 | name(W,K).
words([W|Ws],Ks) :- Ks = [K|Ks1], digits(W,R), or_month(R,W,K), words(Ws,Ks1).
words([],Ks) :- Ks = [].
""", """\
first(R,_,_,K) :- R >= 0 | K = R.
first(R,M,_,K) :- R < 0, M >= 0 | K = M.
first(R,M,N,K) :- R < 0, M < 0 | K = N.
words([W|Ws],Ks) :- Ks = [K|Ks1], digits(W,R), month(W,M), name(W,N), first(R,M,N,K), words(Ws,Ks1).
words([],Ks) :- Ks = [].
"""),
    # Each alias passes on the alias before: many more than a read has waits of its own for.
    ('alias of an alias', 'alias', 6, 'M1 = M', """\
main :- walkers(0,30,{5,3,9,1,7,11,2,6,4,10,8,0},Ls), show(Ls,0).
show([],S) :- writeln(S).
show([X|Xs],S) :- S1 := (S*5+X) mod 1009, show(Xs,S1).
""", """\
walkers(I,N,M,Ls) :- I < N, I1 := I+1, X := I mod 12 | Ls = [L|L1], start(X,M,M1,L), walkers(I1,N,M1,L1).
walkers(N,N,_,Ls) :- Ls = [].
walk(0,X,M,M1,L) :- M1 = M, L = X.
walk(K,X,M,M1,L) :- K > 0, K1 := K-1 | vector_element(M,X,Y), turn(K1,Y,M,M1,L).
turn(K,Y,M,M1,L) :- Z := (Y+K) mod 12 | walk(K,Z,M,M1,L).
start(X,M,M1,L) :- vector_element(M,X,Y), turn(9,Y,M,M1,L).
""", """\
walkers(I,N,M,Ls) :- I < N, I1 := I+1, X := I mod 12 | Ls = [L|L1], start(X,M,L), walkers(I1,N,M,L1).
walkers(N,N,_,Ls) :- Ls = [].
walk(0,X,_,L) :- L = X.
walk(K,X,M,L) :- K > 0, K1 := K-1 | vector_element(M,X,Y), turn(K1,Y,M,L).
turn(K,Y,M,L) :- Z := (Y+K) mod 12 | walk(K,Z,M,L).
start(X,M,L) :- vector_element(M,X,Y), turn(9,Y,M,L).
"""),
    # What comes back is made again by each goal on its way.
    ('made again on the way back', 'alias', 10, 'makes the same term again', """\
main :- ask(5,30,0).
ask(_,0,S) :- writeln(S).
ask(D,N,S) :- N > 0, N1 := N-1 | door(D,N,L), use(L,D,N1,S).
use([X,Y|_],D,N,S) :- S1 := (S+X*Y+N) mod 997 | ask(D,N,S1).
use([],D,N,S) :- S1 := S+D+N | ask(D,N,S1).
store(N,L) :- N mod 7 =:= 0 | L = [].
store(N,L) :- N mod 7 > 0, X := N*3 mod 11 | L = [X,N,1].
""", """\
door(0,N,L) :- store(N,L).
door(D,N,L) :- D > 0, D1 := D-1 | door(D1,N,M), out(M,L).
out([X|Xs],L) :- L = [X|Xs].
out([],L) :- L = [].
""", """\
door(0,N,L) :- store(N,L).
door(D,N,L) :- D > 0, D1 := D-1 | door(D1,N,L).
"""),
    ('news in copies', 'alias', 7, 'makes the same term again', """\
main :- news(9,1,M), office(6,M,S), writeln(S).
news(0,X,M) :- M = news(X,[X,1]).
news(N,X,M) :- N > 0, N1 := N-1, X1 := (X*3+N) mod 97 | news(N1,X1,M).
office(0,M,S) :- read(M,S).
read(news(X,_),S) :- S = X.
""", """\
office(D,M,S) :- D > 0, D1 := D-1 | copy(M,A), copy(M,B), office(D1,A,X), office(D1,B,Y), S := X+Y.
copy(news(X,Ps),M) :- M = news(X,Ps).
""", """\
office(D,M,S) :- D > 0, D1 := D-1 | office(D1,M,X), office(D1,M,Y), S := X+Y.
"""),
    # The guard of the last step computes what the clause makes, from what is there at the first.
    ('a fee by the weight', 'late-output', 8, 'makes Fee = fee(F)', """\
main :- rides(0,6,S), writeln(S).
both(D,B,S) :- S := D+B.
bill(N,fee(F),B) :- print(N,F,B).
print(0,F,B) :- B = F.
print(N,F,B) :- N > 0, N1 := N-1, F1 := (F*3+1) mod 89 | print(N1,F1,B).
rides(I,J,S) :- I+1 < J, M := (I+J)//2 | rides(I,M,A), rides(M,J,B), S := A+B.
""", """\
rides(I,J,S) :- I+1 =:= J, W := I*7 mod 5+1 | ride(90,W,I,Fee,D), bill(80,Fee,B), both(D,B,S).
ride(0,W,X,Fee,D) :- F := W*12+3 | Fee = fee(F), D = X.
ride(N,W,X,Fee,D) :- N > 0, N1 := N-1, X1 := (X*5+N) mod 97 | ride(N1,W,X1,Fee,D).
""", """\
rides(I,J,S) :- I+1 =:= J, W := I*7 mod 5+1, F := W*12+3 | Fee = fee(F), ride(90,I,D), bill(80,Fee,B), both(D,B,S).
ride(0,X,D) :- D = X.
ride(N,X,D) :- N > 0, N1 := N-1, X1 := (X*5+N) mod 97 | ride(N1,X1,D).
"""),
    # Each leaf needs the number of the one before, and the slowest one comes early.
    ('the next number behind the work', 'early-read', 7, 'though it does not need v(Y) at once', """\
main :- book([9,70,5,12,30,8,40,6,20,11],100,Os,End), sum(Os,End).
sum([p(P,v(Y))|Os],S) :- S1 := S+P*Y, sum(Os,S1).
sum([],S) :- writeln(S).
""", """\
book([K|Ks],P,Os,E) :- Os = [O|Os1], leaf(K,P,P1,O), book(Ks,P1,Os1,E).
book([],P,Os,E) :- Os = [], E = P.
leaf(K,P,P1,O) :- press(K,P,Y), dried(Y,K,P,P1,O).
dried(v(Y),K,P,P1,O) :- P1 := P+K, O = p(P,v(Y)).
press(K,P,V) :- M := P mod 7, work(K,M,Y), wet(Y,V).
wet(Y,V) :- integer(Y) | V = v(Y).
""", """\
book([K|Ks],P,Os,E) :- Os = [O|Os1], leaf(K,P,P1,O), book(Ks,P1,Os1,E).
book([],P,Os,E) :- Os = [], E = P.
leaf(K,P,P1,O) :- P1 := P+K, press(K,P,Y), dried(Y,P,O).
dried(v(Y),P,O) :- O = p(P,v(Y)).
press(K,P,V) :- M := P mod 7, work(K,M,Y), wet(Y,V).
wet(Y,V) :- integer(Y) | V = v(Y).
"""),
    # Who waits for both values of the end gains nothing if one comes sooner.
    ('two values of the end', 'alias', 10, 'Step := D * 2 in the same way', """\
main :- tape(60,File), load(File,Scale,Step,Rows), frame(Scale,Step,F), plot(Rows,Scale,Step,F,0).
tape(N,File) :- File = [head(9,4)|Rows], rows(N,5,Rows).
rows(0,_,Rows) :- Rows = [].
rows(N,X,Rows) :- N > 0, N1 := N-1, X1 := (X*11+3) mod 53 | Rows = [X1|Rows1], rows(N1,X1,Rows1).
frame(S,D,F) :- work(40,S,A), F := A*D.
plot([X|Xs],S,D,F,A) :- A1 := (A + X*S + D) mod 1009 | plot(Xs,S,D,F,A1).
plot([],_,_,F,A) :- B := A+F, writeln(B).
""", """\
load([head(S,D)|Rows],Scale,Step,Out) :- copy(Rows,S,D,Scale,Step,Out).
copy([X|Xs],S,D,Scale,Step,Out) :- Out = [X|Out1], copy(Xs,S,D,Scale,Step,Out1).
copy([],S,D,Scale,Step,Out) :- Out = [], Scale = S, Step := D*2.
""", """\
load([head(S,D)|Rows],Scale,Step,Out) :- Scale = S, Step := D*2, copy(Rows,Out).
copy([X|Xs],Out) :- Out = [X|Out1], copy(Xs,Out1).
copy([],Out) :- Out = [].
"""),
    ('two parts of a plan', 'alias', 4, 'Crew = c(P, Q) in the same way', """\
main :- sail(50,3,s(7,8),Port,Crew), pay(Port,Crew,W), tell(W).
pay(P,c(A,B),W) :- K := 40+A | work(K,P,X), W := X+B.
tell(W) :- writeln(W).
""", """\
sail(0,_,s(P,Q),Port,Crew) :- Port = P, Crew = c(P,Q).
sail(N,X,Ps,Port,Crew) :- N > 0, N1 := N-1, X1 := (X*5+N) mod 31 | sail(N1,X1,Ps,Port,Crew).
""", """\
sail(N,X,s(P,Q),Port,Crew) :- Port = P, Crew = c(P,Q), on(N,X).
on(0,_).
on(N,X) :- N > 0, N1 := N-1, X1 := (X*5+N) mod 31 | on(N1,X1).
"""),
    # What close/4 puts on the stream comes by way of the end that word/6 hands on.
    ('a word on a stream that is handed on', 'order', 10, 'and does not use it', """\
main :- talk(12,S,0,R), answer(S,5), writeln(R).
answer([q(P,A)|S],X) :- X1 := (X*7+P) mod 50, A = X1, next(X1,S).
answer([],_).
next(X,S) :- integer(X) | answer(S,X).
talk(0,S,A,R) :- S = [], R = A.
talk(N,S,A,R) :- N > 0, N1 := N-1 | word(2,S,S1,T,A,B), close(T,S1,S2,X), A2 := B+X, talk(N1,S2,A2,R).
word(0,S,S1,T,A,B) :- S1 = S, T = done, B = A.
word(K,S,S1,T,A,B) :- K > 0 | S = [q(A,X)|S2], heard(X,K,S2,S1,T,A,B).
heard(X,K,S,S1,T,A,B) :- X >= 0, K1 := K-1, A1 := A+X | word(K1,S,S1,T,A1,B).
""", """\
close(done,S1,S2,X) :- S1 = [q(1,X)|S2].
""", """\
close(_,S1,S2,X) :- S1 = [q(1,X)|S2].
"""),
    # Answers that no question tells anything about are made when they are asked for.
    ('cards on demand', 'rounds', 6, 'begins work/3 only when it is asked', """\
main :- game(20,Rs,0,R), deck(Rs,17), writeln(R).
game(0,Rs,S,R) :- Rs = [], R = S.
game(N,Rs,S,R) :- N > 0 | Rs = [card(C)|Rs1], play(C,N,Rs1,S,R).
play(C,N,Rs,S,R) :- K := C mod 5 + 8, N1 := N-1 | work(K,C,Y), score(Y,N1,Rs,S,R).
score(Y,N,Rs,S,R) :- Y >= 0, S1 := S+Y | game(N,Rs,S1,R).
""", """\
deck([card(C)|Rs],X) :- work(12,X,C), deck(Rs,C).
deck([],_).
""", """\
deck(Rs,X) :- cards(20,X,Cs), hand(Rs,Cs).
cards(0,_,Cs) :- Cs = [].
cards(N,X,Cs) :- N > 0, N1 := N-1 | Cs = [C|Cs1], work(12,X,C), cards(N1,C,Cs1).
hand([card(C)|Rs],[D|Cs]) :- C = D, hand(Rs,Cs).
hand([],_).
"""),
    ('blocks on demand', 'rounds', 6, 'begins turn/3 only when it is asked', """\
main :- reader(16,Ps,0,R), disk(Ps,16), writeln(R).
reader(N,Ps,S,R) :- N > 0, N1 := N-1 | Ps = [B|Ps1], sort(B,X), seen(X,N1,Ps1,S,R).
reader(0,Ps,S,R) :- Ps = [], R = S.
sort(b(X,K),Y) :- work(K,X,Y).
seen(Y,N,Ps,S,R) :- integer(Y), S1 := S+Y | reader(N,Ps,S1,R).
""", """\
disk([B|Ps],N) :- turn(N,B,M), on(M,Ps).
disk([],_).
on(M,Ps) :- integer(M) | disk(Ps,M).
turn(N,B,M) :- K := N mod 3 * 4 + 6 | work(K,N,X), block(X,N,B,M).
block(X,N,B,M) :- integer(X) | K := X mod 7 + 6, B = b(X,K), M := N-1.
""", """\
disk(Ps,N) :- blocks(N,Bs), give(Ps,Bs).
blocks(0,Bs) :- Bs = [].
blocks(N,Bs) :- N > 0 | Bs = [B|Bs1], turn(N,B,M), blocks(M,Bs1).
give([P|Ps],[B|Bs]) :- P = B, give(Ps,Bs).
give([],_).
turn(N,B,M) :- K := N mod 3 * 4 + 6 | work(K,N,X), block(X,N,B,M).
block(X,N,B,M) :- integer(X) | K := X mod 7 + 6, B = b(X,K), M := N-1.
"""),
    # Goals compute what guards of the loop can compute; a counter beside them stays.
    ('gears', 'wait', 3, 'gear/2 and turn/3 compute one after the other', """\
main :- spin(90,7,0,R), writeln(R).
spin(0,_,A,R) :- R = A.
""", """\
spin(N,X,A,R) :- N > 0, X > 0, N1 := N-1 | gear(X,G), turn(G,X,Y), A1 := (A+G) mod 97, spin(N1,Y,A1,R).
gear(X,G) :- G := X mod 3.
turn(0,X,Y) :- Y := (X*5 + 1) mod 1009.
turn(1,X,Y) :- Y := X*3 mod 101 + 1.
turn(2,X,Y) :- Y := X + 11.
""", """\
spin(N,X,A,R) :- N > 0, X > 0, N1 := N-1, G := X mod 3, G =:= 0, Y := (X*5 + 1) mod 1009 | A1 := (A+G) mod 97, spin(N1,Y,A1,R).
spin(N,X,A,R) :- N > 0, X > 0, N1 := N-1, G := X mod 3, G =:= 1, Y := X*3 mod 101 + 1 | A1 := (A+G) mod 97, spin(N1,Y,A1,R).
spin(N,X,A,R) :- N > 0, X > 0, N1 := N-1, G := X mod 3, G =:= 2, Y := X+11 | A1 := (A+G) mod 97, spin(N1,Y,A1,R).
"""),
    ('signs', 'wait', 2, 'sign/2 and move/4 compute one after the other', """\
main :- seek(3,500,Xs), show(Xs,0).
""", """\
seek(X,N,Xs) :- X =\= 1, N > 0 | Xs = [X|Xs1], sign(X,S), size(X,S,Z), move(S,X,Z,Y), M := N-1, seek(Y,M,Xs1).
seek(1,_,Xs) :- Xs = [].
seek(_,0,Xs) :- Xs = [].
sign(X,S) :- X mod 2 =:= 0 | S = even.
sign(X,S) :- X mod 2 =:= 1 | S = odd.
size(X,even,Z) :- Z := X // 2.
size(X,odd,Z) :- Z := X * 3.
move(even,_,Z,Y) :- Y = Z.
move(odd,_,Z,Y) :- Y := (Z + 1) mod 7919 + 2.
show([_|Xs],A) :- A1 := A+1, show(Xs,A1).
show([],A) :- writeln(A).
""", """\
seek(X,N,Xs) :- X =\= 1, N > 0, X mod 2 =:= 0, Y := X // 2 | Xs = [X|Xs1], M := N-1, seek(Y,M,Xs1).
seek(X,N,Xs) :- X =\= 1, N > 0, X mod 2 =:= 1, Y := (X*3 + 1) mod 7919 + 2 | Xs = [X|Xs1], M := N-1, seek(Y,M,Xs1).
seek(1,_,Xs) :- Xs = [].
seek(_,0,Xs) :- Xs = [].
show([_|Xs],A) :- A1 := A+1, show(Xs,A1).
show([],A) :- writeln(A).
"""),
    ('state whose parts are asked for', 'early-read', 6, 'only', """\
main :- fell(4,7,t(0,0),t(N,S)), writeln(N-S).
leaf(X,t(N,S),T) :- N1 := N+1, S1 := (S*3+X) mod 997 | T = t(N1,S1).
cut(D,X,T,R) :- D > 0, D1 := D-1, Y := X*3+1, Z := X*5+2 | work(12,X,_), fell(D1,Y,T,T1), fell(D1,Z,T1,R).
cut(0,X,T,R) :- work(12,X,Y), leaf(Y,T,R).
""", """\

fell(D,X,t(N,S),R) :- integer(N), integer(S) | cut(D,X,t(N,S),R).
""", """\

fell(D,X,T,R) :- cut(D,X,T,R).
"""),
    ('an inner loop hands the outer one down', 'late-output', 9, 'hand', """\
main :- mill([3,1,4,1,5,9,2,6,5,3],Sacks,Dusts), mix(Sacks,Loaves), sum(Loaves,0,S), sum(Dusts,0,T),
    writeln(S-T).
mix([K|Ks],Ls) :- Ls = [L|L1], work(20,K,L), mix(Ks,L1).
mix([],Ls) :- Ls = [].
sum([],S,T) :- T = S.
sum([Y|B],S,T) :- S1 := S+Y, sum(B,S1,T).
""", """\
mill([X|Xs],Sacks,Dusts) :- stone(15,X,X,Xs,Sacks,Dusts).
mill([],Sacks,Dusts) :- Sacks = [], Dusts = [].
stone(0,D,X,Xs,Sacks,Dusts) :- Sacks = [X|S1], Dusts = [D|D1], mill(Xs,S1,D1).
stone(N,D,X,Xs,Sacks,Dusts) :- N > 0, N1 := N-1, D1 := (D*5+N) mod 23 | stone(N1,D1,X,Xs,Sacks,Dusts).
""", """\
mill([X|Xs],Sacks,Dusts) :- Sacks = [X|S1], Dusts = [D|D1], stone(15,X,D), mill(Xs,S1,D1).
mill([],Sacks,Dusts) :- Sacks = [], Dusts = [].
stone(0,D,R) :- R = D.
stone(N,D,R) :- N > 0, N1 := N-1, D1 := (D*5+N) mod 23 | stone(N1,D1,R).
"""),
    ('a goal before the one that decides', 'guard', 10, 'already decides', """\
main :- any([40,2,30,1,44,3],R), tell(R).
tell(yes) :- work(40,1,Y), writeln(Y).
any([],R) :- R = no.
any([X|Xs],R) :- look(X,P), any(Xs,Q), or(P,Q,R).
look(X,P) :- work(X,X,Y), found(Y,X,P).
found(Y,X,P) :- X mod 2 =:= 1, Y >= 0 | P = yes.
otherwise.
found(_,_,P) :- P = no.
""", """\

or(P,Q,R) :- atom(P), atom(Q) | choose(P,Q,R).
choose(yes,_,R) :- R = yes.
choose(no,Q,R) :- R = Q.
""", """\

or(yes,_,R) :- R = yes.
or(no,no,R) :- R = no.
or(_,yes,R) :- R = yes.
"""),
    ('answers in the order of a merge', 'order', 10, 'does not use it', """\
main :- crew(4,As,Ls), merge_all(As,Rs), desk(Rs,go), sum(Ls,0,S), writeln(S).
crew(0,As,Ls) :- As = [], Ls = [].
crew(N,As,Ls) :- N > 0, N1 := N-1 | As = [A|A1], Ls = [L|L1], rider(8,N,0,A,L), crew(N1,A1,L1).
rider(0,_,X,A,L) :- A = [], L = X.
rider(K,N,X,A,L) :- K > 0, K1 := K-1, D := 2+38*((K+N+X) mod 4//3) | A = [ask(D,R)|A1], ride(R,K1,N,X,A1,L).
ride(told(Y),K,N,X,A,L) :- X1 := (X+Y) mod 97 | rider(K,N,X1,A,L).
sum([],S,T) :- T = S.
sum([Y|B],S,T) :- S1 := S+Y, sum(B,S1,T).
""", """\

give(Go,Y,R,Next) :- wait(Go), integer(Y) | R = told(Y), Next = go.
desk([ask(D,R)|Rs],Go) :- work(D,D,Y), give(Go,Y,R,Next), desk(Rs,Next).
desk([],_).
""", """\

give(_,Y,R,Next) :- integer(Y) | R = told(Y), Next = go.
desk([ask(D,R)|Rs],Go) :- work(D,D,Y), give(Go,Y,R,Next), desk(Rs,Next).
desk([],_).
"""),
    # The steps only hand the tare on; whoever ends the loop may wait for it before a long job.
    ('handed on to the last step', 'early-read', 4, 'tare(G)', """\
main :- scale(60,5,T), heaps(12,Hs), weigh(Hs,T,3,R), writeln(R).
scale(0,X,T) :- T = tare(X).
scale(K,X,T) :- K > 0, K1 := K-1, X1 := (X*7+K) mod 101 | scale(K1,X1,T).
""", """\
weigh([H|Hs],tare(G),A,R) :- A1 := (A*5+H) mod 997, heavy(A1,A2), weigh(Hs,tare(G),A2,R).
weigh([],tare(G),A,R) :- work(40,A,B), R := B-G.
heaps(0,Hs) :- Hs = [].
heaps(N,Hs) :- N > 0, N1 := N-1 | Hs = [N|Hs1], heaps(N1,Hs1).
heavy(A,B) :- A > 0 | B := A+1.
heavy(0,B) :- B = 1.
""", """\
weigh([H|Hs],T,A,R) :- A1 := (A*5+H) mod 997, heavy(A1,A2), weigh(Hs,T,A2,R).
weigh([],tare(G),A,R) :- work(40,A,B), R := B-G.
heaps(0,Hs) :- Hs = [].
heaps(N,Hs) :- N > 0, N1 := N-1 | Hs = [N|Hs1], heaps(N1,Hs1).
heavy(A,B) :- A > 0 | B := A+1.
heavy(0,B) :- B = 1.
"""),
    # The same pitch in every round, two calls below the loop.
    ('the same inputs below a loop', 'repeated-work', 8, 'calls work/3 16 times', """\
rounds(0,X,_,R) :- R = X.
rounds(N,X,Q,R) :- N > 0, X >= 0, N1 := N-1 | team(X,Q,A,B), X1 := (A+B) mod 97, rounds(N1,X1,Q,R).
team(X,Q,A,B) :- bow(X,A), blow(X,Q,B).
bow(0,A) :- A = 7.
bow(X,A) :- X > 0 | A := X*3 mod 31.
add(X,Y,B) :- B := X+Y.
""", """\
main :- rounds(16,5,9,R), writeln(R).
blow(X,Q,B) :- work(20,Q,Y), add(X,Y,B).
""", """\
main :- work(20,9,Y), rounds(16,5,Y,R), writeln(R).
blow(X,Y,B) :- add(X,Y,B).
"""),
]

# Nothing may be promised of these, though they wait.
MEANT = [
    # Each step computes with the tare that it hands on.
    ('used and handed on', """\
main :- scale(60,5,T), weigh([3,1,4,1,5,9,2,6],T,3,R), writeln(R).
scale(0,X,T) :- T = tare(X).
scale(K,X,T) :- K > 0, K1 := K-1, X1 := (X*7+K) mod 101 | scale(K1,X1,T).
weigh([H|Hs],tare(G),A,R) :- A1 := (A*5+H+G) mod 997, heavy(A1,A2), weigh(Hs,tare(G),A2,R).
weigh([],tare(G),A,R) :- R := A-G.
heavy(A,B) :- A >= 0 | B := A+1.
"""),
    # Four letters may be under way; a carrier takes each of them its time.
    ('window', """\
main :- places(4,Ps,End), post(1,Ps,End,Ls), carry(Ls,Os), sum(Os,0,S), writeln(S).
places(0,Ps,End) :- Ps = End.
places(N,Ps,End) :- N > 0, N1 := N-1 | Ps = [back|P1], places(N1,P1,End).
post(N,[back|Ps],End,Ls) :- N < 40, N1 := N+1 |
    Ls = [letter(N,B)|L1], End = [B|E1], post(N1,Ps,E1,L1).
post(40,_,_,Ls) :- Ls = [].
carry([letter(N,B)|Ls],Os) :- Os = [O|O1], work(24,N,O), came(O,B), carry(Ls,O1).
carry([],Os) :- Os = [].
came(O,B) :- integer(O) | B = back.
sum([],S,T) :- T = S.
sum([O|Os],S,T) :- S1 := S+O, sum(Os,S1,T).
"""),
    # What has passed the border was looked at before.
    ('comparison that checks', """\
main :- go(6,Os), sum(Os,0,S), writeln(S).
go(0,Os) :- Os = [].
go(N,Os) :- N > 0, N1 := N-1 | work(30,N,H), pass(H,N,O), Os = [Z|O1], work(30,O,Z), go(N1,O1).
pass(H,N,O) :- H < 101 | O = N.
sum([],S,T) :- T = S.
sum([O|Os],S,T) :- S1 := S+O, sum(Os,S1,T).
"""),
    # The limit may be lower than the constant of the other test.
    ('comparisons with a limit and a constant', """\
main :- work(60,7,L), L1 := L mod 40, bricks(20,3,Bs), sort_out(Bs,L1,0,S), writeln(S).
bricks(0,_,Bs) :- Bs = [].
bricks(N,H,Bs) :- N > 0, N1 := N-1, H1 := (H*13+5) mod 69 | Bs = [b(N,H1)|B1], bricks(N1,H1,B1).
sort_out([b(_,H)|Bs],L,S,T) :- L >= H, H < 70 | work(4,H,W), add(W,S,S1), sort_out(Bs,L,S1,T).
sort_out([b(N,H)|Bs],L,S,T) :- L < H | S1 := S+N+L, sort_out(Bs,L,S1,T).
sort_out([],_,S,T) :- T = S.
add(W,S,S1) :- S1 := (S*3+W) mod 1009.
"""),
    # Only what agrees goes on; the other answer would stop it.
    ('answer that is checked', """\
main :- go(6,Os), sum(Os,0,S), writeln(S).
go(0,Os) :- Os = [].
go(N,Os) :- N > 0, N1 := N-1 | work(30,N,H), agrees(H,101,A), open(A,N,O), Os = [Z|O1], work(30,O,Z),
    go(N1,O1).
agrees(H,M,A) :- H < M | A = yes.
agrees(H,M,A) :- H >= M | A = no.
open(yes,N,O) :- O = N.
sum([],S,T) :- T = S.
sum([O|Os],S,T) :- S1 := S+O, sum(Os,S1,T).
"""),
    # The next one begins sooner without the test, but it has nothing to begin with.
    ('a loop whose every step needs the last value', """\
main :- probe(30,17,Rs), sum(Rs,0,S), writeln(S).
probe(0,_,Rs) :- Rs = [].
probe(N,X,Rs) :- N > 0, N1 := N-1 | work(4,X,Y), sent(Y,N1,Rs).
sent(Y,N,Rs) :- Y mod 11 > 0 | Rs = [Y|Rs1], probe(N,Y,Rs1).
sent(Y,N,Rs) :- Y mod 11 =:= 0 | probe(N,Y,Rs).
sum([],S,T) :- T = S.
sum([Y|B],S,T) :- S1 := S+Y, sum(B,S1,T).
"""),
    ('a look-up that can count, but not look up', """\
main :- queue(20,1,R), writeln(R).
queue(0,D,R) :- R = D.
queue(I,D,R) :- I > 0, I1 := I-1 | score(D,I,S), change(S,D,D1), queue(I1,D1,R).
score(1,I,S) :- look(12,I,S).
score(2,I,S) :- J := I+500, look(12,J,S).
look(0,X,S) :- S := X mod 100.
look(K,X,S) :- K > 0 | K1 := K-1, X1 := (X*29+11) mod 1009, look(K1,X1,S).
change(S,1,D) :- S mod 3 =:= 0 | D = 2.
change(S,1,D) :- S mod 3 > 0 | D = 1.
change(_,2,D) :- D = 1.
"""),
    ('two that answer each other', """\
main :- she(25,9,Ls), he(Ls,4), writeln(Ls).
she(0,_,Ls) :- Ls = [].
she(N,X,Ls) :- N > 0, N1 := N-1 | work(6,X,Y), Ls = [letter(Y,A)|L1], reads(A,N1,L1).
reads(A,N,Ls) :- A mod 3 =\\= 0 | she(N,A,Ls).
reads(A,N,Ls) :- A mod 3 =:= 0, B := A+N | she(N,B,Ls).
he([],_).
he([letter(W,A)|Ls],X) :- Z := W+X | work(6,Z,A), he(Ls,A).
"""),


    ('a loop that counts and then goes on', """\
main :- count(60,3,R), writeln(R).
count(0,X,R) :- then(X,R).
count(N,X,R) :- N > 0, N1 := N-1 | Y := (X*5+N) mod 91, count(N1,Y,R).
then(X,R) :- R := X+1.
"""),
    ('state of a loop', """\
main :- day(20,3,R), writeln(R).
day(0,X,R) :- R = X.
day(N,X,R) :- N > 0, N1 := N-1 | work(10,X,Y), next(Y,N1,R).
next(Y,N,R) :- integer(Y) | day(N,Y,R).
"""),
    ('a fork is at one philosopher only', FORK + """\
lent(back,As) :- fork(As).
hold(yes,N,A,S,B,R) :- work(6,S,T), put(T,N,A,B,R).
put(T,N,A,B,R) :- integer(T) | B = back, eat(N,A,T,R).
"""),
    ('a fork that comes back in two ways', FORK + """\
lent(back,As) :- fork(As).
hold(yes,N,A,S,B,R) :- work(6,S,T), put(T,N,A,B,R).
put(T,N,A,B,R) :- T > 50 | B = back, eat(N,A,T,R).
put(T,N,A,B,R) :- T =< 50, U := T+1 | B = back, eat(N,A,U,R).
"""),
    ('a fork that comes back with a number', FORK + """\
lent(back(_),As) :- fork(As).
hold(yes,N,A,S,B,R) :- dish(S,T), put(T,N,A,B,R).
dish(S,T) :- work(6,S,X), dish1(X,T).
dish1(X,T) :- Y := X+1 | T = dish(Y).
put(dish(T),N,A,B,R) :- B = back(T), eat(N,A,T,R).
"""),
    ('work while a fork is held', FORK + """\
lent(back(_),As) :- fork(As).
hold(yes,N,A,S,B,R) :- work(6,S,X), put(X,N,A,B,R).
put(X,N,A,B,R) :- integer(X) | B = back(X), eat(N,A,X,R).
"""),
    # It mostly comes out as it went in; but once another one takes its place.
    ('a value that a state may exchange', """\
main :- list(60,Xs), go(Xs,s(1,card(7)),E), out(E,C), use(C,R), writeln(R).
list(N,Xs) :- N > 0 | Xs = [N|X1], N1 := N-1, list(N1,X1).
list(0,Xs) :- Xs = [].
use(card(X),R) :- work(60,X,R).
go([],S,E) :- E = S.
go([X|Xs],s(A,B),E) :- X =\\= 2, A1 := (A*2+X) mod 97 | go(Xs,s(A1,B),E).
go([2|Xs],s(A,_),E) :- go(Xs,s(A,card(A)),E).
out(s(_,C),D) :- D = C.
"""),
    ('an answer that only one clause asks for', """\
main :- ask(90,7,0,P), ask(9,4,9,Q), choose(P,Q,R), letter(R,L), writeln(L).
ask(K,X,M,A) :- work(K,X,Y), judge(Y,M,A).
judge(Y,M,A) :- Y >= M*20 | A = yes.
judge(Y,M,A) :- Y < M*20 | A = no.
choose(no,_,R) :- R = yes.
choose(yes,Q,R) :- R = Q.
letter(no,L) :- work(40,3,L).
letter(yes,L) :- work(5,3,L).
"""),
    ('lines that are out before the next ones', """\
main :- lines(6,go).
lines(N,go) :- N > 0, N1 := N-1 | stdout([writeln(N),flush(O)]), out(O,D), lines(N1,D).
lines(0,go).
out(ok,D) :- D = go.
"""),
    # Where it ends more often than it goes on, nobody knows what would follow.
    ('a tree that is cut short', """\
main :- grow(4,1,N,0), writeln(N).
grow(0,_,N,M) :- N := M+1.
grow(D,X,N,M) :- D > 0, D1 := D-1 | leaf(3,D1,X,N,M).
leaf(0,_,_,N,M) :- N = M.
leaf(K,D,X,N,M) :- K > 0, K1 := K-1, Y := (X*5+K) mod 97 | leaf(K1,D,X,N,L), work(20,Y,Z), bears(Z,D,Y,L,M).
bears(Z,_,_,L,M) :- Z mod 2 =:= 0 | L = M.
bears(Z,D,Y,L,M) :- Z mod 2 =:= 1 | grow(D,Y,L,M).
"""),
    # Every step computes something from what the last one has computed.
    ('a game that tires the player', """\
main :- work(30,5,X), born(X,P), game(40,P,W), writeln(W).
born(X,P) :- S := X+900 | P = player(ann,S).
game(K,player(A,S),W) :- K > 0, K1 := K-1, S1 := S-S mod 3 | game(K1,player(A,S1),W).
game(0,P,W) :- W = P.
"""),
    # Nobody knows before the end that nothing else is found.
    ('the last of those that fit', """\
main :- marks(1,150,Ms), last(Ms,0,M), speak(M).
marks(I,N,M) :- I =< N, I1 := I+1, K := I*I mod 19 | M = [K|M1], marks(I1,N,M1).
marks(I,N,M) :- I > N | M = [].
last([X|Xs],_,R) :- X > 16, I := 200+X | last(Xs,I,R).
last([X|Xs],M,R) :- X =< 16 | last(Xs,M,R).
last([],M,R) :- R = M.
speak(M) :- integer(M) | work(100,M,T), writeln(T).
"""),
    ('the greatest, which comes early', """\
main :- marks(1,150,Ms), best(Ms,0,M), speak(M).
marks(I,N,M) :- I =< N, I1 := I+1, K := 1000-(I-1) mod 149 | M = [K|M1], marks(I1,N,M1).
marks(I,N,M) :- I > N | M = [].
best([X|Xs],M,R) :- X > M | best(Xs,X,R).
best([X|Xs],M,R) :- X =< M | best(Xs,M,R).
best([],M,R) :- R = M.
speak(M) :- integer(M) | work(100,M,T), writeln(T).
"""),
    ('alternatives that need what decides', """\
main :- trips([5,17,8,33,21,40,11,9,27,36,3,14],Rs), sum(Rs,0,S), writeln(S).
trips([],Rs) :- Rs = [].
trips([T|Ts],Rs) :- Rs = [R|Rs1], traffic(T,D), route(D,R), trips(Ts,Rs1).
traffic(T,D) :- work(80,T,D).
route(D,R) :- D < 50 | walk(D,R).
route(D,R) :- D >= 50 | bus(D,R).
walk(T,R) :- work(70,T,R).
bus(T,R) :- X := T+3, work(60,X,R).
sum([],S,T) :- T = S.
sum([X|Xs],S,T) :- S1 := S+X, sum(Xs,S1,T).
"""),
    ('alternatives of which mostly none is needed', """\
main :- trips([5,17,8,33,21,40,11,9,27,36,3,14],Rs), sum(Rs,0,S), writeln(S).
trips([],Rs) :- Rs = [].
trips([T|Ts],Rs) :- Rs = [R|Rs1], traffic(T,D), route(D,T,R), trips(Ts,Rs1).
traffic(T,D) :- work(80,T,D).
route(D,T,R) :- D < 20 | walk(T,R).
route(D,_,R) :- D >= 20, D < 80 | R = D.
route(D,T,R) :- D >= 80 | bus(T,R).
walk(T,R) :- work(70,T,R).
bus(T,R) :- X := T+3, work(60,X,R).
sum([],S,T) :- T = S.
sum([X|Xs],S,T) :- S1 := S+X, sum(Xs,S1,T).
"""),
    ('more alternatives than should begin', """\
main :- run([5,17,8,33,21,40,11,9,27,36,3,14],Rs), sum(Rs,0,S), writeln(S).
run([],Rs) :- Rs = [].
run([T|Ts],Rs) :- Rs = [R|Rs1], fetch(T,D), exec(D,T,R), run(Ts,Rs1).
fetch(T,D) :- work(80,T,E), D := E mod 5.
exec(0,T,R) :- work(30,T,R).
exec(1,T,R) :- bus(T,R).
exec(2,T,R) :- tram(T,R).
exec(3,T,R) :- boat(T,R).
exec(4,T,R) :- walk(T,R).
bus(T,R) :- work(60,T,R).
tram(T,R) :- work(61,T,R).
boat(T,R) :- work(62,T,R).
walk(T,R) :- work(63,T,R).
sum([],S,T) :- T = S.
sum([X|Xs],S,T) :- S1 := S+X, sum(Xs,S1,T).
"""),
    ('plans that take their time', """\
main :- plan(40,a,3,W), go(W,R), writeln(R).
plan(K,X,S,W) :- K > 0, K1 := K-1 | plan(K1,X,S,W).
plan(0,X,S,W) :- W = way(X,S).
go(way(_,S),R) :- work(30,S,R).
"""),
    ('the order of lines', """\
main :- work(20,1,A), say(A,D), then(D).
say(A,D) :- integer(A) | writeln(first), D = done.
then(done) :- work(20,2,B), tell(B).
tell(B) :- integer(B) | writeln(second).
"""),
    ('a search that may end otherwise', """\
main :- list(60,Xs), find(Xs,5,9,R), use(R,S), writeln(S).
find([],_,D,R) :- R = D.
find([X|_],X,_,R) :- R = X.
find([X|Xs],K,D,R) :- X =\\= K | find(Xs,K,D,R).
use(R,S) :- work(60,R,S).
list(N,Xs) :- N > 0 | Xs = [N|X1], N1 := N-1, list(N1,X1).
list(0,Xs) :- Xs = [].
"""),
    # What one tool leaves, the next one takes up.
    ('tools in turn', """\
main :- jobs([3,7,12,19,22,31,8,14],Rs), show(Rs).
jobs([],Rs) :- Rs = [].
jobs([J|Js],Rs) :- Rs = [R|Rs1], tool(20,J,A), plane(A,R), jobs(Js,Rs1).
tool(K,J,A) :- work(K,J,X), rate(X,A).
rate(X,A) :- X mod 4 =:= 0 | A = done(X).
rate(X,A) :- X mod 4 > 0 | A = left(X).
plane(done(X),R) :- R = X.
plane(left(X),R) :- tool(30,X,A), file(A,R).
file(done(X),R) :- R = X.
file(left(X),R) :- tool(40,X,A), last(A,R).
last(done(X),R) :- R = X.
last(left(X),R) :- R = X.
show([A,B,C,D|Rs]) :- writeln(A-B-C-D), show(Rs).
show([]).
"""),
    # The gate waits for the guard, too; and the stages let only some items through as they are.
    ('made again behind a gate', """\
main :- tickets(20,Ts), guards(20,3,Gs), gate(Ts,Gs,Out), show(Out,0).
tickets(0,Ts) :- Ts = [].
tickets(N,Ts) :- N > 0, N1 := N-1 | Ts = [t(N)|Ts1], tickets(N1,Ts1).
guards(0,_,Gs) :- Gs = [].
guards(N,X,Gs) :- N > 0, N1 := N-1 | Gs = [G|Gs1], work(9,X,Y), ok(Y,G), guards(N1,Y,Gs1).
ok(Y,G) :- integer(Y) | G = ok(Y).
gate([T|Ts],[G|Gs],Out) :- pass(G,T,O), Out = [O|Out1], gate(Ts,Gs,Out1).
gate([],_,Out) :- Out = [].
pass(ok(_),t(N),O) :- O = t(N).
show([t(N)|Ts],S) :- S1 := (S*3+N) mod 101 | show(Ts,S1).
show([],S) :- writeln(S).
"""),
    ('made again by some', """\
main :- xs(40,7,Xs), chain(12,Xs,Ys), show(Ys,0).
xs(0,_,Xs) :- Xs = [].
xs(N,X,Xs) :- N > 0, N1 := N-1, X1 := X*11 mod 61 | Xs = [v(X1)|Xs1], xs(N1,X1,Xs1).
chain(0,Xs,Ys) :- Ys = Xs.
chain(K,Xs,Ys) :- K > 0, K1 := K-1, M := 20+K*3 | stage(Xs,M,Zs), chain(K1,Zs,Ys).
stage([X|Xs],M,Ys) :- Ys = [Y|Ys1], cut(X,M,Y), stage(Xs,M,Ys1).
stage([],_,Ys) :- Ys = [].
cut(v(X),M,Y) :- X =< M | Y = v(X).
cut(v(X),M,Y) :- X > M, X1 := X-M | Y = v(X1).
show([v(X)|Xs],S) :- S1 := (S*3+X) mod 1009 | show(Xs,S1).
show([],S) :- writeln(S).
"""),
    # The ride finds out what the fee is computed from.
    ('a fee by the way', """\
main :- ride(90,2,1,Fee,D), bill(80,Fee,B), both(D,B).
both(D,B) :- S := D+B, writeln(S).
ride(0,W,X,Fee,D) :- F := W*12+3 | Fee = fee(F), D = X.
ride(N,W,X,Fee,D) :- N > 0, N1 := N-1, X1 := (X*5+N) mod 97, W1 := max(W,X1) | ride(N1,W1,X1,Fee,D).
bill(N,fee(F),B) :- print(N,F,B).
print(0,F,B) :- B = F.
print(N,F,B) :- N > 0, N1 := N-1, F1 := (F*3+1) mod 89 | print(N1,F1,B).
"""),
    # Both values are known at the end of the tape only.
    ('two values that the end tells', """\
main :- tape(60,File), load(File,0,1,Scale,Step,Rows), frame(Scale,Step,F), plot(Rows,Scale,Step,F,0).
tape(N,File) :- rows(N,5,File).
rows(0,_,Rows) :- Rows = [].
rows(N,X,Rows) :- N > 0, N1 := N-1, X1 := (X*11+3) mod 53 | Rows = [X1|Rows1], rows(N1,X1,Rows1).
frame(S,D,F) :- work(40,S,A), F := A*D.
plot([X|Xs],S,D,F,A) :- A1 := (A + X*S + D) mod 1009 | plot(Xs,S,D,F,A1).
plot([],_,_,F,A) :- B := A+F, writeln(B).
load([X|Xs],S,D,Scale,Step,Out) :- S1 := max(S,X), D1 := (D*X+1) mod 13 | Out = [X|Out1], load(Xs,S1,D1,Scale,Step,Out1).
load([],S,D,Scale,Step,Out) :- Out = [], Scale = S, Step := D*2.
"""),
    # The answer depends on what the question says.
    ('an oracle', """\
main :- game(20,Rs,5,R), oracle(Rs,17), writeln(R).
game(0,Rs,S,R) :- Rs = [], R = S.
game(N,Rs,S,R) :- N > 0, N1 := N-1 | Rs = [ask(S,C)|Rs1], play(C,N1,Rs1,R).
play(C,N,Rs,R) :- K := C mod 5 + 8 | work(K,C,Y), score(Y,N,Rs,R).
score(Y,N,Rs,R) :- Y >= 0 | game(N,Rs,Y,R).
oracle([ask(S,C)|Rs],X) :- Z := (S+X) mod 97, work(12,Z,C), oracle(Rs,C).
oracle([],_).
"""),
    # No goal chooses a clause by what another one computes.
    ('a formula in two goals', """\
main :- spin(90,7,R), writeln(R).
spin(0,X,R) :- R = X.
spin(N,X,R) :- N > 0, N1 := N-1 | scaled(X,G), shifted(G,X,Y), spin2(Y,N1,R).
spin2(Y,N,R) :- Y >= 0 | spin(N,Y,R).
scaled(X,G) :- D := X*3, G := D mod 101.
shifted(G,X,Y) :- Y := G + X mod 7.
"""),
]

# A kind of finding that the program must not have: name, kind, text
NOT_NAMED = [
    # Each call makes places that the round fills; and each call gets what the round before made.
    ('places of a round', 'repeated-work', """\
main :- rounds(16,5,R), writeln(R).
rounds(0,X,R) :- R = X.
rounds(N,X,R) :- N > 0, N1 := N-1 | team(X,Y), rounds(N1,Y,R).
team(X,Y) :- X >= 0 | places(9,L), fill(L,X,L,Y).
places(0,L) :- L = [].
places(K,L) :- K > 0, K1 := K-1 | L = [_|L1], places(K1,L1).
fill([P|Ps],X,L,Y) :- P := X*3 mod 31, X1 := X+1, fill(Ps,X1,L,Y).
fill([],_,L,Y) :- sum(L,0,Y).
sum([P|Ps],A,Y) :- A1 := A+P, sum(Ps,A1,Y).
sum([],A,Y) :- Y = A.
"""),
    ('another input in each round', 'repeated-work', """\
main :- rounds(16,5,R), writeln(R).
rounds(0,X,R) :- R = X.
rounds(N,X,R) :- N > 0, N1 := N-1 | team(X,Y), rounds(N1,Y,R).
team(X,Y) :- X >= 0 | work(20,X,Y).
"""),
    # Workers of one call each ask for their own jobs.
    ('workers of a farm', 'repeated-work', """\
main :- jobs(24,Js), farm(job,24,Js,Ys), foldl(add,Ys,0,S), writeln(S).
jobs(N,Js) :- N > 0, N1 := N-1, K := 90 - N | Js = [K|Js1], jobs(N1,Js1).
jobs(0,Js) :- Js = [].
job(K,Y) :- work(K,3,Y).
add(Y,A,B) :- B := A+Y.
"""),
    # The keys are put into the order that makes the tree balanced.
    ('one list in another order', 'head-of-line', """\
main :- keys(120,11,Ks), halves(120,Ks,Ms,[]), enter(Ms,leaf,T), depth(T,D), writeln(D).
keys(N,X,Ks) :- N > 0, N1 := N-1 | X1 := X+3, Ks = [X|Ks1], keys(N1,X1,Ks1).
keys(0,_,Ks) :- Ks = [].
halves(0,_,L,R) :- L = R.
halves(N,Ks,L,R) :- N > 0, H := N//2, H1 := N-H-1 | past(H,Ks,Ls), middle(Ls,H,H1,Ks,L,R).
middle([K|Ls],H,H1,Ks,L,R) :- L = [K|L1], halves(H,Ks,L1,L2), halves(H1,Ls,L2,R).
past(0,Ks,Ls) :- Ls = Ks.
past(N,[_|Ks],Ls) :- N > 0, N1 := N-1 | past(N1,Ks,Ls).
enter([K|Ks],T0,T) :- put(K,T0,T1), enter(Ks,T1,T).
enter([],T0,T) :- T = T0.
put(K,leaf,T) :- T = n(leaf,K,leaf).
put(K,n(L,X,R),T) :- K < X | T = n(L1,X,R), put(K,L,L1).
put(K,n(L,X,R),T) :- K >= X | T = n(L,X,R1), put(K,R,R1).
depth(leaf,D) :- D = 0.
depth(n(L,_,R),D) :- depth(L,A), depth(R,B), D := max(A,B)+1.
"""),
    # The last round does something that the rounds before do not.
    ('rounds that count', 'repeated-work', """\
main :- values(16,5,Vs), sweeps(40,Vs,R), show(R,0).
values(0,_,Vs) :- Vs = [].
values(N,X,Vs) :- N > 0, N1 := N-1, X1 := (X*29+7) mod 64 | Vs = [X1|Vs1], values(N1,X1,Vs1).
show([X|Xs],A) :- A1 := (A*3+X) mod 1009, show(Xs,A1).
show([],A) :- writeln(A).
sweep([X,Y|Vs],Ws) :- X =< Y | Ws = [X|Ws1], sweep([Y|Vs],Ws1).
sweep([X,Y|Vs],Ws) :- X > Y | Ws = [Y|Ws1], sweep([X|Vs],Ws1).
sweep([X],Ws) :- Ws = [X].
sweeps(K,Vs,R) :- K > 0, K1 := K-1 | turn(K,Vs,Ws), sweeps(K1,Ws,R).
sweeps(0,Vs,R) :- R = Vs.
turn(1,[X|Vs],Ws) :- Y := X+50, sweep([Y|Vs],Ws).
turn(K,Vs,Ws) :- K > 1 | sweep(Vs,Ws).
"""),
    # Each round adds another number, though all of them are there after some.
    ('numbers that are there', 'repeated-work', """\
main :- round(60,no(0),S), writeln(S).
round(0,S,R) :- R = S.
round(N,S,R) :- N > 0, N1 := N-1, C := N mod 7 * (N // 40) | most(C,S,S1), round(N1,S1,R).
most(C,no(M),S) :- X := max(C,M), work(4,3,Y), paired(X,Y,S).
paired(X,Y,S) :- integer(Y), integer(X) | S = no(X).
"""),
]

failures = 0


def check(good, *what):
    global failures
    if not good:
        failures += 1
        print('FAILED:', *what, file=sys.stderr)


def report(fleng, paf, folder, text):
    source, trace = os.path.join(folder, 'p.fl'), os.path.join(folder, 'p.paf')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(text)
    run = subprocess.run([fleng, '-trace=' + trace, source], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    check(run.returncode == 0, run.stdout.decode(), text)
    told = subprocess.run([paf, 'report', '--json', trace], stdout=subprocess.PIPE, check=True)
    return json.loads(told.stdout), run.stdout


def check_cause(fleng, paf, folder, cause):
    name, kind, line, says, shared, slow, fixed = cause
    before, answer = report(fleng, paf, folder, shared + slow + WORK)
    after, same = report(fleng, paf, folder, shared + fixed + WORK)
    check(answer == same, name, 'the two programs answer differently', answer, same)
    if not before['findings']:
        return check(False, name, 'has no finding')
    first = before['findings'][0]
    check((first['kind'], first['line']) == (kind, line), name, first['kind'], first['line'], first['text'])
    check(says in first['text'], name, first['text'])
    check('p.fl' == first['file'] and 'p.fl:' in first['text'] and first['advice'], name, first)
    error = abs(first['span_without'] - after['span']) / before['span']
    check(error <= NEAR, name, 'without it', first['span_without'], 'and it is', after['span'])
    check(abs(first['saving'] - (1 - first['span_without'] / before['span'])) < 1e-9, name, first['saving'])
    check(not any(f['line'] == line and f['kind'] == kind for f in after['findings']), name,
          'is still named', after['findings'])


def main():
    fleng, paf = (os.path.abspath(path) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        for cause in CAUSES:
            check_cause(fleng, paf, folder, cause)
        for name, text in MEANT:
            told, _ = report(fleng, paf, folder, text + WORK)
            check(not told['findings'], name, [f['text'] for f in told['findings']])
        for name, kind, text in NOT_NAMED:
            told, _ = report(fleng, paf, folder, text + WORK)
            check(not any(f['kind'] == kind for f in told['findings']), name,
                  [f['text'] for f in told['findings']])
    print('%d causes, %d programs without one' % (len(CAUSES), len(MEANT)))
    return failures > 0


sys.exit(main())
