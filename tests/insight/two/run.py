#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two causes in one program: is each one named with its saving, and what both save together?

usage: run.py --fleng FLENG --paf PAF [--only NAME]...

Every folder has four programs that print the same: slow.fl has two causes, first.fl only the second
one, second.fl only the first one, and fixed.fl none. The file `causes` has two blocks of lines like
those of a file `cause` (../README.md): the first cause, an empty line, the second cause.

The findings of slow.fl must name both causes, each in a finding of its own, with the saving that
first.fl and second.fl show; `together` must say of these two findings what fixed.fl shows. The findings
of first.fl and second.fl must name the cause that is left and no other, and those of fixed.fl none.
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import run as pairs  # noqa: E402


def read_causes(folder):
    """The two causes of the folder."""
    with open(os.path.join(folder, 'causes'), encoding='utf-8') as file:
        blocks = file.read().strip().split('\n\n')
    assert len(blocks) == 2, folder
    return [pairs.fields_of(folder, block.split('\n')) for block in blocks]


class Check:
    """The four programs of a folder, and what is wrong with their findings."""

    def __init__(self, tools, folder):
        self.name, self.wrong = os.path.basename(folder), []
        self.causes = read_causes(folder)
        ran = {v: tools.run(folder, v + '.fl', []) for v in ('slow', 'first', 'second', 'fixed')}
        self.answers = {answer for answer, _ in ran.values()}
        self.reports = {variant: report for variant, (_, report) in ran.items()}

    def saving(self, variant):
        """What the program shows, in percent of the slow one."""
        return 100 * (1 - self.reports[variant]['span'] / self.reports['slow']['span'])

    def expect(self, condition, text):
        if not condition:
            self.wrong.append('%s: %s' % (self.name, text))

    def near(self, what, predicted, shown):
        self.expect(abs(predicted - shown) <= pairs.NEAR,
                    '%s is said to save %.1f %%, and saves %.1f %%' % (what, predicted, shown))

    def number_of(self, cause):
        """Of the finding that names the cause; -1: there is none."""
        for number, finding in enumerate(self.reports['slow']['findings']):
            if pairs.names(finding, cause['places']):
                return number
        return -1

    def both(self, numbers):
        for row in self.reports['slow']['together']:
            if sorted(row['findings']) == sorted(numbers):
                return 100 * row['saving']
        self.expect(False, 'nothing is said of both together')
        return 0

    def check_left(self, variant, gone):
        """One repair leaves the other cause, and the cause that is repaired is named no more."""
        found = [f for f in self.reports[variant]['findings'] if f['saving'] >= pairs.PROMISE]
        self.expect(len(found) == 1, '%s.fl has %d findings' % (variant, len(found)))
        kinds = {f['kind'] for f in found}
        other = self.causes[1 - gone]['kind']
        self.expect(kinds == {other}, '%s.fl shows %s, not %s' % (variant, kinds, other))

    def run(self):
        self.expect(len(self.answers) == 1, 'the programs answer differently')
        numbers = [self.number_of(cause) for cause in self.causes]
        self.expect(min(numbers) >= 0 and numbers[0] != numbers[1],
                    'the causes are findings %s' % numbers)
        shown = [self.saving(v) for v in ('first', 'second', 'fixed')]
        predicted = [100 * self.reports['slow']['findings'][n]['saving'] for n in numbers]
        predicted.append(self.both(numbers))
        for what, says, saves in zip(('the first', 'the second', 'both'), predicted, shown):
            self.near(what, says, saves)
        errors = [abs(says - saves) for says, saves in zip(predicted, shown)]
        self.expect(errors[2] <= errors[0] + errors[1] + pairs.TOLERANCE,
                    'the price of both errs by %.1f, those of each by %.1f and %.1f'
                    % (errors[2], errors[0], errors[1]))
        for cause, saves in zip(self.causes, shown):
            self.expect(abs(cause['saving'] - saves) <= pairs.TOLERANCE,
                        '%s saves %.1f %%, not %.1f %%' % (cause['kind'], saves, cause['saving']))
        self.check_left('first', 0)
        self.check_left('second', 1)
        self.expect(not pairs.promises(self.reports['fixed']), 'fixed.fl is promised something')
        print('%-10s ' % self.name + '   '.join('%s %.1f %% (said: %.1f)' % row for row in zip(
            [c['kind'] for c in self.causes] + ['both'], shown, predicted)))
        return self.wrong


def main():
    parser = argparse.ArgumentParser(description='Are two causes named, with what both save?')
    parser.add_argument('--fleng', required=True)
    parser.add_argument('--paf', required=True)
    parser.add_argument('--only', action='append', default=[])
    options = parser.parse_args()
    options.all = False
    tools = pairs.Tools(options)
    wrong = []
    for folder in pairs.folders(HERE, 'causes', options.only):
        wrong += Check(tools, folder).run()
    for fault in wrong:
        print('FAULT ' + fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
