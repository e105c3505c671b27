from __future__ import annotations

import math
from dataclasses import replace
from typing import Final, Literal

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.geometry.model import Thing, Vector
from sim.geometry.sizes import SIZES, size_of, whole_of
from sim.household.homes.furnish import DRAWN, FITTED, KINDS
from sim.rendering.contact import ROUND, Blocks, flat_gaps, near_pairs, upright_gaps
from sim.rendering.instances import thing_rows
from sim.rendering.shapes.kit import rgb
from sim.rendering.shapes.registry import BUILDERS, appearance_of, known, shape_of
from tests.long_tests import either
from tests.sim.rendering.common import all_houses, bounds

FRONT, ELSEWHERE = 0.03, 0.012
"""Handles stand out at the front; nothing else leaves its box, but for the board of an iTHOR shelf."""
OPENING = (
    *(
        "fridge",
        "kitchen_cabinet",
        "wall_cabinet",
        "kitchen_counter",
        "stove",
        "dishwasher",
        "microwave",
        "cabinet",
        "tv_stand",
    ),
    *(
        "desk",
        "nightstand",
        "dresser",
        "wardrobe",
        "bathroom_cabinet",
        "bathroom_counter",
        "toilet",
        "washing_machine",
        "shower",
    ),
    *("trash_can", "curtain", "box", "book", "cooking_pot", "Fridge", "Cabinet", "Drawer"),
    *(
        "Dresser",
        "Safe",
        "Box",
        "Laptop",
        "Microwave",
        "Toilet",
        "Blinds",
        "ShowerDoor",
        "ShowerCurtain",
        "Kettle",
        "Book",
        "LaundryHamper",
        "freezer",
        "oven",
    ),
)
SHINING = (
    "television",
    "stove",
    "microwave",
    "table_lamp",
    "floor_lamp",
    "ceiling_lamp",
    "toaster",
    "cellphone",
    "radio",
    "candle",
)
HINGES: Final[tuple[Literal["left"], Literal["right"]]] = ("left", "right")
THOR_SIZES: dict[str, Vector] = {"Laptop": (0.36, 0.26, 0.05), "ShowerDoor": (0.8, 0.03, 2.0), "Blinds": (1.0, 0.06, 1.2)}


def thing(kind: str, size: Vector | None = None, is_open: bool = False, on: bool = False) -> Thing:
    return Thing("it", kind, 0, (0, 0, 0), size or THOR_SIZES.get(kind) or size_of(kind, (0.6, 0.5, 0.8)), open=is_open, on=on)


def overshoot(it: Thing) -> tuple[float, float]:
    """How far the parts leave the box at the front, and elsewhere."""
    low, high = bounds(shape_of(it))
    w, d, h = it.size
    return high[1] - d / 2, max(-w / 2 - low[0], high[0] - w / 2, -d / 2 - low[1], -low[2], high[2] - h)


@pytest.mark.parametrize("kind", sorted(SIZES))
def test_every_size_has_a_builder_that_stays_in_its_box(kind: str) -> None:
    assert kind in BUILDERS
    front, elsewhere = overshoot(thing(kind))
    assert front < FRONT
    assert elsewhere < ELSEWHERE


def test_every_piece_of_the_homes_has_a_builder() -> None:
    pieces = {FITTED.get(drawn.kind, drawn.kind) for drawn in (*DRAWN.values(), *KINDS.values())} - {"sink_unit"}
    assert {kind for kind in pieces if kind not in BUILDERS} == set()


def test_things_of_the_ithor_rooms_stay_in_their_boxes() -> None:
    shut = [t for _, house in all_houses() for t in house.things if not t.open and not t.on]
    wrong = {(t.kind, t.size) for t in shut if overshoot(t)[0] > FRONT or overshoot(t)[1] > ELSEWHERE + 1e-6}
    assert wrong == set()


def test_ithor_kinds_are_all_known() -> None:
    assert {t.kind for _, house in all_houses() for t in house.things if not known(t.kind)} == set()


@pytest.mark.parametrize("kind", OPENING)
def test_open_is_visible(kind: str) -> None:
    assert shape_of(thing(kind)) != shape_of(thing(kind, is_open=True))


@pytest.mark.parametrize("kind", SHINING)
def test_on_is_visible(kind: str) -> None:
    assert any(p.texture == "glow" for p in shape_of(thing(kind, on=True)))


@pytest.mark.parametrize("kind", ["fridge", "kitchen_cabinet", "nightstand", "desk", "tv_stand", "bathroom_cabinet"])
def test_open_fronts_stand_out(kind: str) -> None:
    it = thing(kind, is_open=True)
    assert bounds(shape_of(it))[1][1] > it.size[1] / 2 + 0.1


def test_hinge_moves_the_open_door() -> None:
    left, right = (
        shape_of(Thing("it", "fridge", 0, (0, 0, 0), SIZES["fridge"], open=True, hinge=side)) for side in ("left", "right")
    )
    doors = [next(p for p in s if p.centre[1] > 0.5 and p.half[2] > 0.3) for s in (left, right)]
    assert doors[0].centre[0] < 0 < doors[1].centre[0]


@pytest.mark.parametrize("kind", ["apple", "tomato", "salmon", "bell_pepper", "Apple", "Bread"])
def test_sliced_looks_sliced(kind: str) -> None:
    sliced = kind + ("Sliced" if kind[0].isupper() else "_sliced")
    assert whole_of(sliced) == kind
    assert shape_of(thing(sliced, (0.1, 0.1, 0.1))) != shape_of(thing(kind, (0.1, 0.1, 0.1)))


def test_silhouettes_and_colours() -> None:
    banana = max(shape_of(thing("banana")), key=lambda p: p.half[0]).colour
    assert banana[0] > 0.8
    assert banana[2] < 0.3
    milk = max(shape_of(thing("milk")), key=lambda p: math.prod(p.half)).colour
    assert min(milk) > 0.9
    assert SIZES["banana"][0] > 2 * SIZES["banana"][1]


def test_colours_repeat_and_differ_by_id() -> None:
    books = [Thing(str(n), "book", 0, (0, 0, 0), SIZES["book"]) for n in range(12)]
    assert len({shape_of(b)[0].colour for b in books}) > 2
    assert shape_of(books[0]) == shape_of(Thing("0", "book", 0, (5, 5, 0), SIZES["book"], 1.0))


def test_colour_overrides_the_palette() -> None:
    red = rgb("#ff0000")
    it = Thing("a", "sofa", 0, (0, 0, 0), SIZES["sofa"], colour=red)
    assert appearance_of(it).colour == red
    assert shape_of(it)[0].colour == red


sides = st.floats(0.02, 2.5)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([*sorted(BUILDERS), "unheard_of"]), sides, sides, sides, st.booleans(), st.booleans())
def test_any_box_gives_a_finite_shape(kind: str, w: float, d: float, h: float, is_open: bool, on: bool) -> None:
    shape = shape_of(Thing("it", kind, 0, (0, 0, 0), (w, d, h), open=is_open, on=on))
    assert shape
    assert all(math.isfinite(v) for p in shape for v in (*p.centre, *p.half, p.yaw))
    assert all(v > 0 for p in shape for v in p.half)
    assert all(0 <= v <= 1 for p in shape for v in p.colour)


HINGE: Final = 0.013
"""Doors turn this far before their body, metres."""
PAIRS: Final = frozenset({"Boots", "shoes", "slippers"})


def pieces(thing: Thing) -> int:
    """Returns the number of parts of a drawing that do not touch each other, not even through others."""
    blocks, rows = Blocks.of([thing]), thing_rows(thing)
    half, curved, lying = blocks.half.copy(), rows["mesh"] > 0, np.abs(rows["turn"][:, :2]).sum(1) > 0.1
    half[curved, 0] /= ROUND
    half[curved & lying, 2] /= ROUND
    half[curved & ~lying, 1] /= ROUND
    blocks = replace(blocks, half=half)
    first, second = near_pairs(blocks, blocks, HINGE, HINGE)
    a, b = blocks.taken(first), blocks.taken(second)
    touch = (flat_gaps(a, b) <= HINGE) & (upright_gaps(a, b) <= HINGE)
    graph = nx.Graph(zip(first[touch].tolist(), second[touch].tolist(), strict=True))
    return len(list(nx.connected_components(graph)))


def test_the_parts_of_a_drawing_hang_together() -> None:
    sizes = {(t.kind, t.size) for _, house in all_houses()[:: either(10, 1)] for t in house.things}
    sizes |= {(kind, SIZES[kind]) for kind in BUILDERS if kind in SIZES}
    apart = {
        (kind, is_open, on)
        for kind, size in sizes - {s for s in sizes if s[0] in PAIRS}
        for is_open, on in ((False, False), (True, False), (False, True))
        if pieces(Thing("it", kind, 0, (0, 0, 0), size, open=is_open, on=on)) > 1
    }
    assert apart == set()
