"""Noun phrases of a task: which objects, how many, in which state, where they are, and their position in the text.

    list    := phrase ((and | or | ,) phrase)*
    phrase  := [every | number | the] state* noun [(that are) in room] [(that are) on place]

"Every book and magazine": a phrase without a number of its own takes that of the phrase before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.common.errors import GoalError
from core.goals.kinds import FLOOR, KIND_WORDS, KINDS, LIGHT, MASS, THING
from core.goals.literals import Literal
from core.goals.parser.context import Context, refuse
from core.goals.parser.determiners import Determiners
from core.goals.parser.meanings import any_of, homonym, told
from core.goals.parser.restrictions import OUT_OF, WITHIN, split_places
from core.goals.parser.word_classes import LIQUIDS
from core.goals.vocabulary import EVERYDAY, SPOKEN, Fits, Lexicon, anything, plural_of, singulars
from core.world.vocabulary import spaced


def span_of(text: str, words: str) -> tuple[int, int]:
    """Returns (start, end) of the words in the typed task; if they are not adjacent, of the last ones; else (0, 0)."""
    tokens = re.findall(r"[^\W_]+", words.lower())
    while tokens:
        pattern = r"[\W_]+".join(map(re.escape, tokens))
        found = re.search(rf"(?<![^\W_]){pattern}(?![^\W_])", text, re.IGNORECASE)
        if found is not None:
            return found.span()
        tokens = tokens[1:]
    return 0, 0


PRONOUNS = frozenset({"it", "them", "this", "that", "these", "those", "both of them", "all of them"})
MOST = 50
"""The maximum number of objects of one phrase."""
NOUNS = {"thing": THING, "object": THING, "item": THING, "stuff": THING, "anything": THING, "everything": THING, "light": LIGHT,
         "light source": LIGHT}
"""Nouns that are no class; used only if the world has no such class itself."""
POURED = re.compile(rf"(?P<vessel>\w+) of (?P<liquid>{'|'.join(sorted(LIQUIDS))})")
"""A mug of coffee: a filled mug, where coffee itself is nothing that exists."""
SERVED = re.compile(r"(?P<vessel>glass|cup|mug|bowl|plate) of (?:the )?(?P<what>.+)")
"""A glass of wine, which is the wine itself: simulators know filled vessels, not what is in them."""
DISHES = {"toast": (("bread slice", "bread", "food bread"), "cooked"), "coffee": (("mug", "cup"), "filled")}
"""Result -> (names of the object, the state it gets)."""
NO_QUANTITY = re.compile(r"\b(several|a few|few|many|most|half|enough|plenty|a lot|lots)\b")


@dataclass(frozen=True, slots=True)
class Item:
    """One noun phrase.

    Attributes:
        what: class, id or kind, or several of them.
        count: the number of objects.
        states: the states they must have.
        every: True if all existing ones are meant.
        room: class or id of the room they are in.
        words: the phrase as written.
        source: class or id of what they are in or on.
        was: the states they have now.
        bare: True if it is a plural without number and article, so that it is not clear how many are meant.
        plain: True if it has neither number nor article.
    """

    what: str
    count: int
    states: frozenset[str]
    every: bool
    room: str | None
    words: str
    source: str | None = None
    was: frozenset[str] = frozenset()
    bare: bool = False
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """The role of a verb's noun phrases.

    Attributes:
        fits: returns True for classes suitable for the role.
        makes: "make coffee" refers to a filled mug, even if there is ground coffee.
        moves: the objects leave their place: a room they are in now becomes the furniture of that room.
        one: only one object can be meant: "sit on the chairs" is an error.
    """

    fits: Fits = anything
    makes: bool = False
    moves: bool = False
    one: bool = False


ANY_PART = Part()


# --- phrases and what follows them -------------------------------------------------
def split_list(words: str) -> list[str]:
    """Splits `phrase ((and | ,) phrase)*`."""
    parts = re.split(r",\s*(?:and\s+)?|\s+and\s+|\s+as well as\s+|\s+plus\s+", words.strip(" ,."))
    return [part.strip() for part in parts if part.strip()]


def room_named(words: str, lexicon: Lexicon) -> str | None:
    """Returns the class or id of the room that words name, or None."""
    name = re.sub(r"^(?:the|my|your|our|this|that|her|his|their) ", "", words.strip(" ,.").replace("_", " "))
    return lexicon.rooms.get(name)


def items(words: str, context: Context, part: Part = ANY_PART) -> list[Item]:
    """Parses a list of noun phrases.

    "All cabinets" gives one item for each class: cabinet, kitchen cabinet, bathroom cabinet. "An apple or a pear" gives one.

    Raises:
        GoalError: an object is missing or not in this world.
    """
    parts = split_list(words)
    if not parts:
        raise GoalError("a thing is missing in the task: say what to move, and to which place", words)
    found: list[Item] = []
    for one in parts:
        read = _alternatives(one, context, part)
        before = found[-1] if found else None
        if before is not None and before.every and read[0].plain:
            read = [replace(item, every=True, bare=False) for item in read]
        found += read
    last = found[-1]
    if last.source or last.room:  # "the mug and the plate on the desk": both are there
        found = [item if item.source or item.room else replace(item, source=last.source, room=last.room) for item in found]
    return [_counted(item, context) for item in found]


def _counted(item: Item, context: Context) -> Item:
    """Returns the item with a number: a bare plural means all of them, unless the operator chooses another number."""
    if not item.bare or item.every:
        return item
    noun = item.words.replace("_", " ")
    number_of = f"two pieces of {noun}" if noun in MASS else f"two {noun}"
    meanings = [(f"all {noun}", (True, 1)), (number_of, (False, 2)), ("one of them", (False, 1))]
    every, number = context.choose(item.words, meanings)
    return replace(item, every=every, count=number, bare=False)


def _alternatives(words: str, context: Context, part: Part) -> list[Item]:
    """Parses `[either] phrase (or phrase)*`; the objects are interchangeable."""
    options = re.split(r"\s+or\s+(?:else\s+)?", re.sub(r"^either ", "", words))
    read = [_phrase(option, context, part) for option in options]
    if len(read) == 1:
        return read[0]
    firsts = [one for option in read for one in option]
    first, last = firsts[0], firsts[-1]
    counts = {one.count for one in firsts if not one.plain} or {1}
    firsts = [replace(one, count=first.count, bare=first.bare) if one.plain else one for one in firsts]
    if len(counts) > 1 or len({one.states for one in firsts}) > 1:
        raise refuse(words, "say for each thing how many there are to be, or name the things without numbers")
    if any(one.every for one in firsts):
        raise refuse(words, "say which of them, or “and” if all are meant", (words.replace(" or ", " and "),))
    what = "|".join(dict.fromkeys(one.what for one in firsts))
    return [replace(first, what=what, words=words, source=last.source, room=last.room,
                    bare=all(one.bare for one in firsts))]


def _phrase(words: str, context: Context, part: Part) -> list[Item]:
    """Parses `[every | number | the] state* noun [in room] [on place]`.

    Raises:
        GoalError: it names no object of this world, or an invalid number.
    """
    lexicon = context.lexicon
    head, places = split_places(_of_room(words.strip(" ,."), lexicon))
    if head in PRONOUNS:
        raise refuse(head, "say which things are meant")
    room, source = _where(places, context, part)
    if head in REST_ALONE and context.so_far:
        head = f"{REST_ALONE[head]} {spaced(context.so_far[-1].subject.split('|')[0]).rstrip('0123456789 ')}"
    phrase = Determiners(head.split())
    vague = NO_QUANTITY.match(head)
    if vague:
        raise refuse(vague[1], "say how many")
    if not phrase.left:
        raise GoalError(f"“{spaced(words)}” names no thing", words)
    if phrase.count is not None and not 1 <= phrase.count <= MOST:
        raise refuse(words, f"a goal is about 1 to {MOST} things: to have none there, say “take every … off it”"
                     if not phrase.count else f"a goal is about at most {MOST} things")
    noun = " ".join(phrase.left).replace("_", " ")
    vessel = re.match(r"(cup|mug|pot)s? of (?=coffee$)", noun) if part.makes else None
    if vessel is not None and vessel[1] not in lexicon.words:
        noun = noun[vessel.end():]
    if room is None:
        noun, room = _in_named_room(noun, lexicon)
    return [replace(item, words=noun if item.bare else words) for item in _meant(noun, phrase, room, source, context, part)]


def _meant(noun: str, phrase: Determiners, room: str | None, source: str | None, context: Context, part: Part) -> list[Item]:
    """Returns the items of a noun, one for each class if every one is meant."""
    lexicon = context.lexicon
    count = phrase.count
    if phrase.pairs and not _named_in_plural(noun, lexicon):
        count = 2 * (count or 1)
    noun = _spelled(_unadorned(noun, context), context, makes=part.makes)
    if phrase.owner:
        context.tell(f"{phrase.owner} {noun}", f"{noun}: whose it is is not known")
    if (phrase.rest or phrase.more) and not _named_before(noun, context):
        raise refuse(f"{'the other' if phrase.rest else 'another'} {noun}", "say how many there are to be in the end")
    if phrase.rest:
        return [_rest(noun, room, source, context)]
    if count != 1:
        noun = homonym(noun, context, part.fits)
    plural = _is_plural(noun, lexicon)
    count = _some(noun, context, plural=plural) if phrase.some and count is None else count
    all_of = count is None and (phrase.every or (phrase.definite and (plural or _kind(noun, lexicon) == LIGHT)))
    every = noun == "everything" or all_of or (
        phrase.any and plural and count == 1 and bool(phrase.was))  # any dirty plates: all that are
    if room is not None:
        fits, here = part.fits, room
        part = replace(part, fits=lambda cls: fits(cls) and lexicon.is_in(cls, here))
    found, made = _classes(noun, context, part, every=every or phrase.any, definite=phrase.definite)
    found = ("|".join(found),) if phrase.any and not every else found
    if plural and (phrase.any or every or (count or 1) > 1):
        found = _with_kind(noun, found, (count or 1) if phrase.any else 0, context)
    bare = count is None and plural and not every and not made
    states, was = phrase.states | made, set(phrase.was)
    if phrase.slices and all(name in lexicon.sliceable and not name.endswith("slice") for name in found):
        states.add("sliced")
    if "clean" in states and (phrase.definite or every):  # the clean bowl: the one that is clean now
        states, was = states - {"clean"}, was | {"clean"}
    return [Item(one, count or 1, frozenset(states), every, None if at or part.moves else room, noun, at, frozenset(was), bare,
                 plain=not (phrase.every or phrase.definite or phrase.some or phrase.count))
            for one, at in _located(found, room, source, context, part)]


def _some(noun: str, context: Context, *, plural: bool) -> int:
    """Returns the number of "some apples", a guess; one of "some milk"."""
    meanings = [(f"two {noun}", 2), ("one", 1), ("three", 3)]
    return context.choose(f"some {noun}", meanings) if plural and noun not in MASS else 1


def _is_plural(noun: str, lexicon: Lexicon) -> bool:
    own = noun in lexicon.words or noun in lexicon.ids
    return not own and (noun in ("everything", "stuff") or noun in MASS or lexicon.plural(
        noun, (*NOUNS, *DISHES, *(word.replace("_", " ") for word in KIND_WORDS))))


REST_ALONE = {"the rest": "the other", "another one": "another"}
"""Phrases without a noun, which mean things of the one named last -> the words before it."""


def _named_before(noun: str, context: Context) -> list[Literal]:
    """Returns the literals of earlier clauses about things of a name."""
    classes = context.lexicon.classes_of("|".join(context.lexicon.senses(noun)))
    return [x for x in context.so_far if context.lexicon.classes_of(x.subject) & classes]


def _rest(noun: str, room: str | None, source: str | None, context: Context) -> Item:
    """Returns all things of a name but those that earlier clauses named; of those named by number, how many are left.

    Raises:
        GoalError: none is left.
    """
    lexicon = context.lexicon
    name = "|".join(lexicon.senses(noun))
    ids = lexicon.ids_of(name, room, source)
    before = _named_before(noun, context)
    named = {x.subject for x in before if x.subject in ids}
    others = sum(x.count for x in before if x.subject not in ids)
    left = len(ids) - len(named) - others
    if left < 1:
        raise refuse(f"the other {noun}", "say which and how many: none of them is left")
    context.tell(f"the other {spaced(noun)}", f"the {left} that were not named")
    what = name if others else lexicon.shortened(one for one in ids if one not in named)
    return Item(what, left if others else 1, frozenset(), not others, room, noun, source)


def _located(found: tuple[str, ...], room: str | None, source: str | None, context: Context,
             part: Part) -> list[tuple[str, str | None]]:
    """Returns (name, source) of each class: furniture at a place becomes its ids, objects get the place as their source."""
    lexicon = context.lexicon
    located: list[tuple[str, str | None]] = []
    for name in found:
        fixed = lexicon.classes_of(name) and not lexicon.classes_of(name) & lexicon.movable
        if fixed and source and source != FLOOR and lexicon.holder:
            ids = lexicon.ids_of(name, room, source)
            if not ids:
                raise refuse(spaced(name), f"there is no {spaced(name)} on or in the {spaced(source)}")
            located.append(("|".join(ids), None))
        elif fixed and room and part.moves:
            located.append((_ids_in(name, room, lexicon), None))
        elif room and not source and part.moves and not fixed:
            located.append((name, _furniture_of(room, lexicon)))
        elif source and room and source != FLOOR:
            located.append((name, _ids_in(source, room, lexicon)))
        else:
            located.append((name, source))
    return located


def _ids_in(name: str, room: str, lexicon: Lexicon) -> str:
    ids = lexicon.ids_of(name, room)
    if not ids:
        raise refuse(spaced(name), f"there is no {spaced(name)} in the {spaced(room)}")
    return lexicon.shortened(ids)


def _furniture_of(room: str, lexicon: Lexicon) -> str:
    """Returns the furniture of a room that holds objects."""
    ids = [e.id for e in lexicon.entities.values() if e.category == "furniture" and lexicon.holds_things(e.cls)
           and e.id in lexicon.ids_of(e.cls, room)]
    if not ids:
        raise refuse(spaced(room), "no furniture there holds anything")
    return lexicon.shortened(ids)


def _where(places: list[tuple[str, str]], context: Context, part: Part) -> tuple[str | None, str | None]:
    """Returns the room and the place that the phrases after a noun name."""
    room: str | None = None
    source: str | None = None
    for preposition, words in places:
        named = room_named(words, context.lexicon)
        allowed = re.fullmatch(rf"{OUT_OF}|{WITHIN}", preposition)
        if allowed and named is not None:
            room = named
        elif allowed and source is None and re.fullmatch(r"(?:the )?(?:floor|ground)", words):
            source = FLOOR
        elif allowed and source is None:
            if preposition == "in" and not _is_known(words, context):
                raise _no_room(words, context.lexicon)
            source = place(words, context)
        else:
            raise refuse(f"{preposition} {words}", "this says nothing that a goal can express here: say on or in which "
                                                   "furniture",
                         (f"on {words}", f"in {words}"))
    del part
    return room, source


def _is_known(words: str, context: Context) -> bool:
    try:
        place(words, Context(context.lexicon, context.sentence))
    except GoalError:
        return False
    return True


def _no_room(words: str, lexicon: Lexicon) -> GoalError:
    name = re.sub(r"^the ", "", words.replace("_", " "))
    rooms = list(dict.fromkeys(room.replace("_", " ") for room in lexicon.rooms.values() if room in lexicon.room_classes))
    return GoalError(f"there is no room or furniture called “{name}” here", name, rooms[:4])


def _of_room(words: str, lexicon: Lexicon) -> str:
    """Returns the words with "of the kitchen" as "in the kitchen", if that is a room here."""
    found = re.search(r"\s+of\s+((?:the |my )?(\S+))$", words)
    return f"{words[:found.start()]} in {found[1]}" if found and room_named(found[1], lexicon) else words


# --- places --------------------------------------------------------------------------
def place(words: str, context: Context, room: str | None = None) -> str:
    """Returns the class, the id, or several of them, of a place. Any instance will do, so numbers and states are rejected.

    Args:
        words: the phrase; it may name a room: "the table in the dining room".
        context: the reading.
        room: the room in which the place must be.

    Raises:
        GoalError: the place is not in this world, or the phrase says more than a goal can express.
    """
    lexicon = context.lexicon
    options = re.split(r"\s+or\s+(?:else )?", re.sub(r"^either ", "", words))
    if beside := BESIDE.fullmatch(words):
        return _holding(beside["place"], beside["thing"], room, context)
    if len(options) > 1:
        return "|".join(dict.fromkeys(place(option, context, room) for option in options))
    head, more = split_places(_of_room(words.strip(" ,."), lexicon))
    source = None
    for preposition, where in more:
        named = room_named(where, lexicon)
        if named is None and source is None and re.fullmatch(rf"{OUT_OF}|{WITHIN}", preposition):
            source = place(where, context)
            continue
        if named is None or room is not None:
            raise refuse(words, "name one place by its class or number, and at most the room it is in", (f"the {head}",))
        room = named
    noun, name, room = _one_of_them(head, words, room, context)
    if source is not None:
        ids = lexicon.ids_of(name, room, source)
        if not ids:
            raise refuse(words, f"there is no {spaced(noun)} on or in the {spaced(source)}", (f"the {noun}",))
        return lexicon.shortened(ids)
    return name if room is None else _ids_in(name, room, lexicon)


OTHER = {"clean": "dirty", "closed": "open", "open": "closed", "dirty": "clean", "sliced": "", "cooked": "", "filled": ""}


def _one_of_them(head: str, words: str, room: str | None, context: Context) -> tuple[str, str, str | None]:
    """Returns the noun of a place, the name it has here, and its room."""
    lexicon = context.lexicon
    noun, definite, states = _one_place(head, words, lexicon)
    if room is None:
        noun, room = _in_named_room(noun, lexicon)
    noun = _spelled(_unadorned(noun, context), context)
    here = room

    def fits(cls: str) -> bool:
        return lexicon.holds_things(cls) and (here is None or lexicon.is_in(cls, here))

    name = any_of(noun, told(noun, lexicon.senses(noun, fits), context), context, definite=definite)
    if states:
        name = _in_states(name, states, words, lexicon)
        context.tell(head, f"one that is {' and '.join(sorted(states))} now")
    return noun, name, room


BESIDE = re.compile(r"(?P<place>.+?) with (?:the|an?|my) (?P<thing>\S+)")
"""The table with the laptop (on it)."""


def _holding(where: str, noun: str, room: str | None, context: Context) -> str:
    """Returns the places on or in which a thing is now.

    Raises:
        GoalError: there is no such place.
    """
    lexicon = context.lexicon
    name, thing = place(where, context, room), "|".join(lexicon.senses(_spelled(noun.replace("_", " "), context)))
    ids = [one for part in name.split("|") for one in lexicon.ids_of(part) if lexicon.ids_of(thing, None, one)]
    if not ids:
        raise refuse(f"{where} with the {noun}", f"there is no {spaced(name)} with a {spaced(thing)} on or in it", (where,))
    return lexicon.shortened(ids)


def _one_place(head: str, words: str, lexicon: Lexicon) -> tuple[str, bool, set[str]]:
    """Returns the noun of a place, whether it has a definite article, and the states it has now.

    Raises:
        GoalError: there is no noun, or the phrase is not about one place.
    """
    phrase = Determiners(head.split())
    noun = " ".join(phrase.left).replace("_", " ")
    if not noun:
        raise GoalError(f"“{spaced(words)}” names no place", words)
    if phrase.count not in (None, 1) or phrase.every or re.search(r"\bdifferent\b", words):
        raise GoalError(f"“{spaced(words)}”: name one place by its class or number; "
                        "how it has to be, say in a clause of its own", words, (f"the {noun}",))
    if _kind(noun, lexicon) in (THING, LIGHT):
        raise GoalError(f"“{spaced(words)}” is no place: name a piece of furniture or a vessel", words)
    return noun, phrase.definite, phrase.states | phrase.was


def _in_states(name: str, states: set[str], words: str, lexicon: Lexicon) -> str:
    """Returns the places that are in all these states now: "on a clean plate".

    Raises:
        GoalError: none is.
    """
    def has(one: str) -> bool:
        now = lexicon.entities[one].states
        return all(state in now or (OTHER[state] not in now and state in ("clean", "closed")) for state in states)

    ids = [one for one in lexicon.ids_of(name) if has(one)]
    if not ids:
        raise refuse(words, f"there is no {spaced(name)} that is {' and '.join(sorted(states))} now", (f"the {spaced(name)}",))
    return lexicon.shortened(ids)


# --- nouns ---------------------------------------------------------------------------


FAMILIAR = re.compile(r"(?:old|new|nice|lovely|little|small|big|large|huge|tiny"
                      r"|silly|favou?rite|poor|bloody|fresh|spare|good|stupid|yummy|tasty|cute"
                      r"|dear|own|whole|precious|smelly|comfy|cosy|trusty|delicious|usual|wee|annoying|blasted|ruddy"
                      r"|beautiful|yesterday's|today's|tonight's) ")
"""Adjectives by which a speaker does not tell an object from others."""
OF_KIND = re.compile(r"(?P<kind>.+) (?:items?|things?|stuff|objects?|products?|materials?|matter|pieces?|gear|goods|bits"
                     r"|articles?)")


def _unadorned(noun: str, context: Context) -> str:
    """Returns "old credit card" as "credit card", told as a guess, and "grocery items" as "groceries"."""
    lexicon, named = context.lexicon, noun
    while (found := FAMILIAR.match(named)) and not lexicon.is_here(named):
        named = named[found.end():]
    if named != noun and lexicon.is_here(named):
        context.tell(noun, f"{named}: which one is {noun.removesuffix(named).strip()} is not known")
    else:
        named = noun
    found = OF_KIND.fullmatch(named)
    is_kind = found and {word.replace(" ", "_") for word in (found["kind"], *singulars(found["kind"]))} & KIND_WORDS.keys()
    if not found or not is_kind or lexicon.is_here(named):
        return named
    return found["kind"] if found["kind"] in MASS else plural_of(found["kind"])


def _with_kind(noun: str, found: tuple[str, ...], count: int, context: Context) -> tuple[str, ...]:
    """Returns the classes of a plural that also names a kind: toys are the class toy, or teddy bears and games as well.

    Args:
        noun: the plural.
        found: the classes of its own name.
        count: the number that must exist; if there are fewer, the kind is likelier.
        context: the reading.
    """
    lexicon = context.lexicon
    kind = next((KIND_WORDS[form] for form in singulars(noun) if form in KIND_WORDS), "")
    own = lexicon.classes_of("|".join(found))
    if not kind or kind in found or not own < lexicon.classes_of(kind):
        return found
    meanings = [(" and ".join(map(spaced, found)), found), (", ".join(map(spaced, sorted(lexicon.classes_of(kind)))), (kind,))]
    return context.choose(noun, meanings if len(lexicon.ids_of("|".join(found))) >= count else meanings[::-1])


def _named_in_plural(noun: str, lexicon: Lexicon) -> bool:
    """Returns True if a name is a plural only, so that one thing is a pair: blinds, spectacles, pants, but not candles."""
    return plural_of(noun) == noun and lexicon.is_here(noun) and (
        noun in SPOKEN.values() or noun in lexicon.words or not any(lexicon.is_here(form) for form in singulars(noun)))


def _in_named_room(noun: str, lexicon: Lexicon) -> tuple[str, str | None]:
    """Returns (noun, room): the bathroom sink is the sink in the bathroom, if no class has that name."""
    for name, room in lexicon.rooms.items():
        rest = noun.removeprefix(f"{name} ")
        if rest != noun:
            try:
                lexicon.senses(noun)
            except GoalError:
                return rest, room
    return noun, None


def _kind(noun: str, lexicon: Lexicon) -> str:
    """Returns the kind the noun names if the world has no such class: everything, all lights; else ""."""
    forms = (noun, *singulars(noun))
    if any(form in lexicon.words or form in lexicon.ids for form in forms):
        return ""
    return next((NOUNS[form] for form in forms if form in NOUNS), "")


def _spelled(noun: str, context: Context, *, makes: bool = False) -> str:
    """Returns the noun; if it is unknown and near to exactly one name, that name, as a guess.

    Raises:
        GoalError: nothing here has that name.
    """
    forms = (noun, *singulars(noun))
    if _kind(noun, context.lexicon) or any(form in DISHES or POURED.fullmatch(form) for form in forms):
        return noun
    try:
        context.lexicon.senses(noun)
    except GoalError as error:
        near = () if {*forms} & EVERYDAY else context.lexicon.corrected(noun)  # a cloth is no misspelt piece of clothes
        if not near or makes:
            raise
        if len(near) > 1 and len({context.lexicon.senses(name) for name in near if not _kind(name, context.lexicon)}) > 1:
            raise GoalError(error.cause, error.words, near) from None
        return context.choose(noun, [(near[0], near[0])])
    return noun


def _classes(noun: str, context: Context, part: Part, *, every: bool,
             definite: bool) -> tuple[tuple[str, ...], frozenset[str]]:
    """Returns the classes, the id or the kind that the noun names, and the states implied: toast is cooked bread."""
    lexicon = context.lexicon
    kind, forms = _kind(noun, lexicon), (noun, *singulars(noun))
    if kind:
        return (kind,), frozenset()
    poured = next((found for form in forms if (found := POURED.fullmatch(form))), None)
    if poured and not lexicon.is_here(poured["liquid"]) and lexicon.is_here(poured["vessel"]):
        named_so = lexicon.words.get(f"{poured['liquid']} {poured['vessel']}")  # water glass
        if named_so is not None:
            filled = context.choose(noun, [(named_so.name.lower(), False), (f"{named_so.name.lower()}, filled", True)])
            return (named_so.cls,), frozenset({"filled"} if filled or part.makes else ())
        senses = lexicon.senses(poured["vessel"], part.fits)
        context.tell(noun, f"filled {poured['vessel']}: what is in it is not known")
        return (any_of(poured["vessel"], senses, context, definite=definite),), frozenset({"filled"})
    dish = next((form for form in forms if form in DISHES), "")
    if dish and (part.makes or not lexicon.headed(dish)):
        names, state = DISHES[dish]
        known = next((n for n in names if n in lexicon.words), names[0])
        if not part.makes:
            context.tell(noun, f"{state} {known}")
        return (lexicon.find(known),), frozenset({state})
    senses = told(noun, lexicon.senses(noun, part.fits), context)
    served = SERVED.fullmatch(noun)
    if served and {cls.split("_")[0] for cls in senses} <= {*served["what"].split()}:
        context.tell(noun, f"the {spaced(senses[0])}: a {served['vessel']} cannot be filled with it")
    if not every:
        return (any_of(noun, senses, context, definite=definite),), frozenset()
    return senses if senses[0] in KINDS or senses[0] in lexicon.ids.values() else lexicon.kinds(noun, part.fits), frozenset()
