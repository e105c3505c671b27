"""Measures the figures of the benchmarks three times under different load and prints them as a table: `make bench-table`.

`python -m tests.benchmarks.table [--loads 0 1 2] [--write] [-- -k search]`: what follows `--` goes to pytest. Beside each run
are so many busy processes. `--write` puts the table into the README of this folder. The benchmarks in `LONG` are left out: they
play for long to count other things than time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
README = FOLDER / "README.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
LONG = ("test_soak.py", "test_robot_goals.py")
MOST_SPREAD = 0.25
"""How far the figures of the runs may differ from their middle to count as steady."""
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(1000))"
"""Ends with the process that started it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A figure in all runs.

    Attributes:
        name: what was measured.
        reference: the unit.
        clock: `processor` or `wall`.
        values: the figure in each run; None where a run lacks it.
        milliseconds: what it stands for in the first run.
    """

    name: str
    reference: str
    clock: str
    values: tuple[float | None, ...]
    milliseconds: float

    @property
    def spread(self) -> float:
        """The largest distance of a run from the middle between the largest and the smallest, as a share of the middle."""
        known = [value for value in self.values if value is not None]
        middle = (max(known) + min(known)) / 2
        return (max(known) - middle) / middle if middle else 0.0

    @property
    def is_steady(self) -> bool:
        """Whether all runs are there and agree."""
        return None not in self.values and self.spread <= MOST_SPREAD

    def line(self) -> str:
        """Returns the row of the table."""
        values = " | ".join("–" if value is None else f"{value:.3g}" for value in self.values)
        spread = "–" if None in self.values else f"±{self.spread:.0%}"
        steady = spread if self.is_steady else f"**{spread}**"
        return f"| {self.name} | {self.reference} | {self.clock} | {values} | {steady} | {self.milliseconds:.3g} |"


@contextmanager
def beside(busy: int) -> Iterator[None]:
    """Runs so many busy processes."""
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(busy)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def measure(busy: int, options: Sequence[str]) -> list[dict[str, object]]:
    """Runs the benchmarks beside busy processes, and returns their figures as `reference.note` has kept them."""
    with tempfile.TemporaryDirectory() as folder, beside(busy):
        path = Path(folder) / "results.json"
        environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
        ignored = [f"--ignore={FOLDER / name}" for name in LONG]
        code = subprocess.run([sys.executable, "-m", "pytest", str(FOLDER), "--benchmark-enable", "--benchmark-only",
                               f"--benchmark-json={path}", "--benchmark-columns=median", *ignored, *options],
                              env=environment, stdout=sys.stderr, check=False).returncode
        if not path.exists() or not path.stat().st_size:
            raise SystemExit(f"the benchmarks ended with code {code} and without results")
        results = json.loads(path.read_text("utf-8"))["benchmarks"]
    return [figure for result in results for figure in result["extra_info"].get("figures", ())]


def rows_of(runs: Sequence[Sequence[dict[str, object]]]) -> list[Row]:
    """Returns one row for each figure, in the order of the runs."""
    by_name = [{str(figure["name"]): figure for figure in run} for run in runs]
    names = dict.fromkeys(name for run in by_name for name in run)
    rows = []
    for name in names:
        found = [run.get(name) for run in by_name]
        first = next(figure for figure in found if figure is not None)
        values = tuple(None if figure is None else float(str(figure["value"])) for figure in found)
        rows.append(Row(name, str(first["reference"]), str(first["clock"]), values,
                        float(str(first["value"])) * float(str(first["unit"]))))
    return rows


def table(rows: Sequence[Row], loads: Sequence[int]) -> str:
    """Returns the rows in Markdown, and which are not steady."""
    titles = " | ".join("quiet" if load == 0 else f"beside {load}" for load in loads)
    head = f"| figure | unit | clock | {titles} | spread | ms |\n|---|---|---|{'---:|' * (len(loads) + 2)}"
    unsteady = [row.name for row in rows if not row.is_steady]
    share = f"{len(rows) - len(unsteady)} of {len(rows)} figures are within ±{MOST_SPREAD:.0%} under all loads."
    rest = f" Not steady: {'; '.join(unsteady)}." if unsteady else ""
    machine = f"Measured with Python {platform.python_version()} on {os.cpu_count()} cores."
    return "\n".join((head, *(row.line() for row in rows), "", f"{share}{rest}", "", machine))


def write(text: str, readme: Path = README) -> None:
    """Puts the table into the README, in place of the one that is there."""
    before, rest = readme.read_text("utf-8").split(BEGIN, 1)
    readme.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = given[given.index("--") + 1:] if "--" in given else []
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", type=int, nargs="+", default=[0, 1, 2], help="busy processes beside each run")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    args = parser.parse_args(given[:given.index("--")] if "--" in given else given)
    text = table(rows_of([measure(load, options) for load in args.loads]), args.loads)
    sys.stdout.write(f"{text}\n")
    if args.write:
        write(text)


if __name__ == "__main__":
    main()
