#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of earlier versions of the format give the answers that they gave in their time.

usage: older.py PAF FLENG FOLDER [--write]

FOLDER has traces of one version and, for each, a file of what `paf` of that time answered about it (written
with --write). A long list in JSON stands there as its length and its hash. Of a report the figures in JSON
are compared, and not the findings, which are of today. The statistics have lost three rows since, which no
program could ever have a value for. A history of a Fleng program says that its figures
are of the older definition. What does not depend on the definition is the same for a trace of the program in
the folder that is made now.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

QUESTIONS = [
    ('report',), ('report', '--clock', 'virtual'), ('report', '--json'), ('report', '--statistics'),
    ('info',), ('info', '--json'), ('iotree', '-v'), ('iotree', '--json'),
    ('export', '--view', 'places', '-o', 'OUT'), ('export', '--view', 'parallelism', '-o', 'OUT'),
]
GONE = re.compile(r'^ *(SCASH Barrier|Shared Local Data):.*\n', re.M)
NOTES = re.compile(r'^  a file of version . has the figures of the older definition.*\n.*\n'
                   r'|^  definition  the older one.*\n|^ "older_definition": true,\n'
                   r'|^paf iotree: a file of version .: in its trees .*\n', re.M)
TIMES = ['work', 'span', 'profile', 'modules', 'critical_path', 'suspended']
LONG = 40


def shortened(value):
    if isinstance(value, dict):
        return {key: shortened(x) for key, x in value.items()}
    if isinstance(value, list) and len(value) > LONG:
        return '%d of %s' % (len(value), hashlib.sha256(json.dumps(value).encode()).hexdigest())
    return [shortened(x) for x in value] if isinstance(value, list) else value


def answer(paf, trace, question):
    with tempfile.TemporaryDirectory() as folder:
        words, out = list(question), None
        if words[-1] == 'OUT':
            words[-1] = out = os.path.join(folder, 'out.json')
        done = subprocess.run([paf, *words, os.path.basename(trace)], cwd=os.path.dirname(trace),
                              capture_output=True, text=True, timeout=300, check=False)
        text = done.stdout
        if out and os.path.exists(out):
            with open(out, encoding='utf-8') as file:
                text += file.read()
        if text.startswith('{'):
            text = json.dumps(shortened(json.loads(text)), indent=1)
        return 'exit status %d\n%s%s\n' % (done.returncode, done.stderr, text.rstrip('\n'))


def answers(paf, trace):
    return {' '.join(q): answer(paf, trace, q) for q in QUESTIONS}


def as_file(all_answers):
    return ''.join('==== %s\n%s' % pair for pair in all_answers.items())


def from_file(path):
    with open(path, encoding='utf-8') as file:
        parts = re.split(r'^==== (.*)\n', file.read(), flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def of_json(text):
    return json.loads(text[text.index('{'):])


def contains(got, wanted):
    """Whether an answer in JSON says what it said before; it may say more."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(key in got and contains(got[key], value)
                                             for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(contains, got, wanted))
    return got == wanted


def same(question, wanted, got):
    """Tables get columns and parts: of a report the figures in JSON count."""
    if wanted.startswith('exit status 1'):
        return got.startswith('exit status 1')
    if '{' not in wanted or not ('json' in question or 'export' in question):
        return wanted == got or question.startswith('report') and 'statistics' not in question
    if wanted[:wanted.index('{')] != got[:got.index('{')]:
        return False
    wanted, got = of_json(wanted), of_json(got)
    wanted.pop('findings', None)
    return contains(got, wanted)


def tell(name, question, wanted, got):
    print('FAILED: paf %s of %s' % (question, name), '---- wanted', wanted, '---- got', got, sep='\n')
    return 1


def compare(name, expected, got):
    failures = 0
    for question, text in got.items():
        wanted = GONE.sub('', expected[question])
        if not same(question, wanted, NOTES.sub('', text)):
            failures += tell(name, question, wanted, text)
    is_history = of_json(expected['info --json'])['kind'] == 'trace'
    noted = is_history and '\n  measured ' not in expected['info']
    for question in ('report', 'report --json', 'info', 'info --json', 'iotree --json'):
        if bool(NOTES.search(got[question])) != noted:
            failures += tell(name, question, 'a note' if noted else 'no note', got[question])
    return failures


def compare_now(fleng, paf, source, expected):
    """The program again: reductions and times do not depend on the definition."""
    with tempfile.TemporaryDirectory() as now:
        trace = os.path.join(now, 'ideal.paf')
        subprocess.run([fleng, '-trace=' + trace, source], check=True, stdout=subprocess.DEVNULL)
        got = of_json(answer(paf, trace, ('report', '--json')))
    wanted = of_json(expected['report --json'])
    return sum(tell('a trace made now', key, wanted[key], got[key])
               for key in TIMES if wanted[key] != got[key])


def main():
    paf, fleng, folder = (os.path.abspath(word) for word in sys.argv[1:4])
    names = sorted(name for name in os.listdir(folder) if name.endswith('.paf'))
    failures = 0
    for name in names:
        got = answers(paf, os.path.join(folder, name))
        told = os.path.join(folder, name[:-4] + '.answers')
        if sys.argv[4:] == ['--write']:
            with open(told, 'w', encoding='utf-8') as file:
                file.write(as_file(got))
            continue
        failures += compare(name, from_file(told), got)
    if sys.argv[4:] != ['--write']:
        source, = (name for name in os.listdir(folder) if name.endswith('.fl'))
        failures += compare_now(fleng, paf, os.path.join(folder, source),
                                from_file(os.path.join(folder, 'ideal.answers')))
    if not names or failures:
        sys.exit('%d answers differ' % failures)
    print('%d traces of an earlier version' % len(names))


if __name__ == '__main__':
    main()
