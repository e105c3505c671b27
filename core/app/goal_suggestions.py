"""Suggests tasks in place of one that cannot be parsed or is not possible.

Each suggestion is parsed, and checked in the scene, before it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from zlib import crc32

from core.app.everyday_tasks import USUAL, UsualPlaces, is_place
from core.common.errors import GoalError
from core.goals.formal_text import formal, is_formal, read_formal
from core.goals.literals import NOT_LASTING, Goal, Literal
from core.goals.parser.context import Usual
from core.goals.parser.noun_phrases import span_of
from core.goals.parser.sentence import parse_goal
from core.goals.parser.word_classes import EXCEPTIONS, NEGATIONS
from core.goals.progress import reached
from core.goals.vocabulary import Lexicon
from core.planning.offline_answers import prior
from core.simulator.base import Simulator
from core.suites.tasks import sentence
from core.world.vocabulary import CONTAINER, OPENABLE, SWITCHABLE, Entity, Observation

MOST = 3
"""Number of suggestions in one message."""
MOST_OF_A_THING, MOST_DRAWN = 4, 24
"""Number of candidates tried for one noun, and of other tasks."""
STRIDE = 7
"""Steps between the classes of everyday tasks, so that neighbours in the alphabet do not follow each other."""
OTHERWISE = frozenset({"but", "dont", "anywhere", "instead", "avoid", "stop"})
MOST_WORDS = 60
"""Number of words of a task in which known nouns are searched."""
NOT_SO = re.compile(rf"n't\b|\b(?:{'|'.join(sorted(NEGATIONS | EXCEPTIONS | OTHERWISE)).replace('_', ' ')})\b")
"""What may forbid the other things that a task names: no suggestion offers these."""
CLAUSE_ENDS = ".,;!?"


def usual_places(seen: Observation) -> Usual:
    """Returns where objects of a class usually are, by the prior: classes of furniture, likeliest first."""
    usual = UsualPlaces(seen)
    return lambda cls: tuple(place.cls for place in usual.places_of(cls))


def suggestions(world: Simulator, lexicon: Lexicon, text: str, error: GoalError, seed: int,
                nearest: Iterable[str] = ()) -> tuple[str, ...]:
    """Returns the first few tasks that can be parsed, are possible, and are not reached at the start; most similar first.

    They are about what was said. Only if nothing possible was named, they are everyday tasks of the scene.

    If the simulator has a task of its own, that is the only suggestion. `nearest` are tasks to try before all others.
    """
    own = world.goal()
    if own is not None:
        return (own.text,)

    def suits(task: str) -> bool:
        try:
            goal = read_formal(task, world.reveal().entities) if is_formal(task) else parse_goal(task, lexicon)
        except GoalError:
            return False
        return bool(world.possible(goal)) and not reached(goal, world.reveal())

    seen = world.reveal()
    named = _nouns(text, lexicon)
    forbids = NOT_SO.search(text.lower().replace("’", "'")) is not None
    rooms = () if forbids else _rooms(text, lexicon)
    about = (*_mended(text, error), *_alike(text, error, lexicon), *_about(seen, named, forbids=forbids), *rooms)
    candidates = dict.fromkeys((*nearest, *about))
    found = list(islice((task for task in candidates if suits(task)), MOST))
    if not found:  # nothing possible was named
        barred = frozenset(named) if forbids else frozenset()
        found = list(islice(filter(suits, islice(_sensible(seen, text, seed, barred), MOST_DRAWN)), MOST))
    return tuple(found)


def without_contradiction(goal: Goal, one: Literal, other: Literal) -> tuple[str, ...]:
    """Returns goals without a contradiction between two literals, as formal text: in an order, or without one of them."""
    def without(dropped: Literal) -> str:
        return formal(Goal(tuple(x for x in goal.literals if x != dropped)))

    found = [without(other), without(one)]
    if one.predicate in NOT_LASTING and not other.never:  # what the robot does or holds need not last
        later = replace(other, stage=max(other.stage, one.stage + 1))
        found.insert(0, formal(Goal(tuple(later if x == other else x for x in goal.literals))))
    return tuple(dict.fromkeys(found))


def _mended(text: str, error: GoalError) -> Iterator[str]:
    """Yields the task with replacements for the words that are wrong."""
    start, end = span_of(text, error.words)
    if end > start:
        for words in error.instead:
            yield f"{text[:start]}{words}{text[end:]}".strip()


def _nouns(text: str, lexicon: Lexicon) -> list[str]:
    """Returns the classes of this scene that the task names, in its order; of several matches, the longest name."""
    tokens = re.findall(r"[^\W_]+", text.lower())[:MOST_WORDS]
    found: list[str] = []
    at = 0
    while at < len(tokens):
        for size in (3, 2, 1):
            try:
                kinds = lexicon.kinds(" ".join(tokens[at:at + size]))
            except GoalError:
                continue
            found += [lexicon.word(kind).cls for kind in kinds]
            at += size - 1
            break
        at += 1
    return list(dict.fromkeys(found))


def _alike(text: str, error: GoalError, lexicon: Lexicon) -> Iterator[str]:
    """Yields the command with things of the same kind in place of one that is not here: an apple for an orange."""
    start, end = span_of(text, error.words)
    kind = prior().kind_of_thing(error.words)
    if end <= start or lexicon.is_here(error.words) or kind is None:
        return
    first = max(text.rfind(stop, 0, start) for stop in CLAUSE_ENDS) + 1
    last = min((k for stop in CLAUSE_ENDS if (k := text.find(stop, end)) >= 0), default=len(text))
    for word in sorted(lexicon.words.values(), key=lambda word: word.cls):
        if prior().kind_of_thing(word.cls) == kind and word.cls in lexicon.movable:
            before = re.sub(r"\ban? $", "an " if word.name[0] in "aeiou" else "a ", text[first:start])
            yield f"{before}{word.name.lower()}{text[end:last]}".strip()


def _about(seen: Observation, classes: list[str], *, forbids: bool) -> Iterator[str]:
    """Yields tasks about the objects and furniture that a task names: objects go to named furniture, or to their usual places.

    Of a task that forbids something, only the objects are taken, to places that it does not name.
    """
    entities = {e.cls: e for e in seen.entities if e.category != "room"}
    usual = UsualPlaces(seen)
    named = [entities[cls] for cls in classes]
    places = [] if forbids else [e for e in named if is_place(e)]
    for one in (e for e in named if e.category == "object"):
        likely = [place for place in usual.places_of(one.cls)[:USUAL + forbids] if not (forbids and place.cls in classes)]
        for place in [*places, *likely][:MOST_OF_A_THING]:
            yield sentence((_put(one.cls, place),))
    for one in () if forbids else named:
        for flag, state in ((OPENABLE, "open"), (SWITCHABLE, "on")):
            if flag in one.properties:
                yield sentence((Literal("is", one.cls, None, 1, frozenset({state})),))
    for place in places:
        for cls in usual.things_of(place.cls)[:MOST_OF_A_THING]:
            yield sentence((_put(cls, place),))


def _rooms(text: str, lexicon: Lexicon) -> Iterator[str]:
    """Yields tasks about the rooms that a task names."""
    said = lexicon.join_names(text.lower())
    for word, room in lexicon.rooms.items():
        if room in lexicon.room_classes and re.search(rf"(?<!\w){re.escape(word.replace(' ', '_'))}(?!\w)", said):
            yield f"Go to the {word}"


def _sensible(seen: Observation, text: str, seed: int, barred: frozenset[str]) -> Iterator[str]:
    """Yields tasks that say nothing of the text but are everyday ones here, others for another text or seed."""
    usual = UsualPlaces(seen)
    turn = crc32(f"{seed} {text.strip().lower()}".encode("utf-8", "surrogatepass"))  # it may hold bytes that are no UTF-8
    things = sorted({e.cls for e in seen.entities if e.category == "object" and e.cls not in barred})
    switched = sorted({e.cls for e in seen.entities if SWITCHABLE in e.properties and e.cls not in barred})
    for k in range(MOST_DRAWN):
        if k % MOST == 1 and switched:
            yield sentence((Literal("is", switched[(turn + k) % len(switched)], None, 1, frozenset({"on"})),))
        elif things:
            cls = things[(turn + k * STRIDE) % len(things)]
            for place in [place for place in usual.places_of(cls)[:1] if place.cls not in barred]:
                yield sentence((_put(cls, place),))


def _put(cls: str, place: Entity) -> Literal:
    return Literal("inside" if CONTAINER in place.properties else "on", cls, place.cls)
