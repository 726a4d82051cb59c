#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the C source that holds the texts of the library's modules.

usage: embed.py OUT.c MODULE.fl...
"""

import os
import sys

ESCAPES = {'\\': '\\\\', '"': '\\"', '\n': '\\n', '\t': '\\t', '?': '\\?'}


def literal(line):
    text = ''
    for byte in line.encode():
        c = chr(byte)
        text += ESCAPES.get(c) or (c if 32 <= byte < 127 else '\\%03o' % byte)
    return '"%s"' % text


def main():
    out, paths = sys.argv[1], sys.argv[2:]
    parts = ['// SPDX-License-Identifier: MIT\n// Made by embed.py of the modules beside it.\n'
             '#include "fleng/library/library_text.h"\n']
    rows = []
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding='utf-8') as file:
            lines = file.read().splitlines(keepends=True)
        parts.append('static const char %s_text[] =\n    %s;\n'
                     % (name, '\n    '.join(literal(line) for line in lines)))
        rows.append('    {"%s", "library/%s.fl", %s_text, sizeof %s_text - 1},'
                    % (name, name, name, name))
    parts.append('const fl_library_text fl_library_texts[] = {\n%s\n};\n' % '\n'.join(rows))
    parts.append('const uint32_t fl_library_ntexts = %d;\n' % len(rows))
    with open(out, 'w', encoding='utf-8') as file:
        file.write('\n'.join(parts))


if __name__ == '__main__':
    main()
