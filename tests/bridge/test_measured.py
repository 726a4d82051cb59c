#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles programs by `kpx-bridge build`, measures them and asks for what follows from their text.

usage: test_measured.py KPX-BRIDGE PRINT-TOTALS GFORTRAN APPS PAF
"""

import os
import re
import shutil
import sys

sys.dont_write_bytecode = True

from support import ALL, Measured, check, need, of, run_tests, source  # noqa: E402 - beside this file

def loops_as(lines):
    return {(l.unit, int(l.seq)): (l.label, l.definite, l.times, l.rotation) for l in of(lines, 'loop')}


SWEEP_LOOPS = {
    ('sweep', 1): ('10', '1', 1, 64),
    ('sweep', 2): ('10', '1', 64, 4096),
    ('sweep', 3): ('20', '1', 1, 50),
    ('sweep', 4): ('30', '0', 1, 7),
    ('sweep', 5): ('-', '0', 1, 10),
    ('relax', 1): ('100', '1', 50, 3100),
    ('relax', 2): ('100', '1', 3100, 192200),
    ('relax', 3): ('110', '1', 1, 8),
    ('search', 1): ('210', '0', 1, 1),
    ('search', 2): ('200', '0', 1, 30),
    ('store', 1): ('300', '1', 1, 64),
}
SWEEP_UNITS = {'sweep': 1, 'relax': 50, 'again': 1, 'search': 1, 'check': 1, 'store': 1}


def fortran_77(tools):
    for level in ('-O0', '-O2', '-O3'):
        tools.build(level, '-o', 'sweep', os.path.join(tools.apps, 'sweep.f'))
        done, lines = tools.record('./sweep')
        check(done.returncode == 0 and '30          10           4' in done.stdout,
              'sweep at ' + level, done.stdout, done.stderr)
        check(loops_as(lines) == SWEEP_LOOPS, 'the loops of sweep at ' + level, loops_as(lines))
        units = {l.unit: l.times for l in of(lines, 'unit')}
        check(units == SWEEP_UNITS, 'the routines of sweep at ' + level, units)
    statements = [(l.unit, l.seq, l.type, l.number, l.times) for l in of(lines, 'io')]
    check(sorted(statements) == [('store', '1', 'open', '12', 1), ('store', '2', 'write', '12', 64),
                                 ('store', '3', 'rewind', '12', 1), ('store', '4', 'read', '12', 65),
                                 ('store', '5', 'close', '12', 1), ('store', '6', 'write', '6', 1),
                                 ('sweep', '1', 'write', '-', 0), ('sweep', '2', 'print', '6', 1)],
          'the I/O of sweep', sorted(statements))


def fortran_90(tools):
    tools.example('grains.f90')
    done, lines = tools.record('./grains')
    check(done.returncode == 0 and '100   64  12' in done.stdout, 'grains', done.stdout, done.stderr)
    loops = {k: v[1:] for k, v in loops_as(lines).items()}
    check(loops == {('start', 1): ('1', 1, 200), ('move', 1): ('1', 1, 25), ('move', 2): ('1', 25, 5000),
                    ('pairs', 1): ('0', 1, 1), ('pairs', 2): ('0', 1, 101), ('tree', 1): ('1', 63, 126),
                    ('main', 1): ('0', 1, 12)}, 'the loops of grains', loops)
    units = {l.unit: l.times for l in of(lines, 'unit')}
    check(units == {'main': 1, 'start': 1, 'move': 1, 'reflect': 25, 'pairs': 1, 'tree': 127},
          'the routines of grains', units)


def times_add_up(tools):
    done, lines = tools.record('./sweep')
    check(done.returncode == 0, 'sweep', done.stderr)
    for unit in of(lines, 'unit'):
        parts = sum(l.time for l in lines if l.kind != 'unit' and l.unit == unit.unit)
        if unit.unit != 'relax':  # has an entry whose loop counts for it
            check(parts <= unit.time, 'the parts of %s are no more than it' % unit.unit, parts, unit.time)
    main = of(lines, 'unit', 'sweep')[0]
    total = sum(l.time for l in of(lines, 'unit'))
    check(abs(total - main.inclusive) <= 100, 'own times of routines make the time of all', total,
          main.inclusive)
    outer, inner = of(lines, 'loop', 'relax')[0:2]
    check(inner.inclusive < outer.inclusive and outer.time < outer.inclusive, 'loops nest')
    tree = of(tools.record('./grains')[1], 'unit', 'tree')[0]
    check(tree.inclusive == tree.time, 'a routine that calls itself counts once', tree.time,
          tree.inclusive)


def a_source_is_shown_as_it_is_measured(tools):
    source = os.path.join(tools.apps, 'sweep.f')
    done = tools.run(tools.bridge, 'build', '--source', source)
    with open(source, encoding='utf-8') as file:
        plain = file.read()
    lines = done.stdout.splitlines(keepends=True)
    check(done.returncode == 0 and ''.join(l for l in lines if not l.startswith('C kpx: ')) == plain,
          'the text is the same', done.stderr)
    begins = [l for l in lines if l.startswith('C kpx: ') and ' begins, ' in l]
    measured = tools.record('./sweep')[1]
    for kind in ('loop', 'io'):
        shown = [l for l in begins if (': loop ' in l) == (kind == 'loop')]
        check(len(shown) == len({(l.unit, l.seq) for l in of(measured, kind)}), 'each place of kind ' + kind, begins)
    done = tools.run(tools.bridge, 'build', '--source', source, '--no-io', '--no-routines', '-o', 'shown.f')
    with open(tools.path('shown.f'), encoding='utf-8') as file:
        shown = file.read()
    check(done.returncode == 0 and ': loop ' in shown and ': write ' not in shown, 'only loops', shown)
    compiled = tools.run(tools.compiler, '-w', '-fsyntax-only', 'shown.f')
    check(compiled.returncode == 0, 'it is still a program', compiled.stderr)
    for words, said in (((source, '--', 'gfortran'), 'takes no compiler'), (('none.f',), 'No such file'),
                        (('/etc/passwd',), 'no source in Fortran')):
        done = tools.run(tools.bridge, 'build', '--source', *words)
        check(done.returncode == 2 and said in done.stderr, said, done.returncode, done.stderr)


def run_by_itself(tools):
    done = tools.run('./sweep')
    check(done.returncode == 0 and done.stderr == '' and '30          10           4' in done.stdout,
          'a built program runs by itself', done.stdout, done.stderr)
    done = tools.run(tools.bridge, 'build', '--', tools.compiler, '-c', 'no_such.f')
    check(done.returncode == 1 and 'no_such.f' in done.stderr, "the compiler's status is passed on",
          done.returncode, done.stderr)
    tools.run(tools.compiler, '-w', '-o', 'other', os.path.join(tools.apps, 'sweep.f'))
    done = tools.run(tools.bridge, 'record', '--routines', '--', './other')
    check(done.returncode == 1 and 'kpx-bridge build' in done.stderr,
          'a program with nothing to measure', done.returncode, done.stderr)
    done, lines = tools.record('./other', options=('--io',))
    statements = {(l.unit, l.seq, l.type, l.number, l.times) for l in of(lines, 'io')}
    check(('store', '2', 'write', '12', 64) in statements and len(statements) == 7,
          'I/O of a program that was compiled as usual', statements)
    with open(os.path.join(tools.folder, 'kept.paf'), 'w', encoding='utf-8') as file:
        file.write('kept')
    for kind in ('--routines', '--io'):
        done = tools.run(tools.bridge, 'record', kind, '--only', 'no_such', '-o', 'kept.paf', '--',
                         './sweep')
        check(done.returncode == 1 and 'chosen by --only no_such was executed' in done.stderr,
              'a choice that nothing matches', done.returncode, done.stderr)
    with open(os.path.join(tools.folder, 'kept.paf'), encoding='utf-8') as file:
        check(file.read() == 'kept', 'leaves the trace that is there alone')
    tools.write('false.c', 'int main(void) { return 3; }\n')
    tools.build('-o', 'false', 'false.c', compiler='gcc')
    done, lines = tools.record('./false')
    check(done.returncode == 3, "the program's status is passed on", done.returncode)
    check([(l.unit, l.times) for l in lines] == [('main', 1)], 'a program in C')


def files_apart(tools):
    tools.write('inner.f', '      SUBROUTINE INNER(X)\n      X = X + 1\n      END\n')
    tools.write('outer.f90', 'program outer\n  real :: x = 0\n  integer :: i\n  do i = 1, 5\n'
                '    call inner(x)\n  end do\n  print *, x\nend program\n')
    tools.build('-c', 'outer.f90')
    done = tools.run(tools.compiler, '-c', 'inner.f')
    done = tools.run(tools.compiler, '-o', 'apart', 'outer.o', 'inner.o')
    check(done.returncode == 0, 'objects that are measured link without kpx-bridge', done.stderr)
    done, lines = tools.record('./apart')
    check([(l.unit, l.times) for l in of(lines, 'unit')] == [('outer', 1)] and
          loops_as(lines) == {('outer', 1): ('-', '1', 1, 5)}, 'only some files are measured')
    tools.build('-E', '-cpp', 'outer.f90')
    done, lines = tools.record('./apart', options=('--io',))
    check([(l.kind, l.type, l.times) for l in lines if l.kind != 'unit'] == [('io', 'print', 1)],
          'I/O alone')


def counts_and_times(tools):
    done, lines = tools.record('./sweep', options=(*ALL, '--count'))
    check(loops_as(lines) == SWEEP_LOOPS, 'loops are counted', loops_as(lines))
    check(all(l.time is None for l in lines), 'counting takes no times')
    trace = os.path.join(tools.folder, 'counts.paf')
    os.rename(os.path.join(tools.folder, 'out.paf'), trace)
    for options in (('--two-pass', '--limit', '1000'), ('--counts', trace, '--limit', '1000')):
        done, lines = tools.record('./sweep', options=(*ALL, *options))
        check(done.returncode == 0, 'sweep ' + ' '.join(options), done.stderr)
        check(loops_as(lines) == SWEEP_LOOPS, 'counts stand beside times', loops_as(lines))
        hot = {(l.unit, l.seq) for l in of(lines, 'loop') if l.time is None}
        check(hot == {('relax', '2')}, 'what is executed often is not timed', hot)
    counts_of_report(tools, trace)
    outer = of(lines, 'loop', 'relax')[0]
    check(outer.time == outer.inclusive, 'its time is part of what is around it', outer.time,
          outer.inclusive)
    done = tools.run(tools.bridge, 'record', '--loops', '--counts', 'sweep', '--', './sweep')
    check(done.returncode == 1 and 'sweep' in done.stderr, 'counts that are none are refused',
          done.stderr)


HOT = {('loop', 'sweep', '2'), ('loop', 'relax', '1'), ('loop', 'relax', '2'),
       ('loop', 'store', '1'), ('unit', 'relax', '0')}  # of a report that was changed


def counts_of_report(tools, trace):
    """The report of a counting run is as good as its trace, whatever columns it lacks."""
    report = os.path.join(tools.folder, '@@k_tool.f66')
    text = tools.run(tools.bridge, 'report', '--ktool', trace).stdout
    with_counts = (*ALL, '--counts', report, '--limit')
    files = [l.split()[2] for l in text.split('FILE RESULTS')[1].split('\n')[4:7]]
    check(files == ['-'] * 3, 'a counting run has no time of files', text)

    def recorded(changed, limit):
        tools.write('@@k_tool.f66', changed)
        done, lines = tools.record('./sweep', options=(*with_counts, limit))
        check(done.returncode == 0, 'sweep with counts of a report', done.stderr)
        hot = {(l.kind, l.unit, l.seq) for l in lines if l.kind != 'io' and l.time is None}
        return done, lines, hot

    done, lines, hot = recorded(text, '1000')
    check(loops_as(lines) == SWEEP_LOOPS and hot == {('loop', 'relax', '2')},
          "a report's counts stand beside times", hot)
    done, lines, hot = recorded(text.replace('sweep.f', '').replace('    42', ''), '1000')
    check(loops_as(lines) == SWEEP_LOOPS and hot == {('loop', 'relax', '2')},
          'SEQ. is enough where LINE and FILE are not known', hot)
    stars = ' ***********       0.000'
    done, lines, hot = recorded(text.replace('         64           -', stars).replace(
        '          1           -      -     72', stars + '   33.3     72'), '50')
    check(hot == HOT and 'does not have' not in done.stderr,
          'numbers that were too large for TIMES are at least the limit', hot, done.stderr)
    check(loops_as(lines)[('sweep', 2)][2] is None, 'and not known')
    done, lines, hot = recorded(text.replace(' RELAX        2', ' RELAX        7'), '1000')
    stranger = 'loop 7 of RELAX at sweep.f:42, which the program does not have'
    check(not hot and stranger in done.stderr,
          'counts of something else are told', hot, done.stderr)
    nowhere = text.replace('RELAX        2', 'RELAX        -').replace('    42 sweep.f', '')
    for changed, reason in ((text.replace(' 3100 ', ' many '), '@@k_tool.f66: line 48: '),
                            (nowhere, '@@k_tool.f66: a loop of RELAX that is executed often'),
                            (' MPI call name\n', '@@k_tool.f66: it has no counts of routines'),
                            ('nothing\n', '@@k_tool.f66: line 1: no table')):
        tools.write('@@k_tool.f66', changed)
        done = tools.run(tools.bridge, 'record', *with_counts, '1000', '--', './sweep')
        check(done.returncode == 1 and reason in done.stderr and '30 ' not in done.stdout,
              'the program does not run: ' + reason, done.returncode, done.stderr)
    with open(trace, 'rb') as whole, open(report, 'wb') as part:
        part.write(whole.read()[:-20])
    done = tools.run(tools.bridge, 'record', *with_counts, '1000', '--', './sweep')
    check(done.returncode == 1 and 'offset' in done.stderr and '30 ' not in done.stdout,
          'counts of a damaged trace are not used', done.stderr)


LINE = """
program line
  integer :: i, j, n = 0
  do i = 1, 10; do j = 1, 3; n = n + 1; end do; end do
  print *, n
end program
"""


def loops_of_one_line(tools):
    tools.write('line.f90', LINE)
    tools.build('-O0', '-o', 'line', 'line.f90')
    done, lines = tools.record('./line', options=('--loops', '--two-pass', '--limit', '1'))
    loops = {l.seq: (l.times, l.rotation, l.time) for l in of(lines, 'loop')}
    check(loops == {'1': (1, 10, None), '2': (10, 30, None)}, 'loops of one line keep their counts',
          loops, done.stderr)


OFTEN = """
program often
  integer :: i, k, unit
  character(12) :: text
  open (newunit=unit, file='often.dat')
  do i = 1, 900
    write (10 + mod(i, 3), *) i
    write (text, '(i6)') &
      i
    if (i <= 100) write (unit, *) text
  end do
  rewind (10); read (10, *) k; write (*, *) k
end program
"""
STOPS = """program stops
  integer :: i, total = 0
  do i = 1, 100
    total = total + mod(i, 3)
  end do
  write (*, *) 'sum', total
  stop 3
end program
"""
OFTEN_TIMES = {'1': 1, '2': 900, '3': 900, '4': 100, '5': 1, '6': 1, '7': 1}


def two_passes_whatever_the_status(tools):
    """The status is the program's; one that is stopped is not run a second time."""
    tools.write('stops.f90', STOPS)
    tools.build('-O1', '-o', 'stops', 'stops.f90')
    for words, status, runs in ((['./stops'], 3, 2), (['sh', '-c', './stops; kill -INT $$'], 130, 1)):
        done = tools.run(tools.bridge, 'record', '--loops', '--two-pass', '--limit', '50', '-o', 'stops.paf',
                         '--', *words)
        check(done.returncode == status and done.stdout.count('sum') == runs,
              'two passes of %r' % words, done.returncode, done.stdout, done.stderr)
        if runs == 2:
            check('nothing was recorded' not in done.stderr, 'the timed run is recorded', done.stderr)
            loops = of(tools.totals('stops.paf'), 'loop')
            check([l.times for l in loops] == [1], 'with its loop', [(l.times, l.time) for l in loops])


def statements(tools):
    """What is read and written often is counted and not timed; a statement is one whatever units
    it has."""
    tools.write('often.f90', OFTEN)
    tools.build('-O1', '-o', 'often', 'often.f90')
    report = os.path.join(tools.folder, 'often.f66')
    tools.record('./often', options=(*ALL, '--count'))
    tools.write('often.f66', tools.run(tools.bridge, 'report', '--ktool', 'out.paf').stdout)
    for options in (('--two-pass', '--limit', '800'), ('--counts', report, '--limit', '800')):
        done, lines = tools.record('./often', options=(*ALL, *options))
        ios, times = of(lines, 'io'), {}
        for l in ios:
            times[l.seq] = times.get(l.seq, 0) + l.times
        check(done.returncode == 0 and times == OFTEN_TIMES, 'statements are counted', times,
              done.stderr)
        check({l.number for l in ios if l.seq == '2'} == {'10', '11', '12'}, 'by unit')
        check({l.seq for l in ios if l.time is None} == {'2', '3'}, 'those executed often not timed',
              [(l.seq, l.time) for l in ios])
        check('does not have' not in done.stderr, 'they are all there', done.stderr)
    tools.run(tools.compiler, '-o', 'unbuilt', 'often.f90')
    done, lines = tools.record('./unbuilt', options=('--io', '--two-pass', '--limit', '800'))
    check([(l.seq, l.time is None) for l in of(lines, 'io') if l.times == 300] == [('2', True)] * 3,
          'of files that were not built for it as well', done.stderr)
    changed = tools.run('sed', 's/OFTEN        3/OFTEN        9/', report).stdout
    tools.write('often.f66', changed)
    done, lines = tools.record('./often', options=(*ALL, '--counts', report, '--limit', '800'))
    check('statement 9 of OFTEN at often.f90:8, which the program does not have' in done.stderr,
          'counts of another statement are told', done.stderr)


def chosen(tools):
    done, lines = tools.record('./sweep', options=(*ALL, '--only', 'relax,SEARCH'))
    units = {l.unit: l.times for l in of(lines, 'unit')}
    check(units == {**{u: None for u in SWEEP_UNITS}, 'relax': 50, 'search': 1}, '--only', units)
    done, lines = tools.record('./sweep', options=('--loops', '--except', 'relax'))
    check(all((l.times is None) == (l.unit == 'relax') for l in of(lines, 'loop')), '--except')
    done = tools.run(tools.bridge, 'record', '--loops', '--except', 'sweep.f', '--', './sweep')
    check(done.returncode == 1 and 'chosen by --except sweep.f' in done.stderr, '--except all',
          done.returncode, done.stderr)
    done, lines = tools.record('./sweep', options=('--routines', '--clock', 'cpu'))
    check({l.unit: l.times for l in lines} == SWEEP_UNITS, '--clock cpu')
    done = tools.run(tools.bridge, 'build', '--except', 'REL*', '--', tools.compiler, '-o', 'less',
                     os.path.join(tools.apps, 'sweep.f'))
    done, lines = tools.record('./less')
    units = {l.unit: l.times for l in of(lines, 'unit')}
    check(units == {**SWEEP_UNITS, 'relax': None}, 'build --except', units)
    tools.run(tools.bridge, 'build', '--no-loops', '--no-io', '--', tools.compiler, '-o', 'less',
              os.path.join(tools.apps, 'sweep.f'))
    done, lines = tools.record('./less')
    check({l.unit: l.times for l in of(lines, 'unit')} == SWEEP_UNITS and not of(lines, 'loop'),
          'build --no-loops')
    tools.write('switch.c', '#include "kpx-bridge/kpx.h"\n#include <time.h>\n'
                'void one(void) {}\nvoid two(void) {}\n'
                'void wait(void) { struct timespec t = {0, 10000000}; nanosleep(&t, 0); }\n'
                'int main(void) { one(); kpx_start(); two(); kpx_stop(); wait(); one();\n'
                '                 kpx_start(); two(); return 0; }\n')
    root = os.path.dirname(os.path.dirname(tools.apps))
    tools.build('-o', 'switch', '-I' + root, 'switch.c', compiler='gcc')
    done, lines = tools.record('./switch', options=('--routines', '--paused'))
    check({l.unit: l.times for l in lines} == {'one': 0, 'two': 2, 'wait': 0, 'main': 0},
          'what is measured begins and ends with kpx_start() and kpx_stop()')
    check(of(lines, 'unit', 'wait')[0].inclusive == 0, 'and so does the time')
    tools.write('part.f', '      CALL ONE\n      CALL KPX_START\n      CALL TWO\n      CALL KPX_STOP\n'
                '      CALL ONE\n      END\n      SUBROUTINE ONE\n      END\n'
                '      SUBROUTINE TWO\n      END\n')
    tools.build('-o', 'part', 'part.f', os.path.join(root, 'kpx-bridge', 'kpx.f90'))
    done, lines = tools.record('./part', options=('--routines', '--paused'))
    check({l.unit: l.times for l in lines} == {'MAIN__': 0, 'one': 0, 'two': 1},
          'what begins and ends measuring is not measured', lines, done.stderr)


HARD = """
subroutine forever
  integer :: i
  real :: s
  s = 0
  do i = 1, 2000000000
    s = s + sin(real(i))
    if (s > 1e30) return
    if (i == 100) call kill_me
  end do
end subroutine
subroutine kill_me
  interface
    subroutine abort() bind(c)
    end subroutine
  end interface
  call abort
end subroutine
program hard
  character(10) :: what
  integer :: i, j, lab
  call get_command_argument(1, what)
  if (what == 'abort') call forever
  assign 30 to lab
  do i = 1, 3
    do j = 1, 5
      goto (10, 20), j
      if (j == 4) goto lab
      cycle
10    continue
20    continue
    end do
30  continue
  end do
  do i = 1, 10; do j = 1, i; if (j == 5) exit; end do; end do
  do i = 1, 4
    if (i == 3) stop 3
  end do
end program
"""


def jumps(tools):
    tools.write('hard.f90', HARD)
    tools.build('-std=legacy', '-g', '-O1', '-o', 'hard', 'hard.f90')
    done, lines = tools.record('./hard')
    check(done.returncode == 3, 'STOP 3', done.returncode)
    loops = {(l.unit, int(l.seq)): (l.definite, l.times, l.rotation) for l in of(lines, 'loop', 'hard')}
    check(loops[('hard', 1)] == ('0', 1, 3) and loops[('hard', 2)][:2] == ('0', 3),
          'loops that an assigned GOTO leaves', loops)
    check(loops[('hard', 3)] == ('1', 1, 10) and loops[('hard', 4)] == ('0', 10, 40),
          'loops of one line', loops)
    check(loops[('hard', 5)] == ('0', 1, 3), 'a loop that STOP leaves', loops)
    done, lines = tools.record('./hard', 'abort')
    check(done.returncode == 128 + 6 and 'ended abnormally' in done.stderr,
          'a program that is killed', done.returncode, done.stderr)
    units = {l.unit: l.times for l in of(lines, 'unit')}
    check(units == {'hard': 1, 'forever': 1, 'kill_me': 1}, 'what it did is kept', units)
    inclusive = {l.unit: l.inclusive for l in of(lines, 'unit')}
    check(inclusive['hard'] >= inclusive['forever'] >= inclusive['kill_me'], 'and its times',
          inclusive)


def stacks(tools):
    tools.write('jumps.c', source('long_jumps.c'))
    tools.build('-O1', '-pthread', '-o', 'jumps', 'jumps.c', compiler='gcc')
    done, lines = tools.record('./jumps')
    check(done.returncode == 0 and 'deeper' in done.stderr, 'calls too deep to time', done.stderr)
    times = {u: sum(l.times for l in of(lines, 'unit', u)) for u in ('thrower', 'other', 'deep', 'thread')}
    check(times == {'thrower': 20, 'other': 3006, 'deep': 20001, 'thread': 3}, 'all are counted', times)
    check(not of(lines, 'io'), 'there is no I/O', [vars(l) for l in of(lines, 'io')])
    by = {(l.unit, l.thread): l for l in lines}
    check(by[('thrower', 0)].inclusive < by[('main', 0)].inclusive, 'longjmp() ends what it leaves')


SHARED = """
subroutine shared(n, x, y)
  integer :: n, i, j
  real(8) :: x(n), y(n), z(10, 10)
  !$omp parallel do private(i)
  do j = 1, 12
    do i = 1, n
      if (x(i) > 1) cycle
    end do
  end do
  !$omp parallel
  !$omp do simd
  do i = 1, n
    y(i) = y(i) + x(i)
  end do
  !$omp do collapse(2)
  do i = 1, 10
    do j = 1, 10
      z(i, j) = 1
    end do
  end do
  !$omp end parallel
  y(1) = sum(z)
end subroutine
program p
  real(8) :: x(600) = 1, y(600) = 2
  call shared(600, x, y)
  print *, y(1), y(2)
end program
"""


def threads(tools):
    tools.write('shared.f90', SHARED)
    for level in ('-O0', '-O2'):
        tools.build('-fopenmp', level, '-o', 'shared', 'shared.f90')
        done, lines = tools.record('./shared')
        check(done.returncode == 0 and '100.0' in done.stdout, 'shared ' + level, done.stderr)
        rotations = {}
        for l in of(lines, 'loop'):
            if l.rotation is not None:
                rotations[int(l.seq)] = rotations.get(int(l.seq), 0) + l.rotation
        check(rotations == {1: 12, 2: 12 * 600, 3: 600, 4: 100},
              'iterations of all threads at ' + level, rotations)
    check(not [l for l in of(lines, 'loop') if l.seq == '5' and l.times is not None],
          'a loop that was replaced is not observed')


TEAM = """
program team
  %s
  integer :: i, e
  %s
  !$omp parallel do num_threads(2) schedule(static)
  do i = 1, 40
    call work
  end do
  %s
contains
  subroutine work
  end subroutine
end program
"""


def threads_are_of_processes(tools):
    """A report of one process has what all of its threads did."""
    tools.write('team.f90', TEAM % ('implicit none', '', ''))
    tools.build('-O0', '-fopenmp', '-o', 'team', 'team.f90')
    _, lines = tools.record('./team', options=('--routines',))
    check([l.times for l in of(lines, 'unit', 'work')] == [20, 20], 'threads have their own', lines)
    done = tools.run(tools.bridge, 'report', '--ktool', '--node', '1', 'out.paf')
    process = re.fullmatch(r'kpx-bridge: out.paf: no such process: 1 \(process (\d+)\)\n', done.stderr)
    check(process, 'the process is told once', done.stderr)
    if process:
        done = tools.run(tools.bridge, 'report', '--ktool', '--node', process.group(1), 'out.paf')
        check(re.search(r' WORK +40 ', done.stdout), 'all threads of a process', done.stdout, done.stderr)
    done = tools.run(tools.paf, 'report', 'out.paf')
    check('Totals of 1 process with 2 threads, ' in done.stdout, 'what a process is', done.stdout)


def ranks_with_threads(tools):
    """Nodes of mtool's report and of the matrix are ranks."""
    need('mpif90', 'mpirun')
    tools.write('team.f90', TEAM % ('use mpi', """call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, i, e)
  if (i == 1) call mpi_send(e, 1, mpi_integer, 0, 1, mpi_comm_world, e)
  if (i == 0) call mpi_recv(e, 1, mpi_integer, 1, 1, mpi_comm_world, mpi_status_ignore, e)""",
                                    'call mpi_finalize(e)'))
    tools.build('-O0', '-fopenmp', '-o', 'team', 'team.f90', compiler='mpif90')
    if tools.run('mpirun', '--oversubscribe', '-n', '2', './team').returncode != 0:
        return
    done, _ = tools.record('mpirun', '--oversubscribe', '-n', '2', './team',
                           options=('--mpi', '--routines'))
    report = tools.run(tools.bridge, 'report', '--mtool', 'out.paf').stdout
    check('\n Number of nodes : 2\n' in report and '(-)' not in report, 'nodes are ranks', report,
          done.stderr)
    for node in '0', '1':
        report = tools.run(tools.bridge, 'report', '--ktool', '--node', node, 'out.paf').stdout
        check(re.search(r' WORK +40 ', report), 'threads of rank ' + node, report)
    report = tools.run(tools.paf, 'report', 'out.paf').stdout
    check(re.search(r'\nMessages\n.*\n +rank 0 +0 +0\n +rank 1 +1 +0\n\n', report)
          and 'Totals of 2 processes with 4 threads' in report, 'messages of ranks', report)


def ranks(tools):
    tools.need_mpi('ranks', source('ranks.f90'))
    done, lines = tools.record('mpirun', '--oversubscribe', '-n', '3', './ranks')
    check(done.returncode == 0, 'ranks', done.stderr)
    work = {l.rank: l.times for l in of(lines, 'unit', 'work')}
    check(work == {0: 10, 1: 20, 2: 30}, 'each rank has its figures', work)
    wrote = [(l.rank, l.number, l.times) for l in of(lines, 'io')]
    check(wrote == [(0, '8', 0), (1, '8', 1), (2, '8', 0)], 'what one rank alone writes', wrote)
    tools.write('sums.f66', tools.run(tools.bridge, 'report', '--ktool', 'out.paf').stdout)
    shutil.copy(os.path.join(tools.folder, 'out.paf'), os.path.join(tools.folder, 'ranks.paf'))
    for counts, known in (('ranks.paf', {0: 10, 1: 20, 2: 30}),
                          ('sums.f66', {0: None, 1: None, 2: None})):
        done, lines = tools.record('mpirun', '--oversubscribe', '-n', '3', './ranks',
                                   options=('--routines', '--counts', counts, '--limit', '30'))
        work = {l.rank: l.times for l in of(lines, 'unit', 'work')}
        check(work == known, "a sum's counts are no rank's: " + counts, work, done.stderr)


VECTOR = """
subroutine daxpy(n, a, x, y)
  integer :: n, i, j
  real(8) :: a, x(n), y(n)
  do j = 1, 10
    do i = 1, n
      y(i) = y(i) + a * x(i)
    end do
  end do
end subroutine
"""


def inner_loops(tools):
    tools.write('vector.f90', VECTOR)
    done = tools.build('-O3', '-fopt-info-vec', '-c', 'vector.f90')
    check('vector.f90:6' in done.stderr and 'loop vectorized' in done.stderr,
          'inner loops stay vectorised', done.stderr)


FILES = """program files
  implicit none
  integer :: u, i
  character(20) :: s
  open (11, file='old.out')
  do i = 1, 100
    write (11, *) i
  end do
  close (11)
  open (newunit=u, file='new' // '.out  ')
  write (u, *) 1
  close (u)
  write (12, *) 2
  open (13, status='scratch')
  write (13, *) 3
  open (6, file='six.out')
  write (6, *) 4
  close (6)
  write (0, *) 'x'
  write (s, *) 5
  open (11, file='other.out')
  call put(11)
  open (14, file='none/there', status='old', iostat=i)
  call put(14)
  call abort
end program
subroutine put(n)
  write (n, *) 7
end subroutine
"""
FILES_USED = {('11', 'old.out'): 102, ('11', 'other.out'): 2, ('u', 'new.out'): 3, ('s', '-'): 1,
              ('12', 'fort.12'): 1, ('13', '-'): 2, ('6', 'six.out'): 3, ('0', 'stderr'): 1,
              ('14', 'none/there'): 1, ('14', 'fort.14'): 1}


def ktool(tools, title):
    report = tools.run(tools.bridge, 'report', '--ktool', 'out.paf').stdout
    table = report.partition('<<< %s >>>' % title)[2].split(' -----')[1]
    return [line.split() for line in table.splitlines()[1:]]


def files_of_units(tools):
    tools.write('files.f90', FILES)
    tools.build('-O1', '-o', 'files', 'files.f90')
    for options in ('--io',), ('--io', '--count'):
        tools.record('./files', options=options)  # it ends by a signal
        rows = ktool(tools, 'I/O FILE RESULTS')
        check({(r[0], r[4]): int(r[1]) for r in rows} == FILES_USED, 'files of units', rows)
        own = tools.run(tools.bridge, 'report', '--ktool', 'out.paf').stdout
        tools.write('own.f66', own)
        tools.run(tools.bridge, 'import', 'own.f66', '-o', 'own.paf')
        check(tools.run(tools.bridge, 'report', '--ktool', 'own.paf').stdout == own,
              'a report of files is written as it was read', own)
    rows = ktool(tools, 'I/O PROCESS RESULTS')
    places = [int(r[7]) for r in rows]
    check(len(places) > 15 and places == sorted(places), 'counts are in the order of the text', rows)
    tools.write('one.f90', "program one\n  write (12, *) 1\nend program\n")
    tools.build('-o', 'one', 'one.f90')
    tools.record('./one', options=('--io',))
    rows = ktool(tools, 'I/O FILE RESULTS')
    check([r[3:] for r in rows] == [['100.0', 'fort.12']], 'shares are of times not rounded', rows)


ASKING = """program asking
  logical :: e
  integer :: i, u
  real :: x(10)
  open (newunit=u, file='asked.dat')
  inquire (file='abc', exist=e)
  inquire (u, exist=e)
  inquire (99, exist=e)
  inquire (iolength=i) x
  write (u, *) i
end program
"""
ASKED = [['1', 'u', 'open', '1'], ['2', '-', 'inquire', '1'], ['3', 'u', 'inquire', '1'],
         ['4', '99', 'inquire', '1'], ['5', '-', 'inquire', '1'], ['6', 'u', 'write', '1']]


def asking(tools):
    """INQUIRE has a unit only if it asks about one, and a file if the unit is connected."""
    tools.write('asking.f90', ASKING)
    tools.build('-o', 'asking', 'asking.f90')
    tools.run(tools.compiler, '-o', 'unbuilt', 'asking.f90')
    for program in './asking', './unbuilt':
        tools.record(program, options=('--io', '--count'))
        rows = [r[1:5] for r in ktool(tools, 'I/O PROCESS RESULTS')]
        check(rows == ASKED, 'statements that ask', rows)
        rows = sorted([r[0], r[1], r[4]] for r in ktool(tools, 'I/O FILE RESULTS'))
        check(rows == [['-', '2', '-'], ['99', '1', '-'], ['u', '3', 'asked.dat']], 'and their files',
              rows)


INCLUDING = """      program whole
      integer i, n
      n = 0
      do 10 i = 1, 3
 10   n = n + i
      include 'part.inc'
      end
"""
PART = """      do 20 i = 1, 4
        n = n + 1
 20   continue
      write (*, *) n
"""


def included(tools):
    """What an INCLUDE line brings into a routine belongs to it."""
    tools.write('whole.f', INCLUDING)
    tools.write('part.inc', PART)
    tools.build('-o', 'whole', 'whole.f')
    done, lines = tools.record('./whole')
    loops = sorted((l.unit, l.file, l.line, l.times, l.rotation) for l in of(lines, 'loop'))
    check(loops == [('whole', 'part.inc', '1', 1, 4), ('whole', 'whole.f', '4', 1, 3)],
          'loops of included files', loops, done.stderr)
    check([(l.unit, l.file, l.times) for l in of(lines, 'io')] == [('whole', 'part.inc', 1)],
          'and statements')
    check(len(of(lines, 'unit')) == 1, 'it is no unit of its own', lines)


MANY = """program many
  implicit none
  integer :: i
  character(20) :: name
  do i = 1, 3000
    write (name, '(a, i0)') 'many.', i
    open (11, file=name)
    write (11, *) i
    close (11, status='delete')
  end do
end program
"""


def very_many_files(tools):
    tools.write('many.f90', MANY)
    tools.build('-o', 'many', 'many.f90')
    tools.record('./many', options=('--io', '--count'))
    rows = ktool(tools, 'I/O FILE RESULTS')
    check(sum(int(r[1]) for r in rows) == 12000 and ['11', '3', '-', '-', 'many.1'] in rows,
          'no statement is lost with very many files', rows[:5], len(rows))


if __name__ == '__main__':
    run_tests(lambda folder: Measured(folder, *sys.argv[1:6]),
              fortran_77, fortran_90, times_add_up, a_source_is_shown_as_it_is_measured, run_by_itself, files_apart,
              counts_and_times, two_passes_whatever_the_status, loops_of_one_line, statements, chosen, jumps, stacks, threads,
              threads_are_of_processes, ranks, ranks_with_threads, inner_loops, files_of_units,
              asking, included, very_many_files)
