"""The objects of a home: how many of each class an episode has, and where each may be.

The places come from VirtualHome's placings (`resources/scenes/placings.json`), which have no weights. A home marked unseen has
another distribution: weights per class, drawn once from a gamma distribution seeded with the home's name, and a quarter of the
objects may be anywhere.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.common.installation import RESOURCES
from sim.household.homes.fitting import fits, places_of, surfaces_of
from sim.household.scene import Draw, Item

PLACINGS = RESOURCES / "scenes" / "placings.json"
INSTANCES = (1, 1, 2, 2, 3)
"""Numbers of objects of a class, each equally likely."""
FEWEST, MOST = 110, 150
"""Number of objects in an episode."""
SHAPE = 0.7
"""Shape parameter of the gamma distribution of an unseen home's weights."""
ANYWHERE = 0.25
"""Probability that an object of an unseen home may be anywhere."""


@dataclass(frozen=True, slots=True)
class HomeStock:
    """A `Stock`: called with a generator, it draws the objects of an episode.

    Attributes:
        draws: where one object of each class may be, sorted by class.
    """

    draws: tuple[Draw, ...]

    @classmethod
    def of(cls, name: str, items: tuple[Item, ...], familiar: bool | None) -> HomeStock:
        """Returns the stock of a home. `familiar=False` gives it weights of its own."""
        places = [(i.id, i.cls, surfaces_of(i)) for i in places_of(items)]
        rng = np.random.default_rng(zlib.crc32(name.encode())) if familiar is False else None
        draws = []
        for thing, usual in placings().items():
            room_for = {place: kind for place, kind, surfaces in places if fits(thing, surfaces)}
            draw = _draw(thing, usual, room_for, rng)
            if draw.places:
                draws.append(draw)
        return cls(tuple(draws))

    def __call__(self, rng: np.random.Generator) -> tuple[Draw, ...]:
        """Returns 110 to 150 draws, 1 to 3 of a class, in random order."""
        counts = rng.choice(INSTANCES, len(self.draws)) if self.draws else np.zeros(0, int)
        while 0 < counts.sum() < min(FEWEST, 3 * len(self.draws)):
            counts[rng.choice(np.flatnonzero(counts < 3))] += 1
        things = [draw for draw, n in zip(self.draws, counts, strict=True) for _ in range(int(n))]
        order = rng.permutation(len(things))[: int(rng.integers(FEWEST + 10, MOST + 1))]
        return tuple(things[k] for k in order)


def placings() -> Mapping[str, tuple[str, ...]]:
    """Returns object class -> classes of furniture where it usually lies, sorted by class."""
    return {name: places for name, places in _read_placings()}


@lru_cache(1)
def _read_placings() -> tuple[tuple[str, tuple[str, ...]], ...]:
    table = json.loads(PLACINGS.read_text(encoding="utf-8"))
    return tuple((name, tuple(table[name])) for name in sorted(table))


def _draw(thing: str, usual: tuple[str, ...], room_for: Mapping[str, str], rng: np.random.Generator | None) -> Draw:
    """Returns where one object of a class may be.

    Weight is shared evenly between the usual classes of furniture (in unseen homes by the gamma draws), then between the pieces
    of each class. An object for which the home has no usual place may be anywhere.
    """
    kinds = [kind for kind in usual if kind in room_for.values()]
    shares = np.ones(len(kinds)) if rng is None else rng.gamma(SHAPE, 1.0, len(kinds)) + 1e-6
    anywhere = (ANYWHERE if rng is not None else 0.0) if kinds else 1.0
    weights = dict.fromkeys(room_for, anywhere / max(1, len(room_for)))
    for kind, share in zip(kinds, shares / shares.sum() if kinds else shares, strict=True):
        pieces = [place for place, its in room_for.items() if its == kind]
        for place in pieces:
            weights[place] += (1 - anywhere) * float(share) / len(pieces)
    found = {place: weight for place, weight in weights.items() if weight > 0}
    return Draw(thing, tuple(found), tuple(found.values()))
