# SPDX-License-Identifier: MIT
"""Waits for what is not used, or only handed on; takers in turn; rounds; work that is done again."""

# See ../test_waits.py for the fields.
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
