"""The planner's data of two moments, or of two planners: which kinds differ, and what is new, gone, moved or changed in one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from core.views.values import Table, Tree
from gui.control.background import BackgroundJobs, NewestJob
from gui.control.facet_values import Compared, FacetDifference, Pair, compared, has_same_facets, is_same_moment
from gui.panels.compare.difference_views import BY_TIME, Words, items_view, sides_view
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.views.item_rows import ItemsView
from gui.widgets import CENTRE, RIGHT, Line, Names, draw_text
from gui.widgets.lists import ItemRows

BETWEEN = 58
"""Pixels between the two sides, at text size 100 %."""
KINDS_SHARE = 0.4
"""The largest share of the view's height that the rows of kinds take beside their items."""
NONE = Table(()), Tree(())


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
        self._views: tuple[Table, Tree] = NONE
        """The items of the chosen kind that differ, and all of them side by side."""
        self._words = BY_TIME
        self.is_working = False
        self.sides = Line(theme, "", "small", "text", 500), Line(theme, "", "small", "text", 500, align=RIGHT)
        self.kinds, self.items, self.rows = FacetRows(theme), ItemsView(theme), ItemsView(theme)
        self.rows.rows.fold_all(folded=False)  # also large trees: what differs may be far down
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
                  opens: bool, words: Words = BY_TIME) -> None:
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
        self.rows.named = self.items.named = names.with_names
        before, _ = self._asked
        is_same = before is not None and pair is not None and words == self._words and all(map(is_same_moment, pair, before))
        self._opens, self._words = opens, words
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
            work = partial(_compared, pair, self._chosen, self._found, self._words, opens=self._opens)
            self._job.do(work, partial(self._take, asked), partial(self._fail, asked))

    def _take(self, asked: tuple[Pair, str], result: tuple[Compared, tuple[Table, Tree]]) -> None:
        """Shows a comparison, unless other turns are wanted by now.

        While a search goes on, new facets of the same turns may be waiting to be compared: then the heading still says so.
        """
        pair, chosen = self._asked
        if pair is None or not all(map(is_same_moment, pair, asked[0])):
            return
        (found, self._views), self._trouble, self.is_working = result, "", asked is not self._asked
        self._found = found
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
        beside = found is not None and bool(found.rows) and not self._only
        self._fill(self.items, self._views[0], visible=found is not None and not beside)
        self._fill(self.rows, self._views[1], visible=beside)
        self.fit()

    @staticmethod
    def _fill(shown: ItemsView, view: Table | Tree, *, visible: bool) -> None:
        if visible and shown.rows.view is not view:
            shown.show_view(view)
            shown.rows.scrollToTop()
        shown.setVisible(visible)
        shown.rows.redraw()  # other names may be known

    def restyle(self) -> None:
        """Takes the sizes of the theme again."""
        for shown in (self.items, self.rows):
            shown.show_view(shown.rows.view)

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
        kinds = self.kinds.horizontalHeader().height() + self.kinds.count() * self.kinds.row_height()
        return heads + kinds + sum(view.natural_height() for view in (self.items, self.rows) if view.isVisibleTo(self))


def _compared(pair: Pair, chosen: str, before: Compared | None, words: Words, *,
              opens: bool) -> tuple[Compared, tuple[Table, Tree]]:
    found = compared(pair, chosen, before, opens=opens)
    return found, (items_view(found, words), sides_view(found, words))


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
