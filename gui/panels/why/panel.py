"""The why panel: sentences about why an action was chosen and not another one, each with links to its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import ClassVar

from PySide6.QtCore import QUrl
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QTextBrowser

from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.facets import Plan, Ranking
from core.session.explaining import evidence_of, explain
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.panels.base import Panel
from gui.panels.why.text import page
from gui.theme.boxes import FLUSH, vbox
from gui.widgets import EmptyState, Namer, Picker
from gui.widgets.chooser import Choice

MOST_DONE = 30
"""The number of past turns whose actions are offered for comparison."""


class WhyPanel(Panel):
    """Explains the decision of the turn displayed: the chosen action against another one.

    The other action is the selected one, the best one about the selected object or place, or the one picked in the list at the
    top. Each link selects its evidence in the panel that shows it.
    """

    name: ClassVar[str] = "why"
    title: ClassVar[str] = "Why"
    icon: ClassVar[str] = "info"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot, self._namer = Snapshot(), Namer()
        self._decision: DecisionEvidence | None = None
        self._others: tuple[Action, ...] = ()
        self._picked: Action | None = None
        self._is_opening = False
        self.sentences: tuple[Sentence, ...] = ()
        self.picker = Picker(theme, "ranking", "And why not")
        self.picker.picked.connect(lambda name: self._compare_with(self._others[int(name)]))
        self.text = QTextBrowser()
        self.text.setAccessibleName("Why")
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setStyleSheet("background: transparent; border: 0;")
        self.text.anchorClicked.connect(self._open)
        content = QFrame()
        vbox(theme, self.picker, self.text, on=content, spacing=4, margins=FLUSH)
        empty = EmptyState(theme, "info", "Nothing is chosen yet",
                           "Once the planner has ranked its actions, this panel says why it prefers one to another.")
        self._pages = self.stack(empty, content)
        context.selection.changed.connect(self._follow)
        context.margins.changed.connect(self._show_margins)
        context.live_changed.connect(lambda _: self._show_margins())

    # --- what it shows -------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Explains the decision of the snapshot's turn."""
        if self.isVisible() and self.visibleRegion().isEmpty():
            return  # a hidden panel is given the newest snapshot when it comes into view
        same_turn = snapshot.moment == self._snapshot.moment
        self._snapshot = snapshot
        current = snapshot.current
        if not self.has_changed(snapshot.fresh(Ranking), snapshot.moment.turn, snapshot.moment.branch, snapshot.options,
                                None if current is None else current.action, self._namer.of(snapshot.seen), snapshot.banned):
            return
        if not same_turn:
            self._picked = None
        self._decision = evidence_of(snapshot)
        self._others = others_of(snapshot, self._decision)
        self._follow(self.context.selection.now, redraw=False)
        self.redraw()

    def headline(self) -> str:
        """Returns whether the choice is made, and by whom."""
        if self._decision is None:
            return ""
        if self._decision.by_operator:
            return "the planner's choice, which the operator replaced"
        return f"turn {self._decision.moment.turn}"

    def redraw(self) -> None:
        """Draws the panel again at once."""
        other = self._other()
        if self._decision is None:
            self._pages.setCurrentIndex(0)
            return
        names = self._namer.of(self._snapshot.seen)
        choices = tuple(Choice(str(k), names.button(action)) for k, action in enumerate(self._others))
        self.picker.offer(choices, str(self._others.index(other)) if other in self._others else "")
        self.picker.setVisible(bool(choices))
        self.sentences = explain(self._snapshot, other) if other is not None else ()
        margins = self.context.margins.margins if self.context.live else None
        self.text.setHtml(page(self._decision, other, self.sentences, margins, names, self.context.theme))
        self._pages.setCurrentIndex(1)
        self.headline_changed.emit()

    def restyle(self) -> None:
        """Applies the theme's colours again."""
        palette = self.text.palette()
        palette.setColor(QPalette.ColorRole.Text, self.context.theme.colour("text"))
        self.text.setPalette(palette)
        super().restyle()

    def _other(self) -> Action | None:
        """Returns the action to compare with: the one asked for last, else the best other one."""
        return self._picked or next(iter(self._others), None)

    def _show_margins(self) -> None:
        """Draws again where the text is scrolled to."""
        if self._decision is None:
            return
        bar = self.text.verticalScrollBar()
        at = bar.value()
        self.redraw()
        bar.setValue(at)

    # --- the operator ----------------------------------------------------------
    def _follow(self, selected: Selected | None, *, redraw: bool = True) -> None:
        if self._is_opening:  # a link shows its evidence and asks no other question
            return
        row = None
        if selected is not None and selected.kind == "action":
            row = next((action for action in self._others if action == selected.action), None)
        elif selected is not None and selected.kind == "thing" and redraw:  # an object or place, in a frame or the belief
            row = next((action for action in self._others if selected.id in action.args), None)
        if row is None or row == self._picked:
            return
        self._picked = row
        if redraw:
            self.redraw()

    def _compare_with(self, action: Action) -> None:
        self._picked = action
        self.redraw()
        self.context.selection.select(Selected("action", action=action))

    def _open(self, url: QUrl) -> None:
        """Shows the evidence of a link."""
        sentence, _, number = url.path().partition("/")
        self.open_evidence(self.sentences[int(sentence)].evidence[int(number)])

    def open_evidence(self, evidence: Evidence) -> None:
        """Selects what a sentence is about in the panel that shows it, in the turn that it belongs to."""
        selection, moment, self._is_opening = self.context.selection, evidence.moment, True
        if moment is not None and moment != self._snapshot.moment:
            selection.asked_turn.emit(moment.branch, moment.turn)
        if evidence.action is not None:
            selection.select(Selected("action", action=evidence.action))
        elif evidence.call >= 0:
            selection.select(Selected("call", number=evidence.call))
        elif evidence.simulation >= 0:
            selection.select(Selected("simulation", number=evidence.simulation))
        elif evidence.entity:
            selection.select(Selected("thing", evidence.entity))
        self._is_opening = False
        selection.asked_panel.emit(evidence.panel)


def others_of(snapshot: Snapshot, decision: DecisionEvidence | None) -> tuple[Action, ...]:
    """Returns the actions a choice can be compared with.

    They are those of the ranking, best first, then those of the plan, all that were listed, and those done lately.
    """
    if decision is None:
        return ()
    ranking = snapshot.facet(Ranking)
    ranked: Sequence[Action] = [row.steps[-1] for row in ranking.actions if decision.chosen not in row.steps] if ranking else []
    listed = [action for action, _ in snapshot.options.options] if snapshot.options is not None else []
    plan = snapshot.facet(Plan)
    done = [turn.done for turn in islice(reversed(snapshot.line), MOST_DONE) if turn.done is not None]
    found = dict.fromkeys((*ranked, *(plan.actions if plan is not None else ()), *listed, *done))
    return tuple(action for action in found if action != decision.chosen)
