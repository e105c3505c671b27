"""Commands in odd surroundings: each works, or says in one line what is wrong; none prints a traceback or Qt's own words."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.forked_commands import Command, carried_out
from tests.long_tests import LONG, some_pairs

RUN = ("run", "--planner", "oracle", "--scene", "four-rooms-1", "--max-steps", "1")
UNSET = "(unset)"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells and variables")

SURROUNDINGS: Mapping[str, Mapping[str, str]] = {
    "no home": {"HOME": UNSET, "XDG_CACHE_HOME": UNSET, "XDG_DATA_HOME": UNSET, "XDG_STATE_HOME": UNSET,
                "XDG_CONFIG_HOME": UNSET, "XDG_DOCUMENTS_DIR": UNSET},
    "a home that is no folder": {"HOME": "/dev/null", "XDG_CACHE_HOME": "", "XDG_DATA_HOME": "relative", "XDG_STATE_HOME": "",
                                 "XDG_CONFIG_HOME": "relative", "XDG_DOCUMENTS_DIR": ""},
    "no place for temporary files": {"TMPDIR": "/dev/null"},
    "a dead display": {"DISPLAY": ":99", "WAYLAND_DISPLAY": UNSET, "QT_QPA_PLATFORM": UNSET},
    "a dead compositor": {"WAYLAND_DISPLAY": "wayland-99", "DISPLAY": UNSET, "QT_QPA_PLATFORM": UNSET,
                          "XDG_RUNTIME_DIR": "/tmp"},
    "a compositor without a folder": {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": UNSET, "QT_QPA_PLATFORM": UNSET,
                                      "XDG_RUNTIME_DIR": UNSET},
    "an unknown platform": {"QT_QPA_PLATFORM": "nonsense"},
    "no docstrings": {"PYTHONOPTIMIZE": "2"},
    "ASCII": {"PYTHONIOENCODING": "ascii"},
    "the C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "an unknown locale": {"LC_ALL": "xx_YY.UTF-9"},
    "an unknown terminal": {"TERM": "nonsense", "COLUMNS": "-5", "LINES": "x"},
    "an unknown time zone": {"TZ": "Nowhere/Land"},
    "a deleted folder": {},
    "closed streams": {},
    "files that nobody may read": {},
}
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "the window": (),
    "list": ("list", "planners"),
    "help": ("export", "--help"),
    "run": RUN,
    "record": (*RUN, "--record", "OUT/a.mcap", "--no-pictures"),
    "screenshot": ("screenshot", "--planner", "oracle", "--cameras", "--turns", "0", "--size", "64x64", "--out", "OUT/a.png"),
    "library": ("library",),
    "examples": ("examples", "list"),
    "export": ("export", "nowhere.mcap", "--to", "html", "--out", "OUT/a.html"),
    "failures": ("failures", "nowhere"),
    "replay": ("replay", "nowhere.mcap"),
    "evaluate": ("evaluate", "--suite", "llm-state", "--planner", "oracle", "--cell", "simple", "--trials", "1", "--jobs", "1",
                 "--max-steps", "1", "--out", "OUT/results"),
}
OPENS_A_WINDOW = {"the window"}
WITHOUT_A_DISPLAY = {"a dead display", "a dead compositor", "a compositor without a folder", "an unknown platform"}


def shell(surroundings: str, place: Path) -> str:
    """Returns the shell line that starts a command in surroundings that are no variables."""
    match surroundings:
        case "a deleted folder":
            return f'cd "{place}" && rmdir "{place}" && exec "$0" "$@"'
        case "closed streams":
            return 'exec "$0" "$@" <&- >&- 2>&-'
        case "files that nobody may read":
            return 'umask 777; exec "$0" "$@"'
    return 'exec "$0" "$@"'


def cases() -> dict[str, list[str]]:
    """Returns the commands of each surroundings; the window only where it cannot open, and there, in a plain run, one more."""
    some = [*((name, command) for name, command in some_pairs(tuple(SURROUNDINGS), tuple(COMMANDS), 1)
              if LONG or name not in WITHOUT_A_DISPLAY or command == "screenshot"),
            *((name, "the window") for name in sorted(WITHOUT_A_DISPLAY)),
            ("no docstrings", "list"), ("no home", "library"), ("ASCII", "help")]
    found: dict[str, list[str]] = {name: [] for name in SURROUNDINGS}
    for name, command in dict.fromkeys(some):
        if command not in OPENS_A_WINDOW or name in WITHOUT_A_DISPLAY:
            found[name].append(command)
    return found


def test_all_commands_and_surroundings_are_tried() -> None:
    assert {command for commands in cases().values() for command in commands} == set(COMMANDS)
    assert all(cases().values())


@pytest.mark.parametrize("surroundings", SURROUNDINGS)
def test_commands_work_or_say_in_a_line_why_not(surroundings: str, tmp_path: Path) -> None:
    """One process is started in the surroundings, and each command is a fork of it."""
    (place := tmp_path / "here").mkdir()
    (out := tmp_path / "out").mkdir()
    wanted = {**os.environ, "BELVEDERE_RENDERER": "2d", **SURROUNDINGS[surroundings]}
    names, stream = cases()[surroundings], "" if surroundings == "closed streams" else None
    commands = [Command([word.replace("OUT", str(out)) for word in COMMANDS[name]], stream, stream) for name in names]
    env = {name: value for name, value in wanted.items() if value != UNSET}
    for name, done in zip(names, carried_out(commands, tmp_path, shell(surroundings, place), env, place), strict=True):
        said = done.out + done.error
        assert done.code in (0, 1, 2), (name, said)
        for strange in ("Traceback", "Reinstalling", "Aborted", "core dumped", "Exception ignored"):
            assert strange not in said, name
        if stream is None and done.code == 2:
            assert [line.startswith("error: ") for line in done.error.splitlines()].count(True) == 1, (name, said)
        if name in OPENS_A_WINDOW:
            assert done.error.startswith("error: no window can be opened on the display ")
            assert done.error.count("\n") == 1
