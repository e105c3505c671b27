"""What stands below the first line of rows: chips, and notes that wrap. And sections that fold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.views import values as v
from gui.theme import Theme, theme_named
from gui.views.item_rows import ItemRows, ItemsView
from gui.views.object_list import ObjectList
from gui.views.outline import Outline
from gui.views.sections import SectionsView, renderer_of
from gui.views.widget import ViewWidget


@pytest.fixture
def theme() -> Theme:
    return theme_named("dark")


def thing(name: str, chips: int) -> tuple[v.Item, ...]:
    return (v.Item(name, name, (1,)), *(v.Item(f"c{k}", f"chip {k} of {name}", marks=(v.NEW,) * (k == 1),
                                              edits=(v.Edit("drop", "Drop", key="X"),)) for k in range(chips)))


def things(**chips: int) -> v.Tree:
    items = list[v.Item]()
    for name, count in chips.items():
        first, *others = thing(name, count)
        at = len(items)
        items += [first, *(replace(item, parent=at) for item in others)]
    return v.Tree(tuple(items), (v.Column("turn", "count"),), chips=True)


def shown(qtbot: QtBot, theme: Theme, view: v.View, width: int = 300) -> ViewWidget[v.View]:
    widget = renderer_of(view)(theme)
    qtbot.addWidget(widget)
    widget.resize(width, 300)
    widget.show()
    widget.show_view(view)
    return widget


def rows(widget: ViewWidget[v.View]) -> ItemRows:
    assert isinstance(widget, ItemsView)
    return widget.rows


def heights(widget: ViewWidget[v.View]) -> list[int]:
    return [rows(widget).rowHeight(k) for k in range(rows(widget).count())]


def address(widget: ViewWidget[v.View]) -> tuple[str, ...]:
    choice = widget.choice()
    assert choice is not None
    return choice.address


def test_chips_stand_in_the_row_of_their_parent_and_wrap(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, things(a=0, b=2, c=9))
    none, some, many = heights(widget)
    assert none == rows(widget).row_height() < some < many
    assert widget.natural_height() > none + some + many
    assert rows(widget).row_words(1) == "b · turn 1: chip 0 of b, chip 1 of b · new"
    widget.resize(2000, 300)
    assert heights(widget) == [none, some, some]
    assert not widget.grab().isNull()
    widget.show_view(v.Table(tuple(v.Item(str(k), str(k)) for k in range(4))))
    assert heights(widget) == [none] * 4, "another view has rows of one line again"


def test_chips_are_chosen_by_mouse_and_keys_and_stay_chosen(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, things(a=1, b=3))
    found = rows(widget)
    found.choose(1, tell=True)
    for key, expected in (("Right", ("b", "c0")), ("Right", ("b", "c1")), ("Left", ("b", "c0")), ("Left", ("b",)),
                          ("Left", ("b",)), ("Right", ("b", "c0")), ("Up", ("a",))):
        QTest.keyClick(found, getattr(Qt.Key, f"Key_{key}"))
        assert address(widget) == expected, key
    assert found._blocks is not None
    block = found._blocks.of(found.index_of_row(1))
    at = block.chips[2].rect.center().toPoint() + QPoint(0, found.rowViewportPosition(1))
    with qtbot.waitSignal(widget.chosen):
        QTest.mouseClick(found.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert address(widget) == ("b", "c2")
    widget.show_view(things(x=2, a=1, b=4))
    assert (address(widget), found.current) == (("b", "c2"), 2)
    widget.show_view(things(b=2))
    assert address(widget) == ("b",), "the chip is gone"
    QTest.mouseClick(found.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 8))
    assert address(widget) == ("b",)


def test_a_chip_is_found_with_the_row_that_it_stands_in(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, things(a=1, b=3))
    widget.search(["chip", "2"])
    assert [rows(widget).item_of_row(k) for k in range(rows(widget).count())] == [things(a=1, b=3).items[2]]
    assert widget.menu_entries() == {}, "there is nothing to fold"


def test_what_has_children_with_children_still_folds() -> None:
    items = (v.Item("a", "a"), v.Item("b", "b", parent=0), v.Item("c", "c", parent=1), v.Item("d", "d", parent=0))
    outline = Outline(v.Tree(items, chips=True))
    assert (outline.rows.tolist(), outline.chips_of(0), outline.chips_of(1)) == ([0, 1], [3], [2])
    assert (outline.row_of(3), outline.row_of(2), outline.has_children(0), outline.has_children(1)) == (0, 1, True, False)
    outline.fold(0, folded=True)
    assert outline.rows.tolist() == [0]


def test_notes_without_room_wrap_where_the_view_says_so(qtbot: QtBot, theme: Theme) -> None:
    items = (v.Item("a", "short", note="holds"), v.Item("b", "long", note="word " * 60))
    one = rows(shown(qtbot, theme, v.Table(items))).row_height()
    assert heights(shown(qtbot, theme, v.Table(items))) == [one, one]
    widget = shown(qtbot, theme, v.Table(items, notes="wrapped"))
    assert heights(widget)[0] == one
    assert heights(widget)[1] > 3 * one
    assert not widget.grab().isNull()
    long, longer = heights(shown(qtbot, theme, v.Table(tuple(v.Item(str(n), "a", note="word " * n) for n in (60, 300)),
                                                       notes="below")))
    assert longer > 3 * long, "no sentence is cut"


def test_a_list_of_objects_follows_the_text_size(qtbot: QtBot, theme: Theme, qapp: QApplication) -> None:
    found = ObjectList[str](theme, "Words", lambda word: v.Item(word, word, note="word " * 20), notes="below")
    qtbot.addWidget(found)
    found.resize(300, 300)
    found.show()
    found.show_objects(("a",))
    theme.apply(qapp)
    before = found.rows.rowHeight(0)
    theme.become("dark", 1.5)
    theme.apply(qapp)
    later = found.rows.rowHeight(0)
    theme.become("dark", 1.0)
    theme.apply(qapp)
    assert later > 1.3 * before
    assert found.rows.rowHeight(0) == before


def test_sections_fold_by_their_title_and_open_for_a_search(qtbot: QtBot, theme: Theme) -> None:
    one, other = (v.Table((v.Item("k", title),), title=title, is_folded=title == "other") for title in ("one", "other"))
    widget = shown(qtbot, theme, v.Sections((one, other)))
    assert isinstance(widget, SectionsView)

    def seen() -> list[bool]:
        assert isinstance(widget, SectionsView)
        return [part.shown.isVisible() for part in widget.parts]

    assert seen() == [True, False]
    assert widget.parts[1].height() < 30
    widget.search(["k"])
    assert seen() == [True, True]
    widget.search([])
    QTest.mouseClick(widget.parts[0].head, Qt.MouseButton.LeftButton)
    QTest.keyClick(widget.parts[1].head, Qt.Key.Key_Space)
    assert seen() == [False, True]
    widget.show_view(v.Sections((one,)))
    widget.show_view(v.Sections((other, one)))
    assert seen() == [True, False], "what was folded by hand stays"
    assert not widget.grab().isNull()
