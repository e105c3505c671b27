"""The verbs of tasks: for each the frame that says which phrases it takes, the plain verb, and its word forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from core.goals.parser.word_classes import word_set

Form = Choice["base", "s", "ing", "ed"]
_TABLE: dict[str, str] = {
    # frame/plain verb: verbs
    "put/put": "put place move set lay leave stick pop drop shove slide stow store stash tuck slip shift relocate "
               "position rest arrange stack hang throw chuck toss sling lob plonk bung deposit prop lean balance "
               "insert install add transfer hide pile spread scatter line lodge restore file plop ditch return "
               "keep pour serve pack dump drape push pull swing tip squeeze bundle dish fold stuff cram jam wedge",
    "bring/bring": "bring take carry fetch get deliver hand pass give lend convey haul lug ferry transport send "
                   "cart shuttle",
    "hold/pick up": "grab hold lift find locate grasp collect retrieve obtain acquire snatch choose select clutch "
                    "grip search hunt seek gather pick snag nab track scoop fish catch dig",
    "take/remove": "remove",
    "empty/empty": "empty unload unpack",
    "clear/clear": "clear tidy declutter neaten straighten sort",
    "turn/switch": "switch turn flip power flick",
    "on/switch on": "start run activate use boot fire light play",
    "off/switch off": "stop kill deactivate extinguish blow snuff douse",
    "open/open": "open unlock raise",
    "close/close": "close shut draw lower",
    "plug/plug in": "plug",
    "change/slice": "slice cut chop dice carve hack",
    "change/cook": "cook heat fry boil bake roast grill reheat simmer poach steam scramble nuke preheat",
    "change/warm": "warm",
    "change/toast": "toast",
    "change/microwave": "microwave",
    "change/wash": "wash clean rinse scrub wipe sponge scour polish",
    "change/fill": "fill refill top",
    "make/make": "make prepare brew fix",
    "go/go": "go end walk head drive roll proceed travel step navigate come wander stroll nip hurry rush dash "
             "march trundle drift",
    "reach/go to": "enter visit approach reach",
    "stay/stay": "wait stay remain be",
    "stand/stand": "stand park hover",
    "rise/stand up": "rise",
    "sit/sit": "sit perch settle",
    "lie/lie": "lie nap sleep doze stretch curl flop",
    "face/face": "face orient",
    "look/look": "look peer glance gaze stare",
    "act/drink": "drink sip gulp swig",
    "act/eat": "eat taste munch nibble devour",
    "act/read": "read recite study peruse",
    "act/watch": "watch",
    "act/touch": "touch pat stroke feel tap poke pet",
    "act/look at": "examine inspect admire",
    "type/type": "type write",
    "have/have": "have",
    "load/load": "load",
    "bin/throw away": "bin trash discard dispose junk",
    "swap/swap": "swap exchange trade",
    "do/do": "do",
    "exit/leave": "exit",
}
_IRREGULAR = {
    "put": "put", "taken": "take", "shut": "shut", "cut": "cut", "brought": "bring", "got": "get", "gone": "go", "read":
    "read", "eaten": "eat", "drunk": "drink", "sat": "sit", "set": "set", "made": "make", "thrown": "throw", "held": "hold",
    "found": "find", "laid": "lay", "lain": "lie", "stood": "stand", "left": "leave", "kept": "keep", "hung": "hang",
    "given": "give", "went": "go", "ate": "eat", "drank": "drink", "took": "take", "done": "do", "lying": "lie", "gave":
    "give", "stuck": "stick", "hidden": "hide", "hid": "hide", "lit": "light", "came": "come", "threw": "throw", "drew":
    "draw", "sent": "send", "gotten": "get", "spread": "spread",
}
"""Past form or participle -> the base form; and lying."""
_DOUBLING = word_set(
    "put set pop drop slip stop chop cut shut get sit plug tap pat grab bin swap slip nab snag hug grip spot top "
    "flip tip step fit run wrap")
FORMS_LIKE_NOUNS = word_set(
    "watch drink iron light lights face book rest set store dishes fruit type cook position microwave mop sponge cut glass "
    "file top line fish pet bin study range play start toast stack park tip trash rag place hand pat drop slice return run "
    "power scrub rinse wash stuff look head walk fix plug stand")
"""Verbs in the base form that are nouns as well."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A form of a verb.

    Attributes:
        lemma: the base form.
        frame: the kind of phrases that it takes, a key of `core.goals.parser.commands`.
        plain: the verb that the readers of clauses know.
        form: which form it is.
    """

    lemma: str
    frame: str
    plain: str
    form: Form


def _forms() -> dict[str, tuple[Verb, ...]]:
    found: dict[str, list[Verb]] = {}
    frames: dict[str, tuple[str, str]] = {}
    for key, lemmas in _TABLE.items():
        frame, plain = key.split("/")
        for lemma in lemmas.split():
            frames[lemma] = frame, plain
            for word, form in _regular(lemma):
                found.setdefault(word, []).append(Verb(lemma, frame, plain, form))
    for word, lemma in _IRREGULAR.items():
        found.setdefault(word, []).append(Verb(lemma, *frames[lemma], "ing" if word == "lying" else "ed"))
    return {word: tuple(verbs) for word, verbs in found.items()}


def _regular(lemma: str) -> tuple[tuple[str, Form], ...]:
    stem = lemma[:-1] if lemma.endswith("e") and not lemma.endswith("ee") else lemma
    stem = lemma + lemma[-1] if lemma in _DOUBLING else stem
    past = lemma[:-1] + "ied" if lemma.endswith("y") and lemma[-2] not in "aeiou" else stem + "ed"
    third = (
        lemma[:-1] + "ies"
        if lemma.endswith("y") and lemma[-2] not in "aeiou"
        else lemma + ("es" if lemma.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    )
    return (lemma, "base"), (third, "s"), (stem + "ing", "ing"), (past, "ed")


VERB_FORMS = _forms()
"""Word -> the verb forms it may be."""
