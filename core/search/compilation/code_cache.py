"""Where the search's machine code is kept between runs, so that it is compiled once for each user and version.

numba's own cache looks at the file of the decorated function only: after a change to a function that it calls, or to a constant
that it imports, from another file, the old machine code would still run. Here a function's code lies in a folder named by a
digest of *all* its sources: its module and the modules of the same package that this imports, directly or indirectly. The
folders lie in the user's cache: read-only checkouts and installed wheels are served too, and equal sources share a folder.

    <user's cache>/belvedere/compiled/<digest>/<function>-<module>-<line>.….nbi, .nbc
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import platform
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import platformdirs

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

KEPT = 30 * 86_400.0
"""Seconds after which a folder that no process has used is removed."""
MOST = 60
"""Folders that are kept beside those just used. Each change of the kernel makes several, of one or two megabytes."""
FRESH = 86_400.0
"""Seconds for which a folder counts as just used: it is not marked again at each start."""
NOT_IN_THE_CODE = {f"NUMBA_{name}" for name in
                   ("CACHE_DIR", "CACHE_LOCATOR_CLASSES", "DEBUG_CACHE", "DISABLE_JIT", "NUM_THREADS")}
"""Settings of numba that do not change what it compiles; all others have folders of their own."""
_decorating = threading.Lock()
"""Held while numba's settings are ours: several threads may import modules."""


def base() -> Path:
    """The folder that holds all of it: below `NUMBA_CACHE_DIR` if that is set, else in the user's cache folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    above = Path(chosen).absolute() if chosen else platformdirs.user_cache_path("belvedere", appauthor=False)
    return above / "compiled"


# --- what machine code was made of -----------------------------------------------------------------
def sources(module: str, file: Path) -> dict[str, Path]:
    """The modules that a module's compiled functions may be made of: itself, and all that it imports of its package.

    Args:
        module: its full name, such as `core.search.kernel`.
        file: where it lies; the package's other modules are looked for beside it.

    Returns:
        Files by module name. Imports are read from the source, wherever in a file they stand.
    """
    parts = module.split(".")
    root = file.resolve().parents[len(parts) - (file.name != "__init__.py")]
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _file_of(root, name) if name.split(".")[0] == parts[0] else None
        if path is not None and name not in found:
            found[name] = path
            waiting += _read(path, name)[1]
    return found


def _file_of(root: Path, name: str) -> Path | None:
    stem = root.joinpath(*name.split("."))
    return next((path for path in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py") if path.is_file()), None)


@functools.cache
def _read(path: Path, module: str) -> tuple[bytes, tuple[str, ...]]:
    """A source's digest, and the names of what may be modules it imports.

    Read once in a process: a file that is changed while it runs is not what its modules in memory were made of.
    """
    text = path.read_bytes()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            names += [origin, *(f"{origin}.{alias.name}" for alias in node.names)]
    return hashlib.sha256(text).digest(), tuple(names)


@functools.cache
def digest(module: str, file: Path) -> str:
    """Names the machine code of a module's functions: equal for equal sources, settings, versions and processors.

    Args:
        module: its full name.
        file: where it lies.
    """
    decorator = Path(__file__).with_name("decorator.py")
    whole = hashlib.sha256(repr(_surroundings()).encode() + _read(decorator, "core.search.compilation.decorator")[0])
    for name, path in sorted(sources(module, file).items()):
        whole.update(name.encode() + _read(path, name)[0])
    return whole.hexdigest()[:20]


def _surroundings() -> tuple[object, ...]:
    """What else machine code depends on; asked without loading numba, which takes half a second."""
    from llvmlite import binding

    versions = [metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    settings = sorted((k, v) for k, v in os.environ.items() if k.startswith("NUMBA_") and k not in NOT_IN_THE_CODE)
    features = sorted(binding.get_host_cpu_features().items())
    return platform.python_version(), *versions, platform.machine(), binding.get_host_cpu_name(), features, settings


# --- where it lies --------------------------------------------------------------------------------
def folder(module: str, file: Path) -> Path:
    """The folder of the machine code of a module's functions; it need not be there.

    Args:
        module: its full name.
        file: where it lies.
    """
    return base() / digest(module, file)


class Locator:
    """Tells numba where a function's machine code lies (`numba.core.caching`, setting `CACHE_LOCATOR_CLASSES`)."""

    def __init__(self, function: Callable[..., Any], file: str):
        self._py_file = file
        self._folder = folder(function.__module__, Path(file))
        self._name = f"{function.__module__}-{function.__code__.co_firstlineno}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Locator:
        """The locator of one function."""
        return cls(py_func, py_file)

    def ensure_cache_path(self) -> None:
        """Make the folder; numba asks for it before it writes.

        Raises:
            OSError: it cannot be made.
        """
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """The folder's name."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """What has to be equal for machine code to be fresh: the digest."""
        return self._folder.name

    def get_disambiguator(self) -> str:
        """Tells functions of one name apart that lie in different modules, or twice in one."""
        return self._name


@contextmanager
def chosen_for(function: Callable[..., Any]) -> Iterator[bool]:
    """While a function is decorated: have numba keep its machine code here.

    Yields:
        Whether it can be kept: not where the user's cache folder cannot be written to.
    """
    from numba import config

    place = folder(function.__module__, Path(function.__code__.co_filename))
    with _decorating:
        before = config.CACHE_LOCATOR_CLASSES, config.CACHE_DIR
        config.CACHE_LOCATOR_CLASSES = f"{Locator.__module__}.{Locator.__name__}"
        config.CACHE_DIR = str(place)  # for a numba that knows no such setting
        try:
            yield _marked_as_used(place)
        finally:
            config.CACHE_LOCATOR_CLASSES, config.CACHE_DIR = before


@functools.cache
def _marked_as_used(place: Path) -> bool:
    """Note that a process uses a folder, by its time; returns whether it can be written to."""
    if not _can_write(place):
        return False
    if time.time() - place.stat().st_mtime > FRESH:
        os.utime(place)
    return True


def _can_write(place: Path) -> bool:
    try:
        place.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=place).close()
    except OSError:
        return False
    return True


@contextmanager
def alone(to: str) -> Iterator[None]:
    """Hold a lock of the cache, so that one process at a time does this. Without effect where the file system has no locks.

    Args:
        to: what is done: `compile` all of it, or `write` one file of machine code.

    Raises:
        OSError: the cache cannot be written to.
    """
    base().mkdir(parents=True, exist_ok=True)
    with (base() / f"{to}.lock").open("a") as file:
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def is_writable() -> bool:
    """Whether machine code can be kept."""
    return _can_write(base())


def remove_old(now: float) -> list[Path]:
    """Remove folders that no process has used for a month, and the oldest of too many; returns which.

    A process that still runs with one of them has loaded its machine code, or compiles it again.

    Args:
        now: seconds since 1970.
    """
    gone: list[Path] = []
    with suppress(OSError):  # what cannot be removed stays
        ages = sorted((now - place.stat().st_mtime, place) for place in base().iterdir() if place.is_dir())
        for rank, (age, place) in enumerate(ages):
            if age > KEPT or (rank >= MOST and age > 2 * FRESH):
                shutil.rmtree(place, ignore_errors=True)
                gone.append(place)
    return gone
