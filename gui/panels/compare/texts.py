"""The texts about two branches. No Qt."""

from __future__ import annotations

from core.session.branch_comparison import Comparison, Side
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from gui.control.snapshot_texts import branch_name
from gui.panels.compare.row_list import Band, Row
from gui.widgets import Names
from gui.widgets.numbers import count, loss, whole

LONGEST_REASON = 60


def headline(found: Comparison) -> str:
    """Returns the first turn that differs, and how many turns differ."""
    if not len(found.differ):
        return f"the same so far · {count(found.both, 'turn')} on both" if found.both else "nothing to compare yet"
    return f"first difference at turn {found.differ[0]} · {whole(len(found.differ))} of {count(found.both, 'turn')} differ"


def facts(side: Side) -> str:
    """Returns the goal progress of a branch, its number of turns, and how many of its actions were done and refused."""
    progress = side.state.progress if side.state is not None else ()
    parts = [f"goal {sum(p.reached for p in progress)} of {len(progress)}"] if progress else []
    tally = side.tally
    parts += [count(tally.done + tally.refused, "turn"), f"{whole(tally.done)} done"]
    parts += [f"{whole(tally.refused)} refused"] if tally.refused else []
    parts += [f"{whole(tally.by_operator)} by you"] if tally.by_operator else []
    return " · ".join(parts)


def end_words(side: Side, now: Snapshot) -> tuple[str, str]:
    """Returns how a branch ended, or where it is now, and the token of the text's colour.

    Args:
        side: the branch.
        now: the newest snapshot of the run.
    """
    ended = side.state.ended if side.state is not None else None
    if ended is not None:
        words = ended.reason[:1].upper() + ended.reason[1:LONGEST_REASON]
        return words, "good" if ended.success else "warn"
    if not side.present:
        return f"Left in turn {side.last + 1}", "muted"  # an unfinished branch is in the turn after its last one
    if now.status == "failed":
        return f"Waits for you at turn {side.last}", "bad"
    return f"{'Paused' if now.status == 'paused' else 'Running'} at turn {now.turn}", "text"


def turn_words(turn: Turn | None, names: Names) -> str:
    """Returns one turn of one side as text, for tips and assistive tools.

    Args:
        turn: the turn, or None if the side does not have it.
        names: display names of objects.
    """
    if turn is None:
        return "no such turn"
    action = names.phrase(turn.done) if turn.done is not None else "thinking"
    parts = [action if turn.outcome is not None else f"under way: {action}"]
    parts += [f"by the {turn.by}"] if turn.done is not None else []
    parts += [f"refused: {turn.outcome.reason}"] if turn.outcome is not None and not turn.outcome.ok else []
    parts += [f"loss {loss(turn.loss)}"] if turn.loss is not None else []
    return ", ".join(parts)


def row_words(row: Row, sides: tuple[int, int], names: Names) -> str:
    """Returns a row as text.

    Args:
        row: a band or a pair of turns.
        sides: the numbers of the left and the right branch.
        names: display names of objects.
    """
    if isinstance(row, Band):
        return row.text
    left, right = (f"{branch_name(b)}: {turn_words(t, names)}" for b, t in zip(sides, (row.left, row.right), strict=True))
    return f"turn {row.number}{', differs' if row.differs else ''}: {left}; {right}"
