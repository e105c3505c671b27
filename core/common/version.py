"""The versions of Belvedere and of what it runs on."""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from importlib import metadata

from core.common.installation import ROOT, is_checkout

PATIENCE = 2.0
"""Seconds that git may take to return the commit."""


@cache
def version() -> str:
    """Returns the release and the commit: `0.1.1.dev362+g5058035`; "source" if it runs without having been installed.

    A checkout reports its current commit, with `.dirty` if files differ from it: the installed metadata has only the commit of
    the day of the installation.
    """
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
    command = ["git", "-C", str(ROOT), "describe", "--always", "--exclude=*", "--abbrev=7", "--dirty=.dirty"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):  # git is missing, or the disk is slow
        return ""
    return told.stdout.strip() if told.returncode == 0 else ""


def versions() -> tuple[tuple[str, str], ...]:
    """Returns the versions needed to reproduce a run."""
    return ("belvedere", version()), ("python", platform.python_version()), ("numpy", metadata.version("numpy"))
