#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the C source that holds the text of a file.

usage: embed.py OUT.c FILE NAME      (NAME: of the array of characters)
"""
import sys

OUT, FILE, NAME = sys.argv[1:]
with open(FILE, encoding='utf-8') as source:
    lines = source.read().splitlines()
with open(OUT, 'w', encoding='utf-8') as out:
    out.write('// Made by store/embed.py.\nextern const char %s[];\nconst char %s[] =\n' % (NAME, NAME))
    for line in lines:
        out.write('    "%s\\n"\n' % line.replace('\\', '\\\\').replace('"', '\\"'))
    out.write('    ;\n')
