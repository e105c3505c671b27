"""Every view that is sound can be drawn, at any size and however often it changes; what is not sound is said in one line."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.views import values as v
from core.views.addresses import addresses_of
from core.views.checking import fault
from gui.theme import Theme, theme_named
from gui.views.chart import ChartView
from gui.views.flat import MOST_TEXT, TextView
from gui.views.graph import GraphView
from gui.views.item_columns import place_columns
from gui.views.item_rows import ItemsView
from gui.views.matrix import MatrixView
from gui.views.outline import Outline, Sorting
from gui.views.sections import SectionsView, renderer_of
from gui.views.widget import ViewWidget
from tests.core.views import drawn
from tests.gui.settling import settle
from tests.long_tests import either

EASY = settings(max_examples=either(25, 300), deadline=None, suppress_health_check=list(HealthCheck))
COLUMNS = (v.Column("visits", "count", "simulations through it"), v.Column("P", "probability"), v.Column("state", "state"))


def shown(qtbot: QtBot, theme: Theme, view: v.View, size: tuple[int, int] = (420, 300)) -> ViewWidget[Any]:
    assert fault(view) == ""
    widget = renderer_of(view)(theme)
    qtbot.addWidget(widget)
    widget.resize(*size)
    widget.show()
    widget.show_view(view)
    return widget


def table(count: int, **changes: Any) -> v.Table:
    items = tuple(v.Item(f"k{n}", f"item {n}", (n, n / count, "open"), about=v.About((f"thing_{n}",))) for n in range(count))
    return replace(v.Table(items, COLUMNS), **changes)


def tree(wide: int, deep: int = 2) -> v.Tree:
    """A tree in which each item down to a depth has `wide` children."""
    def children(path: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(*path, k) for k in range(wide)] if len(path) < deep else []

    def item(path: tuple[int, ...]) -> v.Item:
        return v.Item(str(path[-1]), f"node {path}", (len(path), None, None))
    return v.tree_of(children(()), children, item, COLUMNS)


@EASY
@given(view=drawn.SOUND, other=drawn.SOUND)
def test_every_sound_view_is_drawn(qtbot: QtBot, theme: Theme, view: v.View, other: v.View) -> None:
    assert fault(view) == fault(other) == ""
    widget = shown(qtbot, theme, view)
    for size in ((90, 60), (700, 400)):
        widget.resize(*size)
        assert not widget.grab().isNull()
        widget.choice()
        widget.menu_entries()
        widget.mark(frozenset({("thing", "fridge_1")}))
        widget.search(["a"])
        widget.search([])
    if renderer_of(other) is type(widget):
        widget.show_view(other)
        assert not widget.grab().isNull()
    widget.close()


@pytest.mark.parametrize("what", drawn.ABSURD)
def test_an_absurd_view_is_told_in_one_line(what: str) -> None:
    said = fault(drawn.ABSURD[what])
    assert said
    assert "\n" not in said


@EASY
@given(view=drawn.trees() | drawn.tables())
def test_items_are_found_again_by_their_addresses(view: v.Tree | v.Table) -> None:
    outline = Outline(view)
    addresses = addresses_of(view)
    if len(set(addresses)) == len(addresses):  # a key may look like a number that tells two others apart
        assert tuple(map(outline.address_of, range(len(view.items)))) == addresses
        assert [outline.index_of(address) for address in addresses] == list(range(len(view.items)))


@EASY
@given(view=drawn.trees(), folds=st.lists(st.integers(0, 11)))
def test_folding_hides_exactly_what_is_below(view: v.Tree, folds: list[int]) -> None:
    outline = Outline(view)
    for k in folds:
        if k < len(view.items):
            outline.fold(k, folded=outline.is_open(k))
    def hidden(k: int) -> bool:
        parent = view.items[k].parent
        return parent >= 0 and (parent in outline.folded or hidden(parent))
    parents = {item.parent for item in view.items}
    chips = {k for k, item in enumerate(view.items) if view.chips and item.parent >= 0 and k not in parents}
    assert set(outline.rows.tolist()) == {k for k in range(len(view.items)) if k not in chips and not hidden(k)}
    assert [outline.row_of(k) for k in outline.rows.tolist()] == list(range(len(outline.rows)))


# --- tables and trees -------------------------------------------------------------
def rows_of(widget: ViewWidget[Any]) -> Any:
    assert isinstance(widget, ItemsView)
    return widget.rows


def test_a_row_in_words_and_its_tooltip(qtbot: QtBot, theme: Theme) -> None:
    view = v.Table((v.Item("k", "open fridge_1", (12, 0.46, "closed"), (v.CHOSEN,), note="cheap"),), COLUMNS)
    widget = shown(qtbot, theme, view)
    widget.named = lambda text: text.replace("fridge_1", "the fridge")
    rows = rows_of(widget)
    assert rows.model().index(0, 0).data() == "open the fridge · visits 12 · P .46 · state closed · chosen · cheap"
    assert "visits 12: simulations through it" in rows.row_tip(0).splitlines()
    x = next(place.x for place in rows._placed if place.column.title == "visits") + 2
    assert rows.head_tip(x) == "visits: simulations through it"


def test_left_and_right_fold_and_walk(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, tree(3))
    rows = rows_of(widget)
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_Down)
    assert rows.count() == 12
    QTest.keyClick(rows, Qt.Key.Key_Left)
    assert (rows.count(), rows.current) == (9, 0)
    QTest.keyClick(rows, Qt.Key.Key_Right)
    assert (rows.count(), rows.current) == (12, 0)
    QTest.keyClick(rows, Qt.Key.Key_Right)
    assert rows.current == 1
    QTest.keyClick(rows, Qt.Key.Key_Left)
    assert rows.current == 0
    at = QPoint(int(rows._text_left(0)) - 6, rows.rowViewportPosition(0) + 8)
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert rows.count() == 9


def test_what_was_folded_and_chosen_stays_in_the_next_view(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, tree(3))
    rows = rows_of(widget)
    rows.fold(4, folded=True)
    rows.show_index(9)
    widget.show_view(tree(4))
    choice = widget.choice()
    assert choice is not None
    assert choice.address == ("2", "0")
    assert not rows.outline.is_open(rows.outline.index_of(("1",)))


def test_a_filter_keeps_what_lies_above(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, tree(3))
    assert widget.search(["(1,", "2)"])
    words = [rows_of(widget).row_words(k).partition(" · ")[0] for k in range(rows_of(widget).count())]
    assert words == ["node (1,)", "node (1, 2)"]
    widget.search([])
    assert rows_of(widget).count() == 12


def test_what_lies_below_a_match_stays(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, tree(3))
    widget.search(["(1,)"])
    words = [rows_of(widget).row_words(k).partition(" · ")[0] for k in range(rows_of(widget).count())]
    assert words == ["node (1,)", "node (1, 0)", "node (1, 1)", "node (1, 2)"]


def click_head(widget: ViewWidget[Any], x: float) -> list[str]:
    """Clicks on the head of a list. Returns the keys of its rows."""
    rows = rows_of(widget)
    QTest.mouseClick(rows.horizontalHeader().viewport(), Qt.MouseButton.LeftButton, pos=QPoint(int(x), 8))
    assert not widget.grab().isNull()
    return [rows.item_of_row(k).key for k in range(rows.count())]


def test_a_click_on_a_title_sorts_and_a_third_one_does_not(qtbot: QtBot, theme: Theme) -> None:
    states: list[v.Cell] = [None, frozenset({"open", "dirty"}), "clean", frozenset()]
    items = tuple(v.Item(name, f"cup {name}", (count, 0.5, state))
                  for name, count, state in zip(("10", "2", "3", "1"), (3, None, float("nan"), 7), states, strict=True))
    widget = shown(qtbot, theme, v.Table(items, COLUMNS))
    rows = rows_of(widget)
    rows.choose(1)
    at = {place.column.title: place.x + 2 for place in rows._placed}
    assert click_head(widget, at["visits"]) == ["10", "1", "2", "3"], "what has no value comes last"
    assert click_head(widget, at["visits"]) == ["1", "10", "2", "3"]
    assert click_head(widget, at["visits"]) == ["10", "2", "3", "1"], "as it was"
    assert click_head(widget, at["state"]) == ["3", "2", "10", "1"]
    assert click_head(widget, 4) == ["1", "2", "3", "10"], "by the texts, with their numbers"
    assert rows.item_of_row(rows.current).key == "2", "what was chosen stays chosen"
    widget.show_view(v.Table((*items, v.Item("0", "cup 0")), COLUMNS))
    assert [rows.item_of_row(k).key for k in range(5)] == ["0", "1", "2", "3", "10"], "the next view too"
    widget.show_view(v.Table(items[:1]))
    assert rows.outline.sorting == Sorting("")


def test_a_tree_is_sorted_below_each_item(qtbot: QtBot, theme: Theme) -> None:
    items = [v.Item("b", "b", (1,)), v.Item("d", "d", (5,), parent=0), v.Item("c", "c", (9,), parent=0), v.Item("a", "a", (2,))]
    widget = shown(qtbot, theme, v.Tree(tuple(items), COLUMNS))
    x = rows_of(widget)._placed[0].x + 2
    assert click_head(widget, x) == ["b", "d", "c", "a"]
    assert click_head(widget, x) == ["a", "b", "c", "d"]
    assert rows_of(widget).outline.address_of(1) == ("b", "d")


def test_columns_without_room_are_counted_and_never_measured(theme: Theme) -> None:
    many = tuple(v.Column(f"column {k}", "count") for k in range(10_000))
    placed = place_columns(theme, many, (v.Item("k", "t", tuple(range(10_000))),), 400.0)
    assert 1 <= len(placed) < 10


def test_narrow_rows_lose_bars_first_then_the_least_important_columns(theme: Theme) -> None:
    columns = (v.Column("P", "probability"), v.Column("N", "count", importance=2), v.Column("loss", "loss", importance=1))
    items = tuple(v.Item(str(n), f"item {n}", (0.46, n, n / 9)) for n in (12, 6))

    def placed(room: float) -> list[tuple[str, bool]]:
        found = place_columns(theme, columns, items, room, "N")
        assert all(one.x + one.width <= after.x + 1e-6 for one, after in pairwise(found)), "they do not overlap"
        return [(one.column.title, one.bar > 0) for one in found]
    assert placed(600) == [("P", True), ("N", True), ("loss", False)]
    assert placed(305) == [("P", False), ("N", True), ("loss", False)]
    assert placed(240) == [("P", False), ("N", False), ("loss", False)]
    assert placed(170) == [("N", False), ("loss", False)]
    assert place_columns(theme, columns, items, 600, "N")[1].most == 12
    spare = (replace(columns[0], importance=-1), *columns[1:])
    assert [place.column.title for place in place_columns(theme, spare, items, 190, "N")] == ["N", "loss"], "no room to spare"
    long = (v.Item("k", "t", ("word " * 40, 1)),)
    assert place_columns(theme, (v.Column("what"),), long, 900)[0].width > 440, "the only value may take half of the row"
    assert 290 < place_columns(theme, (v.Column("what"), v.Column("n", "count")), long, 900)[0].width < 320


@pytest.mark.parametrize("number", [1.8e306, -1.8e306])
def test_a_similarity_beyond_its_range_is_drawn(qtbot: QtBot, theme: Theme, number: float) -> None:
    widget = shown(qtbot, theme, v.Table((v.Item("k", "t", (number,)),), (v.Column("like", "similarity"),)))
    assert not widget.grab().isNull()


class Counted(list[v.Item]):
    """Items that count how often one is read."""

    def __init__(self, items: Any):
        super().__init__(items)
        self.read = 0

    def __getitem__(self, index: Any) -> Any:
        self.read += 1
        return super().__getitem__(index)


@pytest.mark.parametrize("made", [table(100_000), tree(316)])
def test_of_a_hundred_thousand_items_only_those_in_sight_are_touched(qtbot: QtBot, theme: Theme,
                                                                     made: v.Table | v.Tree) -> None:
    widget = shown(qtbot, theme, made)
    rows = rows_of(widget)
    rows.outline.items = items = Counted(made.items)
    in_sight = 300 // rows.row_height() + 2
    rows.grab()
    assert items.read <= 4 * in_sight, "painting"
    items.read = 0
    rows.choose(min(1000, rows.count() - 1), tell=True)
    rows.grab()
    assert items.read <= 8 * in_sight, "choosing"
    if isinstance(made, v.Tree):
        items.read = 0
        rows.fold(0, folded=not rows.outline.is_open(0))
        assert items.read <= 320, "folding reads the siblings of the item, for its address"


def test_only_rows_that_changed_are_painted_again(qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    view = table(8)
    widget = shown(qtbot, theme, view)
    settle(widget)
    painted: list[int] = []
    rows = rows_of(widget)
    paint = type(rows).paint_row

    def noted(self: Any, painter: Any, index: int, rect: Any) -> None:
        painted.append(index)
        paint(self, painter, index, rect)

    monkeypatch.setattr(type(rows), "paint_row", noted)
    changed = replace(view.items[3], text="item x")
    widget.show_view(replace(view, items=(*view.items[:3], changed, *view.items[4:])))
    settle(widget)
    assert set(painted) == {3}


# --- the others -----------------------------------------------------------------------
def matrix(rows: int = 4, columns: int = 3) -> v.Matrix:
    numbers = np.linspace(0, 1, rows * columns).reshape(rows, columns)
    return v.Matrix(tuple(v.Item(f"r{k}", f"row {k}", about=v.About((f"thing_{k}",))) for k in range(rows)),
                    tuple(v.Item(f"c{k}", f"column {k}") for k in range(columns)), numbers, "probability",
                    (v.CellMark(1, 1, v.BEST),), (v.Edit("set", "Set", v.Slider(0, 1, 0)),))


def test_cells_are_chosen_by_keys_and_say_their_number(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, matrix())
    assert isinstance(widget, MatrixView)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right):
        QTest.keyClick(widget.cells, key)
    choice = widget.choice()
    assert choice is not None
    assert (choice.address, choice.about.things) == (("r1", "c1"), ("thing_1",))
    assert choice.edits[0].form == v.Slider(0, 1, 4 / 11)
    assert widget.cells.accessibleDescription() == "row 1 · column 1 · .36 (0.363636) · best"
    assert widget.cells.tip_at(widget.cells.cell_rect(1, 1).center()).splitlines()[-1] == "best"
    widget.show_view(matrix(6, 6))
    assert widget.cells.chosen == (1, 1)


def test_a_large_matrix_scrolls_and_paints_what_is_visible(qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = shown(qtbot, theme, matrix(2000, 1000))
    assert isinstance(widget, MatrixView)
    assert widget.cells.horizontalScrollBar().maximum() > 0 < widget.cells.verticalScrollBar().maximum()
    painted: list[tuple[int, int]] = []
    monkeypatch.setattr(type(widget.cells), "_paint_cell", lambda self, painter, row, column: painted.append((row, column)))
    widget.cells.choose((1999, 999))
    widget.grab()
    assert (1999, 999) in painted
    assert len(set(painted)) < 400


def test_arrows_walk_a_graph(qtbot: QtBot, theme: Theme) -> None:
    nodes = tuple(v.Item(name, name) for name in "abc")
    widget = shown(qtbot, theme, v.Graph(nodes, (v.Link(0, 1, ("go",)), v.Link(1, 2), v.Link(2, 0), v.Link(1, 1))))
    assert isinstance(widget, GraphView)
    for key, name in ((Qt.Key.Key_Right, "a"), (Qt.Key.Key_Right, "b"), (Qt.Key.Key_Right, "c"), (Qt.Key.Key_Left, "b")):
        QTest.keyClick(widget.canvas, key)
        choice = widget.choice()
        assert choice is not None
        assert choice.text == name


def test_a_megabyte_of_text_is_cut_and_says_so(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, v.Text("x" * 1_000_000, is_code=True))
    assert isinstance(widget, TextView)
    assert widget.field.toPlainText().endswith(f"… {1_000_000 - MOST_TEXT:,} characters more")
    assert not widget.grab().isNull()


@settings(EASY, max_examples=either(8, 100))
@given(view=drawn.CHARTS)
def test_a_chart_of_any_numbers_is_drawn(qtbot: QtBot, theme: Theme, view: v.Chart) -> None:
    from gui.views.chart_plot import ChartPlot

    widget = shown(qtbot, theme, view)
    assert isinstance(widget, ChartView)
    widget.plot = ChartPlot(theme, widget)
    widget.show_view(view)
    assert not widget.plot.grab().isNull()
    widget.close()


def test_sections_have_one_choice(qtbot: QtBot, theme: Theme) -> None:
    view = v.Sections((table(3, title="first"), replace(matrix(), title="second")))
    widget = shown(qtbot, theme, view, (420, 400))
    assert isinstance(widget, SectionsView)
    one, other = (part.shown for part in widget.parts)
    rows_of(one).choose(1, tell=True)
    choice = widget.choice()
    assert choice is not None
    assert choice.address == ("first", "k1")
    assert isinstance(other, MatrixView)
    other.cells.choose((0, 0), tell=True)
    choice = widget.choice()
    assert choice is not None
    assert choice.address == ("second", "r0", "c0")
    kept = widget.parts[0].shown
    widget.show_view(view)
    assert widget.parts[0].shown is kept


@pytest.mark.parametrize("name", ["dark", "light", "cvd"])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_all_kinds_at_once_in_every_palette_and_text_size(qtbot: QtBot, qapp: QApplication, name: str, scale: float) -> None:
    theme = theme_named(name, scale)
    theme.apply(qapp)
    nodes = (v.Item("a", "a", (3, None, None), (v.HERE,)), v.Item("b", "b", marks=(v.GOAL,)))
    view = v.Sections((table(5, title="Table", order="rank"), replace(tree(3), title="Tree"), replace(matrix(), title="Matrix"),
                       v.Graph(nodes, (v.Link(0, 1, ("go",)),), COLUMNS, title="Graph"), v.Text("Some text.", title="Text"),
                       v.Picture(np.zeros((20, 30, 3), np.uint8), title="Picture")))
    widget = shown(qtbot, theme, view, (500, 800))
    settle(widget)
    assert not widget.grab().isNull()
