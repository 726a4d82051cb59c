#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A trace with -trace-limit never is larger, ends with a step, and is what the run had until then;
the run itself goes on as it would have.

usage: trace_limit.py FLENG PAF
"""

import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

from traces import Checks  # noqa: E402 - beside this file

CUT = re.compile(r'it has (\d+) of (\d+) reductions, steps 1 to (\d+) of (\d+)\n'
                 r' *\(-trace-limit (\d+) would have been enough')

# Steps of a few reductions and of thousands, strings that come late, goals that wait at the end.
WIDE = '''
main :- argv([A]), number_string(N, A), tree(N, R), texts(60, S), writeln(R), length(S, L), put(L).
tree(0, R) :- R = 1.
tree(N, R) :- N > 0 | N1 := N - 1, tree(N1, A), tree(N1, B), R := A + B.
texts(0, S) :- S = [].
texts(N, S) :- N > 0 | number_string(N, T), string_concat("text ", T, U), S = [U|S1],
    N1 := N - 1, texts(N1, S1).
put(L) :- writeln(L).
'''
# Each step has a long text of its own.
FACTORIALS = '''
main :- argv([A]), number_string(N, A), product(1, N, 1, R), L := R mod 1000003, writeln(L).
product(I, N, P, R) :- I > N | R = P.
product(I, N, P, R) :- I =< N | Q := P * I, I1 := I + 1, product(I1, N, Q, R).
'''
DEADLOCK = '''
main :- argv([A]), number_string(N, A), many(N, X), never(X).
many(0, _).
many(N, X) :- N > 0 | wait_for(X, N), N1 := N - 1, many(N1, X).
wait_for(a, _).
never(_).
'''


class Limits(Checks):
    def cut(self, name, program, argument, limit, whole):
        """A limit that is too small: what is there is what the run had until that step."""
        options = ['-trace=cut.paf', '-trace-limit', str(limit)]
        done = self.run(*options, program, '--', argument)
        said = CUT.search(done.stderr)
        self.check(name, (done.stdout, done.returncode) == (whole.stdout, whole.returncode),
                   'the run is another one')
        self.check(name, said, f'nothing is said: {done.stderr}')
        cut = self.bytes('cut.paf')
        self.check(name, len(cut) <= limit, f'{len(cut)} bytes')
        self.check(name, self.sound('cut.paf'), 'not sound')
        self.run(*options, program, '--', argument)
        self.check(name, self.bytes('cut.paf') == cut, 'other bytes the second time')
        report = self.report('cut.paf')
        if not said:
            return
        recorded, all_, last, span, enough = map(int, said.groups())
        told = report.pop('cut', {})
        report.pop('notes', None)   # how the runs ended
        self.check(name, (told.get('work'), told.get('span'), told.get('bytes')) ==
                   (all_, span, enough), f'the report says {told}')
        self.check(name, report['work'] == recorded and report['span'] == last,
                   f'{report["work"]} reductions, span {report["span"]}: {said.group(0)}')
        self.run('-trace=until.paf', '-until', str(last), program, '--', argument)
        until = self.report('until.paf')
        until.pop('notes', None)
        self.check(name, until == report, 'other figures than until that step')

    def program(self, name, text, argument, limits):
        program = name + '.fl'
        with open(os.path.join(self.folder, program), 'w', encoding='utf-8') as f:
            f.write(text)
        whole = self.run('-trace=whole.paf', program, '--', argument)
        full = self.bytes('whole.paf')
        for limit in (int(x * len(full)) if x < 1 else x for x in limits):
            self.cut(f'{name}, {limit} bytes', program, argument, limit, whole)
        done = self.run('-trace=cut.paf', '-trace-limit', str(len(full) - 1), program, '--',
                        argument)
        enough = CUT.search(done.stderr)
        self.check(name, enough, 'nothing is said a byte below')
        size = enough.group(5) if enough else '1G'
        self.run('-trace=cut.paf', '-trace-limit', size, program, '--', argument)
        self.check(name, self.bytes('cut.paf') == full, f'{size} bytes is not enough')

    def real(self, name, argument, limit):
        options = ['-time=real', '-j', '2', '-trace=real.paf', '-trace-limit', str(limit)]
        done = self.run(*options, name + '.fl', '--', argument)
        self.check('real run', CUT.search(done.stderr) and done.returncode == 0, done.stderr)
        self.check('real run', len(self.bytes('real.paf')) <= limit and self.sound('real.paf'),
                   'too large, or damaged')

    def comparison(self):
        self.run('-trace=all.paf', 'wide.fl', '--', '8')
        self.run('-trace=some.paf', '-trace-limit', '8k', 'wide.fl', '--', '14')
        done = self.command(self.paf, 'compare', 'all.paf', 'some.paf')
        self.check('comparison', 'some.paf did not run to its end (cut at its size)' in done.stdout,
                   done.stdout + done.stderr)

    def refusals(self):
        for options, words in ((['-trace=no.paf', '-trace-limit', '700'], 'has at least'),
                               (['-trace-limit', '1M'], 'needs -trace'),
                               (['-trace', '-trace-limit', 'much'], 'takes a size')):
            done = self.run(*options, 'wide.fl', '--', '3')
            self.check(str(options), done.returncode == 2 and words in done.stderr, done.stderr)
        self.check('no file', not os.path.exists(os.path.join(self.folder, 'no.paf')))
        link = os.path.join(self.folder, 'link.paf')
        os.symlink(os.devnull, link)
        self.run('-trace=link.paf', '-trace-limit', '700', 'wide.fl', '--', '3')
        self.check('what is no plain file stays', os.path.islink(link), 'it was removed')


def main():
    with tempfile.TemporaryDirectory() as folder:
        c = Limits(sys.argv[1], sys.argv[2], folder)
        c.program('wide', WIDE, '14', (7000, 20000, 60000, 100000))
        c.program('factorials', FACTORIALS, '1500', (0.3, 0.9, 0.99))
        c.program('deadlock', DEADLOCK, '20000', (5000, 9000))
        c.real('wide', '14', 50000)
        c.comparison()
        c.refusals()
        return c.told()


sys.exit(main())
