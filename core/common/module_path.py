"""The order in which folders are searched for modules, and what is said of a file that is in the way of one.

Importing this module puts the folders in order.

The current folder, or a folder of PYTHONPATH, may hold a `random.py` or a package `core`. Python would import it instead of its
own module or of Belvedere's. `main.py` imports this module first, which therefore needs no other modules than `os` and `sys`.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120 - see above
LIBRARY = os.path.dirname(os.__file__)  # noqa: PTH120
STANDARD = (LIBRARY, os.path.join(LIBRARY, "lib-dynload"))  # noqa: PTH118
"""The folders of Python's own modules."""


def in_order(path: list[str]) -> list[str]:
    """Returns folders in order: Belvedere's, Python's own, then the others as they were."""
    return list(dict.fromkeys((ROOT, *(folder for folder in STANDARD if folder in path), *path)))


def in_the_way(error: BaseException) -> str:
    """Returns in one line which file of PYTHONPATH was imported instead of a module; empty if that is not why it failed."""
    module = ""
    if isinstance(error, ImportError):
        module = (error.name or "").partition(".")[0]
    elif isinstance(error, AttributeError) and isinstance(error.obj, type(sys)):
        module = error.obj.__name__.partition(".")[0]
    file = vars(sys.modules[module]).get("__file__") if module in sys.modules else None
    if not file:
        return ""
    folders = {os.path.dirname(file), os.path.dirname(os.path.dirname(file))}  # noqa: PTH120
    given = next((folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder in folders - {ROOT}), "")
    why = " ".join(str(error).split())
    return f"{file} is in the way of the module '{module}' ({why}): rename it, or take {given} off PYTHONPATH" if given else ""


def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Prints an error that ends the program; in one line if a file is in the way of a module."""
    if line := in_the_way(error):
        sys.stderr.write(f"error: {line}\n")
    else:
        sys.__excepthook__(kind, error, trace)


sys.path[:] = in_order(sys.path)
sys.excepthook = report
