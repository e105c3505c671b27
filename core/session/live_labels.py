"""The labels given during a run: a fold over its events."""

from __future__ import annotations

from collections.abc import Mapping, Reversible
from dataclasses import replace
from types import MappingProxyType

from core.session.annotation import Annotation, Change
from core.session.events import Annotated, Event, Relabelled

Labels = Mapping[str, Annotation]
"""Annotations by id, in the order they were made."""
START_MISSING = "its start is missing"


def labels_after(known: Labels, event: Event) -> Labels:
    """Returns the labels after one more event. The start and stop of one annotator's label become one annotation."""
    if not isinstance(event.what, Annotated | Relabelled):
        return known
    now = dict(known)
    gather(now, event)
    return MappingProxyType(now)


def gather(now: dict[str, Annotation], event: Event) -> None:
    """Applies the change of one event to `now`, in place, so that a fold over many labels copies none of them."""
    match event.what:
        case Annotated() as what:
            _add_live_label(now, event, what)
        case Relabelled(change=change):
            _apply_change(now, change)


def _add_live_label(now: dict[str, Annotation], event: Event, what: Annotated) -> None:
    new = Annotation(f"event {event.number}", what.label, event.at, None, what.phase != "point", event.turn, event.branch,
                     what.note, what.annotator)
    start = _latest_open(now.values(), what.label, what.annotator) if what.phase == "stop" else None
    if start is not None:
        now[start.id] = replace(start, until=max(start.at, event.at))
    elif what.phase == "stop":
        now[new.id] = replace(new, until=event.at, note=new.note or START_MISSING)
    else:
        now[new.id] = new


def _apply_change(now: dict[str, Annotation], change: Change) -> None:
    """Applies a change. A changed label keeps its position in the order."""
    before, after = change.before, change.after
    if before is not None and (after is None or after.id != before.id):
        now.pop(before.id, None)
    if after is not None:
        now[after.id] = after


def open_state(known: Labels, label: str, annotator: str) -> Annotation | None:
    """Returns the latest interval of a label that this annotator has not ended; None if there is none."""
    return _latest_open(tuple(known.values()), label, annotator)


def _latest_open(known: Reversible[Annotation], label: str, annotator: str) -> Annotation | None:
    matching = (a for a in reversed(known) if (a.label, a.annotator) == (label, annotator))
    return next((a for a in matching if a.state and a.until is None), None)
