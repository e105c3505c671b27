"""What furniture holds is stated by class and size; how it is drawn does not matter."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.geometry.model import Thing
from sim.geometry.placing import HOLDING, SOLID, is_stated, surfaces_of
from sim.geometry.sizes import SIZES
from sim.household.geometry import house_of
from sim.household.scenes import SCENES_FOLDER, load_scene
from sim.household.simulator import HouseholdSimulator
from sim.household.spots import _all_surfaces
from sim.rendering.shapes import registry
from sim.rendering.shapes.kit import RED, Appearance, Shape, block
from tests.sim.rendering.common import all_houses

sides = st.floats(0.02, 2.5)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([*sorted(HOLDING), "unheard_of"]), sides, sides, sides, st.booleans())
def test_any_box_gives_surfaces_with_an_area(kind: str, w: float, d: float, h: float, is_open: bool) -> None:
    assert all(v > 0 for s in surfaces_of(kind, (w, d, h), is_open) for v in s.half)


def test_surfaces_lie_in_the_box() -> None:
    for kind, size in SIZES.items():
        for s in surfaces_of(kind, size):
            assert 0 <= s.centre[2] <= size[2] + 0.01, kind
            assert abs(s.centre[0]) + s.half[0] <= size[0] / 2 + 0.01, kind


def test_every_class_that_is_drawn_is_stated() -> None:
    """A class that is drawn and not listed would hold what its proportions suggest."""
    assert {kind for kind in registry.BUILDERS if not is_stated(kind)} == set()
    assert not SOLID & set(HOLDING)


def test_slices_hold_nothing_and_odd_boxes_go_by_their_proportions() -> None:
    assert surfaces_of("table_sliced", SIZES["kitchen_table"]) == ()
    assert len(surfaces_of("unheard_of", (1.2, 0.8, 0.75))) == 1
    assert surfaces_of("unheard_of", (0.2, 0.2, 0.2)) == ()


def test_an_open_drawer_carries_its_surface_out() -> None:
    closed, opened = (surfaces_of("Drawer", (0.5, 0.4, 0.2), is_open)[0] for is_open in (False, True))
    assert opened == closed._replace(centre=(0.0, 0.4 * 0.6, closed.centre[2]))


def lump(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A drawing that has nothing of a table, a cupboard or a cup."""
    return [block(0.07, 3.0, 0.0, 0.01, RED)]


def forget() -> None:
    """Empty every cache between a drawing and a scene."""
    registry._shape.cache_clear()
    surfaces_of.cache_clear()
    _all_surfaces.cache_clear()
    load_scene.cache_clear()


@pytest.fixture
def fresh_caches() -> Iterator[None]:
    forget()
    yield
    forget()


def account(scene: str) -> list[str]:
    """Where things begin, and where each of some objects would go on and in each piece of furniture."""
    world = HouseholdSimulator(load_scene(scene))
    found = []
    for seed in (0, 7):
        world.reset(seed)
        found.append(world.save())
        home, pick = world._home, random.Random(seed)
        objects = sorted(i.id for i in home.items.values() if i.category == "object")
        furniture = sorted(i.id for i in home.items.values() if i.category == "furniture")
        found += [repr(home.free_place(o, relation, f)) for o in pick.sample(objects, 6) for f in furniture
                  for relation in ("inside", "on")]
        found.append(repr(world.admissible()))
    return found


@pytest.mark.parametrize("scene", ["four-rooms-2", "FloorPlan7", str(SCENES_FOLDER / "graphs" / "apartment-721.json.gz")])
@pytest.mark.usefixtures("fresh_caches")
def test_drawing_everything_otherwise_changes_no_place_and_no_capacity(scene: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = account(scene)
    for kind in registry.BUILDERS:
        monkeypatch.setitem(registry.BUILDERS, kind, lump)
    forget()
    thing = next(t for t in house_of(HouseholdSimulator(load_scene(scene))._home).things if t.kind in registry.BUILDERS)
    assert registry.shape_of(thing) == tuple(lump(1, 1, 1, Appearance()))
    assert account(scene) == before


def test_every_piece_in_an_ithor_room_is_stated() -> None:
    kinds = {t.kind for _, house in all_houses() for t in house.things if isinstance(t, Thing)}
    assert {kind for kind in kinds if not is_stated(kind)} == set()
