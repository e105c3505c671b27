"""`python -m tests.versions`: tries the wheel on every Python of this machine that it is declared for."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bootstrap.report import SetupError, say

from tests.versions.environments import Kind, VersionEnvironment
from tests.versions.interpreters import Minor, declared, find, later
from tests.versions.requirements import constraints, tried

ROOT = Path(__file__).resolve().parents[2]
SUITE = Path(__file__).parent / "suite"
FOLDER = ROOT / ".versions"
PASSED, FAILED = 0, 1


class Trial:
    """Builds the wheel, makes the environments and runs the suite in each.

    Args:
        kinds: the environments.
        folder: where everything is made.
    """

    def __init__(self, kinds: Sequence[Kind], folder: Path):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        day = time.strftime("%Y-%m-%d")  # the newest packages of another day may be others
        self._folder = folder
        self._wheels, self._recordings = folder / "wheel", folder / "recordings"
        self._environments = [VersionEnvironment(folder, kind, "\n".join((*tried(project), day * (kind.age == "newest"))),
                                                 constraints(project)) for kind in kinds]
        self._failed: list[str] = []
        self._lock = threading.Lock()

    def run(self) -> list[str]:
        """Runs all of it, two environments at a time. Returns a line for each that failed."""
        wheel = self._build()
        shutil.rmtree(self._recordings, ignore_errors=True)
        self._in_each(lambda environment: self._try(environment, wheel))
        if not self._failed:
            self._in_each(self._open_all)
        return sorted(self._failed)

    def _in_each(self, act: Callable[[VersionEnvironment], None]) -> None:
        with ThreadPoolExecutor(max(1, min(len(self._environments), os.cpu_count() or 1))) as pool:
            list(pool.map(lambda environment: self._noting(act, environment), self._environments))

    def _noting(self, act: Callable[[VersionEnvironment], None], environment: VersionEnvironment) -> None:
        try:
            act(environment)
        except (SetupError, OSError) as error:
            with self._lock:
                self._failed.append(str(error))
            say(f"  FAILED {error}")

    def _build(self) -> Path:
        """Returns the wheel of this checkout.

        Raises:
            SetupError: it cannot be built.
        """
        shutil.rmtree(self._wheels, ignore_errors=True)
        first, builder = self._environments[0], self._folder / "builder"
        python = builder / "bin" / "python"
        if not python.exists():
            first.run([str(first.kind.python), "-m", "venv", str(builder)])
        first.run([str(python), "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(self._wheels), str(ROOT)])
        return next(self._wheels.glob("belvedere-*.whl"))

    def _try(self, environment: VersionEnvironment, wheel: Path) -> None:
        start = time.monotonic()
        environment.log.unlink(missing_ok=True)
        made = environment.make(wheel)
        environment.check()
        ready = time.monotonic()
        said = self._pytest(environment, "not opens_all")
        say(f"  {environment.kind.name:12} {environment.versions()}: {said} (environment "
            f"{'made in' if made else 'there after'} {ready - start:.0f} s, suite {time.monotonic() - ready:.0f} s)")

    def _open_all(self, environment: VersionEnvironment) -> None:
        said = self._pytest(environment, "opens_all")
        say(f"  {environment.kind.name:12} opens the recordings of each environment: {said}")

    def _pytest(self, environment: VersionEnvironment, marked: str) -> str:
        """Runs the tests with a mark. Returns the line in which pytest counts them.

        Raises:
            SetupError: one failed.
        """
        place = environment.folder / "suite"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(SUITE, place, ignore=shutil.ignore_patterns("__pycache__"))
        out = environment.run([str(environment.python), "-m", "pytest", "-m", marked], cwd=place, extra={
            "QT_QPA_PLATFORM": "offscreen", "NUMBA_DISABLE_JIT": "1", "BELVEDERE_RECORDINGS": str(self._recordings),
            "BELVEDERE_ENVIRONMENT": environment.kind.name})
        return next(line for line in reversed(out.splitlines()) if " passed" in line)  # others may print at their end


def kinds_here(minors: Iterable[Minor], further: Iterable[Minor]) -> tuple[list[Kind], list[str]]:
    """Returns the environments that this machine can make, and the Pythons it lacks.

    Args:
        minors: the Pythons that the package is declared for; they are tried with the newest and the oldest packages.
        further: newer ones, which are tried with the newest packages only: no range is stated for them.
    """
    found = {minor: find(minor) for minor in (*minors, *further)}
    kinds = [Kind(minor, "newest", python) for minor, python in found.items() if python is not None]
    kinds += [Kind(minor, "oldest", python) for minor in minors if (python := found[minor]) is not None]
    return kinds, ["{}.{}".format(*minor) for minor, python in found.items() if python is None]


def main() -> int:
    """Tries every version. The exit code is 0 if all passed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    minors = declared(project)
    kinds, missing = kinds_here(minors, later(minors))
    if missing:
        say(f"Not tried, as this machine does not have it: Python {', '.join(missing)}.")
    if not kinds:
        say("No Python that Belvedere is declared for can make an environment here.")
        return FAILED
    say(f"Trying the wheel in {len(kinds)} environments in {FOLDER.name} (some minutes at first; logs are there):")
    FOLDER.mkdir(exist_ok=True)
    start = time.monotonic()
    with (FOLDER / "lock").open("w") as lock:  # two at once would replace each other's environments
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            failed = Trial(kinds, FOLDER).run()
        except SetupError as error:
            say(f"The wheel cannot be built: {error}")
            return FAILED
    say(f"{len(kinds)} environments, {len(failed)} failures, {time.monotonic() - start:.0f} s.")
    return FAILED if failed else PASSED


if __name__ == "__main__":
    sys.exit(main())
