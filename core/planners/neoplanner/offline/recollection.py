"""The memory of the offline rules: the learnings of earlier episodes, and the current episode."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from core.planners.neoplanner.offline.words import has_words, head, ways
from core.planners.neoplanner.recorded_types import RoomSeen, StepTaken

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
