#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every command of docs/bridge.md and of the examples of docs/kpx-bridge.1, in their order, in a
folder of their own with the programs that they name.

All of them must succeed. Of a comment behind a command "writes FILE" is looked at, and a text in quotes
is how a line begins that it prints, up to a colon (what stands out in a run depends on the machine) and
figures aside. A window is opened under a virtual display,
or else only its file is asked for.

usage: bridge.py KPX-BRIDGE PAF APPS PAGE MANUAL [WHAT-IS-MISSING...]
Skipped (77), aloud, where a compiler, MPI or a recorder is missing.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import display

RANKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'recordings', 'ranks.paf')
NEEDED = ('clang-19', 'mpicc', 'mpirun', 'gfortran', 'gcc', 'make')
PREPARE = (
    'clang-19 -g -O1 -fopenmp heat.c -o heat -lm',
    'mpicc -g -O1 pipeline.c -o pipeline -lm',
    'OMPI_CC=clang-19 mpicc -g -O1 -fopenmp hybrid.c -o hybrid -lm',
    'gcc -g -O1 -pthread server.c -o server',
    'clang-19 -g -O1 -fopenmp -pthread server.c -o mixed',
)
# Two threads that take turns in a mutex; with OpenMP they are those of a region, too.
SERVER = r'''
#include <pthread.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int served;

static void *serve(void *data)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&turn);
        served++;
        pthread_mutex_unlock(&turn);
    }
    return data;
}

int main(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, serve, NULL) != 0)
        return 1;
    #pragma omp parallel num_threads(2)
    serve(NULL);
    pthread_join(other, NULL);
    return served == 0;
}
'''
MAKEFILE = 'all: other\nother: sweep.f\n\t$(FC) -O2 sweep.f -o other\n'


def commands(page, manual):
    """(command, comment) of each."""
    lines = []
    for kind, block in re.findall(r'^```([^\n]*)\n(.*?)^```$', page, re.S | re.M):
        if not kind:
            lines += block.splitlines()
    examples = re.search(r'^\.SH EXAMPLES\n\.nf\n(.*?)^\.fi', manual, re.S | re.M)
    lines += examples.group(1).replace('\\-', '-').splitlines()
    for line in lines:
        command, _, comment = line.partition('  #')
        if command.strip():
            yield command.strip(), comment.strip()


def without_figures(text):
    return re.sub(r'(?<![\w.:])\d[\d.]*', '#', text)


def shown(command, folder):
    """A window shows one picture and closes."""
    window = re.fullmatch(r'paf (\S+\.(?:paf|f66))', command)
    if not window:
        return command
    return '%s paf --screenshot %s/window.png %s' % (shlex.quote(display.__file__), folder, window.group(1))


def main():
    bridge, paf, apps, page, manual = (os.path.abspath(x) for x in sys.argv[1:6])
    missing = sys.argv[6:] + [tool for tool in NEEDED if not shutil.which(tool)] + display.missing()
    if missing:
        print('SKIPPED: not here: ' + ', '.join(missing), file=sys.stderr)
        return 77
    with open(page, encoding='utf-8') as file, open(manual, encoding='utf-8') as other:
        all_commands = list(commands(file.read(), other.read()))
    wrong = 0
    with tempfile.TemporaryDirectory(prefix='fleng-bridge-') as folder:
        env = dict(os.environ, LD_LIBRARY_PATH='/usr/lib/llvm-19/lib', GDK_BACKEND='x11',
                   GSETTINGS_BACKEND='memory', OMPI_ALLOW_RUN_AS_ROOT='1',
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_rmaps_base_oversubscribe='1',
                   OMPI_MCA_btl_vader_single_copy_mechanism='none', TMPDIR=folder)
        env['PATH'] = os.pathsep.join([os.path.dirname(bridge), os.path.dirname(paf), env['PATH']])
        for name in os.listdir(apps):
            shutil.copy(os.path.join(apps, name), folder)
        shutil.copy(RANKS, folder)
        os.mkdir(os.path.join(folder, 'apps'))
        os.symlink('..', os.path.join(folder, 'apps', 'bridge'))  # `cd apps/bridge` stays here
        with open(os.path.join(folder, 'Makefile'), 'w', encoding='utf-8') as file:
            file.write(MAKEFILE)
        with open(os.path.join(folder, 'server.c'), 'w', encoding='utf-8') as file:
            file.write(SERVER)

        def run(command):
            return subprocess.run(['bash', '-o', 'pipefail', '-c', command], cwd=folder, env=env,
                                  text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=240, check=False)

        for command, comment in [(c, '') for c in PREPARE] + all_commands:
            done = run(shown(command, folder))
            written = re.search(r'writes (\S+)', comment)
            begins = re.search(r'"([^":]+)', comment)
            printed = without_figures(done.stdout).split('\n')
            if done.returncode != 0 or \
                    (written and not os.path.exists(os.path.join(folder, written.group(1)))) or \
                    (begins and not any(line.startswith(without_figures(begins.group(1)))
                                        for line in printed)):
                wrong += 1
                print('FAILED (%d): $ %s  # %s\n%s%s' % (done.returncode, command, comment,
                                                        done.stdout, done.stderr))
    print('%d commands, %d wrong' % (len(all_commands), wrong))
    return 1 if wrong or len(all_commands) < 20 else 0


if __name__ == '__main__':
    sys.exit(main())
