"""Every documented name has a value of its kind, or a reason why not, at every event of a run of each planner."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.common.parameters import described
from core.common.readings import Unknown
from core.planners.llm_state.recorded_types import StateDictionary
from core.planners.registry import PLANNERS, make_planner, planner_class
from core.planning.belief_facets import Belief
from core.planning.facets import Facet
from core.planning.search_facets import Ranking
from core.session import events as e
from core.session.checked_expressions import Expression, expression
from core.session.quantities import QUANTITIES, Quantity
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import Snapshot
from sim.registry import simulator_class
from tests.contracts.test_planners import ELSEWHERE, QUICK, name_of
from tests.core.planners.levers import GOAL, Levers, Weak

STEPS = 6
MAY_STAY_UNKNOWN = frozenset({"gap", "loss", "agreement", "value", "line", "known_bound", "new_bound", "state_value",
                              "state_visits", "explore_chance"})
"""Names without a value in some states of the facet they are read from, such as values in a ranking that was not searched."""


KINDS: dict[str, tuple[type, ...]] = {"number": (int, float), "truth": (bool,), "text": (str,)}


def setup_of(name: str) -> Setup:
    if ELSEWHERE.get(name) == "sentences":
        return Setup(make_planner(name, "", {"rounds": 2, "horizon": 3}), Levers, GOAL, 0, STEPS, {"weak": Weak()})
    if ELSEWHERE.get(name) == "questions":
        return build(Request(planner=name, simulator="decision-lab", scene="journey-2", max_steps=STEPS), simulator_class)
    known = {p.name for p in described(next(iter(planner_class(name).presets.values())))}
    return build(Request(planner=name, scene="four-rooms-1", seed=6, task="Put one apple inside the fridge", max_steps=STEPS,
                         parameters={k: v for k, v in QUICK.items() if k in known}), simulator_class)


def written(quantity: Quantity, now: Snapshot) -> Expression:
    """Returns the name with arguments of the run."""
    belief, ranking, states = now.facet(Belief), now.facet(Ranking), now.facet(StateDictionary)
    given = {
        "object": belief.objects[0] if belief is not None else "apple",
        "place": belief.places[0] if belief is not None else "fridge",
        "action": str(ranking.actions[0].steps[0]) if ranking is not None and ranking.actions else "open",
        "key": states.entries[0].name if states is not None and states.entries else "fridge", "text": "a", "number": "0"}
    if "." in quantity.name:
        return expression(quantity.form.replace("[k]", "[0]"))
    arguments = ", ".join(f'"{given[argument]}"' for argument in quantity.arguments)
    return expression(f"{quantity.name}({arguments})" if arguments else quantity.name)


def changes(event: e.Event) -> Iterator[type]:
    yield type(event.what.facet) if isinstance(event.what, e.Shown) else type(event.what)


@pytest.mark.parametrize("name", PLANNERS)
def test_every_name_has_a_value_or_a_reason(name: str) -> None:
    run = Session(setup_of(name_of(name)))
    moments = list[tuple[e.Event, Snapshot]]()
    run.follow(lambda event, now: moments.append((event, now)))
    run.run()
    assert any(isinstance(event.what, e.Acted) for event, _ in moments), "it has something to do"
    earlier, known, shown = dict[type[Facet], Facet](), set[Quantity](), set[type]()
    for (_, before), (event, now) in pairwise([(moments[0][0], Snapshot()), *moments]):
        earlier |= {kind: facet for kind, (facet, _) in before.facets.items() if now.facet(kind) is not facet}
        for quantity in QUANTITIES.values():
            if not quantity.changes.intersection(changes(event)):
                continue
            shown |= quantity.changes.intersection(changes(event))
            value = written(quantity, now).value(now, earlier)
            assert quantity.name == "new_condition" or written(quantity, now).value(now) == value, "the window shows the same"
            if isinstance(value, Unknown):
                assert value.why, quantity.form
                continue
            known.add(quantity)
            assert isinstance(value, KINDS[quantity.kind]), quantity.form
    lacking = {q.form for q in QUANTITIES.values() if q.changes & shown and q not in known and q.name not in MAY_STAY_UNKNOWN
               and any(issubclass(change, Facet) for change in q.changes & shown)}
    assert not lacking, "their facet was shown"
