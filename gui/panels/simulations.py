"""The simulations panel: lists the simulations of a decision, and walks through one of them step by step."""

from __future__ import annotations

from random import Random
from typing import ClassVar

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from core.planning.facets import Facet
from core.planning.search_facets import Ranking
from core.planning.simulation_facets import Simulations, SimulationSteps
from core.session.snapshot import Snapshot
from core.views.values import Item, Table
from gui.control.context import Context, Selected
from gui.control.snapshot_texts import staleness
from gui.panels.base import Panel
from gui.theme.boxes import FLUSH, vbox
from gui.views.item_rows import ItemsView
from gui.widgets import Button, StaleOverlay
from gui.widgets import numbers as say
from gui.widgets.buttons import ButtonRow

FILM_MS = 700
"""Milliseconds for each step while a simulation is played."""
HINT = Table((Item("hint", "", note="Enter steps into the simulation chosen above"),))
NEEDS_PLANNER = ("Stepping into a simulation needs the planner that ran it, paused at this decision: pause the run there, or "
                 "press the button above the list")
OLDER = "The list still shows the decision before: choose again once it shows the new one"


class SimulationsPanel(Panel):
    """Lists the simulations of the turn displayed, and steps into one of them.

    Enter steps into a simulation: its sampled world is shown as belief and glow, its path in the tree, its steps with what was
    found and earned, and the backup.

    Up and Down go through the steps, F plays them, Escape leaves. The buttons choose the best, the worst, the last or a random
    simulation, or the best one of the selected action.
    """

    name: ClassVar[str] = "simulations"
    title: ClassVar[str] = "Simulations"
    icon: ClassVar[str] = "run"
    needs_live: ClassVar[str] = "Stepping into a simulation"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({Simulations})
    previews: ClassVar[bool] = True

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot, self._hand = Snapshot(), Random(0)
        self._simulations: Simulations | None = None
        self.shown: SimulationSteps | None = None
        self.list, self.steps = ItemsView(theme), ItemsView(theme)
        picks = (("Best", "check", self._best), ("Worst", "fault", self._worst), ("Last", "last", self._last),
                 ("Random", "dice", self._random), ("Selected action", "filter", self._of_selected))
        self._row = ButtonRow(theme, tuple(Button(theme, title, icon, act=act) for title, icon, act in picks))
        content = QWidget()
        vbox(theme, self._row, (self.list, 2), (self.steps, 3), on=content, spacing=4, margins=FLUSH)
        self._stale = StaleOverlay(theme, self.list)
        empty = self.nothing("run", "simulations", "A planner that searches lists its simulations here once it decides.")
        self._pages = self.stack(empty, content)
        self._film = QTimer(self, interval=FILM_MS)
        self._film.timeout.connect(self._play_next)
        self.steps.setAccessibleName("Steps of the simulation")
        self.steps.show_view(HINT)
        self.list.opened.connect(lambda: self.step_into(self.list.chosen_index))
        self.list.chosen.connect(lambda: context.selection.select(Selected("simulation", number=self.list.chosen_index)))
        self.steps.chosen.connect(self._select_step)
        self.steps.rows.on_key(Qt.Key.Key_F, self.play)
        self.steps.rows.on_key(Qt.Key.Key_Escape, self.leave)
        context.selection.changed.connect(self._follow)

    # --- what it shows -------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the simulations of the snapshot, and the steps of the one that was asked for, if they arrived."""
        self._snapshot = snapshot
        simulations, steps = snapshot.facet(Simulations), snapshot.fresh(SimulationSteps)
        stale = staleness(snapshot, Simulations, "new search")
        if not self.has_changed(simulations, steps, self.context.names.of(snapshot), stale):
            return
        self.list.named = self.steps.named = self.context.names.of(snapshot).label
        if simulations is not None and simulations is not self._simulations:
            self.list.show_view(simulations.listed())
            self.list.rows.choose(-1)
        self._simulations = simulations
        self._stale.say(stale)
        if steps is not self.shown:
            self._take(steps)
        self._pages.setCurrentIndex(int(simulations is not None))
        self.headline_changed.emit()

    def _take(self, steps: SimulationSteps | None) -> None:
        self.shown = steps
        self._film.stop()
        self.steps.show_view(steps.view() if steps is not None else HINT)
        self.steps.rows.choose(-1)
        if self._choose_step(1):
            self.steps.setFocus()

    def headline(self) -> str:
        """Returns the number of simulations, or which one is shown."""
        if self.shown is not None:
            return f"simulation {self.shown.number + 1}, not part of the run"
        if self._simulations is None:
            return ""
        count, ranking = len(self._simulations.action), self._snapshot.facet(Ranking)
        if ranking is not None and ranking.simulations > count:
            return f"the first {say.whole(count)} of {say.whole(ranking.simulations)}"
        return say.count(count, "simulation")

    # --- choosing one ----------------------------------------------------------
    def step_into(self, number: int) -> None:
        """Asks the planner to repeat a simulation. The answer arrives with a later snapshot."""
        self.list.rows.show_index(number)
        now = self.context.newest(self._snapshot)
        moment = now.moment_of(Simulations)
        if not self.context.live or now.status != "paused" or moment is None:
            self.context.preview.troubled.emit(NEEDS_PLANNER)
            return
        if now.facet(Simulations) is not self._simulations:
            self.context.preview.troubled.emit(OLDER)
            return
        self.context.preview.ask(f"Simulation {number + 1} of the decision in turn {moment.turn}", repeat=number)

    def leave(self) -> None:
        """Shows the run again instead of a simulation."""
        self._film.stop()
        self.context.preview.cancel()

    def _follow(self, selected: Selected | None) -> None:
        if selected is None or selected.kind != "simulation" or self._simulations is None:
            return
        if 0 <= selected.number < len(self._returned()) and self.list.chosen_index != selected.number:
            self.step_into(selected.number)

    def _returned(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return self._simulations.returned if self._simulations is not None else np.zeros(0)

    def _best(self) -> None:
        if len(self._returned()):
            self.step_into(int(self._returned().argmax()))

    def _worst(self) -> None:
        if len(self._returned()):
            self.step_into(int(self._returned().argmin()))

    def _last(self) -> None:
        if len(self._returned()):
            self.step_into(len(self._returned()) - 1)

    def _random(self) -> None:
        if len(self._returned()):
            self.step_into(self._hand.randrange(len(self._returned())))

    def _of_selected(self) -> None:
        """Steps into the best simulation that began with the selected action."""
        selected, simulations = self.context.selection.now, self._simulations
        if selected is None or selected.kind != "action" or simulations is None:
            self.context.preview.troubled.emit("Select an action first, in the ranking or in the tree.")
            return
        actions = [k for k, steps in enumerate(simulations.actions) if steps[-1] == selected.action]
        actions = actions or [k for k, steps in enumerate(simulations.actions) if selected.action in steps]
        numbers = np.flatnonzero(np.isin(simulations.action, actions))
        if len(numbers):
            self.step_into(int(numbers[simulations.returned[numbers].argmax()]))
        else:
            self.context.preview.troubled.emit("No simulation began with the selected action.")

    # --- walking through it ------------------------------------------------------
    def _choose_step(self, number: int) -> bool:
        """Chooses a step by its number, from 1, and selects its action everywhere. Returns False if there is none."""
        items = self.steps.rows.outline.items
        index = next((k for k, item in enumerate(items) if item.key == f"step {number}"), -1)
        if index >= 0:
            self.steps.rows.show_index(index)
            self._select_step()
        return index >= 0

    def _select_step(self) -> None:
        choice = self.steps.choice()
        if choice is not None and choice.about.action is not None:
            self.context.selection.select(Selected("action", action=choice.about.action))

    def play(self) -> None:
        """Plays the steps from the chosen one on, or stops."""
        if self._film.isActive():
            self._film.stop()
        elif self.shown is not None:
            self._film.start()

    def _play_next(self) -> None:
        choice = self.steps.choice()
        key = choice.address[-1] if choice is not None else ""
        if not self._choose_step(int(key.removeprefix("step ")) + 1 if key.startswith("step ") else 1):
            self._film.stop()
