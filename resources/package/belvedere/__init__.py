"""The installed application: what starts it, from a wheel or from a checkout.

In a wheel `core`, `gui`, `sim`, `resources` and `main.py` lie in this folder, so that no other package's modules of these names
are hidden; they are put on the path when the application starts. In a checkout they lie at its top.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

MARK = "core/common/module_path.py"
"""What no other package named `core` holds."""

__all__ = ["console_script", "dask_setup", "home"]


def home() -> Path:
    """The folder that holds `main.py`, `core`, `gui`, `sim` and `resources`."""
    here = Path(__file__).resolve().parent
    # An editable install copies this folder away from its checkout, which it puts on the path.
    places = (here, here.parents[2], *map(Path, sys.path))
    return next((place for place in places if (place / "main.py").is_file() and (place / MARK).is_file()), here)


def put_on_path() -> None:
    """Makes `core`, `gui`, `sim` and `resources` importable, before other packages that may have modules of these names."""
    where = str(home())
    sys.path[:] = [where, *(folder for folder in sys.path if folder != where)]


def dask_setup(server: object) -> None:
    """Prepares a Dask scheduler or worker that was started with `--preload belvedere`. Dask calls it by its name."""
    del server
    put_on_path()


def console_script() -> NoReturn:
    """The command `belvedere`."""
    put_on_path()
    from main import console_script as start

    start()
