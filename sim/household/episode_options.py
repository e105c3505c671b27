"""Settings of an episode beside its scene and seed: how it begins, and what is harder than usual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from core.common.errors import UsageError
from core.common.registry import near_misses
from core.world.vocabulary import GRABBABLE
from sim.geometry.sizes import SIZES
from sim.household.household import Household

OPTIONS = ("extra", "lit", "free_hand", "slippery")
MOST_EXTRA = 12


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Settings of a household, read from its options.

    Attributes:
        extra: (class, number): the home holds at least this number of each class.
        lit: lamps are on when the episode begins.
        free_hand: opening, closing and switching need a free hand (VirtualHome's rule; LLM-State's "two hands").
        slippery: share of the movable objects, drawn by seed, that slip from the gripper every time. They look like any other.
    """

    extra: tuple[tuple[str, int], ...] = ()
    lit: bool = False
    free_hand: bool = False
    slippery: float = 0.0

    @classmethod
    def read(cls, options: Mapping[str, str]) -> Self:
        """Reads texts such as `extra=bread_slice=4+milk=1`, `lit=yes`, `free_hand=yes`, `slippery=0.2`.

        Raises:
            UsageError: a value makes no sense.
        """
        return cls(_extra(options.get("extra", "")), _yes("lit", options), _yes("free_hand", options),
                   _share(options.get("slippery", "0")))

    def slips(self, home: Household, seed: int) -> frozenset[str]:
        """Returns the ids of the objects that slip from the gripper in an episode."""
        things = sorted(i.id for i in home.items.values() if GRABBABLE in i.properties)
        drawn = np.random.default_rng((seed, 2)).random(len(things)) < self.slippery
        return frozenset(t for t, slips in zip(things, drawn, strict=True) if slips)


def _extra(text: str) -> tuple[tuple[str, int], ...]:
    found = []
    for part in filter(None, text.split("+")):
        cls, _, number = part.partition("=")
        if cls not in SIZES:
            raise UsageError(f"extra={text}: there is no kind of thing '{cls}'{near_misses(cls, SIZES)}")
        if not number.isdecimal() or not 1 <= int(number[:4]) <= MOST_EXTRA:
            raise UsageError(f"extra={text}: write class=number, 1 to {MOST_EXTRA}, joined by +, such as bread_slice=4+milk=1")
        found.append((cls, int(number)))
    return tuple(found)


def _yes(name: str, options: Mapping[str, str]) -> bool:
    value = options.get(name, "no")
    if value not in ("yes", "no"):
        raise UsageError(f"{name}={value}: write yes or no")
    return value == "yes"


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"slippery={text}: give a share from 0 to 1")
    return value
