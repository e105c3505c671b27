"""All known changes of a recording's labels, and the labels that they make, whoever made them in whichever window.

Each window, and each file, may hold some of the changes, in any order and several times. The same changes always make the same
labels, so files are merged by taking the changes of all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from hashlib import sha256
from types import MappingProxyType

from core.session.annotation import Annotation, Change


class LabelLog:
    """The changes and the labels. Not shared between threads."""

    def __init__(self, recorded: Iterable[Change] = ()):
        self.recorded = tuple(recorded)
        """The changes that the recording itself holds."""
        self._changes: dict[str, list[Change]] = {}
        self._now: dict[str, Annotation] = {}
        self._told_apart: defaultdict[str, list[str]] = defaultdict(list)
        """Ids of earlier versions that several windows gave, and those of the labels that were told apart from the first."""
        self._shown: Mapping[str, Annotation] | None = None
        for change in self.recorded:
            self.take(change)

    @property
    def annotations(self) -> Mapping[str, Annotation]:
        """The annotations by id. The same object until one of them changes."""
        if self._shown is None:
            self._shown = MappingProxyType(dict(self._now))
        return self._shown

    def in_order(self) -> tuple[Annotation, ...]:
        """Returns the annotations by time."""
        return tuple(sorted(self._now.values(), key=lambda a: (a.at, a.id)))

    def changes(self) -> Iterator[Change]:
        """Yields all changes, those of a label in order."""
        for known in self._changes.values():
            yield from known

    def has_been(self, key: str, state: Annotation | None) -> bool:
        """Returns whether a known change has made a label what it is in `state`; None: has removed it."""
        return any(change.after == state for change in self._changes.get(key, ()))

    def next(self, before: Annotation | None, after: Annotation | None) -> Change:
        """Returns a change with the next version of its label. It is not taken yet."""
        change = Change(before, after)
        return replace(change, version=self._version(change.key) + 1)

    def take(self, change: Change) -> bool:
        """Takes a change. Returns False if it is known already."""
        known = self._changes.setdefault(change.key, [])
        if change in known:
            return False
        known.append(change)
        known.sort(key=_order)
        now = _folded(known)
        if now is None:
            self._now.pop(change.key, None)
        else:
            self._now[change.key] = now
        self._shown = None
        return True

    def take_line(self, change: Change) -> Change:
        """Takes a change from a file, whose lines are taken in order, and returns it with its version.

        Lines of earlier versions have none. Two windows could then give one id to two labels: the second gets another id.
        """
        if not change.version:
            change = self._placed(change)
        self.take(change)
        return change

    def _version(self, key: str) -> int:
        known = self._changes.get(key)
        return known[-1].version if known else 0

    def _placed(self, change: Change) -> Change:
        """Returns a change of an earlier version with a version, and with the id of the label that it is about."""
        before, after, key = change.before, change.after, change.key
        if before is not None:
            ids = (key, *self._told_apart[key])
            key = next((one for one in ids if self._now.get(one) == replace(before, id=one)), key)
        elif after is not None and self._now.get(key, after) != after:
            key = f"{after.id} {sha256(repr(after).encode()).hexdigest()[:8]}"
            self._told_apart[after.id].append(key)
        return Change(before and replace(before, id=key), after and replace(after, id=key), self._version(key) + 1)


def _order(change: Change) -> tuple[int, bool, str]:
    """Changes by version. Of two made at the same time, the removal comes first, so that a label somebody changed stays."""
    return change.version, change.after is not None, repr(change)


def _folded(changes: Iterable[Change]) -> Annotation | None:
    """Returns the label that changes make, in order; None if it was removed.

    Two windows may change different fields at the same time, and both changes count. A label that another window changed
    meanwhile is not removed.
    """
    now: Annotation | None = None
    for change in changes:
        if change.after is None:
            now = None if now == change.before else now
        elif now is None or change.before is None:
            now = change.after
        else:
            now = merged(change.before, change.after, now)
    return now


def merged(before: Annotation, after: Annotation, now: Annotation) -> Annotation:
    """Returns `now` with the fields that differ between `before` and `after` as they are in `after`."""
    was = asdict(before)
    return replace(now, **{name: value for name, value in asdict(after).items() if value != was[name]})
