#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ninja commands` builds every program that is installed, and every library that a command loads.

usage: commands.py ROOT BUILD
"""

import glob
import json
import os
import re
import sys

BUILT = ('executable', 'shared library', 'shared module')


def made_by_commands(build):
    with open(os.path.join(build, 'build.ninja'), encoding='utf-8') as file:
        line = re.search(r'^build commands: phony (.*)$', file.read(), re.M)
    return {os.path.basename(word) for word in line.group(1).split()} if line else set()


def installed(build):
    with open(os.path.join(build, 'meson-info/intro-targets.json'), encoding='utf-8') as file:
        targets = json.load(file)
    return {os.path.basename(path): target['installed'] for target in targets if target['type'] in BUILT
            for path in target['filename']}


def loaded(root):
    """The libraries that kpx-bridge looks for beside itself."""
    names = set()
    for path in glob.glob(os.path.join(root, 'kpx-bridge/**/*.c'), recursive=True):
        with open(path, encoding='utf-8') as file:
            names |= set(re.findall(r'libkpx-\w+\.so', file.read()))
    return names


def main(root, build):
    made, all_built = made_by_commands(build), installed(build)
    wanted = {name for name, is_installed in all_built.items() if is_installed}
    wanted |= loaded(root) & set(all_built)  # others this build does not have
    missing = sorted(wanted - made)
    for name in missing:
        print('not built by `ninja commands`: ' + name)
    if not wanted:
        print('no program is installed')
    sys.exit(1 if missing or not wanted else 0)


if __name__ == '__main__':
    main(*sys.argv[1:3])
