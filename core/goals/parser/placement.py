"""Clauses about where objects are to be: put, bring, take away, empty; and what the robot is to hold.

    put    := put items [from place] where
    where  := (in | inside | into | on | onto | to | at) (place | room | me)
    take   := remove items from place | empty place | pick up items [from place]

Of several places after a noun the last is where it goes: "the mug on the desk in the sink" is on the desk now. A room after a
place restricts it: "on the table in the dining room".
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal as Choice

from core.common.errors import GoalError
from core.goals.kinds import FLOOR, THING
from core.goals.literals import Literal
from core.goals.parser.context import Context, refuse
from core.goals.parser.earlier import ALONE, THEM, Earlier, is_carried
from core.goals.parser.noun_phrases import Item, Part, items, place, room_named, split_list
from core.goals.parser.restrictions import OUT_OF, split_places
from core.goals.parser.robot_clauses import other_rooms
from core.goals.parser.word_classes import CALLED, ELSEWHERE, LIQUIDS, NOT_GIVEN, PEOPLE
from core.goals.vocabulary import Lexicon
from core.world.vocabulary import SURFACE, spaced

PUT = "put|bring|take|carry|fetch|get|deliver|hand|pass|give"
AWAY = "take away|clear away|remove|take|get|clear"
EMPTY = "empty|clear off|clear out|clear up|clear|clean off"
HOLD = "pick up|hold|find|fetch|get|take"
TO_ME = re.compile(r"(?:bring|take|put|pick up) (.+?) (?:to me|over)")
"""Verbs in the plain form of `core.goals.parser.plain_form`."""
PERSON = re.compile(rf"\b(?:to|for) (?:{CALLED} )?(?P<who>(?<={CALLED} )\S+|him|her|them|someone|somebody|everyone"
                    rf"|(?:the |my |your |our |his |her |their )?(?:{'|'.join(sorted(PEOPLE))}))(?!\S)")
INSIDE = frozenset({"inside of", "inside", "into", "in", "within"})
BELOW = frozenset({"under", "beneath", "underneath", "below"})
NO_RELATION = frozenset({"near", "next to", "beside", "behind", "in front of", "between", "over", "above", "around", "against",
                         "by"})
SOURCE = re.compile(OUT_OF)
Relation = Choice["inside", "on"]


def give_clause(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    """Returns the literals of "bring the mug to me"; None if it is something else."""
    given = TO_ME.fullmatch(clause)
    if given is None:
        return None
    if clause.endswith("to me"):
        context.tell("to me", NOT_GIVEN)
    return hold(given[1], earlier, context)


def hold(words: str, earlier: Earlier, context: Context) -> list[Literal]:
    """Returns literals for objects in the robot's hand."""
    if words in THEM:
        named = earlier.taken(words) if earlier else [replace(x, every=False) for x in earlier.mentioned]
        if not named:
            raise refuse(words, "say which things are meant")
        return [Literal("holds", x.subject, None, x.count, x.states, every=x.every, source=x.source, was=x.was,
                        by=x.by if x.predicate == "away" else None) for x in named]
    found = items(words, context, carried(context.lexicon))
    for one in found:
        if one.every and one.source is None and one.what == THING:
            raise refuse(one.words, "say how many", ("one thing",))
    return [in_hand(one) for one in found]


def in_hand(one: Item) -> Literal:
    """Returns the literal that the items of a noun phrase are in the robot's hand."""
    return Literal("holds", one.what, None, one.count, one.states, every=one.every, source=one.source, was=one.was)


def carried(lexicon: Lexicon) -> Part:
    """Returns the role of moved objects: if several classes match, those that can be carried."""
    return Part(fits=lexicon.movable.__contains__, moves=True)


def take_clause(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    """Returns the literals of objects that leave their place: "remove the mug from the desk", "empty the sink"."""
    taken = re.fullmatch(rf"(?:{AWAY})\s+(.+?)\s+(?!from (?:in|on) )(?:{OUT_OF})\s+(.+)", clause)
    taken = None if re.search(r" from (?:in|on) ", clause) else taken  # take the mug that is on the desk: hold it
    if taken and not any(not SOURCE.fullmatch(p) and not (room_named(w, context.lexicon) and p in ("in", "of"))
                         for p, w in split_places(clause)[1]) and not re.match(r"(?:get|take) (?:me|us)\b", clause):
        if re.match(r"get (?!away)", clause) and re.search(r"\s+from\s+", clause):
            return None  # get the milk from the fridge: hold it
        return _away(taken[1], taken[2], earlier, context)
    out = re.fullmatch(r"(?:take|get|pull|bring)(?: out (.+)| (.+) out)", clause)
    if out and not split_places(out[1] or out[2])[1]:
        place_before = earlier.place()
        if not any(map(context.lexicon.holds_things, context.lexicon.classes_of(place_before))) \
                or is_moved(place_before, context.lexicon):
            return hold(out[1] or out[2], earlier, context)
        return _away(out[1] or out[2], "it", earlier, context)
    if earlier.place() and re.fullmatch(r"(?:empty|clear)(?: out| off| up)? (?:it|that)(?: out| off| up)?", clause):
        return empty(earlier.place(), context)
    emptied = re.fullmatch(rf"(?:{EMPTY})\s+(?:the\s+)?(?:surface of\s+|top of\s+|contents of\s+)?(.+)", clause)
    if emptied and not re.match(r"clear (?:away|everything|all|it|them)\b", clause) and not split_places(clause)[1][:1]:
        return empty(emptied[1], context)
    in_room = all(room_named(w, context.lexicon) or w in ALONE for _, w in split_places(clause)[1])
    if emptied and in_room and re.match(r"(?:empty|unload|unpack|clear(?! away))\b", clause):
        return empty(emptied[1], context)
    return None


def is_moved(name: str, lexicon: Lexicon) -> bool:
    """Returns True if a name stands for objects that can be carried only."""
    classes = lexicon.classes_of(name) if name else frozenset()
    return bool(classes) and classes <= lexicon.movable


def empty(words: str, context: Context) -> list[Literal]:
    """Returns the literal that everything is away from a place."""
    source = place(words, context)
    if not any(map(context.lexicon.holds_things, context.lexicon.classes_of(source))):
        raise refuse(words, "nothing can be in or on this: name a piece of furniture or a vessel")
    return [Literal("away", THING, source, every=True, source=source)]


def _away(what: str, origin_words: str, earlier: Earlier, context: Context) -> list[Literal]:
    """Returns literals for objects to be taken from their place; from a room: to any other room."""
    lexicon = context.lexicon
    room = room_named(origin_words, lexicon)
    if room is None and re.fullmatch(r"(?:the )?(?:floor|ground)", origin_words):
        found = [in_hand(one) for one in _things(what, earlier, context)]
        holders = [e.id for e in lexicon.entities.values() if e.category == "furniture" and lexicon.holds_things(e.cls)]
        surfaces = lexicon.shortened(name for name in holders if lexicon.word(name).holds_on)
        return [replace(x, predicate="on", target=surfaces, source=FLOOR) for x in found]
    if room is not None:
        others = other_rooms(room, lexicon)
        return [replace(in_hand(one), predicate="inside", target=others,
                        source=one.source or _in_room(room, one, context)) for one in _things(what, earlier, context)]
    origin = earlier.place() if origin_words in ALONE and earlier else place(origin_words, context)
    return [Literal("away", one.what, origin, one.count, one.states, every=one.every, source=origin, was=one.was)
            for one in _things(what, earlier, context)]


def _in_room(room: str, one: Item, context: Context) -> str | None:
    if one.what != THING:
        return None
    found = items(f"everything in the {spaced(room)}", context, carried(context.lexicon))
    return found[0].source


def _things(what: str, earlier: Earlier, context: Context) -> list[Item]:
    if what in THEM and what != "everything" and earlier:
        return [Item(x.subject, x.count, x.states, x.every, x.room, what, x.source, x.was) for x in earlier.named(what)]
    return items(what, context, carried(context.lexicon))


def put_clause(clause: str, earlier: Earlier, context: Context) -> list[Literal] | None:
    """Reads `put items [from place] where`.

    Raises:
        GoalError: an object or a place is missing or unknown.
    """
    put = re.match(rf"(?:{PUT})\s+(.*)", clause)
    if put is None:
        return None
    brought = BROUGHT.fullmatch(clause)
    if brought and not PERSON.search(clause) and (beside := _no_place(brought["where"], context)):
        return [*hold(brought["what"], earlier, context), Literal("robot_near", beside)]
    said = re.sub(r" there$", " to there", put[1])
    if re.search(r"\s(?:in|inside|on)$", said) and earlier.place():
        said += " it"  # open the microwave, put the milk in
    head, places = split_places(said)
    sources, target, room = _roles(places, context.lexicon)
    if target is not None and not sources and (poured := _poured(head, target[1], context)):
        return poured
    if target is not None:
        return _placed(" ".join([head, *sources]), target, room, earlier, context)
    if re.match(r"(?:pass|hand|bring|fetch|give|deliver) ", clause):
        return hold(put[1], earlier, context)  # pass the salt
    raise GoalError(f"“{spaced(clause)}” names no place to put it", clause)


def _poured(head: str, vessel: str, context: Context) -> list[Literal]:
    """Returns that vessels are filled: "put some water in the mug", where water itself is nothing that exists; else nothing."""
    liquid = POURED.fullmatch(head)
    if liquid is None or context.lexicon.is_here(liquid[1]) or vessel in THEM or room_named(vessel, context.lexicon):
        return []
    found = items(vessel, context)
    if not all(context.lexicon.classes_of(one.what) <= context.lexicon.movable for one in found):
        return []  # some coffee to the desk
    return [Literal("is", one.what, None, one.count, one.states | {"filled"}, every=one.every, room=one.room, source=one.source)
            for one in found]


POURED = re.compile(rf"(?:(?:some|the|a little|fresh|hot|cold|warm) )*({'|'.join(sorted(LIQUIDS))})")
BROUGHT = re.compile(r"(?:take|bring|carry|fetch|get|deliver) (?P<what>.+) to (?P<where>(?:the |my |our )?\S+)")
EACH_PLACE = re.compile(r"(?:each|every|both|all)(?: of)?(?: the)? (?:single |two |three |four )?(?P<noun>.+)")
MOST_PLACES = 6
"""The maximum number of places that "on each" is written out for."""


def _no_place(words: str, context: Context) -> str:
    """Returns the furniture that words name if nothing can be put in or on it; else an empty text."""
    noun = re.sub(r"^(?:the|my|our) ", "", words.replace("_", " "))
    lexicon = context.lexicon
    if room_named(words, lexicon) or not lexicon.is_here(noun):
        return ""
    senses = lexicon.senses(noun)
    fixed = not lexicon.classes_of("|".join(senses)) & lexicon.movable
    return senses[0] if len(senses) == 1 and fixed and not any(map(lexicon.holds_things, lexicon.classes_of(senses[0]))) else ""


def _moved_holder(earlier: Earlier, lexicon: Lexicon, target: str) -> str:
    """Returns the vessel that the last clause moved to a place; empty if it moved none, or more than one.

    After "move the plate to the table and put the bread on top of it", it is the plate rather than the table.
    """
    last = [x for x in earlier.groups[-1] if x.target == target] if earlier.groups else []
    if len(last) != 1 or last[0].every or last[0].count > 1 or last[0].predicate not in ("on", "inside"):
        return ""
    classes = lexicon.classes_of(last[0].subject)
    able = sorted(filter(lexicon.holds_things, classes))
    return "" if not able else last[0].subject if len(able) == len(classes) else "|".join(able)


def _on_each(said: str, preposition: str, noun: str, room: str | None, context: Context) -> list[Literal]:
    """Returns a literal for each of several places: "a candle on each table".

    Raises:
        GoalError: there are too many of them.
    """
    name = place(f"the {noun}", context, room)
    ids = [one for part in name.split("|") for one in context.lexicon.ids_of(part)]
    if not 1 <= len(ids) <= MOST_PLACES:
        raise refuse(f"each {noun}", "name the places one by one", (f"the {noun}",))
    found = items(said, context, carried(context.lexicon))
    if re.match(r"(?:the|my|his|her|our|their|it$|this|that)\b", said) and all(x.count == 1 and not x.every for x in found):
        raise refuse(f"each {noun}", "one thing is in one place: name one place", (f"the {noun}",))
    context.tell(f"each {noun}", ", ".join(spaced(one) for one in ids))
    return [replace(in_hand(one), predicate=_relation(preposition, target, noun, context.lexicon), target=target)
            for target in ids for one in found]


def _roles(places: list[tuple[str, str]], lexicon: Lexicon) -> tuple[list[str], tuple[str, str] | None, str | None]:
    """Returns the phrases of where objects are, the (preposition, words) of where they go, and the room of that place."""
    sources: list[str] = []
    rest: list[tuple[str, str]] = []
    joined: list[tuple[str, str]] = []
    for preposition, words in places:  # on the table that's in the bedroom: that is where the table is
        if preposition in ("from in", "from on") and joined:
            joined[-1] = (joined[-1][0], f"{joined[-1][1]} {preposition[5:]} {words}")
        else:
            joined.append((preposition, words))
    places = joined
    for preposition, words in places:
        (sources.append(f"{preposition} {words}") if SOURCE.fullmatch(preposition) else rest.append((preposition, words)))
    if not rest:
        return sources, None, None
    if len(rest) > 1 and room_named(rest[-1][1], lexicon) and rest[-1][0] in ("in", "inside", "at", "of", "within") \
            and not room_named(rest[-2][1], lexicon):
        room, target = room_named(rest[-1][1], lexicon), rest[-2]
        others = rest[:-2]
    elif len(rest) > 1 and rest[-2][0] in ("to", "into") and room_named(rest[-2][1], lexicon) \
            and not room_named(rest[-1][1], lexicon):
        room, target = room_named(rest[-2][1], lexicon), rest[-1]
        others = rest[:-2]
    else:
        room, target, others = None, rest[-1], rest[:-1]
    sources += [f"{preposition} {words}" for preposition, words in others]
    return sources, target, room


def _placed(said: str, target: tuple[str, str], room: str | None, earlier: Earlier,
            context: Context) -> list[Literal]:
    """Returns the literals of objects that go to one place, and changes those of "it" and "them"."""
    preposition, words = target
    if each := EACH_PLACE.fullmatch(words):
        return _on_each(said, preposition, each["noun"], room, context)
    elsewhere = words.startswith(ELSEWHERE)
    goal, relation = _elsewhere(words, context) if elsewhere else destination(preposition, words, room, earlier, context)
    if said in THEM and earlier:
        if turned := _turned(said, earlier, context):  # shut the laptop and leave it on the desk
            return [Literal(relation, x.subject, goal, x.count, every=x.every, source=x.source) for x in turned]
        if vessel := _moved_vessel(said, relation, goal, earlier, context):
            return [vessel]
        kept = [x for x in earlier.named(said) if _is_kept(x, context.lexicon)]
        stage = max(x.stage for group in earlier.groups for x in group)  # after what was said in between
        earlier.change(said, lambda x: x if x in kept else replace(x, predicate=relation, target=goal, stage=stage))
        return [replace(x, predicate=relation, target=goal, act="", stage=0, states=frozenset(), by=None) for x in kept]
    if said in ALONE | {"them"} and earlier.mentioned:  # do not put it there, put it here
        return [Literal(relation, x.subject, goal, source=x.source, was=x.was) for x in earlier.mentioned]
    found = items(said, context, carried(context.lexicon))
    for one in found:
        if one.what == THING and one.every and not (one.source or one.was):
            raise refuse(one.words, "say from where it is to be taken")
    return [replace(in_hand(one), predicate=relation, target=goal) for one in found]


def _moved_vessel(said: str, relation: Relation, goal: str, earlier: Earlier, context: Context) -> Literal | None:
    """Returns the literal that the vessel which the last clause put an object on or in goes to a place; None: the object does.

    After "put the apple on a plate", "carry it to the desk" may mean either; with the plate, all that was said holds.
    """
    last, lexicon = earlier.groups[-1], context.lexicon
    vessel = last[0].target or ""
    if said not in ALONE or len(last) != 1 or last[0].predicate not in ("on", "inside") or not is_moved(vessel, lexicon):
        return None
    both = f"the {spaced(vessel)} with the {spaced(last[0].subject)}"
    if not context.choose(said, [(both, True), (f"the {spaced(last[0].subject)}", False)]):
        return None
    several = len(lexicon.ids_of(vessel)) > 1
    return Literal(relation, vessel, goal, holding=last[0].subject if several else None)


def _is_kept(literal: Literal, lexicon: Lexicon) -> bool:
    """Returns True if a literal stays when its objects are moved: read the book and put it back; wash all plates, put them in.

    Where only some of its objects are meant, the two are one literal: a slice of bread that is toasted and on the plate.
    """
    here = lexicon.ids_of(literal.subject, literal.room, literal.source)
    return literal.predicate == "done" or (literal.predicate == "is" and (literal.every or literal.count >= len(here)))


def _turned(said: str, earlier: Earlier, context: Context) -> list[Literal]:
    """Returns the literals of objects that the last clause opened, closed or switched, if these can be carried."""
    last = earlier.groups[-1]
    able = all(x.predicate == "is" and not is_carried(x) and context.lexicon.classes_of(x.subject) <= context.lexicon.movable
               for x in last)
    return last if said in ALONE | {"them"} and able else []


def destination(preposition: str, words: str, room: str | None, earlier: Earlier, context: Context) -> tuple[str, Relation]:
    """Returns the place or room that a phrase names, and the relation.

    Raises:
        GoalError: the place is unknown, or nothing can be put there.
    """
    lexicon = context.lexicon
    named = room_named(words, lexicon)
    if preposition in NO_RELATION:
        raise refuse(f"{preposition} {words}", "goals know only in and on, and in a room", (f"on {words}", f"in {words}"))
    if named is not None and room is None:
        earlier.room = named
        if preposition in ("in", "inside", "into", "to", "at", "within", "inside of", "towards"):
            return named, "inside"
        raise refuse(words, "this is a room: name a piece of furniture in it")
    who = PERSON.fullmatch(f"to {words}")
    if who:
        raise refuse(who["who"], "nobody of that name is in this world: say where to put it, or “bring it to me”", ("me",))
    if words in ALONE | {"top of it", "top", "them", "there"} and earlier:
        if words == "there" and earlier.room:
            return earlier.room, "inside"
        found = earlier.place()
        if not found:
            raise refuse(words, "say which place is meant")
        if words != "there" and (moved := _moved_holder(earlier, context.lexicon, found)):
            found = context.choose(words, [(f"the {spaced(moved)}", moved), (f"the {spaced(found)}", found)])
    elif re.fullmatch(r"(?:the )?(?:floor|ground)", words) and "floor" not in lexicon.words:
        raise refuse(words, "nothing can be put on the floor: name a piece of furniture")
    else:
        found = place(words, context, room)
    return found, _relation(preposition, found, words, lexicon)


def _elsewhere(words: str, context: Context) -> tuple[str, Relation]:
    """Returns the other rooms, or everything else that things can be put on, for "anywhere but the kitchen table"."""
    words, lexicon = words.removeprefix(f"{ELSEWHERE} "), context.lexicon
    if room := room_named(words, lexicon):
        return other_rooms(room, lexicon), "inside"
    barred = {one for part in split_list(words) for one in lexicon.ids_of(place(part, context))}
    free = lexicon.shortened(e.id for e in lexicon.entities.values() if e.category == "furniture" and e.id not in barred
                             and SURFACE in e.properties)
    if not free:
        raise refuse(words, "there is nothing else here to put it on")
    context.tell(f"anywhere but {words}", f"on {' or '.join(f'the {spaced(name)}' for name in free.split('|'))}")
    return free, "on"


def _relation(preposition: str, target: str, words: str, lexicon: Lexicon) -> Relation:
    """Returns the relation of the preposition, or the only one the place supports: "in the coffee table" means on it."""
    classes = sorted(lexicon.classes_of(target))
    known = [lexicon.word(cls) for cls in classes]
    name = known[0].name if len(known) == 1 else re.sub(r"^the ", "", words)
    holds_inside, holds_on = all(word.holds_inside for word in known), all(word.holds_on for word in known)
    if preposition in BELOW and not any(word.runs for word in known):
        raise GoalError(f"nothing can be put {preposition} the {name}, only on or in it", f"{preposition} the {name}",
                        (f"on the {name}", f"in the {name}"))
    if not holds_inside and not holds_on:
        raise GoalError(f"nothing can be put in or on the {name}: choose a piece of furniture or a vessel", name)
    wants_inside = preposition in INSIDE or (preposition in ("to", "at", *BELOW) and holds_inside)
    return "inside" if (wants_inside and holds_inside) or not holds_on else "on"

