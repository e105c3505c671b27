"""The offline answers to NeoPlanner's requests: a menu of scored plans, of which one is sampled, and the learnings.

The rules use the task's text, the room's description, the inventory, the kinds of action and the learnings, as the prompt
contains them. They have no knowledge of specific tasks, solutions or the world's internals.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from core.planners.neoplanner.offline_knowledge import (
    COLD,
    HOT,
    LITTLE,
    TEXTS,
    VESSELS,
    Recollection,
    Surroundings,
    Target,
    Task,
    first_of,
    has_words,
    head,
    into,
    stage,
)
from core.planners.neoplanner.prompts import filled
from core.planners.neoplanner.recorded_types import ActionPlanFacts, LearnerFacts
from core.planning.offline_answers import register

# --- plans of everyday knowledge --------------------------------------------------
MIXING = re.compile(r"\bmix|chemistry|recipe")
TREATMENTS = ((HOT, re.compile(r"\bboil|melt|heat|combust")), (COLD, re.compile(r"freez|cool")))
HOLDING = r"is: [^\n]*containing (?!nothing)"
TRANSPORT = re.compile(r"\b(?:move|place|put) it\b")


class Choice(NamedTuple):
    """A short plan and its score."""

    score: float
    plan: tuple[str, ...]


def chains(here: Surroundings, memory: Recollection, task: Task) -> Iterator[Choice]:
    """Yields the plans of everyday knowledge with their scores."""
    vessels = [n for n in dict.fromkeys((*here.things, *here.carried)) if (n.split() or [""])[-1] in VESSELS and head(n) == n]
    full = {v: here.contents(v) for v in vessels}
    wanted = [v for v in vessels if any(task.mention(x) >= LITTLE for x in full[v].split(", ") if x)]
    if "water" in task.text and not any("water" in inside.split(", ") for inside in full.values()):
        yield from _filling(here, full)
    for vessel in wanted:
        if vessel in here.things:
            yield Choice(1.5, (f"pick up {vessel}",))
        if "," in full[vessel]:
            yield Choice(2.5, (f"mix {vessel}",))
    if MIXING.search(task.text):
        solids = [n for n in dict.fromkeys((*here.carried, *here.things))
                  if here.named(n) and n not in full and not n.startswith("substance ") and not TEXTS.search(n)]
        yield from _mixing(full, wanted, solids)
    for places, asked in TREATMENTS:
        if asked.search(task.task):
            yield from _treating(here, memory, places, wanted)


def _mixing(full: Mapping[str, str], wanted: list[str], solids: list[str]) -> Iterator[Choice]:
    """Yields plans that bring all relevant substances into one vessel and mix them; vessels with some of them are preferred.

    Args:
        full: vessel -> its contents.
        wanted: vessels that contain something relevant to the task.
        solids: objects named in the task that are here or carried.
    """
    for vessel, inside in full.items():
        others = list({full[v]: v for v in wanted if v != vessel and full[v] != inside}.values())
        loose = [s for s in solids if s not in inside.split(", ")]
        if len(others) + len(loose) + (vessel in wanted) > 1 and (vessel in wanted or not inside):
            adding = (*(f"pour {other} in {vessel}" for other in others), *(f"move {solid} to {vessel}" for solid in loose))
            yield Choice(2.2 + 0.3 * (vessel in wanted), (*adding, f"mix {vessel}"))


def _filling(here: Surroundings, full: dict[str, str]) -> Iterator[Choice]:
    """Yields plans that get water from a sink."""
    empty = [v for v, inside in full.items() if not inside]
    if "sink" in here.things:
        yield Choice(2.2 if "sink, which is turned off" in here.look else -2.0, ("activate sink",))
        for vessel in empty:
            yield Choice(2.0, (f"move {vessel} to sink",))
    for vessel in empty:
        if vessel in here.things:
            yield Choice(1.2, (f"pick up {vessel}",))


def _treating(here: Surroundings, memory: Recollection, places: tuple[str, ...], wanted: list[str]) -> Iterator[Choice]:
    """Yields plans that bring vessels to a heating or cooling appliance, switch it on, and wait."""
    near = [n for n in here.things if any(has_words(n, p) for p in places) and head(n) == n]
    for place in near:
        for vessel in wanted:
            yield Choice(2.6, (f"move {vessel} to {place}",))
        if f"{place}, which is turned off" in here.look:
            yield Choice(2.2, (f"activate {place}",))
        if here.says_of(place, "door is closed"):
            yield Choice(1.8, (f"open {place}",))
        if here.says_of(place, HOLDING):
            yield Choice(2.4, ("wait", "wait"))
    if not near and set(wanted) & set(here.carried):
        for name, room in sorted(memory.seen.items()):
            path = memory.way(here.room, room) if any(has_words(name, p) for p in places) else []
            if path:
                yield Choice(2.3, tuple(memory.walk(here.room, path)))


# --- the menu ---------------------------------------------------------------------
class Menu:
    """All plans the rules find in the current situation."""

    def __init__(self, facts: ActionPlanFacts, memory: Recollection, task: Task):
        self._facts, self._memory, self._task = facts, memory, task
        self._here = Surroundings(facts, memory, task)
        done = len(memory.focused)
        self._target: Target | None = task.targets[done] if done < len(task.targets) else None
        missing = self._target is not None and not any(task.fits(self._target, name) for name in memory.seen)
        self._fresh = 2.4 if missing else 1.2

    def choices(self) -> list[Choice]:
        """Returns the plans without those tried in this state."""
        parts: list[Callable[[], Iterator[Choice]]] = [
            self._unseen_rooms, self._shut, self._doors, self._focus, self._things, self._together, self._carried, self._wait,
            self._elsewhere, self._named_rooms,
        ]
        found = [choice for part in parts for choice in part()]
        if self._task.sense:
            found += chains(self._here, self._memory, self._task)
        avoid = set(self._facts.avoid)
        hopeful = (choice for choice in found if not any(map(self._memory.is_hopeless, choice.plan)))
        return [choice for choice in hopeful if choice.plan[0] not in avoid]

    def _walk(self, path: list[str]) -> tuple[str, ...]:
        return tuple(self._memory.walk(self._here.room, path))

    # --- moving ------------------------------------------------------------
    def _unseen_rooms(self) -> Iterator[Choice]:
        """Yields plans to known rooms that were not entered yet."""
        for room in sorted(self._memory.rooms - set(self._memory.leads) - set(self._here.doors)):
            if path := self._memory.way(self._here.room, room):
                yield Choice(self._fresh - 0.2 * len(path), self._walk(path))

    def _doors(self) -> Iterator[Choice]:
        memory = self._memory
        for room, state in self._here.doors.items():
            score = (self._fresh / (1 + 2 * memory.visits[room]) + self._task.mention(room) / (1 + memory.now_visits[room])
                     - 0.4 * memory.now_visits[room])
            opening = (f"open door to {room}",) if state == "closed" else ()
            yield Choice(score, (*opening, f"go {room}"))

    def _named_rooms(self) -> Iterator[Choice]:
        for room in sorted(r for r in self._memory.rooms if re.search(rf"\b{re.escape(r)}\b", self._task.task)):
            path = [] if room in self._here.doors else self._memory.way(self._here.room, room)
            if path:
                yield Choice(1.5 / (1 + self._memory.now_visits[room]), self._walk(path))

    def _elsewhere(self) -> Iterator[Choice]:
        """Yields plans to rooms with relevant objects; with such an object in the hand, to where it may be needed."""
        here, memory = self._here, self._memory
        holding = any(head(name) in here.it for name in here.carried)
        for name, room in sorted(memory.seen.items()):
            if room == here.room or name in here.things or name in memory.rooms:
                continue
            wanted = self._target is not None and self._task.fits(self._target, name) > 0
            if not wanted and self._task.mention(name) < LITTLE:
                continue
            path = memory.way(here.room, room)
            if path and holding and here.named(name) and head(name) not in here.it:
                yield Choice(2.4 / (1 + 0.3 * memory.now_visits[room]), self._walk(path))
            if path:
                yield Choice((1.0 + 1.5 * wanted) / (1 + memory.now_visits[room]), self._walk(path))

    # --- single objects ----------------------------------------------------
    def _shut(self) -> Iterator[Choice]:
        """Yields opening what a reply said must be opened first."""
        for name in sorted(self._memory.shut):
            if name in self._here.things or name in self._here.carried:
                yield Choice(2.5, (f"open {name}",))

    def _focus(self) -> Iterator[Choice]:
        """Yields focusing on what the task names, in its order; one wrong focus fails the task."""
        target = self._target
        if target is None:
            return
        for name in (*self._here.things, *self._here.carried):
            fit = self._task.fits(target, self._here.alias(name))
            if fit:
                yield Choice(3.0 * fit + self._stage(target, name), (f"focus on {name}",))

    def _stage(self, target: Target, name: str) -> float:
        """Returns the score for stages of life: high for the earliest one that was seen and not focused on yet."""
        if not (self._task.sense and target.how == "kind" and "stage" in self._task.task):
            return 0.0
        done = max((s for f in self._memory.focused if (s := stage(f)) is not None), default=-1)
        ahead = [s for seen in self._memory.seen if self._task.fits(target, seen) and (s := stage(seen)) is not None
                 and s > done]
        own = stage(name)
        return 1.5 if ahead and own == min(ahead) and "dead" not in name else -4.0

    def _things(self) -> Iterator[Choice]:
        here = self._here
        for name in here.things:
            mention = self._task.mention(name)
            about = max(mention, float(here.named(name)))
            yield Choice(0.6 + 1.2 * about if about else -0.8, (f"pick up {name}",))
            if head(name) in here.it and TRANSPORT.search(self._task.task):
                yield Choice(2.8, (f"pick up {name}",))
            if here.says_of(name, "door is closed"):
                yield Choice(0.8 + mention, (f"open {name}",))
            if here.says_of(name, "turned off|deactivated"):
                yield Choice(0.3 + 1.5 * mention, (f"activate {name}",))
            if TEXTS.search(name):
                yield Choice(1.0 if self._memory.tried[f"read {name}"] else 2.2, (f"read {name}",))
            if mention:
                yield Choice(0.1 + 0.4 * mention, (f"look in {name}",))

    def _carried(self) -> Iterator[Choice]:
        here = self._here
        mixes = 0.8 if "mix" in self._task.weights else 0.0
        for name in here.carried:
            mention = self._task.mention(name)
            if TEXTS.search(name):
                yield Choice(1.0, (f"read {name}",))
            if mention:
                yield Choice(0.2 + 0.4 * mention + mixes, (f"mix {name}",))
            for other in here.carried:
                if name != other and here.named(name) and here.named(other):
                    yield Choice(1.4, (f"use {name} on {other}",))
                    yield Choice(0.6, (f"pour {name} in {other}",))

    def _together(self) -> Iterator[Choice]:
        """Yields plans with a carried object and one in sight, at least one of which the task names."""
        here = self._here
        for name in here.things:
            for held in here.carried:
                both = here.named(held) + here.named(name)
                if both:
                    yield Choice(self._moving(held, name, both), (f"move {held} to {name}",))
                    yield Choice(1.0 if both == 2 else -0.6, (f"pour {held} in {name}",))
                if here.named(held):
                    yield Choice(1.4 if both == 2 else -0.2, (f"use {held} on {name}",))

    def _moving(self, held: str, name: str, both: int) -> float:
        if both < 2:
            return -0.3
        return 3.2 if head(held) in self._here.it and head(name) not in self._here.it else 2.2

    def _wait(self) -> Iterator[Choice]:
        look = self._here.look
        active = "turned on" in look or "activated" in look.replace("deactivated", "")
        yield Choice(0.5 if active or self._memory.focused else -0.2, ("wait",))


# --- answers ----------------------------------------------------------------------
TEMPERATURE, EXPLORING = 0.35, 2.0
"""The temperature of the softmax, and its factor if the objective is to explore."""
CONSIDERED = 12
MOST_WORTH = 3.0
PATIENCE = {"wait": 0.05, "go": 0.5}
"""The cost of repeating an action in the same episode; 1.2 for all others."""
CAN_BE_REFUSED = ("pick", "mix", "open", "activate", "use", "look")


def chosen(facts: ActionPlanFacts, rng: np.random.Generator) -> list[str]:
    """Returns a plan; empty if none is left."""
    memory = Recollection()
    memory.believe(facts.learnings)
    memory.live(facts.rooms, facts.trace)
    task = Task(facts.task, " ".join(memory.says.values()), facts.stand_in == "words")
    choices = Menu(facts, memory, task).choices()
    if not choices:
        return []
    scores = [_score(choice, memory) for choice in choices]
    best = sorted(range(len(choices)), key=lambda k: -scores[k])[:CONSIDERED]
    hot = TEMPERATURE * (EXPLORING if facts.explore else 1.0)
    shares = np.exp([(scores[k] - scores[best[0]]) / hot for k in best])
    return list(choices[best[int(rng.choice(len(best), p=shares / shares.sum()))]].plan)


def _score(choice: Choice, memory: Recollection) -> float:
    first, last = choice.plan[0], choice.plan[-1]
    kind = first.split(" ")[0]
    again = PATIENCE.get(last.split(" ")[0], 1.2) * memory.now_tried[last]
    score = choice.score - 0.3 * math.log1p(memory.tried[last]) - again
    if kind in ("move", "pour"):
        score -= 0.7 * memory.refused[into(first)]
    if kind in CAN_BE_REFUSED:
        score -= 0.8 * memory.refused[first_of(first)]
    return score + min(memory.worth.get(last, 0.0), MOST_WORTH)


def action_plan(facts: ActionPlanFacts) -> str:
    """Returns a short plan as a JSON list; an empty list if the rules find no action."""
    rng = np.random.default_rng(facts.draw)
    if facts.stand_in == "random":
        one = filled(facts.templates, facts.things, facts.avoid, rng)
        return json.dumps([one] if one else [])
    return json.dumps(chosen(facts, rng))


def learnt(facts: LearnerFacts) -> list[str]:
    """Returns all that is known after an episode. Lines in other formats (an operator's, a model's) are kept."""
    memory = Recollection()
    memory.believe(facts.learnings)
    own = set(memory.lines())
    others = [line for line in facts.learnings if line not in own]
    memory.live(facts.rooms, facts.trace)
    return [*(line for line in others if not _is_own_format(line)), *memory.lines()]


def _is_own_format(line: str) -> bool:
    """Returns True if a line has a format that the rules write themselves."""
    one = Recollection()
    one.believe([line])
    return one != Recollection()


register(ActionPlanFacts, lambda facts, ask, prior: action_plan(facts))
register(LearnerFacts, lambda facts, ask, prior: json.dumps(learnt(facts), ensure_ascii=False))
