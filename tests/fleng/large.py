#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sources too large or too odd to keep as files: deep and long terms, long lines, random bytes.

usage: large.py FLENG
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
    'open brackets': ('main :- ' + '[' * DEEP, '', 2, 'a term is expected'),
    'no text': ('', '', 2, 'no main/0'),
    'only a byte order mark': ('\ufeff', '', 2, 'no main/0'),
    'lines that end as in DOS': ('main :-\r\n  % a comment\r\n  writeln(ok).\r\n', 'ok\n', 0, ''),
}


def run(fleng, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'source.fl')
        with open(path, 'wb') as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return subprocess.run([fleng, '-limit', '1M', path], capture_output=True, timeout=120,
                              check=False, stdin=subprocess.DEVNULL)


def random_sources():
    """Bytes of every kind; and bytes that come in programs."""
    source = random.Random(1)
    common = b"abcXYZ_019 \n\t.,;|:-()[]{}'\"\\%/*+=<>0'"
    for i in range(150):
        n = source.randrange(1, 400)
        if i % 3 == 0:
            yield bytes(source.randrange(256) for _ in range(n))
        else:
            yield bytes(source.choice(common) for _ in range(n))


def main():
    fleng = os.path.abspath(sys.argv[1])
    passed, failures = 0, []
    for name, (text, out, status, error) in SOURCES.items():
        done = run(fleng, text)
        stderr = done.stderr.decode('utf-8', 'replace')
        if (done.stdout.decode(), done.returncode) == (out, status) and error in stderr:
            passed += 1
        else:
            failures.append('%s: exit status %d, %r, %s'
                            % (name, done.returncode, done.stdout[:80], stderr[:300]))
    for text in random_sources():
        done = run(fleng, text)
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
