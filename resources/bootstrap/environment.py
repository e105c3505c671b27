"""The virtual environment ``.venv``: whether it is ready, how it is made, what pip puts into it."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from .report import SetupError, say, say_passing

LEVELS = ("run", "test")  # each holds what the ones before it hold
REQUIREMENTS = {"run": ".", "test": ".[test]"}
WITH_EMBEDDINGS = {"run": ".[embeddings]", "test": ".[test,embeddings]"}
EMBEDDINGS_NOTE = (
    "Sentence embeddings are installed too: about 1.3 GB with the CPU build of torch. For Linux the public package index has"
    " only the CUDA build, 2.6 GB more; for the small one, give pip torch's own index of CPU builds: PIP_EXTRA_INDEX_URL=..."
)
PROBE = "import pip, sys; sys.stdout.write(sys.implementation.cache_tag)"
CAUSES = (
    ("No space left on device", "the disk is full"),
    ("CERTIFICATE_VERIFY_FAILED|SSLError", "pip does not trust the package index's certificate (behind a proxy? set PIP_CERT)"),
    ("ProxyError|Tunnel connection failed", "the proxy refused the connection"),
    ("name resolution|Name or service not known|nodename nor servname", "no network (names cannot be resolved)"),
    ("Network is unreachable|No route to host|Connection refused|NewConnectionError", "no network (no package index answers)"),
    ("timed out", "the package index did not answer in time"),
)


@dataclass(frozen=True)
class Stamp:
    """What a finished set-up was made for.

    Attributes:
        inputs: digest of everything the set-up reads.
        python: tag of the interpreter, such as ``cpython-311``.
        root: the checkout, as scripts in a virtual environment hold absolute paths.
        level: one of ``LEVELS``.
        embeddings: the packages for sentence embeddings are there too.
    """

    inputs: str
    python: str
    root: str
    level: str
    embeddings: bool = False

    @classmethod
    def wanted(cls, root: Path, level: str, also: str = "", embeddings: bool = False) -> Stamp:
        """Describe the set-up that this checkout and this interpreter ask for; ``also`` is a further input."""
        inputs = hashlib.sha256((root / "pyproject.toml").read_bytes() + also.encode()).hexdigest()
        return cls(inputs, str(sys.implementation.cache_tag), str(root), level, embeddings)

    @classmethod
    def read(cls, path: Path) -> Stamp | None:
        """Read a stamp; None where there is none that can be read."""
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, path: Path) -> None:
        """Write the stamp in one step: it is there whole or not at all."""
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(asdict(self)), encoding="utf-8")
        draft.replace(path)

    def covers(self, wanted: Stamp) -> bool:
        """Tell whether a set-up with this stamp serves for ``wanted``."""
        same = (self.inputs, self.python, self.root) == (wanted.inputs, wanted.python, wanted.root)
        enough = self.embeddings or not wanted.embeddings
        return same and enough and self.level in LEVELS and LEVELS.index(self.level) >= LEVELS.index(wanted.level)


def failure_cause(output: str) -> str:
    """Find in pip's output the one thing a person has to know."""
    for pattern, cause in CAUSES:
        if re.search(pattern, output):
            return cause
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [re.sub(r"(?i)^error: ", "", line) for line in lines if line.lower().startswith("error: ")]
    return (errors or lines or ["pip gave no reason"])[-1]


def needs_venv_package() -> bool:
    """Tell whether nothing here can put pip into a virtual environment (Debian splits that part off)."""
    return not any(map(_has, ("ensurepip", "pip", "virtualenv")))


class Environment:
    """The virtual environment of one checkout."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.python = self.folder / "bin" / "python"
        self.stamp = self.folder / "ready.json"
        self.unfinished = self.folder / "unfinished"
        self.log = self.folder / "install.log"

    def is_ready(self, wanted: Stamp) -> bool:
        """Tell whether there is nothing to do."""
        stamp = Stamp.read(self.stamp)
        return stamp is not None and stamp.covers(wanted) and not self.unfinished.exists() and self.python.exists()

    def make(self, wanted: Stamp, lock: IO[bytes]) -> None:
        """Bring the environment to what ``wanted`` describes.

        An environment that works is kept and brought up to date; one that was left half-made is made afresh.

        Args:
            wanted: the stamp to fulfil.
            lock: an open file whose lock the installing child holds too, should this process die before it.

        Raises:
            SetupError: no pip is to be had, or it failed.
        """
        old = Stamp.read(self.stamp)
        if old:
            self.stamp.unlink()
        level, embeddings = wanted.level, wanted.embeddings
        if self._is_sound(wanted, old):
            level = max(level, old.level if old else level, key=LEVELS.index)
            embeddings = embeddings or (old is not None and old.embeddings)
        else:
            self._create()
        self.unfinished.touch()
        if embeddings:
            say(EMBEDDINGS_NOTE)
        self._install((WITH_EMBEDDINGS if embeddings else REQUIREMENTS)[level], lock)
        Stamp(wanted.inputs, wanted.python, wanted.root, level, embeddings).write(self.stamp)
        self.unfinished.unlink()

    def _is_sound(self, wanted: Stamp, old: Stamp | None) -> bool:
        """Tell whether the environment there, finished or made by hand, can be built upon."""
        if self.unfinished.exists() or not self.python.exists() or (old is not None and old.root != wanted.root):
            return False
        done = subprocess.run([self.python, "-c", PROBE], capture_output=True, text=True, check=False)
        return done.stdout == wanted.python

    def _create(self) -> None:
        say("Making the virtual environment .venv")
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.folder.mkdir()
        self.unfinished.touch()
        base = sys._base_executable  # type: ignore[attr-defined]
        if _has("ensurepip"):
            commands = [[base, "-m", "venv", self.folder]]
        elif _has("pip"):
            commands = [[base, "-m", "venv", "--without-pip", self.folder]]
            commands += [[base, "-m", "pip", "--python", self.python, "install", "--quiet", "pip"]]
        else:
            commands = [[base, "-m", "virtualenv", "--quiet", self.folder]]
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=pip_variables())
            if done.returncode:
                raise SetupError(f".venv could not be made: {failure_cause(done.stdout + done.stderr)}")

    def _install(self, requirement: str, lock: IO[bytes]) -> None:
        say("Installing the Python packages into .venv (under a minute on most networks)")
        command = [str(self.python), "-m", "pip", "install", "--no-compile", "--editable", requirement]
        lines: list[str] = []
        installing = False
        with subprocess.Popen(
            command,
            cwd=self.root,
            env=pip_variables(),
            pass_fds=(lock.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as pip:
            for line in pip.stdout or ():
                lines.append(line)
                installing = installing or line.startswith("Installing collected")
                say_passing(line.strip())
        self.log.write_text("".join(lines), encoding="utf-8")
        if pip.returncode:
            if not installing:  # pip stopped before it touched anything
                self.unfinished.unlink()
            cause = failure_cause("".join(lines))
            raise SetupError(f"pip could not install the packages: {cause}; all it said is in {self.log}")


def _has(module: str) -> bool:
    importlib.invalidate_caches()  # apt-get may just have brought it
    return importlib.util.find_spec(module) is not None


def pip_variables() -> dict[str, str]:
    """Give the variables for pip: none that would send packages elsewhere than into .venv."""
    misleading = {"PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX"}
    inherited = {name: value for name, value in os.environ.items() if name not in misleading}
    settings = {"PIP_USER": "0", "PIP_NO_INPUT": "1", "PIP_PROGRESS_BAR": "off", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return {**inherited, **settings, "PYTHONUNBUFFERED": "1"}
