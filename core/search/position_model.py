"""The language model as world model: asks where objects of each wanted class are, and in which rooms without a map."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass

import numpy as np

from core.llm.grounding.places import counted, positions, read_rooms
from core.planning.belief import LEAST, from_counts, normalised
from core.planning.facets import Grounded
from core.planning.model_requests import Ask, Expects, Reply
from core.planning.planner import Sent, Yielded
from core.planning.prompt_facts import ObjectPositionsFacts, PlaceRoomsFacts
from core.planning.prompts import prompt
from core.search.rearrangement import Rearrangement, Vector
from core.search.reply_grounding import understood_places
from core.world.vocabulary import spaced

POSITIONS = "object positions"
"""The purpose of the request for object positions."""


@dataclass(frozen=True, slots=True)
class WorldModelSettings:
    """How the world model is asked. Each field is documented at the planner parameter of the same name."""

    samples: int = 50
    temperature: float = 0.5
    floor: float = 0.2
    least: float = LEAST
    scores: bool = True


def ask_priors(task: Rearrangement, how: WorldModelSettings) -> Generator[Yielded, Sent, None]:
    """Requests the prior of each wanted class that has none yet. An unusable reply gives the uniform distribution.

    Args:
        task: the task; receives the priors.
        how: the settings.

    Yields:
        The requests, and how their replies were interpreted.
    """
    classes = [cls for cls in task.classes() if cls not in task.priors]
    asks = [*(_positions_ask(cls, task, how) for cls in classes),
            *(_rooms_ask(cls, task, how) for cls in classes if task.unmapped)]
    if not classes or not asks:
        return
    sent = yield tuple(asks)
    assert isinstance(sent, tuple), "several questions are answered by several replies"
    groups = positions(task.place_facts())
    if groups:
        yield Grounded(tuple(understood_places(ask, reply, groups) for ask, reply in zip(asks, sent, strict=True)
                             if ask.purpose == POSITIONS))
    for k, cls in enumerate(classes):
        rooms = sent[len(classes) + k] if task.unmapped else None
        task.set_prior(cls, _vector(task, sent[k], rooms, how))


def _positions_ask(cls: str, task: Rearrangement, how: WorldModelSettings) -> Ask:
    places = task.place_facts()
    groups = positions(places)
    fields = {"rooms": _listed(spaced(c) for _, c in task.layout.rooms), "thing": spaced(cls)}
    if how.scores:  # the reply is one of the choices, so the prompt lists them and its examples use their wording
        expects = Expects(choices=tuple(g.phrase for g in groups))
        messages = prompt("llm_mcts", "object_positions_choice", choices="; ".join(expects.choices), **fields)
    else:
        expects = Expects()
        messages = prompt("llm_mcts", "object_positions", containers=_listed(g.cls for g in groups if g.inside),
                          surfaces=_listed(g.cls for g in groups if not g.inside), **fields)
    return Ask(POSITIONS, messages, spaced(cls), ObjectPositionsFacts(cls, places), expects, how.samples,
               how.temperature, max_tokens=64, scores=how.scores, compare="unsure")


def _rooms_ask(cls: str, task: Rearrangement, how: WorldModelSettings) -> Ask:
    rooms = tuple(c for _, c in task.layout.rooms)
    messages = prompt("llm_mcts", "place_rooms", rooms=_listed(map(spaced, rooms)), thing=spaced(cls))
    return Ask("place rooms", messages, spaced(cls), PlaceRoomsFacts(cls, rooms), samples=how.samples,
               temperature=how.temperature, max_tokens=32)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words)) or "none"


def _vector(task: Rearrangement, reply: Reply, rooms: Reply | None, how: WorldModelSettings) -> Vector:
    """Returns the prior of appendix C.2: sample counts with a lower bound, normalized, mixed with the uniform by `floor`."""
    places = task.place_facts()
    counts = counted(reply, places) if places else None
    vector = np.zeros(task.columns)
    if counts is not None:
        vector[: len(places)] = from_counts(counts, how.least)
    elif places:
        vector[: len(places)] = 1.0 / len(places)
    share = _unmapped_shares(task, rooms)
    vector = normalised(vector) * (1.0 - share.sum()) if vector.sum() > 0 else vector
    vector[len(places):] = share
    result: Vector = (1.0 - how.floor) * normalised(vector) + how.floor / task.columns
    return result


def _unmapped_shares(task: Rearrangement, rooms: Reply | None) -> Vector:
    """Returns the probability of each room without known furniture: (k,)."""
    if rooms is None:
        return np.zeros(task.columns - len(task.place_facts()))
    named = read_rooms(rooms, [c for _, c in task.layout.rooms])
    shares = np.ones(len(task.layout.rooms)) if named is None else named + LEAST
    result: Vector = (shares / shares.sum())[list(task.unmapped)]
    return result
