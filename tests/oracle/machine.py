# SPDX-License-Identifier: MIT
"""The ideal machine: generation by generation, with the exact reads of every commit.

At step t every goal created before t is tried in order of age on the bindings older than t.  This
file follows the definitions word by word; nothing in it is meant to be fast, except that a goal
that waits is tried again only when a variable it met unbound was bound (`naive=True` tries all).
"""

from arith import evaluate, TypeFault, compare_numbers, COMPARISONS
from builtins_ import BUILTINS
from core import CompileError, Halt, MergeGroup, RunFailure, Stopped, Suspend, inspect
from reader import Parser, Writer
from terms import (Atom, Str, Struct, Vec, PVar, Var, Opaque, is_cons, is_number, is_compound,
                   same_atomic, same_functor, text_variables)

# ---- the program ---------------------------------------------------------------------------------

class BodyItem:
    """A body goal (`kind` 'goal') or active unification ('unify') of the text."""

    def __init__(self, kind, name, args, line):
        self.kind = kind
        self.name = name
        self.args = args
        self.line = line


class Clause:
    def __init__(self, name, head, guards, body, line):
        self.name = name
        self.head = head
        self.guards = guards
        self.body = body
        self.line = line
        self.index = 0              # from 1, among the clauses of its predicate
        self.above_otherwise = 0    # clauses that must have failed first
        keys = []
        for term in head + guards:
            keys += text_variables(term)
        for item in body:
            for arg in item.args:
                keys += text_variables(arg)
        self.variables = []         # PVars, each once, by first occurrence
        seen = set()
        for var in keys:
            if var.key not in seen:
                seen.add(var.key)
                self.variables.append(var)

    @property
    def pred(self):
        return '%s/%d' % (self.name, len(self.head))

    def looks_at(self, position):
        """Whether the clause looks at an argument: a pattern, a repetition, or used by a guard."""
        pattern = self.head[position]
        if not isinstance(pattern, PVar):
            return True
        in_head = [v.key for term in self.head for v in text_variables(term)]
        in_guards = [v.key for term in self.guards for v in text_variables(term)]
        return in_head.count(pattern.key) > 1 or pattern.key in in_guards


class Predicate:
    def __init__(self, name, arity):
        self.name = name
        self.arity = arity
        self.clauses = []
        self.otherwise_at = 0


def flatten(term, operator):
    if isinstance(term, Struct) and term.name == operator and len(term.args) == 2:
        return flatten(term.args[0], operator) + flatten(term.args[1], operator)
    return [term]


def functor_of(term):
    if isinstance(term, Atom):
        return term.name, []
    if isinstance(term, Struct):
        return term.name, term.args
    return None, None


class Program:
    def __init__(self, text):
        self.predicates = {}        # (name, arity) -> Predicate, in order of appearance
        self.parser = Parser(text)
        pending = None
        while True:
            item = self.parser.read()
            if item is None:
                break
            term, line = item
            if term is Atom('otherwise') or term is Atom('alternatively'):
                pending = term.name
                continue
            if isinstance(term, Struct) and term.name == ':-' and len(term.args) == 1:
                continue
            clause = self.clause(term, line)
            key = (clause.name, len(clause.head))
            predicate = self.predicates.setdefault(key, Predicate(*key))
            if pending == 'otherwise':
                predicate.otherwise_at = len(predicate.clauses)
            pending = None
            clause.above_otherwise = predicate.otherwise_at
            predicate.clauses.append(clause)
            clause.index = len(predicate.clauses)
        self.check()

    def clause(self, term, line):
        body = Atom('true')
        if isinstance(term, Struct) and term.name == ':-' and len(term.args) == 2:
            term, body = term.args
        name, args = functor_of(term)
        if name is None:
            raise CompileError('line %d: not a clause' % line)
        guard, body = self.split_bar(body)
        guards = flatten(guard, ',')
        return Clause(name, list(args), guards, self.body(body, line), line)

    def split_bar(self, body):
        """(guard, body); an unparenthesised `;` before the bar belongs to the guard."""
        if isinstance(body, Struct) and len(body.args) == 2:
            if body.name == '|':
                return body.args[0], body.args[1]
            if body.name == ';':
                guard, rest = self.split_bar(body.args[1])
                if rest is not body.args[1]:
                    return Struct(';', [body.args[0], guard]), rest
        return Atom('true'), body

    def body(self, term, line):
        items = []
        for goal in flatten(term, ','):
            goal_line = self.parser.lines.get(id(goal), line)
            items.extend(self.body_goal(goal, goal_line))
        return items

    def body_goal(self, goal, line):
        if isinstance(goal, PVar):
            return [BodyItem('goal', 'call', [goal], line)]
        name, args = functor_of(goal)
        if name is None:
            raise CompileError('line %d: not a goal' % line)
        if name in (':', '@') and len(args) == 2:
            return self.body_goal(args[1] if name == ':' else args[0], line)
        if name == 'true' and not args:
            return []
        if name == '=' and len(args) == 2:
            return [BodyItem('unify', name, list(args), line)]
        return [BodyItem('goal', name, list(args), line)]

    def check(self):
        for key, predicate in self.predicates.items():
            if key in BUILTINS or key in (('=', 2), ('true', 0)):
                raise CompileError('%s/%d is a builtin' % key)
            for clause in predicate.clauses:
                self.check_body(clause.body)

    def check_body(self, body):
        for item in body:
            if item.kind == 'goal' and not self.defined(item.name, len(item.args)):
                raise CompileError('line %d: unknown predicate %s/%d'
                                   % (item.line, item.name, len(item.args)))

    def defined(self, name, arity):
        return ((name, arity) in self.predicates or (name, arity) in BUILTINS
                or (name == 'call' and arity >= 1))


# ---- goals ---------------------------------------------------------------------------------------

class Goal:
    def __init__(self, number, name, args, parent, created, line, item=None):
        self.number = number
        self.name = name
        self.args = args
        self.parent = parent
        self.created = created
        self.line = line
        self.item = item            # the BodyItem it came from, if from a clause
        self.t = None               # None: not reduced
        self.seq = None             # position in the order of commits
        self.clause = None
        self.reads = []             # Vars whose bindings the commit read
        self.unify_reads = []       # Vars whose bindings `=` read
        self.bindings = []          # Vars it bound, in order
        self.aliases = []           # see Machine.unify_item
        self.group = None
        self.stream = None
        self.waits = set()

    @property
    def pred(self):
        return '%s/%d' % (self.name, len(self.args))

    def term(self):
        return Struct(self.name, self.args) if self.args else Atom(self.name)


class Context:
    """Reading on behalf of one goal at one step; collects what was read."""

    def __init__(self, t):
        self.t = t
        self.reads = []
        self.looked_unbound = []    # by unbound/1: a reason to look again
        self.hasty = False          # a guard was decided that may be decided otherwise later

    def deref(self, term):
        while isinstance(term, Var) and term.bound and term.time < self.t:
            self.reads.append(term)
            term = term.value
        return term

    def need(self, term):
        end = self.deref(term)
        if isinstance(end, Var):
            raise Suspend([end])
        return end

    def chain(self, term):
        """(end, variables followed) without recording."""
        followed = []
        while isinstance(term, Var) and term.bound and term.time < self.t:
            followed.append(term)
            term = term.value
        return term, followed


def bound_chain(term):
    """(end, bound variables on the way), through every binding made so far."""
    chain = []
    while isinstance(term, Var) and term.bound:
        chain.append(term)
        term = term.value
    return term, chain


EQ, NE, WAIT = 'eq', 'ne', 'wait'


def compare(a, b, ctx):
    """Structural comparison: (EQ, all read), (NE, path to the first difference), (WAIT, vars)."""
    reads, waits = [], []
    path = first_difference(a, b, ctx, reads, waits)
    if path is not None:
        return NE, path
    return (WAIT, waits) if waits else (EQ, reads)


def compare_in_guard(a, b, ctx):
    """True if equal.  All that was looked at is read, also before it waits."""
    reads, waits = [], []
    path = first_difference(a, b, ctx, reads, waits)
    ctx.reads += reads if path is None else path
    if path is None and waits:
        raise Suspend(waits)
    return path is None


def first_difference(a, b, ctx, reads, waits):
    """The bindings on the path to the first difference, or None.

    Without one, `reads` gets what was read and `waits` the variables that leave it open.
    """
    if a is b and (isinstance(a, Var) or is_compound(a)):
        return None
    end_a, chain_a = ctx.chain(a)
    end_b, chain_b = ctx.chain(b)
    stations_b = chain_b + ([end_b] if isinstance(end_b, Var) else [])
    for i, station in enumerate(chain_a + ([end_a] if isinstance(end_a, Var) else [])):
        for j, other in enumerate(stations_b):
            if station is other:
                reads += chain_a[:i] + chain_b[:j]
                return None
    reads += chain_a + chain_b
    unbound = [end for end in (end_a, end_b) if isinstance(end, Var)]
    if unbound:
        waits += unbound
        return None
    if is_compound(end_a) and end_a is end_b:
        return None
    if not same_functor(end_a, end_b):
        return None if same_atomic(end_a, end_b) else chain_a + chain_b
    for arg_a, arg_b in zip(end_a.args, end_b.args):
        path = first_difference(arg_a, arg_b, ctx, reads, waits)
        if path is not None:
            return chain_a + chain_b + path
    return None


# ---- commitment ----------------------------------------------------------------------------------

class Outcome:
    """Of one clause tried: 'commit', 'wait', 'fail', or 'blocked' (below an open `otherwise`)."""

    def __init__(self, kind, reads=(), env=None, waits=(), hasty=False):
        self.kind = kind
        self.hasty = hasty
        self.reads = list(reads)
        self.env = env
        self.waits = list(waits)


class HeadMatch:
    def __init__(self, clause, args, ctx):
        self.ctx = ctx
        self.position = 0
        self.mismatches = []        # (position, path read)
        self.waits = []
        self.reads = []
        self.occurrences = {}       # key -> [(position, term, path)]
        for pattern, arg in zip(clause.head, args):
            self.walk(pattern, arg, [])
        for places in self.occurrences.values():
            self.compare_places(places)

    def walk(self, pattern, term, path):
        self.position += 1
        here = self.position
        if isinstance(pattern, PVar):
            self.occurrences.setdefault(pattern.key, []).append((here, term, path))
            return
        end, chain = self.ctx.chain(term)
        self.reads += chain
        path = path + chain
        if isinstance(end, Var):
            self.waits.append(end)
        elif not is_compound(pattern):
            if not same_atomic(pattern, end):
                self.mismatches.append((here, path))
        elif not same_functor(pattern, end):
            self.mismatches.append((here, path))
        else:
            for sub, arg in zip(pattern.args, end.args):
                self.walk(sub, arg, path)

    def compare_places(self, places):
        """A repeated variable: every pair can mismatch; equality is read against the first."""
        for j in range(1, len(places)):
            for i in range(j):
                result, what = compare(places[i][1], places[j][1], self.ctx)
                if result == NE:
                    self.mismatches.append((places[j][0], places[i][2] + places[j][2] + what))
                    break
                if result == WAIT:
                    self.waits += what
                elif i == 0:
                    self.reads += what

    def outcome(self):
        if self.mismatches:
            return Outcome('fail', min(self.mismatches, key=lambda m: m[0])[1])
        if self.waits:
            return Outcome('wait', waits=self.waits)
        env = {key: places[0][1] for key, places in self.occurrences.items()}
        return Outcome('commit', self.reads, env)


def build(term, env):
    """A program term with its variables replaced; every call makes new compound terms."""
    if isinstance(term, PVar):
        return env[term.key]
    if isinstance(term, Struct):
        return Struct(term.name, [build(arg, env) for arg in term.args])
    if isinstance(term, Vec):
        return Vec([build(arg, env) for arg in term.args])
    return term


def build_expression(term, env):
    """As build; a clause variable stands for a number whatever it holds."""
    if isinstance(term, PVar):
        value = env[term.key]
        return value if isinstance(value, Var) else Opaque(value)
    if isinstance(term, Struct):
        return Struct(term.name, [build_expression(arg, env) for arg in term.args])
    return term


class Guards:
    """Tries guard goals on an environment, extending it."""

    def __init__(self, env, ctx):
        self.env = env
        self.ctx = ctx

    def value(self, term):
        for var in text_variables(term):
            if var.key not in self.env:
                self.env[var.key] = Var(var.name, None, 0)
        return build(term, self.env)

    def expression(self, term):
        self.value(term)
        return evaluate(build_expression(term, self.env), self.ctx, Suspend)

    def passive(self, pattern, value):
        """Gives a new guard variable its value, or compares."""
        if isinstance(pattern, PVar) and pattern.key not in self.env:
            self.env[pattern.key] = value
            return True
        return compare_in_guard(self.value(pattern), value, self.ctx)

    def all(self, goals):
        return all(self.one(goal) for goal in goals)

    def one(self, goal):
        try:
            return self.attempt(goal)
        except TypeFault:
            return False

    def attempt(self, goal):
        name, args = functor_of(goal)
        if name == ',':
            return self.all(args)
        if name == ';':
            return self.either(args[0], args[1])
        if name == 'true':
            return True
        if name in COMPARISONS and len(args) == 2:
            left = self.expression(args[0])
            return compare_numbers(name, left, self.expression(args[1]))
        if name == ':=' and len(args) == 2:
            return self.passive(args[0], self.expression(args[1]))
        if name in ('==', '\\=') and len(args) == 2:
            equal = compare_in_guard(self.value(args[0]), self.value(args[1]), self.ctx)
            return equal == (name == '==')
        method = getattr(self, 'guard_%s_%d' % (name, len(args)), None)
        if method is None:
            raise CompileError('unknown guard %s/%d' % (name, len(args)))
        return method(*args)

    def either(self, left, right):
        """`;`: what the left side read stays read, whether it failed or waits."""
        saved = dict(self.env)
        waits = []
        try:
            if self.one(left):
                return True
        except Suspend as wait:
            waits = wait.variables
        self.env.clear()
        self.env.update(saved)
        try:
            if self.one(right):
                self.ctx.looked_unbound += waits
                self.ctx.hasty = self.ctx.hasty or bool(waits)
                return True
        except Suspend as wait:
            waits = waits + wait.variables
        if waits:
            raise Suspend(waits)
        return False

    def need(self, term):
        return self.ctx.need(self.value(term))

    def guard_wait_1(self, x):
        self.need(x)
        return True

    def guard_integer_1(self, x):
        return isinstance(self.need(x), int)

    def guard_float_1(self, x):
        return isinstance(self.need(x), float)

    def guard_number_1(self, x):
        return is_number(self.need(x))

    def guard_atom_1(self, x):
        return isinstance(self.need(x), Atom)

    def guard_atomic_1(self, x):
        return not is_compound(self.need(x))

    def guard_list_1(self, x):
        return is_cons(self.need(x))

    def guard_compound_1(self, x):
        term = self.need(x)
        return isinstance(term, Struct) and not is_cons(term)

    def guard_string_1(self, x):
        return isinstance(self.need(x), Str)

    def guard_vector_1(self, x):
        return isinstance(self.need(x), Vec)

    def guard_functor_3(self, x, f, n):
        name, arity = inspect(self.need(x))
        return self.passive(f, name) and self.passive(n, arity)

    def guard_arg_3(self, n, x, a):
        index = self.need(n)
        term = self.need(x)
        if not isinstance(index, int) or not is_compound(term):
            return False
        if not 1 <= index <= len(term.args):
            return False
        return self.passive(a, term.args[index - 1])

    def guard_vector_2(self, v, n):
        term = self.need(v)
        return isinstance(term, Vec) and self.passive(n, len(term.args))

    def guard_vector_element_3(self, v, i, e):
        term = self.need(v)
        index = self.need(i)
        if not isinstance(term, Vec) or not isinstance(index, int):
            return False
        return 0 <= index < len(term.args) and self.passive(e, term.args[index])

    def guard_unbound_1(self, x):
        end = self.ctx.deref(self.value(x))
        self.ctx.hasty = True
        if isinstance(end, Var):
            self.ctx.looked_unbound.append(end)
            return True
        return False


def try_clause(clause, goal, t):
    ctx = Context(t)
    outcome = HeadMatch(clause, goal.args, ctx).outcome()
    if outcome.kind != 'commit':
        return outcome
    guards = Guards(outcome.env, ctx)
    try:
        succeeded = guards.all(clause.guards)
    except Suspend as wait:
        return Outcome('wait', waits=wait.variables + ctx.looked_unbound)
    reads = outcome.reads + ctx.reads
    if succeeded:
        return Outcome('commit', reads, outcome.env, ctx.looked_unbound, ctx.hasty)
    return Outcome('fail', reads, hasty=ctx.hasty)


def select_clause(predicate, goal, t):
    """(clause, env, reads), or Suspend, or RunFailure when every clause has failed."""
    outcomes = []
    waits = []
    for clause in predicate.clauses:
        above = outcomes[:clause.above_otherwise]
        if any(o.kind != 'fail' for o in above):
            outcomes.append(Outcome('blocked'))
            continue
        outcome = try_clause(clause, goal, t)
        if outcome.kind == 'commit':
            reads = outcome.reads
            for failed in above:
                reads = reads + failed.reads
            return clause, outcome.env, reads
        outcomes.append(outcome)
        waits += outcome.waits
    if all(o.kind == 'fail' for o in outcomes):
        raise RunFailure('%s matches no clause' % goal.pred)
    raise Suspend(waits)


def is_race(predicate, clause, goal, t):
    """Whether the goal, which commits to the clause, might have taken another at another time."""
    candidates = [c for c in predicate.clauses if c.above_otherwise < clause.index]
    outcomes = [(c, try_clause(c, goal, t)) for c in candidates]
    return any(o.hasty or (o.kind != 'fail' and c is not clause) for c, o in outcomes)


# ---- the machine ---------------------------------------------------------------------------------

def once(variables):
    """Each variable once, in order."""
    seen = set()
    return [v for v in variables if not (v in seen or seen.add(v))]


class Machine:
    def __init__(self, program, goal_text=None, argv=(), naive=False, merge_order='stream',
                 merge_tail_name='Out', max_reductions=1000000, shuffle=None,
                 costs=None, until=None, find_races=False):
        self.program = program
        self.argv = list(argv)
        self.naive = naive
        self.merge_order = merge_order
        self.merge_tail_name = merge_tail_name  # no source text names the tails of a merge
        self.max_reductions = max_reductions
        self.shuffle = shuffle      # one goal at a time, as its choice(numbers) says
        self.costs = costs or {}    # `p/n` -> units of virtual time
        self.until = until          # no step after this one
        self.find_races = find_races
        self.raced = False          # the answer may depend on the schedule
        self.idle = max([1] + list(self.costs.values()))    # steps without a reduction: no more
        self.goals = []
        self.pending = {}           # number -> Goal, in order of age
        self.awake = set()          # numbers to try at the next step
        self.next_awake = set()
        self.seq = 0
        self.output = []
        self.end = None
        self.exit_status = None
        self.message = ''
        self.failed_goal = None
        self.root = Goal(0, '-e', [], None, 0, 0)
        self.root.t = 0
        self.root.seq = 0
        self.goal_text = goal_text
        self.goal_body = [BodyItem('goal', 'main', [], 0)]
        if goal_text is not None:
            parser = Parser(goal_text)
            self.goal_body = []
            for goal in flatten(parser.read_goal(), ','):
                self.goal_body += program.body_goal(goal, 0)
        program.check_body(self.goal_body)
        self.root_env = {}

    # -- running

    def run(self):
        try:
            self.start()
            t = last = 0
            while self.pending:
                t += 1
                if self.until is not None and t > self.until:
                    raise Stopped
                if self.step(t):
                    last = t
                elif t - last >= self.idle:
                    self.finish('deadlock', 3)
                    return
            self.finish('normal', 0)
        except RunFailure as failure:
            self.message = str(failure)
            self.finish('failure', 1)
        except Halt as halt:
            self.finish('halted', halt.status)
        except Stopped:
            self.finish('stopped', 0)

    def finish(self, end, status):
        self.end = end
        self.exit_status = status

    def start(self):
        for var in Clause('-e', [], [], self.goal_body, 0).variables:
            self.root_env[var.key] = Var(var.name, self.root, len(self.root_env))
        try:
            self.run_body(self.root, self.goal_body, self.root_env)
        except RunFailure:          # all goals of -e are there, whichever `=` failed
            self.goals = []
            self.run_body(self.root, [item for item in self.goal_body if item.kind == 'goal'],
                          self.root_env)
            raise

    def step(self, t):
        """One generation.  False when nothing could reduce and nothing is new."""
        if self.shuffle:
            return self.shuffled_step(t)
        self.awake, self.next_awake = self.next_awake, set()
        numbers = sorted(self.pending if self.naive or self.costs else self.awake)
        goals = [self.pending[n] for n in numbers
                 if n in self.pending and self.pending[n].created + self.cost(n) <= t]
        reduced = False
        for goal in self.merges_in_order(goals, t):
            reduced = self.try_goal(goal, t) or reduced
        return reduced

    def cost(self, number):
        return self.costs.get(self.pending[number].pred, 1)

    def seen_from(self, goal, t):
        """The step before which a binding has to be made for a reduction at t to see it."""
        return t - self.cost(goal.number) + 1

    def shuffled_step(self, t):
        """Tries goals in any order until one reduces; it sees all bindings made before."""
        self.awake |= self.next_awake
        self.next_awake = set()
        while self.awake:
            number = self.shuffle.choice(sorted(self.awake))
            self.awake.discard(number)
            if number in self.pending and self.try_goal(self.pending[number], t):
                return True
        return False

    def merges_in_order(self, goals, t):
        """Of the streams of one merge that have an item, the older stream goes first."""
        if self.merge_order != 'stream':
            return goals
        slots = {}
        for place, goal in enumerate(goals):
            if goal.group is not None:
                try:
                    BUILTINS[('merge', 2)](self, goal, Context(self.seen_from(goal, t)))
                except Suspend:
                    continue
                except TypeFault:
                    pass
                slots.setdefault(id(goal.group), []).append(place)
        goals = list(goals)
        for places in slots.values():
            streams = sorted((goals[p] for p in places), key=lambda g: g.stream)
            for place, goal in zip(places, streams):
                goals[place] = goal
        return goals

    def try_goal(self, goal, t):
        try:
            key = (goal.name, len(goal.args))
            if key in self.program.predicates:
                clause, env, reads = select_clause(self.program.predicates[key], goal,
                                                   self.seen_from(goal, t))
                if self.find_races and not self.raced:
                    self.raced = is_race(self.program.predicates[key], clause, goal,
                                         self.seen_from(goal, t))
                self.commit(goal, t, reads)
                goal.clause = clause
                self.complete(env, clause, goal)
                self.run_body(goal, clause.body, env)
            else:
                self.run_builtin(goal, t)
        except Suspend as wait:
            goal.waits = set(wait.variables)
            for var in wait.variables:
                if var.bound:       # bound in this very step: visible in the next
                    self.next_awake.add(goal.number)
                var.waiters.add(goal.number)
            return False
        except RunFailure:
            self.failed_goal = goal
            self.undo(goal)
            raise
        return True

    def undo(self, goal):
        """A goal that fails is no reduction, even if it is its clause's `=` that fails."""
        for var in goal.bindings:
            var.bound = False
        goal.bindings, goal.unify_reads, goal.aliases = [], [], []
        self.goals = [g for g in self.goals if g.parent is not goal]
        goal.t = goal.seq = goal.clause = None

    def run_builtin(self, goal, t):
        ctx = Context(self.seen_from(goal, t))
        key = ('call', 1) if goal.name == 'call' else (goal.name, len(goal.args))
        if key not in BUILTINS:
            raise RunFailure('unknown predicate %s' % goal.pred)
        try:
            effect = BUILTINS[key](self, goal, ctx)
        except TypeFault as fault:
            raise RunFailure('type error: %s' % fault)
        self.commit(goal, t, ctx.reads)
        effect()

    def commit(self, goal, t, reads):
        if self.seq >= self.max_reductions:
            raise Stopped
        goal.t = t
        self.seq += 1
        goal.seq = self.seq
        goal.reads = once(reads)
        del self.pending[goal.number]

    def complete(self, env, clause, goal):
        """New variables for what neither head nor guards gave a value."""
        for index, var in enumerate(clause.variables):
            held = env.get(var.key)
            if held is None:
                env[var.key] = Var(var.name, goal, index)
            elif isinstance(held, Var) and held.creator is None:
                held.creator, held.index = goal, index

    def run_body(self, goal, body, env):
        for item in body:
            if item.kind == 'unify':
                self.unify_item(goal, item, env)
            else:
                make = build_expression if item.name == ':=' else build
                args = [make(arg, env) for arg in item.args]
                if item.name == ':=':
                    args[0] = build(item.args[0], env)
                self.spawn(item.name, args, goal, item.line, item)

    def spawn(self, name, args, parent, line, item=None):
        goal = Goal(len(self.goals) + 1, name, args, parent, parent.t, line, item)
        self.goals.append(goal)
        self.pending[goal.number] = goal
        self.next_awake.add(goal.number)
        if (name, len(args)) == ('merge', 2):
            goal.group = MergeGroup(args[1])
            goal.stream = goal.number
        return goal

    # -- active unification

    def unify_item(self, goal, item, env):
        """`X = T` of a body; notes which variable became an alias of which clause variable."""
        left, right = (build(arg, env) for arg in item.args)
        bound_before = len(goal.bindings)
        sides = []
        for value in (left, right):
            sides.append(bound_chain(value))
        self.unify(left, right, goal)
        made = goal.bindings[bound_before:]
        if len(made) != 1 or not all(isinstance(arg, PVar) for arg in item.args):
            return
        for to, source in ((0, 1), (1, 0)):
            if sides[to][0] is made[0]:
                goal.aliases.append({
                    'item': item, 'bound': made[0], 'output': item.args[to],
                    'input': item.args[source], 'output_value': (left, right)[to],
                    'input_value': (left, right)[source], 'chain': sides[source][1],
                    'end': sides[source][0]})
                return

    def unify(self, a, b, goal):
        stack = [(a, b)]
        while stack:
            left, right = stack.pop()
            a, left = bound_chain(left)
            b, right = bound_chain(right)
            if isinstance(a, Var) and a is b or any(var in right for var in left):
                continue
            if isinstance(a, Var):
                self.read(left, goal)
                self.bind(a, b, goal, right)
            elif isinstance(b, Var):
                self.read(right, goal)
                self.bind(b, a, goal, left)
            else:
                self.read(left + right, goal)
                if is_compound(a) and a is b:
                    continue
                if same_functor(a, b):
                    stack.extend(reversed(list(zip(a.args, b.args))))
                elif not same_atomic(a, b):
                    raise RunFailure('unification of unequal terms in %s' % goal.pred)

    def read(self, variables, goal):
        goal.unify_reads = once(goal.unify_reads + variables)

    def bind(self, var, value, goal, passed):
        var.bound = True
        var.value = value
        var.passed = passed
        var.time = goal.t
        var.maker = goal
        goal.bindings.append(var)
        self.next_awake |= var.waiters

    # -- results

    def reductions(self):
        """Goals that reduced, in the order of their commits."""
        return sorted((g for g in self.goals if g.t is not None), key=lambda g: g.seq)

    def waiting(self):
        return [g for g in self.goals if g.t is None]

    def answers(self):
        """`Name = term` for each variable of -e, in order of occurrence."""
        numbers = {}

        def resolve(term):
            while isinstance(term, Var) and term.bound:
                term = term.value
            return term

        def name_of(var):
            return '_%d' % numbers.setdefault(var, len(numbers) + 1)

        writer = Writer(True, resolve, name_of)
        return ['%s = %s' % (var.name, writer.write(var))
                for var in self.root_env.values() if not var.name.startswith('_')]
