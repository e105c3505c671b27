"""Commands of Belvedere, each in a process of its own that is forked from one which has loaded the program.

A start takes half a second, a fork some milliseconds. What Python does when it starts (encodings, locale, streams that are
closed) happens once, in the surroundings of the caller; each command has its own streams, exit code and end of the interpreter.

    python tests/forked_commands.py FOLDER [MODULE …]

Loads modules that the commands need. The folder holds `plan.json`, a list of [words, [file of the output, of the errors]]; an
empty name leaves the stream as it is. The exit codes are written into `codes.json`, which is there already, because the
surroundings may forbid making files that can be read.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parents[1]


class Command(NamedTuple):
    """A command: its words, and the files that its output and errors go to. None: one in the folder; empty: none."""

    words: Sequence[str]
    out: str | None = None
    error: str | None = None


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    error: str


def carried_out(commands: Sequence[Command], folder: Path, shell: str = 'exec "$0" "$@"', env: Mapping[str, str] = os.environ,
                cwd: Path = ROOT, loaded: Sequence[str] = ()) -> list[Done]:
    """Returns what each command did.

    Args:
        commands: what is carried out, one after the other.
        folder: where files of this function are.
        shell: the line that starts the process that is forked.
        env: its environment.
        cwd: its folder.
        loaded: modules that it loads, because several commands need them.
    """
    plan, printed = [], []
    for number, command in enumerate(commands):
        files = [_file(folder / f"{number}.out", command.out), _file(folder / f"{number}.error", command.error)]
        plan.append((list(command.words), files))
        printed.append(files)
    (folder / "codes.json").touch()
    (folder / "plan.json").write_text(json.dumps(plan))
    started = subprocess.run(["/bin/sh", "-c", shell, sys.executable, __file__, str(folder), *loaded], cwd=cwd,
                             env=dict(env), capture_output=True, text=True, errors="replace", timeout=250, check=False)
    codes = json.loads((folder / "codes.json").read_text() or "[]")
    assert len(codes) == len(plan), started.stdout + started.stderr
    texts = [[_text(Path(path)) for path in files] for files in printed]
    return [Done(code, out, error) for code, (out, error) in zip(codes, texts, strict=True)]


def _file(own: Path, given: str | None) -> str:
    """Returns the file of a stream, which is there."""
    if given is None:
        own.touch()
        return str(own)
    return given


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.is_file() else ""


def _fork(words: list[str], files: list[str], console_script: Callable[[], NoReturn]) -> int:
    """Returns the exit code of a command. The child leaves by SystemExit: its interpreter ends as the program's does."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for number, path in enumerate(files, 1):
        if not path:
            continue
        opened = os.open(path, os.O_WRONLY)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["main.py", *words]
    return console_script()


def main() -> None:
    """Carries out the plan."""
    folder = Path(sys.argv[1])
    sys.path[:1] = [str(ROOT), str(ROOT / "resources")]
    from main import console_script  # what the program loads first

    for module in sys.argv[2:]:
        importlib.import_module(module)
    plan = json.loads((folder / "plan.json").read_text())
    codes = [_fork(words, files, console_script) for words, files in plan]
    with (folder / "codes.json").open("r+") as stream:
        json.dump(codes, stream)


if __name__ == "__main__":
    main()
