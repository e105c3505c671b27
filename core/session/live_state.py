"""What expressions are read from while a run goes on: the few parts of the snapshot that names need, updated in place.

Folding whole snapshots for it would cost several per cent of a run. The contract tests compare the two at every event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar, cast

from core.goals.literals import LiteralProgress
from core.planning.facets import Facet, Frame, Grounded, Moment, Ranking
from core.session import events as e
from core.session.outcome import branch_of
from core.session.snapshot import call_of, turn_acted, turn_begun, turn_decided
from core.session.turns import Call, Mark, Turn
from core.world.vocabulary import Observation

F = TypeVar("F", bound=Facet)


class Readable(Protocol):
    """What names are read from: a snapshot, or the live state of a run. See `Snapshot` for the members."""

    @property
    def turn(self) -> int: ...  # noqa: D102 - as in Snapshot
    @property
    def branch(self) -> int: ...  # noqa: D102
    @property
    def seen(self) -> Observation | None: ...  # noqa: D102
    @property
    def progress(self) -> tuple[LiteralProgress, ...]: ...  # noqa: D102
    @property
    def current(self) -> Turn | None: ...  # noqa: D102
    @property
    def line(self) -> Sequence[Turn]: ...  # noqa: D102
    @property
    def calls(self) -> Sequence[Call]: ...  # noqa: D102
    @property
    def waiting(self) -> tuple[Call, ...]: ...  # noqa: D102
    @property
    def marks(self) -> Sequence[Mark]: ...  # noqa: D102
    @property
    def model_calls(self) -> int: ...  # noqa: D102
    @property
    def tokens_in(self) -> int: ...  # noqa: D102
    @property
    def tokens_out(self) -> int: ...  # noqa: D102
    @property
    def moment(self) -> Moment: ...  # noqa: D102
    def facet(self, kind: type[F]) -> F | None: ...  # noqa: D102
    def fresh(self, kind: type[F]) -> F | None: ...  # noqa: D102


class LiveState:
    """The state of a run that names are read from. It holds no prompts but those of the last call and of waiting ones.

    Attributes:
        marks: the last divergence; no name needs other marks.
        earlier: the facet of each kind that was shown before the newest one.
    """

    def __init__(self) -> None:
        self.turn = self.branch = self.model_calls = self.tokens_in = self.tokens_out = 0
        self.seen: Observation | None = None
        self.progress: tuple[LiteralProgress, ...] = ()
        self.current: Turn | None = None
        self.calls: tuple[Call, ...] = ()
        self.waiting: tuple[Call, ...] = ()
        self.marks: tuple[Mark, ...] = ()
        self.earlier: dict[type[Facet], Facet] = {}
        self._aside: tuple[Call, ...] = ()
        self._facets: dict[type[Facet], tuple[Facet, int, int]] = {}
        """The newest facet of each kind, and the turn and branch in which it was shown."""
        self._decision: tuple[Turn, e.Decided, Ranking | None, Turn] | None = None
        """The last decision: the turn before it, what was decided, the ranking, and the turn after it."""
        self._lines: dict[int, list[Turn]] = {0: []}
        """The completed turns that lead to the newest moment of each branch."""

    @property
    def line(self) -> Sequence[Turn]:
        """The completed turns that lead to the present."""
        return self._lines[self.branch]

    @property
    def moment(self) -> Moment:
        """The present turn and branch."""
        return Moment(self.branch, self.turn)

    def facet(self, kind: type[F]) -> F | None:
        """Returns the newest facet of a kind, whenever it was shown."""
        found = self._facets.get(kind)
        return None if found is None else cast(F, found[0])

    def fresh(self, kind: type[F]) -> F | None:
        """Returns the facet of a kind that was shown in the present turn of the present branch."""
        found = self._facets.get(kind)
        return None if found is None or found[1] != self.turn or found[2] != self.branch else cast(F, found[0])

    def take(self, event: e.Event) -> None:
        """Updates the state by an event."""
        what = event.what
        self.branch = branch_of(event)
        self.turn = what.turn if isinstance(what, e.Rewound | e.Switched) else event.turn
        match what:
            case e.Shown(facet=Frame() | Grounded()):
                pass
            case e.Shown(facet=facet, of=of):
                if (before := self._facets.get(type(facet))) is not None:
                    self.earlier[type(facet)] = before[0]
                turn, branch = (event.turn, event.branch) if of is None else (of.turn, of.branch)
                self._facets[type(facet)] = facet, turn, branch
            case e.Asked():
                self.waiting = (*self.waiting, call_of(event, what))
            case e.AskedAside():
                self._aside = (*self._aside, call_of(event, what))
            case e.Replied():
                self._replied(what)
            case e.Diverged():
                self.marks = (Mark(event.at, event.turn, "divergence", "", event.branch),)
            case e.Standing():
                self.seen, self.progress = what.seen, what.progress
            case e.Rewound() | e.Switched():
                self._go_elsewhere(what)
            case _:
                self._play(event)

    def _replied(self, what: e.Replied) -> None:
        found = [replace(call, reply=what.reply) for call in (*self.waiting, *self._aside) if call.id == what.id]
        self.calls = tuple(found[-1:]) or self.calls
        if not what.reply.cached:
            self.model_calls += 1
            self.tokens_in += what.reply.tokens_in
            self.tokens_out += what.reply.tokens_out
        if any(call.id == what.id for call in self._aside):
            self._aside = tuple(call for call in self._aside if call.id != what.id)
        else:
            self.waiting = tuple(call for call in self.waiting if call.id != what.id)

    def _go_elsewhere(self, what: e.Rewound | e.Switched) -> None:
        self.waiting, self.current = (), None
        self._facets.clear()
        self.earlier.clear()
        if isinstance(what, e.Rewound):
            self._lines[what.branch] = [turn for turn in self._lines.get(what.parent, ()) if turn.number < what.turn]

    def _play(self, event: e.Event) -> None:
        match event.what:
            case e.TurnBegan(seen=seen, progress=progress) as began:
                self.seen, self.progress, self.current = seen, progress, turn_begun(event, began)
            case e.Decided() as decided:
                self.decide(decided)
            case e.Acted() as acted if self.current is not None:
                turn = turn_acted(self.current, event, acted)
                line = self._lines[self.branch]
                while line and line[-1].number >= turn.number:  # the turn was played again on its branch
                    line.pop()
                line.append(turn)
                self.current, self.seen = None, acted.outcome.observation
            case e.Ended(progress=progress):
                self.waiting, self.current, self.progress = (), None, progress

    def decide(self, what: e.Decided) -> None:
        """Takes a decision. One that was taken before it was emitted is not worked out again."""
        if self.current is not None:
            turn, ranking, last = self.current, self.fresh(Ranking), self._decision
            if last is None or last[0] is not turn or last[2] is not ranking or last[1] != what:
                last = self._decision = turn, what, ranking, turn_decided(turn, what, ranking)
            self.current = last[3]
        if what.by == "operator":
            self.waiting = ()
