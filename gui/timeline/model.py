"""What the timeline shows of a snapshot: blocks and marks by turn. Pure functions, no widgets, no painter."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Generic, Literal, TypeVar

from core.common.shared_list import LazyList, SharedList
from core.planning.facets import Moment
from core.recording.failures.labels import TITLES, KeyMoment, MomentKind
from core.session.annotation import Annotation
from core.session.breakpoints import Hit
from core.session.snapshot import Snapshot
from core.session.turns import Mark, Turn, first_from
from gui.control.snapshot_texts import considered
from gui.widgets import Names, glyph, verb_words
from gui.widgets.numbers import count

Tone = Literal["planner", "operator", "failed", "live"]
EMPTY = "Turns appear here as the run goes on. Tap or hold a track's key to label."
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
    return Block(turn.moment, icon, verb, target, tone, parts, turn.began, turn.ended or turn.began, tip=tip)


class BlockCache:
    """Formats turns as blocks and keeps the recent ones."""

    def __init__(self) -> None:
        self._kept: dict[Moment, tuple[Turn, Names, Block]] = {}
        self._hits: SharedList[Hit] = SharedList()
        self._stops: dict[Moment, tuple[Hit, ...]] = {}

    def stops(self, hits: SharedList[Hit]) -> Mapping[Moment, tuple[Hit, ...]]:
        """Returns the stops at breakpoints, and the lines of tracepoints, by turn. Only new hits are processed."""
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
        moment = turn.moment
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


RECENT = 200
"""Number of last turns that give the drawn length of the turn under way. With more turns in view all have the least width."""
_MARKS: dict[str, tuple[str, str]] = {
    "edit": ("edit", "operator_act"),
    "override": ("override", "operator_act"),
    "world": ("boxes", "operator_act"),
    "fault": ("fault", "bad"),
    "goal": ("goal", "good"),
    "rewind": ("fork", "selection"),
    "command": ("edit", "muted"),
    "divergence": ("compare", "warn"),
}
_KEY_MOMENTS: dict[MomentKind, tuple[str, str]] = {
    "cause": ("fault", "bad"), "most lost": ("fault", "warn"), "part lost": ("undo", "bad"), "loop": ("loop", "warn"),
    "divergence": ("compare", "warn"), "last progress": ("goal", "good"),
}


@dataclass(frozen=True, slots=True)
class Flag:
    """A mark under the turns."""

    at: float
    moment: Moment
    icon: str
    tone: str
    text: str


@dataclass(frozen=True, slots=True)
class Story:
    """All that the timeline shows."""

    blocks: Blocks = field(default_factory=Blocks)
    marks: SharedList[Mark] = field(default_factory=SharedList)
    names: Names = field(default_factory=Names)
    left: str = ""
    """The text after the last block: `23 turns left of 30`."""
    worked: float = 0.0
    """Seconds of work so far, without waiting for a person."""
    ended: bool = False
    hits: SharedList[Hit] = field(default_factory=SharedList)
    """Stops at breakpoints."""
    ahead: tuple[int, ...] = ()
    """Numbers of future turns at which a breakpoint stops the run."""

    by_turn: Mapping[Moment, tuple[Hit, ...]] = field(default_factory=lambda: MappingProxyType({}), compare=False)

    @property
    def no_blocks(self) -> str:
        """The text in place of blocks while there are none."""
        return f"No turns: {self.left}" if self.ended else EMPTY

    def stops(self, moment: Moment) -> tuple[Hit, ...]:
        """The stops at breakpoints in a turn."""
        return self.by_turn.get(moment, ())


def story_of(snapshot: Snapshot, names: Names, begun: bool = True, cache: BlockCache | None = None) -> Story:
    """Returns the story of the branch that is played; empty before the run has begun.

    Args:
        snapshot: the moment shown.
        names: display names of the entities.
        begun: whether the operator has started the run.
        cache: keeps blocks from one call to the next.
    """
    line, live = snapshot.line, None
    if snapshot.current is not None and snapshot.status != "ended" and (begun or len(line)):
        longest = max((t.thinking + t.waiting + t.acting for t in line[-RECENT:]), default=snapshot.worked)
        live = _live(snapshot, snapshot.current, names, longest)
    left = max(0, snapshot.most_steps - len(line))
    words = f"{count(left, 'turn')} left of {snapshot.most_steps}" if snapshot.most_steps else ""
    if snapshot.ended is not None:
        words = snapshot.ended.reason
    stops = {p.turn for p in snapshot.breakpoints if p not in snapshot.disabled}
    ahead = tuple(sorted(turn for turn in stops if turn is not None and turn > snapshot.turn))
    cache = cache or BlockCache()
    return Story(Blocks(line, live, names, cache), snapshot.marks, names, words, snapshot.worked, snapshot.ended is not None,
                 snapshot.hits, () if snapshot.ended is not None else ahead, cache.stops(snapshot.hits))


def _live(snapshot: Snapshot, turn: Turn, names: Names, longest: float) -> Block:
    """Returns the block of the turn under way, drawn no longer than the longest turn before it."""
    action, lead = considered(snapshot, turn)
    verb, target = (verb_words(action.verb), names.target(action)) if action is not None else (lead, "")
    parts = (max(0.01, min(longest, snapshot.worked - turn.work_began)), 0.0, 0.0)
    icon = glyph(action.verb) if action is not None else "planner"
    return Block(Moment(turn.branch, turn.number), icon, verb, target, "live", parts, turn.began, snapshot.at,
                 lead if action is not None else "",
                 f"Turn {turn.number}, under way")


UNSAVED = "not saved"
"""Stands beside a label that could not be written."""


def flag_of(what: Mark | Annotation | KeyMoment, names: Names, unsaved: Container[str] = ()) -> Flag:
    """Returns the flag of a mark of the run, of a label that has no track, or of a key moment of a failed run.

    That of an `unsaved` label says so.
    """
    if isinstance(what, KeyMoment):
        icon, tone = _KEY_MOMENTS[what.kind]
        return Flag(0.0, what.moment, icon, tone, TITLES[what.kind])  # at the beginning of its turn
    if isinstance(what, Annotation):
        at, lacks = Moment(what.branch, what.turn), what.id in unsaved
        words = UNSAVED if lacks else names.with_names(what.note) or what.label
        return Flag(what.at, at, "bookmark", "bad" if lacks else "operator_act", words)
    icon, tone = _MARKS[what.kind]
    return Flag(what.at, Moment(what.branch, what.turn), icon, tone, names.with_names(what.text))


T = TypeVar("T", Mark, Annotation)
MOST_A_TURN = 60
"""Number of newest items shown for one turn; more would overlap."""
REACH = 60
"""Number of turns with marks, of any branch, that are searched for the nearest one outside."""


class ByTurn(Generic[T]):
    """Items indexed by turn."""

    def __init__(self, items: Iterable[T] = ()):
        self._of: dict[int, list[T]] = {}
        self._turns: list[int] = []
        for item in items:
            self.add(item)

    def add(self, item: T) -> None:
        """Adds an item that is later than all others."""
        if item.turn not in self._of:
            self._of[item.turn] = []
            insort(self._turns, item.turn)
        self._of[item.turn].append(item)

    def within(self, first: int, last: int, belongs: Callable[[T], bool]) -> list[T]:
        """Returns the items of a line in these turns and in the nearest turn outside on each side.

        The texts of those outside reach into view, or limit the texts of others.

        Args:
            first: number of the first turn in view.
            last: number of the last turn in view.
            belongs: whether an item is on the line.
        """
        low: int = bisect_left(self._turns, first)
        high: int = bisect_right(self._turns, last)
        before: tuple[int, ...] = self._first(range(low - 1, max(-1, low - 1 - REACH), -1), belongs)
        behind: tuple[int, ...] = self._first(range(high, min(len(self._turns), high + REACH)), belongs)
        return [item for k in (*before, *range(low, high), *behind) for item in self._belonging(k, belongs)]

    def _first(self, places: range, belongs: Callable[[T], bool]) -> tuple[int, ...]:
        """The first index with an item that belongs to the line, as a tuple of at most one."""
        return tuple(islice((k for k in places if self._belonging(k, belongs)), 1))

    def _belonging(self, k: int, belongs: Callable[[T], bool]) -> list[T]:
        return [item for item in self._of[self._turns[k]] if belongs(item)][-MOST_A_TURN:]


class Marks:
    """The marks of a run by turn, updated as the run goes on."""

    def __init__(self) -> None:
        self._log, self._found = SharedList[Mark](), ByTurn[Mark]()

    def of(self, log: SharedList[Mark]) -> ByTurn[Mark]:
        """Returns these marks by turn. Of a log that has only grown, only the new marks are processed."""
        new, self._log = log.since(self._log), log
        if new is None:
            self._found = ByTurn(log)
        for mark in new or ():
            self._found.add(mark)
        return self._found
