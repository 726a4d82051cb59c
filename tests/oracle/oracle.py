#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reference implementation of the language and of virtual time.

usage: oracle.py [-e GOAL] [--run|--report|--iotree|--trace] [--of P/N | --module M]
                 [--partition P] [--naive] [--merge-order stream|goal] [--limit N]
                 [--cost P/N=K]...
                 FILE [-- ARG...]

--run (the default) prints the program's output and ends with its exit status.
"""

import argparse
import json
import os
import sys
import threading

from core import CompileError
from iotree import Analysis, Names, PartitionFault, iotree_json, parse_partition
from machine import Machine, Program
from reader import SyntaxFault, Writer
from report import report_json

STACK_SIZE = 512 * 1024 * 1024


def variable_label(var):
    """A name that does not change between runs: creator reduction and source name."""
    return '%d:%s.%d' % (var.creator.number, var.name, var.index)


def trace_lines(machine):
    """One object per reduction in the order of commits, then how the run ended."""
    names = Names()
    for goal in machine.reductions():
        bindings = [[variable_label(var), label_term(var.value)] for var in goal.bindings]
        yield {'goal': goal.number, 'predicate': goal.pred,
               'clause': goal.clause.index if goal.clause else None,
               'parent': goal.parent.number, 'created': goal.created, 't': goal.t,
               'args': [label_term(arg) for arg in goal.args],
               'reads': sorted(variable_label(var) for var in goal.reads),
               'unify_reads': sorted(variable_label(var) for var in goal.unify_reads),
               'bindings': bindings}
    for goal in machine.waiting():
        yield {'waiting': goal.number, 'predicate': goal.pred, 'parent': goal.parent.number,
               'created': goal.created, 'goal': names.term(goal.term(), float('inf')),
               'waits': sorted(variable_label(var) for var in goal.waits)}
    yield {'end': machine.end, 'exit': machine.exit_status, 'message': machine.message,
           'failed': machine.failed_goal.number if machine.failed_goal else None}


def label_term(term):
    """A term as bound: variables by label, bindings not followed."""
    return Writer(True, lambda item: item, variable_label).write(term, 999)


def run_file(path, goal=None, argv=(), **options):
    with open(path, encoding='utf-8') as source:
        machine = Machine(Program(source.read()), goal, argv, **options)
    machine.run()
    return machine


def output_of(machine):
    """What the command prints on its standard output."""
    text = ''.join(machine.output)
    if machine.goal_text is not None and machine.end == 'normal':
        text += ''.join(line + '\n' for line in machine.answers())
    return text


def analysis_of(machine, partition):
    return Analysis(machine, None if partition is None else parse_partition(partition))


def command(options):
    machine = run_file(options.file, options.goal, options.args, naive=options.naive,
                       merge_order=options.merge_order, max_reductions=options.limit,
                       costs={p: int(k) for p, k in (c.rsplit('=', 1) for c in options.cost)})
    if options.trace:
        for line in trace_lines(machine):
            print(json.dumps(line, ensure_ascii=False))
        return 0
    if options.report:
        analysis = analysis_of(machine, options.partition)
        print(json.dumps(report_json(machine, analysis, os.path.basename(options.file)),
                         ensure_ascii=False))
        return 0
    if options.iotree:
        partition, module = options.partition, options.module
        if options.of:
            module = options.of.rpartition('/')[0]
            partition = '%s=%s' % (module, options.of)
        answer = iotree_json(analysis_of(machine, partition), module)
        print(json.dumps(answer, ensure_ascii=False))
        return 0 if answer['processes'] else 1
    sys.stdout.write(output_of(machine))
    if machine.message:
        sys.stderr.write('%s\n' % machine.message)
    if machine.end not in ('normal', 'halted'):
        sys.stderr.write('%s: %d goals wait\n' % (machine.end, len(machine.waiting())))
    return machine.exit_status


def parse_options(words):
    args = []
    if '--' in words:
        at = words.index('--')
        words, args = words[:at], words[at + 1:]
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    parser.add_argument('-e', dest='goal')
    for mode in ('run', 'report', 'iotree', 'trace', 'naive'):
        parser.add_argument('--' + mode, action='store_true')
    parser.add_argument('--of')
    parser.add_argument('--module')
    parser.add_argument('--partition')
    parser.add_argument('--merge-order', choices=('stream', 'goal'), default='stream')
    parser.add_argument('--limit', type=int, default=1000000)
    parser.add_argument('--cost', action='append', default=[], metavar='P/N=K')
    parser.add_argument('file')
    options = parser.parse_args(words)
    options.args = args
    return options


def main():
    status = []
    options = parse_options(sys.argv[1:])

    def work():
        try:
            status.append(command(options))
        except (SyntaxFault, CompileError, PartitionFault, OSError) as fault:
            sys.stderr.write('%s: %s\n' % (options.file, fault))
            status.append(2)

    in_deep_thread(work)
    sys.stdout.flush()
    return status[0] if status else 70


def in_deep_thread(work):
    """Terms and expressions recurse; a thread can be given the stack for it."""
    sys.setrecursionlimit(1000000)
    threading.stack_size(STACK_SIZE)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


if __name__ == '__main__':
    sys.exit(main())
