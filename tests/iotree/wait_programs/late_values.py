# SPDX-License-Identifier: MIT
"""Values that are known long before they are handed out, and aliases that come late."""

# See ../test_waits.py for the fields.
CAUSES = [
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
    ('a constant that the loop keeps', 'alias', 10, 'goals only hand', """\
main :- batch(1,25,0,R), writeln(R).
batch(I,N,S,R) :- I =< N, Seed := I*37 mod 101 | pieces(30,Seed,Ps), defect(Ps,0,D), next(D,I,N,S,R).
batch(I,N,S,R) :- I > N | R = S.
next(1,I,N,S,R) :- I1 := I+2, S1 := S+1, batch(I1,N,S1,R).
next(0,I,N,S,R) :- I1 := I+1, batch(I1,N,S,R).
pieces(0,_,Ps) :- Ps = [].
pieces(K,X,Ps) :- K > 0, K1 := K-1, X1 := (X*11+5) mod 101 | Ps = [p(X1)|Ps1], pieces(K1,X1,Ps1).
defect([p(X)|Ps],D,R) :- D =:= 0, X mod 5 =\\= 0 | defect(Ps,D,R).
""", """\
defect([p(X)|Ps],D,R) :- D =:= 0, X mod 5 =:= 0 | defect(Ps,1,R).
defect([],D,R) :- R = D.
defect([_|Ps],D,R) :- D =:= 1 | defect(Ps,D,R).
""", """\
defect([p(X)|_],D,R) :- D =:= 0, X mod 5 =:= 0 | R = 1.
defect([],D,R) :- R = D.
"""),
    ('decided by goals of the loop', 'alias', 12, 'whatever comes from there on', """\
main :- rounds(20,7,0,R), writeln(R).
rounds(0,_,S,R) :- R = S.
rounds(N,X,S,R) :- N > 0, N1 := N-1 | draws(30,X,Ds), any(Ds,no,A), after(A,N1,X,S,R).
after(yes,N,X,S,R) :- S1 := S+1, X1 := (X*3+1) mod 103, rounds(N,X1,S1,R).
after(no,N,X,S,R) :- X1 := (X*5+2) mod 103, rounds(N,X1,S,R).
draws(0,_,Ds) :- Ds = [].
draws(K,X,Ds) :- K > 0, K1 := K-1, X1 := (X*7+3) mod 103 | Ds = [X1|Ds1], draws(K1,X1,Ds1).
hit(X,T) :- X mod 4 =:= 0 | T = yes.
hit(X,T) :- X mod 4 =\\= 0 | T = no.
or(yes,_,R) :- R = yes.
or(no,T,R) :- R = T.
""", """\
any([],F,A) :- A = F.
any([X|Xs],F,A) :- any(Xs,F1,A), hit(X,T), or(F,T,F1).
""", """\
any([],F,A) :- A = F.
any([X|Xs],F,A) :- any(Xs,F,B), hit(X,T), or(T,B,A).
"""),
    ('enough is enough', 'late-output', 10, 'whatever comes from there on', """\
main :- rounds(20,7,0,R), writeln(R).
rounds(0,_,S,R) :- R = S.
rounds(N,X,S,R) :- N > 0, N1 := N-1 | draws(30,X,Ds), votes(Ds,0,A), after(A,N1,X,S,R).
after(yes,N,X,S,R) :- S1 := S+1, X1 := (X*3+1) mod 103, rounds(N,X1,S1,R).
after(no,N,X,S,R) :- X1 := (X*5+2) mod 103, rounds(N,X1,S,R).
draws(0,_,Ds) :- Ds = [].
draws(K,X,Ds) :- K > 0, K1 := K-1, X1 := (X*7+3) mod 103 | Ds = [X1|Ds1], draws(K1,X1,Ds1).
votes([X|Xs],N,A) :- X mod 4 =\\= 0 | votes(Xs,N,A).
""", """\
votes([],N,A) :- N < 3 | A = no.
votes([],N,A) :- N >= 3 | A = yes.
votes([X|Xs],N,A) :- X mod 4 =:= 0, N1 := N+1 | votes(Xs,N1,A).
""", """\
votes([],N,A) :- N < 3 | A = no.
votes([X|Xs],N,A) :- N < 2, X mod 4 =:= 0, N1 := N+1 | votes(Xs,N1,A).
votes([X|_],N,A) :- N >= 2, X mod 4 =:= 0 | A = yes.
"""),
    ('decided early in a long run', 'late-output', 9, 'whatever comes from there on, it is that', """\
main :- gen(30000,L), votes(L,0,A), act(A,R), writeln(R).
gen(0,L) :- L = [].
gen(N,L) :- N > 0, N1 := N-1, X := N mod 7 | L = [X|L1], gen(N1,L1).
act(yes,R) :- work(20000,1,R).
act(no,R) :- R = 0.
votes([], N, A) :- N < 3 | A = no.
""", """\
votes([X|Xs], N, A) :- X mod 4 =:= 0, N1 := N + 1 | votes(Xs, N1, A).
votes([X|Xs], N, A) :- X mod 4 > 0 | votes(Xs, N, A).
votes([], N, A) :- N >= 3 | A = yes.
""", """\
votes([X|Xs], N, A) :- N < 2, X mod 4 =:= 0, N1 := N + 1 | votes(Xs, N1, A).
votes([X|Xs], N, A) :- X mod 4 > 0 | votes(Xs, N, A).
votes([X|_], 2, A) :- X mod 4 =:= 0 | A = yes.
"""),
]
