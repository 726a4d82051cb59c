#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the first finding name the cause, and is its price right?

usage: run.py [--fleng FLENG] [--paf PAF] [--dir DIR] [--only NAME]... [--json] [--all] [--check]
              [--first N] [--three N] [--near N] [--promises N]

Every folder of DIR with a file `cause` is a pair: slow.fl, fixed.fl and the cause (README.md says what
stands in it). Every folder of DIR/sound is a program sound.fl with nothing to remove. Both run on the
ideal machine; `paf report --json` tells the findings of the slow run, which are compared with what
the repaired program shows:

  saving     1 - span(fixed) / span(slow), in percent
  rank       which finding is the first to name the place of the cause; - if none does
  predicted  the saving of that finding
  error      predicted - saving, in percentage points

A finding names the place if its own file and line, or those of one of the places in its `also`, lie in
a clause that the cause lists. A promise is a finding of 5 % or more on a program with nothing to
remove, repaired ones included.

--check compares answers and savings with what the causes say, too; it and --first, --three, --near
and --promises, which demand at least so many (of promises: at most), decide the exit status.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
NEAR = 10.0  # percentage points by which a prediction may err
PROMISE = 0.05  # smaller savings promise nothing
TOLERANCE = 1.0  # percentage points by which a saving may differ from what the cause says
SENTENCE = re.compile(r"""%[^\n]*|/\*.*?\*/|0'(?:\\.|''|.)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'
                      |(?P<stop>\.(?=\s|$|%))""", re.X | re.S)


def sentences(text):
    """(first line, last line) of each clause, comments before it left out."""
    spans, begin, at = [], None, 0
    for found in SENTENCE.finditer(text + '\n'):
        between = text[at:found.start()]
        if begin is None and between.strip():
            begin = at + len(between) - len(between.lstrip())
        comment = found.group().startswith(('%', '/*'))
        if begin is None and not comment and not found.group('stop'):
            begin = found.start()
        at = found.end()
        if found.group('stop') and begin is not None:
            spans.append((text.count('\n', 0, begin) + 1, text.count('\n', 0, found.start()) + 1))
            begin = None
    return spans


def read_cause(folder):
    """The fields of the file `cause` (fields_of)."""
    with open(os.path.join(folder, 'cause'), encoding='utf-8') as lines:
        return fields_of(folder, lines)


def fields_of(folder, lines):
    """What the lines say of a cause; `places` is a list of (file, first line, last line)."""
    cause = {'places': [], 'arguments': []}
    for number, line in enumerate(lines, 1):
        key, colon, value = line.strip().partition(': ')
        if not colon:
            sys.exit('%s: line %d of a cause: KEY: VALUE is expected' % (folder, number))
        if key == 'place':
            cause['places'].append(widen(folder, value))
        elif key == 'arguments':
            cause['arguments'] = value.split()
        else:
            cause[key] = float(value) if key == 'saving' else value
    for key in ('kind', 'cause', 'saving'):
        if key not in cause:
            sys.exit('%s: the cause has no `%s`' % (folder, key))
    if not cause['places']:
        sys.exit('%s: the cause names no place' % folder)
    return cause


def widen(folder, place):
    """FILE:LINE or FILE:FIRST-LAST, widened to whole clauses."""
    file, _, lines = place.partition(':')
    first, _, last = lines.partition('-')
    first, last = int(first), int(last or first)
    with open(os.path.join(folder, file), encoding='utf-8') as source:
        for begin, end in sentences(source.read()):
            if begin <= last and end >= first:
                first, last = min(first, begin), max(last, end)
    return file, first, last


class Tools:
    def __init__(self, options):
        self.fleng, self.paf = os.path.abspath(options.fleng), os.path.abspath(options.paf)
        self.report = ['report', '--json'] + (['--all'] if options.all else [])

    def run(self, folder, file, arguments):
        """(what the program printed, its report)."""
        with tempfile.TemporaryDirectory() as scratch:
            trace = os.path.join(scratch, 'run.paf')
            command = [self.fleng, '-trace=' + trace, file] + (['--'] + arguments if arguments else [])
            ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if ran.returncode:
                sys.exit('%s/%s ends with %d: %s' % (folder, file, ran.returncode, ran.stderr))
            report = subprocess.run([self.paf] + self.report + [trace], capture_output=True, text=True,
                                    check=False)
            if report.returncode:
                sys.exit('paf report on %s/%s: %s' % (folder, file, report.stderr))
            return ran.stdout, json.loads(report.stdout)


def places_of(finding):
    """(file, line) of a finding and of the places that it names besides."""
    all_places = [finding] + finding.get('also', [])
    return [(p['file'], p['line']) for p in all_places if p.get('file') and p.get('line')]


def names(finding, places):
    return any(file == f and first <= line <= last
               for f, line in places_of(finding) for file, first, last in places)


def shown(finding):
    places = places_of(finding)
    return {'kind': finding.get('kind'), 'saving': finding.get('saving'), 'text': finding.get('text'),
            'place': '%s:%d' % places[0] if places else None}


def promises(report):
    """Findings that promise a saving, by themselves or two together, shown shortly."""
    findings = report.get('findings', [])
    alone = [shown(f) for f in findings if f.get('saving', 0) >= PROMISE]
    both = [dict(shown(findings[row['findings'][0]]), saving=row['saving'])
            for row in report.get('together', []) if row['saving'] >= PROMISE]
    return alone or both


def measure(tools, folder):
    """What a pair shows."""
    cause = read_cause(folder)
    answer, slow = tools.run(folder, 'slow.fl', cause['arguments'])
    answer_fixed, fixed = tools.run(folder, 'fixed.fl', cause['arguments'])
    saving = 100 * (1 - fixed['span'] / slow['span'])
    priced = [f for f in slow.get('findings', []) if f.get('kind') != 'note']
    result = {'name': os.path.basename(folder), 'kind': cause['kind'], 'span': slow['span'],
              'work': slow['work'], 'saving': saving, 'stated': cause['saving'], 'rank': None,
              'same_answer': answer == answer_fixed, 'promises': promises(fixed),
              'findings': [shown(f) for f in priced]}
    for rank, finding in enumerate(priced, 1):
        if names(finding, cause['places']):
            result['rank'] = rank
            if finding.get('saving') is not None:
                result['predicted'] = 100 * finding['saving']
                result['error'] = result['predicted'] - saving
            break
    return result


def measure_sound(tools, folder):
    _, report = tools.run(folder, 'sound.fl', [])
    return {'name': 'sound/' + os.path.basename(folder), 'work': report['work'],
            'promises': promises(report)}


def folders(directory, file, only):
    if not os.path.isdir(directory):
        return []
    names_there = sorted(n for n in os.listdir(directory)
                         if os.path.exists(os.path.join(directory, n, file)))
    return [os.path.join(directory, n) for n in names_there if not only or n in only]


def summary(pairs, sound):
    ranked = [p for p in pairs if p['rank']]
    priced = [p for p in ranked if 'error' in p]
    first = [p for p in ranked if p['rank'] == 1]
    return {'pairs': len(pairs), 'first': len(first), 'three': sum(p['rank'] <= 3 for p in ranked),
            'near': sum(p['rank'] == 1 and abs(p['error']) <= NEAR for p in priced),
            'near_any_rank': sum(abs(p['error']) <= NEAR for p in priced),
            'sound': len(sound), 'promises': sum(len(p['promises']) for p in sound),
            'promises_on_fixed': sum(len(p['promises']) for p in pairs)}


def print_table(pairs, sound, sums):
    print('%-16s %-14s %6s %7s %5s %10s %6s' % ('pair', 'kind', 'span', 'saving', 'rank', 'predicted', 'error'))
    for p in pairs:
        predicted = '%10.1f %+6.1f' % (p['predicted'], p['error']) if 'error' in p else '%10s %6s' % ('-', '-')
        print('%-16s %-14s %6d %7.1f %5s %s' % (p['name'], p['kind'], p['span'], p['saving'],
                                                p['rank'] or '-', predicted))
    for p in pairs:
        if p['rank'] != 1 and p['findings']:
            f = p['findings'][0]
            print('%s: first is %s %s: %s' % (p['name'], f['kind'], f['place'], f['text']))
    for p in pairs + sound:
        for f in p['promises']:
            where = p['name'] + ('/fixed.fl' if p in pairs else '/sound.fl')
            print('%s: promise of %.0f %%, %s %s: %s' % (where, 100 * f['saving'], f['kind'], f['place'],
                                                         f['text']))
    worst = sorted((p for p in pairs if 'error' in p), key=lambda p: -abs(p['error']))[:5]
    if worst:
        print('worst errors: ' + ', '.join('%s %+.1f' % (p['name'], p['error']) for p in worst))
    print('named first %(first)d of %(pairs)d, within three %(three)d; named first and within 10 points '
          '%(near)d; promises on %(sound)d sound programs %(promises)d, on repaired ones '
          '%(promises_on_fixed)d' % sums)


def faults(options, pairs, sums):
    """What is not as it should be."""
    wrong = []
    if options.check:
        for p in pairs:
            if not p['same_answer']:
                wrong.append('%s: slow and fixed answer differently' % p['name'])
            if abs(p['saving'] - p['stated']) > TOLERANCE:
                wrong.append('%s: the saving is %.1f %%, its cause says %.1f %%'
                             % (p['name'], p['saving'], p['stated']))
    for what in ('first', 'three', 'near'):
        wanted = getattr(options, what)
        if wanted is not None and sums[what] < wanted:
            wrong.append('%s: %d, at least %d are expected' % (what, sums[what], wanted))
    made = sums['promises'] + sums['promises_on_fixed']
    if options.promises is not None and made > options.promises:
        wrong.append('promises: %d, at most %d are expected' % (made, options.promises))
    return wrong


def main():
    parser = argparse.ArgumentParser(description='Does the first finding name the cause?')
    parser.add_argument('--fleng', default='build/fleng/fleng')
    parser.add_argument('--paf', default='build/paf/paf')
    parser.add_argument('--dir', default=HERE)
    parser.add_argument('--only', action='append', default=[])
    parser.add_argument('--json', action='store_true')
    parser.add_argument('--all', action='store_true', help='findings that are not shown by default, too')
    parser.add_argument('--check', action='store_true')
    for what in ('first', 'three', 'near', 'promises'):
        parser.add_argument('--' + what, type=int)
    options = parser.parse_args()
    tools = Tools(options)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        pairs = list(pool.map(lambda f: measure(tools, f), folders(options.dir, 'cause', options.only)))
        sound = list(pool.map(lambda f: measure_sound(tools, f),
                              folders(os.path.join(options.dir, 'sound'), 'sound.fl', options.only)))
    if not pairs and not sound:
        sys.exit('no pair and no sound program in %s' % options.dir)
    sums = summary(pairs, sound)
    if options.json:
        json.dump({'format': 1, 'pairs': pairs, 'sound': sound, 'summary': sums}, sys.stdout, indent=1)
        print()
    else:
        print_table(pairs, sound, sums)
    wrong = faults(options, pairs, sums)
    for fault in wrong:
        print('FAULT ' + fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
