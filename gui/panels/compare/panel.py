"""The compare panel: two branches, two turns, two planners or two recordings, and where they differ."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from core.common.shared_list import SharedList
from core.common.visible import path_of, path_text, readable
from core.planning.facets import Moment
from core.session import commands as c
from core.session.branch_comparison import BranchComparer, Comparison, Pair, Turns, usual_pair
from core.session.events import Began
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from core.world.vocabulary import Action
from gui.control.context import Context
from gui.control.facet_values import FacetDifference
from gui.control.key_labels import KeyLabel
from gui.control.snapshot_texts import considered
from gui.panels.base import Panel
from gui.panels.compare.branch_turns import BranchHead, CompareRows, Shown
from gui.panels.compare.difference_views import BY_SIDE, BY_TIME
from gui.panels.compare.differences import BETWEEN, DifferenceView
from gui.panels.compare.listing import Listed, end_words, headline
from gui.panels.compare.moments import BEFORE, BESIDE, BRANCHES, NOTHING, OTHER, TITLES, Moments, ask_recording
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import (
    CardState,
    Picker,
    StateCard,
    tool_action,
)
from gui.widgets.chooser import Choice

FACET_SHARE, ITEM_SHARE = 0.35, 0.6
"""The largest share of the panel's height that the planner's data takes, without and with the items of a kind."""
QWIDGETSIZE_MAX = (1 << 24) - 1
"""Qt's largest height: a widget without a limit."""
GIVE = "Give the second planner what the first one has, and let it think again"
NO_FORK = ("This run has one branch. Go to a turn, fork there ({Ctrl+Shift+F}) and try something else: "
           "both branches are shown side by side.")


class ComparePanel(Panel):
    """Shows two branches turn by turn from where they diverge. A click goes to a turn.

    Below the turns is a row for every kind of facet that the planner showed in the turn displayed, or at the first difference.
    A click on a row shows what is new, gone, moved or changed. The picker at the top chooses what is compared: two branches,
    the turn displayed with the one before it, the planner with the second one that only thinks, or with another recording.

    Like the timeline, it shows the whole run or recording, whichever turn the window displays.
    """

    name: ClassVar[str] = "compare"
    title: ClassVar[str] = "Compare"
    icon: ClassVar[str] = "compare"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot = Snapshot()
        self._began: Began | None = None
        self._branches: object = None
        self._chosen: tuple[int, int] | None = None
        self._comparing = BranchComparer()
        self._found: Comparison | None = None
        self._named: tuple[SharedList[Turn], ...] = (SharedList(), SharedList())
        """The turns of each side whose actions the namer has already read."""
        self._compared: tuple[tuple[Moment, bool], ...] = ()
        """The turn of each side whose facets are compared, and whether it is completed."""
        self._read: dict[int, Snapshot | None] = {}
        """The last snapshot of each of these turns, by side. A recording takes a moment to read them."""
        self._empty, self._no_fork = StateCard(theme), ""
        self.heads = (BranchHead(theme, "Left"), BranchHead(theme, "Right"))
        self.rows, self.differences = CompareRows(theme), DifferenceView(theme, context.jobs)
        self.facet_rows = self.differences.kinds
        self.what, self._mode = Picker(theme, "compare", "Compare"), BRANCHES
        self._moments, self._showing = Moments(context), NOTHING
        self._only = tool_action(self, theme, "Only what differs", "filter", self._show_only, checkable=True)
        self._to_first = tool_action(self, theme, "To the first difference", "follow", self.to_first)
        self._give = tool_action(self, theme, GIVE, "edit", self.give)
        self._build()
        self._connect()

    def _build(self) -> None:
        inside, theme = QWidget(), self.context.theme
        self._heads = hbox(theme, *((head, 1) for head in self.heads))
        vbox(theme, self._heads, (self.rows, 1), on=inside, spacing=2, margins=FLUSH)
        self._turns = QWidget()
        self._pages = QStackedLayout(self._turns)
        for page in (self._empty, inside):
            self._pages.addWidget(page)
        self._top = hbox(theme, (self.what, 1), margins=(8, 6, 8, 0))
        vbox(theme, self._top, (self._turns, 1), (self.differences, 1), on=self, spacing=2, margins=FLUSH)
        self._space()
        KeyLabel(self.context, self, self._explain, NO_FORK)

    def _connect(self) -> None:
        for side, head in enumerate(self.heads):
            head.picker.picked.connect(lambda name, side=side: self.choose(side, int(name)))
        self.rows.asked.connect(lambda moment: self.context.selection.asked_turn.emit(moment.branch, moment.turn))
        self.context.newest_changed.connect(self._go_on)
        self.what.picked.connect(self.compare)
        self.context.asked_comparison.connect(lambda path: self.compare(path_text(path)))
        self.differences.changed.connect(self._space)
        self.differences.changed.connect(self._offer_giving)
        self.context.live_changed.connect(lambda _: self._offer_giving())
        self._moments.changed.connect(self.redraw)

    def _explain(self, text: str) -> None:
        self._no_fork = text
        self._empty.show_state(CardState("empty", "No fork", text, "fork", actions=self.live_actions()))

    def _show_only(self) -> None:
        self.differences.show_only_differences(self._only.isChecked())
        self.redraw()

    def compare(self, mode: str) -> None:
        """Chooses what is compared: one of the modes of `TITLES`, or the path of a recording."""
        if mode == OTHER:
            ask_recording(self, lambda path: self.compare(path_text(path)))
            return
        self._mode = mode
        self.redraw()

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
        now, shown = self._now, self._snapshot
        branches_only = self._mode == BRANCHES
        place = (None, None) if self.context.live and branches_only else (shown.branch, shown.turn)
        sides = (None, None) if branches_only else (shown.began, shown.facets)
        if self.has_changed(now.began, now.turns, now.branches, now.current, now.branch_states, now.branch, now.turn,
                            now.status, now.altered, *self._considered(now), *sides, *place):
            self.redraw()

    @staticmethod
    def _considered(now: Snapshot) -> tuple[Action | None, str]:
        return (None, "") if now.current is None else considered(now, now.current)

    @property
    def _now(self) -> Snapshot:
        """Returns the newest snapshot of the run or the recording."""
        return self.context.newest(self._snapshot)

    @property
    def _looked_at(self) -> Moment | None:
        return None if self.context.live else Moment(self._snapshot.branch, self._snapshot.turn)

    def headline(self) -> str:
        """Returns where the branches differ first, and in how many turns."""
        if self._mode != BRANCHES:
            return self._showing.title
        return headline(self._found) if self._found is not None else ""

    def tools(self) -> tuple[QAction, ...]:
        """Returns the tools: the filter, the jump to the first difference, and an edit of the second planner."""
        return self._only, self._to_first, self._give

    def give(self) -> None:
        """Replaces the chosen kind of the second planner's data by the first planner's. It thinks about the turn again."""
        chosen = self._given
        if chosen is not None:
            (ours, theirs), what = chosen.facets, chosen.title.lower()
            assert ours is not None, "it is shown"
            assert theirs is not None, "it is shown"
            self.context.push_command(c.EditCompanion(ours, f"the first planner's {what}"), f"Second planner: other {what}",
                                      c.EditCompanion(theirs, f"its own {what} again"))

    @property
    def _given(self) -> FacetDifference | None:
        """The kind of data that the second planner can be given now."""
        chosen = self.differences.chosen if self._mode == BESIDE and self.context.live else None
        return None if chosen is None or chosen.same or None in chosen.facets else chosen

    def _offer_giving(self) -> None:
        self._give.setEnabled(self._given is not None)

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

    def _pair(self, now: Snapshot) -> tuple[int, int] | None:
        """Returns the branches to compare. A choice is forgotten when a branch is added or another run begins."""
        if now.began is not self._began or now.branches != self._branches:
            self._began, self._branches, self._chosen = now.began, now.branches, None
            self._named = (SharedList(), SharedList())
        return self._chosen or usual_pair(now)

    def redraw(self) -> None:
        """Draws the panel again at once."""
        now = self._now
        self._offer_giving()
        title = f"With the recording {readable(path_of(self._mode).stem)}"
        recording = () if self._mode in TITLES else (Choice(self._mode, title),)
        self.what.offer((*(Choice(name, title) for name, title in TITLES.items()), *recording), self._mode)
        if self._mode != BRANCHES:
            self._show_moments()
            return
        pair = self._pair(now)
        self._turns.setVisible(True)
        self._explain(self._no_fork)
        self._pages.setCurrentIndex(int(pair is not None))
        for tool in (self._only, self._to_first):
            tool.setEnabled(pair is not None)
        before, self._found = self._found, None if pair is None else self._comparing.of(now, *pair)
        if self._found is not None:
            self._fill(self._found, now, restart=before is None or (before.left.branch, before.right.branch) != pair)
        else:
            self._compared, self._read = (), {}
            self._show_facets()

    def _show_moments(self) -> None:
        """Shows the planner's data of two moments or two planners."""
        self._showing = found = self._moments.of(self._mode, self._snapshot, self.context.names.of(self._snapshot))
        self._only.setEnabled(found.pair is not None)
        self._to_first.setEnabled(False)
        self.differences.show_pair("Planner data", found.sides, found.pair, self.context.names.of(self._snapshot), opens=True,
                                   words=BY_TIME if self._mode == BEFORE else BY_SIDE)
        self._turns.setVisible(found.pair is None)
        self.differences.setVisible(found.pair is not None)
        self._pages.setCurrentIndex(0)
        if found.pair is None:
            self._empty.show_state(CardState("empty", found.title, found.why, "compare"))
        self.headline_changed.emit()
        self._space()

    def _fill(self, found: Comparison, now: Snapshot, *, restart: bool) -> None:
        sides = (found.left, found.right)
        for head, side in zip(self.heads, sides, strict=True):
            head.show_side(side, now.branches, now)
        self._named = tuple(self._learn_names(side.turns, named) for side, named in zip(sides, self._named, strict=True))
        branches, ends = (found.left.branch, found.right.branch), (end_words(found.left, now), end_words(found.right, now))
        rows = Listed(found, differing_only=self._only.isChecked())
        follows = self.rows.at_the_end()
        last = (found.left.last, found.right.last)
        self.rows.show_rows(Shown(rows, branches, ends, self._looked_at, last, now), self.context.names.of(now))
        self._to_first.setEnabled(found.first is not None)
        self._compare_facets(found)
        if restart:
            self.to_first()
        elif follows:
            self.rows.scrollToBottom()

    def _learn_names(self, turns: Turns, named: SharedList[Turn]) -> SharedList[Turn]:
        """Learns the names of the objects in the actions of one side. Reads only new turns if the side has just grown.

        Args:
            turns: the turns of the side.
            named: the turns read before.

        Returns:
            The turns read now, to pass as `named` next time.
        """
        new = turns.line.since(named)
        met = (*(turns.line if new is None else new), *turns[-1:])
        self.context.names.meet(self._snapshot, (turn.done for turn in met))
        return turns.line

    # --- facets --------------------------------------------------------------
    def _compare_facets(self, found: Comparison) -> None:
        """Reads both sides of the turn whose facets are compared, unless they have been read already."""
        pair = self._pair_compared(found)
        turns = [turn for turn in (pair.left, pair.right) if turn is not None] if pair is not None else []
        compared = tuple((turn.moment, turn.outcome is not None) for turn in turns)
        if compared != self._compared:
            self._compared, self._read = compared, {}
            self._show_facets()
            for side, turn in enumerate(turns):
                self.context.read_turn(turn.moment, partial(self._take_turn, compared, side))

    def _pair_compared(self, found: Comparison) -> Pair | None:
        """Returns the turn displayed, otherwise the first one that differs. None if there is neither on both sides."""
        wanted = (*([self._looked_at.turn] if self._looked_at is not None else []), *found.differ[:1])
        pairs = (found.pairs[found.pairs.place(number)] for number in wanted if number in found.pairs.numbers)
        return next((pair for pair in pairs if pair.left is not None and pair.right is not None), None)

    def _take_turn(self, compared: tuple[tuple[Moment, bool], ...], side: int, snapshot: Snapshot | None) -> None:
        if compared == self._compared:
            self._read[side] = snapshot
            self._show_facets()

    def _show_facets(self) -> None:
        left, right = self._read.get(0), self._read.get(1)
        pair = (left, right) if left is not None and right is not None else None
        title = f"Planner data at turn {self._compared[0][0].turn}" if pair is not None else ""
        self.differences.show_pair(title, ("", ""), pair, self.context.names.of(self._now), opens=False)
        self._space()

    def to_first(self) -> None:
        """Scrolls to the first difference, or to the end if there is none."""
        at = self.rows.rows.strong
        if at is None:
            self.rows.scrollToBottom()
        else:
            self.rows.verticalScrollBar().setValue(int(self.rows.row_top(max(0, at - 1))))

    # --- size ----------------------------------------------------------------
    def _space(self) -> None:
        px = self.context.theme.px
        self._heads.setContentsMargins(px(8), px(6), px(8), px(2))
        self._heads.setSpacing(px(BETWEEN) if self.width() > px(260) else px(8))
        view = self.differences
        if self._mode == BRANCHES:
            share = FACET_SHARE if view.kinds.chosen_index < 0 else ITEM_SHARE
            view.setFixedHeight(min(view.wanted_height, int(self.height() * share)))
            view.setVisible(view.has_rows)
        else:
            view.setMinimumHeight(0)
            view.setMaximumHeight(QWIDGETSIZE_MAX)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Aligns the headers with their sides if the panel is wide enough, and gives the facets their share of the height."""
        super().resizeEvent(event)
        self._space()
