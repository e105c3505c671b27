"""Pictures of laid-out graphs follow the graph."""

from __future__ import annotations

import math

from core.world.vocabulary import Action
from sim.geometry import rects
from sim.geometry.model import House, Thing
from sim.virtualhome.common.apartment_state import Home, catalogue_of, graph_of
from sim.virtualhome.common.drawing import GraphPicture, Now, now_of
from sim.virtualhome.unity.simulator import VirtualHomeUnity
from tests.sim.virtualhome.unity_server import UnityServer
from tests.sim.virtualhome.unity_world import UnityWorld


def laid_out() -> tuple[GraphPicture, dict[str, Now]]:
    world = UnityWorld()
    world.add_character("kitchen")
    raw = world.graph()
    home = Home(catalogue_of(graph_of(raw, "the graph")), graph_of(raw, "the graph"))
    names = {str(i): kind.id for i, kind in home.catalogue.items()}
    return GraphPicture(raw, names, now_of(home)), now_of(home)


def thing(house: House, name: str) -> Thing:
    return next(t for t in house.things if t.id == name)


def test_nothing_moves_by_itself() -> None:
    picture, now = laid_out()
    assert {t.id: t.base for t in picture.house(now).things} == {t.id: t.base for t in picture.base.things}


def test_doors_open_and_show_what_is_behind_them() -> None:
    picture, now = laid_out()
    assert thing(picture.house(now), "apple_40").hidden
    now |= {"fridge_20": now["fridge_20"]._replace(open=True), "apple_40": now["apple_40"]._replace(hidden=False)}
    house = picture.house(now)
    assert thing(house, "fridge_20").open
    assert not thing(house, "apple_40").hidden


def test_what_is_held_is_in_the_hand_with_all_that_lies_on_it() -> None:
    picture, now = laid_out()
    now |= {"plate_41": Now(None, held=True)}
    assert not {"plate_41", "pear_44"} & {t.id for t in picture.house(now).things}
    assert [t.id for t in picture.robot(picture.pose(0, None, now), now).held] == ["plate_41"]


def test_what_was_put_down_lies_on_its_holder_and_beside_the_rest() -> None:
    picture, now = laid_out()
    now |= {"apple_40": Now("sofa_30"), "cupcake_42": Now("sofa_30"), "plate_41": Now("sofa_30")}
    house = picture.house(now)
    sofa = thing(house, "sofa_30").footprint()
    middles = [thing(house, name).base[:2] for name in ("apple_40", "cupcake_42", "plate_41", "book_43")]
    assert all(sofa[0] <= x <= sofa[2] and sofa[1] <= y <= sofa[3] for x, y in middles)
    assert len({(round(x, 2), round(y, 2)) for x, y in middles}) == 4
    assert all(thing(house, name).room == 1 for name in ("apple_40", "plate_41"))
    plate, pear = thing(house, "plate_41"), thing(house, "pear_44")
    assert math.dist(plate.base[:2], pear.base[:2]) < 0.2, "the pear comes along on the plate"
    assert picture.house(now) == house, "pictures follow from the state alone"


def test_what_was_put_down_is_not_drawn_into_something_wide() -> None:
    picture, now = laid_out()
    house = picture.house(now | {"apple_40": Now("tvstand_31")})
    assert not rects.overlap(thing(house, "apple_40").footprint(), thing(house, "tv_32").footprint())


def test_the_robot_stands_before_what_it_uses() -> None:
    picture, now = laid_out()
    pose = picture.pose(0, "fridge_20", now)
    fridge = thing(picture.base, "fridge_20")
    assert math.dist((pose.x, pose.y), fridge.base[:2]) < 1.6
    ahead = (fridge.base[0] - pose.x, fridge.base[1] - pose.y)
    assert -math.sin(pose.yaw) * ahead[0] + math.cos(pose.yaw) * ahead[1] > 0
    assert picture.base.rooms[2].contains(*picture.pose(2, None, now)[:2])


def test_unitys_own_coordinates_are_used() -> None:
    with UnityServer() as server, VirtualHomeUnity.open("environment-0", {"url": server.url}) as world:
        world.reset(0)
        pose = world.step(Action("walk", ("kitchentable_24",))).observation.agent.pose
    assert pose is not None
    assert (pose.x, pose.y) == (2.4, 1.4)
