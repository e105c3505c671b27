"""Clauses about the robot itself and about acts: go to the bedroom, sit on the sofa, drink the milk, wash your hands."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal as Choice

from core.goals.kinds import KINDS
from core.goals.literals import ROBOT, Literal
from core.goals.parser.context import Context, refuse
from core.goals.parser.earlier import ALONE, THEM, Earlier
from core.goals.parser.noun_phrases import Item, Part, items, room_named, split_list
from core.goals.parser.noun_phrases import place as one_place
from core.goals.vocabulary import Lexicon, anything, faults
from core.world.vocabulary import ACTS as WORLD_ACTS
from core.world.vocabulary import RINSES, spaced

GO = "go to |approach |enter "
STAND = "stand (?:near|in) "
SIT, LIE = "sit", "lie"
ACTS: tuple[tuple[str, str], ...] = (
    ("drink", "drink"), ("eat", "eat"), ("read", "read"), ("watch", "watch"), ("type on", "type"), ("touch", "touch"),
    ("look at", "look_at"))
"""Verb in the plain form of `core.goals.parser.plain_form` -> act."""
LEAVE = "leave "
THERE = frozenset({"there", "in there", "over there", "here"})
LYING = r"(?: down)?(?: on| in| onto| at)? "


def robot_clause(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    """Returns the literals of a clause about the robot or an act; None if it is neither.

    Raises:
        GoalError: it names nothing of this world, or not what is meant.
    """
    for read in (_hands, _rise, _posture, _face, _stand, _go, _act):
        found = read(clause, earlier, context)
        if found is not None:
            return found
    return None


def _go(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    left = re.fullmatch(rf"{LEAVE}(.+)", clause)
    if left and (room := room_named(left[1], context.lexicon)):
        return [Literal("robot_in", other_rooms(room, context.lexicon))]
    if re.fullmatch(r"go to (?:bed|sleep)", clause) and context.lexicon.ids_of("bed"):
        meanings = [("lie on the bed", Literal("lying", "bed")), ("go to the bed", Literal("robot_near", "bed"))]
        return [context.choose(clause, meanings)]
    found = re.fullmatch(rf"(?:{GO})(.+)", clause)
    if found is None:
        return None
    where = re.sub(r"^(?:to|into|in) ", "", found[1])
    visits = [[room_named(one, context.lexicon) or "" for one in re.split(r" or ", part)] for part in split_list(where)]
    if visits and all(room for rooms in visits for room in rooms):
        earlier.room = visits[-1][0]
        return [Literal("robot_in", "|".join(rooms)) for rooms in visits]
    if room_typo := _room_typo(where, context):
        earlier.room = room_typo
        return [Literal("robot_in", room_typo)]
    return _about("robot_near", where, earlier, context)


def other_rooms(room: str, lexicon: Lexicon) -> str:
    """Returns the rooms that are not this one.

    Raises:
        GoalError: there is no other room.
    """
    rooms = [e for e in lexicon.entities.values() if e.category == "room"]
    others = [e for e in rooms if room not in (e.id, e.cls)]
    if not others:
        raise refuse(spaced(room), "there is no other room here")
    return "|".join(dict.fromkeys(e.cls if sum(r.cls == e.cls for r in rooms) == 1 else e.id for e in others))


def _room_typo(where: str, context: Context) -> str:
    """Returns the room whose name differs from the words by a typo; empty if there is none."""
    name = re.sub(r"^(?:the|my) ", "", where.replace("_", " "))
    near = {room for word, room in context.lexicon.rooms.items() if faults(name, word) and room in context.lexicon.room_classes}
    if len(near) != 1:
        return ""
    room = near.pop()
    context.tell(name, room.replace("_", " "))
    return room


def _stand(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    found = re.fullmatch(rf"(?:{STAND})(?:in )?(.+)", clause)
    if found is None:
        return None
    room = room_named(found[1], context.lexicon)
    if room is not None:
        earlier.room = room
        return [Literal("robot_in", room)]
    return _about("robot_near", found[1], earlier, context)


def _rise(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    del earlier, context
    return [Literal("standing", ROBOT)] if clause == "stand up" else None


def _posture(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    for verb, predicate in ((SIT, "sitting"), (LIE, "lying")):
        found = re.fullmatch(rf"{verb}(?: on (?P<where>.+)| there)?", clause)
        if found is not None:
            where = found["where"] or "it"
            if where == "it" and not earlier.place():
                said = re.search(rf"\b{verb}(?: down)?\b", context.sentence)
                raise refuse(said[0] if said else clause, f"say on what to {verb} down",
                             _seats(context, f"{verb} down on the ", predicate))
            return _about("sitting" if predicate == "sitting" else "lying", where, earlier, context)
    return None


def _seats(context: Context, words: str, predicate: str) -> tuple[str, ...]:
    classes = {"sofa", "couch", "bed"} if predicate == "lying" else KINDS["seat"]
    here = sorted(context.lexicon.classes_of("|".join(sorted(classes))))
    return tuple(f"{words}{cls.replace('_', ' ')}" for cls in here[:3])


def _face(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    found = re.fullmatch(r"face (.+)", clause)
    return _about("robot_facing", found[1], earlier, context) if found else None


def _hands(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    found = re.fullmatch(r"wash your hands(?: (?:in|at|with|under|using) (?P<where>.+)| (?P<there>there|in there))?", clause)
    if found is None:
        return None
    lexicon = context.lexicon
    where = re.sub(r"^(?:the )?(?:water|soap)(?: and (?:water|soap))?(?: (?:in|at) )?", "", found["where"] or "")
    sinks = sorted({e.cls for e in lexicon.entities.values() if e.category == "furniture" and RINSES in e.properties
                    and e.cls.endswith("sink")}) or \
        sorted({e.cls for e in lexicon.entities.values() if RINSES in e.properties and e.category == "furniture"
                and not e.cls.endswith(("washer", "machine"))})
    if not sinks:
        raise refuse("hands", "there is no sink here to wash them in")
    room = room_named(where, lexicon) if where else None
    if found["there"] and earlier.room:
        room = earlier.room
    literal = Literal("done", "|".join(sinks), room=room, act="wash_hands")
    if room is not None and not lexicon.ids_of(literal.subject, room):
        raise refuse(where or "there", f"there is no sink in the {room.replace('_', ' ')}")
    if where and room is None:
        return [replace(x, predicate="done", act="wash_hands") for x in _about("robot_near", where, earlier, context)]
    return [literal]


def _act(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    for pattern, act in ACTS:
        found = re.fullmatch(rf"{pattern} (.+)", clause)
        if found is None:
            continue
        if act == "look_at" and room_named(found[1], context.lexicon):
            raise refuse(found[1], "say at which thing to look")
        if found[1] in ALONE and earlier:
            return [Literal("done", _acted_on(act, earlier, context), act=act)]
        said, where = _done_at(act, found[1], earlier, context)
        if where:
            return [*where, *(replace(x, act=act) for x in _about("done", said, earlier, context, act))]
        words, room = _there(said, context)
        done = [replace(x, act=act) for x in _about("done", words, earlier, context, act)]
        return [Literal("robot_in", room), *done] if room else done
    return None


PLACE = re.compile(r"(?P<what>.+?) (?P<preposition>on|in|from|at|by|near|beside|next to|in front of) "
                   r"(?P<where>(?:the |an? |my |your |his |her |our |one )?[a-z_]+)")
THERE_TOO = re.compile(r"(?P<what>.+) (?:over )?there")


def _done_at(act: str, words: str, earlier: Earlier, context: Context) -> tuple[str, list[Literal]]:
    """Returns (words without the place, literals of where the robot is) of what is done somewhere: read the book at the desk.

    A place at which something is read is where the robot is. On or in a seat it sits, unless such a book lies there now.
    """
    if act not in DONE_SOMEWHERE:
        return words, []
    if (there := THERE_TOO.fullmatch(words)) and (place := earlier.place()):
        return there["what"], [Literal("robot_near", place)]
    found = PLACE.fullmatch(words)
    noun = re.sub(r"^(?:the|an?|my|your|his|her|our|one) ", "", found["where"]).replace("_", " ") if found else ""
    lexicon = context.lexicon
    if found is None or noun in lexicon.rooms or not lexicon.is_here(noun):
        return words, []
    classes = lexicon.classes_of("|".join(lexicon.senses(noun)))
    if found["preposition"] not in ("on", "in", "from"):
        return (found["what"], _about("robot_near", found["where"], earlier, context)) if not classes & lexicon.movable \
            else (words, [])
    if not classes <= SEATS or (act != "watch" and _lies_there(found["what"], found["where"], context)):
        return words, []
    seated = _about("sitting", found["where"], earlier, context)
    context.tell(f"{found['preposition']} {found['where']}", f"the robot sits on the {noun}")
    return found["what"], seated


SEATS = KINDS["seat"] | {"bed"}
DONE_SOMEWHERE = frozenset({"watch", "read", "eat", "drink", "type"})
"""Acts after which a place says where the robot is."""


def _lies_there(what: str, where: str, context: Context) -> bool:
    """Returns True if something of that name lies on or in the place now."""
    probe = Context(context.lexicon, context.sentence)
    return any(probe.lexicon.ids_of(one.what, None, place) for one in items(what, probe)
               for place in one_place(where, probe).split("|"))


def _acted_on(act: str, earlier: Earlier, context: Context) -> str:
    """Returns what "it" is: of what was named before, the last that the act can be done to."""
    lexicon, wanted = context.lexicon, WORLD_ACTS[act]
    seats = {x.subject for group in earlier.groups for x in group if x.predicate in ("sitting", "lying")}
    names = earlier.entities()
    able = [name for name in names if any(wanted in lexicon.entities[one].properties for one in lexicon.ids_of(name))]
    rest = [name for name in names if name not in seats] or names
    if not rest:
        raise refuse("it", "say which thing is meant")
    return (able or rest)[0]


def _there(words: str, context: Context) -> tuple[str, str]:
    """Returns the words without a room in which the act is to be done, and the room: "a book in the bedroom" is read there.

    "The book in the bedroom" is the one that is there, if there is one, and so is the television in the bedroom.
    """
    found = re.fullmatch(r"(.+?) in ((?:the |my )?[a-z_]+)", words)
    room = room_named(found[2], context.lexicon) if found else None
    if found is None or room is None:
        return words, ""
    named = items(found[1], Context(context.lexicon, context.sentence))
    definite = not re.match(r"(?:an?|some|one) |[a-z_]+$", found[1])
    if definite and any(context.lexicon.ids_of(one.what, room) for one in named):
        return words, ""
    classes = {cls for one in named for cls in context.lexicon.classes_of(one.what)}
    return (found[1], room) if classes <= context.lexicon.movable else (words, "")


Predicate = Choice["robot_near", "robot_facing", "sitting", "lying", "done"]


def _about(predicate: Predicate, words: str, earlier: Earlier, context: Context, act: str = "") -> list[Literal]:
    """Returns a literal for each thing that the words name."""
    words = re.sub(r"^(?:some of|all of) (?=the )", "", words.strip())
    place = earlier.place()
    if words in ALONE or words in THERE or (words in THEM and predicate == "done"):
        if words in THERE or predicate != "done":
            if not place:
                raise refuse(words, "say which thing is meant")
            return [Literal(predicate, place)]
        return [Literal(predicate, x.subject, None, x.count, every=x.every, source=x.source) for x in earlier.named(words)]
    wanted = WORLD_ACTS.get(act, "")
    able = {e.cls for e in context.lexicon.entities.values() if wanted in e.properties}
    found = items(words, context, Part(able.__contains__ if able else anything, moves=predicate == "done"))
    return [_literal(predicate, one, context) for one in found]


def _literal(predicate: Predicate, one: Item, context: Context) -> Literal:
    if one.states:
        raise refuse(one.words, "say in a clause of its own how it is to be")
    if predicate != "done" and (one.every or one.count > 1):
        raise refuse(one.words, "the robot can only be at one place at a time: name one", (f"the {one.what.split('|')[0]}",))
    del context
    return Literal(predicate, one.what, None, one.count, every=one.every, room=one.room, source=one.source, was=one.was)


