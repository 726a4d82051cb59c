# SPDX-License-Identifier: MIT
"""Readers take mutants: structure-aware ones of each kind of file, in one process (mutants.c).

Built with the address and undefined-behaviour sanitizers, it is they who look. A mutant that ends the
process, or takes more than a minute, is told by its number, and the next ones follow.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from attack import check, finish, is_over

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'fuzz', 'corpus')
PART = 2500 # mutants of one process
ENVIRONMENT = dict(os.environ,
                   ASAN_OPTIONS='abort_on_error=1:allocator_may_return_null=1:max_allocation_size_mb=256:'
                                'detect_leaks=0:detect_stack_use_after_return=0',
                   UBSAN_OPTIONS='halt_on_error=1:print_stacktrace=1')


def seeds(target):
    folder = os.path.join(CORPUS, target)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def feed(program, target, first, count):
    """How many were taken, and the ends of processes: (mutant, status, what was said)."""
    taken, ends = 0, []
    while count > 0:
        with tempfile.TemporaryFile() as place, tempfile.TemporaryFile() as said:
            fd = place.fileno()
            done = subprocess.run([program, str(first), str(count)] + seeds(target), stdout=subprocess.PIPE,
                                  stderr=said, env=ENVIRONMENT, preexec_fn=lambda: os.dup2(fd, 3),
                                  close_fds=False)
            if done.returncode == 0:
                return taken + int(done.stdout), ends
            place.seek(0)
            said.seek(0)
            noted, words = place.read().split(), said.read()[-3000:].decode('utf-8', 'replace')
            if not noted: # it did not begin: the next one will not, either
                return taken + 1, ends + [(first, done.returncode, 'none is taken: ' + words)]
            mutant = int(noted[0])
            ends.append((mutant, done.returncode, words))
        taken += mutant - first + 1
        count -= mutant - first + 1
        first = mutant + 1
    return taken, ends


def attack_part(program, first, tries):
    if is_over():
        return
    target = os.path.basename(program).removeprefix('mutants-')
    attack = 'the reader of ' + target
    taken, ends = feed(program, target, first, tries)
    for _ in range(taken - len(ends)):
        check(attack, True)
    for mutant, status, said in ends:
        check(attack, False, 'mutant %d: status %d: %s %d 1 %s\n%s'
              % (mutant, status, os.path.basename(program), mutant, 'tests/fuzz/corpus/%s/*' % target, said))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('programs', nargs='+', type=os.path.abspath, help='mutants-TARGET')
    parser.add_argument('--tries', type=int, default=1000, help='mutants of each kind')
    parser.add_argument('--first', type=int, default=0, help='number of the first one')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='processes beside each other')
    asked = parser.parse_args()
    end = asked.first + asked.tries
    parts = [(program, first, min(PART, end - first)) for first in range(asked.first, end, PART)
             for program in asked.programs] # where time ends, all kinds have had as many
    with ThreadPoolExecutor(asked.jobs) as side_by_side:
        list(side_by_side.map(lambda p: attack_part(*p), parts))
    return finish()


if __name__ == '__main__':
    sys.exit(main())
