"""Pages and dialogs of the workbench have room at every usual window and text size, in each theme."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.theme import PALETTES
from tests.gui.conftest import MakeApp
from tests.gui.looking import cut_labels
from tests.gui.test_evaluations import PLAN, rows_of, shown, write
from tests.gui.test_runs import toys
from tests.long_tests import some_pairs

SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))
TEXT = (1.0, 1.25, 1.5)


@pytest.fixture
def app(make_app: MakeApp, tmp_path: Path, qtbot: QtBot) -> App:
    """A window that has the results of an evaluation."""
    folder = tmp_path / "evaluations" / "blocking 1"
    write(folder, PLAN, rows_of(PLAN))
    app = make_app(toys())
    app.window.toggle_page(app.pages.evaluations)
    app.pages.evaluations.show_folder(folder)
    qtbot.waitUntil(shown(app.pages.evaluations, lambda n: n == PLAN.episodes))
    qtbot.waitUntil(lambda: app.pages.evaluations.chart is not None)
    return app


def dialogs(app: App) -> Iterator[QWidget]:
    """Opens the dialogs of the workbench, one after the other."""
    app.pages.evaluations.open_plan()
    assert app.pages.evaluations.dialog is not None
    labels = app.tools.dialogs
    for dialog in (app.pages.evaluations.dialog, app.run_dialogs.open_batch(), labels.agreement(), labels.statistics(),
                   labels.labels()):
        yield dialog
        dialog.close()


def check(qtbot: QtBot, app: App, page: QWidget) -> None:
    """Waits until a page fills the window and none of its texts is cut; the rows of evaluations are all in view."""
    table = app.pages.evaluations.table
    if not page.isVisible():
        app.window.toggle_page(page)
    qtbot.waitUntil(lambda: page.width() > 0.9 * app.window.width())
    qtbot.waitUntil(lambda: not list(cut_labels(page)))
    if page is app.pages.evaluations:
        qtbot.waitUntil(lambda: table.viewport().height() >= table.row_height() * table.count())


@pytest.mark.timeout(300)
def test_nothing_is_cut(qtbot: QtBot, app: App) -> None:
    for scale, palette in some_pairs(TEXT, tuple(PALETTES), 1):
        app.window.set_theme(palette, scale)
        for page, (width, height) in product((app.pages.library, app.pages.evaluations), SIZES):
            app.window.resize(width, height)
            check(qtbot, app, page)
            assert app.window.size() == QSize(width, height), f"the page is too large at {scale:.0%}"


@pytest.mark.parametrize("scale", TEXT)
def test_dialogs_fit_the_smallest_window(qtbot: QtBot, app: App, scale: float) -> None:
    width, height = SIZES[0]
    app.window.resize(width, height)
    app.window.set_theme("dark", scale)
    for dialog in dialogs(app):
        qtbot.waitUntil(lambda dialog=dialog: not list(cut_labels(dialog)))  # type: ignore[misc]
        assert dialog.width() <= width
        assert dialog.height() <= height
