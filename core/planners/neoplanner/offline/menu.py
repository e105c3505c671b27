"""The possible next plans with their scores: rules about finding, fetching, focusing, using."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.planners.neoplanner import offline_knowledge
from core.planners.neoplanner.offline.chains import chains
from core.planners.neoplanner.offline_knowledge import LITTLE, Recollection, Surroundings, Target, Task, head
from core.planners.neoplanner.recorded_types import ActionPlanFacts

TRANSPORT = re.compile(r"\b(?:move|place|put) it\b")


class Choice(NamedTuple):
    """A short plan and its score."""

    score: float
    plan: tuple[str, ...]


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
            found += [Choice(score, plan) for score, plan in chains(self._here, self._memory, self._task)]
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
        done = max((s for f in self._memory.focused if (s := offline_knowledge.stage(f)) is not None), default=-1)
        ahead = [s for seen in self._memory.seen if self._task.fits(target, seen) and (s := offline_knowledge.stage(seen)) is not None
                 and s > done]
        own = offline_knowledge.stage(name)
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
            if offline_knowledge.TEXTS.search(name):
                yield Choice(1.0 if self._memory.tried[f"read {name}"] else 2.2, (f"read {name}",))
            if mention:
                yield Choice(0.1 + 0.4 * mention, (f"look in {name}",))

    def _carried(self) -> Iterator[Choice]:
        here = self._here
        mixes = 0.8 if "mix" in self._task.weights else 0.0
        for name in here.carried:
            mention = self._task.mention(name)
            if offline_knowledge.TEXTS.search(name):
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
