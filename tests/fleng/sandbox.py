#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program in the sandbox reaches, and what it does not: files by every name and through links,
processes, the environment; limits; and what a program that names files of others gets to see.

usage: sandbox.py [--long] FLENG    --long: only the limit of time that is there without an option
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

READ = """main :- argv([F|_]), read_lines(F, L, S), told(S, L).
told(ok, L) :- tell(L).
told(error(_), _) :- writeln(closed).
tell([X|L]) :- writeln(X), tell(L).
tell([]).
"""
WRITE = """main :- argv([F|_]), write_file(F, [writeln(new)], S), told(S).
told(ok) :- writeln(written).
told(error(_)) :- writeln(closed).
"""
REQUESTS = """:- module main.
main :- unix:unix([system("echo 1 > in/owned", A), getenv("SECRET", B), putenv("SECRET=2", C),
        cd("in", D), unlink("in/x.txt", E), mktemp("in/t", F), access("in/x.txt", 4, G),
        chmod("in/x.txt", 0, H), kill(1, 0, I), read_open("in/x.txt", J), append_open("in/x.txt", K),
        update_open("in/x.txt", L)]),
    kind(J, J1), kind(K, K1), kind(L, L1), show([A,B,C,D,E,F,G,H,I,J1,K1,L1]).
kind(normal(_), K) :- true | K = open.
kind(abnormal, K) :- true | K = no.
show(X) :- wait(X) | klicio:klicio([stdout(normal([putt(X),nl]))]).
"""
LOOP = "main :- loop(0).\nloop(N) :- N1 := N + 1, loop(N1).\n"
SLEEP = "main :- stdin([L|_]), writeln(L).\n"
ASKS = "main :- stdout([writeln(begun), flush(F)]), go(F).\ngo(ok) :- stdin([L|_]), writeln(L).\n"
SECONDS = 60  # of a sandbox without -time-limit
NUMBERS = "main :- tell(0).\ntell(N) :- writeln(N), N1 := N + 1, tell(N1).\n"
MEMORY = """main :- list(0, L), keep(L, _).
list(N, L) :- L = [N|T], N1 := N + 1, list(N1, T).
keep(L, done) :- writeln(L).
"""
MANY_FILES = """main :- make(0).
make(N) :- number_string(N, T), string_concat("made-", T, Name), write_file(Name, [], S), next(S, N).
next(ok, N) :- N1 := N + 1, make(N1).
next(error(E), _) :- writeln(E).
"""
SHARED = """f(0, X) :- X = a.
f(N, X) :- N > 0 | N1 := N - 1, f(N1, Y), X = g(Y, Y).
main.
"""
SECRET = 'root:x:0:0:secret words\n'


def write(folder, name, text):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
        file.write(text)


def files(folder):
    for name in ('in', 'in/deep', 'other', 'sub'):
        os.mkdir(os.path.join(folder, name))
    write(folder, 'in/x.txt', 'data\n')
    write(folder, 'in/deep/y.txt', 'deep\n')
    write(folder, 'other/secret.txt', SECRET)
    write(folder, 'other/secret.fl', SECRET)
    write(folder, 'inside.txt', SECRET)  # its name begins as that of the folder
    os.symlink('../other/secret.txt', os.path.join(folder, 'in/link'))
    os.symlink('../other', os.path.join(folder, 'in/linked'))
    os.symlink('x.txt', os.path.join(folder, 'in/near'))
    os.symlink('in', os.path.join(folder, 'alias'))
    os.symlink('other/secret.fl', os.path.join(folder, 'p.fl'))
    os.mkfifo(os.path.join(folder, 'in/pipe'))
    for name, text in (('read.fl', READ), ('write.fl', WRITE), ('requests.kl1', REQUESTS),
                       ('asks.fl', ASKS), ('loop.fl', LOOP), ('sleep.fl', SLEEP), ('numbers.fl', NUMBERS),
                       ('memory.fl', MEMORY), ('files.fl', MANY_FILES), ('shared.fl', SHARED), ('own.fl', ':- use_module(sub/m).\nmain :- m(1).\n'),
                       ('sub/m.fl', ':- module(m, [m/1]).\nm(X) :- writeln(X).\n'),
                       ('sub/up.fl', ":- use_module('../other/secret').\nmain.\n"),
                       ('text.fl', ":- use_module('other/secret.txt').\nmain.\n"),
                       ('there.fl', ":- use_module('/etc/passwd').\nmain.\n"),
                       ('absent.fl', ":- use_module('/etc/nobody').\nmain.\n"),
                       ('fifo.fl', ":- use_module('in/pipe').\nmain.\n")):
        write(folder, name, text)


def run(fleng, folder, *words, stdin=subprocess.DEVNULL):
    return subprocess.run([fleng, *words], cwd=folder, stdin=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=600, check=False,
                          env=dict(os.environ, SECRET='words'))


def by_name(fleng, folder):
    """Files by all kinds of names. (what, what was told, what has to be)"""
    door = ['-sandbox', '-allow', 'read=in']
    names = {'in/x.txt': 'data', './in//x.txt': 'data', 'in/../in/x.txt': 'data',
             os.path.join(folder, 'in/x.txt'): 'data', 'in/deep/../deep/y.txt': 'deep',
             'in/none.txt': 'closed', 'in': 'closed', 'in/': 'closed', 'in/deep': 'closed',
             'in/link': 'closed', 'in/linked/secret.txt': 'closed', 'in/near': 'closed',
             'in/pipe': 'closed', 'in/../other/secret.txt': 'closed', 'inside.txt': 'closed',
             'other/secret.txt': 'closed', '/etc/passwd': 'closed', '../' * 40 + 'etc/passwd': 'closed',
             '/proc/self/environ': 'closed', '/dev/stdin': 'closed', '': 'closed', '/': 'closed'}
    for name, wanted in names.items():
        done = run(fleng, folder, *door, 'read.fl', '--', name)
        yield 'read %s' % name, done.stdout, wanted + '\n'
        done = run(fleng, folder, '-sandbox', 'read.fl', '--', name)
        yield 'read %s, no door' % name, done.stdout, 'closed\n'
    for name in ('in/new.txt', 'in/link', 'in/pipe', 'other/new.txt'):
        done = run(fleng, folder, *door, 'write.fl', '--', name)
        yield 'write %s by a door to read' % name, done.stdout, 'closed\n'
    done = run(fleng, folder, '-sandbox', '-allow=read=alias', 'read.fl', '--', 'alias/x.txt')
    yield 'a door that the user named by a link', done.stdout, 'data\n'
    for doors in (['read=in', 'read=in/linked'], ['read=in/linked', 'read=in']):
        words = [word for door in doors for word in ('-allow', door)]
        done = run(fleng, folder, '-sandbox', *words, 'read.fl', '--', 'in/linked/secret.txt')
        yield 'two doors, one in the other', done.stdout, SECRET
    for name, wanted in (('in/new.txt', 'written'), ('in/link', 'closed'), ('in/linked/z', 'closed'),
                         ('in/pipe', 'closed'), ('other/z', 'closed')):
        done = run(fleng, folder, '-sandbox', '-allow', 'write=in', 'write.fl', '--', name)
        yield 'write %s' % name, done.stdout, wanted + '\n'
    with open(os.path.join(folder, 'other/secret.txt'), encoding='utf-8') as file:
        yield 'what a link led to', file.read(), SECRET
    yield 'other files', sorted(os.listdir(os.path.join(folder, 'other'))), ['secret.fl', 'secret.txt']


def requests(fleng, folder):
    done = run(fleng, folder, '-sandbox', 'requests.kl1')
    yield 'requests', done.stdout, '[-1,0,-1,-1,-1,"",-1,-1,-1,no,no,no]\n'
    done = run(fleng, folder, '-sandbox', '-allow', 'read=in', 'requests.kl1')
    yield 'requests, in is read', done.stdout, '[-1,0,-1,-1,-1,"",0,-1,-1,open,no,no]\n'
    done = run(fleng, folder, '-sandbox', '-allow', 'environment', 'requests.kl1')
    yield 'requests, environment', done.stdout, '[-1,"words",0,-1,-1,"",-1,-1,-1,no,no,no]\n'
    owned = os.path.join(folder, 'in/owned')
    yield 'no command ran', os.path.exists(owned), False
    try:
        os.kill(1, 0)
        heard = 0
    except PermissionError:
        heard = -1
    done = run(fleng, folder, '-sandbox', '-allow', 'run', 'requests.kl1')
    yield 'requests, run', done.stdout, '[0,0,-1,-1,-1,"",-1,-1,%d,no,no,no]\n' % heard
    yield 'a command ran', os.path.exists(owned), True


def ends_by(fleng, folder, options, number):
    """How a program that waits for input ends: its status and what it says. number: of a signal, or None."""
    with subprocess.Popen([fleng, *options, 'asks.fl'], cwd=folder, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        begun = process.stdout.readline()
        if number:
            process.send_signal(number)
        said = process.stderr.read()
        return begun, process.wait(), 'limit of time' in said


def limit_without_an_option(fleng, folder):
    begin = time.monotonic()
    yield 'time, as it comes', ends_by(fleng, folder, ['-sandbox'], None), ('begun\n', 142, True)
    yield 'not before', time.monotonic() - begin >= SECONDS - 1, True


def limits(fleng, folder):
    yield ('a limit of time, as it comes', ends_by(fleng, folder, ['-sandbox'], signal.SIGALRM),
           ('begun\n', 142, True))
    yield ('none without a sandbox', ends_by(fleng, folder, [], signal.SIGALRM),
           ('begun\n', -signal.SIGALRM, False))
    done = run(fleng, folder, '-sandbox', '-time-limit', '1', 'loop.fl')
    yield 'time', (done.returncode, 'limit of time' in done.stderr), (142, True)
    reader, writer = os.pipe()
    done = run(fleng, folder, '-sandbox', '-time-limit', '1', 'sleep.fl', stdin=reader)
    os.close(reader)
    os.close(writer)
    yield 'time, asleep', (done.returncode, 'limit of time' in done.stderr), (142, True)
    for workers in ('1', '2'):
        done = run(fleng, folder, '-j', workers, '-output-limit', '10k', 'numbers.fl')
        yield ('output, %s workers' % workers,
               (done.returncode, len(done.stdout), 'limit of output' in done.stderr), (1, 10240, True))
    done = run(fleng, folder, '-output-limit', '10k', 'files.fl')
    made = [name for name in os.listdir(folder) if name.startswith('made-')]
    yield 'empty files', (done.returncode, len(made), 'limit of output' in done.stderr), (1, 40, True)
    done = run(fleng, folder, '-sandbox', '-time-limit', '500', '-output-limit', '10k', '-e', 'f(60, X)',
               'shared.fl')
    yield 'a result whose text is longer than all memory', (done.returncode, len(done.stdout) < 20480), (0, True)
    done = run(fleng, folder, '-sandbox', '-time-limit', '500', 'numbers.fl')
    yield 'output, as it comes', (done.returncode, len(done.stdout)), (1, 64 << 20)
    done = run(fleng, folder, '-sandbox', '-time-limit', '500', '-m', '20M', 'memory.fl')
    yield 'memory', (done.returncode, 'memory limit' in done.stderr), (1, True)


def modules(fleng, folder):
    done = run(fleng, folder, '-sandbox', 'own.fl')
    yield 'a module of its own', done.stdout, '1\n'
    for words in (['text.fl'], ['-sandbox', 'text.fl'], ['-sandbox', 'sub/up.fl'], ['fifo.fl'],
                  ['-sandbox', 'fifo.fl'], ['-sandbox', 'p.fl'], ['-check', 'text.fl'],
                  ['-sandbox', '-check', 'p.fl']):
        done = run(fleng, folder, *words)
        yield ('uses what is no module: ' + ' '.join(words),
               (done.returncode, 'secret words' in done.stderr + done.stdout), (2, False))
    told = [run(fleng, folder, '-sandbox', '-e', 'true', name + '.fl').stderr.replace(name, '').
            replace('passwd', '').replace('nobody', '') for name in ('there', 'absent')]
    yield 'whether a file is there', told[0], told[1]
    done = run(fleng, folder, '-allow', 'read=in', 'own.fl')
    yield 'a door without a sandbox', (done.returncode, '-sandbox' in done.stderr), (2, True)
    done = run(fleng, folder, '-sandbox', '-allow', 'read=none', 'own.fl')
    yield 'a door to no folder', (done.returncode, 'No such file' in done.stderr), (2, True)
    done = run(fleng, folder, '-sandbox', '-allow', 'all', 'own.fl')
    yield 'no such door', (done.returncode, 'write=DIR' in done.stderr), (2, True)


def main():
    fleng = os.path.abspath(sys.argv[-1])
    failed = 0
    parts = (limit_without_an_option,) if '--long' in sys.argv else (by_name, requests, limits, modules)
    for part in parts:
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            files(folder)
            for what, found, wanted in part(fleng, folder):
                if found != wanted:
                    failed += 1
                    print('FAILED %s\n    found    %r\n    expected %r' % (what, found, wanted))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
