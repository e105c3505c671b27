"""The why panel: sentences about why an action was chosen and not another one, each with links to its evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import ClassVar

from PySide6.QtCore import QUrl
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QTextBrowser

from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.facets import Plan
from core.planning.search_facets import Ranking
from core.planning.simulation_facets import Simulations
from core.session.explaining import evidence_of, explain, others_of
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.background import NewestJob
from gui.control.context import Context, Selected
from gui.panels.base import Panel
from gui.panels.why.text import page
from gui.theme.boxes import FLUSH, vbox
from gui.widgets import Picker
from gui.widgets.chooser import Choice


class WhyPanel(Panel):
    """Explains the decision of the turn displayed: the chosen action against another one.

    The other action is the selected one, the best one about the selected object or place, or the one picked in the list at the
    top. Each link selects its evidence in the panel that shows it.
    """

    name: ClassVar[str] = "why"
    title: ClassVar[str] = "Why"
    icon: ClassVar[str] = "info"
    needs_live: ClassVar[str] = "What would change this decision"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot = Snapshot()
        self._job, self.shown = NewestJob(context.jobs, self), Explained(Snapshot())
        self._picked: Action | None = None
        self._is_opening = False
        self.picker = Picker(theme, "ranking", "And why not")
        self.picker.picked.connect(lambda name: self._compare_with(self.shown.others[int(name)]))
        self.text = QTextBrowser()
        self.text.setAccessibleName("Why")
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setStyleSheet("background: transparent; border: 0;")
        self.text.anchorClicked.connect(self._open)
        content = QFrame()
        vbox(theme, self.picker, (self.text, 1), on=content, spacing=4, margins=FLUSH)
        empty = self.nothing(
            "info", "choice", "Once the planner has ranked its actions, this panel says why it prefers one to another.",
            lambda snapshot: f"No action was chosen or ranked in turn {snapshot.turn}.")
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
        action = None if current is None else current.action
        if not self.has_changed(snapshot.fresh(Ranking), snapshot.fresh(Plan), snapshot.fresh(Simulations), snapshot.ended,
                                snapshot.moment.turn, snapshot.moment.branch, snapshot.options, action,
                                self.context.names.of(snapshot), snapshot.banned):
            return
        if not same_turn:
            self._picked = None
        selected = self.context.selection.now
        self._explain(selected if selected is not None and selected.kind == "action" else None)

    def _explain(self, selected: Selected | None = None) -> None:
        """Explains the snapshot off the GUI thread: the evidence may be a hundred calls, and some are read from the disk."""
        snapshot, before, picked = self._snapshot, self.shown, self._picked
        self._job.do(lambda: explained(snapshot, before, picked, selected), partial(self._take, picked), self._fail)

    def _take(self, picked: Action | None, found: Explained) -> None:
        if found.snapshot.moment == self._snapshot.moment and self._picked == picked:
            self._picked = found.picked
        is_other = found.decision is not self.shown.decision or found.other != self.shown.other
        self.shown = found
        self.redraw()
        if is_other:
            self.text.verticalScrollBar().setValue(0)

    def _fail(self, error: Exception) -> None:
        self.shown = Explained(Snapshot())
        self.text.setHtml(f"<p>This decision cannot be explained: {escape(str(error))}</p>")
        self.picker.hide()
        self._pages.setCurrentIndex(1)
        self.headline_changed.emit()

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences that are shown."""
        return self.shown.sentences

    def headline(self) -> str:
        """Returns whether the choice is made, and by whom."""
        decision = self.shown.decision
        if decision is None:
            return ""
        return "the planner's choice, which the operator replaced" if decision.by_operator else f"turn {decision.moment.turn}"

    def redraw(self) -> None:
        """Draws the panel again at once."""
        shown = self.shown
        if shown.decision is None:
            self._pages.setCurrentIndex(0)
            return
        names = self.context.names.of(self._snapshot)
        choices = tuple(Choice(str(k), names.button(action)) for k, action in enumerate(shown.others))
        self.picker.offer(choices, str(shown.others.index(shown.other)) if shown.other in shown.others else "")
        self.picker.setVisible(bool(choices))
        is_present = shown.snapshot.moment == self._snapshot.moment
        margins = self.context.shown_margins if is_present else None
        self.text.setHtml(page(shown.decision, shown.other, shown.sentences, margins, names, self.context.theme))
        self.offer.want(shown.decision.fresh(Simulations) is not None)
        self._pages.setCurrentIndex(1)
        self.headline_changed.emit()

    def restyle(self) -> None:
        """Applies the theme's colours again."""
        palette = self.text.palette()
        palette.setColor(QPalette.ColorRole.Text, self.context.theme.colour("text"))
        self.text.setPalette(palette)
        super().restyle()

    def _show_margins(self) -> None:
        """Draws again where the text is scrolled to."""
        if self.shown.decision is None:
            return
        bar = self.text.verticalScrollBar()
        at = bar.value()
        self.redraw()
        bar.setValue(at)

    # --- the operator ----------------------------------------------------------
    def _follow(self, selected: Selected | None) -> None:
        if not self._is_opening and selected is not None and selected.kind in ("action", "thing"):
            self._explain(selected)  # a link shows its evidence and asks no other question

    def _compare_with(self, action: Action) -> None:
        self._picked = action
        self._explain()
        self.context.selection.select(Selected("action", action=action))

    def _open(self, url: QUrl) -> None:
        """Shows the evidence of a link."""
        sentence, _, number = url.path().partition("/")
        self.open_evidence(self.sentences[int(sentence)].evidence[int(number)])

    def open_evidence(self, evidence: Evidence) -> None:
        """Selects what a sentence is about in the panel that shows it, in the turn that it belongs to."""
        selection, moment, self._is_opening = self.context.selection, evidence.moment or self.shown.snapshot.moment, True
        if moment != self._snapshot.moment:
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


@dataclass(frozen=True, slots=True)
class Explained:
    """What the panel shows about a snapshot.

    Attributes:
        decision: the evidence; None: nothing is chosen yet.
        others: the actions that the choice can be compared with.
        picked: the one that the operator asked for last; None: none in this turn.
        sentences: why the choice was made and not `other`.
    """

    snapshot: Snapshot
    decision: DecisionEvidence | None = None
    others: tuple[Action, ...] = ()
    picked: Action | None = None
    sentences: tuple[Sentence, ...] = ()

    @property
    def other(self) -> Action | None:
        """The action to compare with: the one asked for last, else the best other one."""
        return self.picked or next(iter(self.others), None)


def explained(snapshot: Snapshot, before: Explained, picked: Action | None, selected: Selected | None) -> Explained:
    """Returns what the panel shows about a snapshot. Safe on any thread.

    Args:
        snapshot: the snapshot.
        before: what was shown last; if it is of the same snapshot, its evidence is used again.
        picked: the action picked before.
        selected: what was selected since; None: nothing. It counts if one of the other actions is it, or is about it, or if it
            is the better action of this turn (`Selected`).
    """
    same = before.snapshot is snapshot
    decision = before.decision if same else evidence_of(snapshot)
    others = before.others if same else others_of(snapshot, decision)
    if selected is not None:
        asked = selected.action
        picked = asked if asked in others else next((one for one in others if selected.id in one.args), picked)
        is_better = asked is not None and selected.number == snapshot.moment.turn
        if asked is not None and is_better and selected.id not in (picked.args if picked is not None else ()):
            others, picked = (asked, *others), asked  # the planner did not list it, but the question names it
    found = Explained(snapshot, decision, others, picked)
    return replace(found, sentences=explain(snapshot, found.other, decision))
