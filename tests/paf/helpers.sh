# SPDX-License-Identifier: MIT
#
# What the tests of views share, for `. helpers.sh`: a folder of their own that is the present one and
# goes away at the end, and
#   fail TEXT...                     counts a failure
#   expect STATUS TEXT COMMAND...    exit status, and text on stderr (empty: nothing there)
#   finish                           the exit status of the whole test
#   on_display "$0" "$@"             goes on under a virtual display; skipped (77), aloud, without one
#   open_window COMMAND...           starts it; its process is $pid, its window $window
#   quit_window WHAT                 ^Q until it is gone; its exit status
#   no_complaints                    of GTK or of sanitizers on its stderr
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

finish() {
    [ $failures -eq 0 ] || echo "$failures failed" >&2
    [ $failures -eq 0 ]
    exit
}

own_folder() {
    dir=$(mktemp -d) || exit 1
    trap 'rm -rf "$dir"' EXIT
    cd "$dir" || exit 1
}

expect() {
    status=$1 text=$2
    shift 2
    "$@" >out 2>err
    got=$?
    [ $got -eq "$status" ] || fail "exit $got, not $status: $* ($(head -1 err))"
    if [ -z "$text" ]; then
        [ ! -s err ] || fail "stderr of $*: $(cat err)"
    else
        grep -q -- "$text" err || fail "no '$text' on stderr of $*: $(cat err)"
    fi
}

on_display() {
    [ -z "$PAF_TEST_DISPLAY" ] || return 0
    PAF_TEST_DISPLAY=1 exec "$(dirname "$1")/../support/display.py" "$@"
}

open_window() {
    "$@" 2>err &
    pid=$! window=
    for _ in $(seq 600); do
        window=$(xdotool search --onlyvisible --pid $pid 2>/dev/null | tail -1)
        [ -n "$window" ] && break
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
    done
    [ -n "$window" ] || fail "no window: $*"
    sleep 1
}

# Behind whatever is still on its way.
quit_window() {
    for _ in $(seq 60); do
        kill -0 $pid 2>/dev/null || break
        xdotool key Escape
        xdotool key ctrl+q
        for _ in $(seq 10); do
            kill -0 $pid 2>/dev/null || break
            sleep 0.1
        done
    done
    if kill -0 $pid 2>/dev/null; then
        fail "$1 did not quit"
        kill $pid
    fi
    wait $pid
}

no_complaints() {
    grep -iE 'critical|assertion|sanitizer|runtime error' err && fail "complaints on stderr"
}
