# SPDX-License-Identifier: MIT
"""Terms of the reference implementation.

Integers and doubles are Python's int and float.  Compound terms compare by identity: one object is
one occurrence, which is what "one term that reached both places from one occurrence" needs.
"""


class Atom:
    table = {}

    def __new__(cls, name):
        atom = cls.table.get(name)
        if atom is None:
            atom = object.__new__(cls)
            atom.name = name
            cls.table[name] = atom
        return atom

    def __repr__(self):
        return 'Atom(%r)' % self.name


class Str:
    """An immutable string."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return 'Str(%r)' % self.text


class Struct:
    """f(a,b); a list cell is '.'(Head, Tail)."""

    def __init__(self, name, args):
        self.name = name
        self.args = list(args)

    def __repr__(self):
        return 'Struct(%r, %r)' % (self.name, self.args)


class Vec:
    """{a,b}"""

    def __init__(self, args):
        self.args = list(args)

    def __repr__(self):
        return 'Vec(%r)' % (self.args,)


class PVar:
    """A variable of the program text.  `key` tells two `_` apart; elsewhere it is the name."""

    def __init__(self, name, key):
        self.name = name
        self.key = key

    def __repr__(self):
        return 'PVar(%r)' % (self.key,)


class Var:
    """A variable of the run: created by a reduction, bound at most once."""

    def __init__(self, name, creator, index):
        self.name = name
        self.creator = creator      # the Goal whose reduction created it
        self.index = index          # order of first occurrence in the creating clause
        self.bound = False
        self.value = None           # the term as bound, not dereferenced
        self.time = None
        self.maker = None           # the Goal whose reduction bound it
        self.passed = []            # Vars whose bindings that `=` passed on
        self.waiters = set()

    def age(self):
        """Sort key: older variables first."""
        return (self.creator.seq, self.index)


class Opaque:
    """What a clause variable held in an arithmetic expression: it must be a number."""

    def __init__(self, term):
        self.term = term


NIL = Atom('[]')
TRUE = Atom('true')


def cons(head, tail):
    return Struct('.', [head, tail])


def is_cons(term):
    return isinstance(term, Struct) and term.name == '.' and len(term.args) == 2


def is_number(term):
    return isinstance(term, (int, float))


def is_compound(term):
    return isinstance(term, (Struct, Vec))


def make_list(items, tail=NIL):
    for item in reversed(items):
        tail = cons(item, tail)
    return tail


def same_atomic(a, b):
    """Equality of two non-variables of which at least one is atomic."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Atom):
        return a is b
    if isinstance(a, Str):
        return a.text == b.text
    if isinstance(a, (int, float)):
        return a == b
    return False


def same_functor(a, b):
    """Both compound, of one kind, name and size."""
    if isinstance(a, Struct) and isinstance(b, Struct):
        return a.name == b.name and len(a.args) == len(b.args)
    if isinstance(a, Vec) and isinstance(b, Vec):
        return len(a.args) == len(b.args)
    return False


def text_variables(term, found=None):
    """PVars of a program term, in order of occurrence, with repetitions."""
    if found is None:
        found = []
    if isinstance(term, PVar):
        found.append(term)
    elif is_compound(term):
        for arg in term.args:
            text_variables(arg, found)
    return found


def term_variables(term, found=None):
    """Vars that stand in a term, bindings not followed."""
    if found is None:
        found = []
    stack = [term]
    while stack:
        item = stack.pop()
        if isinstance(item, Opaque):
            stack.append(item.term)
        elif isinstance(item, Var):
            found.append(item)
        elif is_compound(item):
            stack.extend(reversed(item.args))
    return found
