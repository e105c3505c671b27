"""Trajectories in the policy prompt: the form of Listing 1, and never longer than they may be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.planners.llm_mcts.few_shot import format_of, trajectory_shots
from core.planning.expert_shots import retrieval_set
from core.planning.trajectories import Trajectory

SHOTS = retrieval_set()


def test_a_shot_is_told_as_of_the_first_grab_with_all_actions() -> None:
    for t in SHOTS:
        (shot,) = trajectory_shots((t,), 100_000)
        goal, completed, observation, following = shot.split("\n")
        assert goal == f"Goal: {t.instruction}"
        done = completed.removeprefix("Completed actions: ")
        ahead = following.removeprefix("Next actions: ").removesuffix(", done.").split(", ")
        before = [] if done == "none" else done.split(", ")
        assert before + ahead == [step.phrase for step in t.steps]
        assert ahead[0].startswith("grab ")
        assert observation == f"Current observation: {t.steps[len(before)].observation}"


@given(st.lists(st.sampled_from(SHOTS), max_size=5), st.integers(0, 12_000))
def test_shots_stay_within_their_characters_and_keep_their_actions(shots: list[Trajectory], budget: int) -> None:
    told = trajectory_shots(shots, budget)
    assert len("\n\n".join(told)) <= budget
    assert len(told) <= len(shots)
    for t, shot in zip(shots, told, strict=False):
        grabbed = next(step for step in t.steps if step.action.startswith("grab "))
        assert all(step.phrase in shot for step in t.steps)
        observation = shot.split("\n")[2]
        assert grabbed.phrase.removeprefix("grab ") in observation, "what the actions need is still seen"


def test_more_room_tells_no_less() -> None:
    lengths = [len("".join(trajectory_shots(SHOTS[:3], budget))) for budget in range(0, 12_000, 500)]
    assert lengths == sorted(lengths)
    assert lengths[0] == 0


def test_without_shots_the_prompt_shows_its_own_example() -> None:
    assert format_of((), ()) == format_of((), (), SHOTS[:3], 0) == ""
    assert SHOTS[0].instruction in format_of((), (), SHOTS[:3], 6000)
