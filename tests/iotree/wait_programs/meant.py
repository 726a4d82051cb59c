# SPDX-License-Identifier: MIT
"""Programs whose waits are meant."""

# Two who take one fork by turns.
FORK = """\
main :- merge([merge(A),merge(B)],As), fork(As), eat(8,A,1,X), eat(8,B,2,Y), R := X+Y, writeln(R).
fork([]).
fork([take(G,Back)|As]) :- G = yes, lent(Back,As).
eat(0,A,S,R) :- A = [], R = S.
eat(N,A,S,R) :- N > 0, N1 := N-1 | A = [take(G,B)|A1], hold(G,N1,A1,S,B,R).
"""

# Nothing may be promised of these: name, text
MEANT = [
    # Whether a step of the first loop is idle follows from a product; the second begins with another state.
    ('a product of what is counted', """\
main :- spin(st(a,0),0,300,R1), spin(none,0,120,R2), R := R1+R2, writeln(R).
spin(st(A,S),T,End,R) :- T < End, T*7 mod 20 =\\= 0 | T1 := T+1, spin(st(A,S),T1,End,R).
spin(st(A,S),T,End,R) :- T < End, T*7 mod 20 =:= 0 | T1 := T+1, S1 := S+1, spin(st(A,S1),T1,End,R).
spin(st(_,S),T,End,R) :- T >= End | R = S.
spin(none,T,End,R) :- T < End | T1 := T+7, E1 := End-1, spin(none,T1,E1,R).
spin(none,T,End,R) :- T >= End | R = T.
"""),
    # Each step computes with the tare that it hands on.
    ('used and handed on', """\
main :- scale(60,5,T), weigh([3,1,4,1,5,9,2,6],T,3,R), writeln(R).
scale(0,X,T) :- T = tare(X).
scale(K,X,T) :- K > 0, K1 := K-1, X1 := (X*7+K) mod 101 | scale(K1,X1,T).
weigh([H|Hs],tare(G),A,R) :- A1 := (A*5+H+G) mod 997, heavy(A1,A2), weigh(Hs,tare(G),A2,R).
weigh([],tare(G),A,R) :- R := A-G.
heavy(A,B) :- A >= 0 | B := A+1.
"""),
    # What is taken apart goes on in parts, to a loop of which each step computes with them.
    ('used in parts', """\
main :- scale(60,5,T), weigh(T,[3,1,4,1,5,9,2,6],R), writeln(R).
scale(0,X,T) :- Y := X mod 5 + 1 | T = tare(X,Y).
scale(K,X,T) :- K > 0, K1 := K-1, X1 := (X*7+K) mod 101 | scale(K1,X1,T).
weigh(tare(G,U),Hs,R) :- add(Hs,G,U,3,R).
add([H|Hs],G,U,A,R) :- A1 := (A*U+H) mod 997 | add(Hs,G,U,A1,R).
add([],G,_,A,R) :- R := A-G.
"""),
    # A short look spares a long work most of the time.
    ('a look before the work', """\
main :- round(24,5,R), writeln(R).
round(0,X,R) :- R = X.
round(N,X,R) :- N > 0, N1 := N-1 | find(X,Y), Z := (Y*7+N) mod 101, round(N1,Z,R).
often(X,F) :- work(3,X,Y), drawer(Y,F).
else(nowhere,X,Y) :- rare(X,Y).
else(at(Z),_,Y) :- Y = Z.
drawer(Y,F) :- Y mod 4 > 0 | F = at(Y).
drawer(Y,F) :- Y mod 4 =:= 0 | F = nowhere.
find(X,Y) :- often(X,F), else(F,X,Y).
rare(X,Y) :- work(30,X,Y).
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
    # Without its pattern the first clause would take any list.
    ('a constant in the pattern and a comparison', """\
main :- work(60,7,X), count(X,L), sink(L,Ls), sum(Ls,0,S), work(40,S,T), writeln(T).
count(X,L) :- X >= 0 | L = [0|_].
sink([0|_],Ls) :- Ls = [].
sink([N|L],Ls) :- N > 0, M := N-1 | Ls = [M|Ls1], sink(L,Ls1).
sum([],S,T) :- T = S.
sum([X|Xs],S,T) :- S1 := S+X | sum(Xs,S1,T).
"""),
    # A clock and a file are looked at when it is their turn; their predicates have the names of modules.
    ('acts of modules', """\
main :- work(60,7,X), later(X,T), work(50,1,Y), told(Y,T,L), after(L,_).
later(X,T) :- wait(X) | timer:get_time_of_day(T).
told(Y,T,L) :- wait(Y) | timer:add(T,time(0,0,1),U), timer:get_time_of_day(V), timer:compare(U,V,L).
after(L,R) :- wait(L) | unix:times(R,_,_,_).
"""),
    # Each step takes what the one before came to, be it always the same.
    ('results that stay', """\
main :- steps(30,5,Xs), sum(Xs,0,S), writeln(S).
steps(0,_,Xs) :- Xs = [].
steps(N,X,Xs) :- N > 0 | Xs = [Y|X1], settle(5,X,Y), N1 := N-1, next(Y,N1,X1).
next(Y,N,Xs) :- integer(Y) | N1 := N, steps(N1,Y,Xs).
settle(0,X,Y) :- Y = X.
settle(K,X,Y) :- K > 0, K1 := K-1, X1 := (X*13+K) mod 101 | settle(K1,X1,Y).
sum([],S,T) :- T = S.
sum([X|Xs],S,T) :- S1 := (S*3+X) mod 997 | sum(Xs,S1,T).
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
    # What stands twice in a head is compared.
    ('two lists that have to be alike', """\
main :- numbers(1,20,S), slow(S,A), quick(S,[],B), check(A,B).
numbers(N,M,S) :- N =< M, N1 := N+1 | S = [N|S1], numbers(N1,M,S1).
numbers(N,M,S) :- N > M | S = [].
slow([X|S],R) :- Y := X*3, Z := Y-X, W := Z-X | R = [W|R1], slow(S,R1).
slow([],R) :- R = [].
quick([X|S],A,R) :- quick(S,[X|A],R).
quick([],A,R) :- turn(A,[],R).
turn([X|A],B,R) :- turn(A,[X|B],R).
turn([],B,R) :- R = B.
check([X|A],[X|B]) :- check(A,B).
check([],[]).
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
    # Enough may become too much again: nothing is decided before the end.
    ('a count that goes down, too', """\
main :- rounds(20,7,0,R), writeln(R).
rounds(0,_,S,R) :- R = S.
rounds(N,X,S,R) :- N > 0, N1 := N-1 | draws(30,X,Ds), scores(Ds,0,A), after(A,N1,X,S,R).
after(yes,N,X,S,R) :- X1 := (X*3+1+S) mod 103, S1 := S+X1, rounds(N,X1,S1,R).
after(no,N,X,S,R) :- X1 := (X*5+2+S) mod 103, S1 := S-X1, rounds(N,X1,S1,R).
draws(0,_,Ds) :- Ds = [].
draws(K,X,Ds) :- K > 0, K1 := K-1, X1 := (X*7+3) mod 103 | Ds = [X1|Ds1], draws(K1,X1,Ds1).
scores([],N,A) :- N < 3 | A = no.
scores([],N,A) :- N >= 3 | A = yes.
scores([X|Xs],N,A) :- X mod 2 =:= 0, N1 := max(N-1,0) | scores(Xs,N1,A).
scores([X|Xs],N,A) :- X mod 2 =:= 1, N1 := N+1 | scores(Xs,N1,A).
"""),
    # Each item of the clause that takes a list apart needs a part, or waits for what follows from one.
    ('boxes in boxes', """\
main :- wrap(7,5,Ws,[]), open(Ws,B,_), weigh(B,S), writeln(S).
wrap(0,X,Ws,R) :- D := X mod 9+1 | Ws = [D|R].
wrap(N,X,Ws,R) :- N > 0, N1 := N-1, Y := (X*7+2) mod 97, Z := (X*3+5) mod 89 |
    Ws = [box|Ws1], wrap(N1,Y,Ws1,[lid|Ws2]), wrap(N1,Z,Ws2,[lock|R]).
open([D|Ws],B,R) :- integer(D) | B = D, R = Ws.
open([box|Ws],B,R) :- B = two(A,C), open(Ws,A,Ws1), beside(Ws1,C,R).
beside([lid|Ws],C,R) :- open(Ws,C,Ws1), locked(Ws1,R).
locked([lock|Ws],R) :- R = Ws.
weigh(B,S) :- integer(B) | S = B.
weigh(two(A,C),S) :- weigh(A,X), weigh(C,Y), S := (X*2+Y) mod 1009.
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
    # Both clauses for a light one have the same text, and take from the way what they need.
    ('bodies that take the late value apart', 'guard', """\
main :- parcels(40,0,0,R), writeln(R).
parcels(0,_,T,R) :- R = T.
parcels(N,S,T,R) :- N > 0, N1 := N-1 | way(N,S,W), mass(N,M), send(W,M,N1,S,T,R).
way(N,S,W) :- X := N+S, work(30,X,Y), kind(Y,W).
kind(Y,W) :- Y mod 2 =:= 0 | W = sea(Y).
kind(Y,W) :- Y mod 2 =:= 1 | W = land(Y).
mass(N,M) :- N mod 5 =:= 0 | M = heavy(N).
mass(N,M) :- N mod 5 > 0 | M = light(N).
send(sea(Y),light(K),N,S,T,R) :- T1 := T+K*Y, S1 := S+K, parcels(N,S1,T1,R).
send(land(Y),light(K),N,S,T,R) :- T1 := T+K*Y, S1 := S+K, parcels(N,S1,T1,R).
send(sea(_),heavy(K),N,S,T,R) :- work(K,S,Y), T1 := T+Y, parcels(N,S,T1,R).
send(land(_),heavy(K),N,S,T,R) :- work(9,S,Y), T1 := T+K, parcels(N,Y,T1,R).
"""),
    # Each question comes when the one before is answered: nobody takes two of them at once.
    ('a sum beside questions and answers', 'chain', """\
main :- master(120,70,Qs), pupil(Qs,0,P), writeln(points(P)).
master(0,_,Qs) :- Qs = [].
master(N,V,Qs) :- N > 0, N1 := N-1 | Qs = [ask(N,V,A)|Qs1], heard(A,N1,Qs1).
heard(answer(V),N,Qs) :- master(N,V,Qs).
pupil([ask(N,V,A)|Qs],P,R) :- N mod 3 =:= 0, U := V-V//3 | A = answer(U), P1 := P+1, pupil(Qs,P1,R).
pupil([ask(N,V,A)|Qs],P,R) :- N mod 3 =\\= 0, U := V+7 | A = answer(U), P1 := P+U//10, pupil(Qs,P1,R).
pupil([],P,R) :- R = P.
"""),
]
