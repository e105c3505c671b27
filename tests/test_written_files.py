"""Files are written by `core.common.files`, so that no kill and no full disk costs what was there. Exceptions are listed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest

from core.common.installation import ROOT

DRAFT: Final = "draft"
"""The name of what `replacing` yields: a new file that takes the place of another only when it is whole."""
EXPORT = "the draft of an export, see `core.recording.exports`"
EXCHANGE = "messages to and from a child process, in a folder that ends with it"
ALLOWED: Final = {
    "core/common/files.py": "it is the module that writes",
    "core/common/terminal.py": "the null device",
    "core/evaluation/expert_set.py": "cuts half a line off, which is made again",
    "core/planners/bcr/tree.py": "renames a node of a tree",
    "core/planners/ff_replan/solver.py": EXCHANGE,
    "core/planners/ff_replan/worker.py": EXCHANGE,
    "core/recording/exports/decisions.py": EXPORT,
    "core/recording/exports/html.py": EXPORT,
    "core/recording/exports/jsonl.py": EXPORT,
    "core/recording/exports/labels.py": EXPORT,
    "core/recording/exports/parquet.py": EXPORT,
    "core/recording/exports/rrd.py": "gives a whole file, made in a temporary folder, its name",
    "core/recording/exports/lerobot.py": "a new folder, which is removed if the export fails",
    "core/recording/exports/mp4.py": EXPORT,
    "core/recording/exports/spans.py": EXPORT,
    "core/recording/exports/view_values.py": EXPORT,
    "core/recording/files.py": "recordings: new files that only grow, with a second copy while they are written",
    "core/recording/recovery.py": "a repaired copy; the original is kept",
    "core/search/compilation/code_cache.py": "a lock, which is empty",
    "gui/control/kept_settings.py": "a copy in a temporary folder, which Qt changes and which then replaces the settings",
}
"""Files that write without it, and why they may."""
METHODS: Final = frozenset({"write_text", "write_bytes", "rename", "hardlink_to", "truncate"})
MODULES: Final = frozenset({"os.replace", "os.rename", "shutil.move", "shutil.copyfile", "os.truncate", "os.ftruncate"})


NAMES: Final = frozenset({"open", *METHODS, *(name.rpartition(".")[2] for name in MODULES)})

HINT: Final = re.compile(rf"\b({'|'.join(sorted(NAMES))})\(")
"""Most modules call nothing of the kind, and need not be parsed."""


def writes(source: str) -> Iterator[str]:
    """Yields the calls of a module that make or change a file."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    yield from (ast.unparse(call) for call in calls if _writes(call))


def _writes(call: ast.Call) -> bool:
    called = call.func
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    if name not in NAMES:
        return False
    text = ast.unparse(called)
    owner = text.rpartition(".")[0]
    if owner == DRAFT:
        return False
    return text in MODULES or bool(owner and name in METHODS) or (name == "open" and bool(_mode(call) & set("wax+")))


def _mode(call: ast.Call) -> set[str]:
    """Returns the characters of the mode that a file is opened with."""
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    texts = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return set("".join(text for text in texts if set(text) <= set("rwaxbt+") and len(text) <= 3))


@pytest.mark.parametrize(("call", "is_told"), [
    ("path.write_text('x')", True), ("open(path, 'w')", True), ("path.open(mode='ab')", True), ("os.replace(a, b)", True),
    ("path.open('rb')", False), ("open(path)", False), ("draft.write_bytes(b'')", False), ("text.replace('a', 'w')", False)])
def test_a_call_that_writes_is_recognized(call: str, is_told: bool) -> None:
    assert bool(list(writes(call))) is is_told


def test_files_are_written_by_one_module() -> None:
    found = {}
    for folder in ("core", "gui", "sim"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            if HINT.search(source) and (calls := list(writes(source))):
                found[path.relative_to(ROOT).as_posix()] = calls
    assert {name: calls for name, calls in found.items() if name not in ALLOWED} == {}
    assert ALLOWED.keys() <= found.keys(), "an exception that is not needed any more"
