"""Turns as blocks of the timeline. Each block is formatted when it is first needed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from core.common.lazy_list import LazyList
from core.common.shared_list import SharedList
from core.planning.facets import Moment
from core.session.breakpoint_hits import Hit
from core.session.lineage import first_from
from core.session.turns import Turn
from gui.control.turn_lookup import moment_of
from gui.widgets import Names, glyph

Tone = Literal["planner", "operator", "failed", "live"]
MOST_KEPT = 1000
"""Number of blocks kept: several times what the widest window shows."""


@dataclass(frozen=True, slots=True)
class Block:
    """One turn.

    Attributes:
        moment: branch and number of the turn.
        icon: name of an icon.
        verb: the action's verb as text.
        target: the action's target as text.
        tone: who acted, or whether the action failed or the turn is under way.
        parts: seconds of thinking, of waiting for the model, and of acting; waiting for a person is in none of them.
        began, ended: seconds of wall-clock time since the session began.
        lead: text before the verb of the live block: considering.
        tip: the tooltip.
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
        """Work time in seconds."""
        return max(0.01, sum(self.parts))

    @property
    def wall(self) -> float:
        """Wall-clock time in seconds, with all waiting for a person."""
        return max(self.seconds, self.ended - self.began)


def block_of(turn: Turn, names: Names) -> Block:
    """Returns the block of a completed turn."""
    action = turn.done
    verb, target = names.parts(action) if action is not None else ("nothing", "")
    failed = turn.outcome is not None and not turn.outcome.ok
    tone: Tone = "failed" if failed else "operator" if turn.by == "operator" else "planner"
    icon = "override" if turn.by == "operator" else glyph(action.verb) if action is not None else "unknown"
    why = turn.outcome.reason if failed and turn.outcome is not None else turn.because
    tip = f"Turn {turn.number}: {names.phrase(action) if action is not None else 'nothing'}" + (f"\n{why}" if why else "")
    parts = (turn.thinking, turn.waiting, turn.acting)
    return Block(moment_of(turn), icon, verb, target, tone, parts, turn.began, turn.ended or turn.began, tip=tip)


class BlockCache:
    """Formats turns as blocks and keeps the recent ones."""

    def __init__(self) -> None:
        self._kept: dict[Moment, tuple[Turn, Names, Block]] = {}
        self._hits: SharedList[Hit] = SharedList()
        self._stops: dict[Moment, tuple[Hit, ...]] = {}

    def stops(self, hits: SharedList[Hit]) -> Mapping[Moment, tuple[Hit, ...]]:
        """Returns the stops at breakpoints by turn. Only new hits are processed."""
        new = hits.since(self._hits)
        if new is None:
            self._stops, new = {}, hits
        for hit in new:
            moment = Moment(hit.branch, hit.turn)
            self._stops[moment] = (*self._stops.get(moment, ()), hit)
        self._hits = hits
        return self._stops

    def block(self, turn: Turn, names: Names) -> Block:
        """Returns the block of a completed turn."""
        moment = moment_of(turn)
        kept = self._kept.get(moment)
        if kept is None or kept[0] is not turn or kept[1] is not names:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            kept = self._kept[moment] = turn, names, block_of(turn, names)
        return kept[2]


class Blocks(LazyList[Block]):
    """The turns of a line, followed by the turn under way.

    A turn that is being played again appears once, as the turn under way.
    """

    __slots__ = ("_acted", "_cache", "_line", "_live", "_names")

    def __init__(self, line: SharedList[Turn] | None = None, live: Block | None = None, names: Names | None = None,
                 cache: BlockCache | None = None):
        self._line, self._live = line if line is not None else SharedList(), live
        self._names, self._cache = names or Names(), cache or BlockCache()
        self._acted = len(self._line) if live is None else first_from(self._line, live.moment.turn)

    def __len__(self) -> int:
        return self._acted + (self._live is not None)

    def at(self, place: int) -> Block:
        """The block at an index."""
        if place == self._acted and self._live is not None:
            return self._live
        return self._cache.block(self._line[place], self._names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Blocks) and self._names is other._names and self._live == other._live \
            and self._line == other._line

    __hash__ = None  # type: ignore[assignment]

    def span(self, k: int) -> tuple[float, float]:
        """The seconds when a turn began and ended."""
        if k == self._acted and self._live is not None:
            return self._live.began, self._live.ended
        turn = self._line[k]
        return turn.began, turn.ended or turn.began

    def place(self, number: int) -> int | None:
        """The index of the turn with a number, or None."""
        if self._live is not None and number == self._live.moment.turn:
            return self._acted
        k = first_from(self._line, number)
        return k if k < self._acted and self._line[k].number == number else None

    def place_of(self, moment: Moment) -> int | None:
        """The index of a turn, or None if it is not on this line."""
        k = self.place(moment.turn)
        return k if k is not None and self.at(k).moment == moment else None

    def last_begun(self, seconds: float) -> int:
        """The index of the last turn that had begun by then; the first if none had."""
        if self._live is not None and seconds >= self._live.began:
            return self._acted
        return max(0, bisect_right(self._line, seconds, hi=self._acted, key=lambda turn: turn.began) - 1)

    def branches(self) -> frozenset[int]:
        """The branches of these turns. Each branch starts where its parent was left."""
        found, k = set() if self._live is None else {self._live.moment.branch}, 0
        while k < self._acted:
            branch = self._line[k].branch
            found.add(branch)
            k = bisect_right(self._line, False, lo=k, hi=self._acted, key=_not_of(branch))
        return frozenset(found)


def _not_of(branch: int) -> Callable[[Turn], bool]:
    return lambda turn: turn.branch != branch
