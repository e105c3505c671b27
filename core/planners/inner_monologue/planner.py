"""Inner Monologue with a window: the model names one action at a time, given the scene and the results of the last W actions.

Huang et al.: Inner Monologue: Embodied Reasoning through Planning with Language Models (2022), with scene and success feedback.
The window is LLM-State's InnerMonologue-W: the prompt contains only the last W steps of the history (LLM-State, section V-A).
The planner keeps no map of searched places: what leaves the window is forgotten.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from core.common.parameters import Parameters, parameter
from core.llm.grounding.replies import grounding_of_choice
from core.planners.inner_monologue import offline as offline  # registers the offline answers
from core.planners.inner_monologue.recorded_types import MonologueFacts
from core.planners.inner_monologue.why import why
from core.planners.shared.reactive_planner import ReactivePlanner
from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.facets import Facet, GoalProgress, Grounded, Grounding, Plan
from core.planning.model_requests import Expects, ModelReply, ModelRequest, prompt
from core.planning.names import Names
from core.planning.planner import Decision, Sent, Turn, Yielded
from core.planning.prompt_facts import PlaceFact, place_facts
from core.planning.search_facets import Ranking, considered
from core.world.vocabulary import Action, Entity, Observation

DONE = "done"


@dataclass(frozen=True)
class InnerMonologueParameters(Parameters):
    """Parameters of the prompt and the model requests."""

    window: int = parameter(10, "W: last steps shown in the prompt", low=1, high=200, unit="steps")
    tries: int = parameter(3, "questions for one decision; then it guesses", low=1, high=10)
    temperature: float = parameter(0.0, "temperature of the answers; -1: as the model is set", low=-1, high=2)


class InnerMonologue(ReactivePlanner):
    """Requests one action at a time, with the scene and the success of the last actions as feedback."""

    name: ClassVar[str] = "inner-monologue"
    title: ClassVar[str] = "Inner Monologue"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({GoalProgress, Grounded, Plan, Ranking})
    presets: ClassVar[Mapping[str, Parameters]] = {
        "default": InnerMonologueParameters(), "short": InnerMonologueParameters(window=3),
    }
    asks: ClassVar[bool] = True
    parameters: InnerMonologueParameters

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the actions offered in the prompt, and the reply."""
        return why(decision, other)

    def choose(self, seen: Observation) -> Turn:
        """Requests an action, resolves the reply to an admissible one, and decides for it.

        Guesses after several unusable replies.
        """
        choices = self.possible(seen)
        if not choices:
            return Decision(None, "nothing is left that can be done")
        said = yield from self._said(seen, choices)
        if self.interrupted():
            return None
        if said == DONE:
            return Decision(None, "the model says the task is done")
        index = int(self._rng.integers(len(choices))) if said is None else self._sentences(choices).index(said)
        because = "a guess" if said is None else "what the model said"
        yield considered(choices, choices[index])
        return (yield from self.decide((choices[index],), because))

    def _said(self, seen: Observation, choices: tuple[Action, ...]) -> Generator[Yielded, Sent, str | None]:
        """Returns the phrase of the chosen action; None if no reply was usable."""
        note = ""
        for _ in range(self.parameters.tries):
            ask = self._ask(seen, choices, note)
            reply = yield ask
            assert isinstance(reply, ModelReply), "one question, one reply"
            meant = self._understood(ask, reply, choices)
            yield Grounded((meant,))
            if meant.meant or self.interrupted():
                return meant.meant or None
            note = f"“{meant.said[:60]}” is not one of the actions below: name one of them, word for word."
        return None

    def _sentences(self, choices: tuple[Action, ...]) -> list[str]:
        names = self.names()
        return [names.phrase(action) for action in choices]

    def _understood(self, ask: ModelRequest, reply: ModelReply, choices: tuple[Action, ...]) -> Grounding:
        said = reply.texts[0].strip().removesuffix(".").lower() if reply.texts else ""
        if said == DONE:
            return Grounding(ask.digest, said, DONE, 1.0, "exact")
        own = replace(reply, alike=tuple(row[:len(choices)] for row in reply.alike))  # the last choice is "done"
        return grounding_of_choice(ask, own, [(sentence,) for sentence in self._sentences(choices)])

    def _ask(self, seen: Observation, choices: tuple[Action, ...], note: str) -> ModelRequest:
        window = self._history[-self.parameters.window:]
        names, facts = self.names(), self._facts(seen, choices)
        lines = (f"Robot action: {names.phrase(deed.action)}\nSuccess: {'true' if deed.ok else f'false, {deed.reason}'}"
                for deed in window)
        steps = "\n".join(lines) or "Nothing was done yet."
        # "done" is offered only after a first action: a run starts with something to do, and small models often choose short
        # phrases.
        sentences = (*self._sentences(choices), *((DONE,) if self._history else ()))
        messages = prompt("inner_monologue", "next", verbs=names.verbs(), window=str(self.parameters.window),
                          goal=self._aim.asked.in_words, steps=steps, scene=scene_words(seen, names), note=note,
                          choices="; ".join(sentences))
        return ModelRequest("next action", messages, f"after {len(self._history)} steps", facts, Expects(choices=sentences),
                   temperature=self.parameters.temperature, max_tokens=64, compare="unsure",
                            ends=("\nSuccess:", "\nScene:", "\nRobot action:"))

    def _facts(self, seen: Observation, choices: tuple[Action, ...]) -> MonologueFacts:
        window = self._history[-self.parameters.window:]
        return MonologueFacts(self._aim.asked, seen, _places(seen), tuple(s.verb for s in self._schemas),
                              tuple((str(d.action), d.ok) for d in window), (*map(str, choices), DONE))


def _places(seen: Observation) -> tuple[PlaceFact, ...]:
    """Returns the furniture in sight and on the map."""
    return place_facts((*seen.entities, *seen.landmarks))


def scene_words(seen: Observation, names: Names) -> str:
    """Returns the robot's room, position and held objects, then everything in sight with its place and states, then the map."""
    room = seen.agent.room
    at = next((i for i in seen.agent.near if i in seen.by_id), None)
    first = [f"in the {names(room)}"] if room else []
    first += [f"at the {names(at)}"] if at else []
    first.append(f"holding the {' and the '.join(map(names, seen.agent.holding))}" if seen.agent.holding else "holding nothing")
    things = [_thing(e, seen, names) for e in seen.entities if e.category != "room" and e.id not in seen.agent.holding]
    sentences = [f"The robot is {', '.join(first)}.", *(f"The {thing}." for thing in dict.fromkeys(things))]
    others = [names(e.id) for e in seen.entities if e.category == "room" and e.id != room]
    sentences += [f"Other rooms: {', '.join(others)}."] if others else []
    known = [f"{names(e.id)} in the {names(e.room)}" for e in seen.landmarks if e.room]
    sentences += [f"Furniture elsewhere: {', '.join(known)}."] if known else []
    return " ".join(sentences)


def _thing(entity: Entity, seen: Observation, names: Names) -> str:
    link = seen.holder.get(entity.id)
    parts = [f"{link.kind} the {names(link.object)}"] if link is not None else []
    parts += sorted(entity.states) or ([] if parts else ["here"])
    return f"{names(entity.id)} is {', '.join(parts)}"
