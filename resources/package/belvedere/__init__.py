"""The installed application: what starts it, from a wheel or from a checkout.

In a wheel `core`, `gui`, `sim`, `resources` and `main.py` lie in this folder, so that no other package's modules of these names
are hidden; they are put on the path when the application starts. In a checkout they lie at its top.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

__all__ = ["console_script", "home"]


def home() -> Path:
    """The folder that holds `main.py`, `core`, `gui`, `sim` and `resources`."""
    here = Path(__file__).resolve().parent
    return here if (here / "main.py").is_file() else here.parents[2]


def console_script() -> NoReturn:
    """The command `belvedere`."""
    where = str(home())
    if where not in sys.path:
        sys.path.insert(0, where)  # before others: another package may have a module called `core`
    from main import console_script as start

    start()
