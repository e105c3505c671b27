"""The dialog *Agreement*: a table for each label and rating, and the disagreements to go through and settle by keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QDialog, QStackedLayout, QWidget

from core.recording.agreement.compare import Agreement, held_turns
from core.session.annotation import Annotation
from core.views.values import Column, Item, Mark
from gui.control.console import Console
from gui.recordings.agreement import AgreementReview, name_shown, pair_shown
from gui.recordings.label_dialog import LabelDialog, about_label
from gui.recordings.labelling import Labelling
from gui.theme.boxes import DIALOG, hbox, vbox
from gui.theme.screens import fit, put_beside
from gui.views.object_list import ObjectList
from gui.widgets import Button, EmptyState, Line, Segment, StateAction, StateCard
from gui.widgets.numbers import count, value
from gui.widgets.state_card import CardState

if TYPE_CHECKING:
    from core.recording.agreement.compare import Choice, Disagreement, Episode, Row

ABOUT = "κ and α: 1 is perfect, 0 is chance. From .80 on conclusions are safe, from .67 on tentative (Krippendorff)."
HIDDEN = "The labels of others are hidden until you have finished this one."
EMPTY = Agreement()
SAFE, TENTATIVE = 0.8, 2 / 3
OPEN, DECIDED = Mark("open", "warn"), Mark("decided", "good")
MOST_HIGH = 150
"""Greatest height of the table in pixels at text size 100 %."""


def agreement_columns(pair: Sequence[str]) -> tuple[Column, ...]:
    """Returns the columns of the table of agreement, of two annotators as they are shown."""
    return (*(Column(name, "count", "how often this one gave it") for name in pair), Column("matched", "count"),
            Column("same", "probability", "share of the turns, ratings or failures about which both say the same"),
            Column("κ or α", "probability", "agreement beyond chance"))


def agreement_item(row: Row) -> Item:
    """Returns the row of a label or rating: how many each gave, how many match, the share of equal units, the coefficient."""
    title = f"{row.label} · rating" if row.measure == "rating" and row.label != "decision" else row.label
    unit = {"label": "turn", "rating": "rated decision", "cause": "failure"}[row.measure]
    overlap = f", mean overlap {value(row.overlap)}" if row.overlap is not None else ""
    coefficient = "Krippendorff's α" if row.measure == "rating" else "Cohen's κ"
    return Item(f"{row.measure} {row.label}", title, (row.first, row.second, row.matched, row.observed, row.coefficient),
                _sureness(row.coefficient), note=f"{count(row.units, unit)}{overlap}, {coefficient}")


def _sureness(coefficient: float | None) -> tuple[Mark, ...]:
    if coefficient is None:
        return ()
    return (Mark("safe", "good") if coefficient >= SAFE else Mark("tentative", "warn") if coefficient >= TENTATIVE else
            Mark("unsafe", "bad"),)


def disagreement_columns(pair: Sequence[str]) -> tuple[Column, ...]:
    """Returns the columns of the disagreements of two annotators as they are shown."""
    return (Column("label"), Column(f"A · {pair[0]}"), Column(f"B · {pair[1]}"), Column("decision"))


def disagreement_item(d: Disagreement, pair: Sequence[str], episode: Episode, *, named: bool) -> Item:
    """Returns the row of a disagreement: where, which label, what both say, and what was decided.

    Args:
        d: the disagreement.
        pair: the annotators as they are shown.
        episode: the recording that it is in.
        named: whether the row says which recording that is.
    """
    file, a = f"{episode.name.removesuffix('.mcap')} · " if named else "", d.example
    where = f"{file}turn {a.turn}" if a.turn else f"{file}at the start"
    both = zip(pair, (d.first, d.second), strict=True)
    notes = "; ".join(f"{name}: {one.note}" for name, one in both if one is not None and one.note)
    said = (_said(d, one, episode) for one in (d.first, d.second))
    return Item(f"{d.episode} {' '.join(d.ids)}", where, (d.label, *said, _decided(d)),
                (OPEN,) if d.settled is None else (DECIDED,), note=notes)


def _said(d: Disagreement, a: Annotation | None, episode: Episode) -> str:
    """Returns what an annotator says, in a few words."""
    if a is None:
        return "nothing"
    if d.kind == "rating":
        return f"{a.rating} of 5"
    if d.kind == "cause":
        return a.label
    turns = sorted(turn for _, turn in held_turns(a, episode))
    return f"turn {turns[0]}" if len(turns) == 1 else f"turns {turns[0]} to {turns[-1]}"


def _decided(d: Disagreement) -> str | None:
    if d.settled is None:
        return None
    words = {"first": "A", "second": "B", "none": "neither"}.get(choice_of(d), "own")
    return f"{words}, by {d.settled.annotator}" if d.settled.annotator else words


def choice_of(d: Disagreement) -> str:
    """Returns whose version was decided for: first, second, none, own, or empty while it is open."""
    if d.settled is None:
        return ""
    one = d.settled
    if one.role == "rejected":
        return "first" if d.first is None else "second" if d.second is None else "none"
    told = (one.label, one.at, one.until, one.rating, one.better, one.note)
    for choice, a in (("first", d.first), ("second", d.second)):
        if a is not None and told == (a.label, a.at, a.until, a.rating, a.better, a.note):
            return choice
    return "own"


class AgreementDialog(QDialog):
    """A dialog beside the running window. The arrow keys go from one disagreement to the next, A, B, O, N settle it."""

    def __init__(self, review: AgreementReview, console: Console, labelling: Labelling, parent: QWidget):
        super().__init__(parent)
        theme = self._theme = console.context.theme
        self._review, self._console, self._labelling = review, console, labelling
        self.setWindowTitle("Agreement")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line = Line(theme, "Comparing …", "small", "muted")
        self.scope = Segment(theme, ("This one", "Folder"), int(review.whole_folder), "What is compared")
        self.scope.chosen.connect(lambda index: review.begin(whole_folder=bool(index)))
        self.names = tuple(self._picker(name) for name in ("First annotator", "Second annotator"))
        self.table = ObjectList["Row"](theme, "Agreement", agreement_item)
        self.list = ObjectList["Disagreement"](theme, "Disagreements", self._item)
        self.open_line = Line(theme, "", "small", "muted")
        self.first = Button(theme, "A", "user", act=lambda: self.settle("first"))
        self.second = Button(theme, "B", "user", act=lambda: self.settle("second"))
        self.own = Button(theme, "Own … (O)", "edit", act=self.settle_own)
        self.none = Button(theme, "Neither (N)", "ban", act=lambda: self.settle("none"))
        self.reopen = Button(theme, "Reopen (U)", "undo", act=self.take_back)
        self._body, self._stack = QWidget(), QStackedLayout()
        self._lay_out()
        for key, act in ((Qt.Key.Key_A, lambda: self.settle("first")), (Qt.Key.Key_B, lambda: self.settle("second")),
                         (Qt.Key.Key_N, lambda: self.settle("none")), (Qt.Key.Key_O, self.settle_own),
                         (Qt.Key.Key_U, self.take_back)):
            self.list.rows.on_key(key, act)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self, console.undoing.undo)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Redo), self, console.undoing.redo)
        self.list.chosen.connect(self._go)
        self.list.opened.connect(parent.activateWindow)  # it was chosen before, so the window is already there
        review.changed.connect(self._show)
        labelling.changed.connect(self._enable)
        console.replay.changed.connect(self._enable)
        review.watch(watching=True)
        self._show()
        self.list.setFocus()

    def _picker(self, name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setFont(self._theme.font("body"))
        box.activated.connect(lambda _: self._choose_pair())
        return box

    def _lay_out(self) -> None:
        theme = self._theme
        none = EmptyState(theme, "compare", "Nobody to compare yet", "Agreement needs two annotators of the same recording.")
        finish = StateAction("I have finished", "check", self._labelling.finish, primary=True)
        hidden = StateCard(theme, CardState("empty", "You work blind", HIDDEN, "ban", actions=(finish,)))
        head = hbox(theme, (Line(theme, "Agreement", "heading", "text", 650), 1), *self.names, self.scope, spacing=8)
        buttons = hbox(theme, self.first, self.second, self.own, self.none, 0, self.reopen,
                       Button(theme, "Close", "close", act=self.reject), spacing=6)
        for button in (self.first, self.second, self.own, self.none, self.reopen):
            button.setAutoDefault(False)
        vbox(theme, self.table, Line(theme, ABOUT, "micro", "faint"), 4, self.open_line, (self.list, 1), buttons, on=self._body,
             spacing=6, margins=(0, 0, 0, 0))
        for page in (none, hidden, self._body):
            self._stack.addWidget(page)
        pages = QWidget()
        pages.setLayout(self._stack)
        vbox(theme, head, self.line, (pages, 1), on=self, spacing=8, margins=DIALOG)
        fit(self, theme, 820, 560)

    # --- what is shown -----------------------------------------------------------
    def _show(self) -> None:
        found, review = self._review.found, self._review
        self._enable()
        self.scope.choose(int(review.whole_folder))
        self._offer(found or EMPTY)
        if found is None:
            self.line.say("" if review.blind else "Comparing …")
            self.list.show_objects(())
            self.table.show_objects(())
            return
        pair = pair_shown(found.pair)
        where = count(found.episodes, "recording") if review.whole_folder else \
            review.episodes[0].name if review.episodes else "nothing"
        left_out = f" · {count(len(review.trouble), 'file')} not readable" if review.trouble else ""
        self.line.say(f"{where} · {count(found.turns, 'turn')}{left_out}")
        self.line.setToolTip("\n".join(review.trouble))
        self.table.show_objects(found.rows, agreement_columns(pair) if found.pair else ())
        self.table.setFixedHeight(min(self.table.natural_height(), self._theme.px(MOST_HIGH)))
        self.list.show_objects(found.disagreements, disagreement_columns(pair) if found.pair else ())
        still = sum(d.settled is None for d in found.disagreements)
        total = len(found.disagreements)
        self.open_line.say(f"{count(total, 'disagreement')} · {still} open" if total else "No disagreement")
        self.first.dress(f"{pair[0][:16]} (A)", "user")
        self.second.dress(f"{pair[1][:16]} (B)", "user")
        self._enable()

    def _item(self, d: Disagreement) -> Item:
        assert self._review.found is not None
        review, pair = self._review, pair_shown(self._review.found.pair)
        return disagreement_item(d, pair, review.episodes[d.episode], named=review.whole_folder)

    def _offer(self, found: Agreement) -> None:
        for k, box in enumerate(self.names):
            box.clear()
            for name in found.annotators:
                box.addItem(name_shown(name), name)
            box.setCurrentIndex(found.annotators.index(found.pair[k]) if found.pair else -1)
            box.setVisible(len(found.annotators) > 1)

    def _enable(self) -> None:
        found, d = self._review.found, self.list.chosen_object
        page = 1 if self._review.blind and not self._review.whole_folder else 2 if found is not None and found.episodes else 0
        self._stack.setCurrentIndex(page)
        possible = d is not None and self._review.is_shown(d)
        for button in (self.first, self.second, self.own, self.none):
            button.setEnabled(possible)
        self.reopen.setEnabled(possible and d is not None and d.settled is not None)

    def _choose_pair(self) -> None:
        pair = tuple(str(box.currentData()) for box in self.names)
        if len({*pair}) == 2:
            self._review.choose(pair)
        elif self._review.found is not None:
            self._offer(self._review.found)

    # --- going there and settling --------------------------------------------------
    def _go(self) -> None:
        d = self.list.chosen_object
        if d is not None:
            self._review.go_to(d)
        self._enable()

    def settle(self, choice: Choice) -> None:
        """Settles the chosen disagreement, and goes to the next open one."""
        d = self.list.chosen_object
        if d is not None and self._review.is_shown(d):
            self._review.settle(d, choice)
            self._next()

    def settle_own(self) -> None:
        """Opens the adjudicator's own version of the chosen disagreement in the dialog of labels."""
        d = self.list.chosen_object
        if d is None or not self._review.is_shown(d):
            return
        own = d.settled if d.settled is not None and d.settled.holds else \
            self._review.proposal(d, "first" if d.first is not None else "second")
        about, labels = about_label(own, self._labelling.worked_at), [label.name for label in self._labelling.set.labels]
        dialog = LabelDialog(self._theme, own, about, labels, (), self)
        dialog.done_with.connect(lambda _, after: self._review.settle_as(d, after))
        put_beside(dialog, self._console.context.judged())
        dialog.open()

    def take_back(self) -> None:
        """Takes the decision about the chosen disagreement back."""
        d = self.list.chosen_object
        if d is not None and d.settled is not None:
            self._review.settle_as(d, None)

    def _next(self) -> None:
        found, start = self.list.objects, self.list.rows.index_of_row(self.list.rows.current)
        later = (*range(start + 1, len(found)), *range(start))
        following = next((k for k in later if found[k].settled is None), None)
        if following is not None:
            self.list.choose_object(following, tell=True)

    def done(self, result: int) -> None:
        """Ends the comparing after each change."""
        self._review.watch(watching=False)
        super().done(result)
