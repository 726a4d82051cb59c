#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Exports without a display: formats, the same bytes twice, themes, sizes, errors and their exit
# statuses.   export.sh PAF SAMPLE
paf=$(realpath "$1") sample=$(realpath "$2")
. "$(dirname "$0")/helpers.sh"
unset DISPLAY WAYLAND_DISPLAY
own_folder

# starts FILE BYTES: how a file of that format begins.
starts() {
    head -c 40 "$1" | grep -aq -- "$2" || fail "$1 does not begin with $2"
}

"$sample" 3 9 80 a.paf && "$sample" 4 30 400 b.paf && "$sample" 2 4 0 empty.paf &&
    "$sample" 2 3 60 quiet.paf quiet || exit 1

for kind in png svg pdf; do
    expect 0 '' "$paf" export -o "one.$kind" a.paf
    expect 0 '' "$paf" export -o "two.$kind" a.paf
    cmp -s "one.$kind" "two.$kind" || fail "$kind: not the same bytes twice"
done
starts one.png PNG
starts one.svg '<?xml'
starts one.pdf '%PDF'
# A date, if there is one, is the fixed one.
grep -a CreationDate one.pdf | grep -qv '(20000101' && fail "a date in the PDF"

for view in all parallelism iotree dependencies; do
    for theme in light dark; do
        expect 0 '' "$paf" export --view $view --theme $theme --size 900x600 -o $view-$theme.png b.paf
    done
    cmp -s $view-light.png $view-dark.png && fail "$view: both themes alike"
done
expect 0 '' "$paf" export --view compare -o compare.svg a.paf b.paf
# Two runs are aligned at their starts, at a time of each, or where a module begins.
expect 0 '' "$paf" export --view compare --align start -o start.svg a.paf b.paf
cmp -s compare.svg start.svg || fail "two runs are not aligned at their starts"
expect 0 '' "$paf" export --view compare --align evaluator -o module.svg a.paf b.paf
expect 0 '' "$paf" export --view compare --align 5,9 -o marks.svg a.paf b.paf
expect 0 '' "$paf" export --view compare --from 2 --to 9 -o part.svg a.paf b.paf
for other in module marks part; do
    cmp -s compare.svg $other.svg && fail "two runs look the same: $other"
done
expect 1 'no such module' "$paf" export --view compare --align nobody -o out.png a.paf b.paf
expect 1 'the second run ends at' "$paf" export --view compare --align 5,999999 -o out.png a.paf b.paf
expect 2 'of --view compare' "$paf" export --align start -o out.png a.paf
expect 0 '' "$paf" export --from 10 --to 20 --scale 2 -o zoomed.png a.paf
expect 0 '' "$paf" export --select evaluator/3 -o selected.png a.paf
expect 0 '' "$paf" export --select '#3' -o goal.png a.paf
expect 0 '' "$paf" export --partition 'x=evaluator/3' -o partition.png a.paf
expect 0 '' "$paf" export -o empty.png empty.paf
expect 0 '' "$paf" export -o quiet.png quiet.paf
expect 0 '' "$paf" export --help
grep -q 'usage: paf export' out || fail "help"

expect 2 'no output' "$paf" export a.paf
expect 2 'must end in' "$paf" export -o out.gif a.paf
expect 2 'no trace' "$paf" export -o out.png
expect 2 'no such view: upside-down (all, parallelism, ' "$paf" export --view upside-down -o out.png a.paf
expect 2 'not a size' "$paf" export --size 10x10 -o out.png a.paf
expect 2 'not a time' "$paf" export --from soon -o out.png a.paf
expect 2 'two traces' "$paf" export --view compare -o out.png a.paf
expect 2 'before --to' "$paf" export --from 9 --to 3 -o out.png a.paf
expect 2 'paf export: unknown .*--colour' "$paf" export --colour -o out.png a.paf
expect 1 'No such file' "$paf" export -o out.png missing.paf
expect 1 'no reduction of' "$paf" export --select nobody/7 -o out.png a.paf
expect 2 'no predicate nobody/7' "$paf" export --partition 'x=nobody/7' -o out.png a.paf
expect 2 '--partition: foo is neither' "$paf" export -p foo -o out.png a.paf
# Nothing can be read at the beginning of a process's memory: no empty partition.
[ ! -e /proc/self/mem ] || expect 2 'proc/self/mem' "$paf" export -p /proc/self/mem -o out.png a.paf
expect 0 '' "$paf" export -p 'x=evaluator/3' -o out.png a.paf
for wrong in foo '#x' '#' foo/ /2; do
    expect 2 "is not PREDICATE/N or #GOAL" "$paf" export --select "$wrong" -o out.png a.paf
done
expect 1 'No such file' "$paf" export -o nowhere/out.png a.paf
expect 1 'the run ends at' "$paf" export --from 5000 -o out.png a.paf
expect 1 'the run ends at' "$paf" export --from 5000 --to 6000 -o out.png a.paf

# A damaged file: what is readable is drawn, the status says so.
head -c $(($(wc -c <b.paf) * 2 / 3)) b.paf >cut.paf
expect 1 'cut.paf' "$paf" export -o cut.png cut.paf
[ -s cut.png ] || fail "nothing drawn of a cut trace"

# What is wrong with the arguments is told before a display is looked for.
expect 1 'missing.paf: cannot read: No such file' "$paf" missing.paf
expect 2 'unknown command repot; did you mean report?' "$paf" repot a.paf
expect 2 'unknown .*--colour' "$paf" --colour a.paf
expect 2 'no predicate nobody/7' "$paf" --partition 'x=nobody/7' a.paf
expect 2 'must end in .png' "$paf" --screenshot out.gif a.paf

expect 1 'speed-up nope=2: no module nope: there ' "$paf" --speed-up nope=2 a.paf
expect 2 'speed-up evaluator: .* is not MODULE=K' "$paf" --speed-up evaluator a.paf
expect 2 'without nonsense: ' "$paf" --without nonsense a.paf
expect 1 'without nobody/3<-nothing/2: ' "$paf" --without 'nobody/3<-nothing/2' a.paf
expect 2 'ask about one run, not 2' "$paf" --speed-up evaluator=2 a.paf b.paf
expect 2 'bookmark nope: it takes a FILE.view' "$paf" --bookmark nope a.paf
printf 'paf-view 1\ntrace a.paf\nbookmark why it waits\nclock virtual\n' >kept.view
expect 1 'kept.view: no bookmark begins with nope' "$paf" --bookmark nope kept.view
expect 1 'no module nope' "$paf" --speed-up nope=2 kept.view
expect 2 'paf export' "$paf" --bookmark why kept.view

# Without a display the window says what to do instead.
expect 2 'paf export' "$paf" a.paf
finish
