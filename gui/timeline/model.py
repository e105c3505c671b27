"""What the timeline shows of a snapshot: blocks, marks, and their positions. Pure functions, no widgets, no painter.

A run may have tens of thousands of turns, of which a few dozen are visible. No function here scans all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from core.common.lazy_list import LazyList
from core.common.shared_list import SharedList
from core.planning.facets import Plan, Ranking
from core.planning.moment import Moment
from core.session.annotation import Annotation
from core.session.breakpoint_hits import Hit
from core.session.snapshot import Snapshot
from core.session.turns import Mark, Turn
from core.world.vocabulary import Action
from gui.timeline.blocks import Block, BlockCache, Blocks
from gui.widgets import Names, glyph, verb_words

RECENT = 200
"""Number of last turns that give the drawn length of the turn under way. With more turns in view all have the least width."""
_MARKS: dict[str, tuple[str, str]] = {
    "edit": ("edit", "operator_act"),
    "override": ("override", "operator_act"),
    "fault": ("fault", "bad"),
    "goal": ("goal", "good"),
    "rewind": ("fork", "selection"),
    "command": ("edit", "muted"),
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
    words = f"{left} {'turn' if left == 1 else 'turns'} left of {snapshot.most_steps}" if snapshot.most_steps else ""
    if snapshot.ended is not None:
        words = snapshot.ended.reason
    ahead = tuple(sorted({int(p.level) for p in snapshot.breakpoints if p.on == "turn" and p not in snapshot.disabled
                          and p.level > snapshot.turn}))
    cache = cache or BlockCache()
    return Story(Blocks(line, live, names, cache), snapshot.marks, names, words, snapshot.worked, snapshot.ended is not None,
                 snapshot.hits, () if snapshot.ended is not None else ahead, cache.stops(snapshot.hits))


def _live(snapshot: Snapshot, turn: Turn, names: Names, longest: float) -> Block:
    """Returns the block of the turn under way, drawn no longer than the longest turn before it."""
    action, lead = _considered(snapshot, turn)
    verb, target = (verb_words(action.verb), names.target(action)) if action is not None else ("thinking", "")
    if action is None and snapshot.status == "paused":
        verb = "paused"
    parts = (max(0.01, min(longest, snapshot.worked - turn.work_began)), 0.0, 0.0)
    icon = glyph(action.verb) if action is not None else "planner"
    return Block(Moment(turn.branch, turn.number), icon, verb, target, "live", parts, turn.began, snapshot.at, lead,
                 f"Turn {turn.number}, under way")


def _considered(snapshot: Snapshot, turn: Turn) -> tuple[Action | None, str]:
    """Returns the action being done, or the best one so far, and the word before it."""
    if turn.action is not None:
        return turn.action, "now"
    plan, ranking = snapshot.fresh(Plan), snapshot.fresh(Ranking)
    if plan is not None and plan.actions:
        return plan.actions[0], "considering"  # a ranking may be from an earlier decision, whose first steps are done
    if ranking is not None and ranking.actions:
        return ranking.actions[0].steps[0], "considering"
    return None, ""


def flag_of(what: Mark | Annotation, names: Names) -> Flag:
    """Returns the flag of a mark of the run, or of a label that has no track."""
    if isinstance(what, Annotation):
        return Flag(what.at, Moment(what.branch, what.turn), "bookmark", "operator_act", what.note or what.label)
    icon, tone = _MARKS[what.kind]
    return Flag(what.at, Moment(what.branch, what.turn), icon, tone, names.told(what.text))


class EvenSpans(LazyList[tuple[float, float]]):
    """Left edge and width of a number of blocks of equal width."""

    __slots__ = ("_length", "_width")

    def __init__(self, length: int, width: float):
        self._length, self._width = length, width

    def __len__(self) -> int:
        return self._length

    def at(self, place: int) -> tuple[float, float]:
        """Left edge and width of one block."""
        return place * self._width, self._width


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """Positions of blocks: left edge and width of each, in pixels of the content."""

    spans: Sequence[tuple[float, float]] = ()

    @property
    def end(self) -> float:
        """The right edge of the last block."""
        return sum(self.spans[-1]) if self.spans else 0.0

    def index_at(self, x: float) -> int:
        """The index of the block at x; the first before all blocks, the last after them."""
        return max(0, bisect_right(self.spans, x, key=_left) - 1)


def _left(span: tuple[float, float]) -> float:
    return span[0]


def lay_out(blocks: Sequence[Block], room: float, least: float, *, wall: bool = False) -> BlockLayout:
    """Positions blocks with widths in proportion to their work time, none narrower than `least`, `room` wide or more in total.

    Args:
        blocks: in order.
        room: pixels for all blocks.
        least: least width of a block in pixels.
        wall: True for widths in proportion to wall-clock time, which includes waiting for a person.
    """
    if len(blocks) * least > room:  # then all blocks have the least width, and the times of blocks out of view are not needed
        return BlockLayout(EvenSpans(len(blocks), least))
    seconds = [b.wall if wall else b.seconds for b in blocks]
    fixed: set[int] = set()
    while True:
        free = room - least * len(fixed)
        total = sum(s for k, s in enumerate(seconds) if k not in fixed) or 1.0
        small = {k for k, s in enumerate(seconds) if k not in fixed and s * free / total < least}
        if not small:
            break
        fixed |= small
    spans, x = [], 0.0
    for k, s in enumerate(seconds):
        width = least if k in fixed else s * free / total
        spans.append((x, width))
        x += width
    return BlockLayout(tuple(spans))


def x_of(flag: Flag, blocks: Blocks, layout: BlockLayout) -> float | None:
    """Returns the position of a mark within its turn, by its time; None if its turn is not on the line shown."""
    k = blocks.place_of(flag.moment)
    if k is None:
        return None
    (began, ended), (left, width) = blocks.span(k), layout.spans[k]
    part = min(1.0, max(0.0, (flag.at - began) / max(0.01, ended - began)))
    return left + width * part
