#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of real runs, with several workers and under several schedules of one thread: each is sound,
and has the virtual stamps of the ideal run - every figure of `paf report` and every IO-Tree - where
the definitions promise it. Every golden program, the examples. The ways of a real run go by turns;
with --long each program has all of them, and more.

usage: real.py [--long] FLENG PAF APPS
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from run import Program, collect

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 600

# What the schedule decides.
EXEMPT = re.compile(r'\botherwise\b|\\=|;|\bunbound\b|\bmerge(?:_all)?\b|\btime\(|mktemp')
COMMENT = re.compile(r'%.*')
# Stopped where the schedule has brought them.
CUT_SHORT = ('failed', 'halted', 'stopped', 'interrupted')


class Comparison:
    def __init__(self, fleng, paf, folder, ways):
        self.fleng, self.paf, self.ways = os.path.abspath(fleng), os.path.abspath(paf), ways
        self.by_turns, self.turn = False, 0
        self.ideal = os.path.join(folder, 'ideal.paf')
        self.real = os.path.join(folder, 'real.paf')
        self.passed = self.failed = self.compared = 0

    def say(self, name, good, text):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print('FAILED %s: %s' % (name, text))
        return good

    def ask(self, name, *arguments):
        done = subprocess.run([self.paf, *arguments], capture_output=True, timeout=TIMEOUT,
                              check=False)
        if done.stderr.startswith(b'paf iotree: no process of'): # of goals that were never reduced
            return None
        if self.say(name, done.returncode == 0, 'paf %s: %s' % (arguments[0], done.stderr.decode())):
            return json.loads(done.stdout)
        return None

    def trees(self, name, path, modules):
        return [self.ask(name, 'iotree', '--json', '--module', m, path) for m in modules]

    def figures(self, name, command, promised=True):
        """command(options): command line with these options, standard input, folder."""
        for path in (self.ideal, self.real):
            if os.path.exists(path):
                os.unlink(path)
        ideal = self.execute(command(['-trace=' + self.ideal]))
        if not os.path.exists(self.ideal): # it was not compiled
            return
        wanted = self.ask(name, 'report', '--json', self.ideal)
        info = self.ask(name, 'info', '--json', self.ideal)
        if not wanted or not info:
            return
        modules = [m['name'] for m in wanted['modules']] if wanted['work'] <= LARGE else []
        trees = self.trees(name, self.ideal, modules)
        self.turn += 1
        for way in [self.ways[self.turn % len(self.ways)]] if self.by_turns else self.ways:
            self.against('%s %s' % (name, ' '.join(way)), command, way, promised, ideal,
                         (info, wanted, trees))

    def execute(self, line):
        words, stdin, folder = line
        return subprocess.run(words, input=stdin, capture_output=True, timeout=TIMEOUT, cwd=folder,
                              check=False)

    def against(self, name, command, way, promised, ideal, of_ideal):
        info, wanted, trees = of_ideal
        done = self.execute(command(['-time=real', *way, '-trace=' + self.real]))
        sound = self.ask(name, 'info', '--json', '--verify', self.real)
        if not sound:
            return
        self.say(name, sound['clock'] == 'real', 'clock %s' % sound['clock'])
        got = self.ask(name, 'report', '--json', self.real)
        modules = [m['name'] for m in got['modules']] if got['work'] <= LARGE else []
        got_trees = self.trees(name, self.real, modules)
        if not promised or sound['raced'] or info['ending'] in CUT_SHORT:
            return
        self.compared += 1
        self.say(name, done.returncode == ideal.returncode,
                 'exit status %d, not %d' % (done.returncode, ideal.returncode))
        self.say(name, got.pop('clock') == 'real', 'clock')
        wanted = dict(wanted)
        wanted.pop('clock')
        for key in wanted.keys() | got.keys():
            self.say(name, wanted.get(key) == got.get(key),
                     '%s: %.300s, not %.300s' % (key, got.get(key), wanted.get(key)))
        self.say(name, trees == got_trees, 'IO-Trees: %.300s, not %.300s' % (got_trees, trees))


# For IO-Trees in every way.
LARGE = 50000


def golden(c, path):
    program = Program(path)
    if 'traced' not in program.ways or any(word.startswith('-dump') for word in program.run):
        return
    if any(word.startswith('-until') for word in program.run) or 'cyclic' in path:
        return # the ideal machine's; a term without end
    stdin = ''.join(line + '\n' for line in program.stdin).encode()
    folder = os.path.dirname(os.path.abspath(path))
    with open(path, encoding='utf-8', errors='replace') as file:
        text = COMMENT.sub('', file.read()) + ' '.join(program.run)
    c.figures(os.path.basename(path),
              lambda options: (program.command(c.fleng, options), stdin, folder),
              not EXEMPT.search(text))


RACES = '''
p(a, _, R) :- R = one.
p(_, a, R) :- R = two.
q(X) :- X = a.
n(N, X) :- N > 0 | N1 := N - 1, n(N1, X).
n(0, X) :- X = a.
same(X, Y) :- X = Y.
'''
# A goal, and by its answer how many reductions raced.
RACED = {
    'p(X, Y, R), q(X), q(Y)': {'one': 1, 'two': 1},
    'p(X, Y, R), n(3, X), q(Y)': {'one': 1, 'two': 0},
    'p(X, Y, R), q(X), n(3, Y)': {'one': 0, 'two': 1},
    'p(X, Y, R), n(3, X)': {'one': 0},
    'p(X, Y, R), n(3, Y)': {'two': 0},
}


def races(c, folder):
    """What the trace says of races."""
    path = os.path.join(folder, 'races.fl')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(RACES)
    for goal, wanted in RACED.items():
        for way in c.ways:
            name = '%s %s' % (goal, ' '.join(way))
            done = c.execute(([c.fleng, '-time=real', *way, '-trace=' + c.real, '-e', goal, path],
                              b'', folder))
            answer = re.search(rb'R = (\w+)', done.stdout)
            sound = c.ask(name, 'info', '--json', '--verify', c.real)
            c.say(name, answer and sound and sound['raced'] == wanted.get(answer[1].decode()),
                  '%s, raced: %s' % (done.stdout, sound and sound['raced']))


MERGED = '''
g(0, S) :- S = [].
g(N, S) :- N > 0 | S = [N|S1], N1 := N - 1, g(N1, S1).
len([], N, R) :- R = N.
len([_|L], N, R) :- N1 := N + 1, len(L, N1, R).
main :- g(300, A), g(400, B), g(50, C), merge([merge(A), merge(B), merge(C)], O), len(O, 0, _).
'''


def merging(c, folder):
    """Whatever order items come in, all that was reduced is in the trace."""
    path = os.path.join(folder, 'merged.fl')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(MERGED)
    c.execute(([c.fleng, '-trace=' + c.ideal, path], b'', folder))
    wanted = c.ask('merging', 'info', '--json', c.ideal)['reductions']
    for way in c.ways:
        c.execute(([c.fleng, '-time=real', *way, '-trace=' + c.real, path], b'', folder))
        sound = c.ask('merging', 'info', '--json', '--verify', c.real)
        c.say('merging %s' % ' '.join(way), sound and sound['reductions'] == wanted,
              '%s reductions, not %s' % (sound and sound['reductions'], wanted))


def seeded(c, folder):
    """A seed and a trace mean the run that the seed schedules."""
    path = os.path.join(folder, 'merged.fl')
    for more in ([], ['-time=real'], ['-cost', 'len/3=2']):
        words = [c.fleng, '-seed', '7', '-j', '3', '-trace=' + c.real, *more, path]
        done = c.execute((words, b'', folder))
        sound = c.ask('seeded', 'info', '--json', '--verify', c.real)
        c.say('seeded %s' % more, done.returncode == 0 and sound['clock'] == 'real' and
              sound['workers'] == 3, '%s %s' % (done.stderr, sound))
    for more in (['-time=ideal'], ['-until', '9']):
        done = c.execute(([c.fleng, '-seed', '7', '-trace=' + c.real, *more, path], b'', folder))
        c.say('seeded %s' % more, done.returncode == 2 and b'ideal machine' in done.stderr,
              '%s' % done.stderr)


def places(c, folder):
    """The workers, as events for other viewers."""
    path = os.path.join(folder, 'races.fl')
    out = os.path.join(folder, 'places.json')
    for way in c.ways:
        name = 'places %s' % ' '.join(way)
        c.execute(([c.fleng, '-time=real', *way, '-trace=' + c.real, '-e',
                    'n(300, X), n(200, X)', path], b'', folder))
        done = c.execute(([c.paf, 'export', '--view', 'places', '-o', out, c.real], b'', folder))
        info = c.ask(name, 'info', '--json', c.real)
        if not c.say(name, done.returncode == 0, done.stderr) or not info:
            continue
        with open(out, encoding='utf-8') as file:
            events = json.load(file)['traceEvents']
        reductions = [e for e in events if e['ph'] == 'X']
        threads = [e for e in events if e['name'] == 'thread_name']
        c.say(name, len(reductions) == info['reductions'] + 1, '%d events' % len(reductions))
        c.say(name, len(threads) == info['workers'], '%d threads' % len(threads))
        for worker in range(info['workers']):
            mine = sorted((e['ts'], e['ts'] + e['dur']) for e in reductions if e['tid'] == worker)
            c.say(name, all(a[1] <= b[0] + 0.001 for a, b in zip(mine, mine[1:])),
                  'worker %d does two things at once' % worker)
    done = c.execute(([c.paf, 'export', '--view', 'places', '-o', out + '.png', c.real], b'', folder))
    c.say('places', done.returncode == 0 and os.path.getsize(out + '.png') > 1000, done.stderr)
    c.execute(([c.fleng, '-trace=' + c.ideal, '-e', 'n(300, X)', path], b'', folder))
    done = c.execute(([c.paf, 'export', '--view', 'places', '-o', out, c.ideal], b'', folder))
    c.say('places', done.returncode == 1 and b'has no places' in done.stderr, done.stderr)
    done = c.execute(([c.paf, 'export', '--view', 'parallelism', '-o', out, c.ideal], b'', folder))
    wanted = c.ask('parallelism', 'report', '--json', c.ideal)
    with open(out, encoding='utf-8') as file:
        counts = [e['args'] for e in json.load(file)['traceEvents'] if e['ph'] == 'C']
    c.say('parallelism', [sum(e.values()) for e in counts] == [0] + wanted['profile'] + [0],
          '%s' % counts)


def main():
    parser = argparse.ArgumentParser(description='Compares real runs with ideal ones.')
    parser.add_argument('--long', action='store_true', help='one worker, more schedules')
    parser.add_argument('fleng')
    parser.add_argument('paf')
    parser.add_argument('apps')
    parser.add_argument('files', nargs='*')
    options = parser.parse_args()
    ways = [['-j', '2'], ['-j', '16'], ['-j', '3', '-seed', '0']]
    if options.long:
        ways += [['-j', '1']] + [['-j', '3', '-seed', str(seed)] for seed in range(1, 40)]
    with tempfile.TemporaryDirectory() as folder:
        c = Comparison(options.fleng, options.paf, folder, ways)
        c.by_turns = not options.long
        for path in collect(options.files or [os.path.join(HERE, 'programs')]):
            golden(c, path)
        best = os.path.join(os.path.abspath(options.apps), 'bestpath')
        for name in [] if options.files else ('a.fl', 'b.fl'):
            c.figures('bestpath ' + name, lambda more, name=name: (
                [c.fleng] + more + [name, '--', 'small.gr', '1'], b'', best), promised=False)
        races(c, folder)
        places(c, folder)
        merging(c, folder)
        seeded(c, folder)
        print('%d passed, %d failed; %d runs compared' % (c.passed, c.failed, c.compared))
        return 1 if c.failed else 0


if __name__ == '__main__':
    sys.exit(main())
