"""What-if questions are answered during a pause, from a copy of the planner, and do not change the run."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from random import Random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.app.launch import build
from core.app.run_request import Request
from core.planning.belief_facets import Belief
from core.planning.facets import Facet, Plan
from core.planning.planner import SIMULATIONS, Answer, WhatIf
from core.planning.search_facets import RankedAction, Ranking, SearchTree
from core.recording.codec import Codec
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from core.world.vocabulary import Action, Observation
from sim.registry import simulator_class
from tests.core.session.toys import Ear, Walker, session
from tests.long_tests import either
from tests.waiting import until

PATIENCE = 30.0
MANY = 10_000_000
"""Simulations that take minutes."""
TASK = "Put one apple inside the fridge and one plate on the sofa"


class Operator:
    """Drives a session on a thread of its own from pause to pause, and asks what-if questions."""

    def __init__(self, run: Session):
        self.run, self.ear = run, Ear(run)
        self.pauses, self.answers = queue.Queue[str](), queue.Queue[Answer]()
        self.number = 0
        run.subscribe_answers(self.answers.put)
        run.subscribe(self._hear)

    def _hear(self, event: e.Event) -> None:
        if isinstance(event.what, e.Paused):
            self.pauses.put("paused")
        elif isinstance(event.what, e.Ended):
            self.pauses.put("ended")

    def stands(self) -> bool:
        """Waits until the run is paused. Returns False if it has ended."""
        return self.pauses.get(timeout=PATIENCE) == "paused"

    def step(self, to: str = "checkpoint") -> bool:
        self.run.post(c.Step("action" if to == "action" else "checkpoint"))
        return self.stands()

    def until(self, kind: type[Facet]) -> bool:
        """Steps until the last facet shown is of this kind."""
        while not (isinstance(self.ear.events[-2].what, e.Shown) and isinstance(self.ear.events[-2].what.facet, kind)):
            if not self.step():
                return False
        return True

    def shown(self, kind: type[Any]) -> Any:
        """Returns the newest facet of a kind."""
        return next((x.what.facet for x in reversed(self.ear.events)
                     if isinstance(x.what, e.Shown) and isinstance(x.what.facet, kind)), None)

    def ask(self, **what: Any) -> int:
        self.number += 1
        self.run.ask_what_if(WhatIf(self.number, **what))
        return self.number

    def answer(self, number: int, simulations: int = 0) -> Answer:
        """Returns the first answer to a question from at least so many simulations."""
        while True:
            answer = self.answers.get(timeout=PATIENCE)
            if answer.number == number and (answer.trouble or (answer.facets
                                                               and simulations <= of(answer, Ranking).simulations)):
                return answer


@contextmanager
def played(run: Session) -> Iterator[Operator]:
    """Returns a session on a thread, paused before its first decision."""
    operator = Operator(run)
    run.post(c.Pause())
    thread = threading.Thread(target=run.run)
    thread.start()
    try:
        assert operator.stands()
        yield operator
    finally:
        run.post(c.Stop())
        thread.join(PATIENCE)
        assert not thread.is_alive()


def household(planner: str = "llm-mcts", steps: int = 4, task: str = TASK, **parameters: Any) -> Session:
    given = {"simulations": 60, **parameters}
    return Session(build(Request(planner, task=task, parameters=given, max_steps=steps, cache=False), simulator_class))


def of(answer: Answer, kind: type[Any]) -> Any:
    return next(facet for facet in answer.facets if isinstance(facet, kind))


def values(ranking: Ranking) -> list[tuple[tuple[Action, ...], int, float | None]]:
    return [(r.steps, r.visits, r.value) for r in ranking.actions]


def moved(belief: Belief, row: int, place: int, value: float) -> Belief:
    """Returns a belief with one cell set to a value, and the rest of its row scaled."""
    probability = belief.probability.copy()
    rest = np.delete(probability[row], place)
    rest = rest * (1 - value) / rest.sum() if rest.sum() > 0 else np.full(len(rest), (1 - value) / len(rest))
    probability[row] = np.insert(rest, place, value)
    return replace(belief, probability=probability)


def free_cells(belief: Belief) -> list[tuple[int, int]]:
    return [(row, place) for row, located in enumerate(belief.located) if located is None
            for place in range(len(belief.places)) if not belief.looked[place]]


# --- the answer ----------------------------------------------------------------
def test_an_answer_is_what_the_planner_would_show() -> None:
    with played(household("uct")) as operator:
        answer = operator.answer(operator.ask(simulations=60))
        ranking: Ranking = of(answer, Ranking)
        assert {type(f) for f in answer.facets} == {Belief, Ranking, SearchTree, Plan}
        assert operator.step("action")
        shown = [x.what.facet for x in operator.ear.events if isinstance(x.what, e.Shown) and isinstance(x.what.facet, Ranking)
                 and x.turn == 1]
        assert values(shown[-1]) == values(ranking), "a question that changes nothing is answered by the decision itself"
        assert of(answer, Plan).actions == shown[-1].actions[0].steps


def test_an_answer_follows_the_belief_and_no_model_is_asked() -> None:
    with played(household()) as operator:
        assert operator.until(Ranking)
        belief: Belief = operator.shown(Belief)
        asked = len(operator.ear.of(e.Asked))
        row = belief.objects.index("plate")
        tops = set()
        for place in [p for r, p in free_cells(belief) if r == row][::4]:
            answer = operator.answer(operator.ask(edit=moved(belief, row, place, 0.97)), SIMULATIONS)
            assert of(answer, Ranking).simulations == SIMULATIONS
            assert of(answer, Belief).probability[row, place] > 0.9
            tops.add(of(answer, Ranking).actions[0].steps[-1])
        assert len(tops) > 1, "where the plate is believed to be makes another action best"
        assert len(operator.ear.of(e.Asked)) == asked


def test_it_follows_parameters_and_bans() -> None:
    with played(household("uct")) as operator:
        assert operator.until(Ranking)
        best = of(operator.answer(operator.ask()), Ranking).actions[0].steps[-1]
        banned = operator.answer(operator.ask(banned=frozenset({best})))
        assert best not in {step for r in of(banned, Ranking).actions for step in r.steps}
        few = operator.answer(operator.ask(parameters=(("simulations", 30),)))
        assert of(few, Ranking).simulations == 30
        deep = operator.answer(operator.ask(parameters=(("depth", 1),), simulations=50))
        assert len(of(deep, SearchTree).nodes) < len(of(few, SearchTree).nodes)
        assert best in {r.steps[-1] for r in of(operator.answer(operator.ask()), Ranking).actions}, "nothing of it stays"


def test_what_the_goal_forbids_stays_forbidden_in_an_answer() -> None:
    with played(household("uct", task=f"{TASK}, but never go into the bathroom")) as operator:
        assert operator.until(Ranking)
        for what in ({}, {"banned": frozenset[Action]()}, {"banned": frozenset({Action("walk", ("bed_1",))})}):
            ranking: Ranking = of(operator.answer(operator.ask(**what)), Ranking)
            assert Action("walk", ("bathroom_1",)) not in {step for r in ranking.actions for step in r.steps}, what


def test_what_does_not_fit_is_said_and_the_next_question_is_answered() -> None:
    with played(household("uct")) as operator:
        assert "nonsense" in operator.answer(operator.ask(parameters=(("nonsense", 1),))).trouble
        assert not operator.answer(operator.ask()).trouble
        assert not operator.ear.of(e.Failed)


def test_the_newest_question_wins_and_a_withdrawn_one_is_not_answered() -> None:
    with played(household("uct")) as operator:
        many = [operator.ask() for _ in range(200)]
        last = operator.answer(many[-1], SIMULATIONS)
        assert last.number == many[-1]
        operator.ask(simulations=MANY)
        operator.answer(operator.number)  # it has begun
        operator.run.ask_what_if(None)
        operator.run.post(c.Annotate("", "withdrawn"))
        while not operator.ear.of(e.Annotated):
            time.sleep(0.005)
        while not operator.answers.empty():
            operator.answers.get()
        operator.run.post(c.Annotate("", "nothing came before it"))
        until(lambda: len(operator.ear.of(e.Annotated)) == 2)
        assert operator.answers.empty()


def test_a_run_that_goes_on_answers_nothing() -> None:
    class Slow(Walker):
        def what_if(self, question: WhatIf, observation: Observation) -> Iterator[tuple[Facet, ...]]:
            del question, observation
            yield (Ranking((RankedAction((Action("go", ("right",)),), 1.0, 1, 0.0, 1.0, 0.0),), 1, 1),)

    run, ear = session(planner=Slow())
    heard: list[Answer] = []
    run.subscribe_answers(heard.append)
    ear.when(lambda event: isinstance(event.what, e.Shown), c.Annotate("", "asked"))
    run.ask_what_if(WhatIf(1))
    run.run()
    assert ear.of(e.Ended)[0].success
    assert heard == []


# --- the operator first ------------------------------------------------------------
def obeyed(operator: Operator, command: c.Command, heard: Callable[[], bool]) -> None:
    """Posts a command during a preview with very many simulations, and checks that it is executed before the preview ends."""
    operator.answer(operator.ask(simulations=MANY))
    began = time.monotonic()
    operator.run.post(command)
    while not heard():
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.0005)
    while not operator.answers.empty():
        answer = operator.answers.get()
        assert not answer.facets or of(answer, Ranking).simulations < MANY


def test_commands_are_obeyed_in_the_midst_of_a_preview() -> None:
    with played(household("uct")) as operator:
        assert operator.until(Ranking)
        ear = operator.ear
        obeyed(operator, c.Annotate("", "here"), lambda: bool(ear.of(e.Annotated)))
        obeyed(operator, c.SetParameter("depth", 9), lambda: any(
            isinstance(x.command, c.SetParameter) for x in ear.of(e.CommandTaken)))
        belief = operator.shown(Belief)
        obeyed(operator, c.Edit(moved(belief, *free_cells(belief)[0], 0.5)), lambda: any(
            isinstance(x.command, c.Edit) and x.ok for x in ear.of(e.CommandTaken)))
        assert operator.stands(), "it thought again, and stands before doing what it chose"
        obeyed(operator, c.Resume(), lambda: bool(ear.of(e.Decided)))
    with played(household("uct")) as operator:
        obeyed(operator, c.Stop(), lambda: bool(operator.ear.of(e.Ended)))


# --- nothing of the run -------------------------------------------------------------
def told(run: Session, operator: Operator) -> list[str]:
    """Returns the events as recorded, without times. Replies that were awaited together may come in any order."""
    codec = Codec((type(run.setup.planner.parameters),))
    found: list[str] = []
    for replied, events in groupby(operator.ear.events, lambda event: isinstance(event.what, e.Replied)):
        lines = [codec.dumps(_timeless(event)) for event in events]
        found += sorted(lines) if replied else lines
    return found


def _timeless(event: e.Event) -> e.Event:
    what = event.what
    if isinstance(what, e.Acted):
        what = replace(what, thinking=0.0, waiting=0.0, acting=0.0)
    elif isinstance(what, e.Replied):
        what = replace(what, reply=replace(what.reply, seconds=0.0, first_token=0.0, rate=0.0))
    return replace(event, number=0 if what is not event.what else event.number, at=0.0, worked=0.0, what=what)


def walk(seed: int, *, drags: bool) -> list[str]:
    """Plays a run with the same steps, edits and rewinds each time, with or without drags at its pauses."""
    acts, hand = Random(seed), Random(seed + 1)
    run = household(simulations=40)
    with played(run) as operator:
        for _ in range(14):
            if drags:
                drag(operator, hand)
            if not step(operator, acts):
                break
        return told(run, operator)


def step(operator: Operator, acts: Random) -> bool:
    """Goes on to the next pause. Returns whether there is one."""
    belief: Belief | None = operator.shown(Belief)
    match acts.choice(("checkpoint", "checkpoint", "action", "action", "edit", "rewind")):
        case "edit" if belief is not None and free_cells(belief):
            if not operator.until(Ranking):
                return False
            operator.run.post(c.Edit(moved(belief, *acts.choice(free_cells(belief)), acts.random())))
            return operator.stands()
        case "rewind" if operator.ear.events[-1].turn > 1:
            operator.run.post(c.Rewind(1, resample=acts.random() < 0.5))
            return operator.step("action")
        case "action":
            return operator.step("action")
        case _:
            return operator.step()


def drag(operator: Operator, hand: Random) -> None:
    """Asks a few questions, some of which are answered before the next one, and ends the drag."""
    for _ in range(hand.randrange(4)):
        belief: Belief | None = operator.shown(Belief)
        what: dict[str, Any] = {"simulations": hand.choice((20, 150))}
        if belief is not None and (cells := free_cells(belief)) and hand.random() < 0.7:
            what["edit"] = moved(belief, *hand.choice(cells), hand.random())
        if hand.random() < 0.3:
            what["parameters"] = (("exploration", hand.uniform(0.1, 20)), ("rollout", hand.choice(("greedy", "uniform"))))
        if hand.random() < 0.3 and (ranking := operator.shown(Ranking)) is not None:
            what["banned"] = frozenset({hand.choice(ranking.actions).steps[-1]})
        number = operator.ask(**what)
        if hand.random() < 0.6:
            answer = operator.answer(number)
            assert not answer.trouble
    if hand.random() < 0.5:
        operator.run.ask_what_if(None)  # else it goes on with a question unanswered


@settings(max_examples=either(3, 30), deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10_000))
def test_a_run_is_the_same_with_and_without_drags(seed: int) -> None:
    assert walk(seed, drags=True) == walk(seed, drags=False)
