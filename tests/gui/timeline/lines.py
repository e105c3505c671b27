"""Random lines of turns for the timeline's tests, and plain definitions of what the timeline shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from core.common.shared_list import SharedList
from core.planning.facets import Moment
from core.session.annotation import Annotation
from core.session.turns import Mark, Turn
from core.world.vocabulary import Action, AgentState, Done
from gui.timeline.layout import BlockLayout
from gui.timeline.model import Block, BlockCache, Blocks, block_of
from gui.widgets import Names

AGENT = AgentState("hall")
NAMES = Names()


@dataclass(frozen=True)
class Drawn:
    """Completed turns, with or without one under way behind them, which is played again if `again`."""

    turns: tuple[Turn, ...]
    live: Block | None

    @property
    def blocks(self) -> Blocks:
        """The blocks as the timeline makes them."""
        return Blocks(SharedList(self.turns), self.live, NAMES, BlockCache())

    @property
    def eager(self) -> list[Block]:
        """All blocks, created at once."""
        acted = [turn for turn in self.turns if self.live is None or turn.number < self.live.moment.turn]
        return [*(block_of(turn, NAMES) for turn in acted), *([self.live] if self.live is not None else [])]


@st.composite
def lines(draw: st.DrawFn, most: int = 60) -> Drawn:
    """Consecutive turns with pauses between them; from some turn on they belong to another branch."""
    times = draw(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 3), st.sampled_from(["open", "walk", "grab"]), st.booleans()),
                          max_size=most))
    fork, live, again = draw(st.integers(1, most)), draw(st.booleans()), draw(st.booleans())
    turns, now = [], 0.5
    for number, (took, pause, verb, ok) in enumerate(times, 1):
        outcome = Done(Action(verb, (f"box_{number % 3}",)), ok, "" if ok else "stuck")
        turns.append(Turn(number, int(number >= fork), now, AGENT, now + took, outcome.action, outcome=outcome, thinking=took))
        now += took + pause
    number = max(1, len(turns) + (0 if again else 1))
    under_way = Block(Moment(1, number), "planner", "thinking", "", "live", (1.0, 0.0, 0.0), now, now + 2.0)
    return Drawn(tuple(turns), under_way if live else None)


def laid_plainly(seconds: Sequence[float], room: float, least: float) -> list[tuple[float, float]]:
    """Left edge and width of blocks as wide as their time, none under `least`, `room` wide in total if they fit."""
    fixed: set[int] = set()
    while seconds:
        free = room - least * len(fixed)
        total = sum(s for k, s in enumerate(seconds) if k not in fixed) or 1.0
        small = {k for k, s in enumerate(seconds) if k not in fixed and s * free / total < least}
        if not small:
            break
        fixed |= small
    widths = [least if k in fixed else s * free / total for k, s in enumerate(seconds)]
    return [(sum(widths[:k]), width) for k, width in enumerate(widths)]


def under_plainly(x: float, spans: Sequence[tuple[float, float]]) -> int:
    """The block at a pixel: the last one that begins left of it."""
    return max((k for k, (left, _) in enumerate(spans) if left <= x), default=0)


def x_plainly(seconds: float, blocks: Sequence[Block], lay: BlockLayout) -> float:
    """The position of a moment: linear within the last turn that had begun by then."""
    if not blocks:
        return 0.0
    k = max((k for k, b in enumerate(blocks) if b.began <= seconds), default=0)
    left, width = lay.spans[k]
    return left + width * min(1.0, max(0.0, (seconds - blocks[k].began) / max(1e-6, blocks[k].ended - blocks[k].began)))


def x_of_plainly(at: float, turn: int, branch: int, blocks: Sequence[Block], lay: BlockLayout) -> float | None:
    """The position of a mark: in the turn of its branch; before the first turn the left edge, behind the last one the right."""
    if not turn or (not blocks and turn == 1):
        return 0.0
    if blocks and Moment(branch, turn) == Moment(blocks[-1].moment.branch, blocks[-1].moment.turn + 1):
        return sum(lay.spans[-1])
    for block, (left, width) in zip(blocks, lay.spans, strict=True):
        if block.moment == Moment(branch, turn):
            return left + width * min(1.0, max(0.0, (at - block.began) / max(0.01, block.ended - block.began)))
    return None


def marks(most: int = 30) -> st.SearchStrategy[list[Mark]]:
    """Marks in order of time; after a fork, turn numbers repeat."""
    kinds = st.sampled_from(["edit", "override", "fault", "rewind"])
    one = st.builds(Mark, st.floats(0, 300), st.integers(0, 70), kinds, st.just("so"), st.integers(0, 2))
    drawn = st.lists(one, max_size=most)
    return drawn.map(lambda found: sorted(found, key=lambda mark: mark.at))


def labels_given(most: int = 25) -> st.SearchStrategy[list[Annotation]]:
    """Points, closed and open states, with and without a track."""
    def made(at: float, length: float | None, label: str, place: tuple[int, int], number: int) -> Annotation:
        state = length != 0.0
        return Annotation(f"ann {number}", label, at, at + length if state and length is not None else None, state, *place)
    lengths, labels = st.sampled_from([0.0, 0.0, 5.0, 100.0, None]), st.sampled_from(["pause", "error", "note"])
    one = st.tuples(st.floats(0, 300), lengths, labels, st.tuples(st.integers(0, 70), st.integers(0, 2)))
    return st.lists(one, max_size=most).map(lambda rows: [made(*row, k) for k, row in enumerate(rows)])
