#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of version 3 of the format give the answers that they gave before version 4.

usage: version3.py PAF FLENG FOLDER [--write]

FOLDER has traces of version 3 and, for each, a file of what `paf` of that time answered about it (written
with --write). A long list in JSON stands there as its length and its hash. The statistics have lost three
rows since, which no program could ever have a value for. A trace of the program in Fleng that is made now
has the same answers, too, but for its version and its size.
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


def without_size(text):
    text = re.sub(r'^  file .*\n', '', text, flags=re.M)
    return re.sub(r'^ "(version|bytes|bytes_per_reduction)": .*\n', '', text, flags=re.M)


def compare(name, expected, got, adapt):
    failures = 0
    for question, text in got.items():
        wanted = GONE.sub('', expected[question])
        if adapt(text) != adapt(wanted):
            failures += 1
            print('FAILED: paf %s of %s' % (question, name), '---- wanted', wanted, '---- got', text,
                  sep='\n')
    return failures


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
        failures += compare(name, from_file(told), got, lambda text: text)
    with tempfile.TemporaryDirectory() as now:
        trace = os.path.join(now, 'ideal.paf')
        subprocess.run([fleng, '-trace=' + trace, os.path.join(folder, 'pairs.fl')], check=True,
                       stdout=subprocess.DEVNULL)
        failures += compare('a trace made now', from_file(os.path.join(folder, 'ideal.answers')),
                            answers(paf, trace), without_size)
    if not names or failures:
        sys.exit('%d answers differ' % failures)
    print('%d traces of version 3' % len(names))


if __name__ == '__main__':
    main()
