# SPDX-License-Identifier: MIT
"""Operations whose cost is promised to grow no faster than the size N of their input."""

from dataclasses import dataclass
from typing import Callable, Optional

PLAIN = ('-j', '1')
IDEAL = ('-time=ideal',)


@dataclass
class Operation:
    """What is run, with an argument N, and what the run promises."""
    name: str
    n: int                        # the largest size
    program: Optional[str] = None  # whose main/0 finds N by n/1
    text: Optional[Callable[[int], str]] = None  # instead: of the program for N
    goal: Optional[Callable[[int], str]] = None  # instead of main
    file: Optional[Callable[[int], bytes]] = None  # what the file `input` has
    options: tuple = ()
    ways: tuple = (PLAIN,)
    status: int = 0
    slope: float = 1.15           # of steps and of bytes allocated, log to log
    why: str = ''                 # of a slope that is allowed to be steeper


HELP = """
n(N) :- argv([A]), number_string(N, A).
up(N, L) :- up(1, N, L).
up(I, N, L) :- I =< N | L = [I|L1], I1 := I + 1, up(I1, N, L1).
up(I, N, L) :- I > N | L = [].
fill(0, L) :- L = [].
fill(N, L) :- N > 0 | L = [a|L1], N1 := N - 1, fill(N1, L1).
deep(0, T) :- T = z.
deep(N, T) :- N > 0 | T = s(T1), N1 := N - 1, deep(N1, T1).
random_list(N, L) :- random_list(N, 12345, L).
random_list(0, _, L) :- L = [].
random_list(N, S, L) :- N > 0, S1 := (S * 1103515245 + 12345) mod 2147483648 |
    X := S1 // 64 mod 1000003, L = [X|L1], N1 := N - 1, random_list(N1, S1, L1).
repeat(0, _, L) :- L = [].
repeat(N, X, L) :- N > 0 | L = [X|L1], N1 := N - 1, repeat(N1, X, L1).
"""

BOTH = (PLAIN, IDEAL)
OLDEST = ('-order=oldest',)
TRACED = ('-trace=out.paf',)


def of(name, n, program, **more):
    """A program that begins with the predicates of HELP."""
    return Operation(name, n, program=HELP + program, **more)


# Two lists that grow a cell at a time while somebody compares them.
GROWING = """
main :- n(N), test(X, Y, R), one(N, X, Y, []), writeln(R).
one(0, X, Y, _) :- X = [], Y = [].
one(N, X, Y, _) :- N > 0 | X = [a|X1], Y = [a|Y1], N1 := N - 1, turn(N1, X1, Y1, [N]).
turn(N, X, Y, [_]) :- wait(N) | one(N, X, Y, N).
"""

ELEMENTS = """
main :- n(N), free(N, X), free(N, Y), test(X, Y, R), begin(X, Y, X), writeln(R).
begin(X, Y, [_|L]) :- begin(X, Y, L).
begin(X, Y, []) :- bind(X, Y, []).
free(0, L) :- L = [].
free(N, L) :- N > 0 | L = [_|L1], N1 := N - 1, free(N1, L1).
bind([A|X], [B|Y], _) :- A = a, B = a, turn(X, Y, [A]).
bind([], [], _).
turn(X, Y, [A]) :- wait(A) | bind(X, Y, A).
test(X, Y, R) :- X == Y | R = same.
"""

# Tasks that pass on a variable, each by an alias of its own, and what waits for the last one meanwhile.
ALIASES = """
main :- n(N), tasks(N, X, Z), tasks(N, Y, V), wants(X, Y), end(N, Z, V).
tasks(N, L, R) :- N > 0, N1 := N - 1 | task(N, L, M), tasks(N1, M, R).
tasks(0, L, R) :- L = R.
task(_, L, M) :- L = M.
end(N, Z, V) :- N > 0, N1 := N - 1 | end(N1, Z, V).
end(0, Z, V) :- Z = done, V = done.
"""

COMPARISONS = [
    of('== of two lists that grow', 4000,
       GROWING + 'test(X, Y, R) :- X == Y | R = same.\n', ways=BOTH),
    of(r'\= of two lists that grow', 4000,
       GROWING + 'test(X, Y, R) :- X \\= Y | R = other.\ntest(X, Y, R) :- X == Y | R = same.\n',
       ways=BOTH),
    of('a repeated head variable over two lists that grow', 4000,
       GROWING + 'test(X, X, R) :- R = same.\n', ways=BOTH),
    of('== in a disjunction', 4000,
       GROWING + 'test(X, Y, R) :- (X == Y ; Y == b) | R = same.\n', ways=BOTH),
    of(r'\= in a disjunction, beside ==', 4000,
       GROWING + 'test(X, Y, R) :- (X \\= Y ; X == b) | R = other.\n'
       'test(X, Y, R) :- (Y == b ; X == Y) | R = same.\n', ways=BOTH),
    of('a repeated head variable within structures that grow', 4000,
       GROWING + 'test(X, Y, R) :- test1(f(X), g(Y), R).\ntest1(f(X), g(X), R) :- R = same.\n',
       ways=BOTH),
    of('== of deep terms that grow', 4000, """
main :- n(N), test(X, Y, R), one(N, X, Y), writeln(R).
one(0, X, Y) :- X = z, Y = z.
one(N, X, Y) :- N > 0 | X = s(X1), Y = s(Y1), N1 := N - 1, one(N1, X1, Y1).
test(X, Y, R) :- X == Y | R = same.
""", ways=BOTH),
    of('standard order of two lists that grow', 4000,
       GROWING + "test(X, Y, R) :- compare(R, X, Y).\n", ways=BOTH),
    of('many goals that compare two complete lists once', 4000, """
main :- n(N), fill(N, X), fill(N, Y), ready(X, Y, R), writeln(R).
ready(X, Y, R) :- X == Y | R = same.
""", ways=BOTH),
    of('== of lists whose elements come one by one', 4000, ELEMENTS, slope=1.25,
       why='the order of goals runs the comparison now and then'),
    of('== of lists whose elements come one by one, each waking the goal', 1000, ELEMENTS,
       ways=(IDEAL,), slope=2.1, why='the goal then waits for all others again'),
    of('two pairs of terms that grow, compared', 4000, GROWING + """
test(X, Y, R) :- n(N), fill(N, A), fill(N, B), test(A, B, X, Y, R).
test(A, B, X, Y, R) :- A == B, X == Y | R = same.
""", ways=BOTH),
    of('a difference far inside, beside a comparison of terms that grow', 4000, GROWING + """
test(X, Y, R) :- n(N), fill(N, A), up(N, B), test(A, B, X, Y, R).
test(A, B, X, Y, R) :- (A == B ; A \\= B, X == Y) | R = same.
""", ways=BOTH),
    of('terms that share their parts, compared', 4000, """
main :- n(N), shared(N, X), shared(N, Y), ready(X, Y, R), writeln(R).
shared(0, X) :- X = z.
shared(N, X) :- N > 0 | X = f(Y,Y), N1 := N - 1, shared(N1, Y).
ready(X, Y, R) :- X == Y | R = same.
""", ways=BOTH),
    of('a list that contains itself, compared with another', 4000, """
main :- n(N), ring(N, X, X), ring(N, Y, Y), ready(X, Y, R), writeln(R).
ring(0, X, End) :- X = End.
ring(N, X, End) :- N > 0 | X = [a|X1], N1 := N - 1, ring(N1, X1, End).
ready(X, Y, R) :- X == Y | R = same.
"""),
]

DEEP = [
    of('deep terms, made and taken apart', 40000, """
main :- n(N), deep(N, T), depth(T, 0, D), writeln(D).
depth(s(T), A, D) :- A1 := A + 1, depth(T, A1, D).
depth(z, A, D) :- D = A.
""", ways=BOTH),
    of('deep terms, printed', 40000, 'main :- n(N), deep(N, T), writeln(T).\n', ways=BOTH),
    of('deep terms to text', 40000,
       'main :- n(N), deep(N, T), term_string(T, S), string_length(S, K), writeln(K).\n'),
    of('deep terms from text', 40000, """
main :- n(N), string_repeat("s(", N, A), string_repeat(")", N, B), string_concat(A, "z", C),
    string_concat(C, B, S), term_string(T, S), depth(T, 0, D), writeln(D).
depth(s(T), A, D) :- A1 := A + 1, depth(T, A1, D).
depth(z, A, D) :- D = A.
"""),
    of('deep recursion', 40000, """
main :- n(N), up(N, L), len(L, K), writeln(K).
len([], N) :- N = 0.
len([_|L], N) :- len(L, M), N := M + 1.
""", ways=BOTH, slope=1.45, why='the order of goals changes with the depth, between 100 and 270 steps a level'),
    of('deep terms, unified', 160000, 'main :- n(N), deep(N, X), deep(N, Y), go(X, Y).\n'
       'go(X, Y) :- X = Y, told(X, Y).\ntold(X, Y) :- X == Y | writeln(ok).\n', ways=BOTH),
    of('deep operators, printed', 40000, """
main :- n(N), sum(N, 1, T), writeln(T).
sum(0, A, T) :- T = A.
sum(N, A, T) :- N > 0 | N1 := N - 1, sum(N1, A + N, T).
"""),
]

TEXT = [
    of('string_element beyond ASCII', 20000, """
main :- n(N), string_repeat("añ", N, S), go(0, N, S, 0, R), writeln(R).
go(N, N, _, A, R) :- R = A.
go(I, N, S, A, R) :- I < N | string_element(S, I, C), A1 := A + C, I1 := I + 1, go(I1, N, S, A1, R).
""", ways=BOTH),
    of('sub_string beyond ASCII', 20000, """
main :- n(N), string_repeat("añ", N, S), go(0, N, S, 0, R), writeln(R).
go(N, N, _, A, R) :- R = A.
go(I, N, S, A, R) :- I < N |
    sub_string(S, I, 3, T), string_length(T, K), A1 := A + K, I1 := I + 1, go(I1, N, S, A1, R).
"""),
    of('string_length of a long string, often', 20000, """
main :- n(N), string_repeat("ñ", N, S), go(0, N, S, 0, R), writeln(R).
go(N, N, _, A, R) :- R = A.
go(I, N, S, A, R) :- I < N | string_length(S, K), A1 := A + K, I1 := I + 1, go(I1, N, S, A1, R).
"""),
    of('a prefix of a long string, often', 20000, """
main :- n(N), string_repeat("ñ", N, S), go(0, N, S, 0, R), writeln(R).
go(N, N, _, A, R) :- R = A.
go(I, N, S, A, R) :- I < N | starts_with("ññ", S, Y), count(Y, A, A1), I1 := I + 1, go(I1, N, S, A1, R).
count(true, A, B) :- B := A + 1.
"""),
    of('string_build of many pieces', 40000, """
main :- n(N), up(N, L), string_build(L, S), string_length(S, K), writeln(K).
""", ways=BOTH),
    of('string_join of many strings', 40000, """
main :- n(N), repeat(N, "word", L), string_join(L, ", ", S), string_length(S, K), writeln(K).
""", ways=BOTH),
    of('one character behind the other, appended', 160000, """
main :- n(N), go(N, "", S), string_length(S, K), writeln(K).
go(0, S, R) :- R = S.
go(N, S, R) :- N > 0 | string_concat(S, "x", S1), N1 := N - 1, go(N1, S1, R).
"""),
    of('split of a long string', 40000, """
main :- n(N), string_repeat("ab,", N, S), split(S, ",", L), length(L, K), writeln(K).
"""),
    of('codes of a string, both ways', 40000, """
main :- n(N), string_repeat("añ", N, S), string_codes(S, L), string_codes(T, L), string_length(T, K),
    writeln(K).
"""),
    of('words, lines, case and trimming', 20000, """
main :- n(N), string_repeat("two words ", N, S), string_words(S, L), length(L, K), writeln(K),
    string_upper(S, U), string_trim(U, T), string_length(T, J), writeln(J),
    string_replace("two", "2", S, R), string_lines(R, Ls), length(Ls, I), writeln(I).
"""),
    of('read_lines', 40000, """
main :- n(_), read_lines("input", L), length(L, K), writeln(K).
""", file=lambda n: b'a line of some length\n' * n),
    of('read_text', 40000, """
main :- n(_), read_text("input", T, _), string_length(T, K), writeln(K).
""", file=lambda n: b'a line of some length\n' * n),
    of('read_text of one long line', 400000, """
main :- n(_), read_text("input", T, _), string_length(T, K), writeln(K).
""", file=lambda n: b'x' * n),
    of('read_terms', 20000, """
main :- n(_), read_terms("input", L), length(L, K), writeln(K).
""", file=lambda n: b'point(1, [a,b], "text").\n' * n),
    of('read_terms of one long term', 40000, """
main :- n(_), read_terms("input", [L]), length(L, K), writeln(K).
""", file=lambda n: b'[' + b'1,' * n + b'1].\n'),
    of('numbers to and from text', 20000, """
main :- n(N), go(N, 0, R), writeln(R).
go(0, A, R) :- R = A.
go(N, A, R) :- N > 0 | number_string(N, S), number_string(M, S), A1 := A + M, N1 := N - 1, go(N1, A1, R).
"""),
    of('many atoms', 20000, """
main :- n(N), go(N, L), length(L, K), writeln(K).
go(0, L) :- L = [].
go(N, L) :- N > 0 | number_string(N, S), string_concat("atom", S, T), atom_string(A, T), L = [A|L1],
    N1 := N - 1, go(N1, L1).
"""),
]

OUTPUT = [
    of('a long list, printed', 40000, 'main :- n(N), up(N, L), writeln(L).\n', ways=BOTH),
    of('many small lines', 20000, """
main :- n(N), up(N, L), print_lines(L).
""", ways=BOTH),
    of('a long list, written while it grows', 20000, 'main :- writeln(L), n(N), up(N, L).\n',
       ways=BOTH),
    Operation('a long list, printed by -e', 40000, program=HELP,
              goal=lambda n: 'up(%d, L)' % n),
    Operation('a deep term, printed by -e', 40000, program=HELP,
              goal=lambda n: 'deep(%d, T)' % n),
    Operation('many variables, printed by -e', 20000,
              program='free(0, L) :- L = [].\n'
              'free(N, L) :- N > 0 | L = [_|L1], N1 := N - 1, free(N1, L1).\n',
              goal=lambda n: 'free(%d, L)' % n),
    of('messages to a file', 20000, """
main :- n(N), up(N, L), write_lines("output", L, Status), writeln(Status).
"""),
    of('format with many directives', 10000, """
main :- n(N), string_repeat("~w ", N, F), up(N, L), format(F, L), nl.
"""),
]

SOURCES = [
    Operation('-check of a clause with many goals', 8000, options=('-check',),
              text=lambda n: 'main :- p(0,X0).\np(A,B) :- B := A + 1.\nq(X0) :- ' +
              ', '.join('p(X%d,X%d)' % (i, i + 1) for i in range(n)) + ', p(X%d,_).\n' % n),
    Operation('-check of a clause with many guards', 16000, options=('-check',),
              text=lambda n: 'main :- q(1).\nq(X) :- ' +
              ', '.join('X > -%d' % (i + 1) for i in range(n)) + ' | writeln(X).\n'),
    Operation('-check of a disjunction with many alternatives', 8000, options=('-check',),
              text=lambda n: 'main :- q(1).\nq(X) :- (' +
              ' ; '.join('X =:= %d' % (i + 1) for i in range(n)) + ') | writeln(X).\n'),
    Operation('-check of many clauses with integers', 16000, options=('-check',),
              text=lambda n: 'main :- p(%d, X), writeln(X).\n' % n +
              ''.join('p(%d, X) :- X = %d.\n' % (i, i) for i in range(n + 1))),
    Operation('-check of many clauses with atoms', 16000, options=('-check',),
              text=lambda n: 'main :- p(a%d, X), writeln(X).\n' % n +
              ''.join('p(a%d, X) :- X = b%d.\n' % (i, i) for i in range(n + 1))),
    Operation('-check of many clauses with strings', 8000, options=('-check',),
              text=lambda n: 'main :- p("a%d", X), writeln(X).\n' % n +
              ''.join('p("a%d", X) :- X = %d.\n' % (i, i) for i in range(n + 1))),
    Operation('-check of many clauses with variables and guards', 64000, options=('-check',),
              text=lambda n: 'main :- p(3, X), writeln(X).\n' +
              ''.join('p(A, X) :- A =:= %d | X = %d.\n' % (i, i) for i in range(n + 1))),
    Operation('-check of clauses with constants and with variables, by turns', 32000, options=('-check',),
              text=lambda n: 'main :- p(3, X), writeln(X).\n' +
              ''.join('p(%d, X) :- X = %d.\np(A, X) :- A =:= %d | X = a.\n' % (i, i, -i - 1)
                      for i in range(n // 2 + 1))),
    Operation('-check of many clauses, two arguments', 8000, options=('-check',),
              text=lambda n: 'main :- p(3, 3, X), writeln(X).\n' +
              ''.join('p(%d, %d, X) :- X = %d.\n' % (i, i + 1, i) for i in range(n + 1))),
    Operation('-check of many predicates', 8000, options=('-check',),
              text=lambda n: 'main :- p0(0).\n' +
              ''.join('p%d(X) :- p%d(X).\n' % (i, i + 1) for i in range(n)) + 'p%d(_).\n' % n),
    Operation('-check of a long list', 40000, options=('-check',),
              text=lambda n: 'main :- writeln([%s]).\n' % ','.join(map(str, range(n)))),
    Operation('-check of a head with many variables', 8000, options=('-check',),
              text=lambda n: 'main :- p([%s]).\n' % ','.join(map(str, range(n))) +
              'p([%s]) :- writeln([%s]).\n' % (','.join('X%d' % i for i in range(n)),
                                               ','.join('X%d' % i for i in range(n)))),
    Operation('many clauses, run', 8000,
              text=lambda n: 'main :- argv([A]), number_string(N, A), go(N, 0, R), writeln(R).\n'
              'go(0, A, R) :- R = A.\n'
              'go(N, A, R) :- N > 0 | p(N, X), A1 := A + X, N1 := N - 1, go(N1, A1, R).\n' +
              ''.join('p(%d, X) :- X = %d.\n' % (i, i) for i in range(n + 1)), ways=BOTH),
    Operation('many clauses with atoms, run', 8000,
              text=lambda n: 'main :- go([%s]).\n' % ','.join('a%d' % i for i in range(n)) +
              'go([A|L]) :- p(A, X), next(X, L).\ngo([]).\nnext(X, L) :- wait(X) | go(L).\n' +
              ''.join('p(a%d, X) :- X = %d.\n' % (i, i) for i in range(n + 1)), ways=BOTH),
    Operation('many clauses with strings, run', 4000,
              text=lambda n: 'main :- go([%s]).\n' % ','.join('"a%d"' % i for i in range(n)) +
              'go([A|L]) :- p(A, X), next(X, L).\ngo([]).\nnext(X, L) :- wait(X) | go(L).\n' +
              ''.join('p("a%d", X) :- X = %d.\n' % (i, i) for i in range(n + 1)), ways=BOTH),
    Operation('many mistakes in a source', 1000, options=('-check',), status=2,
              text=lambda n: 'main.\n' + ''.join('p%d :- q%d.\n' % (i, i) for i in range(n))),
    Operation('-dump=code of many clauses', 4000, options=('-dump=code',),
              text=lambda n: 'main :- p(%d, X), writeln(X).\n' % n +
              ''.join('p(%d, X) :- X = %d.\n' % (i, i) for i in range(n + 1))),
]

VECTORS = [
    of('a vector, filled one element after the other', 20000, """
main :- n(N), new_vector(V, N), go(0, N, V, W), vector_length(W, K), writeln(K).
go(N, N, V, W) :- W = V.
go(I, N, V, W) :- I < N | set_vector_element(V, I, _, I, V1), I1 := I + 1, go(I1, N, V1, W).
""", ways=BOTH),
    of('old versions of a vector, read', 4000, """
main :- n(N), new_vector(V, N), go(0, N, V, W), sum(0, N, V, 0, S), sum(0, N, W, 0, T), writeln(S+T).
go(N, N, V, W) :- W = V.
go(I, N, V, W) :- I < N | set_vector_element(V, I, _, I, V1), I1 := I + 1, go(I1, N, V1, W).
sum(N, N, _, A, S) :- S = A.
sum(I, N, V, A, S) :- I < N | vector_element(V, I, X), A1 := A + X, I1 := I + 1, sum(I1, N, V, A1, S).
"""),
    of('arrays: from lists, maps, folds, items', 10000, """
main :- n(N), up(N, L), array_from_list(L, A), array_map(compute(+, 1), A, B),
    array_fold(compute(+), B, 0, S), array_items(B, M), length(M, K), writeln(S+K).
""", ways=BOTH),
    of('array_sort', 20000, """
main :- n(N), random_list(N, L), array_from_list(L, A), array_sort(A, B), array_get(0, B, X), writeln(X).
""", ways=BOTH, slope=1.2, why='n log n'),
]

LIBRARY = [
    of('msort', 8000, 'main :- n(N), random_list(N, L), msort(L, M), last(M, X), writeln(X).\n',
       ways=BOTH, slope=1.2, why='n log n'),
    of('sort by a predicate', 8000, """
main :- n(N), random_list(N, L), sort(less, L, M), last(M, X), writeln(X).
less(A, B, Y) :- A =< B | Y = true.
less(A, B, Y) :- A > B | Y = false.
""", ways=BOTH, slope=1.2, why='n log n'),
    of('priority queue', 4000, """
main :- n(N), random_list(N, L), pairs(L, P), queue_from_list(P, Q), queue_items(Q, I), last(I, X),
    writeln(X).
pairs([X|L], P) :- P = [X-a|P1], pairs(L, P1).
pairs([], P) :- P = [].
""", ways=BOTH, slope=1.2, why='n log n'),
    of('a process with a priority queue', 4000, """
main :- n(N), random_list(N, L), asks(L, N, Ms), queue_process(Ms).
asks([X|L], N, Ms) :- Ms = [put(X,a)|Ms1], asks(L, N, Ms1).
asks([], N, Ms) :- takes(N, Ms).
takes(0, Ms) :- Ms = [].
takes(N, Ms) :- N > 0 | Ms = [take(_)|Ms1], N1 := N - 1, takes(N1, Ms1).
""", slope=1.2, why='n log n'),
    of('maps: put and get', 4000, """
main :- n(N), random_list(N, L), map_empty(M), put(L, M, M1), get(L, M1, 0, S), writeln(S).
put([X|L], M, R) :- map_put(X, 1, M, M1), put(L, M1, R).
put([], M, R) :- R = M.
get([X|L], M, A, S) :- map_get(X, M, 0, V), A1 := A + V, get(L, M, A1, S).
get([], _, A, S) :- S = A.
""", ways=BOTH, slope=1.2, why='n log n'),
    of('maps: from a list, union, pairs', 4000, """
main :- n(N), random_list(N, L), pairs(L, P), map_from_list(P, M), up(N, U), pairs(U, PU),
    map_from_list(PU, M2), map_union(M, M2, M3), map_pairs(M3, Ps), length(Ps, K), writeln(K).
pairs([X|L], P) :- P = [X-a|P1], pairs(L, P1).
pairs([], P) :- P = [].
""", slope=1.2, why='n log n'),
    of('sets', 4000, """
main :- n(N), random_list(N, L), set_from_list(L, S), up(N, U), set_from_list(U, T),
    set_intersection(S, T, I), set_difference(S, T, D), set_size(I, A), set_size(D, B), writeln(A+B).
""", slope=1.2, why='n log n'),
    of('maps with long strings as keys', 2000, """
main :- n(N), string_repeat("k", 200, K), go(N, K, empty, 0).
go(N, K, _, _) :- map_empty(M), put(N, K, M, M1), map_size(M1, S), writeln(S).
put(0, _, M, R) :- R = M.
put(N, K, M, R) :- N > 0 | number_string(N, A), string_concat(K, A, S), map_put(S, N, M, M1),
    N1 := N - 1, put(N1, K, M1, R).
""", slope=1.2, why='n log n'),
    of('map, filter, foldl', 20000, """
main :- n(N), up(N, L), map(compute(+, 1), L, M), filter(odd, M, F), foldl(compute(+), F, 0, S), writeln(S).
odd(X, Y) :- X mod 2 =:= 1 | Y = true.
odd(X, Y) :- X mod 2 =:= 0 | Y = false.
""", ways=BOTH),
    of('append, reverse, length, last, zip', 20000, """
main :- n(N), up(N, L), append(L, L, M), reverse(M, R), length(R, K), last(R, X), zip(L, M, P),
    length(P, J), writeln(K+X+J).
""", ways=BOTH),
    of('nth1, member, take, drop, delete, sums', 20000, """
main :- n(N), up(N, L), nth1(N, L, X), member(N, L, Y), take(N, L, T), drop(N, L, D), delete(1, L, E),
    sum_list(T, S), max_list(E, M), min_list(E, I), writeln([X,Y,S,M,I,D]).
""", ways=BOTH),
    of('concat of many lists', 20000, """
main :- n(N), repeat(N, [a,b], L), concat(L, M), length(M, K), writeln(K).
"""),
    of('reduce, scan, partition, all, any', 10000, """
main :- n(N), up(N, L), reduce(compute(+), L, 0, S), scan(compute(+), L, 0, C), last(C, X),
    partition(odd, L, Y, Z), length(Y, A), length(Z, B), all(odd, L, P), any(odd, L, Q), writeln([S,X,A,B,P,Q]).
odd(X, Y) :- X mod 2 =:= 1 | Y = true.
odd(X, Y) :- X mod 2 =:= 0 | Y = false.
""", ways=BOTH),
    of('chunks, distribute, merge_tree', 10000, """
main :- n(N), up(N, L), chunks(10, L, C), concat(C, M), distribute(8, M, Outs), merge_tree(Outs, S),
    length(S, K), writeln(K).
""", ways=BOTH),
    of('functor, arg, =.. of wide terms', 20000, """
main :- n(N), up(N, L), T =.. [f|L], functor(T, _, K), arg(K, T, X), T =.. [_|M], last(M, Y), writeln(X+Y).
"""),
]

PROCESSES = [
    of('merge of many streams', 4000, """
main :- n(N), streams(N, Ss, []), merge(Ss, S), count(S, 0, K), writeln(K).
streams(0, Ss, _) :- Ss = [].
streams(N, Ss, _) :- N > 0 | Ss = [merge([a,b])|Ss1], N1 := N - 1, streams(N1, Ss1, N).
count([_|S], A, K) :- A1 := A + 1, count(S, A1, K).
count([], A, K) :- K = A.
""", ways=BOTH),
    of('merge_all of many streams', 4000, """
main :- n(N), repeat(N, [a,b], Ss), merge_all(Ss, S), length(S, K), writeln(K).
""", ways=BOTH),
    of('merge of two long streams', 10000, """
main :- n(N), up(N, A), up(N, B), merge([merge(A),merge(B)], S), length(S, K), writeln(K).
""", ways=BOTH),
    of('goals that wait for one variable', 20000, """
main :- n(N), crowd(N, X, L), X = go, last(L, Y), writeln(Y).
crowd(0, _, L) :- L = [].
crowd(N, X, L) :- N > 0 | L = [Y|L1], waits(X, N, Y), N1 := N - 1, crowd(N1, X, L1).
waits(go, N, Y) :- Y = N.
""", ways=BOTH),
    of('goals that wait for either of two variables', 10000, """
main :- n(N), crowd(N, X, _, L), X = go, last(L, Y), writeln(Y).
crowd(0, _, _, L) :- L = [].
crowd(N, X, Z, L) :- N > 0 | L = [Y|L1], waits(X, Z, N, Y), N1 := N - 1, crowd(N1, X, Z, L1).
waits(go, _, N, Y) :- Y = N.
waits(_, go, N, Y) :- Y = N.
""", ways=BOTH),
    of('a goal that is woken often and waits on', 10000, """
main :- n(N), arbiter(_, S, 0, R), up(N, S), writeln(R).
arbiter(stop, _, _, R) :- R = stop.
arbiter(E, [_|S], A, R) :- A1 := A + 1, arbiter(E, S, A1, R).
arbiter(_, [], A, R) :- R = A.
""", ways=BOTH),
    of('a chain of variables', 20000, """
main :- n(N), chain(N, X, Y), X = z, told(Y).
chain(0, X, Y) :- Y = X.
chain(N, X, Y) :- N > 0 | Z = X, N1 := N - 1, chain(N1, Z, Y).
told(z) :- writeln(ok).
""", ways=BOTH),
    of('a ring of processes', 4000, """
main :- n(N), ring(N, X, Y), X = [token], told(Y).
ring(0, X, Y) :- Y = X.
ring(N, X, Y) :- N > 0 | pass(X, Z), N1 := N - 1, ring(N1, Z, Y).
pass([T|X], Y) :- Y = [T|Y1], pass(X, Y1).
pass([], Y) :- Y = [].
told([token|_]) :- writeln(ok), halt.
""", ways=BOTH),
    of('deadlock of many goals', 8000, """
main :- n(N), crowd(N, _).
crowd(0, _).
crowd(N, X) :- N > 0 | waits(X, N), N1 := N - 1, crowd(N1, X).
waits(go, _).
""", ways=BOTH, status=3),
    of('deadlock of a chain of goals', 8000, """
main :- n(N), crowd(N, X, Y), told(X, Y).
told(go, _).
crowd(0, X, Y) :- Y = X.
crowd(N, X, Y) :- N > 0 | waits(X, Z), N1 := N - 1, crowd(N1, Z, Y).
waits(go, Z) :- Z = go.
""", ways=BOTH, status=3),
    of('deadlock of goals with long arguments', 8000, """
main :- n(N), up(N, L), waits(L, _).
waits(_, go).
""", ways=BOTH, status=3),
    of('call/N, with goals of all kinds', 10000, """
main :- n(N), go(N, 0, R), writeln(R).
go(0, A, R) :- R = A.
go(N, A, R) :- N > 0 | call(add(1), A, A1), call(lists:length, [a], K), call(compute(+), A1, K, A2),
    N1 := N - 1, go(N1, A2, R).
add(X, A, B) :- B := A + X.
""", ways=BOTH),
    of('a goal at the end of a chain of aliases that grows', 10000, ALIASES + """
wants(done, _) :- writeln(done).
""", ways=(PLAIN, OLDEST, IDEAL, TRACED)),
    of('within a structure, a goal at the end of such a chain', 10000, ALIASES + """
wants(X, Y) :- wants(both(Y, X)).
wants(both(done, done)) :- writeln(done).
""", ways=(PLAIN, OLDEST, IDEAL, TRACED)),
    of('a built-in at the end of such a chain', 10000, ALIASES + """
wants(X, Y) :- compare(O, X, Y), writeln(O).
""", ways=(PLAIN, OLDEST, IDEAL, TRACED)),
    of('== of the ends of two such chains', 10000, ALIASES + """
wants(X, Y) :- X == Y | writeln(same).
""", ways=(PLAIN, OLDEST, IDEAL, TRACED)),
    of('a repeated head variable at the ends of two such chains', 10000, ALIASES + """
wants(X, X) :- writeln(same).
""", ways=(PLAIN, OLDEST, IDEAL, TRACED)),
    of('goals of a stream, traced', 10000, 'main :- n(N), up(N, L), length(L, K), writeln(K).\n',
       ways=(('-trace=out.paf',), ('-profile=out.paf',), ('-trace=out.paf', '-time=real', '-j', '1'))),
    of('priorities', 8000, """
main :- n(N), crowd(N, X, L), X = go, last(L, Y), writeln(Y).
crowd(0, _, L) :- L = [].
crowd(N, X, L) :- N > 0 | L = [Y|L1], waits(X, N, Y)@priority(*, N), N1 := N - 1, crowd(N1, X, L1).
waits(go, N, Y) :- Y = N.
""", slope=1.2, why='n log n'),
    of('many turns of a failing test of either order', 10000, """
main :- n(N), up(N, L), bind(L, _, S), S = [], writeln(ok).
bind([X|L], Y, S) :- Y1 = f(X, Y), bind(L, Y1, S).
bind([], _, _).
""", ways=BOTH),
    of('numbers that become large', 2400, """
main :- n(N), go(N, 1, R), writeln(R).
go(0, A, R) :- R = A.
go(N, A, R) :- N > 0 | A1 := A * N, N1 := N - 1, go(N1, A1, R).
""", slope=2.2, why='each product is as long as its factors together; printing n digits takes more than n'),
]

ALL = COMPARISONS + DEEP + TEXT + OUTPUT + SOURCES + VECTORS + LIBRARY + PROCESSES
