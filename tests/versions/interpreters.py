"""The Pythons of this machine: on the PATH, and those that pyenv has installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Minor = tuple[int, int]
"""Major and minor version of a Python: (3, 12)."""
LATER = 2
"""So many minor versions after the newest declared one are looked for, too."""
PROBE = "import ensurepip, sys, venv; print(*sys.version_info[:2])"


def declared(project: Mapping[str, Any]) -> tuple[Minor, ...]:
    """Returns the Pythons that the classifiers of a `[project]` table name, oldest first."""
    named = [re.fullmatch(r"Programming Language :: Python :: (\d+)\.(\d+)", line) for line in project["classifiers"]]
    return tuple(sorted((int(found[1]), int(found[2])) for found in named if found))


def later(minors: tuple[Minor, ...]) -> tuple[Minor, ...]:
    """Returns the Pythons after the newest declared one that are tried where they are, with the newest packages only."""
    major, minor = max(minors)
    return tuple((major, minor + k) for k in range(1, LATER + 1))


def find(minor: Minor) -> Path | None:
    """Returns an interpreter of this version that can make virtual environments; None if this machine has none."""
    return next((path for path in _candidates("python{}.{}".format(*minor)) if _is(path, minor)), None)


def _candidates(name: str) -> Iterator[Path]:
    on_path = shutil.which(name)
    if on_path:
        yield Path(on_path)
    root = _pyenv_root()
    if root is not None:  # its command on the PATH fails for versions that are installed, but not chosen
        yield from sorted(root.glob(f"versions/*/bin/{name}"), reverse=True)


def _pyenv_root() -> Path | None:
    named, pyenv = os.environ.get("PYENV_ROOT"), shutil.which("pyenv")
    if named or pyenv is None:
        return Path(named) if named else None
    done = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False)
    return Path(done.stdout.strip()) if done.returncode == 0 else None


def _is(path: Path, minor: Minor) -> bool:
    done = subprocess.run([path, "-c", PROBE], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.split() == [str(part) for part in minor]
