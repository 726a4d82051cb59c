# SPDX-License-Identifier: MIT
"""The figures of `paf report`: work, span, profiles, waiting, critical path, dependencies between
modules and alias delays."""

from iotree import all_read, clause_line, clause_name
from terms import PVar, Var, is_compound, same_atomic, text_variables


def profile(reductions, span):
    counts = [0] * span
    for reduction in reductions:
        counts[reduction.t - 1] += 1
    return counts


# ---- critical path -------------------------------------------------------------------------------

def critical_path(machine):
    """[(reduction, 'data' or 'control')] from the last reduction back to a first goal."""
    reductions = machine.reductions()
    if not reductions:
        return []
    span = max(r.t for r in reductions)
    current = min((r for r in reductions if r.t == span), key=lambda r: r.number)
    path = []
    while current is not machine.root:
        cost = machine.costs.get(current.pred, 1)
        makers = [var.maker for var in current.reads
                  if var.maker is not machine.root and var.time == current.t - cost]
        if makers:
            path.append((current, 'data'))
            current = min(makers, key=lambda r: r.seq)
        else:
            path.append((current, 'control'))
            current = current.parent
    return path


def critical_json(machine, analysis):
    counts = {}
    for reduction, kind in critical_path(machine):
        key = (analysis.process_of[reduction].module, reduction.pred)
        row = counts.setdefault(key, {'module': key[0], 'predicate': key[1],
                                      'control': 0, 'data': 0})
        row[kind] += 1
    order = module_order(analysis)
    return sorted(counts.values(), key=lambda row: (order.index(row['module']), row['predicate']))


# ---- modules -------------------------------------------------------------------------------------

def module_order(analysis):
    names = ['main']
    for name, _ in analysis.partition:
        if name not in names:
            names.append(name)
    return names


def modules_json(machine, analysis, span):
    critical = {reduction for reduction, _ in critical_path(machine)}
    rows = []
    for name in module_order(analysis):
        goals = [g for g in machine.goals if analysis.process_of[g].module == name]
        reduced = [g for g in goals if g.t is not None]
        if name == 'main' and not goals:
            continue
        waiting = sum((g.t - 1 if g.t is not None else span) - g.created for g in goals)
        counts = profile(reduced, span)
        rows.append({'name': name, 'work': len(reduced),
                     'first': min((g.t for g in reduced), default=0),
                     'last': max((g.t for g in reduced), default=0),
                     'peak': max(counts, default=0), 'waiting': waiting,
                     'critical': sum(1 for g in reduced if g in critical), 'profile': counts})
    return rows


# ---- dependencies --------------------------------------------------------------------------------

def dependencies_json(machine, analysis):
    """Who waits for whom: per process, the first read of each binding of another process."""
    rows = {}
    seen = set()
    for reader in machine.reductions():
        process = analysis.process_of[reader]
        for var in all_read(reader):
            maker = analysis.process_of[var.maker]
            if maker is None or maker is process or (process, var) in seen:
                continue
            seen.add((process, var))
            key = (maker.module, process.module)
            row = rows.setdefault(key, {'from': key[0], 'to': key[1],
                                        'count': 0, 'wait': 0, 'lag': 0})
            row['count'] += 1
            row['wait'] += max(0, var.time - reader.created)
            row['lag'] += reader.t - 1 - var.time
    order = module_order(analysis)
    return sorted(rows.values(), key=lambda r: (order.index(r['from']), order.index(r['to'])))


# ---- alias delays --------------------------------------------------------------------------------

def handed_down(goal, value):
    """Whether an argument of goal already was, unchanged, an argument of its parent goal."""
    if isinstance(value, Var) or is_compound(value):
        return any(arg is value for arg in goal.parent.args)
    return bool(constant_positions(goal, value))


def constant_positions(goal, value):
    """Positions of the parent's arguments from which the text passes the constant on."""
    parent = goal.parent
    if parent.clause is None or goal.item is None:
        return []
    found = []
    for arg, source in zip(goal.args, goal.item.args):
        if isinstance(source, PVar) and same_atomic(arg, value):
            found += [j for j, pattern in enumerate(parent.clause.head)
                      if isinstance(pattern, PVar) and pattern.key == source.key]
    return found


def held_since(goal, value):
    """The oldest goal of the chain of parents that hold the value as an argument."""
    while handed_down(goal, value):
        goal = goal.parent
    return goal


def late_aliases(machine):
    """Alias bindings that could have been made earlier, as (reduction, alias)."""
    found = []
    for reduction in machine.reductions():
        if reduction.clause is None or reduction.parent is machine.root:
            continue
        head = {v.key for term in reduction.clause.head for v in text_variables(term)}
        for alias in reduction.aliases:
            if alias['output'].key not in head or alias['input'].key not in head:
                continue
            if isinstance(alias['end'], Var):
                continue
            if not (handed_down(reduction, alias['output_value'])
                    and handed_down(reduction, alias['input_value'])):
                continue
            if reduction.t > earliest(reduction, alias, time_of_run, time_of_binding):
                found.append((reduction, alias))
    return found


def time_of_run(goal):
    return goal.t


def time_of_binding(var):
    return var.time


def earliest(reduction, alias, run_time, binding_time):
    """When the alias could be made: its variable exists and what it passes on is there."""
    times = [run_time(alias['bound'].creator)]
    if alias['chain']:
        times += [binding_time(var) for var in alias['chain']]
    else:
        times.append(run_time(held_since(reduction, alias['input_value']).parent))
    return max(times)


def span_without(machine, removed):
    """All times again, with some alias bindings available as early as they could be.

    `removed`: {Var: (reduction, alias)}.
    """
    t = {machine.root: 0}
    binding_times = {}

    def binding_time(var):
        if var not in binding_times:
            if var in removed:
                reduction, alias = removed[var]
                binding_times[var] = earliest(reduction, alias, t.__getitem__, binding_time)
            else:
                binding_times[var] = t[var.maker]
        return binding_times[var]

    for goal in machine.reductions():
        t[goal] = machine.costs.get(goal.pred, 1) + max(
            [t[goal.parent]] + [binding_time(var) for var in goal.reads])
    return max(t.values())


def unneeded_json(machine):
    groups = {}
    for reduction, alias in late_aliases(machine):
        key = (reduction.pred, reduction.clause.index, alias['item'])
        groups.setdefault(key, []).append((reduction, alias))
    rows = []
    for members in groups.values():
        reduction, alias = members[0]
        removed = {a['bound']: (r, a) for r, a in members}
        rows.append({'clause': clause_name(reduction), 'line': clause_line(reduction),
                     'output': alias['output'].name, 'input': alias['input'].name,
                     'span_without': span_without(machine, removed)})
    return sorted(rows, key=lambda row: (row['line'], row['output'], row['input']))


# ---- the whole -----------------------------------------------------------------------------------

def report_json(machine, analysis, program_name):
    reductions = machine.reductions()
    span = max((r.t for r in reductions), default=0)
    return {'program': program_name, 'clock': 'virtual', 'work': len(reductions), 'span': span,
            'parallelism': len(reductions) / span if span else 0,
            'suspended': len(machine.waiting()),
            'profile': profile(reductions, span),
            'modules': modules_json(machine, analysis, span),
            'dependencies': dependencies_json(machine, analysis),
            'critical_path': critical_json(machine, analysis),
            'unneeded': unneeded_json(machine)}
