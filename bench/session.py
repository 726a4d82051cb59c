# SPDX-License-Identifier: MIT
"""What can be run here, and the measurement of one program in all ways."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

import measure
import programs

ERLANG = ['erl', '+S', '1:1', '+sbwt', 'none', '+sbwtdcpu', 'none', '+sbwtdio', 'none', '-noinput']

KNOWN = ('plain', 'two', 'swi', 'erlang', 'ideal', 'trace', 'profile')  # others are of memory


@dataclass
class Session:
    build: str   # a build folder
    work: str    # a folder for traces and what peers are compiled to
    rounds: int
    ways: list = field(default_factory=list)  # that are measured
    scale: float = 1.0  # of the sizes of plain runs
    faults: list = field(default_factory=list)  # messages
    swi: bool = False
    erlang: bool = False
    profile: bool = False

    @property
    def fleng(self):
        return os.path.join(self.build, 'fleng', 'fleng')

    @property
    def paf(self):
        return os.path.join(self.build, 'paf', 'paf')

    def build_fleng(self):
        say('Building %s...' % self.build)
        if not os.path.exists(os.path.join(self.build, 'build.ninja')):
            quietly(['meson', 'setup', self.build, programs.ROOT, '--buildtype=release'])
        quietly(['ninja', '-C', self.build, 'fleng/fleng', 'paf/paf'])

    def prepare(self):
        """Builds Fleng and installs and compiles the peers, as far as possible."""
        self.build_fleng()
        text = subprocess.run([self.fleng, '--help'], stdout=subprocess.PIPE, check=True, text=True)
        self.profile = '-profile' in text.stdout
        install_peers()
        self.swi = shutil.which('swipl') is not None
        self.erlang = shutil.which('erl') is not None and shutil.which('erlc') is not None
        if self.erlang:
            folder = os.path.join(programs.HERE, 'erlang')
            sources = [os.path.join(folder, f) for f in sorted(os.listdir(folder))]
            quietly(['erlc', '-o', self.work] + sources)
        for name, there in (('SWI-Prolog', self.swi), ('Erlang', self.erlang)):
            if not there:
                say('%s is not here: its columns stay empty.' % name)

    def run(self, command, answer, limit=measure.TIME_LIMIT):
        return measure.checked_run(command, self.work, answer, limit)

    def measure(self, ways):
        """Summaries of runs that take turns; a wrong answer is a fault, its way is left out."""
        results = {}
        wanted = {name: way for name, way in ways.items() if name in self.ways or name not in KNOWN}
        for name, runs in measure.alternate(wanted, self.rounds).items():
            if isinstance(runs, str):
                self.faults.append(runs)
            else:
                results[name] = measure.summary(runs)
        return results

    def stamped_ways(self, name, source, arguments, answer):
        """The ideal machine, untraced, traced and profiled."""
        def way(option):
            command = [self.fleng, '-report', option, source, '--'] + arguments
            return lambda limit: self.run(command, answer, limit)
        ways = {'ideal': way('-time=ideal'), 'trace': way('-trace=' + self.trace_file(name))}
        if self.profile:
            ways['profile'] = way('-profile=%s-profile.paf' % name)
        return ways

    def trace_file(self, name):
        return os.path.join(self.work, name.replace(' ', '_') + '.paf')

    def trace_info(self, name):
        text = subprocess.run([self.paf, 'info', '--json', self.trace_file(name)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        return json.loads(text)


def say(text):
    print(text, file=sys.stderr, flush=True)


def quietly(command):
    """Runs a command that must succeed, showing what it says only if it does not."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit('%s\nfailed: %s' % (done.stdout, ' '.join(command)))


def install_peers():
    """Installs SWI-Prolog and Erlang if they are missing and that can be done."""
    if all(shutil.which(command) for command in ('swipl', 'erlc')):
        return
    done = subprocess.run([os.path.join(programs.ROOT, '.ci', 'install'), 'bench'],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        say('Without all peers: ' + done.stderr.strip())


# ---- One program ---------------------------------------------------------------------------------

def program_row(session, program):
    """All that is known of one of the ten programs, as a dictionary."""
    n = program.size(session.scale)
    stamped = max(4, int(program.stamped * session.scale) // 4 * 4)
    row = {'name': program.name, 'n': n}
    results = session.measure(plain_ways(session, program, n))
    results.update(session.measure(session.stamped_ways(
        program.name, program.source, [str(stamped)], program.answer(stamped))))
    row['runs'] = {way: vars(s) for way, s in results.items()}
    if 'trace' in results:
        info = session.trace_info(program.name)
        add_trace_figures(row, info)
        row['reductions'] = reductions(session, program, n, stamped, info['reductions'])
    return row


def swi_source(program):
    return getattr(program, 'port', os.path.join(programs.HERE, 'swi', program.name + '.pl'))


def peers_row(session, program, kind):
    """A program of a usual kind, or of some shape: one worker and two, and its peers."""
    n = program.size(session.scale)
    results = session.measure(plain_ways(session, program, n))
    row = {'name': program.name, 'kind': kind, 'runs': {way: vars(s) for way, s in results.items()}}
    if 'plain' in results:
        row['reductions'] = results['plain'].reductions
    return row


def usual_row(session, program):
    return peers_row(session, program, 'usual')


def shape_row(session, program):
    return peers_row(session, program, 'wide' if program.wide else 'processes')


def agreeing(session, answer):
    """Makes runs that must all answer the same: `answer` or, if that is None, what the first does."""
    expected = [answer]

    def run(command, limit):
        if expected[0] is None:
            found = measure.run(command, session.work, limit)
            expected[0] = found.output.strip()
        return session.run(command, expected[0], limit)
    return run


def plain_ways(session, program, n):
    run = agreeing(session, program.answer(n))
    ways = {}

    def add(name, command):
        ways[name] = lambda limit: run(command, limit)
    add('plain', [session.fleng, '-report', '-j', '1', program.source, '--', str(n)])
    if session.swi and program.swi:
        add('swi', ['swipl', '-O', swi_source(program), str(n)])
    if session.erlang and program.erlang:
        call = '%s:main(["%d"]), halt().' % (getattr(program, 'file', program.name), n)
        add('erlang', ERLANG + ['-pa', session.work, '-eval', call])
    add('two', [session.fleng, '-report', '-j', '2', program.source, '--', str(n)])
    return ways


def add_trace_figures(row, info):
    row['stamped_reductions'] = info['reductions']
    row['parallelism'] = info['reductions'] / info['span']
    row['bytes_per_reduction'] = info['bytes_per_reduction']


def reductions(session, program, n, stamped, counted):
    """Of the program with argument n: a + b n, from traces of small runs; `counted` is what the
    trace of the run with argument `stamped` says, which must lie on the line."""
    counts = {}
    for size in (stamped // 4, stamped // 2):
        name = program.name + '-count'
        way = session.stamped_ways(name, program.source, [str(size)], program.answer(size))['trace']
        way(measure.TIME_LIMIT)
        counts[size] = session.trace_info(name)['reductions']
    (low, at_low), (high, at_high) = sorted(counts.items())
    each = (at_high - at_low) / (high - low)
    if at_low + each * (stamped - low) != counted:
        session.faults.append('%s: the number of reductions is not a + b N' % program.name)
    return round(at_low + each * (n - low))


# ---- Best path -----------------------------------------------------------------------------------

def best_path_row(session, program):
    graph_file = os.path.join(session.work, 'graph.gr')
    answer = program.write_graph(graph_file)
    arguments = [graph_file, '1', 'sum']
    def plain(workers):
        command = [session.fleng, '-report', '-j', workers, program.source, '--'] + arguments
        return lambda limit: session.run(command, answer, limit)
    ways = {'plain': plain('1'), 'two': plain('2')}
    ways.update(session.stamped_ways(program.name, program.source, arguments, answer))
    results = session.measure(ways)
    row = {'name': program.name, 'kind': 'best path',
           'runs': {way: vars(s) for way, s in results.items()}}
    if 'trace' in results:
        add_trace_figures(row, session.trace_info(program.name))
    if 'plain' in results:
        row['reductions'] = results['plain'].reductions
    return row


# ---- Memory --------------------------------------------------------------------------------------

def memory_rows(session):
    """The most memory of runs with one worker, by name."""
    rows = {}
    for program in programs.MEMORY:
        n = int(program.n * session.scale)
        command = [session.fleng, '-report', '-j', '1', program.source, '--', str(n)]
        answer = program.answer(n)
        results = session.measure(
            {program.name: lambda limit, c=command, a=answer: session.run(c, a, limit)})
        if program.name in results:
            rows[program.name] = {'n': n, 'memory': results[program.name].memory,
                                  'goal': program.goal * session.scale
                                  if program.goal > 50e6 else program.goal}
    return rows
