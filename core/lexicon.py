"""The words of one world: which classes and things there are, and what people call them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.errors import UsageError
from core.registry import near_misses
from core.world import BREWS, CONTAINER, RINSES, SURFACE, Entity

SYNONYMS = {
    "couch": "sofa", "refrigerator": "fridge", "cupboard": "cabinet", "tv": "television", "telly": "television",
    "oven": "stove", "cup": "mug", "phone": "cellphone", "cell phone": "cellphone", "mobile": "cellphone",
    "remote": "remote_control", "soap": "bar_soap", "fork": "cutlery_fork", "knife": "cutlery_knife", "pan": "frying_pan",
    "pot": "cooking_pot", "bowl": "dish_bowl", "glass": "water_glass", "shirt": "clothes_shirt", "trousers": "clothes_pants",
    "pants": "clothes_pants", "sponge": "washing_sponge", "tap": "faucet", "worktop": "counter_top", "bin": "garbage_can",
    "trash can": "garbage_can", "bedside table": "nightstand", "burner": "stove_burner", "bread": "bread_slice",
    "slice": "bread_slice", "closet": "cabinet", "freezer": "fridge", "settee": "sofa",
    "pc": "computer", "telephone": "cellphone",
}
"""What people say -> the class it may mean, tried only where the world has no such word itself; and the other way round."""
IRREGULAR = {"knives": "knife", "loaves": "loaf", "shelves": "shelf", "glasses": "glass", "mice": "mouse", "teeth": "tooth"}


@dataclass(frozen=True, slots=True)
class Word:
    """One class of the world: how many there are is not part of it, a planner may not know.

    Attributes:
        runs: something runs out of it onto what is put under it.
    """

    cls: str
    name: str
    holds_inside: bool
    holds_on: bool
    runs: bool = False


class Lexicon:
    """Finds classes and ids in text."""

    def __init__(self, entities: Iterable[Entity]):
        self.ids: dict[str, str] = {}
        self.words: dict[str, Word] = {}
        self.rooms: dict[str, str] = {}
        for e in entities:
            if e.category == "room":
                self.rooms[e.name.lower()] = e.cls
            else:
                self.ids[e.id.replace("_", " ").lower()] = e.id
                old = self.words.get(e.name.lower())
                inside, on = CONTAINER in e.properties, SURFACE in e.properties
                self.words[e.name.lower()] = Word(e.cls, e.name, inside or bool(old and old.holds_inside),
                                                  on or bool(old and old.holds_on), bool({BREWS, RINSES} & e.properties))
        self._classes = {w.cls: w for w in self.words.values()}

    def word(self, cls_or_id: str) -> Word:
        """What is known of a class, or of an id's class."""
        if cls_or_id in self._classes:
            return self._classes[cls_or_id]
        return self._classes[re.sub(r"_[^_]+$", "", cls_or_id)]

    def plural(self, noun: str, also: Iterable[str] = ()) -> bool:
        """Whether a noun means more than one: not the word itself, but a singular of it is known here (or is one of `also`)."""
        known = {*also, *self.words, *self.ids, *SYNONYMS, *(name.split()[-1] for name in self.words),
                 *(name.replace(" ", "") for name in self.words)}
        return noun not in known and any(form in known for form in singulars(noun))

    def find(self, noun: str) -> str:
        """The class, or the id, a noun phrase means: "kitchen tables" -> `kitchen_table`, "fridge 2" -> `fridge_2`.

        Raises:
            UsageError: nothing here is called that, or it could mean several classes.
        """
        noun = " ".join(noun.lower().replace("_", " ").split())
        for form in (noun, *singulars(noun)):
            if form in self.words:
                return self.words[form].cls
            if form in self.ids:
                return self.ids[form]
            joined = {name.replace(" ", ""): word.cls for name, word in self.words.items()}
            if form.replace(" ", "") in joined:
                return joined[form.replace(" ", "")]
        return self._guess(noun)

    def _guess(self, noun: str) -> str:
        for form in (noun, *singulars(noun)):
            cls = SYNONYMS.get(form)
            if cls in self._classes:
                return str(cls)
            said = (word for word, meant in SYNONYMS.items() if meant == form.replace(" ", "_"))
            same = {self.words[word].cls for word in said if word in self.words}
            if len(same) == 1:
                return same.pop()
        forms = {noun, *singulars(noun)}
        ending = sorted(w.cls for name, w in self.words.items() if name.split()[-1] in forms)
        if len(ending) == 1:
            return ending[0]
        if ending:
            raise UsageError(f"'{noun}' could be {' or '.join(e.replace('_', ' ') for e in ending)}: say which")
        if noun in self.rooms or noun.removeprefix("the ") in self.rooms:
            raise UsageError(f"the {noun} is a room: name a piece of furniture in it")
        hint = near_misses(noun, self.words) or "; see the entities of this scene: python main.py list objects --scene …"
        raise UsageError(f"there is no '{noun}' in this scene{hint}")


def singulars(noun: str) -> list[str]:
    """Forms of which `noun` may be the plural, likeliest first."""
    head, _, last = noun.rpartition(" ")
    forms = [IRREGULAR[last]] if last in IRREGULAR else []
    if last.endswith("ies"):
        forms.append(last[:-3] + "y")
    if last.endswith("es"):
        forms.append(last[:-2])
    if last.endswith("s") and not last.endswith("ss"):
        forms.insert(1 if forms and last not in IRREGULAR and last.endswith("ies") else len(forms), last[:-1])
    return [f"{head} {form}".strip() for form in forms]
