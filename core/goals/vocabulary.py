"""The words of one world: its classes and objects, and the names people use for them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from core.common.errors import GoalError
from core.world.vocabulary import BREWS, CONTAINER, RINSES, SURFACE, Entity

SYNONYMS = {
    "couch": "sofa", "refrigerator": "fridge", "cupboard": "cabinet", "tv": "television", "telly": "television",
    "oven": "stove", "cup": "mug", "phone": "cellphone", "cell phone": "cellphone", "mobile": "cellphone",
    "remote": "remote_control", "soap": "bar_soap", "fork": "cutlery_fork", "knife": "cutlery_knife", "pan": "frying_pan",
    "pot": "cooking_pot", "bowl": "dish_bowl", "glass": "water_glass", "shirt": "clothes_shirt", "trousers": "clothes_pants",
    "pants": "clothes_pants", "sponge": "washing_sponge", "tap": "faucet", "worktop": "counter_top", "bin": "garbage_can",
    "trash can": "garbage_can", "bedside table": "nightstand", "burner": "stove_burner", "bread": "bread_slice",
    "slice": "bread_slice", "closet": "cabinet", "freezer": "fridge", "settee": "sofa",
    "pc": "computer", "telephone": "cellphone", "spectacles": "glasses", "eyeglasses": "glasses",
}
"""Common word -> class it may mean; used in both directions, only if the world has no such word itself."""
IRREGULAR = {"knives": "knife", "loaves": "loaf", "shelves": "shelf", "glasses": "glass", "mice": "mouse", "teeth": "tooth",
             "potatoes": "potato", "tomatoes": "tomato"}
SPOKEN = {"glasses": "spectacles"}
"""A class whose name is also the plural of another word -> the name used for it instead."""
GROUPS = {"drinking glass": frozenset({"glass", "drinking_glass", "water_glass", "wine_glass"})}
"""A name for several classes of one kind, used only if the world has no such class itself."""
Fits = Callable[[str], bool]
"""Returns True if a class is suitable for its role in a sentence."""
MOST_NAMED = 6
"""The maximum number of choices in one message."""


def anything(cls: str) -> bool:
    """Returns True: every class is suitable."""
    del cls
    return True


@dataclass(frozen=True, slots=True)
class Word:
    """One class of the world. Its number of instances is not included, because a planner may not know it.

    Attributes:
        cls: the class.
        name: its name in words.
        holds_inside: whether objects can be put inside.
        holds_on: whether objects can be put on it.
        runs: whether something flows out of it onto objects below (a tap, a coffee machine).
    """

    cls: str
    name: str
    holds_inside: bool
    holds_on: bool
    runs: bool = False


class Lexicon:
    """Finds classes and ids in text.

    Attributes:
        ids: id with spaces -> id.
        words: class name with spaces -> class.
        rooms: class name or id of a room with spaces -> class or id.
        room_classes: classes of rooms.
        movable: classes of objects that can be carried.
    """

    def __init__(self, entities: Iterable[Entity]):
        self.ids: dict[str, str] = {}
        self.words: dict[str, Word] = {}
        self.rooms: dict[str, str] = {}
        known = tuple(entities)
        for e in known:
            if e.category == "room":
                self.rooms[e.id.replace("_", " ").lower()] = e.id
        for e in known:
            if e.category == "room":
                self.rooms[e.name.lower()] = e.cls
            else:
                self.ids[e.id.replace("_", " ").lower()] = e.id
                old = self.words.get(e.name.lower())
                inside, on = CONTAINER in e.properties, SURFACE in e.properties
                self.words[e.name.lower()] = Word(e.cls, e.name, inside or bool(old and old.holds_inside),
                                                  on or bool(old and old.holds_on), bool({BREWS, RINSES} & e.properties))
        self.room_classes = frozenset(e.cls for e in known if e.category == "room")
        self.movable = frozenset(e.cls for e in known if e.category == "object")
        room_cls = {e.id: e.cls for e in known if e.category == "room"}
        self._in_rooms = {(e.cls, room) for e in known if e.room is not None
                          for room in (e.room, room_cls.get(e.room, e.room))}
        self._classes = {w.cls: w for w in self.words.values()}
        names = [name for name in (*self.words, *self.rooms, *SYNONYMS, *GROUPS) if " " in name]
        forms = sorted({*names, *map(plural_of, names)}, key=lambda form: (-len(form), form))
        longest_first = "|".join(map(re.escape, forms))
        self._names = re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)")
        self._joined = {name.replace(" ", ""): word.cls for name, word in self.words.items()}

    def join_names(self, text: str) -> str:
        """Returns the text with underscores between the words of each known name, longest names first."""
        return self._names.sub(lambda found: found.group().replace(" ", "_"), text)

    def word(self, cls_or_id: str) -> Word:
        """Returns the entry of a class, or of the class of an id."""
        if cls_or_id in self._classes:
            return self._classes[cls_or_id]
        return self._classes[re.sub(r"_[^_]+$", "", cls_or_id)]

    def holds_things(self, cls: str) -> bool:
        """Returns True if objects can be put in or on entities of a class."""
        word = self._classes[cls]
        return word.holds_inside or word.holds_on

    def is_in(self, cls: str, room: str) -> bool:
        """Returns True if an entity of a class is in a room (class or id)."""
        return (cls, room) in self._in_rooms

    def plural(self, noun: str, also: Iterable[str] = ()) -> bool:
        """Returns True if a noun is unknown but one of its singulars is known here or is in `also`."""
        known = {*also, *self.words, *self.ids, *SYNONYMS, *GROUPS, *(name.split()[-1] for name in self.words),
                 *(name.replace(" ", "") for name in self.words)}
        return noun not in known and any(form in known for form in singulars(noun))

    # --- one class ------------------------------------------------------------------
    def find(self, noun: str, fits: Fits = anything) -> str:
        """Returns the class or id a noun phrase refers to: "kitchen tables" -> `kitchen_table`, "fridge 2" -> `fridge_2`.

        Args:
            noun: without article and number.
            fits: if several classes match, those suitable for the role in the sentence.

        Raises:
            GoalError: nothing here has that name, or several classes match.
        """
        noun = _plain(noun)
        for form in (noun, *singulars(noun)):
            exact = self._exact(form)
            if exact is not None:
                return exact
        return self._guess(noun, fits)

    def _exact(self, form: str) -> str | None:
        if form in self.words:
            return self.words[form].cls
        if form in self.ids:
            return self.ids[form]
        return self._joined.get(form.replace(" ", ""))

    def _guess(self, noun: str, fits: Fits) -> str:
        found = {cls for form in (noun, *singulars(noun)) for cls in (*self._synonyms(form), *self.headed(form))}
        fitting = sorted(filter(fits, found)) or sorted(found)
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            names = [self._classes[cls].name.lower() for cls in fitting]
            raise _ambiguous(noun, [plural_of(name) for name in names] if self.plural(noun) else names)
        raise self._unknown(noun)

    def _synonyms(self, form: str) -> set[str]:
        """Returns the classes of this world that the word is a synonym for."""
        cls = SYNONYMS.get(form, "")
        if cls in self._classes:
            return {cls}
        said = (word for word, meant in SYNONYMS.items() if meant in (form.replace(" ", "_"), cls))
        group = GROUPS.get(form, frozenset()) & self._classes.keys()
        return {self.words[word].cls for word in said if word in self.words} | group

    def headed(self, form: str) -> set[str]:
        """Returns the classes whose name ends in a noun: kitchen cabinet and bathroom cabinet for "cabinet"."""
        return {word.cls for name, word in self.words.items() if name == form or name.endswith(f" {form}")}

    def _unknown(self, noun: str) -> GoalError:
        if noun in self.rooms or noun.removeprefix("the ") in self.rooms:
            return GoalError(f"the {noun.removeprefix('the ')} is a room: name a piece of furniture in it", noun)
        return GoalError(f"there is no “{noun}” in this scene", noun, self._close_to(noun))

    def _close_to(self, noun: str) -> list[str]:
        """Returns names with similar spelling, then names that the noun ends with."""
        several = noun.endswith("s") and not noun.endswith("ss")
        names = {plural_of(name) if several else name for name in self.words}
        ends = [" ".join(noun.split()[k:]) for k in range(1, len(noun.split()))]
        parts = [end for end in (*ends, noun.split(" of ")[0]) if end != noun and (end in names or self.headed(end))]
        return list(dict.fromkeys([*difflib.get_close_matches(noun, names, n=2, cutoff=0.6), *parts]))

    # --- all classes ----------------------------------------------------------------
    def kinds(self, noun: str, fits: Fits = anything) -> tuple[str, ...]:
        """Returns all classes, or the id, that "every noun" covers: kitchen cabinets and bathroom cabinets are cabinets, too.

        Args:
            noun: without article and number.
            fits: classes suitable for the role in the sentence; if none is, all are returned.

        Raises:
            GoalError: nothing here has that name.
        """
        noun = _plain(noun)
        forms = (noun, *singulars(noun))
        exact = [cls for form in forms if (cls := self._exact(form)) is not None]
        if exact and exact[0] not in self._classes:
            return (exact[0],)
        found = {*exact, *(cls for form in forms for cls in self.headed(form))} & self._classes.keys()
        if not found:
            found = {cls for form in forms for meant in self._synonyms(form)
                     for cls in (meant, *self.headed(self._classes[meant].name.lower()))}
        if not found:
            raise self._unknown(noun)
        return tuple(sorted(filter(fits, found)) or sorted(found))

    def refuse_homonym(self, noun: str, fits: Fits = anything) -> None:
        """Rejects the plural "glasses" if the world has spectacles (a class of that name) as well as water glasses.

        Raises:
            GoalError: objects of both kinds exist and are suitable.
        """
        noun = _plain(noun)
        own = self.words.get(noun)
        forms = [] if own is None else singulars(noun)
        if own is None or (own.cls not in SPOKEN and any(form in self.words for form in forms)):
            return
        others = set(filter(fits, {cls for form in forms for cls in (*self._synonyms(form), *self.headed(form))} - {own.cls}))
        if others and fits(own.cls):
            raise _ambiguous(noun, [SPOKEN.get(own.cls, own.name), *self._plurals(others)])

    def _plurals(self, classes: set[str]) -> list[str]:
        """Returns the plural names of classes; classes of one group appear under the group's name."""
        names, left = [], set(classes)
        for group, members in GROUPS.items():
            if len(left & members) > 1:
                names.append(plural_of(group))
                left -= members
        return [*names, *sorted(plural_of(self._classes[cls].name.lower()) for cls in left)]


def _plain(noun: str) -> str:
    return " ".join(noun.lower().replace("_", " ").split())


def _ambiguous(noun: str, choices: Sequence[str]) -> GoalError:
    named = [*choices[:MOST_NAMED], *(["others"] if len(choices) > MOST_NAMED else [])]
    listed = f"{', '.join(named[:-1])} or {named[-1]}"
    return GoalError(f"“{noun}” may mean {listed}: write one of them", noun, choices)


def plural_of(noun: str) -> str:
    """Returns the plural of a name; a name that is already one (boots) is unchanged."""
    head, _, last = noun.rpartition(" ")
    for plural, single in IRREGULAR.items():
        if last.endswith(single):
            return f"{head} {last[: -len(single)]}{plural}".strip()
    if last.endswith("s") and not last.endswith(("ss", "us")):
        return noun
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if last.endswith(("s", "x", "z", "ch", "sh")) else "s")


def singulars(noun: str) -> list[str]:
    """Returns possible singulars of a noun, likeliest first."""
    head, _, last = noun.rpartition(" ")
    forms = [last[: -len(plural)] + single for plural, single in IRREGULAR.items() if last.endswith(plural)]
    if last.endswith("ies"):
        forms.append(last[:-3] + "y")
    if last.endswith("es"):
        forms.append(last[:-2])
    if last.endswith("s") and not last.endswith("ss"):
        forms.insert(1 if forms and last.endswith("ies") else len(forms), last[:-1])
    return [f"{head} {form}".strip() for form in forms]
