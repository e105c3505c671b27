"""The bar over the frames when they are shown alone: what the robot does and why, in words that visitors understand."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QSizePolicy, QVBoxLayout

from core.session.plain_turn import PlainTurn, plain_turn
from gui.control.console import Console
from gui.control.key_labels import KeyLabel
from gui.control.snapshot_texts import run_word
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import Button, Prose, text_width
from gui.window.goal_box import GoalBox
from gui.window.status_line import MESSAGE


class VisitorBar(QFrame):
    """The action in large letters, the reason as one sentence, the goal, and what a visitor can do.

    The goal field is the operator bar's, which is hidden meanwhile, so that a task is typed and read in one way.
    """

    def __init__(self, console: Console):
        super().__init__()
        theme = console.context.theme
        self._console, self._theme = console, theme
        self._shown: tuple[object, ...] = ()
        self.setObjectName("Card")
        self.setAccessibleName("Visitor bar")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.act, self.why = Prose(theme, "", "display", "text", 650), Prose(theme, "", "heading", "muted")
        self.run = Button(theme, "Run", "run", "primary")
        self.other = Button(theme, "Do something else", "override")
        self.change = Button(theme, "Move the selected object", "boxes")
        self.back = Button(theme, "All panels", "layout")
        KeyLabel(console.context, self.back, self.back.setToolTip, "All panels ({F11})")
        self.goal_place = QVBoxLayout()
        self.goal_place.setContentsMargins(*FLUSH)
        self._buttons = hbox(theme, self.run, self.other, self.change, 0, self.back, spacing=8)
        self._halves = hbox(theme, (vbox(theme, 0, self.act, self.why, 0, spacing=4), 1),
                            (vbox(theme, self.goal_place, self._buttons, spacing=8), 1), on=self, spacing=20,
                            margins=(16, 10, 12, 10))
        self._message_ends = QTimer(self, singleShot=True, interval=MESSAGE)
        self._message_ends.timeout.connect(self._end_message)
        for change in (console.shown_changed, console.live_snapshot, console.runner.phase_changed, console.replay.changed):
            change.connect(self.refresh)
        console.message.connect(self._show_message)
        console.message_over.connect(lambda text: self._end_message() if self.why.text() == text else None)

    def use_actions(self, actions: Mapping[str, QAction]) -> None:
        """Makes the buttons trigger the window's actions, given by name."""
        for name, button in (("run", self.run), ("override", self.other), ("change world", self.change),
                             ("visitors", self.back)):
            button.clicked.connect(actions[name].trigger)

    def take_goal(self, goal: GoalBox) -> None:
        """Takes the goal field from the operator bar."""
        self.goal_place.addWidget(goal)

    def refresh(self) -> None:
        """Shows the action and the reason of the moment shown, and enables what can be done now."""
        if not self.isVisible():
            return
        console, snapshot = self._console, self._console.shown
        live = console.runner.phase in ("preparing", "live") and not console.replaying
        word = run_word(console.running, console.replaying, can_run_again=live and snapshot.ended is not None)
        if self.run.text().strip() != word:
            self.run.dress(word, "pause" if console.running else "run")
        may_act = live and console.moment is None and snapshot.ended is None and snapshot.turn > 0
        self.other.setEnabled(may_act)
        self.change.setEnabled(snapshot.turn > 0)
        now = (snapshot.began, snapshot.facets, snapshot.current, snapshot.progress, snapshot.status, snapshot.failure,
               snapshot.ended, console.context.live, console.begun, console.runner.phase)
        if len(now) != len(self._shown) or any(a is not b for a, b in zip(now, self._shown, strict=True)):
            self._shown = now
            self._show_turn()

    def _show_turn(self) -> None:
        """Shows the action, and the reason unless a message is shown in its place."""
        console, snapshot = self._console, self._console.shown
        turn = plain_turn(snapshot).with_names(self._console.context.names.of(snapshot).display)
        if not console.begun and not console.replaying and snapshot.ended is None:
            turn = PlainTurn("Opening the scene" if console.runner.phase == "preparing" else "Ready")
        past = f"Turn {snapshot.turn}: " if turn.act and not console.context.live else ""
        self.act.say(f"{past}{turn.act}" or "Ready", "text")
        self._fit()
        if not self._message_ends.isActive():
            self.why.set_role("heading")
            self.why.say(turn.why, "muted")

    def _show_message(self, text: str, tone: str) -> None:
        """Shows a message in place of the reason for a while, because the status line is hidden."""
        if self.isVisible():
            self.why.set_role("body")  # it may be long
            self.why.say(text, tone)
            self._message_ends.start()

    def _end_message(self) -> None:
        self._message_ends.stop()
        self._show_turn()

    def _fit(self) -> None:
        """Puts the texts above the goal where the buttons take more than half the width, and makes a long action smaller."""
        gaps = self._halves.contentsMargins().left() + self._halves.contentsMargins().right() + self._halves.spacing()
        is_narrow = 2 * self._buttons.minimumSize().width() + gaps > self.width()
        self._halves.setDirection(QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight)
        is_long = text_width(self._theme, self.act.text(), "display", 650) > self.act.width() - 2
        self.act.set_role("heading" if is_long else "display")
        # Left to itself, the tool bar would give it the height that the texts have in a narrower column.
        self.setFixedHeight(self._halves.totalHeightForWidth(self.width()))

    def event(self, event: QEvent) -> bool:
        """Fits the bar to texts and a goal field that have changed."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Fits the action into the new width."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Shows the present moment."""
        super().showEvent(event)
        self.refresh()
