# SPDX-License-Identifier: MIT
"""A server of PostgreSQL for a test."""

import os
import pwd
import subprocess


class Server:
    """PostgreSQL in a folder, reached through a socket there. It refuses to run as root."""

    def __init__(self, folder):
        self.folder = folder
        versions = sorted(os.listdir('/usr/lib/postgresql')) if os.path.isdir('/usr/lib/postgresql') else []
        self.bin = '/usr/lib/postgresql/%s/bin/' % versions[-1] if versions else None

    def run(self, *words):
        command = [self.bin + words[0]] + list(words[1:])
        if os.getuid() == 0:
            user = pwd.getpwnam('postgres')
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            command = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] + command
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       cwd=self.folder)

    def __enter__(self):
        data = self.folder + '/data'
        self.run('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8')
        self.run('pg_ctl', '-D', data, '-w', '-l', self.folder + '/log', '-o',
                 '-k %s -c listen_addresses= -c fsync=off' % self.folder, 'start')
        return 'host=%s dbname=postgres user=postgres' % self.folder

    def __exit__(self, *_):
        self.run('pg_ctl', '-D', self.folder + '/data', '-m', 'immediate', 'stop')
