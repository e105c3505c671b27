"""Texts of the window contain no shell command and no wording that was replaced as unclear."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui.window.stage import _COMMAND, install_command

ROOT = Path(__file__).parents[2]
SHELL = re.compile(r"python main\.py|\bpip install|\bbelvedere (?:run|list|replay)|(?<!\w)--[a-z]")
SHOWN = {"UsageError", "GoalError", "DataError", "ModelError", "SimulatorError", "RendererError", "Failed", "Decision",
         "Verdict"}
ONLY_COMMANDS = ("core/app/command_line.py", "core/app/library_command.py", "core/evaluation", "core/recording/examples.py",
                 "core/app/run_request.py", "core/recording/exports", "core/recording/reader.py", "core/recording/pictures.py",
                 "core/recording/recovery.py", "sim/rendering/gl")
"""Files whose messages only the command line shows."""
RIDDLES = re.compile(r"\b(nobody|whoever|whatever|whom|anew|thereby|is told|stands in|is meant by|of its mind|lost against)\b")


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """The positional texts of errors and failures that a file raises or emits."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SHOWN:
            for argument in node.args:
                for part in ast.walk(argument):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.lineno, part.value


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """All strings of a file except docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes:
            yield node.lineno, node.value


def places(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    return [path for path in found if not str(path.relative_to(ROOT)).startswith(ONLY_COMMANDS)]


def test_no_message_that_a_window_can_show_names_a_shell_command() -> None:
    said = [(path, line, text) for folder in ("core", "sim") for path in places(folder) for line, text in messages(path)]
    assert len(said) > 300
    assert [x for x in said if SHELL.search(x[2])] == []


def test_no_text_of_the_window_names_a_shell_command_or_is_a_riddle() -> None:
    said = [(str(path), line, text) for path in places("gui") for line, text in texts(path) if "{ background" not in text]
    assert len(said) > 1000
    before_the_window = "theme/glyphs.py"
    commands = [x for x in said if SHELL.search(x[2]) and not x[0].endswith(before_the_window)]
    assert commands == []
    assert [x for x in said if " " in x[2] and RIDDLES.search(x[2])] == []


@pytest.mark.parametrize(("text", "cause", "command"), [
    ("needs the package 'x', not installed here: pip install -e '.[x]'", "needs the package 'x', not installed here",
     "pip install -e '.[x]'"),
    ("no key for h: set K, or run `keyring set belvedere h` (no keyring); a server without keys takes any text",
     "no key for h: set K (no keyring); a server without keys takes any text", "keyring set belvedere h"),
    ("the session failed: because", "the session failed: because", ""),
])
def test_a_command_is_taken_out_of_the_words(text: str, cause: str, command: str) -> None:
    assert install_command(text) == command
    assert _COMMAND.sub("", text) == cause
