#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Built-in predicates and guards wait for what they need: every input of every one of them is bound
later, in every order, and the answer is the one that is given here. Then misuse: what each says,
where, and that the run ends with status 1.

usage: waiting.py FLENG
"""

import itertools
import os
import subprocess
import sys
import tempfile

WAYS = [['-j', '1'], ['-j', '4'], ['-time=ideal'], ['-seed', '11']]

# Goals of a body: (goal, what R is). A, B, C, D are the inputs; the first list says what they are.
BODY = [
    (['2', '3'], 'R := A*B - A', '4'),
    (['7', '-2'], 'X := A // B, Y := A rem B, Z := A mod B, R = [X,Y,Z]', '[-3,1,-1]'),
    (["'+'", '1', '2'], 'compute(A, B, C, R)', '3'),
    (["'//'", '7', '-2'], 'compute(A, B, C, R)', '-3'),
    (['main:add1(1, R)'], 'call(A)', '2'),
    (['main:add1', '1'], 'call(A, B, R)', '2'),
    (['f(x,Y)'], 'functor(A, F, N), R = F/N', 'f/2'),
    (['f', '2'], 'functor(T, A, B), T = f(1,2), R = T', 'f(1,2)'),
    (['2', 'f(x,y)'], 'arg(A, B, R)', 'y'),
    (['f(x,y)'], 'A =.. R', '[f,x,y]'),
    (['[f,1]'], 'R =.. A', 'f(1)'),
    (['abc'], 'atom_string(A, R)', '"abc"'),
    (['"abc"'], 'atom_string(R, A)', 'abc'),
    (['12'], 'number_string(A, R)', '"12"'),
    (['"1.5"'], 'number_string(R, A)', '1.5'),
    (['"ab"', '"cd"'], 'string_concat(A, B, R)', '"abcd"'),
    (['"abc"'], 'string_length(A, R)', '3'),
    (['"abcdef"', '1', '3'], 'sub_string(A, B, C, R)', '"bcd"'),
    (['"abcdef"', '1', '3'], 'sub_string(A, B, C, N, S), R = N-S', '2-"bcd"'),
    (['"a,b"', '","'], 'split(A, B, R)', '["a","b"]'),
    (['"ab"'], 'string_codes(A, R)', '[97,98]'),
    (['[97,98]'], 'string_codes(R, A)', '"ab"'),
    (['f(1,"s")'], 'term_string(A, R)', '"f(1,\\"s\\")"'),
    (['"f(1)"'], 'term_string(R, A)', 'f(1)'),
    (['"abc"', '1'], 'string_element(A, B, R)', '98'),
    (['"abc"', '1'], 'string_element(A, B, C, S), R = C-S', '98-"abc"'),
    (['[97,98]'], 'new_string(R, A)', '"ab"'),
    (['"abc"', '1', '120'], 'set_string_element(A, B, C, R)', '"axc"'),
    (['3'], 'new_vector(R, A)', '{0,0,0}'),
    (['[a,b]'], 'new_vector(R, A)', '{a,b}'),
    (['{a,b}'], 'vector_length(A, R)', '2'),
    (['{a,b}', '1'], 'vector_element(A, B, R)', 'b'),
    (['{a,b}', '1'], 'vector_element(A, B, E, V), R = E-V', 'b-{a,b}'),
    (['{a,b}', '1'], 'set_vector_element(A, B, O, n, V), R = O-V', 'b-{a,n}'),
    (['[1,2]'], 'merge(A, R)', '[1,2]'),
    (['5'], 'random(A, [X|T]), T = [], after(X, R)', 'bound'),
]

KL1_BODY = [
    (['7', '2'], 'modulo(A, B, X), divide(A, B, Y), subtract(A, B, Z), R = [X,Y,Z]', '[1,3,5]'),
    (['1', '4'], 'R $:= A/B', '0.25'),
    (['vector', '[a]'], 'generic:new(A, R, B)', '{a}'),
    (['string', '[97]', '8'], 'generic:new(A, R, B, C)', '"a"'),
    (['float', '3'], 'generic:new(A, R, B)', '3.0'),
    (['merge', '{[1],[]}'], 'generic:new(A, B, R)', '[1]'),
    (['merge', '[1|T]', '[]'], 'A1 = A, generic:new(A, [1|C], R), B1 = B', '[1]'),
    (['{a,b}'], 'generic:size(A, R)', '2'),
    (['"abc"'], 'generic:size(A, R)', '3'),
    (['{a,b}', '0'], 'generic:element(A, B, R)', 'a'),
    (['"abc"', '0'], 'generic:element(A, B, R)', '97'),
    (['{a,b}', '0'], 'generic:set_element(A, B, x, R)', '{x,b}'),
    (['{a,b}', '0'], 'set_vector_element(A, B, x, R)', '{x,b}'),
    (['"abc"', '0', '120'], 'generic:set_element(A, B, C, R)', '"xbc"'),
    (['"abc"', '0', '120'], 'generic:set_element(A, B, O, C, S), R = O-S', '97-"xbc"'),
    (['{a,b,c}', '1'], 'generic:split(A, B, L, U), R = L-U', '{a}-{b,c}'),
    (['"abc"', '1'], 'generic:split(A, B, L, U), R = L-U', '"a"-"bc"'),
    (['{a}', '{b}'], 'generic:join(A, B, R)', '{a,b}'),
    (['"a"', '"b"'], 'generic:join(A, B, R)', '"ab"'),
    (['"abc"', '0', '3', '99'], 'generic:search_character(A, B, C, D, R)', '2'),
    (['f(1)'], 'generic:print(A, R)', '"f(1)"'),
    (['predicate#(main:add1/2)', '1'], 'generic:call(A, B, R)', '2'),
    (['predicate#(main:add1/2)', '{1,R}'], 'generic:apply(A, B)', '2'),
    (['predicate#(main:add1/2)'], 'generic:arity(A, N), generic:name(A, M), R = M/N', 'add1/2'),
    (['"abc"', 'size(R)'], 'generic:generic(A, B)', '3'),
    (['1.5', '2.0'], 'generic:add(A, B, R)', '3.5'),
    (['4.0'], 'generic:sqrt(A, R)', '2.0'),
    (['2', 'f(x,y)'], 'setarg(A, B, n, R)', 'f(x,n)'),
    (['2', 'f(x,y)'], 'setarg(A, B, O, n, T), R = O-T', 'y-f(x,n)'),
    (['g', '2'], 'new_functor(R, A, B)', 'g(0,0)'),
    (['[97,98]', '8'], 'new_string(R, A, B)', '"ab"'),
    (['"abc"'], 'atom_table:make_atom(A, R)', 'abc'),
    (['abc'], 'atom_table:get_atom_name(A, R)', 'normal("abc")'),
    (['[f,1]'], 'functor_table:(R =.. A)', 'f(1)'),
    (['list([atom(a)|variable("X")])'], 'variable:unwrap(A, [X|Y]), Y = end, R = X', 'a'),
    (['time(0,1,2)', 'time(0,0,999999)'], 'timer:add(A, B, R)', 'time(0,2,1)'),
    (['time(0,1,2)', 'time(0,0,999999)'], 'timer:compare(A, B, R)', '>'),
    (['time(0,0,1)'], 'timer:instantiate_after(A, R)', '[]'),
    (['[string_input(normal(S), T)]', '"x. "', '[gett(R)]'],
     'klicio:klicio(A), A = [string_input(_, B)], A = [string_input(normal(C), _)]', 'x'),
    (['putt(f(1))', '"a"', '98'],
     'klicio:klicio([string_output(normal([A,fwrite(B),putc(C),D]), R)]), D = nl',
     '"f(1)ab\\n"'),
    (['fread(2, R)'], 'klicio:klicio([string_input(normal([A]), "abc")])', '"ab"'),
]

# Methods of floats, which also stand without a module in KL1 files: (method, arguments, result).
FLOATS = [
    ('sin', ['0.0'], '0.0'), ('cos', ['0.0'], '1.0'), ('tan', ['0.0'], '0.0'),
    ('asin', ['0.0'], '0.0'), ('acos', ['1.0'], '0.0'), ('atan', ['0.0'], '0.0'),
    ('sinh', ['0.0'], '0.0'), ('cosh', ['0.0'], '1.0'), ('tanh', ['0.0'], '0.0'),
    ('exp', ['0.0'], '1.0'), ('log', ['1.0'], '0.0'), ('sqrt', ['4.0'], '2.0'),
    ('ceil', ['1.5'], '2.0'), ('floor', ['1.5'], '1.0'), ('add', ['1.5', '2.0'], '3.5'),
    ('subtract', ['1.5', '2.0'], '-0.5'), ('multiply', ['1.5', '2.0'], '3.0'),
    ('divide', ['1.5', '2.0'], '0.75'), ('pow', ['1.5', '2.0'], '2.25'), ('int', ['2.5'], '2'),
]
OTHER_NAMES = {'pow': 'power', 'int': 'to_integer'}  # without a module
for method, values, result in FLOATS:
    names = ', '.join('AB'[:len(values)])
    KL1_BODY.append((values, 'generic:%s(%s, R)' % (method, names), result))
    KL1_BODY.append((values, 'floating_point_%s(%s, R)' % (OTHER_NAMES.get(method, method), names),
                     result))

# Calls of predicate constants with up to eight arguments.
KL1_EXTRA = 'none :- true.\n'
for count in range(1, 9):
    several = ', '.join('X%d' % i for i in range(count))
    KL1_EXTRA += 'all(%s) :- X0 = {%s}.\n' % (several, several.partition(', ')[2] or 'one')
    KL1_BODY.append((['predicate#(main:all/%d)' % count],
                     'generic:call(A, R%s)' % ''.join(', %d' % i for i in range(1, count)),
                     '{%s}' % (','.join(str(i) for i in range(1, count)) or 'one')))

KL1_BODY += [
    (['predicate#(main:none/0)'], 'generic:call(A), R = ok', 'ok'),
    (['{a,b}'], 'generic:vector(A, R)', '2'),
    (['"ab"'], 'generic:string(A, N, B), R = N-B', '2-8'),
    (['"ab"'], 'generic:element_size(A, R)', '8'),
    (['predicate#(main:add1/2)'], 'generic:module(A, R)', '#(module,main)'),
    (['{a,b}'], 'vector(A, N, V), R = N-V', '2-{a,b}'),
    (['"ab"'], 'string(A, N, B, S), R = {N,B,S}', '{2,8,"ab"}'),
    (['[1]', '[]'], 'merge:in(A, B, R)', '[1]'),
    (['1'], 'variable:unbound(x, V), add1(A, B), R = V-B', '{x}-2'),
    (['1'], 'current_node(I, N), system_control:gc(B, C), R = [A,I,N,B,C]', '[1,0,1,0,0]'),
    (['1'], 'unix:argc(N), unix:argv(L), unix:times(_, _, _, _), R = [A,N,L]', '[1,0,[]]'),
    (['abc'], 'atom_table:atom_number(A, N), atom_table:atom_number(abc, M), subtract(N, M, R)',
     '0'),
    (['f(x)'], 'functor_table:functor(A, F, N), R = F-N', 'f-1'),
    (['f(x)'], 'functor_table:functor(A, F, N, T), R = {F,N,T}', '{f,1,f(x)}'),
    (['1', 'f(x)'], 'functor_table:arg(A, B, R)', 'x'),
    (['1', 'f(x)'], 'functor_table:arg(A, B, X, T), R = X-T', 'x-f(x)'),
    (['g', '2'], 'functor_table:new_functor(R, A, B)', 'g(0,0)'),
    (['2', 'f(x,y)'], 'functor_table:setarg(A, B, n, R)', 'f(x,n)'),
    (['2', 'f(x,y)'], 'functor_table:setarg(A, B, O, n, T), R = O-T', 'y-f(x,n)'),
]

# Guards: (inputs, guard, R when it holds, its value where that is not R as written); None: it fails.
GUARDS = [
    (['1', '2'], 'A < B', 'yes'), (['2', '1'], 'A < B', None), (['1', '1.0'], 'A =:= B', 'yes'),
    (['1', '2'], 'A + 1 >= B, A =\\= B', 'yes'), (['1', 'a'], 'A =< B', None),
    (['f(1)', 'f(1)'], 'A == B', 'yes'), (['f(1)', 'f(2)'], 'A == B', None),
    (['f(1)', 'f(2)'], 'A \\= B', 'yes'), (['f(1)', 'f(1)'], 'A \\= B', None),
    (['3', '4'], 'X := A*B', 'X', '12'), (['a'], 'wait(A)', 'yes'), (['1'], 'integer(A)', 'yes'),
    (['1.0'], 'integer(A)', None), (['1.0'], 'float(A)', 'yes'), (['1.0'], 'number(A)', 'yes'),
    (['[]'], 'atom(A)', 'yes'), (['"a"'], 'atomic(A)', 'yes'), (['[]'], 'list(A)', None),
    (['[a]'], 'list(A)', 'yes'), (['f(a)'], 'compound(A)', 'yes'), (['[a]'], 'compound(A)', None),
    (['"a"'], 'string(A)', 'yes'), (['{}'], 'vector(A)', 'yes'), (['f(a)'], 'vector(A)', None),
    (['f(a,b)'], 'functor(A, F, N)', 'F/N', 'f/2'), (['f(a,b)', 'f'], 'functor(A, B, 2)', 'yes'),
    (['2', 'f(a,b)'], 'arg(A, B, X)', 'X', 'b'), (['3', 'f(a,b)'], 'arg(A, B, X)', None),
    (['1', '2'], '(A > B ; A < B)', 'yes'), (['1', '1'], '(A > B ; A < B)', None),
    (['1', '2', '3'], 'A < B, (B > C ; B < C), true', 'yes'),
]

KL1_GUARDS = [
    (['1', '2'], 'add(A, B, X), minus(X, Y)', 'Y', '-3'), (['7', '2'], 'modulo(A, B, 1)', 'yes'),
    (['7', '2'], 'less_than(A, B)', None), (['1.5', '2.0'], 'A $< B', 'yes'),
    (['1.5', '2.0'], 'X $:= A*B', 'X', '3.0'), (['{a,b}'], 'vector(A, N)', 'N', '2'),
    (['{a,b}', '1'], 'vector_element(A, B, X)', 'X', 'b'), (['{a,b}', '2'], 'vector_element(A, B, X)', None),
    (['"ab"'], 'string(A, N, B)', 'N-B', '2-8'), (['"ab"', '1'], 'string_element(A, B, X)', 'X', '98'),
    (['f(1,a)', 'f(1,b)'], 'A @< B', 'yes'), (['f(1,a)', 'f(1,b)'], 'compare(A, B, X)', 'X', '-1'),
    (['"a"', '"b"'], 'string_less_than(A, B)', 'yes'), (['f(x)'], 'hash(A, H), hash(A, H)', 'yes'),
    (['f(g(1))'], 'A = f(g(X))', 'X', '1'), (['f(h(1))'], 'A = f(g(X))', None),
    (['{1,[b]}'], '{X,[Y]} = A', 'X-Y', '1-b'), (['f(1)', 'f(1)'], 'A = B', 'yes'),
    (['"ab"'], 'generic:string(A):N:_', 'N', '2'), (['{c}', '0'], 'generic:element(A, B):X', 'X', 'c'),
    (['2.5'], 'generic:float(A), Y := int(A)', 'Y', '2'),
    (['predicate#(main:add1/2)'], 'generic:predicate(A), generic:arity(A):N', 'N', '2'),
    (['module#main'], 'generic:module(A)', 'yes'), (['main'], 'generic:module(A)', None),
    (['"b"', '"a"'], 'string_not_less_than(A, B)', 'yes'),
]

# Misuse: (dialect, goal, part of the message).
MISUSE = [
    ('fl', 'X := a + 1', 'a number is expected'), ('fl', 'X := 1 // 0', 'division by zero'),
    ('fl', 'X := 1.5 mod 2', 'an integer is expected'), ('fl', 'X := foo(1)', 'operator'),
    ('fl', "compute(foo, 1, 2, X)", 'an arithmetic operator is expected'),
    ('fl', 'call(3)', 'a goal is expected'), ('fl', 'call(nothing)', 'there is no predicate'),
    ('fl', 'functor(X, f, -1)', 'a number of arguments is expected'),
    ('fl', 'functor(X, 1, 2)', 'an atom is expected'), ('fl', 'arg(3, f(x), Y)', 'no argument 3'),
    ('fl', 'arg(1, a, Y)', 'a compound term is expected'), ('fl', 'X =.. [1,2]', 'an atom is expected'),
    ('fl', 'X =.. []', 'a name and arguments'), ('fl', 'atom_string(1, X)', 'an atom is expected'),
    ('fl', 'atom_string(X, a)', 'a string is expected'),
    ('fl', 'number_string(X, "a")', 'the text of a number'),
    ('fl', 'number_string(a, X)', 'a number is expected'),
    ('fl', 'string_concat("a", b, X)', 'a string is expected'),
    ('fl', 'string_length(abc, X)', 'a string is expected'),
    ('fl', 'sub_string("abc", 2, 2, X)', 'no 2 characters follow'),
    ('fl', 'sub_string("abc", a, 2, X)', 'an integer is expected'),
    ('fl', 'split("abc", "", X)', 'a separator'), ('fl', 'string_codes(X, [a])', 'an integer'),
    ('fl', 'string_codes(X, [55296])', 'the code of a character'),
    ('fl', 'term_string(X, "a b")', 'the text of one term'),
    ('fl', 'string_element("abc", 3, X)', 'the index of a character'),
    ('fl', 'new_vector(X, a)', 'a length or a list'), ('fl', 'new_vector(X, -1)', 'a length'),
    ('fl', 'vector_element({a}, 1, X)', 'an index from 0 to 0'),
    ('fl', 'vector_element(f(a), 0, X)', 'a vector is expected'),
    ('fl', 'set_vector_element({}, 0, X, a, Y)', 'an index'), ('fl', 'halt(a)', 'an integer'),
    ('fl', 'halt(256)', 'an exit status'), ('fl', 'merge(a, X)', 'a list is expected'),
    ('fl', 'random(a, X)', 'an integer'), ('fl', 'stdout([foo])', 'a message is expected'),
    ('fl', 'stdout(a)', 'a list of messages'), ('fl', 'format("~d", [a])', ''),
    ('fl', 'read_lines("/no/file", X)', 'cannot open /no/file'),
    ('fl', 'write_file(f(x), [])', 'the name of a file'),
    ('kl1', 'generic:new(thing, X, 1)', 'a class is expected'),
    ('kl1', 'generic:new(vector, X, 1, 2)', 'takes other arguments'),
    ('kl1', 'generic:new(string, X, 1, 16)', 'elements of 8 bits'),
    ('kl1', 'generic:new(float, X, a)', 'a number is expected'),
    ('kl1', 'generic:new(random_numbers, X, 0)', 'a number of at least 1'),
    ('kl1', 'generic:new(merge, a, X)', 'a list is expected'),
    ('kl1', 'generic:element(f(a), 0, X)', 'a vector or a string'),
    ('kl1', 'generic:element({a}, 1, X)', 'an index from 0 to 0'),
    ('kl1', 'generic:split({a}, 2, X, Y)', 'an index from 0 to 1'),
    ('kl1', 'generic:join("a", {}, X)', 'a string is expected'),
    ('kl1', 'generic:add(1.0, 2, X)', 'a float is expected'),
    ('kl1', 'generic:call(a, 1)', 'a predicate'),
    ('kl1', 'generic:call(predicate#(main:add1/2), 1)', 'a predicate with 1 arguments'),
    ('kl1', 'generic:call(predicate#(main:nothing/1), 1)', 'there is no predicate main:nothing/1'),
    ('kl1', 'generic:generic("a", nothing(1))', 'no object has a method'),
    ('kl1', 'generic:search_character("abc", 0, 4, 1, X)', 'positions from 0 to 3'),
    ('kl1', 'setarg(2, f(a), x, Y)', 'no argument 2'), ('kl1', 'setarg(1, a, x, Y)', 'a functor'),
    ('kl1', 'new_functor(X, 1, 2)', 'an atom'), ('kl1', 'atom_table:make_atom(a, X)', 'a string'),
    ('kl1', 'variable:unwrap(foo, X)', 'a wrapped term'),
    ('kl1', 'timer:add(time(0,0,0), 5, X)', 'a time is expected'),
    ('kl1', 'timer:sub(time(0,0,0), time(0,0,1), X)', 'no negative times'),
    ('kl1', 'klicio:klicio([foo(X)])', 'a request is expected'),
    ('kl1', 'klicio:klicio(a)', 'a list of requests'),
    ('kl1', 'klicio:klicio([read_open(1, X)])', 'the name of a file'),
    ('kl1', 'klicio:klicio([stdout(normal([getc(X)]))])', 'is not open for reading'),
    ('kl1', 'klicio:klicio([stdin(normal([nl]))])', 'is not open for writing'),
    ('kl1', 'klicio:klicio([stdout(normal([foo]))])', 'a message to an I/O stream'),
    ('kl1', 'klicio:klicio([stdout(normal(a))])', 'a list of messages'),
    ('kl1', 'klicio:klicio([stdout(normal([putc(a1)]))])', 'a character is expected'),
    ('kl1', 'klicio:klicio([stdout(normal([fwrite(abc)]))])', 'a string is expected'),
    ('kl1', 'klicio:klicio([string_output(normal([fclose(0),nl]), X)])', 'is closed already'),
    ('kl1', 'klicio:klicio([string_input(normal([ungetc(300)]), "")])', 'a byte is expected'),
    ('kl1', 'io:instream("/no/file", X)', 'cannot open /no/file'),
    ('kl1', 'unix:exit(1000)', 'an exit status'), ('kl1', 'klicio:stream([])', 'comes from'),
    ('kl1', 'X $:= a', 'a number is expected'), ('kl1', 'divide(1, 0, X)', 'division by zero'),
    ('kl1', 'X $:= log(-1.0)', 'logarithm'), ('kl1', 'X := acos(2)', 'undefined'),
]

COMMON = """:- module main.
later(0, V, X) :- X = V.
later(N, V, X) :- N > 0 | N1 := N - 1, later(N1, V, X).
add1(X, Y) :- Y := X + 1.
after(X, R) :- wait(X) | R = bound.
"""


def cases():
    """(dialect, clauses, goal, expected) for each order of binding."""
    number = 0
    for dialect, body, guards in (('fl', BODY, GUARDS), ('kl1', KL1_BODY, KL1_GUARDS)):
        for inputs, goal, expected in body:
            number += 1
            names = 'ABCD'[:len(inputs)]
            head = 'case%d(%s, R)' % (number, ', '.join(names))
            yield dialect, '%s :- %s.\n' % (head, goal), number, inputs, expected
        for inputs, guard, expected, *value in guards:
            number += 1
            names = 'ABCD'[:len(inputs)]
            head = 'case%d(%s, R)' % (number, ', '.join(names))
            clauses = '%s :- %s | R = holds(%s).\notherwise.\n%s :- R = fails.\n' % (
                head, guard, expected or 'yes',
                'case%d(%s, R)' % (number, ', '.join('_' * len(names))))
            yield dialect, clauses, number, inputs, value[0] if value else expected


def program(dialect):
    """The text, and by its number what each case prints."""
    text, goals, expected = [COMMON], [], {}
    for kind, clauses, number, inputs, answer in cases():
        if kind != dialect:
            continue
        text.append(clauses)
        guard = 'otherwise' in clauses
        for order in itertools.permutations(range(len(inputs))):
            key = '%d %s' % (number, ''.join(map(str, order)))
            names = ['X%d' % i for i in range(len(inputs))]
            delays = ['later(%d, %s, %s)' % (2 + 3 * order.index(i), value, names[i])
                      for i, value in enumerate(inputs)]
            name = 'run%d_%s' % (number, ''.join(map(str, order)))
            text.append('%s :- case%d(%s, R), %s, print_case("%s", R).\n' % (
                name, number, ', '.join(names), ', '.join(delays), key))
            goals.append(name)
            expected[key] = (guard, answer)
    text.append('print_case(K, R) :- term_string(R, S), string_concat(K, ": ", K1), '
                'string_concat(K1, S, L), writeln(L).\n')
    text.append('main :- %s.\n' % ', '.join(goals))
    if dialect == 'kl1':
        text.append(KL1_EXTRA)
    return ''.join(text), expected


def check_answers(fleng, folder, dialect):
    text, expected = program(dialect)
    path = os.path.join(folder, 'cases.' + dialect)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    failed = 0
    for way in WAYS:
        done = subprocess.run([fleng] + way + [path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        answers = dict(line.split(': ', 1) for line in done.stdout.splitlines())
        for key, (guard, answer) in expected.items():
            got = answers.get(key)
            if guard and answer is None:
                good = got == 'fails'
            elif guard:
                good = got == 'holds(%s)' % answer
            else:
                good = got == answer
            if not good:
                failed += 1
                print('FAILED (%s) case %s: %s, not %s' % (' '.join(way), key, got, answer))
        if done.returncode or done.stderr:
            failed += 1
            print('FAILED (%s): status %d\n%s' % (' '.join(way), done.returncode, done.stderr))
    return len(expected) * len(WAYS), failed


def check_misuse(fleng, folder):
    failed = 0
    for dialect, goal, message in MISUSE:
        path = os.path.join(folder, 'misuse.' + dialect)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(COMMON + 'main :-\n    %s.\n' % goal)
        for way in (['-j', '1'], ['-time=ideal']):
            done = subprocess.run([fleng] + way + [path], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  check=False)
            if done.returncode != 1 or message not in done.stderr or \
                    '.%s:7:' % dialect not in done.stderr:
                failed += 1
                print('FAILED (%s) %s: status %d\n%s' % (' '.join(way), goal, done.returncode,
                                                         done.stderr))
    return 2 * len(MISUSE), failed


def main():
    fleng = os.path.abspath(sys.argv[1])
    total = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for n, failed in (check_answers(fleng, folder, 'fl'), check_answers(fleng, folder, 'kl1'),
                          check_misuse(fleng, folder)):
            total += n
            failures += failed
    print('%d checks, %d failed' % (total, failures))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
