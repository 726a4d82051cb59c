# SPDX-License-Identifier: MIT
"""Random Fortran programs with loops that are left in every way there is, and what their text says of
them: where a line stands that is executed whenever a routine, a loop or a statement begins, and one
that is executed at every iteration."""

import random


class Loop:
    def __init__(self, unit, seq, label, definite):
        self.unit, self.seq, self.label, self.definite = unit, seq, label, definite
        self.line = self.before = self.first = 0
        self.after = None  # a label behind it, if a jump needs one
        self.name = None
        self.shared = False  # its last statement is also that of the loop around it


class Source:
    """A file in fixed or free form."""

    def __init__(self, name, fixed):
        self.name, self.fixed, self.lines = name, fixed, []
        self.loops, self.units, self.ios = [], {}, []

    def put(self, text, label=0):
        if self.fixed:
            self.lines.append('%5s %s' % (label or '', text))
        else:
            self.lines.append('%s%s' % ('%d ' % label if label else '  ', text))
        return len(self.lines)

    def put_long(self, text, rest):
        """A statement of two lines; gives the number of the first."""
        line = self.put(text if self.fixed else text + ' &')
        self.lines.append('     & ' + rest if self.fixed else '    ' + rest)
        return line

    def text(self):
        return '\n'.join(self.lines) + '\n'


class Routine:
    """The body of one routine; `later` are those that it may call."""

    def __init__(self, source, rng, name, kind, later):
        self.s, self.rng, self.name, self.kind, self.later = source, rng, name, kind, later
        self.labels = 0
        self.open = []  # loops, innermost last
        self.seq = 0
        self.budget = 12  # loops and branches

    def label(self):
        self.labels += 10
        return self.labels

    def chance(self, n):
        return self.rng.randrange(n) == 0

    def when(self):
        return 'if (rnd(%d) == 0)' % self.rng.choice((2, 3, 5, 9))

    # ---- Jumps ----

    def leaves(self, down_to):
        """Loops that are left when control goes behind the one at this depth."""
        for loop in self.open[down_to:]:
            loop.definite = 0

    def behind(self):
        """The label of a place behind an enclosing loop."""
        depth = self.rng.randrange(len(self.open))
        while self.open[depth].shared:
            depth -= 1  # behind all that end there
        loop = self.open[depth]
        loop.after = loop.after or self.label()
        self.leaves(depth)
        return loop.after

    def jump(self):
        kind = self.rng.randrange(8)
        if kind == 0:
            self.s.put('%s goto %d' % (self.when(), self.behind()))
        elif kind == 1:
            self.s.put('goto (%d, %d), rnd(6)' % (self.behind(), self.behind()))
        elif kind == 2:
            out, on = self.behind(), self.label()
            self.s.put('if (rnd(4) - 1) %d, %d, %d' % (self.rng.choice(((out, on, on), (on, on, out)))))
            self.s.put('continue', on)
        elif kind == 3 and self.kind != 'program':
            self.s.put('%s return' % self.when())
            self.leaves(0)
        elif kind == 4 and not self.open[-1].shared:
            self.s.put('%s exit' % self.when())
            self.leaves(len(self.open) - 1)
        elif kind == 5:
            self.named('exit', 0)
        elif kind == 6:
            self.named('cycle', 1)
        else:
            self.transfer()

    def named(self, word, kept):
        """Leaves the loops within the named one and, unless it goes on, that one as well."""
        depths = [d for d, loop in enumerate(self.open) if loop.name]
        if not depths or any(loop.shared for loop in self.open[depths[-1]:]):
            return
        depth = self.rng.choice(depths)
        if any(loop.shared for loop in self.open[depth:]):
            return
        self.s.put('%s %s %s' % (self.when(), word, self.open[depth].name))
        self.leaves(depth + kept)

    def transfer(self):
        """A statement for I/O that may jump, or a call that may."""
        if self.chance(2):
            self.s.put('if (rnd(2) == 0) call alter(*%d)' % self.behind())
            return
        before = self.s.put('k = k + 1')
        out = self.behind()
        line = self.s.put_long('read (text, *,', 'end=%d, err=%d) j' % (out, out))
        self.s.ios.append((self.name, line, before))

    # ---- Loops ----

    def header(self, depth, label):
        """Puts the lines before a loop and its DO statement. Gives the loop, and what is first in it."""
        loop = Loop(self.name, 0, label, 1)
        self.seq += 1
        loop.seq = self.seq
        variable = 'i%d' % depth
        kind = self.rng.randrange(6)
        text, first = '', 'k = k + 1'
        if kind == 0 and not label:
            loop.before = self.s.put('w%d = 0' % depth)
            text, first = 'do while (w%d < rnd(4))' % depth, 'w%d = w%d + 1' % (depth, depth)
            loop.definite = 0
        elif kind == 1 and not label:
            loop.before = self.s.put('w%d = 0' % depth)
            text, first = 'do', 'w%d = w%d + 1' % (depth, depth)
            loop.definite = 0
        else:
            loop.before = self.s.put('k = k + 1')
            low, high, step = self.rng.choice((('1', 'rnd(5)', ''), ('rnd(4)', 'rnd(4)', ''),
                                               ('5', '1', ', -2'), ('1', '0', ''), ('3', '1', ', -1'),
                                               ('1', '7', ', 3'), ('1', '-4', ', -rnd(2) - 1')))
            text = 'do %s%s = %s, %s%s' % ('%d ' % label if label else '', variable, low, high, step)
        if not label and self.chance(2):
            loop.name = 'n%d' % self.label()
            text = loop.name + ': ' + text
        loop.line = self.s.put(text)
        self.s.loops.append(loop)
        self.open.append(loop)
        loop.first = self.s.put(first)
        if text.endswith('do'):
            self.s.put('if (w%d > rnd(4)) exit' % depth)
        return loop

    def footer(self, loop, label=0):
        self.open.pop()
        if not label:
            self.s.put('j = k')  # has the code that ends an iteration, for gcov
            self.s.put('end do' + (' ' + loop.name if loop.name else ''))
        if loop.after:
            self.s.put('continue', loop.after)

    def loop(self, depth):
        if self.chance(3):
            self.labelled(depth)
            return
        loop = self.header(depth, 0)
        self.block(depth + 1)
        self.footer(loop)

    def labelled(self, depth):
        """DO 10 ... DO 10 ... 10 CONTINUE."""
        label = self.label()
        loops = [self.header(depth, label)]
        if depth < 4 and self.chance(2):
            self.block(depth + 2)
            loops.append(self.header(depth + 1, label))
            loops[1].shared = True
        self.block(depth + 2)
        if self.chance(2):
            self.s.put('%s goto %d' % (self.when(), label))
        if self.chance(3):
            self.s.put('k = k + 1', label)
        else:
            self.s.put('continue', label)
        for loop in reversed(loops):
            self.footer(loop, label)

    # ---- Others ----

    def call(self):
        if not self.later:
            return
        name, kind = self.rng.choice(self.later)
        if kind == 'function':
            self.s.put('k = k + %s(k)' % name)
        elif kind == 'recursive':
            self.s.put('call %s(rnd(4))' % name)
        else:
            self.s.put('call %s' % name)

    def write(self):
        before = self.s.put('k = k + 1')
        text = self.rng.choice(('write (9, *) k', "write (text, '(i6)') mod(k, 100000)",
                                "write (9, '(2i8)') (k, i9 = 1, 3)", "write (9, '(a)', advance='no') 'x'",
                                'rewind (9)', 'inquire (9, opened=there)', 'flush (9)'))
        self.s.ios.append((self.name, self.s.put(text), before))

    def branch(self, depth):
        self.s.put('if (rnd(3) == 0) then')
        self.block(depth)
        if self.chance(2):
            self.s.put('else')
            self.block(depth)
        self.s.put('end if')

    def block(self, depth):
        for _ in range(self.rng.randrange(1, 4)):
            what = self.rng.randrange(8)
            if what < 3 and depth < 5 and self.budget > 0:
                self.budget -= 1
                self.loop(depth)
            elif what == 3 and self.budget > 0:
                self.budget -= 1
                self.branch(depth)
            elif what < 6 and self.open:
                self.jump()
            elif what == 6:
                self.call()
            else:
                self.write()

    def declare(self):
        s = self.s
        s.put('integer :: i1, i2, i3, i4, i5, i6, i9, j, k, rnd')
        s.put('integer :: w1, w2, w3, w4, w5, w6')
        s.put('logical :: there')
        s.put('character(8) :: text')
        for name, kind in self.later:
            if kind == 'function':
                s.put('integer :: %s' % name)

    def body(self):
        self.s.units[self.name] = self.s.put('k = 0')
        if self.kind == 'program':
            self.open_unit()
        self.s.put("text = ' '")
        self.s.put('if (rnd(2) == 0) text = \'12\'')
        for _ in range(3):
            self.block(1)
        if self.kind == 'program':
            self.call_all()

    def open_unit(self):
        before = self.s.put('k = k + 1')
        self.s.ios.append((self.name, self.s.put("open (9, status='scratch')"), before))

    def call_all(self):
        """Every routine often enough for most of its jumps to be taken."""
        loop = Loop(self.name, self.seq + 1, 0, 1)
        loop.before = self.s.put('k = k + 1')
        loop.line = self.s.put('do i1 = 1, 20')
        loop.first = self.s.put('k = k + 1')
        self.s.loops.append(loop)
        for name, kind in self.later:
            self.s.put({'function': 'k = k + %s(k)', 'recursive': 'call %s(2)'}.get(kind, 'call %s') % name)
        self.s.put('end do')


def add_routine(source, rng, name, kind, later):
    r = Routine(source, rng, name, kind, later)
    source.put({'function': 'integer function %s(n)', 'recursive': 'recursive subroutine %s(n)',
                'subroutine': 'subroutine %s', 'program': 'program %s'}[kind] % name)
    if kind in ('function', 'recursive'):
        source.put('integer :: n')
    r.declare()
    if kind == 'function':
        source.put('%s = n' % name)
    r.body()
    if kind == 'recursive':
        source.put('if (n > 0) call %s(n - 1)' % name)
    if kind == 'function':
        source.put('%s = k' % name)
    source.put('end')


def add_helpers(source, seed):
    """What every routine may call."""
    s = source
    s.put('integer function rnd(m)')
    s.put('integer :: m, state')
    s.put('save state')
    s.put('data state /%d/' % (seed % 65536))
    s.units['rnd'] = s.put('state = mod(state * 1103 + 12345, 65536)')
    s.put('rnd = mod(state / 16, m)')
    s.put('end')
    s.put('subroutine alter(*)')
    s.put('integer :: rnd, k')
    s.units['alter'] = s.put('k = 0')
    s.put('if (rnd(3) == 0) return 1')
    s.put('end')


def program(seed):
    """Sources of a program: a main one and routines, each calling those behind it."""
    rng = random.Random(seed)
    sources = [Source('one.f' if rng.randrange(2) else 'one.f90', False),
               Source('two.f' if rng.randrange(2) else 'two.f90', False)]
    for s in sources:
        s.fixed = s.name.endswith('.f')
    kinds = [('r%d' % i, rng.choice(('function', 'recursive', 'subroutine'))) for i in range(3)]
    add_routine(sources[0], rng, 'random', 'program', kinds)
    for i, (name, kind) in enumerate(kinds):
        add_routine(rng.choice(sources), rng, name, kind, kinds[i + 1:])
    add_helpers(sources[1], seed)
    return sources
