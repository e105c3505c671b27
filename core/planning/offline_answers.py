"""Offline answers: which rule answers a model request without a language model, and the prior over places that the rules use.

A planner registers one rule for each class of `ModelRequest.facts` it sends. The provider `commonsense` looks the rule up, so
it works with planners it does not know, including those of other packages. A planner's module imports its rules, so they are
registered before the planner can ask; a recording's types are read without them.

The prior mixes statistics of AI2-THOR's rooms with a small hand-written table: P(place | class) = 1/2 S + 1/2 H. S = 0.7 * the
counts of the AI2-THOR types that match the class + 0.3 * the mean of its kind. H is the table of kinds of objects over kinds of
places (resources/priors/common_sense.json). The mass of a kind of place is divided evenly over the places of that kind. Raw
counts alone are worse than the uniform distribution, because iTHOR keeps almost nothing inside closed furniture.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.planning.model_requests import ModelRequest
from core.planning.prompt_facts import PlaceFact

PRIORS = RESOURCES / "priors"
OF_TABLE, OF_OWN = 0.5, 0.7
"""The weight of the hand-written table against the counts, and of a class's own counts against those of its kind."""
PACKING = frozenset({"bottle", "box", "bag", "case", "jar", "can", "tube", "pack", "product", "brush"})
"""The least specific words of a class name: packaging, or a form that many objects have."""
LAID_ON = frozenset({"toilet", "bed", "sofa", "seat"})
"""Kinds of places that the counts cover only as surfaces. No counts exist for the inside of such furniture."""
MOST_NAMES = 4096
"""The number of class names whose kinds are cached."""
LEAST_ENDING = 4
"""The minimum length of a word that matches the ending of a longer one: `creditcard` is a card."""
Vector = npt.NDArray[np.float64]
Shares = Mapping[str, float]
"""Kind of place -> weight."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of objects: fresh food, tableware and so on.

    Attributes:
        name: its name.
        words: words of class names that belong to it.
        like: AI2-THOR types that represent it; if there are none, only the table is used.
        places: kind of place -> weight.
    """

    name: str
    words: frozenset[str]
    like: tuple[str, ...]
    places: Shares


class Prior:
    """Estimates where an object of a class may be, for any classes and any places.

    Args:
        without: the name of an AI2-THOR room whose counts are left out because the episode plays in it (`FloorPlan7`).

    Raises:
        DataError: a file of priors is damaged.
    """

    def __init__(self, without: str = ""):
        table = _read("common_sense.json")
        try:
            self.kinds = tuple(Kind(name, frozenset(k["words"].split()), tuple(k["like"].split()), k["places"])
                               for name, k in table["kinds"].items())
            self._place_kinds = {cls: kind for kind, names in table["places"].items() for cls in names.split()}
            self._by_room, self._elsewhere = table["by_room"], table["elsewhere"]
            self._counts = self._counted(_read("thor_parents.json"), without)
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{PRIORS}: the priors are damaged ({error}): build them again") from error
        self._kind_of = lru_cache(MOST_NAMES)(self._found_kind)
        self._means = {kind.name: _mean([self._counts.get(t, {}) for t in kind.like]) for kind in self.kinds}

    def _counted(self, rooms: Mapping[str, Any], without: str) -> dict[str, Shares]:
        """Returns AI2-THOR type -> kind of place -> share."""
        counts: dict[str, Counter[str]] = {}
        for name, room in rooms.items():
            if name != without:
                for cls, parent, n in room["parents"]:
                    counts.setdefault(cls, Counter())[self.kind_of_place(parent, room["class"], inside=False)] += n
        return {cls: _scaled(c) for cls, c in counts.items()}

    # --- kinds ------------------------------------------------------------------
    def kind_of_place(self, cls: str, room_cls: str, *, inside: bool) -> str:
        """Returns the kind of place of a class of furniture: by its name and room, by the end of its name, else by `inside`."""
        kind = self._kind_of_furniture(cls, room_cls, inside=inside)
        return f"inside {kind}" if inside and kind in LAID_ON else kind

    def _kind_of_furniture(self, cls: str, room_cls: str, *, inside: bool) -> str:
        for name in (cls, *(_tail(cls, n) for n in (2, 1))):
            if name in self._place_kinds:
                return str(self._place_kinds[name])
            if name in self._by_room:
                kinds = self._by_room[name]
                return str(kinds.get(_room_word(room_cls), kinds[""]))
        kinds = self._elsewhere["inside" if inside else "on"]
        return str(kinds.get(_room_word(room_cls), kinds[""]))

    def kind_of_thing(self, cls: str) -> Kind | None:
        """Returns the kind whose words occur in the class name; None if no kind matches.

        The whole name is tried first, as one word and as several. Then its words from the last, which is the most specific, to
        the first; packaging words come last, so that a condiment bottle is a condiment. Finally the word the name ends with:
        `creditcard` is a card.
        """
        return self._kind_of(cls)

    def _found_kind(self, cls: str) -> Kind | None:
        words = [word for word in re.split(r"[_\W]+", cls.lower()) if word]
        said = sorted(reversed(words), key=lambda word: word in PACKING)
        for word in ("_".join(words), "".join(words), "_".join(words[-2:]), *said):
            for form in _singulars(word):
                for kind in self.kinds:
                    if form in kind.words:
                        return kind
        return self._by_ending(words[-1]) if words else None

    def _by_ending(self, name: str) -> Kind | None:
        """Returns the kind with the longest word that a compound name ends with, or starts with if it ends in a packaging word.

        Example: `hairbrush` starts with `hair` and ends with the packaging word `brush`.
        """
        found = [(len(word), kind) for kind in self.kinds for word in kind.words
                 if len(word) >= LEAST_ENDING and word not in PACKING
                 and (any(form.endswith(word) for form in _singulars(name))
                      or (name.startswith(word) and any(name.endswith(p) for p in PACKING)))]
        return max(found, key=lambda pair: pair[0])[1] if found else None

    # --- distributions ----------------------------------------------------------
    def over(self, cls: str, places: Sequence[PlaceFact]) -> Vector:
        """Returns the probability of each place for a class: (n,), sums to 1."""
        kinds = [self.kind_of_place(p.cls, p.room_cls, inside=p.inside) for p in places]
        kind = self.kind_of_thing(cls)
        if kind is None:
            table = _spread(_usual([k.places for k in self.kinds]), kinds)
            counts = _spread(_usual([m for m in self._means.values() if m]), kinds)
        else:
            table = _spread(kind.places, kinds)
            own = self._counts.get(cls) or self._counts.get(_nearest(cls, kind.like)) or self._means[kind.name]
            mean = self._means[kind.name]
            counts = OF_OWN * _spread(own, kinds) + (1 - OF_OWN) * _spread(mean, kinds) if mean else table
        result: Vector = OF_TABLE * table + (1 - OF_TABLE) * counts
        return result

    def rooms(self, cls: str, rooms: Sequence[str]) -> Vector:
        """Returns the probability of each room for an object or furniture of a class: (n,), sums to 1.

        Args:
            cls: the class of the object or furniture.
            rooms: the classes of the n rooms.
        """
        homes = np.array([self._fits_room(cls, room) for room in rooms])
        result: Vector = homes / homes.sum()
        return result

    def _fits_room(self, cls: str, room: str) -> float:
        """Returns the weight of a room: a minimum, plus the weights of the kinds of places of that room that suit the class."""
        thing = self.kind_of_thing(cls)
        if thing is None or cls in self._place_kinds:
            place = self._kind_of_furniture(cls, "", inside=True)
            return 0.05 + (ROOM_OF.get(place, "") == _room_word(room))
        return 0.05 + sum(w for place, w in thing.places.items() if ROOM_OF.get(place, "") == _room_word(room)) / 100


ROOM_OF = {
    "fridge": "kitchen", "microwave": "kitchen", "stove": "kitchen", "dishwasher": "kitchen", "coffee_machine": "kitchen",
    "toaster": "kitchen", "kitchen_counter": "kitchen", "kitchen_table": "kitchen", "kitchen_cabinet": "kitchen",
    "kitchen_sink": "kitchen", "bed": "bedroom", "nightstand": "bedroom", "cabinet": "bedroom", "sofa": "living_room",
    "tv_stand": "living_room", "coffee_table": "living_room", "desk": "bedroom", "bookshelf": "living_room",
    "toilet": "bathroom", "bathtub": "bathroom", "towel_rack": "bathroom", "bathroom_counter": "bathroom",
    "bathroom_cabinet": "bathroom", "bathroom_sink": "bathroom", "washing_machine": "bathroom", "laundry_basket": "bathroom",
}
"""Kind of place -> the room where it is most common."""


@lru_cache(4)
def _read(name: str) -> Any:
    path = PRIORS / name
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise DataError(f"{path} cannot be read ({error}): run resources/priors/build_priors.py") from error


def _tail(cls: str, words: int) -> str:
    """Returns the last words of a class: `big_wooden_cabinet` -> `cabinet`."""
    return "_".join(cls.lower().split("_")[-words:])


def _room_word(room_cls: str) -> str:
    """Returns the kind of a room by the word that states its use; the lower-case class for other rooms (`home_office`)."""
    for word, room in (("kitchen", "kitchen"), ("bath", "bathroom"), ("bed", "bedroom"), ("living", "living_room")):
        if word in room_cls.lower():
            return room
    return room_cls.lower()


def _nearest(cls: str, types: Sequence[str]) -> str:
    """Returns the type whose name shares a word with the class, or "": `cutlery_knife` uses the counts of `knife`."""
    words = set(cls.split("_"))
    return next((t for t in types if words & set(t.split("_"))), "")


def _scaled(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values())
    return {k: w / total for k, w in weights.items()} if total else {}


def _singulars(word: str) -> tuple[str, ...]:
    """Returns the word and its possible singulars."""
    return word, word.removesuffix("s"), word.removesuffix("es")


def _usual(tables: Sequence[Shares]) -> dict[str, float]:
    """Returns the shares for an object of unknown kind: the mean over kinds, weighted by how many kinds occur at each place.

    The weight suppresses places of one kind only: that toilet paper is at the toilet says nothing about other objects.
    """
    breadth = Counter(place for table in tables for place, share in table.items() if share > 0)
    return _scaled({place: share * breadth[place] for place, share in _mean(tables).items()})


def _mean(tables: Sequence[Shares]) -> dict[str, float]:
    total: Counter[str] = Counter()
    for table in tables:
        for kind, share in _scaled(table).items():
            total[kind] += share  # type: ignore[assignment]  # Counter sums floats as well
    return _scaled(total)


def _spread(shares: Shares, kinds: Sequence[str]) -> Vector:
    """Divides the share of each kind evenly over its places; uniform if no place is of any of the kinds."""
    numbers = Counter(kinds)
    values = np.array([shares.get(kind, 0.0) / numbers[kind] for kind in kinds])
    return values / values.sum() if values.sum() > 0 else np.full(len(kinds), 1.0 / max(1, len(kinds)))


@lru_cache(8)
def prior(without: str = "") -> Prior:
    """Returns the prior without an AI2-THOR room. It is counted once and shared; any thread may use it.

    Raises:
        DataError: a file of priors is damaged.
    """
    return Prior(without)


Rule = Callable[[Any, ModelRequest, Prior], str]
"""Returns the reply's text, in the format the prompt asks for, from (facts, request, placement prior)."""

_RULES: dict[type, Rule] = {}


def register(facts: type, rule: Rule) -> None:
    """Registers a rule as the offline answer to requests whose `facts` are of this class.

    Raises:
        ValueError: the class has another rule already.
    """
    if _RULES.setdefault(facts, rule) is not rule:
        raise ValueError(f"{facts.__name__} already has an offline answer: register it once")


def rule_for(facts: type) -> Rule | None:
    """Returns the rule registered for a class of facts, or None."""
    return _RULES.get(facts)


def answered() -> frozenset[type]:
    """Returns the classes of facts that have a rule."""
    return frozenset(_RULES)


def worded(chosen: str | None, choices: tuple[str, ...], ask: ModelRequest) -> str:
    """Returns a choice as the prompt phrases it, with a full stop; empty if there is none.

    Args:
        chosen: one of `choices`, or None.
        choices: the choices as the facts name them.
        ask: the request; its phrases are used if there are as many as choices.
    """
    if chosen is None:
        return ""
    phrases = ask.expects.choices
    return f"{phrases[choices.index(chosen)] if len(phrases) == len(choices) else chosen}."
