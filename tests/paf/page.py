#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`paf export -o FILE.html`: pages of runs, and what they do in a browser.

usage: page.py FLENG PAF BRIDGE [--browser] TRACE...
       BRIDGE is kpx-bridge, or - where there is none. The TRACEs are exported, too; with --browser, all
       pages are driven in Chromium
"""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import browser as chromium  # noqa: E402

MOST_BYTES = 2 << 20  # of a run of 10^5 reductions or more

PIPE = '''main :- argv(A), start(A).
start([S|_]) :- number_string(N, S), generate(2, N, Xs), sift(Xs, Ps), count(Ps, 0, C), writeln(C).
generate(I, N, Xs) :- I =< N | Xs = [I|Ys], J := I + 1, generate(J, N, Ys).
generate(I, N, Xs) :- I > N | Xs = [].
sift([P|Xs], Ps) :- Ps = [P|Qs], filter(Xs, P, Ys), sift(Ys, Qs).
sift([], Ps) :- Ps = [].
filter([X|Xs], P, Ys) :- M := X mod P, keep(M, X, Xs, P, Ys).
filter([], _, Ys) :- Ys = [].
keep(0, _, Xs, P, Ys) :- filter(Xs, P, Ys).
keep(M, X, Xs, P, Ys) :- M > 0 | Ys = [X|Zs], filter(Xs, P, Zs).
count([_|Ps], C0, C) :- C1 := C0 + 1, count(Ps, C1, C).
count([], C0, C) :- C = C0.
'''
PARTS = 'gen=generate/3 sift=sift/2 filter=filter/3 count=count/3'
STUCK = 'main :- p(X, Y), q(Y, X).\np(a, Y) :- Y = 1.\nq(1, X) :- X = a.\n'

# Texts that would do something if any of them were not escaped.
EVIL = ['</script><script>alert(1)</script>', '<img src=x onerror=alert(1)>', '"><svg onload=alert(1)>',
        "');alert(1);('", '<!--<script>', '${alert(1)}', '&lt;b&gt;']
EVIL_PROGRAM = ''.join(
    'main :- %s.\n' % ', '.join("'%s'(X%d, Y%d), '%s b'(Y%d, X%d, 50)" % (name, i, i, name, i, i)
                                for i, name in enumerate(e.replace("'", "\\'") for e in EVIL))
    if part == 'main' else
    ''.join("'{0}'(X, Y) :- Y = '{0}', X = \"{1}\".\n'{0} b'(_, X, 0) :- use(X).\n"
            "'{0} b'(Y, X, N) :- N > 0 | M := N - 1, '{0} b'(Y, X, M).\n".format(
                e.replace("'", "\\'"), e.replace('"', '\\"')) for e in EVIL) + 'use("a") :- true.\nuse(_).\n'
    for part in ('main', 'rest'))

failures = []


def check(what, holds, seen=''):
    if not holds:
        failures.append('%s: %s' % (what, seen))
        print('FAILED', failures[-1])


def run(*words, fails=False, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=1000, check=False, **more)
    if not fails and done.returncode != 0:
        sys.exit('%s: %d\n%s' % (words, done.returncode, done.stderr))
    return done


def data_of(page):
    with open(page, encoding='utf-8') as file:
        text = file.read()
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return text, json.loads(match.group(1))


# ---- Without a browser ------------------------------------------------------------------------

def check_frame(name, page):
    text, data = data_of(page)
    style = re.search(r'<style>(.*?)</style>', text, re.S).group(1)
    script = text[text.rindex('<script>') + 8:text.rindex('</script>')]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    for kind, part in (('style-src', style), ('script-src', script)):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        check(name + ': policy', "%s 'sha256-%s';" % (kind, digest) in policy, policy)
    check(name + ': policy', policy.startswith("default-src 'none';") and 'unsafe' not in policy, policy)
    check(name + ': elements', text.count('<script') == 2 and text.count('</script') == 2, text[:200])
    outside = set(re.findall(r'https?://[^\s"\'<)\\]*', style + script)) - {'http://www.w3.org/2000/svg'}
    check(name + ': addresses', not outside, outside)
    check(name + ': control characters', not re.search('[\x00-\x08\x0b-\x1f\x7f]', text))
    return data


# The figures are those of the report.
def check_figures(paf, name, data, trace, options):
    report = json.loads(run(paf, 'report', '--json', *options, trace).stdout)
    own = {m['name']: m for m in data['modules']}
    for module in report['modules']:
        if module['name'] in own:
            check('%s: %s' % (name, module['name']), own[module['name']]['critical'] == module['critical'],
                  (own[module['name']]['critical'], module['critical']))
    told = [f['text'].replace(',', '') for f in data['findings'] if not f.get('note')]
    check(name + ': findings', told == [f['text'].replace(',', '') for f in report['findings']], told)
    notes = [f['title'] for f in data['findings'] if f.get('note')]
    check(name + ': notes', notes == [n['title'] for n in report['notes']], notes)
    view = data['views'][0]
    if view['unit'] == 'steps':
        check(name + ': end', view['end'] == report['span'], view['end'])
        sums = sum(sum(v for v in c if v > 0) for c in view['curves']) * view['width'] / view['scale']
        work = report['work']
        check(name + ': work', abs(sums - work) <= 0.001 * work + 1, (sums, work))


def check_refusals(paf, folder, trace):
    out = os.path.join(folder, 'no.html')
    for words in (['--view', 'places', trace], ['--from', '3', trace], ['--select', 'p/2', trace],
                  ['--clock', 'real', trace], [trace] * 3, []):
        done = run(paf, 'export', '-o', out, *words, fails=True)
        check('refused %s' % words, done.returncode == 2 and 'paf export: ' in done.stderr, done.stderr)
        check('refused %s' % words, not os.path.exists(out))


# style.css has the colours of palette.c.
def check_colours():
    with open(os.path.join(ROOT, 'paf/draw/palette.c'), encoding='utf-8') as file:
        palette = file.read()
    with open(os.path.join(ROOT, 'paf/page/style.css'), encoding='utf-8') as file:
        themes = re.findall(r':root \{(.*?)\}', file.read(), re.S)
    for i, theme in enumerate(('light', 'dark')):
        block = re.search(r'static const paf_theme %s = \{(.*?)\n\};' % theme, palette, re.S).group(1)
        colours = dict(re.findall(r'\.(\w+) = RGB\(0x(\w{6})\)', block))
        own = dict(re.findall(r'--([\w-]+): #(\w{6})', themes[i]))
        for name, value in own.items():
            check('%s theme' % theme, colours.get(name.replace('-', '_')) == value, (name, value))
        check('%s theme' % theme, len(own) >= 15, own)


def check_size(name, page, remarks):
    _, data = data_of(page)
    size = os.path.getsize(page) - sum(len(s['text']) for s in data['runs'][0]['sources'])
    check(name + ': size', size <= MOST_BYTES, size)
    check(name + ': remarks', bool(data['runs'][0]['remarks']) == remarks, data['runs'][0]['remarks'])


# ---- Making the pages -------------------------------------------------------------------------

class Pages:
    def __init__(self, fleng, paf, bridge, folder):
        self.fleng, self.paf, self.bridge, self.folder = fleng, paf, bridge, folder
        self.pages, self.traces = {}, {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def trace(self, name, program, *options, file=None, arguments=(), fails=False):
        source = self.path(file or name + '.fl')
        with open(source, 'w', encoding='utf-8') as out:
            out.write(program)
        self.traces[name] = self.path(name + '.paf')
        run(self.fleng, *options, '-trace=' + self.traces[name], source, '--', *arguments, fails=fails)

    # A measured run: slices of threads, as (thread, name, start, length), in a Chrome trace.
    def measured(self, name, threads, slices):
        events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': i, 'args': {'name': text}}
                  for i, text in enumerate(threads)]
        events += [{'ph': 'X', 'pid': 1, 'tid': tid, 'name': text, 'ts': start, 'dur': length}
                   for tid, text, start, length in slices]
        with open(self.path(name + '.json'), 'w', encoding='utf-8') as out:
            json.dump({'traceEvents': events}, out)
        self.traces[name] = self.path(name + '.paf')
        run(self.bridge, 'import', '-o', self.traces[name], self.path(name + '.json'))

    def page(self, name, *traces, options=()):
        self.pages[name] = self.path(name + '.html')
        run(self.paf, 'export', *options, '-o', self.pages[name], *traces)
        data = check_frame(name, self.pages[name])
        if len(traces) == 1:
            check_figures(self.paf, name, data['runs'][0], traces[0], options)
        return data


def make_pages(made, traces):
    paths = os.path.join(ROOT, 'apps/bestpath')
    for name in 'ab':
        made.traces[name] = made.path(name + '.paf')
        run(made.fleng, '-trace=' + made.traces[name], os.path.join(paths, name + '.fl'), cwd=ROOT)
        made.page(name, made.traces[name])
    made.traces['real'] = made.path('real.paf')
    run(made.fleng, '-time=real', '-j', '2', '-trace=' + made.traces['real'], os.path.join(paths, 'a.fl'),
        cwd=ROOT)
    made.page('real', made.traces['real'])
    made.page('two', made.traces['a'], made.traces['b'])
    made.trace('stuck', STUCK, fails=True)
    made.page('stuck', made.traces['stuck'])
    made.trace('evil', EVIL_PROGRAM, file='<img src=x onerror=alert(1)>.fl', fails=True)
    made.page('evil', made.traces['evil'])
    if made.bridge != '-':
        made.measured('evil-measured', EVIL, [(i, e, 500 * i, 1000) for i, e in enumerate(EVIL)])
        made.page('evil-measured', made.traces['evil-measured'])
    for path in traces:
        name = 'given-' + os.path.splitext(os.path.basename(path))[0]
        made.traces[name] = path
        made.page(name, path)


def check_files(made):
    again = made.path('again.html')
    run(made.paf, 'export', '-o', again, made.traces['a'])
    with open(again, 'rb') as one, open(made.pages['a'], 'rb') as other:
        check('the same bytes', one.read() == other.read())
    check_refusals(made.paf, made.folder, made.traces['a'])
    check_colours()
    made.trace('pipe', PIPE, arguments=['1700'])
    made.page('pipe', made.traces['pipe'], options=('-p', PARTS))
    check_size('10^5 reductions', made.pages['pipe'], True)
    made.trace('long', PIPE, arguments=['6200'])
    run(made.paf, 'export', '-p', PARTS, '-o', made.path('long.html'), made.traces['long'])
    made.pages['long'] = made.path('long.html')
    check_size('10^6 reductions', made.pages['long'], True)
    check_size('few reductions', made.pages['a'], False)
    if made.bridge != '-':
        made.measured('crowd', ['thread %d' % i for i in range(8)],
                      [(i, 'work %d' % (k % 5), 40 * k + i, 5 + 7 * (k % 3))
                       for i in range(8) for k in range(15000)])
        made.page('crowd', made.traces['crowd'])
        check_size('10^5 activities', made.pages['crowd'], True)
    _, data = data_of(made.pages['two'])
    compared = json.loads(run(made.paf, 'compare', '--json', made.traces['a'], made.traces['b']).stdout)
    for key in ('findings', 'new', 'achieved', 'modules'):
        check('comparison: ' + key, data['comparison'][key] == compared[key])


# ---- In a browser -----------------------------------------------------------------------------

# Where a thing of the rows is in the window, scrolled to.
PLACE = '''((what, run) => { const r = paf.runs[run], d = r.drawn;
  const s = d[what.list][what.index], y = s.y !== undefined ? s.y + 3 : (s.p.y + s.q.y) / 2;
  const x = s.p ? (s.p.x + s.q.x) / 2 : Math.max((s.s0 + s.s1) / 2, r.frame.x + 1);
  r.rowsBox.scrollTop = Math.max(y - 80, 0); r.picture.scrollIntoView({block: 'center'});
  const box = r.lanes.getBoundingClientRect();
  const inside = r.rowsBox.getBoundingClientRect();
  return [box.left + x, Math.min(Math.max(box.top + y, inside.top + 2), inside.bottom - 2)]; })'''


def place(b, kind, index, which=0):
    return b.evaluate('%s(%s, %d)' % (PLACE, json.dumps({'list': kind, 'index': index}), which))


def tip(b):
    return b.evaluate('paf.runs[0].tip.hidden ? null : paf.runs[0].tip.textContent')


def window(b, which=0):
    return b.evaluate('[paf.runs[%d].from, paf.runs[%d].to]' % (which, which))


def check_hover(b, name):
    count = b.evaluate('paf.runs[0].drawn.shapes.length')
    seen = 0
    for i in {0, count // 3, count // 2, count - 1} if count else ():
        b.move(*place(b, 'shapes', i))
        said = tip(b)
        seen += said is not None
        if said is not None:
            names = b.evaluate('(({spots, view}) => [...spots.map((s) => s[0]), ...(view.names || []),'
                               ' ...(view.goals || []).map((g) => g.name)])(paf.runs[0])')
            check(name + ': tip', any(n in said for n in names), said)
    check(name + ': boxes are pointed at', seen > 0 or count == 0, count)


# Rows of places answer wherever something was done, however short it was.
def check_rows(b, name):
    if b.evaluate('paf.runs[0].view.kind') != 'places':
        return
    answered = b.evaluate('''(() => { const r = paf.runs[0]; let n = 0, of = 0;
      for (const [row, lane] of r.drawn.plan.laneOf) for (const a of r.view.rows[row].act.slice(0, 2000)) {
        if (a.end === a.start) continue;
        of++; n += r.hit(r.frame.toX((a.start + a.end) / 2), lane.y + lane.h / 2)?.kind === 'act'; }
      return [n, of]; })()''')
    check(name + ': activities answer', answered[0] == answered[1] and answered[1] > 0, answered)


def check_choosing(b, name):
    if b.evaluate('paf.runs[0].drawn.shapes.length') == 0:
        return
    b.click(*place(b, 'shapes', 0))
    check(name + ': chosen', b.evaluate('paf.runs[0].chosen !== null'))
    check(name + ': marked', b.evaluate('document.querySelectorAll("svg .chosen").length') == 1)
    b.evaluate('paf.runs[0].chart.focus()')
    b.key(']')
    check(name + ': stepped', b.evaluate('paf.runs[0].chosen !== null'))
    b.key('Escape')
    check(name + ': nothing chosen', b.evaluate('paf.runs[0].chosen === null'))


def check_arrows(b, name):
    n = b.evaluate('paf.runs[0].drawn.arrows.filter((a) => a.kind === "arrow").length')
    if n == 0:
        return
    i = b.evaluate('paf.runs[0].view.arrow.findIndex((a) => a.fromNode >= 0 && a.toNode >= 0)')
    b.evaluate('paf.runs[0].choose({kind: "arrow", arrow: %d}, true)' % i)
    links = b.evaluate('paf.runs[0].details.querySelectorAll(".links button").length')
    check(name + ': ends of an arrow', links == 2, links)
    b.evaluate('paf.runs[0].chart.focus({preventScroll: true})')
    b.key('Enter')
    check(name + ': followed to its box', b.evaluate('paf.runs[0].chosen.kind') == 'node')
    rows = b.evaluate('[paf.runs[0].chosen.row, paf.runs[0].view.arrow[%d].fromRow]' % i)
    check(name + ': the box that made it', rows[0] == rows[1], rows)
    b.key('Enter')
    check(name + ': followed on', b.evaluate('paf.runs[0].chosen.kind') == 'arrow')


def check_time(b, name):
    b.evaluate('paf.runs[0].zoom(0, paf.runs[0].view.end + 1); paf.runs[0].chart.focus()')
    b.settle()
    whole = window(b)
    b.key('+')
    near = window(b)
    least = b.evaluate('LEAST_SPAN[paf.runs[0].view.unit]')
    if whole[1] - whole[0] > 2 * least:
        more = abs((near[1] - near[0]) * 2 - (whole[1] - whole[0]))
        check(name + ': zoomed', more < 1e-6 * whole[1], (whole, near))
        b.key('ArrowRight')
        check(name + ': later', window(b)[0] > near[0], window(b))
    b.key('0')
    check(name + ': whole', window(b) == whole, window(b))
    b.evaluate('window.scrollTo(0, 0)')
    left, top = b.evaluate('((q) => [q.left, q.top])(paf.runs[0].chart.getBoundingClientRect())')
    x, w = b.evaluate('[paf.runs[0].frame.x, paf.runs[0].frame.plotW]')
    b.drag(left + x + w * 0.25, top + 80, left + x + w * 0.5)
    share = (window(b)[1] - window(b)[0]) / (whole[1] - whole[0])
    if whole[1] > 40:
        check(name + ': dragged', abs(share - 0.25) < 0.02, (whole, window(b)))
    b.key('0')


def check_findings(b, name):
    for i, f in enumerate(b.evaluate('paf.runs[0].findings')):
        b.evaluate('paf.runs[0].cardsOfFindings[%d].querySelector("a").click()' % i)
        b.settle()
        focus = b.evaluate('paf.runs[0].view.focus[%d]' % i)
        current = b.evaluate('document.querySelectorAll(".finding[aria-current=true]").length')
        check(name + ': current', current == 1, current)
        if focus:
            w = window(b)
            check(name + ': zoomed to it', w[0] <= focus[0] and w[1] >= min(focus[1], w[1]), (w, focus))
            check(name + ': framed', b.evaluate('document.querySelectorAll(".finding-frame").length') >= 1)
        if f['places']:
            line = b.evaluate('paf.runs[0].source.querySelector(".lit span").textContent')
            check(name + ': source', line == str(f['places'][0][1]), (line, f['places']))
        check(name + ': its own address', '#run1-finding-%d' % (i + 1) in b.evaluate('location.href'))


# Every link and button there is.
def check_links(b, name):
    for i in range(b.evaluate('document.querySelectorAll("a[href]").length')):
        href = b.evaluate('(() => { const a = document.querySelectorAll("a[href]")[%d]; a.click(); '
                          'return a.getAttribute("href"); })()' % i)
        check(name + ': link', re.fullmatch(r'#run\d-(finding-\d+|source-\d+-\d+)', href), href)
    n = b.evaluate('document.querySelectorAll("button").length')
    b.evaluate('for (const x of [...document.querySelectorAll("button")]) x.click()')
    b.settle()
    check(name + ': buttons', n >= 5, n)


# As people would: "1,234", "12 %", "1.5 ms".
def check_sorting(b, name):
    for i in range(b.evaluate('paf.runs[0].tables.length')):
        column = b.evaluate('''(() => { const t = document.querySelectorAll(".tables table")[%d];
          const heads = [...t.querySelectorAll("th")], k = heads.findIndex((h) => h.className === "right");
          if (k < 0) return null;
          t.querySelectorAll("th button")[k].click();
          if (heads[k].getAttribute("aria-sort") !== "descending") t.querySelectorAll("th button")[k].click();
          const rows = paf.runs[0].tables[%d].rows.map((r) => worth(r[k])).sort((a, b) => b - a);
          const first = [...t.querySelectorAll("tbody tr")].map((r) => r.children[k].textContent);
          const of = new Map(paf.runs[0].tables[%d].rows.map((r) => [r[k].t, r[k].v]));
          return [rows.slice(0, first.length), first.map((x) => of.get(x))]; })()''' % (i, i, i))
        if column:
            same = all(abs(x - y) <= 0.005 * abs(x) for x, y in zip(*column))
            check('%s: table %d' % (name, i), same, column)


def check_reader(b, name):
    tree = b.ask('Accessibility.getFullAXTree')['nodes']
    told = [(n['role']['value'], n.get('name', {}).get('value', ''))
            for n in tree if not n.get('ignored') and 'role' in n]
    for role in ('button', 'link', 'columnheader', 'combobox'):
        check('%s: %s without a name' % (name, role), all(text for r, text in told if r == role))
    check(name + ': headings', sum(r == 'heading' for r, _ in told) >= 4, told[:20])
    pictures = [text for role, text in told if role in ('group', 'image', 'img')]
    check(name + ': the picture', any('Parallelism' in text for text in pictures), pictures)


def check_phone(b, name, page):
    for dark in (False, True):
        b.open(page, width=390, height=844, dark=dark, phone=True)
        wide = b.evaluate('document.documentElement.scrollWidth')
        check(name + ': fits a phone', wide <= 390, wide)
        colour = b.evaluate('getComputedStyle(document.body).backgroundColor')
        check(name + ': theme', colour == ('rgb(30, 30, 34)' if dark else 'rgb(250, 250, 251)'), colour)
        check(name + ': drawn', b.evaluate('document.querySelectorAll("svg .layer").length') > 0)


def check_two(b, page):
    b.open(page)
    b.evaluate('paf.runs[0].zoom(10, 60)')
    b.settle()
    check('two: tied', window(b, 0) == window(b, 1), (window(b, 0), window(b, 1)))
    b.evaluate('paf.runs[0].zoom(0, paf.runs[0].view.end + 1)')
    b.settle()
    for which in (0, 1):
        said, last = b.evaluate('[paf.runs[%d].window.textContent, paf.runs[%d].view.last]' % (which, which))
        check('two: no run is shown for longer than it took', ' %d of %d ' % (last, last) in said, said)
    scales = b.evaluate('paf.runs.map((r) => [...r.chart.querySelectorAll("text.tiny")].pop().textContent)')
    check('two: one scale', scales[0] == scales[1], scales)
    text = b.evaluate('document.body.innerText')
    check('two: fates', 'gone' in text and 'What became of the findings of a.paf' in text)


def check_page(b, name, page):
    b.open(page)
    check_hover(b, name)
    check_choosing(b, name)
    check_arrows(b, name)
    check_time(b, name)
    check_findings(b, name)
    check_sorting(b, name)
    check_reader(b, name)
    for i in range(b.evaluate('paf.runs[0].views.length')):
        b.evaluate('paf.runs[0].setClock(%d)' % i)
        b.settle()
        check_hover(b, '%s, clock %d' % (name, i))
        check_rows(b, '%s, clock %d' % (name, i))
    check_links(b, name)
    check_phone(b, name, page)


def check_evil(b, name, page):
    b.open(page)
    elements = b.evaluate('document.querySelectorAll("img, script, iframe, svg[onload]").length')
    check(name + ': elements', elements == 2, elements)
    # Behind the data and the script.
    text = b.evaluate('document.getElementById("main").textContent')
    check(name + ': as text', all(e in text for e in EVIL), text[:400])
    check(name + ': title', b.evaluate('document.title') == name + '.paf – Paf', b.evaluate('document.title'))


def drive(made):
    with chromium.Browser() as b:
        for name, page in made.pages.items():
            check_page(b, name, page)
        check_two(b, made.pages['two'])
        for name in made.pages:
            if name.startswith('evil'):
                check_evil(b, name, made.pages[name])
        check('dialogs', not b.dialogs, b.dialogs)
        check('the console', not b.complaints, b.complaints[:5])
        outside = [r for r in b.requests if not re.match('file:|about:', r)]
        check('requests', not outside, outside[:5])


def main():
    words = [w for w in sys.argv[1:] if w != '--browser']
    driven = '--browser' in sys.argv
    if driven and not chromium.find():
        print('SKIPPED: no Chromium (Debian: chromium)', file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        words = [w if w == '-' else os.path.abspath(w) for w in words]
        made = Pages(*words[:3], folder)
        make_pages(made, words[3:])
        if driven:
            drive(made)
        else:
            check_files(made)
    print('%d pages, %d failures' % (len(made.pages), len(failures)))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
