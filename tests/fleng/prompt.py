#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The prompt: goals and commands, typed at a terminal or piped.

usage: prompt.py FLENG PAF [--without-editor] [--stress=N]    N: for -gc-stress (3)
"""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = """
append([H|X], Y, Z) :- Z = [H|Z1], append(X, Y, Z1).
append([], Y, Z) :- Z = Y.
double(X, Y) :- Y := X * 2.
loop(N) :- N1 := N + 1, loop(N1).
keep(X, L) :- loop(0, L, X).
loop(N, L, X) :- N < 100000 | N1 := N + 1, loop(N1, [N|L], X).
loop(N, L, X) :- N >= 100000 | X = L.
grow(L) :- grow([L|L]).
"""
OTHER = 'double(X, Y) :- Y := X * 3.\nnew(X) :- X = new.\n'
WRONG = 'double(X, Y) :- dubble(X, Y).\n'
TIME_LIMIT = 600    # seconds: nothing here takes long unless it hangs
STRESS = next((word.partition('=')[2] for word in sys.argv if word.startswith('--stress=')), '3')


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, good, detail=''):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print('FAILED: %s\n  %s' % (what, str(detail).replace('\n', '\n  ')))


# ---- Piped ------------------------------------------------------------------------------------

def piped(fleng, folder, text, options=()):
    """(standard output, standard error, exit status) of a session."""
    if isinstance(text, str):
        text = text.encode()
    done = subprocess.run([fleng, *options], input=text, cwd=folder, timeout=TIME_LIMIT, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout.decode(), done.stderr.decode(), done.returncode


# what holds, what is typed, lines of standard output, a part of standard error, exit status
SESSIONS = [
    ('variables are shown as they are bound',
     'X = 1, Y := X + 2.\nZ = f(X, W).\n', 'X = 1\nY = 3\nZ = f(1,W)\n', '', 0),
    ('a name means the same variable in all goals',
     'X = [1|T].\nT = [2].\nX\n', 'X = [1|T]\nT = [2]\nX = [1,2]\nX = [1,2]\n', '', 0),
    ('names that begin with _ are of one goal only', '_X = 1.\n_X = 2.\n', '', '', 0),
    ('a goal that waits goes on when a later one binds its variable',
     ':load p.fl\ndouble(X, Y).\nX = 4.\n',
     'loaded p.fl: 6 predicates, 8 clauses\n1 goal waits:\n  Y:=X*2   waits for X\n'
     'X = 4\nY = 8\n', '', 0),
    ('a full stop may be missing, or come lines later',
     'X = 1\nY = [1,\n  2,\n\n  3].\nA = 1. B =\n2\n',
     'X = 1\nY = [1,2,3]\nA = 1\nB = 2\n', '', 0),
    ('the end of the input ends the last goal', 'X = 1', 'X = 1\n', '', 0),
    ('a goal that the input leaves unfinished is an error', 'X = [1,\n', '', 'goal 1:1:8: error', 2),
    ('an open comment goes on on the next line', '/* one\n two */ X = 1.\n', 'X = 1\n', '', 0),
    ('comments and empty lines are nothing', '% nothing\n\n  \nX = 1. % one\n', 'X = 1\n', '', 0),
    ('errors have a caret and the session goes on',
     'X = foo(.\nY = 1.\n', 'Y = 1\n', '    1 | X = foo(.\n      |', 2),
    ('an undefined goal is an error with its place',
     'X = 1, nosuch(X).\nX\n', '',
     'goal 1:1:8: error: undefined predicate nosuch/1\n    1 | X = 1, nosuch(X).\n'
     '      |        ^\n', 2),
    ('what a manual shows is typed with its prompt',
     '?- X = 1, Y := X + 2.\n  ?- Y = 3.\n:- X = 1.\n', 'X = 1\nY = 3\n', 'type goals here', 2),
    (':goals tells who would bind what is waited for',
     'X := Y + 1, writeln(X).\n:goals\n?- Y = 3.\n',
     '2 goals wait:\n  X:=Y+1   waits for Y\n  writeln(X)   waits for X\n  X:=Y+1   waits for Y\n'
     '  writeln(X)   waits for X, which X:=Y+1 would bind\n4\nY = 3\nX = 4\n', '', 0),
    (':why puts what waits below who should bind it',
     'X := Y + 1, writeln(X).\n:why\n',
     '2 goals wait:\n  X:=Y+1   waits for Y\n  writeln(X)   waits for X\n'
     '  goal 1:1:1: X:=Y+1\n      1 | X := Y + 1, writeln(X).\n        | ^\n'
     '    waits for Y, of a goal typed here; no goal that waits binds it\n'
     '    goal 1:1:13: writeln(X)\n'
     '      waits for X, of a goal typed here; :=/2 could bind it, and waits itself\n', '', 0),
    ('a goal that fails leaves all as it was',
     ':load p.fl\nX = 1.\ndouble(P, Q).\nP = 3, Z = 7, X = 2.\nZ = 8.\n:goals\nP = 4.\n',
     'loaded p.fl: 6 predicates, 8 clauses\nX = 1\n1 goal waits:\n  Q:=P*2   waits for P\n'
     'Z = 8\n  Q:=P*2   waits for P\nP = 4\nQ = 8\n', 'unification fails: 1 is not 2', 1),
    ('what a failed goal woke waits again',
     ':load p.fl\nappend(X, [c], Y).\nX = [a|T], T = [b|U], 1 = 2.\n:goals\nX = [].\n',
     'loaded p.fl: 6 predicates, 8 clauses\n1 goal waits:\n  append(X,[c],Y)   waits for X\n'
     '  append(X,[c],Y)   waits for X\nX = []\nY = [c]\n', 'unification fails: 1 is not 2', 1),
    ('a merge that took part in a failed goal is as it was',
     'merge([A|B], O).\nB = [2|C], call(call(1 = 2)).\nB = [3|C].\nC = [].\n',
     'O = [A|_1]\n1 goal waits:\n  merge(B,_1)   waits for B\n'
     'B = [3|C]\nO = [A,3|_1]\n1 goal waits:\n  merge(C,_1)   waits for C\n'
     'C = []\nB = [3]\nO = [A,3]\n', 'unification fails', 1),
    ('what waits to be written does not take for bound what was undone',
     'write(f(X, Y)).\nX = 1, call(call(1 = 2)).\nY = 2.\nX = 3.\n',
     '1 goal waits:\n  write(f(X,Y))   waits for X\nY = 2\nf(3,2)\nX = 3\n',
     'unification fails', 1),
    ('a value is shown again when more of it is known, not when its parts have other numbers',
     'A = f(_, B).\nC = g(_).\nB = 1, D = h(_).\n',
     'A = f(_1,B)\nC = g(_1)\nB = 1\nD = h(_1)\nA = f(_2,1)\n', '', 0),
    ('output comes before the values, which begin a line',
     'write(hello), X = 1.\nwriteln(bye).\n', 'hello\nX = 1\nbye\n', '', 0),
    ('halt ends the session with its status', 'halt(5).\nX = 1.\n', '', '', 5),
    (':quit ends the session', ':quit\nX = 1.\n', '', '', 0),
    ('commands may be shortened and end with a full stop', ':q.\nX = 1.\n', '', '', 0),
    ('a command that is none says so', ':nosuch\n', '', 'there is no command :nosuch', 2),
    ('a command that is nearly one is suggested', ':lod p.fl\n', '', 'did you mean :load?', 2),
    ('a colon alone is told what to do', ':\n', '', ':help lists them', 2),
    ('what other prompts call a command is told its name here', 'exit\n', '',
     'undefined predicate exit/0; the command is :quit', 2),
    ('a program may define what others call a command', ':add help :- writeln(own)\nhelp.\n',
     'added\nown\n', '', 0),
    ('an abbreviation of several says which', ':re\n', '', ':re may be :reload or :reset', 2),
    (':l is :load and :r is :reload', ':l p.fl\n:r\n',
     'loaded p.fl: 6 predicates, 8 clauses\nloaded p.fl: 6 predicates, 8 clauses\n', '', 0),
    ('what was recorded is counted in words that fit', 
     ':l p.fl\n:t one.paf writeln(a)\n',
     'loaded p.fl: 6 predicates, 8 clauses\na\nrecorded in one.paf: 1 reduction in 1 step\n', '', 0),
    (':add takes clauses, one after the other', ':l p.fl\n:add twice(X, Y) :- double(X, Y).\n'
     'twice(2, A).\n:add thrice(X, Y) :- Y := 3 * X\nthrice(2, B), twice(3, C).\n'
     ':add twice(X\n:add four(X) :- X = 4\nfour(D), twice(1, E).\n',
     'loaded p.fl: 6 predicates, 8 clauses\nadded\nA = 4\nadded\nB = 6\nC = 6\nadded\nD = 4\nE = 2\n',
     'typed:3:9: error', 2),
    ('a clause is told to belong into a file',
     'p(X) :- X = 1.\n', '', 'type goals here; clauses come from files (:load)', 2),
    ('files are loaded and define again what others did',
     ':load p.fl\ndouble(1, X).\n:load q.fl\ndouble(1, Y), new(Z), append([], [], L).\n',
     'loaded p.fl: 6 predicates, 8 clauses\nX = 2\nloaded p.fl q.fl: 7 predicates, 9 clauses\n'
     'Y = 3\nZ = new\nL = []\n', '', 0),
    ('several files are loaded at once',
     ':load q.fl "with blank.fl"\nnew(X), blank(Y).\n',
     'loaded with blank.fl q.fl: 3 predicates, 3 clauses\nX = new\nY = yes\n', '', 0),
    ('errors in a file leave the program as it was',
     ':load q.fl\n:load wrong.fl\ndouble(2, X).\n',
     'loaded q.fl: 2 predicates, 2 clauses\nX = 6\n', 'undefined predicate dubble/2', 2),
    ('a missing file is an error', ':load nosuch.fl\nX = 1.\n', 'X = 1\n',
     'nosuch.fl: cannot read: No such file', 2),
    (':list shows the text of a predicate',
     ':load p.fl\n:list append/3\n:list nosuch\n:list write\n',
     'loaded p.fl: 6 predicates, 8 clauses\n% p:append/3, p.fl:2\n'
     'append([H|X], Y, Z) :- Z = [H|Z1], append(X, Y, Z1).\nappend([], Y, Z) :- Z = Y.\n'
     'write/1 is built in\n', 'there is no predicate nosuch', 2),
    (':variables lists them, :forget and :reset forget them',
     'X = 1, Y = 2.\n:variables\n:forget X\nX = 3.\n:reset\nY = 4.\n',
     'X = 1\nY = 2\nX = 1\nY = 2\nX = 3\nY = 4\n', '', 0),
    (':step shows what ran, what was bound, what is ready and what waits',
     ':load p.fl\n:step append([1|T],[3],L), double(A, B)\n:step\n:step\n:step\n',
     'loaded p.fl: 6 predicates, 8 clauses\n'
     'generation 0\n  ready   append([1|T],[3],L)\n  ready   double(A,B)\n'
     'generation 1\n  ran     append([1|T],[3],L)   clause 1, p.fl:2\n'
     '  ran     double(A,B)   clause 1, p.fl:4\n  bound   L = [1|_1]\n'
     '  ready   append(T,[3],_1)\n  ready   B:=A*2\n'
     'generation 2\n  waits   append(T,[3],_1)   for T\n  waits   B:=A*2   for A\n'
     'L = [1|_1]\n2 goals wait:\n  append(T,[3],_1)   waits for T\n  B:=A*2   waits for A\n'
     'nothing is ready; the next goal will be reduced step by step\n', '', 0),
    ('goals are added while others are stepped, and :run ends it',
     ':step\nX = 1, writeln(a).\nwriteln(b).\n:step\n:run\n',
     'nothing is ready; the next goal will be reduced step by step\n'
     'generation 0\n  bound   X = 1\n  ready   writeln(a)\n'
     'generation 0, one more goal\n  ready   writeln(a)\n  ready   writeln(b)\n'
     'a\nb\ngeneration 1\n  ran     writeln(a)   built in\n  ran     writeln(b)   built in\n'
     'X = 1\n', '', 0),
    ('a goal that fails while it is stepped is undone',
     ':step X = 1, Y := a + 1.\n:step\nX = 2.\n',
     'generation 0\n  bound   X = 1\n  ready   Y:=a+1\nX = 2\n', 'a number is expected', 1),
    ('a long value is shown in part', ':load p.fl\nkeep(X, []).\n', None, '', 0),
    ('goals read what follows them in the input',
     'stdin([A, B|_]).\nfirst\nsecond\n', 'A = "first"\nB = "second"\n', '', 0),
]

# What a built-in did before a goal that is undone, it does not do again: `.keeps_progress`,
# `.rewind`, `.save` and `.restore` of vm/builtins.def. In each session `1 = 2` fails and is undone;
# within call/1 it fails after the goals that waited have gone on.
# The built-in and what holds, what is typed, the end of standard output, what the file `kept` has
KEPT = [
    ('write_file/2 goes on behind what it wrote',
     'write_file(kept, S), S = ["a"|T].\n1 = 2.\nT = ["b"].\n', 'S = ["a","b"]\n', 'a\nb\n'),
    ('write_file/2 does not take for bound what was undone',
     'write_file(kept, [writeln(f(X, Y))|T]).\nX = 1, call(call(1 = 2)).\nY = 2.\nX = 3.\nT = [].\n',
     'T = []\n', 'f(3,2)\n'),
    ('klicio:stream/1 goes on behind what it wrote',
     'klicio:klicio([write_open(kept, normal([fwrite("a")|T]))]).\n1 = 2.\nT = [fwrite("b")].\n',
     'T = [fwrite("b")]\n', 'ab'),
    ('klicio:stream/1 does not take for bound what was undone',
     'klicio:klicio([write_open(kept, normal([putt(f(X, Y))|T]))]).\nX = 1, call(call(1 = 2)).\n'
     'Y = 2.\nX = 3.\nT = [].\n', 'T = []\n', 'f(3,2)'),
    ('klicio:stream/1 goes on behind what it read',
     'klicio:klicio([read_open(lines, normal([getl(A)|T]))]).\n1 = 2.\nT = [getl(B)].\n',
     'B = "2"\n', ''),
    ('random/2 goes on with its sequence',
     'random(1, [A, B|T]).\n1 = 2.\nT = [C].\n', 'C = 1223138810\n', ''),
    ('merge/2 goes on behind what it passed on',
     'merge([a|B], O).\n1 = 2.\nB = [b|C].\nC = [].\n', 'O = [a,b]\n', ''),
    ('merge/2 has its tail and its open streams again',
     'merge([merge(A), merge(B)|C], O).\nA = [1|D].\nD = [2|E], C = [], B = [], call(call(1 = 2)).\n'
     'C = [].\nB = [].\nD = [9].\n', 'O = [1,9]\n', ''),
    # These two never wait once they have begun to read: an undo finds no progress of theirs.
    ('read_lines/2 has read all when a goal is undone',
     'read_lines(F, L), length(L, N).\n1 = 2.\nF = lines.\n:forget F\n:forget L\nM = N, 1 = 2.\nN\n',
     'N = 200\n', ''),
    ('read_terms/2 has read all when a goal is undone',
     'read_terms(F, L), length(L, N).\n1 = 2.\nF = terms.\n:forget F\n:forget L\nM = N, 1 = 2.\nN\n',
     'N = 200\n', ''),
]


def check_sessions(tally, fleng, folder):
    for what, typed, shown, complaint, status in SESSIONS:
        for options in ([], ['-gc-stress', STRESS]):
            if options and 'keep(' in typed:
                continue
            out, err, code = piped(fleng, folder, typed, options)
            if shown is None:
                tally.check(what, len(out) < 20000 and '...' in out, out[:200])
            else:
                # beyond the messages that a goal gives the input away to, nothing differs
                tally.check('%s: output %s' % (what, options), out == shown,
                            'wanted:\n%s\ngot:\n%s\n%s' % (shown, out, err))
            tally.check('%s: messages %s' % (what, options),
                        complaint in err if complaint else not err, err)
            tally.check('%s: exit status %s' % (what, options), code == status,
                        '%s\n%s' % (code, err))


def check_kept(tally, fleng, folder):
    for name, end in ('lines', ''), ('terms', '.'):
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            file.write(''.join('%d%s\n' % (i, end) for i in range(1, 201)))
    for what, typed, shown, written in KEPT:
        for options in ([], ['-gc-stress', STRESS]):
            kept = os.path.join(folder, 'kept')
            open(kept, 'w', encoding='utf-8').close()
            out, err, code = piped(fleng, folder, typed, options)
            with open(kept, encoding='utf-8') as file:
                text = file.read()
            undone = typed.count('1 = 2')
            tally.check('%s %s' % (what, options),
                        out.endswith(shown) and text == written and code == 1
                        and err.count('error') == err.count('1 is not 2') == undone,
                        '%s\n%s\n%r' % (out, err, text))


def check_reload(tally, fleng, folder):
    """A goal that waits goes on with the clauses that :reload brings."""
    path = os.path.join(folder, 'change.fl')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('p(X, Y) :- X > 0 | Y = old.\n')
    process = subprocess.Popen([fleng], cwd=folder, stdin=subprocess.PIPE, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    process.stdin.write(':load change.fl\np(X, Y).\nZ = 1.\n')
    process.stdin.flush()
    while process.stdout.readline() not in ('Z = 1\n', ''): # until p(X, Y) was entered
        pass
    with open(path, 'w', encoding='utf-8') as file:
        file.write('p(X, Y) :- Y = new(X).\n')
    out, _ = process.communicate(':reload\n:goals\n', timeout=TIME_LIMIT)
    tally.check('goals that wait go on with reloaded clauses',
                out.endswith('loaded change.fl: 1 predicate, 1 clause\nY = new(X)\nno goal waits\n'),
                out)


def check_progress(tally, fleng, folder):
    """SIGUSR1 tells how far the session is, and ends nothing."""
    process = subprocess.Popen([fleng], cwd=folder, stdin=subprocess.PIPE, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write('X = 1.\n')
    process.stdin.flush()
    first = process.stdout.readline() # it is up
    process.send_signal(signal.SIGUSR1)
    told = process.stderr.readline()
    out, _ = process.communicate('Y = [X].\n', timeout=TIME_LIMIT)
    tally.check('SIGUSR1 tells how far a session is',
                first == 'X = 1\n' and re.match(r'fleng: \d+ reductions, ', told)
                and out == 'Y = [1]\n' and process.returncode == 0,
                '%r %r %r %d' % (first, told, out, process.returncode))


def check_trace(tally, fleng, paf, folder):
    typed = (':load p.fl\nX = [a,B].\n:trace run.paf append(X, [c], Z).\n'
             ':trace\nappend([], [], W).\nZ\n')
    out, err, code = piped(fleng, folder, typed)
    tally.check(':trace records a goal with the values of its variables',
                'X = [a,_1]\nB = _1\nZ = [a,_1,c]\nrecorded in run.paf: 3 reductions in 3 steps\n'
                in out, out + err)
    tally.check(':trace alone records the next goal',
                'recorded in goal.paf: 1 reduction in 1 step' in out, out + err)
    tally.check('a recorded goal leaves the variables alone',
                'no goal has mentioned Z yet' in err and code == 2, err)
    info = subprocess.run([paf, 'info', '--verify', 'run.paf'], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    tally.check('the trace is whole', info.returncode == 0 and 'reductions  3' in info.stdout,
                info.stdout)
    out, err, code = piped(fleng, folder, ':trace no/such/t.paf X = 1.\nX = 2.\n')
    tally.check('a trace that cannot be created is an error',
                'no/such/t.paf' in err and out == 'X = 2\n' and code == 2, out + err)


def check_large(tally, fleng, folder):
    size = 200000
    long = 'X = [%s].\n' % ','.join(str(i) for i in range(size))
    out, err, code = piped(fleng, folder, long + 'X = [A|_].\n')
    tally.check('a line of a megabyte', code == 0 and out.endswith('A = 0\n'), out[-200:] + err)
    many = 'X = [\n' + ',\n'.join(str(i) for i in range(size)) + '\n].\nX = [_,A|_].\n'
    out, err, code = piped(fleng, folder, many)
    tally.check('a goal of many lines', code == 0 and out.endswith('A = 1\n'), out[-200:] + err)
    deep = 'X = ' + 'f(' * 15000 + '0' + ')' * 15000 + '.\n'
    out, err, code = piped(fleng, folder, deep + 'Y = 1.\n')
    tally.check('a deep term', code == 0 and out.endswith('Y = 1\n'), out[-200:] + err)
    out, err, code = piped(fleng, folder, b'X = \xff\xfe.\n\x00\x01\nY = 1.\n')
    tally.check('bytes that are no text are errors', code == 2 and out == 'Y = 1\n', out + err)
    lines = ''.join('X%d = %d.\n' % (i, i) for i in range(2000))
    out, err, code = piped(fleng, folder, lines)
    tally.check('many goals', code == 0 and out.count('\n') == 2000, out[-200:] + err)
    out, err, code = piped(fleng, folder, ':load p.fl\ngrow([]).\nX = 1.\n', ['-m', '60M'])
    tally.check('a goal that needs too much memory is undone',
                code == 1 and out.endswith('X = 1\n') and 'memory limit' in err, out + err)


def check_options(tally, fleng, folder):
    out, err, code = piped(fleng, folder, 'argv(L).\n', ['--', 'a', 'b'])
    tally.check('arguments are for the goals', out == 'L = ["a","b"]\n' and code == 0, out + err)
    out, err, code = piped(fleng, folder, '', ['-trace'])
    tally.check('options of runs need something to run', code == 2 and 'no FILE' in err, err)
    out, err, code = piped(fleng, folder, '', ['-trace', 'out.paf', 'p.fl'])
    tally.check('a trace named without `=` is told where it stands',
                code == 2 and '-trace=out.paf' in err, err)
    listed, named = [piped(fleng, folder, '', o)[0] for o in (['-library', 'lists'],
                                                              ['-library=lists'])]
    tally.check('-library MODULE is -library=MODULE', listed == named and 'append(' in listed)
    with open(os.path.join(folder, 't.paf'), 'wb') as file:
        file.write(b'\x89PAF\r\n\x1a\n' + bytes(range(256)) * 4)
    with open(os.path.join(folder, 'binary'), 'wb') as file:
        file.write(bytes(range(255, -1, -1)) * 40)
    out, err, code = piped(fleng, folder, '', ['-check=json', 'nosuch.fl'])
    tally.check('for editors a file that cannot be read has its name',
                code == 2 and '{"file": "nosuch.fl"' in out, out + err)
    for name, what in (('t.paf', 'it is a trace'), ('binary', 'it is not a text')):
        out, err, code = piped(fleng, folder, '', [name])
        tally.check('of a file that is no text one line is said: ' + name,
                    code == 2 and err.count('\n') == 1 and what in err, err)
    with open('/dev/full', 'wb') as full:
        done = subprocess.run([fleng], input=b'X = 1.\n', stdout=full, stderr=subprocess.PIPE,
                              timeout=TIME_LIMIT, check=False)
    tally.check('lost output is an error', done.returncode == 1 and
                b'standard output: cannot write' in done.stderr, done.stderr)


# ---- At a terminal ----------------------------------------------------------------------------

class Terminal:
    """A session at a terminal of its own."""

    def __init__(self, fleng, folder, home, columns=200):
        self.seen = ''
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            for name in ('XDG_STATE_HOME', 'EDITRC'):
                os.environ.pop(name, None)
            os.environ.update(HOME=home, TERM='xterm', LC_ALL='C.UTF-8')
            os.execv(fleng, [fleng])
        import fcntl
        import struct
        import termios
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', 40, columns, 0, 0))

    def expect(self, text, seconds=TIME_LIMIT):
        """Reads until the text has come. False if it does not; self.before is what came."""
        end = time.time() + seconds
        while text not in self.seen:
            if time.time() > end or not select.select([self.fd], [], [], 0.2)[0]:
                if time.time() > end:
                    self.before = self.seen
                    return False
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b''
            if not data:
                self.before = self.seen
                return text in self.seen
            self.seen += re.sub(r'\x1b\[[0-9;]*[A-Za-z]', '', data.decode(errors='replace'))
        at = self.seen.index(text) + len(text)
        self.before, self.seen = self.seen[:at], self.seen[at:]
        return True

    def send(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        """Types ^D, again if it came before the editor was there; the exit status."""
        end = time.time() + TIME_LIMIT
        again = 0
        while time.time() < end:
            if time.time() > again:
                again = time.time() + 1
                try:
                    self.send('\x04')
                except OSError:
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    os.read(self.fd, 65536)
                except OSError:
                    pass
        os.kill(self.pid, signal.SIGKILL)
        return None


def dialogue(tally, what, terminal, steps):
    for typed, wanted in steps:
        if typed:
            terminal.send(typed)
        if not terminal.expect(wanted):
            tally.check('%s: %r' % (what, typed), False,
                        'wanted: %r\ngot: %r' % (wanted, terminal.before))
            return
    tally.check(what, True)


def check_terminal(tally, fleng, folder, home, editor):
    t = Terminal(fleng, folder, home)
    dialogue(tally, 'a dialogue', t, [
        ('', '?- '), ('X = 1.\r', 'X = 1\r\n'), ('', '?- '),
        (':load p.fl\r', 'loaded p.fl'), ('', '?- '),
        ('f(\r', '|  '), ('\x03', '?- '),
        ('Y = g(\r', '|  '), ('X).\r', 'Y = g(1)\r\n'), ('', '?- '),
        (':step append([1], [], L)\r', 'ready   append([1],[],L)'), ('', 'step> '),
        ('\r', 'generation 1'), ('', 'step> '), (':run\r', 'L = [1]\r\n'), ('', '?- ')])
    dialogue(tally, '^C stops the goal and not the session', t, [
        ('writeln(begun), loop(0).\r', 'begun\r\n'),
        ('\x03', 'interrupted; the goal is undone'), ('', '?- ')])
    dialogue(tally, '^C stops a goal that waits for input', t, [
        ('writeln(begun), stdin(S).\r', 'begun\r\n'), ('\x03', 'interrupted'), ('', '?- '),
        ('half a line\x03', '?- '), ('Z = [X].\r', 'Z = [1]\r\n'), ('', '?- ')])
    if editor:
        dialogue(tally, 'names, commands and files are completed', t, [
            (':lo\t', 'ad '), ('p.\t', 'fl '), ('\r', 'loaded p.fl'), ('', '?- '),
            ('dou\t(1, D).\r', 'D = 2\r\n'), ('', '?- '),
            ('string_\t', 'string_length'), ('', '?- string_'), ('\x03', '?- '),
            (':list app\t\r', 'append([], Y, Z)'), ('', '?- ')])
        dialogue(tally, 'lines are recalled', t, [
            ('\x1b[A\r', 'append([], Y, Z)'), ('', '?- '),
            (':forget D\r', '?- '), ('\x1b[A\x1b[A\x1b[A\r', 'D = 2\r\n'), ('', '?- '),
            (':list append/3\r', 'append([], Y, Z)'), ('', '?- ')])
    tally.check('^D ends the session with status 0', t.end() == 0, t.seen)


def check_history(tally, fleng, folder, home):
    t = Terminal(fleng, folder, home)
    dialogue(tally, 'lines of earlier sessions are recalled', t, [
        ('', '?- '), ('\x1b[A\r', 'append([], Y, Z)'), ('', '?- ')])
    t.end()
    path = os.path.join(home, '.local', 'state', 'fleng', 'history')
    tally.check('the history has a file', os.path.exists(path))
    with open(path, 'wb') as file:
        file.write(b'\x00\xff no history')
    t = Terminal(fleng, folder, home)
    dialogue(tally, 'a history that is damaged does no harm', t, [
        ('', '?- '), ('X = 1.\r', 'X = 1\r\n'), ('', '?- ')])
    t.end()
    t = Terminal(fleng, folder, '/proc/nosuch')
    dialogue(tally, 'a home that cannot be written does no harm', t, [
        ('', '?- '), ('X = 1.\r', 'X = 1\r\n'), ('', '?- '), (':quit\r', '')])
    tally.check(':quit has status 0', t.end() == 0)


def main():
    fleng, paf = [os.path.abspath(path) for path in sys.argv[1:3]]
    editor = '--without-editor' not in sys.argv
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, 'home')
        os.mkdir(home)
        for name, text in (('p.fl', PROGRAM), ('q.fl', OTHER), ('wrong.fl', WRONG),
                           ('with blank.fl', 'blank(X) :- X = yes.\n')):
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write(text)
        check_sessions(tally, fleng, folder)
        check_kept(tally, fleng, folder)
        check_reload(tally, fleng, folder)
        check_progress(tally, fleng, folder)
        check_trace(tally, fleng, paf, folder)
        check_large(tally, fleng, folder)
        check_options(tally, fleng, folder)
        check_terminal(tally, fleng, folder, home, editor)
        if editor:
            check_history(tally, fleng, folder, home)
    print('%d passed, %d failed' % (tally.passed, tally.failed))
    return 1 if tally.failed else 0


if __name__ == '__main__':
    sys.exit(main())
