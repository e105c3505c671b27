"""Jobs off the GUI thread: their order, and results that nobody needs any more."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from gui.control.background import BackgroundJobs, ChartImport, NewestJob


@pytest.fixture
def jobs(qapp: object) -> Iterator[BackgroundJobs]:
    queue = BackgroundJobs("test")
    yield queue
    queue.close()


@pytest.mark.parametrize("breaks", [False, True])
def test_the_result_for_a_deleted_owner_is_dropped_and_the_job_is_done(
    qtbot: QtBot, jobs: BackgroundJobs, *, breaks: bool
) -> None:
    owner, goes_on, done, told = QObject(), threading.Event(), list[str](), list[object]()

    def work() -> None:
        goes_on.wait()
        done.append("written")
        if breaks:
            raise ZeroDivisionError

    jobs.do(work, told.append, told.append, owner)
    jobs.do(lambda: "next", told.append, told.append)
    delete(owner)
    goes_on.set()
    qtbot.waitUntil(lambda: bool(told))
    assert done == ["written"]
    assert told == ["next"]


def test_of_the_jobs_asked_for_meanwhile_the_newest_is_done_and_none_for_a_deleted_owner(
    qtbot: QtBot, jobs: BackgroundJobs
) -> None:
    owner, goes_on, told = QObject(), threading.Event(), list[object]()
    newest = NewestJob(jobs, owner)
    for number in range(4):
        newest.do(lambda number=number: (goes_on.wait(), number)[1], told.append, told.append)  # type: ignore[misc]
    goes_on.set()
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told == [0, 3]
    goes_on.clear()
    newest.do(goes_on.wait, told.append, told.append)
    newest.do(lambda: told.append("begun"), told.append, told.append)
    delete(owner)
    goes_on.set()
    jobs.do(lambda: "next", told.append, told.append)
    qtbot.waitUntil(lambda: told[-1] == "next")
    assert told == [0, 3, "next"]


def test_the_classes_of_qt_are_created_on_the_gui_thread_before_the_charts_are_imported(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two threads that create classes of PySide at the same time can crash the interpreter."""
    named: list[str] = []

    class Module:
        def __dir__(self) -> list[str]:
            return [f"class {k}" for k in range(25)]

        def __getattr__(self, name: str) -> None:
            named.append(f"{name}, {threading.current_thread().name}")

    for module in ("QtCore", "QtGui", "QtWidgets"):
        monkeypatch.setattr(f"gui.control.background.{module}", Module())
    monkeypatch.setattr("gui.control.background.importlib.import_module", lambda name: named.append(name))
    charts = ChartImport(parent := QObject())
    with qtbot.waitSignal(charts.ready):
        charts.start()
        charts.start()
    assert named == [*[f"class {k}, MainThread" for k in sorted(range(25), key=lambda k: f"class {k}")] * 3, "pyqtgraph"]
    assert charts.is_ready
    parent.deleteLater()
