"""The list of resolved branches, newest first."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.planners.bcr.recorded_types import ResolvedBranch
from gui.theme import Theme
from gui.widgets import draw_text
from gui.widgets import numbers as say
from gui.widgets.lists import Rows


class ResolvedRows(Rows):
    """Lists each condition that no longer blocks, the action that resolved it, and the step at which it did."""

    def __init__(self, theme: Theme):
        super().__init__(theme, 34, 22)
        self._branches: tuple[ResolvedBranch, ...] = ()
        self.setAccessibleName("Resolved branches")

    def show_branches(self, branches: tuple[ResolvedBranch, ...]) -> None:
        """Shows other branches.

        Args:
            branches: oldest first, as in the facet.
        """
        if branches is not self._branches:
            self._branches = branches
            self.refresh()

    def count(self) -> int:
        """Returns the number of branches."""
        return len(self._branches)

    def _branch(self, index: int) -> ResolvedBranch:
        return self._branches[-1 - index]

    def row_words(self, index: int) -> str:
        """Returns a row as text, such as `the mug in view · by scan the room · for grab the mug · step 3`."""
        if not 0 <= index < self.count():
            return ""
        branch = self._branch(index)
        by = f" · by {branch.by}" if branch.by else ""
        return f"{branch.text}{by} · for {branch.blocked} · step {branch.step}"

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the heading with the number of branches."""
        px = self.theme.px
        room = rect.adjusted(px(10), 0, -px(6), 0)
        draw_text(painter, self.theme, room, f"Resolved · {say.whole(self.count())}", "micro", "faint", 600)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints a check mark, the condition that holds now, and below it the resolving action and the step."""
        theme, px, branch = self.theme, self.theme.px, self._branch(index)
        painter.drawPixmap(int(rect.x() + px(9)), int(rect.y() + px(4)), theme.pixmap("check", px(11), "good"))
        x = rect.x() + px(25)
        wide = rect.right() - x - px(8)
        draw_text(painter, theme, QRectF(x, rect.y() + px(1), wide, px(17)), branch.text, "small", "text", 500)
        under = " · ".join(part for part in (branch.by, f"step {branch.step}") if part)
        draw_text(painter, theme, QRectF(x, rect.y() + px(17), wide, px(14)), under, "micro", "muted")
