# SPDX-License-Identifier: MIT
"""Arithmetic of expressions: functor first, operands left to right, the first that is unbound or
wrong decides."""

import math

from terms import Atom, Struct, Var, Opaque, is_number


class TypeFault(Exception):
    pass


def integers(*values):
    if not all(isinstance(v, int) for v in values):
        raise TypeFault('integer expected')


def truncated(a, b):
    if b == 0:
        raise TypeFault('division by zero')
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def divide(a, b):
    if isinstance(a, int) and isinstance(b, int):
        return truncated(a, b)
    if b == 0:
        raise TypeFault('division by zero')
    return a / b


def integer_divide(a, b):
    integers(a, b)
    return truncated(a, b)


def remainder(a, b):
    integers(a, b)
    return a - truncated(a, b) * b


def modulo(a, b):
    integers(a, b)
    if b == 0:
        raise TypeFault('division by zero')
    return a % b


def bitwise(operation):
    def run(a, b):
        integers(a, b)
        return operation(a, b)
    return run


def shift(a, b):
    return a << b if b >= 0 else a >> -b


def power(a, b):
    if isinstance(a, int) and isinstance(b, int):
        if b >= 0:
            return a ** b
        if a in (1, -1):
            return a ** (-b)
        raise TypeFault('negative exponent')
    return float(a) ** float(b)


def sign(a):
    result = (a > 0) - (a < 0)
    return float(result) if isinstance(a, float) else result


def complement(a):
    integers(a)
    return ~a


def half_away(a):
    return int(math.floor(abs(a) + 0.5)) * (-1 if a < 0 else 1)


def real(function):
    def run(a):
        try:
            return function(float(a))
        except (ValueError, OverflowError) as fault:
            raise TypeFault(str(fault))
    return run


BINARY = {
    '+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b,
    '/': divide, '//': integer_divide, 'mod': modulo, 'rem': remainder,
    'min': lambda a, b: b if b < a else a, 'max': lambda a, b: b if b > a else a,
    '>>': bitwise(lambda a, b: shift(a, -b)), '<<': bitwise(shift),
    '/\\': bitwise(lambda a, b: a & b), '\\/': bitwise(lambda a, b: a | b),
    'xor': bitwise(lambda a, b: a ^ b), '**': power,
}
UNARY = {
    '-': lambda a: -a, '+': lambda a: a, 'abs': abs, 'sign': sign, '\\': complement,
    'sqrt': real(math.sqrt), 'exp': real(math.exp), 'log': real(math.log), 'sin': real(math.sin),
    'cos': real(math.cos), 'tan': real(math.tan), 'atan': real(math.atan), 'float': float,
    'asin': real(math.asin), 'acos': real(math.acos), 'sinh': real(math.sinh),
    'cosh': real(math.cosh), 'tanh': real(math.tanh),
    'integer': half_away, 'round': half_away, 'truncate': math.trunc,
    'floor': lambda a: math.floor(a), 'ceiling': lambda a: math.ceil(a),
}
COMPARISONS = {
    '<': lambda a, b: a < b, '>': lambda a, b: a > b, '=<': lambda a, b: a <= b,
    '>=': lambda a, b: a >= b, '=:=': lambda a, b: a == b, '=\\=': lambda a, b: a != b,
}


def compare_numbers(name, a, b):
    return COMPARISONS[name](a, b)


def apply_operator(name, values):
    table = {1: UNARY, 2: BINARY}.get(len(values), {})
    if name not in table:
        raise TypeFault('%s is no operator' % name)
    try:
        return table[name](*values)
    except OverflowError as fault:
        raise TypeFault(str(fault))


def evaluate(term, ctx, suspend, called=False):
    """The number an expression stands for; reads go to ctx, `suspend` is raised to wait.

    Of a called term what its variables are bound to is part; elsewhere they stand for numbers.
    """
    if is_number(term):
        return term
    if isinstance(term, Opaque):
        if is_number(term.term):
            return term.term
        raise TypeFault('number expected')
    if isinstance(term, Var):
        end = ctx.deref(term)
        if isinstance(end, Var):
            raise suspend([end])
        if called:
            return evaluate(end, ctx, suspend, called)
        if not is_number(end):
            raise TypeFault('number expected')
        return end
    if isinstance(term, Struct) and len(term.args) in (1, 2):
        table = UNARY if len(term.args) == 1 else BINARY
        if term.name not in table:
            raise TypeFault('%s is no operator' % term.name)
        return apply_operator(term.name, [evaluate(arg, ctx, suspend, called)
                                          for arg in term.args])
    if isinstance(term, Atom):
        raise TypeFault('%s is no number' % term.name)
    raise TypeFault('not an expression')
