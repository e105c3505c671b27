"""What is said of two branches. No Qt."""

from __future__ import annotations

from core.session.branch_comparison import Comparison, Side
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from gui.control.turn_lookup import branch_name
from gui.panels.compare.row_list import Band, Row
from gui.widgets import Names
from gui.widgets.numbers import count, loss, whole

LONGEST_REASON = 60


def headline(found: Comparison) -> str:
    """Where they differ first, and how often."""
    if not len(found.differ):
        return f"the same so far · {count(found.both, 'turn')} on both" if found.both else "nothing to compare yet"
    return f"first difference at turn {found.differ[0]} · {whole(len(found.differ))} of {count(found.both, 'turn')} differ"


def facts(side: Side) -> str:
    """How much of the goal a branch has reached, how long it is, and what came of its actions."""
    progress = side.state.progress if side.state is not None else ()
    parts = [f"goal {sum(p.reached for p in progress)} of {len(progress)}"] if progress else []
    tally = side.tally
    parts += [count(tally.done + tally.refused, "turn"), f"{whole(tally.done)} done"]
    parts += [f"{whole(tally.refused)} refused"] if tally.refused else []
    parts += [f"{whole(tally.by_operator)} by you"] if tally.by_operator else []
    return " · ".join(parts)


def end_words(side: Side, now: Snapshot) -> tuple[str, str]:
    """How a branch ended, or where it is, and the tone of that."""
    ended = side.state.ended if side.state is not None else None
    if ended is not None:
        words = ended.reason[:1].upper() + ended.reason[1:LONGEST_REASON]
        return words, "good" if ended.success else "warn"
    if not side.present:
        return f"Left in turn {side.last + 1}", "muted"  # a branch that has not ended is in the turn after its last one
    if now.status == "failed":
        return f"Waits for you at turn {side.last}", "bad"
    return f"{'Paused' if now.status == 'paused' else 'Running'} at turn {now.turn}", "text"


def turn_words(turn: Turn | None, names: Names) -> str:
    """One turn of one side, for tips and assistive tools."""
    if turn is None:
        return "no such turn"
    action = names.phrase(turn.done) if turn.done is not None else "thinking"
    parts = [action if turn.outcome is not None else f"under way: {action}"]
    parts += [f"by the {turn.by}"] if turn.done is not None else []
    parts += [f"refused: {turn.outcome.reason}"] if turn.outcome is not None and not turn.outcome.ok else []
    parts += [f"loss {loss(turn.loss)}"] if turn.loss is not None else []
    return ", ".join(parts)


def row_words(row: Row, sides: tuple[int, int], names: Names) -> str:
    """A row in words."""
    if isinstance(row, Band):
        return row.text
    left, right = (f"{branch_name(b)}: {turn_words(t, names)}" for b, t in zip(sides, (row.left, row.right), strict=True))
    return f"turn {row.number}{', differs' if row.differs else ''}: {left}; {right}"
