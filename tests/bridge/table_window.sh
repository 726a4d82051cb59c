#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The window with totals: pictures of it, and what it says of files that it cannot compare.
#   table_window.sh KPX-BRIDGE PAF REPORTS
# Skipped (77), aloud, where there is no virtual display to be had.
bridge=$(realpath "$1") paf=$(realpath "$2") reports=$(realpath "$3")
if [ -z "$PAF_TEST_DISPLAY" ]; then
    for tool in xvfb-run; do
        command -v $tool >/dev/null || {
            echo "SKIPPED: $tool is not installed" >&2
            exit 77
        }
    done
    PAF_TEST_DISPLAY=1 exec xvfb-run -a -s '-screen 0 1500x1000x24' "$0" "$@"
fi
export GDK_BACKEND=x11 GTK_USE_PORTAL=0 NO_AT_BRIDGE=1 GSETTINGS_BACKEND=memory
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

"$bridge" import "$reports/k_tool.f66" -o k.paf || exit 1
"$bridge" import "$reports/m_tool.f66" -o m.paf || exit 1

"$paf" --screenshot light.png --theme light k.paf || fail "screenshot: $?"
"$paf" --screenshot dark.png --theme dark m.paf || fail "dark screenshot: $?"
for picture in light.png dark.png; do
    [ "$(head -c 4 $picture | tail -c 3)" = PNG ] || fail "$picture is no PNG"
done
"$paf" --screenshot two.png k.paf m.paf 2>err && fail "files without timelines were compared"
grep -q 'no timeline was recorded' err || fail "no reason why they are not compared: $(cat err)"

[ $failures -eq 0 ]
