#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random Fleng programs that end, for differential tests: generate.py SEED prints one.

A program is a network: main (or -e) starts predicates of three kinds on shared variables,
  - stream predicates from a stock of templates with random details,
  - servers answering messages, delays that bind late, aliases before and after the fact,
  - random non-recursive predicates in levels: each calls only lower ones.
Data flows from older variables to newer ones, so no cyclic term can arise.  Deadlocks, failures and
halts are put in on purpose now and then.
"""

import random
import re
import sys

from machine import functor_of
from reader import Parser

INT, STREAM, ANY = 'int', 'stream', 'any'

ATOMS = ['a', 'b', 'c', "'A b'", '[]']
ODD = ["'it''s'", '(a:-b)', '(x,y)', '- 1', '-(a)', '1.5', '-0.25', '1.0e20', '"a\\nb\\"c"', "'é'",
       '{}', "'{}'", '(a=b)', '1-(2-3)', 'a:b', '(:-)', '[-]', '12345678901234567890', '"é"',
       '-(- 1)', '(\\+ a)', '2305843009213693952', '(a;b)', "'hello world'(x)", 'f(;)', "''", '""']
NAMES = ['S', 'S1', 'S2', 'X', 'X1', 'Y', 'Y1', 'Z', 'R', 'R1', 'T', 'N', 'N1', 'A', 'B', 'C']


def stock():
    """Templates: (name, argument kinds, text).  Kinds: '+' a type read, '-' a type made, or a
    range of literal integers.  `@` stands for the number of the copy, «..¦..» for a choice."""
    return [
        ('gen', [(0, 3), (2, 7), '-stream'], """
gen@(N,M,S) :- N=<M | S=[N|S1], N1:=N+«1¦2», gen@(N1,M,S1).
gen@(N,M,S) :- N>M | S=[].
"""),
        ('gen', [(0, 3), (2, 7), '-stream'], """
gen@(N,M,S) :- N>M | S=[].
otherwise.
gen@(N,M,S) :- N1:=N+1, gen@(N1,M,S1), S=[N|S1].
"""),
        ('down', [(0, 6), '-stream'], """
down@(0,S) :- S=[].
«otherwise.¦»
down@(N,S) :- N>0 | «S=[N|S1], N1:=N-1¦N1:=N-1, S=[N1|S1]», down@(N1,S1).
"""),
        ('map', ['+stream', (1, 3), '-stream'], """
map@([X|S],K,R) :- Y:=X«*¦+¦-»K, R=[Y|R1], map@(S,K,R1).
map@([],_,R) :- R=[].
"""),
        ('filter', ['+stream', (2, 3), '-stream'], """
filter@([X|S],K,R) :- X mod K =:= 0 | R=[X|R1], filter@(S,K,R1).
«otherwise.¦alternatively.¦»
filter@([X|S],K,R) :- X mod K =\\= 0 | filter@(S,K,R).
filter@([],_,R) :- R=[].
"""),
        ('append', ['+stream', '+stream', '-stream'], """
append@([H|X],Y,Z) :- Z=[H|Z1], append@(X,Y,Z1).
append@([],Y,Z) :- «Z=Y¦Y=Z».
"""),
        ('nrev', ['+stream', '-stream'], """
nrev@([H|T],R) :- nrev@(T,R1), app@(R1,[H],R).
nrev@([],R) :- R=[].
app@([H|X],Y,Z) :- Z=[H|Z1], app@(X,Y,Z1).
app@([],Y,Z) :- Z=Y.
"""),
        ('rev', ['+stream', '-stream'], """
rev@(A,C) :- r@(A,[],C).
r@([X|A],B,C) :- r@(A,[X|B],C).
r@([],B,C) :- «C=B¦B=C».
"""),
        ('copy', ['+stream', '-stream'], """
copy@(A,C) :- c@(A,A,B,D), r@(D,[],C)«, k@(B)¦, w@(B)».
c@([X|A],B,C,D) :- C=[X|C1], c@(A,B,C1,D).
c@([],B,C,D) :- C=[], «B=D¦D=B».
r@([X|A],B,C) :- r@(A,[X|B],C).
r@([],B,C) :- C=B.
k@(_).
w@([_|X]) :- w@(X).
w@([]).
"""),
        ('sum', ['+stream', (0, 2), '-int'], """
sum@([X|S],A,R) :- A1:=A+X, sum@(S,A1,R).
sum@([],A,R) :- R=A.
"""),
        ('sum', ['+stream', (0, 2), '-int'], """
sum@([X|S],A,R) :- «integer(X)¦X >= 0¦wait(X)¦true» | sum@(S,A,R1), R:=R1+X.
sum@([],A,R) :- R=A.
"""),
        ('len', ['+stream', '-int'], """
len@(S,N) :- l@(S,0,N).
l@([_|S],A,N) :- compute('+',A,1,B), l@(S,B,N).
l@([],A,N) :- A=N.
"""),
        ('max', ['+stream', '-int'], """
max@(S,R) :- m@(S,0,R).
m@([X|S],M,R) :- X>M | m@(S,X,R).
m@([X|S],M,R) :- X=<M | m@(S,M,R).
m@([],M,R) :- R=M.
"""),
        ('fib', [(1, 6), '-int'], """
fib@(N,R) :- N<2 | R=N.
fib@(N,R) :- N>=2 | N1:=N-1, N2:=N-2, fib@(N1,R1), fib@(N2,R2), R:=R1+R2.
"""),
        ('zip', ['+stream', '+stream', '-any'], """
zip@([X|A],[Y|B],R) :- R=[«p(X,Y)¦{X,Y}¦X-Y»|R1], zip@(A,B,R1).
zip@([],_,R) :- R=[].
zip@(_,[],R) :- R=[].
"""),
        ('split', ['+stream', (1, 3), '-stream', '-stream'], """
split@([X|S],K,A,B) :- X>K | A=[X|A1], split@(S,K,A1,B).
split@([X|S],K,A,B) :- X=<K | B=[X|B1], split@(S,K,A,B1).
split@([],_,A,B) :- A=[], B=[].
"""),
        ('uniq', ['+stream', '-stream'], """
uniq@([X,X|S],R) :- uniq@([X|S],R).
uniq@([X],R) :- R=[X].
uniq@([],R) :- R=[].
otherwise.
uniq@([X|S],R) :- R=[X|R1], uniq@(S,R1).
"""),
        ('uniq', ['+stream', '-stream'], """
uniq@([X,Y|S],R) :- X «==¦=:=» Y | uniq@([Y|S],R).
uniq@([X,Y|S],R) :- X «\\=¦=\\=» Y | R=[X|R1], uniq@([Y|S],R1).
uniq@([X],R) :- R=[X].
uniq@([],R) :- R=[].
"""),
        ('echo', ['+stream', '-stream'], """
echo@([X|S],R) :- R=[Y|R1], e@(X,Y), echo@(S,R1).
echo@([],R) :- R=[].
e@(X,Y) :- «X=Y¦Y=X¦Y:=X¦wait(X) | Y=X¦e2@(X,Y)».
e2@(X,Y) :- Y=X.
"""),
        ('pass', ['+any', (1, 5), '-any'], """
pass@(X,N,Y) :- N>0 | N1:=N-1, pass@(X,N1,Y).
pass@(X,0,Y) :- «X=Y¦Y=X¦Y=f(X)¦X=Y, q@(X)».
q@(_).
"""),
        ('tree', [(1, 4), '-any'], """
tree@(N,T) :- N>0 | T=t(L,N,R), N1:=N-1, tree@(N1,L), N2:=N-2, tree@(N2,R).
tree@(N,T) :- N=<0 | T=«nil¦e».
"""),
        ('size', ['+any', '-int'], """
size@(t(L,_,R),N) :- size@(L,A), size@(R,B), N:=A+B+1.
otherwise.
size@(X,N) :- functor(X,_,K) «| N=K¦| N:=K*1».
"""),
        ('same', ['+any', '+any', '-any'], """
same@(X,X,R) :- R=yes.
otherwise.
same@(_,_,R) :- R=no.
"""),
        ('same', ['+any', '+any', '-any'], """
same@(X,Y,R) :- X==Y | R=yes.
same@(X,Y,R) :- X\\=Y | R=no.
"""),
        ('same', ['+any', '+any', '-any'], """
same@(f(X),X,R) :- R=in.
same@(X,f(X),R) :- R=out.
same@(f(X),f(X),R) :- R=eq.
otherwise.
same@(_,_,R) :- R=no.
"""),
        ('server', ['+stream', '-any'], """
server@(S,R) :- ask@(S,M,R), serve@(M,0).
ask@([X|S],M,R) :- X mod 2 =:= 0 | M=[add(X)|M1], ask@(S,M1,R).
ask@([X|S],M,R) :- X mod 2 =\\= 0 | M=[get(V)|M1], R=[V|R1], ask@(S,M1,R1).
ask@([],M,R) :- M=[], R=[].
serve@([add(X)|M],N) :- N1:=N+X, serve@(M,N1).
serve@([get(V)|M],N) :- «V=N¦N=V», serve@(M,N).
serve@([],_).
"""),
        ('buffer', ['+stream', '-stream'], """
buffer@(S,R) :- R=[A,B|T], b@(S,[A,B|T],T).
b@([X|S],[Y|R],T) :- X=Y, T=[_|T1], b@(S,R,T1).
b@([],R,T) :- R=[-1|R1], e@(R1), T=[].
e@([Y|R]) :- Y=0, e@(R).
e@([]).
"""),
        ('arith', ['+int', '+int', '-int'], """
arith@(X,Y,R) :- R := «X*X-Y¦max(X,Y)+min(X,2)¦abs(X-Y)¦X // 2+Y rem 3¦(X-9) mod 4¦-X¦(X mod 99)<<2¦sign(X-3)».
"""),
        ('arith', ['+int', '+int', '-int'], """
arith@(X,Y,R) :- R := «(X*7)>>1¦X /\\ 3 \\/ Y¦X xor Y¦truncate(X/2.0)¦2**(abs(X) mod 90+60) mod 1009¦\\ X».
"""),
        ('arith', ['+int', '+int', '-int'], """
arith@(X,Y,R) :- A := X*100000000000*(Y+1000000000), arith2@(A,X,R).
arith2@(A,X,R) :- A > 10 ** 19, A mod 2 =:= 0 | R := A // «100000000000000000000¦(abs(X)+1)».
otherwise.
arith2@(A,_,R) :- R := A // «100000000000000000000¦-7¦10**20».
"""),
        ('expr', ['+int', '+int', '-int'], """
expr@(X,Y,R) :- «E=X+Y*2¦late(1,E,X-Y)¦E= -X¦E=Y», x@(«E,f(E)¦X+1,f(E)¦E,f(Y-E)»,R).
x@(E,f(F),R) :- «call(R:=E-F)¦G=(R:=F*2+E), call(G)¦call(R:=F)¦call(:=(R),max(E,F))».
"""),
        ('real', ['+int', '+int', '-any'], """
real@(X,Y,R) :- A := «X*0.5¦X/3.0¦sqrt(abs(X))¦exp(X/100.0)¦float(X)*1.0e20¦atan(X)+Y», real2@(A,Y,R).
real2@(A,Y,R) :- «A>Y¦A=<2.0¦A=:=1¦A=\\=Y» | R=more(A).
otherwise.
real2@(A,Y,R) :- R := «round(A)¦floor(A)+Y¦ceiling(A)¦integer(A)¦A-Y¦max(A,Y)».
"""),
        ('wrap', ['+any', '-any'], """
wrap@(X,R) :- R=«f(X)¦g(X,X)¦[X]¦{X,1}¦h(_,X)».
"""),
        ('class', ['+int', '-any'], """
class@(X,R) :- X < 3 | R=low.
class@(X,R) :- X >= 3, X < 6 | R=mid.
otherwise.
class@(X,R) :- R=high(X).
"""),
        ('class', ['+int', '-any'], """
class@(X,R) :- (X < 2 ; X > 5) | R=out.
class@(X,R) :- Y:=X-2, Y>=0, X=<5 | R=in(Y).
"""),
        ('kind', ['+any', '-any'], """
kind@(X,R) :- integer(X) | R=i.
kind@(X,R) :- list(X) | R=l.
kind@(X,R) :- atom(X) | R=a.
otherwise.
kind@(X,R) :- compound(X), arg(1,X,A) | R=s(A).
kind@(X,R) :- vector(X) | R=v.
"""),
        ('walk', ['+stream', '+any', '-any'], """
walk@([],A,R) :- R=A.
walk@([X|S],A,R) :- walk@(S,«A¦f(A)¦g(X,A)»,R).
"""),
        ('vec', ['+stream', '-any'], """
vec@(S,V) :- new_vector(V0,4), v@(S,V0,V).
v@([X|S],V,W) :- I:=X mod 4, set_vector_element(V,I,O,N,V1), N:=O+1, v@(S,V1,W).
v@([],V,W) :- W=V.
"""),
        ('calls', ['+stream', '-stream'], """
calls@([X|S],R) :- call(d@(X),Y), R=[Y|R1], G=calls@(S,R1), call(G).
calls@([],R) :- R=[].
d@(X,Y) :- Y:=X*2.
"""),
        ('meet', ['+any', '-any'], """
meet@(X,R) :- A=X, B=A, «C=X¦X=C¦C=B», m@(«B,C¦A,C¦f(A),f(C)¦g(A,B),g(C,C)¦f(A),B»,R).
«m@(X,X,R) :- R=same¦m@(X,Y,R) :- X==Y | R=same¦m@(f(X),f(X),R) :- R=same».
«otherwise.¦m@(X,Y,R) :- X\\=Y | R=differs.»
m@(_,_,R) :- R=differs.
"""),
        ('thrice', ['+any', '+any', '+any', '-any'], """
thrice@(X,X,X,R) :- R=all.
«otherwise.¦alternatively.»
thrice@(X,X,Y,R) :- «X\\=Y¦wait(Y)» | R=two(Y).
thrice@(f(X),X,X,R) :- R=in(X).
otherwise.
thrice@(X,_,_,R) :- R=X.
"""),
        ('ping', [(0, 6), '+any', '-stream'], """
ping@(N,X,S) :- N>0 | S=[N|S1], N1:=N-1, pong@(N1,X,S1).
ping@(N,_,S) :- N=<0 | S=[].
pong@(N,X,S) :- N>0 | N1:=N-1, «ping@(N1,X,S)¦ping@(N1,f(X),S1), tell@(X,N,S,S1)».
pong@(N,_,S) :- N=<0 | S=[].
tell@(_,N,S,S1) :- S=[N|S1].
"""),
        ('eager', ['+any', '+any', '-any'], """
eager@(X,Y,R) :- unbound(X)«¦, wait(Y)¦, integer(Y)» | «R=open¦late(2,R,Y)».
«otherwise.¦»
eager@(X,«_¦X»,R) :- wait(X) | R=X.
«eager@(_,_,R) :- R=other.¦»
"""),
        ('parts', ['+any', '-any'], """
parts@(X,R) :- functor(X,F,N), N>0, arg(«1¦N»,X,A) | R=p(F,N,«A¦B»), B=A.
«otherwise.¦»
parts@(X,R) :- functor(X,«f¦'.'¦F»,0) | R=a(X).
parts@(X,R) :- functor(X,F,N), «N=\\=0¦F\\=X» | R=n(N).
"""),
        ('twin', ['+any', '+any', '-any'], """
twin@(X,Y,R) :- functor(X,F,N), functor(Y,F,N)«¦, (N=:=0 ; arg(N,X,A), arg(N,Y,A))» | R=F.
otherwise.
twin@(X,Y,R) :- (integer(X), V:=X+1 ; integer(Y), V:=Y-1 ; V:=0) | R=t(V).
"""),
        ('either', ['+int', '+any', '-any'], """
either@(X,Y,R) :- (X>4 ; «atom(Y)¦Y==[]¦unbound(Y)¦X<2, list(Y)¦compound(Y) ; vector(Y)») | R=y.
«otherwise.¦»
either@(X,Y,R) :- («X=:=3¦Y==X» ; X=:=2, wait(Y) ; «true¦X<1»), (X>2 ; integer(Y)) | R=z.
otherwise.
either@(X,Y,R) :- R=«n(X)¦n(Y)».
"""),
        ('vector', ['+any', '+any', '-any'], """
vector@(X,Y,R) :- «V={X,Y,X}¦new_vector(V,[X,Y,X])», v@(V,«V¦{Y,Y,X}»,R).
v@({X,Y,X},{X,Y,X},R) :- R=same(X).
«otherwise.¦alternatively.»
v@({X,_,_},{Y,Y,_},R) :- X\\=Y | R={Y}.
otherwise.
v@(V,_,R) :- set_vector_element(V,1,X,{},W), R={X,W}.
"""),
        ('deep', ['+any', '+any', '-any'], """
deep@(X,Y,R) :- d@(f(g(X,[Y|T])),g(T,h(X,{Y,X})),«R), T=Y¦R), T=[X]¦R), late(2,T,Y)».
d@(f(g(X,[X|T])),g(T,h(X,V)),R) :- R=one(V).
d@(f(g(A,[B|C])),g(C,h(A,{C,A})),R) :- R=two(B).
otherwise.
d@(f(g(A,L)),g(_,h(A,{A,_})),R) :- R=three(L).
«otherwise.¦»
d@(f(X),g(_,Y),R) :- «X\\=Y¦wait(X)» | R=four.
"""),
        ('text', ['+int', '+any', '-any'], """
text@(N,X,R) :- number_string(N,S), string_concat(S,"-x",T), «string_length(T,L)¦L=T», t@(T,X,L,R).
t@(T,T,L,R) :- R=t(L).
otherwise.
t@(T,X,L,R) :- string(T) | «R=[X|L]¦split(T,"-",R)¦string_codes(T,R)¦term_string(f(X,L),R)».
"""),
        ('univ', ['+any', '+any', '-any'], """
univ@(X,Y,R) :- T=..[«f¦'A b'»,X,Y], arg(«1¦2»,T,A), functor(T,F,_), R=u(A,F).
"""),
        ('many', ['+any', '-any'], """
many@(X,R) :- call((«A=X, B=A¦B=f(A), A=X¦m@(X,A), m@(A,B)»)), R=B.
m@(X,Y) :- Y=f(X).
"""),
        ('self', ['+any', '-any'], """
self@(X,R) :- «X=X, ¦»A=B, B=A, «A=B, ¦C=B, C=A, »R=«A, A=X¦f(A,B), X=B¦C, X=C, C=A».
"""),
        ('unify', ['+any', '+any', '-any'], """
unify@(X,Y,R) :- g(A,[B|C])=g(«X¦f(X)¦D»,[Y|«X¦Y¦D»]), R=h(A,B,C)«, w@(D)¦, {A,E}={E,A}».
w@([_|_]).
"""),
        ('twice', ['+any', '+any', '-any'], """
twice@(X,Y,R) :- late(«0¦1¦3»,R,f(X,B,«Y¦C»)), late(«0¦2»,R,f(A,Y,C))«, late(1,f(_,_,D),R), wr(D)¦».
"""),
        ('first', ['+any', '+any', '-any'], """
first@(a,_,R) :- R=left.
first@(_,b,R) :- R=right.
first@(X,Y,R) :- X \\= a, Y \\= b | R=none.
"""),
    ]


DELAY = """
late(N,X,T) :- N>0 | N1:=N-1, late(N1,X,T).
late(0,X,T) :- X=T.
"""


class Generator:
    def __init__(self, seed, merges=True, faults=True):
        self.rng = random.Random(seed)
        self.seed = seed
        self.merges = merges
        self.faults = faults
        self.text = []
        self.count = 0
        self.levels = []            # random predicates: (name, inputs)
        self.samples = []           # heads of their clauses: (name, patterns)
        self.used_names = set()
        self.pool = {INT: [], STREAM: [], ANY: []}
        self.goals = []
        self.entries = []           # predicates of the program, p/n
        self.main_head = None       # None: the goals are those of -e
        self.goal = None
        self.partition = None

    # -- choices

    def chance(self, probability):
        return self.rng.random() < probability

    def vary(self, text):
        """Resolves the «..¦..» choices."""
        return re.sub('«(.*?)»', lambda m: self.rng.choice(m.group(1).split('¦')), text)

    def fresh_name(self):
        name = self.rng.choice(NAMES)
        while name in self.used_names:
            name = self.rng.choice(NAMES).rstrip('0123456789') + str(self.rng.randint(1, 40))
        self.used_names.add(name)
        return name

    def ground(self, depth=2):
        roll = self.rng.random()
        if depth == 0 or roll < 0.5:
            if self.chance(0.1):
                return self.rng.choice(ODD)
            return self.rng.choice(ATOMS + ['0', '1', '2', '3', '-1', '"s"'])
        if roll < 0.65:
            return 'f(%s)' % self.ground(depth - 1)
        if roll < 0.8:
            return 'g(%s,%s)' % (self.ground(depth - 1), self.ground(depth - 1))
        if roll < 0.9:
            return '[%s|%s]' % (self.ground(depth - 1), self.ground(depth - 1))
        return '{%s,%s}' % (self.ground(depth - 1), self.ground(depth - 1))

    def term_over(self, variables, depth=2):
        """A random term over some variables."""
        roll = self.rng.random()
        if variables and (roll < 0.45 or depth == 0):
            return self.rng.choice(variables)
        if depth == 0 or roll < 0.6:
            return self.ground(0)
        sub = [self.term_over(variables, depth - 1) for _ in range(2)]
        return self.rng.choice(['f(%s)' % sub[0], 'g(%s,%s)' % tuple(sub), '[%s|%s]' % tuple(sub),
                                '[%s]' % sub[0], '{%s,%s}' % tuple(sub)])

    # -- predicates

    def instance(self, template):
        name, kinds, text = template
        self.count += 1
        text = self.vary(text.strip('\n')).replace('@', str(self.count))
        self.text.append(text)
        self.note_entries(text)
        return '%s%d' % (name, self.count), kinds

    def note_entries(self, text):
        parser = Parser(text)
        while True:
            item = parser.read()
            if item is None:
                return
            head = item[0]
            if getattr(head, 'name', '') == ':-':
                head = head.args[0]
            name, args = functor_of(head)
            entry = '%s/%d' % (name, len(args))
            if name not in ('otherwise', 'alternatively') and entry not in self.entries:
                self.entries.append(entry)

    def pattern(self, names, depth=1):
        roll = self.rng.random()
        if roll < 0.4 or depth == 0:
            if names and self.chance(0.25):
                return self.rng.choice(names)
            name = self.rng.choice(NAMES)
            if name not in names:
                names.append(name)
            return name
        if roll < 0.5:
            return '_'
        if roll < 0.65:
            return self.rng.choice(['a', 'b', '0', '1', '[]'])
        shape = self.rng.choice(['f(%s)', 'g(%s,%s)', '[%s|%s]', '[%s]', '{%s,%s}'])
        return shape % tuple(self.pattern(names, depth - 1) for _ in range(shape.count('%s')))

    def guard(self, names):
        x, y = self.rng.choice(names), self.rng.choice(names)
        return self.rng.choice([
            '%s == %s' % (x, y), '%s \\= %s' % (x, y), 'integer(%s)' % x, 'atom(%s)' % x,
            'wait(%s)' % x, '%s > %d' % (x, self.rng.randint(0, 2)), '%s =< %s' % (x, y),
            'list(%s)' % x, 'compound(%s)' % x, 'number(%s)' % x, 'atomic(%s)' % x,
            '%s == %s' % (x, self.ground(1)), '%s \\= %s' % (x, self.ground(1)),
            '(integer(%s) ; atom(%s))' % (x, y), '%s + 1 > %s' % (x, y),
            'f(%s) \\= f(%s)' % (x, y), 'g(%s,1) == g(1,%s)' % (x, y), 'vector(%s)' % x,
            'string(%s)' % x, 'unbound(%s)' % x, '%s == {%s}' % (x, y),
            '[%s|%s] \\= [%s|%s]' % (x, y, y, x),
        ])

    def compound_guard(self, names):
        """A guard; now and then a disjunction, or one that gives a new variable to the body."""
        roll = self.rng.random()
        if roll < 0.55:
            return self.guard(names)
        if roll < 0.75:
            parts = [', '.join(self.guard(names) for _ in range(self.rng.choice([1, 1, 2])))
                     for _ in range(self.rng.randint(2, 3))]
            if self.chance(0.2):
                parts.append('true')
            return '(%s)' % ' ; '.join(parts)
        if roll < 0.8:
            x, y, z = (self.rng.choice(names) for _ in range(3))
            return self.rng.choice([
                '%s := %s + 1' % (x, y), '%s := %s' % (x, y), 'functor(%s,%s,%s)' % (x, y, z),
                'functor(%s,%s,_)' % (x, y), 'arg(%s,%s,%s)' % (x, y, z), 'arg(1,%s,%s)' % (x, y),
                'arg(2,%s,f(%s))' % (x, y), 'unbound(f(%s))' % x, 'wait(f(%s))' % x,
                'functor(f(%s,%s),f,%s)' % (x, y, z), '%s > a' % x, '%s + f(1) > %s' % (x, y),
                '%s mod 2 =:= 0' % x, '%s / %s > 0' % (x, y), '%s == "s"' % x,
            ])
        x, new = self.rng.choice(names), 'G%d' % len(names)
        names.append(new)
        return self.rng.choice([
            '%s := %s + 1' % (new, x), 'functor(%s,_,%s)' % (x, new),
            'functor(%s,%s,%d)' % (x, new, self.rng.randint(0, 2)), 'arg(1,%s,%s)' % (x, new),
            'arg(2,%s,%s)' % (x, new), '(integer(%s), %s := %s*2 ; %s := 7)' % (x, new, x, new),
            '(arg(1,%s,%s) ; functor(%s,%s,0))' % (x, new, x, new),
        ])

    def random_predicate(self):
        self.count += 1
        name = 'p%d' % self.count
        inputs = self.rng.randint(1, 3)
        lines = []
        for _ in range(self.rng.randint(1, 3)):
            if lines and self.chance(0.15):
                lines.append(self.rng.choice(['otherwise.', 'alternatively.']))
            lines.append(self.random_clause(name, inputs, True))
        if self.chance(0.85 if self.faults else 1):
            lines.append('otherwise.')
            lines.append(self.random_clause(name, inputs, False))
        text = '\n'.join(lines)
        self.text.append(text)
        self.note_entries(text)
        self.levels.append((name, inputs))

    def random_clause(self, name, inputs, picky):
        names = []
        patterns = []
        for i in range(inputs):
            depth = self.rng.choice([1, 1, 1, 2, 3])
            patterns.append(self.pattern(names, depth) if picky else 'I%d' % i)
        if not picky:
            names = list(patterns)
        else:
            self.samples.append((name, patterns))
        guards = []
        if names and picky:
            guards = [self.compound_guard(names) for _ in range(self.rng.choice([0, 0, 1, 1, 2]))]
        body = self.random_body(names)
        head = '%s(%s)' % (name, ','.join(patterns + ['Out']))
        bar = ' | ' if guards else ''
        return '%s :- %s%s%s.' % (head, ', '.join(guards), bar, ', '.join(body))

    def random_body(self, names):
        """Binds Out from the head's variables, by way of local ones."""
        known = list(names)
        body = []
        for step in range(self.rng.randint(0, 2)):
            local = self.rng.choice(['L', 'L1', 'L2', 'M', 'M1']) + ('' if self.chance(.5) else '3')
            if local in known:
                continue
            body.append(self.making(local, known))
            known.append(local)
        body.append(self.making('Out', known))
        if self.chance(0.1):
            body.append('wr(%s)' % self.rng.choice(known) if known else 'nl')
        if self.chance(0.5):
            self.rng.shuffle(body)
        return body

    def making(self, target, known):
        roll = self.rng.random()
        if roll < 0.35 or not known:
            term = self.term_over(known)
            return '%s = %s' % ((target, term) if self.chance(.7) else (term, target))
        if roll < 0.6 and self.levels:
            return self.random_call(target, known)
        if roll < 0.65:
            chain = ['K%d%s' % (i, target) for i in range(self.rng.randint(1, 3))]
            ends = [target] + chain + [self.rng.choice(known)]
            return ', '.join('%s = %s' % ((a, b) if self.chance(.5) else (b, a))
                             for a, b in zip(ends, ends[1:]))
        if roll < 0.75:
            return 'late(%d,%s,%s)' % (self.rng.randint(0, 3), target, self.term_over(known))
        if roll < 0.85:
            return '%s = %s' % (target, self.rng.choice(known))
        return 'num(%s,%s)' % (self.rng.choice(known), target)

    def random_call(self, target, known):
        """Calls a random predicate, sometimes with terms that one of its heads fits."""
        callee, inputs = self.rng.choice(self.levels)
        args = [self.term_over(known, 1) for _ in range(inputs)]
        heads = [patterns for name, patterns in self.samples if name == callee]
        if heads and self.chance(0.4):
            given = {}

            def instance(match):
                name = match.group(0)
                if name not in given or self.chance(0.15):
                    given[name] = self.term_over(known, 0)
                return given[name]

            args = [re.sub(r'\b[A-Z_]\w*', instance, pattern)
                    for pattern in self.rng.choice(heads)]
        return '%s(%s)' % (callee, ','.join(args + [target]))

    # -- the network

    def source(self, kind):
        """A term of a kind to read: mostly a variable made before."""
        choices = list(self.pool[kind])
        if self.faults and self.chance(0.01):
            return 'Never%d' % len(self.goals)      # nobody binds it
        if kind == ANY:
            choices += self.pool[INT] + self.pool[STREAM]
        if choices and self.chance(0.9):
            return self.rng.choice(choices[-6:])
        if kind == INT:
            return str(self.rng.randint(0, 7))
        if kind == STREAM:
            return '[%s]' % ','.join(str(self.rng.randint(0, 5))
                                     for _ in range(self.rng.randint(0, 4)))
        return self.term_over(choices)

    def make(self, kind):
        name = self.fresh_name()
        self.pool[kind].append(name)
        return name

    def add_template(self):
        template = self.rng.choice(self.templates)
        name, kinds = self.instance(template)
        args, made = [], []
        for kind in kinds:
            if isinstance(kind, tuple):
                longer = 6 if name.startswith('gen') and self.chance(0.1) else 1
                args.append(str(self.rng.randint(*kind) * longer))
            elif kind[0] == '+':
                args.append(self.source(kind[1:]))
            else:
                fresh = self.fresh_name()
                made.append((kind[1:], fresh))
                args.append(fresh)
        for kind, fresh in made:
            self.pool[kind].append(fresh)
        self.goals.append('%s(%s)' % (name, ','.join(args)))

    def add_random_call(self):
        known = [self.source(ANY) for _ in range(3)]
        self.goals.append(self.random_call(self.make(ANY), known))

    def add_late(self):
        if self.chance(0.5):
            kind, term = ANY, self.source(ANY)
        else:
            kind, term = INT, self.source(INT)
        delay = self.rng.randint(0, 6)
        self.goals.append('late(%d,%s,%s)' % (delay, self.make(kind), term))

    def add_alias(self):
        kind = self.rng.choice([INT, STREAM, ANY])
        source = self.source(kind)
        fresh = self.make(kind)
        self.goals.append('%s = %s' % ((fresh, source) if self.chance(.5) else (source, fresh)))

    def add_merge(self):
        streams = [self.source(STREAM) for _ in range(self.rng.randint(1, 3))]
        items = ['merge(%s)' % stream for stream in streams]
        if self.chance(0.4):
            items.insert(self.rng.randint(0, len(items)), str(self.rng.randint(0, 9)))
        self.goals.append('merge([%s],%s)' % (','.join(items), self.make(STREAM)))

    def add_arithmetic(self):
        expression = '%s %s %s' % (self.source(INT), self.rng.choice(['+', '-', '*']),
                                   self.source(INT))
        self.goals.append('%s := %s' % (self.make(INT), expression))

    def add_fault(self):
        some = self.pool[INT] + self.pool[ANY] + ['1']
        self.goals.append(self.rng.choice([
            'late(9,%s,%s)' % (self.rng.choice(some), self.ground()),
            'num(Never%d,_)' % len(self.goals),
            'only(%s)' % self.rng.choice(some),
            'X%d := %s + 1' % (100 + len(self.goals), self.rng.choice(some)),
            'stop(%d)' % self.rng.randint(0, 12),
            '%s = %s' % (self.rng.choice(some), self.ground(1)),
        ]))

    def build(self):
        rng = self.rng
        self.templates = stock()
        self.text.append(DELAY.strip('\n'))
        self.text.append("""
num(X,Y) :- integer(X) | Y:=X+1.
otherwise.
num(_,Y) :- Y=0.""".strip('\n'))
        self.text.append('wr(X) :- write(X), nl.')
        self.text.append('only(a).\nonly(0).\nonly(f(_)).')
        self.text.append('stop(N) :- N>0 | N1:=N-1, stop(N1).\nstop(0) :- halt(4).')
        for text in list(self.text):
            self.note_entries(text)
        style = rng.random()
        for _ in range(rng.randint(1, 5) if style > 0.2 else 0):
            self.random_predicate()
        adders = [self.add_template] * 6 + [self.add_late, self.add_alias, self.add_arithmetic]
        if self.levels:
            adders += [self.add_random_call] * (6 if style > 0.6 else 2)
        if self.merges and self.chance(0.3):
            adders += [self.add_merge]
        for _ in range(rng.choice([3, 6, 10, 14])):
            rng.choice(adders)()
        if self.faults and self.chance(0.2):
            self.add_fault()
        self.finish()
        return self

    def finish(self):
        """Writes some results, and decides what starts the network."""
        rng = self.rng
        made = self.pool[INT] + self.pool[STREAM] + self.pool[ANY]
        for name in made:
            if self.chance(0.4):
                self.goals.append('%s(%s)' % (rng.choice(['writeln', 'wr', 'print']), name))
        if self.chance(0.5):
            rng.shuffle(self.goals)
        style = rng.random()
        if style < 0.75:
            out = []
            if style > 0.4:
                out = rng.sample(made, min(len(made), rng.randint(0, 3)))
            self.main_head = 'main(%s)' % ','.join(out) if out else 'main'
            self.entries.append('main/%d' % len(out))
            names = ['Z', 'Z1', 'Q', 'S', 'S1']
            rng.shuffle(names)
            if style > 0.4:
                self.goal = 'main(%s)' % ','.join(names[:len(out)]) if out else 'main'
        if self.chance(0.6):
            self.partition = self.random_partition()

    def start(self):
        """The text of -e, or None for main/0."""
        if self.main_head is None:
            return ', '.join(self.goals) or 'true'
        return self.goal

    def random_partition(self):
        rng = self.rng
        modules = []
        entries = list(self.entries)
        rng.shuffle(entries)
        for number in range(rng.randint(1, 4)):
            take = [entries.pop() for _ in range(rng.randint(1, 3)) if entries]
            if take:
                modules.append('m%d=%s' % (number, ','.join(take)))
        return ' '.join(modules)

    def source_text(self):
        blocks = list(self.text)
        if self.main_head is not None:
            blocks.append('%s :- %s.' % (self.main_head, ', '.join(self.goals) or 'true'))
        return '\n\n'.join(blocks) + '\n'


def generate(seed, **options):
    return Generator(seed, **options).build()


if __name__ == '__main__':
    made = generate(int(sys.argv[1]))
    sys.stdout.write('%% -e %s\n%% partition %s\n%s'
                     % (made.start(), made.partition, made.source_text()))
