"""The goal field: the operator's text over the literals it was read as, which can be edited before they are set."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from core.common.errors import GoalError
from core.common.visible import pasted
from core.goals.literals import LiteralProgress
from core.goals.reading import GoalReading, Question, Reader
from gui.control.context import Context
from gui.control.goal_draft import Edit, GoalDraft, LiteralForm, SceneNames, literal_of
from gui.control.goal_reader import Reading
from gui.control.key_labels import KeyLabel
from gui.theme.boxes import hbox, vbox
from gui.widgets import SMOOTH, Chip, ChipLook, Line, chip_width, draw_block, rounded, text_width
from gui.window.goal_card import GoalCard
from gui.window.goal_field import GoalField

HINT = "Type a task in plain words ({Ctrl+G}); you see how it is understood before you set it"
QUESTION = "A question; the run is unchanged"
UNCHANGED = "Not understood as a goal; the run is unchanged"
MOST_CHIPS = 5


class GoalBox(QFrame):
    """The goal field. A click starts editing; a click on a chip selects its objects. A green line shows the share reached."""

    typed = Signal(str)
    """The text so far, to be parsed."""
    edited = Signal(str, str)
    """The text and the formal text of an edited goal, to be checked."""
    entered = Signal(str, object, str, object)
    """The text, the Goal, its formal text if the words alone do not say it, and the model requests that reading it took."""
    asked = Signal(object)
    """A Question in place of a task. Whoever can answer it for the moment shown calls `show_answer`."""
    asked_model = Signal()
    """Ask the language model at once about the text that the rules refused."""
    cancelled = Signal()
    """Stop asking the language model."""
    opened = Signal()
    """Editing begins."""
    left = Signal()
    """Editing has ended."""
    literal_clicked = Signal(object)
    """LiteralProgress."""

    def __init__(self, context: Context):
        super().__init__()
        self._theme = theme = context.theme
        self._task, self._reached = "", 0.0
        self._progress: tuple[LiteralProgress, ...] = ()
        self._order: tuple[LiteralProgress, ...] = ()
        self._reading: Reading | None = None
        self._entered = False
        """Whether Enter was pressed before the text was parsed."""
        self._draft: GoalDraft | None = None
        self._checked: GoalDraft | None = None
        """The last draft that is known to be possible: `_draft` itself, or the one before it while it is being checked."""
        self._set: GoalDraft | None = None
        """The draft that was set last."""
        self._formal = ""
        self._asking = False
        self._names = SceneNames()
        self._help: GoalCard | None = None
        self._tools: tuple[QWidget, ...] = ()
        self._line = Line(theme, "No goal yet", "body", "faint", 500)
        self._field = GoalField()
        self._field.setAccessibleName("Task in plain words")
        self._field.setPlaceholderText("Put one apple on the kitchen table")
        self._field.hide()
        self._note = Line(theme, "", "small", "faint")
        self._count = Line(theme, "", "small", "muted", shrinks=False)
        self._chips: list[Chip] = []
        self._row = hbox(theme, self._note, 0, self._count)
        self._column = vbox(theme, self._line, self._field, self._row, on=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.setAccessibleName("Goal")
        self._field.textEdited.connect(self._on_typed)
        self._field.returnPressed.connect(self._enter)
        self._field.left.connect(self._escape)
        self._field.moved.connect(self._on_moved)
        self._field.asked_chips.connect(self._go_to_chips)
        self._field.asked_reading.connect(self.take_reading)
        self._field.focused.connect(self._on_focus)
        self._hint = KeyLabel(context, self, self._show_hint, HINT)
        context.theme_changed.connect(self._restyle)
        self._restyle()

    # --- what it shows -----------------------------------------------------
    def show_goal(self, task: str, progress: tuple[LiteralProgress, ...], formal: str = "") -> None:
        """Shows the task and how far each literal is reached. `formal` is the goal's formal text if the words do not say it."""
        self._formal = formal
        if (task, progress) == (self._task, self._progress):
            return
        self._task, self._progress = task, progress
        self._line.say(task or "No goal yet", "text" if task else "faint")
        self.setAccessibleDescription("; ".join(f"{p.literal} {p.have} of {p.literal.count}" for p in progress))
        if not self.editing:
            self._show_chips(progress)

    def _show_chips(self, progress: tuple[LiteralProgress, ...]) -> None:
        fitting = self._fitting()
        self._order = progress if len(progress) <= fitting else tuple(sorted(progress, key=lambda p: p.reached))[:fitting]
        looks = [self._look(p) for p in self._order]
        if len(progress) > len(looks):
            looks.append(ChipLook(f"+{len(progress) - len(looks)}"))
        self._fit_chips(len(looks))
        for chip, look in zip(self._chips, looks, strict=True):
            if chip.look != look:
                chip.show_look(look)
        done = sum(p.reached for p in progress)
        self._reached = done / len(progress) if progress else 0.0
        self._count.say(f"{done} of {len(progress)}" if self._is_counted() else "")
        self._note.setVisible(not progress)
        self._show_hint(self._hint.now)
        self.update()

    def _look(self, progress: LiteralProgress) -> ChipLook:
        """Returns the chip of a literal; one that rests on a guess is marked while it is pending."""
        look, draft = chip_look(progress), self._set
        guessed = draft is not None and not progress.reached and progress.literal in draft.literals \
            and draft.guess_at(draft.literals.index(progress.literal)) is not None
        return replace(look, icon="help") if guessed else look

    def _show_hint(self, text: str) -> None:
        if not self.editing:
            self._note.say(text, "faint")

    def _is_counted(self) -> bool:
        """Whether the number of literals reached is shown: there are several, and there is room beside the chips."""
        return len(self._progress) > 1 and self.width() >= self._theme.px(230)

    def _fitting(self) -> int:
        """Returns the number of chips that fit; the others are shown as a number."""
        px = self._theme.px
        most = len(self._progress)
        counted = text_width(self._theme, f"{most} of {most}") + px(8) if self._is_counted() else 0.0
        room = self.width() - px(39) - counted
        progress = sorted(self._progress, key=lambda p: p.reached)
        fitting, took = 0, 0.0
        for one in progress[:MOST_CHIPS]:
            took += chip_width(self._theme, self._look(one)) + px(6)
            more = px(40) if fitting + 1 < len(progress) else 0
            if took + more > room:
                break
            fitting += 1
        return max(1, fitting)

    def set_tools(self, dice: QWidget, tasks: QWidget, things: QWidget) -> None:
        """Shows tools beside the text: two at the right end, one above the other, and one at the left under the flag."""
        self._tools = (dice, tasks, things)
        for tool in self._tools:
            tool.setParent(self)
            tool.setCursor(Qt.CursorShape.ArrowCursor)
            tool.installEventFilter(self)
        self._place_tools()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Moves the tools when their size changes with the text."""
        if watched in self._tools and event.type() == QEvent.Type.Resize:
            self._place_tools()
        return False

    def _place_tools(self) -> None:
        px = self._theme.px
        for k, tool in enumerate(self._tools):
            below = self.height() - tool.height() - px(5)
            tool.move(px(4) if k == 2 else self.width() - tool.width() - px(5), px(5) if k == 0 else below)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Shows as many chips as fit."""
        super().resizeEvent(event)
        self._place_tools()
        if self._help is not None and self._help.isVisible():
            self._help.place()
        if not self.editing and self._progress:
            self._show_chips(self._progress)

    def _fit_chips(self, count: int) -> None:
        while len(self._chips) > count:
            old = self._chips.pop()
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        while len(self._chips) < count:
            k = len(self._chips)
            chip = Chip(self._theme, ChipLook(""))
            chip.setCursor(Qt.CursorShape.PointingHandCursor)
            chip.clicked.connect(lambda k=k: self._on_chip(k))
            chip.double_clicked.connect(lambda k=k: self._on_double(k))
            self._row.insertWidget(k, chip)
            self._chips.append(chip)

    def _on_chip(self, k: int) -> None:
        if not self.editing and k < len(self._order):
            self.literal_clicked.emit(self._order[k])

    def _on_double(self, k: int) -> None:
        shown = [progress.literal for progress in self._progress]
        self.edit_chip(shown.index(self._order[k].literal) if k < len(self._order) else 0)

    def show_set(self, reading: GoalReading) -> None:
        """Takes how the task of a prepared run was read, so that its chips tell what is a guess."""
        goal, known = reading.goal, self._set
        if goal is not None and (known is None or known.literals != goal.literals):
            self._set = GoalDraft.of(goal.text, reading)
        if not self.editing:
            self._show_chips(self._progress)

    # --- editing -----------------------------------------------------------
    @property
    def editing(self) -> bool:
        """Whether the operator is typing, or edits the chips."""
        return not self._field.isHidden()

    @property
    def draft(self) -> GoalDraft | None:
        """The goal that is shown for editing, or None if the text is no goal or not read yet."""
        return self._draft

    def edit(self) -> None:
        """Starts editing: the text is selected, and the goal is shown as chips."""
        self._line.hide()
        self._field.show()
        self._field.setText(self._task)
        self._field.selectAll()
        self._field.setFocus()
        self._forget_reading()
        self.opened.emit()
        if self._progress:
            literals = tuple(progress.literal for progress in self._progress)
            reader: Reader = "operator" if self._formal else "rules"
            was_set, known = self._set, None
            if was_set is not None and (was_set.literals, was_set.text.strip()) == (literals, self._task):
                known = was_set  # with its guesses
            self._checked = self._draft = known or GoalDraft(self._task, literals, reader, (), () if self._formal else literals)
            self._show_draft()
        if self._task.strip() and not self._formal:
            self.typed.emit(self._task)  # the words may be guesses

    def edit_chip(self, index: int) -> None:
        """Starts editing with the form of a chip."""
        if not self.editing:
            self.edit()
        if self._draft is not None and index < len(self._draft.literals):
            self._the_card().open_form(index)

    def leave(self) -> None:
        """Ends editing and restores the former text."""
        self._forget_reading()
        self._field.hide()
        self._line.show()
        self._show_chips(self._progress)
        self.left.emit()

    def _escape(self) -> None:
        """Stops asking a language model, or else ends editing."""
        if self._asking:
            self.cancelled.emit()
        else:
            self.leave()

    def show_asking(self, asking: bool) -> None:
        """Shows whether a language model is being asked what the text means."""
        self._asking = asking
        if self.editing and asking:
            self._fit_chips(0)
            self._note.show()
            self._note.say("Asking the model … Esc cancels", "muted")
            self._the_card().leave()
        elif self.editing and self._draft is None and self._reading is not None:
            self.show_reading(self._reading)

    def show_reading(self, reading: Reading) -> None:
        """Shows what the text typed so far means, or the result of checking an edited goal."""
        if not self.editing or reading.text != self._field.text():
            return
        if reading.formal:
            self._take_check(reading)
            return
        if self._draft is not None and self._draft.by == "operator":
            return  # the words were read while the operator edited the chips
        self._reading = reading
        self._field.underline(reading.spans if reading.result.question is None else (), self._theme.colour("bad"))
        self._field.setAccessibleDescription(reading.reason)
        self._checked = self._draft = GoalDraft.of(reading.text, reading.result)
        if self._draft is None:
            self._refuse(reading)
            if self._entered:
                self._entered = False
                self.asked_model.emit()
            return
        left_out = " or ".join(f"“{reading.text[start:end]}”" for start, end in reading.spans)
        self._show_draft(f"not in the goal: {left_out}" if left_out else "")
        if self._entered:
            self._enter()

    def _refuse(self, reading: Reading) -> None:
        """Shows why there is no goal, or the answer to a question. The text stays for correction, and the run is unchanged."""
        self._fit_chips(0)
        self._note.show()
        question = reading.result.question
        self._note.say(UNCHANGED if question is None else QUESTION, "warn" if question is None else "muted")
        self._count.say("")
        self._the_card().explain(reading.reason, reading.suggestions)
        if question is not None:
            self.asked.emit(question)

    def show_answer(self, question: Question, answer: str) -> None:
        """Shows the answer to a question that is still in the field."""
        reading = self._reading
        if self.editing and reading is not None and reading.result.question is question:
            self._the_card().explain(answer, reading.suggestions, "text")

    def _the_card(self) -> GoalCard:
        """Returns the card under the field, made at its first use."""
        if self._help is None:
            card = self._help = GoalCard(self._theme, self)
            card.chosen.connect(self.take)
            card.reading_chosen.connect(self.take_reading)
            card.literal_edited.connect(self._on_literal)
            card.chips.removed.connect(lambda k: self._change(lambda draft: draft.without(k)))
            card.chips.negated.connect(lambda k: self._change(lambda draft: draft.negated(k)))
            card.chips.asked_reading.connect(self.take_reading)
            card.chips.left.connect(self._field.setFocus)
            card.chips.confirmed.connect(self._enter)
            card.chips.focused.connect(card.show_keys)
            card.offer(self._names)
        return self._help

    def offer(self, names: SceneNames) -> None:
        """Completes the names of a scene while chips are edited."""
        self._names = names
        if self._help is not None:
            self._help.offer(names)

    def take(self, text: str) -> None:
        """Takes a task, which is read as if it were typed."""
        if not self.editing:
            self.edit()
        self._field.setText(text)
        self._field.setFocus()
        self._on_typed(text)

    def _on_moved(self, step: int) -> None:
        card = self._help
        if card is not None and card.isVisible() and not card.move_by(step) and step > 0 and self._draft is not None:
            self._go_to_chips(True)

    def _on_focus(self) -> None:
        if self._help is not None:
            self._help.show_keys()

    def _go_to_chips(self, first: bool) -> None:
        """Moves to the first or last chip; where there is none, to the next or previous widget."""
        card = self._help
        if card is not None and card.isVisible() and self._draft is not None:
            card.chips.go_to(0 if first else -1)
            card.chips.setFocus()
        else:
            self.focusNextPrevChild(first)

    # --- editing the chips -------------------------------------------------
    def take_reading(self, number: int) -> None:
        """Takes another reading of a guessed word: its number from 1, or 0 for the next one."""
        draft = self._draft
        offered = [(guess, k) for guess in draft.guesses for k in range(len(guess.others))] if draft is not None else []
        if number == 0 and draft is not None and self._help is not None and self._help.chips.hasFocus():
            offered = [(g, k) for g, k in offered if g is draft.guess_at(self._help.chips.at)] or offered
        if 0 <= max(0, number - 1) < len(offered):
            guess, other = offered[max(0, number - 1)]
            self._change(lambda draft: draft.guessed(guess, other))

    def _on_literal(self, index: int, form: LiteralForm) -> None:
        """Takes the form of a chip."""
        former = self._draft.literals[index] if self._draft is not None and index < len(self._draft.literals) else None
        self._change(lambda draft: draft.put(index, literal_of(form, former, self._names)))

    def _change(self, edit: Edit) -> None:
        """Makes an edit. It is shown at once and checked off the GUI thread."""
        draft = self._draft
        if draft is None:
            return
        try:
            self._draft = edit(draft)
        except GoalError as error:
            self._show_draft(error.cause)
            return
        self._field.setText(self._draft.text)
        self._field.underline((), self._theme.colour("bad"))
        if self._draft.formal:
            self._show_draft()
            self.edited.emit(self._draft.text, self._draft.formal)
        else:
            self._accept(self._draft)

    def _take_check(self, reading: Reading) -> None:
        """Takes the result of checking an edit: the goal, or why it is not possible; then the edit is undone."""
        draft, goal = self._draft, reading.result.goal
        if draft is None or draft.formal != reading.formal:
            return
        if goal is not None:
            self._accept(replace(draft, literals=goal.literals))
            return
        self._entered = False
        self._draft = self._checked
        if self._draft is not None:
            self._field.setText(self._draft.text)
            self._show_draft(reading.reason)

    def _accept(self, draft: GoalDraft) -> None:
        self._checked = self._draft = draft
        if self._help is not None:
            self._help.close_form()
        self._show_draft()
        if self._entered:
            self._enter()

    def _show_draft(self, trouble: str = "") -> None:
        draft = self._draft
        if draft is None:
            return
        self._fit_chips(0)
        self._note.show()
        self._note.say("Enter to set" if draft is self._checked else "Checking …", "muted")
        self._count.say("")
        self._the_card().show_draft(draft, trouble)

    def _on_typed(self, text: str) -> None:
        if (clean := pasted(text)) != text:
            self._field.setText(clean)
        self._forget_reading()
        self.typed.emit(clean)

    def _forget_reading(self) -> None:
        self._reading, self._entered, self._draft, self._checked = None, False, None, None
        self._field.underline((), self._theme.colour("bad"))
        if self._help is not None:
            self._help.leave()

    def _enter(self) -> None:
        """Sets the goal once the text is read or the edit is checked. Until then the field keeps the focus."""
        row = self._help.current if self._help is not None and self._help.isVisible() else None
        if row is not None:
            row.clicked.emit(row.text)
            return
        text, draft = self._field.text().strip(), self._draft
        if not text or (draft is None and text == self._task) or self._is_set(draft):
            self.leave()
        elif draft is not None and draft is self._checked:
            self._set, calls = draft, self._reading.calls if self._reading is not None else ()
            self.leave()
            self._line.say(text, "muted")
            self.entered.emit(draft.text.strip(), draft.goal, draft.formal, calls)
        elif self._reading is None or draft is not None:
            self._entered = True
            if draft is None:
                self.typed.emit(self._field.text())
        else:
            self.asked_model.emit()

    def _is_set(self, draft: GoalDraft | None) -> bool:
        """Whether a checked draft is the goal of the run already."""
        return draft is not None and draft is self._checked and draft.text.strip() == self._task \
            and draft.literals == tuple(progress.literal for progress in self._progress)

    # --- Qt ----------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Starts editing."""
        if event.button() == Qt.MouseButton.LeftButton and not self.editing:
            self.edit()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """64 px high."""
        return QSize(self._theme.px(300), self._theme.px(64))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Narrower than its text, which is then cut off."""
        return QSize(self._theme.px(130), self._theme.px(64))

    def _restyle(self) -> None:
        px = self._theme.px
        self.setFixedHeight(px(64))
        self._field.setFont(self._theme.font("body", 500))
        self._field.setFixedHeight(px(26))
        self._line.setFixedHeight(px(26))
        self._note.setFixedHeight(px(22))
        self._column.setContentsMargins(px(30), px(4), px(33), px(7))  # the dice is at the right end
        self._column.setSpacing(px(3))
        self._row.setSpacing(px(6))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints a sunken field with a flag, and the green line."""
        del event
        painter, theme, px = QPainter(self), self._theme, self._theme.px
        painter.setRenderHint(SMOOTH)
        rect = QRectF(self.rect())
        draw_block(painter, theme, rect, "sunken", "accent" if self.editing else "line", 5)
        painter.drawPixmap(px(10), px(10), theme.pixmap("goal", px(14), "muted"))
        if self._reached and not self.editing:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("good"))
            painter.setClipPath(rounded(rect.adjusted(0.5, 0.5, -0.5, -0.5), 5))
            painter.drawRect(QRectF(0, self.height() - 2.5, self.width() * self._reached, 3))
        painter.end()


def chip_look(progress: LiteralProgress) -> ChipLook:
    """Returns a chip that is amber with a lens while the literal is pending, and green with a check when it is reached."""
    count = f"{progress.have}/{progress.literal.count}"
    words = str(progress.literal)
    if progress.reached:
        return ChipLook(words, "good", "good_bg", "check", count)
    return ChipLook(words, "warn", "warn_bg", "search", count)
