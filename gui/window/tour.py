"""The guided tour: cards that point at parts of the window while the sample episode is played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QFrame, QWidget
from shiboken6 import isValid

from core.app.run_request import Request
from core.planning.search_facets import Ranking
from gui.control.console import Console
from gui.control.kept_settings import KeptSettings
from gui.control.key_labels import with_keys
from gui.theme.boxes import hbox, vbox
from gui.theme.screens import beside
from gui.widgets import Button, Line, Prose
from gui.widgets.text import PaintedWidget
from gui.window.main_window import MainWindow

SEEN = "tour seen"
"""The setting that tells whether the tour was begun or dismissed; the first card offers it no more then."""
WIDE, GAP = 372, 10
"""Pixels at 100 % text size: width of the card, and its distance from what it points at."""


@dataclass(frozen=True, slots=True)
class Step:
    """One card.

    Attributes:
        heading: its heading.
        text: its text. It names keys in braces, as `with_keys` does.
        target: the panel it points at, by name, or a function that returns a part of the window; None: it points at nothing.
        is_done: returns whether the state it waits for is reached. Until then Next is replaced by what leads there.
        act: the text of that button and what it does; None: it waits for the program.
    """

    heading: str
    text: str
    target: str | Callable[[MainWindow], QWidget] | None = None
    is_done: Callable[[Console], bool] = lambda console: True
    act: tuple[str, Callable[[Console], object]] | None = None


STEPS = (
    Step("Two minutes with a robot",
         "A robot in a home has a task. You watch its planner think, and may question and correct it. Keys of this tour:"
         " Enter goes on, Backspace goes back, Esc ends it."),
    Step("The task",
         "In plain words, and below as conditions that are checked. A click on one selects its objects. Edit the task "
         "with {Ctrl+G}.", lambda window: window.bar.goal, lambda console: console.snapshot.turn > 0),
    Step("One action at a time",
         "Step lets the planner think once and do one action ({Right}). Run goes on until you pause ({Space}).",
         lambda window: window.bar.controls.step, lambda console: len(console.snapshot.line) > 0,
         ("Step", lambda console: console.step())),
    Step("What it could do",
         "Actions, best first. P is what the model expects, N how often the search tried it, Q what it is worth, Loss "
         "what it would cost to take it instead.", "ranking",
         lambda console: Ranking in console.snapshot.facets),
    Step("What it imagined",
         "The search, from left to right. The top row is the line it tried most often. Rest on a row of the ranking to "
         "see its line here.", "tree"),
    Step("Where it thinks things are",
         "A row for each object, a column for each place. Drag a cell up or down if you know better: the planner obeys. "
         "{Ctrl+Z} takes it back.", "belief"),
    Step("What it asked",
         "Every question to the model, with prompt, answer and cost. Without a model, rules answer; they are not an LLM."
         " Connect a model with {Ctrl+M}.", "calls"),
    Step("If you know better",
         "Override the next action with {O}: the list shows all actions, and why some are not possible now.",
         lambda window: window.bar.controls.override),
    Step("Going back",
         "A block for each turn. A click on a block shows everything as it was then; there you can fork the run with "
         "{Ctrl+Shift+F}. {End} leads back to the present.", lambda window: window.timeline,
         lambda console: console.moment is not None or len(console.snapshot.line) > 1,
         ("Do one more step", lambda console: console.step())),
    Step("Now you",
         "The menu has every command ({F10}), and {Ctrl+K} finds one by a few letters. {F1} explains the panel with the "
         "focus. Record with {R}; {Space} lets the robot go on.", lambda window: window.bar.menu_anchor()),
)


class Outline(PaintedWidget):
    """A border around what a card points at. It lets all input through."""

    def __init__(self, window: MainWindow):
        super().__init__(window)
        self._theme = window.context.theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paint(self, painter: QPainter) -> None:
        """Paints the border."""
        painter.setPen(QPen(self._theme.colour("accent"), 3))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 8, 8)


class TourCard(QFrame):
    """The card: how far, heading, text, Back, End, Next.

    Args:
        window: the window it lies on.
        turn: goes by a number of steps.
        end: ends the tour.
    """

    def __init__(self, window: MainWindow, turn: Callable[[int], object], end: Callable[[], object]):
        super().__init__(window)
        theme = window.context.theme
        self._turn, self._end = turn, end
        self.setObjectName("Dialog")
        self.setAccessibleName("Guided tour")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.place_words = Line(theme, "", "small", "muted")
        self.heading = Line(theme, "", "heading", "text", 650)
        self.text = Prose(theme, "", "body", "text")
        self.back = Button(theme, "Back", "left", act=partial(turn, -1))
        self.skip = Button(theme, "End tour", act=end)
        self.next = Button(theme, "Next", "right", "primary", partial(turn, 1))
        vbox(theme, self.place_words, self.heading, self.text, 4, hbox(theme, self.back, self.skip, 0, self.next, spacing=8),
             on=self, spacing=6, margins=(16, 12, 16, 12))

    def fit(self, theme_px: Callable[[float], int]) -> None:
        """Takes the height that its text needs."""
        self.setFixedWidth(theme_px(WIDE))
        layout = self.layout()
        high = layout.totalHeightForWidth(theme_px(WIDE)) if layout is not None else -1
        self.setFixedHeight(high if high > 0 else self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Enter goes on, Backspace goes back. Other keys are the window's."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.next.click()
        elif event.key() == Qt.Key.Key_Backspace:
            self.back.click()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Claims Esc while the card has the focus, before the window's action does."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._end()
                return True
        return super().event(event)


class Tour(QObject):
    """Shows the cards one after the other. It never touches a run of the operator.

    Args:
        window: the window.
        settings: remember that the tour was seen.

    Attributes:
        sample: the request of the sample episode; None: that of the window.
        step: the index of the step on show, or -1.
    """

    def __init__(self, window: MainWindow, settings: KeptSettings):
        super().__init__(window)
        self._window, self._console, self._settings = window, window.console, settings
        self.sample: Request | None = None
        self.step = -1
        self.card: TourCard | None = None
        self._outline = Outline(window)
        self._target: QWidget | None = None
        console = window.console
        for changed in (console.live_snapshot, console.shown_changed, console.request_changed, console.replay.changed,
                        console.trouble_changed):
            changed.connect(self._follow)
        window.context.theme_changed.connect(self._place)
        window.context.keys_changed.connect(self._show)
        window.asked_tour.connect(self.begin)

    @property
    def shown(self) -> bool:
        """Whether a card is shown."""
        return self.card is not None

    def begin(self) -> None:
        """Begins the tour with the sample episode, unless a run is under way or a recording is shown."""
        console = self._console
        if console.replaying:
            console.message.emit("The tour plays the sample episode: close the recording first", "warn")
            return
        if console.begun and console.snapshot.ended is None and console.runner.phase in ("preparing", "live"):
            console.message.emit("The tour plays the sample episode: stop your run first. It stays in the Runs list", "warn")
            return
        self._settings.set_value(SEEN, True)
        self._window.task_card.close_card()
        self._window.leave_frames_only()
        if self.sample is not None and console.request != self.sample:
            console.choose(self.sample, "Guided tour")
        elif console.begun:
            console.prepare()
        if self.card is None:
            self.card = TourCard(self._window, self.turn, self.end)
            self._window.installEventFilter(self)
        self.step = 0
        self._show()

    def end(self) -> None:
        """Closes the card. The episode stays as it is."""
        card, self.card, self.step = self.card, None, -1
        self._point_at(None)
        self._window.removeEventFilter(self)
        if card is not None:
            card.hide()
            card.deleteLater()
            self._window.stage.card.take_focus()

    def turn(self, by: int) -> None:
        """Goes on or back; where a state is waited for, does what leads there instead of going on."""
        step = STEPS[self.step]
        if by > 0 and not step.is_done(self._console):
            if step.act is not None:
                step.act[1](self._console)
            return
        if self.step + by >= len(STEPS):
            self.end()
        elif self.step + by >= 0:
            self.step += by
            self._show()

    def _follow(self, *_: object) -> None:
        """Follows the run. Ends the tour when the operator turns to something else."""
        if self.card is None:
            return
        if self._console.replaying or self._console.trouble is not None or (
                self.sample is not None and self._console.request != self.sample):
            self.end()
        else:
            self._show_buttons(self.card)

    def _show(self) -> None:
        if self.card is None:
            return
        step, card = STEPS[self.step], self.card
        if isinstance(step.target, str):
            self._window.show_panel(step.target)
            self._point_at(self._window.docks[step.target])
        else:
            self._point_at(step.target(self._window) if step.target is not None else None)
        card.place_words.say(f"{self.step + 1} of {len(STEPS)}")
        card.heading.say(step.heading)
        card.text.say(with_keys(self._window.context, step.text))
        self._show_buttons(card)
        self._place()
        card.show()
        card.raise_()
        card.setFocus()

    def _show_buttons(self, card: TourCard) -> None:
        step, done = STEPS[self.step], STEPS[self.step].is_done(self._console)
        busy = self._console.running or (self._console.begun and self._console.snapshot.status == "thinking")
        last = self.step == len(STEPS) - 1
        words = "Done" if last else "Next" if done else step.act[0] if step.act is not None and not busy else "One moment …"
        if card.next.text().strip() != words:
            card.next.dress(words, "check" if last else "right" if done else "step")
        card.next.setEnabled(done or (step.act is not None and not busy))
        card.back.setEnabled(self.step > 0)

    # --- where it is ---------------------------------------------------------
    def _point_at(self, target: QWidget | None) -> None:
        if self._target is not None and isValid(self._target):
            self._target.removeEventFilter(self)
        self._target = target
        if target is not None:
            target.installEventFilter(self)
        self._outline.setVisible(target is not None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Moves with the window and with what the card points at."""
        del watched
        if self.card is not None and event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.LayoutRequest):
            self._place()
        return False

    def _place(self) -> None:
        card, window, target = self.card, self._window, self._target
        if card is None:
            return
        px, room = window.context.theme.px, window.rect().adjusted(8, 8, -8, -8)
        card.fit(px)
        if target is None or not isValid(target) or target.window() is not window:  # a floating panel needs no arrow
            self._outline.hide()
            card.move(room.center() - card.rect().center())
            return
        pointed = QRect(target.mapTo(window, QPoint(0, 0)), target.size())
        self._outline.setGeometry(pointed.adjusted(-3, -3, 3, 3))
        self._outline.show()
        self._outline.raise_()
        card.move(beside(pointed, card.size(), room, px(GAP)).topLeft())
        card.raise_()

