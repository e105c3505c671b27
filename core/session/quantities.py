"""The documented names of expressions: what each returns, from which event or facet, and when it changes.

A name is read from a snapshot, of a live run or of a recording. Values of a decision (ranking,
search tree) belong to the turn in which they were shown; in the next turn they are unknown until they are shown again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from core.goals.literals import LiteralProgress
from core.planners.bcr.recorded_types import BlockingTree
from core.planners.llm_state.recorded_types import StateDictionary
from core.planners.neoplanner.recorded_types import Learnings, Scores, StateGraph, StateNode
from core.planning.belief_facets import Belief
from core.planning.facets import Facet, Program, Steps
from core.planning.search_facets import PolicyMixture, RankedAction, Ranking, SearchTree
from core.planning.simulation_facets import Simulations
from core.session import events as e
from core.session.expressions import ActionText, Kind, Read, Unknown, Value, beginning, plain
from core.session.facet_index import Entropies, FacetIndex, RankedSteps, plain_name
from core.session.snapshot import Snapshot
from core.session.turns import Call, Turn
from core.world.vocabulary import Action

F = TypeVar("F", bound=Facet)
MOST_MARKS = 50
"""Newest marks that are searched for a divergence."""
Argument = Literal["object", "place", "action", "key", "text", "number"]


@dataclass(frozen=True, slots=True)
class State:
    """What a name is read from.

    Attributes:
        now: the snapshot.
        earlier: the facet of each kind that was shown before the newest one; None if they are not at hand.
        index: what was computed from the newest facets.
    """

    now: Snapshot
    earlier: Mapping[type[Facet], Facet] | None = None
    index: FacetIndex = field(default_factory=FacetIndex, compare=False)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A documented name.

    Attributes:
        name: as it is written; `literal.reached` is written `literal[k].reached`.
        arguments: what stands in its brackets, as a name for each.
        kind: the kind of its value.
        about: what it returns, with its unit.
        source: the facet or event it comes from, in words.
        changes: the classes of facets and events that change it. Expressions are checked when one of them comes.
        reader: returns the function that reads its value; called with the arguments as texts.
        momentary: its value is new each time it changes, so an expression that stays true is true again.
    """

    name: str
    arguments: tuple[Argument, ...]
    kind: Kind
    about: str
    source: str
    changes: frozenset[type]
    reader: Callable[..., Read[State]]
    momentary: bool = False

    @property
    def is_cheap(self) -> bool:
        """Whether it is read from the run itself, not computed from what a planner shows."""
        return not any(issubclass(change, Facet) for change in self.changes)

    @property
    def form(self) -> str:
        """How it is written: `turn`, `belief(object, place)`, `literal[k].reached`."""
        if "." in self.name:
            return self.name.replace(".", "[k].")
        return f"{self.name}({', '.join(self.arguments)})" if self.arguments else self.name


# --- facets ------------------------------------------------------------------------
_FACETS: Mapping[type[Facet], str] = MappingProxyType({
    Ranking: "ranking", Belief: "belief", SearchTree: "search tree", BlockingTree: "blocking tree", Program: "program",
    Steps: "plan in steps", StateDictionary: "state dictionary", StateGraph: "state graph", Scores: "score",
    Learnings: "learnings", PolicyMixture: "parts of a prior", Simulations: "simulations"})


def _missing(state: State, kind: type[Facet]) -> Unknown:
    """Returns why there is no facet of a kind."""
    has_acted = len(state.now.line) > 0
    return Unknown(f"this planner shows no {_FACETS[kind]}" if has_acted else f"there is no {_FACETS[kind]} yet")


def _newest(kind: type[F], then: Callable[[F], Value]) -> Read[State]:
    """Returns the function that reads a value of the newest facet of a kind, whichever turn showed it."""
    def read(state: State) -> Value:
        facet = state.now.facet(kind)
        return _missing(state, kind) if facet is None else then(facet)
    return read


def _stale(state: State, kind: type[Facet]) -> Unknown:
    """Returns why there is no facet of a kind of the present turn."""
    return _missing(state, kind) if state.now.facet(kind) is None else Unknown(f"no {_FACETS[kind]} is shown in this turn")


def _fresh(kind: type[F], then: Callable[[F], Value]) -> Read[State]:
    """Returns the function that reads a value of the facet of a kind that was shown in the present turn."""
    def read(state: State) -> Value:
        facet = state.now.fresh(kind)
        return _stale(state, kind) if facet is None else then(facet)
    return read


def _best(ranking: Ranking) -> Value:
    steps = ranking.actions[0].steps if ranking.actions else ()
    return ActionText(steps[0]) if steps else Unknown("no action is ranked")


def _gap(ranking: Ranking) -> Value:
    values = sorted([a.value for a in ranking.actions if a.value is not None])
    return values[-1] - values[-2] if len(values) > 1 else Unknown("fewer than two actions have a value")


def _ranked(text: str, then: Callable[[Collection[RankedAction]], Value]) -> Read[State]:
    """Returns the function that reads a value of the ranked actions whose first or last step begins with the text."""
    def read(state: State) -> Value:
        ranking = state.now.fresh(Ranking)
        if ranking is None:
            return _stale(state, Ranking)
        rows = state.index.of(ranking, RankedSteps).about(text)
        return then(rows) if rows else Unknown(f"no ranked action begins with “{text}”")
    return read


def _highest(actions: Collection[RankedAction]) -> Value:
    values = [a.value for a in actions if a.value is not None]
    return max(values) if values else Unknown("the action was not visited yet")


# --- belief ------------------------------------------------------------------------
def _believed(then: Callable[[Belief, Entropies], Value]) -> Read[State]:
    """Returns the function that reads a value of the newest belief."""
    def read(state: State) -> Value:
        belief = state.now.facet(Belief)
        return _missing(state, Belief) if belief is None else then(belief, state.index.of(belief, Entropies))
    return read


def _about(name: str, then: Callable[[Belief, Sequence[int], Entropies], Value]) -> Read[State]:
    """Returns the function that reads a value of the rows of a belief that are about an object or a class."""
    wanted = plain(name)

    @lru_cache(maxsize=4)  # the names seldom change
    def rows_of(*columns: tuple[str | None, ...]) -> list[int]:
        """Returns the rows of a class; otherwise those of an object, by its label or by the id under which it was found."""
        for names in columns:
            if found := [k for k, known in enumerate(names) if known is not None and plain_name(known) == wanted]:
                return found
        return []

    def of(belief: Belief, entropies: Entropies) -> Value:
        rows = rows_of(belief.classes, belief.objects, belief.located)
        return then(belief, rows, entropies) if rows else Unknown(f"the belief has no row “{name}”")

    return _believed(of)


def _entropy(belief: Belief, rows: Iterable[int], entropies: Entropies) -> Value:
    return max((entropies[k] for k in rows if belief.located[k] is None), default=0.0)


def _wanted(belief: Belief) -> list[int]:
    return [k for k, wanted in enumerate(belief.wanted) if wanted]


def _at(place: str) -> Callable[[Belief, Sequence[int], Entropies], Value]:
    """Returns the function that computes the largest probability of some rows at a place."""
    is_meant = beginning(place)

    @lru_cache(maxsize=4)  # the places seldom change
    def columns_of(places: tuple[str, ...]) -> list[int]:
        return [k for k, known in enumerate(places) if is_meant(known)]

    def chance(belief: Belief, rows: Sequence[int], entropies: Entropies) -> Value:
        columns = columns_of(belief.places)
        if not columns:
            return Unknown(f"the belief has no place “{place}”")
        return max(float(belief.probability[row, columns].sum()) for row in rows)
    return chance


# --- model calls, goal, action ---------------------------------------------------------
def _newest_call(now: Snapshot) -> Call | None:
    return now.waiting[-1] if now.waiting else now.calls[-1] if len(now.calls) else None


def _call(then: Callable[[Call], Value]) -> Read[State]:
    def read(state: State) -> Value:
        call = _newest_call(state.now)
        if call is None or (call.turn, call.branch) != (state.now.turn, state.now.branch):
            return Unknown("no model call in this turn")
        return then(call)
    return read


def _reply(state: State) -> Value:
    call = state.now.calls[-1] if len(state.now.calls) else None
    if call is None or call.reply is None or (call.turn, call.branch) != (state.now.turn, state.now.branch):
        return Unknown("no reply in this turn")
    return "\n".join(call.reply.texts)


def _literal(index: int, then: Callable[[LiteralProgress], Value]) -> Read[State]:
    def read(state: State) -> Value:
        progress = state.now.progress
        if not progress:
            return Unknown("the goal is not judged yet")
        if index >= len(progress):
            return Unknown(f"the goal has {len(progress)} {'part' if len(progress) == 1 else 'parts'}, counted from 0")
        return then(progress[index])
    return read


def _action(state: State) -> Value:
    now = state.now
    turn = now.current if now.current is not None else now.line[-1] if len(now.line) else None
    action: Action | None = None if turn is None else turn.done
    return Unknown("no action is chosen yet") if action is None else ActionText(action)


def _because(state: State) -> Value:
    now = state.now
    turn = now.current if now.current is not None else now.line[-1] if len(now.line) else None
    return Unknown("no action is chosen yet") if turn is None or turn.done is None else turn.because


def _refused(state: State) -> Value:
    done = state.now.line[-1].outcome if len(state.now.line) else None
    return Unknown("no action was executed yet") if done is None else not done.ok


def _diverged(state: State) -> Value:
    now = state.now
    return any((mark.kind, mark.turn, mark.branch) == ("divergence", now.turn, now.branch) for mark in now.marks[-MOST_MARKS:])


def _score(state: State) -> Value:
    seen = state.now.seen
    if seen is not None and seen.score is not None:
        return seen.score
    found = _newest(Scores, lambda scores: scores.score)(state)
    return Unknown("this world has no score") if isinstance(found, Unknown) and len(state.now.line) else found


def _last_turn(then: Callable[[Turn], Value]) -> Read[State]:
    def read(state: State) -> Value:
        line = state.now.line
        return then(line[-1]) if len(line) else Unknown("no action was executed yet")
    return read


def _loss(state: State) -> Value:
    now = state.now
    turn = now.current if now.current is not None else now.line[-1] if len(now.line) else None
    if turn is None or turn.done is None:
        return Unknown("no action is chosen yet")
    return Unknown("the chosen action has no value in a ranking of this turn") if turn.loss is None else turn.loss


def _agreement(mixture: PolicyMixture) -> Value:
    return float(mixture.model.max()) if mixture.model.any() else Unknown("no answer of the model was usable")


def _return(simulations: Simulations, of: Callable[[npt.NDArray[np.float64]], np.float64]) -> Value:
    return float(of(simulations.returned)) if len(simulations.returned) else Unknown("no simulation was noted")


# --- the other planners ------------------------------------------------------------------
def _conditions(tree: BlockingTree) -> tuple[str, ...]:
    return tuple([node.text for node in tree.nodes if node.kind == "condition" and node.state != "reached"])


def _blocking(then: Callable[[tuple[str, ...]], Value]) -> Read[State]:
    """Returns the function that reads a value of the conditions that block now."""
    def read(state: State) -> Value:
        tree = state.now.facet(BlockingTree)
        return _missing(state, BlockingTree) if tree is None else then(state.index.of(tree, _conditions))
    return read


def _new_condition(state: State) -> Value:
    if state.earlier is None:
        return Unknown("known only when a blocking tree is shown")
    before = state.earlier.get(BlockingTree)
    known = state.index.of(before, _conditions) if isinstance(before, BlockingTree) else ()
    return _blocking(lambda conditions: next((text for text in conditions if text not in known), ""))(state)


def _entry(key: str) -> Read[State]:
    def of(dictionary: StateDictionary) -> Value:
        found = next((entry for entry in dictionary.entries if plain(key) in (plain(entry.name), plain(entry.thing))), None)
        return Unknown(f"the state dictionary has no key “{key}”") if found is None else ", ".join(found.attributes)

    return _newest(StateDictionary, of)


def _here(then: Callable[[StateNode], float | None]) -> Read[State]:
    def of(graph: StateGraph) -> Value:
        node = next((node for node in graph.nodes if node.id == graph.here), None)
        found = None if node is None else then(node)
        return Unknown("the present state has no such value yet") if found is None else found

    return _newest(StateGraph, of)


def _line(state: State) -> Value:
    def of(plan: Program | Steps) -> Value:
        return plan.lines[plan.current].text if 0 <= plan.current < len(plan.lines) else Unknown("no line is under way")

    return (_newest(Program, of) if state.now.facet(Steps) is None else _newest(Steps, of))(state)


# --- the table ---------------------------------------------------------------------------
def _number(name: str, about: str, source: str, changes: Iterable[type], read: Read[State]) -> Quantity:
    return Quantity(name, (), "number", about, source, frozenset(changes), lambda: read)


_TURNS, _ENDS = (e.TurnBegan,), (e.TurnBegan, e.Ended)
_ALL: tuple[Quantity, ...] = (
    # the run
    _number("turn", "the number of the turn, from 1", "run", _TURNS, lambda s: s.now.turn),
    Quantity("action", (), "text", "the chosen action; equal to every text it begins with; checked before it is executed",
             "decision", frozenset({e.Decided}), lambda: _action, momentary=True),
    Quantity("because", (), "text", "why it was chosen", "decision", frozenset({e.Decided}), lambda: _because, momentary=True),
    Quantity("refused", (), "truth", "the world refused the last action", "outcome", frozenset({e.Acted}), lambda: _refused,
             momentary=True),
    Quantity("loss", (), "number", "value of the best action minus that of the chosen one", "decision and ranking",
             frozenset({e.Decided}), lambda: _loss, momentary=True),
    _number("thinking", "seconds in the planner for the last executed action", "turn", (e.Acted,),
            _last_turn(lambda turn: turn.thinking)),
    _number("waiting", "seconds of waiting for the model for the last executed action", "turn", (e.Acted,),
            _last_turn(lambda turn: turn.waiting)),
    Quantity("diverged", (), "truth", "the planner beside this one would do something else in this turn", "decisions",
             frozenset({e.Diverged}), lambda: _diverged, momentary=True),
    Quantity("score", (), "number", "the world's own score", "observation, or Score of NeoPlanner",
             frozenset({*_ENDS, e.Acted, Scores}), lambda: _score),
    # the goal
    Quantity("literal.reached", ("number",), "truth", "part k of the goal holds; k from 0", "goal", frozenset(_ENDS),
             lambda k: _literal(int(k), lambda p: p.reached)),
    Quantity("literal.have", ("number",), "number", "how many objects satisfy part k of the goal", "goal", frozenset(_ENDS),
             lambda k: _literal(int(k), lambda p: p.have)),
    _number("reached", "how many parts of the goal hold", "goal", _ENDS, lambda s: sum(p.reached for p in s.now.progress)),
    # model calls
    _number("calls", "replies of the model so far, without those from memory", "model calls", (e.Replied,),
            lambda s: s.now.model_calls),
    _number("tokens", "tokens of those calls, prompt and reply", "model calls", (e.Replied,),
            lambda s: s.now.tokens_in + s.now.tokens_out),
    Quantity("reply", (), "text", "the newest reply of this turn", "model calls", frozenset({e.Replied}), lambda: _reply,
             momentary=True),
    Quantity("prompt", (), "text", "the newest prompt of this turn", "model calls", frozenset({e.Asked}), lambda: _call(
        lambda call: "\n".join(m.content for m in call.ask.messages)), momentary=True),
    Quantity("prompt_kind", (), "text", "what the newest prompt of this turn asks for, such as policy", "model calls",
             frozenset({e.Asked}), lambda: _call(lambda call: call.ask.purpose), momentary=True),
    # search
    _number("gap", "value of the best action minus that of the second best", "ranking", (Ranking,),
            _fresh(Ranking, _gap)),
    Quantity("best", (), "text", "the first step of the best action", "ranking", frozenset({Ranking}),
             lambda: _fresh(Ranking, _best)),
    _number("simulations", "simulations done in this decision", "ranking", (Ranking,),
            _fresh(Ranking, lambda r: r.simulations)),
    Quantity("visits", ("action",), "number", "simulations through the root actions that begin or end with it", "ranking",
             frozenset({Ranking}), lambda a: _ranked(a, lambda found: sum(r.visits for r in found))),
    Quantity("value", ("action",), "number", "the highest mean return of these root actions", "ranking",
             frozenset({Ranking}), lambda a: _ranked(a, _highest)),
    Quantity("prior", ("action",), "number", "the probability of these root actions under the policy, 0 to 1", "ranking",
             frozenset({Ranking}), lambda a: _ranked(a, lambda found: sum(r.prior for r in found))),
    _number("agreement", "the largest share that the model's answers give one root action, 0 to 1", "parts of the prior",
            (PolicyMixture,), _fresh(PolicyMixture, _agreement)),
    _number("mean_return", "mean discounted return of the simulations noted", "simulations", (Simulations,),
            _fresh(Simulations, lambda found: _return(found, np.mean))),
    _number("best_return", "the largest return of one of them", "simulations", (Simulations,),
            _fresh(Simulations, lambda found: _return(found, np.max))),
    _number("nodes", "nodes of the search tree", "search tree", (SearchTree,),
            _fresh(SearchTree, lambda tree: len(tree.nodes) + tree.folded)),
    # belief
    _number("entropy", "the largest entropy of an object of the goal that is not found, in bits", "belief", (Belief,),
            _believed(lambda b, entropies: _entropy(b, _wanted(b), entropies))),
    _number("total_entropy", "the entropies of all objects of the goal that are not found together, in bits", "belief",
            (Belief,), _believed(lambda b, entropies: sum((entropies[k] for k in _wanted(b) if b.located[k] is None), 0.0))),
    Quantity("entropy", ("object",), "number", "the largest entropy of an object of this name or class, in bits; 0 once found",
             "belief", frozenset({Belief}), lambda a: _about(a, _entropy)),
    Quantity("belief", ("object", "place"), "number", "the largest probability of an object of this name or class at the place",
             "belief", frozenset({Belief}), lambda a, place: _about(a, _at(place))),
    Quantity("found", ("object",), "truth", "an object of this name or class was seen", "belief", frozenset({Belief}),
             lambda a: _about(a, lambda b, rows, entropies: any(b.located[k] is not None for k in rows))),
    # BCR
    _number("conditions", "conditions that block now", "blocking tree of BCR", (BlockingTree,),
            _blocking(len)),
    Quantity("blocked", ("text",), "truth", "a condition that contains the text blocks now", "blocking tree of BCR",
             frozenset({BlockingTree}), lambda a: _blocking(lambda conditions: any(
                 plain(a) in plain(text) for text in conditions))),
    Quantity("new_condition", (), "text", "the first condition that blocks and did not block in the tree before; else empty",
             "blocking tree of BCR", frozenset({BlockingTree}), lambda: _new_condition, momentary=True),
    _number("loops", "loops that were broken", "blocking tree of BCR", (BlockingTree,),
            _newest(BlockingTree, lambda tree: tree.loops)),
    # LLM-State
    Quantity("state", ("key",), "text", "what the dictionary holds about an object, separated by commas", "LLM-State",
             frozenset({StateDictionary}), _entry),
    # NeoPlanner
    _number("states", "states of the graph", "state graph of NeoPlanner", (StateGraph,),
            _newest(StateGraph, lambda graph: len(graph.nodes))),
    _number("state_value", "V of the present state", "state graph of NeoPlanner", (StateGraph,),
            _here(lambda node: node.value)),
    _number("state_visits", "visits of the present state", "state graph of NeoPlanner", (StateGraph,),
            _here(lambda node: node.visits)),
    _number("new_bound", "upper bound of an action not tried yet in the present state (eq. 2)", "state graph of NeoPlanner",
            (StateGraph,), _here(lambda node: node.new_bound)),
    _number("known_bound", "upper bound of the best known action of the present state (eq. 3)", "state graph of NeoPlanner",
            (StateGraph,), _here(lambda node: node.known_bound)),
    _number("explore_chance", "the probability that a round explores (eq. 6), 0 to 1", "state graph of NeoPlanner",
            (StateGraph,), _newest(StateGraph, lambda g: Unknown("no round has begun") if g.explore_chance is None
                              else g.explore_chance)),
    Quantity("exploring", (), "truth", "the objective of this round is to explore", "state graph of NeoPlanner",
             frozenset({StateGraph}), lambda: _newest(StateGraph, lambda graph: graph.exploring)),
    _number("best_score", "the best score so far", "score of NeoPlanner", (Scores,),
            _newest(Scores, lambda scores: scores.best)),
    _number("axioms", "learned lines in force", "learnings of NeoPlanner", (Learnings,),
            _newest(Learnings, lambda learnings: len(learnings.axioms))),
    # ProgPrompt and other plans in lines
    Quantity("line", (), "text", "the line of the program or plan under way", "program or plan", frozenset({Program, Steps}),
             lambda: _line),
)
QUANTITIES: Mapping[tuple[str, int], Quantity] = MappingProxyType({(q.name, len(q.arguments)): q for q in _ALL})
"""Every name by its spelling and its number of arguments."""
NAMED = frozenset({"action", "best"})
"""Names that are names also in the brackets of a call: `visits(action)`."""
