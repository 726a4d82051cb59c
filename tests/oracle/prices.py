# SPDX-License-Identifier: MIT
"""What a finished run would take if something were different: the definitions of prices again.

All times are computed anew, from the parents, the reads and what bindings passed on, as exact
fractions.  Nothing is shared with the analysis of `paf`, and nothing is fast.
"""

from fractions import Fraction

from machine import Context, Guards, compare
from terms import PVar, Var, is_compound, text_variables


class Read:
    """One binding that the commit of a reduction read, and the makers that count."""

    def __init__(self, reader, var, root):
        self.reader = reader
        self.var = var
        self.makers = []
        seen, todo = {var}, [var]
        while todo:
            binding = todo.pop()
            if binding.maker is not root and binding.maker not in self.makers:
                self.makers.append(binding.maker)
            for other in binding.passed:
                if other not in seen:
                    seen.add(other)
                    todo.append(other)


class Run:
    """A finished run, ready to be priced."""

    def __init__(self, machine, analysis):
        self.machine = machine
        self.analysis = analysis
        self.reductions = machine.reductions()
        self.reads = {r: [Read(r, var, machine.root) for var in r.reads] for r in self.reductions}
        self.sites = Sites(machine, self.reductions)
        self.places = {}

    def cost(self, reduction):
        return Fraction(self.machine.costs.get(reduction.pred, 1))

    def waits(self, read):
        """A read waits for each of its makers at each of its places: 'arg1', 'guard2', ..."""
        reader = read.reader
        if reader not in self.places:
            self.places[reader] = places(self.machine, reader)
        return [(maker, place) for maker in read.makers
                for place in sorted(self.places[reader][read.var])]


# ---- where reductions stand ----------------------------------------------------------------------

class Sites:
    """The line of a reduction and its number among those of its predicate on the line."""

    def __init__(self, machine, reductions):
        self.numbers = {}           # clause, or (clause, item) -> number
        self.counts = {}            # (predicate, line) -> how many
        self.made = {}
        clauses = [clause for predicate in machine.program.predicates.values()
                   for clause in predicate.clauses]
        for clause in clauses:
            self.add(clause, clause.pred, clause.line)
            for item in clause.body:
                pred = '%s/%d' % (item.name, len(item.args))
                if item.kind == 'goal' and pred not in self.user(machine):
                    self.add((clause, item), pred, item.line)
        for reduction in reductions:
            self.site(reduction)

    @staticmethod
    def user(machine):
        return {'%s/%d' % key for key in machine.program.predicates}

    def add(self, key, pred, line):
        self.counts[pred, line] = self.counts.get((pred, line), 0) + 1
        self.numbers[key] = self.counts[pred, line]

    def origin(self, reduction):
        """The clause and the item of its body that a built-in's goal comes from."""
        while reduction.item is None:
            reduction = reduction.parent
        return reduction.parent.clause, reduction.item

    def site(self, reduction):
        """(line, number); None of -e."""
        if reduction.clause is not None:
            return reduction.clause.line, self.numbers[reduction.clause]
        clause, item = self.origin(reduction)
        if clause is None:
            return None
        if reduction.item is not None:
            return item.line, self.numbers[clause, item]
        # made by a built-in: after those of the text
        key = (clause, item, reduction.pred)
        if (clause, item) in self.numbers and '%s/%d' % (item.name, len(item.args)) == reduction.pred:
            return item.line, self.numbers[clause, item]
        self.made.setdefault(key, None)
        return item.line, None


# ---- where a reader read -------------------------------------------------------------------------

def add_place(found, reads, place):
    for var in reads:
        found.setdefault(var, set()).add(place)


def places(machine, goal):
    """{Var: {place}} of what the commit of a reduction read."""
    found = {}
    ctx = Context(goal.t - machine.costs.get(goal.pred, 1) + 1)
    if goal.clause is None:
        for number, arg in enumerate(goal.args, 1):
            add_place(found, reached(arg, set(goal.reads)), 'arg%d' % number)
        return found
    env = head_places(goal, ctx, found)
    rest = guard_places(goal, ctx, env, found)
    if rest is None and goal.clause.above_otherwise:
        rest = 'guard0'
    for var in goal.reads:
        if var not in found:
            assert rest is not None
            found[var] = {rest}
    return found


def reached(term, wanted):
    """Those of some bindings that lead somewhere in the term, by way of such bindings alone."""
    met, seen, todo = [], set(), [term]
    while todo:
        term = todo.pop()
        if id(term) in seen:
            continue
        seen.add(id(term))
        if isinstance(term, Var):
            if term in wanted:
                met.append(term)
                todo.append(term.value)
        elif is_compound(term):
            todo += term.args
        elif hasattr(term, 'term'):             # Opaque
            todo.append(term.term)
    return met


def head_places(goal, ctx, found):
    """Reads of the head by argument; the values of its variables."""
    occurrences = {}

    def walk(pattern, term, place):
        if isinstance(pattern, PVar):
            occurrences.setdefault(pattern.key, []).append((term, place))
            return
        end, chain = ctx.chain(term)
        add_place(found, chain, place)
        if is_compound(pattern):
            for sub, arg in zip(pattern.args, end.args):
                walk(sub, arg, place)

    for number, (pattern, arg) in enumerate(zip(goal.clause.head, goal.args), 1):
        walk(pattern, arg, 'arg%d' % number)
    for terms in occurrences.values():
        for term, place in terms[1:]:
            # what either side holds of what the comparison read
            _, reads = compare(terms[0][0], term, ctx)
            add_place(found, reached(terms[0][0], set(reads)), terms[0][1])
            add_place(found, reached(term, set(reads)), place)
    return {key: terms[0][0] for key, terms in occurrences.items()}


def guard_places(goal, ctx, env, found):
    """Reads of the guards.  Returns the first with a variable that alternatives gave a value."""
    vague, first = set(), None
    for number, guard in enumerate(goal.clause.guards, 1):
        place = 'guard%d' % number
        guard_ctx = Context(ctx.t)
        before = dict(env)
        keys = {var.key for var in text_variables(guard)}
        Guards(env, guard_ctx).one(guard)
        if getattr(guard, 'name', None) != ';' and not keys & vague:
            add_place(found, guard_ctx.reads, place)
            continue
        for key in keys & set(before) - vague:
            add_place(found, reached(before[key], set(goal.reads)), place)
        vague |= keys - set(before)
        if keys & vague:
            first = first or place
    return first


# ---- classes -------------------------------------------------------------------------------------

class Side:
    """`p/n`, perhaps with a line and the number there."""

    def __init__(self, pred, line=None, number=None):
        self.pred = pred
        self.line = line
        self.number = number

    def holds(self, run, reduction):
        if reduction.pred != self.pred:
            return False
        if self.line is None:
            return True
        site = run.sites.site(reduction)
        return site is not None and site[0] == self.line and self.number in (None, site[1])

    def text(self, source):
        text = self.pred
        if self.line is not None:
            text += '@%s:%d' % (source, self.line)
        if self.number is not None:
            text += '#%d' % self.number
        return text


class Class:
    def __init__(self, reader, maker, place=None):
        self.reader = reader
        self.maker = maker
        self.place = place

    def waits(self, run, read):
        """Which of the waits of a read, (maker, place), belong to the class."""
        if not self.reader.holds(run, read.reader):
            return []
        return [(maker, place) for maker, place in run.waits(read)
                if self.place in (None, place) and self.maker.holds(run, maker)]

    def text(self, source):
        place = '' if self.place is None else '.' + self.place
        return '%s%s<-%s' % (self.reader.text(source), place, self.maker.text(source))


# ---- chains and siblings -------------------------------------------------------------------------

def chains_by_creation(run, pred):
    """Lists of goals each of which made the next, and no other of the predicate."""
    after = {}
    for r in run.reductions:
        if r.pred == pred and r.parent.name is not None and r.parent.pred == pred:
            after.setdefault(r.parent, []).append(r)
    return chains_of({a: b[0] for a, b in after.items() if len(b) == 1})


def chains_by_reads(run, pred, taken):
    """Lists of goals each of which awaits the one before, in one read, and alone does so."""
    awaits = {}
    for r in run.reductions:
        if r.pred != pred:
            continue
        reads = [(read, {m for m in read.makers if m.pred == pred}) for read in run.reads[r]]
        reads = [(read, makers) for read, makers in reads if makers]
        if len(reads) == 1 and len(reads[0][1]) == 1:
            awaits[r] = (next(iter(reads[0][1])), reads[0][0])
    readers = {}
    for r, (maker, _) in awaits.items():
        readers.setdefault(maker, []).append(r)
    links = {m: rs[0] for m, rs in readers.items()
             if len(rs) == 1 and m not in taken and rs[0] not in taken}
    return chains_of(links), {r: awaits[r][1] for r in links.values()}


def chains_of(links):
    starts = set(links) - set(links.values())
    found = []
    for start in sorted(starts, key=lambda g: g.seq):
        chain = [start]
        while chain[-1] in links:
            chain.append(links[chain[-1]])
        found.append(chain)
    return found


def levels(n):
    depth = 0
    while 2 ** depth < n:
        depth += 1
    return depth


def siblings(run, pred):
    """Lists of goals of one predicate whose parents are one goal or of one creation chain."""
    head = {run.machine.root: run.machine.root}
    children = {}
    for r in run.reductions:
        children.setdefault((r.parent, r.pred), []).append(r)
    for r in run.reductions:
        continues = (r.parent is not run.machine.root and r.parent.pred == r.pred
                     and len(children[r.parent, r.pred]) == 1)
        head[r] = head[r.parent] if continues else r
    groups = {}
    for r in run.reductions:
        if r.pred == pred and head[r] is r:
            groups.setdefault(head[r.parent], []).append(r)
    having = {r for group in groups.values() if len(group) > 1 for r in group}

    def is_below(r):
        r = r.parent
        while r is not run.machine.root:
            if r in having:
                return True
            r = r.parent
        return False

    return [[r for r in group if not is_below(r)] for group in groups.values()]


def below(run, goal):
    """A goal's reduction and all that it made, at any depth."""
    members = {goal}
    for r in run.reductions:
        if r.parent in members:
            members.add(r)
    return members


# ---- operations ----------------------------------------------------------------------------------

class Change:
    """Costs, parents and makers that are not as they were."""

    def __init__(self, run):
        self.run = run
        self.costs = {r: run.cost(r) for r in run.reductions}
        self.parents = {r: r.parent for r in run.reductions}
        self.waits = {read: run.waits(read) for r in run.reductions for read in run.reads[r]}
        self.depths = {}

    def speed_up(self, module, divisor):
        for r in self.run.reductions:
            if self.run.analysis.process_of[r].module == module:
                self.costs[r] /= divisor

    def without(self, given):
        for read, waits in self.waits.items():
            gone = given.waits(self.run, read)
            self.waits[read] = [wait for wait in waits if wait not in gone]

    def even(self, pred):
        factors = {}
        for group in siblings(self.run, pred):
            members = {r: below(self.run, r) for r in group}
            own = {r: sum(self.run.cost(m) for m in members[r]) for r in group}
            for r in group:
                mean = sum(own.values()) / len(group)
                if own[r] > mean:
                    for m in members[r]:
                        factors[m] = mean / own[r]
        for r, factor in factors.items():
            self.costs[r] *= factor

    def tree(self, pred):
        run = self.run
        by_creation = chains_by_creation(run, pred)
        taken = {r for chain in by_creation for r in chain}
        by_reads, links = chains_by_reads(run, pred, taken)
        for chain in by_creation + by_reads:
            first = min(chain, key=lambda r: r.number)
            for r in chain:
                self.parents[r] = first.parent
                self.depths[r] = levels(len(chain))
        for read in links.values():
            self.waits[read] = []

    def unordered(self, pred):
        run = self.run
        above, follow = {}, {}
        for r in run.reductions:
            if r.pred != pred:
                continue
            up = r.parent
            while up is not run.machine.root and up.pred != pred:
                up = up.parent
            if up is not run.machine.root:
                above[r] = up
                follow.setdefault(up, []).append(r)
        for r in run.reductions:
            first = r
            while first in above and len(follow[above[first]]) == 1:
                first = above[first]
            if first is not r:
                self.parents[r] = first.parent

    def window(self, given, n):
        run = self.run
        lists = {}
        for r in run.reductions:
            for read in run.reads[r]:
                waits = [wait for wait in given.waits(run, read) if wait in self.waits[read]]
                if waits:
                    lists.setdefault(run.analysis.process_of[r], []).append((read, waits))
        if n == 1:
            return
        for reads in lists.values():
            for i, (read, waits) in enumerate(reads):
                instead = reads[i - n + 1][1] if i >= n - 1 else []
                self.waits[read] = ([wait for wait in self.waits[read] if wait not in waits]
                                    + instead)

    def span(self):
        times = {self.run.machine.root: Fraction(0)}
        for r in self.run.reductions:
            start = times[self.parents[r]]
            for read in self.run.reads[r]:
                for maker, _ in self.waits[read]:
                    start = max(start, times[maker])
            times[r] = start + self.costs[r] * self.depths.get(r, 1)
        return max(times.values())


# speed-ups and evened siblings first, then what is left out; a window comes last
ORDER = ('speed-up', 'even', 'without', 'tree', 'unordered', 'window')


def span_under(run, operations):
    """The span with operations [(name, arguments...)]."""
    change = Change(run)
    for name in ORDER:
        for operation in operations:
            if operation[0] == name:
                getattr(change, name.replace('-', '_'))(*operation[1:])
    return change.span()
