# SPDX-License-Identifier: MIT
"""The bars, driven by a real pointer and real keys under a virtual display.

    test_bars.py KPX-BRIDGE PROBE REPORTS

Skipped (77), aloud, where there is no virtual display to be had. Nothing is waited for by time:
what the window shows is asked until it is as it should be, and only a minute without that fails.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

TABLE, ROW, BACK, BY, NODES, SCALE, IGNORED, IGNORE, SCROLLBAR, GROUP, SOURCE = range(1, 12)
PATIENCE = 300

if "BARS_TEST_DISPLAY" not in os.environ:
    os.environ["BARS_TEST_DISPLAY"] = "1"
    display = pathlib.Path(__file__).resolve().parents[1] / "support" / "display.py"
    os.execv(display, [str(display), sys.executable, *sys.argv])

bridge, probe, reports = (pathlib.Path(a).resolve() for a in sys.argv[1:])
folder = pathlib.Path(tempfile.mkdtemp())
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print(f"FAILED: {test.__name__}: {what}", file=sys.stderr)


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


class Window:
    def __init__(self, trace, size="1200x700"):
        self.errors = open(folder / "errors", "w+")
        self.process = subprocess.Popen([probe, trace, size], stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True)
        self.state, self.hits, self.blocks, self.lock = {}, [], 0, threading.Lock()
        threading.Thread(target=self.read, daemon=True).start()
        self.wait("it is drawn", lambda s: s.get("rows", "0") != "0" and int(s["width"]) > 1000)
        for _ in range(10 * PATIENCE):
            found = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(self.process.pid)],
                                   capture_output=True, text=True).stdout.split()
            if found:
                break
            time.sleep(0.1)
        self.id = found[-1]

    def read(self):
        state, hits = {}, []
        for line in self.process.stdout:
            line = line.rstrip("\n")
            if line == "end":
                with self.lock:
                    self.state, self.hits, self.blocks = state, hits, self.blocks + 1
                state, hits = {}, []
            elif line.startswith("hit "):
                kind, x, y, w, h, name = line[4:].split(" ", 5)
                hits.append((int(kind), int(x), int(y), int(w), int(h), name))
            else:
                key, value = line.split("=", 1)
                state[key] = value

    def now(self):
        with self.lock:
            return dict(self.state), list(self.hits)

    def wait(self, what, condition=None, **values):
        """Until the state is so. Tells once if it does not come."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            state, _ = self.now()
            if (condition is None or condition(state)) and all(state.get(k) == str(v) for k, v in values.items()):
                return True
            time.sleep(0.02)
        check(False, f"{what}: {values or ''} {self.now()[0]}")
        return False

    def place(self, kind, name=None, right=False):
        for k, x, y, w, h, n in reversed(self.now()[1]):
            if k == kind and (name is None or n == str(name)):
                return (x + w - 60 if right else x + w // 2), y + h // 2
        raise AssertionError(f"nothing of kind {kind} named {name}: {self.now()}")

    def point(self, x, y):
        xdotool("mousemove", "--window", self.id, x, y)

    def click(self, kind, name=None, button=1, times=1):
        self.point(*self.place(kind, name))
        xdotool("click", "--repeat", times, "--delay", 20, button)

    def key(self, *keys):
        xdotool("key", *keys)

    def close(self):
        self.point(5, 5)  # keys go where the pointer is
        self.key("q")
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "none: it did not end"
        check(status == 0, f"exit status {status}")
        self.errors.seek(0)
        said = self.errors.read()
        for word in "CRITICAL", "assertion", "Sanitizer", "runtime error":
            check(word.lower() not in said.lower(), f"complaints: {said}")


def trace_of(report, with_sources):
    """With sources beside the report, of as many lines as it names."""
    where = folder / ("with" if with_sources else "without")
    where.mkdir(exist_ok=True)
    for name in ("src", "psh1", "psh2", "intstc", "usinm") if with_sources else ():
        (where / f"{name}.f").write_text("".join(f"      x = {i}\n" for i in range(1, 500)))
    subprocess.run([bridge, "import", reports / report, "-o", f"{report}.paf"], cwd=where, check=True,
                   stderr=subprocess.DEVNULL)
    return where / f"{report}.paf"


def clicks():
    w = Window(trace_of("k_tool.f66", True))
    w.wait("units come first", table="Program units", unit="-", largest="9.983")
    w.point(*w.place(ROW, "PSH2"))
    w.wait("the row pointed at stands out", hover="PSH2")
    w.click(ROW, "PSH2")
    w.wait("a unit leads to its loops", table="DO loops", unit="PSH2", rows=1, source=2)
    w.click(BACK)
    w.wait("and back", table="Program units", unit="-")
    w.click(ROW, "SRC", times=2)
    w.wait("a double click is one click", table="DO loops", unit="SRC", selected="SRC")
    w.click(TABLE, 1)
    w.wait("all loops", table="DO loops", unit="-", rows=14)
    w.click(ROW, "loop 100 of INTSTC")
    w.wait("a loop's source", selected="loop 100 of INTSTC", table="DO loops", source=34)
    w.click(TABLE, 2)
    w.wait("input and output", table="Input/output")
    w.click(BY, 1)
    w.wait("executions", by="counts", largest=192)
    w.click(BY, 0)
    w.wait("times", by="time")
    w.close()


def trips():
    w = Window(trace_of("k_tool.f66", False))
    w.click(TABLE, 1)
    w.wait("loops", table="DO loops", rows=14)
    w.point(*w.place(ROW, "loop 30 of SRC"))
    xdotool("mousedown", 3)
    w.wait("trip counts while the button is held", trips="loop 30 of SRC")
    x, y = w.place(ROW, "loop 20 of PSH1")
    w.point(x, y)
    xdotool("mouseup", 3)
    w.wait("and no longer, wherever it is let go", trips="-")
    w.click(TABLE, 0)
    w.wait("units", table="Program units")
    before = w.blocks
    w.click(ROW, "SRC", button=3)
    w.click(ROW, "INTSTC")
    w.wait("a unit has no trip counts", unit="INTSTC", trips="-")
    check(w.blocks > before, "it went on")
    w.click(ROW, "loop 100 of INTSTC")
    w.wait("no source: what is selected is known all the same", selected="loop 100 of INTSTC", source=0)
    w.close()


def ignoring():
    w = Window(trace_of("k_tool.f66", True))
    w.click(IGNORE, "SRC")
    w.wait("left out", ignored=1, rows=10, largest="6.882")
    w.click(IGNORE, "PSH2")
    w.wait("both", ignored=2, rows=9, largest="6.786")
    w.click(IGNORED)
    w.wait("their list", list=1, rows=2)
    w.click(IGNORE, "SRC")
    w.wait("taken back from the list", list=1, rows=1, ignored=1)
    w.click(IGNORED)
    w.wait("the table again", list=0, rows=10, largest="9.983")
    w.key("u")
    w.wait("undone", ignored=0, rows=11)
    w.close()


def scales():
    w = Window(trace_of("k_tool.f66", True))
    w.click(SCALE, 1)
    # Once the entry is there it has the keys; what is typed before is of no use, and is typed again.
    for _ in range(PATIENCE):
        w.key("ctrl+a")
        xdotool("type", "20.5")
        w.key("Return")
        time.sleep(0.3)
        if w.now()[0]["maximum"] == "20.5":
            break
    w.wait("a scale that is typed in", maximum="20.5", largest="20.5")
    w.key("End")
    w.wait("which keeps its value, and keys are the bars' again", selected="UNIFRM", largest="20.5")
    w.click(SCALE, 0)
    w.wait("automatic again", maximum=0, largest="9.983")
    w.key("plus", "plus")
    w.wait("longer bars", maximum="6.38912")
    w.key("f")
    w.wait("as at first", maximum=0, first=0)
    w.close()


def scrolling():
    w = Window(trace_of("k_tool.f66", True), "1200x240")
    room = int(w.now()[0]["room"])
    check(room < 11, f"not all rows fit: {room}")
    w.point(*w.place(ROW, "PSH2"))
    xdotool("click", 5)
    w.wait("the wheel", first=3)
    w.wait("the topmost visible bar is full", largest="1.701")
    xdotool("click", "--repeat", 9, 5)
    w.wait("not beyond the end", first=11 - room)
    xdotool("click", "--repeat", 9, 4)
    w.wait("nor the beginning", first=0)
    x, y, width, height = next(h[1:5] for h in w.now()[1] if h[0] == SCROLLBAR)
    w.point(x + width // 2, y + 4)
    xdotool("mousedown", 1)
    w.point(x + width // 2, y + height)
    w.wait("the scrollbar is dragged", first=11 - room)
    w.point(x - 300, y + 4)
    w.wait("also from beside it", first=0)
    xdotool("mouseup", 1)
    w.point(x + width // 2, y + height - 2)
    xdotool("click", 1)
    w.wait("and clicked at", first=11 - room)
    xdotool("windowsize", w.id, 1300, 900)
    w.wait("a larger window shows all", first=0, visible=11, width=1300)
    xdotool("windowsize", w.id, 1010, 300)
    w.wait("a smaller one fewer", lambda s: int(s["visible"]) < 11, width=1010)
    w.close()


def processes():
    w = Window(trace_of("m_tool.f66", False))
    w.wait("the sum", nodes="sum", table="MPI calls")
    w.click(NODES)
    w.wait("the largest", nodes="maximum")
    w.key("n", "n", "n")
    w.wait("a rank", nodes="rank 0")
    w.key("p")
    w.wait("and back", nodes="mean")
    w.close()


def files():
    """Input and output by statement, by unit and by file, each of which leads to its statements."""
    w = Window(trace_of("k_tool.f66", True))
    w.click(TABLE, 2)
    w.wait("statements", table="Input/output", group=0, rows=10)
    w.click(GROUP, 1)
    w.wait("units", group=1)
    w.click(ROW, "ELDAT")
    w.wait("a unit's statements", unit="ELDAT", rows=2, table="Input/output")
    w.click(BACK)
    w.wait("back to units", unit="-", group=1)
    w.click(GROUP, 2)
    w.wait("files", group=2)
    w.click(ROW, "unit not known")
    w.wait("a file's statements", file="unit not known", rows=10)
    w.key("BackSpace", "g")
    w.wait("statements again", file="-", group=0, rows=10)
    w.close()


try:
    for test in files, clicks, trips, ignoring, scales, scrolling, processes:
        test()
finally:
    shutil.rmtree(folder)
sys.exit(failures > 0)
