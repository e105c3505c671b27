"""The end of the console, by the window, Ctrl C or SIGTERM, leaves nothing behind in any state."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from core.common.terminal import SIGNALS
from gui.control.background import Deadline
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import PATIENCE
from tests.long_tests import either

ROOT = Path(__file__).resolve().parents[2]
CONSOLE = """
import sys
from dataclasses import replace
from core.common.terminal import Interrupted
from gui.app import run_console
from tests.gui.parts import parts

given = parts()

def make_setup(request):
    print("preparing", flush=True)
    return given.make_setup(request)

try:
    sys.exit(run_console(replace(given, make_setup=make_setup)))
except Interrupted as signalled:
    sys.exit(signalled.code)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", either(SIGNALS[-1:], SIGNALS))
def test_a_signal_closes_the_window(number: signal.Signals, tmp_path: Path) -> None:
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", CONSOLE], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as console:
        try:
            assert console.stdout is not None
            assert console.stdout.readline() == "preparing\n"
            console.send_signal(number)
            assert console.wait(PATIENCE / 1000) == 128 + number
        finally:
            console.kill()
    assert list(tmp_path.rglob("*.conf")), "closing keeps the arrangement"


def test_work_that_hangs_holds_nobody_up(qtbot: QtBot, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui.app.PATIENCE", 0.1)
    app = make_app(parts())
    go, begun, hanging = threading.Event(), [threading.Event() for _ in range(3)], list[threading.Thread]()

    def hang(k: int) -> None:
        hanging.append(threading.current_thread())
        begun[k].set()
        go.wait(PATIENCE / 1000)

    told: list[object] = []
    for k, errands in enumerate((app.replay.jobs, app.kept_runs.exporter.jobs, app.recorders.jobs)):
        errands.do(partial(hang, k), told.append, told.append)
    assert all(event.wait(PATIENCE / 1000) for event in begun)
    app.window.close()
    assert not go.is_set(), "it was closed while all three hung"
    go.set()
    for thread in hanging:
        thread.join(PATIENCE / 1000)
        assert not thread.is_alive()
    QCoreApplication.processEvents()
    assert told == []


def test_a_deadline_is_shared() -> None:
    assert Deadline(0.0).left == 0.0
    assert Deadline(-1.0).left == 0.0
    assert 0.0 < Deadline(60.0).left <= 60.0
