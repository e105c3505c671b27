"""The rows of a comparison of two branches, each made when it is read, and the texts about both branches. No Qt."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from core.common.shared_list import LazyList
from core.session.branch_comparison import Comparison, Pair, Side
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from gui.control.snapshot_texts import branch_name, considered, world_change_words
from gui.widgets import Names
from gui.widgets.numbers import count, loss, whole


@dataclass(frozen=True, slots=True)
class Band:
    """A line of text across both sides.

    Attributes:
        text: what it says.
        strong: whether it marks the first difference.
    """

    text: str
    strong: bool = False


Row = Pair | Band


class Listed(LazyList[Row]):
    """The rows of a comparison: a band that says where the branches diverge, then their turns.

    There is another band above the first turn that differs.

    Args:
        found: the comparison of the two branches.
        differing_only: leaves out turns in which both executed the same action.

    Attributes:
        strong: the index of the band at the first difference, or None if nothing differs.
    """

    def __init__(self, found: Comparison | None = None, *, differing_only: bool = False):
        self._found, self._kept = found, _kept(found, differing_only) if found is not None else range(0)
        first = found.first if found is not None else None
        self.strong = None if first is None else 1 + bisect_left(self._kept, first)

    def __len__(self) -> int:
        if self._found is None:
            return 0
        return 1 + (len(self._kept) + (self.strong is not None) if self._found.pairs else 1)

    def at(self, place: int) -> Row:
        """Returns the row at an index.

        Args:
            place: 0 <= place < len(self).
        """
        found = self._found
        assert found is not None, "without branches there are no rows"
        if place == 0:
            return Band(_parted(found))
        if not found.pairs:
            return Band("No turns since")
        if place == self.strong:
            return Band(f"First difference: turn {found.differ[0]}", strong=True)
        return found.pairs[self._kept[place - 1 - (self.strong is not None and place > self.strong)]]

    def after(self, number: int) -> int:
        """Returns the index of the first row whose turn number is greater than `number`, or -1."""
        if self._found is None:
            return -1
        k = bisect_left(self._kept, self._found.pairs.place(number + 1))
        return -1 if k == len(self._kept) else 1 + k + (self.strong is not None and 1 + k >= self.strong)


def _parted(found: Comparison) -> str:
    if not len(found.differ):
        so_far = "then the world differs" if found.changes else "no difference so far"
        return f"{count(found.shared, 'turn')} in common, {so_far}" if found.shared else so_far[:1].upper() + so_far[1:]
    if found.first:
        return f"{count(found.shared, 'turn')} in common" if found.shared else "No turn in common"
    return f"{count(found.shared, 'turn')} in common, then they differ" if found.shared else "They differ from the start"


def _kept(found: Comparison, differing_only: bool) -> Sequence[int]:
    """Returns the indices of the listed pairs, in ascending order."""
    if not differing_only:
        return range(len(found.pairs))
    alone = found.pairs.alone
    if isinstance(alone, range):
        return _Places(found, alone)
    return sorted({*alone, *(found.pairs.place(number) for number in found.differ)})


class _Places(LazyList[int]):
    """The indices of the pairs that differ, followed by those of the turns that only one side has."""

    def __init__(self, found: Comparison, alone: range):
        self._found, self._alone = found, alone

    def __len__(self) -> int:
        return len(self._found.differ) + len(self._alone)

    def at(self, place: int) -> int:
        """Returns the index of a pair.

        Args:
            place: 0 <= place < len(self).
        """
        differ = self._found.differ
        return self._found.pairs.place(differ[place]) if place < len(differ) else self._alone[place - len(differ)]


LONGEST_REASON = 60


def headline(found: Comparison) -> str:
    """Returns the first turn that differs, and how many turns differ."""
    changed = f"{world_change_words(found.changes)} · " if found.changes else ""
    if not len(found.differ):
        same = "the same actions so far" if changed else "the same so far"
        return changed + (f"{same} · {count(found.both, 'turn')} on both" if found.both else "no turns to compare yet")
    differ = f"{whole(len(found.differ))} of {count(found.both, 'turn')} differ"
    return f"{changed}first difference at turn {found.differ[0]} · {differ}"


def facts(side: Side) -> str:
    """Returns the goal progress of a branch, its turns, its actions done and refused, and where the world was changed."""
    progress = side.state.progress if side.state is not None else ()
    parts = [f"goal {sum(p.reached for p in progress)} of {len(progress)}"] if progress else []
    tally = side.tally
    parts += [count(tally.done + tally.refused, "turn"), f"{whole(tally.done)} done"]
    parts += [f"{whole(tally.refused)} refused"] if tally.refused else []
    parts += [f"{whole(tally.by_operator)} by you"] if tally.by_operator else []
    parts += [world_change_words(side.changes)] if side.changes else []
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


def action_words(turn: Turn, now: Snapshot, names: Names) -> str:
    """Returns the action of a turn; of the turn under way, what it is about: `considering: walk to the kitchen`, `paused`."""
    if turn.done is not None:
        return names.phrase(turn.done)
    action, lead = considered(now, turn)
    return lead if action is None else f"{lead}: {names.phrase(action)}"


def turn_words(turn: Turn | None, now: Snapshot, names: Names) -> str:
    """Returns one turn of one side as text, for tips and assistive tools.

    Args:
        turn: the turn, or None if the side does not have it.
        now: the newest snapshot of the run.
        names: display names of objects.
    """
    if turn is None:
        return "no such turn"
    action = action_words(turn, now, names)
    parts = [action if turn.outcome is not None or turn.done is None else f"under way: {action}"]
    parts += [f"by the {turn.by}"] if turn.done is not None else []
    parts += [f"refused: {turn.outcome.reason}"] if turn.outcome is not None and not turn.outcome.ok else []
    parts += [f"loss {loss(turn.loss)}"] if turn.loss is not None else []
    return ", ".join(parts)


def row_words(row: Row, sides: tuple[int, int], now: Snapshot, names: Names) -> str:
    """Returns a row as text.

    Args:
        row: a band or a pair of turns.
        sides: the numbers of the left and the right branch.
        now: the newest snapshot of the run.
        names: display names of objects.
    """
    if isinstance(row, Band):
        return row.text
    left, right = (f"{branch_name(b)}: {turn_words(t, now, names)}" for b, t in zip(sides, (row.left, row.right), strict=True))
    return f"turn {row.number}{', differs' if row.differs else ''}: {left}; {right}"
