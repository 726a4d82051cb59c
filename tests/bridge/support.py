# SPDX-License-Identifier: MIT
"""What the tests of the bridge share.

A test is a function of one argument, its tools. It calls check() for what must hold, and skip() or
need() where something is missing here: the other tests go on, and the script ends with 77, which
counts as skipped. A statement that depends on how fast threads are is a claim(): it must hold in 18 of
20 recordings, and how often it held is printed. Claims need a machine that is idle: a script makes
them, and nothing else, if its first argument is --claims.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RUNTIME = '-Wl,-rpath,/usr/lib/llvm-19/lib'
ALL = ('--routines', '--loops', '--io')
LIMIT = 600  # seconds of one command: for one that hangs
RECORDINGS, ENOUGH = 20, 18
SKIPPED = 77

failures = []
skips = []


class Skip(Exception):
    """Raised by what cannot be tested here; its text says why."""


def check(right, what, *details):
    if not right:
        failures.append(what)
        print('FAILED: ' + what, *('  %.2000s' % (detail,) for detail in details), sep='\n')


def skip(reason):
    raise Skip(reason)


def need(*programs):
    """The path of the last of these programs, all of which must be there."""
    for program in programs:
        if not shutil.which(program):
            skip(program + ' is not installed')
    return shutil.which(programs[-1])


def present(*programs):
    """Those that are there; each of the others counts as skipped."""
    missing = [program for program in programs if not shutil.which(program)]
    skips.extend(program + ' is not installed' for program in missing)
    for program in missing:
        print('SKIPPED: %s is not installed' % program, file=sys.stderr)
    return [program for program in programs if program not in missing]


def claim(what, record, holds):
    """Records 20 times; `holds` must be true of what record() returns in 18 of them."""
    held = sum(bool(holds(record())) for _ in range(RECORDINGS))
    print('%s: in %d of %d recordings' % (what, held, RECORDINGS))
    check(held >= ENOUGH, what, 'in %d of %d recordings only' % (held, RECORDINGS))


def run_tests(make_tools, *tests, claims=()):
    """Runs them, or the claims if these are asked for, in a folder of their own, and ends the process
    with the status for the test runner. make_tools: from the folder's path to the argument of the tests."""
    if sys.argv[1:2] == ['--claims']:
        del sys.argv[1]
        tests = claims
    with tempfile.TemporaryDirectory(prefix='fleng-bridge-') as folder:
        try:
            tools = make_tools(folder)
        except Skip as reason:
            sys.exit(print('SKIPPED: %s' % reason, file=sys.stderr) or SKIPPED)
        for test in tests:
            try:
                test(tools)
            except Skip as reason:
                skips.append(str(reason))
                print('SKIPPED: %s: %s' % (test.__name__, reason), file=sys.stderr)
    print('%d tests, %d failed checks, %d skipped' % (len(tests), len(failures), len(skips)))
    sys.exit(1 if failures else SKIPPED if skips else 0)


def source(name):
    """The text of a program beside this file."""
    with open(os.path.join(HERE, name), encoding='utf-8') as file:
        return file.read()


def run_checked(*words, status=0):
    """Runs a command that must end with this status."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False,
                          timeout=LIMIT)
    check(done.returncode == status,
          f'{words[1:]} ends with {status}, not {done.returncode}: {done.stderr}')
    return done


def modules(report):
    return {m['name']: m for m in report['modules']}


def values(report, from_, to):
    """Values that were passed between modules whose names match these patterns."""
    return sum(d['count'] for d in report['dependencies']
               if re.match(from_, d['from']) and re.match(to, d['to']))


class Tools:
    """The commands under test, and a folder to work in."""

    def __init__(self, bridge, paf, compiler, apps, folder):
        self.bridge = os.path.abspath(bridge)
        self.paf = paf and os.path.abspath(paf)
        self.compiler, self.apps, self.folder = compiler, apps and os.path.abspath(apps), folder
        self.environment = dict(os.environ)

    def run(self, *words, **options):
        options.setdefault('env', self.environment)
        options.setdefault('timeout', LIMIT)
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False,
                              **options)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
        return self.path(name)

    def findings(self, trace):
        done = self.run(self.paf, 'report', trace)
        check(done.returncode == 0, 'report of ' + trace, done.stderr)
        return done.stdout

    def report(self, trace, *options):
        done = self.run(self.paf, 'report', '--json', *options, trace)
        check(done.returncode == 0, 'report --json of ' + trace, done.stderr)
        return json.loads(done.stdout)


class OpenMP(Tools):
    """Programs with OpenMP, recorded. print_trace: the program that writes a trace as JSON, or None."""

    def __init__(self, folder, bridge, paf, compiler, apps, print_trace=None):
        super().__init__(bridge, paf, compiler, apps, folder)
        self.print_trace = print_trace and os.path.abspath(print_trace)

    def build(self, name, *options):
        """The example of this name."""
        done = self.run(self.compiler, '-g', '-O1', '-fopenmp', '-o', self.path(name),
                        os.path.join(self.apps, name + '.c'), '-lm', RUNTIME, *options)
        check(done.returncode == 0, 'building ' + name, done.stderr)
        return self.path(name)

    def compile_with(self, compiler, source, name, *options):
        need(compiler)
        done = self.run(compiler, '-g', '-O1', '-fopenmp', '-o', self.path(name), source, *options)
        check(done.returncode == 0, 'building %s with %s' % (source, compiler), done.stderr)
        return done.returncode == 0

    def record(self, name, *arguments, options=()):
        trace = self.path(name + '.paf')
        done = self.run(self.bridge, 'record', '--openmp', '-o', trace, *options, '--',
                        self.path(name), *arguments)
        return done, trace

    def history(self, trace):
        done = self.run(self.print_trace, trace)
        check(done.returncode == 0, 'the history of ' + trace, done.stderr)
        return json.loads(done.stdout)


class MPI(Tools):
    """Programs with MPI, recorded. print_messages: the program that writes what was matched, or None."""

    def __init__(self, folder, bridge, paf, compiler, apps, print_messages=None):
        super().__init__(bridge, paf, compiler, apps, folder)
        self.print_messages = print_messages and os.path.abspath(print_messages)
        self.environment.update(mpi_environment(folder))
        self.need_mpirun()

    def need_mpirun(self):
        """It needs a network interface, if only that of the machine itself."""
        need('mpirun')
        probe = self.run('mpirun', '--oversubscribe', '-n', '2', 'true')
        if probe.returncode != 0:
            skip('mpirun does not run here: ' + probe.stderr[:300])

    def build(self, source, compiler=None, *options):
        name = os.path.splitext(os.path.basename(source))[0]
        done = self.run(compiler or self.compiler, '-g', '-O1', '-o', name, source, *options)
        check(done.returncode == 0, 'building ' + name, done.stderr)
        return name

    def record(self, name, ranks, *options):
        trace = self.path(name + '.paf')
        done = self.run(self.bridge, 'record', '--mpi', '-o', trace, *options, '--', 'mpirun',
                        '--oversubscribe', '-n', str(ranks), './' + name)
        return done, trace

    def report(self, trace, *options):
        verified = self.run(self.paf, 'info', '--verify', trace)
        check(verified.returncode == 0, 'the trace verifies', verified.stderr)
        return super().report(trace, *options)


def mpi_environment(folder):
    return {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
            'OMPI_MCA_btl_vader_single_copy_mechanism': 'none',
            'HWLOC_COMPONENTS': '-gl', # mpirun would wait for an X server that does not answer
            # a container may have little room in /dev/shm
            'OMPI_MCA_btl_vader_backing_directory': folder}


class Total:
    """A line of print_totals."""

    def __init__(self, text):
        words = text.split()
        (self.kind, self.unit, self.seq, self.label, self.line, self.file, self.definite, self.type,
         self.number) = words[:9]
        (self.rank, self.thread, self.times, self.rotation, self.time,
         self.inclusive) = [None if w == '-' else int(w) for w in words[10:]]


def of(totals, kind, unit=None):
    return [t for t in totals if t.kind == kind and unit in (None, t.unit)]


class Measured(Tools):
    """Programs that `kpx-bridge build` compiled, so that routines, loops and I/O can be measured.
    print_totals: the program that writes the totals of a trace."""

    def __init__(self, folder, bridge, print_totals, compiler, apps, paf=None):
        super().__init__(bridge, paf, compiler, apps, folder)
        self.print_totals = os.path.abspath(print_totals)
        self.environment.update(mpi_environment(folder))

    def build(self, *arguments, compiler=None):
        done = self.run(self.bridge, 'build', '--', compiler or self.compiler, *arguments)
        check(done.returncode == 0, 'building ' + ' '.join(arguments), done.stderr)
        return done

    def example(self, name, *options):
        self.build('-O2', '-o', name.split('.')[0], os.path.join(self.apps, name), *options)

    def record(self, *command, options=ALL):
        trace = self.path('out.paf')
        if os.path.exists(trace):
            os.remove(trace)
        done = self.run(self.bridge, 'record', '-o', trace, *options, '--', *command)
        return done, self.totals(trace)

    def totals(self, trace):
        done = self.run(self.print_totals, trace)
        check(done.returncode == 0, 'totals of ' + trace, done.stderr)
        return [Total(line) for line in done.stdout.splitlines()]

    def need_mpi(self, name, source):
        """Builds a program with MPI in Fortran; skips where none can run."""
        need('mpif90', 'mpirun')
        self.write(name + '.f90', source)
        self.build('-o', name, name + '.f90', compiler='mpif90')
        plain = self.run('mpirun', '--oversubscribe', '-n', '3', './' + name)
        if plain.returncode != 0:
            skip('mpirun does not run here: ' + plain.stderr[:300])
