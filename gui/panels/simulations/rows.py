"""The two lists of the simulations panel: the simulations of a decision, and the steps of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.planning.simulation_facets import SimulatedStep, Simulations, SimulationSteps
from gui.theme import Theme
from gui.widgets import RIGHT, Names, draw_text, text_width
from gui.widgets import numbers as say
from gui.widgets.lists import ItemRows

ROLLOUT = "Rollout, below the tree"
BACKUP = "Backup: how the tree's values changed"


@dataclass(frozen=True, slots=True)
class SimulationRow:
    """A simulation in the list: its number from 0, the last step of its first action, its return and its steps."""

    number: int
    action: str
    returned: float
    steps: int
    reached: str

    @property
    def result(self) -> str:
        """Its return, after how many steps."""
        return f"{say.value(self.returned)} · {self.steps} steps"


class SimulationRowsOf(Sequence[SimulationRow]):
    """The rows of all simulations, in their order. There are thousands, so each is made when it is painted."""

    def __init__(self, simulations: Simulations, names: Names):
        self._simulations = simulations
        self._actions = [names.phrase(steps[-1]) for steps in simulations.actions]

    def __len__(self) -> int:
        """Returns the number of simulations."""
        return len(self._simulations.action)

    @overload
    def __getitem__(self, index: int) -> SimulationRow: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SimulationRow]: ...

    def __getitem__(self, index: int | slice) -> SimulationRow | Sequence[SimulationRow]:
        """Returns a row, or some of them."""
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        shown = self._simulations
        number = range(len(self))[index]
        action, reached = int(shown.action[number]), shown.reached[number]
        return SimulationRow(number, self._actions[action] if action >= 0 else "rollout from the root",
                             float(shown.returned[number]), int(shown.steps[number]),
                             f"{int((reached > 0).sum())} of {len(reached)} literals")


@dataclass(frozen=True, slots=True)
class StepRow:
    """A line of a simulation.

    Attributes:
        text: what it says.
        note: what stands at its right end.
        step: the index of the step, or -1: a heading or a line of the backup.
        heading: whether it is a heading.
    """

    text: str
    note: str = ""
    step: int = -1
    heading: bool = False


def step_rows(shown: SimulationSteps, names: Names) -> list[StepRow]:
    """Returns the steps of a simulation, those in the tree first, then the rollout, then the backup."""
    rows = [StepRow("Sampled world", "" if shown.placed else "all objects are found", heading=True)]
    rows += [StepRow(thing, f"{'on the floor of' if relation == 'floor' else relation} {names.definite(place)}")
             for thing, place, relation in shown.placed]
    rows.append(StepRow("In the tree", heading=True))
    for k, step in enumerate(shown.steps):
        if not step.in_tree and (k == 0 or shown.steps[k - 1].in_tree):
            rows.append(StepRow(ROLLOUT, heading=True))
        rows.append(StepRow(f"{k + 1}  {names.phrase(step.action)}", _note(step, names), k))
    if shown.updates:
        rows.append(StepRow(BACKUP, f"return {say.value(shown.returned)}", heading=True))
    for update in shown.updates:
        before = "–" if update.value is None else say.value(update.value)
        rows.append(StepRow(names.phrase(update.action), f"N {update.visits} → {update.visits + 1} · Q {before} → "
                            f"{say.value(update.value_after)}"))
    return rows


def _note(step: SimulatedStep, names: Names) -> str:
    found = ", ".join(f"finds {thing} {names.where(place)}" for thing, place in step.found)
    earned = f"+{say.value(step.reward)}, now worth {say.value(step.discounted)}" if step.reward else ""
    return " · ".join(part for part in (found, earned) if part)


class SimulationList(ItemRows[SimulationRow]):
    """The simulations of a decision."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=22)
        self.setAccessibleName("Simulations of this decision")

    def row_words(self, index: int) -> str:
        """Returns the text of a row for assistive tools."""
        row = self.items[index]
        return f"simulation {row.number + 1}, {row.action}, return {row.result}, {row.reached}"

    def row_tip(self, index: int) -> str:
        """Returns what a row cannot hold."""
        return self.row_words(index)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one simulation."""
        theme, px, row = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect)
        number = QRectF(px(8), rect.top(), px(36), rect.height())
        draw_text(painter, theme, number, say.whole(row.number + 1), "micro", "muted", 500, RIGHT)
        wide = text_width(theme, row.result, "micro") + px(10)
        draw_text(painter, theme, rect.adjusted(0, 0, -px(8), 0), row.result, "micro", "muted", 500, RIGHT)
        draw_text(painter, theme, rect.adjusted(px(52), 0, -px(8) - wide, 0), row.action, "small", "text")


class StepList(ItemRows[StepRow]):
    """The steps of one simulation. Only steps can be chosen."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=22)
        self.setAccessibleName("Steps of the simulation")

    def can_choose(self, index: int) -> bool:
        """Returns True for steps."""
        return 0 <= index < len(self.items) and self.items[index].step >= 0

    def row_words(self, index: int) -> str:
        """Returns the text of a row for assistive tools."""
        row = self.items[index]
        return f"{row.text} {row.note}".strip()

    def row_tip(self, index: int) -> str:
        """Returns what a row cannot hold."""
        return self.row_words(index)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one line."""
        theme, px, row = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect)
        wide = min(text_width(theme, row.note, "micro") + px(10), rect.width() * 0.6) if row.note else 0.0
        right = rect.adjusted(rect.width() - px(8) - wide, 0, -px(8), 0)
        draw_text(painter, theme, right, row.note, "micro", "muted", 500, RIGHT)
        left = rect.adjusted(px(8) if row.heading else px(18), 0, -px(8) - wide, 0)
        draw_text(painter, theme, left, row.text, "micro" if row.heading else "small", "muted" if row.heading else "text",
                  600 if row.heading else 400)


def index_of_step(rows: Sequence[StepRow], step: int) -> int:
    """Returns the row of a step, or -1."""
    return next((k for k, row in enumerate(rows) if row.step == step), -1)
