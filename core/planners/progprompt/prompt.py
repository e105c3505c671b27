"""The request for a program: imports, the list of objects, examples, and the function to complete."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.goals.literals import Goal, progress
from core.goals.tracker import GoalTracker
from core.planners.progprompt.recorded_types import ProgramFacts, ThingFact
from core.planning.model_requests import Ask, prompt
from core.planning.prompt_facts import PlaceFact
from core.search.language_model import goal_text
from core.search.translation import Names, layout_of, place_facts
from core.world.known_world import KnownWorld
from core.world.vocabulary import OPENABLE, SWITCHABLE, ActionSchema, spaced

MOST_TOKENS = 1500


def program_facts(world: KnownWorld, aim: GoalTracker, schemas: tuple[ActionSchema, ...], names: Names,
                  failed: tuple[str, ...], *, finds: bool) -> ProgramFacts:
    """Returns the facts of the prompt."""
    goal = aim.pursued
    done = tuple(report.have for report in progress(goal, world.merged()))
    verbs = (*(("find",) if finds else ()), *(s.verb for s in schemas))
    rooms = tuple((names(e.id), e.cls) for e in world.entities.values() if e.category == "room")
    places = tuple(PlaceFact(names(p.id), p.cls, names(p.room), p.room_cls, p.inside)
                   for p in place_facts(layout_of(world.entities.values())))
    return ProgramFacts(goal, done, verbs, tuple(_things(world, goal, names)), places, rooms, failed,
                        tuple(map(names, aim.hidden)))


def _things(world: KnownWorld, goal: Goal, names: Names) -> Iterator[ThingFact]:
    """Yields all known entities, then classes of the goal that were never seen."""
    switches = {r.object: r.subject for r in world.merged().relations if r.kind == "controls"}
    for e in world.entities.values():
        if e.category != "room":
            yield ThingFact(names(e.id), e.cls, e.category, e.properties, names(switches.get(e.id, e.id)))
    known = {e.cls for e in world.entities.values()} | set(world.entities)
    wanted = (x for literal in goal.literals for x in (literal.subject, literal.target) if x is not None and x not in known)
    for cls in dict.fromkeys(wanted):
        yield ThingFact(spaced(cls), cls, "wanted", frozenset(), spaced(cls))


def ask_program(facts: ProgramFacts, schemas: tuple[ActionSchema, ...], number: int, temperature: float) -> Ask:
    """Returns the request; `number` counts the programs of an episode from 1."""
    roles = {s.verb: s.roles for s in schemas} | {"find": ("thing",)}
    actions = ", ".join(" ".join((v, *(f"<{role}>" for role in roles[v]))) for v in facts.verbs)
    objects = ", ".join(repr(t.name) for t in facts.things)
    before = "\n".join(f"# failed before: {line}" for line in facts.failed)
    text = goal_text(facts.goal)
    left = [f"{n} of {x.count}: {x}" for x, n in zip(facts.goal.literals, facts.done, strict=True) if n]
    goal = f"{text} (done so far: {'; '.join(left)})" if left else text
    messages = prompt("progprompt", "find" if "find" in facts.verbs else "no_find", actions=actions, objects=objects,
                      notes=_notes(facts), before=before, function=_function_name(text), goal=goal)
    return Ask("program", messages, f"program {number}", facts, temperature=temperature, max_tokens=MOST_TOKENS)


def _notes(facts: ProgramFacts) -> str:
    """Returns what the list of objects does not contain: rooms, doors, switches."""
    notes = [f"# rooms: {', '.join(name for name, _ in facts.rooms)}"] if facts.rooms else []
    for flag, words in ((OPENABLE, "can be opened"), (SWITCHABLE, "can be switched")):
        found = [t.name for t in facts.things if flag in t.properties]
        notes += [f"# {words}: {', '.join(found)}"] if found else []
    where = dict.fromkeys(f"{p.id} in the {p.room}" for p in facts.places)
    notes += [f"# furniture: {', '.join(where)}"] if where else []
    notes += [f"# not looked into yet: {', '.join(facts.unseen)}"] if facts.unseen else []
    notes += [f"# the {t.switch} switches the {t.name}" for t in facts.things if t.switch != t.name]
    return "\n".join(notes)


def _function_name(text: str) -> str:
    """Returns the task as a function name: `put_one_apple_inside_the_fridge`."""
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))[:80] or "task"
