#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a corpus and a workflow that counts its words.

usage: generate.py FOLDER [--parts N] [--words N] [--even]

FOLDER gets N texts (100), and build.ninja with a job for each that counts its words, jobs that merge ten
counts each, one that merges these, and one that takes the ten most frequent words. One text is twenty times as
long as the others, so that its job is a straggler; --even cuts it into the others.
"""

import argparse
import os
import random

LONG = 20

RULES = r'''rule count
  command = tr -cs a-z '\n' < $in | sort | uniq -c > $out
rule merge
  command = cat $in | awk '{n[$$2] += $$1} END {for (w in n) print n[w], w}' | sort -k 2 > $out
rule top
  command = sort -k 1,1nr -k 2 $in | head -n 10 > $out
'''


def text(choose, vocabulary, words):
    # The k-th word is about 1 / k times as frequent as the first one.
    chosen = choose.choices(vocabulary, [1 / (k + 1) for k in range(len(vocabulary))], k=words)
    return ''.join(' '.join(chosen[i:i + 12]) + '\n' for i in range(0, words, 12))


def sizes(parts, words, even):
    """Words of each part."""
    if even:
        return [words * (parts + LONG - 1) // parts] * parts
    return [words * LONG if i == parts // 2 else words for i in range(parts)]


def write(folder, parts, words, even):
    choose = random.Random(1)
    vocabulary = sorted({''.join(choose.choices('abcdefghijklmnopqrstuvwxyz', k=choose.randint(2, 9)))
                         for _ in range(2000)}, key=lambda w: choose.random())
    os.makedirs(folder + '/texts', exist_ok=True)
    counts = []
    with open(folder + '/build.ninja', 'w', encoding='utf-8') as ninja:
        ninja.write(RULES)
        for i, size in enumerate(sizes(parts, words, even)):
            name = '%03d' % i
            with open('%s/texts/%s' % (folder, name), 'w', encoding='utf-8') as file:
                file.write(text(choose, vocabulary, size))
            counts.append('counts/' + name)
            ninja.write('build counts/%s: count texts/%s\n' % (name, name))
        merged = []
        for i in range(0, parts, 10):
            merged.append('merged/%02d' % (i // 10))
            ninja.write('build %s: merge %s\n' % (merged[-1], ' '.join(counts[i:i + 10])))
        ninja.write('build all: merge %s\nbuild top: top all\n' % ' '.join(merged))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('folder')
    parser.add_argument('--parts', type=int, default=100)
    parser.add_argument('--words', type=int, default=3000)
    parser.add_argument('--even', action='store_true')
    o = parser.parse_args()
    write(o.folder, o.parts, o.words, o.even)


main()
