#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the recipes of HACKING.md for Paf true: each has at most ten lines, the files that it names are
there, and what it names in them, too. Every key that the help of the window lists is a key of a page.

usage: recipes.py ROOT
"""

import os
import re
import sys

RECIPES = ('A colour', 'A key of the window', 'An export format', "A finding's place in the view")
MOST_LINES = 10
# How the help names a key, where GDK has another name.
NAMES = {'question': None, 'F1': None}
PAGES = {'Time': 'canvas_input.c', 'Boxes': 'canvas_input.c', 'Modules': 'canvas_input.c',
         'Table': 'bars_input.c', 'Two runs': 'comparison.c'}

failures = 0


def check(good, *what):
    global failures
    if not good:
        failures += 1
        print('FAILED:', *what, file=sys.stderr)


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


def files_of(root, body):
    """The files and folders that a recipe names. A name without a folder is beside the one before it."""
    folder, found = '', []
    for word in re.findall(r'`([\w./-]+\.(?:c|h|sh|py)|docs/[\w-]+|[\w-]+/[\w/-]+/)`', body):
        path = word if '/' in word else os.path.join(folder, word)
        folder = os.path.dirname(path)
        check(os.path.exists(os.path.join(root, path)), path, 'is not there')
        found.append(path)
    return [path for path in found if os.path.isfile(os.path.join(root, path))]


def check_recipe(root, text, title):
    body = re.search(r'^## %s\n\n(.*?)\n\n## ' % re.escape(title), text, re.S | re.M)
    if not body:
        return check(False, 'no recipe:', title)
    body = body.group(1)
    check(len(body.splitlines()) <= MOST_LINES, title, 'has more than', MOST_LINES, 'lines')
    sources = ''.join(read(root, path) for path in files_of(root, body))
    for name in re.findall(r'`(\w+)\(\)`|`(PAF_\w+|paf_\w+)`', body):
        name = name[0] or name[1]
        check(re.search(r'\b%s\b' % name, sources), title + ':', name, 'is in none of its files')


def check_keys(root):
    rows = re.findall(r'\{"(\w+)", "([^"]+)", "', read(root, 'paf/window/help.c'))
    check(rows, 'the help lists no key')
    for group, keys in rows:
        if group not in PAGES:
            continue
        page = read(root, 'paf/window/' + PAGES[group])
        for key in keys.split():
            if '<' not in key and key not in NAMES:
                check(re.search(r'\bGDK_KEY_%s\b' % key, page), key, 'is not answered by', PAGES[group])


def main():
    root = sys.argv[1]
    text = read(root, 'HACKING.md')
    for title in RECIPES:
        check_recipe(root, text, title)
    check_keys(root)
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
