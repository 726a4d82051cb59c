# SPDX-License-Identifier: MIT
"""No output of a command destroys an input or a better file.

Each command that writes a file is run against a former file of that name: it ends well, its output is
an input of its own (by name, link and hard link), its file may not grow beyond a size, it is killed at
many moments, its standard descriptors are closed, two run at once. After each attack the former file or
the whole new one is there, inputs are as they were, and nothing else is in the folder. Prints tries and
failures by attack. `--tries N` kills and cuts each command N times.
"""

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from attack import check, finish, read, write

OLD = b'the former file\n' * 4
PROGRAM = '''main :- count(%d, R), writeln(R).
count(0, R) :- R = done.
count(N, R) :- N > 0 | N1 := N - 1, count(N1, R).
'''
C_PROGRAM = '''#include <stdio.h>
int main(void)
{
    double sum = 0;
    #pragma omp parallel for reduction(+: sum)
    for (int i = 0; i < 1000; i++)
        sum += i;
    printf("%g\\n", sum);
    return 0;
}
'''


class Command:
    """One command that writes one file. `words` has 'OUT' for its name. `inputs` are files that it reads,
    `folders` are folders of such files, `grows` says that its file has its name before it is complete,
    `varies` that each run has another one."""

    def __init__(self, name, words, output, inputs, grows=False, varies=False, folders=()):
        self.name, self.words, self.output = name, words, output
        self.inputs, self.grows, self.varies, self.folders = inputs, grows, varies, folders

    def argv(self, output):
        return [output if word == 'OUT' else word for word in self.words]

    def run(self, output, before=None, **how):
        return subprocess.run(self.argv(output), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, preexec_fn=before, timeout=600, **how)


def fresh_folder(parent, command):
    folder = tempfile.mkdtemp(dir=parent)
    output = os.path.join(folder, command.output)
    write(output, OLD, 0o600)
    return folder, output


def is_sound(command, paf, output):
    """Whether the file is the former one or one of the command's."""
    if not os.path.exists(output):
        return False
    if read(output) == OLD:
        return True
    if not output.endswith('.paf'):
        return len(read(output)) > 0
    # A run that was killed has written complete parts: the report says that it was killed.
    shown = subprocess.run([paf, 'info', '--json', output], capture_output=True, text=True)
    return shown.returncode == 0 or 'ends before' in shown.stderr


def check_good(command, parent):
    folder, output = fresh_folder(parent, command)
    done = command.run(output)
    attack = 'a former file is replaced whole'
    check(attack, done.returncode == 0, command.name, done.stderr)
    check(attack, read(output) != OLD, command.name, 'is not replaced')
    check(attack, os.stat(output).st_mode & 0o777 == 0o600, command.name, 'mode')
    check(attack, os.listdir(folder) == [command.output], command.name, os.listdir(folder))
    whole = read(output)
    link = os.path.join(folder, 'link-' + command.output)
    os.symlink(command.output, link)
    write(output, OLD)
    done = command.run(link)
    attack = 'a link stays a link'
    check(attack, done.returncode == 0 and os.path.islink(link) and read(output) != OLD,
          command.name, done.stderr)
    return whole


def check_inputs(command, parent):
    attack = 'no output replaces an input'
    for path in command.inputs:
        folder = tempfile.mkdtemp(dir=parent)
        before = read(path)
        symbolic, hard = (os.path.join(folder, word + command.output) for word in ('s-', 'h-'))
        os.symlink(path, symbolic)
        names = [path, symbolic]
        try:
            os.link(path, hard)
            names.append(hard)
        except OSError as reason:  # a program elsewhere
            print('no hard link to %s: %s' % (path, reason))
        for name in names:
            there = set(os.listdir(os.path.dirname(path)))
            done = command.run(name)
            check(attack, done.returncode != 0, command.name, name, 'is accepted')
            check(attack, read(path) == before, command.name, name, 'is destroyed')
            check(attack, set(os.listdir(os.path.dirname(path))) == there, command.name, 'leaves something')


def cut_at(size):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def check_folder(command, parent):
    """Nor is a new file made among the parts of a log, which the next one to read it would take for one."""
    attack = 'no output is made within an input'
    for folder in command.folders:
        there = set(os.listdir(folder))
        link = os.path.join(tempfile.mkdtemp(dir=parent), 'link')
        os.symlink(folder, link)
        for place in (folder, link):
            done = command.run(os.path.join(place, 'new.events'))
            refused = done.returncode != 0 and b'it is not written' in done.stderr
            check(attack, refused, command.name, done.stderr)
            check(attack, set(os.listdir(folder)) == there, command.name, 'makes something')


def check_full(command, parent, paf, whole, n):
    attack = 'a full disk loses nothing'
    for i in range(n):
        size = len(whole) * i // n
        folder, output = fresh_folder(parent, command)
        done = command.run(output, before=cut_at(size))
        if not command.varies or 2 * i <= n:  # else the file of this run may be small enough
            check(attack, done.returncode != 0, command.name, size, 'of', len(whole), 'bytes: exit 0')
        check(attack, is_sound(command, paf, output), command.name, size, 'bytes:', os.listdir(folder))
        if not command.grows and done.returncode != 0:
            check(attack, read(output) == OLD, command.name, size, 'bytes: the former file is gone')
        check(attack, os.listdir(folder) == [command.output], command.name, os.listdir(folder))


def check_former(command, parent):
    """A file with the name that the former one would be kept under is somebody's."""
    attack = 'a file NAME~ is not touched'
    folder, output = fresh_folder(parent, command)
    write(output + '~', b'mine')
    done = command.run(output)
    there = sorted(os.listdir(folder)) == sorted([command.output, command.output + '~'])
    check(attack, done.returncode == 0 and there and read(output + '~') == b'mine', command.name,
          os.listdir(folder))


def check_device(command):
    attack = 'a full device is told'
    if command.output.endswith(('.png', '.svg', '.json')):
        return  # the ending of the name says what is written
    done = command.run('/dev/full')
    check(attack, done.returncode > 0 and b'/dev/full' in done.stderr, command.name, done.returncode,
          done.stderr)


def check_kills(command, parent, paf, n):
    attack = 'a kill loses nothing'
    begun = time.monotonic()
    command.run(fresh_folder(parent, command)[1])
    whole = time.monotonic() - begun
    folder, output = fresh_folder(parent, command)
    for i in range(n):
        write(output, OLD)
        number = (signal.SIGKILL, signal.SIGTERM)[i % 2]
        process = subprocess.Popen(command.argv(output), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        time.sleep(whole * (i + 1) / (n + 1))
        process.send_signal(number)
        process.wait()
        kept = output + '~'
        former = os.path.exists(kept) and read(kept) == OLD
        check(attack, former or is_sound(command, paf, output), command.name, i, os.listdir(folder))
        if os.path.exists(kept):
            os.unlink(kept)
    done = command.run(output)
    attack = 'what dead processes left is removed'
    check(attack, done.returncode == 0 and os.listdir(folder) == [command.output], command.name,
          os.listdir(folder))


def check_traps(command, parent):
    attack = 'nobody can guess a name to trap'
    folder, output = fresh_folder(parent, command)
    bait = os.path.join(folder, 'bait')
    write(bait, OLD)
    for name in (output + '.part', output + '.tmp', os.path.join(folder, '.' + command.output)):
        os.symlink('bait', name)
    done = command.run(output)
    check(attack, done.returncode == 0 and read(bait) == OLD, command.name, done.stderr)


def check_descriptors(command, parent, paf, whole):
    attack = 'closed descriptors change no file'
    for descriptors in ((0,), (1,), (2,), (0, 1, 2)):
        folder, output = fresh_folder(parent, command)

        def close(descriptors=descriptors):
            for fd in descriptors:
                os.close(fd)
        command.run(output, before=close)
        check(attack, is_sound(command, paf, output), command.name, descriptors)
        size = abs(len(read(output)) - len(whole)) # "exit status 1" instead of 0, if anything
        check(attack, read(output) == OLD or size < 64 or command.varies, command.name,
              descriptors, size)


def check_two(command, parent, paf):
    attack = 'two at once damage nothing'
    folder, output = fresh_folder(parent, command)
    both = [subprocess.Popen(command.argv(output), stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL) for _ in range(2)]
    statuses = [process.wait() for process in both]
    check(attack, 0 in statuses, command.name, statuses)
    check(attack, is_sound(command, paf, output) and read(output) != OLD, command.name)
    check(attack, os.listdir(folder) == [command.output], command.name, os.listdir(folder))


REGISTERED = '/dev/shm'  # where LLVM's runtime of OpenMP has a file for each process


def registered():
    return {name for name in (os.listdir(REGISTERED) if os.path.isdir(REGISTERED) else [])
            if name.startswith('__KMP_REGISTERED_LIB_')}


def forget_dead(before):
    """Removes what programs left there that were killed or could write no file. If it is empty, the next
    process with that number ends by SIGBUS."""
    for name in registered() - before:
        path = os.path.join(REGISTERED, name)
        if not os.path.exists('/proc/' + name.split('_')[-2]) and os.stat(path).st_uid == os.getuid():
            os.unlink(path)


def make_commands(tools, folder, steps=300000):
    """Programs make so many steps; a real run has versions of its trace only if they are many."""
    program, short, long = (os.path.join(folder, name) for name in ('p.fl', 'q.fl', 'r.fl'))
    write(program, (PROGRAM % steps).encode())
    write(long, (PROGRAM % 300000).encode())
    write(short, (PROGRAM % 300).encode())
    trace = os.path.join(folder, 'in.paf')
    subprocess.run([tools.fleng, '-trace=' + trace, short], stdout=subprocess.DEVNULL, check=True)
    report = os.path.join(folder, 'k.f66')
    shutil.copy(os.path.join(os.path.dirname(__file__), '..', 'bridge', 'reports', 'k_tool.f66'), report)
    totals = os.path.join(folder, 'totals.paf')
    subprocess.run([tools.bridge, 'import', '-o', totals, report], stderr=subprocess.DEVNULL, check=True)
    partition = os.path.join(folder, 'partition')
    write(partition, b'a=main/0\nb=count/2\n')
    commands = [
        Command('export png', [tools.paf, 'export', trace, '-o', 'OUT'], 'o.png', [trace]),
        Command('export json', [tools.paf, 'export', '--view', 'parallelism', trace, '-o', 'OUT'],
                'o.json', [trace]),
        Command('export svg', [tools.paf, 'export', '--partition', partition, trace, '-o', 'OUT'],
                'o.svg', [trace, partition]),
        Command('import', [tools.bridge, 'import', '-o', 'OUT', report], 'o.paf', [report]),
        Command('report', [tools.bridge, 'report', '--ktool', '-o', 'OUT', totals], 'o.f66', [totals]),
        Traced('trace', [tools.fleng], program, 'o.paf', grows=True),
        Traced('real trace', [tools.fleng, '-time=real', '-j', '2'], long, 'o.paf', grows=True, varies=True),
        Traced('profile', [tools.fleng], program, 'o.paf', option='-profile='),
    ]
    return commands + make_measured(tools, folder)


class Traced(Command):
    """fleng's options carry their file with them."""

    def __init__(self, name, words, program, output, option='-trace=', **how):
        super().__init__(name, words, output, [program], **how)
        self.program, self.option = program, option

    def argv(self, output):
        return self.words + [self.option + output, self.program]


def make_measured(tools, folder):
    """Commands of the bridge that need a program of OpenMP."""
    if not shutil.which(tools.clang or ''):
        print('SKIPPED: without clang no program is recorded', file=sys.stderr)
        return []
    source, program = os.path.join(folder, 'sum.c'), os.path.join(folder, 'sum')
    write(source, C_PROGRAM.encode())
    subprocess.run([tools.clang, '-g', '-fopenmp', '-Wl,-rpath,/usr/lib/llvm-19/lib', '-o', program,
                    source], check=True)
    log = os.path.join(folder, 'log')
    subprocess.run([tools.bridge, 'record', '--openmp', '--keep-log', log, '-o',
                    os.path.join(folder, 'made.paf'), '--', program], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    logs = [os.path.join(log, name) for name in sorted(os.listdir(log))][:3]
    return [Command('record', [tools.bridge, 'record', '--openmp', '-o', 'OUT', '--', program], 'o.paf',
                    [program], varies=True),
            Command('statistics', [tools.bridge, 'convert', '-o', '/dev/null',
                                   '--statistics', 'OUT', log], 'o.txt', logs, folders=[log]),
            Command('convert', [tools.bridge, 'convert', '-o', 'OUT', log], 'o.paf', logs, folders=[log])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--fleng', required=True)
    parser.add_argument('--paf', required=True)
    parser.add_argument('--bridge', required=True)
    parser.add_argument('--clang', default='')
    parser.add_argument('--tries', type=int, default=6)
    tools = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='fleng-outputs-') as folder:
        inputs = os.path.join(folder, 'in')
        os.mkdir(inputs)
        before = registered()
        for command in make_commands(tools, inputs):
            whole = check_good(command, folder)
            check_inputs(command, folder)
            check_folder(command, folder)
            check_full(command, folder, tools.paf, whole, tools.tries)
            check_device(command)
            check_former(command, folder)
            check_kills(command, folder, tools.paf, tools.tries)
            check_traps(command, folder)
            check_descriptors(command, folder, tools.paf, whole)
            check_two(command, folder, tools.paf)
            forget_dead(before)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
