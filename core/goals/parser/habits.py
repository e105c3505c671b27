"""Clauses that say a task by its custom: set the table, load the dishwasher, tidy the desk, put away, throw away, swap."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from core.common.errors import GoalError
from core.goals.kinds import KINDS, THING
from core.goals.literals import Literal
from core.goals.parser.context import Context, refuse
from core.goals.parser.determiners import NUMBERS
from core.goals.parser.earlier import THEM, Earlier
from core.goals.parser.noun_phrases import items
from core.goals.parser.placement import Relation, carried, destination, empty, in_hand
from core.goals.parser.treatment import able
from core.world.vocabulary import CONTAINER, SURFACE, Entity, spaced

PLACES = ("kitchen_table", "dining_table", "table", "round_table")
COVER: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("plate", ("plate",)), ("fork", ("cutlery_fork", "fork")), ("knife", ("cutlery_knife", "butter_knife", "knife")),
    ("glass", ("water_glass", "drinking_glass", "wine_glass", "glass")),
)
"""What each person needs at the table: its name, and the classes it may be. A glass is set only where there are enough."""
BINS = ("garbage_can", "trash_can", "trashcan")
SET = r"set(?: the| a| our| my)? (?P<table>(?:\w+_)?table)(?: (?:for|with)(?: (?P<people>.+))?)?" \
      r"|set (?:a |the )?places? at (?:the )?(?P<at>(?:\w+_)?table)(?: for (?P<who>.+))?"
LOAD = r"(?:load|fill|put) (?:the |our )?(?P<machine>dishwasher)(?: with (?P<what>.+))?"
DISHES = r"(?:do|wash|clean|clean up) (?:all )?(?:the )?(?:dirty )?(?:dishes|dish|washing_up)|wash up"
UNLOAD = "empty (?:the )?dishwasher"
TIDY = "(?:tidy|clean|clear)(?: up| off| away)?|sort out"
AWAY = r"(?:put|clear|tidy)(?: away| back) (?P<what>.+)"
THROWN = "throw away (?P<what>.+)"
SWAP = "swap (?P<one>.+?) (?:and|with|for) (?P<other>.+?)"
"""Verbs in the plain form of `core.goals.parser.plain_form`."""
UNTIDY = ("table", "desk", "bed", "counter", "counter_top")
"""The endings of furniture, besides seats, on which things lie about in an untidy room."""
CLEANED = ("desk", "table", "counter", "top", "shelf", "sofa", "couch", "bed", "nightstand", "stand", "bench", "worktop",
           "surface")


def habit_clause(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    """Returns the literals of a customary task; None if the clause is none.

    Raises:
        GoalError: what it needs is not in this world; the message names it.
    """
    for read in (_table, _dishes, _swapped, _thrown, _tidied, _put_away):
        found = read(clause, earlier, context)
        if found is not None:
            return found
    return None


def _table(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    del earlier
    found = re.fullmatch(SET, clause)
    if found is None:
        return None
    name, people = found["table"] or found["at"], (found["people"] or found["who"] or "one")
    word = re.sub(r"\s*(?:people|persons?|guests?|of us|dinner|lunch|breakfast)\s*", "", people) or "one"
    number = NUMBERS.get(word, int(word[:3]) if word.isdecimal() else 0)
    if not 1 <= number <= 12:
        raise refuse(people, "say for how many people, from one to twelve", ("two",))
    lexicon = context.lexicon
    senses = lexicon.senses(name.replace("_", " "), lexicon.holds_things)
    table = next((cls for cls in PLACES if cls in senses), senses[0])
    literals = []
    for needed, classes in COVER:
        here = [cls for cls in classes if lexicon.ids_of(cls)]
        have = sum(len(lexicon.ids_of(cls)) for cls in here)
        if have < number and needed != "glass":
            there = f"there {'is' if have == 1 else 'are'} {have or 'no'} " \
                    f"{needed}{'' if have == 1 else 's' if needed != 'knife' else ''}"
            raise refuse(found[0], f"{there} here, and {number} would be needed", (f"put the plate on the {spaced(table)}",))
        if have >= number:
            literals.append(Literal("on", "|".join(here), table, number))
    context.choose(found[0], [(", ".join(x.subject_words for x in literals), None)])
    return literals


def _dishes(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    del earlier
    lexicon = context.lexicon
    if re.fullmatch(DISHES, clause):
        was = frozenset({"dirty"} if re.search(r"\bdirty\b", clause) else ())
        literal = Literal("is", "dish", None, 1, frozenset({"clean"}), every=True, was=was)
        return [able(literal, context)] if "dish" in lexicon.kinds_here else None
    if re.fullmatch(UNLOAD, clause):
        return empty("dishwasher", context)
    found = re.fullmatch(LOAD, clause)
    if found is None:
        return None
    machine = lexicon.find(found["machine"])
    if found["what"]:
        return [replace(in_hand(one), predicate="inside", target=machine)
                for one in items(found["what"], context, carried(lexicon))]
    if "dish" not in lexicon.kinds_here:
        raise refuse(clause, "there are no dishes here")
    literal = Literal("inside", "dish", machine, every=True)
    dirty = any("dirty" in lexicon.entities[name].states for name in lexicon.ids_of("dish"))
    meanings = [("every dish", literal), ("every dirty dish", replace(literal, was=frozenset({"dirty"})))]
    return [context.choose(clause, meanings[::-1] if dirty else meanings)]


def _thrown(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    found = re.fullmatch(THROWN, clause)
    if found is None:
        return None
    lexicon = context.lexicon
    if re.search(r"\b(?:in|into|on|to|at) ", found["what"]):
        return None
    bin_ = next((cls for cls in BINS if lexicon.ids_of(cls) and lexicon.holds_things(cls)), "")
    if not bin_:
        raise refuse(clause, "there is no bin here that things can be put in: say where to put it")
    return _moved(found["what"], "inside", bin_, earlier, context)


def _moved(words: str, relation: str, target: str, earlier: Earlier, context: Context) -> list[Literal]:
    if words in THEM and earlier:
        earlier.change(words, lambda x: replace(x, predicate="inside" if relation == "inside" else "on", target=target, act=""))
        return []
    found = items(words, context, carried(context.lexicon))
    for one in found:
        if one.what == THING and one.every and not (one.source or one.was):
            raise refuse(one.words, "say from where it is to be taken")
    return [replace(in_hand(one), predicate="inside" if relation == "inside" else "on", target=target) for one in found]


def _tidied(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    del earlier
    found = re.fullmatch(rf"(?P<verb>{TIDY}) (?P<what>.+)", clause)
    if found is None or not re.match(r"the |my |our |your |his |her |every |all ", found["what"]):
        return None
    noun = re.sub(r"^(?:the|my|our|your|his|her) ", "", found["what"])
    head = re.split(r"[ _]", re.sub(r" (?:in|of|on|from|at|off|inside|that|which) .*$", "", noun))[-1]
    room = context.lexicon.rooms.get(noun.replace("_", " "))
    if room and found["verb"] != "clean":
        return _tidied_room(found["what"], room, context)
    if (found["verb"].startswith("clean") and head not in CLEANED) or found["verb"] == "clear out":
        return None
    things = _objects(noun, context)
    return things if things is not None else empty(found["what"], context)


def _objects(noun: str, context: Context) -> list[Literal] | None:
    """Returns where objects go that are tidied away: "clear away the plates"; None if the noun names furniture."""
    lexicon = context.lexicon
    try:
        classes = lexicon.classes_of("|".join(lexicon.senses(noun.split(" in ")[0].split(" on ")[0])))
    except GoalError:
        return None
    if not classes <= lexicon.movable:
        return None
    return [one for item in items(f"the {noun}", context, carried(lexicon)) for one in _usual(in_hand(item), context)]


def _tidied_room(words: str, room: str, context: Context) -> list[Literal]:
    """Returns that everything is off the tables and seats of a room, told as a guess.

    Raises:
        GoalError: nothing there gets untidy.
    """
    lexicon = context.lexicon
    places = lexicon.shortened(e.id for e in lexicon.entities.values() if SURFACE in e.properties and e.category == "furniture"
                               and (e.cls in KINDS["seat"] or e.cls.endswith(UNTIDY)) and e.id in lexicon.ids_of(e.cls, room))
    if not places:
        raise refuse(words, "there is no table or seat: say which piece of furniture in it is to be tidied")
    context.tell(f"tidy {words}", f"everything off {', '.join(f'the {spaced(name)}' for name in places.split('|'))}")
    return [Literal("away", THING, places, every=True, source=places)]


def _put_away(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    found = re.fullmatch(AWAY, clause)
    if found is None or re.search(r" (?:in|into|on|onto|to|inside|at) ", f" {found['what']} "):
        return None
    words = found["what"]
    named = earlier.named(words) if words in THEM and earlier else []
    things = named or [in_hand(one) for one in items(words, context, carried(context.lexicon))]
    literals = [one for x in things for one in _usual(x, context)]
    if named:
        gone = set(map(id, named))
        earlier.groups[:] = [[x for x in group if id(x) not in gone or x.predicate == "done"] for group in earlier.groups]
    return [replace(x, act="", stage=0) for x in literals]


def _usual(literal: Literal, context: Context) -> list[Literal]:
    """Returns the literals that an object is at its usual place; each class of a kind has its own."""
    lexicon = context.lexicon
    if literal.subject == THING:
        raise refuse("everything", "say which things are to be put away, or “tidy the desk”")
    names = sorted(lexicon.classes_of(literal.subject)) if literal.subject in KINDS and literal.every else [literal.subject]
    found = []
    for name in names:
        places = _holders(context, name)
        if not places:
            raise refuse(spaced(name), "nothing is known about its usual place: say where to put it")
        meanings = []
        for cls in places:
            relation = _relation(cls, lexicon.entities)
            meanings.append((f"{spaced(name)} {relation} the {spaced(cls)}",
                             replace(literal, subject=name, predicate=relation, target=cls)))
        found.append(context.choose(f"{spaced(name)} put away", meanings))
    return found


def _holders(context: Context, name: str) -> tuple[str, ...]:
    cls = next(iter(sorted(context.lexicon.classes_of(name))), name)
    return context.usual(cls)[:3]


def _relation(cls: str, entities: dict[str, Entity]) -> Relation:
    return "inside" if any(e.cls == cls and CONTAINER in e.properties for e in entities.values()) else "on"


def _swapped(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    """Returns where two objects go that change places, if it is known where they are."""
    del earlier
    found = re.fullmatch(SWAP, clause)
    if found is None:
        return None
    lexicon = context.lexicon
    ids = []
    for words in (found["one"], found["other"]):
        one = items(words, context, carried(lexicon))
        here = lexicon.ids_of(one[0].what, None, one[0].source) if len(one) == 1 else ()
        if len(one) != 1 or Counter(here).total() != 1:
            raise refuse(words, "say by number which one is meant", here[:3])
        ids.append(here[0])
    holders = [lexicon.holder.get(name, "") for name in ids]
    if not all(holders) or any(lexicon.entities[h].category == "room" for h in holders):
        raise refuse(clause, "it is not known where they are: say where each of them goes")
    literals = []
    for name, holder in zip(ids, reversed(holders), strict=True):
        preposition = "in" if CONTAINER in lexicon.entities[holder].properties else "on"
        target, relation = destination(preposition, spaced(holder), None, Earlier(), context)
        literals.append(Literal(relation, name, target))
    return literals


