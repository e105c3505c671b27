"""The operator bar: controls and parts of the run, the goal, the budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from core.goals.literals import LiteralProgress
from core.session.snapshot import Snapshot
from gui.control.background import GoalReader
from gui.control.choices import answerers
from gui.control.console import Console
from gui.control.context import Selected
from gui.control.key_labels import KeyLabel
from gui.recordings.recorders import Recorders
from gui.theme import Theme
from gui.widgets import Button, Picker, Tool, tool_action
from gui.widgets.seed_box import SeedBox
from gui.window.goal_box import GoalBox
from gui.window.meters import Meters

LONG_PRESS = 450
"""Milliseconds after which Step offers one action or one checkpoint."""

ROOMY, COMPACT, NARROW = 556, 340, 280
"""Least width of the buttons and pickers at 100 % text size, in pixels: with all texts, with texts in pickers only, cut off."""
GOAL, METERS = 280, 358
"""Width of the goal and of the budget at 100 % text size, beside buttons with text, in pixels."""


@dataclass(frozen=True, slots=True)
class BarFit:
    """How much the parts of the operator bar show.

    Attributes:
        words: whether buttons show text; otherwise all but Run show only icons.
        dice: whether the seed has its dice beside it.
        left: width of the buttons and pickers in pixels.
        columns: columns of the budget, 3 or 2.
    """

    words: bool
    dice: bool
    left: int
    columns: int


def bar_fit(room: int, whole: int, dice: int, scale: float) -> BarFit:
    """Returns what fits. It depends on the room alone, so that a width always looks the same, whatever it was before.

    Args:
        room: width of the three blocks in pixels.
        whole: width in pixels of pickers that show every value in full, with the seed but without its dice.
        dice: width of the dice in pixels.
        scale: text size; 1 is 100 %.
    """
    def px(pixels: int) -> int:
        return round(pixels * scale)

    for with_dice, pickers in ((True, whole + dice), (False, whole)):
        left = max(px(ROOMY), pickers)
        if left + px(GOAL + METERS) <= room:
            return BarFit(True, with_dice, left, 3)
    whole = max(px(COMPACT), whole)
    if whole + px(200 + 276) <= room:
        return BarFit(False, False, whole, 3)
    return BarFit(False, False, max(px(NARROW), min(whole, room - px(135 + 168))), 2)


class OperatorBar(QFrame):
    """Three blocks, 82 px high. If it is narrow or the text is large, all buttons but Run show only icons."""

    def __init__(self, console: Console, recorders: Recorders, reader: GoalReader, actions: dict[str, Callable[[], object]]):
        """Creates the bar.

        Args:
            console: the run as a whole.
            recorders: knows whether a recording is on.
            reader: parses the goal while it is typed.
            actions: functions for `override`, `record` and `palette`.
        """
        super().__init__()
        self._console, self._theme, self._reader = console, console.context.theme, reader
        self.setObjectName("Card")
        self.setAccessibleName("Operator bar")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.controls = Controls(self._theme, console, actions)
        self.pickers = Pickers(self._theme, console)
        self.goal = GoalBox(console.context)
        self.dice = Tool(self._theme, tool_action(self, self._theme, "Draw another task for this scene", "dice",
                                                  console.asked_task.emit))
        self.goal.set_corner(self.dice)
        self.meters = Meters(self._theme, console, actions["palette"])
        self._left = QWidget()
        self._column = QVBoxLayout(self._left)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.controls)
        self._column.addWidget(self.pickers)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._left)
        self._row.addWidget(self.goal, 1)
        self._row.addWidget(self.meters)
        recorders.changed.connect(lambda: self.controls.show_recorder(recorders.on))
        self._connect()
        self._restyle()

    def _connect(self) -> None:
        console = self._console
        self.goal.typed.connect(self._on_typed)
        self.goal.entered.connect(console.run_request.set_goal)
        self.goal.literal_clicked.connect(self._on_literal)
        self._reader.read.connect(self.goal.show_reading)
        console.live_snapshot.connect(self.show_snapshot)
        console.request_changed.connect(lambda _: self.refresh())
        console.choices_changed.connect(self.refresh)
        console.models.changed.connect(self.refresh)  # a longer model name may leave no room for text on buttons
        console.runner.phase_changed.connect(lambda _: self.refresh())
        console.trouble_changed.connect(lambda _: self.refresh())
        console.replay.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Updates everything from the present state."""
        self.show_snapshot(self._console.snapshot)
        self.pickers.refresh()
        self._arrange()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows controls, goal and meters of the present; of a recording, those of the moment shown."""
        if self._console.replaying:
            snapshot = self._console.shown
        self.controls.show_snapshot(snapshot)
        goal = snapshot.goal
        task = self._console.request.task or (goal.text if goal is not None else "")
        stale = goal is not None and bool(self._console.request.task) and goal.text != self._console.request.task.strip()
        self.goal.show_goal(task, () if stale else snapshot.progress)
        self.meters.show_snapshot(snapshot)

    def _on_typed(self, text: str) -> None:
        if text.strip():
            self._reader.ask(replace(self._console.request, task=text))
        else:
            self._reader.forget()

    def _on_literal(self, progress: LiteralProgress) -> None:
        """Selects what the literal is about: an object that satisfies it, otherwise a visible object of its class."""
        literal, seen = progress.literal, self._console.shown.seen
        known = () if seen is None else (*seen.entities, *seen.landmarks)
        for name in (literal.subject, literal.target):
            ids = progress.subjects if name == literal.subject else ()
            ids = ids or tuple(e.id for e in known if name in (e.cls, e.id))
            if ids:
                self._console.context.selection.select(Selected("thing", ids[0]))
                return

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Decides how much the buttons show."""
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts to a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        px = self._theme.px
        self.setFixedHeight(px(64) + px(9) * 2)
        self._row.setContentsMargins(px(9), px(8), px(9), px(8))
        self._row.setSpacing(px(12))
        self._column.setSpacing(px(8))
        self._arrange()

    def _arrange(self) -> None:
        theme, seed = self._theme, self.pickers.seed
        fit = bar_fit(self.width() - theme.px(42), self.pickers.natural_width(), seed.dice_width(), theme.scale)
        self.controls.compact(not fit.words)
        seed.compact(not fit.dice)
        self._left.setFixedWidth(fit.left)
        self.meters.fit(not fit.words, fit.columns)


class Controls(QWidget):
    """Run, step, stop, override, record. Run is the only filled button."""

    def __init__(self, theme: Theme, console: Console, actions: dict[str, Callable[[], object]]):
        super().__init__()
        self._theme, self._console, self._compact = theme, console, False
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self.run = Button(theme, "Run", "run", "primary", console.run_or_pause)
        self.step = Button(theme, "Step", "step")
        self.stop = Button(theme, "Stop", "stop", act=console.stop)
        self.override = Button(theme, "Override", "override", act=actions["override"])
        self.record = Button(theme, "Record", "record", act=actions["record"])
        self._words = {self.step: ("Step", "step"), self.stop: ("Stop", "stop"), self.override: ("Override", "override"),
                       self.record: ("Record", "record")}
        tips = ("Run ({Space})", "Step ({Right}); hold for more", "Stop ({Ctrl+.})", "Override ({O})", "Record ({R})")
        buttons = (self.run, *self._words)
        self._tips = {b: KeyLabel(console.context, b, b.setToolTip, tip) for b, tip in zip(buttons, tips, strict=True)}
        for button in buttons:
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._row.addWidget(button, 1)
        self._long_press = QTimer(self)
        self._long_press.setSingleShot(True)
        self._long_press.setInterval(LONG_PRESS)
        self._long_press.timeout.connect(self._offer_steps)
        self.step.pressed.connect(self._long_press.start)
        self.step.released.connect(self._step)

    def compact(self, compact: bool) -> None:
        """Shows only icons on all buttons but Run."""
        self._row.setSpacing(self._theme.px(5))
        for button in self._words:
            button.setMinimumWidth(self._theme.px(34) if compact else 0)
        if compact == self._compact:
            return
        self._compact = compact
        for button, (text, icon) in self._words.items():
            button.dress(text, icon)
            if compact:
                button.setText("")
            self._row.setStretchFactor(button, 1)
        self._row.setStretchFactor(self.run, 3 if compact else 1)

    def _step(self) -> None:
        if self._long_press.isActive():
            self._long_press.stop()
            self._console.step()

    def _offer_steps(self) -> None:
        menu = QMenu(self)
        menu.addAction("One action").triggered.connect(lambda: self._console.step("action"))
        menu.addAction("One checkpoint").triggered.connect(lambda: self._console.step("checkpoint"))
        menu.aboutToHide.connect(menu.deleteLater)
        self.step.setDown(False)
        menu.popup(self.step.mapToGlobal(self.step.rect().bottomLeft()))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Enables what can be done now."""
        console = self._console
        if console.replaying:
            self._show_replay(console.running)
            return
        self.record.setEnabled(True)
        running, alive = console.running, console.runner.phase in ("preparing", "live")
        word = "Pause" if running else "Run again" if snapshot.ended is not None and alive else "Run"
        if self.run.text().strip() != word:
            self.run.dress(word, "pause" if running else "run")
            self._tips[self.run].say(f"{word} ({{Space}})")
        ended = snapshot.ended is not None
        self.run.setEnabled(console.runner.phase != "stopping")
        self.step.setEnabled(alive and not ended)
        self.stop.setEnabled(alive and console.begun and not ended)
        self.override.setEnabled(alive and not ended and snapshot.turn > 0 and console.moment is None)

    def _show_replay(self, playing: bool) -> None:
        """Enables only playing and stepping, for a recording."""
        word = "Pause" if playing else "Play"
        if self.run.text().strip() != word:
            self.run.dress(word, "pause" if playing else "run")
            self._tips[self.run].say(f"{word} ({{Space}})")
        for button in (self.run, *self._words):
            button.setEnabled(button in (self.run, self.step))

    def show_recorder(self, on: bool) -> None:
        """Shows whether a recording is on."""
        word = "Recording" if on else "Record"
        if self._words[self.record][0] != word:
            self._words[self.record] = (word, "recording" if on else "record")
            self.record.dress(*self._words[self.record], "operator" if on else "plain")
            self._tips[self.record].say("Stop recording ({R})" if on else "Record ({R})")
            if self._compact:
                self.record.setText("")


class Pickers(QWidget):
    """Planner, simulator, scene, seed, provider."""

    def __init__(self, theme: Theme, console: Console):
        super().__init__()
        self._theme, self._console = theme, console
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self.planner = Picker(theme, "planner", "Planner", 119)
        self.simulator = Picker(theme, "simulator", "Simulator", 108)
        self.scene = Picker(theme, "scene", "Scene", 127)
        self.provider = Picker(theme, "provider", "Provider", 130, most=80)
        for picker in (self.planner, self.simulator, self.scene, self.provider):
            self._row.addWidget(picker)
            picker.opened.connect(console.asked_choices)
        self.seed = SeedBox(theme)
        self._row.insertWidget(3, self.seed)
        self.seed.chosen.connect(console.run_request.choose_seed)
        self.seed.rolled.connect(console.run_request.roll_seed)
        self.planner.picked.connect(console.run_request.choose_planner)
        self.planner.variant_picked.connect(console.run_request.choose_preset)
        self.simulator.picked.connect(console.run_request.choose_simulator)
        self.scene.picked.connect(console.run_request.choose_scene)
        self.provider.picked.connect(console.run_request.choose_provider)
        self.refresh()

    def refresh(self) -> None:
        """Shows the request."""
        request, choices = self._console.request, self._console.choices
        self.setEnabled(not self._console.replaying)
        self._row.setSpacing(self._theme.px(5))
        presets = choices.presets.get(request.planner, ())
        more = not choices.complete
        self.planner.offer(choices.planners_for(request.simulator), request.planner, presets, request.preset, more=more)
        self.simulator.offer(choices.simulators, request.simulator, more=more)
        self.scene.offer(choices.scenes.get(request.simulator, ()), request.scene, more=more)
        console = self._console
        self.provider.offer(answerers(request, choices, console.models), console.answerer().name, more=more)
        self.seed.show_seed(request.seed)
        self.share()

    def natural_width(self) -> int:
        """Width in pixels that shows every value in full, with the seed but without its dice."""
        pickers = (self.planner, self.simulator, self.scene, self.provider)
        return sum(picker.natural_width() for picker in pickers) + self.seed.field_width() + 4 * self._theme.px(5)

    def share(self) -> None:
        """Gives each picker room in proportion to its value's width."""
        for picker in (self.planner, self.simulator, self.scene, self.provider):
            self._row.setStretchFactor(picker, picker.natural_width())
            picker.setMinimumWidth(picker.minimumSizeHint().width())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts to a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.share()
