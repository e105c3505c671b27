"""The note on a panel whose content is not from the present turn of the present branch."""

from __future__ import annotations

from collections.abc import Iterable

from core.planning.facets import Facet, Moment
from core.session.snapshot import Snapshot

AT_REST = frozenset({"paused", "failed", "ended"})
"""States in which the run does not move on, so that a person reads what is shown."""


def staleness(snapshot: Snapshot, kind: type[Facet], new: str) -> str:
    """Returns `From turn 6 · new search in a moment`, or empty if the newest facet of the kind is from the present turn.

    Args:
        snapshot: the moment shown.
        kind: the facet that the panel shows.
        new: what will replace it: `new search`.
    """
    moment = snapshot.moment_of(kind)
    if moment is None or moment == snapshot.moment:
        return ""
    place = f"From {_place(moment, snapshot)}"
    if snapshot.ended is not None:
        return place
    return f"{place} · {new} {'when the run goes on' if snapshot.status == 'paused' else 'in a moment'}"


def age(snapshot: Snapshot, kinds: Iterable[type[Facet]]) -> str:
    """Returns `from turn 6` if the run is at rest and no facet of these kinds is from the present turn, otherwise empty."""
    moments = {moment for kind in kinds if (moment := snapshot.moment_of(kind)) is not None}
    if not moments or snapshot.moment in moments or snapshot.status not in AT_REST:
        return ""
    return f"from {_place(max(moments, key=lambda moment: moment.turn), snapshot)}"


def _place(moment: Moment, snapshot: Snapshot) -> str:
    """Formats the turn, with its branch if the present branch also has a turn of that number."""
    if moment.branch == snapshot.branch or moment.turn < snapshot.turn:
        return f"turn {moment.turn}"
    return f"turn {moment.turn} of {f'branch {moment.branch}' if moment.branch else 'the main line'}"
