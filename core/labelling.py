"""Labels given while a run goes on, as its events tell them: a fold of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from core.annotation import Annotation, Change
from core.events import Annotated, Event, Relabelled

Labels = Mapping[str, Annotation]
"""By id, in the order they were made."""
START_MISSING = "its start is missing"


def labelled(known: Labels, event: Event) -> Labels:
    """The labels after one more event; starts and stops of one annotator's label are put together."""
    match event.what:
        case Annotated() as what:
            return MappingProxyType(_tapped(dict(known), event, what))
        case Relabelled(change=change):
            return MappingProxyType(_changed(dict(known), change))
        case _:
            return known


def _tapped(now: dict[str, Annotation], event: Event, what: Annotated) -> dict[str, Annotation]:
    new = Annotation(f"event {event.number}", what.label, event.at, None, what.phase != "point", event.turn, event.branch,
                     what.note, what.annotator)
    if what.phase != "stop":
        return now | {new.id: new}
    start = open_state(now, what.label, what.annotator)
    if start is not None:
        return now | {start.id: replace(start, until=max(start.at, event.at))}
    return now | {new.id: replace(new, until=event.at, note=new.note or START_MISSING)}


def _changed(now: dict[str, Annotation], change: Change) -> dict[str, Annotation]:
    """In its old place, where it had one."""
    before, after = change.before, change.after
    if before is None:
        return now if after is None else now | {after.id: after}
    if after is not None and after.id == before.id:
        return now | {after.id: after}
    now.pop(before.id, None)
    return now if after is None else now | {after.id: after}


def open_state(known: Labels, label: str, annotator: str) -> Annotation | None:
    """The latest state of a label that this annotator has not ended."""
    mine = (a for a in reversed(list(known.values())) if (a.label, a.annotator) == (label, annotator))
    return next((a for a in mine if a.state and a.until is None), None)
