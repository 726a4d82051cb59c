#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real runs by real time: `paf report`, `paf iotree` and `paf compare` with --clock real, against sums
over every reduction as `paf export --view places` has them.

usage: real_clock.py FLENG PAF
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict

FIB = """
fib(N, R) :- N < 2 | R = N.
fib(N, R) :- N >= 2 | N1 := N - 1, N2 := N - 2, fib(N1, R1), fib(N2, R2), R := R1 + R2.
"""
STREAM = """
main(Z) :- gen(1, 200, S), append(S, [x], Z).
append([H|X], Y, Z) :- Z = [H|Z1], append(X, Y, Z1).
append([], Y, Z) :- Z = Y.
gen(N, M, S) :- N =< M | S = [N|S1], N1 := N + 1, gen(N1, M, S1).
gen(N, M, S) :- N > M | S = [].
"""
RUNS = [('fib', FIB, 'fib(14, R)', ['-j', '1']),
        ('fib', FIB, 'fib(14, R)', ['-j', '2', '-together']),
        ('fib', FIB, 'fib(12, R), fib(N, X)', ['-seed', '3', '-j', '3']),
        ('stream', STREAM, 'main(Z)', ['-j', '2', '-together']),
        ('stream', STREAM, 'append([a], [b], Z)', ['-j', '3'])]


class Test:
    def __init__(self, fleng, paf, folder):
        self.fleng, self.paf, self.folder = fleng, paf, folder
        self.checked = self.failed = 0

    def same(self, what, got, wanted):
        self.checked += 1
        if got != wanted:
            self.failed += 1
            print('FAILED %s: %.300s, not %.300s' % (what, got, wanted))

    def ask(self, *arguments):
        done = subprocess.run([self.paf, *arguments], capture_output=True, timeout=600, check=False)
        self.same(' '.join(arguments), done.returncode, 0)
        return json.loads(done.stdout)

    def record(self, name, text, goal, options):
        source = os.path.join(self.folder, name + '.fl')
        with open(source, 'w', encoding='ascii') as out:
            out.write(text)
        path = os.path.join(self.folder, '%s%s.paf' % (name, ''.join(options).replace('-', '_')))
        subprocess.run([self.fleng, *options, '-trace=' + path, '-e', goal, source], timeout=600,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return path


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def reductions(test, path):
    """(worker, module, start, end), without the beginning."""
    out = os.path.join(test.folder, 'places.json')
    subprocess.run([test.paf, 'export', '--view', 'places', '-o', out, path], timeout=600, check=True)
    with open(out, encoding='utf-8') as file:
        events = [e for e in json.load(file)['traceEvents'] if e['ph'] == 'X']
    os.unlink(out)
    return [('worker %d' % e['tid'], e['cat'], nanoseconds(e['ts']),
             nanoseconds(e['ts']) + nanoseconds(e['dur'])) for e in events if 'goal' in e['args']]


def check_report(test, name, path):
    got = test.ask('report', '--json', '--clock', 'real', path)
    virtual = test.ask('report', '--json', '--clock', 'virtual', path)
    plain = test.ask('report', '--json', path)
    all_of_them = reductions(test, path)
    test.same(name + ' clocks', [x.pop('clock') for x in (got, virtual, plain)],
              ['real', 'virtual', 'real'])
    test.same(name + ' the default clock', plain, virtual)
    for key in ('work', 'span', 'parallelism', 'suspended', 'critical_path', 'findings'):
        test.same('%s %s' % (name, key), got[key], virtual[key])
    test.same(name + ' elapsed', got['elapsed'], max(end for _, _, _, end in all_of_them))
    busy, count = defaultdict(int), defaultdict(int)
    for worker, module, start, end in all_of_them:
        for key in ((worker, module), worker, module, None):
            busy[key] += end - start
            count[key] += 1
    test.same(name + ' profile', sum(got['profile']), busy[None])
    # Of a seeded run there is one thread, whose virtual workers count.
    used = 1 + max(int(worker.split()[1]) for worker, _, _, _ in all_of_them)
    n = max(got['costs']['workers'], used)
    test.same(name + ' names of workers', [worker['name'] for worker in got['workers']],
              ['worker %d' % i for i in range(n)])
    for worker in got['workers']:
        check_worker(test, name, worker, busy, count, got['elapsed'])
    check_costs(test, name, got, busy[None])
    first = min(start for _, _, start, _ in all_of_them)
    test.same(name + ' start', 0 <= got['costs']['start'] <= first, True)
    check_findings(test, name, got)
    check_states(test, name, got)
    test.same(name + ' findings by any clock', got['real_findings'], plain['real_findings'])
    for module in got['modules']:
        check_module(test, name, module, busy, all_of_them)
    return got, all_of_them


def check_costs(test, name, got, busy):
    """They add up, and are bounded by what the workers did."""
    costs = got['costs']
    parts = (costs['chain'], costs['few_workers'], costs['retries']['time'], costs['start'],
             costs['without_goal'])
    test.same(name + ' sum of costs', sum(parts), got['elapsed'])
    test.same(name + ' chain or workers', costs['chain'] + costs['few_workers'],
              max(costs['chain'], busy // costs['workers']))
    test.same(name + ' chain', 0 < costs['chain'] <= busy, True)
    test.same(name + ' sums', [x['count'] >= 0 <= x['time'] for x in
                               (costs['retries'], costs['collector'], costs['locks'])], 3 * [True])


def check_findings(test, name, got):
    """Each price is that of the table of costs; the most expensive one first."""
    costs, found = got['costs'], {f['cause']: f for f in got['real_findings']}
    prices = {'workers': costs['few_workers'], 'no-goal': costs['without_goal'], 'start': costs['start'],
              'retries': costs['retries']['time'], 'collector': costs['collector']['time'],
              'locks': costs['locks']['time']}
    for cause, price in prices.items():
        test.same('%s price of %s' % (name, cause), found.get(cause, {'price': 0})['price'], price)
    order = [f['price'] if f['price'] is not None else -1 for f in got['real_findings']]
    test.same(name + ' order of findings', order, sorted(order, reverse=True))
    test.same(name + ' longest collection', costs['collector']['longest'] <= costs['collector']['time'],
              True)


def check_worker(test, name, worker, busy, count, elapsed):
    title = '%s %s' % (name, worker['name'])
    test.same(title + ' busy', worker['busy'], busy[worker['name']])
    test.same(title + ' idle', worker['idle'], elapsed - busy[worker['name']])
    test.same(title + ' reductions', worker['reductions'], count[worker['name']])
    test.same(title + ' modules', sum(m['reductions'] for m in worker['modules']), worker['reductions'])
    for module in worker['modules']:
        pair = (worker['name'], module['name'])
        test.same('%s %s' % (title, module['name']), (module['time'], module['reductions']),
                  (busy[pair], count[pair]))


def check_states(test, name, got):
    """What a worker did lasts as long as the run, and it reduced in no other state."""
    for worker in got['workers']:
        states = worker.get('states')
        if not states:
            test.same(name + ' states', 'not_given' in got['costs'], False)
            continue
        whole = sum(states.values())
        test.same('%s %s states of %d in %d' % (name, worker['name'], whole, got['elapsed']),
                  whole >= 0.99 * got['elapsed'] - 1e6, True)
        test.same('%s %s busy' % (name, worker['name']),
                  worker['busy'] <= states['busy'] + states['collecting'] + 0.01 * whole + 1e5, True)
        test.same(name + ' not given', 0 <= got['costs']['not_given'] <= got['costs']['without_goal'], True)


def check_module(test, name, module, busy, all_of_them):
    own = [(start, end) for _, m, start, end in all_of_them if m == module['name']]
    title = '%s %s' % (name, module['name'])
    test.same(title + ' busy', (module['busy'], sum(module['profile'])), 2 * (busy[module['name']],))
    test.same(title + ' work', module['work'], len(own))
    if own:
        test.same(title + ' last', module['last'], max(end for _, end in own))
        first = min(start for start, _ in own)
        test.same(title + ' first', module['first'] in (first, first + 1), True)


def check_trees(test, name, path, moments):
    """The same trees; their times are ends of reductions, in the order of cause and effect."""
    virtual = test.ask('iotree', '--json', path)['processes']
    answer = test.ask('iotree', '--json', '--clock', 'real', path)
    test.same(name + ' clock of trees', answer['clock'], 'real')
    test.same(name + ' processes', len(answer['processes']), len(virtual))
    for got, wanted in zip(answer['processes'], virtual):
        for node, other in zip(got['nodes'], wanted['nodes']):
            for list_name in ('inputs', 'outputs'):
                for x, y in zip(node[list_name], other[list_name]):
                    test.same(name + ' names', (x['variable'], x['term']), (y['variable'], y['term']))
                    test.same('%s moment %d' % (name, x['time']), x['time'] in moments, True)


def check_comparison(test, paths, reports):
    got = test.ask('compare', '--json', '--clock', 'real', *paths)
    for key, report in zip('ab', reports):
        test.same('compare ' + key, (got[key]['clock'], got[key]['span'], got[key]['work']),
                  ('real', report['elapsed'], sum(w['busy'] for w in report['workers'])))
    slower = 0 if reports[0]['elapsed'] > reports[1]['elapsed'] else 1
    test.same('compare faster', got['faster'], 'ab'[1 - slower])


def check_more_work(test, ideal, real, report):
    """The real run computes fib(14), the ideal one less: all that is more is told, with what it took."""
    got = test.ask('compare', '--json', ideal, real)
    work, busy = report['work'], sum(w['busy'] for w in report['workers'])
    more = work - test.ask('report', '--json', ideal)['work']
    test.same('more work', (got['more_work']['run'], got['more_work']['reductions']), ('b', more))
    test.same('time of more work', abs(got['more_work']['time'] - busy * more / work) < 2, True)
    test.same('less work', test.ask('compare', '--json', real, real).get('more_work'), None)


def check_ideal(test, real, report):
    path = test.record('ideal', FIB, 'fib(10, R)', ['-time=ideal'])
    check_more_work(test, path, real, report)
    check_no_real_time(test, path)
    done = subprocess.run([test.paf, 'report', '--json', '--clock', 'real', path], timeout=600,
                          capture_output=True, text=True, check=False)
    test.same('ideal', (done.returncode, json.loads(done.stdout)['clock'],
                        'has no real time' in done.stderr), (0, 'virtual', True))


def profile_of(test, path, *options):
    """Sum over time of the parallelism that is exported, in nanoseconds, and the last time."""
    out = os.path.join(test.folder, 'parallelism.json')
    subprocess.run([test.paf, 'export', '--view', 'parallelism', *options, '-o', out, path], timeout=600,
                   check=True)
    with open(out, encoding='utf-8') as file:
        events = [e for e in json.load(file)['traceEvents'] if e['ph'] == 'C']
    os.unlink(out)
    area = sum(sum(e['args'].values()) * (after['ts'] - e['ts']) for e, after in zip(events, events[1:]))
    return area, events[-1]['ts']


def check_exports(test, path, report):
    """Every view by both clocks, and the curve by real time."""
    area, end = profile_of(test, path, '--clock', 'real')
    busy = sum(w['busy'] for w in report['workers'])
    # The last mean is over a whole interval that the run may have ended in.
    most = area * 1000 * 1e-3 + end * 1000 / 2e4 * len(report['workers'])
    test.same('busy in the export, %f of %d' % (area * 1000, busy), abs(area * 1000 - busy) < most, True)
    test.same('end of the export', abs(end * 1000 - report['elapsed']) < 5, True)
    pictures = {}
    for view in ('all', 'parallelism', 'iotree', 'dependencies', 'places', 'costs'):
        for clock in ('real', 'virtual'):
            out = os.path.join(test.folder, '%s-%s.svg' % (view, clock))
            done = subprocess.run([test.paf, 'export', '--view', view, '--clock', clock, '-o', out, path],
                                  timeout=600, capture_output=True, text=True, check=False)
            only_real = view in ('places', 'costs') and clock == 'virtual'
            test.same('export %s %s' % (view, clock), done.returncode, 2 if only_real else 0)
            if not only_real:
                with open(out, encoding='utf-8') as file:
                    pictures[view, clock] = file.read()
    for view in ('all', 'parallelism', 'iotree'):
        test.same('both clocks of ' + view, pictures[view, 'real'] != pictures[view, 'virtual'], True)
    out = os.path.join(test.folder, 'compare.svg')
    done = subprocess.run([test.paf, 'export', '--view', 'compare', '--clock', 'real', '-o', out, path, path],
                          timeout=600, check=False)
    test.same('export of a comparison', done.returncode, 0)


def check_no_real_time(test, path):
    for view in ('all', 'parallelism', 'iotree', 'dependencies', 'costs'):
        out = os.path.join(test.folder, 'none.svg')
        done = subprocess.run([test.paf, 'export', '--view', view, '--clock', 'real', '-o', out, path],
                              timeout=600, capture_output=True, text=True, check=False)
        test.same('ideal run, ' + view, (done.returncode, 'no real time' in done.stderr), (1, True))


def main():
    fleng, paf = (os.path.abspath(a) for a in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        test = Test(fleng, paf, folder)
        paths, reports = [], []
        for name, text, goal, options in RUNS:
            path = test.record(name, text, goal, ['-time=real', *options])
            title = '%s %s' % (name, ' '.join(options))
            report, all_of_them = check_report(test, title, path)
            if '-j' in options and '-seed' not in options:
                check_exports(test, path, report)
            check_trees(test, title, path, {end for _, _, _, end in all_of_them} | {0})
            paths.append(path)
            reports.append(report)
        check_comparison(test, paths[:2], reports[:2])
        check_ideal(test, paths[0], reports[0])
        print('%d checks, %d failed' % (test.checked, test.failed))
        return 1 if test.failed or test.checked < 1000 else 0


if __name__ == '__main__':
    sys.exit(main())
