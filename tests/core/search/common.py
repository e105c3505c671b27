"""Processes that run a copy of the stand-in kernel, each with the cache it is given."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
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


@dataclass(frozen=True)
class Kernel:
    """A copy of the stand-in, and a cache for its machine code."""

    folder: Path
    cache: Path

    @classmethod
    def made(cls, folder: Path, cache: Path) -> Kernel:
        """A fresh copy."""
        shutil.copytree(STANDIN, folder / "standin", ignore=shutil.ignore_patterns("__pycache__"))
        return cls(folder, cache)

    def change(self, name: str, old: str, new: str) -> None:
        """Change a source of it."""
        path = self.folder / "standin" / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def surroundings(self, **more: str) -> dict[str, str]:
        """The environment of a process that runs it; a warning is an error there."""
        return {**os.environ, "PYTHONPATH": f"{self.folder}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": str(self.cache),
                "PYTHONWARNINGS": "error", "PYTHONDONTWRITEBYTECODE": "1", **more}

    def report(self, before: str = "", **more: str) -> Report:
        """What a process gets that calls it: results, and whether its machine code came from the cache."""
        done = subprocess.run([sys.executable, "-c", REPORT.format(before=before)], env=self.surroundings(**more),
                              cwd=self.folder, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        value: Report = json.loads(done.stdout)
        return value

    def compiling(self, **more: str) -> subprocess.Popen[str]:
        """A process that compiles it beforehand."""
        return subprocess.Popen([sys.executable, "-m", "core.search.compilation.compile", "standin.warm_up"],
                                env=self.surroundings(**more), cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def files(self) -> list[str]:
        """Names of the cache's machine code."""
        return sorted(path.name for path in self.cache.rglob("*.nbc"))
