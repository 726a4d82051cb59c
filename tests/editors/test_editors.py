#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The files for editors: they are well-formed, and give the parts of a sample the names they should.
What cannot be checked, because a tool is not installed, is said.

usage: test_editors.py
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EDITORS = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'editors')
SAMPLE = os.path.join(HERE, 'sample.fl')
RNG = '/usr/share/gtksourceview-4/language-specs/language2.rng'

# line, text on it, what it is
EXPECTED = [
    (1, 'module', 'keyword'), (1, ':-', 'operator'),
    (2, '% a', 'comment'), (2, 'quotes', 'comment'), (3, 'block', 'comment'),
    (4, 'comment', 'comment'),
    (5, 'append', 'head'), (5, 'H', 'variable'), (5, ':-', 'operator'), (5, 'Z1', 'variable'),
    (5, 'append(X', None),
    (6, 'otherwise', 'keyword'),
    (7, 'go', 'head'), (7, '_In', 'variable'), (7, 'integer', 'guard'), (7, "16'ff", 'number'),
    (7, '|', 'operator'), (7, ':=', 'operator'), (7, "0'a", 'number'), (7, '2.5e3', 'number'),
    (7, 'lists', 'module'), (7, '"te', 'string'), (7, '\\n', 'escape'), (7, 'xt', 'string'),
    (7, "'An atom", 'atom'),
    (8, 'nil', 'head'),
]
SCOPES = {'keyword': 'keyword.control', 'operator': 'keyword.operator', 'comment': 'comment',
          'head': 'entity.name.function', 'variable': 'variable', 'guard': 'support.function.guard',
          'number': 'constant.numeric', 'module': 'entity.name.namespace',
          'string': 'string.quoted.double', 'escape': 'constant.character.escape',
          'atom': 'string.quoted.single'}
failures = []
skipped = []


def check(what, good, detail=''):
    if not good:
        failures.append(what)
        print('FAILED: %s\n  %s' % (what, detail))


def skip(what, tool):
    skipped.append(what)
    print('SKIPPED: %s: %s is not installed' % (what, tool), file=sys.stderr)


def lines():
    with open(SAMPLE, encoding='utf-8') as file:
        return file.read().splitlines()


# ---- TextMate -----------------------------------------------------------------------------------

class Grammar:
    """As much of TextMate's rules as the grammar uses."""

    def __init__(self, path):
        with open(path, encoding='utf-8') as file:
            self.grammar = json.load(file)

    def rules(self, patterns):
        for pattern in patterns:
            if 'include' in pattern:
                named = self.grammar['repository'][pattern['include'][1:]]
                if 'match' in named or 'begin' in named:
                    yield named
                else:
                    yield from self.rules(named['patterns'])
            else:
                yield pattern

    def tokens(self, text):
        """For each line the scope of each of its characters, or None."""
        inside, result = None, []
        for line in text:
            scopes, at = [None] * len(line), 0
            while at <= len(line):
                patterns = inside.get('patterns', []) if inside else self.grammar['patterns']
                found = [(m.start(), i, m, rule) for i, rule in enumerate(self.rules(patterns))
                         for m in [re.compile(rule.get('match', rule.get('begin'))).search(line, at)]
                         if m]
                end = re.compile(inside['end']).search(line, at) if inside else None
                first = min(found, key=lambda f: f[:2]) if found else None
                if end and (not first or end.start() <= first[0]):
                    scopes[at:end.end()] = [inside['name']] * (end.end() - at)
                    at, inside = max(end.end(), at), None
                    if at >= len(line):
                        break
                    continue
                if inside:
                    stop = first[0] if first else len(line)
                    scopes[at:stop] = [inside['name']] * (stop - at)
                if not first:
                    break
                match, rule = first[2], first[3]
                scopes[match.start():match.end()] = [rule['name']] * len(match.group())
                at = match.end() if match.end() > at else at + 1
                if 'begin' in rule:
                    inside = rule
            result.append(scopes)
        return result


def check_textmate():
    folder = os.path.join(EDITORS, 'vscode')
    with open(os.path.join(folder, 'package.json'), encoding='utf-8') as file:
        package = json.load(file)
    for grammar in package['contributes']['grammars']:
        check('package.json names a grammar',
              os.path.exists(os.path.join(folder, grammar['path'])), grammar)
    for language in package['contributes']['languages']:
        with open(os.path.join(folder, language['configuration']), encoding='utf-8') as file:
            json.load(file)
        check('package.json has the suffixes', language['extensions'] == ['.fl', '.ghc', '.kl1'])
    text = lines()
    scopes = Grammar(os.path.join(folder, 'syntaxes', 'fleng.tmLanguage.json')).tokens(text)
    for line, part, kind in EXPECTED:
        at = text[line - 1].index(part)
        got = scopes[line - 1][at]
        good = (got or '').startswith(SCOPES[kind]) if kind else got is None
        check('TextMate: %d: %s' % (line, part), good, 'is %s, not %s' % (got, kind))


# ---- Vim ----------------------------------------------------------------------------------------

def check_vim():
    vim = shutil.which('vim')
    if not vim or 'tiny' in subprocess.run([vim, '--version'], stdout=subprocess.PIPE, text=True,
                                           check=False).stdout.lower().split('version')[0]:
        skip('the syntax for Vim', 'vim')
        return
    text = lines()
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'out')
        script = os.path.join(folder, 'check.vim')
        with open(script, 'w', encoding='utf-8') as file:
            file.write('set nocompatible runtimepath=%s,$VIMRUNTIME\n' %
                       os.path.join(EDITORS, 'vim'))
            file.write('if !has("syntax")\n  call writefile(["no syntax"], "%s")\n  qall!\nendif\n'
                       % out)
            file.write('filetype plugin on\nsyntax on\nedit %s\nlet g:found = [&filetype]\n'
                       % SAMPLE)
            for line, part, _ in EXPECTED:
                file.write('call add(g:found, synIDattr(synID(%d, %d, 1), "name"))\n' %
                           (line, text[line - 1].index(part) + 1))
            file.write('call add(g:found, &commentstring)\n')
            file.write('call writefile(g:found, "%s")\nqall!\n' % out)
        subprocess.run([vim, '-u', 'NONE', '-i', 'NONE', '-n', '-es', '-S', script],
                       stdin=subprocess.DEVNULL, timeout=600, check=False, cwd=folder,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if not os.path.exists(out):
            check('Vim reads the syntax', False)
            return
        with open(out, encoding='utf-8') as file:
            found = file.read().splitlines()
    if found == ['no syntax']:
        skip('the syntax for Vim', 'vim with syntax')
        return
    check('Vim knows the suffix', found[0] == 'fleng', found)
    check('Vim knows comments', found[-1] == '% %s', found[-1])
    for (line, part, kind), got in zip(EXPECTED, found[1:]):
        wanted = 'fleng' + kind.capitalize() if kind else ''
        check('Vim: %d: %s' % (line, part), got == wanted, 'is %s, not %s' % (got, wanted))


# ---- GtkSourceView ------------------------------------------------------------------------------

def check_gtksourceview():
    folder = os.path.join(EDITORS, 'gtksourceview')
    files = [os.path.join(folder, 'fleng.lang'), os.path.join(folder, 'styles', 'paf-light.xml'),
             os.path.join(folder, 'styles', 'paf-dark.xml')]
    xmllint = shutil.which('xmllint')
    if not xmllint:
        skip('the language file of GtkSourceView', 'xmllint')
        return
    for path in files:
        options = []
        if path.endswith('.lang') and os.path.exists(RNG):
            options = ['--relaxng', RNG]
        done = subprocess.run([xmllint, '--noout', *options, path], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        check('%s is valid' % os.path.basename(path), done.returncode == 0, done.stdout)
    # The regexes are PCRE's, without what Python lacks.
    import xml.etree.ElementTree as tree
    for element in tree.parse(files[0]).iter():
        if element.tag in ('match', 'start', 'end', 'suffix'):
            re.compile(element.text)


def main():
    check_textmate()
    check_vim()
    check_gtksourceview()
    print('%d failed, %d skipped' % (len(failures), len(skipped)))
    return 1 if failures else 77 if skipped else 0


if __name__ == '__main__':
    sys.exit(main())
