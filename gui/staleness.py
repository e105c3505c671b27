"""What a panel says of content that is from an earlier turn."""

from __future__ import annotations

from core.facets import Facet
from core.snapshot import Snapshot


def staleness(snapshot: Snapshot, kind: type[Facet], new: str) -> str:
    """`From turn 6 · new search in a moment`; empty while the newest facet of the kind is of this turn, or none will follow.

    Args:
        snapshot: the moment shown.
        kind: what is shown of it.
        new: what is to come: `new search`.
    """
    found = snapshot.facets.get(kind)
    if found is None or found[1] >= snapshot.turn or snapshot.ended is not None:
        return ""
    soon = "when the run goes on" if snapshot.status == "paused" else "in a moment"
    return f"From turn {found[1]} · {new} {soon}"
