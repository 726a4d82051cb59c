# SPDX-License-Identifier: MIT
"""Body builtins.  Each is `f(machine, goal, ctx) -> effect`: it reads through ctx, raising Suspend
or TypeFault; `effect()` runs once the goal has committed."""

from arith import TypeFault, apply_operator, evaluate
from core import Halt, RunFailure, Suspend, inspect
from reader import Writer
from terms import (Atom, Str, Struct, Vec, Var, NIL, cons, is_cons, is_compound, is_number,
                   make_list)

BUILTINS = {}


def builtin(*keys):
    def register(function):
        for key in keys:
            BUILTINS[key] = function
        return function
    return register


def proper_list(term, ctx):
    items = []
    cell = ctx.need(term)
    while is_cons(cell):
        items.append(cell.args[0])
        cell = ctx.need(cell.args[1])
    if cell is not NIL:
        raise TypeFault('list expected')
    return items


def need_type(term, ctx, kind, what):
    value = ctx.need(term)
    if not isinstance(value, kind):
        raise TypeFault('%s expected' % what)
    return value


def ground(term, ctx):
    """Reads every binding in the term; waits for what is unbound."""
    waits = []
    stack = [term]
    while stack:
        item = ctx.deref(stack.pop())
        if isinstance(item, Var):
            waits.append(item)
        elif is_compound(item):
            stack.extend(reversed(item.args))
    if waits:
        raise Suspend(waits)


def text_of(term, quoted):
    def resolve(item):
        while isinstance(item, Var):
            item = item.value
        return item
    return Writer(quoted, resolve, str).write(term)


# ---- arithmetic ----------------------------------------------------------------------------------

@builtin((':=', 2))
def assign(machine, goal, ctx):
    called = goal.item is None or goal.item.name != ':='
    result = evaluate(goal.args[1], ctx, Suspend, called)
    return lambda: machine.unify(goal.args[0], result, goal)


@builtin(('compute', 4))
def compute(machine, goal, ctx):
    operator = need_type(goal.args[0], ctx, Atom, 'operator')
    values = []
    for arg in goal.args[1:3]:
        value = ctx.need(arg)
        if not is_number(value):
            raise TypeFault('number expected')
        values.append(value)
    result = apply_operator(operator.name, values)
    return lambda: machine.unify(goal.args[3], result, goal)


# ---- control -------------------------------------------------------------------------------------

def goals_of(term, extra, ctx):
    """The goals a called term stands for, as (name, args)."""
    term = ctx.need(term)
    if isinstance(term, Struct) and not extra and term.name == ',' and len(term.args) == 2:
        return goals_of(term.args[0], [], ctx) + goals_of(term.args[1], [], ctx)
    if isinstance(term, Struct) and len(term.args) == 2 and term.name in (':', '@'):
        return goals_of(term.args[1 if term.name == ':' else 0], extra, ctx)
    if isinstance(term, Atom):
        return [(term.name, extra)]
    if isinstance(term, Struct):
        return [(term.name, term.args + extra)]
    raise TypeFault('goal expected')


@builtin(('call', 1))
def call(machine, goal, ctx):
    goals = goals_of(goal.args[0], goal.args[1:], ctx)
    for name, args in goals:
        known = machine.program.defined(name, len(args))
        if not known and (name, len(args)) not in (('=', 2), ('true', 0)):
            raise RunFailure('unknown predicate %s/%d' % (name, len(args)))

    def effect():
        for name, args in goals:
            if (name, len(args)) == ('=', 2):
                machine.unify(args[0], args[1], goal)
            elif (name, len(args)) != ('true', 0):
                machine.spawn(name, args, goal, goal.line)
    return effect


@builtin(('halt', 0))
def halt_0(machine, goal, ctx):
    def effect():
        raise Halt(0)
    return effect


@builtin(('halt', 1))
def halt_1(machine, goal, ctx):
    status = need_type(goal.args[0], ctx, int, 'integer')

    def effect():
        raise Halt(status)
    return effect


@builtin(('argv', 1))
def argv(machine, goal, ctx):
    words = make_list([Str(word) for word in machine.argv])
    return lambda: machine.unify(goal.args[0], words, goal)


@builtin(('merge', 2))
def merge(machine, goal, ctx):
    cell = ctx.need(goal.args[0])
    group = goal.group
    machine.raced = True
    if cell is NIL:
        def end():
            group.open -= 1
            if group.open == 0:
                machine.unify(group.tail, NIL, goal)
        return end
    if not is_cons(cell):
        raise TypeFault('stream expected')
    item = ctx.deref(cell.args[0])  # what is not bound yet is passed on as it is

    def child(stream, age=None):
        made = machine.spawn('merge', [stream, group.tail], goal, goal.line)
        made.group = group
        made.stream = made.number if age is None else age

    if isinstance(item, Struct) and item.name == 'merge' and len(item.args) == 1:
        def add():
            group.open += 1
            child(cell.args[1], goal.stream)
            child(item.args[0])
        return add

    def pass_on():
        tail = Var(machine.merge_tail_name, goal, 0)
        machine.unify(group.tail, cons(cell.args[0], tail), goal)
        group.tail = tail
        child(cell.args[1], goal.stream)
    return pass_on


# ---- output --------------------------------------------------------------------------------------

def writing(quoted, ending):
    def run(machine, goal, ctx):
        ground(goal.args[0], ctx)
        return lambda: machine.output.append(text_of(goal.args[0], quoted) + ending)
    return run


BUILTINS[('write', 1)] = writing(False, '')
BUILTINS[('writeln', 1)] = writing(False, '\n')
BUILTINS[('print', 1)] = writing(True, '')


@builtin(('nl', 0))
def nl(machine, goal, ctx):
    return lambda: machine.output.append('\n')


# ---- terms ---------------------------------------------------------------------------------------

@builtin(('functor', 3))
def functor(machine, goal, ctx):
    term, name, arity = goal.args
    value = ctx.deref(term)
    if not isinstance(value, Var):
        known_name, known_arity = inspect(value)

        def answer():
            machine.unify(name, known_name, goal)
            machine.unify(arity, known_arity, goal)
        return answer
    name_value, arity_value = ctx.deref(name), ctx.deref(arity)
    waits = [v for v in (name_value, arity_value) if isinstance(v, Var)]
    if waits:
        raise Suspend([value] + waits)
    if not isinstance(arity_value, int) or arity_value < 0:
        raise TypeFault('arity expected')
    if arity_value and not isinstance(name_value, Atom):
        raise TypeFault('atom expected')

    def construct():
        made = name_value
        if arity_value:
            made = Struct(name_value.name, [Var('_', goal, i) for i in range(arity_value)])
        machine.unify(value, made, goal)
    return construct


@builtin(('arg', 3))
def arg(machine, goal, ctx):
    index = need_type(goal.args[0], ctx, int, 'integer')
    term = ctx.need(goal.args[1])
    if not is_compound(term) or not 1 <= index <= len(term.args):
        raise TypeFault('no such argument')
    return lambda: machine.unify(goal.args[2], term.args[index - 1], goal)


@builtin(('=..', 2))
def univ(machine, goal, ctx):
    value = ctx.deref(goal.args[0])
    if not isinstance(value, Var):
        parts = [value]
        if isinstance(value, Struct):
            parts = [Atom(value.name)] + value.args
        elif isinstance(value, Vec):
            raise TypeFault('structure expected')
        return lambda: machine.unify(goal.args[1], make_list(parts), goal)
    try:
        items = proper_list(goal.args[1], ctx)
        if not items:
            raise TypeFault('list expected')
        head = ctx.need(items[0])
    except Suspend as wait:
        raise Suspend([value] + wait.variables)
    made = head
    if len(items) > 1:
        if not isinstance(head, Atom):
            raise TypeFault('atom expected')
        made = Struct(head.name, items[1:])
    return lambda: machine.unify(value, made, goal)


# ---- vectors -------------------------------------------------------------------------------------

@builtin(('new_vector', 2))
def new_vector(machine, goal, ctx):
    size = ctx.need(goal.args[1])
    if isinstance(size, int) and size >= 0:
        items = [0] * size
    elif size is NIL or is_cons(size):
        items = proper_list(goal.args[1], ctx)
    else:
        raise TypeFault('size expected')
    return lambda: machine.unify(goal.args[0], Vec(items), goal)


def vector_and_index(goal, ctx):
    vector = need_type(goal.args[0], ctx, Vec, 'vector')
    index = need_type(goal.args[1], ctx, int, 'integer')
    if not 0 <= index < len(vector.args):
        raise TypeFault('index out of range')
    return vector, index


@builtin(('vector_length', 2))
def vector_length(machine, goal, ctx):
    vector = need_type(goal.args[0], ctx, Vec, 'vector')
    return lambda: machine.unify(goal.args[1], len(vector.args), goal)


@builtin(('vector_element', 3), ('vector_element', 4))
def vector_element(machine, goal, ctx):
    vector, index = vector_and_index(goal, ctx)

    def effect():
        machine.unify(goal.args[2], vector.args[index], goal)
        if len(goal.args) == 4:
            machine.unify(goal.args[3], vector, goal)
    return effect


@builtin(('set_vector_element', 5))
def set_vector_element(machine, goal, ctx):
    vector, index = vector_and_index(goal, ctx)

    def effect():
        items = list(vector.args)
        items[index] = goal.args[3]
        machine.unify(goal.args[2], vector.args[index], goal)
        machine.unify(goal.args[4], Vec(items), goal)
    return effect


# ---- text ----------------------------------------------------------------------------------------

def converter(left_type, left_name, to_text, from_text):
    """A builtin that works from whichever argument is bound, the first preferred."""
    def run(machine, goal, ctx):
        left = ctx.deref(goal.args[0])
        if not isinstance(left, Var):
            if not isinstance(left, left_type):
                raise TypeFault('%s expected' % left_name)
            text = Str(to_text(left))
            return lambda: machine.unify(goal.args[1], text, goal)
        right = ctx.deref(goal.args[1])
        if isinstance(right, Var):
            raise Suspend([left, right])
        if not isinstance(right, Str):
            raise TypeFault('string expected')
        value = from_text(right.text)
        return lambda: machine.unify(left, value, goal)
    return run


def parse_number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    raise TypeFault('not the text of a number')


BUILTINS[('atom_string', 2)] = converter(Atom, 'atom', lambda a: a.name, Atom)
BUILTINS[('number_string', 2)] = converter((int, float), 'number',
                                           lambda n: text_of(n, False), parse_number)


@builtin(('string_concat', 3))
def string_concat(machine, goal, ctx):
    left = need_type(goal.args[0], ctx, Str, 'string')
    right = need_type(goal.args[1], ctx, Str, 'string')
    return lambda: machine.unify(goal.args[2], Str(left.text + right.text), goal)


@builtin(('string_length', 2))
def string_length(machine, goal, ctx):
    text = need_type(goal.args[0], ctx, Str, 'string').text
    return lambda: machine.unify(goal.args[1], len(text), goal)


@builtin(('sub_string', 4), ('sub_string', 5))
def sub_string(machine, goal, ctx):
    text = need_type(goal.args[0], ctx, Str, 'string').text
    start = need_type(goal.args[1], ctx, int, 'integer')
    length = need_type(goal.args[2], ctx, int, 'integer')
    if start < 0 or length < 0 or start + length > len(text):
        raise TypeFault('outside the string')

    def effect():
        if len(goal.args) == 5:
            machine.unify(goal.args[3], len(text) - start - length, goal)
        machine.unify(goal.args[-1], Str(text[start:start + length]), goal)
    return effect


@builtin(('split', 3))
def split(machine, goal, ctx):
    text = need_type(goal.args[0], ctx, Str, 'string').text
    separator = need_type(goal.args[1], ctx, Str, 'string').text
    if not separator:
        raise TypeFault('separator expected')
    parts = make_list([Str(part) for part in text.split(separator)])
    return lambda: machine.unify(goal.args[2], parts, goal)


@builtin(('string_codes', 2))
def string_codes(machine, goal, ctx):
    left = ctx.deref(goal.args[0])
    if not isinstance(left, Var):
        if not isinstance(left, Str):
            raise TypeFault('string expected')
        codes = make_list([ord(char) for char in left.text])
        return lambda: machine.unify(goal.args[1], codes, goal)
    try:
        codes = [need_type(item, ctx, int, 'code') for item in proper_list(goal.args[1], ctx)]
    except Suspend as wait:
        raise Suspend([left] + wait.variables)
    text = Str(''.join(chr(code) for code in codes))
    return lambda: machine.unify(left, text, goal)


@builtin(('term_string', 2))
def term_string(machine, goal, ctx):
    ground(goal.args[0], ctx)
    text = Str(text_of(goal.args[0], True))
    return lambda: machine.unify(goal.args[1], text, goal)
