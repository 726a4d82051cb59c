#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`paf compare` says what became of the findings of the first run.

Pairs of programs whose cause is known: removed, left, shifted to other lines, made smaller, removed
while something else grew; runs that do not compare; every run against itself.

usage: compare.py FLENG PAF MEASURED TRACE...
       MEASURED makes a measured trace; the TRACEs are compared with themselves
"""

import json
import os
import subprocess
import sys
import tempfile

# deliver/3 hands on its list only when it is through, and audit/3 begins then.
LATE = '''main :- deliver(%(items)s, %(list)s, Sent), audit(Sent, 0, Sum), writeln(Sum).

deliver([X|Xs], All, Sent) :- X1 := X + 1, deliver(X1, Xs, All, Sent).
deliver([], All, Sent) :- Sent = All.

deliver(Y, Xs, All, Sent) :- Y > 0 | deliver(Xs, All, Sent).

audit([X|Xs], A, Sum) :- A1 := A + X, audit(Xs, A1, Sum).
audit([], A, Sum) :- Sum = A.
'''
# The same repaired: the list goes to audit/3 at once. %(more)s is done beside it.
SOON = '''main :- deliver(%(items)s), audit(%(list)s, 0, Sum), writeln(Sum)%(more)s.

deliver([X|Xs]) :- X1 := X + 1, deliver(X1, Xs).
deliver([]).

deliver(Y, Xs) :- Y > 0 | deliver(Xs).

audit([X|Xs], A, Sum) :- A1 := A + X, audit(Xs, A1, Sum).
audit([], A, Sum) :- Sum = A.

polish(N) :- N > 0, N1 := N - 1 | polish(N1).
polish(0).
'''
# Two causes, one behind the other.
TWO = '''main :- first([1,2,3,4,5,6,7,8], [9,8,7,6], A), second(A, [1,2,3,4,5,6], [4,5,6,7], B), sum(B, 0, S),
    writeln(S).

first([X|Xs], All, Out) :- X > 0 | first(Xs, All, Out).
first([], All, Out) :- Out = All.

second([_|As], Xs, All, Out) :- second(As, Xs, All, Out).
second([], [X|Xs], All, Out) :- X > 0 | second([], Xs, All, Out).
second([], [], All, Out) :- Out = All.

sum([X|Xs], A, S) :- A1 := A + X, sum(Xs, A1, S).
sum([], A, S) :- S = A.
'''
TWO_ONE_LEFT = TWO.replace('first([1,2,3,4,5,6,7,8], [9,8,7,6], A)', 'A = [9,8,7,6]')


def numbers(n):
    return '[%s]' % ','.join(str(i) for i in range(1, n + 1))


class Tester:
    def __init__(self, fleng, paf, folder):
        self.fleng, self.paf, self.folder = fleng, paf, folder
        self.passed = self.failed = 0

    def check(self, what, condition, detail=''):
        self.passed += bool(condition)
        self.failed += not condition
        if not condition:
            print('FAILED: %s\n  %s' % (what, detail))

    def trace(self, name, text, *options):
        source = os.path.join(self.folder, name + '.fl')
        trace = os.path.join(self.folder, name + '.paf')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(text)
        subprocess.run([self.fleng, '-trace=' + trace, *options, source], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=600, check=False)
        return trace

    def asked(self, *arguments):
        done = subprocess.run([self.paf, *arguments], stdout=subprocess.PIPE, timeout=300,
                              stderr=subprocess.PIPE, text=True, check=False)
        self.check(' '.join(arguments) + ': ends well', done.returncode == 0,
                   '%d %s' % (done.returncode, done.stderr))
        return done.stdout

    def compared(self, a, b):
        return json.loads(self.asked('compare', '--json', a, b))

    def span(self, trace):
        return json.loads(self.asked('report', '--json', trace))['span']

    def one(self, what, found, fate, line=4):
        """The finding of deliver/3 and what became of it."""
        rows = [f for f in found['findings'] if f['predicate'] == 'deliver/3']
        self.check(what + ': the finding is there', len(rows) == 1, repr(found['findings']))
        row = rows[0] if rows else dict.fromkeys(('kind', 'fate', 'line', 'why', 'left'), '')
        self.check('%s: %s' % (what, fate), row['fate'] == fate and row['kind'] == 'alias' and
                   row['line'] in (line, line - 1, line + 1), repr(row))
        return row

    # ---- Fleng programs --------------------------------------------------------------------------

    def known(self):
        late = self.trace('late', LATE % {'items': numbers(20), 'list': numbers(12)})
        soon = self.trace('soon', SOON % {'items': numbers(20), 'list': numbers(12), 'more': ''})
        found = self.compared(late, soon)
        row = self.one('removed', found, 'gone')
        achieved = 1 - self.span(soon) / self.span(late)
        self.check('removed: achieved', abs(row['achieved'] - achieved) < 1e-9 and
                   abs(found['achieved'] - achieved) < 1e-9 and row['left'] == 0, repr(row))
        self.check('removed: as predicted', row['why'] == 'as predicted' and
                   abs(row['predicted'] - achieved) <= 0.05, repr(row))
        text = self.asked('compare', late, soon)
        self.check('removed: as text', 'alias at deliver/3 (late.fl:%d): gone; predicted −%.0f %%, '
                   'achieved −%.0f %%\n   as predicted' % (
                       row['line'], 100 * row['predicted'], 100 * achieved) in text, text)
        self.shifted(late)
        self.smaller(late)
        self.grown(late)
        self.shorter(late)
        self.stopped(late)

    def shifted(self, late):
        text = LATE % {'items': numbers(20), 'list': numbers(12)}
        moved = self.trace('moved', '%\n%\n%\n%\n' + text)
        row = self.one('shifted', self.compared(late, moved), 'still there')
        self.check('shifted: all of it is left', abs(row['left'] - row['predicted']) < 1e-9 and
                   row['achieved'] == 0, repr(row))
        self.check('shifted: says the line', 'in line %d' % (row['line'] + 4) in row['why'], repr(row))

    def smaller(self, late):
        short = self.trace('short', LATE % {'items': numbers(20), 'list': numbers(5)})
        row = self.one('smaller', self.compared(late, short), 'smaller')
        self.check('smaller: something is left', 0 < row['left'] < row['predicted'] and
                   'instead of' in row['why'], repr(row))

    def grown(self, late):
        """The cause is gone, but there is something else to do that takes its time."""
        grown = self.trace('grown', SOON % {'items': numbers(20), 'list': numbers(12),
                                            'more': ', polish(90)'})
        row = self.one('grown', self.compared(late, grown), 'gone')
        self.check('grown: says what took over', row['achieved'] < row['predicted'] - 0.05 and
                   'polish/1 has 9' in row['why'] and 'the work is' in row['why'], repr(row))

    def shorter(self, late):
        """More is gone than the cause."""
        short = self.trace('shorter', SOON % {'items': numbers(8), 'list': numbers(12), 'more': ''})
        row = self.one('shorter', self.compared(late, short), 'gone')
        self.check('shorter: says what is less', row['achieved'] > row['predicted'] + 0.05 and
                   'instead of' in row['why'], repr(row))

    def stopped(self, late):
        stopped = self.trace('stopped', LATE % {'items': numbers(20), 'list': numbers(12)},
                             '-until', '15')
        for a, b in ((late, stopped), (stopped, late)):
            found = self.compared(a, b)
            self.check('stopped: nothing is achieved', found['achieved'] is None and
                       all(f['achieved'] is None for f in found['findings']), repr(found))

    def two(self):
        a, b = self.trace('two', TWO), self.trace('two_one_left', TWO_ONE_LEFT)
        other = self.trace('other', 'main :- alone(3).\nalone(N) :- N > 0, N1 := N - 1 | alone(N1).\nalone(0).\n')
        for x, y, doubt in ((a, b, False), (a, other, True), (other, a, True)):
            self.check('are they one program?', ('are they the same program' in self.asked('compare', x, y)) == doubt,
                       '%s %s' % (x, y))
        fates = {f['predicate']: f['fate'] for f in self.compared(a, b)['findings']}
        self.check('two causes, one removed', fates.get('first/3') == 'gone' and
                   fates.get('second/4') == 'still there', repr(fates))

    # ---- any run ---------------------------------------------------------------------------------

    def itself(self, trace):
        found = self.compared(trace, trace)
        name = os.path.basename(trace)
        self.check(name + ' against itself', not found['new'] and
                   found['achieved'] in (0, None) and
                   all(f['fate'] == 'still there' and abs(f['left'] - f['predicted']) < 1e-9
                       for f in found['findings']), repr(found['findings']))
        shown = json.loads(self.asked('report', '--json', trace))['findings']
        keys = ('kind', 'file', 'line', 'predicate')
        self.check(name + ': the findings of the report, in their order',
                   [[f[k] for k in keys] for f in shown] ==
                   [[f[k] for k in keys] for f in found['findings']], repr(shown))

    def measured(self, make):
        traces = []
        for shape in (('2', '3'), ('8', '20')):
            traces.append(os.path.join(self.folder, 'measured%s.paf' % shape[0]))
            subprocess.run([make, *shape, traces[-1]], check=True, timeout=600)
            self.itself(traces[-1])
        self.asked('compare', *traces)
        late = os.path.join(self.folder, 'late.paf')
        for a, b in ((late, traces[0]), (traces[0], late)):
            found = self.compared(a, b)
            self.check('measured beside steps: nothing is achieved', found['achieved'] is None,
                       repr(found['achieved']))


def main():
    fleng, paf, make = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(fleng, paf, folder)
        tester.known()
        tester.two()
        for trace in [os.path.join(folder, name) for name in ('late.paf', 'two.paf')] + sys.argv[4:]:
            tester.itself(trace)
        if make != '-':
            tester.measured(make)
    print('%d passed, %d failed' % (tester.passed, tester.failed))
    return 1 if tester.failed else 0


if __name__ == '__main__':
    sys.exit(main())
