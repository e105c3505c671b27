"""The table of blocking conditions and their resolutions (BCR, §III-A).

It maps an action to the conditions that may block it, these to the literals that resolve them, and those to the actions that
bring them about. There is one table for each family of simulators. `BLOCKED_BY` lists the conditions of a verb in the order of
their assessment, with the index of the argument they concern; `RESOLVED_BY` lists the resolutions of each condition. A
resolution prefixed with `?` has the desired effect only possibly (`possibly_true` in the paper): opening a cabinet may bring
the mug into view.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from core.world.vocabulary import Action, Value


@dataclass(frozen=True, slots=True)
class Need(Value):
    """A literal that must hold.

    Attributes:
        kind: a key of `CONDITIONS`.
        args: ids; for objects not known yet a class, `+class` (one more of it), `+class@source` (one more, from there) or
            `?property`.
    """

    kind: str
    args: tuple[str, ...] = ()


class Condition(NamedTuple):
    """The texts of a condition; `{0}` is its first argument.

    Attributes:
        blocks: while it blocks.
        resolved: as the literal that resolves it.
        short: a short form of `blocks`, the first line of a node in the tree.
        short_resolved: a short form of `resolved`.
    """

    blocks: str
    resolved: str
    short: str
    short_resolved: str


class Family(NamedTuple):
    """The table of one family of simulators.

    Attributes:
        blocked_by: verb -> conditions.
        resolved_by: condition -> resolutions.
    """

    blocked_by: Mapping[str, tuple[str, ...]]
    resolved_by: Mapping[str, tuple[str, ...]]


CONDITIONS: Mapping[str, Condition] = MappingProxyType({
    "seen": Condition("{0} is not in view", "{0} in view", "not in view", "in view"),
    "near": Condition("{0} is out of reach", "{0} within reach", "out of reach", "within reach"),
    "held": Condition("{0} is not in the hand", "{0} in the hand", "not held", "held"),
    "free hand": Condition("the hand is full", "a free hand", "hand is full", "a free hand"),
    "laid": Condition("{0} is still in the hand", "{0} put down", "still held", "put down"),
    "uncovered": Condition("{0} is behind a closed door", "{0} uncovered", "behind a door", "uncovered"),
    "open": Condition("{0} is closed", "{0} open", "closed", "open"),
    "shut": Condition("{0} is open and runs only closed", "{0} closed", "runs closed", "closed"),
    "still": Condition("{0} is in something that runs", "it switched off", "running", "switched off"),
    "room": Condition("there is no room for {0} at {1}", "room for {0} at {1}", "no room", "room"),
    "fits": Condition("{0} does not fit {1}", "another thing or place", "does not fit", "fits"),
    "slices": Condition("{1} only takes slices", "{0} sliced", "not sliced", "sliced"),
    "inside": Condition("{0} is not inside {1}", "{0} inside {1}", "not inside", "inside"),
    "on": Condition("{0} is not on {1}", "{0} on {1}", "not on it", "on it"),
    "plugged": Condition("{0} is not plugged in", "{0} plugged in", "not plugged in", "plugged in"),
    "allowed": Condition("the world refused it", "something else done first", "refused", "allowed"),
})

HOUSEHOLD = Family(
    blocked_by=MappingProxyType({
        "grab": ("seen 0", "free hand", "still 0", "uncovered 0", "near 0"),
        "put_in": ("slices 0 1", "held 0", "seen 1", "uncovered 1", "still 1", "near 1", "open 1", "fits 0 1", "room 0 1"),
        "put_on": ("held 0", "seen 1", "uncovered 1", "near 1", "fits 0 1", "room 0 1"),
        "open": ("seen 0", "still 0", "uncovered 0", "near 0"),
        "close": ("seen 0", "uncovered 0", "near 0"),
        "switch_on": ("seen 0", "uncovered 0", "shut 0", "near 0"),
        "switch_off": ("seen 0", "uncovered 0", "near 0"),
        "slice": ("seen 0", "laid 0", "held ?cuts", "uncovered 0", "near 0"),
    }),
    resolved_by=MappingProxyType({
        "seen": ("? search 0",),
        "near": ("approach 0",),
        "held": ("grab 0",),
        "free hand": ("? put down",),
        "laid": ("? put down",),
        "uncovered": ("open cover 0",),
        "open": ("open 0",),
        "shut": ("close 0",),
        "still": ("stop 0",),
        "room": ("? clear 0 1",),
        "slices": ("slice 0",),
        "inside": ("put_in 0 1",),
        "on": ("put_on 0 1",),
        "allowed": ("? come closer 0",),
    }),
)
"""The household simulator and AI2-THOR, which share their verbs."""

VIRTUALHOME = Family(
    blocked_by=MappingProxyType({
        **HOUSEHOLD.blocked_by, "switch_on": ("seen 0", "uncovered 0", "plugged 0", "shut 0", "near 0"),
        "plug_in": ("seen 0", "near 0"),
    }),
    resolved_by=MappingProxyType({**HOUSEHOLD.resolved_by, "plugged": ("plug_in 0",)}),
)
"""VirtualHome: the camera cannot be turned, and appliances have plugs."""

REFUSALS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "within reach": ("near",), "in sight": ("near", "seen"), "seen": ("near", "seen"), "a free hand": ("free hand",),
    "open": ("open",), "closed": ("shut",), "switched off": ("still",), "room": ("room",), "held": ("held",),
    "sliced": ("slices",), "not held": ("laid",), "plugged in": ("plugged",), "size": ("fits",), "kind": ("fits",),
    "a knife in hand": ("held",),
})
"""Precondition in a refusal -> the conditions it may refer to; the first one that the verb has is used."""


def family_of(verbs: Collection[str]) -> Family:
    """Returns the table for the verbs of a world."""
    return VIRTUALHOME if "plug_in" in verbs else HOUSEHOLD


def allowed(action: Action) -> Need:
    """Returns the need that the world permits an action. A verb may be refused for an object for a reason that is not known."""
    return Need("allowed", (*action.args[-1:], action.verb))


def needs_of(action: Action, family: Family) -> tuple[Need, ...]:
    """Returns the needs of an action in the order of their assessment; none for verbs that are not in the table."""
    return tuple(_need(entry, action.args) for entry in family.blocked_by.get(action.verb, ()))


def _need(entry: str, args: tuple[str, ...]) -> Need:
    words = entry.split()
    about = [w for w in words if w.isdigit() or w.startswith("?")]
    kind = " ".join(w for w in words if w not in about)
    return Need(kind, tuple(args[int(w)] if w.isdigit() else w for w in about))
