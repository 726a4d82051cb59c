#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# test_table.py KPX-BRIDGE PAF REPORTS: what paf tells and draws of totals without a timeline.
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True

from support import check, failures, run_checked as run  # noqa: E402 - beside this file

bridge, paf, reports = sys.argv[1:4]
folder = pathlib.Path(tempfile.mkdtemp(prefix="table-"))


def traces():
    for kind in "k", "m":
        run(bridge, "import", pathlib.Path(reports) / f"{kind}_tool.f66", "-o", folder / f"{kind}.paf")
    return folder / "k.paf", folder / "m.paf"


def reports_of(ktool, mtool):
    text = run(paf, "report", ktool).stdout
    check(text.startswith("23 % of the time is loop 20 of PSH2\n"), "the first line is a finding")
    check("no timeline was recorded" in text, "it says that there is no timeline")
    check("MPI calls\n  not observed" in text, "what nobody looked for is not observed")
    row = next(line.split() for line in text.split("\n") if "POTOTC" in line)
    check(row[-6:] == ["192", "0.017", "8.9", "-", "pototc.f:86"] or "8.9" in row, f"shares are the table's: {row}")
    totals = json.loads(run(paf, "report", "--json", ktool).stdout)["totals"]
    check(totals["calls"] is None and len(totals["loops"]) == 14, "JSON: null is not observed")
    first = totals["loops"][0]
    check(first["unit"] == "PSH2" and first["rotation"] == 13107200 and first["inclusive"] is None,
          f"JSON of a loop: {first}")
    nodes = json.loads(run(paf, "report", "--json", mtool).stdout)["totals"]["calls"][0]["nodes"]
    check([n["times"] for n in nodes] == [1, 1, 1, 1] and nodes[0]["time"] == 0.002037, f"by process: {nodes}")


def pictures(ktool, mtool):
    def draw(*options, status=0, ending="svg", trace=ktool):
        out = folder / f"out.{ending}"
        done = run(paf, "export", "--view", "table", *options, "-o", out, trace, status=status)
        return done if status else out.read_bytes()

    check(draw() == draw(), "the same input gives the same bytes")
    check(draw("--table", "loops") != draw(), "tables differ")
    check(draw("--by", "counts") != draw(), "executions are another order")
    groups = {draw("--table", "io", "--group", group) for group in ("statements", "units", "files")}
    check(len(groups) == 3, "input and output by statement, by unit, by file")
    check(draw("--table", "io") in groups, "by statement if nothing is said")
    check("no such group" in draw("--group", "lines", status=1).stderr, "a group that is not there")
    check(draw("--maximum", "20") != draw(), "a manual scale changes the bars")
    check(draw("--ignore", "SRC,PSH2") != draw(), "what is ignored is left out")
    check(draw("--of", "src") != draw("--table", "loops"), "loops of one routine")
    check(draw("--select", "intstc.f:34", "--table", "loops") != draw("--table", "loops"), "a selection")
    check(draw("--node", "2", trace=mtool) != draw("--node", "max", trace=mtool), "processes are chosen")
    check(json.loads(draw(ending="json"))["units"][0]["name"] == "SRC", "the table as JSON")
    for ending in "png", "pdf":
        check(len(draw(ending=ending)) > 1000, f"{ending} is written")
    check("not observed" in draw("--table", "calls", status=1).stderr, "a table nobody looked for")
    # Processes have the numbers by which views name them: ranks, or else their own from 1.
    for trace, node, there in (ktool, "2", "process 1"), (ktool, "0", "process 1"), (mtool, "4", "rank 0 to 3"):
        said = draw("--node", node, trace=trace, status=1).stderr
        check(f"no such process: {node} ({there}; or sum, max, min, mean)" in said, f"no process {node}: {said}")
    draw("--node", "1")
    draw("--node", "0", trace=mtool)
    check("no unit" in draw("--of", "NONE", status=1).stderr, "a unit that is not there")
    draw("--by", "size", status=2)
    draw("--maximum", "much", status=2)


def without_view(ktool):
    """The view of totals alone is their table; options of the table ask for it."""
    named, default = folder / "named.svg", folder / "default.svg"
    run(paf, "export", "--view", "table", "-o", named, ktool)
    run(paf, "export", "-o", default, ktool)
    check(named.read_bytes() == default.read_bytes(), "totals alone are shown as a table")
    run(paf, "export", "--view", "table", "--table", "loops", "-o", named, ktool)
    run(paf, "export", "--table", "loops", "-o", default, ktool)
    check(named.read_bytes() == default.read_bytes(), "--table is of the table")
    done = run(paf, "export", "--view", "all", "--table", "loops", "-o", default, ktool, status=2)
    check("of --view table" in done.stderr, f"another view has no tables: {done.stderr}")


def other_views(ktool):
    for view in "all", "parallelism", "iotree", "places":
        done = run(paf, "export", "--view", view, "-o", folder / "x.svg", ktool, status=1)
        check("no timeline was recorded" in done.stderr, f"{view} says that there is no timeline")
    done = run(paf, "iotree", "--of", "main/0", ktool, status=1)
    check("no timeline was recorded" in done.stderr, "iotree says so, too")


ktool, mtool = traces()
reports_of(ktool, mtool)
pictures(ktool, mtool)
without_view(ktool)
other_views(ktool)
sys.exit(len(failures) > 0)
