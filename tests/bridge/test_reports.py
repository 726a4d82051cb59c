#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# test_reports.py KPX-BRIDGE PAF REPORTS: the reports of ktool and mtool are read into traces and written
# from them. REPORTS holds one of each, with figures of the paper that describes the tools.
import json
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True

from support import check, failures, run_checked as run  # noqa: E402 - beside this file

bridge, paf, reports = sys.argv[1:4]
reports = pathlib.Path(reports)
folder = pathlib.Path(tempfile.mkdtemp(prefix="reports-"))


def imported(text, name="input.f66"):
    source, trace = folder / name, folder / (name + ".paf")
    source.write_bytes(text if isinstance(text, bytes) else text.encode())
    run(bridge, "import", source, "-o", trace)
    return trace


def report(kind, trace):
    return run(bridge, "report", "--" + kind, trace).stdout


def round_trips():
    for kind, name in [("ktool", "k_tool.f66"), ("mtool", "m_tool.f66")]:
        golden = (reports / name).read_text()
        check(report(kind, imported(golden)) == golden, f"{name} is written as it was read")


def other_looks():
    golden = (reports / "k_tool.f66").read_text()
    looks = {
        "lines end in CR LF": golden.replace("\n", "\r\n"),
        "lines end in CR": golden.replace("\n", "\r"),
        "tabs": "\n".join("\t".join(line.split()) if "<<<" not in line else line
                          for line in golden.split("\n")),
        "page feeds and headings again": golden.replace(
            " PSH1             297", "\f PROGRAM TIMES TIME:SEC % LINE FILE/*.f\n ======\n PSH1             297"),
        "remarks": golden.replace(" USINM          28744", " (continued)\n ... \n USINM          28744"),
        "bytes of another encoding": golden.encode() .replace(
            b" <<< DO LOOP", b" \xa5\xc6\xa5\xb9\xa5\xc8 \n <<< DO LOOP"),
    }
    for what, text in looks.items():
        check(report("ktool", imported(text)) == golden, f"{what} change nothing")


def older_tools():
    golden = (reports / "m_tool.f66").read_text()
    for tool, library, name in (("vtool", "PVM:Parallel Virtual Machine", "PVM"), ("ptool", "NX", "NX")):
        text = golden.replace("MPI:A Message-Passing Interface", library).replace("MPI call", name + " call")
        check(text != golden and report("mtool", imported(text)) == golden, f"the tables of {tool} are read")


def unobserved():
    text = (" <<< DO LOOP RESULTS >>>\n PROGRAM SEQ. LABEL T ROTATION MEAN:ROT TIMES TIME:SEC % LINE FILE/*.f\n"
            " SUB 1 10 1 ************ ***** 25600 6.852 22.4 34 sub.f\n"
            " SUB 2 0 500 5.0 100 12345.678100.0 40 sub.f\n")
    trace = imported(text)
    got = report("ktool", trace)
    check("PROGRAM UNIT" not in got and "I/O" not in got, "what nobody looked for has no table")
    rows = [line.split() for line in got.split("\n") if " SUB " in line]
    check(rows[0] == "SUB 2 - 0 500 5.0 100 12345.678 100.0 40 sub.f".split(),
          f"columns that touch are told apart, a loop may have no label: {rows[0]}")
    check(rows[1] == "SUB 1 10 1 - - 25600 6.852 22.4 34 sub.f".split(),
          f"stars are not observed: {rows[1]}")
    info = json.loads(run(paf, "info", "--json", trace).stdout)
    check(info["kind"] == "totals" and info["totals"]["loops"] == 2 and info["totals"]["units"] is None,
          "paf info tells of the totals")


def files_of_statements():
    text = (" <<< I/O PROCESS RESULTS >>>\n PROGRAM SEQ. UNIT NO. KIND TIMES TIME:SEC % LINE FILE/*.f\n"
            " A 1 6 write 3 0.010 50.0 3 a.f\n A 2 6 write 4 0.005 25.0 4 a.f\n A 3 * read 1 0.005 25.0 5 a.f\n"
            " 0.020\n\n <<< I/O FILE RESULTS >>>\n UNIT NO. TIMES TIME:SEC % FILE NAME\n"
            " 6 7 0.015 75.0 out.dat\n * 1 0.005 25.0 -\n 0.020\n")
    got = report("ktool", imported(text))
    rows = [line.split() for line in got[got.index("I/O FILE"):].split("\n")]
    check("6 7 0.015 75.0 out.dat".split() in rows and "* 1 0.005 25.0 -".split() in rows,
          f"statements are summed by file: {rows}")
    check(report("ktool", imported(got)) == got, "the sums are written as they were read")
    row = next(line for line in got.split("\n") if line.endswith("out.dat"))
    second = row.replace("7       0.015   75.0 out", "1       0.005   25.0 two")
    changed = got.replace(row, row.replace("0.015   75.0", "0.016   80.0") + "\n" + second)
    check(changed != got and report("ktool", imported(changed)) == changed, "and where they are others")


def bad_input():
    for text, reason in [
        (" <<< PROGRAM UNIT RESULTS >>>\n SRC 600 9.983\n", "line 2: fewer columns"),
        (" <<< PROGRAM UNIT RESULTS >>>\n SRC six 9.983 33.0 2 src.f\n", "line 2: TIMES: `six` is no number"),
        (" <<< PROGRAM UNIT RESULTS >>>\n SRC 600 9.983 33.0 2 src.f more\n", "line 2: more columns"),
        (" <<< PROGRAM UNIT RESULTS >>>\n SRC 99999999999999999999 9.983 33.0 2 src.f\n", "too large"),
        (" <<< DO LOOP RESULTS >>>\n\n SRC 1 10 7 1 1.0 1 1.0 9 2 src.f\n", "line 3: T: `7`"),
        (" MPI call name loc.\n x\n", "line 2: fewer columns"),
        ("just text\n", "line 1: no table"),
        ("", "line 1: no table"),
    ]:
        source = folder / "bad"
        source.write_text(text)
        done = run(bridge, "import", source, "-o", folder / "bad.paf", status=1)
        check(f"{source}: line" in done.stderr and reason in done.stderr, f"{reason}: {done.stderr}")
    check(not (folder / "bad.paf").exists(), "what cannot be read is not written")
    trace = imported((reports / "k_tool.f66").read_text())
    check("not observed" in run(bridge, "report", "--mtool", trace, status=1).stderr, "no calls, no mtool")
    run(bridge, "report", "--ktool", "--node", 1, trace)
    for node in 0, 2, "x", "1x", "", "99999999999999999999":
        said = run(bridge, "report", "--ktool", "--node", node, trace, status=1).stderr
        check(f"no such process: {node} (process 1)" in said, f"process {node}: {said}")
    run(bridge, "report", "--mtool", "--node", 1, trace, status=2)
    check("already a trace" in run(bridge, "import", trace, status=1).stderr, "a trace is no report")
    check("directory" in run(bridge, "import", folder, status=1).stderr, "nor is a folder")
    run(bridge, "report", trace, status=2)
    run(bridge, "import", status=2)


def sources_of_other_kinds():
    pipe = folder / "pipe.f"  # nobody ever writes to it
    os.mkfifo(pipe)
    trace = imported(f" <<< PROGRAM UNIT RESULTS >>>\n SRC 600 9.983 33.0 2 {pipe}\n")
    check(pipe.name in report("ktool", trace), "a source that is no file is not waited for")


round_trips()
other_looks()
older_tools()
sources_of_other_kinds()
unobserved()
files_of_statements()
bad_input()
sys.exit(len(failures) > 0)
