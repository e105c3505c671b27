"""Registries of parts that are imported on demand: literal `name: "module:Class"` tables."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping

from core.common.errors import MissingPart, UsageError
from core.common.installation import needs

OURS = frozenset({"core", "sim", "gui"})


def near_misses(name: str, known: Iterable[str]) -> str:
    """Returns `; did you mean 'a' or 'b'?`, or an empty string."""
    close = difflib.get_close_matches(name, list(known), n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(c) for c in close)}?" if close else ""


def load(what: str, name: str, table: Mapping[str, str]) -> object:
    """Returns the class registered under a name.

    Args:
        what: the kind of part, for the message ("planner").
        name: its name.
        table: name -> "module:Class".

    Raises:
        UsageError: the name is not registered.
        MissingPart: its module needs a package that is not installed.
    """
    if name not in table:
        hint = near_misses(name, table) or f"; there is {', '.join(table)}"
        raise UsageError(f"unknown {what} '{name}'{hint}")
    module, _, attribute = table[name].partition(":")
    try:
        return vars(importlib.import_module(module))[attribute]
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in OURS:
            raise
        raise MissingPart(needs(f"{what} '{name}'", [f"the package '{error.name}'"], "")) from error
