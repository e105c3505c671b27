from __future__ import annotations

import math

import numpy as np
import pytest

from sim.geometry.grid import free_space
from sim.geometry.model import House, Opening, Room, Thing, Wall
from sim.rendering.cameras import Camera, first_person
from sim.rendering.visibility import Visibility
from tests.sim.rendering.common import house_of

EYE = Camera((0.0, -3.0, 1.0), (0.0, 0.0, 0.5))


def house(*things: Thing, walls: tuple[Wall, ...] = ()) -> House:
    return House((Room("hall", ((-4, -4, 4, 4),)),), (Wall((-4, 4), (4, 4), right=0), *walls), things)


def screen(y: float = -1.0, w: float = 2.0) -> Thing:
    return Thing("screen", "BaseFill", 0, (0, y, 0), (w, 0.1, 2.0))


def ball(name: str, x: float = 0.0, y: float = 1.0, hidden: bool = False) -> Thing:
    return Thing(name, "apple", 0, (x, y, 0.4), (0.1, 0.1, 0.1), hidden=hidden)


def test_a_screen_hides_what_is_behind_it_and_nothing_else() -> None:
    seen = Visibility(house(ball("behind"), ball("beside", 1.9, 0.0), ball("before", 0.2, -1.8), screen())).seen(EYE)
    assert seen == {"beside", "before", "screen"}


def test_without_the_screen_all_is_seen() -> None:
    assert Visibility(house(ball("behind"), ball("beside", 1.9, 0.0))).seen(EYE) == {"behind", "beside"}


def test_walls_hide_and_doors_do_not() -> None:
    def seen_through(*openings: Opening) -> frozenset[str]:
        return Visibility(house(ball("far"), walls=(Wall((-4, -1), (4, -1), 0, 0, openings),))).seen(EYE)

    assert seen_through() == frozenset()
    assert seen_through(Opening("leaf", 3.5, 4.5)) == frozenset()
    assert seen_through(Opening("door", 3.5, 4.5)) == {"far"}


def test_hidden_things_are_never_seen() -> None:
    assert Visibility(house(ball("apple", hidden=True))).seen(EYE) == frozenset()


def test_picture_and_reach_bound_what_is_seen() -> None:
    visibility = Visibility(house(ball("ahead"), ball("wide", 3.5, -2.0), ball("behind_me", 0, -3.8)))
    assert visibility.seen(EYE) == {"ahead"}
    assert visibility.seen(EYE, reach=3.0) == frozenset()
    assert visibility.seen(Camera(EYE.eye, EYE.target, 150.0)) >= {"ahead", "wide"}
    assert visibility.seen(Camera(EYE.eye, EYE.target, near=5.0)) == frozenset()


def test_need_asks_for_more_than_a_glimpse() -> None:
    half_hidden = Visibility(house(Thing("chest", "BaseFill", 0, (1.0, 1, 0), (2.4, 0.3, 0.8)), screen(w=1.2)))
    assert "chest" in half_hidden.seen(EYE)
    assert "chest" in half_hidden.seen(EYE, need=0.1)
    assert "chest" not in half_hidden.seen(EYE, need=0.9)


def test_glass_hides_nothing() -> None:
    pane = Thing("pane", "ShowerGlass", 0, (0, -1, 0), (2.0, 0.02, 2.0))
    assert "apple" in Visibility(house(ball("apple"), pane)).seen(EYE)


def cupboard_with_milk(is_open: bool) -> frozenset[str]:
    cupboard = Thing("cupboard", "kitchen_cabinet", 0, (0, 0, 0), (0.6, 0.6, 0.9), math.pi, is_open, openable=True)
    milk = Thing("milk", "milk", 0, (0, -0.1, 0.46), (0.08, 0.08, 0.23), parent="cupboard", inside=True)
    return Visibility(house(cupboard, milk)).seen(Camera((0.0, -2.0, 1.0), (0.0, 0.0, 0.5)))


def test_doors_hide_what_is_inside() -> None:
    assert cupboard_with_milk(is_open=True) == {"cupboard", "milk"}
    assert cupboard_with_milk(is_open=False) == {"cupboard"}


def test_decoration_has_no_name() -> None:
    assert Visibility(house(Thing("", "BaseFill", 0, (0, 0, 0), (1, 1, 1)))).seen(EYE) == frozenset()


@pytest.mark.parametrize(("kind", "number"), [("kitchens", 0), ("living_rooms", 10), ("bedrooms", 3), ("bathrooms", 22)])
def test_rooms_show_only_what_is_there(kind: str, number: int) -> None:
    room = house_of(kind, number)
    visibility, grid = Visibility(room), free_space(room)
    hidden, names = {t.id for t in room.things if t.hidden}, {t.id for t in room.things} - {""}
    cells, rng = grid.centres(grid.reachable), np.random.default_rng(5)
    union: set[str] = set()
    for _ in range(12):
        x, y = cells[rng.integers(len(cells))].tolist()
        seen = visibility.seen(first_person(x, y, float(rng.uniform(0, 6.28))))
        assert seen <= names - hidden
        assert visibility.seen(first_person(x, y, 1.0), need=0.5) <= visibility.seen(first_person(x, y, 1.0))
        union |= seen
    assert len(union) > 0.4 * len(names - hidden)


def test_answers_repeat() -> None:
    cameras = [first_person(0.0, 0.0, k * 0.7) for k in range(6)]
    first, second = (Visibility(house_of("kitchens", 2)) for _ in range(2))
    assert [first.seen(c) for c in cameras] == [second.seen(c) for c in cameras]
