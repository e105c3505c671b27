"""Nothing a test does reaches the user's own folders, and none depends on how busy the machine is."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import platformdirs
import pytest
from hypothesis import HealthCheck, settings

from core.llm.known_servers import FILE as KNOWN_SERVERS
from core.search.compilation import compile
from tests import fast_tests
from tests.long_tests import either
from tests.shared_renderer import SharedRenderer, service_of

# Collecting makes some millions of objects that stay until the end. Going through them again and again for garbage took half of
# its time; see `pytest_collection_finish`.
gc.disable()

# How long an example takes says more about the machine than about the code.
settings.register_profile("belvedere", max_examples=either(50, 500), deadline=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("belvedere")

# Machine code is the exception: `make test` has put it into the user's cache, and no test nor a process of its own should make
# it again.
os.environ.setdefault("NUMBA_CACHE_DIR", str(platformdirs.user_cache_path("belvedere", appauthor=False)))

# So is the byte code of Python: where nobody keeps it, each of some hundred processes would compile four hundred modules.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Processes of tests write as those of users do. With this set, nobody saw that progress came only at the end of a run.
os.environ.pop("PYTHONUNBUFFERED", None)

# A shell that starts the tests in the background, or `nohup`, has them ignore signals, and the processes they start would too.
for name, default in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    number = vars(signal).get(name)
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, default)


NUMBERS = itertools.count()
GARBAGE = 10_000, 10, 50
"""Thresholds of `gc`: new objects before the youngest are gone through, and how often that before older ones and all are."""


@pytest.fixture(autouse=True)
def nobodys_data(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Caches, data and documents go into folders of the tests, also those of processes a test starts; returns that of data.

    What a test keeps, the next one does not find. The cache is shared, but what it says of servers is forgotten: the server of
    another test may have had the same port.
    """
    nobody = tmp_path_factory.getbasetemp() / "nobody"
    home = nobody / str(next(NUMBERS))
    monkeypatch.setenv("XDG_CACHE_HOME", str(nobody / "xdg_cache_home"))
    (nobody / "xdg_cache_home" / "belvedere" / KNOWN_SERVERS).unlink(missing_ok=True)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DOCUMENTS_DIR"):
        monkeypatch.setenv(name, str(home / name.lower()))
    return home / "xdg_data_home"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Loads the search's machine code, before the time of any test counts: interpreted, some tests would take minutes."""
    option = session.config.option
    if option.collectonly or (session.config.getoption("numprocesses", None) and "PYTEST_XDIST_WORKER" not in os.environ):
        return  # no test runs in this process
    with contextlib.suppress(OSError):  # where it cannot be kept, each process compiles it
        compile.make()
    compile.load()


def pytest_addoption(parser: pytest.Parser) -> None:
    fast_tests.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    fast_tests.configure(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    fast_tests.select(config, items)


def pytest_collection_finish() -> None:
    """Looks for garbage from now on, but not among what collecting has made, and not as often as Python does.

    With its own thresholds, that took one twelfth of the time of tests without windows: after `gc.freeze` few objects count as
    old, so that all of them are gone through again after each quarter more.
    """
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    gc.enable()


@pytest.fixture(scope="session")
def shared_renderer() -> Iterator[SharedRenderer]:
    """One renderer process for all tests of this process, which starts when it is needed."""
    shared = SharedRenderer()
    yield shared
    shared.end()


@pytest.fixture(autouse=True)
def shares_a_renderer(request: pytest.FixtureRequest, shared_renderer: SharedRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets simulators share a renderer process, except in tests marked with `own_renderer`."""
    if request.node.get_closest_marker("own_renderer") is None:
        monkeypatch.setattr("sim.rendering.service.FrameService", lambda: service_of(shared_renderer))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Deletes the widgets of a test at its end. Without an event loop they stay, and each change of theme styles them again."""
    try:
        return (yield)
    finally:
        qt, widgets = (sys.modules.get(f"PySide6.Qt{name}") for name in ("Core", "Widgets"))
        if qt is not None and qt.QCoreApplication.instance() is not None:
            for widget in widgets.QApplication.topLevelWidgets() if widgets is not None else ():
                if widget.parent() is None:
                    widget.deleteLater()
            qt.QCoreApplication.sendPostedEvents(None, qt.QEvent.Type.DeferredDelete)
