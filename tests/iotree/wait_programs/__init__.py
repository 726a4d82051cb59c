# SPDX-License-Identifier: MIT
"""The programs of ../test_waits.py, by subject."""
