"""Which Belvedere this is, and on what it stands."""

from __future__ import annotations

import platform
from importlib import metadata


def version() -> str:
    """Belvedere's own version; "source" where it runs without having been installed."""
    try:
        return metadata.version("belvedere")
    except metadata.PackageNotFoundError:
        return "source"


def versions() -> tuple[tuple[str, str], ...]:
    """What a run should be repeated with."""
    return ("belvedere", version()), ("python", platform.python_version()), ("numpy", metadata.version("numpy"))
