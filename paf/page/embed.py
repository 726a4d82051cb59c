#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the C source that holds the style and the script of pages, with their hashes.

usage: embed.py OUT.c STYLE.css SCRIPT.js...

The scripts are one text, in the order in which they are named.
"""

import base64
import hashlib
import sys

ESCAPES = {'\\': '\\\\', '"': '\\"', '\n': '\\n', '\t': '\\t', '?': '\\?'}


def literal(line):
    return '"%s"' % ''.join(ESCAPES.get(chr(byte)) or (chr(byte) if 32 <= byte < 127 else '\\%03o' % byte)
                            for byte in line.encode())


def definition(name, text):
    # What ends the element in HTML would end it in the middle of the text.
    assert '</' not in text and '<!--' not in text, name
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    lines = '\n    '.join(literal(line) for line in text.splitlines(keepends=True))
    return ('static const char %s[] =\n    %s;\n'
            'const paf_page_part paf_page_%s = {%s, sizeof %s - 1, "sha256-%s"};\n'
            % (name, lines, name, name, name, digest))


def main():
    out, paths = sys.argv[1], sys.argv[2:]
    texts = [open(path, encoding='utf-8').read() for path in paths]
    with open(out, 'w', encoding='utf-8') as file:
        file.write('// SPDX-License-Identifier: MIT\n// Made by embed.py of the files beside it.\n'
                   '#include "paf/page/page.h"\n\n')
        file.write(definition('style', texts[0]))
        file.write(definition('script', ''.join(texts[1:])))


if __name__ == '__main__':
    main()
