# SPDX-License-Identifier: MIT
"""Profiles and logs of other tools, written from the descriptions of their formats."""

import os


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def tau(folder, solve, ranks=2, metric='TIME', multi=True, name='profile'):
    """Ranks with main, solve and MPI_Send; `solve`: microseconds, by rank."""
    for rank in range(ranks):
        own = solve[rank % len(solve)]
        rows = ['"main [{heat.c} {12,1}-{40,1}]" 1 2 100 %d 0 GROUP="TAU_USER"' % (own + 300),
                '"solve(double *, int) [{heat.c} {3,1}-{9,1}]" 10 0 %d %d 0 GROUP="TAU_USER"' % (own, own),
                '"MPI_Send()" 4 0 200 200 0 GROUP="MPI"',
                '"main => solve(double *, int)" 10 0 %d %d 0 GROUP="TAU_CALLPATH|TAU_USER"' % (own, own)]
        head = '%d templated_functions%s' % (len(rows), '_MULTI_' + metric if multi else '')
        write('%s/%s.%d.0.0' % (folder, name, rank),
              '\n'.join([head, '# Name Calls Subrs Excl Incl ProfileCalls # <metadata></metadata>'] + rows +
                        ['0 aggregates', '1 userevents', '# eventname numevents max min mean sumsqr',
                         '"Message size sent to all nodes" 4 64 64 64 16384']) + '\n')


NINJA = '''# ninja log v5
0\t120\t0\tb.o\tf00
5\t900\t0\ta.o\tba4
5\t900\t0\ta.d\tba4
900\t1400\t0\tprog\t77
'''

SACCT = '''JobID|JobName|NodeList|State|Start|End|Elapsed|UserCPU|SystemCPU
7|prepare|n1|COMPLETED|2026-01-31T23:59:50|2026-02-01T00:00:10|00:00:20|00:15.500|00:01
7.batch|batch|n1|COMPLETED|2026-01-31T23:59:50|2026-02-01T00:00:10|00:00:20|00:15|00:01
8|count|n[1-2]|COMPLETED|2026-02-01T00:00:10|2026-02-01T01:00:10|01:00:00|1-02:03:04|00:00
10|runs|n3|RUNNING|2026-02-01T00:00:20|Unknown|00:00:00||
9|later|None assigned|PENDING|Unknown|Unknown|00:00:00|00:00:00|00:00:00
'''

STRACE = '''812 1700000000.000100 execve("/usr/bin/wc", ["wc", "a.txt"], 0x7ff /* 9 vars */) = 0 <0.000200>
812 1700000000.000500 openat(AT_FDCWD</home>, "a.txt", O_RDONLY) = 3</home/a.txt> <0.000020>
812 1700000000.000600 read(3</home/a.txt>,  <unfinished ...>
813 1700000000.000650 write(1<pipe:[99]>, "x = 3\\n", 6) = 6 <0.000010>
812 1700000000.000900 <... read resumed>"one = two\\n"..., 4096) = 120 <0.000300>
812 1700000000.001000 read(3</home/a.txt>, "", 4096) = 0 <0.000005>
812 1700000000.001100 openat(AT_FDCWD</home>, "none", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000015>
812 1700000000.001200 --- SIGCHLD {si_signo=SIGCHLD} ---
812 1700000000.001300 +++ exited with 0 +++
'''
