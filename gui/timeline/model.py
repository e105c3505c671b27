"""What the timeline shows of a snapshot: blocks and marks. Pure functions, no widgets, no painter.

A run may have tens of thousands of turns, of which a few dozen are visible. No function here scans all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from core.common.shared_list import SharedList
from core.planning.facets import Moment, Plan, Ranking
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
