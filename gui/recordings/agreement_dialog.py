"""The dialog *Agreement*: a table for each label and rating, and the disagreements to go through and settle by keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import QComboBox, QDialog, QStackedLayout, QWidget

from core.recording.agreement.compare import Agreement, held_turns
from core.session.annotation import Annotation
from gui.control.console import Console
from gui.recordings.agreement import AgreementReview, name_shown, pair_shown
from gui.recordings.label_dialog import LabelDialog, about_label
from gui.recordings.labelling import Labelling
from gui.theme import Theme
from gui.theme.boxes import DIALOG, hbox, vbox
from gui.theme.screens import fit, put_beside
from gui.widgets import LEFT, RIGHT, Button, EmptyState, Line, Segment, StateAction, StateCard, draw_block, draw_text
from gui.widgets.lists import ItemRows
from gui.widgets.numbers import count, value
from gui.widgets.state_card import CardState

if TYPE_CHECKING:
    from core.recording.agreement.compare import Choice, Disagreement, Episode, Row

ABOUT = "κ and α: 1 is perfect, 0 is chance. From .80 on conclusions are safe, from .67 on tentative (Krippendorff)."
HIDDEN = "The labels of others are hidden until you have finished this one."
EMPTY = Agreement()
SAFE, TENTATIVE = 0.8, 2 / 3
MOST_ROWS = 5
"""Rows of the table that are visible without scrolling."""
Columns = tuple[tuple[float, float], ...]
"""Left edge and width of each column, in pixels."""


class AgreementRows(ItemRows["Row"]):
    """The table: label, how many each gave and how many match, the share of equal units, the coefficient with a bar."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=22, head=22)
        self._pair: Sequence[str] = ("", "")
        self.setAccessibleName("Agreement")

    def show_rows(self, rows: Sequence[Row], pair: Sequence[str]) -> None:
        """Replaces the rows."""
        self._pair = pair
        self.show_items(rows, key=lambda row: (row.measure, row.label))

    def row_words(self, index: int) -> str:
        """Describes a row."""
        row, (first, second) = self.items[index], self._pair
        overlap = f", mean overlap {value(row.overlap)}" if row.overlap is not None else ""
        return (f"{_title(row)}: {first} {row.first}, {second} {row.second}, {row.matched} matched{overlap}, same in "
                f"{value(row.observed)} of {count(row.units, _unit(row))}, {_coefficient(row)} "
                f"{value(row.coefficient)}")

    def row_tip(self, index: int) -> str:
        """Returns the description."""
        return self.row_words(index)

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the column titles."""
        titles = ("Label", *self._pair, "Matched", "Same", "κ or α", "")
        for k, ((x, wide), text) in enumerate(zip(self._columns(rect.width()), titles, strict=True)):
            draw_text(painter, self.theme, QRectF(x, rect.y(), wide, rect.height()), text, "small", "faint",
                      align=LEFT if k == 0 else RIGHT)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one row. The bar shows the coefficient from 0 to 1, with a tick where conclusions are safe."""
        theme, px, row = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect)
        *cells, bar = (QRectF(x, rect.y(), wide, rect.height()) for x, wide in self._columns(rect.width()))
        texts = (_title(row), str(row.first), str(row.second), str(row.matched), value(row.observed),
                 value(row.coefficient))
        tone = _tone(row.coefficient)
        for k, (cell, text) in enumerate(zip(cells, texts, strict=True)):
            draw_text(painter, theme, cell, text, "body", ("text", *["muted"] * 4, tone)[k], 600 if k in (0, 5) else 400,
                      LEFT if k == 0 else RIGHT)
        track = QRectF(bar.x(), bar.center().y() - px(3), bar.width(), px(6))
        draw_block(painter, theme, track, "sunken", radius=3)
        if row.coefficient is not None and row.coefficient > 0:
            draw_block(painter, theme, QRectF(track.x(), track.y(), track.width() * row.coefficient, track.height()), tone,
                       radius=3)
        painter.fillRect(QRectF(track.x() + track.width() * SAFE, track.y() - px(2), 1, track.height() + px(4)),
                         theme.colour("line_strong"))

    def _columns(self, width: float) -> Columns:
        px, x = self.theme.px, width - self.theme.px(110)
        found: list[tuple[float, float]] = [(x, px(100))]
        for wide in (50, 50, 62, 66, 66):
            x -= px(wide) + px(6)
            found.insert(0, (x, px(wide)))
        return ((px(10), x - px(16)), *found)


def _title(row: Row) -> str:
    return f"{row.label} · rating" if row.measure == "rating" and row.label != "decision" else row.label


def _unit(row: Row) -> str:
    return {"label": "turn", "rating": "rated decision", "cause": "failure"}[row.measure]


def _coefficient(row: Row) -> str:
    return "Krippendorff's α" if row.measure == "rating" else "Cohen's κ"


def _tone(coefficient: float | None) -> str:
    if coefficient is None:
        return "muted"
    return "good" if coefficient >= SAFE else "warn" if coefficient >= TENTATIVE else "bad"


class DisagreementRows(ItemRows["Disagreement"]):
    """The disagreements: where, which label, what both say, and what was decided."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=24, head=22)
        self._pair: Sequence[str] = ("", "")
        self._episodes: Sequence[Episode] = ()
        self._named = False
        self.setAccessibleName("Disagreements")

    def show_found(self, found: Agreement, pair: tuple[str, str], episodes: Sequence[Episode], *, named: bool) -> None:
        """Replaces the rows. `pair`: the two annotators as shown. With `named` the rows say in which recording they are."""
        self._pair, self._episodes, self._named = pair, episodes, named
        self.show_items(found.disagreements, key=lambda d: (d.episode, d.ids))

    def row_words(self, index: int) -> str:
        """Describes a disagreement."""
        d, (first, second) = self.items[index], self._pair
        told = f"{first} {self._said(d, d.first)}, {second} {self._said(d, d.second)}"
        return f"{self._where(d)}, {d.label}: {told}, {self._decided(d)}"

    def row_tip(self, index: int) -> str:
        """Returns the notes of both, and who decided."""
        d = self.items[index]
        both = zip(self._pair, (d.first, d.second), strict=True)
        notes = [f"{name}: {a.note}" for name, a in both if a is not None and a.note]
        by = [f"decided by {d.settled.annotator or 'somebody'}"] if d.settled is not None else []
        return "\n".join([self.row_words(index), *notes, *by])

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the column titles."""
        titles = ("Where", "Label", f"A · {self._pair[0]}", f"B · {self._pair[1]}", "Decision")
        for (x, wide), text in zip(self._columns(rect.width()), titles, strict=True):
            draw_text(painter, self.theme, QRectF(x, rect.y(), wide, rect.height()), text, "small", "faint")

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one disagreement. The version that was decided for is bold and has a check mark."""
        theme, px, d = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect)
        cells = [QRectF(x, rect.y(), wide, rect.height()) for x, wide in self._columns(rect.width())]
        choice = choice_of(d)
        texts = (self._where(d), d.label, self._said(d, d.first), self._said(d, d.second), self._decided(d))
        chosen = (False, False, choice == "first", choice == "second", False)
        tones = ("muted", "text", "text" if choice != "second" else "faint", "text" if choice != "first" else "faint",
                 "warn" if d.settled is None else "good")
        for k, (cell, text) in enumerate(zip(cells, texts, strict=True)):
            draw_text(painter, theme, cell, text, "body", tones[k], 600 if k == 1 or chosen[k] else 400)
        if d.settled is not None:
            side = px(13)
            painter.drawPixmap(int(rect.right() - px(22)), int(rect.center().y() - side / 2 + 0.5),
                               theme.pixmap("check", side, "good"))

    def _where(self, d: Disagreement) -> str:
        a = d.example
        file = f"{self._episodes[d.episode].name.removesuffix('.mcap')} · " if self._named else ""
        return f"{file}turn {a.turn}" if a.turn else f"{file}at the start"

    def _said(self, d: Disagreement, a: Annotation | None) -> str:
        """Returns what an annotator says, in a few words."""
        if a is None:
            return "nothing"
        if d.kind == "rating":
            return f"{a.rating} of 5"
        if d.kind == "cause":
            return a.label
        turns = sorted(turn for _, turn in held_turns(a, self._episodes[d.episode]))
        return f"turn {turns[0]}" if len(turns) == 1 else f"turns {turns[0]} to {turns[-1]}"

    @staticmethod
    def _decided(d: Disagreement) -> str:
        if d.settled is None:
            return "open"
        words = {"first": "A", "second": "B", "none": "neither"}.get(choice_of(d), "own")
        return f"{words}, by {d.settled.annotator}" if d.settled.annotator else words

    def _columns(self, width: float) -> Columns:
        px = self.theme.px
        where, decision = px(210 if self._named else 106), px(118)
        rest = width - where - decision - px(10 + 4 * 8)
        left, found = float(px(10)), list[tuple[float, float]]()
        for wide in (where, rest * 0.30, rest * 0.35, rest * 0.35, decision):
            found.append((left, wide))
            left += wide + px(8)
        return tuple(found)


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
        self.table, self.rows = AgreementRows(theme), DisagreementRows(theme)
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
            self.rows.on_key(key, act)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self, console.undoing.undo)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Redo), self, console.undoing.redo)
        self.rows.chosen.connect(self._go)
        self.rows.opened.connect(lambda _: parent.activateWindow())  # it was chosen before, so the window is already there
        review.changed.connect(self._show)
        labelling.changed.connect(self._enable)
        console.replay.changed.connect(self._enable)
        review.watch(watching=True)
        self._show()
        self.rows.setFocus()

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
        vbox(theme, self.table, Line(theme, ABOUT, "micro", "faint"), 4, self.open_line, (self.rows, 1), buttons, on=self._body,
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
            self.rows.show_items(())
            self.table.show_items(())
            return
        pair = pair_shown(found.pair)
        where = count(found.episodes, "recording") if review.whole_folder else \
            review.episodes[0].name if review.episodes else "nothing"
        left_out = f" · {count(len(review.trouble), 'file')} not readable" if review.trouble else ""
        self.line.say(f"{where} · {count(found.turns, 'turn')}{left_out}")
        self.line.setToolTip("\n".join(review.trouble))
        self.table.show_rows(found.rows, pair)
        shown = min(MOST_ROWS, max(1, len(found.rows)))
        self.table.setFixedHeight(self._theme.px(22) * (shown + 1) + 2)
        self.rows.show_found(found, pair, review.episodes, named=review.whole_folder)
        still = sum(d.settled is None for d in found.disagreements)
        total = len(found.disagreements)
        self.open_line.say(f"{count(total, 'disagreement')} · {still} open" if total else "No disagreement")
        self.first.dress(f"{pair[0][:16]} (A)", "user")
        self.second.dress(f"{pair[1][:16]} (B)", "user")
        self._enable()

    def _offer(self, found: Agreement) -> None:
        for k, box in enumerate(self.names):
            box.clear()
            for name in found.annotators:
                box.addItem(name_shown(name), name)
            box.setCurrentIndex(found.annotators.index(found.pair[k]) if found.pair else -1)
            box.setVisible(len(found.annotators) > 1)

    def _enable(self) -> None:
        found, d = self._review.found, self.rows.chosen_item
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
    def _go(self, index: int) -> None:
        d = self.rows.item(index)
        if d is not None:
            self._review.go_to(d)
        self._enable()

    def settle(self, choice: Choice) -> None:
        """Settles the chosen disagreement, and goes to the next open one."""
        d = self.rows.chosen_item
        if d is not None and self._review.is_shown(d):
            self._review.settle(d, choice)
            self._next()

    def settle_own(self) -> None:
        """Opens the adjudicator's own version of the chosen disagreement in the dialog of labels."""
        d = self.rows.chosen_item
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
        d = self.rows.chosen_item
        if d is not None and d.settled is not None:
            self._review.settle_as(d, None)

    def _next(self) -> None:
        start = self.rows.current
        later = (*range(start + 1, len(self.rows.items)), *range(start))
        following = next((k for k in later if self.rows.items[k].settled is None), None)
        if following is not None:
            self.rows.choose(following, tell=True)

    def done(self, result: int) -> None:
        """Ends the comparing after each change."""
        self._review.watch(watching=False)
        super().done(result)
