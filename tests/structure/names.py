#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of files, folders and functions of the project, in its pages (*.md), in comments of its
sources and in its builds: each must exist. A name with a folder may leave out the beginning of its
path (`write/stream.h` for `profiler/write/stream.h`); a bare name must be some file's. A function,
type or constant is known by its prefix (`vm_...`) and must occur in the code of some source.

usage: names.py ROOT      prints each name that nothing has
       names.py planted   names written for this, each of which must be found, and no other
"""

import os
import re
import sys
import tempfile

FOLDERS = ('apps', 'base', 'bench', 'docs', 'editors', 'fleng', 'iotree', 'kpx-bridge', 'paf',
           'profiler', 'tests', 'vm')
BEGIN = r'(?<![\w./<*{}%$~-])'
NAME = re.compile(BEGIN + r'((?:\.ci/|[A-Za-z][\w-]*/)*[A-Za-z][\w-]*\.(?:c|cc|h|def|py|md|sh))'
                  r'(?![\w/({*-]|\.\w)')
FOLDER = re.compile(BEGIN + r'((?:%s)/(?:[\w-]+/)*(?:[\w-]+)?)'.replace('%s', '|'.join(FOLDERS)) +
                    r'(?![\w*<{$/-]|\.\w)')
IDENTIFIER = re.compile(r'(?<![\w/.-])((?:vm|fl|trace|iot|paf|kpx|VM|FL|TRACE|IOT|PAF|KPX)'
                        r'_[a-zA-Z]\w*\b(?<!_))(?![\w*/]|\.[a-z{])')

COMMENTS = {
    '.c': re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S),
    '.py': re.compile(r'""".*?"""|(?<=[\s])#[^\n]*', re.S),
    '.build': re.compile(r'(?m)^\s*#[^\n]*'),
}
COMMENTS.update({ending: COMMENTS['.c'] for ending in ('.h', '.cc', '.def')})
COMMENTS['.sh'] = COMMENTS['.build']

# Names that stand for files of users, and headers that compilers bring.
EXAMPLES = {'a.c', 'b.c', 'c.c', 'OUT.c', 'ring.c', 'switch.c', 'mpif.h', 'omp.h'}
# Pages that speak of other times: what files were called then.
OTHER_TIMES = ('CHANGELOG.md',)


def files_of(root):
    """The paths of all files below `root`, without builds and hidden folders."""
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in sorted(folders)
                      if (f == '.ci' or not f.startswith('.')) and f != '__pycache__'
                      and not os.path.exists(os.path.join(folder, f, 'meson-private'))]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


def spoken(path, text):
    """(line, text) of the parts of a file that speak to readers."""
    ending = os.path.splitext(path)[1]
    if ending == '.md':
        yield 1, text
    elif ending in COMMENTS:
        for found in COMMENTS[ending].finditer(text):
            if found[0][0] not in '"\'' or found[0].startswith('"' * 3):
                yield text.count('\n', 0, found.start()) + 1, found[0]


def words_of_code(texts):
    """All words of sources outside of their comments."""
    words = set()
    for path, text in texts.items():
        pattern = COMMENTS.get(os.path.splitext(path)[1])
        if pattern:
            kept = pattern.sub(lambda it: ' ' if it[0][0] in '/#' else it[0], text)
            words.update(re.findall(r'\w+', kept))
    return words


def missing(root):
    paths = [path.replace(os.sep, '/') for path in files_of(root)]
    tails = set()
    for path in paths:
        parts = path.split('/')
        for at in range(len(parts)):
            tails.add('/'.join(parts[at:]))
        for at in range(1, len(parts)):
            tails.update(('/'.join(parts[:at]), '/'.join(parts[:at]) + '/'))
        tails.add(os.path.splitext(path)[0])
    texts = {}
    for path in paths:
        if path not in OTHER_TIMES and os.path.splitext(path)[1] in (*COMMENTS, '.md'):
            with open(os.path.join(root, path), encoding='utf-8', errors='replace') as file:
                texts[path] = file.read()
    known = words_of_code(texts)
    found = []
    for path in sorted(texts):
        for line, part in spoken(path, texts[path]):
            wrong = [name for name in (*NAME.finditer(part), *FOLDER.finditer(part))
                     if name[1] not in tails and name[1] not in EXAMPLES]
            wrong += [name for name in IDENTIFIER.finditer(part) if name[1] not in known]
            for name in wrong:
                found.append(f'{path}:{line + part.count(chr(10), 0, name.start())}: {name[1]}')
    return found


def planted():
    with tempfile.TemporaryDirectory() as root:
        def write(path, text):
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
                file.write(text)
        write('PAGE.md', 'See `vm/term/heap.h`, `term/heap.h`, heap.h, vm/term/ and vm/term.\n'
                         'But vm/heap.h, `unify.c`, `vm/terms/` and vm/tree are gone.\n')
        write('vm/term/heap.h', '// What old.h said; see heap.c.\n#include "vm/gone.h"\n'
                                'const char *s = "said.h"; /* a.c:5 is an example,\n'
                                '  stale.def is not */\n')
        write('vm/term/heap.c', '// vm_take() is vm_alloc, and no vm_give, vm_*.\n'
                                'void vm_alloc(void);\n')
        write('tests/run.py', '{0}Runs heap.c by runner.sh.{0}\n'
                              'name = "made.c"  {1} not lost.py\n'.format('"' * 3, '#'))
        write('meson.build', "# As for heap.h and lost.md.\nfiles('made.c')\n")
        want = ['PAGE.md:2: vm/heap.h', 'PAGE.md:2: unify.c', 'PAGE.md:2: vm/terms/',
                'PAGE.md:2: vm/tree',
                'meson.build:1: lost.md', 'tests/run.py:1: runner.sh', 'tests/run.py:2: lost.py',
                'vm/term/heap.c:1: vm_give', 'vm/term/heap.c:1: vm_take',
                'vm/term/heap.h:1: old.h', 'vm/term/heap.h:4: stale.def']
        return sorted(set(want) ^ set(missing(root)))


def main():
    if sys.argv[1:] == ['planted']:
        wrong = planted()
    elif len(sys.argv) == 2:
        wrong = missing(sys.argv[1])
    else:
        sys.exit(__doc__)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
