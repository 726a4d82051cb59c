# SPDX-License-Identifier: MIT
"""Partitions, processes, external inputs and outputs, and IO-Trees, of a finished run.

Sets of inputs and their unions are taken literally (as bit sets); nothing is shared or windowed.
"""

from reader import Writer
from terms import Opaque, PVar, Struct, Var, term_variables, text_variables


# ---- partitions ----------------------------------------------------------------------------------

class PartitionFault(Exception):
    pass


def parse_partition(text):
    """`NAME=p/2,#12 NAME2=q/1` as [(name, [entry])], in order."""
    modules = []
    for word in text.split():
        name, equals, entries = word.partition('=')
        if not equals or not name or not entries:
            raise PartitionFault('partition: %r is not NAME=ENTRY,...' % word)
        modules.append((name, entries.split(',')))
    return modules


def default_partition(machine):
    """Each user predicate called in the bodies of main/N or in -e, under its own name."""
    bodies = [clause.body for (name, _), predicate in machine.program.predicates.items()
              if name == 'main' for clause in predicate.clauses]
    bodies.append(machine.goal_body)
    modules = {}
    for body in bodies:
        for item in body:
            key = (item.name, len(item.args))
            if item.kind != 'goal' or item.name == 'main' or key not in machine.program.predicates:
                continue
            entries = modules.setdefault(item.name, [])
            entry = '%s/%d' % key
            if entry not in entries:
                entries.append(entry)
    return list(modules.items())


# ---- arguments -----------------------------------------------------------------------------------

def called_variables(term):
    """The PVars that are goals of a term that is called."""
    if isinstance(term, PVar):
        return [term]
    if isinstance(term, Struct) and len(term.args) == 2:
        if term.name == ',':
            return called_variables(term.args[0]) + called_variables(term.args[1])
        if term.name in (':', '@'):
            return called_variables(term.args[1 if term.name == ':' else 0])
    return []


class Arguments:
    """Where the arguments of a process's first goal are: positions by goal."""

    def __init__(self, process, program):
        self.program = program
        first = process.starts[0]
        self.held = {}              # goal -> {argument of the first goal: positions, 'in' a builtin}
        self.hold(first, {position: {position} for position, term in enumerate(first.args)
                          if not isinstance(term, Var)})

    def hold(self, goal, origins):
        if origins:
            self.held[goal] = origins

    def is_builtin(self, goal):
        return (goal.name, len(goal.args)) not in self.program.predicates

    def looked_at(self, reduction):
        """The arguments of the first goal that a reduction looks at."""
        held = self.held.get(reduction, {})
        if reduction.clause is not None:
            return [o for o in held if any(reduction.clause.looks_at(p) for p in held[o])]
        if reduction.name == 'call':
            return [o for o in held if 0 in held[o]]
        return list(held)

    def pass_down(self, reduction, children):
        """What the goals of the body get as a whole."""
        held = self.held.get(reduction, {})
        if reduction.clause is None or not held:
            return
        whole = {}                  # key of a variable -> position in the head
        for position, pattern in enumerate(reduction.clause.head):
            if isinstance(pattern, PVar):
                whole.setdefault(pattern.key, position)
        for goal in children:
            origins = {}
            for origin, positions in held.items():
                for place, arg in enumerate(goal.item.args):
                    if any(whole.get(var.key) in positions for var in self.whole_in(goal, place, arg)):
                        origins.setdefault(origin, set()).add(place)
            self.hold(goal, origins)

    def whole_in(self, goal, place, arg):
        if isinstance(arg, PVar):
            return [arg] if goal.name != 'call' or place == 0 else []
        if not self.is_builtin(goal):
            return []
        if goal.name == 'call':
            return called_variables(arg) if place == 0 else []
        return text_variables(arg)


# ---- processes -----------------------------------------------------------------------------------

class Input:
    """An external input: a binding (`var`) or an argument position of the first goal."""

    def __init__(self, number, time, available, var=None, position=None, term=None):
        self.number = number
        self.bit = 1 << number
        self.time = time
        self.available = available
        self.var = var
        self.position = position    # from 1
        self.term = term

    def order(self):
        if self.var is None:
            return (self.time, 0, self.position, 0)
        return (self.time, 1) + self.var.age()


class Node:
    """Outputs that need the same inputs.  The root has no parent and no outputs."""

    def __init__(self, parent, inputs, req, reduction):
        self.parent = parent
        self.inputs = inputs        # bit set: what it adds to the path above
        self.req = req              # bit set: the path down to and including it
        self.reduction = reduction  # the one that began it
        self.outputs = []           # (var, reduction)
        self.children = {}          # inputs -> Node
        self.join = False

    def rank(self):
        """Of several nodes in a causal past the greatest is built upon."""
        return (bin(self.req).count('1'), self.reduction.t, -self.reduction.seq)


def all_read(reduction):
    """The Vars whose bindings a reduction reads: with what those passed on, and so on down."""
    found = []
    seen = set()
    stack = list(reversed(reduction.reads + reduction.unify_reads))
    while stack:
        var = stack.pop()
        if var not in seen:
            seen.add(var)
            found.append(var)
            stack.extend(reversed(var.passed))
    return found


class Process:
    def __init__(self, module, start):
        self.module = module
        self.starts = [start]
        self.members = []           # reductions in order of time, older first
        self.inputs = []
        self.input_of = {}          # Var, or position from 0 of an argument -> Input
        self.looks = {}             # reduction -> positions of arguments that it looks at
        self.root = None
        self.nodes = []

    def listed(self):
        return any(goal.t is not None for goal in self.starts)


class Analysis:
    def __init__(self, machine, partition=None):
        self.machine = machine
        self.partition = default_partition(machine) if partition is None else partition
        self.process_of = {machine.root: None}
        self.processes = []
        self.started = set()        # goals that start a process
        self.children = {}          # goal -> goals that it created
        for goal in machine.goals:
            self.children.setdefault(goal.parent, []).append(goal)
        self.assign()

    # -- membership

    def entry_of(self, goal):
        """The module a goal is an entry of; one that names the goal itself is the stronger."""
        # a trace numbers goals from 0; here that is the run itself
        for entry in ('#%d' % (goal.number - 1), goal.pred):
            for name, entries in self.partition:
                if entry in entries:
                    return name
        return None

    def assign(self):
        main = None
        for goal in self.machine.goals:
            parent = self.process_of[goal.parent]
            parent_module = parent.module if parent is not None else None
            module = self.entry_of(goal)
            if module is not None and module != parent_module:
                process = Process(module, goal)
                self.processes.append(process)
                self.started.add(goal)
            elif parent is not None:
                process = parent
            elif main is None:
                process = main = Process('main', goal)
                self.processes.append(process)
            else:
                process = main
                main.starts.append(goal)
            self.process_of[goal] = process
        for reduction in self.machine.reductions():
            self.process_of[reduction].members.append(reduction)

    # -- inputs and outputs

    def find_inputs(self, process):
        process.inputs = []
        process.input_of = {}
        process.looks = {}
        arguments = Arguments(process, self.machine.program)
        for reduction in process.members:
            process.looks[reduction] = arguments.looked_at(reduction)
            self.find_argument_inputs(process, reduction)
            arguments.pass_down(reduction, [goal for goal in self.children.get(reduction, ())
                                            if self.process_of[goal] is process])
            for var in all_read(reduction):
                if self.process_of[var.maker] is process or var in process.input_of:
                    continue
                new = Input(len(process.inputs), reduction.t, var.time, var=var)
                process.inputs.append(new)
                process.input_of[var] = new

    def find_argument_inputs(self, process, reduction):
        first = process.starts[0]
        for position in sorted(process.looks[reduction]):
            if position not in process.input_of:
                new = Input(len(process.inputs), reduction.t, first.created,
                            position=position + 1, term=first.args[position])
                process.inputs.append(new)
                process.input_of[position] = new

    def find_outputs(self, process):
        """Vars bound by a member and visible outside."""
        visible = set()
        for goal in self.started:
            if self.process_of[goal] is not process:
                for term in goal.args:
                    visible.update(term_variables(term))
        bindings = [var for reduction in process.members for var in reduction.bindings]
        for var in bindings:
            if self.process_of[var.creator] is not process:
                visible.add(var)
        outputs = set()
        while True:
            new = [var for var in bindings if var in visible and var not in outputs]
            if not new:
                return outputs
            outputs.update(new)
            for var in new:
                visible.update(term_variables(var.value))

    # -- the tree

    def build_tree(self, process):
        self.find_inputs(process)
        outputs = self.find_outputs(process)
        process.root = Node(None, 0, 0, None)
        req = {}                    # reduction -> bit set
        best = {}                   # reduction -> greatest node of its causal past and itself
        for reduction in process.members:
            needed = 0
            for position in process.looks[reduction]:
                needed |= process.input_of[position].bit
            before = []
            if self.process_of[reduction.parent] is process:
                before.append(reduction.parent)
            for var in all_read(reduction):
                if self.process_of[var.maker] is process:
                    if var.maker is not reduction:
                        before.append(var.maker)
                else:
                    needed |= process.input_of[var].bit
            base = None
            for earlier in before:
                needed |= req[earlier]
                node = best[earlier]
                if node is not None and (base is None or node.rank() > base.rank()):
                    base = node
            req[reduction] = needed
            made = [var for var in reduction.bindings if var in outputs]
            if made:
                node = self.place(process, reduction, needed, base)
                node.outputs += [(var, reduction) for var in made]
                if base is None or node.rank() > base.rank():
                    base = node
            best[reduction] = base
        self.finish_tree(process)

    def place(self, process, reduction, needed, base):
        """The node that a reduction's outputs join, made if there is none."""
        if base is not None and needed == base.req:
            return base
        if base is None:
            base = process.root
        wanted = needed & ~base.req
        if wanted not in base.children:
            base.children[wanted] = Node(base, wanted, needed, reduction)
        return base.children[wanted]

    def finish_tree(self, process):
        process.nodes = []
        stack = [process.root]
        while stack:
            node = stack.pop()
            if node is not process.root:
                process.nodes.append(node)
            children = sorted(node.children.values(),
                              key=lambda n: n.reduction.seq)
            stack.extend(reversed(children))
        for node in process.nodes:
            node.join = any(node.inputs & other.inputs for other in process.nodes
                            if other is not node)

    def inputs_of(self, process, node):
        return sorted((i for i in process.inputs if node.inputs & i.bit), key=Input.order)

    def unused_inputs(self, process):
        used = 0
        for node in process.nodes:
            used |= node.inputs
        return sum(1 for i in process.inputs if not used & i.bit)


# ---- showing -------------------------------------------------------------------------------------

class Names:
    """Display names of all variables of one output, given in order of age."""

    def __init__(self):
        self.shown = set()
        self.names = {}

    def term(self, term, time):
        """The term's text with the bindings made up to `time`; notes what is shown."""
        def resolve(item):
            while True:
                if isinstance(item, Opaque):
                    item = item.term
                elif isinstance(item, Var) and item.bound and item.time <= time:
                    item = item.value
                else:
                    return item

        def name_of(var):
            return self.variable(var)

        return Writer(True, resolve, name_of).write(term, 999)

    def variable(self, var):
        self.shown.add(var)
        return self.names.get(var, var.name)

    def give(self):
        used = set()
        for var in sorted(self.shown, key=Var.age):
            name = var.name
            if name in used:
                stem = name.rstrip('0123456789')
                number = int(name[len(stem):] or 0) + 1
                while '%s%d' % (stem, number) in used:
                    number += 1
                name = '%s%d' % (stem, number)
            used.add(name)
            self.names[var] = name


def calling(reduction):
    """The reduction of a clause whose goal came to it, through built-ins."""
    while reduction.parent is not None and reduction.item is None:
        reduction = reduction.parent
    return reduction.parent


def clause_name(reduction):
    if reduction.clause is None:
        caller = calling(reduction) if reduction.name == 'merge' else None
        if caller is not None and caller.clause is not None:
            return clause_name(caller)
        return reduction.pred
    return '%s#%d' % (reduction.pred, reduction.clause.index)


def clause_line(reduction):
    return reduction.line if reduction.clause is None else reduction.clause.line


def process_json(analysis, process, names):
    created = process.starts[0].created
    index = {node: i for i, node in enumerate(process.nodes)}
    nodes = []
    for node in process.nodes:
        inputs = []
        for given in analysis.inputs_of(process, node):
            if given.var is None:
                name, term = 'arg%d' % given.position, given.term
            else:
                name, term = names.variable(given.var), given.var.value
            inputs.append({'variable': name, 'term': names.term(term, given.time),
                           'time': given.time, 'available': given.available})
        outputs = [{'variable': names.variable(var), 'term': names.term(var.value, reduction.t),
                    'time': reduction.t} for var, reduction in node.outputs]
        nodes.append({'parent': index.get(node.parent), 'inputs': inputs, 'outputs': outputs,
                      'clause': clause_name(node.reduction), 'line': clause_line(node.reduction),
                      'join': node.join})
    return {'module': process.module,
            'goal': ', '.join(names.term(goal.term(), goal.created) for goal in process.starts),
            'created': created, 'members': len(process.members), 'nodes': nodes,
            'unused_inputs': analysis.unused_inputs(process)}


def iotree_json(analysis, module=None):
    """The answer of `paf iotree`: the listed processes of a module (of all: None)."""
    processes = [p for p in analysis.processes
                 if p.listed() and (module is None or p.module == module)]
    for process in processes:
        analysis.build_tree(process)
    names = Names()
    for process in processes:
        process_json(analysis, process, names)
    names.give()
    return {'processes': [process_json(analysis, process, names) for process in processes]}
