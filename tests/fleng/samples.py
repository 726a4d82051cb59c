#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A file of samples (-trace-sample) has the same number of each worker, and sums that agree; waiting for
input is idle; a run that is killed leaves the samples until then. Commands say what the file lacks.

usage: samples.py FLENG PAF
"""

import json
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from traces import TIMEOUT, Checks  # noqa: E402 - beside this file

STATES = ('busy', 'looking', 'idle', 'collecting')

LISTS = ('main :- lists(40, 0, N), writeln(N).\n'
         'lists(K, N, R) :- K > 0 | list(20000, L), length(L, M), N1 := N + M, K1 := K - 1,\n'
         '    lists(K1, N1, R).\n'
         'lists(0, N, R) :- R = N.\n'
         'list(N, L) :- N > 0 | L = [N|L1], N1 := N - 1, list(N1, L1).\n'
         'list(0, L) :- L = [].\n')
ENDLESS = 'main :- loop(0).\nloop(N) :- N1 := N + 1, loop(N1).\n'
ASKING = 'main :- stdin(S), done(S).\ndone([_|_]) :- writeln(read).\n'


class Samples(Checks):
    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as f:
            f.write(text)

    def check_sums(self, name, report, workers):
        samples, every = report['samples'], report['every']
        self.check(name, len(report['workers']) == workers and samples > 0, report)
        for w in report['workers']:
            self.check(f'{name}: {w["name"]}', sum(w[s] for s in STATES) == samples * every, w)
            for s in STATES:
                self.check(f'{name}: {w["name"]} {s}', sum(w['timeline'][s]) == w[s])
        for s in STATES:
            self.check(f'{name}: all {s}', report['all'][s] == sum(w[s] for w in report['workers']))
        self.check(name, report['work'] is None and report['clock'] == 'real', report)

    def workers(self, workers, every, value):
        name = f'{workers} workers, every {every}'
        done = self.run('-trace-sample', every, '-trace=s.paf', '-j', str(workers), '-together',
                        'lists.fl')
        self.check(name, done.returncode == 0 and done.stdout == '800000\n', done.stderr)
        report = self.report('s.paf')
        self.check_sums(name, report, workers)
        self.check(name, report['every'] == value, report['every'])
        self.check(name, report['workers'][0]['busy'] > 0, report['workers'][0])
        self.check(name, self.sound('s.paf'), 'not sound')

    def collector(self):
        self.run('-trace-sample', '1', '-j', '1', '-gc-stress', '200', '-trace=gc.paf', '-e',
                 'list(2000, L), length(L, N)', 'lists.fl')
        report = self.report('gc.paf')
        self.check_sums('collections', report, 1)
        self.check('collections', report['all']['collecting'] > 0, report['all'])

    def default_name(self):
        self.run('-trace-sample', '1M', 'lists.fl')
        self.check('default name', self.sound('lists.paf'), 'no such file')

    def input(self):
        p = subprocess.Popen([self.fleng, '-j', '1', '-trace-sample', '10k', '-trace=in.paf', 'asks.fl'],
                             cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            idle = self.wait_until('in.paf', lambda r: r['all']['idle'] > 3e8)
            self.check('input', idle, 'a worker that waits for input is not idle')
            out = p.communicate('line\n', timeout=TIMEOUT)[0]
            self.check('input', out == 'read\n' and p.returncode == 0, out)
        finally:
            p.kill()
        report = self.report('in.paf')
        self.check_sums('input', report, 1)

    def wait_until(self, name, said):
        """Asks the file of a run that goes on, which is not complete."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            done = self.command(self.paf, 'report', '--json', name)
            if done.stdout and said(json.loads(done.stdout)):
                return True
            time.sleep(0.05)
        return False

    def killed(self):
        p = subprocess.Popen([self.fleng, '-j', '2', '-trace-sample', '50k', '-trace=k.paf', 'endless.fl'],
                             cwd=self.folder)
        some = self.wait_until('k.paf', lambda r: r['samples'] > 10000)
        p.kill()
        p.wait()
        self.check('killed', some, 'the file does not grow while the program runs')
        done = self.command(self.paf, 'report', '--json', 'k.paf')
        self.check('killed', done.returncode == 1 and 'the file ends before the run did' in done.stderr,
                   done.stderr)
        report = json.loads(done.stdout)
        self.check_sums('killed', report, 2)
        self.check('killed', report['workers'][0]['busy'] > 0 and report['samples'] > 10000, report)

    def interrupted(self):
        done = self.run('-trace-sample', '50k', '-trace=t.paf', '-time-limit', '1', 'endless.fl')
        self.check('interrupted', done.returncode == 142, done.stderr)
        self.check('interrupted', self.sound('t.paf'), 'not sound')

    def picture(self, *words):
        done = self.command(self.paf, 'export', '-o', 'samples.svg', *words, 's.paf')
        self.check('export', done.returncode == 0, done.stderr)
        with open(os.path.join(self.folder, 'samples.svg'), encoding='utf-8') as file:
            return file.read()

    def commands(self):
        text = self.command(self.paf, 'report', 's.paf').stdout
        self.check('text', all(s in text for s in STATES) and 'a letter' in text and 'all' in text, text)
        csv = self.command(self.paf, 'report', '--csv', 's.paf').stdout
        self.check('csv', 'worker,busy,looking,idle,collecting' in csv and '\ntime,worker,' in csv, csv)
        info = json.loads(self.command(self.paf, 'info', '--json', 's.paf').stdout)
        self.check('info', info['kind'] == 'samples' and info['reductions'] == 0, info)
        for words in (['iotree', '--module', 'main'], ['simulate', '--processors', '2'],
                      ['whatif', '--processors', '2'], ['export', '--view', 'iotree', '-o', 'x.svg'],
                      ['export', '--table', 'units', '-o', 'x.svg'],
                      ['export', '--view', 'places', '-o', 'x.json']):
            done = self.command(self.paf, *words, 's.paf')
            self.check(str(words), done.returncode == 1 and 'samples' in done.stderr, done.stderr)
        pictures = [self.picture(*words)
                    for words in ([], ['--view', 'places'], ['--from', '1000', '--to', '90000'])]
        self.check('pictures', pictures[0] == pictures[1] != pictures[2], 'not those of views and windows')
        done = self.command(self.paf, 'export', '-o', 'x.svg', '--from', '1e18', 's.paf')
        self.check('beyond the end', done.returncode == 1 and 'the run ends at' in done.stderr, done.stderr)
        done = self.command(self.paf, 'compare', 's.paf', 's.paf')
        self.check('compare', done.returncode == 1 and 'samples' in done.stderr, done.stderr)

    def refusals(self):
        for options, words in ((['-trace-sample', '0'], 'out of range'),
                               (['-trace-sample', 'often'], 'takes a number'),
                               (['-trace-sample', '1k', '-time=real'], 'leave -time out'),
                               (['-trace-sample', '1k', '-time=ideal'], 'leave -time out'),
                               (['-trace-sample', '1k', '-until', '9'], 'leave -until out'),
                               (['-trace-sample', '1k', '-profile'], 'leave -profile out'),
                               (['-trace-sample', '1k', '-seed', '3'], 'leave -seed out'),
                               (['-trace-sample', '1k', '-trace-limit', '1M'], 'no reductions'),
                               (['-trace-sample', '1k', '-trace=no/dir/x.paf'], 'no/dir/x.paf')):
            done = self.run(*options, 'lists.fl')
            self.check(str(options), done.returncode == 2 and words in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        c = Samples(sys.argv[1], sys.argv[2], folder)
        c.write('lists.fl', LISTS)
        c.write('endless.fl', ENDLESS)
        c.write('asks.fl', ASKING)
        for workers, every, value in ((1, '100k', 100000), (2, '7', 7), (3, '1M', 1000000),
                                      (2, '1G', 1000000000)):
            c.workers(workers, every, value)
        c.commands()
        c.collector()
        c.default_name()
        c.input()
        c.killed()
        c.interrupted()
        c.refusals()
        return c.told()


if __name__ == '__main__':
    sys.exit(main())
