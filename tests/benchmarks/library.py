"""Makes many recordings and measures the library: `python -m tests.benchmarks.library DIR [--count 10000] [--window]`.

Prints how fast recordings are indexed, how long the library takes to open and to find, the latter in units of `reference.py`,
and the memory it needs; with `--window`
how late the event loop of the window is while it indexes, and how long it takes from a key to the rows.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.library.index import Index
from core.library.scan import update
from core.recording.codec import Codec
from tests.benchmarks.reference import PYTHON, Alternation
from tests.core.library.common import Variants, pictured

QUERIES = ("", "a", "ap", "apple", "apple fridge", "-apple", "planner:uct", "failed turns>3", "variant77", "prompt:kitchen",
           "sofa scene:four-rooms-3 reached", "date>2026-06", "right")
REPEATS = 5
TYPING = 0.1
"""Seconds between two keys."""
IDLE = 15.0
"""Seconds for which the event loop is measured with nothing to do, which tells what other programs take."""


def make(folder: Path, count: int) -> Path:
    """Returns a folder that holds at least so many recordings, 500 in each folder of it. Those that are there stay."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        variants = Variants(pictured(Path(scratch) / "source.mcap"))
        for number in range(count):
            path = folder / f"part {number // 500:02}" / f"run {number:05}.mcap"
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                variants.write(path, number)
    return folder


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Returns how many seconds a call takes, and how many of them it uses a processor."""
    start, used = time.perf_counter(), time.thread_time()
    act()
    return time.perf_counter() - start, time.thread_time() - used


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the recordings are made, or were made before")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--window", action="store_true", help="measure the window")
    args = parser.parse_args()
    say = sys.stdout.write
    say(f"making {args.count:,} recordings: {timed(lambda: make(args.folder, args.count))[0]:.1f} s\n")
    with tempfile.TemporaryDirectory() as scratch:
        memory = Memory()
        memory.start()
        (measure_window if args.window else measure)(args.folder.resolve(), Path(scratch) / "library.sqlite")
        memory.over.set()
        memory.join()
    say(f"memory at most, with the process that reads recordings: {memory.most:.0f} MB\n")


class Memory(threading.Thread):
    """Notes the memory of this process and its children together, in MB. What they share is counted once (PSS, Linux only)."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self.over = 0.0, threading.Event()

    def run(self) -> None:
        """Looks once a second."""
        while not self.over.wait(1.0):
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()
            found = [_pss(process) for process in ("self", *children)]
            self.most = max(self.most, sum(found))


def _pss(process: str) -> float:
    """Returns the memory of a process in MB; 0 if it is over."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def measure(folder: Path, path: Path) -> None:
    """Measures the index alone."""
    say = sys.stdout.write
    with Index(path) as index:
        took, used = timed(lambda: list(update(index, [folder], Codec())))
        say(f"indexed from nothing: {took:.1f} s ({used:.1f} s of a processor), {path.stat().st_size / 1e6:.0f} MB\n")
        took, used = timed(lambda: list(update(index, [folder], Codec())))
        say(f"nothing changed: {took:.2f} s ({used:.2f} s of a processor)\n")
    with Index(path) as opened:
        took, used = timed(lambda: opened.find("", [folder]))
        say(f"opened: {took:.2f} s ({used:.2f} s of a processor)\n")
        for text in QUERIES:
            beside = Alternation(PYTHON, time.thread_time)
            for _ in range(REPEATS):
                beside.unit()
                found = len(beside.round(partial(opened.find, text, [folder])))
            beside.unit()
            say(f"  {found:6,} found, {beside.figure(text or '(all)').words()}\n")


def measure_window(folder: Path, path: Path) -> None:
    """Measures the window: from nothing, while it indexes, and then with the index."""
    from PySide6.QtCore import QSettings
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from gui.app import App
    from gui.control.recording_files import RecordingFiles
    from gui.theme import Theme
    from gui.window.application import responsive_interpreter
    from tests.benchmarks.lateness import Probe
    from tests.gui.test_runs import toys

    say, qt, theme = sys.stdout.write, QApplication([]), Theme("dark")
    theme.apply(qt)

    def wait_for(fits: Callable[[], bool]) -> float:
        start = time.perf_counter()
        while not fits():
            qt.processEvents()
            time.sleep(0.0002)
        return time.perf_counter() - start

    def pause(length: float) -> None:
        start = time.perf_counter()
        wait_for(lambda: time.perf_counter() - start > length)

    def is_answered(app: App, text: str) -> bool:
        return app.pages.library._found.wish.query == text

    def opened(name: str) -> App:
        files = RecordingFiles(folder, Codec, running=path.parent, index=path)
        app = App(replace(toys(), files=files), theme, QSettings(str(path.parent / name), QSettings.Format.IniFormat))
        app.window.resize(1440, 900)
        app.open(ask=False)
        wait_for(lambda: app.bridge.snapshot.turn > 0)
        return app

    with responsive_interpreter():
        app, probe, rest = opened("one.ini"), Probe(), list[float]()
        app.pages.shelf.progressed.connect(lambda progress: rest.append(time.perf_counter()) if progress is None else None)
        app.window.asked_library.emit()
        probe.start()
        took = wait_for(lambda: bool(rest))
        probe.stop()
        say(f"indexed from nothing by the window: {took:.1f} s; event loop late by (ms) {probe.figures()}\n")
        probe = Probe()
        probe.start()
        pause(IDLE)
        probe.stop()
        say(f"the same with nothing to do: event loop late by (ms) {probe.figures()}\n")
        app.window.close()
        app, probe = opened("two.ini"), Probe()
        app.window.asked_library.emit()
        took = wait_for(lambda: app.pages.library.table.count() >= len(app.pages.library.table.items) > 0)
        say(f"from the shortcut to {app.pages.library.table.count():,} rows: {took:.2f} s\n")
        wait_for(lambda: not app.pages.shelf._scanning)
        probe.start()
        times, used = list[float](), list[float]()
        for text in QUERIES[1:]:
            app.pages.library.search.clear()
            for end, letter in enumerate(text, 1):
                start, before = time.perf_counter(), time.process_time()
                QTest.keyClicks(app.pages.library.search, letter)
                wait_for(partial(is_answered, app, text[:end].lstrip()))
                times.append((time.perf_counter() - start) * 1e3)
                used.append((time.process_time() - before) * 1e3)
                pause(TYPING)
        probe.stop()
        say(f"from each of {len(times)} keys to the rows: median {statistics.median(times):.1f} ms, "
            f"p95 {statistics.quantiles(times, n=20)[-1]:.1f} ms, worst {max(times):.1f} ms (of a processor: median "
            f"{statistics.median(used):.1f} ms, worst {max(used):.1f} ms); event loop late by (ms) {probe.figures()}\n")
        app.window.close()


if __name__ == "__main__":
    main()
