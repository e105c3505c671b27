"""The oldest versions that the ranges in pyproject.toml allow, as constraints for pip."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

EXTRAS = ("classical", "export", "plots", "rerun", "traces")
"""The groups of optional packages that are tried: those without which a planner or an export is missing, and that need no
server, no simulator of others and no gigabytes."""
PINNED_BY_OTHERS = frozenset({"shiboken6", "llvmlite"})
"""Packages of which another package allows one version only, so that they need no range."""
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,-]+\])?(?P<range>[^;]*)(?P<marker>;.*)?")


def tried(project: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the requirements of a `[project]` table that `make versions` tries."""
    optional = project["optional-dependencies"]
    return (*project["dependencies"], *(line for extra in EXTRAS for line in optional[extra]))


def oldest(requirement: str) -> str:
    """Returns the constraint that allows only the oldest version of a requirement: `numpy==2.1; python_version < '3.14'`.

    Raises:
        ValueError: the requirement states no oldest version.
    """
    found = _REQUIREMENT.fullmatch(requirement)
    bound = re.search(r">=\s*([\w.]+)", found["range"]) if found else None
    if found is None or bound is None:
        raise ValueError(f"{requirement}: state the oldest version, as numpy>=2.1 does")
    return f"{found['name']}=={bound[1]}{found['marker'] or ''}"


def constraints(project: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the constraints that hold every direct dependency at its oldest version. Packages of packages are free.

    Raises:
        ValueError: a requirement states no oldest version.
    """
    return tuple(oldest(line) for line in tried(project) if line.split(";")[0].strip() not in PINNED_BY_OTHERS)
