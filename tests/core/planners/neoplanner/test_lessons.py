"""Lessons of the suite scienceworld: which tasks are played before one, and what passes on."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping

import pytest

from core.evaluation.contestants import contestant
from core.llm.model import LanguageModel
from core.planners.neoplanner.lessons import ALTERNATIONS, Lessons
from core.planners.neoplanner.planner import NeoPlanner
from core.planners.neoplanner.recorded_types import ActionPlanFacts, LearnerFacts
from core.planners.neoplanner.suite import HELD_OUT, INTERACTIONS, TABLE_I, ScienceWorld
from core.planning.model_requests import ModelReply, ModelRequest
from core.simulator.base import Simulator
from tests.core.planners.levers import WAY, Levers, Weak, pull

PAPER = contestant("neoplanner:paper+rounds=1")
AVERAGES = {"NeoPlanner (GPT-4)": 94, "CLIN": 41.9, "Reflexion": 27.1, "ReAct": 15.8, "SayCan": 22.6, "CALM": 2.1,
            "KG-A2C": 9.4, "DRRN": 7.8}
"""The last row of table I."""


class Pupil(Weak):
    """Pulls levers without success, and learns one line in each episode: how many there were in this task."""

    def __init__(self, task: str, right: tuple[int, ...] = (4, 5)):
        self._task, self._right, self.learnt = task, right, 0

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        del cancelled
        if isinstance(ask.facts, LearnerFacts):
            self.learnt += 1
            return ModelReply((json.dumps([*ask.facts.learnings, f"{self._task} has episode {self.learnt}"]),), "pupil")
        assert isinstance(ask.facts, ActionPlanFacts)
        return ModelReply((json.dumps([pull(k) for k in self._right]),), "pupil")


class School:
    """Opens worlds and models, and notes in which order."""

    def __init__(self, right: tuple[int, ...] = (4, 5)) -> None:
        self.opened: list[str] = []
        self._right, self._models = right, dict[str, LanguageModel]()

    def open(self, task: str) -> tuple[Simulator, LanguageModel]:
        self.opened.append(task)
        return Levers(), self._models.setdefault(task, Pupil(task, self._right))


def learnings_of(lessons: Lessons, task: str, school: School, max_steps: int = 7) -> list[str]:
    with lessons.taught(PAPER, task, 0, school.open, 0, max_steps) as planner:
        assert isinstance(planner, NeoPlanner)
        goal = Levers().goal()
        assert goal is not None
        planner.begin(goal, Levers().schemas, 0)
        kept = json.loads(planner.memory())
        assert kept["nodes"] == [], "states do not pass on"
        return [axiom[0] for axiom in kept["axioms"]]


def test_a_task_begins_with_what_the_tasks_before_taught() -> None:
    lessons, school = Lessons(INTERACTIONS), School()
    assert learnings_of(lessons, "use-thermometer", school) == []
    assert school.opened == []
    order = list(INTERACTIONS)
    # seven interactions are two episodes of two actions and a restart, and one action that is not learned from
    assert learnings_of(lessons, order[2], school) == [f"{task} has episode {n}" for task in order[:2] for n in (1, 2)]
    assert school.opened == order[:2]
    assert len(learnings_of(lessons, order[3], school)) == 6
    assert school.opened == order[:3], "a lesson is played once"


def test_boil_and_freeze_begin_after_episodes_of_both_in_turn_upon_chemistry_mix() -> None:
    lessons, school = Lessons(INTERACTIONS), School()
    boil = learnings_of(lessons, "boil", school)
    order = list(INTERACTIONS)
    assert school.opened == [*order[:4], *["boil", "freeze"] * ALTERNATIONS]
    assert "identify-life-stages-1" not in school.opened
    assert boil[6:8] == [f"chemistry-mix has episode {n}" for n in (1, 2)]
    assert boil[8:] == [f"{task} has episode {n + 1}" for n in range(ALTERNATIONS) for task in ("boil", "freeze")]
    assert learnings_of(lessons, "freeze", school) == boil, "one common memory"
    assert len(school.opened) == 4 + 2 * ALTERNATIONS


def test_a_success_is_learned_from_and_ends_a_lesson() -> None:
    lessons, school = Lessons(INTERACTIONS), School(WAY)
    assert learnings_of(lessons, list(INTERACTIONS)[1], school, 100) == ["use-thermometer has episode 1"]


@pytest.mark.parametrize(("text", "task"), [
    ("neoplanner", "boil"), ("neoplanner:paper+lessons=false", "boil"), ("neoplanner:paper", HELD_OUT[0])])
def test_there_are_no_lessons_for_others(text: str, task: str) -> None:
    school = School()
    with Lessons(INTERACTIONS).taught(contestant(text), task, 0, school.open, 0, 50) as planner:
        assert isinstance(planner, NeoPlanner)
        assert (planner.parameters.lessons, school.opened) == (task == HELD_OUT[0], [])


def test_the_suite_plays_the_paper_with_lessons_and_repeats_itself() -> None:
    opened: list[str] = []

    def levers(scene: str, options: Mapping[str, str]) -> Simulator:
        del options
        opened.append(scene)
        return Levers()

    one = contestant("neoplanner:paper")
    found = [ScienceWorld().play(one, "freeze", 0, levers, lambda scene: Weak(), 60) for _ in range(2)]
    assert [{**figures, "seconds": 0} for figures in found] == [{**found[0], "seconds": 0}] * 2
    assert opened[-1] == "freeze"
    assert opened.count("boil") == 2 * ALTERNATIONS
    assert found[0]["interactions"] <= 60


def test_the_published_rows_have_the_averages_that_the_paper_prints() -> None:
    assert set(TABLE_I) == set(AVERAGES)
    for name, values in TABLE_I.items():
        assert len(values) == len(INTERACTIONS)
        assert sum(values) / len(values) == pytest.approx(AVERAGES[name], abs=0.15)
        assert ScienceWorld.published[name][:7] == values
        assert set(ScienceWorld.published[name][7:]) == {None}
