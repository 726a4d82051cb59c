#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A traced run that is killed leaves a trace that is readable as far as it goes; of a real run, too,
whose reductions are put in order only at its end. One that ends has all. The two processes of a real
run behave as one.

usage: killed.py FLENG PAF
"""

import ctypes
import fcntl
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import termios
import time

TIMEOUT = 120
TGKILL = 234 # of x86-64
ENDLESS = """
main :- g(0, S), c(S, 0).
g(N, S) :- S = [N|S1], N1 := N + 1, g(N1, S1).
c([X|S], A) :- A1 := A + X * 1.5, c(S, A1).
"""
# Lines are counted until there are no more.
COUNTS = """
main :- stdin(S), count(S, 0, N), stdout([format("~w~n", [N])]).
count([L|S], N, R) :- N1 := N + 1, twice(L, L, N1, S, R).
count([], N, R) :- R = N.
twice(L, L, N, S, R) :- count(S, N, R).
"""
# Says how far it is.
TELLING = """
main :- stdout(S), tell(1, S).
tell(N, S) :- S = [format("~w~n", [N])|S1], N1 := N + 1, tell(N1, S1).
"""
# Its trace has some hundred KB.
COUNTED = """
main :- count(100000, R), writeln(R).
count(0, R) :- R = done.
count(N, R) :- N > 0 | N1 := N - 1, count(N1, R).
"""
WAYS = [['-time=real', '-j', '1'], ['-time=real', '-j', '2'], ['-time=real', '-j', '3', '-seed', '4']]


class Failure(Exception):
    pass


def check(good, text):
    if not good:
        raise Failure(text)


def wait_for(condition, what):
    end = time.time() + TIMEOUT
    while not condition():
        check(time.time() < end, 'no end of waiting for ' + what)
        time.sleep(0.05)


class Run:
    def __init__(self, commands, folder, source, options, before=None):
        self.paf = commands[1]
        self.folder = folder
        self.trace = os.path.join(folder, 'program.paf')
        with open(os.path.join(folder, 'program.fl'), 'w', encoding='utf-8') as file:
            file.write(source)
        # A group of its own below this process: the system does not stop an orphaned group by SIGTSTP.
        self.process = subprocess.Popen([commands[0], *options, 'program.fl'], cwd=folder, process_group=0,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=before)

    def info(self):
        done = subprocess.run([self.paf, 'info', '--json', '--verify', self.trace],
                              capture_output=True, check=False)
        return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr

    def has_version(self, size=1):
        """By its size: what an endless run makes while its trace is read has to be written, too."""
        return os.path.exists(self.trace) and os.path.getsize(self.trace) >= size


def killed(commands, options):
    with tempfile.TemporaryDirectory() as folder:
        run = Run(commands, folder, ENDLESS, options + ['-trace'])
        real = '-time=ideal' not in options # what it has recorded by then is written when it is killed
        wait_for(lambda: run.has_version(1 if real else 30000), 'a trace with reductions')
        time.sleep(0.3 if real else 0)
        check(run.process.poll() is None, 'it has ended')
        run.process.kill()
        run.process.communicate()
        status, info, error = run.info()
        check(status == 1 and b'the file ends before the run did' in error,
              'paf info: status %d, %r' % (status, error))
        check(info['ending'] == 'unfinished' and info['reductions'] > 2000, '%r' % info)
        done = subprocess.run([run.paf, 'report', '--json', run.trace], capture_output=True,
                              check=False)
        report = json.loads(done.stdout)
        check(done.returncode == 1 and report['work'] == info['reductions'],
              'paf report: status %d, %r' % (done.returncode, report))
        # The ideal machine makes a list item and adds an earlier one, four reductions, at each step.
        check(1.9 < report['parallelism'] <= 4, 'parallelism %r' % report['parallelism'])


def killed_late(commands, options):
    """What a real run had told before it was killed is in its trace, once its output has ended."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(commands, folder, TELLING, options + ['-trace'])
        end, told = time.time() + 1.5, 0
        while told < 3000 or time.time() < end or not os.path.exists(run.trace):
            told = int(run.process.stdout.readline())
        run.process.kill()
        run.process.communicate()
        status, info, error = run.info()
        check(status == 1 and b'the file ends before the run did' in error,
              'paf info: %d, %r' % (status, error))
        had = sum(p['reductions'] for p in info['predicates'] if p['predicate'] == 'tell/2')
        check(had >= told, '%d of at least %d reductions' % (had, told))


def ended_by(commands, number):
    """What a real run had told before a signal ended it is in its trace, and nothing else is left."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(commands, folder, TELLING, ['-time=real', '-trace'])
        end, told = time.time() + 1, 0
        while told < 3000 or time.time() < end:
            told = int(run.process.stdout.readline())
        run.process.send_signal(number)
        run.process.communicate()
        check(run.process.returncode == -number, 'signal %d: status %d' % (number, run.process.returncode))
        status, info, error = run.info()
        check(status == 0, 'signal %d: paf info: %d, %r' % (number, status, error))
        had = sum(p['reductions'] for p in info['predicates'] if p['predicate'] == 'tell/2')
        check(had >= told, 'signal %d: %d of at least %d reductions' % (number, had, told))
        check(info['ending'] == 'interrupted', info['ending'])
        check(sorted(os.listdir(folder)) == ['program.fl', 'program.paf'], 'left: %r' % os.listdir(folder))


def crashed(commands, numbers):
    """What a thread that crashes had done is written by another one, also when there is a second crash
    meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(commands, folder, COUNTS, ['-time=real', '-j', '1', '-trace'])
        wait_for(run.has_version, 'a version')
        run.process.stdin.write(b'line\n' * 2000)
        run.process.stdin.flush()
        second = second_of(run.process)
        wait_for(lambda: has_read_all(run) and is_idle(second), 'the end of the lines')
        for number in numbers: # as the kernel's: they are not sent by kill()
            ctypes.CDLL(None).syscall(TGKILL, second, second, int(number))
        run.process.communicate()
        status, info, error = run.info()
        check(-run.process.returncode in numbers and status == 1, 'status %d' % run.process.returncode)
        check(info['ending'] == 'unfinished' and info['reductions'] >= 4000, '%r' % info)
        check(sorted(os.listdir(folder)) == ['program.fl', 'program.paf'], 'left: %r' % os.listdir(folder))


def unread(commands, options):
    """A run whose output nobody reads any more ends by SIGPIPE, and what it recorded is complete."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(commands, folder, TELLING, options)
        run.process.stdout.readline()
        run.process.stdout.close()
        check(run.process.wait(TIMEOUT) == -signal.SIGPIPE, 'status %d' % run.process.returncode)
        status, info, error = run.info()
        check(status == 0 and info['ending'] == 'interrupted', 'paf info: %d, %r' % (status, error))


def killed_early(commands):
    """Who reads the first trace of a name at once, when the run was killed, reads all of it: as often as one
    likes, for it matters how fast the second process is told."""
    for _ in range(20):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(commands, folder, TELLING, ['-time=real', '-trace'])
            told = int(run.process.stdout.readline())
            check(os.path.exists(run.trace), 'no file has the name')
            run.process.kill()
            run.process.wait()
            status, info, error = run.info()
            run.process.stdout.close()
            check(status == 1 and info and info['reductions'] >= told, 'paf info: %d, %r' % (status, error))


def killed_stopped(commands):
    """A run that the terminal stopped and somebody killed ends, and leaves what it recorded."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(commands, folder, TELLING, ['-time=real', '-trace'])
        run.process.stdout.readline()
        second = second_of(run.process)
        os.kill(second, signal.SIGTSTP)
        wait_for(lambda: is_stopped(second) and is_stopped(run.process.pid), 'the stop')
        run.process.kill()
        run.process.communicate() # the second process has it open until it ends
        status, info, error = run.info()
        check(status == 1 and info['reductions'] > 0, 'paf info: %d, %r' % (status, error))


def of_many_groups(commands):
    """The trace of a run that goes on is read at once, however many groups its user has. For root only."""
    if os.geteuid() != 0:
        return
    with tempfile.TemporaryDirectory() as folder:
        run = Run(commands, folder, TELLING, ['-time=real', '-trace'],
                  lambda: os.setgroups(range(1000000, 1002000)))
        run.process.stdout.readline()
        try:
            subprocess.run([run.paf, 'info', run.trace], capture_output=True, timeout=60, check=False)
        except subprocess.TimeoutExpired as late:
            raise Failure('paf info waits for the end of the run') from late
        finally:
            run.process.kill()
            run.process.communicate()


def too_large(commands, had_one):
    """A run whose trace reaches the limit of file sizes writes its output, says so, has status 1."""
    with tempfile.TemporaryDirectory() as folder:
        path, trace = os.path.join(folder, 'program.fl'), os.path.join(folder, 'program.paf')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(COUNTED)
        if had_one:
            with open(trace, 'w', encoding='utf-8') as file:
                file.write('the former file')
        for options in (['-time=real'], ['-time=ideal']):
            done = subprocess.run([commands[0], *options, '-trace', path], cwd=folder, capture_output=True,
                                  timeout=TIMEOUT, check=False, preexec_fn=lambda: resource.setrlimit(
                                      resource.RLIMIT_FSIZE, (20480, 20480)))
            check(done.returncode == 1 and done.stdout == b'done\n' and b'File too large' in done.stderr,
                  'status %d, %r, %r' % (done.returncode, done.stdout, done.stderr))
            left = sorted(name for name in os.listdir(folder) if not name.endswith(('.paf', '.fl')))
            check(not left, 'left: %r' % left)


def second_of(process):
    """The process that runs the program: the only child of the one that is known."""
    with open('/proc/%d/task/%d/children' % (process.pid, process.pid), encoding='ascii') as file:
        return int(file.read())


def is_idle(pid):
    """Whether all threads of it sleep."""
    for thread in os.listdir('/proc/%d/task' % pid):
        with open('/proc/%d/task/%s/stat' % (pid, thread), encoding='ascii') as file:
            if file.read().rpartition(')')[2].split()[0] != 'S':
                return False
    return True


def has_read_all(run):
    waiting = fcntl.ioctl(run.process.stdin, termios.FIONREAD, bytes(4))
    return waiting == bytes(4)


def is_stopped(pid):
    with open('/proc/%d/stat' % pid, encoding='ascii') as file:
        return file.read().rpartition(')')[2].split()[0] == 'T'


def stopped(commands):
    """Who stops and continues the second process alone does not stop the first one for good."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(commands, folder, TELLING, ['-time=real', '-trace'])
        run.process.stdout.readline()
        second = second_of(run.process)
        os.kill(second, signal.SIGSTOP)
        wait_for(lambda: is_stopped(second), 'the stop')
        time.sleep(0.2) # time enough for the first one to stop, too
        check(not is_stopped(run.process.pid), 'the first process stopped')
        os.kill(second, signal.SIGCONT)
        run.process.terminate()
        run.process.communicate()
        check(run.process.returncode == 128 + signal.SIGTERM, 'status %d' % run.process.returncode)


def ignored(commands):
    """A run whose parent ignored the ends of its children ends."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'program.fl')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(COUNTS)
        done = subprocess.run([commands[0], '-time=real', '-trace', path], input=b'line\n', cwd=folder,
                              stdout=subprocess.PIPE, timeout=TIMEOUT, check=False,
                              preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        check(done.returncode == 0 and done.stdout == b'1\n', 'status %d' % done.returncode)


def hung_up(commands):
    """A run that leads its session ends when the terminal is gone, though it writes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'program.fl'), 'w', encoding='utf-8') as file:
            file.write(ENDLESS)
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execv(commands[0], [commands[0], '-time=real', '-trace', 'program.fl'])
        wait_for(lambda: os.path.exists(os.path.join(folder, 'program.paf')), 'the trace')
        os.close(terminal)
        try:
            wait_for(lambda: os.waitpid(pid, os.WNOHANG)[0] != 0, 'the end without a terminal')
        except Failure:
            os.kill(pid, signal.SIGKILL)
            raise


def ended(commands, options):
    """The trace is replaced while the run goes on, and complete in the end."""
    with tempfile.TemporaryDirectory() as folder:
        there = os.path.join(folder, 'there.paf')
        os.symlink('there.paf', os.path.join(folder, 'program.paf'))
        run = Run(commands, folder, COUNTS, options + ['-trace'])
        wait_for(lambda: os.path.exists(there), 'the file')
        first, lines = os.stat(there).st_ino, 0
        while lines < 2000 or os.stat(there).st_ino == first:
            run.process.stdin.write(b'line\n')
            run.process.stdin.flush()
            lines += 1
            if lines > 2000:
                time.sleep(0.01)
            check(lines < 100 * TIMEOUT, 'the trace is never replaced')
        out = run.process.communicate()[0]
        check(run.process.returncode == 0 and out == b'%d\n' % lines,
              'status %d, %r' % (run.process.returncode, out))
        status, info, error = run.info()
        check(status == 0, 'paf info: %r' % error)
        counted = sum(p['reductions'] for p in info['predicates']
                      if p['predicate'] in ('count/3', 'twice/5'))
        check(info['ending'] == 'normal' and counted == 2 * lines + 1, '%r' % info)
        check(os.path.islink(run.trace), 'the link is replaced')
        check(sorted(os.listdir(folder)) == ['program.fl', 'program.paf', 'there.paf'],
              'left: %r' % os.listdir(folder))


def piped(commands):
    """What is no plain file is written at the end only."""
    with tempfile.TemporaryDirectory() as folder:
        reader, writer = os.pipe()
        path = os.path.join(folder, 'program.fl')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(COUNTS)
        process = subprocess.Popen([commands[0], '-time=real', '-j', '2', '-trace=/dev/fd/%d' % writer,
                                    path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   pass_fds=[writer])
        os.close(writer)
        process.stdin.write(b'line\n' * 100)
        process.stdin.flush()
        time.sleep(0.3) # time enough for a trace to be written beside it
        out = process.communicate()[0]
        with open(reader, 'rb') as file:
            trace = file.read()
        check(process.returncode == 0 and out == b'100\n', '%r' % out)
        piped_to = os.path.join(folder, 'piped.paf')
        with open(piped_to, 'wb') as file:
            file.write(trace)
        done = subprocess.run([commands[1], 'info', '--verify', piped_to], capture_output=True,
                              check=False)
        check(done.returncode == 0, '%r' % done.stderr)
        check(sorted(os.listdir(folder)) == ['piped.paf', 'program.fl'], 'left: something')


def sanitized(commands):
    """Sanitizers take signals of crashes themselves."""
    with open(commands[0], 'rb') as file:
        return b'__asan_init' in file.read()


def main():
    signal.signal(signal.SIGQUIT, signal.SIG_DFL) # what a shell ignores in the background the runs would, too
    commands = [os.path.abspath(path) for path in sys.argv[1:]]
    tests = [lambda o=o: killed(commands, o) for o in WAYS + [['-time=ideal']]]
    tests += [lambda o=o: killed_late(commands, o) for o in WAYS]
    tests += [lambda o=o: ended(commands, o) for o in WAYS]
    tests += [lambda n=n: ended_by(commands, n) for n in (signal.SIGPIPE, signal.SIGQUIT)]
    if not sanitized(commands):
        tests += [lambda: ended_by(commands, signal.SIGSEGV), lambda: crashed(commands, [signal.SIGSEGV]),
                  lambda: crashed(commands, [signal.SIGSEGV, signal.SIGBUS])]
    tests += [lambda o=o: unread(commands, o) for o in (['-time=real', '-trace'], ['-trace'], ['-profile'])]
    tests += [lambda h=h: too_large(commands, h) for h in (False, True)]
    tests += [lambda t=t: t(commands) for t in (killed_early, killed_stopped, piped, stopped, ignored,
                                                hung_up, of_many_groups)]
    failed = 0
    for number, test in enumerate(tests):
        try:
            test()
        except Failure as failure:
            failed += 1
            print('FAILED %d: %s' % (number, failure))
    print('%d passed, %d failed' % (len(tests) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
