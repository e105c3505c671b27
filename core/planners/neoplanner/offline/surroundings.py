"""What is here: things in sight, what is carried, what contains what, as the room's description and the inventory tell."""

from __future__ import annotations

import re
from functools import cache

from core.planners.neoplanner.offline.recollection import Recollection, doors, is_thing
from core.planners.neoplanner.offline.task import Task
from core.planners.neoplanner.offline.words import head, listed
from core.planners.neoplanner.prompt_facts import ActionPlanFacts

ARTICLE = re.compile(r"^(?:an?|the|some)\s+(?:recipe titled )?", re.IGNORECASE)


class Surroundings:
    """One moment, read.

    Attributes:
        things: in sight, but for rooms, doors and the agent; carried: names of what is carried.
        it: heads of what was focused on: what "it" may stand for.
    """

    def __init__(self, facts: ActionPlanFacts, memory: Recollection, task: Task):
        self.room, self.look, self.inventory = facts.room, facts.look, facts.inventory
        self._task, self._memory = task, memory
        rooms = memory.rooms
        self.things = [name for name in facts.things if is_thing(name, rooms)]
        self.carried = [name for name in map(_name, facts.inventory.splitlines()[1:]) if name and name != "nothing"]
        self.doors = doors(facts.look)
        self.it = {head(name) for name in memory.focused}
        self.named = cache(self._named)

    def _named(self, name: str) -> bool:
        """Whether a thing itself is named in the task, not just inside a longer name, as the orange in `orange box`."""
        short, text = head(name), self._task.text
        if short in self.it:
            return True
        for other in sorted(self._memory.seen):
            if short in other.split() and head(other) != short and other != short and other in text:
                text = text.replace(other, "#")
        return re.search(rf"\b{re.escape(short)}\b", text) is not None

    def contents(self, vessel: str) -> str:
        """What a vessel contains, as listed; empty: nothing."""
        found = re.search(rf"{listed(vessel)}[^()\n]{{0,12}}\(containing ([^()]*)\)", self.look + self.inventory)
        inside = found.group(1).replace("a substance called ", "") if found else ""
        return "" if inside == "nothing" else inside

    def alias(self, name: str) -> str:
        """`substance in cup` -> what the description says the cup contains; else the head of the name."""
        if name.startswith("substance in "):
            return self.contents(name.removeprefix("substance in ")) or "substance"
        return head(name)

    def says_of(self, name: str, what: str) -> bool:
        """Whether the description says something of a thing, in its line."""
        return re.search(rf"{listed(name)}[^\n]*(?:{what})", self.look) is not None


def _name(line: str) -> str:
    """`	a thermometer, currently reading …` -> `thermometer`."""
    text = ARTICLE.sub("", line.strip())
    return re.split(r" \(|,|\. On|its terminal|its anode", text)[0].replace("substance called ", "").strip()
