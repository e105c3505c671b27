"""`--fast`: what `make test-fast` runs. Derived from recorded durations, not from a list kept by hand.

It runs the first case of every quick test function, and of a file without a quick function its quickest one, unless that
takes long. `make durations` records which functions are not quick, in `durations.json`; one that is not listed there is quick.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

DURATIONS = Path(__file__).with_name("durations.json")
"""Function -> seconds of its first case, with what was made ready for it; on a quiet machine."""
QUICK = 0.1
"""Functions that take less are not listed."""
MOST = 1.0
"""A function that takes longer is never part of it."""


def function_of(nodeid: str) -> str:
    """Returns the name of a test without its case."""
    return nodeid.partition("[")[0]


def chosen(nodeids: Iterable[str], seconds: dict[str, float]) -> set[str]:
    """Returns the tests of a fast run.

    Args:
        nodeids: all tests, in their order.
        seconds: functions that are not quick, with their durations.
    """
    first: dict[str, str] = {}
    for nodeid in nodeids:
        first.setdefault(function_of(nodeid), nodeid)
    files: dict[str, list[str]] = {}
    for function in first:
        files.setdefault(function.partition("::")[0], []).append(function)
    found = set()
    for functions in files.values():
        quick = [function for function in functions if function not in seconds]
        quickest = min(functions, key=lambda function: seconds.get(function, 0.0))
        found |= {first[function] for function in quick or [quickest] if seconds.get(function, 0.0) <= MOST}
    return found


class Recording:
    """Adds up what the first case of each function takes, and writes it at the end."""

    def __init__(self) -> None:
        self._seconds: dict[str, dict[str, float]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        cases = self._seconds.setdefault(function_of(report.nodeid), {})
        cases[report.nodeid] = cases.get(report.nodeid, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        first = {function: next(iter(cases.values())) for function, cases in self._seconds.items()}
        slow = {function: round(seconds, 1) for function, seconds in sorted(first.items()) if seconds >= QUICK}
        DURATIONS.write_text(json.dumps(slow, indent=0) + "\n", "utf-8")


def add_options(parser: pytest.Parser) -> None:
    """Adds `--fast` and `--record-durations`."""
    group = parser.getgroup("belvedere")
    group.addoption("--fast", action="store_true", help="the first case of each quick test: within a minute")
    group.addoption("--record-durations", action="store_true", help=f"write {DURATIONS.name}, by which --fast chooses")


def configure(config: pytest.Config) -> None:
    """Records durations if that was asked for; not in the processes of pytest-xdist, whose reports come to the first one."""
    if config.getoption("--record-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recording())


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects what is not part of a fast run, if that was asked for."""
    if not config.getoption("--fast"):
        return
    kept = chosen((item.nodeid for item in items), json.loads(DURATIONS.read_text("utf-8")))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
    items[:] = [item for item in items if item.nodeid in kept]
