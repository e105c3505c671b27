"""A virtual environment with the wheel: made once, kept while what it is made from stays the same."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bootstrap.environment import failure_cause, pip_variables
from bootstrap.report import SetupError

from tests.versions.interpreters import Minor
from tests.versions.requirements import EXTRAS

Age = Literal["newest", "oldest"]
TEST_PACKAGES = ("pytest", "pytest-timeout")
SHOWN = ("numpy", "PySide6_Essentials", "numba")
"""Packages whose versions are printed."""
VERSIONS = "from importlib.metadata import version; print(*(f'{{p}} {{version(p)}}' for p in {packages}), sep=', ')"


@dataclass(frozen=True)
class Kind:
    """Which environment: a Python, and how old its packages are.

    Attributes:
        minor: the version of Python.
        age: "oldest": all direct dependencies are as old as allowed; "newest": as new as there are.
        python: the interpreter it is made with.
    """

    minor: Minor
    age: Age
    python: Path

    @property
    def name(self) -> str:
        """The name of its folder: `3.12-oldest`."""
        return "{}.{}-{}".format(*self.minor, self.age)


class VersionEnvironment:
    """An environment in a folder of its own.

    Args:
        folder: where all environments are.
        kind: which one it is.
        inputs: everything its packages follow from, besides its kind; the wheel itself is not part of it.
        constraints: the lines of pip's constraints.
    """

    def __init__(self, folder: Path, kind: Kind, inputs: str, constraints: tuple[str, ...]) -> None:
        self.kind, self.folder = kind, folder / kind.name
        self.python = self.folder / "bin" / "python"
        self.log = folder / f"{kind.name}.log"
        self._stamp = self.folder / "made-from.json"
        self._constraints = constraints if kind.age == "oldest" else ()
        text = "\n".join((inputs, str(kind.python.resolve()), *TEST_PACKAGES, *self._constraints))
        self._inputs = hashlib.sha256(text.encode()).hexdigest()

    def make(self, wheel: Path) -> bool:
        """Installs the wheel and what it needs. Returns False if only the wheel was new, or nothing.

        Raises:
            SetupError: pip failed; the message names the cause.
        """
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        old = json.loads(self._stamp.read_text("utf-8")) if self._stamp.exists() else {}
        if old.get("inputs") == self._inputs:
            if old["wheel"] != digest:
                self._stamp.unlink()
                self._pip("install", "--no-deps", "--force-reinstall", "--no-compile", str(wheel))
        else:
            self._create(wheel)
        self._stamp.write_text(json.dumps({"inputs": self._inputs, "wheel": digest}), "utf-8")
        return old.get("inputs") != self._inputs

    def _create(self, wheel: Path) -> None:
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.run([str(self.kind.python), "-m", "venv", str(self.folder)])
        limits = self.folder / "constraints.txt"
        limits.write_text("\n".join(self._constraints), "utf-8")
        # Only wheels: a source archive that does not compile here would say nothing about the range.
        self._pip("install", "--no-compile", "--only-binary", ":all:", "--constraint", str(limits),
                  f"{wheel}[{','.join(EXTRAS)}]", *TEST_PACKAGES)

    def check(self) -> None:
        """Checks that all packages have what they require.

        Raises:
            SetupError: one has not.
        """
        self._pip("check")

    def versions(self) -> str:
        """Returns the versions of the packages that decide most: `numpy 2.5.5, PySide6_Essentials 6.12.0`."""
        return self.run([str(self.python), "-c", VERSIONS.format(packages=SHOWN)]).strip()

    def _pip(self, *arguments: str) -> None:
        self.run([str(self.python), "-m", "pip", *arguments])

    def run(self, command: list[str], cwd: Path | None = None, extra: dict[str, str] | None = None) -> str:
        """Runs a command with nothing of the caller's Python in its environment. Returns what it printed.

        Raises:
            SetupError: it failed. All it printed is in the log.
        """
        variables = {**pip_variables(), **(extra or {})}
        variables.pop("PYTHONDONTWRITEBYTECODE", None)  # else each process would compile a thousand modules again
        done = subprocess.run(command, cwd=cwd or self.log.parent, env=variables, stdin=subprocess.DEVNULL, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(command)}\n{done.stdout}{os.linesep}")
        if done.returncode:
            raise SetupError(f"{self.kind.name}: {failure_cause(done.stdout)}; all that was printed is in {self.log}")
        return done.stdout
