#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The real window under a virtual display, driven by keys and pointer.
#   window.sh PAF SAMPLE FLENG [EDITORS]   EDITORS: where the language file is, if there is a source pane
# Skipped (77), aloud, where there is no virtual display to be had.
paf=$(realpath "$1") sample=$(realpath "$2") fleng=$(realpath "$3") editors=${4:+$(realpath "$4")}
data=$(realpath "$(dirname "$0")/../../paf/data")
. "$(dirname "$0")/helpers.sh"
on_display "$0" "$@"
own_folder

"$sample" 3 9 80 a.paf && "$sample" 4 60 3000 b.paf || exit 1
head -c $(($(wc -c <b.paf) * 2 / 3)) b.paf >cut.paf
echo nonsense >broken.paf

# Pictures of the window: light, dark, compared, damaged.
"$paf" --screenshot light.png --theme light a.paf || fail "screenshot: $?"
"$paf" --screenshot dark.png --theme dark --size 1000x700 b.paf || fail "dark screenshot: $?"
"$paf" --screenshot two.png a.paf b.paf || fail "screenshot of two: $?"
"$paf" --screenshot cut.png cut.paf 2>err
[ $? -eq 1 ] || fail "screenshot of a damaged trace: not 1"
grep -q cut.paf err || fail "no word about the damage of cut.paf: $(cat err)"
"$paf" --screenshot nowhere/a.png a.paf 2>err && fail "a screenshot nowhere"
grep -q 'No such file' err || fail "no reason for no screenshot: $(cat err)"
"$paf" --screenshot two.png -p 'x=evaluator/3' a.paf b.paf || fail "partition of two: $?"
for picture in light dark two cut; do
    [ -s $picture.png ] || fail "no $picture.png"
done
"$paf" --screenshot none.png broken.paf 2>err && fail "a broken trace was opened"
grep -q broken.paf err || fail "no word about broken.paf: $(cat err)"
"$paf" --screenshot none.png 2>err && fail "a screenshot of nothing"

# The source pane: the same picture every time, with the language file of the build folder, with that
# of an installation, and another one without.
if [ -n "$editors" ]; then
    mkdir -p installed/bin installed/share/gtksourceview-4/language-specs \
        installed/share/gtksourceview-4/styles bare/bin
    cp "$paf" installed/bin/paf
    cp "$paf" bare/bin/paf
    cp "$editors"/gtksourceview/fleng.lang installed/share/gtksourceview-4/language-specs
    cp "$editors"/gtksourceview/styles/*.xml installed/share/gtksourceview-4/styles
    for theme in light dark; do
        for place in build installed bare; do
            command=$paf
            [ $place = build ] || command=$place/bin/paf
            "$command" --screenshot $place-$theme.png --theme $theme a.paf ||
                fail "screenshot, $place, $theme: $?"
        done
        cmp -s build-$theme.png installed-$theme.png || fail "$theme: installed, it looks different"
        cmp -s build-$theme.png bare-$theme.png && fail "$theme: the language file shows nothing"
    done
fi

# Zoom, pan, select, ask why, fold, edit the partition wrongly and rightly, undo, help, quit.
open_window "$paf" --size 1300x800 a.paf
xdotool mousemove 800 500 click 4 click 4 click 5
xdotool key --delay 30 plus minus Left Right Home End f
xdotool key --delay 30 Tab n p Return BackSpace Escape
xdotool key --delay 30 comma comma period less greater period o o Escape comma Escape
xdotool key --delay 30 w s a d x x 1 Escape F3 slash
sleep 0.3
xdotool type --delay 30 'search'
xdotool key --delay 60 Return shift+Return Down Up Escape F3 shift+F3 alt+Left alt+Right Return Return Escape f
xdotool mousemove 800 180 mousedown 1 mousemove 600 180 mouseup 1
xdotool key Escape
xdotool mousemove 600 90 mousedown 1 mousemove 900 70 mouseup 1
xdotool key f
xdotool mousemove 800 500 click 1 click 3
sleep 0.3
xdotool key Escape
xdotool key ctrl+p
sleep 0.7
xdotool key ctrl+a
xdotool type 'x=nobody/9'
sleep 0.2
xdotool key ctrl+Return
xdotool key ctrl+a
xdotool type 'x=evaluator/3'
sleep 0.2
xdotool key ctrl+Return
sleep 0.7
xdotool key --delay 300 ctrl+z ctrl+shift+z ctrl+t F1
sleep 0.5
xdotool key Escape
sleep 0.3
kill -0 $pid 2>/dev/null || fail "the window is gone: $(cat err)"
quit_window "it" || fail "exit status $?"
no_complaints

# A measured run: the other clock and back, statistics of regions, stretches of threads.
if [ -n "$PAF_MEASURED" ]; then
    "$PAF_MEASURED" 4 12 measured.paf || fail "no measured trace"
    "$paf" --screenshot measured.png measured.paf || fail "screenshot of a measured run: $?"
    open_window "$paf" --size 1300x800 measured.paf
    xdotool key --delay 60 r r r c c plus plus minus Left Right f slash
    sleep 0.5
    xdotool type --delay 30 'SAMPLE.C:1'
    xdotool key --delay 100 Return Return Return BackSpace
    xdotool type 'nothing'
    xdotool key --delay 300 Escape Escape
    xdotool mousemove 100 150 click 1 click 1 click 4 click 5
    xdotool mousemove 95 115 click 1
    xdotool mousemove 700 460 click 1 mousemove 750 500
    sleep 0.7
    xdotool key --delay 60 Tab n p Return BackSpace Escape c Tab Return f c
    xdotool mousemove 800 180 mousedown 1 mousemove 600 180 mouseup 1
    xdotool mousemove 260 95 click 1
    sleep 0.3
    kill -0 $pid 2>/dev/null || fail "the window of a measured run is gone: $(cat err)"
    quit_window "it" || fail "exit status of a measured run's window $?"
    no_complaints
    # Rows of very many places: scrolled, higher and lower, in another order; calls; the side bar.
    "$PAF_MEASURED" 200 3 places.paf || fail "no trace of 200 places"
    open_window "$paf" --size 1300x800 places.paf
    xdotool key --delay 60 Page_Down Page_Down Page_Up o j j j j k k k h o b b
    xdotool mousemove 300 500 click 5 click 5 click 4
    xdotool mousemove 378 420 mousedown 1 mousemove 378 500 mouseup 1
    xdotool key --delay 100 v Page_Down plus minus f
    xdotool mousemove 420 420 click 1 sleep 0.3 mousemove 700 560 sleep 0.7 click 1
    xdotool key --delay 100 v v e Tab n o v
    xdotool mousemove 700 460 click 3
    sleep 0.3
    xdotool key --delay 60 Down Down Return Escape
    sleep 0.3
    kill -0 $pid 2>/dev/null || fail "the window of 200 places is gone: $(cat err)"
    quit_window "it" || fail "exit status of the window of 200 places $?"
    no_complaints
fi

# A real run of Fleng: both clocks by C, by the switch and from the start; of the ideal machine only one.
cat >tree.fl <<'END'
main(R) :- tree(12, R), gen(1, 300, S), sum(S, 0, _).
tree(N, R) :- N < 2 | R = N.
tree(N, R) :- N >= 2 | N1 := N - 1, N2 := N - 2, tree(N1, R1), tree(N2, R2), R := R1 + R2.
gen(N, M, S) :- N =< M | S = [N|S1], N1 := N + 1, gen(N1, M, S1).
gen(N, M, S) :- N > M | S = [].
sum([X|Xs], A, S) :- A1 := A + X, sum(Xs, A1, S).
sum([], A, S) :- S = A.
END
"$fleng" -time=real -j 2 -together -trace=real.paf -e 'main(R)' tree.fl >/dev/null || fail "no real run"
"$fleng" -time=ideal -trace=ideal.paf -e 'main(R)' tree.fl >/dev/null || fail "no ideal run"
for clock in real virtual; do
    for theme in light dark; do
        "$paf" --screenshot clock-$clock-$theme.png --clock $clock --theme $theme real.paf 2>err ||
            fail "screenshot by $clock time: $?"
        [ ! -s err ] || fail "complaints by $clock time: $(cat err)"
    done
done
cmp -s clock-real-light.png clock-virtual-light.png && fail "both clocks look alike"
"$paf" --screenshot clocks.png --clock real real.paf real.paf || fail "two real runs: $?"
"$paf" --screenshot none.png --clock lunar real.paf 2>err && fail "a clock that there is not"
grep -q 'no such clock' err || fail "no word about the clock: $(cat err)"
open_window "$paf" --size 1300x900 real.paf
xdotool key --delay 200 c f Tab n Return BackSpace Escape plus plus Left Right f
xdotool mousemove 700 390 click 1 mousemove 720 400
sleep 0.5
xdotool mousemove 110 150 sleep 0.5 mousemove 110 430 sleep 0.5 mousemove 600 180
sleep 0.5
xdotool key ctrl+p
sleep 0.5
xdotool key ctrl+a
xdotool type 'x=tree/2'
xdotool key ctrl+Return
sleep 0.7
xdotool key --delay 200 c c c f
xdotool mousemove 265 95 click 1
sleep 0.3
kill -0 $pid 2>/dev/null || fail "the window of a real run is gone: $(cat err)"
quit_window "it" || fail "exit status of a real run's window $?"
no_complaints
open_window "$paf" --clock real --size 1300x800 ideal.paf
xdotool key --delay 100 c c
xdotool mousemove 265 95 click 1
sleep 0.3
kill -0 $pid 2>/dev/null || fail "the window of an ideal run is gone: $(cat err)"
quit_window "it"
no_complaints
open_window "$paf" --size 1300x800 real.paf real.paf
xdotool key --delay 200 c c c plus plus Right Left minus f plus
xdotool mousemove 700 300 click 4 click 4 click 5
xdotool key --delay 200 c f
quit_window "the comparison of real runs"
no_complaints

# Panes are as wide as they were dragged, in the next window, too.
for turn in 1 2; do
    XDG_CONFIG_HOME=$dir/settings open_window "$paf" --size 1300x800 a.paf
    if [ $turn -eq 1 ]; then
        [ ! -e settings ] || fail "sizes are kept before any was changed"
        eval "$(xdotool getwindowgeometry --shell "$window")"
        for at in 226 228 230 231 232 233 234 236 238; do
            xdotool mousemove --window "$window" $at 700 mousedown 1 mousemove --window "$window" 300 700 \
                mousemove --window "$window" 320 700 mouseup 1
            sleep 0.1
        done
    fi
    quit_window "the window of panes" || fail "exit status of the window of panes"
    grep -Eq '^side=3[0-9][0-9]' settings/paf/panes || fail "turn $turn: no width is kept"
    no_complaints
done

# A view is kept with a note, in a file that is replayed by the window and by export.
open_window "$paf" --size 1300x800 a.paf
xdotool key --delay 60 Tab n plus ctrl+d
sleep 0.5
xdotool type --delay 20 'why so slow'
xdotool key --delay 100 Return f ctrl+Page_Down ctrl+Page_Up
sleep 0.3
quit_window "the window with a bookmark" || fail "exit status with a bookmark"
no_complaints
grep -qx 'bookmark why so slow' a.view || fail "no bookmark: $(cat a.view)"
grep -q '^select ' a.view && grep -q '^window ' a.view || fail "an empty bookmark: $(cat a.view)"
"$paf" --screenshot kept.png --theme light a.view || fail "screenshot of a bookmark: $?"
cmp -s kept.png light.png && fail "a bookmark shows what there is without it"
"$paf" --screenshot none.png --bookmark other a.view 2>err && fail "a bookmark that there is not"
grep -q 'a.view: no bookmark begins with other' err || fail "no word about the bookmark: $(cat err)"
"$paf" export -o kept.svg a.view && "$paf" export -o whole.svg a.paf || fail "export of a bookmark: $?"
cmp -s kept.svg whole.svg && fail "export ignores a bookmark"
"$paf" export -o none.svg --bookmark other a.view 2>err && fail "an exported bookmark that there is not"
grep -q 'no bookmark begins with other' err || fail "no word about the bookmark: $(cat err)"
echo nonsense >wrong.view
"$paf" --screenshot none.png wrong.view 2>err && fail "a broken file of bookmarks"
grep -q 'wrong.view:1:' err || fail "no word about the file of bookmarks: $(cat err)"
rm a.view
# What if: asked for on the command line, and by keys: of both sorts of runs, and in another partition.
"$fleng" -trace=asked.paf -e 'main(R)' tree.fl >/dev/null || fail "no run to ask about"
"$paf" --screenshot as-it-was.png --what-if asked.paf || fail "screenshot of what if: $?"
"$paf" --screenshot faster.png --speed-up main=2 asked.paf || fail "screenshot of a faster module: $?"
"$paf" --screenshot four.png --theme dark --processors 4 asked.paf || fail "screenshot of processors: $?"
cmp -s as-it-was.png faster.png && fail "a faster module looks as it was"
"$paf" --screenshot none.png --processors 0 asked.paf 2>err && fail "no processors"
grep -q 'from 1 on' err || fail "no word about no processors: $(cat err)"
open_window "$paf" --size 1280x800 --processors 4 asked.paf
xdotool key --delay 200 ctrl+i f ctrl+i f plus plus Left f
xdotool key ctrl+p
sleep 0.5
xdotool key ctrl+a
xdotool type 'x=tree/2'
xdotool key ctrl+Return
sleep 0.7
xdotool key --delay 200 ctrl+t f ctrl+i
quit_window "what if"
no_complaints
if [ -n "$PAF_MEASURED" ]; then
    open_window "$paf" --size 1280x800 --what-if measured.paf
    xdotool key --delay 200 f c c
    quit_window "what if of a measured run"
    no_complaints
fi

# Modules: the menu of a card merges, splits, renames and hides; each is taken back.
open_window "$paf" --size 1280x800 -p 'x=tree/2 y=gen/3 z=sum/3' asked.paf
for downs in 1 2 3 4 5; do
    xdotool mousemove 110 120 click 3
    sleep 0.3
    for _ in $(seq $downs); do xdotool key --delay 30 Down; done
    xdotool key --delay 200 Right Return
    sleep 0.4
    xdotool type --delay 30 'other'
    xdotool key --delay 200 Return Escape Escape ctrl+z
done
xdotool mousemove 700 420 click 3
sleep 0.3
xdotool key --delay 60 Down Down Down Down Right Return
sleep 0.4
kill -0 $pid 2>/dev/null || fail "the window is gone after changes of modules: $(cat err)"
quit_window "changes of modules"
no_complaints

# A trace that is made anew while it is shown: the button reads it again.
cp asked.paf changing.paf
open_window "$paf" --size 1280x800 changing.paf
cp real.paf changing.paf
sleep 1.5
xdotool key --delay 200 f Tab plus
kill -0 $pid 2>/dev/null || fail "the window is gone when its trace changes: $(cat err)"
quit_window "a trace that changes"
no_complaints

# Nothing to be shown: keys have nothing to act on.
open_window "$paf" broken.paf
xdotool key --delay 60 f c r question
sleep 0.3
quit_window "the window of a broken trace"
no_complaints

# As a file manager opens them: a window for each, and an error is told in one.
open_window "$paf" --desktop a.paf b.paf
[ "$(xdotool search --onlyvisible --pid $pid 2>/dev/null | wc -l)" -ge 2 ] || fail "no window for each file"
xdotool key ctrl+q
quit_window "the windows of a file manager" || fail "exit status of several windows"
no_complaints
open_window "$paf" --desktop nowhere.paf
quit_window "the window of an error" || fail "exit status of a window with an error"
[ ! -s err ] || fail "an error is told on stderr: $(cat err)"
if command -v appstreamcli >/dev/null; then
    appstreamcli validate --no-net "$data/paf.metainfo.xml" >out || fail "AppStream: $(cat out)"
fi

# Samples of what workers did have a page of their own.
echo 'main :- count(300000). count(0). count(N) :- N > 0 | M := N - 1, count(M).' >count.fl
"$fleng" -j 2 -trace-sample 10k -trace=samples.paf count.fl >/dev/null || fail "samples: $?"
"$paf" --screenshot samples.png samples.paf || fail "screenshot of samples: $?"
[ -s samples.png ] || fail "no samples.png"
open_window "$paf" samples.paf
xdotool mousemove 800 500 click 4 click 4 click 5
xdotool key --delay 30 plus plus minus Left Right Home w s a d f x Tab Return
xdotool mousemove 700 300 mousedown 1 mousemove 500 300 mouseup 1
xdotool key ctrl+q
quit_window "the window of samples" || fail "exit status of the window of samples"
no_complaints

# A trace that was open before is offered.
open_window "$paf"
xdotool key ctrl+shift+o
sleep 0.7
xdotool key Down Return
sleep 2
xdotool getwindowname "$window" | grep -q '\.paf$' || fail "no recent trace: $(xdotool getwindowname "$window")"
quit_window "the window of a recent trace" || fail "exit status with a recent trace"
no_complaints

# Nothing open: a hint, and it quits.
open_window "$paf"
quit_window "the empty window" || fail "exit status of the empty window $?"
finish
