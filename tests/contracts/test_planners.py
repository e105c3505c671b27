"""What every planner promises, whichever it is. A new one is taken up by its line in the registry or its entry point."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest

from core.common.errors import UsageError
from core.common.parameters import changed, described
from core.goals.literals import Goal
from core.goals.progress import reached
from core.planners.bcr.recorded_types import BlockingNode, BlockingTable, BlockingTree, TableRow
from core.planners.llm_state.recorded_types import StateDictionary, StateEntry
from core.planners.neoplanner.recorded_types import Axiom, Learnings
from core.planners.registry import PLANNERS, make_planner, planner_class
from core.planning.belief import BeliefTable
from core.planning.belief_facets import Belief
from core.planning.facets import Facet, Program, ProgramLine
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner, Sent, WhatIf
from core.simulator.base import Simulator
from core.world.vocabulary import Action
from tests.core.planners.by_hand import Answers, commonsense, goal_of, home, says
from tests.long_tests import either, some_pairs

TASK = "put one apple inside the fridge and one book on the sofa"
OTHER_TASK = "put one mug on the coffee table"
QUICK: Mapping[str, str] = {"simulations": "20"}
"""Settings that make a planner fast without changing what it does; used where it has them."""
ASKING = [name for name in PLANNERS if planner_class(name).asks]
ELSEWHERE = {"neoplanner": "sentences", "lab-policy": "questions", "lab-model": "questions"}
"""Planners that do not act in rooms, and the word that says so there; their own tests play worlds that suit them."""
MOST_ASKS = 300
"""Questions one turn may put, whatever is answered."""
NONSENSE = {
    "empty": "", "truncated": "1. walk to the fr", "other language": "我会先去厨房，然后打开冰箱。",
    "a megabyte": "grab " * 200_000,
    "absent things": "find('unicorn')\ngrab('unicorn')\nwalk to the unicorn, open the stargate 7", "brackets": "[{(" * 3000,
    "code": "import os\nos.system('true')\nwhile True: pass", "marks": "$$ fly moon $$",
}

UNUSABLE: tuple[Facet, ...] = (
    Program((ProgramLine("x" * 10_000_000),)), StateDictionary((StateEntry("cup1"), StateEntry("cup1"))),
    Learnings((Axiom(""),)), BeliefTable(("shelf_1",)).facet(),
    BlockingTree((BlockingNode(-2, 9999, "action", "grab the cup", "candidate", action=Action("grab", ("cup_1",))),)),
    BlockingTable((TableRow("fly", ("near 0",)),), ()),
)
"""For each kind of facet that an operator can edit, an edit that no planner can follow."""


def name_of(name: str) -> str:
    if reason := planner_class(name).missing():
        pytest.skip(reason)
    return name


@pytest.fixture(params=PLANNERS)
def name(request: pytest.FixtureRequest) -> str:
    return name_of(request.param)


@pytest.fixture
def world() -> Iterator[Simulator]:
    with home("four-rooms-1", 5) as found:
        yield found


def quick(name: str) -> Planner:
    cls = planner_class(name)
    known = {p.name for p in described(next(iter(cls.presets.values())))}
    return make_planner(name, "", {k: v for k, v in QUICK.items() if k in known})


def begun(name: str, world: Simulator, task: str = TASK) -> Planner:
    planner = quick(name)
    planner.begin(goal_of(world, task), world.schemas, 3)
    return planner


Yields = list[Facet | tuple[ModelRequest, ...]]
Meddle = Callable[[Facet], None]


def turn(planner: Planner, world: Simulator, answers: Answers = commonsense,
         meddle: Meddle = lambda facet: None) -> tuple[Yields, Decision]:
    """A turn: what it yields, and what it decides; `meddle` does what an operator does at a checkpoint."""
    yielded: Yields = []
    thought = planner.plan(world.reveal() if planner.omniscient else world.observe())
    sent: Sent = None
    while True:
        try:
            shown = thought.send(sent)
        except StopIteration as end:
            decision: Decision = end.value
            return yielded, decision
        sent = None
        if isinstance(shown, Facet):
            # Who waits for another program shows the same picture as often as it takes.
            if not yielded or yielded[-1] is not shown:
                yielded.append(shown)
            meddle(shown)
            continue
        if not shown:  # only a checkpoint
            continue
        asks = shown if isinstance(shown, tuple) else (shown,)
        assert all(isinstance(ask, ModelRequest) for ask in asks)
        yielded.append(asks)
        assert sum(len(y) for y in yielded if isinstance(y, tuple)) <= MOST_ASKS, f"{planner.name} asks on and on"
        sent = tuple(map(answers, asks)) if isinstance(shown, tuple) else answers(shown)


def act(planner: Planner, world: Simulator, decision: Decision) -> bool:
    """Do what was decided, and tell; whether there was something to do."""
    if decision.action is not None:
        planner.update(world.step(decision.action))
    return decision.action is not None


def test_it_says_what_it_is(name: str) -> None:
    cls = planner_class(name)
    assert cls.name == name
    assert (cls.__doc__ or "").strip()
    assert cls.presets
    for preset in cls.presets.values():
        assert type(preset) is type(next(iter(cls.presets.values())))
        for parameter in described(preset):
            assert parameter.limits.help, f"{parameter.name} has no help"
            assert changed(preset, {parameter.name: parameter.value}) == preset, f"{parameter.name} is outside its own limits"
            if isinstance(parameter.value, int | float) and not isinstance(parameter.value, bool):
                assert parameter.limits.low > float("-inf"), f"{parameter.name} has no lower limit"
                assert parameter.limits.high < float("inf"), f"{parameter.name} has no upper limit"
            elif isinstance(parameter.value, str):
                assert parameter.limits.choices or "file" in parameter.limits.help, f"{parameter.name} has no choices"
    with pytest.raises(UsageError):
        make_planner(name, "no such preset")
    with pytest.raises(UsageError):
        make_planner(name, "", {"no such parameter": "1"})


def test_it_shows_what_it_declares_and_asks_only_if_it_says_so(name: str, world: Simulator) -> None:
    planner = begun(name, world)
    for _ in range(4):
        yielded, decision = turn(planner, world)
        assert isinstance(decision, Decision)
        assert decision.action is not None or decision.because
        shown = {type(facet) for facet in yielded if isinstance(facet, Facet)}
        assert shown <= planner.shows, f"shows {shown - planner.shows} undeclared"
        assert planner.asks or not any(isinstance(y, tuple) for y in yielded)
        if not act(planner, world, decision):
            break


def test_a_copy_between_turns_repeats_it_exactly(name: str, world: Simulator) -> None:
    planner = begun(name, world)
    for _ in range(3):
        copied, saved = copy.deepcopy(planner), world.save()
        first, decision = turn(planner, world)
        again, repeated = turn(copied, world)
        assert repeated == decision
        assert list(map(repr, again)) == list(map(repr, first))
        assert world.save() == saved, "thinking changed the world"
        if not act(planner, world, decision):
            break


def test_a_what_if_is_answered_by_a_copy_with_what_it_shows_or_not_at_all(name: str, world: Simulator) -> None:
    planner = begun(name, world)
    for k in range(3):
        observation = world.reveal() if planner.omniscient else world.observe()
        untouched, asked = copy.deepcopy(planner), copy.deepcopy(planner)
        for facets in asked.what_if(WhatIf(k, simulations=30), observation):
            kinds = [type(facet) for facet in facets]
            assert len(kinds) == len(set(kinds))
            assert set(kinds) <= planner.shows
        first, decision = turn(planner, world)
        assert list(map(repr, turn(untouched, world)[0])) == list(map(repr, first)), "planner and copy share something"
        if not act(planner, world, decision):
            break


def test_it_never_chooses_what_is_banned(name: str, world: Simulator) -> None:
    planner, banned = begun(name, world), frozenset[Action]()
    for _ in range(5):
        _, decision = turn(planner, world)
        if decision.action is None:
            assert decision.because
            return
        assert decision.action not in banned
        banned |= {decision.action}
        planner.ban(banned)
    planner.ban(frozenset())
    assert turn(planner, world)[1].action is not None


@pytest.mark.parametrize("seed", range(either(1, 2)))
def test_it_copes_with_a_world_that_an_operator_changes(name: str, world: Simulator, seed: int) -> None:
    """Things vanish, appear, and are open or closed against what it believes; nobody tells it."""
    planner, rng = begun(name, world), random.Random(seed)
    goals = {word for literal in goal_of(world, TASK).literals for word in (literal.subject, literal.target)}
    for _ in range(either(4, 7)):
        entities = world.reveal().entities
        wanted = [e for e in entities if e.cls in goals] or list(entities)
        for entity in (*rng.sample(wanted, min(2, len(wanted))), rng.choice(entities)):
            changes = world.possible_changes(entity.id)
            if changes:
                world.change(rng.choice(changes))
        yielded, decision = turn(planner, world)
        assert decision.action is not None or decision.because
        belief = next((y for y in reversed(yielded) if isinstance(y, Belief)), None)
        if belief is not None:
            assert np.isfinite(belief.probability).all()
        if not act(planner, world, decision):
            break


def test_a_ban_while_it_thinks_is_obeyed(name: str, world: Simulator) -> None:
    _, decision = turn(begun(name, world), world)
    if name in ELSEWHERE:
        assert ELSEWHERE[name] in decision.because
        return
    assert decision.action is not None
    banned = frozenset({decision.action})
    planner, told = begun(name, world), list[Facet]()

    def ban_once(facet: Facet) -> None:
        if not told:
            planner.ban(banned)
        told.append(facet)

    assert turn(planner, world, meddle=ban_once)[1].action != decision.action


@pytest.mark.parametrize(("name", "kind"), some_pairs(ASKING, list(NONSENSE), 2))
def test_nonsense_makes_it_slow_but_never_wrong(name: str, world: Simulator, kind: str) -> None:
    name_of(name)
    planner = begun(name, world)
    for _ in range(3):
        _, decision = turn(planner, world, says(NONSENSE[kind]))
        if not act(planner, world, decision):
            assert decision.because
            break


def test_it_takes_another_goal_or_says_that_it_cannot(name: str, world: Simulator) -> None:
    planner = begun(name, world)
    _, decision = turn(planner, world)
    act(planner, world, decision)
    other = goal_of(world, OTHER_TASK)
    if type(planner).set_goal is Planner.set_goal:
        with pytest.raises(NotImplementedError, match=name):
            planner.set_goal(other)
        return
    planner.set_goal(other)
    reaches = _play(planner, world, other, 60)
    assert reaches or name in ELSEWHERE or name == "uct", "the other goal was not worked on"


def _play(planner: Planner, world: Simulator, goal: Goal, most: int) -> bool:
    for _ in range(most):
        if reached(goal, world.reveal()) or not act(planner, world, turn(planner, world)[1]):
            break
    return reached(goal, world.reveal())


def test_it_accepts_what_it_shows_if_it_says_so_and_nothing_else(name: str, world: Simulator) -> None:
    planner = begun(name, world)
    yielded, _ = turn(planner, world)
    shown = {type(y): y for y in yielded if isinstance(y, Facet)}
    assert planner.edits <= planner.shows
    assert planner.edits <= shown.keys() or name in ELSEWHERE or name in PLANNERS.foreign, "edits must be shown to be made"
    for kind, facet in shown.items():
        if kind in planner.edits:
            planner.accept(facet)
        else:
            with pytest.raises(NotImplementedError):
                planner.accept(facet)


def test_an_edit_it_cannot_follow_is_refused_and_changes_nothing(name: str, world: Simulator) -> None:
    planner = begun(name, world)
    turn(planner, world)
    untouched = copy.deepcopy(planner)
    assert planner.edits <= {type(facet) for facet in UNUSABLE} or name in PLANNERS.foreign
    for facet in UNUSABLE:
        with pytest.raises(UsageError if type(facet) in planner.edits else NotImplementedError):
            planner.accept(facet)
    assert repr(turn(planner, world)) == repr(turn(untouched, world)), "arrays have no single equality"


def test_parameters_may_change_between_turns(name: str, world: Simulator) -> None:
    planner = begun(name, world)
    for parameters in planner.presets.values():
        known = {p.name for p in described(parameters)}
        planner.parameters = changed(parameters, {k: v for k, v in QUICK.items() if k in known})
        _, decision = turn(planner, world)
        if not act(planner, world, decision):
            break


def test_it_begins_anew(name: str, world: Simulator) -> None:
    planner = begun(name, world)
    first = turn(planner, world)[1]
    planner.begin(goal_of(world, OTHER_TASK), world.schemas, 9)
    planner.begin(goal_of(world, TASK), world.schemas, 3)
    assert turn(planner, world)[1] == first


def test_a_planner_with_missing_packages_names_the_command() -> None:
    for name in PLANNERS:
        missing = planner_class(name).missing()
        assert not missing or "pip install" in missing
        assert "\n" not in missing


def test_the_answerer_may_be_nobody_in_particular(name: str, world: Simulator) -> None:
    """Replies without any text: a person pressed Enter, a server sent nothing."""
    if not planner_class(name).asks:
        pytest.skip("asks nobody")
    planner = begun(name, world)
    _, decision = turn(planner, world, lambda ask: replace(ModelReply((), "nobody"), note="nothing was said"))
    assert isinstance(decision, Decision)
