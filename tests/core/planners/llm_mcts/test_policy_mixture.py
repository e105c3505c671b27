"""What is shown of the policy at the root: the parts of each prior are those of LLM-MCTS, section 2.3."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from core.common.parameters import changed
from core.planners.llm_mcts.planner import PAPER, TUNED, LlmMcts, LlmMctsParameters
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.search_facets import PolicyMixture, Ranking
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import Answers, Turn, commonsense, goal_of, home, turn

TASK = "put one book on the sofa and one apple inside the fridge"


@pytest.fixture
def simulator() -> Iterator[HouseholdSimulator]:
    with home() as found:
        yield found


def policy_says(*texts: str) -> Answers:
    """The policy's samples are these texts; all else is answered by the rules."""
    def answer(ask: ModelRequest) -> ModelReply:
        return ModelReply(texts, "script") if ask.purpose == "policy" else commonsense(ask)

    return answer


def played(simulator: HouseholdSimulator, preset: LlmMctsParameters, says: Answers = commonsense,
           **settings: float | str | bool) -> tuple[LlmMcts, Turn]:
    planner = LlmMcts(changed(preset, {"simulations": 30, **settings}))
    planner.begin(goal_of(simulator, TASK), simulator.schemas, 0)
    return planner, turn(planner, simulator, says)


def check_parts(done: Turn) -> PolicyMixture:
    """The two parts of each action's prior are together what the search used."""
    mixture, ranking = done.last(PolicyMixture), done.last(Ranking)
    parts = {steps: sum(mixture.parts(k)) for k, steps in enumerate(mixture.actions)}
    assert parts == pytest.approx({ranked.steps: ranked.prior for ranked in ranking.actions})
    assert sum(parts.values()) == pytest.approx(1)
    return mixture


def test_the_parts_are_those_of_the_formula(simulator: HouseholdSimulator) -> None:
    _, done = played(simulator, PAPER, policy_says("1. walk to the kitchen, open the fridge", "", "walk to the bedroom"),
                     mixing=0.25, sharpness=2.0)
    mixture = check_parts(done)
    assert (mixture.how, mixture.mixing, mixture.sharpness, mixture.words_only) == ("softmax", 0.25, 2.0, True)
    assert [sample.split()[-1] for sample in mixture.samples] == ["kitchen", "bedroom"], "the empty one says nothing"
    assert mixture.prompt == next(ask.digest for ask in done.asked if ask.purpose == "policy")
    scores = mixture.cosines.sum(axis=0)
    powers = np.exp(2.0 * (scores - scores.mean()))
    assert mixture.model == pytest.approx(powers / powers.sum())
    assert mixture.cosines.shape == (2, len(mixture.actions))
    assert not mixture.model.flags.writeable
    assert not mixture.cosines.flags.writeable
    k = int(mixture.cosines[0].argmax())
    assert (mixture.cosines[0, k], str(mixture.actions[k][-1])) == (pytest.approx(1), "walk kitchen_1")
    assert mixture.parts(k) == pytest.approx((0.25 / len(mixture.actions), 0.75 * mixture.model[k]))


@pytest.mark.parametrize(("says", "settings", "how"), [
    ("walk to the kitchen", {}, "votes"), ("Roses are red", {}, "none"),
    ("walk to the kitchen", {"wrong_answers": 1.0}, "noise"), ("", {"answers": "softmax"}, "none"),
])
def test_it_says_how_the_answer_was_used(simulator: HouseholdSimulator, says: str, settings: dict[str, float | str],
                                         how: str) -> None:
    _, done = played(simulator, TUNED, policy_says(says), **settings)
    mixture = check_parts(done)
    assert (mixture.how, len(mixture.cosines)) == (how, 0)
    assert mixture.model.sum() == pytest.approx(0 if how == "none" else 1)


def test_an_answer_that_is_kept_is_shown_again_and_a_uniform_policy_has_none(simulator: HouseholdSimulator) -> None:
    planner, done = played(simulator, TUNED)
    first = check_parts(done)
    again = turn(planner, simulator)
    assert not [ask for ask in again.asked if ask.digest == first.prompt], "it is not asked again"
    assert check_parts(again).prompt == first.prompt
    _, alone = played(simulator, TUNED, policy_says="uniform")
    assert not any(isinstance(facet, PolicyMixture) for facet in alone.shown)
