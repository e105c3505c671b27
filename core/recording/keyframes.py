"""Keyframes: the snapshot before each turn and at the end, recorded as what changed since the keyframe before it.

What is large is not recorded again: a keyframe names facets, model calls and observations by the numbers of the events that
hold them. A reader restores the keyframe before a moment and folds the events since. A file without keyframes (of an earlier
version, or of a sweep) is folded once, which gives the same keyframes.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Final

from core.common.errors import DataError
from core.common.shared_list import SharedList
from core.planning.facets import Frame, Grounded
from core.recording.codec import Codec
from core.recording.types import hints_of
from core.session.events import Acted, Asked, AskedAside, Event, Replied, Rewound, Shown, Switched, TurnBegan
from core.session.snapshot import NO_FACETS, Snapshot
from core.session.turns import Turn

VERSION: Final = 2
"""The version of `fold`. It changes when equal events give another snapshot: then recorded keyframes of the earlier version are
ignored, and the events are folded."""
KEYFRAMES: Final = f"/keyframes/{VERSION}"
"""The topic of keyframes. Their messages have the numbers of the events they were made after."""
ANY: Final = b'{"$":"Keyframe",'
"""Every keyframe begins so."""
MARK: Final = ANY + f'"version":{VERSION},'.encode()
"""Those of this version begin so."""
BY_EVENT: Final = ("seen", "options", "changes")
"""Fields of a snapshot that one event reported. Observations and lists of actions are large."""
REFERRED: Final = frozenset({"facets", "at_action", "frames", "calls", "groundings", "line", *BY_EVENT})
"""Fields that are not recorded by value. Pictures are looked up by the turn they show."""
Numbers = Mapping[str, int]
"""Event numbers by the name of a kind of facet, or of a field."""
CallPlace = tuple[int, int, str]
"""The events of a request and its reply, and who was asked if that changed before the reply; empty: as the request says."""
Request = tuple[int, float, int, str]
"""A request without a reply: its id, the time it was made, the event that holds it, and who was asked in it."""
GroundingPlace = tuple[int, int]
"""The event that reports how replies were interpreted, and the index of the reply in it."""
PARTS: Final[Mapping[str, Any]] = {
    "after": int, "line": tuple[int, tuple[int, ...]], "facets": Numbers, "at_action": Numbers, "reported": Numbers,
    "calls": tuple[CallPlace, ...], "groundings": tuple[GroundingPlace, ...], "asked": tuple[Request, ...]}
"""The types of what a keyframe holds besides changed fields."""


@dataclass(frozen=True, slots=True)
class Keyframe:
    """The state of a run after an event.

    Attributes:
        number: of the event; -1: before the first.
        state: the snapshot without the fields of `REFERRED`, but with `line`.
        facets, at_action: the events that showed the facets of these fields.
        reported: the events that reported the fields of `BY_EVENT`; those that are not set are missing.
        calls, groundings: how many there are of each.
        asked: the requests that wait for a reply.
    """

    number: int = -1
    state: Snapshot = field(default_factory=Snapshot)
    facets: Numbers = field(default_factory=lambda: MappingProxyType({}))
    at_action: Numbers = field(default_factory=lambda: MappingProxyType({}))
    reported: Numbers = field(default_factory=lambda: MappingProxyType({}))
    calls: int = 0
    groundings: int = 0
    asked: tuple[Request, ...] = ()


class References:
    """Follows a run, and knows which events hold the large parts of its snapshots.

    Attributes:
        calls, groundings: where each item of these logs is, in order.
    """

    def __init__(self) -> None:
        self.calls: list[CallPlace] = []
        self.groundings: list[GroundingPlace] = []
        self._facets: dict[str, int] = {}
        self._at_action: dict[str, int] = {}
        self._reported: dict[str, int] = {}
        self._asked: dict[tuple[int, float], tuple[int, str]] = {}

    def begin(self, keyframe: Keyframe) -> None:
        """Goes on from a keyframe; the logs hold its items already."""
        self._facets, self._at_action = dict(keyframe.facets), dict(keyframe.at_action)
        self._reported = dict(keyframe.reported)
        self._asked = {(call, at): (number, source) for call, at, number, source in keyframe.asked}

    def shown(self, kind: str, number: int) -> None:
        """Takes a facet that replaces the one of its kind."""
        self._facets[kind] = number

    def take(self, event: Event, before: Snapshot, now: Snapshot) -> None:
        """Takes an event, and the snapshots before and after it."""
        self._take_facets(event, before, now)
        what = event.what
        if isinstance(what, Asked | AskedAside):
            self._asked[what.id, event.at] = event.number, what.source
        elif isinstance(what, Replied):
            self._replied(event.number, now.calls[len(before.calls):])
        for name in BY_EVENT:
            value = getattr(now, name)
            if value is None:
                self._reported.pop(name, None)
            elif value is not getattr(before, name):
                self._reported[name] = event.number

    def _take_facets(self, event: Event, before: Snapshot, now: Snapshot) -> None:
        match event.what:
            case Shown(facet=Frame()):
                pass
            case Shown(facet=Grounded(replies=replies)):
                self.groundings.extend((event.number, k) for k in range(len(replies)))
            case Shown(facet=facet):
                self.shown(type(facet).__name__, event.number)
            case Acted() if len(now.turns) > len(before.turns):
                self._at_action = dict(self._facets)
            case TurnBegan():
                self._at_action = {}
            case Rewound() | Switched():
                self._facets, self._at_action = {}, {}
            case _:
                pass

    def _replied(self, number: int, calls: Sequence[Any]) -> None:
        for call in calls:
            asked, source = self._asked[call.id, call.asked_at]
            self.calls.append((asked, number, "" if call.source == source else call.source))

    def keyframe(self, now: Snapshot) -> Keyframe:
        """Returns the keyframe after the event that was taken last."""
        self._asked = {(call.id, call.asked_at): self._asked[call.id, call.asked_at] for call in (*now.waiting, *now.aside)}
        asked = tuple((*key, *place) for key, place in self._asked.items())
        return Keyframe(now.event, _small(now), dict(self._facets), dict(self._at_action), dict(self._reported),
                        len(self.calls), len(self.groundings), asked)


def _small(snapshot: Snapshot) -> Snapshot:
    """Returns a snapshot without what a keyframe names by the numbers of events."""
    return replace(snapshot, seen=None, options=None, changes=None, facets=NO_FACETS, at_action=NO_FACETS,
                   frames=MappingProxyType({}), calls=SharedList(), groundings=SharedList())


class Keyframes:
    """Makes the keyframes of a run while it is recorded.

    Attributes:
        newest: the last event that was taken; None before the first.
    """

    def __init__(self, codec: Codec):
        self.newest: Event | None = None
        self._codec, self._places = codec, References()
        self._now, self._last = Snapshot(), Keyframe()

    @property
    def is_due(self) -> bool:
        """Whether events were taken since the last keyframe."""
        return self.newest is not None and self.newest.number > self._last.number

    def take(self, event: Event, now: Snapshot) -> None:
        """Takes an event and the snapshot after it."""
        self._places.take(event, self._now, now)
        self.newest, self._now = event, now

    def make(self) -> bytes:
        """Returns the keyframe after the newest event, as JSON.

        Raises:
            DataError: a recording cannot hold a value of it.
        """
        before, self._last = self._last, self._places.keyframe(self._now)
        return encoded(self._codec, before, self._last, self._places)


# --- what is recorded -----------------------------------------------------------
HINTS: Final[Mapping[str, Any]] = {f.name: hints_of(Snapshot)[f.name] for f in fields(Snapshot) if f.name not in REFERRED}
"""The types of the fields that are recorded by value."""


def encoded(codec: Codec, before: Keyframe, now: Keyframe, places: References) -> bytes:
    """Returns a keyframe as JSON: what changed since the one before it.

    Raises:
        DataError: a recording cannot hold a value of it.
    """
    changed = {name: value for name in HINTS if (value := _change(getattr(before.state, name), getattr(now.state, name)))}
    line = _line_change(before.state.line, now.state.line, now.state.turns)
    parts = {"after": now.number, "since": before.number, "changed": changed, "line": line, "facets": now.facets,
             "at_action": now.at_action, "reported": now.reported, "calls": places.calls[before.calls:now.calls],
             "groundings": places.groundings[before.groundings:now.groundings], "asked": now.asked}
    return MARK + codec.dumps(parts)[1:].encode()


def _change(old: object, new: object) -> tuple[object, ...]:
    """Returns how a field changed: `=`, the new value; or `+` and the new items; nothing if it stayed the same.

    Of a mapping that grew or changed, the items are its changed entries.
    """
    if new is old:
        return ()
    if isinstance(new, SharedList) and isinstance(old, SharedList):
        since = new.since(old)
        return ("=", list(new)) if since is None else ("+", list(since)) if since else ()
    if isinstance(new, Mapping) and isinstance(old, Mapping):
        if not old.keys() <= new.keys():
            return "=", list(new.items())
        entries = [(key, value) for key, value in new.items() if key not in old or old[key] is not value]
        return ("+", entries) if entries else ()
    if isinstance(new, tuple) and isinstance(old, tuple) and old and new[:len(old)] == old:
        return ("+", new[len(old):]) if len(new) > len(old) else ()
    return ("=", new) if new != old else ()


def _line_change(old: SharedList[Turn], new: SharedList[Turn], turns: SharedList[Turn]) -> tuple[int, list[int]]:
    """Returns how many turns of a line stay, and the indices, among all turns, of those that follow."""
    if new.akin(old):
        same = min(len(old), len(new))
    else:
        same = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a is not b), min(len(old), len(new)))
    added = new[same:]
    if len(added) == 1 and added[0] is turns[-1]:
        return same, [len(turns) - 1]
    places = {id(turn): k for k, turn in enumerate(turns)} if added else {}
    return same, [places[id(turn)] for turn in added]


# --- what is read ------------------------------------------------------------------
@dataclass(slots=True)
class Restored:
    """The keyframes of a file, as they are restored one after the other.

    Attributes:
        places: the events of the logs' items.
        last: the newest keyframe that was restored.
    """

    codec: Codec
    places: References = field(default_factory=References)
    last: Keyframe = field(default_factory=Keyframe)

    def restore(self, data: bytes) -> Keyframe:
        """Returns the keyframe that follows `last`.

        Raises:
            DataError: it follows another one, or cannot be read.
        """
        try:
            parts = json.loads(data)
            if parts["since"] != self.last.number:
                raise DataError("a keyframe that does not follow from the one before it")
            self.last = self._restored(parts)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise DataError(f"a damaged keyframe: {error}") from error
        return self.last

    def _restored(self, parts: Mapping[str, Any]) -> Keyframe:
        old = self.last.state
        changed: dict[str, Any] = {name: self._value(HINTS[name], getattr(old, name), *how)
                                   for name, how in parts["changed"].items()}
        read = {name: self.codec.value(parts[name], hint) for name, hint in PARTS.items()}
        state, (kept, added) = replace(old, **changed), read["line"]
        state = replace(state, line=_lengthened(old.line, kept, [state.turns[k] for k in added]))
        if {(call, at) for call, at, _, _ in read["asked"]} != {(c.id, c.asked_at) for c in (*state.waiting, *state.aside)}:
            raise DataError("other requests wait than those it names")
        self.places.calls.extend(read["calls"])
        self.places.groundings.extend(read["groundings"])
        return Keyframe(read["after"], state, read["facets"], read["at_action"], read["reported"], len(self.places.calls),
                        len(self.places.groundings), read["asked"])

    def _value(self, hint: Any, old: Any, how: str, plain: Any) -> object:
        """Returns the new value of a field, which has changed in one of the two ways of `_change`."""
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if isinstance(origin, type) and issubclass(origin, Mapping):
            entries = {self.codec.value(key, args[0]): self.codec.value(value, args[1]) for key, value in plain}
            return MappingProxyType({**(old if how == "+" else {}), **entries})
        if origin is SharedList:
            return _lengthened(old, len(old) if how == "+" else 0, [self.codec.value(item, args[0]) for item in plain])
        value = self.codec.value(plain, hint)
        return (*old, *value) if how == "+" else value


def _lengthened(log: SharedList[Any], kept: int, items: Sequence[Any]) -> SharedList[Any]:
    """Returns the first items of a log, and further ones."""
    longer = log if kept == len(log) else SharedList(log[:kept])
    for item in items:
        longer = longer.plus(item)
    return longer
