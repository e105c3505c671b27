"""Measures how many sentences the rules read right: `python -m tests.core.goals.measure_sentences FILE`.

Each line of the file is a JSON object: `text`, `scene`, `doable`, `goal` (formal), `also` (other right readings), `wrong_word`.
A sentence that is not doable is right if it is refused, naming one of its wrong words, with suggestions that are possible.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from core.app.goal_reading import read_task
from core.app.goal_suggestions import usual_places
from core.common.errors import GoalError
from core.goals.formal_text import formal, read_formal
from core.goals.kinds import THING, is_a
from core.goals.literals import ROBOT, Goal, Literal
from core.goals.parser.sentence import read_sentence
from core.goals.progress import meant
from core.goals.reading import GoalReading
from core.goals.vocabulary import Lexicon
from core.simulator.base import Simulator
from core.world.vocabulary import Observation
from sim.registry import simulator_class

Meaning = frozenset[tuple[Any, ...]]
"""A goal without differences in wording: the ids that each literal is about."""


@dataclass(frozen=True, slots=True)
class Result:
    """How one sentence was read.

    Attributes:
        text: the sentence.
        kind: right, usual place (any will do), wrong, wrong and refused by the scene, not understood; of what cannot be done
            refused, no help or accepted.
        told: the goal or the refusal.
    """

    text: str
    kind: str
    told: str


@cache
def opened(scene: str) -> Simulator:
    """Returns the simulator of a scene at its start."""
    world = simulator_class("household").open(scene, {})
    world.reset(0)
    return world


def meaning(goal: Goal, world: Observation) -> Meaning:
    """Returns what a goal asks for in a world: every one and all by number are the same, and so are a class and its ids."""
    stages = sorted({x.stage for x in goal.literals if not x.never})
    found: set[tuple[Any, ...]] = set()
    for literal in goal.literals:  # which of several cabinets is meant is known only once something lies in it
        whole = literal if literal.holding is None else replace(literal, holding=None, every=False)
        found |= set(_of_literal(whole, stages, world))
    return frozenset(found)


def _of_literal(literal: Literal, stages: list[int], world: Observation) -> Iterator[tuple[Any, ...]]:
    subjects = frozenset({ROBOT}) if literal.subject == ROBOT else frozenset(e.id for e in meant(literal, world))
    target = frozenset(e.id for e in world.entities if literal.target and is_a(e, literal.target))
    predicate = literal.predicate
    stage = -1 if literal.never else stages.index(literal.stage)
    by = frozenset(e.id for e in world.entities if literal.by and is_a(e, literal.by))
    rest = (predicate, target, literal.states, by, literal.act, stage, literal.never)
    if literal.states and predicate != "is" and not literal.never and (literal.every or literal.count >= len(subjects) > 0):
        yield from _of_literal(replace(literal, predicate="is", target=None), stages, world)  # sliced, and on a plate
        yield from _of_literal(replace(literal, states=frozenset(), by=None), stages, world)
    elif literal.never or literal.every or literal.count >= len(subjects) > 0:
        yield from ((frozenset({one}), 1, *rest) for one in sorted(subjects))
        if not subjects:
            yield (literal.subject, 1, *rest)
    else:
        yield (subjects, literal.count, *rest)


def judged(case: dict[str, Any]) -> Result:
    """Returns how a sentence is read."""
    world = opened(case["scene"])
    seen = world.reveal()
    reading = read_sentence(case["text"], Lexicon(seen.entities, seen.relations), usual_places(seen))
    return _doable(case, reading, world) if case["doable"] else _undoable(case, world)


def expected_goal(formal_text: str, seen: Observation) -> Goal:
    """Returns the goal of a formal text; out of a room means in one of the others."""
    rooms = [e for e in seen.entities if e.category == "room"]
    text = re.sub(r"done\(wash,", "done(wash_hands,", formal_text)
    for room in rooms:
        others = "|".join(e.id for e in rooms if e.cls != room.cls)
        text = re.sub(rf"away\((\w+), {room.cls}\b", rf"inside(\1, {others}", text)
    return read_formal(text, seen.entities)


def _doable(case: dict[str, Any], reading: GoalReading, world: Simulator) -> Result:
    seen = world.reveal()
    if reading.goal is None:
        return Result(case["text"], "not understood", str(reading.refusal))
    expected = [expected_goal(one, seen) for one in (case["goal"], *case.get("also", ())) if one is not None]
    if not expected and "usual place" in case.get("note", ""):
        return _put_away(case["text"], reading.goal, seen)
    right = meaning(reading.goal, seen) in {meaning(goal, seen) for goal in expected}
    offered = any(meaning(other, seen) in {meaning(goal, seen) for goal in expected}
                  for guess in reading.guesses for _, other in guess.others)
    kind = "right" if right else "wrong, and refused by the scene" if not world.possible(reading.goal) else \
        "wrong, but the right one is offered" if offered else "wrong, but told" if reading.guesses else "silently wrong"
    guesses = "".join(f" [{guess.words}: {guess.taken}]" for guess in reading.guesses)
    return Result(case["text"], kind, f"{formal(reading.goal)}{guesses}" + ("" if right else f"   EXPECTED {case['goal']}"))


def _put_away(text: str, goal: Goal, seen: Observation) -> Result:
    """Returns the result of a sentence about usual places: any reading whose subjects are things the sentence names counts."""
    lexicon = Lexicon(seen.entities, seen.relations)
    said = " ".join(re.findall(r"[a-z]+", text.lower()))
    nouns = {word for size in (1, 2, 3) for word in map(" ".join, zip(*(said.split()[k:] for k in range(size)), strict=False))}
    named = {cls for noun in nouns if lexicon.is_here(noun) for one in lexicon.senses(noun) for cls in lexicon.classes_of(one)}
    about = all(lexicon.classes_of(x.subject) & named for x in goal.literals if x.subject not in (ROBOT, THING))
    return Result(text, "usual place" if about else "silently wrong", formal(goal))


def _undoable(case: dict[str, Any], world: Simulator) -> Result:
    try:
        goal = read_task(world, case["text"], 0).goal
    except GoalError as error:
        named = any(word in str(error).lower() for word in (case["wrong_word"] or "").lower().split("|")) or \
            any(word in error.words.lower() for word in (case["wrong_word"] or "").lower().split("|"))
        works = bool(error.suggestions) and all(_works(world, one) for one in error.suggestions)
        kind = "refused" if named and works else "refused, word not named" if works else "refused, no help"
        return Result(case["text"], kind, str(error))
    return Result(case["text"], "accepted though it cannot be done", formal(goal))


def _works(world: Simulator, text: str) -> bool:
    try:
        return bool(world.possible(read_task(world, text, 0).goal))
    except GoalError:
        return False


def report(path: Path) -> str:
    """Returns the figures, and every sentence that was not read right."""
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    results = [judged(case) for case in cases]
    doable = [r.kind for case, r in zip(cases, results, strict=True) if case["doable"]]
    refused = [r.kind for case, r in zip(cases, results, strict=True) if not case["doable"]]
    unread = doable.count("not understood") + doable.count("wrong, and refused by the scene")
    understood, right = len(doable) - unread, doable.count("right")
    lines = [f"{r.kind}: {r.text}\n    {r.told}" for r in results if r.kind not in ("right", "refused", "usual place")]
    usual = doable.count("usual place")
    lines += [f"{len(doable)} doable: {understood} understood, {right} right, {doable.count('silently wrong')} silently wrong",
              *([f"{usual} of them about usual places: not counted as right or wrong"] if usual else ()),
              f"{len(refused)} not doable: {refused.count('refused')} refused, naming the word, with suggestions that work",
              str(dict(Counter(r.kind for r in results)))]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(report(Path(sys.argv[1])) + "\n")
