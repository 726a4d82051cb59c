# SPDX-License-Identifier: MIT
"""What the machine and its builtins share: how a goal can end, and the state of a merge."""

from terms import Atom, Struct, Vec

class CompileError(Exception):
    pass


class Suspend(Exception):
    """Waits for any of `variables`."""

    def __init__(self, variables):
        super().__init__('waits')
        self.variables = list(variables)


class RunFailure(Exception):
    """The program fails (exit status 1)."""


class Halt(Exception):
    def __init__(self, status):
        super().__init__('halt')
        self.status = status


class Stopped(Exception):
    """The limit on reductions was reached."""


class MergeGroup:
    """What the streams of one merge share: the open end of the output and how many still run."""

    def __init__(self, tail):
        self.tail = tail
        self.open = 1


def inspect(term):
    """(name, arity) of a bound term, as functor/3 sees it."""
    if isinstance(term, Struct):
        return Atom(term.name), len(term.args)
    if isinstance(term, Vec):
        return Atom('{}'), len(term.args)
    return term, 0
