"""The language model as world model: where the objects of each class may be, and in which rooms furniture that was not seen."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.llm.grounding.places import counted, positions, read_places, read_rooms
from core.llm.grounding.replies import grounding_of_place
from core.planning.belief import LEAST, from_counts, normalised
from core.planning.belief_facets import ClassAnswers, PositionAnswers
from core.planning.facets import Grounded
from core.planning.model_requests import Expects, ModelReply, ModelRequest, prompt
from core.planning.planner import Sent, Yielded
from core.planning.prompt_facts import ObjectPositionsFacts, PlaceFact, PlaceRoomsFacts, place_facts
from core.search.problem import Layout
from core.search.rearrangement import Rearrangement, Vector
from core.world.vocabulary import spaced

POSITIONS = "object positions"
"""The purpose of the request for object positions."""
NEXT_QUESTION = ("\nQuestion:",)
"""Where a reply ends: the prompts are lists of questions and answers."""
BATCH = 16
"""The number of classes that are asked about at the same time."""


@dataclass(frozen=True, slots=True)
class WorldModelSettings:
    """How the world model is asked. Each field is documented at the planner parameter of the same name."""

    samples: int = 50
    temperature: float = 0.5
    floor: float = 0.2
    least: float = LEAST
    scores: bool = True


class WorldModel:
    """Asks for the priors of a task, and keeps what was answered about the present map."""

    def __init__(self) -> None:
        self._layout = Layout((), ())
        self._answers: dict[str, ClassAnswers] = {}

    def ask_priors(self, task: Rearrangement, how: WorldModelSettings) -> Generator[Yielded, Sent, None]:
        """Requests the prior of each class of the belief that has none yet. An unusable reply gives the uniform distribution.

        The goal's classes come first, all together; those of the surroundings follow in batches. With full observation nothing
        is requested, because no place is left where an unseen object could be.

        Args:
            task: the task; receives the priors.
            how: the settings.

        Yields:
            The requests, and how their replies were interpreted.
        """
        if task.world.all_seen:
            return
        if task.layout != self._layout:
            self._layout, self._answers = task.layout, {}
        goal = [cls for cls in task.classes() if cls not in task.priors]
        rest = [cls for cls in task.all_classes() if cls not in task.priors and cls not in goal]
        for classes in (goal, *(rest[k:k + BATCH] for k in range(0, len(rest), BATCH))):
            yield from self._ask_some(classes, task, how)

    def _ask_some(self, classes: Sequence[str], task: Rearrangement, how: WorldModelSettings) -> Generator[Yielded, Sent, None]:
        places = place_facts(task.world.entities.values())
        asks = [*(_positions_ask(cls, task, places, how) for cls in classes),
                *(_rooms_ask(cls, task, how) for cls in classes if task.unmapped)]
        if not classes or not asks:
            return
        sent = yield tuple(asks)
        assert isinstance(sent, tuple), "several questions are answered by several replies"
        groups = positions(places)
        if groups:
            yield Grounded(tuple(grounding_of_place(ask, reply, groups) for ask, reply in zip(asks, sent, strict=True)
                                 if ask.purpose == POSITIONS))
        for k, cls in enumerate(classes):
            rooms = sent[len(classes) + k] if task.unmapped else None
            task.set_prior(cls, _vector(task, places, sent[k], rooms, how))
            self._answers[cls] = _class_answers(cls, asks[k], sent[k], places)
        yield PositionAnswers(tuple(p.id for p in places), tuple(self._answers.values()))


def _class_answers(cls: str, ask: ModelRequest, reply: ModelReply, places: Sequence[PlaceFact]) -> ClassAnswers:
    found = counted(reply, places) if places else None
    counts = np.zeros(len(places)) if found is None else found / found.sum() if reply.scores else found
    counts.setflags(write=False)
    unread = 0 if reply.scores else sum(not read.answers for read in read_places(reply, positions(places)))
    return ClassAnswers(cls, 0 if reply.scores else len(reply.texts), counts, unread, ask.digest)


def _positions_ask(cls: str, task: Rearrangement, places: tuple[PlaceFact, ...], how: WorldModelSettings) -> ModelRequest:
    groups = positions(places)
    fields = {"rooms": _listed(spaced(c) for _, c in task.layout.rooms), "thing": spaced(cls)}
    against: tuple[str, ...] = ()
    if how.scores:  # the reply is one of the choices, so the prompt lists them and its examples use their wording
        expects = Expects(choices=tuple(g.phrase for g in groups))
        messages = prompt("llm_mcts", "object_positions_choice", choices="; ".join(expects.choices), **fields)
    else:
        expects = Expects()
        against = tuple(g.phrase for g in groups)
        messages = prompt("llm_mcts", "object_positions", containers=_listed(g.cls for g in groups if g.inside),
                          surfaces=_listed(g.cls for g in groups if not g.inside), **fields)
    return ModelRequest(POSITIONS, messages, spaced(cls), ObjectPositionsFacts(cls, places), expects, how.samples,
               how.temperature, max_tokens=64, scores=how.scores, compare="unsure", against=against, ends=NEXT_QUESTION)


def _rooms_ask(cls: str, task: Rearrangement, how: WorldModelSettings) -> ModelRequest:
    rooms = tuple(c for _, c in task.layout.rooms)
    messages = prompt("llm_mcts", "place_rooms", rooms=_listed(map(spaced, rooms)), thing=spaced(cls))
    return ModelRequest("place rooms", messages, spaced(cls), PlaceRoomsFacts(cls, rooms), samples=how.samples,
               temperature=how.temperature, max_tokens=32, ends=NEXT_QUESTION)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words)) or "none"


def _vector(task: Rearrangement, places: Sequence[PlaceFact], reply: ModelReply, rooms: ModelReply | None,
            how: WorldModelSettings) -> Vector:
    """Returns the prior of appendix C.2: sample counts with a lower bound, normalized, mixed with the uniform by `floor`."""
    counts = counted(reply, places) if places else None
    vector = np.zeros(task.columns)
    if counts is not None:
        vector[: len(places)] = from_counts(counts, how.least)
    elif places:
        vector[: len(places)] = 1.0 / len(places)
    share = _unmapped_shares(task, len(places), rooms)
    vector = normalised(vector) * (1.0 - share.sum()) if vector.sum() > 0 else vector
    vector[len(places):] = share
    result: Vector = (1.0 - how.floor) * normalised(vector) + how.floor / task.columns
    return result


def _unmapped_shares(task: Rearrangement, mapped: int, rooms: ModelReply | None) -> Vector:
    """Returns the probability of each room without known furniture: (k,)."""
    if rooms is None:
        return np.zeros(task.columns - mapped)
    named = read_rooms(rooms, [c for _, c in task.layout.rooms])
    shares = np.ones(len(task.layout.rooms)) if named is None else named + LEAST
    result: Vector = (shares / shares.sum())[list(task.unmapped)]
    return result
