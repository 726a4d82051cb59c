#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages of `paf serve` in Chromium: links, sorting, switches, cancelling, both themes, a phone.

usage: serve_browser.py FLENG PAF [FOLDER]      (pictures are left in FOLDER)
"""

import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import browser  # noqa: E402
import serve  # noqa: E402

CONTRAST = '''(() => {
  const light = c => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255)
    .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (!/, 0\\)/.test(c)) return c; } return 'rgb(255,255,255)'; };
  const poor = [];
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || e.closest('svg, title')) continue;
    const a = light(getComputedStyle(e).color), b = light(ground(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(e.tagName + ' ' + e.textContent.slice(0, 20) + ' ' + ratio.toFixed(2));
  }
  return poor;
})()'''
NAMELESS = '''[...document.querySelectorAll(
    'a, button, input:not([type=hidden]), select, textarea, svg[role=img]')]
  .filter(e =>
  !(e.textContent.trim() || e.getAttribute('aria-label') || (e.labels && e.labels.length)))
  .map(e => e.outerHTML)'''


def visit(b, chrome, server, folder):
    """Every page in both themes and on a phone: nothing complains, all is legible and has a name, and
    nothing is wider than the phone."""
    chosen, _ = serve.conditions_of(server, 'heat')
    pair = '&'.join('c=' + c for c in chosen)
    run = server.ask('conditions?application=build')[1].split('run?run=')[1].split('"')[0]
    pages = {'applications': '', 'conditions': 'conditions?application=heat',
             'compare': 'compare?application=heat&' + pair,
             'messages': 'messages?application=heat&' + pair, 'function': 'function?application=p&function=1',
             'run': 'run?run=1', 'jobs': 'jobs?run=' + run, 'jobs-by-job': 'jobs?by=job&run=' + run,
             'accesses': 'accesses?run=%d' % (int(run) + 2), 'sql': 'sql?text=SELECT%20*%20FROM%20runs',
             'none': 'none'}
    for name, path in pages.items():
        for look, more in (('light', {}), ('dark', {'dark': True}), ('phone', {'width': 390, 'height': 800,
                                                                               'phone': True})):
            chrome.complaints.clear()
            chrome.open(server.url + path, **more)
            said = [c for c in chrome.complaints if name != 'none' or '404' not in c]
            b.check('%s, %s: complaints' % (name, look), not said, said)
            poor = chrome.evaluate(CONTRAST)
            b.check('%s, %s: contrast' % (name, look), not poor, poor)
            nameless = chrome.evaluate(NAMELESS)
            b.check('%s, %s: names' % (name, look), not nameless, nameless)
            if look == 'phone':
                width = chrome.evaluate('document.documentElement.scrollWidth')
                b.check('%s: as wide as the phone' % name, width <= 390, width)
            if folder:
                chrome.picture('%s/%s-%s.png' % (folder, name, look), whole=True)


def follow(chrome, selector):
    """A click on what the selector finds; waits for the page that comes."""
    before = chrome.evaluate('performance.timeOrigin')
    chrome.evaluate('document.querySelector(%r).click()' % selector)
    for _ in range(100):
        time.sleep(0.1)
        try:
            if (chrome.evaluate('performance.timeOrigin') != before and
                    chrome.evaluate('document.readyState') == 'complete'):
                return
        except RuntimeError:
            pass


def check_conditions(b, chrome, server):
    chrome.open(server.url + 'conditions?application=heat')
    rows = "[...document.querySelectorAll('tbody tr')].map(r => r.cells[1].textContent)"
    before = chrome.evaluate(rows)
    follow(chrome, 'thead a')
    b.check('sorted', chrome.evaluate("document.querySelector('th[aria-sort]').textContent") == 'code ▴',
            chrome.evaluate(rows))
    follow(chrome, 'thead a')
    b.check('the other way round', chrome.evaluate(rows) == sorted(before, reverse=True),
            chrome.evaluate(rows))
    chrome.evaluate("document.querySelector('[value=\"f:span\"]').click()")
    follow(chrome, '.choices button')
    b.check('a column less', 'Span' not in chrome.evaluate("document.querySelector('thead').textContent"))
    chrome.evaluate("document.querySelector('summary').click(); document.querySelector('[name=off]').click()")
    follow(chrome, '.actions button:last-child')
    b.check('a run is left out', '4 of 5' in chrome.evaluate("document.querySelector('tbody').textContent"))
    chrome.evaluate("document.querySelectorAll('[name=c]').forEach(e => e.click())")
    follow(chrome, '.actions button')
    b.check('compared', chrome.evaluate("document.querySelector('h1').textContent") == 'Comparison',
            chrome.evaluate('document.body.textContent'))
    b.check('still left out', '4' in chrome.evaluate("document.querySelector('tbody').textContent"))


def check_comparison(b, chrome, server):
    shown = ("[...document.querySelectorAll('#functions .k%d')]"
             ".filter(e => getComputedStyle(e).display !== 'none').length")
    before = [chrome.evaluate(shown % i) for i in (1, 2, 3)]
    chrome.evaluate("document.querySelector('.legend button').focus()")
    chrome.key('Enter')
    after = [chrome.evaluate(shown % i) for i in (1, 2, 3)]
    b.check('the legend switches a column', before[0] > 0 and after == [0] + before[1:], (before, after))
    b.check('it says so', chrome.evaluate("document.querySelector('.legend button').ariaPressed") == 'false')
    chrome.evaluate("document.querySelector('.legend button').click()")
    b.check('and back', chrome.evaluate(shown % 1) == before[0])
    follow(chrome, '#functions thead a')
    b.check('sorted by a condition',
            chrome.evaluate("document.querySelectorAll('#functions tbody tr').length") > 1)
    bar = chrome.evaluate("document.querySelector('#functions .bars a').href.baseVal")
    b.check('a bar is a link', bar.startswith('function?'), bar)
    follow(chrome, '#functions tbody th a')
    b.check('the function', 'By place' in chrome.evaluate("document.querySelector('main').textContent"))
    b.check('skips', chrome.evaluate("document.querySelector('.skip').getAttribute('href')") == '#main')


def wait_for(chrome, expression, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if chrome.evaluate(expression):
            return True
        time.sleep(0.1)
    return False


def check_questions(b, chrome, server):
    chrome.open(server.url + 'sql')
    chrome.evaluate("document.getElementById('text').value = 'SELECT 6 * 7 AS answer'; "
                    "document.querySelector('#question button').click()")
    b.check('an answer', wait_for(chrome, "document.querySelector('#answer td')?.textContent === '42'"))
    chrome.evaluate("document.getElementById('text').value = 'WITH RECURSIVE x(i) AS "
                    "(SELECT 1 UNION ALL SELECT i + 1 FROM x) "
                    "SELECT COUNT(*) FROM x'; document.querySelector('#question button').click()")
    b.check('asking', wait_for(chrome, "!document.getElementById('cancel').hidden"))
    time.sleep(1)
    chrome.evaluate("document.getElementById('cancel').click()")
    b.check('cancelled', wait_for(chrome, "document.getElementById('asking').textContent === 'cancelled'"))
    time.sleep(1)
    before = serve.processor_time(server.process.pid)
    time.sleep(1)
    b.check('the server, too', serve.processor_time(server.process.pid) - before < 0.5)


def check_hostile(b, chrome):
    serve.fill_hostile(b)
    server = serve.Server(b.paf, b.folder, '--store', 'h.db')
    for path in list(serve.crawl(b, server, [''], 25)):
        if not path.endswith(('.css', '.js', '.svg')):
            chrome.open(server.url + path)
    b.check('nothing of a name runs', not chrome.dialogs, chrome.dialogs)
    b.check('nothing from elsewhere', all(r.startswith((server.url, 'about:', 'data:',
                                                        'http://127.0.0.1:')) for r in
                                          chrome.requests), chrome.requests)
    server.end()


def main():
    if not browser.find():
        print('skipped: no Chromium')
        sys.exit(77)
    pictures = sys.argv[3] if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory() as folder:
        b = serve.Bench(sys.argv[1], sys.argv[2], folder)
        if 'built without' in b.run(b.paf, 'serve', '--store', '')[2]:
            print('skipped: built without libmicrohttpd')
            sys.exit(77)
        serve.fill(b)
        server = serve.Server(b.paf, folder, '--store', 's.db')
        with browser.Browser() as chrome:
            visit(b, chrome, server, pictures)
            for check in (check_conditions, check_comparison, check_questions):
                check(b, chrome, server)
            server.end()
            check_hostile(b, chrome)
        print('%d passed, %d failed' % (b.passed, b.failed))
        sys.exit(b.failed > 0)


main()
