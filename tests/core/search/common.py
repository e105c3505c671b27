"""Processes that run a copy of the stand-in kernel, each with the cache it is given."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.common.installation import ROOT

STANDIN = Path(__file__).with_name("standin")
Report = dict[str, object]
ENTRIES = 2
"""How many entries the stand-in has."""
REPORT = """
import json
import numpy as np
from core.search.compilation.compile import load
from standin.outer import count, walk
{before}
new = []
note = load("standin.warm_up", compiled=lambda name, seconds: new.append(seconds > 0))
visits = np.zeros(7, np.int64)
total = walk(np.array([12345], np.uint64), 2000, visits)
print(json.dumps({{"total": total.hex(), "visits": visits.tolist(), "count": int(count(visits)), "compiled": walk.is_compiled,
                  "hits": new.count(False), "misses": new.count(True)}}))
"""


FORKS = """
import json, os, sys
import numba
import core.search.compilation.compile
numba.njit(lambda number: number + 1.0)(1)  # what numba makes before it compiles anything
for line in sys.stdin:
    script, folder, surroundings, out = json.loads(line)
    if (child := os.fork()) == 0:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(surroundings)
        sys.path.insert(0, folder)
        for number in (1, 2):
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
        exec(script)
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Carries out scripts in forks: loading numba takes each process half a second. It reads its environment variables once."""


class Forks:
    """A process that has loaded numba, and no kernel."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._process = subprocess.Popen([sys.executable, "-c", FORKS], env=surroundings(ROOT), text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, script: str, folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
        """Returns the exit code of a fork that carries out a script, and what it prints."""
        out = self._folder / "printed"
        out.unlink(missing_ok=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([script, str(folder), dict(env), str(out)]) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline()), out.read_text()

    def end(self) -> None:
        """Ends the process."""
        self._process.communicate(timeout=60)


def surroundings(*folders: Path, **more: str) -> dict[str, str]:
    """The environment of a process that imports from folders; a warning is an error there."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONWARNINGS": "error",
            "PYTHONDONTWRITEBYTECODE": "1", **more}


@dataclass(frozen=True)
class Kernel:
    """A copy of the stand-in, and a cache for its machine code.

    Attributes:
        forks: where scripts are carried out that change no setting of numba; None: each in a process that is started.
    """

    folder: Path
    cache: Path
    forks: Forks | None = None

    @classmethod
    def made(cls, folder: Path, cache: Path, forks: Forks | None = None) -> Kernel:
        """A fresh copy."""
        shutil.copytree(STANDIN, folder / "standin", ignore=shutil.ignore_patterns("__pycache__"))
        return cls(folder, cache, forks)

    def change(self, name: str, old: str, new: str) -> None:
        """Change a source of it."""
        path = self.folder / "standin" / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def surroundings(self, **more: str) -> dict[str, str]:
        """The environment of a process that runs it."""
        return surroundings(self.folder, ROOT, **{"NUMBA_CACHE_DIR": str(self.cache), **more})

    def report(self, before: str = "", *, started: bool = False, **more: str) -> Report:
        """What a process gets that calls it: results, and whether its machine code came from the cache.

        Args:
            before: lines of Python that it begins with.
            started: it is no fork. Neither is one that gets more variables.
            more: further variables of its environment.
        """
        script = REPORT.format(before=before)
        if self.forks is not None and not more and not started:
            code, said = self.forks.run(script, self.folder, self.surroundings())
        else:
            done = subprocess.run([sys.executable, "-c", script], env=self.surroundings(**more), cwd=self.folder,
                                  capture_output=True, text=True, check=False, timeout=120)
            code, said = done.returncode, done.stdout + done.stderr
        assert code == 0, said
        value: Report = json.loads(said)
        return value

    def compiling(self, **more: str) -> subprocess.Popen[str]:
        """A process that compiles it beforehand."""
        return subprocess.Popen([sys.executable, "-m", "core.search.compilation.compile", "standin.warm_up"],
                                env=self.surroundings(**more), cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def files(self) -> list[str]:
        """Names of the cache's machine code."""
        return sorted(path.name for path in self.cache.rglob("*.nbc"))
