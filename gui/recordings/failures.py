"""Why the episode shown failed: the proposed label with its evidence, and what the operator decides about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QLineEdit, QWidget

from core.planning.facets import Moment
from core.recording.failures.labels import (
    CAUSES,
    TITLES,
    Evidence,
    KeyMoment,
    Proposal,
    cause_of,
    decided_label,
    decision_on,
    own_label,
    state_of,
)
from core.session.annotation import Annotation
from core.session.events import Ended
from core.session.snapshot import Snapshot
from core.views.values import Column, Item, Mark
from core.world.vocabulary import Action
from gui.control.background import BackgroundJobs
from gui.control.console import Console
from gui.control.context import Selected
from gui.control.key_labels import KeyLabel
from gui.recordings.labelling import Labelling
from gui.recordings.recorders import Recorders
from gui.theme.boxes import DIALOG, FLUSH, hbox, vbox
from gui.theme.screens import fit, put_beside
from gui.views.object_list import ObjectList
from gui.widgets import Button, Line, Prose, StateAction
from gui.widgets.numbers import count

if TYPE_CHECKING:
    from gui.control.recording_files import OpenRecording


class FailureReview(QObject):
    """Proposes a label after a failed episode, live or in a recording, and keeps the operator's decision as a label.

    Attributes:
        proposal: the proposal about what is shown; None if there is none (yet).
    """

    changed = Signal()
    """The proposal or the operator's decision changed."""

    def __init__(self, console: Console, recorders: Recorders, labelling: Labelling):
        super().__init__()
        self._console, self._recorders, self._labelling = console, recorders, labelling
        self.proposal: Proposal | None = None
        self.jobs = BackgroundJobs("failures")
        self._ended: Ended | None = None
        """The end that the proposal is about, of a live run."""
        self._path: Path | None = None
        """The recording that the proposal is about."""
        self._looks = False
        """Whether the cause of what is shown is being looked for."""
        self._opens_in: QWidget | None = None
        """The window in which the dialog opens as soon as the cause is known; None: it was not asked for."""
        console.live_snapshot.connect(self._on_live)
        console.replay.opened.connect(self._on_opened)
        console.replay.changed.connect(self._on_replay)
        labelling.changed.connect(self.changed)

    # --- proposals --------------------------------------------------------------
    def _on_live(self, snapshot: Snapshot) -> None:
        if self._console.replaying or snapshot.ended is self._ended:
            return
        self._ended = snapshot.ended
        self._show(None)
        run = self._recorders.present
        if self._ended is None or self._ended.success or run is None:
            return
        ended = self._ended
        self._propose(run.written_file, snapshot.branch, lambda: not self._console.replaying and self._ended is ended)

    def _on_opened(self, recording: OpenRecording) -> None:
        self._show(None)
        self._path, self._ended = recording.path, None
        outcome = recording.end.outcome
        if not outcome.success:
            self._propose(lambda: recording.path, outcome.branch,
                          lambda: self._console.replaying and self._path == recording.path)

    def _on_replay(self) -> None:
        if self._path is not None and not self._console.replaying:
            self._path = None
            self._show(None)

    def _propose(self, file: Callable[[], Path | None], branch: int, is_shown: Callable[[], bool]) -> None:
        """Looks for the cause off the GUI thread. `file` is asked there: a run's file may get another name."""
        files, self._looks = self._recorders.files, True

        def take(found: Proposal | None) -> None:
            if is_shown():
                window = self._opens_in
                self._show(found)
                if window is not None:
                    self.open(window)

        def work() -> Proposal | None:
            path = file()
            return None if path is None else files.failure_of(path, branch)

        def fail(error: Exception) -> None:
            self._looks, self._opens_in = False, None
            self._console.report(error)

        self.jobs.do(work, take, fail)

    def _show(self, proposal: Proposal | None) -> None:
        self._looks, self._opens_in = False, None
        if proposal is not self.proposal:
            self.proposal = proposal
            self.changed.emit()

    # --- decisions ----------------------------------------------------------------
    @property
    def decided(self) -> Annotation | None:
        """The label of the branch that people gave and this annotator may see; None if there is none."""
        if self.proposal is None:
            return None
        return decided_label(self._labelling.visible.values(), self.proposal.branch, self._labelling.annotator)

    @property
    def own(self) -> Annotation | None:
        """This annotator's label of the branch; None if there is none."""
        if self.proposal is None:
            return None
        return own_label(self._labelling.annotations.values(), self.proposal.branch, self._labelling.annotator)

    @property
    def words(self) -> str:
        """The label in a few words, with a question mark while it is only proposed; empty without a proposal."""
        if self.proposal is None:
            return ""
        decided = self.decided
        label = self.proposal.label if decided is None else decided.label
        return f"{label[:1].upper()}{label[1:]}{'?' if decided is None else ''}"

    def decide(self, label: str, note: str) -> None:
        """Accepts the proposal or corrects it; can be undone."""
        cause = cause_of(label)
        if self.proposal is None or cause is None:
            return
        before, after = self.own, decision_on(self.proposal, cause, note=note, annotator=self._labelling.annotator)
        if before is not None:
            after = replace(after, id=before.id)
        accepted = cause == self.proposal.label
        self._labelling.change(before, after, f"Accept {label}" if accepted else f"Correct to {label}")

    def withdraw(self) -> None:
        """Removes this annotator's label, so that the label is only proposed again; can be undone."""
        self._labelling.change(self.own, None, "Remove the failure label")

    def open(self, window: QWidget) -> FailureDialog | None:
        """Opens the dialog about the failure, or raises the one that is open; says why if there is nothing to show.

        While the cause is being looked for, the dialog opens as soon as it is known.
        """
        if self.proposal is None and self._looks:
            self._opens_in = window
            self._console.message.emit("The cause is being looked for …", "muted")
            return None
        if self.proposal is None:
            self._console.message.emit("No failed episode is shown: a label is proposed when one has ended", "warn")
            return None
        opened = next((d for d in window.findChildren(FailureDialog) if d.isVisible()), None)
        dialog = opened or FailureDialog(self, self._console, window)
        if opened is None:
            put_beside(dialog, self._console.context.judged())
        dialog.show()
        dialog.activateWindow()
        return dialog

    def action(self, window: QWidget) -> StateAction | None:
        """Returns the button for the card of an ended run; None without a proposal."""
        return StateAction(self.words, "fault", lambda: self.open(window)) if self.proposal is not None else None

    def close(self, patience: float) -> None:
        """Ends the thread; a file that is being read is waited for at most `patience` seconds."""
        self.jobs.close(patience)


COLUMNS = (Column("when"), Column("lost", "count", "turns that were lost by it"))
PROPOSED = Mark("proposed", "planner")


class FailureDialog(QDialog):
    """The proposal, its evidence, and the operator's label. It goes to the turn where it went wrong, and a row to its turn.

    The window stays usable.

    Attributes:
        moments: a button for each turn to look at first.
    """

    def __init__(self, review: FailureReview, console: Console, parent: QWidget):
        super().__init__(parent)
        theme = self._theme = console.context.theme
        self._review, self._console = review, console
        self._shown: Proposal | None = None
        self._decided: Annotation | None = None
        self.setWindowTitle("Why it failed")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.heading = Line(theme, "", "heading", "text", 650)
        self.line = Prose(theme, "", "small", "muted")
        self._moments = QWidget()
        self.moments: tuple[Button, ...] = ()
        self._moments_row = hbox(theme, on=self._moments, margins=FLUSH)
        self.list = ObjectList[Evidence](theme, "Evidence", self._item, COLUMNS, Column("speaks for"), notes="below")
        self.compared = Prose(theme, "", "small", "muted")
        self.label = QComboBox()
        self.label.addItems(list(CAUSES))
        self.meaning = Line(theme, "", "small", "muted")
        self.note = QLineEdit(placeholderText="Why, if you like")
        form = QFormLayout()
        form.setSpacing(theme.px(8))
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for what, field in (("Label", self.label), ("Note", self.note)):
            field.setFont(theme.font("body"))
            field.setAccessibleName(what)
            form.addRow(Line(theme, what, "small", "muted", shrinks=False), field)
        form.insertRow(1, Line(theme, "", "small"), self.meaning)
        self.keep = Button(theme, "Accept", "check", "primary", self._keep)
        self.remove = Button(theme, "Remove label", "undo", act=review.withdraw)
        self.why = Button(theme, "Why this action?", "info", act=self._ask_why)
        KeyLabel(console.context, self.why, self.why.setToolTip, "Why the planner chose it, in the panel Why ({W})")
        self.why.setShortcut(console.context.key_now("W"))
        buttons = hbox(theme, self.why, self.remove, 0, Button(theme, "Close", "close", act=self.reject), self.keep)
        vbox(theme, self.heading, self.line, self._moments, (self.list, 1), self.compared, form, buttons, on=self, spacing=8,
             margins=DIALOG)
        fit(self, theme, 760, 520)
        self.list.chosen.connect(self._on_chosen)
        self.label.currentTextChanged.connect(lambda _: self._dress())
        self.note.textChanged.connect(lambda _: self._dress())
        review.changed.connect(self._show)
        console.context.selection.shown_panel.connect(self._make_room)
        self._show()
        self.list.setFocus()

    def _show(self) -> None:
        """Shows the proposal and the operator's decision; closes if another run is shown."""
        proposal, decided = self._review.proposal, self._review.decided
        if proposal is None:
            self.reject()
            return
        share = f"{proposal.because} · {count(proposal.turns, 'turn')} in all"
        state = state_of(decided).capitalize()
        label = proposal.label if decided is None else decided.label
        self.heading.say(f"{state}: {label}")
        was = f"Proposed: {proposal.label} · " if decided is not None and decided.label != proposal.label else ""
        self.line.setText(f"{was}{share}")
        if proposal is not self._shown:
            self.list.show_objects(proposal.evidence)
            self._offer_moments(proposal)
            opens = proposal.opens_at
            if proposal.evidence:
                self.list.choose_object(next((k for k, one in enumerate(proposal.evidence)
                                              if opens is not None and one.best_turn == opens.turn), 0))
            told = self._tell()
            if opens is not None:
                self._go(opens, told.instead if told is not None and told.best_turn == opens.turn else None)
        if proposal is not self._shown or decided != self._decided:  # what is being typed stays otherwise
            self.label.setCurrentText(label)
            self.note.setText(decided.note if decided is not None else "")
        self._shown, self._decided = proposal, decided
        self.remove.setVisible(self._review.own is not None)
        self._dress()

    def _offer_moments(self, proposal: Proposal) -> None:
        """Offers the turns to look at first: one button each, as `Turn 7 · cause, loop`."""
        while (item := self._moments_row.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        by_turn: dict[Moment, list[KeyMoment]] = {}
        made = []
        for one in proposal.moments:
            by_turn.setdefault(one.moment, []).append(one)
        for moment, told in by_turn.items():
            names = ", ".join(TITLES[one.kind] for one in told)
            better = next((one.instead for one in proposal.evidence if one.best_turn == moment.turn and one.instead), None)
            button = Button(self._theme, f"Turn {moment.turn} · {names}", act=partial(self._go, moment, better))
            button.setToolTip("\n".join(one.text for one in told))
            self._moments_row.addWidget(button)
            made.append(button)
        self._moments_row.addStretch(1)
        self.moments = tuple(made)
        self._moments.setVisible(bool(made))

    def _ask_why(self) -> None:
        """Brings the panel Why into view for the turn that is shown."""
        self._console.context.selection.asked_panel.emit("why")
        self.activateWindow()

    def _make_room(self, panel: QWidget) -> None:
        """Moves to the other side of the window from a panel that was brought to the front, if it covers it."""
        window, here = self.parentWidget(), QRect(panel.mapToGlobal(QPoint(0, 0)), panel.size())
        if window is not None and self.isVisible() and here.intersects(self.frameGeometry()):
            is_left = here.center().x() < window.x() + window.width() / 2
            room = max(0, window.width() - self.frameGeometry().width())
            self.move(window.x() + (room if is_left else 0), self.y())

    def _dress(self) -> None:
        proposal = self._review.proposal
        label = self.label.currentText()
        self.keep.dress("Accept" if proposal is not None and label == proposal.label else "Correct", "check")
        decided = self._review.decided
        changed = decided is None or (decided.label, decided.note) != (label, self.note.text().strip())
        self.keep.setEnabled(changed or decided != self._review.own)
        cause = cause_of(label)
        self.meaning.say(CAUSES[cause] if cause is not None else "", "muted")

    def _item(self, one: Evidence) -> Item:
        """Returns the row of one piece of evidence: its label, when it was, the turns it cost, and below it what happened."""
        proposal = self._review.proposal
        marks = (PROPOSED,) if proposal is not None and one.label == proposal.label else ()
        return Item(f"{one.label} {one.when}", one.label, (one.when, one.cost or None), marks, note=one.text)

    def _on_chosen(self) -> None:
        """Says what was compared, and goes to the turn that the evidence explains."""
        one, proposal = self._tell(), self._review.proposal
        if one is None or proposal is None:
            return
        if one.turns:
            story = self._console.story.line
            number = one.best_turn
            moment = next((t.moment for t in story if t.number == number), Moment(proposal.branch, number))
            self._go(moment, one.instead)

    def _go(self, moment: Moment, better: Action | None) -> None:
        """Shows a turn, and selects the action that would have been better: the panel Why compares the choice with it."""
        self._console.go_to(moment)
        selected = None if better is None else Selected("action", next(reversed(better.args), ""), better, moment.turn)
        self._console.context.selection.select(selected)

    def _tell(self) -> Evidence | None:
        """Says what was compared to find the chosen evidence, and returns it; None without any."""
        one = self.list.chosen_object
        self.compared.setText(f"Compared: {one.compared}." if one is not None else "")
        return one

    def _keep(self) -> None:
        self._review.decide(self.label.currentText(), self.note.text().strip())
