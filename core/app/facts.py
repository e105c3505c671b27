"""What a report on a fault needs to say about this installation: versions, packages, simulators, how pictures are drawn."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Sequence
from importlib import metadata

from core.app.catalogue import Catalogue
from core.common.installation import version
from core.common.redaction import Redactor, without_user

Facts = Sequence[tuple[str, str]]
"""Names and values."""
INSTALLED = "installed"


def facts(known: Catalogue, drawn_by: Callable[[], str], keys: Sequence[str]) -> Facts:
    """Returns names and values, without keys and without the user's home folder.

    Args:
        known: the simulators.
        drawn_by: returns the name of the OpenGL renderer, or why there is none. May take seconds.
        keys: what must not be in it.
    """
    rows = [("Belvedere", version()), ("Python", platform.python_version()), ("System", platform.platform()),
            ("OpenGL", drawn_by())]
    rows += [(f"Simulator {name}", known.simulator(name).missing.partition(":")[0] or INSTALLED) for name in known.simulators]
    rows += [(name, found) for name in packages() if (found := _version(name))]
    redactor = Redactor(keys)
    return [(name, without_user(redactor.text(value))) for name, value in rows]


def packages() -> list[str]:
    """Returns the names of the packages that Belvedere can use, required and optional, in alphabetic order."""
    try:
        wanted = metadata.requires("belvedere") or []
    except metadata.PackageNotFoundError:  # it runs without having been installed
        wanted = ["PySide6_Essentials", "numpy", "numba", "moderngl", "mcap"]
    used = [line for line in wanted if not re.search(r"extra\s*==\s*['\"]test['\"]", line)]
    names = {found[0] for line in used if (found := re.match(r"[\w.-]+", line))}
    return sorted(names, key=str.lower)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
