"""Makes many recordings and measures the library: `python -m tests.benchmarks.library DIR [--count 10000]`.

Prints how fast recordings are indexed, how long the library takes to open and to find, and the memory it needs.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from core.library.index import Index
from core.library.scan import update
from core.recording.codec import Codec
from tests.core.library.common import Variants, pictured

QUERIES = ("", "a", "ap", "apple", "apple fridge", "-apple", "planner:uct", "failed turns>3", "variant77", "prompt:kitchen",
           "sofa scene:four-rooms-3 reached", "date>2026-06", "right")
REPEATS = 5


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
    args = parser.parse_args()
    say = sys.stdout.write
    say(f"making {args.count:,} recordings: {timed(lambda: make(args.folder, args.count))[0]:.1f} s\n")
    folder = args.folder.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "library.sqlite"
        with Index(path) as index:
            took, used = timed(lambda: list(update(index, [folder], Codec())))
            say(f"indexed from nothing: {took:.1f} s ({used:.1f} s of a processor), {path.stat().st_size / 1e6:.0f} MB\n")
            took, used = timed(lambda: list(update(index, [folder], Codec())))
            say(f"nothing changed: {took:.2f} s ({used:.2f} s of a processor)\n")
        opened = Index(path)
        took, used = timed(lambda: opened.find("", [folder]))
        say(f"opened: {took:.2f} s ({used:.2f} s of a processor)\n")
        for text in QUERIES:
            times = [timed(partial(opened.find, text, [folder])) for _ in range(REPEATS)]
            took, used = (statistics.median(column) * 1e3 for column in zip(*times, strict=True))
            found = len(opened.find(text, [folder]))
            say(f"  {text or '(all)':34} {found:6,} found, median {took:5.1f} ms ({used:4.1f} ms of a processor)\n")
        opened.close()
    say(f"memory at most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB\n")


if __name__ == "__main__":
    main()
