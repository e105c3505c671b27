"""The page of one decision, and the link that leads to it."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.common.errors import DataError, UsageError
from core.planners.bcr.recorded_types import BlockingNode, BlockingTree, ResolvedBranch
from core.planners.llm_state.recorded_types import Deed, StateDictionary, StateEntry, StateHistory
from core.planners.neoplanner.recorded_types import Axiom, Learnings, Scores, StateEdge, StateGraph, StateNode
from core.planning.belief_facets import Belief, ClassAnswers, PositionAnswers
from core.planning.companion import CompanionDecision
from core.planning.explanation import ALONE
from core.planning.facets import Facet, Grounded, Grounding, Moment, Plan, Program, ProgramLine, Steps
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Thought
from core.planning.search_facets import PolicyMixture, RankedAction, Ranking, SearchTree, TreeNode
from core.planning.simulation_facets import Simulations
from core.recording.exports import EXPORTS, OF_A_DECISION, export_all
from core.recording.exports.decision_page import MOST_OTHERS
from core.recording.exports.html_parts import name_of
from core.recording.permalink import SUFFIX, Permalink, beside, read_link
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.session.commands import Ban, Fork, KeepPictures, Look, Override, Rewind, Switch
from core.session.events import Acted, Event, TurnBegan
from core.session.explaining import evidence_of, explain, others_of
from core.session.session import Session
from core.world.vocabulary import Observation, named
from sim.registry import simulator_class
from tests.core.recording.common import CODEC, PATIENT, recorder_of
from tests.core.session.toys import LEFT, RIGHT, Guide, Walker, session

NASTY = "<script>alert(1)</script> & \"quotes\" </pre><img src=http://x/>"
VOID = {"meta", "img"}
NODES = (TreeNode(0, -1, None, (), 1234, 6.5, 1.0), TreeNode(1, 0, RIGHT, ((NASTY, "fridge_1"),), 1200, 6.5, 0.7, True),
         *(TreeNode(k, 0, LEFT, (), 10 - k, 1.0, 0.05) for k in range(2, 9)), TreeNode(9, 0, LEFT, (), 1, 1.0, 0.05))
CHANCES = np.array([[0.46, 0.54, 0.0], [0.0, 0.0, 1.0]])
NO = np.zeros((2, 3), bool)
SHOWN: tuple[Facet, ...] = (
    Ranking((RankedAction((RIGHT,), 0.7, 1234, 6.5, 0.9, 0.0), RankedAction((LEFT,), 0.05, 0, None, 0.1, None)), 1234, 2000),
    SearchTree(NODES, 5, (0, 1)),
    Belief(("apple", "knife"), ("apple", "knife"), (True, False), (None, "sofa_1"), ("fridge_1", "table_1", "sofa_1"), CHANCES,
           CHANCES, NO[0], NO, NO),
    Simulations(((RIGHT,), (LEFT,)), np.array([0, 0, 1, -1], np.int32), np.zeros(4, np.int32), np.array([3.25, 1.25, 0.5, 9.0]),
                np.ones(4, np.int32), np.array([[1], [0], [0], [0]], np.int32), (), (), (), np.zeros((1, 0), np.int32)),
    CompanionDecision("oracle", LEFT, NASTY, RIGHT),
    Plan((RIGHT,), NASTY), Grounded((Grounding("1", NASTY, "go right", 0.5, "edit"),)), Steps((ProgramLine(NASTY),), 0),
    PositionAnswers(("fridge_1",), (ClassAnswers(NASTY, 5, np.array([4.0]), 1),)),
    PolicyMixture(((RIGHT,),), 0.5, np.array([1.0]), "votes", 1.0, (NASTY,), np.zeros((0, 1))),
    BlockingTree((BlockingNode(0, -1, "goal", NASTY, "open"), BlockingNode(1, 0, "action", NASTY, "chosen", by_operator=True)),
                 (ResolvedBranch(NASTY, NASTY, NASTY, 1),)),
    Program((ProgramLine(NASTY, "done", NASTY), ProgramLine("x")), 1),
    StateDictionary((StateEntry(NASTY, "", (NASTY, "b"), ("b",), ("c",), given=(NASTY,), turn=3),), NASTY, 1, NASTY),
    StateHistory((Deed("grab", (NASTY,), False, "far", NASTY), Deed("walk", (), True))),
    StateGraph((StateNode(2, NASTY, NASTY, 1.0, 2.0, 3, 1, 0, 4, True), StateNode(3, "b", "", 1.0, 2.0, 3, 1, 0, 4, False),
                StateNode(4, "far away", "", 1.0, 2.0, 3, 1, 0, 4, False)), (StateEdge(2, 3, (NASTY,), 1.0),), 2, (2,),
               because=NASTY),
    Learnings((Axiom(NASTY, by="operator"),)), Scores((), (), 3, 1.0, 2.0, 1),
)


class Page(HTMLParser):
    """Collects a page's elements and checks that each one is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action")]
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a run with pictures, a correction, a ban and a fork; texts of the operator and the model contain markup."""
    path = tmp_path_factory.mktemp("decisions") / "a.mcap"
    run, ear = session(model=Guide(text="right"))
    recorder = recorder_of(path, run, [])
    ear.when(lambda e: isinstance(e.what, TurnBegan) and e.turn == 2, Ban(LEFT), Override(LEFT, True, NASTY))
    ear.when(lambda e: isinstance(e.what, Acted) and e.turn == 4, Fork(3))
    run.post(Look(("first person", "dollhouse"), 64, 48))
    run.post(KeepPictures())
    run.run()
    recorder.close()
    return path


def page_of(path: Path, moment: Moment, folder: Path) -> Page:
    """Exports a decision and parses the page."""
    out = export_all((path,), "html", folder / "d.html", CODEC, decision=moment).path
    return Page(out.read_text("utf-8"))


def test_a_page_reaches_nowhere_and_escapes_everything(episode: Path, tmp_path: Path) -> None:
    page = page_of(episode, Moment(0, 2), tmp_path)
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert all(address.startswith("data:image/") for address in page.addresses)
    assert page.tags.count("img") == 4, "two views before and after"
    assert NASTY in page.text
    for words in ("Turn 2: go left", "chosen by the operator", "Override: go left", "Ban: go left"):
        assert words.lower() in page.text.lower()
    assert (tmp_path / "d.html").stat().st_size < 3_000_000


def test_each_decision_shows_its_own_calls_and_no_other(episode: Path, tmp_path: Path) -> None:
    with open_recording(episode, CODEC) as recording:
        turns, calls = tuple(recording.snapshot_at().turns), tuple(recording.snapshot_at().calls)
    assert len({t.branch for t in turns}) > 1
    for turn in turns:
        page = page_of(episode, turn.moment, tmp_path)
        assert f"Turn {turn.number}: {turn.done}" in page.text
        assert ("main line" if not turn.branch else f"branch {turn.branch}") in page.text
        for call in calls:
            assert (f"Call {call.id} " in page.text) == (Moment(call.branch, call.turn) == turn.moment)


def test_a_decision_is_read_where_its_action_was_executed(episode: Path) -> None:
    with open_recording(episode, CODEC) as recording:
        for turn in recording.snapshot_at().turns:
            now = recording.snapshot_at(recording.decided_at(turn.moment))
            assert (now.moment, now.turns[-1]) == (turn.moment, turn)


def _begins(turn: int, event: Event) -> bool:
    return isinstance(event.what, TurnBegan) and event.turn == turn


def test_decisions_of_random_walks_are_found(tmp_path: Path) -> None:
    """Whatever the operator does, each turn that was begun can be shown, and shows itself."""
    for seed in range(6):
        rng, path = random.Random(seed), tmp_path / f"{seed}.mcap"
        run, ear = session(model=Guide(), seed=seed)
        recorder = recorder_of(path, run, [])
        for _ in range(6):
            turn = rng.randint(2, 5)
            past = rng.randint(1, turn)
            command = rng.choice((Fork(past), Rewind(past), Fork(), Switch(0), Override(LEFT)))
            ear.when(partial(_begins, turn), command)
        run.run()
        recorder.close()
        with open_recording(path, CODEC) as recording:
            for mark in recording.turns():
                now = recording.snapshot_at(recording.decided_at(moment := Moment(mark.branch, mark.number)))
                assert now.moment == moment
                page_of(path, moment, tmp_path)


class Shower(Walker):
    """A walker that shows a facet of every kind, with markup in every text."""

    shows = frozenset(type(facet) for facet in SHOWN)

    def plan(self, observation: Observation) -> Thought:
        yield from SHOWN
        return (yield from super().plan(observation))


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """Returns the page of a decision of that walker."""
    path = tmp_path_factory.mktemp("shown") / "a.mcap"
    run, _ = session(Shower(), model=Guide(), steps=2)
    recorder = recorder_of(path, run, [])
    run.run()
    recorder.close()
    return page_of(path, Moment(0, 1), path.parent)


def test_every_kind_of_facet_is_shown_and_escaped(shown: Page) -> None:
    assert "script" not in shown.tags
    assert shown.addresses == []
    for words in ("Ranking", "Search tree", "Belief", "Blocking tree", "State dictionary", "State graph", "Program"):
        assert words in shown.text
    assert shown.text.count(NASTY) > 12


def test_ranking_tree_and_belief_state_the_figures_of_the_facets(shown: Page) -> None:
    for words in ("70 %", "1,234", "6.50", "best", "goal reached", "+ 3 not shown, 6 visits", "apple", "46 %", "2.25"):
        assert words in shown.text
    assert "sofa 1" not in shown.text, "no wanted object may be there"
    assert "knife" not in shown.text, "the goal does not name it"


class Quitter(Walker):
    """Gives up in its second turn."""

    def plan(self, observation: Observation) -> Thought:
        decision = yield from super().plan(observation)
        return decision if observation.step < 1 else Decision(None, NASTY)


def test_a_turn_in_which_the_planner_gave_up_is_shown_without_an_action(tmp_path: Path) -> None:
    run, _ = session(Quitter(), model=Guide())
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    run.run()
    recorder.close()
    page = page_of(tmp_path / "a.mcap", Moment(0, 2), tmp_path)
    assert "Turn 2: no action" in page.text
    assert "not executed" in page.text
    assert "Call 2" in page.text


def test_a_turn_with_long_prompts_stays_a_small_page(tmp_path: Path) -> None:
    class Talker(Guide):
        def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
            return replace(super().answer(ask, cancelled), texts=("right", *["word " * 100_000] * 3))

    run, _ = session(model=Talker(), steps=1)
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    run.run()
    recorder.close()
    page = page_of(tmp_path / "a.mcap", Moment(0, 1), tmp_path)
    assert "characters more" in page.text
    assert (tmp_path / "d.html").stat().st_size < 3_000_000


@pytest.mark.parametrize("to", sorted(set(EXPORTS) - OF_A_DECISION))
def test_other_formats_take_whole_recordings(episode: Path, tmp_path: Path, to: str) -> None:
    with pytest.raises(UsageError, match="leave --decision out"):
        export_all((episode,), to, tmp_path / "x", CODEC, decision=Moment(0, 1))


def test_a_decision_that_is_not_there_is_refused_and_leaves_nothing(episode: Path, tmp_path: Path) -> None:
    for to in OF_A_DECISION:
        with pytest.raises(DataError, match="no turn 99 of branch 0"):
            export_all((episode,), to, tmp_path / "x", CODEC, decision=Moment(0, 99))
    assert list(tmp_path.iterdir()) == []


def test_a_link_leads_to_its_decision_and_to_no_other_run(episode: Path, tmp_path: Path) -> None:
    out = export_all((episode,), "link", tmp_path / f"d{SUFFIX}", CODEC, decision=Moment(0, 2)).path
    link = read_link(out)
    assert beside(out, link) is None
    copy = tmp_path / link.recording
    copy.write_bytes(episode.read_bytes())
    assert beside(out, link) == copy
    with open_recording(copy, CODEC) as recording:
        assert recording.snapshot_at(link.number_in(recording)).moment == Moment(0, 2)
        with pytest.raises(DataError, match=r"records another run .* choose the recording"):
            replace(link, identity="0").number_in(recording)
        with pytest.raises(DataError, match="no turn 77"):
            replace(link, turn=77).number_in(recording)


WRONG = [{"kind": "other"}, {"version": 2}, {"turn": 0}, {"turn": "1"}, {"branch": -1}, {"recording": "../a.mcap"},
         {"recording": ""},
         {"recording": "/etc/passwd"}, {"panels": "all"}, {"panels": [1]}, {"selected": 3}, {"identity": None}]


@pytest.mark.parametrize("change", WRONG, ids=str)
def test_a_wrong_link_is_refused_in_one_line(tmp_path: Path, change: dict[str, object]) -> None:
    path = Permalink("a.mcap", "1", 0, 1, "apple_1", ("ranking",)).write(tmp_path / f"d{SUFFIX}")
    assert read_link(path).panels == ("ranking",)
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    with pytest.raises(DataError, match=r"make the link again") as found:
        read_link(path)
    assert "\n" not in str(found.value)


def test_the_page_says_why_in_the_sentences_of_the_explanation(tmp_path: Path) -> None:
    """A search's decision: each sentence about the next best actions, and no other section than those with evidence."""
    request = Request(planner="llm-mcts", task="Put one toothbrush on the bed", scene="four-rooms-2", seed=5, max_steps=1,
                      parameters={"simulations": "40"})
    run = Session(build(request, simulator_class))
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, limits=PATIENT)
    run.follow(recorder.on_event)
    run.run()
    recorder.close()
    page = Page(export_all((tmp_path / "a.mcap",), "html", tmp_path / "d.html", decision=Moment(0, 1)).path.read_text("utf-8"))
    with open_recording(tmp_path / "a.mcap") as recording:
        now = recording.snapshot_at(recording.decided_at(Moment(0, 1)))
        evidence, ranking = evidence_of(now), now.fresh(Ranking)
    assert evidence is not None
    assert ranking is not None
    other = next(a.steps[0] for a in ranking.actions if a.steps[0] != evidence.chosen)
    sentences = explain(now, other)
    assert sentences
    for sentence in sentences:
        assert named(sentence.text, name_of) in page.text
    assert f"{ranking.actions[0].visits:,}" in page.text


def played(planner: str, path: Path, parameters: Mapping[str, str]) -> Path:
    """Returns the recording of three turns."""
    request = Request(planner=planner, task="Put one toothbrush on the bed", scene="four-rooms-2", seed=5, max_steps=3,
                      parameters=parameters)
    run = Session(build(request, simulator_class))
    recorder = Recorder(path, lambda said: None, limits=PATIENT)
    run.follow(recorder.on_event)
    run.run()
    recorder.close()
    return path


@pytest.mark.parametrize(("planner", "parameters"), [
    ("oracle", {}), ("uct", {"simulations": "40"}), ("bcr", {}), ("llm-state", {}), ("progprompt", {})])
def test_why_is_the_same_on_the_page_and_in_the_panel_for_every_planner(
        planner: str, parameters: dict[str, str], tmp_path: Path) -> None:
    path, moment = played(planner, tmp_path / "a.mcap", parameters), Moment(0, 2)
    text = export_all((path,), "html", tmp_path / "d.html", decision=moment).path.read_text("utf-8")
    why = text.partition("<h2>Why</h2>")[2].partition("<h2>")[0]
    told = [unescape(re.sub(r" <span.*", "", item)) for item in re.findall(r"<li>(.*?)</li>", why)]
    with open_recording(path) as recording:
        now = recording.snapshot_at(recording.decided_at(moment))
        recording.read_on()
    decision = evidence_of(now)
    assert decision is not None
    others = (*others_of(now, decision)[:MOST_OTHERS], None)
    possible = {named(s.text, name_of) for other in others for s in explain(now, other)}
    assert told
    assert set(told) <= possible
    assert len(told) == len(set(told))
    best = [named(s.text, name_of) for s in explain(now, others[0])]
    assert [sentence for sentence in best if sentence in told] == told[:sum(sentence in told for sentence in best)]
    compared = [s for s in explain(now, others[0]) if s.claim not in ALONE]
    assert {named(s.text, name_of) for s in compared or explain(now, None)} <= set(told)
