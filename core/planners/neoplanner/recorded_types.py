"""The types of NeoPlanner that a recording holds: its facets and the facts of its prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from core.common import readings
from core.common.errors import UsageError
from core.common.readings import Unknown
from core.common.recorded import ADDED
from core.planning.facets import Facet, FacetPanel
from core.planning.measures import Measure, number
from core.views import values as views
from core.views.addresses import Address, index_at
from core.views.charts import number_words
from core.views.wording import cell_text, count
from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class RoomSeen(Value):
    """A room as last seen in this episode: its description, and the names of the objects in sight."""

    name: str
    look: str
    things: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepTaken(Value):
    """A step of the episode.

    Attributes:
        action: the sentence.
        reply: the world's answer.
        room: the room the robot was in.
        ok: True if it was not refused.
        reward: the change of the score.
    """

    action: str
    reply: str
    room: str
    ok: bool
    reward: float


@dataclass(frozen=True, slots=True)
class ActionPlanFacts:
    """Request: which actions are next? NeoPlanner, section V-A and the appendix.

    Attributes:
        task: the objective as text.
        room: the room of the state the actions begin in: the current one, or the end of a known way that is done first.
        look: the description of the room.
        inventory: the description of what is carried.
        things: names of the objects that can be acted on.
        templates: kinds of action, such as `pour OBJ in OBJ`.
        avoid: actions already tried in this state.
        rooms: all rooms seen in this episode; empty if the prompt does not describe them.
        trace: the episode so far; rewards are 0 if the prompt does not mention them.
        learnings: the axioms of earlier episodes, as `X Y Z` lines.
        explore: True if the objective of this round is to explore.
        stand_in: how the offline provider answers: words, rules, random.
        draw: the random seed of the offline provider.
    """

    task: str
    room: str
    look: str
    inventory: str
    things: tuple[str, ...]
    templates: tuple[str, ...]
    avoid: tuple[str, ...]
    rooms: tuple[RoomSeen, ...]
    trace: tuple[StepTaken, ...]
    learnings: tuple[str, ...]
    explore: bool
    stand_in: str
    draw: int


@dataclass(frozen=True, slots=True)
class LearnerFacts:
    """Request: what was learned in an episode? NeoPlanner, section V-B and the appendix."""

    task: str
    rooms: tuple[RoomSeen, ...]
    trace: tuple[StepTaken, ...]
    learnings: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class StateNode(Value):
    """A state that was visited.

    Attributes:
        id: its number, from 2; 1 is the fixed node of refused actions.
        title: the room.
        detail: what distinguishes it from other states of the room, in a few words.
        value: V(s).
        bound: V(s) with its exploration term.
        visits: n_s.
        tried: the number of actions tried in it.
        refused: the number of those that led to the node of refused actions.
        menu: the number of possible actions.
        frontier: True if no known action leads on from here, or a new action is worth more than the known ones.
        untried: K_s, the share of actions not tried yet to a power, 0..1 (eq. 4); None: not recorded.
        new_bound: the upper bound of an action not tried yet, V+ (eq. 2); None: not recorded.
        known_bound: the upper bound V+_K of the known action with the largest V+ (eq. 3); None: no known action, or not
            recorded.
    """

    id: int
    title: str
    detail: str
    value: float
    bound: float
    visits: int
    tried: int
    refused: int
    menu: int
    frontier: bool
    untried: float | None = field(default=None, metadata=ADDED)
    new_bound: float | None = field(default=None, metadata=ADDED)
    known_bound: float | None = field(default=None, metadata=ADDED)

    @property
    def name(self) -> str:
        """Its title with what distinguishes it."""
        return f"{self.title} · {self.detail}" if self.detail else self.title


@dataclass(frozen=True, slots=True)
class PathBound(Value):
    """What was compared in a state when the path through it was selected: whether a new action is worth more than a known one.

    Attributes:
        state: its id.
        visits: n_s.
        value: V(s).
        untried: K_s (eq. 4).
        new_bound: V+ of a new action (eq. 2).
        known_bound: V+_K of the known action with the largest V+ (eq. 3); None if there is none.
        way: this action; empty if there is none.
    """

    state: int
    visits: int
    value: float
    untried: float
    new_bound: float
    known_bound: float | None
    way: str


@dataclass(frozen=True, slots=True)
class StateEdge(Value):
    """The actions that lead from one state to another, with the largest of their rewards (log-transformed)."""

    source: int
    target: int
    actions: tuple[str, ...]
    reward: float


def _of_state(name: str, about: str, value: Callable[[StateNode], float | None]) -> Measure[StateGraph]:
    """Returns a measure of the present state."""
    def of(graph: StateGraph) -> readings.Value:
        node = next((node for node in graph.nodes if node.id == graph.here), None)
        found = None if node is None else value(node)
        return Unknown("the present state has no such value yet") if found is None else found
    return number(name, about, of)


def _explore_chance(graph: StateGraph) -> readings.Value:
    return Unknown("no round has begun") if graph.explore_chance is None else graph.explore_chance


OF_GRAPH: tuple[Measure[StateGraph], ...] = (
    number("states", "states of the graph", lambda graph: len(graph.nodes)),
    _of_state("state_value", "V of the present state", lambda node: node.value),
    _of_state("state_visits", "visits of the present state", lambda node: node.visits),
    _of_state("new_bound", "upper bound of an action not tried yet in the present state (eq. 2)", lambda node: node.new_bound),
    _of_state("known_bound", "upper bound of the best known action of the present state (eq. 3)",
              lambda node: node.known_bound),
    number("explore_chance", "the probability that a round explores (eq. 6), 0 to 1", _explore_chance),
    Measure("exploring", (), "truth", "the objective of this round is to explore", lambda: lambda graph, at: graph.exploring),
)


@dataclass(frozen=True, slots=True)
class StateGraph(Facet):
    """The state-space graph.

    Attributes:
        nodes: in the order of their first visit.
        edges: the transitions.
        here: the current state, or -1.
        path: the states of the plan, starting with `here`.
        avoid: actions tried at the end of the path, not to be proposed again.
        refused: those of them that were refused.
        start: states in which episodes started.
        because: why the path ends: leaf, exploring, loop; empty while none is selected.
        bounds: the comparisons along the whole selected path, also in states that the robot has left since; the path ends in
            the last one.
        explore_chance: P_explore of this round (eq. 6), 0..1; None: no round has begun, or not recorded.
        explored: N of that equation.
        exploring: True if the objective of this round is to explore.
    """

    measures = OF_GRAPH
    panels = (FacetPanel("state_graph", "State graph", "graph", "The states that the planner meets, with values and visits.",
                         ("States", "Along the path")),)
    nodes: tuple[StateNode, ...]
    edges: tuple[StateEdge, ...]
    here: int
    path: tuple[int, ...] = ()
    avoid: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    start: tuple[int, ...] = ()
    because: str = ""
    bounds: tuple[PathBound, ...] = field(default=(), metadata=ADDED)
    explore_chance: float | None = field(default=None, metadata=ADDED)
    explored: int = field(default=0, metadata=ADDED)
    exploring: bool = field(default=False, metadata=ADDED)

    def view(self) -> views.Sections:
        """Returns the states, named by what they are (their numbers differ from run to run), and what was compared."""
        frontier, refused = sum(node.frontier for node in self.nodes), sum(node.refused for node in self.nodes)
        words = (count(len(self.nodes), "state"), f"{frontier:,} at the frontier", f"{refused:,} refused", self._ahead())
        return views.Sections((self._states(), self._compared(), self._avoided(), self._refused()), note=self._note(),
                              headline=" · ".join(filter(None, words)) if self.nodes else "")

    def _states(self) -> views.Graph:
        at, steps = {node.id: k for k, node in enumerate(self.nodes)}, set(zip(self.path, self.path[1:], strict=False))
        links = tuple(views.Link(at[edge.source], at[edge.target], edge.actions, (edge.reward or None,), (
            *((ON_PATH,) if (edge.source, edge.target) in steps else ()),
            *((REWARD if edge.reward > 0 else PENALTY,) if edge.reward else ())))
            for edge in self.edges if edge.source in at and edge.target in at)
        columns = (views.Column("n", "count", "visits"), views.Column("V", "value", "the value of the state"),
                   views.Column("refused", "count", "actions tried in it and refused"),
                   views.Column("tried", "count", "actions tried in it"),
                   views.Column("possible", "count", "possible actions"),
                   views.Column("bound", "value", "the value with its exploration term"))
        rewards = (views.Column("reward", "value", "log-transformed"),)
        return views.Graph(tuple(map(self._state, self.nodes)), links, columns, rewards, title="States", weight="V")

    def _state(self, node: StateNode) -> views.Item:
        marks = (*((views.HERE,) if node.id == self.here else ()), *((ON_PATH,) if node.id in self.path else ()),
                 *((views.START,) if node.id in self.start else ()), *((views.FRONTIER,) if node.frontier else ()))
        values = node.visits, node.value, node.refused or None, node.tried, node.menu, node.bound
        return views.Item(node.name, node.name, values, marks, brief=node.title)

    def _compared(self) -> views.Table:
        """Returns what decided where the path ends: the larger one of both bounds has a mark."""
        nodes, items = {node.id: node for node in self.nodes}, list[views.Item]()
        for bound in self.bounds:
            if (node := nodes.get(bound.state)) is not None:
                goes_on = bound.known_bound is not None and bound.known_bound >= bound.new_bound
                marks = (*((views.HERE,) if node.id == self.here else ()), KNOWN if goes_on else UNTRIED)
                values = bound.known_bound, bound.new_bound, bound.untried, bound.value, bound.visits, bound.way or None
                items.append(views.Item(node.name, node.title, values, marks, note=node.detail))
        columns = (views.Column("V+K", "value", "the upper bound of the best known action (eq. 3)"),
                   views.Column("V+", "value", "the upper bound of an action not tried yet (eq. 2)"),
                   views.Column("K", "probability", "the share of actions not tried yet, to a power (eq. 4)"),
                   views.Column("V", "value", "the value of the state"), views.Column("n", "count", "visits"),
                   views.Column("known action"))
        return views.Table(tuple(items), columns, title="Along the path", order="step")

    def _avoided(self) -> views.Table:
        """Returns the actions tried at the end of the path, the last one first."""
        refused = set(self.refused)
        items = (views.Item(action, action, marks=(REFUSED,) if action in refused else ()) for action in self.avoid[::-1])
        return views.Table(tuple(items), title="Avoid")

    def _refused(self) -> views.Table:
        """Returns the states in which actions were refused, with these actions."""
        names = {node.id: node.name for node in self.nodes}
        items = (views.Item(names[edge.source], names[edge.source], (", ".join(edge.actions),)) for edge in self.edges
                 if edge.source in names and edge.target not in names)
        return views.Table(tuple(items), (views.Column("actions"),), title="Refused")

    def _ahead(self) -> str:
        """Returns the length of the path ahead and why it ends; empty while none is selected."""
        steps = max(0, len(self.path) - 1)
        ahead = f"{count(steps, 'step')} ahead" if steps else "no known next step"
        return f"{ahead}: {ENDS.get(self.because, self.because)}" if self.because else ""

    def _note(self) -> str:
        """Returns the objective of the round with its chance, and what to avoid."""
        refused, found = set(self.refused), list[str]()
        if self.explore_chance is not None:
            chance = cell_text(self.explore_chance, "probability")
            objective = "explore" if self.exploring else "the task"
            found += [f"Objective: {objective}", f"P explore {chance} at N = {self.explored:,}"]
        if self.avoid:
            avoid = [f"{action} (refused)" if action in refused else action for action in self.avoid[::-1]]
            found.append(f"Avoid {len(avoid):,}: {', '.join(avoid)}")
        return " · ".join(found)


ON_PATH, KNOWN, UNTRIED = (views.Mark("on the path", "planner"), views.Mark("known action", "planner"),
                           views.Mark("new action"))
REWARD, PENALTY, REFUSED = views.Mark("reward", "good"), views.Mark("penalty", "bad"), views.Mark("refused", "bad")
ENDS = MappingProxyType({"leaf": "nothing is known beyond", "exploring": "doing something new is worth more",
                         "loop": "the path returns to a known state", "no graph": "the graph is not used"})


@dataclass(frozen=True, slots=True)
class Axiom(Value):
    """One learned line `X Y Z`: X stands in the relation Y to Z.

    Attributes:
        text: the line.
        pinned: True if it is kept even if the model drops it.
        by: who wrote it.
        episode: the episode in which it was written, from 1; 0: before.
    """

    text: str
    pinned: bool = False
    by: Literal["model", "operator"] = "model"
    episode: int = 0


LEARNED: tuple[Measure[Learnings], ...] = (
    number("axioms", "learned lines in force", lambda learnings: len(learnings.axioms)),
)


@dataclass(frozen=True, slots=True)
class Learnings(Facet):
    """Lines that the planner learnt in earlier episodes, such as `stove heats water`. You can add, change, pin and delete them.

    Attributes:
        axioms: the axioms in force.
        struck: axioms an operator deleted; they are not added again if the model repeats them.
        episodes: the number of finished episodes.
    """

    icon, stays = "learnings", True
    measures = LEARNED
    axioms: tuple[Axiom, ...]
    struck: tuple[str, ...] = ()
    episodes: int = 0

    def view(self) -> views.Table:
        """Returns the axioms in force."""
        own, kept = sum(axiom.by == "operator" for axiom in self.axioms), sum(axiom.pinned for axiom in self.axioms)
        counts = ((own, "yours"), (kept, "pinned"), (len(self.struck), "deleted"))
        words = [count(len(self.axioms), "line"), f"after {count(self.episodes, 'episode')}",
                 *(f"{number} {name}" for number, name in counts if number)]
        return views.Table(tuple(map(self._row, self.axioms)), (views.Column("episode", "count", "in which it was written"),),
                           order="number", own_edits=(ADD_LINE,),
                           headline=" · ".join(words) if self.axioms or self.struck else "")

    def _row(self, axiom: Axiom) -> views.Item:
        is_new = bool(axiom.episode) and axiom.episode == self.episodes
        marks = (*((views.PINNED,) if axiom.pinned else ()), *((views.EDITED,) if axiom.by == "operator" else ()),
                 *((views.NEW,) if is_new else ()))
        edits = (views.Edit("change", "Change", views.Write(axiom.text, "X Y Z"), "E", "edit"),
                 UNPIN if axiom.pinned else PIN, DELETE)
        return views.Item(axiom.text, axiom.text, (axiom.episode or None,), marks, edits=edits)

    def edited(self, address: Address, edit: str, value: views.EditValue) -> Learnings:
        """Returns the lines with one added at the top, changed, pinned, unpinned or deleted.

        A deleted line, and the former text of a changed one, are struck: they stay out if the model writes them again.
        """
        words = " ".join(value.split()) if isinstance(value, str) else ""
        if edit in ("add", "change"):
            self._check(words)
        kept = tuple(text for text in self.struck if text != words)
        if not address and edit == "add":
            return replace(self, axioms=(Axiom(words, False, "operator", self.episodes), *self.axioms), struck=kept)
        at = index_at(self.view(), address)
        old, before, after = self.axioms[at], self.axioms[:at], self.axioms[at + 1:]
        match edit:
            case "change":
                new = Axiom(words, old.pinned, "operator", old.episode)
                return replace(self, axioms=(*before, new, *after), struck=tuple(dict.fromkeys((*kept, old.text))))
            case "delete":
                return replace(self, axioms=(*before, *after), struck=tuple(dict.fromkeys((*self.struck, old.text))))
            case "pin" | "unpin":
                return replace(self, axioms=(*before, replace(old, pinned=edit == "pin"), *after))
        raise UsageError(f"a line cannot be edited by “{edit}”")

    def _check(self, words: str) -> None:
        if not words or len(words) > LONGEST_LINE:
            raise UsageError(f"a line has 1 to {LONGEST_LINE} characters: write X Y Z")
        if any(axiom.text == words for axiom in self.axioms):
            raise UsageError("this line is there already: change or pin that one")


LONGEST_LINE = 600
"""Characters of a learnt line."""
ADD_LINE = views.Edit("add", "Add a line", views.Write(hint="X Y Z"), icon="add")
PIN, UNPIN = views.Edit("pin", "Pin", key="P", icon="pin"), views.Edit("unpin", "Unpin", key="P", icon="pin")
DELETE = views.Edit("delete", "Delete", key="Delete", icon="ban")


OF_SCORE: tuple[Measure[Scores], ...] = (
    number("score", "the planner's count of the score", lambda scores: scores.score),
    number("best_score", "the best score so far", lambda scores: scores.best),
)


@dataclass(frozen=True, slots=True)
class Scores(Facet):
    """The score over interactions (every action sent to the world except a restart).

    Attributes:
        points: (interactions, score) where the score changed.
        ends: (interactions, score) at the end of every finished episode.
        interactions: their number so far.
        score: the current score.
        best: the best score so far.
        best_at: the number of interactions after which it was first reached.
        most: the score of a completed task.
    """

    facet_title = "score"
    measures = OF_SCORE
    panels = (FacetPanel("score", "Score"),)
    points: tuple[tuple[int, float], ...]
    ends: tuple[tuple[int, float], ...]
    interactions: int
    score: float
    best: float
    best_at: int
    most: float = 100.0

    def view(self) -> views.Chart:
        """Returns the score and the best one so far over the interactions, and how the episodes ended."""
        rises, best = list[tuple[float, float]](), 0.0
        for point in self.points:
            if point[1] > best:
                best = point[1]
                rises.append(point)
        ends = {tone: tuple(end for end in self.ends if _end_tone(end[1], self.most) == tone) for tone in END_NAMES}
        series = (views.Series("score", (*self.points, (self.interactions, self.score)), "area"),
                  views.Series("best so far", (*rises, (self.interactions, self.best)) if rises else (), "stair", "good"),
                  *(views.Series(END_NAMES[tone], points, "points", tone) for tone, points in ends.items()))
        found = f"best {number_words(self.best)} after {number_words(self.best_at)}" if self.best > 0 else "nothing reached"
        return views.Chart(
            tuple(one for one in series if one.points), "interactions", x_range=(0, max(LEAST_INTERACTIONS, self.interactions)),
            y_range=(0, max(1.0, self.most)),
            headline=f"{number_words(self.score)} of {number_words(self.most)} · {found} · episode {len(self.ends) + 1}")


LEAST_INTERACTIONS = 10
"""Interactions that the axis of a chart spans at least."""
END_NAMES: Mapping[views.Tone, str] = MappingProxyType({"bad": "failed", "good": "task completed", "muted": "episode over"})
"""What the ends of episodes are called, by the tone of their points."""


def _end_tone(score: float, most: float) -> views.Tone:
    """Returns the tone of the end of an episode."""
    return "bad" if score < 0 else "good" if score >= most else "muted"
