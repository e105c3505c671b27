"""Panels made from views, and what an operator does in them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.session.commands import Command
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.base import Panel
from gui.panels.registry import make_panel
from gui.panels.view_panel import ViewPanel
from gui.views.edit_strip import WriteForm
from gui.views.item_rows import ItemsView
from gui.views.sections import SectionsView
from tests.gui.panels import worlds


def shown(qtbot: QtBot, name: str, snapshot: Snapshot, size: tuple[int, int] = (480, 360)) -> tuple[ViewPanel, Context,
                                                                                                 list[Command]]:
    """Returns a panel that shows a snapshot, its context, and the commands that are posted."""
    context, said = worlds.context()
    panel = make_panel(name, context)
    assert isinstance(panel, ViewPanel)
    qtbot.addWidget(panel)
    panel.resize(*size)
    panel.show()
    panel.receive(snapshot)
    return panel, context, said


def items_in(panel: Panel, title: str = "") -> ItemsView:
    """Returns the list of a panel; of sections the one with a title, or the only one."""
    assert isinstance(panel, ViewPanel)
    found = panel.shown
    if isinstance(found, SectionsView):
        found = next(part.shown for part in found.parts if title in ("", part.name))
    assert isinstance(found, ItemsView)
    return found


def words_in(panel: Panel, title: str = "") -> Sequence[str]:
    """Returns the words of the rows."""
    rows = items_in(panel, title).rows
    return [rows.row_words(k) for k in range(rows.count())]


def choose(panel: Panel, text: str, title: str = "", below: str = "") -> None:
    """Chooses the row of a text; `below`: in a tree, the text of its parent."""
    rows = items_in(panel, title).rows
    for row in range(rows.count()):
        item = rows.item_of_row(row)
        assert item is not None
        if item.text == text and (not below or rows.outline.items[item.parent].text == below):
            rows.choose(row, tell=True)
            return
    raise AssertionError(f"there is no row “{text}”")


def press(panel: Panel, key: Qt.Key, title: str = "") -> None:
    """Presses a key in a list."""
    QTest.keyClick(items_in(panel, title).rows, key)


def write(panel: ViewPanel, name: str, text: str) -> None:
    """Writes a text into the form of an edit and presses Enter."""
    form = next(filter(None, (strip.form(name) for strip in (panel.strip, *(source.own for source in panel.sources)))), None)
    assert isinstance(form, WriteForm)
    form.field.setFocus()
    form.field.selectAll()
    form.field.insert(text)
    QTest.keyClick(form.field, Qt.Key.Key_Return)
