# SPDX-License-Identifier: MIT
"""The table of ratios and the goals they are held against."""

import statistics

MEGA = 1e6
SMALL_MEMORY = 12e6  # bytes that any run may take
PARALLEL = 100  # a program of at least this parallelism is to gain from a second worker


def ratio(row, above, below, what='cpu'):
    """Of the medians of two ways to run a program; None if one of them is missing."""
    runs = row['runs']
    if above not in runs or below not in runs:
        return None
    return runs[above][what] / max(runs[below][what], 1e-3)


def speed(row):
    """Reductions per second of one worker, plain."""
    return rate(row, 'reductions', 'plain')


def rate(row, count, way):
    if count not in row or way not in row['runs']:
        return None
    return row[count] / max(row['runs'][way]['cpu'], 1e-3)


COLUMNS = [  # heading, format, value of a row
    ('program', '%s', lambda r: r['name']),
    ('M reductions', '%.1f', lambda r: scaled(r.get('reductions'))),
    ('M/s', '%.1f', lambda r: scaled(speed(r))),
    ('s', '%.2f', lambda r: figure(r, 'plain', 'cpu')),
    ('+-%', '%.0f', lambda r: percent(figure(r, 'plain', 'spread'))),
    ('x SWI', '%.2f', lambda r: ratio(r, 'swi', 'plain')),
    ('x Erlang', '%.2f', lambda r: ratio(r, 'erlang', 'plain')),
    ('2 workers', '%.2f', lambda r: ratio(r, 'plain', 'two', 'wall')),
    ('2: +-%', '%.0f', lambda r: percent(figure(r, 'two', 'wall_spread'))),
    ('letters', '%.2f', lambda r: letters(r)),
    ('locked', '%.1f', lambda r: figure(r, 'two', 'locked')),
    ('shared', '%.1f', lambda r: figure(r, 'two', 'shared')),
    ('parallelism', '%.0f', lambda r: r.get('parallelism')),
    ('ideal M/s', '%.1f', lambda r: scaled(rate(r, 'stamped_reductions', 'ideal'))),
    ('trace/ideal', '%.2f', lambda r: ratio(r, 'trace', 'ideal', 'wall')),
    ('trace CPU', '%.2f', lambda r: ratio(r, 'trace', 'ideal')),
    ('profile/ideal', '%.2f', lambda r: ratio(r, 'profile', 'ideal')),
    ('bytes/red.', '%.2f', lambda r: r.get('bytes_per_reduction')),
    ('MB', '%.0f', lambda r: scaled(figure(r, 'plain', 'memory'))),
    ('2: MB', '%.0f', lambda r: scaled(figure(r, 'two', 'memory'))),
]


def letters(row):
    """Between two workers, for 1,000 reductions."""
    sent, reductions = figure(row, 'two', 'letters'), figure(row, 'two', 'reductions')
    return None if not reductions or sent is None else 1000 * sent / reductions


def scaled(value):
    return None if value is None else value / MEGA


def figure(row, way, what):
    return row['runs'].get(way, {}).get(what)


def percent(value):
    return None if value is None else 100 * value


def table(rows):
    """The text of the table, a line for each program."""
    lines = [[heading for heading, _, _ in COLUMNS]]
    for row in rows:
        cells = []
        for _, form, value in COLUMNS:
            v = value(row)
            cells.append('-' if v is None else form % v)
        lines.append(cells)
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    return '\n'.join(
        '  '.join(cell.ljust(w) if i == 0 else cell.rjust(w)
                  for i, (cell, w) in enumerate(zip(line, widths))).rstrip() for line in lines)


# ---- Goals ---------------------------------------------------------------------------------------

def values(rows, value):
    """(value, name of the program), least first, of the programs that have one."""
    return sorted((value(r), r['name']) for r in rows if value(r) is not None)


def others(found, misses):
    """The other programs that miss a goal, behind the one that is furthest from it."""
    missing = ['%.2f (%s)' % f for f in found if misses(f[0])]
    return ', then ' + ', '.join(missing) if missing else ''


def at_least(what, goal, found):
    """A goal for the least of the values."""
    if not found:
        return None
    return {'goal': '%s >= %g' % (what, goal), 'met': found[0][0] >= goal,
            'found': 'least: %.2f (%s)%s' % (found[0] + (others(found[1:], lambda v: v < goal),))}


def at_most(what, goal, found):
    if not found:
        return None
    return {'goal': '%s <= %g' % (what, goal), 'met': found[-1][0] <= goal,
            'found': 'most: %.2f (%s)%s' % (found[-1] + (others(found[-2::-1], lambda v: v > goal),))}


def by_factor(goal, found):
    return '' if found >= goal else ' (a factor of %.2f is missing)' % (goal / found)


def mean_at_least(what, goal, found):
    if not found:
        return None
    mean = statistics.geometric_mean(v for v, _ in found)
    return {'goal': '%s >= %g' % (what, goal), 'met': mean >= goal,
            'found': 'mean of %d: %.2f%s, least: %.2f (%s)' % (
                (len(found), mean, by_factor(goal, mean)) + found[0])}


def of_kind(rows, kind):
    return [r for r in rows if r.get('kind') == kind]


def named(rows, name):
    return [r for r in rows if r['name'] == name]


def peer_goals(rows):
    """One worker against other languages."""
    ten, usual = [r for r in rows if 'n' in r], of_kind(rows, 'usual')
    swi, erlang = (lambda r: ratio(r, 'swi', 'plain')), (lambda r: ratio(r, 'erlang', 'plain'))
    return [
        mean_at_least('speed over SWI-Prolog, geometric mean,', 3, values(ten, swi)),
        at_least('nrev over SWI-Prolog', 2.5, values(named(rows, 'nrev'), swi)),
        at_least('merge sort over SWI-Prolog', 2.5, values(named(rows, 'merge sort'), swi)),
        mean_at_least('usual programs over SWI-Prolog, geometric mean,', 2, values(usual, swi)),
        at_least('usual programs over SWI-Prolog', 1, values(usual, swi)),
        mean_at_least('processes over Erlang, geometric mean,', 3, values(rows, erlang)),
        at_least('processes over Erlang', 1, values(rows, erlang)),
    ]


def worker_goals(rows):
    """Two workers against one."""
    two = lambda r: ratio(r, 'plain', 'two', 'wall')
    more = lambda r: quotient(figure(r, 'two', 'memory'),
                              max(SMALL_MEMORY, figure(r, 'plain', 'memory') or 0))
    is_wide = lambda r: r.get('kind') == 'wide' or r.get('parallelism', 0) >= PARALLEL
    return [
        at_least('2 workers over 1 where parallelism >= %d,' % PARALLEL, 1.8,
                 values(filter(is_wide, rows), two)),
        at_least('2 workers over 1 everywhere', 0.95, values(rows, two)),
        at_most('memory of 2 workers over that of 1', 1 / 0.95,
                values([r for r in rows if not is_wide(r)], more)),
        at_most('letters for 1,000 reductions', 50, values(rows, letters)),
        at_most('locked instructions for 1,000 reductions', 200,
                values(rows, lambda r: figure(r, 'two', 'locked'))),
        at_most('writes to shared lines for 1,000 reductions', 150,
                values(rows, lambda r: figure(r, 'two', 'shared'))),
        at_most('spread of runs with 2 workers (1: as much as their median)', 0.1,
                values(rows, lambda r: figure(r, 'two', 'wall_spread'))),
    ]


def order_goals(rows):
    """What the order of goals is to bring on best path."""
    a, b = named(rows, 'bestpath A'), named(rows, 'bestpath B')
    found = [at_most('reductions of best path B over those of the ideal machine', 1.3,
                     values(b, lambda r: quotient(r.get('reductions'),
                                                  r.get('stamped_reductions'))))]
    if a and b and figure(a[0], 'plain', 'cpu'):
        found.append(at_most('time of best path B over that of A', 1.5, values(
            b, lambda r: quotient(figure(r, 'plain', 'cpu'), figure(a[0], 'plain', 'cpu')))))
    return found


def quotient(above, below):
    return None if above is None or not below else above / below


def recording_goals(rows):
    return [
        at_most('profile over ideal', 1.1, values(rows, lambda r: ratio(r, 'profile', 'ideal'))),
        at_most('trace over ideal', 2,
                values(rows, lambda r: ratio(r, 'trace', 'ideal', 'wall'))),
        at_most('bytes per reduction', 8, values(rows, lambda r: r.get('bytes_per_reduction'))),
    ]


def goals(rows, memory):
    """A list of {goal, met, found}; those for which nothing was measured are left out."""
    found = (peer_goals(rows) + worker_goals(rows) + order_goals(rows) + recording_goals(rows) +
             memory_goals(memory))
    return [g for g in found if g]


def memory_goals(memory):
    found = []
    if 'stream' in memory and 'short stream' in memory:
        long, short = memory['stream'], memory['short stream']
        found.append({'goal': 'a stream runs in constant space',
                      'met': long['memory'] <= 1.25 * short['memory'],
                      'found': '%.0f MB for %.0e elements, %.0f MB for %.0e' % (
                          long['memory'] / MEGA, long['n'], short['memory'] / MEGA, short['n'])})
    for name, m in memory.items():
        over = m['memory'] / m['goal']
        found.append({'goal': '%s in <= %.0f MB' % (name, m['goal'] / MEGA), 'met': over <= 1,
                      'found': '%.0f MB%s' % (m['memory'] / MEGA, '' if over <= 1 else
                                              ' (%.2f times as much)' % over)})
    return found


def goals_text(list_of_goals):
    return '\n'.join('%-6s  %s: %s' % ('met' if g['met'] else 'MISSED', g['goal'], g['found'])
                     for g in list_of_goals)
