#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the C source that holds the text of the schema.

usage: embed.py OUT.c SCHEMA.sql
"""
import sys

with open(sys.argv[2], encoding='utf-8') as source:
    lines = source.read().splitlines()
with open(sys.argv[1], 'w', encoding='utf-8') as out:
    out.write('// Made by store/embed.py.\nextern const char store_schema_text[];\nconst char store_schema_text[] =\n')
    for line in lines:
        out.write('    "%s\\n"\n' % line.replace('\\', '\\\\').replace('"', '\\"'))
    out.write('    ;\n')
