#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The walls between rooms, against the table of ARCHITECTURE.md ("Folders, rooms and who may use
whom"). A row is a folder (`vm/`) or a room, a sub-folder (`vm/engine/`).

What is checked, for includes in the sources and for calls in the object files:
  - a file uses another folder only if the row of its own folder names that folder, and of that one
    only its public headers and tables, FOLDER/*.h and FOLDER/*.def;
  - a file of a room uses another room of its folder only if the row of its room names that room;
    sources at the top of a folder may use all of its rooms;
  - public headers include public headers and tables (.def) only;
  - a library (GTK, GMP, ...) is used only where the row of the room, or of a folder without rooms,
    names it;
  - no circle between the rows;
  - every folder with sources has a row, every sub-folder with sources one of its own;
  - every place with a row has a README.md of at most ten lines, and every room that a row names is
    there and is used.

usage: rooms.py includes ROOT           the sources below ROOT
       rooms.py calls ROOT BUILD        the object files that meson made in BUILD
       rooms.py planted CC              violations written for this, each of which must be found
"""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROW = re.compile(r'^\| (`[^|]*`) \|[^|]*\| ([^|]*) \|$', re.M)
PLACE = re.compile(r'`([\w-]+/(?:[\w-]+/)*)`')
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.M)
SOURCES = ('.c', '.cc', '.h', '.def')
MOST_README_LINES = 10

# Libraries by the beginning of their headers' names, as the table calls them.
LIBRARIES = {
    'gc.h': 'Boehm GC', 'gc/': 'Boehm GC', 'gmp.h': 'GMP', 'zstd.h': 'zstd', 'gtk/': 'GTK',
    'gtksourceview/': 'GtkSourceView', 'cairo': 'cairo', 'pango/': 'pango', 'glib': 'GLib',
    'jansson.h': 'jansson', 'elfutils/': 'libdw', 'dwarf.h': 'libdw', 'libelf.h': 'libdw',
    'gelf.h': 'libdw', 'mpi.h': 'Open MPI', 'omp-tools.h': 'OMPT', 'editline/': 'libedit',
    'histedit.h': 'libedit', 'sqlite3.h': 'SQLite', 'libpq-fe.h': 'libpq', 'microhttpd.h': 'libmicrohttpd', 'gcc-plugin.h': "GCC's plugin headers",
}

# Functions of the C library that a recorder interposes: others that call them mean the library's.
INTERPOSED = {'_exit', '_Exit'} | set('''
    accept clock_nanosleep cnd_broadcast cnd_signal cnd_timedwait cnd_wait connect epoll_wait
    execl execle execlp execv execve execveat execvp execvpe fexecve mtx_lock mtx_timedlock
    mtx_unlock pclose pthread_clockjoin_np pthread_key_create pthread_mutex_clocklock pthread_once
    pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock pthread_rwlock_timedrdlock
    pthread_rwlock_timedwrlock pthread_timedjoin_np sem_clockwait system thrd_create thrd_join
    thrd_sleep wait wait3 wait4 waitid waitpid epoll_pwait fflush fgets flock fread fsync fwrite nanosleep
    pause poll ppoll pselect sigsuspend sigtimedwait sigwait sigwaitinfo
    pread64 pthread_barrier_wait pthread_cond_broadcast pthread_cond_clockwait
    pthread_cond_signal pthread_cond_timedwait pthread_cond_wait pthread_create pthread_join
    pthread_mutex_lock pthread_mutex_timedlock pthread_mutex_unlock pthread_rwlock_rdlock
    pthread_rwlock_unlock pthread_rwlock_wrlock pthread_spin_lock pthread_spin_unlock pwrite64
    fcntl64 lockf64
    read recv select sem_post sem_timedwait sem_wait send sleep syscall usleep write
'''.split())


class Table:
    """The rows of ARCHITECTURE.md. Places end with `/`: `vm/` is a folder, `vm/term/` a room."""

    def __init__(self, text):
        self.uses, self.words = {}, {}
        for places, uses in ROW.findall(text):
            for place in PLACE.findall(places):
                unchecked = uses.strip() in ('everything', '–')
                self.uses[place] = None if unchecked else set(PLACE.findall(uses))
                self.words[place] = uses

    def checked(self):
        """Folders whose files have to obey."""
        return [place for place, uses in self.uses.items()
                if uses is not None and place.count('/') == 1]

    def room(self, path):
        """The row that a file, or its nearest folder with a row, is in."""
        place = os.path.dirname(path) + '/'
        while place not in self.uses and '/' in place[:-1]:
            place = os.path.dirname(place[:-1]) + '/'
        return place

    def rooms_of(self, folder):
        return [place for place in self.uses if place.startswith(folder) and place != folder]

    def wrong(self, user, used):
        """Why a file may not use another one, both named from the root; None: it may."""
        a, b = folder_of(user), folder_of(used)
        if b not in self.uses:
            return '"%s" is in no folder of the table' % used
        if a != b:
            return None if b in (self.uses[a] or ()) else '%s may not use %s' % (a, b)
        here, there = self.room(user), self.room(used)
        if here == there or here == a:
            return None
        if there == b and is_public(used):
            return None
        return None if there in self.uses[here] else '%s may not use %s' % (here, there)

    def circle(self):
        """Rows that use each other in a circle, or None. A room stands for itself; a folder is above
        its rooms."""
        graph = {place: set(uses or ()) for place, uses in self.uses.items()}
        for place in graph:
            if place.count('/') == 1:
                graph[place].update(self.rooms_of(place))
        done, path = set(), []

        def walk(place):
            if place in path:
                return path[path.index(place):] + [place]
            if place in done or place not in graph:
                return None
            path.append(place)
            for other in sorted(graph[place]):
                found = walk(other)
                if found:
                    return found
            path.pop()
            done.add(place)
            return None

        for place in sorted(graph):
            found = walk(place)
            if found:
                return found
        return None


def folder_of(path):
    return path.split('/')[0] + '/'


def is_public(path):
    return path.count('/') == 1 and path.endswith(('.h', '.def'))


def sources(root, folder):
    for place, folders, names in os.walk(os.path.join(root, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(SOURCES):
                yield os.path.relpath(os.path.join(place, name), root)


def top_folders(root):
    """All but hidden folders and builds, which may lie within the project."""
    for name in sorted(os.listdir(root)):
        path = os.path.join(root, name)
        if (os.path.isdir(path) and not name.startswith('.')
                and not os.path.exists(os.path.join(path, 'meson-private'))):
            yield name + '/'


def library_of(header):
    for beginning, library in LIBRARIES.items():
        if header.startswith(beginning):
            return library
    return None


# ---- Includes -----------------------------------------------------------------------------------

def meant(root, path, quoted):
    """The file that a source includes, named from the root: first it is looked for beside it."""
    beside = os.path.join(root, os.path.dirname(path), quoted)
    if os.path.exists(beside):
        return os.path.relpath(os.path.realpath(beside), os.path.realpath(root))
    return os.path.normpath(quoted)


def wrong_include(table, root, path, quoted):
    name = meant(root, path, quoted)
    if '/' not in name:  # of a library: all others are named from the root
        return None
    reason = table.wrong(path, name)
    if reason:
        return '"%s": %s' % (quoted, reason) if not reason.startswith('"') else reason
    if folder_of(path) != folder_of(name) and not is_public(name):
        return '"%s" is private to %s' % (quoted, folder_of(name))
    if is_public(path) and not is_public(name) and not name.endswith('.def'):
        return '"%s" is private, and this is a public header' % quoted
    return None


def wrong_library(table, path, header):
    library = library_of(header)
    if not library:
        return None
    place = table.room(path)
    places = [place] if not is_public(path) else [folder_of(path)] + table.rooms_of(folder_of(path))
    if any(library in table.words[at] for at in places if table.words.get(at)):
        return None
    return '<%s>: %s may not use %s' % (header, place, library)


def includes_of(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        text = file.read()
    for match in INCLUDE.finditer(text):
        yield text.count('\n', 0, match.start()) + 1, match.group(1), match.group(2)


def check_includes(root, table):
    """What is wrong, and which permissions were used: pairs of rooms."""
    found, used, checked = [], set(), 0
    for folder in table.checked():
        for path in sources(root, folder):
            checked += 1
            for line, quoted, angled in includes_of(root, path):
                if angled:
                    reason = wrong_library(table, path, angled)
                else:
                    reason = wrong_include(table, root, path, quoted)
                    name = meant(root, path, quoted)
                    used.add((table.room(path), table.room(name)))
                    used.add((folder_of(path), folder_of(name)))
                if reason:
                    found.append('%s:%d: %s' % (path, line, reason))
    return checked, found, used


def check_table(root, table):
    """What is wrong about the rows themselves."""
    circle = table.circle()
    if circle:
        yield 'ARCHITECTURE.md: a circle: ' + ' -> '.join(circle)
    for folder in top_folders(root):
        if folder not in table.uses and any(sources(root, folder)):
            yield '%s: no row of ARCHITECTURE.md has this folder' % folder
    for folder in table.checked():
        places = {os.path.dirname(path) + '/' for path in sources(root, folder)}
        for place in sorted(places - set(table.uses)):
            yield '%s: no row of ARCHITECTURE.md has this folder' % place
        for place in [folder] + table.rooms_of(folder):
            yield from check_row(root, table, place)


def check_row(root, table, place):
    if not os.path.isdir(os.path.join(root, place)):
        yield 'ARCHITECTURE.md: there is no %s' % place
        return
    readme = os.path.join(root, place, 'README.md')
    if not os.path.exists(readme):
        yield '%sREADME.md: it is missing' % place
    else:
        with open(readme, encoding='utf-8') as file:
            lines = len(file.read().rstrip('\n').split('\n'))
        if lines > MOST_README_LINES:
            yield '%sREADME.md: %d lines, more than %d' % (place, lines, MOST_README_LINES)
    for other in sorted(table.uses[place] or ()):
        if other not in table.uses:
            yield 'ARCHITECTURE.md: %s may use %s, which has no row' % (place, other)


def unused(table, used):
    """Permissions of the table that no include and no call needs."""
    for folder in table.checked():
        for place in [folder] + table.rooms_of(folder):
            for other in sorted(table.uses[place] or ()):
                if (place, other) not in used:
                    yield 'ARCHITECTURE.md: %s may use %s, but does not' % (place, other)


# ---- Calls --------------------------------------------------------------------------------------

def objects(root, build, table):
    """By source, named from the root: its object file. Objects of tests are left out."""
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        commands = json.load(file)
    checked = set(table.checked())
    found = {}
    for command in commands:
        source = os.path.normpath(os.path.join(command['directory'], command['file']))
        name = os.path.relpath(os.path.realpath(source), os.path.realpath(root))
        output = command['output']
        if folder_of(name) not in checked or output.startswith('tests/'):
            continue
        path = os.path.join(command['directory'], output)
        if os.path.exists(path):
            found.setdefault(name, path)
    return found


def symbols(objects_by_source):
    """Who defines each symbol, and what each source needs from others."""
    defined, needed = {}, collections.defaultdict(set)
    by_object = {path: source for source, path in objects_by_source.items()}
    done = subprocess.run(['nm', '-A', '-g'] + sorted(by_object), check=True, timeout=300,
                          stdout=subprocess.PIPE, universal_newlines=True)
    for line in done.stdout.split('\n'):
        path, _, rest = line.rpartition(':')
        words = rest.split()
        if path not in by_object or len(words) < 2:
            continue
        kind, name = words[-2], words[-1]
        if kind == 'U':
            needed[by_object[path]].add(name)
        elif kind in 'TDBRGSC' and name not in INTERPOSED:
            defined.setdefault(name, set()).add(by_object[path])
    return defined, needed


def check_calls(root, build, table):
    by_source = objects(root, build, table)
    defined, needed = symbols(by_source)
    found, used, calls = [], set(), 0
    for source, names in sorted(needed.items()):
        for name in sorted(names):
            definers = defined.get(name, ())
            if not definers or source in definers:
                continue
            calls += 1
            used.update((table.room(source), table.room(definer)) for definer in definers)
            used.update((folder_of(source), folder_of(definer)) for definer in definers)
            reasons = [table.wrong(source, definer) for definer in sorted(definers)]
            if all(reasons):
                found.append('%s uses %s of %s: %s' % (source, name, sorted(definers)[0],
                                                       reasons[0]))
    return len(by_source), calls, found, used


# ---- Planted violations -------------------------------------------------------------------------

TABLE = '''| place | what | may use |
|---|---|---|
| `high/` | above | `low/` (its reader), a library |
| `high/up/` | its upper room | `high/down/`, GTK |
| `high/down/` | its lower room | nothing |
| `low/` | below | C only |
| `low/deep/` | its room | nothing |
| `checks/` | tests | everything |
'''
README = 'One line.\n'

# By file: its text, and a part of the message that it must cause ('': none).
PLANTED = {
    'low/low.h': ('int low(void);\n', ''),
    'low/low.c': ('#include "low/low.h"\nint low(void) { return 1; }\n', ''),
    'low/README.md': (README, ''),
    'low/deep/inner.h': ('', ''),
    'low/deep/README.md': (README, ''),
    'high/high.h': ('#include "low/low.h"\n#include "high/up/names.def"\n', ''),
    'high/README.md': (README, ''),
    'high/top.c': ('#include "high/up/up.h"\n#include "high/down/down.h"\n'
                   '#include "low/public.def"\n', ''),
    'low/public.def': ('', ''),
    'high/leaks.h': ('#include "high/up/up.h"\n', 'is private, and this is a public header'),
    'high/up/README.md': (README, ''),
    'high/up/names.def': ('', ''),
    'high/up/up.h': ('int up(void);\n', ''),
    'high/up/good.c': ('#include "low/low.h"\n#include "high/high.h"\n#include "high/up/up.h"\n'
                       '#include "high/down/down.h"\n#include <stdio.h>\n#include <gtk/gtk.h>\n',
                       ''),
    'high/down/README.md': (README * 11, '11 lines, more than 10'),
    'high/down/down.h': ('int down(void);\n', ''),
    'high/down/back.c': ('#include "high/up/up.h"\n', 'high/down/ may not use high/up/'),
    'high/down/window.c': ('#include <gtk/gtk.h>\n', 'high/down/ may not use GTK'),
    'high/no-row/own.c': ('int own;\n', ''),
    'high/down/sub/own.c': ('int own;\n', ''),
    'low/deep/deeper/still/own.h': ('', ''),
    'new/inner/own.c': ('int own;\n', ''),
    'pages/page.md': (README, ''),
    'built/meson-private/page.md': (README, ''),
    'built/made.c': ('', ''),
    'checks/sub/own.c': ('int own;\n', ''),
    'high/private.c': ('#include "low/deep/inner.h"\n', 'private to low/'),
    'high/table.c': ('int a[] = {\n#include "low/deep/table.def"\n};\n', 'private to low/'),
    'high/by-path.c': ('#include "deep/inner.h"\n', 'in no folder'),
    'high/climbs.c': ('#include "../low/deep/inner.h"\n', 'private to low/'),
    'low/back.c': ('#include "high/high.h"\n', 'low/ may not use high/'),
    'low/beside.c': ('#include "low.h"\n', ''),
    'low/library.c': ('#include "of-a-library.h"\n', ''),
    'low/nowhere.c': ('#include "other/other.h"\n', 'in no folder'),
    'low/window.c': ('#include <gtk/gtk.h>\n', 'low/ may not use GTK'),
    'checks/all.c': ('#include "low/deep/inner.h"\n', ''),
}

# Found in the table and the folders, not at a file.
NO_ROW = ['high/down/sub/', 'high/no-row/', 'low/deep/deeper/still/', 'new/']

CALLS = {
    'low/low.c': ('int low(void) { return 1; }\n', ''),
    'low/back.c': ('int up(void); int back(void) { return up(); }\n', 'low/ may not use high/'),
    'high/up/up.c': ('int down(void); int low(void); int up(void) { return down() + low(); }\n', ''),
    'high/down/down.c': ('int down(void) { return 2; }\n', ''),
    'high/down/calls_up.c': ('int up(void); int calls_up(void) { return up(); }\n',
                             'high/down/ may not use high/up/'),
    'high/down/reads_up.c': ('extern int state; int reads_up(void) { return state; }\n',
                             'high/down/ may not use high/up/'),
    'high/up/state.c': ('int state = 1;\n', ''),
    'high/top.c': ('int up(void); int down(void); int top(void) { return up() + down(); }\n', ''),
}

CIRCLES = {
    '| `a/` | | `b/` |\n| `b/` | | `a/` |\n': True,
    '| `a/` | | C |\n| `a/x/` | | `a/y/` |\n| `a/y/` | | `a/x/` |\n': True,
    '| `a/` | | C |\n| `a/x/` | | `a/y/` |\n| `a/y/` | | C |\n': False,
}


def write_files(root, files):
    for name, (text, _) in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


def all_said(files, found):
    """Whether each file has just the message that was planted in it."""
    good = True
    for name, (_, message) in files.items():
        said = [text for text in found if re.match(re.escape(name) + '[: ]', text)]
        if len(said) != (message != '') or any(message not in text for text in said):
            print('%s: %s, wanted: %s' % (name, said, message or 'nothing'))
            good = False
    return good


def planted_includes():
    table = Table(TABLE)
    with tempfile.TemporaryDirectory() as root:
        write_files(root, PLANTED)
        _, found, used = check_includes(root, table)
        of_table = list(check_table(root, table))
    good = all_said({name: what for name, what in PLANTED.items() if name != 'high/down/README.md'},
                    found)
    if not any('high/down/README.md: 11 lines' in text for text in of_table):
        print('a README.md that is too long is not found')
        good = False
    no_row = [text.partition(': no row of')[0] for text in of_table if ': no row of' in text]
    if sorted(no_row) != NO_ROW:
        print('without a row: %s, wanted: %s' % (sorted(no_row), NO_ROW))
        good = False
    for uses, wanted in (used, False), (set(), True):
        said = 'ARCHITECTURE.md: high/up/ may use high/down/, but does not' in unused(table, uses)
        if said != wanted:
            print('a permission that is %sused is %sfound' % ('' if uses else 'not ', '' if said else 'not '))
            good = False
    return good


def planted_calls(cc):
    table = Table(TABLE)
    with tempfile.TemporaryDirectory() as root:
        write_files(root, CALLS)
        commands = []
        for name in CALLS:
            output = name.replace('/', '_') + '.o'
            subprocess.run(cc + ['-c', '-o', output, name], check=True, cwd=root, timeout=600)
            commands.append({'directory': root, 'file': name, 'output': output})
        with open(os.path.join(root, 'compile_commands.json'), 'w', encoding='utf-8') as file:
            json.dump(commands, file)
        checked, _, found, _ = check_calls(root, root, table)
    return all_said(CALLS, found) and checked == len(CALLS)


def planted_circles():
    good = True
    for text, wanted in CIRCLES.items():
        if (Table(text).circle() is not None) != wanted:
            print('a circle is %sfound in\n%s' % ('not ' if wanted else '', text))
            good = False
    return good


def main():
    what = sys.argv[1]
    if what == 'planted':
        return 0 if planted_includes() & planted_calls(sys.argv[2:]) & planted_circles() else 1
    root = sys.argv[2]
    with open(os.path.join(root, 'ARCHITECTURE.md'), encoding='utf-8') as file:
        table = Table(file.read())
    if what == 'includes':
        checked, found, _ = check_includes(root, table)
        found += check_table(root, table)
        print('%d files of %d rows' % (checked, len(table.uses)))
    else:
        if not shutil.which('nm'):
            print('SKIPPED: nm is not installed', file=sys.stderr)
            return 77
        checked, calls, found, used = check_calls(root, sys.argv[3], table)
        found += unused(table, used | check_includes(root, table)[2])
        print('%d object files, %d uses of symbols across files' % (checked, calls))
    for text in found:
        print(text)
    print('%d violations' % len(found))
    return 0 if checked > 100 and not found else 1


if __name__ == '__main__':
    sys.exit(main())
