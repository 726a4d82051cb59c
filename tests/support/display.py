#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command on a virtual display of its own, and ends as the command does.

usage: display.py COMMAND [ARGUMENT...]

The X server chooses a free number for its display and tells it once it answers, so two tests never race
for a number. Only the command, which finds the display in DISPLAY, uses it; the server ends with it.
Skipped (77), aloud, if there is no virtual X server or no xdotool.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile

NEEDED = ('Xvfb', 'xdotool')
PATIENCE = 600  # seconds until a server that does not answer counts as broken
SERVER = ('Xvfb', '-screen', '0', '1500x1000x24', '-nolisten', 'tcp', '-noreset')
# Widgets without a desktop: no portals, no accessibility bus, no stored settings.
ENVIRONMENT = {'GDK_BACKEND': 'x11', 'GTK_USE_PORTAL': '0', 'NO_AT_BRIDGE': '1',
               'GSETTINGS_BACKEND': 'memory'}


def missing():
    """The tools that a display needs and that are not installed."""
    return [tool for tool in NEEDED if not shutil.which(tool)]


def start():
    """(server, name of its display). The server answers."""
    mine, its = os.pipe()
    server = subprocess.Popen(SERVER + ('-displayfd', str(its)), pass_fds=(its,),
                              stderr=subprocess.PIPE)
    os.close(its)
    told = b''
    while not told.endswith(b'\n') and select.select([mine], [], [], PATIENCE)[0]:
        part = os.read(mine, 16)
        if not part:
            break
        told += part
    os.close(mine)
    if not told.endswith(b'\n'):
        server.kill()
        sys.exit('no virtual display: ' + server.communicate()[1].decode(errors='replace'))
    server.stderr.close()
    return server, ':' + told.decode().strip()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    lacking = missing()
    if lacking:
        print('SKIPPED: not installed: ' + ', '.join(lacking), file=sys.stderr)
        return 77
    server, display = start()
    data = tempfile.mkdtemp()  # the desktop's list of recent files is not for tests
    env = dict(os.environ, DISPLAY=display, XDG_DATA_HOME=data, **ENVIRONMENT)
    env.pop('WAYLAND_DISPLAY', None)
    command = subprocess.Popen(sys.argv[1:], env=env)
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(number, lambda got, frame: command.send_signal(got))
    try:
        status = command.wait()
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(data, ignore_errors=True)
    return status if status >= 0 else 128 - status


if __name__ == '__main__':
    sys.exit(main())
