"""LLM-State's three model requests, and the robot's knowledge as their lists (paper, listings 3 to 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.goals.literals import Goal
from core.llm.grounding.choices import call_name
from core.planners.llm_state.calls import Call, Vocabulary
from core.planners.llm_state.recorded_types import (
    AttentionFacts,
    Deed,
    EstimateFacts,
    PlanFacts,
    StateDictionary,
    StateEntry,
)
from core.planning.facets import Grounding
from core.planning.model_requests import ModelRequest, prompt
from core.world.vocabulary import ACTS, CONTAINER, GRABBABLE, POSTURES, RINSES, SURFACE, AgentState, Entity, Observation, spaced

# --- lists ------------------------------------------------------------------------
LISTED = frozenset({CONTAINER, SURFACE})
NOT_LISTED = frozenset({*ACTS.values(), *POSTURES.values()}) - {RINSES}
"""What can be sat on, drunk or read: its name says so."""


def seen_only(world: Observation, *, affordances: bool) -> Observation:
    """Returns the part of the knowledge that prompts contain: names and positions, no states.

    Without `affordances`, the only properties are container and surface, and no switch is linked to what it controls.

    The paper's detector provides names only. What is open, on or cooked must be derived from the history.
    """
    def bare(entity: Entity) -> Entity:
        kept = entity.properties if affordances else entity.properties & LISTED
        return replace(entity, states=frozenset(), properties=kept)

    links = world.relations if affordances else tuple(r for r in world.relations if r.kind != "controls")
    agent = world.agent
    plain = AgentState(agent.room, agent.near, agent.holding, agent.hands)
    return Observation(plain, tuple(map(bare, world.entities)), links, step=world.step)


def observation_text(seen: Observation) -> str:
    """Returns the lists of objects, containers, surfaces and rooms, and the robot's position."""
    things = [e for e in seen.entities if e.category != "room"]
    rooms = [call_name(e.id) for e in seen.entities if e.category == "room"]
    agent = seen.agent
    return "\n".join([
        f"Object List: {_placed((e for e in things if not e.properties & LISTED or e.category == 'object'), seen)}",
        f"Container List: {_placed((e for e in things if CONTAINER in e.properties), seen)}",
        f"Surface List: {_placed((e for e in things if SURFACE in e.properties), seen)}",
        *_uses(things), *_controls(seen),
        f"Room List: {_listed(rooms)}",
        f"Current Holding: {_listed(map(call_name, agent.holding))}",
        f"You are close to: {_listed(map(call_name, agent.near))}",
        f"Current Room: {call_name(agent.room or 'unknown')}",
    ])


def _listed(names: Iterable[str]) -> str:
    return "[" + ", ".join(f"'{name}'" for name in names) + "]"


def _placed(things: Iterable[Entity], seen: Observation) -> str:
    return _listed(_where(e, seen) for e in things if e.id not in seen.agent.holding)


def _where(entity: Entity, seen: Observation) -> str:
    link = seen.holder.get(entity.id)
    if link is not None:
        return f"{call_name(entity.id)} {'IN' if link.kind == 'inside' else 'ON'} {call_name(link.object)}"
    return f"{call_name(entity.id)} IN {call_name(entity.room or 'unknown')}"


def _uses(things: Sequence[Entity]) -> list[str]:
    """Returns a line for each property other than container and surface."""
    uses = sorted({p for e in things for p in e.properties} - LISTED - {GRABBABLE} - NOT_LISTED)
    if not uses:
        return []
    fixed = [call_name(e.id) for e in things if e.category == "object" and GRABBABLE not in e.properties]
    lines = [f"{use.capitalize()}: {_listed(call_name(e.id) for e in things if use in e.properties)}" for use in uses]
    return [*lines, f"Not to be carried: {_listed(fixed)}"]


def _controls(seen: Observation) -> list[str]:
    found = [f"{call_name(r.subject)} CONTROLS {call_name(r.object)}" for r in seen.relations if r.kind == "controls"]
    return [f"Switches of others: {_listed(found)}"] if found else []


def history_text(deeds: Sequence[Deed]) -> str:
    """Returns the action history as the paper's list: `['open', 'fridge1'](Success)`."""
    return "[" + ", ".join(f'"{_deed_text(deed)}"' for deed in deeds) + "]"


def _deed_text(deed: Deed) -> str:
    words = ", ".join(f"'{word}'" for word in (deed.call, *map(call_name, deed.args)))
    note = f": {deed.note}" if deed.note and not deed.ok else ""
    source = f", was at {call_name(deed.source)}" if deed.source and deed.ok else ""
    return f"[{words}]({'Success' if deed.ok else 'Fail'}{note}{source})"


def state_text(entries: Sequence[StateEntry]) -> str:
    """Returns the dictionary with one line for each object."""
    return "\n".join(f"{e.name}: {' | '.join(e.attributes) if e.attributes else '[]'}" for e in entries) or "(no objects yet)"


def goal_text(text: str, literals: Iterable[object]) -> str:
    """Returns the task as it was given as text, else its literals."""
    return spaced(text) if text else "; ".join(map(str, literals))


# --- requests ---------------------------------------------------------------------
NAME = "llm_state"
NEXT_PART, NEXT_TASK = "\n*****", "\nTask goal:"
"""Where a reply ends: the headings in the prompts."""
SHOWN = 200
"""The maximum number of characters of a reply that are stored with its interpretation."""
FINISHING = "\ndone() says that the task is finished and nothing is left to do."
"""The line about `done`, which is no function of the paper."""
HANDS = {1: "one hand", 2: "two hands"}
REASONING = 'update_reasoning("the story so far, and above all why actions may have failed")'
UPDATING = 'update_state(object, "attribute | attribute")'
EXAMPLE_REASONING = ('update_reasoning("It opened the cupboard and took the apple from it. Then it could not open the fridge, '
                     'perhaps because no hand was free.")')
EXAMPLE_UPDATING = 'update_state("apple1", "in_hand | from_cupboard1")\n' \
                   'update_state("cupboard1", "open | searched | in_kitchen1")'


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """A reply parsed into calls.

    Attributes:
        ask: the request.
        said: the start of the reply.
        calls: the parsed calls.
        dropped: the number of malformed calls.
        remark: why there is nothing to parse, such as a refusal of the model; else empty.
    """

    ask: ModelRequest
    said: str
    calls: tuple[Call, ...]
    dropped: int
    remark: str = ""

    def grounding(self, usable: int | None = None) -> Grounding:
        """Returns how the reply was interpreted.

        Args:
            usable: the number of calls that can also be executed; None: all.
        """
        good = len(self.calls) if usable is None else usable
        bad = self.dropped + len(self.calls) - good
        words = f"{good} call{'' if good == 1 else 's'} parsed, {bad} dropped"
        return Grounding(self.ask.digest, self.said[:SHOWN], words, good / max(1, good + bad), "normalised" if good else "none",
                         remark=self.remark)


@dataclass(frozen=True, slots=True)
class PromptBuilder:
    """Builds the requests from the knowledge at one moment.

    Attributes:
        goal: the literals.
        seen: the observations in the prompt.
        deeds: the history.
        temperature: of all requests.
        states: True if the prompt contains a state.
        summary: True if the state has a retrospective summary.
        objects: True if the state has entries of objects.
        finish: True if plans may call `done`.
    """

    goal: Goal
    seen: Observation
    deeds: tuple[Deed, ...]
    temperature: float
    states: bool
    summary: bool
    objects: bool
    finish: bool = True

    @property
    def _task(self) -> str:
        return goal_text(self.goal.text, self.goal.literals)

    @property
    def _hands(self) -> str:
        return HANDS.get(self.seen.agent.hands, f"{self.seen.agent.hands} hands")

    def attention(self, dictionary: StateDictionary) -> ModelRequest:
        """Returns the request for relevant objects."""
        names = tuple(e.name for e in dictionary.entries)
        messages = prompt(NAME, "attention", state=state_text(dictionary.entries), observation=observation_text(self.seen),
                          goal=self._task)
        return ModelRequest("attention", messages, "related objects", AttentionFacts(self.goal, self.seen, names),
                   temperature=self.temperature, max_tokens=512, ends=(NEXT_PART, NEXT_TASK))

    def estimate(self, dictionary: StateDictionary) -> ModelRequest:
        """Returns the request for attributes and summary after the history.

        The earlier estimate is not included, so that errors do not accumulate.
        """
        names = tuple(e.name for e in dictionary.entries)
        blank = "\n".join(f"{e.name}: {' | '.join(e.attributes if e.locked else e.given) or '[]'}" for e in dictionary.entries)
        lines = [REASONING] * self.summary + [UPDATING] * self.objects
        examples = [EXAMPLE_REASONING] * self.summary + [EXAMPLE_UPDATING] * self.objects
        messages = prompt(NAME, "estimator", state=blank or "(no objects)", observation=observation_text(self.seen),
                          history=history_text(self.deeds), hands=self._hands, functions="\n".join(lines),
                          example="\n".join(examples))
        facts = EstimateFacts(self.goal, self.seen, names, self.deeds, self.summary, self.objects)
        return ModelRequest("state", messages, _after(self.deeds), facts, temperature=self.temperature, max_tokens=2048,
                            ends=(NEXT_PART,))

    def policy(self, dictionary: StateDictionary, words: Vocabulary, most: int, note: str = "") -> ModelRequest:
        """Returns the request for a plan; `note` states the problem with the previous reply."""
        functions = words.listed(finish=self.finish) + FINISHING * self.finish
        messages = prompt(NAME, "policy", functions=functions, history=history_text(self.deeds),
                          observation=observation_text(self.seen), state=self._state(dictionary), hands=self._hands,
                          goal=f"{self._task}{note}", most=str(most))
        entries = tuple((e.name, e.attributes) for e in dictionary.entries) if self.states and self.objects else ()
        summary = dictionary.summary if self.states and self.summary else ""
        facts = PlanFacts(self.goal, self.seen, entries, summary, self.deeds, frozenset(words.verbs.values()), most)
        return ModelRequest("plan", messages, "next calls", facts, temperature=self.temperature, max_tokens=768,
                            ends=(NEXT_PART, NEXT_TASK))

    def _state(self, dictionary: StateDictionary) -> str:
        if not self.states:
            return ""
        parts = [state_text(dictionary.entries)] if self.objects else []
        parts += [f"Reasoning: {dictionary.summary}"] if self.summary else []
        return "\n".join(["", "***** current state start *****", *parts, "***** current state end *****", ""])


def _after(deeds: tuple[Deed, ...]) -> str:
    return f"after {deeds[-1].call} {' '.join(deeds[-1].args)}".strip() if deeds else "first look"
