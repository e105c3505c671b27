"""The planner's data of two moments, or of two planners: which kinds differ, and what is new, gone, moved or changed in one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from core.views.values import Table, Tree
from gui.control.background import BackgroundJobs, NewestJob
from gui.control.facet_values import Compared, FacetDifference, Pair, compared, has_same_facets, is_same_moment
from gui.panels.compare.difference_views import BY_TIME, SAME, Words, items_view, kinds_view, sides_view
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.views.item_rows import ItemRows, ItemsView
from gui.widgets import RIGHT, Line, Names

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
        self.kinds, self.items, self.rows = ItemsView(theme, KindRows), ItemsView(theme), ItemsView(theme)
        self.rows.rows.fold_all(folded=False)  # also large trees: what differs may be far down
        self._heads = QWidget()
        hbox(theme, (self.sides[0], 1), (self.sides[1], 1), on=self._heads, margins=(8, 4, 8, 2))
        self._state = Line(theme, "", "small", "faint", 600)
        column = vbox(theme, self._heads, self._state, self.kinds, (self.items, 1), (self.rows, 1), on=self, spacing=2,
                      margins=FLUSH)
        column.addStretch(0)  # takes the room while no kind is open, which would pull the headings apart
        self.kinds.chosen.connect(self._open)
        self._show_items()

    @property
    def has_rows(self) -> bool:
        """Whether there is anything to show, now or in a moment."""
        return self.is_working or bool(self._trouble) or self.kinds.rows.count() > 0

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
        title, kinds = " · ".join(filter(None, (self._title, state))), self._found.kinds if self._found is not None else ()
        self._state.say(title)
        self._state.setVisible(bool(state) and not kinds)
        self.kinds.setVisible(bool(kinds))
        self.kinds.show_view(kinds_view(kinds, title))
        self.kinds.rows.show_index(next((k for k, kind in enumerate(kinds) if kind.title == self._chosen), -1))
        self._show_items()
        if self.kinds.rows.current >= 0:
            self.kinds.rows.show_row(self.kinds.rows.current)

    def _open(self) -> None:
        chosen = self.kinds.choice()
        self._chosen = "" if chosen is None else chosen.text
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
        wanted, rows = self.kinds.natural_height(), self.kinds.rows
        least = wanted - max(0, rows.count() - 1) * rows.row_height()
        most = max(least, int(self.height() * KINDS_SHARE)) if self.kinds.chosen_index >= 0 else wanted
        self.kinds.setFixedHeight(min(wanted, most))

    @property
    def wanted_height(self) -> int:
        """The pixels that all rows need."""
        lines = sum(line.sizeHint().height() for line in (self._heads, self._state) if line.isVisibleTo(self))
        return lines + sum(view.natural_height() for view in (self.kinds, self.items, self.rows) if view.isVisibleTo(self))



def _compared(pair: Pair, chosen: str, before: Compared | None, words: Words, *,
              opens: bool) -> tuple[Compared, tuple[Table, Tree]]:
    found = compared(pair, chosen, before, opens=opens)
    return found, (items_view(found, words), sides_view(found, words))


class KindRows(ItemRows):
    """The rows of the kinds, of which those that differ can be chosen, to see their items."""

    def can_choose(self, index: int) -> bool:
        """Returns True for a kind that differs."""
        item = self.item_of_row(index)
        return item is not None and SAME not in item.marks
