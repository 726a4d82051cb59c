#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What assistive technology is told of Paf's window, and what it can do there, over AT-SPI.

usage: display.py accessible.py PAF FILE.paf [MEASURED.paf]
    FILE: a run with a finding and several modules; MEASURED: one of threads with a loop at sample.c:12

Cards, findings, boxes and pairs of modules are objects with names, extents and the action "click"; so are the
rows of the table. A click on a finding by its action shows it. Keys that no widget of the pane of what if takes
go to the picture, and its answers move nothing. Of a measured run rows and calls are objects, too. Two runs have
the findings of both, and are aligned by a click on a module or in each of them. Skipped (77), aloud, without
AT-SPI.
"""

import os
import shutil
import subprocess
import sys
import time

PATIENCE = 60  # seconds

try:
    import gi
    gi.require_version('Atspi', '2.0')
    from gi.repository import Atspi
except (ImportError, ValueError):
    system = '/usr/bin/python3'
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system) \
            and 'PAF_SYSTEM_PYTHON' not in os.environ:
        os.environ['PAF_SYSTEM_PYTHON'] = '1'
        os.execv(system, [system] + sys.argv)
    print('skipped: python3 has no bindings of AT-SPI')
    sys.exit(77)

failures = 0


def check(good, text):
    global failures
    if not good:
        print('FAILED:', text)
        failures += 1


def descend(node):
    """All objects below a node."""
    for i in range(node.get_child_count()):
        child = node.get_child_at_index(i)
        if child is not None:
            yield child
            yield from descend(child)


def find_application():
    desktop = Atspi.get_desktop(0)
    for i in range(desktop.get_child_count()):
        child = desktop.get_child_at_index(i)
        if child is not None and child.get_name() == 'paf':
            return child
    return None


def await_(what, text):
    end = time.time() + PATIENCE
    while time.time() < end:
        try:
            got = what()
        except Exception:  # pylint: disable=broad-except
            got = None  # an object that has just gone
        if got:
            return got
        time.sleep(0.2)
    check(False, text)
    return None


def named(application, *parts):
    """Objects whose name has all the parts."""
    return [o for o in descend(application) if all(p in (o.get_name() or '') for p in parts)]


def click(thing):
    action = thing.get_action_iface()
    check(action is not None and action.get_n_actions() == 1, 'no action: ' + thing.get_name())
    return action is not None and action.do_action(0)


def check_extents(thing):
    box = thing.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
    check(box.width > 4 and box.height > 4 and box.x >= 0 and box.y >= 0,
          'no extents: %s (%d, %d, %d, %d)' % (thing.get_name(), box.x, box.y, box.width, box.height))


def press(*keys):
    subprocess.check_call(['xdotool', 'key', '--delay', '60'] + list(keys))


def check_keys(application, when):
    """The key of the first finding shows it, Escape leaves it."""
    press('1')
    await_(lambda: named(application, 'Why so late?'), when + ': a key does nothing')
    press('Escape', 'Escape')
    await_(lambda: not named(application, 'Why so late?'), when + ': Escape does nothing')


def check_pane(application):
    """The pane of what if, closed in the end."""
    def boxes():
        return [o for o in named(application, 'Without ') if o.get_role() == Atspi.Role.CHECK_BOX]

    def answered(text):
        return [o for o in named(application, text) if o.get_role() == Atspi.Role.LABEL]
    press('ctrl+i')
    box = await_(boxes, 'no tick box')
    if not box:
        return
    await_(lambda: answered('as it was.'), 'no answer of the run as it was')
    component = box[0].get_component_iface()
    before = component.get_extents(Atspi.CoordType.SCREEN)
    subprocess.check_call(['xdotool', 'mousemove', str(before.x + before.width // 2),
                           str(before.y + before.height // 2), 'click', '1'])
    await_(lambda: answered(' instead of '), 'no answer')
    after = component.get_extents(Atspi.CoordType.SCREEN)
    check(after.y == before.y, 'an answer moves the tick boxes by %d' % (after.y - before.y))
    def ticked():
        return boxes()[0].get_state_set().contains(Atspi.StateType.CHECKED)
    press('ctrl+z')
    await_(lambda: not ticked() and answered('as it was.'), 'a tick is not undone')
    press('ctrl+shift+z')
    await_(lambda: ticked() and answered(' instead of '), 'a tick is not done again')
    check_keys(application, 'after a click on a tick box')
    component.grab_focus()
    check_keys(application, 'in a tick box')
    component.grab_focus()
    press('ctrl+i')
    await_(lambda: not boxes()[0].get_state_set().contains(Atspi.StateType.SHOWING), 'the pane stays')
    check_keys(application, 'after the pane')


def check_measured(paf, trace, environment):
    """Names of rows, the way to calls, and a call."""
    window = subprocess.Popen([paf, '--size', '800x600', trace], env=environment)
    try:
        application = await_(find_application, 'the window of a measured run is unknown')
        if not application:
            return
        row = await_(lambda: [o for o in named(application, 'thread 1')
                              if o.get_role() == Atspi.Role.ROW_HEADER], 'no name of a row')
        if row:
            check_extents(row[0])
        check(named(application, 'parallelism', 'took'), 'no finding at 800 pixels')
        tab = named(application, 'Calls')
        check(tab and click(tab[0]), 'calls cannot be reached')
        call = await_(lambda: [o for o in named(application, 'loop sample.c:12', 'of all places together')
                               if o.get_role() == Atspi.Role.TABLE_CELL], 'no call')
        check(call and click(call[0]), 'a call cannot be clicked')
        await_(lambda: named(application, 'thread 1: ', 'loop sample.c:12'), 'no place of a call')
    finally:
        window.terminate()
        window.wait()


def check_two_runs(paf, trace, environment):
    """Both have their findings; a module's row aligns them, 0 takes that back; a finding zooms."""
    window = subprocess.Popen([paf, '--size', '1280x800', trace, trace], env=environment)
    try:
        application = await_(find_application, 'the window of two runs is unknown')
        await_(lambda: len(named(application, 'finding', 'evaluate/3')) == 2, 'not the findings of both runs')
        row = await_(lambda: named(application, 'module evaluator'), 'no row of a module')
        check(named(application, 'Both take equally long'), 'no sentence on both runs')
        check(row and click(row[0]), 'the row of a module cannot be clicked')
        await_(lambda: named(application, 'aligned where evaluator begins'), 'not aligned by a module')
        press('0')
        await_(lambda: named(application, 'a click in each run aligns them'), 'not aligned by their starts')
        box = named(application, 'a click in each run')[0].get_component_iface().get_extents(
            Atspi.CoordType.SCREEN)
        for y, text in ((60, 'a click in the other run'), (330, 'aligned at their marks')):
            subprocess.check_call(['xdotool', 'mousemove', str(box.x + box.width // 2), str(box.y + y),
                                   'click', '1'])
            await_(lambda t=text: named(application, t), 'after a click: not: ' + text)
        press('plus', 'Left', 'f', 'Down', 'Return', 'Escape')
        await_(lambda: not named(application, 'aligned at'), 'Escape does not leave two runs')
    finally:
        window.terminate()
        window.wait()


def main():
    paf, trace = sys.argv[1:3]
    environment = {k: v for k, v in os.environ.items() if k != 'NO_AT_BRIDGE'}
    check_two_runs(paf, trace, environment)
    window = subprocess.Popen([paf, '--size', '1280x800', trace], env=environment)
    try:
        application = await_(find_application, 'the window is unknown')
        if not application:
            return 1
        finding = await_(lambda: named(application, 'server', 'evaluate/3'), 'no finding')
        card = named(application, 'evaluator', 'on the critical path')
        # These are named once no worker has the trace.
        pair = await_(lambda: named(application, 'evaluator gives to searcher'), 'no pair')
        box = await_(lambda: [o for o in named(application, 'waited')
                              if o.get_role() == Atspi.Role.LIST_ITEM], 'no box')
        for what, found in (('finding', finding), ('card', card), ('pair', pair), ('box', box)):
            check(found, 'no ' + what)
            if found:
                check_extents(found[0])
        check(pair and pair[0].get_role() == Atspi.Role.TABLE_CELL, 'a pair is no cell')
        check(finding and click(finding[0]), 'a finding cannot be clicked')
        await_(lambda: named(application, 'Why so late?'), 'a click on a finding chooses nothing')
        press('Escape', 'Escape')
        check_pane(application)
        check(pair and click(pair[0]), 'a pair cannot be clicked')
        table = [o for o in named(application, 'Table') if o.get_action_iface()]
        check(table and table[0].get_action_iface().do_action(0), 'no button of the table')
        rows = await_(lambda: [o for o in named(application, 'evaluate/3')
                               if o.get_role() == Atspi.Role.TABLE_CELL], 'no rows of the table')
        heads = [o for o in named(application, 'WAITED') if o.get_role() == Atspi.Role.COLUMN_HEADER]
        check(heads and 'goals waited' in heads[0].get_description(), 'no legend of a column')
        if rows:
            check_extents(rows[0])
            check(click(rows[0]), 'a row cannot be clicked')
    finally:
        window.terminate()
        window.wait()
    if len(sys.argv) == 5:
        check_measured(paf, sys.argv[3], environment)
    return failures > 0


if sys.argv[-1] == 'inside':
    sys.exit(main())
if not shutil.which('dbus-run-session'):
    print('skipped: no dbus-run-session')
    sys.exit(77)
sys.exit(subprocess.call(['dbus-run-session', '--', sys.executable] + sys.argv + ['inside']))
