"""What is shown of the model's answers about where objects are: counts as in appendix C.2, before any smoothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.parameters import changed
from core.llm.grounding.places import positions
from core.llm.grounding.replies import grounding_of_place
from core.planners.llm_mcts.planner import PAPER, TUNED, LlmMcts
from core.planning.belief import from_counts, normalised
from core.planning.belief_facets import Belief, PositionAnswers
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.prompt_facts import PlaceFact, place_facts
from core.search.rearrangement import Rearrangement
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import commonsense, goal_of, home, turn
from tests.long_tests import either

TASK = "put one apple inside the fridge and one book on the sofa"
SAID = ("In the refrigerator.", "on the sofa", "I cannot know.", "inside a kitchen cabinet", "On the moon")


@pytest.fixture(scope="module")
def simulator() -> Iterator[HouseholdSimulator]:
    with home() as found:
        yield found


def answered(simulator: HouseholdSimulator, *texts: str,
             task: str = TASK) -> tuple[PositionAnswers, Belief, list[ModelRequest]]:
    planner = LlmMcts(changed(PAPER, {"simulations": 5}))
    planner.begin(goal_of(simulator, task), simulator.schemas, 0)
    done = turn(planner, simulator, lambda ask: ModelReply(texts, "script") if ask.purpose == "object positions"
                else commonsense(ask))
    return done.last(PositionAnswers), done.last(Belief), done.asked


def test_each_class_has_its_counts_and_what_could_not_be_read(simulator: HouseholdSimulator) -> None:
    answers, belief, asked = answered(simulator, *SAID)
    assert [said.cls for said in answers.classes][:2] == ["apple", "book"]
    apple = answers.about("apple")
    assert apple is not None
    assert (apple.samples, apple.unread) == (5, 2)
    assert apple.prompt == next(ask.digest for ask in asked if ask.subject == "apple")
    counts = dict(zip(answers.places, apple.counts.tolist(), strict=True))
    assert counts["fridge_1"] == 1
    cabinets = [n for place, n in counts.items() if place.startswith("kitchen_cabinet") and n]
    assert len(cabinets) > 1
    assert cabinets == pytest.approx([1 / len(cabinets)] * len(cabinets)), "one answer, divided among all it may mean"
    assert sum(counts.values()) == pytest.approx(3)
    row = belief.classes.index("apple")
    assert belief.prior[row] == pytest.approx(normalised(from_counts(apple.counts, PAPER.least)))
    assert answers.about("moon") is None


def test_the_places_asked_about_are_the_first_columns_of_the_belief() -> None:
    with home("four-rooms-1") as simulator:
        task = Rearrangement(goal_of(simulator, TASK), simulator.schemas)
        task.see(simulator.observe())
        asked = [(p.id, "inside" if p.inside else "on") for p in place_facts(task.world.entities.values())]
        assert len(asked) > 10
        assert asked == [(p.id, p.relation) for p in task.layout.places[:len(asked)]]
        assert {p.relation for p in task.layout.places[len(asked):]} == {"floor"}


def test_the_second_place_has_the_score_of_its_own_answer() -> None:
    places = positions([PlaceFact("fridge_1", "fridge", "kitchen_1", "kitchen", inside=True),
                        PlaceFact("sofa_1", "sofa", "living_room_1", "living_room", inside=False)])
    agreed, divided = (grounding_of_place(ModelRequest("object positions", ()), ModelReply(texts, "script"), places)
                       for texts in (("In the fridge.",) * 2, ("In the fridge.", "in the fridge", "on the soffa")))
    assert (agreed.runner_up, agreed.runner_up_score) == ("", 0.0)
    assert divided.runner_up == "on the sofa in the living room"
    assert 0.0 < divided.runner_up_score < divided.score == agreed.score


@settings(max_examples=either(8, 100), deadline=None)
@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=8))
def test_counts_and_unread_answers_add_up(simulator: HouseholdSimulator, texts: list[str]) -> None:
    answers, _, _ = answered(simulator, *texts, task="put one book on the sofa")
    book = answers.about("book")
    assert book is not None
    assert book.counts.sum() + book.unread == pytest.approx(book.samples) == pytest.approx(len(texts))
    assert not book.counts.flags.writeable


def test_probabilities_are_no_counts(simulator: HouseholdSimulator) -> None:
    planner = LlmMcts(changed(TUNED, {"simulations": 5}))
    planner.begin(goal_of(simulator, TASK), simulator.schemas, 0)

    def scores(ask: ModelRequest) -> ModelReply:
        if ask.purpose != "object positions":
            return commonsense(ask)
        return ModelReply((), "script", tuple((c, float(-k)) for k, c in enumerate(ask.expects.choices)))

    said = turn(planner, simulator, scores).last(PositionAnswers).classes[0]
    assert (said.samples, said.unread) == (0, 0)
    assert said.counts.sum() == pytest.approx(1)
    assert np.count_nonzero(said.counts) > 10
