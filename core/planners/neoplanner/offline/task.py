"""Parses a task: the relevant words, and what to focus on, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from core.planners.neoplanner.offline import everyday
from core.planners.neoplanner.offline.words import stem, stems, words

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
            for word in sorted(everyday.related(task)):
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
        return 0.8 if self.sense and everyday.stands_for(name, target.names[0]) else 0.0


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
