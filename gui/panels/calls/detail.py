"""The details of the open call: prompt, reply, grounding, cost, and the operator's actions."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.planning.facets import Grounding
from core.planning.model_requests import Reply
from core.session.turns import Call
from gui.panels.calls.call_summary import Coming, branch_words, method_words, source_icon, tag_of, tone_of
from gui.panels.calls.chips import ChipFlow
from gui.panels.calls.message import AnswerField, MessageBox, Part
from gui.theme import Theme
from gui.widgets import Button, ChipLook, Prose
from gui.widgets import numbers as say
from gui.widgets.painting import text_width

PROMPT_LINES, LEAST_LINES, REPLY_LINES, ANSWER_LINES = 8, 2, 6, 3
SOURCES = {"user": "operator", "cache": "cache", "model": "server", "rules": "rules"}
NOTHING_YET = Coming()
GLYPHS = {"good": "check", "warn": "fault", "bad": "fault"}


class CallDetail(QWidget):
    """The details of a call, shown in the gap below its row."""

    asked_again = Signal(int)
    went_back = Signal(int)
    """Emitted with the number of an answered call, to rewind to its turn and ask the model again."""
    edited = Signal(int)
    """Emitted with the number of a call, to let the operator rewrite its prompt and ask it."""
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
        self.answer = AnswerField()
        self.answer.setPlaceholderText("Type an answer, Ctrl Enter sends it")
        self.answer.setAccessibleName("Your answer")
        self.answer.setTabChangesFocus(True)
        self.again = Button(theme, "Ask again", "retry", act=self._ask_again)
        self.edit = Button(theme, "Edit and ask", "edit", act=self._edit)
        self.reply_self = Button(theme, "Answer", "user", act=self._answer)
        self._lay_out()
        self.restyle()
        self.answer.sent.connect(self._answer)

    def _lay_out(self) -> None:
        px = self._theme.px
        column = QVBoxLayout(self)
        column.setContentsMargins(px(10), px(6), px(10), px(8))
        column.setSpacing(px(5))
        acts = QHBoxLayout()
        acts.setSpacing(px(5))
        acts.addWidget(self.again)
        acts.addWidget(self.edit)
        acts.addWidget(self.reply_self)
        acts.addStretch(1)
        for part in (self.prompt, self.reply, self._note, self._chips, self.answer):
            column.addWidget(part)
        column.addLayout(acts)

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
                  coming: Coming = NOTHING_YET) -> None:
        """Shows a call.

        Args:
            call: the call.
            live: whether the run is live. Otherwise the operator's actions are hidden.
            usual: how long such a call usually takes, in seconds, or None if unknown.
            grounding: how the planner interpreted the reply, or None.
            coming: what is known of the reply while it is pending.
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
        """Shows only the buttons' glyphs if their texts do not fit. Their tips then give the texts."""
        px = self._theme.px
        shown = [button for button in (self.again, self.edit, self.reply_self) if not button.isHidden()]
        words = sum(text_width(self._theme, button.accessibleName(), "body", 600) + px(15 + 24) for button in shown)
        narrow = words + px(5) * (len(shown) - 1) > self.width() - px(20)
        for button in shown:
            name, tip = button.accessibleName(), self._again_tip if button is self.again else ""
            button.setText("" if narrow else f" {name}")
            button.setToolTip(": ".join(filter(None, (name if narrow else "", tip))))

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

    def height_for(self, width: int, room: int) -> int:
        """Returns the height in pixels that the details need.

        If they are higher than the room, the prompt shows fewer lines, so that the buttons stay visible.

        Args:
            width: in pixels.
            room: the height available, in pixels.
        """
        inner, rest, lines = width - self._theme.px(20), self._rest_for(width), PROMPT_LINES
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
        if not self.edit.isHidden():
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

    def _say_reply(self, call: Call, reply: Reply) -> None:
        samples = f" · {len(reply.texts)} samples" if len(reply.texts) > 1 else ""
        parts: list[Part] = []
        for k, text in enumerate(reply.texts):
            parts += [(f"sample {k + 1}", "faint")] if len(reply.texts) > 1 else []
            parts.append((text.strip() or "(nothing)", "text" if text.strip() else "faint"))
        self.reply.say(f"Reply{samples} · {reply.source}", parts or [("(no reply)", "faint")])
        lines = [reply.note] if reply.note else []
        if self._grounding is not None:
            lines.insert(0, _told(self._grounding))
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
        if tag := tag_of(call):
            looks.append(ChipLook(tag, "warn", "warn_bg"))
        looks += [ChipLook(_place(call)), ChipLook(say.seconds(reply.seconds)),
                  ChipLook(say.tokens(reply.tokens_in, reply.tokens_out)), *_pace(reply),
                  ChipLook(SOURCES[source_icon(call)], icon=source_icon(call))]
        self._chips.show_looks(looks)

    # --- actions -----------------------------------------------------------
    def _ask_again(self) -> None:
        if self._call is not None:
            (self.asked_again if self._call.reply is None else self.went_back).emit(self._call.id)

    def _edit(self) -> None:
        if self._call is not None:
            self.edited.emit(self._call.id)

    def _answer(self) -> None:
        text = self.answer.toPlainText().strip()
        if not text:
            self.answer.setFocus()
        elif self._call is not None:
            self.answered.emit(self._call.id, text)


def _place(call: Call) -> str:
    """Returns a call's turn, and its branch if that is not the main branch."""
    return f"turn {call.turn}{f' of {branch_words(call)}' if call.branch else ''}"


def _pace(reply: Reply) -> list[ChipLook]:
    """Returns chips with the speed of a streamed reply."""
    chips = [ChipLook(f"first token {say.seconds(reply.first_token)}")] if reply.first_token else []
    return chips + ([ChipLook(f"{reply.rate:.1f} tokens/s")] if reply.rate else [])


def _told(found: Grounding) -> str:
    """Returns the choice that the reply was grounded to, and the runner-up."""
    second = f"   runner-up {say.probability(found.runner_up_score)} {found.runner_up}" if found.runner_up else ""
    if found.meant:
        return f"→ {found.meant} ({method_words(found.how)}){second}"
    return ("The reply declines to answer" if found.how == "refused" else "Matches none of the choices") + second
