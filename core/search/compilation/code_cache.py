"""The cache of the search's machine code between runs, so that it is compiled once for each user and version.

numba's own cache checks the file of the decorated function only. After a change in another file, to a function it calls or a
constant it imports, the old machine code would still run. Here, a function's code is stored in a folder named by a digest of
*all* its sources: its module and the modules of the same package that it imports, directly or indirectly. The folders are in
the user's cache, so they also serve read-only checkouts and installed wheels, and equal sources share a folder.

    <user's cache>/belvedere/compiled/<digest>/<function>-<module>-<line>.….nbi, .nbc
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import os
import platform
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from core.common.files import replace_file
from core.common.user_folders import cache_folder

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

KEPT = 30 * 86_400.0
"""Seconds after which an unused folder is removed."""
MOST = 60
"""The maximum number of folders besides recently used ones. Each change of the kernel creates several, of 1 to 2 MB."""
FRESH = 86_400.0
"""Seconds for which a folder counts as recently used, so that its time is not updated at each start."""
NOT_IN_THE_CODE = {f"NUMBA_{name}" for name in
                   ("CACHE_DIR", "CACHE_LOCATOR_CLASSES", "DEBUG_CACHE", "DISABLE_JIT", "NUM_THREADS")}
"""Settings of numba that do not affect the machine code. Each value of any other setting gets its own folders."""
_decorating = threading.Lock()
"""Held while numba's settings are replaced, because several threads may import modules."""


def base() -> Path:
    """Returns the folder of the whole cache: below `NUMBA_CACHE_DIR` if that is set, else in the user's cache folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    above = Path(chosen).absolute() if chosen else cache_folder()
    return above / "compiled"


# --- digests of sources ----------------------------------------------------------------------------
def sources(module: str, file: Path) -> dict[str, Path]:
    """Returns the modules that a module's compiled functions may depend on: itself, and all it imports from its package.

    Imports are read from the source, wherever in a file they occur.

    Args:
        module: its full name, such as `core.search.kernel`.
        file: its path; the package's other modules are searched beside it.

    Returns:
        Module name -> file.
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
    """Returns the digest of a source file, and the names it imports that may be modules.

    Each file is read once in a process: the modules in memory come from that version, even if the file is changed later.
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
    """Returns the name of the machine code of a module: equal for equal sources, settings, versions and processors.

    Args:
        module: its full name.
        file: its path.
    """
    whole = hashlib.sha256(repr(_surroundings()).encode())
    for compiler in ("kernel", "machine_code"):
        whole.update(_read(Path(__file__).with_name(f"{compiler}.py"), f"{__package__}.{compiler}")[0])
    for name, path in sorted(sources(module, file).items()):
        whole.update(name.encode() + _read(path, name)[0])
    return whole.hexdigest()[:20]


def _surroundings() -> tuple[object, ...]:
    """Returns everything else the machine code depends on, without loading numba, which takes half a second."""
    from llvmlite import binding

    versions = [metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    settings = sorted((k, v) for k, v in os.environ.items() if k.startswith("NUMBA_") and k not in NOT_IN_THE_CODE)
    features = sorted(binding.get_host_cpu_features().items())
    return platform.python_version(), *versions, platform.machine(), binding.get_host_cpu_name(), features, settings


# --- folders --------------------------------------------------------------------------------------
def folder(module: str, file: Path) -> Path:
    """Returns the folder of the machine code of a module. It may not exist yet.

    Args:
        module: its full name.
        file: its path.
    """
    return base() / digest(module, file)


class Locator:
    """Tells numba the cache folder of a function (`numba.core.caching`, setting `CACHE_LOCATOR_CLASSES`)."""

    def __init__(self, function: Callable[..., Any], file: str):
        self._py_file = file
        self._folder = folder(function.__module__, Path(file))
        self._name = f"{function.__module__}-{function.__code__.co_firstlineno}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Locator:
        """Returns the locator of a function."""
        return cls(py_func, py_file)

    def ensure_cache_path(self) -> None:
        """Creates the folder; numba calls this before it writes.

        Raises:
            OSError: the folder cannot be created.
        """
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """Returns the path of the folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Returns the digest; the machine code is valid as long as it is equal."""
        return self._folder.name

    def get_disambiguator(self) -> str:
        """Returns a name that distinguishes equally named functions of different modules, or of one module."""
        return self._name


@contextmanager
def chosen_for(function: Callable[..., Any]) -> Iterator[bool]:
    """Makes numba use this cache for a function while it is decorated.

    Yields:
        Whether machine code can be cached: False if the user's cache folder is not writable.
    """
    from numba import config

    place = folder(function.__module__, Path(function.__code__.co_filename))
    with _decorating:
        before = config.CACHE_LOCATOR_CLASSES, config.CACHE_DIR
        config.CACHE_LOCATOR_CLASSES = f"{Locator.__module__}.{Locator.__name__}"
        config.CACHE_DIR = str(place)  # for numba versions without that setting
        try:
            yield _marked_as_used(place)
        finally:
            config.CACHE_LOCATOR_CLASSES, config.CACHE_DIR = before


@functools.cache
def _marked_as_used(place: Path) -> bool:
    """Updates the time of a folder to mark it as used. Returns whether it is writable."""
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
    """Holds a lock of the cache, so that only one process at a time does this. Has no effect if the file system has no locks.

    Args:
        to: the operation: `compile` everything, or `write` one file of machine code.

    Raises:
        OSError: the cache is not writable.
    """
    base().mkdir(parents=True, exist_ok=True)
    with (base() / f"{to}.lock").open("a") as file:
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read_seconds() -> dict[str, float]:
    """Returns how long each entry took when it was compiled last on this machine; without those of which nothing is known."""
    try:
        found = json.loads(_seconds_file().read_text(encoding="utf-8"))
        return {str(name): float(seconds) for name, seconds in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):  # there is none, or it is damaged: it is written again
        return {}


def write_seconds(seconds: Mapping[str, float]) -> None:
    """Keeps how long each entry took to compile.

    Raises:
        DataError: the cache is not writable.
    """
    replace_file(_seconds_file(), json.dumps(dict(seconds)).encode())


def _seconds_file() -> Path:
    return base() / "seconds.json"


def is_writable() -> bool:
    """Returns True if machine code can be cached."""
    return _can_write(base())


def remove_old(now: float) -> list[Path]:
    """Removes folders unused for a month, and the oldest ones above the maximum number.

    A running process that uses one of them has its machine code in memory, or compiles it again.

    Args:
        now: seconds since 1970.

    Returns:
        The removed folders.
    """
    gone: list[Path] = []
    with suppress(OSError):  # folders that cannot be removed are kept
        ages = sorted((now - place.stat().st_mtime, place) for place in base().iterdir() if place.is_dir())
        for rank, (age, place) in enumerate(ages):
            if age > KEPT or (rank >= MOST and age > 2 * FRESH):
                shutil.rmtree(place, ignore_errors=True)
                gone.append(place)
    return gone
