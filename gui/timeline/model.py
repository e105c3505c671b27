"""What the timeline shows of a snapshot: blocks, marks, and where they lie. Pure: no widget, no painter."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.facets import Plan, Ranking
from core.snapshot import Mark, Snapshot, Turn
from core.world import Action
from gui.bridge import Moment
from gui.turns import turns_of
from gui.widgets import Names, glyph, verb_words

Tone = Literal["planner", "operator", "failed", "live"]
_MARKS: dict[str, tuple[str, str]] = {
    "edit": ("edit", "operator_act"),
    "override": ("override", "operator_act"),
    "fault": ("fault", "bad"),
    "goal": ("goal", "good"),
    "rewind": ("fork", "selection"),
    "command": ("edit", "muted"),
}


@dataclass(frozen=True, slots=True)
class Block:
    """One turn.

    Attributes:
        parts: seconds of thinking, waiting for the model, acting.
        began: seconds since the session began.
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
        """How long it took."""
        return max(0.01, sum(self.parts))


@dataclass(frozen=True, slots=True)
class Flag:
    """A mark under the turns."""

    at: float
    turn: int
    icon: str
    tone: str
    text: str


@dataclass(frozen=True, slots=True)
class Story:
    """All that the timeline shows."""

    blocks: tuple[Block, ...] = ()
    flags: tuple[Flag, ...] = ()
    left: str = ""
    """What is written after the last block: `23 turns left of 30`."""
    at: float = 0.0
    ended: bool = False


def story_of(snapshot: Snapshot, names: Names, begun: bool = True) -> Story:
    """The story of the branch that is played; empty before the run has begun."""
    turns = {Moment(t.branch, t.number): t for t in snapshot.turns}
    path = turns_of(snapshot)
    blocks = [_block(m, turns[m], names) for m in path]
    if snapshot.current is not None and snapshot.status != "ended" and (begun or blocks):
        longest = max((b.seconds for b in blocks), default=snapshot.at)
        blocks.append(_live(snapshot, snapshot.current, names, longest))
    flags = tuple(_flag(m, names) for m in snapshot.marks)
    left = max(0, snapshot.most_steps - len(path))
    words = f"{left} {'turn' if left == 1 else 'turns'} left of {snapshot.most_steps}" if snapshot.most_steps else ""
    if snapshot.ended is not None:
        words = snapshot.ended.reason
    return Story(tuple(blocks), flags, words, snapshot.at, snapshot.ended is not None)


def _block(moment: Moment, turn: Turn, names: Names) -> Block:
    action = turn.done
    verb, target = names.parts(action) if action is not None else ("nothing", "")
    failed = turn.outcome is not None and not turn.outcome.ok
    tone: Tone = "failed" if failed else "operator" if turn.by == "operator" else "planner"
    icon = "override" if turn.by == "operator" else glyph(action.verb) if action is not None else "unknown"
    why = turn.outcome.reason if failed and turn.outcome is not None else turn.because
    tip = f"Turn {turn.number}: {names.phrase(action) if action is not None else 'nothing'}" + (f"\n{why}" if why else "")
    parts = (turn.thinking, turn.waiting, turn.acting)
    return Block(moment, icon, verb, target, tone, parts, turn.began, turn.ended or turn.began, tip=tip)


def _live(snapshot: Snapshot, turn: Turn, names: Names, longest: float) -> Block:
    """The turn under way, drawn no longer than the longest before it: a run may stay paused for an hour."""
    action, lead = _considered(snapshot, turn)
    verb, target = (verb_words(action.verb), names.target(action)) if action is not None else ("thinking", "")
    if action is None and snapshot.status == "paused":
        verb = "paused"
    parts = (max(0.01, min(longest, snapshot.at - turn.began)), 0.0, 0.0)
    icon = glyph(action.verb) if action is not None else "planner"
    return Block(Moment(turn.branch, turn.number), icon, verb, target, "live", parts, turn.began, snapshot.at, lead,
                 f"Turn {turn.number}, under way")


def _considered(snapshot: Snapshot, turn: Turn) -> tuple[Action | None, str]:
    """What is being done, or the best so far, and the word before it."""
    if turn.action is not None:
        return turn.action, "now"
    plan, ranking = snapshot.facet(Plan), snapshot.facet(Ranking)
    if plan is not None and plan.actions and snapshot.facets[Plan][1] == turn.number:
        return plan.actions[0], "considering"  # a ranking may be of the thought before, whose first steps are done
    if ranking is not None and ranking.actions and snapshot.facets[Ranking][1] == turn.number:
        return ranking.actions[0].steps[0], "considering"
    return None, ""


def _flag(mark: Mark, names: Names) -> Flag:
    icon, tone = _MARKS[mark.kind]
    return Flag(mark.at, mark.turn, icon, tone, names.told(mark.text))


@dataclass(frozen=True, slots=True)
class Lay:
    """Where blocks lie: left edge and width of each, in pixels of the content."""

    spans: tuple[tuple[float, float], ...]

    @property
    def end(self) -> float:
        """Where the last one ends."""
        return self.spans[-1][0] + self.spans[-1][1] if self.spans else 0.0

    def index_at(self, x: float) -> int:
        """The block under x; before the first is the first, after the last the last."""
        return max(0, min(len(self.spans) - 1, bisect_right([left for left, _ in self.spans], x) - 1))


def lay_out(blocks: Sequence[Block], room: float, least: float) -> Lay:
    """Blocks as wide as they took, none under `least`, together `room` wide, or wider when they must be."""
    if not blocks:
        return Lay(())
    seconds = [b.seconds for b in blocks]
    fixed: set[int] = set()
    while True:
        free = room - least * len(fixed)
        total = sum(s for k, s in enumerate(seconds) if k not in fixed) or 1.0
        small = {k for k, s in enumerate(seconds) if k not in fixed and s * free / total < least}
        if not small:
            break
        fixed |= small
    widths = [least if k in fixed else s * free / total for k, s in enumerate(seconds)]
    spans, x = [], 0.0
    for width in widths:
        spans.append((x, width))
        x += width
    return Lay(tuple(spans))


def x_of(flag: Flag, blocks: Sequence[Block], lay: Lay) -> float | None:
    """Where a mark lies: in its turn, by its time; None when its turn is not shown."""
    for block, (left, width) in zip(blocks, lay.spans, strict=True):
        if block.moment.turn == flag.turn:
            length = max(0.01, block.ended - block.began)
            part = min(1.0, max(0.0, (flag.at - block.began) / length))
            return left + width * part
    return None
