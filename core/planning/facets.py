"""Facets: what a planner or a world shows. Frozen values, safe to pass between threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal as Choice

import numpy as np
import numpy.typing as npt

from core.common.errors import UsageError
from core.common.recorded import ADDED, recorded_as
from core.goals.literals import Literal, LiteralProgress
from core.views import values as views
from core.views.addresses import Address
from core.views.fields import fields_tree
from core.views.values import EditValue
from core.world.vocabulary import Action, FloorPoint, Value


class Facet(Value):
    """A frozen value made of plain data that a planner or world yields to be shown. Every facet is recorded and exported."""

    __slots__ = ()

    def mentions(self) -> tuple[str, ...]:
        """Returns the names of objects, places and keys in it that an expression may hold: fields complete them."""
        return ()

    def view(self) -> views.View:
        """Returns what it shows, as plain values. Every surface is made from it. By default it is a tree of its fields."""
        return fields_tree(self)

    def edited(self, address: Address, edit: str, value: EditValue) -> Facet:
        """Returns it with one of the edits that its view offers carried out.

        Args:
            address: the item, as `core.views.addresses` describes it.
            edit: the name of the edit.
            value: the new value, of the kind that the form of the edit asks for.

        Raises:
            UsageError: the item is not there any more, or cannot be changed so; in one line.
        """
        raise UsageError(f"{type(self).__name__} cannot be edited here")


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A turn of a branch.

    Attributes:
        branch: the number of the branch; 0 is the first.
        turn: from 1; 0 before the first turn.
    """

    branch: int
    turn: int


@dataclass(frozen=True, slots=True)
class Plan(Facet):
    """The actions a planner intends to take, in order, and the reason.

    Attributes:
        continues: they were chosen in an earlier turn; what was shown then about that choice still holds.
    """

    actions: tuple[Action, ...]
    because: str = ""
    continues: bool = field(default=False, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class GoalProgress(Facet):
    """The progress of each literal of the goal."""

    literals: tuple[LiteralProgress, ...]

    @property
    def reached(self) -> bool:
        """Whether all literals hold."""
        return all(p.reached for p in self.literals)


@dataclass(frozen=True, slots=True)
class Grounding:
    """How a planner interpreted one reply.

    Attributes:
        prompt: `ModelRequest.digest` of the request.
        said: the part of the reply that was interpreted.
        meant: the choice it was resolved to; empty if none matches.
        score: 0..1, how well it matches; the score of the nearest choice if none matches.
        how: exact, normalised, synonym, part (of a name), edit (misspelt), embedding, nearest (by its words), probability,
            refused (the reply declines to answer), or none.
        runner_up: the second best choice.
        runner_up_score: 0..1, how well that matches.
        words_only: True if only words were compared because sentence embeddings are not installed.
        untranslated: the number of samples of a free reply that name no action that could be compared with the admissible ones.
        remark: in one line why a reply is not used, and what is done instead; empty if it is used.
    """

    prompt: str
    said: str
    meant: str
    score: float
    how: str
    runner_up: str = ""
    runner_up_score: float = 0.0
    words_only: bool = field(default=False, metadata=ADDED)
    untranslated: int = field(default=0, metadata=ADDED)
    remark: str = field(default="", metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Grounded(Facet):
    """How the latest replies were interpreted."""

    replies: tuple[Grounding, ...]


@dataclass(frozen=True, slots=True)
class Belief(Facet):
    """The belief over object positions: n objects by m places.

    Attributes:
        objects: (n,) row labels; two objects of one class are `apple` and `apple 2`.
        classes: (n,) the class of each row.
        wanted: (n,) whether the class of each row occurs in the goal.
        located: (n,) the id of the object if it was found, else None.
        places: (m,) ids of the columns.
        probability: (n, m) float64, read-only; each row sums to 1. A found object that is in no column, such as one that is
            held, has 0 everywhere.
        prior: (n, m) the probabilities before any observation.
        looked: (m,) bool: the contents of the place have been observed.
        pinned: (n, m) bool: fixed by the operator.
        zeroed: (n, m) bool: ruled out by the operator.
        barred: (n, m) bool: the goal would already be reached if the object were there, so the probability is 0 unless an
            operator changes it. None in recordings older than this field.
    """

    objects: tuple[str, ...]
    classes: tuple[str, ...]
    wanted: tuple[bool, ...]
    located: tuple[str | None, ...]
    places: tuple[str, ...]
    probability: npt.NDArray[np.float64]
    prior: npt.NDArray[np.float64]
    looked: npt.NDArray[np.bool_]
    pinned: npt.NDArray[np.bool_]
    zeroed: npt.NDArray[np.bool_]
    barred: npt.NDArray[np.bool_] | None = field(default=None, metadata=ADDED)

    def mentions(self) -> tuple[str, ...]:
        """Returns the classes and places."""
        return *self.classes, *self.places

    def called(self, row: int) -> str:
        """Returns what a row is about: the id of a found object, otherwise its label.

        A label has a number of its own, which says nothing about ids: if another object of the class was found, the row is
        `another apple`, and the next ones `another apple (2)`.
        """
        located, cls = self.located[row], self.classes[row]
        if located is not None:
            return located
        alike = [k for k, other in enumerate(self.classes) if other == cls]
        if all(self.located[k] is None for k in alike):
            return self.objects[row]
        number = sum(self.located[k] is None for k in alike if k <= row)
        return f"another {cls.replace('_', ' ')}{f' ({number})' if number > 1 else ''}"

    def bars(self, row: int) -> npt.NDArray[np.bool_]:
        """Returns the barred places of a row: (m,) bool."""
        return np.zeros(len(self.places), bool) if self.barred is None else self.barred[row]


@dataclass(frozen=True, slots=True)
class ClassAnswers(Value):
    """What the model answered about where objects of one class are. LLM-MCTS, section 2.2 and appendix C.2.

    Attributes:
        cls: the class.
        samples: M, the number of answers; 0 if the model gave probabilities instead.
        counts: (p,) float64, read-only: how many answers name each place, before any smoothing; an answer that may refer to
            several places counts for each in equal parts. With probabilities: the probability of each place.
        unread: the number of answers that name no place.
        prompt: `ModelRequest.digest` of the request.
    """

    cls: str
    samples: int
    counts: npt.NDArray[np.float64]
    unread: int
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class PositionAnswers(Facet):
    """The answers that the prior of the belief is made of.

    Attributes:
        places: (p,) ids of the places.
        classes: the classes asked about.
    """

    places: tuple[str, ...]
    classes: tuple[ClassAnswers, ...]

    def about(self, cls: str) -> ClassAnswers | None:
        """Returns the answers about a class; None if it was not asked about."""
        return next((answers for answers in self.classes if answers.cls == cls), None)


@dataclass(frozen=True, slots=True)
class RankedAction:
    """One root action of the search.

    Attributes:
        steps: the primitive actions of the macro action, the next one first; a single action that is no macro has one.
        prior: the probability under the heuristic policy, 0..1.
        visits: the number of simulations that started with it.
        value: the mean return; None before the first visit.
        share: its visits over all visits.
        loss: the best action's value minus its value; None before the first visit.
    """

    steps: tuple[Action, ...]
    prior: float
    visits: int
    value: float | None
    share: float
    loss: float | None


@dataclass(frozen=True, slots=True)
class Ranking(Facet):
    """The ranking of the root actions.

    Attributes:
        actions: best first.
        simulations: simulations done.
        budget: simulations of the whole search.
        expected: the principal variation.
    """

    actions: tuple[RankedAction, ...]
    simulations: int
    budget: int
    expected: tuple[Action, ...] = ()


MixtureKind = Choice["softmax", "mean-softmax", "votes", "probabilities", "noise", "none"]


@dataclass(frozen=True, slots=True)
class PolicyMixture(Facet):
    """The heuristic policy at the root in its parts: pi(a|h) = mixing / n + (1 - mixing) model(a|h), LLM-MCTS, section 2.3.

    n root actions; m samples of the model's answer.

    Attributes:
        actions: (n,) the primitive steps of each action, as in `RankedAction`.
        mixing: lambda, the share that is spread evenly, 0..1.
        model: (n,) float64, read-only: the model's share of each action; the sum is 1. All 0 if no answer was usable: then the
            prior is uniform.
        how: how the answers became shares: softmax(sharpness * (sum of the cosines - its mean eta)), the mean of the same
            for each sample alone, votes, probabilities of the model, noise (an answer replaced on purpose) or none.
        sharpness: the factor within the softmax.
        samples: (m,) what each sample was read as: its first action.
        cosines: (m, n) float64, read-only: the similarity of each sample with each action; (0, n) unless `how` is a softmax.
        words_only: True if the cosines are between word counts because sentence embeddings are not installed.
        prompt: `ModelRequest.digest` of the request.
    """

    actions: tuple[tuple[Action, ...], ...]
    mixing: float
    model: npt.NDArray[np.float64]
    how: MixtureKind
    sharpness: float
    samples: tuple[str, ...]
    cosines: npt.NDArray[np.float64]
    words_only: bool = False
    prompt: str = ""

    def parts(self, action: int) -> tuple[float, float]:
        """Returns the uniform and the model's part of an action's prior. Their sum is the prior."""
        if not self.model.any():
            return 1.0 / len(self.actions), 0.0
        return self.mixing / len(self.actions), (1.0 - self.mixing) * float(self.model[action])


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


def considered(actions: Sequence[Action], chosen: Action) -> Ranking:
    """Returns the choices of a decision as a ranking, the chosen one first (the papers' "actions considered per decision")."""
    rest = (action for action in actions if action != chosen)
    ranked = [RankedAction((chosen,), 1.0, 0, None, 0.0, None), *(RankedAction((a,), 0.0, 0, None, 0.0, None) for a in rest)]
    return Ranking(tuple(ranked), 0, 0, (chosen,))


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node.

    Attributes:
        id: its number.
        parent: the number of its parent; -1 at the root.
        action: the action that led to it.
        observed: (object label, place id) of objects found after that action; empty: nothing new.
        visits: the number of simulations through it: those that did the action and observed this.
        value: the mean return of all simulations that did the action at the parent, with any observation.
        prior: the probability of the action under the policy, 0..1.
        reached: True if the goal is reached here.
        tried: the number of simulations that did the action at the parent, whatever they observed; 0: as many as `visits`.
    """

    id: int
    parent: int
    action: Action | None
    observed: tuple[tuple[str, str], ...]
    visits: int
    value: float
    prior: float
    reached: bool = False
    tried: int = field(default=0, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class SearchTree(Facet):
    """The search tree.

    Attributes:
        nodes: parents before children, most visited first.
        folded: the number of nodes left out.
        expected: ids of the nodes on the principal variation.
    """

    nodes: tuple[TreeNode, ...]
    folded: int
    expected: tuple[int, ...] = ()


LineState = Choice["plain", "waiting", "done", "failed", "skipped"]
"""plain: nothing to execute (comments, imports); skipped: not needed or not understood, as the note says."""


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """One line of a plan.

    Attributes:
        text: the line.
        state: how far it was executed.
        note: how it was interpreted, or why it failed, in a few words.
    """

    text: str
    state: LineState = "waiting"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Steps(Facet):
    """The numbered plan a model wrote, and the index of the current step (-1 before the first). It cannot be edited."""

    lines: tuple[ProgramLine, ...]
    current: int = -1


@dataclass(frozen=True, slots=True)
class Program(Facet):
    """The program a model wrote, as a planner executes it.

    Attributes:
        lines: its lines.
        current: the index of the current line; -1 before the first, the number of lines after the last.
        taken: the number of actions that the current line has taken before this turn; None: not recorded.
    """

    lines: tuple[ProgramLine, ...]
    current: int = -1
    taken: int | None = field(default=None, metadata=ADDED)

    @property
    def text(self) -> str:
        """The code alone."""
        return "\n".join(line.text for line in self.lines)


View = Choice["first person", "dollhouse"]
Phase = Choice["before", "after", "about"]


@dataclass(frozen=True, slots=True)
class Frame(Facet):
    """A picture of the world in one state.

    Attributes:
        camera: the camera; recordings call it "view".
        turn: the turn whose state is shown, set when the picture is requested, not when it arrives; 0: unknown.
        phase: "before" or "after" the action of that turn. "about": from an old recording that only states the turn in which
            the picture arrived.
        branch: the branch of that turn.
        pixels: (H, W, 3) uint8, RGB, read-only; (H, W, 0) if the picture was never drawn.
        ids: (H, W) uint16; `names[ids[y, x]]` is the entity at a pixel, "" for none; None if the world provides no ids.
        names: the entity names that `ids` refers to; never empty if the picture was drawn.
        boxes: pixel boxes x0, y0, x1, y1 (exclusive) of the entities in sight.
        notice: why the picture is incomplete (no OpenGL) or missing; or empty.
        matrix: 16 numbers, row-major: world (x, y, z, 1) in metres to clip space (OpenGL); empty if the world has none.
        title: what is shown, if the name of the view does not say it ("Room as text"); or empty.
        ways: (id, corners in metres) of the robot's way from where it stands to each room and piece of furniture; may be empty.
    """

    camera: View = field(metadata=recorded_as("view"))
    turn: int = field(default=0, kw_only=True, metadata=ADDED)
    phase: Phase = field(default="before", kw_only=True, metadata=ADDED)
    branch: int = field(default=0, kw_only=True, metadata=ADDED)
    pixels: npt.NDArray[np.uint8]
    ids: npt.NDArray[np.uint16] | None
    names: tuple[str, ...]
    boxes: tuple[tuple[str, tuple[int, int, int, int]], ...] = ()
    notice: str = ""
    matrix: tuple[float, ...] = ()
    title: str = field(default="", metadata=ADDED)
    ways: tuple[tuple[str, tuple[FloorPoint, ...]], ...] = field(default=(), metadata=ADDED)

    @property
    def moment(self) -> Moment:
        """The turn and branch whose state is shown."""
        return Moment(self.branch, self.turn)

    def dated(self, turn: int, branch: int) -> Frame:
        """Returns this picture; if it has no turn, labelled with the turn in which it arrived."""
        return self if self.turn else replace(self, turn=turn, phase="about", branch=branch)

    @property
    def is_missing(self) -> bool:
        """Whether there is no picture; `notice` says why."""
        return not self.names
