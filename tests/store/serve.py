#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`paf serve`: every page and link, whom it answers, hostile names, clients that misbehave, its end.

usage: serve.py FLENG PAF
"""

import concurrent.futures
import html.parser
import http.client
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse

import postgres
import samples

VOID = {'meta', 'link', 'input', 'br', 'hr', 'img'}
HOSTILE = '<script>alert(1)</script>"\'><img src=x onerror=alert(2)>&amp;\x1b[31m\u202e%s%n;DROP TABLE run--'
PROGRAM = '''main :- count(30, R), writeln(R).
count(0, R) :- R = done.
count(N, R) :- N > 0 | N1 := N - 1, count(N1, R).
'''


class Page(html.parser.HTMLParser):
    """Links of a page; complains of tags that do not match, and of what its policy forbids."""

    def __init__(self, text):
        super().__init__()
        self.links, self.open, self.wrong, self.words = [], [], [], []
        self.feed(text)
        if self.open:
            self.wrong.append('never closed: %s' % self.open)

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name.startswith('on') or name == 'style':
                self.wrong.append('%s: %s' % (tag, name))
            if name == 'href':
                self.links.append(value)
        if tag == 'script' and dict(attributes).get('src') != 'script.js':
            self.wrong.append('a script')

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        implied = {'li', 'p', 'dt', 'dd', 'option'}
        while self.open and self.open[-1] != tag and self.open[-1] in implied:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.wrong.append('</%s>' % tag)

    def handle_data(self, data):
        self.words.append(data)


class Server:
    """A `paf serve` while it runs."""

    def __init__(self, paf, folder, *words):
        self.process = subprocess.Popen([paf, 'serve', '--port', '0', *words], cwd=folder,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, universal_newlines=True)
        self.url = self.process.stdout.readline().strip()
        found = re.match(r'http://(.*):(\d+)(/.*)$', self.url)
        self.host, self.port, self.base = (found.group(1), int(found.group(2)),
                                           found.group(3)) if found else ('', 0, '')

    def ask(self, path, method='GET', absolute=False, **headers):
        client = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        client.putrequest(method, path if absolute else self.base + path, skip_host='Host' in headers)
        for name, value in headers.items():
            if value is not None:
                client.putheader(name.replace('_', '-'), value)
        client.endheaders()
        answer = client.getresponse()
        text = answer.read().decode('utf-8')
        client.close()
        return answer.status, text, answer.headers

    def raw(self, data, wait=5):
        with socket.create_connection(('127.0.0.1', self.port), timeout=wait) as client:
            client.sendall(data)
            try:
                return client.recv(65536)
            except socket.timeout:
                return b''

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        try:
            out, err = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return 'it did not end', '', ''
        return self.process.returncode, out, err


class Bench:
    def __init__(self, fleng, paf, folder):
        self.fleng, self.paf, self.folder = os.path.abspath(fleng), os.path.abspath(paf), folder
        self.passed = self.failed = 0

    def check(self, what, good, seen=''):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print('%s: %s' % (what, str(seen)[:2000]))

    def run(self, *words):
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120,
                              universal_newlines=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def store(self, *words):
        status, out, err = self.run(self.paf, 'store', *words)
        self.check('store %s' % ' '.join(words), status == 0, (out, err))


def fill(b, where='s.db'):
    """A store with traces, profiles, jobs and accesses."""
    with open(b.folder + '/p.fl', 'w', encoding='utf-8') as file:
        file.write(PROGRAM)
    b.check('trace', b.run(b.fleng, '-trace=p.paf', 'p.fl')[0] == 0)
    b.store('add', '--store', where, 'p.paf')
    for name, base in (('slow', 1000), ('fast', 600), ('mid', 800)):
        for i in range(5):
            folder = '%s%d' % (name, i)
            samples.tau(os.path.join(b.folder, folder), [base + 10 * i, 2 * base + 7 * i])
            b.store('import', '--store', where, '--application', 'heat', '--condition', 'code=' + name,
                    folder)
    for name, text, application in (('.ninja_log', samples.NINJA, 'build'), ('sacct.txt', samples.SACCT,
                                                                             'cluster'),
                                    ('strace.txt', samples.STRACE, 'wc')):
        samples.write(os.path.join(b.folder, name), text)
        b.store('import', '--store', where, '--application', application, name)
    b.store('sql', '--store', where, '--keep', 'slowest', 'SELECT name FROM function LIMIT 5')
    b.store('sql', '--store', where, '--keep', 'of kind', 'SELECT name FROM function WHERE kind = :kind')


def fill_hostile(b):
    """Every text of every table is hostile."""
    shutil.copy(b.folder + '/s.db', b.folder + '/h.db')
    with sqlite3.connect(b.folder + '/h.db') as db:
        tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for column in db.execute('PRAGMA table_info(%s)' % table).fetchall():
                if column[2] != 'TEXT' or (table, column[1]) in (('run', 'unit'), ('run', 'digest')):
                    continue
                numbered = "? || '=' || rowid" if column[1] == 'name' else '? || rowid'
                db.execute('UPDATE %s SET %s = %s' % (table, column[1], numbered), (HOSTILE,))
        db.execute("INSERT INTO message SELECT run, MIN(id), MAX(id), 5, 500 FROM place GROUP BY run "
                   "HAVING COUNT(*) > 1")


def crawl(b, server, start, most=400):
    """Every link from the first page on; all of them answer, and no page breaks."""
    waiting, seen = list(start), set()
    while waiting and len(seen) < most:
        link = waiting.pop(0)
        if link in seen or link.startswith('#'):
            continue
        seen.add(link)
        status, text, headers = server.ask(link)
        good = status == 200 or ('trace' in link or 'source' in link) and status == 404
        b.check('%s' % link, good, (status, text))
        if not headers['Content-Type'].startswith('text/html'):
            continue
        if '<style>' in text:  # of `paf export`: its own tests look at it
            b.check('policy of %s' % link, 'sha256-' in headers['Content-Security-Policy'] and
                    'unsafe' not in headers['Content-Security-Policy'] and '<script>alert' not in text)
            continue
        page = Page(text)
        b.check('markup of %s' % link, not page.wrong, page.wrong)
        b.check('nothing from elsewhere in %s' % link,
                all(not re.match(r'[a-z]+:|//|/', x) for x in page.links), page.links)
        waiting += [urllib.parse.urljoin('/', x)[1:] if x == './' else x for x in page.links]
    return seen


def conditions_of(server, application):
    _, text, _ = server.ask('conditions?' + urllib.parse.urlencode({'application': application}))
    return re.findall(r'name="c" value="(\d+)"', text), text


def check_pages(b, server):
    seen = crawl(b, server, [''])
    kinds = {x.split('?')[0] for x in seen}
    b.check('pages', kinds >= {'', 'conditions', 'run', 'function', 'jobs', 'accesses', 'trace', 'sql',
                               'style.css'}, kinds)
    chosen, text = conditions_of(server, 'heat')
    b.check('three conditions', len(chosen) == 3, text)
    compare = 'compare?application=heat&' + '&'.join('c=' + c for c in chosen)
    status, text, _ = server.ask(compare)
    b.check('sentences', status == 200 and 'code=slow takes' in text and 'times as long' in text, text)
    rows = re.findall(r'<th scope="row"><a href="[^"]*">([^<]*)</a> <small>', text)
    b.check('most different first', rows and rows[0] == 'solve(double *, int)', rows)
    b.check('a bar for each', text.count('class="k3" tabindex') == len(rows), rows)
    for order, first in (('c1', 'main'), ('difference', 'solve(double *, int)'), ('-ratio', 'MPI_Send()')):
        _, text, _ = server.ask(compare + '&rank=' + order)
        rows = re.findall(r'<th scope="row"><a href="[^"]*">([^<]*)</a> <small>', text)
        b.check('order %s' % order, len(rows) > 1, rows)
    status, text, _ = server.ask(compare + '&rank=nowhere')
    b.check('a wrong order', status == 400 and 'nowhere' in text, text)
    for bad in ('compare?application=heat&c=' + chosen[0],
                'compare?application=heat' + 7 * ('&c=' + chosen[0]),
                'compare?application=nothing&c=1&c=2', 'compare', 'messages?application=heat',
                'run?run=99999', 'run?run=-1',
                "run?run=1'", 'jobs', 'accesses?run=x',
                'function?application=heat&function=99999', 'sql?query=none',
                'trace?run=99999', 'source?run=1', 'conditions?application=none'):
        status, text, _ = server.ask(bad)
        b.check(bad, status in (400, 404) and not Page(text).wrong, (status, text))
    crawl(b, server, [compare, compare + '&metric=inclusive&top=all', compare + '&kind=mpi'], 60)


def check_left_out(b, server):
    chosen, text = conditions_of(server, 'heat')
    run = re.search(r'name="off" value="(\d+)"', text).group(1)
    _, less, _ = server.ask('conditions?application=heat&off=' + run)
    b.check('a run is left out', '4 of 5' in less, less)
    compare = 'compare?application=heat&c=%s&c=%s' % tuple(chosen[:2])
    _, whole, _ = server.ask(compare)
    _, less, _ = server.ask(compare + '&off=' + run)
    b.check('means change', re.findall(r'<td class="number">(\d+)</td>', less) !=
            re.findall(r'<td class="number">(\d+)</td>', whole), less)
    runs = re.findall(r'name="off" value="(\d+)"', text)
    status, text, _ = server.ask(compare + ''.join('&off=' + r for r in runs))
    b.check('none is left', status == 400 and 'no trial' in text, text)


def check_sorting(b, server):
    for order in ('k:code', 'f:elapsed', 'trials'):
        forth = server.ask('conditions?application=heat&order=' + order)[1]
        back = server.ask('conditions?application=heat&turned=1&order=' + order)[1]
        words = [re.findall(r'<td>(slow|fast|mid)</td>', t) for t in (forth, back)]
        if order != 'trials':
            b.check('sorted by %s' % order, words[0] == words[1][::-1] and len(words[0]) == 3, words)
        b.check('it says so: %s' % order, 'aria-sort=' in forth, forth)
    text = server.ask('conditions?application=heat&column=k:code&column=f:elapsed')[1]
    b.check('chosen columns', 'Processor time</a>' not in text and 'Elapsed</a>' in text, text)


def check_sql(b, server):
    quote = urllib.parse.quote
    text = server.ask('sql?text=' + quote("SELECT COUNT(*) AS n, 'x<y' AS t FROM run"))[1]
    b.check('an answer', '<td class="number">19</td>' in text and 'x&lt;y' in text, text)
    for bad in ('DELETE FROM run', "ATTACH '/etc/passwd' AS x", 'PRAGMA user_version = 1',
                'SELECT 1; SELECT 2',
                "SELECT load_extension('x')", 'nonsense', 'UPDATE run SET enabled = 0'):
        status, text, _ = server.ask('sql?text=' + quote(bad))
        b.check(bad, status == 200 and 'role="alert"' in text, text)
    text = server.ask('sql?query=of%20kind')[1]
    b.check('asks for values', 'name="with_kind"' in text and 'give each a value' in text, text)
    text = server.ask('sql?with_kind=mpi&text=' + quote('SELECT name FROM function WHERE kind = :kind'))[1]
    b.check('with a value', 'MPI_Send()' in text, text)
    text = server.ask('sql?text=' + quote('WITH RECURSIVE x(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x) '
                                          'SELECT i FROM x LIMIT 5000'))[1]
    b.check('many rows', '1000 rows' in text, text[-500:])


ENDLESS = 'sql?text=' + urllib.parse.quote('WITH RECURSIVE x(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x) '
                                           'SELECT COUNT(*) FROM x')


def processor_time(pid):
    with open('/proc/%d/stat' % pid, encoding='utf-8') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def check_cancelling(b, server):
    """Endless questions whose askers leave end; pages answer meanwhile."""
    clients = []
    for _ in range(6):
        client = socket.create_connection(('127.0.0.1', server.port))
        client.sendall(('GET %s%s HTTP/1.1\r\nHost: localhost\r\n\r\n' % (server.base, ENDLESS)).encode())
        clients.append(client)
    time.sleep(0.5)
    begun = time.monotonic()
    b.check('a page meanwhile', server.ask('')[0] == 200 and time.monotonic() - begun < 20)
    for client in clients:
        client.close()
    time.sleep(2)
    before = processor_time(server.process.pid)
    time.sleep(1)
    b.check('questions are cancelled', processor_time(server.process.pid) - before < 0.5)
    b.check('another question', server.ask('sql?text=SELECT%201')[0] == 200)


def check_guards(b, server):
    own = 'localhost:%d' % server.port
    for host, status in ((own, 200), ('127.0.0.1', 200), ('[::1]:99', 200), ('LOCALHOST', 200),
                         ('evil.example', 403),
                         ('localhost.evil.example', 403), ('127.0.0.1.evil.example', 403), ('192.168.1.1',
                                                                                            403),
                         ('localhost:x', 403), ('', 403), ('localhost:', 403), ('[::1',
                                                                                403), ('localhost@evil',
                                                                                       403)):
        b.check('Host: %s' % host, server.ask('', Host=host)[0] == status, server.ask('', Host=host)[:2])
    for method in ('POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'NONSENSE'):
        status, _, headers = server.ask('', method=method)
        b.check(method, status == 405 and headers['Allow'] == 'GET, HEAD', status)
    status, text, _ = server.ask('', method='HEAD')
    b.check('HEAD', (status, text) == (200, ''), (status, text))
    for path in ('../../../../etc/passwd', '..%2f..%2fetc/passwd', 'style.css/../../x', './/etc/passwd',
                 'style.css.bak%00.css',
                 'run/../run', '%2e%2e/%2e%2e/etc/passwd', 'C:\\x', 'index.html'):
        status, text, _ = server.ask(path)
        b.check('path %s' % path, status in (400, 404) and 'root:' not in text, (status, text))
    status, text, _ = server.ask('sql?text=%00')
    b.check('a NUL', status == 400, (status, text))
    status, text, _ = server.ask('sql?text=%ff%fe')
    b.check('no UTF-8', status == 400, (status, text))
    _, _, headers = server.ask('')
    policy = headers['Content-Security-Policy']
    b.check('policy',
            "default-src 'none'" in policy and 'unsafe' not in policy and "frame-ancestors 'none'" in policy,
            policy)
    b.check('other headers', headers['X-Content-Type-Options'] == 'nosniff' and
            headers['Referrer-Policy'] == 'no-referrer' and
            not headers.get('Access-Control-Allow-Origin'), headers)


def check_rude_clients(b, server):
    """Half requests, slow ones, nonsense and very long ones; others are answered meanwhile."""
    slow = [socket.create_connection(('127.0.0.1', server.port)) for _ in range(60)]
    for client in slow:
        client.sendall(b'GET / HTTP/1.1\r\nHo')
    for data in (b'\r\n\r\n', b'GET\r\n\r\n', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + bytes(200),
                 b'GET / HTTP/9.9\r\n\r\n',
                 b'GET /' + b'a' * 200000 + b' HTTP/1.1\r\nHost: localhost\r\n\r\n',
                 b'GET / HTTP/1.1\r\nHost: localhost\r\n' + b'X: y\r\n' * 20000 + b'\r\n',
                 b'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n',
                 b'GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
                 b'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n',
                 b'GET / HTTP/1.1\r\n\r\n'):
        try:
            answer = server.raw(data, 2)
        except OSError:
            answer = b''
        b.check('rude: %r' % data[:40], not answer.startswith(b'HTTP/1.1 200'), answer[:200])
    unread = socket.create_connection(('127.0.0.1', server.port))
    unread.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    for _ in range(50):
        unread.sendall(b'GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n')
    b.check('an answer meanwhile', server.ask('')[0] == 200)
    for client in slow[:30]:
        client.sendall(b'st: localhost\r\n\r\n')
        client.settimeout(20)
        b.check('a slow one', client.recv(100).startswith(b'HTTP/1.1 200'))
    for client in slow + [unread]:
        client.close()


def check_parallel(b, server):
    chosen, _ = conditions_of(server, 'heat')
    pages = ['', 'sql', 'conditions?application=heat', 'run?run=1', 'jobs?run=17',
             'sql?text=SELECT%20*%20FROM%20run',
             'compare?application=heat&c=%s&c=%s' % tuple(chosen[:2])]
    wanted = [server.ask(p)[1] for p in pages]
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        got = list(pool.map(lambda i: server.ask(pages[i % len(pages)])[:2], range(300)))
    b.check('300 in parallel', all(g == (200, wanted[i % len(pages)]) for i, g in enumerate(got)),
            [g[0] for g in got])


def check_changes(b, server):
    """What was kept of an answer goes when the store changes."""
    count = 'sql?text=SELECT%20COUNT(*)%20FROM%20run%20WHERE%20enabled%20=%201'
    before = server.ask(count)[1]
    b.store('disable', '--store', 's.db', '2')
    after = server.ask(count)[1]
    b.check('a change is seen', '>19<' in before and '>18<' in after, (before, after))
    b.store('enable', '--store', 's.db', '2')


def check_hostile(b):
    fill_hostile(b)
    server = Server(b.paf, b.folder, '--store', 'h.db')
    seen = crawl(b, server, [''])
    b.check('all pages of hostile names', len(seen) > 40, len(seen))
    application = re.findall(r'href="(conditions[^"]*)"', server.ask('')[1])
    for link in application:
        link = link.replace('&amp;', '&')
        text = server.ask(link)[1]
        chosen = re.findall(r'name="c" value="(\d+)"', text)[:6]
        if len(chosen) < 2:
            continue
        rest = link.split('?', 1)[1] + ''.join('&c=' + c for c in chosen)
        for page in ('compare?', 'messages?', 'messages?of=messages&'):
            status, text, _ = server.ask(page + rest)
            b.check('hostile %s' % page, status == 200 and not Page(text).wrong, (status, Page(text).wrong))
            b.check('nothing is let through', '<script>alert' not in text and '\x1b' not in text and
                    '\u202e' not in text and '<img' not in text, text)
    for name in ('query', 'text', 'application', 'order', 'with_x', HOSTILE):
        for page in ('sql', 'conditions', 'compare', 'run', ''):
            status, text, _ = server.ask(page + '?' + urllib.parse.urlencode({name: HOSTILE.replace('\x1b',
                                                                                                    '')}))
            b.check('%s=%s' % (page, name), '<script>alert' not in text and not Page(text).wrong, text)
    b.check('ends', server.end()[0] == 0)


def check_token(b):
    server = Server(b.paf, b.folder, '--store', 's.db', '--listen', '0.0.0.0')
    b.check('a token', re.match(r'/[0-9a-f]{32}/$', server.base), server.url)
    host = '127.0.0.1'
    b.check('with it', server.ask('', Host=host)[0] == 200)
    b.check('without its slash', server.ask(server.base[:-1], absolute=True, Host=host)[0] == 301)
    wrong = server.base[:5] + ('0' if server.base[5] != '0' else '1') + server.base[6:]
    for path in ('/', '/sql', wrong, '/' + server.base[2:], server.base[:-2] + '/', server.base[:-1] + '0/',
                 '//' + server.base,
                 server.base.upper() if server.base.upper() != server.base else '/x/', '/style.css'):
        status, text, _ = server.ask(path, absolute=True, Host=host)
        b.check('token %s' % path, status == 403 and server.base[1:-1] not in text, (status, text))
    b.check('another host', server.ask('', Host='evil.example')[0] == 403)
    b.check('the name of the machine', server.ask('', Host=socket.gethostname())[0] == 200)
    crawl(b, server, [''], 30)
    b.check('ends', server.end()[0] == 0)
    other = Server(b.paf, b.folder, '--store', 's.db', '--listen', '0.0.0.0')
    b.check('never the same', other.base != server.base)
    other.end()


def check_starting(b):
    server = Server(b.paf, b.folder, '--store', 's.db')
    status, out, err = b.run(b.paf, 'serve', '--store', 's.db', '--port', str(server.port))
    b.check('a port in use', status == 1 and 'in use already' in err and not out, (status, out, err))
    client = socket.create_connection(('127.0.0.1', server.port))
    client.sendall(('GET %s%s HTTP/1.1\r\nHost: localhost\r\n\r\n' % (server.base, ENDLESS)).encode())
    time.sleep(0.5)
    begun = time.monotonic()
    b.check('Ctrl-C during a question', server.end(signal.SIGINT) == (0, '',
                                                                      '') and time.monotonic() - begun < 10)
    client.close()
    for words, status, said in ((['--store', 'none.db'], 1, 'no such store'), (['--port', '70000'], 2,
                                                                               '65535'),
                                (['--port', 'x'], 2, 'port'), (['--listen', 'no.such.host.invalid'], 1,
                                                               'no address'),
                                (['--listen', '203.0.113.7'], 1, 'cannot listen'), (['none.paf'], 1,
                                                                                    'none.paf')):
        words = words if '--store' in words or words[0][0] != '-' else words + ['--store', 's.db']
        got, out, err = b.run(b.paf, 'serve', *words)
        b.check('serve %s' % words, got == status and said in err, (got, out, err))
    tmp = os.path.join(b.folder, 'tmp')
    os.mkdir(tmp)
    os.environ['TMPDIR'] = tmp
    server = Server(b.paf, b.folder, 'p.paf')
    text = server.ask('')[1]
    b.check('files alone', 'p.paf' in text and 'conditions?application=p' in text, text)
    status, text, headers = server.ask('trace?file=1')
    again = server.ask('trace?file=1')
    b.check('a file', status == 200 and 'p.paf' in text and '<style>' in text, (status, text[:500]))
    b.check('the same again', again[:2] == (status, text) and again[2]['Content-Security-Policy'] ==
            headers['Content-Security-Policy'], again[2])
    b.check('no other file', server.ask('trace?file=2')[0] == 404)
    source = re.search(r'href="(source[^"]*)"', server.ask('function?application=p&function=1')[1])
    if source:
        text = server.ask(source.group(1).replace('&amp;', '&'))[1]
        b.check('source', '<mark>' in text and 'count(N' in text, text)
    b.check('a hangup', server.end(signal.SIGHUP)[0] == 0)
    b.check('nothing is left', os.listdir(tmp) == [], os.listdir(tmp))
    del os.environ['TMPDIR']


def check_moved_trace(b):
    """A store that names some other file does not make the server read it."""
    shutil.copy(b.folder + '/s.db', b.folder + '/m.db')
    with sqlite3.connect(b.folder + '/m.db') as db:
        db.execute("UPDATE run SET path = '/etc/passwd'")
    server = Server(b.paf, b.folder, '--store', 'm.db')
    status, text, _ = server.ask('trace?run=1')
    b.check('not that file', status == 404 and 'root:' not in text, (status, text))
    b.check('ends', server.end()[0] == 0)


def check_server(b):
    """The same of a store on a server of PostgreSQL."""
    with tempfile.TemporaryDirectory() as data:
        place = postgres.Server(data)
        if not place.bin:
            print('server: skipped, as PostgreSQL is not installed')
            return
        with place as where:
            fill(b, where)
            server = Server(b.paf, b.folder, '--store', where)
            check_pages(b, server)
            check_left_out(b, server)
            check_sorting(b, server)
            named = urllib.parse.quote('SELECT name FROM function WHERE kind = :k')
            text = server.ask('sql?with_k=mpi&text=' + named)[1]
            b.check('an answer of the server', 'MPI_Send()' in text, text)
            text = server.ask('sql?text=' + urllib.parse.quote('DELETE FROM function'))[1]
            b.check('the server is only read', 'read-only' in text, text)
            client = socket.create_connection(('127.0.0.1', server.port))
            sleep = urllib.parse.quote("SELECT COUNT(*) FROM pg_sleep(25)")
            client.sendall(('GET /sql?text=%s HTTP/1.1\r\nHost: localhost\r\n\r\n' % sleep).encode())
            time.sleep(0.5)
            client.close()
            asleep = ("SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(25)%' AND "
                      "state = 'active' AND pid <> pg_backend_pid()")
            time.sleep(1)
            text = server.ask('sql?text=' + urllib.parse.quote(asleep))[1]
            b.check('a question on the server is cancelled', '<td class="number">0</td>' in text, text)
            b.check('ends', server.end() == (0, '', ''))


def main():
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(sys.argv[1], sys.argv[2], folder)
        if 'built without' in b.run(b.paf, 'serve', '--store', '')[2]:
            print('skipped: built without libmicrohttpd')
            sys.exit(77)
        fill(b)
        server = Server(b.paf, folder, '--store', 's.db')
        for check in (check_pages, check_left_out, check_sorting, check_sql, check_guards, check_rude_clients,
                      check_parallel, check_changes, check_cancelling):
            check(b, server)
        b.check('ends cleanly', server.end() == (0, '', ''))
        for check in (check_hostile, check_token, check_starting, check_moved_trace, check_server):
            check(b)
        print('%d passed, %d failed' % (b.passed, b.failed))
        sys.exit(b.failed > 0)


if __name__ == '__main__':
    main()
