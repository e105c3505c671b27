"""Failure labels: one run for each label, the label depends on the record alone, and corrections are kept."""

from __future__ import annotations

import csv
import re
from argparse import Namespace
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.app.launch import build
from core.app.run_request import Request
from core.common.errors import ModelError, UsageError
from core.evaluation.failures import failures
from core.planners.registry import contestant
from core.planning.belief_facets import Belief
from core.planning.facets import Grounded, Grounding, Moment
from core.planning.model_requests import ModelRequest
from core.recording.annotations import append, read_annotations
from core.recording.failures.beliefs import better_place
from core.recording.failures.causes import propose
from core.recording.failures.labels import CAUSES, Evidence, Proposal, decided_label, decision_on, state_of
from core.recording.failures.replies import fault_of, non_answer
from core.recording.failures.run import READ
from core.recording.reader import open_recording
from core.session.annotation import Change
from core.session.command import Command
from core.session.commands import Fork, Override, Relabel, Rewind
from core.session.events import Acted, Annotated, Began, Diverged, Ended, Event, Shown, TurnBegan
from core.session.snapshot import fold_all
from core.world.vocabulary import Action, Observation
from sim.registry import simulator_class
from tests.core.recording.failing import TASK, back_and_forth, crammed, events_of, recorded, setup
from tests.long_tests import either

APPLE = "Put one apple on the kitchen table"
GIBBERISH = "fnord blub"
FEW = either({"simulations": "20"}, dict[str, str]())
"""The label depends on the replies, not on the number of simulations: a long run takes that of the preset."""


def failed(events: list[Event], branch: int | None = None) -> Proposal:
    found = propose(events, branch)
    assert found is not None
    assert 0.0 <= found.share <= 1.0
    assert found.evidence
    return found


def main_evidence(found: Proposal) -> Evidence:
    return next(one for one in found.evidence if one.label == found.label)


@cache
def looping() -> tuple[Event, ...]:
    return tuple(events_of(setup("llm-policy", "admissible", {"policy": back_and_forth}, steps=12)))


# --- one run for each label -----------------------------------------------------------
def test_a_policy_that_goes_back_and_forth() -> None:
    found = failed(list(looping()))
    assert (found.label, found.turns) == ("policy failure", 12)
    assert main_evidence(found).cost >= 8
    assert "led back to where the robot had been (turns " in main_evidence(found).text


def test_a_policy_that_stops_too_early() -> None:
    found = failed(events_of(setup("inner-monologue", "", {"next action": lambda ask: "done"})))
    assert found.label == "policy failure"
    assert "the reply was “done”" in main_evidence(found).text


@pytest.mark.parametrize(("planner", "parameters"), [
    ("greedy", {"floor": "0"}), ("llm-policy", {}), ("llm-mcts", {"floor": "0", "simulations": "60"})])
def test_a_wrong_belief_about_a_position(planner: str, parameters: dict[str, Any]) -> None:
    script = {"object positions": lambda ask: "inside the bathroom cabinet in the bathroom"}
    found = failed(events_of(setup(planner, "", script, seed=2, scene="four-rooms-2", task=APPLE, steps=9, **parameters)))
    assert found.label == "world model failure"
    assert "of the belief about the apple" in main_evidence(found).text


def test_a_position_that_a_later_turn_shows_to_be_wrong() -> None:
    script = {"object positions": lambda ask: "inside the bathroom cabinet in the bathroom"}
    found = failed(events_of(setup("greedy", "", script, seed=2, scene="four-rooms-2", task=APPLE, steps=18, floor="0.02")))
    assert found.label == "world model failure"
    assert "where the apple came into sight in turn" in main_evidence(found).text


@pytest.mark.parametrize(("planner", "preset", "purpose", "parameters"), [
    ("llm-policy", "admissible", "policy", {}), ("llm-mcts", "paper", "policy", FEW),
    ("inner-monologue", "", "next action", {}), ("llm-state", "", "plan", {}), ("bcr", "", "selection", {})])
def test_a_reply_that_means_no_action(planner: str, preset: str, purpose: str, parameters: dict[str, Any]) -> None:
    found = failed(events_of(setup(planner, preset, {purpose: lambda ask: GIBBERISH}, steps=12, **parameters)))
    assert found.label == "translation failure"
    assert f"the reply “{GIBBERISH}” could not be resolved" in main_evidence(found).text


def test_a_reply_that_means_no_position() -> None:
    script = {"object positions": lambda ask: "somewhere over the rainbow"}
    found = failed(events_of(setup("greedy", "", script, seed=2, scene="four-rooms-2", task=APPLE, steps=5)))
    assert found.label == "translation failure"
    assert main_evidence(found).text.startswith("the apple was searched without knowledge")


def test_sensible_decisions_and_too_few_turns() -> None:
    found = failed(events_of(setup("llm-policy", steps=4)))
    assert (found.label, found.share, found.lost) == ("too few turns", 1.0, 0)


def test_a_world_without_room() -> None:
    found = failed(events_of(crammed(setup("llm-policy"))))
    assert found.label == "world refused"
    assert "there is no room" in main_evidence(found).text


def test_a_search_without_a_model() -> None:
    assert failed(events_of(setup("uct", "paper", seed=1, scene="four-rooms-2", task="", steps=20))).label == "planner failure"


def test_a_trained_policy_without_a_model() -> None:
    found = failed(events_of(setup("cloned-policy", seed=1, scene="four-rooms-2", task="", steps=20)))
    assert found.label == "policy failure"
    assert "no language model was asked" in main_evidence(found).text


def test_a_model_that_does_not_answer() -> None:
    def broken(ask: ModelRequest) -> str:
        raise ModelError("the server is down", "down", retry=False)

    found = failed(events_of(setup("llm-policy", "", {"policy": broken})))
    assert found.label == "model unavailable"
    assert "the server is down" in main_evidence(found).text


def test_an_operator_who_wastes_the_turns() -> None:
    away = [Override(Action("walk", (room,))) for room in ("bedroom_1", "kitchen_1") * 3]
    found = failed(events_of(setup("llm-policy", steps=6), *away))
    assert found.label == "operator intervened"


def test_a_record_without_an_end_is_unclear() -> None:
    events = [event for event in events_of(setup("llm-policy", steps=4)) if not isinstance(event.what, Ended)]
    assert failed(events).label == "unclear"


def test_a_search_without_a_belief_is_named_with_what_it_passed_by() -> None:
    found = failed(events_of(setup("progprompt", seed=1, scene="four-rooms-2", task="", steps=15)))
    assert found.label == "long search"
    assert found.share == sum(one.cost for one in found.evidence if one.label == found.label) / found.lost
    assert any("searched for the" in one.text or "searching for the" in one.text for one in found.evidence)


def test_a_model_that_gives_up_while_it_searches() -> None:
    found = failed(events_of(setup("llm-state", scene="FloorPlan10", seed=335526012, world={"seeing": "camera"}, steps=20,
                                   task="Put one mug inside the coffee machine and switch on one coffee machine")))
    assert found.label == "policy failure"
    assert "the planner ended the run (“the model says that nothing is left to do”)" in main_evidence(found).text
    assert [one.cost for one in found.evidence if one.label == "long search"] == [0]


def test_an_object_that_the_goal_does_not_need_any_more() -> None:
    found = failed(events_of(setup("inner-monologue", scene="four-rooms-3", seed=0, steps=25,
                                   task="Put one clock on the nightstand and put one lime on the kitchen table")))
    told = {turn: one.text for one in found.evidence for turn in one.turns}
    assert told[13].startswith("“grab clock 2” took an object of a part of the goal that had been reached")
    assert told[20].startswith("“put clock 2 on nightstand 2” put an object where the goal wants one, but that part")
    assert next(one.moment.turn for one in found.moments if one.kind == "last progress") == 6
    assert found.label == "policy failure"


def test_an_action_that_changes_nothing_is_no_loop() -> None:
    events = events_of(setup("oracle", steps=4))
    seen = {event.turn: event.what.outcome.observation for event in events if isinstance(event.what, Acted)}
    still = [replace(event, what=replace(event.what, outcome=replace(event.what.outcome, observation=seen[2])))
             if isinstance(event.what, Acted) and event.turn == 3 else event for event in events]
    found = failed(still)
    assert any("changed nothing and showed nothing new" in one.text for one in found.evidence if one.turns == (3,))
    assert "loop" not in [one.kind for one in found.moments]


def test_a_program_is_judged_by_its_lines() -> None:
    found = failed(events_of(setup("progprompt", scene="four-rooms-4", seed=1, steps=25,
                                   task="Put one mug inside the cabinet and put one book on the desk")))
    assert found.label == "policy failure"
    assert ("in turn 12, line 12 of the program, “find('book')”, chose it, after line 10, “putin('mug', 'cabinet')”, had "
            "failed: cannot put the mug inside the cabinet now: cabinet 1 is closed") in main_evidence(found).text
    assert "translation failure" not in [one.label for one in found.evidence]


def test_a_reply_is_quoted_without_a_grounding() -> None:
    found = failed([e for e in looping() if not (isinstance(e.what, Shown) and isinstance(e.what.facet, Grounded))])
    assert "the reply was “walk to the" in main_evidence(found).text


def test_a_place_that_is_opened_for_an_object_is_not_searched() -> None:
    found = failed(events_of(setup("llm-state", scene="four-rooms-3", seed=0, steps=25,
                                   task="Put one cooking pot inside the kitchen cabinet and put one toothpaste inside the "
                                        "bathroom cabinet and put one book on the kitchen table")))
    course = {moment.turn: result for moment, result in found.course.items()}
    assert course[12].text == "brought the goal nearer"
    assert not course[7].is_lost, "it leads to the cabinet that the cooking pot is put into"
    assert not course[8].is_lost


def test_a_rule_is_named_with_its_reason() -> None:
    found = failed(events_of(setup("uct", "paper", scene="FloorPlan18", seed=352767578, world={"seeing": "camera"}, steps=12,
                                   task="Put one apple inside the fridge")))
    assert "no model was asked for it; the planner's own reason was “looking, because no fridge is known (goal part: apple "\
        in main_evidence(found).text


def test_a_goal_that_is_reached_gets_no_label() -> None:
    assert propose(events_of(setup("llm-policy"))) is None


# --- replies ----------------------------------------------------------------------------
@pytest.mark.parametrize(("said", "meant", "how", "second", "wrong"), [
    ("walk to the cutlery fork", "walk to the cutlery knife", "embedding", "", True),  # Fig. 6 (a)
    ("open the fridge", "walk to the fridge", "embedding", "", True),
    ("walk to the fridg", "walk to the fridge", "edit", "", False),
    ("walk to the table", "walk to the kitchen table", "part", "walk to the coffee table", True),
    ("walk to the table", "walk to the kitchen table", "part", "", False),
    ("go to the refrigerator", "walk to the fridge", "synonym", "", False),
    ("", "", "none", "", False), (GIBBERISH, "", "none", "", True), ("I cannot help", "", "refused", "", False)])
def test_the_translation_of_a_reply(said: str, meant: str, how: str, second: str, wrong: bool) -> None:
    grounding = Grounding("digest", said, meant, 0.7, how, second, 0.7 if second else 0.0)
    assert bool(fault_of(grounding)) == wrong
    assert bool(non_answer(grounding)) == (how == "refused" or not said)


@pytest.mark.parametrize(("turns", "words"), [
    ((), "the run"), ((3,), "turn 3"), ((3, 4, 5), "turns 3 to 5"), ((3, 5, 9), "turns 3, 5 and 9"),
    ((1, 3, 5, 7, 9), "5 of turns 1 to 9")])
def test_the_turns_in_words(turns: tuple[int, ...], words: str) -> None:
    assert Evidence("unclear", turns, 0, "", "").when == words


# --- the label depends on the record alone -----------------------------------------------
def test_a_recorded_run_gets_the_label_of_the_live_one(tmp_path: Path) -> None:
    made = setup("llm-policy", "admissible", {"policy": back_and_forth}, steps=12)
    live = failed(list(looping()))
    again = failed(recorded(tmp_path / "a.mcap", made))
    assert replace(again, at=live.at) == live
    with open_recording(tmp_path / "a.mcap") as recording:
        assert propose(recording.of_kind(*READ)) == again


@settings(max_examples=25, deadline=None)
@given(shift=st.floats(0, 1e6), count=st.integers(0, 5), data=st.data())
def test_what_does_not_belong_to_the_analysis_does_not_change_it(shift: float, count: int, data: st.DataObject) -> None:
    events = list(looping())
    for k in range(count):
        place = data.draw(st.integers(1, len(events) - 1))
        before = events[place - 1]
        events.insert(place, replace(before, what=Annotated(f"label {k}", "policy failure", "point")))
    moved = [replace(event, number=event.number + 7, at=event.at + shift) for event in events]
    assert replace(failed(moved), at=0.0) == replace(failed(list(looping())), at=0.0)


@settings(max_examples=60, deadline=None)
@given(dropped=st.sets(st.integers(1, 400), max_size=40), cut=st.integers(2, 400))
def test_any_part_of_a_record_gives_a_label(dropped: set[int], cut: int) -> None:
    events = [event for k, event in enumerate(looping()[:cut]) if k not in dropped]
    found = propose(events)
    assert found is None or (found.label in CAUSES and 0 <= found.share <= 1)


def test_a_world_without_rooms_shows_only_refusals() -> None:
    def roomless(seen: Observation) -> Observation:
        return replace(seen, entities=(), relations=(), landmarks=())

    def without_rooms(event: Event) -> Event:
        what = event.what
        if isinstance(what, TurnBegan):
            return replace(event, what=replace(what, seen=roomless(what.seen)))
        if isinstance(what, Acted):
            outcome = replace(what.outcome, observation=roomless(what.outcome.observation))
            return replace(event, what=replace(what, outcome=outcome))
        return event

    found = failed([without_rooms(event) for event in looping()])
    assert found.label == "unclear"
    assert any("shows no rooms" in one.text for one in found.evidence)
    refused = failed([without_rooms(event) for event in events_of(crammed(setup("llm-policy")))])
    assert refused.label == "world refused"


def test_a_branch_is_judged_by_its_own_turns() -> None:
    events = list(looping())
    assert failed(events, 0) == failed(events)
    with pytest.raises(KeyError):
        propose(events, 5)


@pytest.mark.parametrize("command", [Fork(3), Fork(), Rewind(3)])
def test_each_branch_is_judged_by_the_turns_that_lead_to_its_end(command: Command) -> None:
    made = setup("llm-policy", "admissible", {"policy": back_and_forth}, steps=12)
    events = events_of(made, in_turn=(5, command))
    left, present = failed(events, 0), failed(events, 1)
    assert (left.label, left.turns) == ("unclear", 4)
    assert (present.label, present.turns, present.branch) == ("policy failure", 12, 1)
    assert failed(events) == present


# --- corrections ---------------------------------------------------------------------------
def test_a_correction_survives_reopening_and_can_be_undone(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    found = failed(recorded(path, setup("llm-policy", "admissible", {"policy": back_and_forth}, steps=12)))
    corrected = decision_on(found, "translation failure", note="as I see it", annotator="ann")
    append(path, Change(None, corrected))
    with open_recording(path) as recording:
        history, notice = read_annotations(recording)
    decided = decided_label(history.in_order(), found.branch)
    assert (decided, notice, state_of(decided)) == (corrected, "", "corrected")
    append(path, Change(None, corrected).undone)
    with open_recording(path) as recording:
        assert decided_label(read_annotations(recording)[0].in_order(), found.branch) is None


def test_an_accepted_label_of_a_live_run_is_in_its_events() -> None:
    events = list(looping())
    accepted = decision_on(failed(events), "policy failure")
    relabelled = events_of(setup("llm-policy", steps=2), Relabel(Change(None, accepted)))
    labels = fold_all(relabelled).labels
    assert decided_label(labels.values(), 0) == accepted
    assert state_of(labels[accepted.id]) == "accepted"


def test_the_table_counts_proposed_and_corrected_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = setup("llm-policy", "admissible", {"policy": back_and_forth}, steps=12)
    found = failed(recorded(tmp_path / "a.mcap", made))
    recorded(tmp_path / "b.mcap", setup("llm-policy", "admissible", {"policy": back_and_forth}, steps=12))
    recorded(tmp_path / "c.mcap", setup("llm-policy"))
    append(tmp_path / "b.mcap", Change(None, decision_on(found, "unclear", note="=1+1")))
    (tmp_path / "d.mcap").write_bytes(b"nothing")
    said: list[str] = []
    whole = failures(Namespace(paths=[tmp_path], out=tmp_path / "f.csv", evidence=True), said.append)
    printed = capsys.readouterr().out
    assert not whole
    assert any(line.startswith("left out: d.mcap") for line in said)
    row = next(line for line in printed.splitlines() if "llm-policy:admissible" in line)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1:] == ["2", "2", "1", "0", "0", "1", "1", "0", "1"]
    assert "b.mcap: unclear, corrected (proposed: policy failure)" in printed
    with (tmp_path / "f.csv").open(newline="", encoding="utf-8") as stream:
        rows = {Path(row["file"]).name: row for row in csv.DictReader(stream)}
    assert [rows[f"{k}.mcap"]["label"] for k in "abc"] == ["policy failure", "unclear", ""]
    assert (rows["b.mcap"]["state"], rows["b.mcap"]["note"]) == ("corrected", "'=1+1")
    with pytest.raises(UsageError, match="no file or folder"):
        failures(Namespace(paths=[tmp_path / "none"], out=None, evidence=False), said.append)


def test_a_planner_is_named_with_the_nearest_preset() -> None:
    began = next(event.what for event in looping() if isinstance(event.what, Began))
    assert contestant(began.planner, began.parameters) == "llm-policy:admissible"
    other = replace(began, planner="llm-mcts", parameters=setup("llm-mcts", "paper", simulations="7").planner.parameters)
    assert contestant(other.planner, other.parameters) == "llm-mcts:paper+simulations=7"
    assert contestant("not here", began.parameters) == "not here"


def test_every_turn_of_the_evidence_was_played() -> None:
    found, played = failed(list(looping())), {event.turn for event in looping() if isinstance(event.what, Acted)}
    assert {turn for one in found.evidence for turn in one.turns} <= played
    assert sum(one.cost for one in found.evidence) == found.lost <= found.turns


# --- the moments to look at first ------------------------------------------------------
def test_a_loop_opens_the_run_where_it_begins() -> None:
    found = failed(list(looping()))
    loop = next(one for one in found.moments if one.kind == "loop")
    cause = next(one for one in found.moments if one.kind == "cause")
    assert found.opens_at == cause.moment
    assert found.course[loop.moment].is_lost
    assert cause.text == max(found.evidence, key=lambda one: one.cost * (one.label == found.label)).sentence


def test_a_run_without_a_lost_turn_opens_after_its_last_progress() -> None:
    found = failed(events_of(setup("oracle", steps=3)))
    assert found.label == "too few turns"
    last = next(one.moment for one in found.moments if one.kind == "last progress")
    assert found.opens_at in (last, Moment(0, last.turn + 1))


def test_a_second_planner_gives_a_first_divergence() -> None:
    made = setup("llm-policy", "admissible", {"policy": back_and_forth}, steps=8)
    request = Request("llm-policy", scene="four-rooms-1", seed=3, task=TASK, max_steps=8, beside="oracle")
    events = events_of(replace(made, beside=build(request, simulator_class).beside))
    first = next(event.moment for event in events if isinstance(event.what, Diverged))
    assert next(one.moment for one in failed(events).moments if one.kind == "divergence") == first


def test_a_search_names_the_room_that_was_left_too_early() -> None:
    found = failed(events_of(setup("bcr", scene="four-rooms-2", seed=5,
                                   task="Put one cupcake on the kitchen counter and one sundae on the kitchen counter")))
    assert found.label == "long search"
    words = "left the kitchen in turn 1 before it had looked into the stove, and came back"
    assert any(words in one.text for one in found.evidence)
    assert sum(result.is_lost for result in found.course.values()) == found.lost


@pytest.mark.parametrize(("step", "kind"), [(1.0, "last progress"), (-1.0, "part lost")])
def test_a_change_of_the_score_is_no_loop(step: float, kind: str) -> None:
    def scored(event: Event) -> Event:
        if not isinstance(event.what, Acted):
            return event
        seen = replace(event.what.outcome.observation, score=step * event.turn)
        return replace(event, what=replace(event.what, outcome=replace(event.what.outcome, observation=seen)))

    moments = [one.kind for one in failed([scored(event) for event in looping()]).moments]
    assert kind in moments
    assert "loop" not in moments


def test_a_score_that_does_not_rise_is_mentioned_with_who_chose_the_actions() -> None:
    def scored(event: Event) -> Event:
        if not isinstance(event.what, Acted):
            return event
        seen = replace(event.what.outcome.observation, score=float(min(event.turn, 3)))
        return replace(event, what=replace(event.what, outcome=replace(event.what.outcome, observation=seen)))

    told = [one for one in failed([scored(event) for event in looping()]).evidence if "the score, 3, did not rise" in one.text]
    assert [(one.turns, one.cost) for one in told] == [(tuple(range(4, 13)), 0)]
    assert "the model's replies" in told[0].text


def test_each_object_of_a_class_is_sought_until_it_is_found() -> None:
    task = "Put two bread slices inside the cabinet"
    found = failed(events_of(setup("llm-state", scene="four-rooms-2", seed=113923, task=task)))
    ends = [(one.turns, int(match.group(1))) for one in found.evidence
            if (match := re.search(r"it was found in turn (\d+)", one.text))]
    assert len({turn for _, turn in ends}) == 2, "two slices were found"
    assert all(max(turns) <= turn for turns, turn in ends)


def test_a_place_at_hand_that_is_much_likelier_should_have_been_looked_into_first() -> None:
    found = failed(events_of(setup("llm-policy", scene="four-rooms-2", seed=113923, wrong_answers="0.4",
                                   task="Put one juice on the kitchen table and one magazine on the desk")))
    told = [one for one in found.evidence if "while the fridge had" in one.text]
    assert [one.turns for one in told if "looked into kitchen cabinet 1 for the juice" in one.text] == [(5, 6)]
    assert all(one.label == "policy failure" for one in told)


def test_a_place_at_hand_is_better_only_if_it_is_much_likelier() -> None:
    none = np.zeros((1, 4), bool)
    p = np.array([[0.1, 0.25, 0.35, 0.3]])
    belief = Belief(("apple",), ("apple",), (True,), (None,), ("sink_1", "stove_1", "fridge_1", "table_1"), p, p,
                    np.zeros(4, bool), none, none, barred=np.array([[False, False, False, True]]))
    assert better_place(belief, "apple", ("sink_1",), ("stove_1", "fridge_1")) == ("fridge_1", 0.35)
    assert better_place(belief, "apple", ("sink_1",), ("stove_1",)) == ("", 0.0)
    assert better_place(belief, "apple", ("sink_1", "stove_1"), ("fridge_1",)) == ("", 0.0)
    assert better_place(belief, "apple", ("table_1",), ("fridge_1",)) == ("", 0.0), "the goal wants it there"
    assert better_place(belief, "apple", ("fridge_1",), ("fridge_1",)) == ("", 0.0)
