# SPDX-License-Identifier: MIT
"""Memory that is short ends a command with a message and loses nothing.

Each command runs with one request for memory that fails, or all from one on. Then it has either done its
work as if nothing had happened, or said that memory is short and ended with status 1: with no output or
all of it, and with its output file whole or as it was before. `--tries N` spreads N requests over the
run of each command; 0 tries all of them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from attack import check, finish, read, write

OLD = b'the former file\n' * 4
PROGRAM = '''main :- sort([3,1,2,9,4], S), writeln(S).
sort([], S) :- S = [].
sort([H|T], S) :- part(H, T, L, R), sort(L, A), sort(R, B), join(A, [H|B], S).
part(_, [], L, R) :- L = [], R = [].
part(P, [H|T], L, R) :- H < P | L = [H|L1], part(P, T, L1, R).
part(P, [H|T], L, R) :- H >= P | R = [H|R1], part(P, T, L, R1).
join([], Y, Z) :- Z = Y.
join([H|T], Y, Z) :- Z = [H|Z1], join(T, Y, Z1).
'''


class Command:
    """`words` may have 'OUT': a file that the command writes. May its standard output be cut? Of
    programs that is so, and of answers that are too large to be kept."""

    def __init__(self, name, words, ending=None, may_cut=False):
        self.name, self.words, self.ending, self.may_cut = name, words, ending, may_cut

    def run(self, output, library, **environment):
        env = dict(os.environ, LD_PRELOAD=library, **environment)
        words = [word.replace('OUT', output) for word in self.words]
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, env=env, timeout=600)


def requests(command, library, folder):
    """How many requests there are without a failure, and what is written then."""
    count, output = os.path.join(folder, 'count'), os.path.join(folder, 'whole' + (command.ending or ''))
    done = command.run(output, library, FAIL_COUNT=count)
    check('without failures', done.returncode == 0, command.name, done.stderr)
    return int(read(count)), done.stdout, read(output) if command.ending else b''


def shortage(command, library, folder, at, on):
    """Nothing is lost if request `at` fails (and all later ones)."""
    attack = 'memory is short from some moment on' if on else 'memory is short once'
    place = tempfile.mkdtemp(dir=folder)
    output = os.path.join(place, 'o' + (command.ending or ''))
    if command.ending:
        write(output, OLD)
    done = command.run(output, library, FAIL_AT=str(at), **({'FAIL_ON': '1'} if on else {}))
    text = done.stderr.decode(errors='replace')
    what = (command.name, 'request', at, 'status', done.returncode, text[-300:])
    check(attack, done.returncode in (0, 1), *what)
    if done.returncode == 0:
        check(attack, done.stdout == command.whole, *what, 'output', len(done.stdout))
    else:
        check(attack, 'memory' in text, *what)
        kept = done.stdout in (b'', command.whole) or \
            command.may_cut and command.whole.startswith(done.stdout)
        check(attack, kept, *what, 'output', len(done.stdout), 'of', len(command.whole))
    if command.ending:
        there = [name for name in os.listdir(place) if name != os.path.basename(output)]
        check(attack, there == [], *what, there)
        now = read(output) if os.path.exists(output) else b''
        right = now == command.file if done.returncode == 0 else now in (OLD, command.file)
        check(attack, right, *what, 'file of', len(now), 'bytes')
    shutil.rmtree(place)


def make_commands(tools, folder):
    program, trace = os.path.join(folder, 'p.fl'), os.path.join(folder, 'p.paf')
    write(program, PROGRAM.encode())
    subprocess.run([tools.fleng, '-trace=' + trace, program], stdout=subprocess.DEVNULL, check=True)
    report = os.path.join(os.path.dirname(__file__), '..', 'bridge', 'reports', 'k_tool.f66')
    totals = os.path.join(folder, 'totals.paf')
    subprocess.run([tools.bridge, 'import', '-o', totals, report], stderr=subprocess.DEVNULL, check=True)
    paf = tools.paf
    return [
        Command('info --json', [paf, 'info', '--json', trace]),
        Command('info', [paf, 'info', trace]),
        Command('report --json', [paf, 'report', '--json', '--classes', trace]),
        Command('report', [paf, 'report', trace]),
        Command('report --csv', [paf, 'report', '--csv', trace]),
        Command('iotree', [paf, 'iotree', trace]),
        Command('iotree --json', [paf, 'iotree', '--json', trace], may_cut=True),
        Command('compare --json', [paf, 'compare', '--json', trace, trace]),
        Command('simulate --json', [paf, 'simulate', '--json', '--processors', '1,2', trace]),
        Command('whatif --json', [paf, 'whatif', '--json', '--speed-up', 'sort=2', trace]),
        Command('totals --json', [paf, 'report', '--json', totals]),
        Command('export json', [paf, 'export', '--view', 'parallelism', trace, '-o', 'OUT'], '.json'),
        Command('report --ktool', [tools.bridge, 'report', '--ktool', '-o', 'OUT', totals], '.f66'),
        Command('import', [tools.bridge, 'import', '-o', 'OUT', report], '.paf'),
        Command('check', [tools.fleng, '-check=json', program]),
        Command('run', [tools.fleng, program], may_cut=True),
        Command('trace', [tools.fleng, '-trace=OUT', program], '.paf', may_cut=True),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    for name in ('fleng', 'paf', 'bridge', 'library'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('--tries', type=int, default=10)
    parser.add_argument('--only')
    tools = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='fleng-memory-') as folder:
        for command in make_commands(tools, folder):
            if tools.only and tools.only != command.name:
                continue
            n, command.whole, command.file = requests(command, tools.library, folder)
            places = range(1, n + 1)
            if 0 < tools.tries < n:
                places = [1 + i * (n - 1) // tools.tries for i in range(tools.tries + 1)]
            for at in places:
                shortage(command, tools.library, folder, at, False)
                shortage(command, tools.library, folder, at, True)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
