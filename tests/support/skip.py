#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands for a test that cannot run in this build, so that it counts as skipped.

usage: skip.py REASON
"""

import sys

print('SKIPPED: ' + sys.argv[1], file=sys.stderr)
sys.exit(77)
