#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Chrome traces: what is known of them, as others write them and as Paf does; and damaged ones."""

import json
import sys
import tempfile

sys.dont_write_bytecode = True

from imports import check, imported, refused, report, run, slices  # noqa: E402 - beside this file

BRIDGE, PAF, FLENG = sys.argv[1:4]


def written(folder, text):
    path = folder + '/t.json'
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text if isinstance(text, str) else json.dumps(text))
    return path


def event(phase, time, name='', thread=1, **more):
    return dict(ph=phase, ts=time, pid=1, tid=thread, name=name, **more)


NAMES = [dict(ph='M', pid=1, name='process_name', args={'name': 'app'}),
         dict(ph='M', pid=1, tid=1, name='thread_name', args={'name': 'main'})]


def nested_slices(folder):
    """Slices in slices, in any order in the file."""
    events = NAMES + [event('X', 20, 'inner', dur=10), event('X', 0, 'outer', dur=100),
                      event('X', 20, 'innermost', dur=5), event('B', 50, 'by hand'), event('E', 60)]
    told = imported(BRIDGE, written(folder, {'traceEvents': events}), folder + '/t.paf')
    check(told.endswith('1 places, 6 activities\n'), told)
    found = slices(PAF, folder + '/t.paf', folder + '/s.json')
    check([s[:4] for s in found] == [('main', 0, 20000, 'outer'), ('main', 20000, 25000, 'innermost'),
                                     ('main', 25000, 30000, 'inner'), ('main', 30000, 50000, 'outer'),
                                     ('main', 50000, 60000, 'by hand'), ('main', 60000, 100000, 'outer')],
          found)


def flows_are_dependences(folder):
    """The second thread begins at 50 what the first one had made until 39: a chain of 39 + 30."""
    events = [event('X', 0, 'make', dur=40), event('X', 40, 'rest', dur=10),
              event('s', 39, 'job', id=1, cat='c'), event('f', 45, 'job', 2, id=1, cat='c'),
              event('X', 50, 'use', 2, dur=30)]
    imported(BRIDGE, written(folder, events), folder + '/t.paf')
    r = report(PAF, folder + '/t.paf')
    edges = [(d['from'], d['to']) for d in r['dependencies']]
    check(edges == [('make', 'use')], edges)
    done = run(PAF, 'report', '--json', '--clock', 'virtual', folder + '/t.paf')
    check(json.loads(done.stdout)['span'] == 69000, json.loads(done.stdout)['span'])


def what_is_left_out_is_told(folder):
    events = [event('X', 0, 'a', dur=1), event('C', 0, 'memory', args={'used': 1}), event('C', 1, 'memory'),
              event('E', 5), event('B', 6, 'open'), event('f', 7, 'j', id=9)]
    told = imported(BRIDGE, written(folder, events), folder + '/t.paf')
    for part in ('2 events with ph C are left out: counters', '1 ends of slices that had not begun',
                 '1 slices had not ended', '1 flows arrive and had not begun'):
        check(part in told, part, told)


def names_are_only_names(folder):
    name = 'a"<b>\u202e\n\x1b[31m=1+1\u00fc'
    events = [event('X', 0, name, dur=1), event('X', 2, '', dur=1)]
    imported(BRIDGE, written(folder, events), folder + '/t.paf')
    found = [s[3] for s in slices(PAF, folder + '/t.paf', folder + '/s.json')]
    check(len(found) == 2 and not any(c in found[0] for c in '\n\x1b\u202e') and '\u00fc' in found[0], found)


def paf_writes_what_is_read(folder):
    with open(folder + '/p.fl', 'w', encoding='utf-8') as file:
        file.write('f(N, R) :- N > 0 | M := N - 1, f(M, S), R := S + N.\nf(0, R) :- R = 0.\n')
    done = run(FLENG, '-trace=' + folder + '/p.paf', '-e', 'f(20,R)', folder + '/p.fl')
    check(done.returncode == 0, done.stderr)
    check(run(PAF, 'export', '--view', 'places', '--processors', '2', '-o', folder + '/p.json',
              folder + '/p.paf').returncode == 0, 'export')
    imported(BRIDGE, folder + '/p.json', folder + '/q.paf')
    with open(folder + '/p.json', encoding='utf-8') as file:
        events = [e for e in json.load(file)['traceEvents'] if e['ph'] == 'X' and e['dur'] > 0]
    first = slices(PAF, folder + '/q.paf', folder + '/q.json')
    check([s[1:4] for s in first if s[2] > s[1]] ==
          [(e['ts'] * 1000, (e['ts'] + e['dur']) * 1000, e['name'].split('/')[0])
           for e in sorted(events, key=lambda e: (e['tid'], e['ts']))], len(first), len(events))


def damaged_files(folder):
    good = json.dumps({'traceEvents': [event('X', 1.5, 'a', dur=2)]})
    for text, *parts in (
            (good[:-1], 'the file ends within its object'), (good[:-2], 'the file ends within its events'),
            ('{"traceEvents": [\n{"ph": "X",\n"ts": }]}', 'line 3, byte 37: a value is expected'),
            ('[{"ph": "X", "name": "a"}]', 'an event without `ts`'), ('[{"ts": 1}]', 'without `ph`'),
            ('[1]', 'line 1, byte 1: an event is expected'), ('[{"ph":"X","ts":1e300}]', 'no time'),
            ('[{"ph":"X","ts":1,"dur":-1}]', 'negative length'), ('{"a": 1}', 'no `traceEvents`'),
            ('[{"ph":"X","ts":1,"name":"\\x"}]', 'an escape'), ('[] 1', 'goes on after its end'),
            ('[{"ph":"X","ts":1,"name":"\x01"}]', 'control character'), ('[', 'no slices'),
            ('[{"ph":"X","ts":1,"args":' + '[' * 600 + ']' * 600 + '}]', 'nested more than 512'),
            ('[{"ph":"X","ts":1,"name":"' + 'a' * 2000000 + '"}]', 'more than 1 MB')):
        refused(BRIDGE, written(folder, text), folder + '/none.paf', *parts)


def main():
    for test in (nested_slices, flows_are_dependences, what_is_left_out_is_told, names_are_only_names,
                 paf_writes_what_is_read, damaged_files):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
            print(test.__name__)


main()
