#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_large.py [--long] KPX-BRIDGE PAF MAKE-LOG

Logs of many events become traces that verify, in memory that does not grow with them. With --long they
have 3*10^7 events, of which each kind takes the disk space of 6 GB for a while.
"""

import json
import os
import re
import resource
import sys
import tempfile

sys.dont_write_bytecode = True

from support import check, failures, run_checked  # noqa: E402

# Activities for 1000 events of 4 threads, about.
KINDS = {'regions': 877, 'tasks': 1000, 'locks': 830, 'messages': 778}
MEMORY = 600 << 20  # bytes


def make(tools, kind, events, folder):
    bridge, paf, maker = tools
    log, trace = os.path.join(folder, 'log'), os.path.join(folder, 'out.paf')
    os.mkdir(log)
    run_checked(maker, log, kind, events, 4)
    done = run_checked(bridge, 'convert', '-o', trace, log)
    check(sorted(os.listdir(folder)) == ['log', 'out.paf'], 'nothing else is left', os.listdir(folder))
    check(done.stderr.count('\n') == 1 + ('debug information' in done.stderr), 'no complaint', done.stderr)
    run_checked(paf, 'info', '--verify', trace)
    about = json.loads(run_checked(paf, 'info', '--json', trace).stdout)
    wanted = KINDS[kind] * events / 1000
    check(abs(about['reductions'] - wanted) < wanted / 8, kind + ': activities', about['reductions'])
    if kind == 'regions':
        size_is_told(paf, trace, os.path.join(folder, 'out.json'))


def size_is_told(paf, trace, events):
    """Of a large file of events, before it is written."""
    done = run_checked(paf, 'export', '--view', 'places', '-o', events, trace)
    told = re.search(r'will have about ([\d.]+).MB', done.stderr)
    size = os.path.getsize(events) / 1e6
    check(told and abs(float(told[1]) - size) < size / 10, 'the size of the events', done.stderr, size)


def main():
    is_long = sys.argv[1] == '--long'
    tools = [os.path.abspath(path) for path in sys.argv[1 + is_long:]]
    events = 30_000_000 if is_long else 300_000
    for kind in KINDS:
        where = '/var/tmp' if is_long else None
        with tempfile.TemporaryDirectory(prefix='fleng-large-', dir=where) as folder:
            if not is_long:
                make(tools, kind, events, folder)
                continue
            log = os.path.join(folder, 'log')
            os.mkdir(log)
            run_checked(tools[2], log, kind, events, 4)
            run_checked(tools[0], 'convert', '-o', os.path.join(folder, 'out.paf'), log)
            most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
            print('%s: %d events, %d MB' % (kind, events, most >> 20))
            check(most < MEMORY, kind + ': memory', most)
    print('%d failed checks' % len(failures))
    sys.exit(1 if failures else 0)


main()
