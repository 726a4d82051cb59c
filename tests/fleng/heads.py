#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Heads and guards of clauses, as a trace tells them.

usage: heads.py FLENG HEADS
"""

import os
import subprocess
import sys
import tempfile

# text of the program, line by line; what the trace tells of the clause that begins there
PROGRAM = [
    ('main :- p(1,[2],{3},R), q(R).', 'main()'),
    ('p(X,[Y|_],{Z},R) :- R = Y+X.', 'p(X,[Y|_*],{Z*},R)'),
    ('p(a,"t",1.5,"") :- true.', 'p(a,"t",1.5,"")'),
    ('p(f(g(X,X)),[],B,C) :- C = B.', 'p(f(g(X*,X*)),[],B,C)'),
    ('p(X,Y,B,C) :- X < Y+1, integer(B) | C = X.', 'p(X,Y*,B*,C) <@5(X,+(Y*,1)) integer@5(B*)'),
    ('p(X,Y,B,C) :- (X == a ; Y > 1, atom(B) ; true) | C = B.',
     'p(X*,Y*,B,C) ;@6(==(X*,a),,(>(Y*,1),atom(B)),true)'),
    ('p(X,_,_,C) :- N := X*2,', 'p(X*,_*,_*,C) :=@7(N,*(X*,2)) wait@8(C)'),
    ('    wait(C) | q(C,N).', None),
    ('otherwise.', None),
    ('p(_,_,_,R) :- q(R).', 'p(_*,_*,_*,R) otherwise@10()'),
    ('p(_,_,_,R) :- wait(R) | q(R).', 'p(_*,_*,_*,R) otherwise@11() wait@11(R)'),
    ('q(_).', 'q(_*)'),
    ('q(X,N) :- X > N | true.', 'q(X*,N*) >@13(X*,N*)'),
]


def main():
    fleng, heads = (os.path.abspath(word) for word in sys.argv[1:3])
    wanted = [line for _, line in PROGRAM if line]
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'heads.fl')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(''.join(text + '\n' for text, _ in PROGRAM))
        for options in ([], ['-time=real', '-j', '2']):
            trace = os.path.join(folder, 'heads.paf')
            subprocess.run([fleng, *options, '-trace=' + trace, source], check=True)
            got = subprocess.run([heads, trace], check=True, stdout=subprocess.PIPE, text=True).stdout
            if sorted(got.splitlines()) != sorted(wanted):
                sys.exit('got\n%s\nwanted\n%s' % (got, '\n'.join(wanted)))
        # a term of any depth
        with open(source, 'w', encoding='utf-8') as file:
            file.write('main.\np(%s) :- true.\n' % ('[' * 20000 + ']' * 20000))
        subprocess.run([fleng, '-trace=' + trace, source], check=True)
    print('heads and guards of %d clauses' % len(wanted))


if __name__ == '__main__':
    main()
