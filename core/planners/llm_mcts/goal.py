"""The goal as the language model translates it: the request of Listing 3, its reply, and the offline answer.

Zhao et al., section 2.2: the instruction becomes tuples such as (apple, inside, fridge), whose names are mapped to those of the
home. A reply that states no possible goal leaves the goal that the rules found, with a remark of one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.common.errors import UsageError
from core.goals.kinds import THING
from core.goals.literals import Goal, Literal
from core.llm.grounding import ground
from core.planning.facets import Grounding
from core.planning.model_requests import ModelReply, ModelRequest, prompt
from core.planning.offline_answers import Prior, register
from core.planning.prompt_facts import InstructionFacts
from core.world.vocabulary import CONTAINER, GRABBABLE, SURFACE, Entity, spaced

MOST_READ, MOST_LITERALS, MOST_COUNT = 2000, 10, 10
"""The maximum number of characters of a reply that are read, of its literals, and of the objects of one."""
TUPLE = re.compile(r"\(\s*(?P<relation>[A-Za-z]+)\s*,\s*(?P<subject>[^,()]{1,80})\s*,\s*(?P<target>[^,()]{1,80}?)\s*"
                   r"(?:,\s*(?P<count>\d{1,3})\s*)?\)")
NUMBERED = re.compile(r"_\d+$")
"""The end of an id."""
RELATIONS = {"inside": CONTAINER, "in": CONTAINER, "on": SURFACE}
NUMBERS = {"a": 1, "an": 1, "the": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
CLAUSE = re.compile(r"(?:(?:put|place|move|bring|set|lay)\s+)?(?:(?P<count>an?|the|one|two|three|four|five|\d{1,2})\s+)?"
                    r"(?:pairs?\s+of\s+)?(?P<subject>.+?)\s+(?P<relation>inside|into|in|onto|on)\s+(?:the\s+|an?\s+)?(?P<target>.+)")


def goal_request(goal: Goal) -> ModelRequest:
    """Returns the request to translate the instruction of a goal."""
    messages = prompt("llm_mcts", "goal", goal=goal.text)
    return ModelRequest("goal", messages, goal.text, InstructionFacts(goal.text), max_tokens=128, ends=("\nGoal:",))


def says_all(goal: Goal) -> bool:
    """Returns True if the format can state a goal: numbers of objects of a class inside or on something, and nothing else."""
    return bool(goal.text) and all(
        x.predicate in ("inside", "on") and x.is_plain and not x.states and not x.by and x.subject != THING
        and not NUMBERED.search(x.subject) and not NUMBERED.search(x.target or "") for x in goal.literals)


def read_goal(reply: ModelReply, text: str, known: Iterable[Entity], classes: Iterable[str]) -> Goal:
    """Returns the goal that a reply states.

    Args:
        reply: the reply.
        text: the instruction.
        known: the entities seen or on the map.
        classes: further classes of objects that may be in the home.

    Raises:
        UsageError: it states none, or one that is not possible; the message says in one line why.
    """
    entities = tuple(known)
    objects = sorted({e.cls for e in entities if e.category == "object" and GRABBABLE in e.properties} | set(classes))
    found = list(TUPLE.finditer((reply.texts[0] if reply.texts else "")[:MOST_READ]))[:MOST_LITERALS]
    if not found:
        raise UsageError("the reply states no goal in the form (INSIDE, apple, fridge, 1)")
    literals = []
    for part in found:
        relation, count = part["relation"].lower(), int(part["count"] or 1)
        if relation not in RELATIONS:
            raise UsageError(f"“{part['relation']}” is neither INSIDE nor ON")
        if not 1 <= count <= MOST_COUNT:
            raise UsageError(f"{count} objects: a goal may ask for 1 to {MOST_COUNT}")
        places = sorted({e.cls for e in entities if e.category == "furniture" and RELATIONS[relation] in e.properties})
        literals.append(Literal("on" if relation == "on" else "inside", _named(part["subject"], objects, "can be carried here"),
                                _named(part["target"], places, f"has something {relation} it here"), count))
    return Goal(tuple(dict.fromkeys(literals)), text)


def _named(name: str, classes: list[str], role: str) -> str:
    """Returns the class that a name means."""
    match = ground(name, [spaced(cls) for cls in classes])
    if match.candidate is None:
        raise UsageError(f"nothing called “{name.strip()}” {role}")
    return classes[[spaced(cls) for cls in classes].index(match.candidate)]


def translation(ask: ModelRequest, reply: ModelReply, goal: Goal | None, trouble: str = "") -> Grounding:
    """Returns how a reply was understood: the goal, or why the goal of the rules is kept."""
    said = (reply.texts[0] if reply.texts else "").strip()[:200]
    if goal is None:
        return Grounding(ask.digest, said, "", 0.0, "none", remark=f"{trouble}: the goal that the rules found is kept")
    return Grounding(ask.digest, said, "; ".join(map(str, goal.literals)), 1.0, "normalised")


def _answer(facts: InstructionFacts, ask: ModelRequest, prior: Prior) -> str:
    """Returns the instruction in formal text, from its words alone; empty if a part of it is not understood."""
    del ask, prior
    said = facts.text.strip().rstrip(".").lower()
    parts = []
    for part in re.split(r"\s*,\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?", said):
        match = CLAUSE.fullmatch(part)
        if match is None:
            return ""
        count = NUMBERS.get(match["count"] or "one") or int(match["count"])
        relation = "ON" if match["relation"].startswith("on") else "INSIDE"
        parts.append(f"({relation}, {match['subject']}, {match['target']}, {count})")
    return "-".join(parts)


register(InstructionFacts, _answer)
