"""What would change the decision at which a run is paused: asked of the planner while the operator asks nothing else."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from core.planning.belief_facets import Belief
from core.planning.facets import Plan
from core.planning.planner import Answer, WhatIf
from core.planning.search_facets import Ranking
from core.planning.simulation_facets import Margin, Margins, Simulations
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action

IDLE_MS = 400
"""Milliseconds for which the operator must ask nothing before the planner is asked, or asked again."""


class MarginFinder(QObject):
    """Asks the planner what would change its decision, whenever a run is paused at one.

    A session answers one question at a time. A question of the operator interrupts this one, which is asked again afterwards.

    Attributes:
        ask: posts a question to the session; None withdraws it.
        margins: what is known about the decision at which the run is paused; None: nothing.
    """

    changed = Signal()
    """`margins` has changed."""

    def __init__(self) -> None:
        super().__init__()
        self.ask: Callable[[WhatIf | None], None] = lambda question: None
        self.margins: Margins | None = None
        self._decision: Simulations | None = None
        self._ranking: Ranking | None = None
        self._chosen: Action | None = None
        self._moment = Snapshot().moment
        self._paused = self._asked = False
        self._number = 0
        self._idle = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._idle.timeout.connect(self._put)

    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Takes the newest snapshot of the run."""
        plan = snapshot.fresh(Plan)
        decision = snapshot.fresh(Simulations) if plan is not None else None
        paused = snapshot.status == "paused" and decision is not None
        ranking = snapshot.fresh(Ranking)  # a search that goes on, or begins again, shows another one first
        same = decision is self._decision and ranking is self._ranking and snapshot.moment == self._moment
        if same and paused == self._paused:
            return
        if not same:
            self._forget()
            self._withdraw()
        self._decision, self._ranking, self._moment, self._paused = decision, ranking, snapshot.moment, paused
        self._chosen = plan.actions[-1] if plan is not None and plan.actions else None
        self._idle.stop()
        if paused:
            self._ask_soon()
        else:
            self._withdraw()

    def _withdraw(self) -> None:
        if self._asked:
            self._asked = False
            self.ask(None)

    def _forget(self) -> None:
        self._number -= 1  # previews count upwards, so that no answer is taken for another one's
        if self.margins is not None:
            self.margins = None
            self.changed.emit()

    def ask_first(self, question: WhatIf | None) -> None:
        """Posts a question of the operator in place of this one, which is asked again once the operator withdraws theirs."""
        self._asked = False
        self._idle.stop()
        self.ask(question)
        if question is None:
            self._ask_soon()

    def _ask_soon(self) -> None:
        """Asks after `IDLE_MS`, unless everything is known."""
        if self._paused and not self._asked and (self.margins is None or not self.margins.complete):
            self._idle.start()

    def _put(self) -> None:
        self._number -= 1
        self._asked = True
        self.ask(WhatIf(self._number, margins=True))

    def take_answer(self, answer: Answer) -> None:
        """Takes an answer, if it is about the present decision."""
        if answer.number != self._number:
            return
        found = next((facet for facet in answer.facets if isinstance(facet, Margins)), None)
        if answer.trouble and self._chosen is not None:
            found = Margins(self._chosen, (), complete=True, trouble=f"What would change it is not known: {answer.trouble}")
        if found is None:
            return
        known = 0 if self.margins is None else len(self.margins.margins)
        if found.complete or len(found.margins) > known:
            self.margins = found
            self.changed.emit()
        if found.complete:
            self._asked = False


# --- which margin belongs to what is shown -------------------------------------------
def of_cells(margins: Margins, belief: Belief) -> dict[tuple[int, int], Margin]:
    """Returns the margins of the cells of a belief, by row and column."""
    rows = {name: row for row, name in reversed(tuple(enumerate(belief.objects)))}
    columns: dict[str, list[int]] = {}
    for column, place in enumerate(belief.places):
        columns.setdefault(place, []).append(column)
    found = {}
    for margin in margins.margins:
        if margin.kind == "belief" and margin.name in rows and margin.place in columns:
            of_place = columns[margin.place]  # a place with two columns has its inside first, then its top
            column = of_place[-1] if margin.relation == "on" else of_place[0]
            found[rows[margin.name], column] = margin
    return found
