# SPDX-License-Identifier: MIT
"""What the tests of imports share: running the bridge, and what a trace has at its places."""

import json
import os
import subprocess
import sys


def check(good, *what):
    if not good:
        sys.exit('FAILED: ' + ' '.join(map(str, what)))


def run(*words, **how):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=120, **how)


def imported(bridge, path, output):
    """What was told of the import, which must succeed."""
    done = run(bridge, 'import', '-o', output, path)
    check(done.returncode == 0, path, done.returncode, done.stderr)
    return done.stderr


def refused(bridge, path, output, *parts):
    """A damaged file: why is said in one line, and nothing is written."""
    done = run(bridge, 'import', '-o', output, path)
    lines = done.stderr.splitlines()
    check(done.returncode == 1 and len(lines) == 1 and lines[0].startswith('kpx-bridge: %s: ' % path)
          and all(part in lines[0] for part in parts), path, done.returncode, done.stderr, parts)
    check(not os.path.exists(output), output, 'was written')
    return lines[0]


def report(paf, trace):
    done = run(paf, 'report', '--json', trace)
    check(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)


def slices(paf, trace, output):
    """(place, begin, end, name, module) in order, times in nanoseconds."""
    done = run(paf, 'export', '--view', 'places', '--clock', 'real', '-o', output, trace)
    check(done.returncode == 0, done.stderr)
    with open(output, encoding='utf-8') as file:
        events = json.load(file)['traceEvents']
    names = {e['tid']: e['args']['name'] for e in events if e['name'] == 'thread_name'}
    return sorted((names[e['tid']], round(e['ts'] * 1000), round((e['ts'] + e['dur']) * 1000),
                   e['name'].split('/')[0], e['cat']) for e in events
                  if e['ph'] == 'X' and e['name'] != 'beginning')
