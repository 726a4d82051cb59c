#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The window with totals: pictures of it, what it says of files that it cannot compare, and that all
# keys and clicks find something or say why not.
#   table_window.sh KPX-BRIDGE PAF REPORTS [MEASURED]
# Skipped (77), aloud, where there is no virtual display to be had.
bridge=$(realpath "$1") paf=$(realpath "$2") reports=$(realpath "$3") measured=${4:+$(realpath "$4")}
. "$(dirname "$0")/../paf/helpers.sh"
on_display "$0" "$@"
own_folder

for unit in src psh1 psh2 intstc; do
    for line in $(seq 200); do echo "      x = $line"; done >$unit.f
done
"$bridge" import "$reports/k_tool.f66" -o k.paf 2>/dev/null || exit 1
"$bridge" import "$reports/m_tool.f66" -o m.paf 2>/dev/null || exit 1

"$paf" --screenshot light.png --theme light k.paf || fail "screenshot: $?"
"$paf" --screenshot dark.png --theme dark m.paf || fail "dark screenshot: $?"
"$paf" --screenshot again.png --theme light k.paf || fail "screenshot: $?"
cmp -s light.png again.png || fail "not the same picture twice"
for picture in light.png dark.png; do
    [ "$(head -c 4 $picture | tail -c 3)" = PNG ] || fail "$picture is no PNG"
done
"$paf" --screenshot two.png k.paf m.paf 2>err && fail "files without timelines were compared"
grep -q 'no timeline was recorded' err || fail "no reason why they are not compared: $(cat err)"

# Every key of the list, clicks, the secondary button held, the wheel, another size.
keys='plus minus Left Right Home End f c Tab n shift+Tab p Return BackSpace Escape r ctrl+p ctrl+z
    ctrl+shift+z ctrl+b 1 2 3 4 e e a m Escape space i u shift+i shift+i Delete ctrl+z Up Down
    Page_Up Page_Down ctrl+t ctrl+t'
drive() {
    # shellcheck disable=SC2086
    xdotool key --delay 40 $keys
    xdotool mousemove 300 200 click 1 mousemove 300 230 mousedown 3 mousemove 500 600 mouseup 3
    xdotool mousemove 300 250 click 5 click 5 click 4 mousemove 1200 300 click 5 click 1
    xdotool windowsize "$window" 1000 500
    xdotool mousemove 200 160 mousedown 1 mousemove 400 300 mouseup 1
    xdotool windowsize "$window" 1300 800
    sleep 0.3
    kill -0 $pid 2>/dev/null || fail "the window of $1 is gone: $(cat err)"
    quit_window "$1" || fail "exit status of the window of $1: $?"
    no_complaints
}
for file in k m; do
    open_window "$paf" --size 1300x800 $file.paf
    drive $file.paf
done
if [ -n "$measured" ]; then
    "$measured" 4 12 run.paf && "$measured" 2 3 other.paf || exit 1
    open_window "$paf" --size 1300x800 run.paf
    drive run.paf
    open_window "$paf" --size 1300x800 run.paf
    xdotool key ctrl+b
    sleep 0.3
    drive "the table of run.paf"
    open_window "$paf" --size 1300x800 run.paf other.paf
    xdotool key --delay 40 f c r 1 question
    sleep 0.7
    xdotool key --delay 300 Escape Escape
    drive "two runs"
fi
finish
