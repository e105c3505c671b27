"""The stand-in as a program that the real controller can start."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def launcher(folder: Path) -> str:
    """The path of an executable that plays; it takes the place of AI2-THOR's own player."""
    program = folder / "player"
    command = f"cd {shlex.quote(str(ROOT))} && exec {shlex.quote(sys.executable)} -m tests.sim.thor.standin"
    program.write_text(f'#!/bin/sh\n{command} "$@"\n')
    program.chmod(0o755)
    return str(program)
