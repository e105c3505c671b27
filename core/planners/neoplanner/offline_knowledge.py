"""What NeoPlanner's offline answers know: common words, the task, the learnings and the episode, and the surroundings.

The words and their associations are general, not specific to tasks.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from core.planners.neoplanner.recorded_types import ActionPlanFacts, RoomSeen, StepTaken

# --- words ------------------------------------------------------------------------
_STOP = """a an the of to is in it its on for and or if that then which your task this be will where with any around located
there first next do are can you when take actions s n by from thing some as also place move above below may might found
degrees celsius state matter"""
STOP = frozenset(_STOP.split())
"""Words that do not indicate what a task is about."""


def words(text: str) -> list[str]:
    """Returns the relevant words in order."""
    return [w for w in re.findall(r"[a-z]+", text.lower()) if w not in STOP]


def stem(word: str) -> str:
    """Returns a word without its ending: `boiling` and `boils` give `boil`."""
    return re.sub(r"(ing|es|s|ed)$", "", word) if len(word) > 4 else word


def stems(text: str) -> list[str]:
    """Returns the stems of the relevant words."""
    return [stem(w) for w in words(text)]


def head(name: str) -> str:
    """Returns the head of a name: `cup containing nothing in table` -> `cup`; `door to kitchen` -> `door`."""
    return re.split(r" (?:in|on|to|containing|called|with|inside) ", name)[0]


def has_words(name: str, phrase: str) -> bool:
    """Returns True if a name contains a phrase as whole words: `fire pit` is in `big fire pit`, but `ice` is not in `juice`."""
    return f" {phrase} " in f" {name} "


def listed(name: str) -> str:
    """Returns a pattern for an object that a description lists by its whole name: `pot`, but not the pot of `a flower pot`."""
    return rf"(?:\b(?:an?|the|some|called) |\t){re.escape(name)}\b"


def ways(action: str) -> tuple[str, str]:
    """Returns an action's kind and its first object: `pick up red apple` -> (`pick up`, `red apple`)."""
    found = re.match(r"(pick up|look in|look at|put down|focus on|open door to|\w+) ?(.*)", action)
    kind, rest = found.groups() if found else ("", action)
    return kind, head(rest)


# --- everyday knowledge -----------------------------------------------------------
GOES_WITH = {
    "boil": "stove oven furnace plate heat fire pot metal activate steam wait water",
    "melt": "stove oven furnace plate heat fire activate wait",
    "freeze": "freezer fridge ice cold open wait",
    "heat": "stove oven furnace activate",
    "temperature": "thermometer use",
    "melting": "thermometer use stove oven heat",
    "water": "sink fountain cup pot bowl jug jar ice steam",
    "plant": "tree flower greenhouse pot",
    "chemistry": "mix pour recipe read cup jar",
    "create": "mix pour recipe read",
    "recipe": "read",
    "animal": "outside",
    "life": "egg baby hatchling tadpole caterpillar larva pupa juvenile adult outside",
    "substance": "cup pot jar bowl",
}
ANIMALS = """ant bear bee beetle bird butterfly cat chameleon chicken cow crocodile deer dog dove dragonfly duck elephant fish
fly fox frog goat hedgehog horse lion lizard monkey moth mouse owl parrot pig pigeon rabbit rat sheep snail snake spider
squirrel tadpole tiger toad tortoise turtle whale wolf worm"""
PLANTS = "bush cactus fern flower grass moss plant tree vine"
STANDS_FOR = {"animal": ANIMALS, "plant": PLANTS, "living": f"{ANIMALS} {PLANTS}", "ice": "ice", "steam": "steam"}
"""Kind of object -> names that denote such objects."""
KINDS = {stem(kind): names for kind, names in STANDS_FOR.items()}
STAGES = ("seed", "egg", "hatchling", "baby", "larva", "tadpole", "caterpillar", "sprout", "seedling", "pupa", "juvenile",
          "young", "adult", "reproducing")
"""Stages of life in order."""
HOT = ("stove", "oven", "furnace", "hot plate", "fire pit")
COLD = ("freezer", "fridge", "ice")
TEXTS = re.compile(r"\b(?:recipe|note|\w*book|instructions|paper)(?: (?:titled|to|called) .*)?$")
"""Names of readable objects."""
VESSELS = ("cup", "pot", "bowl", "jug", "jar", "beaker")


def related(text: str) -> set[str]:
    """Returns the stems of words associated with the words of a text."""
    return {stem(x) for w in words(text) for x in GOES_WITH.get(w, "").split()}


def stands_for(name: str, kind: str) -> bool:
    """Returns True if a name denotes an object of a kind: a tree is a plant."""
    last = stems(name)[-1:]
    return any(last == [stem(word)] for k in stems(kind) for word in KINDS.get(k, "").split())


def stage(text: str) -> int | None:
    """Returns the index of the first stage of life in a text."""
    return next((k for k, name in enumerate(STAGES) if name in text.split()), None)


# --- the task ---------------------------------------------------------------------
MUCH, LITTLE = 1.0, 0.6
PHRASE = re.compile(r"focus on (?:the |a |an )?([\w' -]+)")
COUNTED = re.compile(r"(\d+) ([\w ]+) of the ([\w ]+)")


@dataclass(frozen=True, slots=True)
class Target:
    """What one focus should be on: a name, a kind of object, or one of several names (a condition decides which)."""

    how: Literal["name", "kind", "any"]
    names: tuple[str, ...]


class Task:
    """The words of a task and of texts read on the way."""

    def __init__(self, task: str, read: str, sense: bool):
        self.task, self.sense = task, sense
        self.text = f"{task} {read}".lower()
        self.weights = {stem(w): MUCH for w in words(self.text)}
        if sense:
            for word in sorted(related(task)):
                self.weights.setdefault(word, LITTLE)
        self.targets = _targets(task)

    def mention(self, name: str) -> float:
        """Returns the share of a name's words that the task mentions, 0..1."""
        found = stems(name)
        return sum(self.weights.get(w, 0.0) for w in found) / len(found) if found else 0.0

    def fits(self, target: Target, name: str) -> float:
        """Returns how well an object matches the target of a focus, 0..1."""
        if target.how == "any":
            return float(name in target.names)
        wanted, have = stems(target.names[0]), {stem(w) for w in words(name)}
        hits = sum(w in have for w in wanted)
        if target.how == "name":
            return _called(stems(name), wanted)
        if hits:
            return 1.0
        return 0.8 if self.sense and stands_for(name, target.names[0]) else 0.0


def _called(have: list[str], wanted: list[str]) -> float:
    """Returns how well a name matches, 0..1: equal, or with words before it (`red apple`); never `apple tree`."""
    if not wanted or have[-len(wanted):] != wanted:
        return 0.0
    return 1.0 if have == wanted else 0.8


def _targets(task: str) -> tuple[Target, ...]:
    """Returns the targets in the order of the text; alternatives (`If …, focus on …`) come last, as one target."""
    found: list[Target] = []
    either: list[str] = []
    about = words(task.split(".")[0])[1:]
    for part in re.split(r"(?<=[.])\s", task):
        for phrase in (re.split(r" in the | starting| which| that ", m)[0].strip(" ,.'") for m in PHRASE.findall(part)):
            if part.strip().startswith("If "):
                either.append(phrase)
            else:
                found += _target(phrase, about)
    return (*found, Target("any", tuple(either))) if either else tuple(found)


def _target(phrase: str, about: list[str]) -> list[Target]:
    counted = COUNTED.match(phrase)
    if counted:
        return [Target("kind", (counted.group(3),))] * min(int(counted.group(1)), 20)
    if phrase in ("thing", "substance", "object"):
        return [Target("kind", (" ".join(about),))]
    return [Target("name", (phrase,))]


# --- the learnings and the episode ------------------------------------------------
DOOR = re.compile(r"door to the ([\w ]+) \(that is (open|closed)\)")
SHUT = re.compile(r"the ([\w ]+?) isn't open|the ([\w ]+?) can't be poured out, because it's not open")
NOW_OPEN = re.compile(r"The ([\w ]+?) is now open")
IN_VAIN = re.compile(r"not moveable|can't|cannot|not a |nothing|only one thing|does not appear|no items")
INTO = "putting into"
NEVER: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"^The .* is not moveable"), ("pick up", "move")),
    (re.compile(r"can't pick up a (?:liquid|gas)"), ("pick up", "move")),
    (re.compile(r"^That can't be moved there(?:\.|, because it's not a container)"), (INTO,)),
    (re.compile(r"is not openable"), ("open",)), (re.compile(r"is not something that can be activated"), ("activate", "use")),
    (re.compile(r"^I'm not sure how to use the "), ("use",)), (re.compile(r"how to read that"), ("read",)),
    (re.compile(r"how to look inside"), ("look in",)), (re.compile(r"how to pour a solid"), ("pour",)),
    (re.compile(r"^(?:No known action|Unknown action|I'm not sure how to use those two)"), ()),
)
"""Refusal -> the kinds of action that are always refused for this object; none: only this action."""
NOT_THINGS = frozenset({"agent", "air", "ground"})
LONG = 400
FAILURE = -0.5
"""The change of an action's value for each refusal."""


def doors(look: str) -> dict[str, str]:
    """Returns room behind each door -> open or closed."""
    return dict(DOOR.findall(look))


@dataclass
class Recollection:
    """What is known, with the world's names of rooms and objects.

    Attributes:
        leads: room -> rooms behind its doors.
        seen: object -> room.
        opened: (room, room) pairs with an open door between them in this episode.
        visits: room -> visits in all episodes.
        now_visits: room -> visits in this episode.
        tried: action -> count in all episodes.
        now_tried: action -> count in this episode.
        refused: `pick up table` and `putting into cup` -> number of refusals.
        worth: action -> its total reward (log-transformed), reduced by refusals.
        shut: objects that must be opened first.
        says: object -> the text written on it.
        focused: what was focused on in this episode, in order.
        hopeless: (kind of action, object) pairs that the world always refuses; kind "": a whole action.
    """

    leads: dict[str, set[str]] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)
    opened: set[tuple[str, str]] = field(default_factory=set)
    visits: Counter[str] = field(default_factory=Counter)
    now_visits: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    now_tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    worth: dict[str, float] = field(default_factory=dict)
    shut: set[str] = field(default_factory=set)
    says: dict[str, str] = field(default_factory=dict)
    focused: list[str] = field(default_factory=list)
    hopeless: set[tuple[str, str]] = field(default_factory=set)

    @property
    def rooms(self) -> set[str]:
        """All known rooms."""
        return set(self.leads) | {r for found in self.leads.values() for r in found}

    # --- learnings ---------------------------------------------------------
    def believe(self, lines: Iterable[str]) -> None:
        """Parses lines in the formats below; other lines are for language models."""
        for line in lines:
            if found := re.fullmatch(r"(.+?) says (.+)", line):
                self.says[found.group(1)] = found.group(2)
            elif found := re.fullmatch(r"(.+) leads to (.+)", line):
                self.leads.setdefault(found.group(1), set()).update(found.group(2).split(", "))
            elif found := re.fullmatch(r"(.+?) contains (.+)", line):
                self.seen.update(dict.fromkeys(found.group(2).split(", "), found.group(1)))
            elif found := re.fullmatch(r"(.+) was (visited|tried|refused) (\d{1,6}) times?", line):
                table = {"visited": self.visits, "tried": self.tried, "refused": self.refused}[found.group(2)]
                for name in found.group(1).split("; "):
                    table[name] += int(found.group(3))
            elif found := re.fullmatch(r"(.+) was worth ([+-]\d{1,4}\.\d\d)", line):
                self.worth[found.group(1)] = float(found.group(2))

    def lines(self) -> list[str]:
        """Returns the memory as lines, the most important first."""
        held: dict[str, list[str]] = {}
        for thing, room in self.seen.items():
            if is_thing(thing, self.rooms):
                held.setdefault(room, []).append(thing)
        found = [f"{thing} says {text}" for thing, text in sorted(self.says.items())]
        found += [f"{room} leads to {', '.join(sorted(to))}" for room, to in sorted(self.leads.items()) if to]
        found += [f"{room} contains {part}" for room, things in sorted(held.items()) for part in _joined(sorted(things), ", ")]
        worth = sorted(self.worth.items(), key=lambda x: (-abs(x[1]), x[0]))
        found += [f"{a} was worth {w:+.2f}" for a, w in worth if abs(w) >= 0.01]
        found += [f"{a} was refused {_times(n)}" for a, n in sorted(self.refused.items())]
        found += [f"{room} was visited {_times(n)}" for room, n in sorted(self.visits.items())]
        alike: dict[int, list[str]] = {}
        for action, count in sorted(self.tried.items()):
            alike.setdefault(count, []).append(action)
        found += [f"{part} was tried {_times(n)}" for n in sorted(alike, reverse=True) for part in _joined(alike[n], "; ")]
        return found

    # --- this episode ------------------------------------------------------
    def live(self, rooms: Iterable[RoomSeen], trace: Iterable[StepTaken]) -> None:
        """Processes the rooms and steps of an episode."""
        for k, room in enumerate(rooms):
            self._room(room, first=k == 0)
        for step in trace:
            self.tried[step.action] += 1
            self.now_tried[step.action] += 1
            self._step(step)

    def _room(self, room: RoomSeen, *, first: bool) -> None:
        behind = doors(room.look)
        self.leads[room.name] = set(behind)
        self.seen.update(dict.fromkeys(room.things, room.name))
        for other, state in behind.items():
            if state == "open":
                self.opened |= {(room.name, other), (other, room.name)}
        if first:
            self._visit(room.name)

    def _visit(self, room: str) -> None:
        self.visits[room] += 1
        self.now_visits[room] += 1

    def _step(self, step: StepTaken) -> None:
        action, reply = step.action, " ".join(step.reply.split())
        if action.startswith("go "):
            self._visit(step.room)
        self.shut |= {(a or b).strip() for a, b in SHUT.findall(reply)}
        self.shut -= {x.strip() for x in NOW_OPEN.findall(reply)}
        if step.ok and action.startswith("focus on "):
            self.focused.append(action.removeprefix("focus on "))
        if step.ok and action.startswith("read ") and len(reply) > 20:
            self.says[action.removeprefix("read ")] = reply[:500]
        if step.reward > 0:
            self.worth[action] = self.worth.get(action, 0.0) + math.log1p(step.reward)
        if not step.ok:
            self.worth[action] = self.worth.get(action, 0.0) + FAILURE
        if not step.ok:
            self._give_up(action, reply)
        if not step.ok or IN_VAIN.search(reply):
            if action.startswith(("move ", "pour ")) and "t be moved there" in reply and "isn't open" not in reply:
                self.refused[into(action)] += 1
            self.refused[first_of(action)] += 1

    def _give_up(self, action: str, reply: str) -> None:
        """Records which similar actions a refusal excludes."""
        for said, kinds in NEVER:
            if said.search(reply):
                thing = ways(action)[1]
                self.hopeless.update((kind, into(action) if kind == INTO else thing) for kind in kinds)
                self.hopeless |= set() if kinds else {("", action)}

    def is_hopeless(self, action: str) -> bool:
        """Returns True if the world always refuses an action."""
        kind, thing = ways(action)
        put = kind in ("move", "pour") and (INTO, into(action)) in self.hopeless
        return put or (kind, thing) in self.hopeless or ("", action) in self.hopeless

    # --- paths -------------------------------------------------------------
    def way(self, here: str, there: str) -> list[str]:
        """Returns the rooms to pass, the last of them `there`; empty if no path is known."""
        before: dict[str, str] = {here: ""}
        queue = [here]
        for room in queue:
            for other in sorted(self.leads.get(room, ())):
                if other not in before:
                    before[other] = room
                    queue.append(other)
        path = [there] if there in before and there != here else []
        while path and before[path[0]] != here:
            path.insert(0, before[path[0]])
        return path

    def walk(self, here: str, path: Iterable[str]) -> list[str]:
        """Returns the actions for a path; doors not known to be open are opened."""
        found = []
        for room in path:
            if (here, room) not in self.opened:
                found.append(f"open door to {room}")
            found.append(f"go {room}")
            here = room
        return found


def is_thing(name: str, rooms: Collection[str]) -> bool:
    """Returns True for the name of an object, as opposed to a room, a door, the agent or the air."""
    return name not in NOT_THINGS and not has_words(head(name), "door") and name not in rooms


def first_of(action: str) -> str:
    """Returns kind and first object: `move cup in table to sink` -> `move cup`; `pick up red apple` is unchanged."""
    return " ".join(ways(action)).strip()


def into(action: str) -> str:
    """Returns `putting into sink` for `move cup to sink`."""
    return f"{INTO} {head(re.split(' to | in ', action)[-1])}"


def _joined(names: Iterable[str], comma: str) -> list[str]:
    """Joins names into as few lists as possible, short enough that no line is cut."""
    parts: list[str] = []
    for name in names:
        if parts and len(parts[-1]) + len(name) < LONG:
            parts[-1] += comma + name
        else:
            parts.append(name)
    return parts


def _times(count: int) -> str:
    return f"{count} time{'' if count == 1 else 's'}"


# --- the surroundings -------------------------------------------------------------
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
