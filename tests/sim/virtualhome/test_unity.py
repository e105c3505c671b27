"""Unity over HTTP, against a server of ours that answers, and fails, as Unity does."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from core.common.errors import DataError, RendererError, SimulatorError, UsageError
from core.goals.literals import Goal, Literal
from core.planners.registry import make_planner
from core.session import events as e
from core.session.session import Session
from core.session.setup import Setup
from core.world.vocabulary import Action
from sim.virtualhome.unity import player
from sim.virtualhome.unity.messages import SILENT, complaint
from sim.virtualhome.unity.player import Link
from sim.virtualhome.unity.simulator import VirtualHomeUnity
from tests.core.session.toys import Ear
from tests.sim.virtualhome.unity_server import STATIC_CAMERAS, UnityServer

SCENE = "environment-3"
PUBLISHED = {
    "add_character": {"character_resource", "mode", "character_position", "initial_room"},
    "expand_scene": {"randomize", "random_seed", "animate_character", "ignore_obstacles", "transfer_transform"},
    "camera_image": {"mode", "image_width", "image_height"},
    "render_script": {
        "randomize_execution", "random_seed", "processing_time_limit", "skip_execution", "output_folder", "file_name_prefix",
        "frame_rate", "image_synthesis", "find_solution", "save_pose_data", "save_scene_states", "camera_mode", "recording",
        "image_width", "image_height", "time_scale", "skip_animation",
    },
}
WALK, OPEN, GRAB = Action("walk", ("fridge_20",)), Action("open", ("fridge_20",)), Action("grab", ("apple_40",))


@pytest.fixture
def server() -> Iterator[UnityServer]:
    with UnityServer() as running:
        yield running


@pytest.fixture
def world(server: UnityServer) -> Iterator[VirtualHomeUnity]:
    with VirtualHomeUnity.open(SCENE, {"url": server.url, "timeout": "0.4"}) as simulator:
        simulator.reset(0)
        yield simulator


def opened(server: UnityServer, **options: str) -> VirtualHomeUnity:
    return VirtualHomeUnity.open(SCENE, {"url": server.url, **options})


class TestSpeaking:
    def test_an_episode_begins_in_the_seeds_room(self, server: UnityServer, world: VirtualHomeUnity) -> None:
        assert [q["action"] for q in server.log] == [
            "clear", "environment", "camera_count", "environment_graph", "add_character", "environment_graph"]
        assert server.asked("environment")[0]["intParams"] == [3]
        assert world.observe().agent.room == "kitchen_11"
        assert world.reset(1).agent.room == "livingroom_12"

    def test_every_seed_begins_in_a_room_that_virtualhome_allows(self, server: UnityServer) -> None:
        begun = [opened(server).reset(seed).agent.room for seed in range(7)]
        assert set(begun) == {"kitchen_11", "livingroom_12", "bedroom_13"}, "never in the home office"
        assert begun[:3] == begun[3:6]

    def test_rooms_are_spelled_as_virtualhome_takes_them(self, server: UnityServer) -> None:
        server.world.rooms = {11: ("Living_Room", 2.0, 2.0), 12: ("homeoffice", 7.0, 2.0), 13: ("Living_Room", 12.0, 2.0)}
        assert (opened(server).reset(1).agent.room or "").endswith("_11")
        assert json.loads(server.asked("add_character")[0]["stringParams"][0])["initial_room"] == "livingroom"

    def test_an_apartment_where_nobody_can_appear_is_named(self, server: UnityServer) -> None:
        server.world.rooms = {i: ("homeoffice", x, z) for i, (_, x, z) in server.world.rooms.items()}
        with pytest.raises(SimulatorError, match="only in a kitchen, bedroom, livingroom, bathroom") as caught:
            opened(server).reset(0)
        assert "\n" not in str(caught.value)
        assert not server.asked("add_character")

    def test_parameters_are_those_of_the_published_client(self, server: UnityServer, tmp_path: Path) -> None:
        """By name, as `comm_unity.py` of the package virtualhome sends them."""
        path = tmp_path / "changed.json"
        path.write_text(json.dumps(server.world.graph()))
        world = opened(server, graph=str(path))
        world.reset(0)
        world.step(WALK)
        world.render("first person", 32, 32)
        for action, keys in PUBLISHED.items():
            sent = server.asked(action)[0]["stringParams"][0]
            assert json.loads(sent).keys() == keys, action
        assert server.asked("clear")[0]["intParams"] == server.asked("environment")[0]["intParams"] == [3]

    def test_scripts_are_lines_with_ids_and_the_graph_is_read_again(self, server: UnityServer, world: VirtualHomeUnity) -> None:
        before = len(server.asked("environment_graph"))
        away = Action("walk", ("kitchentable_24",)), Action("put_on", ("apple_40", "kitchentable_24"))
        for action in (WALK, OPEN, GRAB, *away):
            assert world.step(action).ok
        lines = [q["stringParams"][1] for q in server.asked("render_script")]
        assert lines == ["<char0> [walk] <fridge> (20)", "<char0> [open] <fridge> (20)", "<char0> [grab] <apple> (40)",
                         "<char0> [walk] <kitchentable> (24)", "<char0> [putback] <apple> (40) <kitchentable> (24)"]
        assert json.loads(server.asked("render_script")[0]["stringParams"][0])["find_solution"] is False
        assert len(server.asked("environment_graph")) == before + 5
        assert world.observe().holder["apple_40"] == ("on", "apple_40", "kitchentable_24")

    def test_only_the_room_is_seen(self, world: VirtualHomeUnity) -> None:
        seen = world.observe()
        assert "apple_40" not in seen.by_id
        assert "sofa_30" in {x.id for x in seen.landmarks}
        assert seen.holder["pear_44"].object == "plate_41"
        assert world.verdict(Action("walk", ("apple_40",))).precondition == "in sight"

    def test_a_graph_file_changes_the_apartment(self, server: UnityServer, tmp_path: Path) -> None:
        path = tmp_path / "changed.json"
        path.write_text(json.dumps(server.world.graph()))
        opened(server, graph=str(path)).reset(0)
        (question,) = server.asked("expand_scene")
        assert json.loads(question["stringParams"][1]) == json.loads(path.read_text())

    def test_older_versions_will_do(self) -> None:
        with UnityServer(modern=False) as old, opened(old) as world:
            world.reset(0)
            assert world.step(WALK).ok
            old.world.nodes[20]["states"] = ["OPEN"]
            outcome = world.step(OPEN)
            assert outcome.reason == "fridge 20 is not closed"
            frame = world.render("first person", 64, 64)
            assert frame.ids is None
            assert "clicked" in frame.notice

    def test_wrong_settings_are_named(self) -> None:
        wrong: list[Mapping[str, str]] = [
            {"url": "ftp://x"}, {"url": "nonsense"}, {"timeout": "soon"}, {"timeout": "-1"}, {"port": "1"},
            {"url": "http://127.0.0.1:1", "executable": "x"}, {"graph": "/nothing.json"}]
        for options in wrong:
            with pytest.raises(UsageError) as caught:
                VirtualHomeUnity.open(SCENE, options)
            assert "\n" not in str(caught.value)
        with pytest.raises(UsageError, match="environment-0 to environment-49"):
            VirtualHomeUnity.open("environment-50", {})


class TestPictures:
    def test_what_is_under_a_pixel(self, server: UnityServer, world: VirtualHomeUnity) -> None:
        frame = world.render("first person", 96, 64)
        assert frame.pixels.shape == (64, 96, 3)
        assert frame.ids is not None
        names = {frame.names[i] for i in np.unique(frame.ids)}
        assert {"fridge_20", "stove_23"} <= names
        assert {name for name, _ in frame.boxes} == names - {""}
        asked = server.asked("camera_image")
        assert [q["intParams"] for q in asked] == [[STATIC_CAMERAS + 1]] * 2
        assert [json.loads(q["stringParams"][0])["mode"] for q in asked] == ["normal", "seg_inst"]

    @pytest.mark.parametrize("coarse", [2, 3])
    def test_objects_keep_their_pixels_when_the_picture_is_enlarged(self, server: UnityServer, world: VirtualHomeUnity,
                                                                   coarse: int) -> None:
        server.coarse = coarse
        frame = world.render("first person", 96, 66)
        assert frame.ids is not None
        assert frame.ids.shape == (66, 96)
        assert frame.ids.all(), "a colour between those of two objects is nobody's"

    def test_the_camera_is_the_characters_own(self, server: UnityServer, world: VirtualHomeUnity) -> None:
        world.render("first person", 32, 32)
        answer = Link(server.url).ask("camera_image", [STATIC_CAMERAS + 6], ['{"mode": "normal"}'])
        assert not answer.success, "one character has six cameras, numbered from the static ones on"

    @pytest.mark.parametrize("fault", ["500", "garbage", "refuse", "die"])
    def test_no_picture_is_no_catastrophe(self, server: UnityServer, world: VirtualHomeUnity, fault: str) -> None:
        server.faults["camera_image"] = [fault]
        with pytest.raises(RendererError):
            world.render("first person", 64, 64)
        assert world.render("first person", 64, 64).boxes


class TestFailing:
    def test_what_unity_cannot_do_is_a_refusal_in_plain_words(self, server: UnityServer, world: VirtualHomeUnity) -> None:
        world.step(WALK)
        server.world.edges.discard((100, "CLOSE", 20))
        before = world.reveal()
        outcome = world.step(OPEN)
        assert (outcome.ok, outcome.precondition) == (False, "within reach")
        assert outcome.reason == "Path partially completed, not able to reach fridge 20"
        assert world.reveal().relations == before.relations

    @pytest.mark.parametrize(("message", "short", "words"), [
        ("", "possible for VirtualHome", SILENT), ('{"0": {"message": "Success"}}', "possible for VirtualHome", SILENT),
        ('{"0": {"message": "x. REASON: No free hand."}}', "a free hand", "No free hand"),
        ('{"0": "no space on <sofa> (3)"}', "room", "no space on sofa 3"),
        ("[1]", "possible for VirtualHome", "1"),
    ])
    def test_complaints(self, message: str, short: str, words: str) -> None:
        assert complaint(message) == (short, words)

    @pytest.mark.parametrize(("fault", "words"), [
        ("hang", "has not answered 'render_script' for 0.4 s"), ("die", "broke off in the middle"), ("500", "HTTP 500"),
        ("garbage", "nonsense"), ("nonsense", "nonsense"),
    ])
    def test_trouble_in_mid_script_is_an_error_with_a_cure(self, server: UnityServer, world: VirtualHomeUnity, fault: str,
                                                          words: str) -> None:
        server.faults["render_script"] = [fault]
        with pytest.raises(SimulatorError, match=words) as caught:
            world.step(WALK)
        assert "\n" not in str(caught.value)
        world.reset(0)
        assert world.step(WALK).ok

    @pytest.mark.parametrize("action", ["environment", "camera_count", "environment_graph", "add_character"])
    @pytest.mark.parametrize("fault", ["refuse", "garbage"])
    def test_trouble_at_the_start_is_an_error(self, server: UnityServer, action: str, fault: str) -> None:
        server.faults[action] = [fault]
        with pytest.raises(SimulatorError):
            opened(server).reset(0)

    def test_an_unusable_graph_is_an_error(self, server: UnityServer, world: VirtualHomeUnity) -> None:
        server.world.edges.add((20, "INSIDE", 4711))
        with pytest.raises(SimulatorError, match="4711"):
            world.step(WALK)

    def test_nobody_there(self) -> None:
        url = f"http://127.0.0.1:{player.free_port()}"
        with pytest.raises(SimulatorError, match="start its executable"):
            VirtualHomeUnity.open(SCENE, {"url": url}).reset(0)

    def test_before_an_episode_there_is_nothing_to_see(self, server: UnityServer) -> None:
        with pytest.raises(SimulatorError, match="reset it first"):
            opened(server).observe()
        assert not server.log

    def test_loopback_goes_past_any_proxy(self, server: UnityServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
        assert Link(server.url).ask("idle").success


class TestGoingBack:
    def test_a_state_is_what_was_done(self, world: VirtualHomeUnity) -> None:
        for action in (WALK, Action("grab", ("plate_41",)), OPEN, GRAB):
            world.step(action)
        saved, seen = world.save(), world.observe()
        world.step(Action("walk", ("bedroom_13",)))
        assert world.restore(saved) == seen
        assert world.save() == saved
        assert world.observe().step == 4

    def test_damaged_states_do_not_reach_unity(self, server: UnityServer, world: VirtualHomeUnity) -> None:
        asked = len(server.log)
        state = '{"scene":"environment-%s","seed":0,"steps":0,"done":[%s]}'
        for text in ("{", state % (4, ""), state % (3, "[]")):
            with pytest.raises(DataError):
                world.restore(text)
        assert len(server.log) == asked

    @pytest.mark.parametrize("fault", ["die", "hang", "500", "garbage"])
    def test_a_session_recovers_by_itself(self, server: UnityServer, fault: str) -> None:
        goal = Goal((Literal("on", "apple", "kitchentable"),), "Put one apple on the table")
        setup = Setup(make_planner("oracle"), lambda: opened(server, timeout="0.4"), goal, 0, 20)
        session = Session(setup)
        ear = Ear(session)
        server.faults["render_script"] = ["", "", fault]
        session.run()
        assert ear.of(e.Ended)[0].success
        assert [r.part for r in ear.of(e.Recovered)] == ["simulator"]
        assert [f.part for f in ear.of(e.Failed)] == ["simulator"]


class TestStarting:
    def test_our_own_executable_starts_and_ends(self, tmp_path: Path) -> None:
        root = Path(__file__).parents[3]
        program = tmp_path / "unity"
        program.write_text(f"#!{sys.executable}\nimport sys, threading\nsys.path.insert(0, {str(root)!r})\n"
                           "from tests.sim.virtualhome.unity_server import UnityServer\n"
                           "port = next(int(a.split('=')[1]) for a in sys.argv if a.startswith('-http-port='))\n"
                           "server = UnityServer(port=port)\nthreading.Event().wait()\n")
        program.chmod(0o755)
        world = VirtualHomeUnity.open(SCENE, {"executable": str(program)})
        world.reset(0)
        assert world.step(WALK).ok
        world.close()
        world.close()

    def test_programs_that_do_not_start_say_so(self, tmp_path: Path) -> None:
        program = tmp_path / "unity"
        with pytest.raises(UsageError, match="no program there"):
            player.Player(str(program), 1.0)
        program.write_text("#!/bin/sh\nexit 3\n")
        program.chmod(0o755)
        with pytest.raises(SimulatorError, match="ended at once with code 3"):
            player.Player(str(program), 1.0)
        program.write_text("#!/bin/sh\nexec sleep 60\n")
        with pytest.raises(SimulatorError, match=r"has not answered for 0\.3 s"):
            player.Player(str(program), 1.0, 0.3)
        program.write_text("not a program\n")
        program.chmod(0o755)
        with pytest.raises(SimulatorError):
            player.Player(str(program), 1.0, 0.3)
