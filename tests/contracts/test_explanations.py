"""What every planner promises about its explanations: evidence to be seen, figures to be found, the same in recordings."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.app.launch import build, unsuited
from core.app.run_request import Request
from core.common.cancellation import Cancellation
from core.common.parameters import Value
from core.llm.commonsense import Commonsense
from core.llm.model import LanguageModel
from core.planners.neoplanner.recorded_types import LearnerFacts, StateGraph
from core.planners.registry import PLANNERS, make_planner, planner_class
from core.planners.shared.search_planner import SearchPlanner
from core.planning.explanation import ALONE, DecisionEvidence, Sentence
from core.planning.facets import Plan, Steps
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.search_facets import Ranking
from core.recording.reader import open_recording
from core.session import events as e
from core.session.explaining import evidence_of, explain
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import Snapshot, fold
from core.world.vocabulary import Action
from gui.panels.registry import PANELS, needs
from sim.registry import simulator_class
from tests.contracts.figures import CHECKS
from tests.core.planners.levers import GOAL, Levers, Weak, pull
from tests.core.recording.common import CODEC, recorder_of
from tests.long_tests import either

TURNS, SEED = either(8, 12), 4
MOST_OTHERS = either(5, 8)
"""Other actions that each decision is compared with."""
QUICK = {"simulations": "20"}
OTHERWISE: Mapping[str, tuple[str, int, Mapping[str, Value]]] = {
    "bcr": ("paper", 6, {}), "llm-state": ("paper", 1, {}), "progprompt": ("no-find", 2, {"programs": 9}),
    "cloned-policy": ("", 1, {"temperature": 3.0}), "neoplanner": ("", 1, {"rounds": 1, "horizon": 2}),
    "llm-policy": ("", 6, {"actions": "admissible", "policy_samples": 3, "wrong_answers": 0.4}),
    "inner-monologue": ("short", 6, {}),
}
"""The preset, seed and settings of a second run, with longer turns of misfortune: most replies are useless."""
ELSEWHERE = {"lab-policy": "decision-lab", "lab-model": "decision-lab"}
NONSENSE = ("", "I am sorry, I cannot help with that.", "grab('unicorn')\nopen the stargate 7\n$$ fly moon $$", "move(fridge1)")
QUOTED, NUMBER = re.compile(r"“[^”]*”"), re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?%?")


class Unreliable(LanguageModel):
    """The offline provider, one of `every` of whose answers is replaced by something useless.

    Its learner writes down what nobody learnt.
    """

    name: ClassVar[str] = "unreliable"
    is_model: ClassVar[bool] = False

    def __init__(self, every: int = 4, inner: LanguageModel | None = None) -> None:
        self._inner, self._every = inner or Commonsense(), every

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        del options
        return cls()

    @property
    def source(self) -> str:
        return self.name

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        number = zlib.crc32(ask.digest.encode())
        if isinstance(ask.facts, LearnerFacts):
            return ModelReply(('["red lever does nothing"]',), self.name, is_model=False)
        if number % self._every or ask.scores:
            return self._inner.answer(ask, cancelled)
        return ModelReply((NONSENSE[number // 7 % len(NONSENSE)],) * ask.samples, self.name, is_model=False)


@dataclass(frozen=True)
class Run:
    """A run: the snapshot after each decision, and that of its recording."""

    live: tuple[Snapshot, ...]
    recorded: tuple[Snapshot, ...]


def setup_of(name: str, preset: str = "", seed: int = SEED, parameters: Mapping[str, Value] | None = None,
             every: int = 4) -> Setup:
    if name == "neoplanner":
        planner = make_planner(name, preset, parameters or {"rounds": 2, "horizon": 3})
        model = Unreliable(2 * every, Weak())
        return Setup(planner, Levers, GOAL, seed, 2 * TURNS, {"weak": model}, {"planner": name, "scene": "levers"})
    known = {field for field in QUICK if field in vars(next(iter(planner_class(name).presets.values())))}
    world = ELSEWHERE.get(name, "household")
    scene = next(iter(simulator_class(world).scenes()))[0] if name in ELSEWHERE else "four-rooms-1"
    request = Request(name, preset, {**{k: QUICK[k] for k in known}, **(parameters or {})}, world, scene, seed=seed,
                      max_steps=TURNS)
    setup = build(request, simulator_class)
    return replace(setup, models={"unreliable": Unreliable(every)}) if setup.models and name not in ELSEWHERE else setup


@cache
def runs_of(name: str) -> tuple[Run, ...]:
    setups = [setup_of(name), *([setup_of(name, *OTHERWISE[name], every=2)] if name in OTHERWISE else [])]
    with TemporaryDirectory() as folder:
        return tuple(_played(setup, Path(folder) / f"{k}.mcap") for k, setup in enumerate(setups))


def _played(setup: Setup, file: Path) -> Run:
    session, now, shots = Session(setup), Snapshot(), list[Snapshot]()
    recorder = recorder_of(file, session, [])

    def listen(event: e.Event) -> None:
        nonlocal now
        now = fold(now, event)
        if isinstance(event.what, e.Decided | e.Ended):
            shots.append(now)

    session.subscribe(listen)
    session.run()
    recorder.close()
    with open_recording(file, CODEC) as recording:
        return Run(tuple(shots), tuple(recording.snapshot_at(shot.event) for shot in shots))


def others(decision: DecisionEvidence, run: Run, seed: int = 0) -> list[Action]:
    """Actions that the turn ranked, planned or refused, that other turns chose, and one that is about nothing."""
    ranking, plan = decision.newest(Ranking), decision.newest(Plan)
    found = [step for ranked in (ranking.actions if ranking is not None else ()) for step in ranked.steps]
    found += [*(plan.actions if plan is not None else ()), *decision.verdicts]
    found += [turn.action for turn in run.live[-1].turns if turn.action is not None]
    found += [Action("do", (pull(k),)) for k in range(12)] if "do" in {a.verb for a in found} else []
    different = [action for action in dict.fromkeys(found) if action != decision.chosen]
    drawn = random.Random(seed).sample(different, min(MOST_OTHERS, len(different)))
    return [*drawn, Action("fly", ("moon_1",))]


def name_of(name: str) -> str:
    cls = planner_class(name)
    if reason := cls.missing() or (unsuited(cls, simulator_class("household")) if name in PLANNERS.foreign else ""):
        pytest.skip(reason)
    return name


def ours(name: str) -> None:
    """Skips planners whose statements are not in the table of checks."""
    if issubclass(planner_class(name), SearchPlanner) or name in PLANNERS.foreign:
        pytest.skip("tested with the search, or in its own package")


@pytest.fixture(params=PLANNERS)
def name(request: pytest.FixtureRequest) -> str:
    return name_of(request.param)


def asked(name: str) -> Iterator[tuple[Snapshot, DecisionEvidence, Action, tuple[Sentence, ...]]]:
    for run in runs_of(name):
        for k, shot in enumerate(run.live):
            decision = evidence_of(shot)
            for other in others(decision, run, k) if decision is not None else ():
                assert decision is not None
                yield shot, decision, other, explain(shot, other)
            if decision is not None and decision.chosen is not None:
                yield shot, decision, decision.chosen, explain(shot, None)


def shows(panel: str, decision: DecisionEvidence) -> bool:
    """Whether a panel has something to show: a facet that it needs was shown, or it needs none."""
    kinds = {Plan} if panel == "frames" else needs(panel)
    return not kinds or bool(kinds & decision.facets.keys())


def test_sentences_have_evidence_that_can_be_seen(name: str) -> None:
    for shot, decision, _, sentences in asked(name):
        numbers = {call.id for call in shot.calls}
        for sentence in sentences:
            assert sentence.evidence
            for seen in sentence.evidence:
                assert seen.panel in PANELS, sentence
                assert shows(seen.panel, decision), sentence
                assert seen.label
                assert seen.call == -1 or seen.call in numbers, sentence
                assert (seen.panel == "calls") == (seen.call >= 0), sentence


def test_planners_that_do_not_search_explain_their_decisions(name: str) -> None:
    ours(name)
    found = [(decision, sentences) for _, decision, _, sentences in asked(name) if decision.chosen is not None]
    assert found
    assert all(sentences for _, sentences in found), "what it showed says something about each decision"


def test_figures_are_found_in_what_the_turn_showed(name: str) -> None:
    ours(name)
    for _, decision, other, sentences in asked(name):
        for sentence in sentences:
            assert CHECKS[sentence.claim](decision, other, sentence), (decision.chosen, other, sentence)


def is_rounded(figure: float, text: str) -> bool:
    """Whether a text is a number rounded to the digits that it shows, as a share if it ends in %."""
    number, digits = Decimal(text.rstrip("%")), Decimal(1).scaleb(int(Decimal(text.rstrip("%")).as_tuple().exponent))
    return abs(Decimal(figure * (100 if text.endswith("%") else 1)) - number) <= digits * Decimal("0.5001")


def test_numbers_in_the_text_are_the_figures(name: str) -> None:
    ours(name)
    for _, _, _, sentences in asked(name):
        for sentence in sentences:
            if sentence.claim == "impossible":
                continue  # in the words of the world
            for text in NUMBER.findall(QUOTED.sub("", sentence.text)):
                assert any(is_rounded(figure, text) for figure in sentence.figures.values()), (text, sentence)


def test_a_recording_is_explained_as_the_run_was(name: str) -> None:
    for run in runs_of(name):
        for live, recorded in zip(run.live, run.recorded, strict=True):
            decision = evidence_of(live)
            for other in (None, *others(decision, run)) if decision is not None else ():
                assert explain(recorded, other) == explain(live, other)


WORDS = st.text(max_size=12) | st.sampled_from(("apple_1", "kitchen_1", "fridge_1", "apple", "_", "1", "pull red lever"))
VERBS = st.text(max_size=8) | st.sampled_from(("walk", "grab", "put_in", "open", "do", "restart", "find"))
ACTIONS = st.builds(Action, VERBS, st.lists(WORDS, max_size=3).map(tuple))


@settings(max_examples=60)
@given(data=st.data(), other=ACTIONS)
def test_any_other_action_is_answered(data: st.DataObject, other: Action) -> None:
    name = data.draw(st.sampled_from([n for n in PLANNERS if not planner_class(n).missing()]))
    shot = data.draw(st.sampled_from([shot for run in runs_of(name) for shot in run.live]))
    for sentence in explain(shot, other):
        assert sentence.evidence
        assert sentence.text
    steps = shot.facet(Steps)
    assert steps is None or steps.current < len(steps.lines)


def test_neoplanner_explains_a_decision_from_its_graph_and_its_calls_if_there_is_no_other_action() -> None:
    claims: set[str] = set()
    for run in runs_of("neoplanner"):
        for shot in run.live:
            if (decision := evidence_of(shot)) is None or decision.chosen is None or decision.fresh(StateGraph) is None:
                continue
            own = {sentence.claim for sentence in explain(shot, None)} - ALONE
            assert own, "it always has an edge, a bound, an objective, a call or a score"
            claims |= own
    assert {"objective", "bounds", "proposal", "edge"} <= claims
