#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measured runs: the timeline by real time, the replay, statistics of regions, reports by both clocks.
#   timeline.sh PAF MEASURED SAMPLE REPORTS      REPORTS: a folder with some of ktool and mtool
paf=$(realpath "$1") measured=$(realpath "$2") sample=$(realpath "$3") reports=$(realpath "$4")
. "$(dirname "$0")/helpers.sh"
unset DISPLAY WAYLAND_DISPLAY
own_folder

"$measured" 2 3 two.paf && "$measured" 8 20 eight.paf && "$measured" 64 40 many.paf &&
    "$measured" 300 4 crowd.paf && "$measured" 4 20000 long.paf && "$measured" 1 0 serial.paf &&
    "$sample" 3 9 80 fleng.paf || exit 1

for file in two eight many crowd long serial; do
    expect 0 '' "$paf" info --verify $file.paf
    for view in places all; do
        expect 0 '' "$paf" export --view $view -o $file-$view.png $file.paf
        expect 0 '' "$paf" export --view $view -o $file-$view.svg $file.paf
        # A picture costs what its pixels show, not what the run did.
        [ "$(wc -c <$file-$view.svg)" -lt 8000000 ] || fail "$file-$view.svg is too large"
    done
done
expect 0 '' "$paf" export --view places -o again.svg eight.paf
cmp -s again.svg eight-places.svg || fail "not the same bytes twice"
expect 0 '' "$paf" export --theme dark --scale 2 -o dark.png eight.paf
expect 0 '' "$paf" export --size 480x320 -o small.png many.paf
expect 0 '' "$paf" export --view places --from 0 --to 5000 -o zoomed.png many.paf

# Real time is the first clock, the replay the other one.
expect 0 '' "$paf" export --clock real -o real.svg eight.paf
cmp -s real.svg eight-all.svg || fail "real time is not the first clock"
expect 0 '' "$paf" export --clock virtual -o virtual.svg eight.paf
cmp -s virtual.svg real.svg && fail "both clocks alike"
for clock in real virtual; do
    expect 0 '' "$paf" export --view parallelism --clock $clock -o p-$clock.json two.paf
    expect 0 '' "$paf" report --json --clock $clock two.paf
    cp out two-$clock.json
done
cmp -s p-real.json p-virtual.json && fail "P(t) is the same by both clocks"
expect 0 '' "$paf" report --json two.paf
cmp -s out two-real.json || fail "the report's first clock is not real time"
python3 - <<'EOF' || fail "figures by the clocks"
import json
real, virtual = (json.load(open('two-%s.json' % c)) for c in ('real', 'virtual'))
assert real['clock'] == 'real' and virtual['clock'] == 'virtual'
for r in (real, virtual):
    # Work is the same whenever it is done; by hand: three times two loops, 10 us and 15 us.
    assert sum(r['profile']) == r['work'], (sum(r['profile']), r['work'])
    loop = {m['name']: m for m in r['modules']}['loop sample.c:12']
    assert loop['work'] == 3 * (10000 + 15000), loop['work']
    assert sum(loop['profile']) == loop['work']
    assert loop['peak'] == 2
# 3000 of serial part before and after each of three regions of 15000 + 400 + 220 ns.
assert real['elapsed'] == 4 * 3000 + 3 * 15620 == len(real['profile']) * real.get('bucket', 1), real['elapsed']
# Nobody waits in the replay: a step takes its longest chain, the last barrier's 220 ns cost 200 for the master.
assert virtual['span'] == real['span'] == 4 * 3000 + 3 * (15000 + 400 + 200), virtual['span']
waits = {w['module']: w for w in real['waiting'] if w['cause']}
# The first thread is ready after 10400 ns, the other one after 15400.
barrier = waits['barrier sample.c:18']
assert barrier['time'] == 3 * 5000 and barrier['cause'] == 'loop sample.c:12', barrier
modules = {m['name']: m for m in real['modules']}
assert modules['barrier sample.c:18']['waiting'] == 3 * 5000
assert modules['loop sample.c:12']['first'] == 3001
EOF
expect 0 '' "$paf" report two.paf
grep -q '^1. thread 1 works 1.2 times the mean of the team in the loop at sample.c:12, .* 52.6 µs instead of 58.9 µs' out ||
    fail "the first finding: $(head -5 out)"
grep -q 'barrier sample.c:18 *barrier  *3 .*loop sample.c:12' out || fail "no table of waits: $(cat out)"

# Times have units in text, and are nanoseconds in JSON.
grep -q 'loop sample.c:12 *75 µs ' out || fail "work without a unit: $(cat out)"
grep -Eq 'Critical path: [0-9.]+ µs reached by control, 0 by data' out ||
    fail "the critical path without a unit: $(cat out)"
expect 0 '' "$paf" compare eight.paf two.paf
# What a person waited for comes first; the replay on unlimited processors only if it is asked for.
head -1 out | grep -Eq 'elapsed [0-9.]+ µs instead of [0-9.]+ [µm]s; loop .* was busy for 75 µs instead of' ||
    fail "the sentence of two measured runs: $(head -1 out)"
grep -Eq 'loop sample.c:12 .* 75 µs ' out || fail "no units: $(cat out)"
expect 0 '' "$paf" compare --json eight.paf two.paf
python3 -c "import json; c = json.load(open('out'))
assert c['b']['span'] == 58860 and c['b']['clock'] == 'real', c['b']
assert ' reductions ' not in c['sentence'], c['sentence']" || fail "the comparison as JSON"
expect 0 '' "$paf" compare two.paf two.paf
head -1 out | grep -q 'took equally long, 58.9 µs' || fail "equal runs: $(head -1 out)"

expect 0 '' "$paf" compare --clock virtual eight.paf two.paf
head -1 out | grep -Eq 'span [0-9.]+ µs instead of [0-9.]+ [µm]s; .* [0-9.]+ [nµm]s of the critical path' ||
    fail "the replays of two measured runs: $(head -1 out)"

# Seconds and steps do not compare.
expect 0 '' "$paf" compare two.paf fleng.paf
head -1 out | grep -q '^two.paf was measured in seconds, fleng.paf has steps: they do not compare' ||
    fail "a measured run beside steps: $(head -1 out)"
expect 0 '' "$paf" export --view compare -o apart.svg fleng.paf two.paf

# Rows of places: scrolled, in order of waiting, all at once; calls; of messages there are none.
expect 0 '' "$paf" export --rows 5 -o rows.svg many.paf
cmp -s rows.svg many-all.svg && fail "rows are not scrolled"
expect 0 '' "$paf" export --rows 0 -o rows.svg many.paf
cmp -s rows.svg many-all.svg || fail "the first row is not the first one"
expect 0 '' "$paf" export --rows all -o rows.svg crowd.paf
cmp -s rows.svg crowd-all.svg && fail "all rows are as few rows"
expect 0 '' "$paf" export --order waiting -o rows.svg many.paf
cmp -s rows.svg many-all.svg && fail "order by waiting"
expect 0 '' "$paf" export --view calls -o calls.svg many.paf
expect 0 '' "$paf" export --view calls --of 'barrier sample.c:18' --theme dark -o call.svg many.paf
cmp -s calls.svg call.svg && fail "another call is chosen"
expect 2 'no such order: name (number or waiting)' "$paf" export --order name -o x.png many.paf
expect 2 'neither a number of rows nor all: few' "$paf" export --rows few -o x.png many.paf
expect 1 'its places are in no groups' "$paf" export --fold all -o x.png many.paf
expect 1 'no module nobody' "$paf" export --view calls --of nobody -o x.png many.paf
expect 1 'no rank sent a message' "$paf" export --view messages -o x.png many.paf
expect 1 'calls are of measured runs' "$paf" export --view calls -o x.png fleng.paf
expect 2 'of messages counts, bytes or waited' "$paf" export --view messages --by time -o x.png many.paf
expect 2 'are of --view table' "$paf" export --view calls --node 1 -o x.png many.paf

# Statistics of regions: as text, and in the picture.
expect 0 '' "$paf" report --statistics two.paf
grep -q 'Parallel Region 0 (sample.c: 10), 3 executions' out || fail "statistics: $(cat out)"
grep -q 'Critical:       6     0.000002s(  2.561)     0.000000s(  0.000)' out ||
    fail "the critical row: $(cat out)"
expect 0 '' "$paf" export --region 0 -o region.svg two.paf
expect 0 '' "$paf" export --region all -o whole.svg two.paf
expect 0 '' "$paf" export -o none.svg two.paf
cmp -s region.svg whole.svg && fail "one region is not the program"
cmp -s region.svg none.svg && fail "statistics are not in the picture"

# The Chrome trace format has every stretch.
expect 0 '' "$paf" export --view places -o places.json two.paf
python3 -c "import json; e = json.load(open('places.json'))['traceEvents']
assert sum(x['ph'] == 'X' and x['name'].startswith('loop') for x in e) == 6" || fail "places.json"

# Reports of ktool and mtool are opened as traces are, by what `kpx-bridge import` makes of them.
mkdir folders && TMPDIR=$PWD/folders && export TMPDIR
for tool in k m; do
    cp "$reports/${tool}_tool.f66" "@@${tool}_tool.f66"
    expect 0 '' "$paf" export -o report.svg "@@${tool}_tool.f66"
    expect 0 '' "$paf" report "@@${tool}_tool.f66"
    grep -q 'Program units\|MPI calls' out || fail "the report of ${tool}tool: $(head -3 out)"
done
echo nonsense >-broken.f66
expect 1 'paf report: -broken.f66: line 1: ' "$paf" report -- -broken.f66
expect 1 'missing.f66: ' "$paf" report missing.f66
mkdir elsewhere && cp "$paf" elsewhere/paf
expect 1 'm_tool.f66 was made by another tool: the command kpx-bridge' env PATH=/nowhere elsewhere/paf report @@m_tool.f66
[ -z "$(ls "$TMPDIR")" ] || fail "a folder of a report stays"

expect 2 'no such clock' "$paf" export --clock lunar -o x.png two.paf
expect 2 'no such clock' "$paf" report --clock lunar two.paf
expect 2 'places are shown over real time' "$paf" export --view places --clock virtual -o x.png two.paf
expect 2 'IO-Trees of a measured run are shown over virtual time' "$paf" export --view iotree --clock real -o x.png two.paf
expect 1 'it has no real time' "$paf" export --clock real -o x.png fleng.paf
expect 0 '' "$paf" export --clock virtual -o x.png fleng.paf
expect 1 'it has one parallel region: --region takes 0 or all' "$paf" export --region 1 -o x.png two.paf
expect 1 'it has no parallel regions' "$paf" export --region all -o x.png fleng.paf
expect 2 'not a region' "$paf" export --region some -o x.png two.paf
expect 1 'holds no parallel regions' "$paf" report --statistics fleng.paf
expect 2 'exclude each other' "$paf" report --statistics --json two.paf

finish
