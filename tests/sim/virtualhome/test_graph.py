"""The evolving graph: real apartments, real executor, and only what a robot can know."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator

import pytest

from core.common.errors import DataError, MissingPart, UsageError
from core.evaluation.episode import drive
from core.goals.literals import Goal, Literal
from core.llm.commonsense import Commonsense
from core.planners.registry import make_planner
from core.simulator.base import Simulator, options
from core.suites.tasks import draw_task
from core.world.vocabulary import LIEABLE, SITTABLE, Action, Entity
from sim.virtualhome.common.verbs import action_of
from sim.virtualhome.graph import executor
from sim.virtualhome.graph.simulator import VirtualHomeGraph

WITHOUT = importlib.util.find_spec("virtualhome_eval") is None
needs_package = pytest.mark.skipif(WITHOUT, reason="needs: pip install --no-deps virtualhome-eval")
SCENE = "file628_2"


@pytest.fixture(scope="module")
def apartment() -> Iterator[VirtualHomeGraph]:
    with VirtualHomeGraph.open(SCENE, {}) as simulator:
        yield simulator


@pytest.fixture
def home(apartment: VirtualHomeGraph) -> VirtualHomeGraph:
    apartment.reset(0)
    return apartment


def entity(world: Simulator, cls: str) -> Entity:
    return next(e for e in world.reveal().entities if e.cls == cls)


def do(world: Simulator, *actions: Action) -> None:
    for action in actions:
        outcome = world.step(action)
        assert outcome.ok, f"{action}: {outcome.reason}"


def go(world: Simulator, cls: str) -> str:
    """Walk to a thing by way of its room."""
    target = entity(world, cls)
    if world.observe().agent.room != target.room:
        do(world, Action("walk", (str(target.room),)))
    do(world, Action("walk", (target.id,)))
    return target.id


def test_without_the_package_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPart, match=r"pip install --no-deps virtualhome-eval$"):
        VirtualHomeGraph.open(SCENE, {})


@needs_package
class TestApartments:
    def test_all_are_listed_with_titles(self) -> None:
        scenes = VirtualHomeGraph.scenes()
        assert len(scenes) == len(dict(scenes)) == 518
        assert dict(scenes)[SCENE] == "VirtualHome apartment 628_2 · Drink"

    def test_wrong_ones_are_named(self) -> None:
        with pytest.raises(UsageError, match="file628_2"):
            VirtualHomeGraph.open("file628", {})
        with pytest.raises(UsageError, match=r"rules=room\|package"):
            VirtualHomeGraph.open(SCENE, {"rules": "none"})
        with pytest.raises(UsageError, match="no such graph file"):
            VirtualHomeGraph.open("nothing.json", {})

    def test_a_graph_file_will_do(self) -> None:
        path = str(executor.graph_files()[SCENE])
        with VirtualHomeGraph.open(path, {}) as world:
            assert len(world.reset(0).entities) > 40

    def test_the_packages_random_numbers_stay_its_own(self) -> None:
        random.seed(7)
        expected = random.Random(7).random()
        VirtualHomeGraph.open(SCENE, {}).close()
        assert random.random() == expected

    def test_seeds_choose_the_room(self, home: VirtualHomeGraph) -> None:
        rooms = [home.reset(seed).agent.room for seed in range(4)]
        assert len(set(rooms)) == 4
        assert home.reset(4).agent.room == rooms[0]

    def test_nobody_sits_when_an_episode_begins(self) -> None:
        with VirtualHomeGraph.open("file198_1", {}) as world:
            world.reset(0)
            assert any(a.verb == "walk" for a in world.admissible())


@needs_package
class TestSeeing:
    def test_what_is_shut_away_is_neither_seen_nor_walked_to(self, home: VirtualHomeGraph) -> None:
        glass, cupboard = entity(home, "water_glass"), entity(home, "cupboard")
        do(home, Action("walk", (str(cupboard.room),)))
        assert glass.id not in home.observe().by_id
        outcome = home.step(Action("walk", (glass.id,)))
        assert (outcome.ok, outcome.precondition) == (False, "in sight")
        do(home, Action("walk", (cupboard.id,)), Action("open", (cupboard.id,)))
        assert glass.id in home.observe().by_id
        assert home.observe().holder[glass.id] == ("inside", glass.id, cupboard.id)
        do(home, Action("grab", (glass.id,)))

    def test_other_rooms_are_a_map(self, home: VirtualHomeGraph) -> None:
        seen = home.observe()
        assert seen.landmarks
        assert all(e.category == "furniture" and not e.states and e.room != seen.agent.room for e in seen.landmarks)

    def test_of_several_holders_the_closest_counts(self, home: VirtualHomeGraph) -> None:
        mouse = entity(home, "mouse")
        assert home.reveal().holder[mouse.id].object.startswith("mousepad")

    def test_what_one_stands_at_comes_first(self, home: VirtualHomeGraph) -> None:
        table = go(home, "desk")
        assert home.observe().agent.near[0] == table


@needs_package
class TestActing:
    def test_verdicts_and_steps_agree(self, home: VirtualHomeGraph) -> None:
        rng = random.Random(5)
        for turn in range(6):
            home.reset(turn)
            for _ in range(turn):
                do(home, rng.choice(home.admissible()))
            saved = home.save()
            listed = set(home.admissible())
            for action, verdict in rng.sample(options(home), 15):
                outcome = home.step(action)
                assert outcome.ok == verdict.ok == (action in listed), f"{action}: {outcome.reason} / {verdict.reason}"
                home.restore(saved)

    def test_looking_on_changes_nothing(self, home: VirtualHomeGraph) -> None:
        def walk(ask: bool) -> list[str]:
            home.reset(1)
            trace = []
            for k in range(12):
                if ask:
                    options(home)
                actions = home.admissible()
                do(home, actions[(11 * k) % len(actions)])
                trace.append(home.save())
            return trace

        assert walk(ask=True) == walk(ask=False)

    def test_a_restored_state_goes_on_the_same(self, home: VirtualHomeGraph) -> None:
        go(home, "cup" if any(e.cls == "cup" for e in home.observe().entities) else "mouse")
        saved = home.save()

        def onwards() -> list[str]:
            trace = []
            for k in range(10):
                actions = [a for a in home.admissible() if a.verb != "walk"] or list(home.admissible())
                do(home, actions[(3 * k) % len(actions)])
                trace.append(home.save())
            return trace

        first = onwards()
        home.restore(saved)
        assert home.save() == saved
        assert onwards() == first

    def test_a_state_of_another_apartment_is_refused(self, home: VirtualHomeGraph) -> None:
        with VirtualHomeGraph.open("file1003_2", {}) as other, pytest.raises(DataError, match="file1003_2"):
            home.restore(other.save())

    @pytest.mark.parametrize("part", [
        '"edges":{"9999 ON":[1]}', '"edges":{"65 INSIDE":[9999]}', '"states":{"40":["LOUD"]}', '"left":3',
    ])
    def test_a_damaged_state_is_refused(self, home: VirtualHomeGraph, part: str) -> None:
        before = home.save()
        text = f'{{"scene":"{SCENE}","steps":1,"focus":null,"edges":{{}},"states":{{}},"left":{{}},{part}}}'
        with pytest.raises(DataError):
            home.restore(text)
        assert home.save() == before

    def test_doors_that_run_are_switched_off_when_opened(self, home: VirtualHomeGraph) -> None:
        oven = go(home, "oven")
        for verb, state in (("close", "open"), ("switch_on", "off")):
            if state in home.observe().by_id[oven].states:
                do(home, Action(verb, (oven,)))
        do(home, Action("open", (oven,)))
        assert {"open", "off"} <= home.observe().by_id[oven].states

    def test_a_carried_thing_takes_along_what_lies_on_it(self, home: VirtualHomeGraph) -> None:
        tray = entity(home, "tray")
        go(home, "oven")
        oven = entity(home, "oven")
        if "open" not in oven.states:
            do(home, Action("open", (oven.id,)))
        thing = go(home, "drawing")
        do(home, Action("grab", (thing,)))
        go(home, "oven")
        do(home, Action("walk", (tray.id,)), Action("put_on", (thing, tray.id)), Action("grab", (tray.id,)))
        bed = go(home, "bed")
        seen = home.observe()
        assert seen.by_id[thing].room == seen.agent.room
        assert seen.holder[thing].object == tray.id
        do(home, Action("put_on", (tray.id, bed)), Action("walk", (thing,)), Action("grab", (thing,)))
        assert home.observe().agent.room == entity(home, "bed").room

    def test_the_executors_words_are_plain(self) -> None:
        with VirtualHomeGraph.open(SCENE, {"rules": "package"}) as world:
            world.reset(0)
            outcome = world.step(Action("grab", (entity(world, "bed").id,)))
        assert outcome.reason == "bed 105 is not grabbable"
        assert outcome.precondition == "made for it"

    def test_one_hand_or_two(self) -> None:
        for hands, ok in (("1", False), ("2", True)):
            with VirtualHomeGraph.open(SCENE, {"hands": hands}) as world:
                world.reset(0)
                do(world, Action("grab", (go(world, "mouse"),)))
                second = go(world, "keyboard")
                assert world.step(Action("grab", (second,))).ok == ok

    def test_possible_goals(self, home: VirtualHomeGraph) -> None:
        def goal(*literals: Literal) -> Goal:
            return Goal(literals)

        assert home.possible(goal(Literal("inside", "mouse", "freezer")))
        assert home.possible(goal(Literal("is", "microwave", None, 1, frozenset({"open"}))))
        assert not home.possible(goal(Literal("on", "mouse", "freezer")))
        assert not home.possible(goal(Literal("inside", "bed", "freezer")))
        assert not home.possible(goal(Literal("inside", "water_glass", "freezer"), Literal("on", "water_glass", "bed")))
        assert not home.possible(goal(Literal("is", "mouse", None, 1, frozenset({"cooked"}))))


@needs_package
class TestPrograms:
    @pytest.mark.parametrize("scene", [] if WITHOUT else sorted(executor.graph_files())[::10])
    def test_the_packages_own_programs_replay(self, scene: str) -> None:
        raw = executor.load(scene)
        names = {n["id"]: f"{n['class_name']}_{n['id']}" for n in raw["nodes"]}
        with VirtualHomeGraph(scene, raw, rules="package") as world:
            world.reset(0)
            for line in executor.program(scene)[1]:
                outcome = world.step(action_of(line, names))
                assert outcome.ok, f"{line}: {outcome.reason}"


@needs_package
@pytest.mark.parametrize("planner", ["oracle", "llm-mcts"])
def test_planners_put_things_into_place(planner: str) -> None:
    done = 0
    for scene in list(executor.graph_files())[::100]:
        with VirtualHomeGraph.open(scene, {}) as world:
            world.reset(0)
            goals = (draw_task(world, seed) for seed in range(99))
            goal = next(g for g in goals if [(x.predicate in ("inside", "on"), x.count) for x in g.literals] == [(True, 1)])
            done += drive(make_planner(planner), world, goal, Commonsense(), 0).success
    assert done >= 5


@needs_package
def test_the_packages_own_verbs_are_offered_when_asked_for() -> None:
    with VirtualHomeGraph.open(SCENE, {"rules": "package"}) as world:
        world.reset(0)
        do(world, Action("walk", (entity(world, "chair").id,)))
        actions = world.admissible()
        assert {"walk", "find", "sit", "touch", "turn_to", "grab"} <= {a.verb for a in actions}
        do(world, Action("sit", (entity(world, "chair").id,)))
        assert world.verdict(Action("walk", (entity(world, "bed").id,))).precondition == "standing"
        do(world, Action("stand_up"), Action("walk", (entity(world, "bed").id,)))


def free_bed(world: VirtualHomeGraph) -> str:
    """A class on which one can sit and lie: VirtualHome counts what lies there."""
    beds = {e.cls for e in world.reveal().entities if {SITTABLE, LIEABLE} <= e.properties}
    return min(c for c in beds if all(world.possible(Goal((Literal(p, c),))) for p in ("sitting", "lying")) and c != "mat")


def arrived(world: VirtualHomeGraph, cls: str) -> str:
    world.reset(0)
    return go(world, cls)


@needs_package
class TestPosturesAndActs:
    def test_a_robot_on_a_seat_stands_up_first(self, home: VirtualHomeGraph) -> None:
        couch = arrived(home, free_bed(home))
        do(home, Action("sit", (couch,)))
        agent = home.observe().agent
        assert (agent.posture, agent.seat) == ("sitting", couch)
        for action in (Action("walk", (entity(home, "desk").id,)), Action("lie", (couch,))):
            refused = home.step(action)
            assert (refused.ok, refused.precondition, refused.remedy) == (False, "standing", Action("stand_up"))
        do(home, Action("stand_up"), Action("lie", (couch,)))
        assert home.observe().agent.posture == "lying"
        do(home, Action("stand_up"))
        assert (home.observe().agent.posture, home.observe().agent.seat) == ("standing", "")
        assert home.step(Action("stand_up")).reason == "the robot already stands"

    def test_what_was_done_is_saved_and_restored(self, home: VirtualHomeGraph) -> None:
        sink = arrived(home, "sink")
        do(home, Action("wash_hands", (sink,)), Action("look_at", (sink,)), Action("wash_hands", (sink,)))
        agent, saved = home.observe().agent, home.save()
        assert [a.verb for a in agent.acts] == ["wash_hands", "look_at"]
        assert agent.facing == sink
        do(home, Action("walk", (entity(home, "bed").room or "",)))
        assert home.observe().agent.facing == ""
        home.reset(1)
        assert home.observe().agent.acts == ()
        assert home.restore(saved).agent == agent
        assert home.save() == saved
        broken = saved.replace('"look_at"', '"tickle"')
        with pytest.raises(DataError):
            home.restore(broken)
        assert home.save() == saved

    @pytest.mark.parametrize(("literal", "last"), [
        (Literal("sitting", "bed|couch|chair"), "sit"), (Literal("lying", "bed|couch|mat"), "lie"),
        (Literal("done", "television", act="watch"), "watch"), (Literal("done", "desk", act="touch"), "touch"),
        (Literal("done", "water_glass", act="drink"), "drink"), (Literal("robot_facing", "bed"), "turn_to"),
        (Literal("done", "sink", act="wash_hands"), "wash_hands"), (Literal("done", "computer", act="type"), "type"),
        (Literal("is", "television", None, 1, frozenset({"plugged in"})), "plug_in"),
    ])
    def test_goals_are_reached_by_lines_that_the_package_repeats(
        self, home: VirtualHomeGraph, literal: Literal, last: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        goal, lines, do_lines = Goal((literal,)), list[str](), home._do
        assert home.possible(goal)

        def noted(script: list[str], *lifted: int) -> None:
            lines.extend(script)
            do_lines(script, *lifted)

        monkeypatch.setattr(home, "_do", noted)
        home.reset(0)
        played = drive(make_planner("oracle", "default", {}), home, goal, None, 0)
        assert played.success
        assert not played.actions or played.actions[-1][0].verb == last
        plain = executor.Executor(executor.load(SCENE), SCENE)
        assert [plain.run([line]) for line in lines] == [None] * len(lines)

    def test_a_seat_is_taken_by_what_is_on_it(self, home: VirtualHomeGraph) -> None:
        free = (e.cls for e in home.reveal().entities if e.cls in ("chair", "toilet", "mat", "bathtub")
                and home.possible(Goal((Literal("sitting", e.id),))))
        chair = arrived(home, next(free))
        do(home, Action("sit", (chair,)), Action("stand_up"))
        assert home.step(Action("sit", (chair,))).precondition == "room", "VirtualHome counts the robot that sat there before"
        assert home.possible(Goal((Literal("sitting", chair),))).cause == "no room"

    def test_what_it_has_no_verb_for_is_said(self) -> None:
        with VirtualHomeGraph.open(SCENE, {"rules": "package"}) as world:
            why = world.possible(Goal((Literal("done", "sink", act="wash_hands"),)))
            assert why.reason == "the robot cannot wash hands in this world"
