"""The candidates panel: a list of the actions the model chooses from, and the operator's edits of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedLayout

from core.planners.bcr.recorded_types import BlockingTree
from core.planning.facets import Facet
from core.session.snapshot import Snapshot
from gui.control.context import Context, Selected
from gui.control.staleness import staleness
from gui.panels.base import Offer, Panel
from gui.panels.blocking.node_actions import Hand
from gui.panels.candidates.listing import Candidate, candidates_of, wanted
from gui.panels.candidates.view import CandidateRows
from gui.widgets import EmptyState, Namer, StaleVeil
from gui.widgets import numbers as say


class CandidatesPanel(Panel):
    """Shows the leaves of the blocking tree as pills.

    A click selects a candidate. Enter or a double click previews an override. X bans it.
    """

    name: ClassVar[str] = "candidates"
    title: ClassVar[str] = "Candidates"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({BlockingTree})
    icon: ClassVar[str] = "ranking"

    def __init__(self, context: Context):
        super().__init__(context)
        self._snapshot, self._shown = Snapshot(), tuple[object, ...]()
        self._candidates: tuple[Candidate, ...] = ()
        self._namer = Namer()
        self.rows = CandidateRows(context.theme)
        self.hand = Hand(context, self._list)
        self._stale = ""
        self._veil = StaleVeil(context.theme, self.rows)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(EmptyState(context.theme, "blocking", "No candidates yet",
                                         "Actions that may help appear here once the planner has tried one."))
        self._stack.addWidget(self.rows)
        self._connect()

    def _connect(self) -> None:
        rows = self.rows
        rows.chosen.connect(self._select)
        rows.opened.connect(self._override)
        rows.on_key(Qt.Key.Key_X, self.ban_or_allow)
        self.context.selection.changed.connect(self._follow)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's blocking tree, or the operator's pending edit of it."""
        self._snapshot = snapshot
        self.hand.hear(snapshot)
        self._stale = staleness(snapshot, BlockingTree, "the next choice")
        shown = (snapshot.facet(BlockingTree), self._namer.of(snapshot.seen), snapshot.options,
                 snapshot.status == "paused", not self._stale)
        if len(shown) != len(self._shown) or any(a is not b for a, b in zip(shown, self._shown, strict=True)):
            self._shown = shown
            self._draw()

    def headline(self) -> str:
        """Returns which resolution the candidates serve."""
        text = wanted(self.hand.tree) if self.hand.tree is not None else ""
        return f"for {text}" if text else ""

    def offers(self) -> Sequence[Offer]:
        """Returns the actions on the current candidate. E has it chosen."""
        if not self.rows.can_choose(self.rows.current):
            return ()
        node = self._candidates[self.rows.current].node
        return [replace(offer, title=f"{offer.title}: {node.text}") for offer in self.hand.offers(node)]

    def restyle(self) -> None:
        """Paints the rows again in the new theme."""
        self.rows.refresh()

    def redraw(self) -> None:
        """Draws the panel again at once."""
        self._draw()

    def _draw(self) -> None:
        tree = self.hand.tree
        self._stack.setCurrentIndex(int(tree is not None and bool(tree.nodes)))
        if tree is not None:
            self._list(tree)
            self._veil.say(self._stale)

    def _list(self, tree: BlockingTree) -> None:
        self._candidates = candidates_of(tree, self._snapshot)
        self.rows.show_candidates(self._candidates, self._namer.of(self._snapshot.seen), self._foot())
        self._follow(self.context.selection.now)

    def _foot(self) -> str:
        told, options = say.count(len(self._candidates), "candidate"), self._snapshot.options
        if options is None:
            return told
        return f"{told}, of {say.count(sum(v.ok for _, v in options.options), 'admissible action')}"

    # --- selection and edits ---------------------------------------------------
    def _follow(self, selected: Selected | None) -> None:
        action = selected.action if selected is not None and selected.kind == "action" else None
        self.rows.choose(next((k for k, c in enumerate(self._candidates) if action and c.node.action == action), -1))

    def _select(self, index: int) -> None:
        action = self._candidates[index].node.action
        if action is not None:
            self.context.selection.select(Selected("action", action=action))

    def _override(self, index: int) -> None:
        """Previews an override with a candidate. A candidate without an executable action is chosen for the planner instead."""
        node = self._candidates[index].node
        if node.action is None:
            self.hand.choose(node)
        elif self.context.live:
            self.context.selection.asked_actions.emit((node.action,))

    def ban_or_allow(self) -> None:
        """Bans the current candidate, or lifts the ban."""
        if self.rows.can_choose(self.rows.current):
            self.hand.ban(self._candidates[self.rows.current].node)
