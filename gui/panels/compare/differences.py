"""The planner's data of two moments, or of two planners: which kinds differ, and what is new, gone, moved or changed in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from core.views.diff import EMPTY, Aligned, Change, Difference
from core.views.entries import Entry
from gui.control.background import BackgroundJobs, NewestJob
from gui.control.facet_values import Compared, FacetDifference, Pair, compared, has_same_facets, is_same_moment
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import CENTRE, RIGHT, Line, Names, draw_text, text_width
from gui.widgets.lists import ItemRows
from gui.widgets.numbers import count

BETWEEN = 58
"""Pixels between the two sides, at text size 100 %."""
BY_TIME = {"new": "new", "gone": "gone", "moved": "moved", "changed": "changed"}
BY_SIDE = {"new": "only right", "gone": "only left", "moved": "moved", "changed": "changed"}
"""What a difference is called between two moments, and between two planners."""
SIGNS = {"new": ("+", "good"), "gone": ("−", "bad"), "moved": ("↕", "selection"), "changed": ("≠", "muted")}
"""The mark of a difference and the token of its colour."""
KINDS_SHARE = 0.4
"""The largest share of the view's height that the rows of kinds take beside their items."""
MOST_FIGURES = 2
"""The figures of an item that are written on both sides. Differences of the others that matter are shown, too."""
MOST_INDENTED = 8
"""Levels of a tree that are indented."""


class DifferenceView(QWidget):
    """A heading for each side, a row for each kind of facet, and below the items of the chosen kind that differ.

    Both sides are compared off the GUI thread. Meanwhile the heading says so, and no rows of another pair of turns are shown.

    Attributes:
        kinds: the rows of kinds.
        items: the rows of items that differ.
        rows: two rankings or two trees side by side; they stand in place of `items` unless only differences are shown.
        is_working: a comparison is under way.
    """

    changed = Signal()
    """Another kind was chosen, or a comparison has arrived."""

    def __init__(self, theme: Theme, jobs: BackgroundJobs):
        super().__init__()
        self._job, self._title, self._only, self._opens = NewestJob(jobs, self), "", False, False
        self._chosen, self._trouble = "", ""
        self._asked: tuple[Pair | None, str] = (None, "")
        """The pair that is compared, and the title of the kind whose items are wanted."""
        self._found: Compared | None = None
        """The last comparison of these two turns."""
        self.is_working = False
        self.sides = Line(theme, "", "small", "text", 500), Line(theme, "", "small", "text", 500, align=RIGHT)
        self.kinds, self.items, self.rows = FacetRows(theme), DifferenceRows(theme), SideRows(theme)
        self._heads = QWidget()
        hbox(theme, (self.sides[0], 1), (self.sides[1], 1), on=self._heads, margins=(8, 4, 8, 2))
        column = vbox(theme, self._heads, self.kinds, (self.items, 1), (self.rows, 1), on=self, spacing=2, margins=FLUSH)
        column.addStretch(0)  # takes the room while no kind is open, which would pull the headings apart
        self.kinds.chosen.connect(self._open)
        self._show_items()

    @property
    def has_rows(self) -> bool:
        """Whether there is anything to show, now or in a moment."""
        return self.is_working or bool(self._trouble) or self.kinds.count() > 0

    @property
    def chosen(self) -> FacetDifference | None:
        """The kind whose items are shown; None: no kind is chosen, or both sides are still being compared."""
        found = self._found.chosen if self._found is not None and not self.is_working else None
        return found if found is not None and found.title == self._chosen else None

    def show_pair(self, title: str, sides: tuple[str, str], pair: Pair | None, names: Names, *,
                  opens: bool, words: Mapping[str, str] = BY_TIME) -> None:
        """Shows two snapshots.

        Args:
            title: the heading of the kinds, such as `Planner data at turn 3`.
            sides: what stands left and right; empty: no headings.
            pair: the snapshots; None: there is nothing to compare.
            names: display names of objects.
            opens: open the first kind that differs if none is chosen.
            words: what a new, gone, moved or changed item is called.
        """
        for line, text in zip(self.sides, sides, strict=True):
            line.say(text)
        self._heads.setVisible(any(sides))
        if title != self._title:
            self._title, self._chosen = title, ""
        self._opens, self.rows.names, self.items.names, self.items.words = opens, names, names, words
        before, _ = self._asked
        is_same = before is not None and pair is not None and all(map(is_same_moment, pair, before))
        if not is_same:
            self._found, self._trouble = None, ""
        if not is_same or not all(map(has_same_facets, pair or (), before or ())):
            self._compare(pair)
        self._show()

    def _compare(self, pair: Pair | None) -> None:
        """Compares a pair off the GUI thread."""
        self._asked, self.is_working = (pair, self._chosen), pair is not None
        if pair is not None:
            self._asked = asked = pair, self._chosen
            work = partial(compared, pair, self._chosen, self._found, opens=self._opens)
            self._job.do(work, partial(self._take, asked), partial(self._fail, asked))

    def _take(self, asked: tuple[Pair, str], found: Compared) -> None:
        """Shows a comparison, unless other turns are wanted by now.

        While a search goes on, new facets of the same turns may be waiting to be compared: then the heading still says so.
        """
        pair, chosen = self._asked
        if pair is None or not all(map(is_same_moment, pair, asked[0])):
            return
        self._found, self._trouble, self.is_working = found, "", asked is not self._asked
        if asked[1] == chosen and found.chosen is not None:
            self._chosen = found.chosen.title
        self._show()
        self.changed.emit()

    def _fail(self, asked: tuple[Pair, str], error: Exception) -> None:
        if asked is self._asked:
            self._found, self.is_working, self._trouble = None, False, f"cannot be compared: {error}"
            self._show()
            self.changed.emit()

    def _show(self) -> None:
        state = self._trouble or ("being compared …" if self.is_working else "")
        kinds = self._found.kinds if self._found is not None else ()
        self.kinds.show_differences(" · ".join(filter(None, (self._title, state))), kinds, self._chosen)
        self._show_items()
        if self.kinds.current >= 0:
            self.kinds.show_row(self.kinds.current)

    def _open(self) -> None:
        chosen = self.kinds.chosen_item
        self._chosen = chosen.title if chosen is not None else ""
        self._compare(self._asked[0])
        self._show()
        self.changed.emit()

    def _show_items(self) -> None:
        found = self._found
        if found is not None and (found.chosen is None or found.chosen.title != self._chosen):
            found = None
        self.rows.show_found(found if found is not None and found.rows and not self._only else None)
        beside = self.rows.count() > 0
        self.items.show_found(None if beside else found)
        self.items.setVisible(found is not None and not beside)
        self.rows.setVisible(beside)
        self.fit()

    def show_only_differences(self, only: bool) -> None:
        """Shows only what differs, or rankings and trees side by side."""
        self._only = only
        self._show_items()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Shares the new height."""
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Gives the rows of kinds the height that they need; if items are shown, at most `KINDS_SHARE` of the view."""
        kinds = self.kinds
        wanted = kinds.horizontalHeader().height() + kinds.count() * kinds.row_height()
        least = kinds.horizontalHeader().height() + kinds.row_height()
        most = max(least, int(self.height() * KINDS_SHARE)) if self.kinds.chosen_item is not None else wanted
        kinds.setFixedHeight(min(wanted, most))

    @property
    def wanted_height(self) -> int:
        """The pixels that all rows need."""
        heads = self._heads.sizeHint().height() if self._heads.isVisibleTo(self) else 0
        lists = [rows for rows in (self.kinds, self.items, self.rows) if rows.isVisibleTo(self)]
        return heads + sum(rows.horizontalHeader().height() + rows.count() * rows.row_height() for rows in lists)


class FacetRows(ItemRows[FacetDifference]):
    """A row for every kind of facet, also of other packages: whether both sides are equal, or how they differ.

    A row that differs can be chosen, to see its items.
    """

    def __init__(self, theme: Theme):
        super().__init__(theme, row=20, head=22)
        self._title = ""
        self.setAccessibleName("Planner data of both sides")

    def show_differences(self, title: str, differences: tuple[FacetDifference, ...], chosen: str) -> None:
        """Shows other rows, and chooses the kind with a title."""
        self._title, self.current = title, -1
        self.show_items(differences)
        self.current = next((k for k, row in enumerate(differences) if row.title == chosen), -1)

    def can_choose(self, index: int) -> bool:
        """Returns True for a kind that differs."""
        row = self.item(index)
        return row is not None and not row.same

    def row_words(self, index: int) -> str:
        """Returns a row as text, such as `Guess differs: room kitchen; room hall`."""
        row = self.items[index]
        return f"{row.title}: the same" if row.same else f"{row.title} differs: {row.left}; {row.right}"

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the heading."""
        room = rect.adjusted(self.theme.px(10), 0, -self.theme.px(6), 0)
        draw_text(painter, self.theme, room, self._title, "micro", "faint", 600)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints the name of the kind, and both sides with ≠ between them, or = if they are equal."""
        theme, px, row = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect)
        name = QRectF(rect.x() + px(10), rect.y(), rect.width() * 0.24, rect.height())
        draw_text(painter, theme, name, row.title, "small", "muted" if row.same else "text", 500)
        wide = (rect.right() - name.right() - px(BETWEEN / 2)) / 2
        left = QRectF(name.right(), rect.y(), wide, rect.height())
        right = QRectF(rect.right() - wide, rect.y(), wide - px(8), rect.height())
        mark = QRectF(left.right(), rect.y(), right.left() - left.right(), rect.height())
        draw_text(painter, theme, mark, "=" if row.same else "≠", "small", "faint" if row.same else "text", 600, CENTRE)
        draw_text(painter, theme, left, row.left, "small", "text", align=RIGHT)
        draw_text(painter, theme, right, row.right, "small", "text")


class DifferenceRows(ItemRows[Difference]):
    """A row for each item that is new, gone, moved or changed: its mark, its name, its values on both sides and by how much.

    Attributes:
        names: display names of objects.
        words: what a new, gone, moved or changed item is called.
    """

    def __init__(self, theme: Theme):
        super().__init__(theme, row=20, head=22)
        self.names, self._head_words = Names(), ""
        self.words: Mapping[str, str] = BY_TIME
        self.setAccessibleName("Items that differ")

    def show_found(self, found: Compared | None) -> None:
        """Shows the items of the chosen kind; None: none."""
        items = found.items if found is not None else ()
        kinds = Counter[str](item.kind for item in items)
        counts = " · ".join(f"{kinds[name]:,} {words}" for name, words in self.words.items() if kinds[name])
        title = found.chosen.title if found is not None and found.chosen is not None else ""
        self._head_words = f"{title}: {counts or count(len(items), 'item')}" if title else ""
        is_other = items is not self.items
        self.show_items(items)
        if is_other:
            self.scrollToTop()

    def can_choose(self, index: int) -> bool:
        """Returns False: a row only informs."""
        del index
        return False

    def row_words(self, index: int) -> str:
        """Returns a row as text, such as `new: open fridge, rank 3, N 5`."""
        item = self.items[index]
        return f"{self.words[item.kind]}: {self.names.with_names(item.name)}, {self._values(item)}"

    def row_tip(self, index: int) -> str:
        """Returns the row as text, because its values may be cut."""
        return self.row_words(index) if 0 <= index < self.count() else ""

    def _values(self, item: Difference) -> str:
        return self.names.with_names(" · ".join(map(change_words, item.changes)))

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints how many items differ in which way."""
        room = rect.adjusted(self.theme.px(10), 0, -self.theme.px(6), 0)
        draw_text(painter, self.theme, room, self._head_words, "micro", "faint", 600)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one item."""
        theme, px, item = self.theme, self.theme.px, self.items[index]
        sign, tone = SIGNS[item.kind]
        draw_text(painter, theme, QRectF(rect.x() + px(8), rect.y(), px(14), rect.height()), sign, "small", tone, 700, CENTRE)
        left, room, words = rect.x() + px(26), rect.right() - px(8), self._values(item)
        name = self.names.with_names(item.name)
        wide = min(text_width(theme, name, "small", 500) + px(10), (room - left) * 0.5)
        draw_text(painter, theme, QRectF(left, rect.y(), wide - px(4), rect.height()), name, "small", "text", 500)
        rest = QRectF(left + wide, rect.y(), room - left - wide, rect.height())
        draw_text(painter, theme, rest, words, "small", "muted", align=RIGHT)


class SideRows(ItemRows[Aligned]):
    """Items side by side, such as two rankings: the name, the figures left and right, and by how much they differ.

    Attributes:
        names: display names of objects.
    """

    def __init__(self, theme: Theme):
        super().__init__(theme, row=20, head=22)
        self.names, self._head_words, self._figures = Names(), "", tuple[str, ...]()
        self.setAccessibleName("Both sides")

    def show_found(self, found: Compared | None) -> None:
        """Shows the rows of the chosen kind; None: none."""
        rows = found.rows if found is not None else ()
        if rows is self.items:
            return
        self._head_words = f"{found.differing} of {count(len(rows), 'row')} differ" if found is not None else ""
        self._figures = found.figures if found is not None else ()
        self.show_items(rows)
        self.scrollToTop()

    def can_choose(self, index: int) -> bool:
        """Returns False: a row only informs."""
        del index
        return False

    def row_words(self, index: int) -> str:
        """Returns a row as text, such as `open fridge: N 40, Q 0.81; N 52, Q 0.80; N +12, Q −0.01`."""
        row = self.items[index]
        shown = self._figures[:MOST_FIGURES]
        sides = (", ".join(figure_words(name, item) for name in shown) if item is not None else "not there"
                 for item in (row.left, row.right))
        changes = ", ".join(f"{name} {words}".strip() for name, words, _ in changes_of(row, self._figures))
        return "; ".join(filter(None, (f"{self.names.with_names(row.name)}: {next(sides)}", next(sides), changes)))

    def row_tip(self, index: int) -> str:
        """Returns the row as text, because it may be cut."""
        return self.row_words(index) if 0 <= index < self.count() else ""

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints how many rows differ, and what the columns are."""
        theme, left = self.theme, rect.adjusted(self.theme.px(26), 0, 0, 0)
        draw_text(painter, theme, left, self._head_words, "micro", "faint", 600)
        for column, words in zip(self._columns(rect), ("left", "right", "difference"), strict=True):
            draw_text(painter, theme, column, words, "micro", "faint", 600, RIGHT)

    def _columns(self, rect: QRectF) -> tuple[QRectF, QRectF, QRectF]:
        """Returns where the left figures, the right ones and the differences stand."""
        gap, end, made = self.theme.px(4), rect.right() - self.theme.px(8), list[QRectF]()
        for share in (0.24, 0.18, 0.18):
            wide = rect.width() * share
            made.append(QRectF(end - wide + gap, rect.y(), wide - gap, rect.height()))
            end -= wide
        return made[2], made[1], made[0]

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one action or node."""
        theme, px, row = self.theme, self.theme.px, self.items[index]
        columns, same = self._columns(rect), row.kind == "same"
        if row.kind != "same":
            sign, tone = SIGNS[row.kind]
            mark = QRectF(rect.x() + px(8), rect.y(), px(14), rect.height())
            draw_text(painter, theme, mark, sign, "small", tone, 700, CENTRE)
        start = rect.x() + px(26) + px(10) * min(row.depth, MOST_INDENTED)
        name = QRectF(start, rect.y(), max(0.0, columns[0].left() - px(4) - start), rect.height())
        draw_text(painter, theme, name, self.names.with_names(row.name), "small", "muted" if same else "text", 500)
        for column, item in zip(columns, (row.left, row.right), strict=False):
            shown = self._figures[:MOST_FIGURES]
            words = "  ".join(figure_words(figure, item) for figure in shown) if item is not None else "–"
            draw_text(painter, theme, column, words, "micro", "muted" if same else "text", align=RIGHT)
        room = QRectF(columns[2])
        for figure, by, tone in reversed(list(changes_of(row, self._figures))):
            words = f"{figure} {by}".strip()
            draw_text(painter, theme, room, words, "micro", tone, 600, RIGHT)
            room.setRight(room.right() - text_width(theme, words, "micro", 600) - px(6))


def figure_words(name: str, item: Entry) -> str:
    """Returns a figure of an item, such as `N 40`."""
    value = dict(item.values).get(name)
    return f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {EMPTY if value is None else value}"


def changes_of(row: Aligned, figures: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yields name, text and colour token of each of these figures that differs on both sides, then of the place."""
    if row.left is None or row.right is None:
        return
    left, right = dict(row.left.values), dict(row.right.values)
    for name in figures:
        one, other = left.get(name), right.get(name)
        if isinstance(one, float | int) and isinstance(other, float | int) and one != other:
            by = other - one
            yield name, f"{'+' if by > 0 else '−'}{abs(by):.3g}", "good" if by > 0 else "bad"
    if row.left.place != row.right.place:
        yield "", f"{row.left.place} → {row.right.place}".replace("rank ", ""), "selection"


def change_words(change: Change) -> str:
    """Returns a change as text, such as `N 40 → 52 (+12)`; with an empty side only the other one."""
    name = f"{change.name} " if change.name else ""
    if change.left and change.right:
        by = "" if change.by is None else f" ({'+' if change.by > 0 else '−'}{abs(change.by):.3g})"
        return f"{name}{change.left} → {change.right}{by}"
    return f"{name}{change.left or change.right}" if change.by is None else name
