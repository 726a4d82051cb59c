#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sources too large or too odd to keep as files: deep and long terms, long lines, random bytes.

usage: large.py FLENG [N]    N changed programs (300), and half as many random texts
"""

import os
import random
import subprocess
import sys
import tempfile

DEEP = 100000
LONG = 200000


def nested(opening, inner, closing):
    return opening * DEEP + inner + closing * DEEP


# name: (text, standard output, exit status, part of standard error)
SOURCES = {
    'deep structure': ('main :- p(%s).\np(_) :- writeln(ok).\n' % nested('f(', 'a', ')'),
                       'ok\n', 0, ''),
    'deep head': ('main :- p(%s).\np(%s) :- writeln(ok).\n'
                  % (nested('f(', 'a', ')'), nested('f(', 'a', ')')), 'ok\n', 0, ''),
    'deep prefix operators': ('main :- X = %sa, p(X).\np(_) :- writeln(ok).\n' % ('- ' * DEEP),
                              'ok\n', 0, ''),
    'deep parentheses': ('main :- %s.\n' % nested('(', 'writeln(ok)', ')'), 'ok\n', 0, ''),
    'deep first arguments': ('main :- p(%s).\np(_) :- writeln(ok).\n' % nested('f(', 'a', ',b)'),
                             'ok\n', 0, ''),
    'deep first arguments in a head': ('main :- p(%s).\np(%s) :- writeln(ok).\n'
                                       % (nested('f(', 'a', ',b)'), nested('f(', 'a', ',b)')),
                                       'ok\n', 0, ''),
    'deep first arguments in a guard': ('main :- p(%s).\np(X) :- X == %s | writeln(ok).\n'
                                        % (nested('f(', 'a', ',b)'), nested('f(', 'a', ',b)')),
                                        'ok\n', 0, ''),
    'deep first arguments, a variable on every level':
        ('main :- p(%sa%s).\np(_) :- writeln(ok).\n'
         % ('f(' * DEEP, ''.join(',X%d)' % i for i in range(DEEP))), 'ok\n', 0, ''),
    'a variable at the bottom': ('main :- p(%s, Z), Z = ok.\np(_, Z) :- writeln(Z).\n'
                                 % nested('f(', 'Z', ',b)'), 'ok\n', 0, ''),
    'deep lists in lists': ('main :- p(%s).\np(_) :- writeln(ok).\n' % nested('[', 'a', ']'),
                            'ok\n', 0, ''),
    'deep vectors': ('main :- p(%s).\np(_) :- writeln(ok).\n' % nested('{', 'a', '}'),
                     'ok\n', 0, ''),
    'a long sum': ('main :- X := %s, writeln(X).\n' % '+'.join(['1'] * DEEP),
                   '%d\n' % DEEP, 0, ''),
    'a long sum of variables': ('main :- p(1).\np(Y) :- X := %s, writeln(X).\n'
                                % '+'.join(['Y'] * DEEP), '%d\n' % DEEP, 0, ''),
    'a deep sum of variables': ('main :- p(1).\np(Y) :- X := %s, writeln(X).\n'
                                % nested('(Y+', '1', ')'), '%d\n' % (DEEP + 1), 0, ''),
    'a long sum in a guard': ('main :- p(1).\np(Y) :- %s > 5 | writeln(ok).\n'
                              % '+'.join(['Y'] * DEEP), 'ok\n', 0, ''),
    'a deep sum in a guard that fails': ('main :- p(1).\np(Y) :- %s > 500000 | true.\n'
                                         % nested('(Y+', '1', ')'), '', 1, 'does not hold for Y = 1'),
    'deep terms that differ': ('main :- X = %s, p(X, Y), Y = %s.\np(X, Y) :- X = Y.\n'
                               % (nested('f(', 'a', ',b)'), nested('f(', 'c', ',b)')), '', 1,
                               'unification fails'),
    'a deep goal that waits': ('main :- p(%s).\np(f(f(f(_,c),_),_)).\n'
                               % nested('f(', 'a', ',Z)'), '', 3, 'waits for Z'),
    'deep guard parentheses': ('main :- p(2).\np(X) :- %s | writeln(ok).\n'
                               % nested('(', 'X > 1', ')'), 'ok\n', 0, ''),
    'deep guard alternatives': ('main.\np(X) :- %s | true.\n'
                                % nested('(X > 1 ; X < 0, ', 'true', ')'), '', 2, 'nested'),
    'long list': ('main :- p([%s]).\np([_, X|_]) :- writeln(X).\n'
                  % ','.join(str(i) for i in range(LONG)), '1\n', 0, ''),
    'long body': ('main :- %s, writeln(ok).\np(_).\n'
                  % ', '.join('p(%d)' % i for i in range(20000)), 'ok\n', 0, ''),
    'long guard': ('main :- p(2).\np(X) :- %s | writeln(ok).\n'
                   % ', '.join('X < %d' % i for i in range(3, 20000)), 'ok\n', 0, ''),
    'many alternatives': ('main :- p(2).\np(X) :- %s | writeln(ok).\n'
                          % ' ; '.join('X > %d' % i for i in range(10000, 0, -1)), 'ok\n', 0, ''),
    'many arguments': ('main :- p(%s).\np(%s) :- writeln(X).\n'
                       % (','.join(['ok'] * 5000), ','.join(['X'] * 5000)), 'ok\n', 0, ''),
    'many variables': ('main :- p(%s).\np(_) :- writeln(ok).\n'
                       % ('f(' + ','.join('X%d' % i for i in range(20000)) + ')'), 'ok\n', 0, ''),
    'many clauses': ('main :- p(19999, X), writeln(X).\n'
                     + ''.join('p(%d, X) :- X = %d.\n' % (i, i * 2) for i in range(20000)),
                     '39998\n', 0, ''),
    'many errors': (''.join('p%d :- q%d.\n' % (i, i) for i in range(20000)), '', 2, 'more errors'),
    'a string of a megabyte': ('main :- string_length("%s", N), writeln(N).\n' % ('x' * 1000000),
                               '1000000\n', 0, ''),
    'a name of a megabyte': ('main :- %s.\n' % ('x' * 1000000), '', 2, 'undefined predicate'),
    'an integer of a megabyte': ('main :- X := %s mod 7, writeln(X).\n' % ('9' * 1000000),
                                 '0\n' if int('9' * 6) % 7 == 0 and 1000000 % 6 == 0
                                 else '%d\n' % (pow(10, 1000000, 7) - 1), 0, ''),
    'an error behind a megabyte': ('%s b.\nmain.\n' % ('a' * 1000000), '', 2, ':1:1000002: error'),
    'disjunctions in disjunctions': (
        'main :- p(9999, X), writeln(X).\np(N, X) :- %sN > 4000%s | X = deep.\n' % (
            ''.join('(N < -%d ; N > %d, ' % (i, i) for i in range(4000)), ')' * 4000),
        'deep\n', 0, ''),
    'open brackets': ('main :- ' + '[' * DEEP, '', 2, 'a term is expected'),
    'no text': ('', '', 2, 'no main/0'),
    'only a byte order mark': ('\ufeff', '', 2, 'no main/0'),
    'lines that end as in DOS': ('main :-\r\n  % a comment\r\n  writeln(ok).\r\n', 'ok\n', 0, ''),
}

KL1_MAIN = ':- module main.\nmain :- klicio:klicio([stdout(normal(S))]), S = [putt(R), nl], p(R).\n'
KL1_SOURCES = {
    'deep conditionals': (KL1_MAIN + 'p(R) :- %s.\n' % nested('(true -> ', 'R = ok', ')'),
                          '', 2, 'nested more than 200 deep'),
    'conditionals in conditionals': (
        KL1_MAIN + 'p(R) :- %s.\n' % ('(true -> ' * 100 + 'R = ok' + ')' * 100), 'ok\n', 0, ''),
    'deep conditionals with pairs': (
        KL1_MAIN + 'p(R) :- q-R.\nq-S :- %s.\n' % nested('(true -> ', 'S <= a', ')'),
        '', 2, 'nested more than 200 deep'),
    'deep pragmas': (KL1_MAIN + 'p(R) :- %s.\n' % nested('(', 'q(R)', ')@priority(1)')
                     + 'q(R) :- R = ok.\n', 'ok\n', 0, ''),
    'many branches': (KL1_MAIN + 'p(R) :- q(3999, R).\nq(N, R) :- (%s).\n' % ' ; '.join(
        'N = %d -> R = %d' % (i, i) for i in range(4000)), '3999\n', 0, ''),
    'deep arithmetic in arguments': (
        KL1_MAIN + 'p(R) :- q(%s, R).\nq(X, R) :- R = X.\n' % (
            '~(' * 3000 + '1' + '+0)' * 3000), '1\n', 0, ''),
    'long arithmetic in arguments': (
        KL1_MAIN + 'p(R) :- q(~(%s), R).\nq(X, R) :- R = X.\n' % '+'.join(['1'] * 3000),
        '3000\n', 0, ''),
    'deep guard unification': (
        KL1_MAIN + 'p(R) :- q(%s, R).\nq(X, R) :- X = %s | R = Y.\n'
        % ('f(' * 5000 + 'ok' + ')' * 5000, 'f(' * 5000 + 'Y' + ')' * 5000), 'ok\n', 0, ''),
    'long guard unification': (
        KL1_MAIN + 'p(R) :- q([%s], R).\nq(X, R) :- X = [%s,Y] | R = Y.\n'
        % (','.join(['0'] * 3000), ','.join(['_'] * 2999)), '0\n', 0, ''),
    'many pairs': (KL1_MAIN + 'p(R) :- q+0+R.\nq-N :- %s.\n' % ', '.join(['N += 1'] * 5000),
                   '5000\n', 0, ''),
    'many attached arguments': (KL1_MAIN + 'p(R) :- q%s+R.\nq%s+R :- R = ok.\n'
                                % ('+0' * 3000, '+_' * 3000), 'ok\n', 0, ''),
    'a deep float expression': (KL1_MAIN + 'p(R) :- R $:= %s.\n'
                                % ('-(' * 3000 + '1' + ')' * 3000), '1.0\n', 0, ''),
    'a term that is read is deep': (
        KL1_MAIN + 'p(R) :- klicio:klicio([stdin(normal([gett(T)]))]), q(T, R).\n'
        'q(f(_), R) :- R = ok.\n', 'ok\n', 0, '', nested('f(', 'x', ')') + '.\n'),
    'a line that is read is long': (
        KL1_MAIN + 'p(R) :- klicio:klicio([stdin(normal([getl(L)]))]), q(L, R).\n'
        'q(L, R) :- string(L, N, _) | R = N.\n', '3000000\n', 0, '', 'x' * 3000000),
    'deep wrapped terms': (
        KL1_MAIN + 'p(R) :- klicio:klicio([stdin(normal([getwt(normal(W))]))]), '
        'variable:unwrap(W, T), q(T, R).\nq(f(_), R) :- R = ok.\n', 'ok\n', 0, '',
        nested('f(', 'x', ')') + '.\n'),
}


def run(fleng, text, suffix='.fl', stdin='', options=('-limit', '1M')):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'source' + suffix)
        with open(path, 'wb') as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return subprocess.run([fleng, *options, path], capture_output=True, timeout=600,
                              check=False, input=stdin.encode())


def random_sources(count):
    """Bytes of every kind; and bytes that come in programs."""
    source = random.Random(1)
    common = b"abcXYZ_019 \n\t.,;|:-()[]{}'\"\\%/*+=<>0'"
    for i in range(count):
        n = source.randrange(1, 400)
        if i % 3 == 0:
            yield bytes(source.randrange(256) for _ in range(n))
        else:
            yield bytes(source.choice(common) for _ in range(n))


def changed_programs(count):
    """KL1 programs with bytes changed, parts left out, doubled and mixed."""
    source = random.Random(2)
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs')
    texts = []
    for name in sorted(os.listdir(here)):
        if name.startswith('kl1_') and 'unix:' not in open(os.path.join(here, name)).read():
            with open(os.path.join(here, name), 'rb') as file:
                texts.append(file.read())
    pieces = [b'-S', b'+0', b'~(', b'$~(', b'#', b'(a -> b ; c -> d)', b'otherwise', b'|', b'@', b';',
              b' := ', b' $:= ', b' = ', b'generic:', b':', b'{', b'}', b'[', b')', b', ', b'.\n', b"'"]
    for _ in range(count):
        text = bytearray(source.choice(texts))
        for _ in range(source.randrange(1, 6)):
            at, n = source.randrange(len(text)), source.randrange(1, 30)
            kind = source.randrange(4)
            if kind == 0:
                text[at] = source.randrange(256)
            elif kind == 1:
                del text[at:at + n]
            elif kind == 2:
                text[at:at] = source.choice(pieces)
            else:
                other = source.choice(texts)
                begin = source.randrange(len(other))
                text[at:at] = other[begin:begin + n]
            text = text or bytearray(b' ')
        yield bytes(text)


def odd_files(fleng):
    """Files that are no files, cannot be read, vanish, or have no end."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        def status_of(path, feed=None):
            command = [fleng, path]
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if feed is not None:
                with open(path, 'wb') as pipe:
                    pipe.write(feed)
            out, err = child.communicate(timeout=600)
            return child.returncode, out.decode(), err.decode('utf-8', 'replace')

        def expect(what, found, status, part):
            if found[0] != status or part not in found[1] + found[2]:
                failures.append('%s: %r' % (what, found))

        expect('a folder', status_of(folder), 2, 'Is a directory')
        expect('no file', status_of(os.path.join(folder, 'none.fl')), 2, 'No such file')
        link = os.path.join(folder, 'gone.fl')
        os.symlink(os.path.join(folder, 'nowhere'), link)
        expect('a link to nothing', status_of(link), 2, 'No such file')
        pipe = os.path.join(folder, 'pipe.fl')
        os.mkfifo(pipe)
        expect('a pipe', status_of(pipe, b'main :- writeln(ok).\n'), 0, 'ok')
        if os.path.exists('/proc/self/mem'):
            expect('a file that fails', status_of('/proc/self/mem'), 2, 'cannot read')
        expect('a file without an end', status_of('/dev/zero'), 2, '/dev/zero: cannot read: larger')
        locked = os.path.join(folder, 'locked.fl')
        with open(locked, 'w', encoding='utf-8') as file:
            file.write('main.\n')
        os.chmod(locked, 0)
        if not os.access(locked, os.R_OK): # not for the superuser
            expect('a locked file', status_of(locked), 2, 'Permission denied')
    return failures


def main():
    fleng, count = os.path.abspath(sys.argv[1]), int((sys.argv[2:] or ['300'])[0])
    passed, failures = 0, []
    sources = [(name, '.fl') + tuple(rest) for name, rest in SOURCES.items()]
    sources += [(name, '.kl1') + tuple(rest) for name, rest in KL1_SOURCES.items()]
    for name, suffix, text, out, status, error, *stdin in sources:
        done = run(fleng, text, suffix, *stdin)
        stderr = done.stderr.decode('utf-8', 'replace')
        if (done.stdout.decode(), done.returncode) == (out, status) and error in stderr:
            passed += 1
        else:
            failures.append('%s: exit status %d, %r, %s'
                            % (name, done.returncode, done.stdout[:80], stderr[:300]))
    for options in (['-check'], ['-dump=ast'], ['-dump=ir'], ['-dump=code'], ['-time=ideal']):
        for name, (text, out, status, error) in SOURCES.items():
            done = run(fleng, text, options=options)
            good = (0, 2) if options != ['-time=ideal'] else (status,)
            if done.returncode in good:
                passed += 1
            else:
                failures.append('%s %s: exit status %d' % (options, name, done.returncode))
    failures += odd_files(fleng)
    others = [(text, '.fl') for text in random_sources(count // 2)]
    others += [(text, '.kl1') for text in changed_programs(count)]
    for text, suffix in others:
        done = run(fleng, text, suffix)
        if done.returncode in (0, 1, 2, 3):
            passed += 1
        else:
            failures.append('exit status %d of the source %r' % (done.returncode, text))
    for failure in failures:
        print('FAILED ' + failure)
    print('%d passed, %d failed' % (passed, len(failures)))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
