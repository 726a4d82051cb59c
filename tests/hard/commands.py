# SPDX-License-Identifier: MIT
"""Every command takes mutants of the files that it reads.

Traces (their checksums right again), partitions, programs, reports of ktool and mtool, logs of recorders:
mutants.c makes them, and each goes through all commands that read such a file. A command ends by itself,
with a status of its own, says why if that is not 0, and takes no more memory than it may. What
`kpx-bridge convert` and `import` write `paf info --verify` accepts.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from attack import check, finish, is_over, read, write
from mutants import seeds

PART = 50 # mutants of one folder
TIMEOUT = 300
STATUSES = (0, 1, 2, 3)
MEMORY = '256M'
SANITIZED = dict(os.environ, ASAN_OPTIONS='detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=1:'
                                          'allocator_may_return_null=1',
                 UBSAN_OPTIONS='halt_on_error=1:print_stacktrace=1')
PROGRAM = b'main :- p([3,1,2], S), writeln(S).\np([], S) :- S = [].\np([H|T], S) :- S = [H|U], p(T, U).\n'


def run(attack, words, folder, statuses=STATUSES, mutant=''):
    """The exit status; None: it did not end."""
    name = ' '.join(os.path.basename(word) for word in words)
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, cwd=folder,
                              env=SANITIZED)
    except subprocess.TimeoutExpired:
        check(attack, False, name, mutant, 'does not end')
        return None
    said = done.stderr[-1500:].decode('utf-8', 'replace')
    good = done.returncode in statuses and 'Sanitizer' not in said and 'runtime error' not in said
    good = good and (done.returncode == 0 or bool(done.stderr) or bool(done.stdout))
    check(attack, good, name, mutant, 'status', done.returncode, said)
    return done.returncode


def attack_trace(tools, path, folder, mutant):
    attack = 'traces through commands'
    for words in ('info', 'info --verify', 'info --json', 'report --all', 'report --classes --json', 'report --csv',
                  'iotree', 'iotree --json', 'simulate --processors 1,3', 'whatif --even main=2', 'compare'):
        twice = [path, path] if words == 'compare' else [path]
        run(attack, [tools.paf] + words.split() + ['--memory', MEMORY] + twice, folder, mutant=mutant)
    for output in (['-o', 'o.svg'], ['--view', 'parallelism', '-o', 'o.json'], ['--view', 'table', '-o', 't.svg']):
        run(attack, [tools.paf, 'export', '--memory', MEMORY] + output + [path], folder, mutant=mutant)
    for kind in ('--ktool', '--mtool'):
        run(attack, [tools.bridge, 'report', kind, '-o', 'o.f66', path], folder, mutant=mutant)


def attack_partition(tools, path, folder, mutant):
    text = read(path).split(b'\0')[0]
    write(path, text)
    for words in ('report', 'iotree', 'export --view parallelism -o o.json'):
        run('partitions through commands', [tools.paf] + words.split() + ['-p', path, tools.trace], folder,
            mutant=mutant)


def attack_program(tools, path, folder, mutant):
    attack = 'programs through commands'
    limits = ['-sandbox', '-m', MEMORY, '-time-limit', '2', '-output-limit', '1M']
    for words in (['-check'], ['-check=json'], ['-dump=ast'], ['-dump=code']):
        run(attack, [tools.fleng] + words + [path], folder, mutant=mutant)
    ends = STATUSES + (142,) + tuple(range(4, 128)) # halt(N) is a mutant's to choose
    run(attack, [tools.fleng] + limits + [path], folder, ends, mutant)
    trace = os.path.join(folder, 'o.paf')
    if run(attack, [tools.fleng] + limits + ['-trace=' + trace, '-trace-limit', '1M', path], folder, ends,
           mutant) == 0 and os.path.exists(trace):
        run('traces of mutants', [tools.paf, 'info', '--verify', trace], folder, (0,), mutant)


def attack_report(tools, path, folder, mutant):
    trace = os.path.join(folder, 'i.paf')
    if run('reports through commands', [tools.bridge, 'import', '-o', trace, path], folder, mutant=mutant) == 0:
        run('what import writes is verified', [tools.paf, 'info', '--verify', trace], folder, (0,), mutant)


def convert(tools, log, folder, mutant):
    attack, trace = 'logs through commands', os.path.join(folder, 'l.paf')
    run(attack, [tools.bridge, 'convert', '--memory', MEMORY, '-o', trace, log], folder, mutant=mutant)
    if os.path.exists(trace):
        run('what convert writes is verified', [tools.paf, 'info', '--verify', trace], folder, (0,), mutant)


def attack_log(tools, path, folder, mutant):
    """The mutant as the events of a thread of a process that another mutant describes."""
    log = os.path.join(folder, 'log')
    os.mkdir(log)
    events = read(path)
    if events[:7] != b'KPXLOG1': # records without a file's head
        head = bytearray(4096)
        head[:8] = b'KPXLOG1\0'
        head[8:12] = (32).to_bytes(4, 'little')
        head[24:32] = head[32:40] = (len(events) // 32).to_bytes(8, 'little')
        events = bytes(head) + events
    write(os.path.join(log, '7-0.events'), events)
    write(os.path.join(log, '7.process'), read(tools.process))
    convert(tools, log, folder, mutant)


def attack_process(tools, path, folder, mutant):
    log = os.path.join(folder, 'log')
    shutil.copytree(tools.log, log)
    names = [name for name in os.listdir(log) if name.endswith('.process')]
    shutil.copy(path, os.path.join(log, names[0]))
    convert(tools, log, folder, mutant)


KINDS = {
    'trace': ('trace', attack_trace),
    'partition': ('analysis', attack_partition),
    'program': ('reader', attack_program),
    'report': ('report', attack_report),
    'log': ('log', attack_log),
    'process': ('process', attack_process),
}


def attack_part(tools, kind, first, count):
    target, attack = KINDS[kind]
    program = next((p for p in tools.programs if p.endswith('mutants-' + target)), None)
    if not program:
        return
    with tempfile.TemporaryDirectory(prefix='mutants-', dir=tools.folder) as folder:
        made = os.path.join(folder, 'made')
        os.mkdir(made)
        subprocess.run([program, str(first), str(count), '--into', made] + seeds(target), check=True,
                       stdout=subprocess.DEVNULL)
        for i in range(count):
            if is_over():
                return
            place = os.path.join(folder, str(i))
            os.mkdir(place)
            suffix = {'trace': '.paf', 'program': '.fl', 'report': '.f66'}.get(kind, '')
            path = os.path.join(place, 'mutant' + suffix)
            os.rename(os.path.join(made, str(i)), path)
            attack(tools, path, place, '(%s %d)' % (target, first + i))
            shutil.rmtree(place)


def make_inputs(tools):
    program, tools.trace = (os.path.join(tools.folder, name) for name in ('p.fl', 'p.paf'))
    write(program, PROGRAM)
    subprocess.run([tools.fleng, '-trace=' + tools.trace, program], stdout=subprocess.DEVNULL, check=True)
    tools.process = seeds('process')[0]
    tools.log = os.path.join(tools.folder, 'log')
    os.mkdir(tools.log)
    shutil.copy(tools.process, os.path.join(tools.log, '7.process'))
    head = bytearray(read(seeds('log')[-1]))
    write(os.path.join(tools.log, '7-0.events'), bytes(head))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    for name in ('fleng', 'paf', 'bridge'):
        parser.add_argument('--' + name, required=True, type=os.path.abspath)
    parser.add_argument('programs', nargs='+', type=os.path.abspath, help='mutants-TARGET')
    parser.add_argument('--tries', type=int, default=10, help='mutants of each kind')
    parser.add_argument('--first', type=int, default=0, help='number of the first one')
    parser.add_argument('--kind', action='append', choices=sorted(KINDS))
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    tools = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='fleng-mutants-') as tools.folder:
        make_inputs(tools)
        parts = [(kind, first, min(PART, tools.first + tools.tries - first))
                 for kind in tools.kind or sorted(KINDS)
                 for first in range(tools.first, tools.first + tools.tries, PART)]
        with ThreadPoolExecutor(tools.jobs) as side_by_side:
            list(side_by_side.map(lambda p: attack_part(tools, *p), parts))
    return finish()


if __name__ == '__main__':
    sys.exit(main())
