#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who includes what, against the table of ARCHITECTURE.md ("Folders and who may use whom"): of
another folder only what the table allows, and of that only its public headers, FOLDER/*.h.

usage: includes.py ROOT         the sources below ROOT
       includes.py --planted    violations written for this, each of which must be found
"""

import os
import re
import sys
import tempfile

ROW = re.compile(r'^\| (`[^|]*`) \|[^|]*\| ([^|]*) \|$', re.M)
FOLDER = re.compile(r'`([\w-]+)/`')
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.M)
SOURCES = ('.c', '.h', '.def')

# Headers of libraries that only these folders may use.
EXTERNAL = {
    'gc.h': {'vm'},
    'gmp.h': {'vm', 'fleng'},
    'gtk/gtk.h': {'paf'},
    'cairo.h': {'paf'},
    'zstd.h': {'profiler'},
}


def allowed(architecture):
    """By folder: the folders it may use; None: all."""
    rules = {}
    for folders, uses in ROW.findall(architecture):
        for folder in FOLDER.findall(folders):
            rules[folder] = None if uses.strip() == 'everything' else set(FOLDER.findall(uses))
    return rules


def sources(root, folder):
    for place, _, names in os.walk(os.path.join(root, folder)):
        for name in sorted(names):
            if name.endswith(SOURCES):
                yield os.path.join(place, name)


def meant(root, path, quoted):
    """The file that a source includes, named from the root: first it is looked for beside it."""
    beside = os.path.join(os.path.dirname(path), quoted)
    if os.path.exists(beside):
        return os.path.relpath(os.path.realpath(beside), os.path.realpath(root))
    return os.path.normpath(quoted)


def wrong(root, folder, uses, folders, own, path):
    """What is wrong about the file's includes; own: names of all files of the folders."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for match in INCLUDE.finditer(text):
        quoted, angled = match.groups()
        line = text.count('\n', 0, match.start()) + 1
        if angled:
            if angled in EXTERNAL and folder not in EXTERNAL[angled]:
                yield line, '<%s> is not for %s/' % (angled, folder)
            continue
        name = meant(root, path, quoted)
        other = name.split('/')[0]
        if other == folder:
            continue
        if '/' not in name and name not in own:  # of a library that names its headers so
            continue
        if other not in folders:
            yield line, '"%s" is in no folder of the table' % quoted
        elif other not in uses:
            yield line, '"%s": %s/ may not use %s/' % (quoted, folder, other)
        elif not re.fullmatch(r'[\w-]+/[\w-]+\.h', name):
            yield line, '"%s" is private to %s/' % (quoted, other)


def violations(root):
    with open(os.path.join(root, 'ARCHITECTURE.md'), encoding='utf-8') as file:
        rules = allowed(file.read())
    own = {os.path.basename(path) for folder in rules for path in sources(root, folder)}
    found = []
    checked = 0
    for folder, uses in sorted(rules.items()):
        if uses is None:
            continue
        for path in sources(root, folder):
            checked += 1
            found += ['%s:%d: %s' % (os.path.relpath(path, root), line, text)
                      for line, text in wrong(root, folder, uses, rules, own, path)]
    return checked, found


TABLE = '''| folder | what | may use |
|---|---|---|
| `high/` | above | `low/` (its reader), a library |
| `low/` | below | C only |
| `checks/` | tests | everything |
'''

PLANTED = {
    'low/low.h': ('', ''),
    'high/good.c': ('#include "low/low.h"\n#include "high/own.h"\n#include <stdio.h>\n', ''),
    'checks/all.c': ('#include "low/room/inner.h"\n', ''),
    'high/private.c': ('#include "low/room/inner.h"\n', 'private to low/'),
    'high/table.c': ('int a[] = {\n#include "low/table.def"\n};\n', 'private to low/'),
    'low/back.c': ('#include "high/high.h"\n', 'low/ may not use high/'),
    'low/deep/back.c': ('#include "high/high.h"\n', 'low/ may not use high/'),
    'low/beside.c': ('#include "low.h"\n', ''),
    'high/up.c': ('#include "../low/room/inner.h"\n', 'private to low/'),
    'low/room/inner.h': ('', ''),
    'low/library.c': ('#include "of-a-library.h"\n', ''),
    'high/by-path.c': ('#include "inner.h"\n', 'in no folder'),
    'low/nowhere.c': ('#include "other/other.h"\n', 'in no folder'),
    'low/window.c': ('#include <gtk/gtk.h>\n', 'not for low/'),
}


def planted_are_found():
    with tempfile.TemporaryDirectory() as root:
        with open(os.path.join(root, 'ARCHITECTURE.md'), 'w', encoding='utf-8') as file:
            file.write(TABLE)
        for name, (text, _) in PLANTED.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        found = violations(root)[1]
    good = True
    for name, (_, message) in PLANTED.items():
        said = [text for text in found if text.startswith(name + ':')]
        if len(said) != (message != '') or any(message not in text for text in said):
            print('%s: %s, wanted: %s' % (name, said, message or 'nothing'))
            good = False
    return good


def main():
    if sys.argv[1:] == ['--planted']:
        return 0 if planted_are_found() else 1
    checked, found = violations(sys.argv[1])
    for text in found:
        print(text)
    print('%d files, %d violations' % (checked, len(found)))
    return 0 if checked > 100 and not found else 1


if __name__ == '__main__':
    sys.exit(main())
