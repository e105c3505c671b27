"""The current surroundings, parsed from the room's description and the inventory."""

from __future__ import annotations

import re
from functools import cache

from core.planners.neoplanner.offline.recollection import Recollection, doors, is_thing
from core.planners.neoplanner.offline.task import Task
from core.planners.neoplanner.offline.words import head, listed
from core.planners.neoplanner.recorded_types import ActionPlanFacts

ARTICLE = re.compile(r"^(?:an?|the|some)\s+(?:recipe titled )?", re.IGNORECASE)


class Surroundings:
    """One moment, parsed.

    Attributes:
        things: names in sight, without rooms, doors and the agent.
        carried: names of carried objects.
        doors: room behind each door -> open or closed.
        it: heads of the names focused on, which "it" may refer to.
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
        """Returns True if the task names the object itself, not only within a longer name (the orange in `orange box`)."""
        short, text = head(name), self._task.text
        if short in self.it:
            return True
        for other in sorted(self._memory.seen):
            if short in other.split() and head(other) != short and other != short and other in text:
                text = text.replace(other, "#")
        return re.search(rf"\b{re.escape(short)}\b", text) is not None

    def contents(self, vessel: str) -> str:
        """Returns the listed contents of a vessel; empty if there are none."""
        found = re.search(rf"{listed(vessel)}[^()\n]{{0,12}}\(containing ([^()]*)\)", self.look + self.inventory)
        inside = found.group(1).replace("a substance called ", "") if found else ""
        return "" if inside == "nothing" else inside

    def alias(self, name: str) -> str:
        """Returns the described contents for `substance in cup`; for other names, their head."""
        if name.startswith("substance in "):
            return self.contents(name.removeprefix("substance in ")) or "substance"
        return head(name)

    def says_of(self, name: str, what: str) -> bool:
        """Returns True if the description says something about an object in its line."""
        return re.search(rf"{listed(name)}[^\n]*(?:{what})", self.look) is not None


def _name(line: str) -> str:
    """Returns the name in an inventory line: `	a thermometer, currently reading …` -> `thermometer`."""
    text = ARTICLE.sub("", line.strip())
    return re.split(r" \(|,|\. On|its terminal|its anode", text)[0].replace("substance called ", "").strip()
