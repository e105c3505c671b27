"""Docstrings as texts for people, also where Python drops them (`-OO`, PYTHONOPTIMIZE=2)."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable
from typing import Any

DROPPED = 2
"""The level of optimization from which on Python drops docstrings. Dataclasses then put their signature there."""


def docstring(part: type | Callable[..., Any]) -> str:
    """Returns the docstring of a class or function; empty if it has none, or if it was dropped and there is no source file."""
    if sys.flags.optimize < DROPPED:
        return part.__doc__ or ""
    try:
        definition = ast.parse(textwrap.dedent(inspect.getsource(part))).body[0]
    except (OSError, TypeError, SyntaxError):
        return ""
    if not isinstance(definition, ast.ClassDef | ast.FunctionDef):
        return ""
    return ast.get_docstring(definition, clean=False) or ""


def first_line(part: type | Callable[..., Any]) -> str:
    """Returns the first line of the docstring; empty if there is none."""
    return docstring(part).strip().partition("\n")[0]
