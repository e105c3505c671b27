"""The details of the open call: prompt, reply, grounding, cost, the operator's actions, and the dialog that asks again."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal, SignalInstance
from PySide6.QtGui import QPainter, QPalette, QResizeEvent, QTextCharFormat, QTextCursor, QTextDocument, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QSizePolicy,
    QTextEdit,
    QWidget,
)

from core.planning.facets import Grounding
from core.planning.model_requests import ModelReply
from core.session.turns import Call
from gui.panels.calls.call_list import SOURCES, Coming, branch_words, method_words, source_icon, tag_of, tone_of
from gui.theme import Theme
from gui.theme.boxes import hbox, vbox
from gui.widgets import Button, ChipLook, Line, Prose, TextField, draw_block, draw_chip, flow_chips, text_width
from gui.widgets import numbers as say
from gui.widgets.text import PaintedWidget

Part = tuple[str, str]
"""A text and its colour token."""
PROMPT_LINES, LEAST_LINES, REPLY_LINES, ANSWER_LINES = 8, 2, 6, 3
"""Lines of text: at most and at least of the prompt, at most of the reply, and of the answer field."""
READ_LINES = 60
"""The most lines of a prompt that a person has to answer, and so to read."""
SCROLL_BAR = 8
NOTHING_YET = Coming()
TIPS = {"Edit reply": "Give the planner another reply, in a fork from its turn",
        "Use in a fork": "Give the planner this reply, in a fork from the turn of the call whose prompt you edited"}
GLYPHS = {"good": "check", "warn": "fault", "bad": "fault"}


class CallDetail(QWidget):
    """The details of a call, shown in the gap below its row."""

    asked_again = Signal(int)
    went_back = Signal(int)
    """Emitted with the number of an answered call, to rewind to its turn and ask the model again."""
    edited = Signal(int)
    """Emitted with the number of a call, to let the operator rewrite its prompt and ask it."""
    asked_other_reply = Signal(int)
    """Emitted with the number of an answered call, to let the operator edit its reply and use it in a fork."""
    used = Signal(int)
    """Emitted with the number of the operator's own call, to use its reply in a fork."""
    answered = Signal(int, str)
    resized = Signal()

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(parent)
        self.setBackgroundRole(QPalette.ColorRole.Window)  # not the list's role: texts take their colour from it
        self._theme = theme
        self._call: Call | None = None
        self._grounding: Grounding | None = None
        self._live = True
        self._again_tip = ""
        self.prompt, self.reply = MessageBox(theme, "muted"), MessageBox(theme, "accent")
        self._note = Prose(theme, "", "small", "muted")
        self._chips = ChipFlow(theme)
        self.answer = TextField()
        self.answer.setPlaceholderText("Type an answer, Ctrl Enter sends it")
        self.answer.setAccessibleName("Your answer")
        self.again = Button(theme, "Ask again", "retry", act=self._ask_again)
        self.edit = Button(theme, "Edit and ask", "edit", act=lambda: self._emit(self.edited))
        self.edit_reply = Button(theme, "Edit reply", "fork", act=lambda: self._emit(self.asked_other_reply))
        self.use = Button(theme, "Use in a fork", "fork", act=lambda: self._emit(self.used))
        self.reply_self = Button(theme, "Answer", "user", act=self._answer)
        self._lay_out()
        self.restyle()
        self.answer.finished.connect(self._answer)

    def _lay_out(self) -> None:
        acts = hbox(self._theme, *self._acts, 0, spacing=5)
        vbox(self._theme, self.prompt, self.reply, self._note, self._chips, self.answer, acts, on=self, spacing=5,
             margins=(10, 6, 10, 8))

    @property
    def _acts(self) -> tuple[Button, ...]:
        return self.again, self.edit, self.edit_reply, self.use, self.reply_self

    # --- display -----------------------------------------------------------
    @property
    def words(self) -> str:
        """Returns the note under the reply, or under the prompt while the reply is pending."""
        return self._note.text()

    @property
    def chips(self) -> str:
        """Returns the text of the chips."""
        return self._chips.accessibleName()

    @property
    def call(self) -> Call | None:
        """Returns the call shown, or None."""
        return self._call

    def show_call(self, call: Call, live: bool, usual: float | None, grounding: Grounding | None = None,
                  coming: Coming = NOTHING_YET, usable: bool = False) -> None:
        """Shows a call.

        Args:
            call: the call.
            live: whether the run is live. Otherwise the operator's actions are hidden.
            usual: how long such a call usually takes, in seconds, or None if unknown.
            grounding: how the planner interpreted the reply, or None.
            coming: what is known of the reply while it is pending.
            usable: whether it is a call of the operator whose reply another call can get.
        """
        waiting, own = call.reply is None, call.by == "operator"
        if self._call is None or call.id != self._call.id:
            self.answer.clear()
        if self._call != call or self._grounding != grounding:
            self._call, self._grounding = call, grounding
            self._say(call)
        self.reply.setVisible(call.reply is not None or bool(coming.text))
        self.answer.setVisible(waiting and live and not own)
        self.reply_self.setVisible(waiting and live and not own)
        self.edit.setVisible(live)
        self.again.setVisible(live and not own)
        self.edit_reply.setVisible(not waiting and not own)
        self.use.setVisible(usable)
        self.again.dress("Ask again" if waiting else f"Back to {_place(call)}", "retry")
        self._again_tip = "" if waiting else "Already answered: the run goes back to that turn and asks the model again"
        self._fit_acts()
        if waiting:
            often = "" if usual is None else f" It usually takes {say.seconds(usual)}."
            goes_on = "The run does not wait for it." if own else f"The run goes on when it is answered.{often}"
            self._note.say("\n".join(filter(None, (goes_on, coming.words))), "muted")
            if coming.text:
                self.reply.say("Reply so far", [(coming.text, "text")])

    def _fit_acts(self) -> None:
        """Shows only glyphs if the texts do not fit: first of the buttons that fork, then of all. Tips then give the texts."""
        px = self._theme.px
        shown = [button for button in self._acts if not button.isHidden()]
        wide = {button: text_width(self._theme, button.accessibleName(), "body", 600) for button in shown}
        room = self.width() - px(20) - px(5) * (len(shown) - 1) - px(15 + 24) * len(shown)
        forking = sum(wide.get(button, 0) for button in (self.edit_reply, self.use))
        for button in shown:
            name = button.accessibleName()
            needed = sum(wide.values()) - (0 if button in (self.edit_reply, self.use) else forking)
            tip = self._again_tip if button is self.again else TIPS.get(name, "")
            button.setText("" if needed > room else f" {name}")
            button.setToolTip(": ".join(filter(None, (name if needed > room else "", tip))))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Fits the buttons to the new width."""
        super().resizeEvent(event)
        self._fit_acts()

    def restyle(self) -> None:
        """Applies the theme's colours. The answer field needs its own style sheet, because it is inside a scroll area.

        The application's style sheet makes the contents of scroll areas transparent.
        """
        css = self._theme.css
        self.answer.setStyleSheet(f"QPlainTextEdit {{ background: {css('sunken')}; border: 1px solid {css('line_strong')}; "
                                  f"border-radius: 5px; padding: 3px 6px; }} "
                                  f"QPlainTextEdit:focus {{ border-color: {css('accent')}; }}")
        self._fit_acts()

    def height_for(self, width: int, room: int, most: int = PROMPT_LINES) -> int:
        """Returns the height in pixels that the details need.

        If they are higher than the room, the prompt shows fewer lines, so that the buttons stay visible.

        Args:
            width: in pixels.
            room: the height available, in pixels.
            most: the most lines of the prompt.
        """
        inner, rest, lines = width - self._theme.px(20), self._rest_for(width), most
        high = self.prompt.height_for(inner, lines)
        while high + rest > room and lines > LEAST_LINES:
            lines -= 1
            high = self.prompt.height_for(inner, lines)
        return high + rest

    def _rest_for(self, width: int) -> int:
        """Returns the height in pixels of everything except the prompt."""
        px, inner = self._theme.px, width - self._theme.px(20)
        parts = []
        if not self.reply.isHidden():
            parts.append(self.reply.height_for(inner, REPLY_LINES))
        if not self._note.isHidden():
            parts.append(self._note.heightForWidth(inner))
        if not self._chips.isHidden():
            self._chips.setFixedHeight(self._chips.height_for(inner))
            parts.append(self._chips.height())
        if not self.answer.isHidden():
            self.answer.setFixedHeight(int(ANSWER_LINES * self._theme.metrics("body").lineSpacing()) + px(14))
            parts.append(self.answer.height())
        if not all(button.isHidden() for button in self._acts):
            parts.append(px(28))
        return sum(parts) + px(5) * len(parts) + px(14)

    def _say(self, call: Call) -> None:
        ask, reply = call.ask, call.reply
        tokens = f" · {say.whole(reply.tokens_in)} tokens" if reply is not None and reply.tokens_in else ""
        parts: list[Part] = []
        for message in ask.messages:
            parts += [(message.role, "faint"), (message.content.strip(), "text")]
        whose = "Your prompt" if call.by == "operator" else "Prompt"
        self.prompt.say(f"{whose} · {say.count(len(ask.messages), 'message')}{tokens}", parts)
        self.prompt.setToolTip(ask.subject)
        if reply is not None:
            self._say_reply(call, reply)
        self._note.setVisible(reply is None or bool(self._note.text()))
        self._fill_chips(call)

    def _say_reply(self, call: Call, reply: ModelReply) -> None:
        samples = f" · {len(reply.texts)} samples" if len(reply.texts) > 1 else ""
        parts: list[Part] = []
        for k, text in enumerate(reply.texts):
            parts += [(f"sample {k + 1}", "faint")] if len(reply.texts) > 1 else []
            parts.append((text.strip() or "(nothing)", "text" if text.strip() else "faint"))
        self.reply.say(f"Reply{samples} · {reply.source}", parts or [("(no reply)", "faint")])
        lines = [reply.note] if reply.note else []
        if self._grounding is not None:
            lines.insert(0, _grounding_words(self._grounding))
        self._note.say("\n".join(lines), "muted")

    def _fill_chips(self, call: Call) -> None:
        reply, found = call.reply, self._grounding
        self._chips.setVisible(reply is not None)
        if reply is None:
            return
        looks: list[ChipLook] = []
        if found is not None:
            tone = tone_of(found)
            looks.append(ChipLook("grounding", tone, f"{tone}_bg", GLYPHS[tone], say.probability(found.score) or "0"))
            looks.append(ChipLook(method_words(found.how)))
            if found.words_only:
                looks.append(ChipLook("word overlap", "warn", "warn_bg"))
            if found.untranslated:
                looks.append(ChipLook(f"{found.untranslated} not translated", "warn", "warn_bg"))
        if tag := tag_of(call):
            looks.append(ChipLook(tag, "warn", "warn_bg"))
        looks += [ChipLook(_place(call)), ChipLook(say.seconds(reply.seconds)),
                  ChipLook(say.tokens(reply.tokens_in, reply.tokens_out)), *_speed(reply),
                  ChipLook(SOURCES[source_icon(call)], icon=source_icon(call))]
        self._chips.show_looks(looks)

    # --- actions -----------------------------------------------------------
    def _ask_again(self) -> None:
        if self._call is not None:
            (self.asked_again if self._call.reply is None else self.went_back).emit(self._call.id)

    def _emit(self, signal: SignalInstance) -> None:
        if self._call is not None:
            signal.emit(self._call.id)

    def _answer(self) -> None:
        text = self.answer.toPlainText().strip()
        if not text:
            self.answer.setFocus()
        elif self._call is not None:
            self.answered.emit(self._call.id, text)


class MessageBox(PaintedWidget):
    """A heading and a monospaced text behind a coloured edge.

    The box is as high as its text up to a limit. A longer text scrolls and starts at its end.
    """

    def __init__(self, theme: Theme, tone: str):
        super().__init__()
        self._theme, self._tone = theme, tone
        self._parts: tuple[Part, ...] = ()
        self._copy: QTextDocument | None = None
        """A copy of the text to measure: the field lays out its own at its own width, also while that is measured."""
        self.heading = Line(theme, "", "micro", tone, 650)
        self.text = QTextEdit()
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.setStyleSheet("background: transparent; border: 0; padding: 0;")
        self.text.document().setDocumentMargin(0)
        self.text.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.text.verticalScrollBar().rangeChanged.connect(lambda *_: self._to_the_end())  # also when the box changes its size
        self._column = vbox(theme, self.heading, self.text, on=self)
        self._space()

    def _space(self) -> None:
        """Applies the theme's margins, which `height_for` assumes."""
        px = self._theme.px
        self._column.setContentsMargins(px(11), px(4), px(6), px(5))
        self._column.setSpacing(px(2))

    def say(self, heading: str, parts: Sequence[Part]) -> None:
        """Shows another text.

        Args:
            heading: the heading.
            parts: the paragraphs of the text with their colour tokens.
        """
        self.heading.say(heading)
        self._parts = tuple(parts)
        self.text.setAccessibleName(heading)
        self._fill()

    def height_for(self, width: int, most_lines: int) -> int:
        """Returns the height in pixels that the box needs, and fixes the height of its text accordingly.

        Args:
            width: in pixels.
            most_lines: the maximum number of lines shown.
        """
        theme = self._theme
        if self._copy is None:
            self._copy = self.text.document().clone(self)
        self._copy.setTextWidth(max(20.0, width - theme.px(17) - SCROLL_BAR))
        high = min(self._copy.size().height(), most_lines * theme.metrics("small", 400, True).lineSpacing()) + 2
        self.text.setFixedHeight(int(high))
        return int(high) + self.heading.sizeHint().height() + theme.px(12)

    def _fill(self) -> None:
        theme, cursor = self._theme, QTextCursor(self.text.document())
        if self._copy is not None:
            self._copy.deleteLater()
            self._copy = None
        self.text.setFont(theme.font("small", 400, True))
        self.text.clear()
        for k, (text, tone) in enumerate(self._parts):
            look = QTextCharFormat()
            look.setForeground(theme.colour(tone))
            cursor.insertText(("\n" if k else "") + text, look)
        self._to_the_end()

    def _to_the_end(self) -> None:
        """Scrolls to the end, because the end of a prompt changes most."""
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())

    def restyle(self) -> None:
        """Takes the fonts, colours and margins of the theme again."""
        self._space()
        if self._parts:
            self._fill()

    def paint(self, painter: QPainter) -> None:
        """Paints the background and the coloured edge."""
        draw_block(painter, self._theme, QRectF(self.rect()), "raised" if self._theme.name == "light" else "sunken", radius=5)
        draw_block(painter, self._theme, QRectF(0, 0, 3, self.height()), self._tone, radius=1.5)


class ChipFlow(PaintedWidget):
    """A widget that paints chips and wraps them to its width."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._looks: tuple[ChipLook, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_looks(self, looks: Sequence[ChipLook]) -> None:
        """Shows other chips."""
        self._looks = tuple(looks)
        self.setAccessibleName(", ".join(f"{look.text} {look.strong}".strip() for look in looks))
        self.update()

    def height_for(self, width: int) -> int:
        """Returns the height in pixels that the chips need at a width."""
        return max((int(rect.bottom()) for rect in flow_chips(self._theme, self._looks, width)), default=0)

    def paint(self, painter: QPainter) -> None:
        """Paints the chips."""
        for look, rect in zip(self._looks, flow_chips(self._theme, self._looks, self.width()), strict=True):
            draw_chip(painter, self._theme, rect, look)


def _place(call: Call) -> str:
    """Returns a call's turn, and its branch if that is not the main branch."""
    return f"turn {call.turn}{f' of {branch_words(call)}' if call.branch else ''}"


def _speed(reply: ModelReply) -> list[ChipLook]:
    """Returns chips with the speed of a streamed reply."""
    chips = [ChipLook(f"first token {say.seconds(reply.first_token)}")] if reply.first_token else []
    return chips + ([ChipLook(f"{reply.rate:.1f} tokens/s")] if reply.rate else [])


def _grounding_words(found: Grounding) -> str:
    """Returns the choice that the reply was grounded to, and the runner-up."""
    second = f"   runner-up {say.probability(found.runner_up_score)} {found.runner_up}" if found.runner_up else ""
    if found.untranslated:
        second += f"\nSamples that name no action that could be compared: {found.untranslated}"
    if found.remark:
        return found.remark[:1].upper() + found.remark[1:] + second
    if found.meant:
        return f"→ {found.meant} ({method_words(found.how)}){second}"
    return ("The reply declines to answer" if found.how == "refused" else "Matches none of the choices") + second
