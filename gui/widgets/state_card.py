"""Widgets that show a state: a card in place of the content, an overlay over it, a banner above it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets.buttons import Button
from gui.widgets.painting import CENTRE, Shape, draw_block, draw_mark, draw_text, text_width
from gui.widgets.text import Line, PaintedWidget, Prose, ThemedWidget

Kind = Literal["empty", "waiting", "failed", "missing", "large", "done"]
LEAST_WORDS = 240
"""Width in pixels at 100 % text size below which texts have too little room beside buttons."""
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
    act: Callable[[], object] | None = field(default=None, compare=False)
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


class Glyph(PaintedWidget):
    """The mark of a state, with a radius in pixels. The arc of waiting turns, unless motion is reduced."""

    def __init__(self, theme: Theme, radius: int = 20):
        super().__init__()
        self._theme, self._state, self._turned, self._radius = theme, CardState("empty", "", ""), 0, radius
        self._timer = QTimer(self)
        self._timer.setInterval(50)
        self._timer.timeout.connect(self._turn)

    def restyle(self) -> None:
        """Takes the height for the current text size; otherwise the mark would be cut after the text became larger."""
        self.setFixedHeight(self._theme.px(2 * self._radius + 6))

    def show_state(self, state: CardState) -> None:
        """Shows another state."""
        self._state = state
        self.restyle()
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

    def paint(self, painter: QPainter) -> None:
        """Paints the mark and its glyph."""
        theme, state = self._theme, self._state
        x, y, r = self.width() / 2, self.height() / 2, theme.px(self._radius)
        if state.kind == "waiting":
            self._arc(painter, x, y, r)
        else:
            shape, fill, line = _SHAPES[state.kind]
            draw_mark(painter, shape, x, y, r, theme.colour(fill), theme.colour(line))
            side = theme.px(self._radius)
            picture = theme.pixmap(state.icon or _ICONS[state.kind], side, _TONES[state.kind])
            painter.drawPixmap(int(x - side / 2), int(y - side / 2), picture)

    def _arc(self, painter: QPainter, x: float, y: float, r: float) -> None:
        theme = self._theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("line"), 3))
        painter.drawEllipse(QPointF(x, y), r - 1, r - 1)
        painter.setPen(QPen(theme.colour("accent"), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(QRectF(x - r + 1, y - r + 1, 2 * r - 2, 2 * r - 2), (90 - self._turned) * 16, -110 * 16)
        draw_text(painter, theme, QRectF(x - r, y - r, 2 * r, 2 * r), self._state.inside, "micro", "text", 600, CENTRE)


class Command(PaintedWidget):
    """A command to copy, in the monospaced font on a sunken block."""

    def __init__(self, theme: Theme, text: str):
        super().__init__()
        self._theme, self._text = theme, text
        self.restyle()
        self.setAccessibleName(text)
        self.setToolTip(text)

    def restyle(self) -> None:
        """Takes the height for the current text size."""
        self.setFixedHeight(self._theme.px(26))

    def paint(self, painter: QPainter) -> None:
        """Paints the block and the text."""
        draw_block(painter, self._theme, QRectF(self.rect()), "sunken", radius=5)
        room = QRectF(self.rect()).adjusted(8, 0, -8, 0)
        draw_text(painter, self._theme, room, self._text, "small", align=CENTRE, mono=True)


def _button_width(theme: Theme, action: StateAction) -> int:
    """Returns the width in pixels of an action's button in a banner of one line, with the gap beside it."""
    return int(text_width(theme, action.text, "body", 600)) + theme.px(48)


def state_buttons(theme: Theme, actions: tuple[StateAction, ...]) -> list[Button]:
    """Returns buttons for the actions."""
    return [Button(theme, a.text, a.icon, "primary" if a.primary else "plain", a.act) for a in actions]


class StateCard(ThemedWidget):
    """A widget that fills a panel with a state, centred. In a low panel the glyph is hidden before the words."""

    def __init__(self, theme: Theme, state: CardState | None = None):
        super().__init__()
        self._theme, self._state = theme, CardState("empty", "", "")
        self._glyph = Glyph(theme)
        self._heading = Prose(theme, "", "body", "text", 600, centred=True)
        self._text = Prose(theme, "", "small", "muted", centred=True)
        self._foot = vbox(theme)
        self._acts: QBoxLayout | None = None
        """The buttons of the state's actions: side by side, or below each other where they would be cut."""
        self._column = vbox(theme, 0, self._glyph, self._heading, self._text, self._foot, 0, on=self)
        self.restyle()
        if state is not None:
            self.show_state(state)

    def restyle(self) -> None:
        """Sets the margins for the current text size."""
        px = self._theme.px
        self._column.setSpacing(px(4))
        self._foot.setSpacing(px(8))
        self._space_foot()
        self._fit()

    def _space_foot(self) -> None:
        """Sets the margins of the foot.

        A layout takes its margins even if it is empty; in a low card they would cut off the sentences.
        """
        self._foot.setContentsMargins(0, self._theme.px(8) if self._foot.count() else 0, 0, 0)

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
        self._acts = None
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
        self._acts = hbox(self._theme, 0, *state_buttons(self._theme, actions), 0, on=holder, spacing=8, margins=FLUSH)
        return holder

    def _turn_acts(self, width: int) -> None:
        """Places the buttons side by side if they fit a width in pixels, otherwise below each other."""
        if self._acts is None:
            return
        needed = sum(_button_width(self._theme, action) for action in self._state.actions)
        down = len(self._state.actions) > 1 and needed > width - self._theme.px(32)
        self._acts.setDirection(QBoxLayout.Direction.TopToBottom if down else QBoxLayout.Direction.LeftToRight)

    def _least(self, width: int) -> int:
        """Returns the height of heading and buttons in a width, in pixels."""
        px = self._theme.px
        self._turn_acts(width)
        foot = self._foot.sizeHint().height() + px(4) if self._foot.count() else 0
        return self._heading.heightForWidth(max(1, width - px(32))) + foot + px(16)

    def height_of_words(self, width: int) -> int:
        """Returns the height in pixels at which a card of a width shows all of its words and buttons."""
        return self._least(width) + self._height_of_text(width)

    def _height_of_text(self, width: int) -> int:
        """Returns the height of the sentences in a width, in pixels."""
        px = self._theme.px
        return self._text.heightForWidth(max(1, width - px(32))) + px(4)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Hides what does not fit."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Hides the glyph first in a low card, then the sentences, which the tooltip then shows. Heading and buttons stay.

        Where they have no room otherwise, there are no margins above and below them.
        """
        px = self._theme.px
        least = self._least(self.width())
        above = px(6) if self.height() >= least else 0
        self._column.setContentsMargins(px(16), above, px(16), above)
        words = least + self._height_of_text(self.width())
        self._glyph.setVisible(self.height() >= max(px(130), words + px(50)))
        fits = self.height() >= words
        self._text.setVisible(fits)
        self.setToolTip("" if fits else self._state.text)


class EmptyState(StateCard):
    """A card that states what a panel is for and what it waits for."""

    def __init__(self, theme: Theme, icon: str, heading: str, text: str):
        super().__init__(theme, CardState("empty", heading, text, icon))


class StaleOverlay(PaintedWidget):
    """A widget that covers another and follows its size. Clicks go through it."""

    def __init__(self, theme: Theme, over: QWidget, text: str = ""):
        super().__init__(over)
        self._theme, self._text = theme, text
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        over.installEventFilter(self)
        self.setGeometry(over.rect())
        self.setVisible(bool(text))

    def say(self, text: str) -> None:
        """Dims the covered widget and shows why (`From turn 6 · new search in a moment`). An empty text hides the overlay."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.update()
        self.setVisible(bool(text))
        if text:
            self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Follows the size of the covered widget."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False

    def paint(self, painter: QPainter) -> None:
        """Paints a tint, and a pill with the text near the bottom."""
        theme = self._theme
        painter.fillRect(self.rect(), theme.tinted("surface", 0.55))
        high = theme.px(26)
        text, most = self._text, self.width() - 12.0
        if text_width(theme, text, "small", 500) + theme.px(32) > most:
            text = text.partition(" · ")[0]
        width = min(most, text_width(theme, text, "small", 500) + theme.px(32))
        pill = QRectF((self.width() - width) / 2, self.height() - high - theme.px(12), width, high)
        draw_block(painter, theme, pill, "raised", "line_strong", high / 2)
        draw_text(painter, theme, pill.adjusted(8, 0, -8, 0), text, "small", "text", 500, CENTRE)


class Banner(ThemedWidget):
    """A banner of about 62 px, or higher if its text needs several lines. A `low` one has 38 px and its text in one line."""

    def __init__(self, theme: Theme, state: CardState, *, low: bool = False):
        super().__init__()
        self._theme, self._state, self.low = theme, state, low
        self.setAccessibleName(state.heading)
        self.setAccessibleDescription(state.text)
        self._glyph = Glyph(theme, 11 if low else 20)
        form = Line if low else Prose
        self._heading, self._text = form(theme, state.heading, "body", "text", 600), form(theme, state.text, "small", "muted")
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed if low else QSizePolicy.Policy.Preferred)
        words = self._heading, (self._text, 1)
        self._words: QBoxLayout = hbox(theme, *words) if low else vbox(theme, 0, *words, 0)
        self._buttons = state_buttons(theme, state.actions)
        self._row = hbox(theme, self._glyph, (self._words, 1), hbox(theme, 0, *self._buttons, spacing=8), on=self)
        self.restyle()

    def restyle(self) -> None:
        """Sets the sizes for the current text size."""
        px, low = self._theme.px, self.low
        self._row.setContentsMargins(px(12), px(4 if low else 7), px(6 if low else 12), px(4 if low else 7))
        self._row.setSpacing(px(8 if low else 12))
        self._words.setSpacing(px(10) if low else 0)
        self._glyph.show_state(self._state)
        self._glyph.setFixedWidth(px(24 if low else 46))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Puts the buttons under the texts if both have too little room side by side."""
        super().resizeEvent(event)
        if self.low:
            self._fit_low()
            return
        stacked = self._room(self.width()) < self._theme.px(LEAST_WORDS)
        self._row.setDirection(QBoxLayout.Direction.TopToBottom if stacked else QBoxLayout.Direction.LeftToRight)
        self._glyph.setVisible(not stacked)
        self._fit_buttons(narrow=False)

    @staticmethod
    def line_width(theme: Theme, state: CardState) -> int:
        """Returns the width in pixels in which a `low` banner shows all of a state."""
        return (int(text_width(theme, state.heading, "body", 600)) + int(text_width(theme, state.text))
                + sum(_button_width(theme, action) for action in state.actions) + theme.px(18 + 8 + 32 + 10) + 6)

    def _fit_low(self) -> None:
        """Hides what does not fit: the sentence first, then the texts of the buttons, then the glyph."""
        px, theme = self._theme.px, self._theme
        heading = int(text_width(theme, self._state.heading, "body", 600)) + 2
        full = sum(_button_width(theme, action) for action in self._state.actions)
        room = self.width() - px(18) - heading - px(8)
        narrow = room < full + px(32)
        buttons = px(42) * len(self._buttons) if narrow else full
        self._glyph.setVisible(room >= buttons + px(40))
        left = room - buttons - (px(32) if not self._glyph.isHidden() else 0)
        self._text.setVisible(left >= min(px(120), text_width(theme, self._state.text)))
        self.setToolTip(f"{self._state.heading}\n{self._state.text}")
        self._fit_buttons(narrow)

    def _fit_buttons(self, narrow: bool) -> None:
        for button, action in zip(self._buttons, self._state.actions, strict=True):
            button.setText("" if narrow and action.icon else f" {action.text}")
            button.setToolTip(action.text if narrow else "")

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the size that shows all texts."""
        px, state = self._theme.px, self._state
        words = max(text_width(self._theme, state.heading, "body", 600), text_width(self._theme, state.text))
        buttons = sum(int(text_width(self._theme, a.text, "body", 600)) + px(58) for a in state.actions)
        return QSize(int(words) + buttons + px(46 + 12 * 3 + 8), px(38 if self.low else 62))

    def high_at(self, width: int) -> int:
        """Returns the height in pixels at which all of the text is shown in a width."""
        hint, state = self.sizeHint(), self._state
        if self.low:
            return hint.height()
        px, beside = self._theme.px, self._room(width)
        stacked = beside < px(LEAST_WORDS)
        room = QRect(0, 0, width - px(24) if stacked else beside, 10_000)
        lines = sum(fonts.boundingRect(room, Qt.TextFlag.TextWordWrap, text).height() for fonts, text in (
            (self._theme.metrics("body", 600), state.heading), (self._theme.metrics("small"), state.text)))
        return max(0 if stacked else hint.height(), int(lines) + px(18 + (40 if stacked else 0)))

    def _room(self, width: int) -> int:
        """Returns the width in pixels that the buttons leave for the texts in a banner of a width."""
        state = self._state
        words = max(text_width(self._theme, state.heading, "body", 600), text_width(self._theme, state.text))
        return width - self.sizeHint().width() + int(words)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the least size. The texts are cut to fit any width."""
        return QSize(self._theme.px(60), self.sizeHint().height())
