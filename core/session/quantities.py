"""The documented names of expressions: those of the run itself, and those that the classes of facets declare.

A name is read from a snapshot, of a live run or of a recording. Values of a decision (ranking,
search tree) belong to the turn in which they were shown; in the next turn they are unknown until they are shown again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from core.common.readings import ActionText, Kind, Read, Unknown, Value
from core.goals.literals import LiteralProgress
from core.planners.registry import facet_kinds, planner_of
from core.planning.facets import Facet, title_of
from core.planning.measures import Argument, FacetIndex, Measure
from core.session import events as e
from core.session.row_quantities import cell_value, is_marked, row_count, row_value
from core.session.snapshot import Snapshot
from core.session.turns import Call, Turn
from core.views.wording import count
from core.world.vocabulary import Action

MOST_MARKS = 50
"""Newest marks that are searched for a divergence."""


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
        arguments: the names of its arguments, such as `object` and `place`.
        kind: the kind of its value; any: the kind that the expression asks for, which is the first argument of its reader.
        about: what it returns, with its unit.
        source: the facet or event it comes from, in words.
        changes: the classes of facets and events that change it. Expressions are checked when one of them comes.
        reader: returns the function that reads its value; called with the arguments as texts.
        momentary: its value is new each time it changes, so an expression that stays true is true again.
        is_action: its value is an action, and can be the argument of another name: `visits(best)`.
        field: what stands after its brackets, as a name: `column`.
    """

    name: str
    arguments: tuple[Argument, ...]
    kind: Kind | Literal["any"]
    about: str
    source: str
    changes: frozenset[type]
    reader: Callable[..., Read[State]]
    momentary: bool = False
    is_action: bool = False
    field: str = ""

    @property
    def is_cheap(self) -> bool:
        """Whether it is read from the run itself, not computed from what a planner shows."""
        return not any(issubclass(change, Facet | e.Shown) for change in self.changes)

    @property
    def form(self) -> str:
        """How it is written: `turn`, `belief(object, place)`, `literal[k].reached`, `row(text).column`."""
        if "." in self.name:
            return self.name.replace(".", "[k].")
        field = f".{self.field}" if self.field else ""
        return f"{self.name}({', '.join(self.arguments)}){field}" if self.arguments else self.name


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
            return Unknown(f"the goal has {count(len(progress), 'part')}, counted from 0")
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
    return Unknown("this world has no score" if len(state.now.line) else "there is no score yet")


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


def _number(name: str, about: str, source: str, changes: Iterable[type], read: Read[State]) -> Quantity:
    return Quantity(name, (), "number", about, source, frozenset(changes), lambda: read)


_TURNS, _ENDS = (e.TurnBegan,), (e.TurnBegan, e.Ended)
_OF_RUN: tuple[Quantity, ...] = (
    # the run
    _number("turn", "the number of the turn, from 1", "run", _TURNS, lambda s: s.now.turn),
    Quantity("action", (), "text", "the chosen action; equal to every text it begins with; checked before it is executed",
             "decision", frozenset({e.Decided}), lambda: _action, momentary=True, is_action=True),
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
    Quantity("score", (), "number", "the world's own score", "observation",
             frozenset({*_ENDS, e.Acted}), lambda: _score),
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
)


# --- what facets declare -----------------------------------------------------------------
def _missing(state: State, kind: type[Facet]) -> Unknown:
    """Returns why there is no facet of a kind."""
    title, has_acted = title_of(kind), len(state.now.line) > 0
    return Unknown(f"this planner shows no {title}" if has_acted else f"there is no {title} yet")


def _of_facet(kind: type[Facet], measure: Measure[Any]) -> Callable[..., Read[State]]:
    """Returns the function that takes the arguments of a measure and returns the one that reads it from a state."""
    def reader(*arguments: str) -> Read[State]:
        read = measure.read(*arguments)

        def of(state: State) -> Value:
            if measure.momentary and state.earlier is None:
                return Unknown(f"known only when the {title_of(kind)} is shown")
            facet = state.now.fresh(kind) if measure.of_turn else state.now.facet(kind)
            if facet is not None:
                return read(facet, state)
            is_stale = measure.of_turn and state.now.facet(kind) is not None
            return Unknown(f"no {title_of(kind)} is shown in this turn") if is_stale else _missing(state, kind)
        return of
    return reader


def _of_any(sources: Sequence[tuple[type[Facet], Measure[Any]]]) -> Callable[..., Read[State]]:
    """Returns the same for a name that several kinds of facet declare: it is read from the first one that is shown."""
    def reader(*arguments: str) -> Read[State]:
        reads = [(kind, _of_facet(kind, measure)(*arguments)) for kind, measure in sources]
        return lambda state: next((read for kind, read in reads if state.now.facet(kind) is not None), reads[-1][1])(state)
    return reader


def _or_else(first: Callable[..., Read[State]], second: Callable[..., Read[State]]) -> Callable[..., Read[State]]:
    """Returns what reads the first value, or the second where the first is unknown. If both are, it gives the first reason."""
    def reader(*arguments: str) -> Read[State]:
        reads = first(*arguments), second(*arguments)

        def of(state: State) -> Value:
            value = reads[0](state)
            other = reads[1](state) if isinstance(value, Unknown) else value
            return value if isinstance(other, Unknown) else other
        return of
    return reader


def source_of(kind: type[Facet]) -> str:
    """Returns a kind of facet in words, with its planner if only that one has it: `blocking tree of BCR`."""
    planner = planner_of(kind.__module__)
    return f"{title_of(kind)} of {planner}" if planner else title_of(kind)


def gathered(run: Iterable[Quantity], kinds: Iterable[type[Facet]]) -> Mapping[tuple[str, int], Quantity]:
    """Returns every name by its spelling and its number of arguments: those of the run, then those that facets declare."""
    found = {(q.name, len(q.arguments)): q for q in run}
    declared: dict[tuple[str, int], list[tuple[type[Facet], Measure[Any]]]] = {}
    for kind in kinds:
        for measure in kind.measures:
            declared.setdefault((measure.name, len(measure.arguments)), []).append((kind, measure))
    for key, sources in declared.items():
        reader = _of_facet(*sources[0]) if len(sources) == 1 else _of_any(sources)
        source, changes = " or ".join(source_of(kind) for kind, _ in sources), frozenset(kind for kind, _ in sources)
        _, first = sources[0]
        known = found.get(key)
        found[key] = Quantity(first.name, first.arguments, first.kind, first.about, source, changes, reader, first.momentary,
                              first.is_action) if known is None else replace(
            known, source=f"{known.source} or {source}", changes=known.changes | changes, reader=_or_else(known.reader, reader))
    return MappingProxyType(found)


_ANY, _DATA = frozenset[type]({e.Shown}), "any data of this turn"
_OF_VIEWS: tuple[Quantity, ...] = (
    Quantity("row", ("text",), "any", "the value of a row in a column: the row begins with the text", _DATA, _ANY,
             row_value, field="column"),
    Quantity("cell", ("text", "column"), "any", "the same; also the column is given by its first words", _DATA, _ANY,
             cell_value),
    Quantity("marked", ("text", "mark"), "truth", "a row that begins with the text has this mark, such as chosen", _DATA, _ANY,
             is_marked),
    Quantity("rows", ("title",), "number", "how many rows the data or section of this title has", _DATA, _ANY, row_count),
)
QUANTITIES = gathered((*_OF_RUN, *_OF_VIEWS), facet_kinds())
"""Every name by its spelling and its number of arguments."""
NAMED = frozenset(q.name for q in QUANTITIES.values() if q.is_action)
"""Names that are names also in the brackets of a call: `visits(action)`."""
