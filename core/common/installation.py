"""How this copy of Belvedere was installed: its folder, its version, and the commands that are right for it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The folder of `core`, `gui`, `sim` and `resources`: a checkout, or a folder of an installation."""
RESOURCES = ROOT / "resources"


def is_checkout(root: Path = ROOT) -> bool:
    """Returns True if the program runs from a source checkout."""
    return (root / "pyproject.toml").is_file()


def program() -> str:
    """Returns the command that starts the program: `python main.py`, or the installed command."""
    return "python main.py" if Path(sys.argv[0]).name == "main.py" else "belvedere"


def pip_install(extra: str = "", root: Path = ROOT) -> str:
    """Returns the command that installs missing packages.

    Args:
        extra: the name of a group of optional packages (pyproject.toml); empty: the required packages.
        root: the folder of Belvedere.

    Returns:
        `pip install -e ".[extra]"` in a checkout (with the path of the `pip` that `make run` created, if that is used);
        elsewhere the packages themselves, because an installation may have come from any file.
    """
    if is_checkout(root):
        return f'{_pip(root)} install -e ".[{extra}]"' if extra else f"{_pip(root)} install -e ."
    from importlib import metadata  # here and below imported when it is needed: it takes 25 ms of every start

    try:
        wanted = metadata.requires("belvedere") or []
    except metadata.PackageNotFoundError:  # the folder was copied manually
        wanted = []
    packages = [_package(line) for line in wanted if _is_of(line, extra)]
    return " ".join(("pip install", *packages)) if packages else f'pip install "belvedere[{extra}]"'


def _pip(root: Path) -> str:
    """Returns `pip`, or the path of the one that `make run` created: that environment is usually not activated."""
    folder = "Scripts" if os.name == "nt" else "bin"
    made = Path(sys.prefix).resolve() == (root / ".venv").resolve()
    activated = os.environ.get("VIRTUAL_ENV")
    return str(Path(".venv", folder, "pip")) if made and not activated else "pip"


def _is_of(requirement: str, extra: str) -> bool:
    """Returns True if a requirement of the metadata (`av; extra == 'export'`) belongs to a group."""
    named = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", requirement)
    return (named.group(1) if named else "") == extra


def _package(requirement: str) -> str:
    """Returns a requirement as an argument of pip, quoted if a shell would interpret it."""
    text = requirement.partition(";")[0].strip().replace(" ", "")
    return f"'{text}'" if re.search(r"[^\w.=-]", text) else text


def needs(part: str, packages: Sequence[str], extra: str) -> str:
    """Returns the message about missing packages: `the export 'mp4' needs av, not installed here: pip install …`."""
    return f"{part} needs {' and '.join(packages)}, not installed here: {pip_install(extra)}"


PATIENCE = 2.0
"""Seconds that git may take to return the commit."""


@cache
def version() -> str:
    """Returns the release and the commit: `0.1.1.dev362+g5058035`; "source" if it runs without having been installed.

    A checkout reports its current commit, with `.dirty` if files differ from it: the installed metadata has only the commit of
    the day of the installation.
    """
    from importlib import metadata

    try:
        installed = metadata.version("belvedere")
    except metadata.PackageNotFoundError:
        installed = "source"
    commit = _commit() if is_checkout() else ""
    return f"{installed.partition('+')[0]}+g{commit}" if commit else installed


def _commit() -> str:
    """Returns the commit of the checkout, with `.dirty` if a file differs from it; empty if it is unknown."""
    if not (ROOT / ".git").exists():  # an unpacked source archive, possibly inside another project's checkout
        return ""
    import subprocess

    command = ["git", "-C", str(ROOT), "describe", "--always", "--exclude=*", "--abbrev=7", "--dirty=.dirty"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):  # git is missing, or the disk is slow
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Returns the versions needed to reproduce a run."""
    import platform
    from importlib import metadata

    return ("belvedere", version()), ("python", platform.python_version()), ("numpy", metadata.version("numpy"))
