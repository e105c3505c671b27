"""The operator bar: controls and parts of the run, the goal, the budget."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QWidget

from core.app.run_request import Request
from core.goals.formal_text import formal
from core.goals.literals import LiteralProgress
from core.goals.reading import GoalReading, Question
from core.planning.belief_facets import Belief
from core.planning.whereabouts import where_is
from core.session import commands as c
from core.session.pace import PACES
from core.session.snapshot import Snapshot
from core.session.turns import leaving_turns
from gui.control.choices import answerers, planner_choices
from gui.control.console import Console
from gui.control.context import Selected
from gui.control.goal_reader import GoalReader
from gui.control.key_labels import KeyLabel
from gui.control.scene_choices import scene_choices
from gui.control.snapshot_texts import budget_of, run_word
from gui.recordings.recorders import Recorders
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import Button, Meter, Picker, PopupMenu, Tool
from gui.widgets.chooser import Choice
from gui.widgets.seed_box import SeedBox
from gui.widgets.text import ThemedWidget
from gui.window.goal_box import GoalBox

CALLS, TOKENS = (50, 200, 1_000, 5_000), (20_000, 100_000, 500_000, 2_000_000)
"""Limits to choose from."""
IS_MAC = sys.platform == "darwin"
"""macOS shows the menus at the top of the screen."""
LONG_PRESS = 450
"""Milliseconds after which Step offers one action or one checkpoint."""
ROOMY, COMPACT, NARROW = 556, 340, 280
"""Least width of the buttons and pickers at 100 % text size, in pixels: with all texts, with texts in pickers only, cut off."""
GOAL, METERS = 280, 358
"""Width of the goal and of the budget at 100 % text size, beside buttons with text, in pixels."""


def went_back(snapshot: Snapshot) -> bool:
    """Returns True if the run went back to before the last change of its goal, and pursues the goal of then again."""
    changed = next((mark for mark in reversed(snapshot.marks) if mark.kind == "goal"), None)
    return changed is not None and changed.turn >= leaving_turns(snapshot.branches, snapshot.branch).get(changed.branch, 0.0)


class OperatorBar(QFrame):
    """Three blocks, 82 px high. If it is narrow or the text is large, all buttons but Run show only icons.

    Its buttons do nothing until `use_actions`.
    """

    def __init__(self, console: Console, recorders: Recorders, reader: GoalReader):
        super().__init__()
        self._console, self._theme, self._reader = console, console.context.theme, reader
        self.setObjectName("Card")
        self.setAccessibleName("Operator bar")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.controls = Controls(self._theme, console)
        self.pickers = Pickers(self._theme, console)
        self.goal = GoalBox(console.context)
        self.meters = Meters(self._theme, console)
        self._left = QWidget()
        self._column = vbox(self._theme, self.controls, self.pickers, on=self._left, margins=(0, 0, 0, 0))
        self._goal_place = hbox(self._theme, self.goal, margins=FLUSH)
        self._row = hbox(self._theme, self._left, (self._goal_place, 1), self.meters, on=self)
        recorders.changed.connect(lambda: self.controls.show_recorder(recorders.on))
        self._connect()
        self._restyle()

    def _connect(self) -> None:
        console = self._console
        self.goal.typed.connect(self._on_typed)
        self.goal.entered.connect(console.run_request.set_goal)
        self.goal.literal_clicked.connect(self._on_literal)
        self.goal.edited.connect(lambda text, goal: self._reader.ask(replace(console.request, task=text, goal=goal)))
        self.goal.asked.connect(self._on_question)
        self.goal.asked_model.connect(self._reader.ask_model)
        self.goal.cancelled.connect(self._reader.cancel)
        self.goal.left.connect(self._reader.forget)
        console.task_read.connect(self._on_read, Qt.ConnectionType.QueuedConnection)
        self._reader.asking.connect(self.goal.show_asking)
        self._reader.read.connect(self.goal.show_reading)
        console.live_snapshot.connect(self.show_snapshot)
        console.request_changed.connect(lambda _: self.refresh())
        console.choices_changed.connect(self.refresh)
        console.models.changed.connect(self.refresh)  # a longer model name may leave no room for text on buttons
        console.runner.phase_changed.connect(lambda _: self.refresh())
        console.trouble_changed.connect(lambda _: self.refresh())
        console.replay.changed.connect(self.refresh)
        console.context.theme_changed.connect(self._restyle)

    def use_actions(self, actions: Mapping[str, QAction]) -> None:
        """Makes the buttons trigger the window's actions, given by name."""
        controls = self.controls
        for name, button in (("menu", controls.menu), ("run", controls.run), ("stop", controls.stop),
                             ("override", controls.override), ("record", controls.record),
                             ("palette", self.meters.palette_button)):
            button.clicked.connect(actions[name].trigger)
        self.dice = Tool(self._theme, actions["draw task"])
        self.goal.set_tools(self.dice, Tool(self._theme, actions["tasks"]), Tool(self._theme, actions["things"]))

    def take_goal(self) -> None:
        """Takes the goal field back from the visitors' bar."""
        self._goal_place.addWidget(self.goal)

    def menu_anchor(self) -> QWidget:
        """Returns what the menus open under."""
        return self.controls.menu if self.controls.menu.isVisible() else self.window()

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
        request = self._console.request
        stale = goal is not None and bool(request.task) and (
            goal.text != request.task.strip() or (bool(request.goal) and formal(goal) != request.goal))
        if stale and goal is not None and went_back(snapshot):
            self.goal.show_goal(goal.text, snapshot.progress, formal(goal))
        else:
            self.goal.show_goal(task, () if stale else snapshot.progress, request.goal)
        self.meters.show_snapshot(snapshot)
        self.pickers.show_answerer()

    def _on_read(self, request: Request, reading: GoalReading) -> None:
        """Shows how the task of the prepared run was read."""
        if request == self._console.request:
            self.goal.show_set(reading)

    def _on_typed(self, text: str) -> None:
        if text.strip():
            self._reader.ask(replace(self._console.request, task=text, goal=""))
        else:
            self._reader.forget()

    def _on_question(self, question: Question) -> None:
        """Answers for the moment shown, from what is seen and believed then. Before a run the reader's own answer stands."""
        snapshot, context = self._console.shown, self._console.context
        seen, belief = snapshot.seen, snapshot.facet(Belief)
        if seen is not None:
            when = f" (turn {max(1, snapshot.turn)})"
            context.jobs.do(lambda: where_is(question, seen, belief),
                            lambda told: self.goal.show_answer(question, told.removesuffix(".") + when), self._console.report)

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


class Controls(QWidget):
    """Run, step, stop, override, record. Run is the only filled button."""

    def __init__(self, theme: Theme, console: Console):
        super().__init__()
        self._theme, self._console, self._compact = theme, console, False
        self.menu = Button(theme, "", "menu")
        self.menu.setAccessibleName("Menu")
        KeyLabel(console.context, self.menu, self.menu.setToolTip, "Menu ({F10})")
        self.run = Button(theme, "Run", "run", "primary")
        words = (("Step", "step"), ("Stop", "stop"), ("Override", "override"), ("Record", "record"))
        self.step, self.stop, self.override, self.record = others = [Button(theme, *each) for each in words]
        self._words = dict(zip(others, words, strict=True))
        tips = ("Run ({Space})", "Step ({Right}); hold for more", "Stop ({Ctrl+.})", "Override ({O})", "Record ({R})")
        buttons = (self.run, *self._words)
        self._tips = {b: KeyLabel(console.context, b, b.setToolTip, tip) for b, tip in zip(buttons, tips, strict=True)}
        for button in buttons:
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._row = hbox(theme, *(() if IS_MAC else (self.menu,)), *((button, 1) for button in buttons), on=self,
                         margins=(0, 0, 0, 0))
        self._long_press = QTimer(self, singleShot=True, interval=LONG_PRESS)
        self._long_press.timeout.connect(self._offer_steps)
        self.run.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.run.customContextMenuRequested.connect(lambda _: self.offer_paces())
        self.step.pressed.connect(self._long_press.start)
        self.step.released.connect(self._step)

    def compact(self, compact: bool) -> None:
        """Shows only icons on all buttons but Run."""
        self._row.setSpacing(self._theme.px(5))
        self.menu.setFixedWidth(self._theme.px(30))
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
        menu = PopupMenu(self)
        menu.add("One action", partial(self._console.step, "action"))
        menu.add("One checkpoint", partial(self._console.step, "checkpoint"))
        self.step.setDown(False)
        menu.open_under(self.step)

    def offer_paces(self) -> PopupMenu:
        """Opens the menu of paces under Run."""
        menu, console = PopupMenu(self), self._console
        now = console.context.breakpoints.pace
        for pace in dict.fromkeys((*PACES, now)):
            text = f"{pace.words[:1].upper()}{pace.words[1:]}"
            menu.add(text, partial(console.run_request.set_pace, pace), checked=pace == now)
        menu.open_under(self.run)
        return menu

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Enables what can be done now."""
        console, replaying, ended = self._console, self._console.replaying, snapshot.ended is not None
        alive = console.runner.phase in ("preparing", "live") and not replaying
        word = run_word(console.running, replaying, can_run_again=ended and alive)
        if self.run.text().strip() != word:
            self.run.dress(word, "pause" if console.running else "run")
            self._tips[self.run].set_text(f"{word} ({{Space}}); pace ({{Ctrl+P}})")
        self.run.setEnabled(replaying or console.runner.phase != "stopping")
        self.step.setEnabled(replaying or (alive and not ended))
        self.stop.setEnabled(alive and console.begun and not ended)
        self.override.setEnabled(alive and not ended and snapshot.turn > 0 and console.moment is None)
        self.record.setEnabled(not replaying)

    def show_recorder(self, on: bool) -> None:
        """Shows whether a recording is on."""
        word = "Recording" if on else "Record"
        if self._words[self.record][0] != word:
            self._words[self.record] = (word, "recording" if on else "record")
            self.record.dress(*self._words[self.record], "operator" if on else "plain")
            self._tips[self.record].set_text("Stop recording ({R})" if on else "Record ({R})")
            if self._compact:
                self.record.setText("")


class Pickers(ThemedWidget):
    """Planner, simulator, scene, seed, provider."""

    def __init__(self, theme: Theme, console: Console):
        super().__init__()
        self._theme, self._console = theme, console
        self.planner = Picker(theme, "planner", "Planner", 119)
        self.simulator = Picker(theme, "simulator", "Simulator", 108)
        self.scene = Picker(theme, "scene", "Scene", 127)
        self.provider = Picker(theme, "provider", "Provider", 130, most=80)
        self._pickers = (self.planner, self.simulator, self.scene, self.provider)
        for picker in self._pickers:
            picker.opened.connect(console.asked_choices)
        self.seed = SeedBox(theme)
        self._row = hbox(theme, *self._pickers[:3], self.seed, self.provider, on=self, margins=(0, 0, 0, 0))
        self._answers: Choice | None = None
        self.seed.chosen.connect(partial(console.run_request.choose, "seed"))
        self.seed.rolled.connect(console.run_request.roll_seed)
        self.planner.picked.connect(console.run_request.choose_planner)
        self.planner.variant_picked.connect(partial(console.run_request.choose, "preset"))
        self.simulator.picked.connect(console.run_request.choose_simulator)
        self.scene.picked.connect(console.run_request.choose_scene)
        self.provider.picked.connect(console.run_request.choose_provider)
        self.refresh()

    def refresh(self) -> None:
        """Shows the request."""
        console, request, choices = self._console, self._console.request, self._console.choices
        self.setEnabled(not console.replaying)
        self._row.setSpacing(self._theme.px(5))
        presets = choices.presets.get(request.planner, ())
        more = not choices.complete
        self.planner.offer(planner_choices(request, choices), request.planner, presets, request.preset, more=more)
        self.simulator.offer(choices.simulators, request.simulator, more=more)
        self.scene.offer(scene_choices(request, choices, console.graph_files), request.scene, more=more)
        self._offer_answerers()
        self.seed.show_seed(request.seed)
        self.share()

    def show_answerer(self) -> None:
        """Follows who answers the run. Called for every snapshot."""
        if self._answerer() != self._answers:
            self._offer_answerers()
            self.share()

    def _answerer(self) -> Choice:
        """Who answers the run under way, or the recording; without one, or if it asks nobody, who would answer the next run."""
        console = self._console
        goes_on = console.replaying or (console.begun and console.snapshot.ended is None)
        return (console.answering if goes_on else None) or console.answerer()

    def _offer_answerers(self) -> None:
        console, now = self._console, self._answerer()
        self._answers = now
        self.provider.offer(answerers(now, console.choices, console.models), now.name, more=not console.choices.complete)

    def natural_width(self) -> int:
        """Width in pixels that shows every value in full, with the seed but without its dice."""
        return sum(picker.natural_width() for picker in self._pickers) + self.seed.field_width() + 4 * self._theme.px(5)

    def share(self) -> None:
        """Gives each picker room in proportion to its value's width."""
        for picker in self._pickers:
            self._row.setStretchFactor(picker, picker.natural_width())
            picker.setMinimumWidth(picker.minimumSizeHint().width())

    def restyle(self) -> None:
        """Adapts to a change of theme."""
        self.share()


class Meters(QWidget):
    """The budget as a grid of three by two cells; the sixth cell opens the palette."""

    def __init__(self, theme: Theme, console: Console):
        super().__init__()
        self._theme, self._console = theme, console
        self.simulations = Meter(theme, "Simulations", 118, "Sims")
        self.calls = Meter(theme, "Model calls", 108, "Calls")
        self.tokens = Meter(theme, "Tokens", 100)
        self.turn = Meter(theme, "This turn", 118, "Turn")
        self.steps = Meter(theme, "Steps", 108)
        self._meters = (self.simulations, self.calls, self.tokens, self.turn, self.steps)
        self.palette_button = Button(theme, "", "palette")
        KeyLabel(console.context, self, lambda key: self.palette_button.dress(key or "Commands", "palette"), "{Ctrl+K}")
        self.palette_button.setToolTip("Command palette")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._columns = 3
        self._place_cells()
        self.simulations.clicked.connect(lambda: console.run_request.more_simulations())
        self.steps.setToolTip("Click for 10 more steps")
        for meter, field, offered in ((self.calls, "calls", CALLS), (self.tokens, "tokens", TOKENS)):
            meter.setToolTip(f"Click to limit the {field} of this run")
            meter.clicked.connect(lambda meter=meter, field=field, offered=offered: self._offer_limits(meter, field, offered))
        self.steps.clicked.connect(self._more_steps)

    def _place_cells(self) -> None:
        left_out = () if self._columns == 3 else (self.tokens, self.turn)
        cells = [cell for cell in (*self._meters, self.palette_button) if cell not in left_out]
        for meter in (self.tokens, self.turn):
            self._grid.removeWidget(meter)
        for k, cell in enumerate(cells):
            self._grid.addWidget(cell, k // self._columns, k % self._columns, Qt.AlignmentFlag.AlignVCenter)
        for meter in (self.tokens, self.turn):
            meter.setVisible(meter not in left_out)  # only now, because they have a parent and so are not windows
        self._update_tooltips()

    def _update_tooltips(self) -> None:
        """Sets the tooltips: what a click does, and the readings of cells that are left out."""
        def left_out(meter: Meter) -> str:
            return f"\n{meter.accessibleName()}" if self._columns < 3 else ""

        self.simulations.setToolTip("Click for 100 more simulations" + left_out(self.turn))
        self.calls.setToolTip("Click to limit the calls of this run" + left_out(self.tokens))

    def _more_steps(self) -> None:
        console = self._console
        console.run_request.set_steps((console.snapshot.most_steps or console.request.max_steps or 0) + 10)

    def limits_menu(self, field: str, offered: tuple[int, ...]) -> PopupMenu:
        """Returns a menu of no limit and the limits offered, with the present one ticked.

        Args:
            field: `calls` or `tokens`.
            offered: limits to choose from.
        """
        menu, console = PopupMenu(self), self._console
        now = asdict(console.snapshot.limits if console.begun else console.request.limits)
        for value in (None, *offered):
            text = "No limit" if value is None else f"At most {value:,} {field}".replace(",", "\u2009")
            limits = c.SetLimits(**{**now, field: value})
            menu.add(text, partial(console.run_request.set_limits, limits), checked=value == now[field])
        return menu

    def _offer_limits(self, meter: Meter, field: str, offered: tuple[int, ...]) -> None:
        self.limits_menu(field, offered).open_under(meter)

    def fit(self, compact: bool, columns: int) -> None:
        """Sets the cells' widths and columns. With two columns, the tooltips show tokens and turn instead of cells."""
        px, narrow = self._theme.px, 84 if columns == 3 else 78
        self._grid.setHorizontalSpacing(px(12 if compact else 16))
        self._grid.setVerticalSpacing(px(6))
        for meter, width in zip(self._meters, (118, 108, 100, 118, 108), strict=True):
            meter.setFixedSize(px(narrow if compact else width), px(28))
        if columns != self._columns:
            self._columns = columns
            self._place_cells()
        self.palette_button.setFixedWidth(px(narrow if compact else 100))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the readings of a snapshot."""
        console = self._console
        compiling = "" if console.replaying else console.context.preparing()
        readings = budget_of(snapshot, console.request.max_steps, compiling)
        for meter, reading in zip(self._meters, readings, strict=True):
            meter.read(reading)
        if self._columns < 3:
            self._update_tooltips()
