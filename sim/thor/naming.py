"""Maps AI2-THOR's object ids to ours: `Apple|-00.47|+01.15|+00.48` is `apple_1` for a whole episode."""

from __future__ import annotations

from collections.abc import Iterable

from sim.ithor_types import UNSEEN, Meta, snake

PIECES = ("Sliced", "Cracked")
"""Endings of the types that slicing makes."""


def whole_kind(kind: str) -> str:
    """Returns the type a piece was cut from: `AppleSliced` -> `Apple`."""
    for ending in PIECES:
        if kind.endswith(ending):
            return kind.removesuffix(ending)
    return kind


def is_piece(meta: Meta) -> bool:
    """Returns True for what slicing left."""
    return bool(whole_kind(meta["objectType"]) != meta["objectType"])


class Names:
    """Our ids, numbered by class in the order of AI2-THOR's ids, which are the same in every run. Names are kept.

    Slicing ends one object and makes several. The first piece gets the name of the whole, so a goal about the whole is met.
    """

    def __init__(self) -> None:
        self._ours: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._passed_on: set[str] = set()

    def named(self, objects: Iterable[Meta]) -> dict[str, Meta]:
        """Returns our id -> the object, in the order of AI2-THOR's ids. Floors, windows and cut wholes are left out."""
        there = {o["objectId"]: o for o in objects if o["objectType"] not in UNSEEN}
        cut = {i.rsplit("|", 1)[0] for i, o in there.items() if is_piece(o)}
        found = {}
        for object_id in sorted(there):
            if object_id not in cut:
                found[self._name(object_id, there[object_id])] = there[object_id]
        return found

    def _name(self, object_id: str, meta: Meta) -> str:
        if object_id not in self._ours:
            whole = object_id.rsplit("|", 1)[0]
            if is_piece(meta) and whole in self._ours and whole not in self._passed_on:
                self._passed_on.add(whole)
                self._ours[object_id] = self._ours[whole]
            else:
                cls = snake(whole_kind(meta["objectType"]))
                self._counts[cls] = self._counts.get(cls, 0) + 1
                self._ours[object_id] = f"{cls}_{self._counts[cls]}"
        return self._ours[object_id]

    def ours(self, object_id: str) -> str | None:
        """Returns our id for one of AI2-THOR's. A basin has the id of its sink."""
        return self._ours.get(object_id) or self._ours.get(object_id.rsplit("|", 1)[0])
