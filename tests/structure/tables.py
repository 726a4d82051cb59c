#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recipes of HACKING.md hold: every built-in predicate and every guard test of the engine's tables
is also in the tables that the recipes name, or is named below with the reason why not.

  vm/builtins.def      names without a module: the reference implementation, tests/fleng/builtins_table.py
                       (results and failures) and docs/reference.md
                       module:name: tests/fleng/waiting.py or a golden program of KL1, and docs/kl1.md
                       `$name` is the library's own: its tests try it
                       with .keeps_progress or .save: tests/fleng/prompt.py, in KEPT
  vm/code/tests.def    tests/fleng/builtins_table.py and docs/reference.md
  vm/code/queries.def  tests/fleng/waiting.py and docs/kl1.md

usage: tables.py ROOT         the sources below ROOT
       tables.py --planted ROOT    the same with an entry more in each table, which must be missed
"""

import os
import re
import sys

# Not in the reference implementation, which knows no files, clocks and workers, and no KL1.
NOT_IN_ORACLE = {
    'files and standard streams': {
        'stdout/1', 'stderr/1', 'stdin/1', 'write_file/2', 'write_file/3', 'read_lines/2',
        'read_lines/3', 'read_terms/2', 'read_terms/3', 'format/2'},
    'differs from run to run, or between implementations': {'time/1', 'random/2'},
    'of KL1': {'string_element/3', 'string_element/4', 'new_string/2', 'set_string_element/4'},
}
MODES = set('iteo?')
KINDS = set('ifaslcv')


class Sources:
    def __init__(self, root, added=None):
        self.root, self.added = root, added or {}
        sys.path[:0] = [os.path.join(root, 'tests', 'fleng'), os.path.join(root, 'tests', 'oracle')]

    def read(self, path):
        with open(os.path.join(self.root, path), encoding='utf-8') as file:
            return file.read() + self.added.get(path, '')

    def builtins(self):
        """[(name/arity, modes)], the lines of macros with their prefixes put in."""
        text = self.read('vm/builtins.def')
        macro = re.search(r'^#define FLOAT_METHODS.*?(?<!\\)\n', text, re.M | re.S).group(0)
        methods = re.findall(r'BUILTIN\(prefix "(\w+)", (\d+), \w+, "([^"]*)"', macro)
        found = [('%s/%s' % (name, arity), modes) for name, arity, modes in re.findall(
            r'^BUILTIN\("([^"]+)", (\d+), \w+, "([^"]*)"', text, re.M)]
        for prefix in re.findall(r'^FLOAT_METHODS\("([^"]+)"\)', text, re.M):
            found += [('%s%s/%s' % (prefix, name, arity), modes) for name, arity, modes in methods]
        return found

    def kept(self):
        """name/arity of the built-ins whose progress outlives an undo."""
        return ['%s/%s' % key for key in re.findall(
            r'^BUILTIN\("([^"]+)", (\d+), .*", [^"]*\.(?:keeps_progress|save) = [^"]*\)$',
            self.read('vm/builtins.def'), re.M)]

    def golden(self):
        """The texts of the golden programs of KL1."""
        folder = os.path.join('tests', 'fleng', 'programs')
        for name in sorted(os.listdir(os.path.join(self.root, folder))):
            if name.endswith('.kl1'):
                yield self.read(os.path.join(folder, name))

    def tests(self):
        return re.findall(r'^TEST\(\w+, "(\w+)", "(\w*)"', self.read('vm/code/tests.def'), re.M)

    def queries(self):
        """[(text, callers)]"""
        return re.findall(r'^QUERY\(\w+, "(\w+)", \d, \d, "(\w*)"', self.read('vm/code/queries.def'),
                          re.M)


def module_of(key):
    return key.partition(':')[0] if re.match(r'\w+:.', key) else ''


def arguments(text, at):
    """How many arguments the term has whose `(` is before text[at]."""
    depth, n, quote = 0, 1, ''
    for i in range(at, len(text)):
        c = text[i]
        if quote:
            quote = '' if c == quote and text[i - 1] != '\\' else quote
        elif c in '"\'':
            quote = c
        elif c in '([{':
            depth += 1
        elif c in ')]}' and depth == 0:
            return n
        elif c in ')]}':
            depth -= 1
        elif c == ',' and depth == 0:
            n += 1
    return 0


def calls(goal):
    """name/arity of the calls in a goal, with and without the module that is written."""
    found = {'%s/2' % operator for operator in (':=', '=..') if operator in goal}
    for match in re.finditer(r'((?:[a-z]\w*:)?)([a-z]\w*)\(', goal):
        key = '%s/%d' % (match.group(2), arguments(goal, match.end()))
        found |= {key, match.group(1) + key}
    for match in re.finditer(r'([a-z]\w*):\(', goal): # functor_table:(R =.. A)
        found.add('%s:=../2' % match.group(1))
    return found


def in_oracle(oracle):
    known = {'%s/%d' % key for key in oracle.BUILTINS}
    return known | {'call/%d' % n for n in range(2, 9) if 'call/1' in known}  # one function


def missing_builtins(sources):
    import builtins_ as oracle
    import builtins_table as table
    import waiting
    tried = {key for key, *_ in table.RESULTS + table.OUTPUT}
    tried.update(key for keys, *_ in table.FILES for key in keys)
    failing = {key for key, *_ in table.FAILURES} | table.CANNOT_FAIL
    waited = set().union(*(calls(case[1]) for case in waiting.KL1_BODY + waiting.MISUSE),
                         *(calls(text) for text in sources.golden()))
    known = in_oracle(oracle).union(*NOT_IN_ORACLE.values())
    reference, kl1 = sources.read('docs/reference.md'), sources.read('docs/kl1.md')
    headings = '\n'.join(re.findall(r'^#{2,3} .*', reference, re.M))
    for key, modes in sources.builtins():
        name, _, arity = key.rpartition('/')
        bare = name.rpartition(':')[2]
        if len(modes) != int(arity) or not set(modes) <= MODES:
            yield '%s: its modes are "%s"' % (key, modes)
        if name.startswith('$'):
            continue
        if module_of(key):
            if not {key, key.replace('builtin:', '')} & waited:
                yield '%s is neither in tests/fleng/waiting.py nor in a golden program' % key
            if not re.search(r'(?<!\w)%s(?!\w)' % re.escape(bare), kl1):
                yield '%s is not in docs/kl1.md' % key
            continue
        if key not in known:
            yield '%s is not in tests/oracle/builtins_.py' % key
        if key not in tried:
            yield '%s: no result in tests/fleng/builtins_table.py' % key
        if key not in failing:
            yield '%s: no failure in tests/fleng/builtins_table.py' % key
        if '`%s`' % key not in headings:
            yield '%s is not in docs/reference.md' % key


def missing_undo(sources):
    import prompt
    tried = {what.partition(' ')[0] for what, *_ in prompt.KEPT}
    for key in sources.kept():
        if key not in tried:
            yield '%s is not in KEPT of tests/fleng/prompt.py' % key


def missing_guards(sources):
    import builtins_table as table
    import waiting
    tried = set().union(*(calls(guard) for guard, *_ in table.GUARDS))
    waited = set().union(*(calls(case[1]) for case in waiting.KL1_GUARDS),
                         *(calls(text) for text in sources.golden()))
    reference, kl1 = sources.read('docs/reference.md'), sources.read('docs/kl1.md')
    for name, kinds in sources.tests():
        if not kinds or not set(kinds) <= KINDS:
            yield 'guard %s: its kinds are "%s"' % (name, kinds)
        if name + '/1' not in tried:
            yield 'guard %s is not in tests/fleng/builtins_table.py' % name
        if '%s/1' % name not in reference:
            yield 'guard %s is not in docs/reference.md' % name
    for name, _ in sources.queries():
        if not any(key.rpartition('/')[0].rpartition(':')[2] == name for key in waited):
            yield 'guard %s is neither in tests/fleng/waiting.py nor in a golden program' % name
        if not re.search(r'(?<!\w)%s(?!\w)' % name, kl1):
            yield 'guard %s is not in docs/kl1.md' % name


def needless(sources):
    """Exceptions of what is not there, or not missing."""
    import builtins_ as oracle
    known = in_oracle(oracle)
    keys = {key for key, _ in sources.builtins()}
    for key in set().union(*NOT_IN_ORACLE.values()):
        if key in known or key not in keys:
            yield '%s needs no exception' % key


PLANTED = {
    'vm/builtins.def': '\nBUILTIN("planted", 2, vm_planted, "io", "")\n'
                       'BUILTIN("builtin:planted_there", 1, vm_planted, "o", "")\n'
                       'BUILTIN("$planted", 2, vm_planted, "ix", "")\n'
                       'BUILTIN("$planted_kept", 1, vm_planted, "i", "", .keeps_progress = true)\n'
                       'BUILTIN("$planted_saved", 1, vm_planted, "i", "", .serial = true, '
                       '.save = vm_planted_save, .restore = vm_planted_restore)\n',
    'vm/code/tests.def': '\nTEST(PLANTED, "planted_test", "iz", is_planted)\n',
    'vm/code/queries.def': '\nQUERY(PLANTED, "planted_query", 1, 0, "g", ask_planted, "")\n',
}
PLANTED_MISSES = [
    '$planted/2: its modes are "ix"',
    '$planted_kept/1 is not in KEPT of tests/fleng/prompt.py',
    '$planted_saved/1 is not in KEPT of tests/fleng/prompt.py',
    'builtin:planted_there/1 is not in docs/kl1.md',
    'builtin:planted_there/1 is neither in tests/fleng/waiting.py nor in a golden program',
    'guard planted_query is not in docs/kl1.md',
    'guard planted_query is neither in tests/fleng/waiting.py nor in a golden program',
    'guard planted_test is not in docs/reference.md',
    'guard planted_test is not in tests/fleng/builtins_table.py',
    'guard planted_test: its kinds are "iz"', 'planted/2 is not in docs/reference.md',
    'planted/2 is not in tests/oracle/builtins_.py',
    'planted/2: no failure in tests/fleng/builtins_table.py',
    'planted/2: no result in tests/fleng/builtins_table.py',
]


def missed(sources):
    return sorted([*missing_builtins(sources), *missing_undo(sources), *missing_guards(sources),
                   *needless(sources)])


def main():
    root = os.path.abspath(sys.argv[-1])
    if sys.argv[1] == '--planted':
        new = sorted(set(missed(Sources(root, PLANTED))) - set(missed(Sources(root))))
        for text in set(new) ^ set(PLANTED_MISSES):
            print('%s: %s' % ('not found' if text in PLANTED_MISSES else 'found, too', text))
        return 0 if new == sorted(PLANTED_MISSES) else 1
    sources = Sources(root)
    found = missed(sources)
    for text in found:
        print(text)
    counts = len(sources.builtins()), len(sources.tests()), len(sources.queries())
    print('%d built-ins, %d tests, %d queries, %d missed' % (*counts, len(found)))
    few = min(counts) < 8 or counts[0] < 150 or len(sources.kept()) < 6
    return 1 if found or few else 0


if __name__ == '__main__':
    sys.exit(main())
