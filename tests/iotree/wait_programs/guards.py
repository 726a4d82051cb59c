# SPDX-License-Identifier: MIT
"""Tests whose order makes a clause wait for what does not decide."""

# See ../test_waits.py for the fields.
CAUSES = [
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
    # The clause between them needs something else, which is there at once.
    ('order of tests above another clause', 'guard', 8, 'before W>70, which already decides', """\
main :- parcels(30,17,900,R), writeln(R).
parcels(0,_,Room,R) :- R = Room.
parcels(N,X,Room,R) :- N > 0, N1 := N-1, X1 := (X*29+7) mod 101 |
    weigh(20,X1,V), W := X1 mod 100, load(V,W,Room,A), take(A,W,N1,X1,Room,R).
take(yes,W,N,X,Room,R) :- Room1 := Room-W | parcels(N,X,Room1,R).
take(no,_,N,X,Room,R) :- parcels(N,X,Room,R).
weigh(N,X,V) :- work(N,X,V).
""", """\
load(V,W,_,A) :- V < 2000, W > 70 | A = no.
load(_,W,Room,A) :- W > Room | A = no.
otherwise.
load(_,_,_,A) :- A = yes.
""", """\
load(V,W,_,A) :- W > 70, V < 2000 | A = no.
load(_,W,Room,A) :- W > Room | A = no.
otherwise.
load(_,_,_,A) :- A = yes.
"""),
    # A second clause above looks at something that is there at once, and refuses as late as the first.
    ('order of tests in one of two clauses', 'guard', 5, 'before K>12, which already decides', """\
main :- gates(20,grey,90,R), writeln(R).
gates(0,C,L,R) :- R = C-L.
gates(N,C,L,R) :- N > 0, N1 := N-1 | work(15,N,W), K := N*7 mod 15, pass(W,K,L,D), on(D,N1,C,L,R).
on(shut,N,_,L,R) :- gates(N,red,L,R).
""", """\
pass(W,K,_,D) :- W > 1000, K > 12 | D = open.
pass(_,K,L,D) :- K > L | D = shut.
otherwise.
pass(_,_,_,D) :- D = open.
on(open,N,C,L,R) :- L1 := L-1, gates(N,C,L1,R).
""", """\
pass(W,K,_,D) :- K > 12, W > 1000 | D = open.
pass(_,K,L,D) :- K > L | D = shut.
otherwise.
pass(_,_,_,D) :- D = open.
on(open,N,C,L,R) :- L1 := L-1, gates(N,C,L1,R).
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
    # The clause below `otherwise` waits for the box, which its own guard computes with.
    ('a guard that computes below otherwise', 'guard', 7, 'already decides', """\
main :- lend([9,1,2,8,1,3,2,7,1,2],1000,Ls), total(Ls,0,R), writeln(R).
total([],A,R) :- R = A.
total([L|Ls],A,R) :- A1 := A+L, total(Ls,A1,R).
lend([],_,Ls) :- Ls = [].
lend([X|Xs],Box,Ls) :- history(X,Box,P), judge(P,X,Box,Box1,L), Ls = [L|Ls1], lend(Xs,Box1,Ls1).
history(X,Box,P) :- Y := X+Box, work(12,Y,P).
""", """\
judge(P,X,Box,Box1,L) :- P >= 30, X > 5 | Box1 = Box, L = 0.
otherwise.
judge(_,X,Box,Box1,L) :- Rest := Box-X | Box1 = Rest, L = X.
""", """\
judge(P,X,Box,Box1,L) :- X > 5, P >= 30 | Box1 = Box, L = 0.
otherwise.
judge(_,X,Box,Box1,L) :- Rest := Box-X | Box1 = Rest, L = X.
"""),
    # Both clauses for a parcel that is light call the same goal; what is heavy needs the way.
    ('clauses with one body, tried by two values', 'guard', 12, 'argument 2, which is light(_), already decides',
     """\
main :- parcels(40,0,0,R), writeln(R).
parcels(0,_,T,R) :- R = T.
parcels(N,S,T,R) :- N > 0, N1 := N-1 | way(N,S,W), mass(N,M), send(W,M,N1,S,T,R).
way(N,S,W) :- X := N+S, work(30,X,Y), kind(Y,W).
ferry(K,N,S,T,R) :- work(K,S,Y), T1 := T+Y, parcels(N,S,T1,R).
lorry(K,N,S,T,R) :- work(9,S,Y), T1 := T+K, parcels(N,Y,T1,R).
kind(Y,W) :- Y mod 2 =:= 0 | W = sea.
kind(Y,W) :- Y mod 2 =:= 1 | W = land.
mass(N,M) :- N mod 5 =:= 0 | M = heavy(N).
mass(N,M) :- N mod 5 > 0 | M = light(N).
""", """\
send(sea,light(K),N,S,T,R) :- T1 := T+K, S1 := S+K, parcels(N,S1,T1,R).
send(land,light(K),N,S,T,R) :- T1 := T+K, S1 := S+K, parcels(N,S1,T1,R).
send(sea,heavy(K),N,S,T,R) :- ferry(K,N,S,T,R).
send(land,heavy(K),N,S,T,R) :- lorry(K,N,S,T,R).
""", """\
send(_,light(K),N,S,T,R) :- T1 := T+K, S1 := S+K, parcels(N,S1,T1,R).
send(sea,heavy(K),N,S,T,R) :- ferry(K,N,S,T,R).
send(land,heavy(K),N,S,T,R) :- lorry(K,N,S,T,R).
"""),
]
