"""Turns as blocks of the timeline, each put into words when it is looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from core.common.lazy_list import LazyList
from core.common.shared_list import SharedList
from core.planning.moment import Moment
from core.session.breakpoint_hits import Hit
from core.session.lineage import first_from
from core.session.snapshot import Turn
from gui.control.turn_lookup import moment_of
from gui.widgets import Names, glyph

Tone = Literal["planner", "operator", "failed", "live"]
MOST_KEPT = 1000
"""Blocks that stay in words: those in sight of the widest window several times over."""


@dataclass(frozen=True, slots=True)
class Block:
    """One turn.

    Attributes:
        parts: seconds of thinking, waiting for the model, acting; waiting for a person is in none.
        began, ended: seconds since the session began, by the clock on the wall.
        lead: words before the verb of the live block: considering.
    """

    moment: Moment
    icon: str
    verb: str
    target: str
    tone: Tone
    parts: tuple[float, float, float]
    began: float
    ended: float
    lead: str = ""
    tip: str = ""

    @property
    def seconds(self) -> float:
        """How long it worked."""
        return max(0.01, sum(self.parts))

    @property
    def wall(self) -> float:
        """How long it took with all waiting for a person."""
        return max(self.seconds, self.ended - self.began)


def block_of(turn: Turn, names: Names) -> Block:
    """A turn that was acted out."""
    action = turn.done
    verb, target = names.parts(action) if action is not None else ("nothing", "")
    failed = turn.outcome is not None and not turn.outcome.ok
    tone: Tone = "failed" if failed else "operator" if turn.by == "operator" else "planner"
    icon = "override" if turn.by == "operator" else glyph(action.verb) if action is not None else "unknown"
    why = turn.outcome.reason if failed and turn.outcome is not None else turn.because
    tip = f"Turn {turn.number}: {names.phrase(action) if action is not None else 'nothing'}" + (f"\n{why}" if why else "")
    parts = (turn.thinking, turn.waiting, turn.acting)
    return Block(moment_of(turn), icon, verb, target, tone, parts, turn.began, turn.ended or turn.began, tip=tip)


class Making:
    """Puts turns into words, and keeps those it was asked for lately."""

    def __init__(self) -> None:
        self._kept: dict[Moment, tuple[Turn, Names, Block]] = {}
        self._hits: SharedList[Hit] = SharedList()
        self._stops: dict[Moment, tuple[Hit, ...]] = {}

    def stops(self, hits: SharedList[Hit]) -> Mapping[Moment, tuple[Hit, ...]]:
        """Stops at breakpoints by their turns; only what is new is looked at."""
        new = hits.since(self._hits)
        if new is None:
            self._stops, new = {}, hits
        for hit in new:
            moment = Moment(hit.branch, hit.turn)
            self._stops[moment] = (*self._stops.get(moment, ()), hit)
        self._hits = hits
        return self._stops

    def block(self, turn: Turn, names: Names) -> Block:
        """The block of an acted turn."""
        moment = moment_of(turn)
        kept = self._kept.get(moment)
        if kept is None or kept[0] is not turn or kept[1] is not names:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            kept = self._kept[moment] = turn, names, block_of(turn, names)
        return kept[2]


class Blocks(LazyList[Block]):
    """The turns of a line, and the one under way behind them.

    A turn that is being played again stands there once, as the one under way.
    """

    __slots__ = ("_acted", "_line", "_live", "_making", "_names")

    def __init__(self, line: SharedList[Turn] | None = None, live: Block | None = None, names: Names | None = None,
                 making: Making | None = None):
        self._line, self._live = line if line is not None else SharedList(), live
        self._names, self._making = names or Names(), making or Making()
        self._acted = len(self._line) if live is None else first_from(self._line, live.moment.turn)

    def __len__(self) -> int:
        return self._acted + (self._live is not None)

    def at(self, place: int) -> Block:
        """The block of a place."""
        if place == self._acted and self._live is not None:
            return self._live
        return self._making.block(self._line[place], self._names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Blocks) and self._names is other._names and self._live == other._live \
            and self._line == other._line

    __hash__ = None  # type: ignore[assignment]

    def span(self, k: int) -> tuple[float, float]:
        """When a turn began and ended."""
        if k == self._acted and self._live is not None:
            return self._live.began, self._live.ended
        turn = self._line[k]
        return turn.began, turn.ended or turn.began

    def place(self, number: int) -> int | None:
        """Where the turn of a number stands."""
        if self._live is not None and number == self._live.moment.turn:
            return self._acted
        k = first_from(self._line, number)
        return k if k < self._acted and self._line[k].number == number else None

    def place_of(self, moment: Moment) -> int | None:
        """Where a turn stands, if it is of this line."""
        k = self.place(moment.turn)
        return k if k is not None and self.at(k).moment == moment else None

    def last_begun(self, seconds: float) -> int:
        """The last turn that had begun by then; the first where none had."""
        if self._live is not None and seconds >= self._live.began:
            return self._acted
        return max(0, bisect_right(self._line, seconds, hi=self._acted, key=lambda turn: turn.began) - 1)

    def branches(self) -> frozenset[int]:
        """The branches that these turns are of: each goes on where its parent was left."""
        found, k = set() if self._live is None else {self._live.moment.branch}, 0
        while k < self._acted:
            branch = self._line[k].branch
            found.add(branch)
            k = bisect_right(self._line, False, lo=k, hi=self._acted, key=_not_of(branch))
        return frozenset(found)


def _not_of(branch: int) -> Callable[[Turn], bool]:
    return lambda turn: turn.branch != branch
