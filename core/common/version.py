"""Which Belvedere this is, and on what it stands."""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from importlib import metadata

from core.common.installation import ROOT, is_checkout

PATIENCE = 2.0
"""Seconds that git is given to tell the commit."""


@cache
def version() -> str:
    """The release and the commit: `0.1.1.dev362+g5058035`; "source" where it runs without having been installed.

    A checkout says its present commit, `.dirty` if files differ from it: its installation knows only that of its day.
    """
    try:
        installed = metadata.version("belvedere")
    except metadata.PackageNotFoundError:
        installed = "source"
    commit = _commit() if is_checkout() else ""
    return f"{installed.partition('+')[0]}+g{commit}" if commit else installed


def _commit() -> str:
    """The commit of the checkout, with `.dirty` where a file differs from it; empty where that cannot be told."""
    if not (ROOT / ".git").exists():  # an unpacked source archive, perhaps inside of another project's checkout
        return ""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--exclude=*", "--abbrev=7", "--dirty=.dirty"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):  # no git here, or a slow disk
        return ""
    return told.stdout.strip() if told.returncode == 0 else ""


def versions() -> tuple[tuple[str, str], ...]:
    """What a run should be repeated with."""
    return ("belvedere", version()), ("python", platform.python_version()), ("numpy", metadata.version("numpy"))
