# SPDX-License-Identifier: MIT
"""Values that are read long before they are needed."""

# See ../test_waits.py for the fields.
CAUSES = [
    ('early read', 'early-read', 3, 'only bill/3 (line 3) needs it', """\
main :- rate(T), start(T,5,R), writeln(R).
rate(T) :- work(40,3,X), made(X,T).
""", """\
start(rate(T),D,R) :- work(40,D,U), bill(U,T,R).
made(X,T) :- Y := X+1 | T = rate(Y).
bill(U,T,R) :- R := U*T.
""", """\
start(T,D,R) :- work(40,D,U), bill(U,T,R).
made(X,T) :- Y := X+1 | T = rate(Y).
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
    ('state whose parts are asked for', 'early-read', 6, 'before it calls cut/4', """\
main :- fell(4,7,t(0,0),t(N,S)), writeln(N-S).
leaf(X,t(N,S),T) :- N1 := N+1, S1 := (S*3+X) mod 997 | T = t(N1,S1).
cut(D,X,T,R) :- D > 0, D1 := D-1, Y := X*3+1, Z := X*5+2 | work(12,X,_), fell(D1,Y,T,T1), fell(D1,Z,T1,R).
cut(0,X,T,R) :- work(12,X,Y), leaf(Y,T,R).
""", """\

fell(D,X,t(N,S),R) :- integer(N), integer(S) | cut(D,X,t(N,S),R).
""", """\

fell(D,X,T,R) :- cut(D,X,T,R).
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
    # One goal gets what the clause takes apart, in parts, and needs it when it ends.
    ('handed on in parts', 'early-read', 4, 'waits for tare(G,U) from', """\
main :- scale(60,5,T), heaps(90,Hs), weigh(T,Hs,R), writeln(R).
scale(0,X,T) :- Y := X mod 5 + 1 | T = tare(X,Y).
scale(K,X,T) :- K > 0, K1 := K-1, X1 := (X*7+K) mod 101 | scale(K1,X1,T).
""", """\
weigh(tare(G,U),Hs,R) :- add(Hs,G,U,3,R).
add([H|Hs],G,U,A,R) :- A1 := (A*5+H) mod 997 | add(Hs,G,U,A1,R).
add([],G,U,A,R) :- R := A*U-G.
heaps(0,Hs) :- Hs = [].
heaps(N,Hs) :- N > 0, N1 := N-1 | Hs = [N|Hs1], heaps(N1,Hs1).
""", """\
weigh(T,Hs,R) :- add(Hs,T,3,R).
add([H|Hs],T,A,R) :- A1 := (A*5+H) mod 997 | add(Hs,T,A1,R).
add([],tare(G,U),A,R) :- R := A*U-G.
heaps(0,Hs) :- Hs = [].
heaps(N,Hs) :- N > 0, N1 := N-1 | Hs = [N|Hs1], heaps(N1,Hs1).
"""),
    # The archive is asked only where the drawers, which take as long, have nothing.
    ('a second try', 'early-read', 5, 'rare/2 only when it is known', """\
main :- round(24,5,R), writeln(R).
round(0,X,R) :- R = X.
round(N,X,R) :- N > 0, N1 := N-1 | find(X,Y), Z := (Y*7+N) mod 101, round(N1,Z,R).
often(X,F) :- work(14,X,Y), drawer(Y,F).
""", """\
else(nowhere,X,Y) :- rare(X,Y).
else(at(Z),_,Y) :- Y = Z.
drawer(Y,F) :- Y mod 2 > 0 | F = at(Y).
drawer(Y,F) :- Y mod 2 =:= 0 | F = nowhere.
find(X,Y) :- often(X,F), else(F,X,Y).
rare(X,Y) :- work(13,X,Y).
""", """\
else(nowhere,Y2,Y) :- Y = Y2.
else(at(Z),_,Y) :- Y = Z.
drawer(Y,F) :- Y mod 2 > 0 | F = at(Y).
drawer(Y,F) :- Y mod 2 =:= 0 | F = nowhere.
find(X,Y) :- often(X,F), rare(X,Y2), else(F,Y2,Y).
rare(X,Y) :- work(13,X,Y).
"""),
]
