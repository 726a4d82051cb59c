#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that end badly and logs that are damaged: what was recorded is used, what is wrong is said
with its place, and the status is the program's.

usage: test_damage.py [--claims] KPX-BRIDGE PAF COMPILER APPS    --claims: more damage
"""

import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True

from support import HERE, OpenMP, check, run_tests  # noqa: E402 - beside this file

BAD_END = 'ended abnormally'
EVENTS = 4096  # a file's first event
EVENT = 32


def below(tools, *names):
    return os.path.join(tools.folder, *names)


def build(tools, *options):
    done = tools.run(tools.compiler, '-g', '-O1', '-fopenmp', '-o', 'endings',
                     os.path.join(HERE, 'endings.c'), '-Wl,-rpath,/usr/lib/llvm-19/lib', *options)
    check(done.returncode == 0, 'building the program', done.stderr)


def record(tools, *words, **options):
    return tools.run(tools.bridge, 'record', '--openmp', '-o', 'out.paf', *words, **options)


def logs_here(tools):
    return dict(os.environ, TMPDIR=tools.folder)


# ---- Programs ---------------------------------------------------------------------------------

def programs_end_as_they_like(tools):
    for how, status, good in (('', 7, True), ('exit-within', 7, True), ('leave-within', 7, True),
                              ('quick', 7, True), ('become', 7, True), ('become-another', 7, True),
                              ('become-nothing', 139, False), ('fork', 7, True),
                              ('leave-in-handler', 7, True), ('close', 7, True), ('crash', 139, False),
                              ('crash-within', 139, False), ('abort', 134, False),
                              ('kill', 137, False)):
        done = record(tools, '--', './endings', how)
        check(done.returncode == status, 'the status is that of the program: ' + how,
              done.returncode, done.stderr)
        check((BAD_END in done.stderr) != good, 'how it ended is told: ' + how, done.stderr)
        info = tools.run(tools.paf, 'info', 'out.paf').stdout
        check(', exit status %d\n' % status in info, 'the trace has the status: ' + how, info)
        report = tools.run(tools.paf, 'report', 'out.paf')
        check(report.returncode == 0 and 'loop endings.c:' in report.stdout,
              'what was recorded is used: ' + how, report.stdout, report.stderr)
        os.remove(below(tools, 'out.paf'))


def what_is_set_already_stays(tools):
    environment = dict(os.environ, OMP_TOOL='disabled', OMP_TOOL_LIBRARIES='/nonexistent.so',
                       ASAN_OPTIONS='detect_leaks=0')
    done = record(tools, '--', './endings', env=environment)
    check(done.returncode == 7 and 'activities' in done.stderr, 'with a tool that is not there',
          done.stderr)
    done = record(tools, '--', 'sh', '-c', 'echo $ASAN_OPTIONS; ./endings', env=environment)
    check(done.stdout == 'detect_leaks=0:verify_asan_link_order=0\n',
          'the address sanitizer lets others be loaded first', done.stdout)


# ---- Folders and disks --------------------------------------------------------------------------

def what_cannot_be_is_said_first(tools):
    record(tools, '--keep-log', 'kept', '--', './endings')
    for words, message in ((['--keep-log', 'kept'], 'kept: it already holds a log'),
                           (['--keep-log', 'endings'], 'endings: cannot create: Not a directory'),
                           (['--keep-log', 'no/log'], 'no/log: cannot create: No such file or directory')):
        done = record(tools, *words, '--', 'touch', 'was-run')
        check(done.returncode == 1 and done.stderr == 'kpx-bridge: %s\n' % message, message,
              done.returncode, done.stderr)
    done = record(tools, '--', 'touch', 'was-run', env=dict(os.environ, TMPDIR='/nonexistent'))
    check(done.returncode == 1 and '/nonexistent/kpx-' in done.stderr, 'no folder for logs',
          done.returncode, done.stderr)
    check(not os.path.exists(below(tools, 'was-run')), 'before the command runs')


def logs_that_are_all_there_is_are_kept(tools):
    done = tools.run(tools.bridge, 'record', '--openmp', '-o', '/dev/full', '--', './endings',
                     env=logs_here(tools))
    kept = done.stderr.partition('the log is kept: ')[2].strip()
    check(done.returncode == 7 and 'No space left' in done.stderr and os.path.isdir(kept),
          'a full disk', done.returncode, done.stderr)
    done = tools.run(tools.bridge, 'convert', '-o', 'out.paf', kept)
    check(done.returncode == 0, 'the log is whole', done.stderr)
    done = record(tools, '--statistics', '/dev/full', '--', './endings')
    check('/dev/full: cannot write: No space left on device' in done.stderr, 'statistics on a full disk',
          done.stderr)


def interrupted_conversions_leave_the_log(tools):
    # Who writes to a pipe waits for a reader, which never comes. While the program runs the signal is
    # not for the bridge, so it comes again.
    os.mkfifo(below(tools, 'pipe'))
    with subprocess.Popen([tools.bridge, 'record', '--openmp', '-o', 'pipe', '--', 'sh', '-c',
                           './endings; echo ended'], cwd=tools.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=logs_here(tools)) as process:
        check(process.stdout.readline() == 'ended\n', 'the program ends')
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        errors = process.stderr.read()
    kept = errors.partition('the log is kept: ')[2].strip()
    check(process.returncode == -signal.SIGINT and os.path.isdir(kept), 'interrupted',
          process.returncode, errors)


# ---- Logs ---------------------------------------------------------------------------------------

def convert(tools, log='damaged'):
    done = tools.run(tools.bridge, 'convert', '-o', 'out.paf', log)
    check(done.returncode in (0, 1), 'damage is no crash', done.returncode, done.stderr)
    check(done.stderr.startswith('kpx-bridge: '), 'there is a message', done.stderr)
    if os.path.exists(below(tools, 'out.paf')):
        report = tools.run(tools.paf, 'report', 'out.paf')
        check(report.returncode == 0, 'a report of what is left', report.stderr)
        verified = tools.run(tools.paf, 'info', '--verify', 'out.paf')
        check(verified.returncode == 0, 'a trace that is whole', verified.stdout, verified.stderr)
    else:
        check(done.returncode == 1, 'no trace, no success', done.stderr)
    return done


def fresh(tools):
    shutil.rmtree(below(tools, 'damaged'), ignore_errors=True)
    if os.path.exists(below(tools, 'out.paf')):
        os.remove(below(tools, 'out.paf'))
    shutil.copytree(below(tools, 'kept'), below(tools, 'damaged'))


def used(path):
    """The bytes of it that mean something: a window has room for more events than there are."""
    size = os.path.getsize(path)
    return min(size, EVENTS + EVENT * 60) if path.endswith('.events') else size


def files_cut_anywhere(tools, files, random_, times):
    for _ in range(times):
        fresh(tools)
        path = below(tools, 'damaged', random_.choice(files))
        os.truncate(path, random_.randrange(used(path)))
        convert(tools)


def bytes_flipped_anywhere(tools, files, random_, times):
    for _ in range(times):
        fresh(tools)
        path = below(tools, 'damaged', random_.choice(files))
        with open(path, 'r+b') as file:
            at = random_.randrange(used(path))
            file.seek(at)
            old = file.read(1)[0]
            file.seek(at)
            file.write(bytes([old ^ random_.randrange(1, 256)]))
        convert(tools)


def files_of_other_kinds(tools, files):
    def empty(path):
        os.truncate(path, 0)

    def into_folder(path):
        os.remove(path)
        os.mkdir(path)

    def into_pipe(path):
        os.remove(path)
        os.mkfifo(path)

    for name in files:
        path = below(tools, 'damaged', name)
        events = name.endswith('.events')
        for change, message in ((empty, 'it is empty' if events else 'it is missing or empty'),
                                (into_folder, 'cannot read: Is a directory'),
                                (into_pipe, 'cannot read: it is not a file')):
            fresh(tools)
            change(path)
            done = convert(tools)
            check('kpx-bridge: damaged/%s: %s\n' % (name, message) in done.stderr,
                  '%s, %s' % (name, message), done.stderr)
            check(done.stderr.count(name) == 1, 'once', done.stderr)
            check(done.returncode == 1 and '1 file of the log could not be used' in done.stderr,
                  'counted', done.returncode, done.stderr)


def files_missing(tools, files):
    for name in files:
        fresh(tools)
        os.remove(below(tools, 'damaged', name))
        done = convert(tools)
        told = 'damaged/%s: it is missing' % name in done.stderr
        # Of the last thread nobody knows.
        check(told != name.endswith('-1.events'), 'missing: ' + name, done.stderr)
    fresh(tools)
    first, second = (below(tools, 'damaged', name) for name in files if name.endswith('.events'))
    os.rename(first, first + 'x')
    os.rename(second, first)
    os.rename(first + 'x', second)
    done = convert(tools)
    check(done.stderr.count('it claims to be of process') == 2, 'threads that were exchanged',
          done.stderr)


def more_threads_than_are_read(tools):
    fresh(tools)
    process = next(name for name in os.listdir(below(tools, 'damaged')) if name.endswith('.process'))
    first = process.replace('.process', '-0.events')
    for number in range(2, 65538):
        os.symlink(first, below(tools, 'damaged', process.replace('.process', '-%d.events' % number)))
    done = convert(tools)
    check('only the first 65536 of 65538 threads are used' in done.stderr, 'very many threads',
          done.stderr[-300:])


def logs_that_need_more_memory_than_allowed(tools):
    fresh(tools)
    path = next(below(tools, 'damaged', name) for name in os.listdir(below(tools, 'damaged'))
                if name.endswith('-0.events'))
    with open(path, 'r+b') as file:  # room for a million events, in a window of that size
        header = bytearray(file.read(4096))
        at = 8 + 4 * 4  # cap, kept, seen, moved, window
        header[at:at + 40] = struct.pack('<5Q', 1 << 20, 1 << 20, 0, 0, 1 << 20)
        file.seek(0)
        file.write(header)
        file.truncate(EVENTS + EVENT << 20)
    done = tools.run(tools.bridge, 'convert', '--memory', '64M', '-o', 'out.paf', 'damaged')
    check(done.returncode == 1 and 'MB are allowed (--memory)' in done.stderr and
          not os.path.exists(below(tools, 'out.paf')), 'too large a log', done.returncode, done.stderr)
    done = tools.run(tools.bridge, 'record', '--openmp', '--memory', '33M', '-o', 'out.paf', '--', 'sh', '-c',
                     'ulimit -d')
    check(done.stdout == 'unlimited\n', 'the command is not limited', done.stdout, done.stderr)
    for size in ('1M', 'x', ''):
        done = tools.run(tools.bridge, 'convert', '--memory', size, 'damaged')
        check(done.returncode == 2 and 'a size from 32M up' in done.stderr, 'sizes', done.stderr)


def files_of_log(tools):
    return sorted(name for name in os.listdir(below(tools, 'kept')) if name != 'status')


def damaged_logs(tools):
    files = files_of_log(tools)
    check([name.partition('-')[2] or 'process' for name in files] ==
          ['0.events', '1.events', 'process'], 'a log of two threads', files)
    random_ = random.Random(1)
    files_cut_anywhere(tools, files, random_, 15)
    bytes_flipped_anywhere(tools, files, random_, 30)
    files_of_other_kinds(tools, files)
    files_missing(tools, files)
    more_threads_than_are_read(tools)


def much_damage(tools):
    build(tools)
    record(tools, '--keep-log', 'kept', '--', './endings')
    files, random_ = files_of_log(tools), random.Random(2)
    files_cut_anywhere(tools, files, random_, 400)
    bytes_flipped_anywhere(tools, files, random_, 1000)


if __name__ == '__main__':
    run_tests(lambda folder: OpenMP(folder, *sys.argv[1:5]),
              build, programs_end_as_they_like, what_is_set_already_stays,
              what_cannot_be_is_said_first, logs_that_are_all_there_is_are_kept,
              interrupted_conversions_leave_the_log, damaged_logs,
              logs_that_need_more_memory_than_allowed, claims=(much_damage,))
