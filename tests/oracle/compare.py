#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Differential test: generated programs through `fleng` and `paf` against the reference.

usage: compare.py [OPTION...] FLENG PAF FIRST[-LAST]
  --shrink            reduce the first mismatching program of each kind of difference
  --keep DIR          write mismatching programs there
  --stop N            stop after N mismatching seeds
  --no-merges, --no-faults, --only-normal
  --no-schedules      no runs of the plain engine
  --merge-order stream|goal, --merge-tail NAME
"""

import argparse
import copy
import json
import os
import random
import subprocess
import sys
import tempfile

from core import CompileError
from generate import generate
from iotree import Analysis, iotree_json, parse_partition
from machine import Machine, Program
from oracle import in_deep_thread, output_of
from reader import SyntaxFault
from report import report_json

TIME_LIMIT = 600
MAX_REDUCTIONS = 20000


class Case:
    """One program and what is asked about it."""

    def __init__(self, seed, options):
        self.seed = seed
        self.program = generate(seed, merges=options.merges, faults=options.faults)
        rng = random.Random(seed + 1000003)
        self.of = rng.choice(self.program.entries)
        self.picked = rng.random() if rng.random() < 0.3 else None  # one goal as an entry
        self.costs = {}
        if rng.random() < 0.2:
            priced = rng.sample(self.program.entries, min(3, len(self.program.entries)))
            self.costs = {pred: rng.randint(1, 4) for pred in priced + [':=/2', 'merge/2']}
        self.stop = (rng.choice(['limit', 'until']), rng.random()) if rng.random() < 0.1 else None
        self.limits = {}            # what -limit or -until is given

    def expected(self, options):
        """The reference's run, or None when it is not wanted or does not compile."""
        self.limits = {}
        machine = self.run(options)
        if machine.end == 'stopped' or (options.only_normal and machine.end != 'normal'):
            return None
        reductions = machine.reductions()
        if self.stop is not None and reductions:
            kind, part = self.stop
            most = len(reductions) if kind == 'limit' else reductions[-1].t
            if most > 1:
                self.limits = {kind: 1 + int(part * (most - 1))}
                machine = self.run(options)
        return machine

    def run(self, options, shuffle=None):
        program = self.program
        limits = {} if shuffle else self.limits
        machine = Machine(Program(program.source_text()), program.start(), (),
                          merge_order=options.merge_order, merge_tail_name=options.merge_tail,
                          max_reductions=limits.get('limit', MAX_REDUCTIONS),
                          until=limits.get('until'), shuffle=shuffle,
                          find_races=shuffle is None,
                          costs=None if shuffle else self.costs)
        machine.run()
        return machine

    def is_determinate(self, machine, options):
        """Whether every run has to give the same, as one in another order does."""
        if machine.end not in ('normal', 'deadlock') or machine.raced:
            return False
        other = self.run(options, random.Random(self.seed))
        if any_order(other) != any_order(machine):
            raise AssertionError('seed %d: %r, then %r' % (
                self.seed, any_order(machine), any_order(other)))
        return True

    def partition(self, machine):
        partition = self.program.partition
        if self.picked is None or not machine.goals:
            return partition
        picked = 'picked=#%d' % int(self.picked * len(machine.goals))
        return picked if partition is None else '%s %s' % (partition, picked)


def any_order(machine):
    """What a run has to give whatever its schedule: concurrent writes come in any order."""
    return machine.end, sorted(''.join(machine.output)), machine.answers()


# ---- differences ---------------------------------------------------------------------------------

def differences(got, wanted, path, out):
    """Appends `path: got ..., wanted ...` for each place where two JSON values differ."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in wanted:
            if key not in got:
                out.append('%s.%s: missing' % (path, key))
            else:
                differences(got[key], wanted[key], '%s.%s' % (path, key), out)
    elif isinstance(wanted, list) and isinstance(got, list):
        if len(got) != len(wanted):
            out.append('%s: %d items, wanted %d' % (path, len(got), len(wanted)))
        for i, (g, w) in enumerate(zip(got, wanted)):
            differences(g, w, '%s[%d]' % (path, i), out)
    elif isinstance(wanted, float) or isinstance(got, float):
        if abs(got - wanted) > 1e-3 * max(1, abs(wanted)):
            out.append('%s: got %r, wanted %r' % (path, got, wanted))
    elif got != wanted:
        out.append('%s: got %r, wanted %r' % (path, got, wanted))


def keyed(rows, *keys):
    """A list whose order nothing defines, as a dictionary."""
    return {' '.join(str(row[key]) for key in keys): row for row in rows}


def comparable_report(report):
    report = dict(report)
    report.pop('program', None)
    report['dependencies'] = keyed(report['dependencies'], 'from', 'to')
    report['critical_path'] = keyed(report['critical_path'], 'module', 'predicate')
    rows = [{k: v for k, v in row.items() if k != 'clause'} for row in report['unneeded']]
    report['unneeded'] = keyed(rows, 'line', 'output', 'input')
    for name in ('dependencies', 'critical_path', 'unneeded'):
        report[name + ' keys'] = sorted(report[name])
    return report


def comparable_trees(answer, with_module=True):
    answer = copy.deepcopy(answer)
    # nothing defines the order of processes of several modules
    answer['processes'].sort(key=lambda process: (process['module'], process['created']))
    for process in answer['processes']:
        if not with_module:
            process.pop('module', None)
        for node in process['nodes']:
            node.pop('clause', None)
    return answer


# ---- running -------------------------------------------------------------------------------------

class Tools:
    def __init__(self, fleng, paf, folder):
        self.fleng = os.path.abspath(fleng)
        self.paf = os.path.abspath(paf)
        self.folder = folder
        self.source = os.path.join(folder, 'test.fl')
        self.trace = os.path.join(folder, 'test.paf')

    def run(self, *words):
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, timeout=TIME_LIMIT, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return 'timeout', '', ''
        return (done.returncode, done.stdout.decode('utf-8', 'replace'),
                done.stderr.decode('utf-8', 'replace'))

    def json(self, *words):
        status, out, err = self.run(self.paf, *words)
        try:
            return status, json.loads(out)
        except ValueError:
            return status, 'status %s, no JSON: %s' % (status, (err or out)[:200])


def stamped_options(case):
    """Options of a run on the ideal machine."""
    words = [] if case.program.start() is None else ['-e', case.program.start()]
    for pred, cost in case.costs.items():
        words += ['-cost', '%s=%d' % (pred, cost)]
    for kind, limit in case.limits.items():
        words += ['-' + kind, str(limit)]
    return words


def compare_run(case, machine, tools, out):
    program = case.program
    with open(tools.source, 'w', encoding='utf-8') as source:
        source.write(program.source_text())
    if os.path.exists(tools.trace):
        os.unlink(tools.trace)
    start = stamped_options(case)
    for kind, words in (('traced', ['-trace=' + tools.trace]), ('ideal', ['-time=ideal'])):
        status, text, err = tools.run(tools.fleng, *(words + start + [tools.source]))
        if status != machine.exit_status:
            out.append('%s.exit: got %r, wanted %r (%s); stderr: %s'
                       % (kind, status, machine.exit_status, machine.end, err[:300].strip()))
            continue
        wanted = output_of(machine)
        accepted = [wanted]
        if machine.end != 'normal' and program.start() is not None:
            accepted.append(wanted + ''.join(line + '\n' for line in machine.answers()))
        if text not in accepted:
            got_lines, wanted_lines = text.split('\n'), wanted.split('\n')
            differences(got_lines, wanted_lines, kind + '.output', out)


def compare_schedules(case, machine, tools, out):
    """Runs of the plain engine, with one worker, several, and several by a seed."""
    start = [] if case.program.start() is None else ['-e', case.program.start()]
    written = ''.join(machine.output)
    accepted = [''.join(line + '\n' for line in machine.answers()) if start else '']
    if machine.end != 'normal':
        accepted.append('')
    for words in ([], ['-j', '1'], ['-j', '2'], ['-j', '3', '-seed', str(case.seed)]):
        kind = ' '.join(['plain'] + words)
        status, text, err = tools.run(tools.fleng, *(words + start + [tools.source]))
        if status != machine.exit_status:
            out.append('%s: status %s, wanted %s; stderr: %s'
                       % (kind, status, machine.exit_status, err[:300].strip()))
        elif not any(sorted(text) == sorted(written + answers) and text.endswith(answers)
                     for answers in accepted):
            out.append('%s: got %r, wanted %r, then %r' % (kind, text, written, accepted[0]))


def compare_profile(case, machine, tools, out):
    """A profile has the figures by module of the partition that is used if none is given."""
    profile = os.path.join(tools.folder, 'profile.paf')
    tools.run(tools.fleng, '-profile=' + profile, *(stamped_options(case) + [tools.source]))
    status, got = tools.json('report', '--json', profile)
    if not isinstance(got, dict):
        out.append('profile: %s' % got)
        return
    wanted = report_json(machine, Analysis(machine), '')
    for row in wanted['modules']:
        del row['critical']
    for key in ('work', 'span', 'parallelism', 'suspended', 'profile', 'modules'):
        differences(got[key], wanted[key], 'profile.' + key, out)


def compare_views(case, machine, tools, out):
    partition = case.partition(machine)
    words = [] if partition is None else ['--partition', partition]
    analysis = Analysis(machine, None if partition is None else parse_partition(partition))
    status, got = tools.json('report', '--json', *(words + [tools.trace]))
    if not isinstance(got, dict):
        out.append('report: %s' % got)
        return
    wanted = comparable_report(report_json(machine, analysis, ''))
    differences(comparable_report(got), wanted, 'report', out)
    compare_trees(tools, words, iotree_json(analysis), 'iotree', True, out)
    modules = ['main'] + [name for name, _ in analysis.partition]
    for module in modules:
        compare_trees(tools, words + ['--module', module], iotree_json(analysis, module),
                      'iotree(%s)' % module, True, out)
    analysis = Analysis(machine, [('x', [case.of])])
    compare_trees(tools, ['--of', case.of], iotree_json(analysis, 'x'),
                  'iotree --of %s' % case.of, False, out)


def compare_trees(tools, words, wanted, path, with_module, out):
    status, got = tools.json('iotree', '--json', *(words + [tools.trace]))
    if not wanted['processes']:
        if status != 1:
            out.append('%s: status %s, wanted 1 (nothing matches)' % (path, status))
        return
    if not isinstance(got, dict):
        out.append('%s: %s' % (path, got))
        return
    differences(comparable_trees(got, with_module), comparable_trees(wanted, with_module), path,
                out)
    if with_module and '--module' in words and not any(process['unused_inputs']
                                                       for process in wanted['processes']):
        _, text, _ = tools.run(tools.paf, 'iotree', *(words + [tools.trace]))
        differences(text.split('\n'), tree_text(wanted).split('\n'), path + ' as text', out)


def tree_text(answer):
    """The text form of trees none of whose inputs is unused."""
    processes = []
    for process in answer['processes']:
        lines = ['%s created @%d' % (process['goal'], process['created'])]
        depth = {None: -1}
        for i, node in enumerate(process['nodes']):
            depth[i] = depth[node['parent']] + 1
            inputs = ['%(variable)s=%(term)s @%(time)d (available %(available)d)' % given
                      for given in node['inputs']]
            outputs = ['%(variable)s=%(term)s @%(time)d' % made for made in node['outputs']]
            lines.append('%s{[%s], [%s]}%s' % ('  ' * depth[i], ', '.join(inputs),
                                               ', '.join(outputs),
                                               ' join' if node['join'] else ''))
        processes.append('\n'.join(lines) + '\n')
    return '\n'.join(processes)


def compare_case(case, tools, options):
    """None when the case is skipped, else the list of differences."""
    machine = case.expected(options)
    if machine is None:
        return None
    out = []
    compare_run(case, machine, tools, out)
    if options.schedules and case.is_determinate(machine, options):
        compare_schedules(case, machine, tools, out)
    if os.path.exists(tools.trace):
        compare_views(case, machine, tools, out)
        compare_profile(case, machine, tools, out)
    else:
        out.append('no trace')
    return out


# ---- shrinking -----------------------------------------------------------------------------------

def kind_of(difference):
    """What a difference is about, without numbers: to keep it the same while shrinking."""
    where = difference.split(':')[0]
    return ''.join(c for c in where if not c.isdigit())


def shrink(case, tools, options):
    """Drops goals, predicates and clauses as long as the same kind of difference shows."""
    kind = kind_of(compare_case(case, tools, options)[0])

    def still(candidate):
        try:
            found = compare_case(candidate, tools, options)
        except (CompileError, SyntaxFault):
            return False
        return bool(found) and any(kind_of(d) == kind for d in found)

    changed = True
    while changed:
        changed = False
        for attribute in ('goals', 'text'):
            at = 0
            while at < len(getattr(case.program, attribute)):
                candidate = copy.deepcopy(case)
                del getattr(candidate.program, attribute)[at]
                if still(candidate):
                    case = candidate
                    changed = True
                else:
                    at += 1
        candidate = copy.deepcopy(case)
        candidate.program.text = [line for block in case.program.text
                                  for line in block.split('\n')]
        case = candidate
    return case


def describe(case, found, limit=8):
    lines = ['seed %d: %d differences' % (case.seed, len(found))]
    lines += ['  ' + difference for difference in found[:limit]]
    return '\n'.join(lines)


def show_program(case):
    program = case.program
    return '%% -e %s\n%% partition %s\n%% --of %s\n%% costs %s %s\n%s' % (
        program.start(), program.partition, case.of, case.costs, case.limits,
        program.source_text())


# ---- the command ---------------------------------------------------------------------------------

def command(options):
    first, _, last = options.seeds.partition('-')
    bad, done, skipped = 0, 0, 0
    shrunk = set()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(options.fleng, options.paf, folder)
        for seed in range(int(first), int(last or first) + 1):
            case = Case(seed, options)
            found = compare_case(case, tools, options)
            if found is None:
                skipped += 1
                continue
            done += 1
            if not found:
                continue
            bad += 1
            print(describe(case, found))
            if options.shrink and kind_of(found[0]) not in shrunk:
                shrunk.add(kind_of(found[0]))
                case = shrink(case, tools, options)
                print('shrunk to:\n%s%s' % (show_program(case), describe(
                    case, compare_case(case, tools, options))))
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
                name = os.path.join(options.keep, 'seed%d.fl' % seed)
                with open(name, 'w', encoding='utf-8') as target:
                    target.write(show_program(case))
            sys.stdout.flush()
            if options.stop and bad >= options.stop:
                break
    print('%d passed, %d failed, %d skipped' % (done - bad, bad, skipped))
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('fleng')
    parser.add_argument('paf')
    parser.add_argument('seeds')
    parser.add_argument('--shrink', action='store_true')
    parser.add_argument('--keep')
    parser.add_argument('--stop', type=int, default=0)
    parser.add_argument('--no-merges', dest='merges', action='store_false')
    parser.add_argument('--no-faults', dest='faults', action='store_false')
    parser.add_argument('--only-normal', action='store_true')
    parser.add_argument('--no-schedules', dest='schedules', action='store_false')
    parser.add_argument('--merge-order', choices=('stream', 'goal'), default='stream')
    parser.add_argument('--merge-tail', default='Out')
    options = parser.parse_args()
    status = []
    in_deep_thread(lambda: status.append(command(options)))
    return status[0] if status else 70


if __name__ == '__main__':
    sys.exit(main())
