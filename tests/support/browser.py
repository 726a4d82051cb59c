# SPDX-License-Identifier: MIT
"""Chromium without a window, driven through a pipe.

    with Browser() as b:
        b.open('page.html', width=1280, height=900)
        b.evaluate('document.title')
        b.move(100, 200); b.click(100, 200); b.key('+')
        b.picture('page.png')
    b.complaints, b.requests: what the page's console said, and the requests that it made

usage: browser.py PAGE PICTURE.png WIDTHxHEIGHT [#FRAGMENT]
       draws what a window of that size shows of the page
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ('chromium', 'chromium-browser', 'google-chrome')
PATIENCE = 120
OPTIONS = ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
           '--no-first-run', '--disable-extensions', '--disable-background-networking')


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


def thrown(details):
    return details.get('exception', {}).get('description', details.get('text', '?'))


class Browser:
    def __init__(self):
        self.complaints, self.requests, self.number, self.rest, self.loaded = [], [], 0, b'', False
        self.dialogs = []

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix='browser-')
        ours, theirs = os.pipe(), os.pipe()  # commands to it, answers from it

        def arrange():
            os.dup2(ours[0], 13)
            os.dup2(theirs[1], 14)
            os.dup2(13, 3)
            os.dup2(14, 4)
        self.process = subprocess.Popen(
            [find(), *OPTIONS, '--remote-debugging-pipe', '--user-data-dir=' + self.folder, 'about:blank'],
            preexec_fn=arrange, pass_fds=(3, 4),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ours[0])
        os.close(theirs[1])
        self.writes, self.reads = ours[1], theirs[0]
        self.session = None
        target = next(t for t in self.ask('Target.getTargets')['targetInfos'] if t['type'] == 'page')
        attached = self.ask('Target.attachToTarget', targetId=target['targetId'], flatten=True)
        self.session = attached['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.ask(domain + '.enable')
        return self

    def __exit__(self, *_):
        os.close(self.writes)
        os.close(self.reads)
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        data = json.dumps(message).encode() + b'\0'
        while data:
            data = data[os.write(self.writes, data):]
        while True:
            answer = self.next()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError('%s: %s' % (method, answer['error']))
                return answer['result']

    def next(self):
        while b'\0' not in self.rest:
            more = os.read(self.reads, 1 << 16)
            if not more:
                raise RuntimeError('the browser ended')
            self.rest += more
        text, self.rest = self.rest.split(b'\0', 1)
        message = json.loads(text)
        self.note(message.get('method'), message.get('params', {}))
        return message

    def note(self, method, parameters):
        if method == 'Page.loadEventFired':
            self.loaded = True
        elif method == 'Runtime.exceptionThrown':
            self.complaints.append(thrown(parameters['exceptionDetails']))
        elif method == 'Runtime.consoleAPICalled':
            self.complaints.append(str([a.get('value') for a in parameters['args']]))
        elif method == 'Log.entryAdded':
            self.complaints.append(parameters['entry']['text'])
        elif method == 'Network.requestWillBeSent':
            self.requests.append(parameters['request']['url'])
        elif method == 'Page.javascriptDialogOpening':
            self.dialogs.append(parameters['message'])

    def open(self, page, width=1280, height=900, dark=False, phone=False, fragment=''):
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1,
                 mobile=phone)
        self.ask('Emulation.setEmulatedMedia',
                 features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        self.ask('Page.navigate', url='about:blank')
        self.loaded = False
        url = page if '://' in page else pathlib.Path(page).resolve().as_uri()
        self.ask('Page.navigate', url=url + fragment)
        end = time.monotonic() + PATIENCE
        while not self.loaded and time.monotonic() < end:
            self.next()
        self.settle()

    def settle(self):
        """Until what was asked for is drawn."""
        self.evaluate('new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))')

    def evaluate(self, expression):
        result = self.ask('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(thrown(result['exceptionDetails']))
        return result['result'].get('value')

    def mouse(self, kind, x, y, **more):
        self.ask('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse('mouseMoved', x, y)
        self.settle()

    def click(self, x, y):
        self.mouse('mousePressed', x, y, button='left', clickCount=1)
        self.mouse('mouseReleased', x, y, button='left', clickCount=1)
        self.settle()

    def drag(self, x0, y, x1):
        self.mouse('mousePressed', x0, y, button='left', clickCount=1)
        for k in range(1, 6):
            self.mouse('mouseMoved', x0 + (x1 - x0) * k / 5, y, button='left', buttons=1)
        self.mouse('mouseReleased', x1, y, button='left', clickCount=1)
        self.settle()

    def key(self, key):
        text = {'text': key} if len(key) == 1 else {'text': '\r'} if key == 'Enter' else {}
        self.ask('Input.dispatchKeyEvent', type='keyDown', key=key, **text)
        self.ask('Input.dispatchKeyEvent', type='keyUp', key=key)
        self.settle()

    def picture(self, path, whole=False):
        data = self.ask('Page.captureScreenshot', format='png', captureBeyondViewport=whole)['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))


def main():
    page, picture, size = sys.argv[1:4]
    width, height = (int(n) for n in size.split('x'))
    with Browser() as b:
        b.open(page, width, height, fragment=''.join(sys.argv[4:]))
        b.picture(picture)


if __name__ == '__main__':
    main()
