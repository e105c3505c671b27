"""What a tree search tells about its simulations, and about what would change its choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

import numpy as np
import numpy.typing as npt

from core.goals.literals import Literal
from core.planning.facets import Facet
from core.planning.search_measures import OF_SIMULATIONS
from core.views import values as views
from core.views.wording import value
from core.world.vocabulary import Action, Value, in_words


@dataclass(frozen=True, slots=True)
class Simulations(Facet):
    """The simulations of one decision, in their order: n of them, at most a few thousand; of a longer search the first ones.

    g objects have sampled places, a root actions, l literals, w sampled worlds. All arrays are read-only.

    Attributes:
        actions: (a,) the primitive steps of each root action, as in `RankedAction`.
        action: (n,) int32: the root action with which the simulation began; -1: none (the first one of Algorithm 1).
        world: (n,) int32: the row of its world in `worlds`; -1: none was sampled.
        returned: (n,) float64: its discounted return.
        steps: (n,) int32: its primitive actions, in the tree and in the rollout.
        reached: (n, l) int32: the step, from 1, at which each literal is first complete; 0: it is not.
        literals: (l,) the literals that the search works on.
        objects: (g,) the objects: rows of the belief by their labels, others by their ids.
        places: (p,) the id of each place and the relation of an object to it (`inside`, `on`, `floor`).
        worlds: (w, g) int32: the place of each object in each world.
    """

    measures = OF_SIMULATIONS
    actions: tuple[tuple[Action, ...], ...]
    action: npt.NDArray[np.int32]
    world: npt.NDArray[np.int32]
    returned: npt.NDArray[np.float64]
    steps: npt.NDArray[np.int32]
    reached: npt.NDArray[np.int32]
    literals: tuple[Literal, ...]
    objects: tuple[str, ...]
    places: tuple[tuple[str, str], ...]
    worlds: npt.NDArray[np.int32]

    def view(self) -> views.Table:
        """Returns the returns of the simulations by the action that they began with, the most frequent one first."""
        whole, rows = np.all(self.reached > 0, axis=1), []
        for k in sorted(set(self.action.tolist()) - {-1}, key=lambda k: -int((self.action == k).sum())):
            own = np.flatnonzero(self.action == k)
            returns = self.returned[own]
            rows.append(views.steps_item(self.actions[k], (len(own), float(returns.mean()), float(returns.min()),
                                                           float(returns.max()), float(np.take(whole, own).mean()))))
        columns = (views.Column("simulations", "count"), views.Column("mean return", "value"), views.Column("least", "value"),
                   views.Column("most", "value"), views.Column("goal reached", "probability", "share of these simulations"))
        return views.Table(tuple(rows), columns, headline=f"{len(self.action):,} simulations")

    def listed(self) -> views.Table:
        """Returns the simulations themselves, in their order: too many to be compared and exported with each decision."""
        began = [(in_words(steps[-1]), views.About(steps[-1].args, steps[-1])) for steps in self.actions]
        began.append(("rollout from the root", views.NOTHING))  # of those whose action is -1
        complete = np.count_nonzero(self.reached > 0, axis=1).tolist()
        rows = zip(self.action.tolist(), self.returned.tolist(), self.steps.tolist(), complete, strict=True)
        items = tuple(views.Item(str(k), began[action][0], (returned, steps, f"{literals} of {len(self.literals)}"),
                                 about=began[action][1]) for k, (action, returned, steps, literals) in enumerate(rows))
        columns = (views.Column("return", "value", "its discounted return"),
                   views.Column("steps", "count", "its primitive actions, in the tree and in the rollout"),
                   views.Column("literals", "text", "how many literals of the goal were complete in the end"))
        return views.Table(items, columns, order="simulation", title="Simulations of this decision")


@dataclass(frozen=True, slots=True)
class SimulatedStep(Value):
    """One primitive action of a simulation.

    Attributes:
        action: the action.
        in_tree: True in the tree, False in the rollout below it.
        found: (object, place) of each object found by this step.
        reward: what it earned, not discounted.
        discounted: what it earned, discounted to the root.
    """

    action: Action
    in_tree: bool
    found: tuple[tuple[str, str], ...]
    reward: float
    discounted: float

    def item(self, number: int) -> views.Item:
        """Returns it as an item of a view. `number`: its place in the simulation, from 1."""
        told = [f"finds {what} at {where}" for what, where in self.found]
        told += [f"+{value(self.reward)}, now worth {value(self.discounted)}"] * bool(self.reward)
        about = views.About(self.action.args, self.action)
        return views.Item(f"step {number}", f"{number}  {in_words(self.action)}", about=about, note=" · ".join(told))


@dataclass(frozen=True, slots=True)
class SimulatedUpdate(Value):
    """What a simulation changed at one edge of the tree.

    Attributes:
        action: the last step of the edge's action.
        returned: the discounted return from this edge on.
        visits: the simulations through the edge before.
        value: its mean return before; None before its first visit.
        value_after: its mean return after.
    """

    action: Action
    returned: float
    visits: int
    value: float | None
    value_after: float

    def item(self) -> views.Item:
        """Returns it as an item of a view."""
        change = f"N {self.visits} → {self.visits + 1} · Q {value(self.value)} → {value(self.value_after)}"
        return views.steps_item((self.action,), note=change)


@dataclass(frozen=True, slots=True)
class SimulationSteps(Facet):
    """One simulation of the present decision, repeated step by step. It answers a question and is not part of a run.

    Attributes:
        number: its number, from 0.
        placed: (object, place, relation) of each object whose place was sampled.
        steps: its primitive actions.
        updates: the edges it passed, from the root on, and how their values changed.
        returned: its discounted return: the sum of `discounted` over its steps.
    """

    number: int
    placed: tuple[tuple[str, str, str], ...]
    steps: tuple[SimulatedStep, ...]
    updates: tuple[SimulatedUpdate, ...]
    returned: float

    def view(self) -> views.Tree:
        """Returns the sampled world, the steps in the tree and below it, and the backup, each below its title."""
        steps = [(step.in_tree, step.item(k)) for k, step in enumerate(self.steps, 1)]
        placed = [views.Item(what, what, about=views.About((where,)), note=f"{ON_FLOOR if how == 'floor' else how} {where}")
                  for what, where, how in self.placed]
        groups = (
            ("Sampled world", "" if placed else "all objects are found", placed),
            ("In the tree", "", [item for in_tree, item in steps if in_tree]),
            ("Rollout, below the tree", "", [item for in_tree, item in steps if not in_tree]),
            ("Backup: how the tree's values changed", f"return {value(self.returned)}", [row.item() for row in self.updates]))
        roots = [(views.Item(title, title, note=note), items) for title, note, items in groups if items or title in ALWAYS]
        return views.tree_of(roots, lambda node: [(item, list[views.Item]()) for item in node[1]], lambda node: node[0])


ON_FLOOR = "on the floor of"
ALWAYS = ("Sampled world", "In the tree")
"""What is listed even if it is empty."""


@dataclass(frozen=True, slots=True)
class Flip(Value):
    """A value at which a search chooses another action.

    Attributes:
        at: a value at which it chooses `action`.
        before: the nearest value tried at which it still makes the present choice; at most 1 % of the range away from `at`.
        action: what it chooses instead: the last step of the root action.
    """

    at: float
    before: float
    action: Action


@dataclass(frozen=True, slots=True)
class Margin(Value):
    """How far one quantity can change before the search chooses another action.

    Attributes:
        kind: `belief`: the probability that an object is in a place; `prior`: the prior of a root action; `parameter`.
        name: the label of the object, the action in words, or the parameter.
        place: the id of the place; empty unless it is a belief.
        relation: of the object to the place: inside, on or floor.
        value: the present value.
        low, high: the values between which flips were looked for.
        down, up: the nearest flip found below and above the present value; None: none was found.
        on_edge: whether rounding alone changes the choice at the present value, so that no flip can be told from chance.
    """

    kind: Choice["belief", "prior", "parameter"]
    name: str
    place: str
    relation: str
    value: float
    low: float
    high: float
    down: Flip | None
    up: Flip | None
    on_edge: bool = False

    @property
    def flips(self) -> tuple[float, ...]:
        """The values at which the choice changes; on the edge the present one."""
        return (self.value,) if self.on_edge else tuple(flip.at for flip in (self.down, self.up) if flip is not None)

    @property
    def nearest(self) -> float | None:
        """The distance to the nearest flip as a share of the range, 0 on the edge; None if none was found."""
        size = max(self.high - self.low, 1e-12)
        return min((abs(at - self.value) / size for at in self.flips), default=None)


@dataclass(frozen=True, slots=True)
class Margins(Facet):
    """What would change the present decision. It answers a question and is not part of a run.

    Each value is tried by a search with as many simulations and the same random numbers as the decision's.

    Attributes:
        chosen: the last step of the root action that the search chose.
        margins: the quantities tried so far.
        complete: whether all were tried.
        trouble: why nothing can be said; empty if something can.
    """

    chosen: Action
    margins: tuple[Margin, ...]
    complete: bool = False
    trouble: str = ""

    def view(self) -> views.Table:
        """Returns a row for each quantity: its value, and the nearest values at which another action is chosen."""
        columns = (views.Column("now", "value"), views.Column("flips below", "value"), views.Column("flips above", "value"))
        items = []
        for margin in self.margins:
            name = f"{margin.kind}: {margin.name}{f' {margin.relation} {margin.place}' if margin.place else ''}"
            flips = tuple(None if flip is None else flip.at for flip in (margin.down, margin.up))
            items.append(views.Item(name, name, (margin.value, *flips), (views.Mark("on the edge", "warn"),) * margin.on_edge))
        return views.Table(tuple(items), columns, note=self.trouble)
