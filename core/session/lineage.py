"""Finds the turns that lead to a moment: a run that was rewound or forked has several lines of turns."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from core.session.turns import Turn

Branches = Iterable[tuple[int, int | None, int]]
"""(number, parent, turn at which it leaves its parent) of each branch."""


def first_from(line: Sequence[Turn], number: int) -> int:
    """Returns the index of the turn with a number on a line, else of the next one after it, else the line's length."""
    guess = number - line[0].number if line else 0
    if 0 <= guess < len(line) and line[guess].number == number:
        return guess  # usually no turn is missing
    return bisect_left(line, number, key=lambda turn: turn.number)


def line_of(turns: Sequence[Turn], branches: Branches, branch: int) -> tuple[Turn, ...]:
    """Returns the completed turns of a branch, and of its parents up to where they were left, oldest first.

    Raises:
        KeyError: there is no such branch.
    """
    return tuple(turns[place] for place in places_of(((t.number, t.branch) for t in turns), branches, branch))


def places_of(played: Iterable[tuple[int, int]], branches: Branches, branch: int) -> list[int]:
    """Returns the indices, among all completed turns, of the turns that lead to a branch, ordered by turn number.

    If a turn was played again on its branch (a run that had ended goes on from its last turn), the last time counts.

    Args:
        played: (number, branch) of every completed turn, in the order they were played.
        branches: all branches.
        branch: the branch whose line is wanted.

    Raises:
        KeyError: the branch or one of its parents does not exist, or is its own parent.
    """
    parents = {number: (parent, leaves) for number, parent, leaves in branches}
    of: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for place, (number, branch_of) in enumerate(played):
        of[branch_of][number] = place
    found: dict[int, int] = {}
    at: int | None = branch
    limit = float("inf")
    while at is not None:
        found = {number: place for number, place in of[at].items() if number < limit} | found
        at, leaves = parents.pop(at)  # in a damaged recording a branch may be its own parent
        limit = min(limit, leaves)
    return [found[number] for number in sorted(found)]
