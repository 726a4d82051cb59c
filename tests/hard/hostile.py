# SPDX-License-Identifier: MIT
"""Text from files is data: names never command a terminal, a spreadsheet or a browser.

A program whose file, modules, predicates, variables and strings have hostile names is recorded, and every
command shows the trace. Text and CSV have no control characters and as many lines as those of the same
program with harmless names; no cell of CSV is computed by a spreadsheet; JSON, SVG and Chrome JSON are
well-formed and have no tag that a name brought.
"""

import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

from attack import check, finish, read, write

# Each is a predicate, an atom, a string and the name of the file.
NAMES = [
    'a\x1b[31mb', 'a\nb', '=1+1', '+1', '-1', '@SUM(1)', '\r=2', '\t=3', '<script>alert(1)</script>', '"><x y="',
    "';x", 'a"b', 'a,b', '\u202ea', '\u0085b', '\x07', ']]>', '&amp;', '{{x}}', '${x}', '%s%n', '--> ',
]
PROGRAM = '''main :- %(name)s([1,2,3], X), say(X).
%(name)s([], X) :- X = 0.
%(name)s([H|T], X) :- %(name)s(T, Y), X := Y + H.
say(X) :- writeln(X), note([%(name)s, "%(text)s"|X]).
note(_).
'''
COMMANDS = ['info', 'report', 'report --all', 'report --classes', 'iotree', 'report --csv',
            'simulate --processors 1,2']


def quoted(name, quote):
    escapes = {'\n': '\\n', '\t': '\\t', '\r': '\\r', '\\': '\\\\', quote: '\\' + quote}
    return ''.join(escapes.get(c, c if ' ' <= c < '\x7f' else '\\x%x\\' % ord(c)) for c in name)


def record(tools, folder, name, file):
    source, trace = os.path.join(folder, file), os.path.join(folder, 'trace.paf')
    text = PROGRAM % {'name': "'%s'" % quoted(name, "'"), 'text': quoted(name, '"')}
    write(source, text.encode())
    done = subprocess.run([tools.fleng, '-trace=' + trace, source], capture_output=True, timeout=600)
    check('hostile programs run', done.returncode == 0, repr(name), done.stderr)
    return trace


def answer(tools, words, trace):
    done = subprocess.run([tools.paf] + words.split() + [trace], capture_output=True, timeout=600)
    check('commands answer', done.returncode == 0, words, done.stderr)
    return done.stdout.decode(), done.stderr.decode()


CONTROL = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]')


def attack_text(tools, name, trace, harmless):
    for words in COMMANDS:
        out, _ = answer(tools, words, trace)
        found = CONTROL.search(out)
        check('no control characters', not found, words, repr(name), repr(found))
        plain, _ = answer(tools, words, harmless)
        check('no lines are forged', out.count('\n') == plain.count('\n'), words, repr(name))
        if '--csv' in words:
            for row in csv.reader(io.StringIO(out)):
                bad = [cell for cell in row if re.match('[=+@\t\r]|-[^0-9]', cell)]
                check('no cell is computed', not bad, repr(name), bad)


def attack_data(tools, name, trace, folder):
    for words in ('info --json', 'report --json', 'iotree --json', 'report --classes --json'):
        out, _ = answer(tools, words, trace)
        try:
            json.loads(out)
            right = True
        except ValueError:
            right = False
        check('JSON is well-formed', right, words, repr(name))
    for ending in ('.svg', '.json'):
        target = os.path.join(folder, 'o' + ending)
        done = subprocess.run([tools.paf, 'export', '--view', 'parallelism', trace, '-o', target],
                              capture_output=True, timeout=600)
        check('commands answer', done.returncode == 0, ending, done.stderr)
        text = read(target)
        try:
            root = ElementTree.fromstring(text) if ending == '.svg' else json.loads(text)
            right = ending == '.json' or not [e for e in root.iter() if e.tag.endswith(('script', '}x'))]
        except (ValueError, ElementTree.ParseError):
            right = False
        check('pictures are well-formed', right, ending, repr(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--fleng', required=True)
    parser.add_argument('--paf', required=True)
    tools = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='fleng-hostile-') as folder:
        plain = os.path.join(folder, 'plain')
        os.mkdir(plain)
        harmless = record(tools, plain, 'a', 'p.fl')
        for i, name in enumerate(NAMES):
            place = os.path.join(folder, str(i))
            os.mkdir(place)
            trace = record(tools, place, name, name.replace('/', '_') + '.fl')
            attack_text(tools, name, trace, harmless)
            attack_data(tools, name, trace, place)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
