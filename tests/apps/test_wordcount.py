#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The workflow of apps/wordcount: the right words, and what the store tells of its jobs and files."""

import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

PAF = os.path.abspath(sys.argv[1])
APP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'apps', 'wordcount', 'generate.py')


def check(good, *what):
    if not good:
        sys.exit('FAILED: ' + ' '.join(map(str, what)))


def run(*words, cwd=None):
    done = subprocess.run(words, capture_output=True, text=True, timeout=250, cwd=cwd, check=False)
    check(done.returncode == 0, words, done.stdout, done.stderr)
    return done.stdout


def is_right(folder):
    words = collections.Counter()
    for name in os.listdir(folder + '/texts'):
        with open(folder + '/texts/' + name, encoding='utf-8') as file:
            words.update(file.read().split())
    with open(folder + '/top', encoding='utf-8') as file:
        found = [(line.split()[1], int(line.split()[0])) for line in file]
    check(found == sorted(words.items(), key=lambda w: (-w[1], w[0]))[:10], found)


def tells_jobs(folder, store):
    for way in 'uneven', 'even':
        run(sys.executable, APP, folder + '/' + way, *(['--even'] if way == 'even' else []))
        run('ninja', '-j', '2', 'top', cwd=folder + '/' + way)
        is_right(folder + '/' + way)
        run(PAF, 'store', 'import', '--store', store, '--application', 'wordcount', '--condition',
            'texts=' + way, folder + '/%s/.ninja_log' % way)
    answer = json.loads(run(PAF, 'store', 'compare', '--json', '--store', store, 'texts=uneven',
                            'texts=even'))
    jobs = {j['name']: j for j in answer['jobs']}
    check(len(jobs) == 112 and all(j['jobs'] == [1, 1] for j in jobs.values()), len(jobs))
    check('counts/050' in jobs and jobs['all']['time'][0] >= 0, sorted(jobs))


# Read a hundred times by nobody, a text is one file of many: what a job reads does not depend on the machine.
def tells_files(folder, store):
    if not shutil.which('strace'):
        print('strace is not installed')
        return
    for name in 'top', 'all', '.ninja_log', 'counts/050':
        os.remove(folder + '/uneven/' + name)
    words = ['strace', '-f', '-ttt', '-T', '-y', '-e', 'trace=file,read,write,exit_group,execve',
             '-o', 'accesses', 'ninja', 'counts/050']
    done = subprocess.run(words, capture_output=True, text=True, timeout=250, cwd=folder + '/uneven',
                          check=False)
    if done.returncode:
        print('strace does not run here: ' + done.stderr[:200])
        return
    run(PAF, 'store', 'import', '--store', store, '--application', 'accesses', '--format', 'strace',
        folder + '/uneven/accesses')
    rows = json.loads(run(PAF, 'store', 'sql', '--json', '--store', store,
                          "SELECT SUM(bytes) FROM file_access WHERE access = 'read' AND "
                          "file LIKE '%texts/050'"))['rows']
    size = os.path.getsize(folder + '/uneven/texts/050')
    check(rows == [[size]], rows, size)


def main():
    if not shutil.which('ninja'):
        print('SKIPPED: ninja is not installed')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        tells_jobs(folder, folder + '/runs.db')
        tells_files(folder, folder + '/runs.db')


main()
