"""The state card: a glyph, a heading, one or two sentences, and what can be done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets.buttons import Button
from gui.widgets.painting import CENTRE, SMOOTH, Shape, draw_block, draw_mark, draw_text
from gui.widgets.text import Prose

Kind = Literal["empty", "waiting", "failed", "missing", "large", "done"]
_SHAPES: dict[Kind, tuple[Shape, str, str]] = {
    "empty": ("circle", "raised", "line"),
    "large": ("circle", "raised", "muted"),
    "failed": ("octagon", "bad_bg", "bad"),
    "missing": ("diamond", "warn_bg", "warn"),
    "done": ("circle", "good_bg", "good"),
}
_TONES: dict[Kind, str] = {"empty": "faint", "large": "muted", "failed": "bad", "missing": "warn", "done": "good"}
_ICONS: dict[Kind, str] = {"empty": "info", "large": "filter", "failed": "fault", "missing": "add", "done": "check"}


@dataclass(frozen=True, slots=True)
class StateAction:
    """One action offered by a state."""

    text: str
    icon: str = ""
    act: Callable[[], object] | None = None
    primary: bool = False


@dataclass(frozen=True, slots=True)
class CardState:
    """The content of a state card.

    Attributes:
        kind: sets glyph and colour. A circle means nothing yet, a turning arc waiting, an octagon failed, a diamond missing.
        heading: at most five words.
        text: one or two sentences: what happened, what it means, what to do.
        icon: name of the icon inside the mark; empty for that of the kind.
        mono: a command to copy, or empty.
        inside: a few characters inside the waiting arc, such as the elapsed seconds.
        choices: choices in whole sentences, one below the other.
        actions: what can be done.
    """

    kind: Kind
    heading: str
    text: str
    icon: str = ""
    mono: str = ""
    inside: str = ""
    choices: tuple[StateAction, ...] = ()
    actions: tuple[StateAction, ...] = ()


class Glyph(QWidget):
    """The mark of a state, with a radius in pixels. The arc of waiting turns, unless motion is reduced."""

    def __init__(self, theme: Theme, radius: int = 20):
        super().__init__()
        self._theme, self._state, self._turned, self._radius = theme, CardState("empty", "", ""), 0, radius
        self._timer = QTimer(self)
        self._timer.setInterval(50)
        self._timer.timeout.connect(self._turn)

    def show_state(self, state: CardState) -> None:
        """Shows another state."""
        self._state = state
        self.setFixedHeight(self._theme.px(2 * self._radius + 6))
        self._run()
        self.update()

    def _run(self) -> None:
        if self._state.kind == "waiting" and self._theme.motion and self.isVisible():
            self._timer.start()
        else:
            self._timer.stop()

    def _turn(self) -> None:
        if not self.isVisible():
            self._timer.stop()
            return
        self._turned = (self._turned + 9) % 360
        self.update()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Turns the arc only while it is visible."""
        super().showEvent(event)
        self._run()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the mark and its glyph."""
        del event
        painter, theme, state = QPainter(self), self._theme, self._state
        painter.setRenderHint(SMOOTH)
        x, y, r = self.width() / 2, self.height() / 2, theme.px(self._radius)
        if state.kind == "waiting":
            self._arc(painter, x, y, r)
        else:
            shape, fill, line = _SHAPES[state.kind]
            draw_mark(painter, shape, x, y, r, theme.colour(fill), theme.colour(line))
            side = theme.px(self._radius)
            picture = theme.pixmap(state.icon or _ICONS[state.kind], side, _TONES[state.kind])
            painter.drawPixmap(int(x - side / 2), int(y - side / 2), picture)
        painter.end()

    def _arc(self, painter: QPainter, x: float, y: float, r: float) -> None:
        theme = self._theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("line"), 3))
        painter.drawEllipse(QPointF(x, y), r - 1, r - 1)
        painter.setPen(QPen(theme.colour("accent"), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(QRectF(x - r + 1, y - r + 1, 2 * r - 2, 2 * r - 2), (90 - self._turned) * 16, -110 * 16)
        draw_text(painter, theme, QRectF(x - r, y - r, 2 * r, 2 * r), self._state.inside, "micro", "text", 600, CENTRE)


class Command(QWidget):
    """A command to copy, in the monospaced font on a sunken block."""

    def __init__(self, theme: Theme, text: str):
        super().__init__()
        self._theme, self._text = theme, text
        self.setFixedHeight(theme.px(26))
        self.setAccessibleName(text)
        self.setToolTip(text)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the block and the text."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(SMOOTH)
        draw_block(painter, self._theme, QRectF(self.rect()), "sunken", radius=5)
        room = QRectF(self.rect()).adjusted(8, 0, -8, 0)
        draw_text(painter, self._theme, room, self._text, "small", align=CENTRE, mono=True)
        painter.end()


def state_buttons(theme: Theme, actions: tuple[StateAction, ...]) -> list[Button]:
    """Returns buttons for the actions."""
    return [Button(theme, a.text, a.icon, "primary" if a.primary else "plain", a.act) for a in actions]


class StateCard(QWidget):
    """A widget that fills a panel with a state, centred. In a low panel the glyph is hidden before the words."""

    def __init__(self, theme: Theme, state: CardState | None = None):
        super().__init__()
        self._theme, self._state = theme, CardState("empty", "", "")
        self._glyph = Glyph(theme)
        self._heading = Prose(theme, "", "body", "text", 600, centred=True)
        self._text = Prose(theme, "", "small", "muted", centred=True)
        self._column = column = QVBoxLayout(self)
        column.addStretch(1)
        for part in (self._glyph, self._heading, self._text):
            column.addWidget(part)
        self._foot = QVBoxLayout()
        column.addLayout(self._foot)
        column.addStretch(1)
        self._measure()
        if state is not None:
            self.show_state(state)

    def _measure(self) -> None:
        """Sets the margins for the current text size."""
        px = self._theme.px
        self._column.setContentsMargins(px(16), px(6), px(16), px(6))
        self._column.setSpacing(px(4))
        self._foot.setSpacing(px(8))
        self._space_foot()
        self._fit()

    def _space_foot(self) -> None:
        """Sets the margins of the foot.

        A layout takes its margins even if it is empty; in a low card they would cut off the sentences.
        """
        self._foot.setContentsMargins(0, self._theme.px(8) if self._foot.count() else 0, 0, 0)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the sizes of the theme again."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._measure()

    @property
    def state(self) -> CardState:
        """The state that is shown."""
        return self._state

    def show_state(self, state: CardState) -> None:
        """Shows a state. Showing the same state again does nothing."""
        if state == self._state:
            return
        same_foot = ((state.actions, state.choices, state.mono)
                     == (self._state.actions, self._state.choices, self._state.mono))
        self._state = state
        self._glyph.show_state(state)
        self._heading.say(state.heading)
        self._text.say(state.text)
        self.setAccessibleName(state.heading)
        self.setAccessibleDescription(state.text)
        if not same_foot:
            self._fill_foot(state)
        self._fit()

    def _fill_foot(self, state: CardState) -> None:
        while (item := self._foot.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        if state.mono:
            self._foot.addWidget(Command(self._theme, state.mono))
        for button in state_buttons(self._theme, state.choices):
            self._foot.addWidget(button)
        if state.actions:
            self._foot.addWidget(self._buttons(state.actions))
        self._space_foot()

    def _buttons(self, actions: tuple[StateAction, ...]) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self._theme.px(8))
        row.addStretch(1)
        for button in state_buttons(self._theme, actions):
            row.addWidget(button)
        row.addStretch(1)
        return holder

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Hides what does not fit."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Hides the glyph first in a low card, then the sentences, which the tooltip then shows. Heading and buttons stay."""
        px = self._theme.px
        inner = max(1, self.width() - px(32))
        foot = self._foot.sizeHint().height() + px(4) if self._foot.count() else 0
        least = self._heading.heightForWidth(inner) + foot + px(16)
        words = least + self._text.heightForWidth(inner) + px(4)
        self._glyph.setVisible(self.height() >= max(px(130), words + px(50)))
        told = self.height() >= words
        self._text.setVisible(told)
        self.setToolTip("" if told else self._state.text)


class EmptyState(StateCard):
    """A card that states what a panel is for and what it waits for."""

    def __init__(self, theme: Theme, icon: str, heading: str, text: str):
        super().__init__(theme, CardState("empty", heading, text, icon))
