#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In plain runs the reducing loop has no atomic instruction: looks at what the compiler made of
vm/engine/loop_plain.c, with all that it inlines. How goals are suspended is the control: real runs swap there.

usage: plain_loop.py LIBVM      (status 77, aloud, where that cannot be looked at)
"""

import platform
import re
import shutil
import subprocess
import sys

# What locks the bus or the cache line: the prefix, and exchanges with memory, which imply it.
ATOMIC = re.compile(r'\t(lock\b.*|xchg\w*\s.*\(.*)$')
MEMBER = re.compile(r'^(.*):\s+file format ')
FUNCTION = re.compile(r'^[0-9a-f]+ <(.*)>:$')
PLAIN, CONTROL = 'vm_loop_plain', 'vm_suspend'


def skip(reason):
    print('SKIPPED: ' + reason, file=sys.stderr)
    sys.exit(77)


def members(text):
    """By file of the library: what stands in it."""
    found, name = {}, None
    for line in text.split('\n'):
        match = MEMBER.match(line)
        if match:
            name = match.group(1)
            found[name] = []
        elif name:
            found[name].append(line)
    return found


def of_file(files, function, least):
    """The lines of the file that has this function; they hold a sound number of instructions."""
    having = [lines for lines in files.values() if any('<%s>:' % function in line for line in lines)]
    if len(having) != 1:
        sys.exit('%d files have the function %s' % (len(having), function))
    if len(having[0]) < least:
        sys.exit('the file of %s has %d lines only' % (function, len(having[0])))
    return having[0]


def atomic(lines):
    function, found = '', []
    for line in lines:
        match = FUNCTION.match(line)
        if match:
            function = match.group(1)
        match = ATOMIC.search(line)
        if match:
            found.append('%s: %s' % (function, match.group(1)))
    return found


def main():
    if platform.machine() != 'x86_64':
        skip('it knows the instructions of x86-64 only')
    if not shutil.which('objdump'):
        skip('objdump is not installed')
    done = subprocess.run(['objdump', '-d', '--no-show-raw-insn', sys.argv[1]], check=True,
                          stdout=subprocess.PIPE, timeout=600, universal_newlines=True)
    files = members(done.stdout)
    plain, control = atomic(of_file(files, PLAIN, 1000)), atomic(of_file(files, CONTROL, 100))
    for text in plain:
        print(text)
    print('%s: %d atomic instructions; %s: %d' % (PLAIN, len(plain), CONTROL, len(control)))
    return 0 if control and not plain else 1


if __name__ == '__main__':
    sys.exit(main())
