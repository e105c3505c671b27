"""What a run says to visitors: plain sentences without figures, each a fact of its moment."""

from __future__ import annotations

import re

import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.planning.belief_facets import Belief
from core.session import commands as c
from core.session import events as e
from core.session.plain_turn import LEAST_SHARE, likely_words, plain_turn
from core.session.session import Session
from core.session.snapshot import Snapshot, fold
from core.world.vocabulary import spaced
from sim.registry import simulator_class
from tests.core.session.toys import RIGHT, Walker, session

TASK = "put one apple in the fridge and one mug in the sink"


def moments(run: Session) -> list[Snapshot]:
    """Plays a run. Returns the snapshot after each event."""
    shots = [Snapshot()]
    run.subscribe(lambda event: shots.append(fold(shots[-1], event)))
    run.run()
    return shots


@pytest.mark.parametrize("planner", ["greedy", "bcr", "llm-state", "progprompt"])
def test_every_moment_has_plain_words(planner: str) -> None:
    run = Session(build(Request(planner=planner, scene="four-rooms-1", task=TASK, max_steps=12, cache=False), simulator_class))
    shots = moments(run)
    assert not plain_turn(shots[0]).act
    for shot in shots:
        if shot.began is None:
            continue
        turn = plain_turn(shot).with_names(lambda thing: spaced(thing.rpartition("_")[0]))
        assert turn.act
        words = f"{turn.act}. {turn.why}"
        assert not re.search(r"[\d_]|\bN\b|\bQ\b", words), words
        if shot.current is not None and shot.current.action is not None and shot.ended is None:
            assert turn.why, f"no reason for {shot.current.action}"


def test_a_place_is_as_likely_as_the_belief_says() -> None:
    run = Session(build(Request(planner="greedy", scene="four-rooms-1", task=TASK, max_steps=14, cache=False), simulator_class))
    told = 0
    for shot in moments(run):
        turn, belief, action = plain_turn(shot), shot.facet(Belief), shot.current and shot.current.action
        found = re.search(r"^the (\w+) is (.+) there\.$", turn.why)
        if found is None or belief is None or not action or action.verb != "open":
            continue
        row = next(k for k, one in enumerate(belief.classes) if one == found[1] and belief.located[k] is None)
        assert found[2] == likely_words(float(belief.probability[row, belief.places.index(action.args[0])]))
        told += 1
    assert told > 2


@pytest.mark.parametrize(("probability", "words"), [(1.0, "almost certainly"), (0.7, "probably"), (0.31, "quite possibly"),
                                                    (LEAST_SHARE, "possibly")])
def test_how_sure_it_is_has_words(probability: float, words: str) -> None:
    assert likely_words(probability) == words


def test_an_action_of_a_person_is_called_that() -> None:
    run, ear = session(Walker())
    done: list[bool] = []

    def override(event: e.Event) -> None:
        if isinstance(event.what, e.TurnBegan) and not done:
            done.append(True)
            run.post(c.Override(RIGHT, why="to try it"))

    run.subscribe(override)
    shots = [Snapshot()]
    run.subscribe(lambda event: shots.append(fold(shots[-1], event)))
    run.run()
    told = {plain_turn(shot).why for shot in shots}
    assert "a person chose this: to try it." in told
    assert ear.of(e.Ended)[0].success
    assert plain_turn(shots[-1]).act == "the goal is reached"
