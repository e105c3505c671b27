"""The compare panel: the choice of two branches, and where they differ."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from core.common.shared_list import SharedList
from core.planning.facets import Moment
from core.session.branch_comparison import BranchComparer, Comparison, Turns, usual_pair
from core.session.events import Began
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from gui.control.context import Context
from gui.control.key_labels import KeyLabel
from gui.panels.base import Panel
from gui.panels.compare.heads import BranchHead
from gui.panels.compare.row_list import Listed
from gui.panels.compare.rows import BETWEEN, CompareRows, Shown
from gui.panels.compare.texts import end_words, headline
from gui.widgets import CardState, Namer, StateCard, tool_action

NO_FORK = ("This run has one branch so far. Go to a turn, fork there ({Ctrl+Shift+F}) and try something else: "
           "both branches appear side by side.")


class ComparePanel(Panel):
    """Shows two branches turn by turn from where they diverge. A click goes to a turn.

    Like the timeline, it shows the whole run or recording, whichever turn the window displays.
    """

    name: ClassVar[str] = "compare"
    title: ClassVar[str] = "Compare"
    icon: ClassVar[str] = "compare"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot = Snapshot()
        self._parts: tuple[object, ...] = (None,) * 5
        self._place: tuple[object, ...] = ()
        self._began: Began | None = None
        self._branches: object = None
        self._chosen: tuple[int, int] | None = None
        self._comparing = BranchComparer()
        self._found: Comparison | None = None
        self._namer = Namer()
        self._met: tuple[SharedList[Turn], ...] = (SharedList(), SharedList())
        """The turns of each side whose actions the namer has already read."""
        self._empty = StateCard(theme)
        self.heads = (BranchHead(theme, "Left"), BranchHead(theme, "Right"))
        self.rows = CompareRows(theme)
        self._only = tool_action(self, theme, "Only turns that differ", "filter", self.redraw, checkable=True)
        self._to_first = tool_action(self, theme, "To the first difference", "follow", self.to_first)
        self._build()
        self._connect()

    def _build(self) -> None:
        inside = QWidget()
        column, self._heads = QVBoxLayout(inside), QHBoxLayout()
        for head in self.heads:
            self._heads.addWidget(head, 1)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self._heads)
        column.addWidget(self.rows, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(inside)
        self._space()
        KeyLabel(self.context, self, self._explain, NO_FORK)

    def _connect(self) -> None:
        for side, head in enumerate(self.heads):
            head.picker.picked.connect(lambda name, side=side: self.choose(side, int(name)))
        self.rows.asked.connect(lambda moment: self.context.selection.asked_turn.emit(moment.branch, moment.turn))
        self.context.newest_changed.connect(self._go_on)

    def _explain(self, text: str) -> None:
        self._empty.show_state(CardState("empty", "No fork yet", text, "fork"))

    # --- display -------------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the turns of both branches, and marks the turn that the window displays."""
        self._snapshot = snapshot
        self._take()

    def _go_on(self) -> None:
        """Shows new turns of the run while the window displays the past."""
        if self.isVisible():
            self._take()

    def _take(self) -> None:
        now = self._now
        parts = (now.began, now.turns, now.branches, now.current, now.branch_states)
        place = (now.branch, now.turn, now.status, self._looked_at)
        if place != self._place or any(a is not b for a, b in zip(parts, self._parts, strict=True)):
            self._parts, self._place = parts, place
            self._draw()

    @property
    def _now(self) -> Snapshot:
        """Returns the newest snapshot of the run or the recording."""
        return self.context.newest(self._snapshot)

    @property
    def _looked_at(self) -> Moment | None:
        return None if self.context.live else Moment(self._snapshot.branch, self._snapshot.turn)

    def headline(self) -> str:
        """Returns where the branches differ first, and in how many turns."""
        return headline(self._found) if self._found is not None else ""

    def tools(self) -> tuple[QAction, ...]:
        """Returns the tools: the filter, and the jump to the first difference."""
        return self._only, self._to_first

    def choose(self, side: int, branch: int) -> None:
        """Chooses the branch of one side. Choosing the other side's branch swaps the two.

        Args:
            side: 0 for left, 1 for right.
            branch: the number of the branch.
        """
        pair = self._pair(self._now)
        if pair is not None:
            other = pair[1 - side] if branch != pair[1 - side] else pair[side]
            self._chosen = (other, branch) if side else (branch, other)
            self.redraw()

    def restyle(self) -> None:
        """Applies the theme's sizes and draws the panel again."""
        self._space()
        self.redraw()

    def redraw(self) -> None:
        """Draws the panel again at once."""
        self._draw()

    def _pair(self, now: Snapshot) -> tuple[int, int] | None:
        """Returns the branches to compare. A choice is forgotten when a branch is added or another run begins."""
        if now.began is not self._began or now.branches != self._branches:
            self._began, self._branches, self._chosen = now.began, now.branches, None
            self._namer.forget()
            self._met = (SharedList(), SharedList())
        return self._chosen or usual_pair(now)

    def _draw(self) -> None:
        now = self._now
        pair = self._pair(now)
        self._stack.setCurrentIndex(int(pair is not None))
        for tool in (self._only, self._to_first):
            tool.setEnabled(pair is not None)
        before, self._found = self._found, None if pair is None else self._comparing.of(now, *pair)
        if self._found is not None:
            self._fill(self._found, now, anew=before is None or (before.left.branch, before.right.branch) != pair)

    def _fill(self, found: Comparison, now: Snapshot, *, anew: bool) -> None:
        sides = (found.left, found.right)
        for head, side in zip(self.heads, sides, strict=True):
            head.show_side(side, now.branches, now)
        self._met = tuple(self._meet(side.turns, met) for side, met in zip(sides, self._met, strict=True))
        branches, ends = (found.left.branch, found.right.branch), (end_words(found.left, now), end_words(found.right, now))
        rows = Listed(found, differing_only=self._only.isChecked())
        follows = self.rows.at_the_end()
        last = (found.left.last, found.right.last)
        self.rows.show_rows(Shown(rows, branches, ends, self._looked_at, last), self._namer.of(now.seen))
        self._to_first.setEnabled(found.first is not None)
        if anew:
            self.to_first()
        elif follows:
            self.rows.to_the_end()

    def _meet(self, turns: Turns, met: SharedList[Turn]) -> SharedList[Turn]:
        """Learns the names of the objects in the actions of one side. Reads only new turns if the side has just grown.

        Args:
            turns: the turns of the side.
            met: the turns read before.

        Returns:
            The turns read now, to pass as `met` next time.
        """
        new = turns.line.since(met)
        self._namer.meet(turn.done for turn in (*(turns.line if new is None else new), *turns[-1:]))
        return turns.line

    def to_first(self) -> None:
        """Scrolls to the first difference, or to the end if there is none."""
        at = self.rows.rows.strong
        if at is None:
            self.rows.to_the_end()
        else:
            self.rows.verticalScrollBar().setValue(int(self.rows.row_top(max(0, at - 1))))

    # --- size ----------------------------------------------------------------
    def _space(self) -> None:
        px = self.context.theme.px
        self._heads.setContentsMargins(px(8), px(6), px(8), px(2))
        self._heads.setSpacing(px(BETWEEN) if self.width() > px(260) else px(8))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Aligns the headers with their sides if the panel is wide enough."""
        super().resizeEvent(event)
        self._space()
