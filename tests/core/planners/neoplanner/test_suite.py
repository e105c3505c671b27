"""The suite of NeoPlanner: budgets, tallies, open simulators, tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from core.evaluation.contestants import contestant
from core.evaluation.suites import suite
from core.evaluation.worker import OpenWorlds
from core.planners.neoplanner.suite import HELD_OUT, INTERACTIONS, FromTheList, ScienceWorld, Tally
from core.simulator.base import Simulator
from core.suites.suite import Row
from core.suites.table import markdown
from core.world.vocabulary import Action, Outcome
from sim.scienceworld.simulator import VARIATIONS
from tests.core.planners.levers import Levers, Weak, pull

SUITE = ScienceWorld()


def levers(scene: str, options: Mapping[str, str]) -> Simulator:
    del scene, options
    return Levers()


def test_the_tasks_exist_and_none_is_both_looked_at_and_held_out() -> None:
    assert set(SUITE.cells) <= set(VARIATIONS)
    assert not set(INTERACTIONS) & set(HELD_OUT)
    assert len(INTERACTIONS) == 7


def test_a_run_stays_within_the_published_interactions() -> None:
    found = SUITE.play(contestant("neoplanner+graph=false"), "boil", 0, levers, lambda scene: Weak(), 693)
    assert found["interactions"] == 81
    assert set(found) == {m.key for m in SUITE.measures}
    short = SUITE.play(contestant("neoplanner+graph=false"), "chemistry-mix", 0, levers, lambda scene: Weak(), 30)
    assert short["interactions"] == 30
    done = SUITE.play(contestant("neoplanner"), "use-thermometer", 0, levers, lambda scene: Weak(), 693)
    assert (done["best"], done["interactions"] < 390) == (100, True)


class Asking(Levers):
    """Asks which lever is meant, and counts its answer as another step."""

    sent = 0

    def step(self, action: Action) -> Outcome:
        outcome = super().step(action)
        self.sent += 2
        return replace(outcome, observation=replace(outcome.observation, step=self.sent))


def test_what_a_world_takes_for_several_steps_counts_as_so_many() -> None:
    one = contestant("neoplanner+graph=false")
    found = SUITE.play(one, "boil", 0, lambda scene, options: Asking(), lambda scene: Weak(), 21)
    assert found["interactions"] == 22, "the last one began within the budget"


def test_random_proposals_come_from_the_world_s_own_list() -> None:
    found = SUITE.play(contestant("neoplanner+stand_in=random"), "boil", 0, levers, lambda scene: Weak(), 693)
    assert found["best"] > 0
    assert FromTheList(Levers(), Weak()).source == "careful random"


def test_the_best_and_the_ends_are_kept_apart() -> None:
    world, tally = Levers(), Tally()

    def done(action: Action) -> Outcome:
        return world.step(action)

    for k in (3, 7, 11):
        tally.add(done(Action("do", (pull(k),))))
    assert (tally.best, tally.now, tally.end) == (20, -100, 0)
    tally.add(done(Action("restart")))
    tally.add(done(Action("do", (pull(3),))))
    assert (tally.best, tally.ends, tally.end) == (20, [-100], 5)


def test_a_world_too_many_is_closed_and_all_are_in_the_end() -> None:
    closed: list[str] = []

    class Closing(Levers):
        def __init__(self, scene: str):
            self.scene = scene
            super().__init__()

        def close(self) -> None:
            closed.append(self.scene)

    def opened(scene: str, options: Mapping[str, str]) -> Simulator:
        del options
        return Closing(scene)

    worlds = OpenWorlds(2)
    first = worlds.get(opened, "a", {})
    worlds.get(opened, "b", {})
    assert worlds.get(opened, "a", {}) is first
    worlds.get(opened, "c", {})
    assert closed == ["b"], "the one not used for longest"
    assert worlds.get(opened, "a", {"x": "1"}) is not first
    worlds.close()
    worlds.close()
    assert sorted(closed) == ["a", "a", "b", "c"]


@pytest.mark.parametrize("offline", [True, False])
def test_the_table_shows_means_and_says_who_was_no_model(offline: bool) -> None:
    def row(cell: str, best: float) -> Row:
        return Row("neoplanner", cell, 0, {"best": best, "end": 1.0, "interactions": 50.0, "seconds": 0.1})

    rows = [row(cell, 70.0 + k) for k, cell in enumerate(INTERACTIONS)]
    text = markdown(suite("scienceworld"), rows, ["neoplanner"] if offline else [])
    table = next(line for line in text.splitlines() if line.startswith("| neoplanner"))
    assert ("(no language model)" in table) == offline
    assert table.split("|")[-3].strip() == "73.0", "the mean of the seven; single episodes have no standard error"
    assert table.split("|")[-2].strip() == "–", "nothing was held out yet"
    published = next(line for line in text.splitlines() if "NeoPlanner (GPT-4)" in line)
    assert published.split("|")[-3].strip() == "94.1"
    assert "CLIN" in text
