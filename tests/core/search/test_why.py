"""Each sentence of why the search chose an action is checked against the search itself, not against what was shown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.planners.shared.search_planner import SearchPlanner
from core.planning.belief_facets import Belief
from core.planning.explanation import Sentence
from core.planning.facets import Facet, GoalProgress
from core.planning.search_facets import PolicyMixture, Ranking
from core.planning.simulation_facets import Simulations
from core.search.model import NOTHING
from core.search.search import Search, finished
from core.session import events as e
from core.session.explaining import evidence_of, explain
from core.session.session import Session
from core.session.snapshot import Snapshot, fold
from gui.panels.registry import PANELS, needs
from sim.registry import simulator_class
from tests.long_tests import either

TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"


class Decisions:
    """Plays an episode, and keeps a snapshot and the search of each decision."""

    def __init__(self, planner: str, seed: int, monkeypatch: pytest.MonkeyPatch, **parameters: object):
        self.snapshot, self.found = Snapshot(), list[tuple[Snapshot, Search]]()
        searches: list[Search] = []
        made = SearchPlanner.search

        def search(self: SearchPlanner, *given: object) -> Search:
            searches.append(made(self, *given))  # type: ignore[arg-type]
            return searches[-1]

        monkeypatch.setattr(SearchPlanner, "search", search)
        settings: dict[str, Any] = {"simulations": 60, **parameters}
        request = Request(planner, task=TASK, parameters=settings, max_steps=either(8, 14), cache=False, seed=seed)
        run = Session(build(request, simulator_class))

        def hear(event: e.Event) -> None:
            self.snapshot = fold(self.snapshot, event)
            if isinstance(event.what, e.Decided) and self.snapshot.fresh(Ranking) and searches:
                self.found.append((self.snapshot, searches[-1]))

        run.subscribe(hear)
        run.run()


def value(figures: Mapping[str, float], *names: str) -> list[float]:
    return [figures[name] for name in names]


@lru_cache(maxsize=1)
def first_edges(search: Search) -> list[int]:
    """The edge at the root of each logged simulation, found by repeating them."""
    return [(search.repeated(n).path or (NOTHING,))[0] for n in range(search.logged)]


def holds(said: Sentence, search: Search, snapshot: Snapshot, one: int, two: int) -> bool:
    """Checks one sentence against the search, with plain loops over its log."""
    figures = said.figures
    ones, twos = ([n for n, first in enumerate(first_edges(search)) if first == edge] for edge in (one, two))
    returned = search.log.returned
    match said.claim:
        case "visits":
            return value(figures, "one", "two", "total") == [search.visits()[one], search.visits()[two], search.visits().sum()]
        case "value":
            values = search.values()
            return "gap" not in figures or (figures["one"], figures["two"]) == (values[one], values[two])
        case "prior":
            return value(figures, "one", "two") == [search.priors()[one], search.priors()[two]]
        case "model" | "noise":
            priors = search.priors()
            return bool(np.isclose(figures["uniform"] + figures["one"], priors[one])
                        and np.isclose(figures["uniform"] + figures["two"], priors[two]))
        case "no model":
            return len(set(search.priors().tolist())) == 1
        case "since":
            lead = np.cumsum([(n in ones) - (n in twos) for n in range(search.logged)])
            since = int(figures["since"])
            return bool((lead[since - 1:] > 0).all() and (since == 1 or lead[since - 2] <= 0))
        case "spread":
            return bool(np.allclose(value(figures, "low", "high", "deviation", "low_two", "high_two", "deviation_two"), [
                f([returned[n] for n in numbers]) for numbers in (ones, twos) for f in (min, max, np.std)]))
        case "worlds" | "common" | "apart" | "unrewarded":
            return holds_of_worlds(said, search, snapshot, ones, twos)
        case "literal":
            reached = finished(search.summary()).reached[:, int(figures["literal"])]
            simulations = snapshot.fresh(Simulations)
            assert simulations is not None
            literals = simulations.literals
            shown = snapshot.fresh(GoalProgress)
            literal = literals[int(figures["literal"])]
            assert shown is None or not any(p.literal == literal and p.reached for p in shown.literals)
            return all(figures[f"{key}_reached"] == sum(reached[n] > 0 for n in numbers)
                       and figures[f"{key}_simulations"] == len(numbers) for key, numbers in (("one", ones), ("two", twos)))
    return said.claim in ("continues", "not ranked", "macro")


def holds_of_worlds(said: Sentence, search: Search, snapshot: Snapshot, ones: list[int], twos: list[int]) -> bool:
    if said.claim == "unrewarded":
        return not search.log.returned[:search.logged].any()
    worlds = sorted(set(search.log.world[:search.logged].tolist()) - {-1})
    by_world = [{search.log.world[n]: n for n in numbers if search.log.world[n] >= 0} for numbers in (ones, twos)]
    both = [w for w in worlds if w in by_world[0] and w in by_world[1]]
    returned = [{w: search.log.returned[n] for w, n in of.items()} for of in by_world]
    better = [w for w in both if returned[1][w] > returned[0][w]]
    figures = said.figures
    if said.claim == "worlds":
        return value(figures, "both", "better") == [len(both), len(better)]
    if said.claim == "apart":
        world = worlds[int(figures["world"])]
        return value(figures, "one", "two") == [returned[0][world], returned[1][world]]
    place = int(figures["place"])
    counts = [[sum(search.world(w)[k] == place for w in group) for k in range(len(search.ghosts))]
              for group in (better, [w for w in both if w not in better])]
    assert snapshot.fresh(Belief) is not None
    return (figures["count"], figures["others"]) in zip(*counts, strict=True)


@pytest.mark.parametrize(("planner", "seed", "parameters"), [
    ("llm-mcts", 3, {}), ("llm-mcts", 2, {"worlds": "each"}), ("llm-mcts", 3, {"wrong_answers": 0.6}),
    ("llm-mcts", 5, {"rollout": "uniform", "counting": "paper"}),
    ("uct", 3, {}), ("uct", 0, {"worlds": "one", "final": "value"})])
def test_every_sentence_holds(planner: str, seed: int, parameters: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    claims = set()
    hand = Random(seed)
    for snapshot, search in Decisions(planner, seed, monkeypatch, **parameters).found:
        decision, ranking = evidence_of(snapshot), snapshot.fresh(Ranking)
        assert decision is not None
        assert ranking is not None
        for row in hand.sample(ranking.actions[1:], min(2, len(ranking.actions) - 1)):
            simulations = snapshot.fresh(Simulations)
            assert simulations is not None
            chosen = next(r for r in ranking.actions if decision.chosen in r.steps)
            one, two = simulations.actions.index(chosen.steps), simulations.actions.index(row.steps)
            for said in explain(snapshot, row.steps[-1]):
                claims.add(said.claim)
                if said.claim not in ("continues", "not ranked"):
                    assert holds(said, search, snapshot, one, two), said.text
                shown: dict[type[Facet], object] = dict(snapshot.facets)
                for seen in said.evidence:
                    assert seen.panel in PANELS
                    assert not needs(seen.panel) or needs(seen.panel) & shown.keys()
                    assert seen.call < 0 or seen.call in {call.id for call in snapshot.calls}
    assert {"visits", "value", "prior", "literal"} <= claims
    assert planner == "uct" or claims & {"model", "no model"} or PolicyMixture not in snapshot.facets


def test_without_a_policy_no_prior_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """UCT has uniform priors. Where no simulation earns a reward, nothing but the order of the search decides."""
    found = Decisions("uct", 0, monkeypatch, simulations=20).found
    told = [said.text for snapshot, _ in found if (ranking := snapshot.fresh(Ranking)) is not None
            for said in explain(snapshot, ranking.actions[1].steps[-1])]
    assert any("no policy prefers one" in text for text in told)
    assert any("the first one in the search's list is chosen" in text for text in told)
    assert not any("the policy gave" in text.lower() or "higher prior decides" in text for text in told)
