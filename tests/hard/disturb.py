# SPDX-License-Identifier: MIT
"""Every command is killed, and has one of its calls to the system fail, at every place.

A command is run by `inject`, which counts the calls with which it opens, reads, writes and renames. Then it
is run again and again: killed at such a call, or with an error there (once, or from there on), or with all
reads and writes cut to a byte. Afterwards the former output is there, or the whole new one, and nothing else.
A command that ends well has done all of its work; one that does not has said why; none ends by a signal.
`--kills N` and `--errors N` say how often in all.
"""

import argparse
import errno
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import full
import outputs
from attack import check, finish, is_over, read, write

ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EMFILE, errno.ENOMEM, errno.EDQUOT)
CALL_WRITE = 1 # of x86-64
TIMEOUT = 300
STEPS = 20000 # of programs: some parts of a trace, but many tries per second
UNABLE = 77
FOREIGN = 127 # the loader could not load what the command is linked with


class Printing:
    """A command whose output is standard output."""

    grows = varies = False
    output = inputs = None

    def __init__(self, words):
        self.words = words
        self.name = ' '.join(os.path.basename(word) for word in words)

    def argv(self, _):
        return self.words


class Attempt:
    """One run in a folder of its own with a former output."""

    def __init__(self, tools, command, how, at=0, error=0):
        self.command = command
        self.what = (command.name, how, at, errno.errorcode.get(error, ''))
        self.folder = tempfile.mkdtemp(dir=tools.folder)
        self.place = os.path.join(self.folder, 'place')
        os.mkdir(self.place)
        report = os.path.join(self.folder, 'report')
        self.output = os.path.join(self.place, command.output) if command.output else None
        if self.output:
            write(self.output, outputs.OLD, 0o600)
        argv = [tools.inject, how, str(at), str(error), report] + command.argv(self.output)
        with open(os.path.join(self.folder, 'out'), 'wb') as out:
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                                  timeout=TIMEOUT)
        self.status, self.err = done.returncode, done.stderr
        self.out = read(os.path.join(self.folder, 'out'))
        numbers = read(report).split() if os.path.exists(report) else [0, -1, -1]
        self.calls, self.call, self.fd = (int(n) for n in numbers)
        self.file = read(self.output) if self.output and os.path.exists(self.output) else None

    def left(self):
        return sorted(os.listdir(self.place))

    def forget(self):
        shutil.rmtree(self.folder)


def is_whole(attempt, whole):
    """Whether the command has done all of its work. Pictures depend on fonts, which may be unreadable."""
    command = attempt.command
    if not command.output:
        return attempt.out == whole.out
    # A program whose file cannot be read has no places.
    if command.varies or command.name in ('convert', 'statistics') or command.output.endswith(('.png', '.svg')):
        return attempt.file is not None and attempt.file != outputs.OLD
    return attempt.file == whole.file


def judge_error(tools, attempt, whole):
    attack, command, what = 'an error loses nothing', attempt.command, attempt.what
    status = attempt.status
    check(attack, status >= 0, *what, 'ends by signal', -status, attempt.err[-300:])
    if status == 0:
        check(attack, is_whole(attempt, whole), *what, 'exit 0 without all of the work', attempt.err[-300:])
    elif not (attempt.call == CALL_WRITE and attempt.fd == 2) and 'from' not in what:
        check(attack, attempt.err or attempt.out, *what, 'status', status, 'without a word')
    if not command.output:
        return
    if command.grows and 'from' in what and attempt.left() == [command.output + '~']:
        return # it could not be given its name back
    check(attack, outputs.is_sound(command, tools.paf, attempt.output), *what, attempt.left())
    # Of an input that is damaged, or cannot be read to its end, the output has what could be read.
    if status > 0 and not command.grows and not re.search(b'offset|of the log could not', attempt.err):
        check(attack, attempt.file == outputs.OLD, *what, 'status', status, 'and the former file is gone',
              attempt.err[-300:])
    check(attack, attempt.left() == [command.output], *what, attempt.left())


def judge_kill(tools, attempt):
    attack, command = 'a kill loses nothing', attempt.command
    check(attack, attempt.status == -9 or attempt.call < 0, *attempt.what, attempt.status)
    if not command.output:
        return
    kept = attempt.output + '~'
    former = os.path.exists(kept) and read(kept) == outputs.OLD
    check(attack, former or outputs.is_sound(command, tools.paf, attempt.output), *attempt.what, attempt.left())
    if os.path.exists(kept):
        os.unlink(kept)
    again = subprocess.run(command.argv(attempt.output), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, timeout=TIMEOUT)
    check(attack, again.returncode == 0 and attempt.left() == [command.output], *attempt.what, 'then',
          again.stderr[-300:], attempt.left())


def one(tools, command, whole, kill, dice):
    """One try; calls of threads vary from run to run, so the last may not come."""
    if is_over():
        return
    at = dice.randint(1, max(1, whole.calls))
    how = 'kill' if kill else dice.choice(('once', 'once', 'from', 'short'))
    attempt = Attempt(tools, command, how, at, 0 if how in ('kill', 'short') else dice.choice(ERRORS))
    if kill:
        judge_kill(tools, attempt)
    else:
        judge_error(tools, attempt, whole)
    attempt.forget()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    for name in ('fleng', 'paf', 'bridge', 'inject'):
        parser.add_argument('--' + name, required=True, type=os.path.abspath)
    parser.add_argument('--clang', default='')
    parser.add_argument('--kills', type=int, default=50)
    parser.add_argument('--errors', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--only', default='', help='commands whose name has this')
    tools = parser.parse_args()
    before = outputs.registered()
    with tempfile.TemporaryDirectory(prefix='fleng-disturb-') as tools.folder:
        inputs = [os.path.join(tools.folder, name) for name in ('written', 'printed')]
        for path in inputs:
            os.mkdir(path)
        written = outputs.make_commands(tools, inputs[0], STEPS)
        commands = written + [Printing(words) for words in full.make_commands(tools, inputs[1])]
        commands = [command for command in commands if tools.only in command.name]
        whole = {}
        for command in commands:
            whole[command] = Attempt(tools, command, 'count')
            if whole[command].status == UNABLE:
                print('SKIPPED: calls of other processes cannot be followed here')
                return UNABLE
            check('commands work', whole[command].status == 0, command.name, whole[command].err)
        dice = random.Random(tools.seed)
        tries = [(dice.choice(written if dice.random() < .6 and not tools.only else commands), kill,
                  random.Random(dice.random()))
                 for kill, n in ((True, tools.kills), (False, tools.errors)) for _ in range(n)]
        with ThreadPoolExecutor(tools.jobs) as side_by_side:
            list(side_by_side.map(lambda t: one(tools, t[0], whole[t[0]], t[1], t[2]), tries))
        outputs.forget_dead(before)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
