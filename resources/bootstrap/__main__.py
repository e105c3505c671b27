"""``python3 -m bootstrap run`` or ``test``, perhaps with ``embeddings``: make the machine ready, at once where it is."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from . import system_libraries
from .environment import LEVELS, Environment, Stamp, needs_venv_package
from .report import SetupError, say

OLDEST = (3, 11)
NEWER = ("python3.13", "python3.12", "python3.11", "python3.14")


def version_message(version: tuple[int, ...]) -> str:
    """Say in one line that this Python is too old, and what to do."""
    oldest, found = ".".join(map(str, OLDEST)), ".".join(map(str, version[:3]))
    return f"Belvedere needs Python {oldest} or newer, and this is {found}; with one installed, call make PYTHON=python3.12."


def newer_python() -> str | None:
    """Look on the PATH for a Python that is new enough, where plain ``python3`` is not."""
    check = f"import sys; sys.exit(sys.version_info < {OLDEST})"
    for path in filter(None, map(shutil.which, NEWER)):
        if subprocess.run([path, "-c", check], capture_output=True, check=False).returncode == 0:
            return path
    return None


def debian_packages() -> list[str]:
    """Name what Debian splits off from Python and this machine lacks."""
    if sys.base_prefix == "/usr" and needs_venv_package():
        return [f"python3.{sys.version_info[1]}-venv"]
    return []


def set_up(root: Path, level: str, embeddings: bool = False) -> None:
    """Make the checkout ready to run or to be tested; nothing happens if it is.

    Args:
        root: the checkout.
        level: one of ``LEVELS``.
        embeddings: whether sentence embeddings are wanted too.

    Raises:
        SetupError: a person has to do something first.
    """
    environment = Environment(root)
    wanted = Stamp.wanted(root, level, also=" ".join(system_libraries.LIBRARIES), embeddings=embeddings)
    if environment.is_ready(wanted):
        return
    with (root / "pyproject.toml").open("rb") as lock:
        _take(lock)
        if environment.is_ready(wanted):
            return
        start = time.monotonic()
        system_libraries.ensure(debian_packages())
        if needs_venv_package():
            raise SetupError("This Python has no ensurepip, pip or virtualenv to make .venv with: install one of them for it.")
        environment.make(wanted, lock)
        say(f"Ready after {time.monotonic() - start:.0f} s.")


def _take(lock: IO[bytes]) -> None:
    """Wait until no other set-up of this checkout is under way."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Another set-up of this checkout is under way; waiting for it.")
        fcntl.flock(lock, fcntl.LOCK_EX)


def main(arguments: list[str]) -> int:
    """Run the set-up named on the command line; the exit code is 0 if ready, 2 if a person has to do something."""
    if not arguments or arguments[0] not in LEVELS or arguments[1:] not in ([], ["embeddings"]):
        say(f"usage: python3 -m bootstrap {'|'.join(LEVELS)} [embeddings]")
        return 2
    if sys.version_info < OLDEST:
        newer = newer_python()
        if newer is None:
            say(version_message(sys.version_info[:3]))
            return 2
        os.execv(newer, [newer, "-m", __package__, *arguments])
    try:
        set_up(Path(__file__).resolve().parents[2], arguments[0], len(arguments) > 1)
    except SetupError as error:
        say(str(error))
        return 2
    except OSError as error:
        say(f"The set-up failed: {error.strerror}: {error.filename}. Does .venv belong to another user?")
        return 2
    except KeyboardInterrupt:
        say("Interrupted; the next call starts afresh.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
