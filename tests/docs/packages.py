"""Packages of somebody else: put together in a folder as pip would install them, and run in processes of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from core.common.installation import ROOT

BLOCK = re.compile(r"<!-- (file|from): (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
COMMANDS = """
import contextlib, io, json, sys
import main
said = []
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = main.main(words)
    said.append([code, out.getvalue()])
print("\\f" + json.dumps(said) + "\\f")
"""
"""Carries out commands in one process. What other threads and C libraries print comes first."""
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def install(files: dict[str, str], site: Path) -> Path:
    """Writes a package's modules and the metadata that its pyproject.toml asks for. Returns the folder.

    This is what `pip install --target` leaves there; pip itself would fetch the build backend from the network.
    """
    project = tomllib.loads(files["pyproject.toml"])["project"]
    for path, text in files.items():
        if path != "pyproject.toml":
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            (site / path).write_text(text, encoding="utf-8")
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = [f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items())
              for group, entries in project["entry-points"].items()]
    (info / "entry_points.txt").write_text("\n".join(points))
    return site


def folder(path: Path) -> dict[str, str]:
    """Returns the files of a package in a folder."""
    found = (p for p in path.rglob("*") if p.suffix in (".py", ".toml"))
    return {str(p.relative_to(path)): p.read_text(encoding="utf-8") for p in found}


@dataclass(frozen=True)
class Machine:
    """A user's machine: a folder to work in, and the packages that are installed.

    Attributes:
        home: the folder, which is also the user's home.
        site: where packages are installed; None: no other package is.
    """

    home: Path
    site: Path | None = None

    def python(self, *words: str) -> str:
        """Returns what Python prints, on both streams. It must leave no temporary file. Plans take the place of 3-D views."""
        temporary = self.home / "temporary"
        temporary.mkdir(exist_ok=True)
        parts = (ROOT, ROOT / "resources", *(() if self.site is None else (self.site,)))
        done = subprocess.run(
            [sys.executable, *words], cwd=self.home, capture_output=True, text=True, check=False, timeout=240,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, parts)), "QT_QPA_PLATFORM": "offscreen",
                 "BELVEDERE_RENDERER": "2d", "TMPDIR": str(temporary),
                 "XDG_CONFIG_HOME": str(self.home / "config"), "XDG_DATA_HOME": str(self.home / "data")})
        assert done.returncode == 0, done.stdout + done.stderr
        assert not [left.name for left in temporary.iterdir() if not left.name.startswith("pytest-of-")]
        return done.stdout + done.stderr

    def belvedere(self, *words: str) -> str:
        """Returns what a command of Belvedere prints, on both streams."""
        return self.python(str(ROOT / "main.py"), *words)

    def commands(self, *commands: list[str]) -> list[tuple[int, str]]:
        """Returns exit code and print of each command of Belvedere. One process carries them out: to start takes it longer."""
        return self.commands_then("", *commands)[0]

    def commands_then(self, script: str, *commands: list[str]) -> tuple[list[tuple[int, str]], str]:
        """Returns the same, and what a script prints that the process carries out in the end."""
        said, then = self.python("-c", COMMANDS + script, json.dumps(commands)).rsplit("\f", 2)[1:]
        return [(code, text) for code, text in json.loads(said)], then.lstrip("\n")


def page(name: str) -> tuple[dict[str, str], list[str], str]:
    """Returns the files that a page of docs/ asks to save, its console blocks, and its text."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    files = {path: code for kind, path, code in BLOCK.findall(text) if kind == "file"}
    return files, CONSOLE.findall(text), text


def excerpts(text: str) -> list[tuple[str, str]]:
    """Returns the (path, code) of all blocks of a page that are copied from a file."""
    return [(path, code) for kind, path, code in BLOCK.findall(text) if kind == "from"]


def follow(blocks: list[str], machine: Machine) -> None:
    """Runs the commands of console blocks, and checks that they print their lines, in order; `…` stands for any text."""
    parts = [part.partition("\n") for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    steps = [([quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', command)], command, expected)
             for command, _, expected in parts]
    steps = [step for step in steps if step[0][0] not in ("pip", "python")]
    assert {words[0] for words, *_ in steps} <= {"belvedere", "cat"}
    done = iter(machine.commands(*(words[1:] for words, *_ in steps if words[0] == "belvedere")))
    for words, command, expected in steps:
        if words[0] == "cat":
            said = (machine.home / words[1]).read_text(encoding="utf-8")
        else:
            code, said = next(done)
            assert code == 0 or "not reached" in expected, said
        at = 0
        for line in filter(None, expected.splitlines()):
            pattern = r"\s+".join(re.escape(word).replace("…", ".*") for word in line.split())
            found = re.compile(pattern).search(said, at)
            assert found is not None, f"`{command}` does not print\n{line}\nbut\n{said}"
            at = found.end()
