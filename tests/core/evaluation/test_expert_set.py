"""The expert set: made from a seed, resumed after a kill, and what the suite calls novel is absent from it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.evaluation.expert_set import Recipe, make, task_goal, trajectory
from core.goals.progress import reached
from core.planners.llm_mcts.suite import CELLS, HOMES, Cell, draw, scene_of
from core.planning.expert_shots import retrieval_set
from core.planning.trajectories import field_of, line_of, literals, read_lines, read_trajectories
from core.suites.expert_tasks import SEEN_HOMES, TASKS, expert_kinds, kind_of
from core.world.vocabulary import Action
from main import main
from sim.household.simulator import HouseholdSimulator
from tests.long_tests import either

SMALL = Recipe(seed=3, tasks=4, trajectories=10, retrieval=3)


@pytest.fixture(scope="module")
def homes() -> Iterator[dict[str, HouseholdSimulator]]:
    found = {name: HouseholdSimulator.open(name, {}) for name in (*HOMES[True], *HOMES[False])}
    yield found
    for simulator in found.values():
        simulator.close()


def test_the_shipped_trajectories_follow_from_the_default_recipe(homes: dict[str, HouseholdSimulator]) -> None:
    recipe = Recipe()
    assert tuple(t.id for t in retrieval_set()) == recipe.chosen
    tasks = [field_of(line, where) for line, where in read_lines(TASKS)]
    assert [task.field("task").value for task in tasks] == list(range(recipe.tasks))
    for t in retrieval_set()[::either(80, 40)]:
        simulator = homes[t.scene]
        goal = task_goal(recipe, t.task, simulator)
        assert (goal.text, goal.literals) == (tasks[t.task].field("instruction").value, literals(tasks[t.task].field("goal")))
        assert trajectory(recipe, t.id, goal, simulator) == t


def test_a_trajectory_without_an_initial_state_is_left_out(homes: dict[str, HouseholdSimulator], tmp_path: Path,
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.evaluation.expert_set.MOST_STEPS", 1)
    monkeypatch.setattr("core.evaluation.expert_set.TRIES", 3)
    made = make(replace(SMALL, trajectories=2, tasks=2), HouseholdSimulator.open, tmp_path, 1)
    assert (made.held, made.new, made.left_out) == (0, 0, 2)


def test_a_trajectory_is_an_episode_that_reaches_its_goal(homes: dict[str, HouseholdSimulator]) -> None:
    for t in retrieval_set()[::either(60, 30)]:
        simulator = homes[t.scene]
        simulator.reset(t.seed)
        for step in t.steps:
            verb, *args = step.action.split()
            assert simulator.step(Action(verb, tuple(args))).ok
        goal = task_goal(Recipe(), t.task, homes[t.scene])
        simulator.reset(t.seed)
        assert not reached(goal, simulator.reveal())
        for step in t.steps:
            verb, *args = step.action.split()
            simulator.step(Action(verb, tuple(args)))
        assert reached(goal, simulator.reveal())


def test_lines_have_the_fields_of_the_schema() -> None:
    schema = json.loads((RESOURCES / "expert" / "trajectory.schema.json").read_text("utf-8"))
    line = json.loads(line_of(retrieval_set()[0]))
    for wanted, value in ((schema, line), (schema["properties"]["goal"]["items"], line["goal"][0]),
                          (schema["properties"]["steps"]["items"], line["steps"][0])):
        assert set(wanted["properties"]) == set(wanted["required"]) == set(value)


def test_a_killed_run_goes_on_and_makes_only_what_is_missing(tmp_path: Path) -> None:
    whole = make(SMALL, HouseholdSimulator.open, tmp_path / "whole", 1)
    assert (whole.held, whole.new) == (10, 10)
    path = tmp_path / "whole" / "trajectories.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    assert {t.task for t in read_trajectories(path)} == {0, 1, 2, 3}
    killed = tmp_path / "killed"
    some = make(SMALL, HouseholdSimulator.open, killed, 1, only_retrieval=True)
    assert (some.held, some.new) == (3, 3)
    half = killed / "trajectories.jsonl"
    kept = half.read_text("utf-8").splitlines(keepends=True)
    half.write_text("".join(kept[:2]) + kept[2][:40], "utf-8")
    again = make(SMALL, HouseholdSimulator.open, killed, 2)
    assert (again.held, again.new) == (10, 8)
    assert half.read_text("utf-8").splitlines(keepends=True)[:2] == kept[:2]
    assert sorted(half.read_text("utf-8").splitlines(keepends=True)) == sorted(lines)
    for name in ("tasks.jsonl.gz", "retrieval.jsonl.gz"):
        assert gzip.decompress((killed / name).read_bytes()) == gzip.decompress((tmp_path / "whole" / name).read_bytes())
    assert make(SMALL, HouseholdSimulator.open, killed, 1).new == 0


def test_another_set_s_folder_and_damaged_lines_are_refused(tmp_path: Path) -> None:
    make(replace(SMALL, trajectories=1), HouseholdSimulator.open, tmp_path, 1)
    with pytest.raises(DataError, match=r"another expert set \(trajectories was 1, now 2\)"):
        make(replace(SMALL, trajectories=2), HouseholdSimulator.open, tmp_path, 1)
    (tmp_path / "trajectories.jsonl").write_text("{}\n", "utf-8")
    with pytest.raises(DataError, match="line 1 lacks"):
        make(replace(SMALL, trajectories=1), HouseholdSimulator.open, tmp_path, 1)


def test_the_set_holds_simple_and_composed_tasks_of_seen_homes_only() -> None:
    kinds = expert_kinds()
    assert {len(kind) for kind in kinds.kinds} == {1, 2}
    assert {t.scene for t in retrieval_set()} == set(SEEN_HOMES) == set(HOMES[True])
    assert {kind_of(t.goal) for t in retrieval_set()} <= kinds.kinds


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.title)
def test_novel_kinds_are_absent_from_the_set_and_composed_parts_are_in_it(
        cell: Cell, homes: dict[str, HouseholdSimulator]) -> None:
    kinds = expert_kinds()
    for seed in range(either(5, 12)):
        simulator = homes[scene_of(cell, seed)]
        simulator.reset(seed)
        kind = kind_of(draw(cell, simulator, seed).literals)
        assert len(kind) == cell.things
        assert (kind in kinds.kinds) != cell.novel
        if cell.name == "NovelSimple":
            assert kind[0] not in kinds.parts
            assert kind[0][0] in kinds.subjects
            assert kind[0][1] in kinds.targets
        else:
            assert set(kind) <= kinds.parts


def test_the_command_makes_and_lists_a_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--tasks", "2", "--trajectories", "3", "--retrieval", "2", "--seed", "5", "--jobs", "1"]
    assert main(["examples", "expert", "make", "--out", str(tmp_path), *flags]) == 0
    assert "3 new trajectories, 3 in all, of 2 tasks" in capsys.readouterr().out
    assert main(["examples", "expert", "list", "--file", str(tmp_path / "retrieval.jsonl.gz")]) == 0
    assert capsys.readouterr().out.startswith("2 trajectories in ")
    assert main(["examples", "expert", "list", "--like", "put one apple inside the fridge", "--shots", "2"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert main(["examples", "expert", "make", "--out", str(tmp_path), *flags, "--tasks", "4"]) == 2
    assert "another expert set" in capsys.readouterr().err
