"""Ordinary words and what they go with. About anything, not about tasks."""

from __future__ import annotations

from core.language.scienceworld_rules.words import stem, stems, words

GOES_WITH = {
    "boil": "stove oven furnace plate heat fire pot metal activate steam wait water",
    "melt": "stove oven furnace plate heat fire activate wait",
    "freeze": "freezer fridge ice cold open wait",
    "heat": "stove oven furnace activate",
    "temperature": "thermometer use",
    "melting": "thermometer use stove oven heat",
    "water": "sink fountain cup pot bowl jug jar ice steam",
    "plant": "tree flower greenhouse pot",
    "chemistry": "mix pour recipe read cup jar",
    "create": "mix pour recipe read",
    "recipe": "read",
    "animal": "outside",
    "life": "egg baby hatchling tadpole caterpillar larva pupa juvenile adult outside",
    "substance": "cup pot jar bowl",
}
ALIVE = frozenset({"tree", "ice", "steam"})
"""Names that stand for a kind of thing by themselves."""
STAGES = ("seed", "egg", "hatchling", "baby", "larva", "tadpole", "caterpillar", "sprout", "seedling", "pupa", "juvenile",
          "young", "adult", "reproducing")
"""Stages of life, earlier ones first."""
HOT = ("stove", "oven", "furnace", "hot plate", "fire pit")
COLD = ("freezer", "fridge", "ice")
VESSELS = ("cup", "pot", "bowl", "jug", "jar", "beaker")


def related(text: str) -> set[str]:
    """Stems of what goes with the words of a text."""
    return {stem(x) for w in words(text) for x in GOES_WITH.get(w, "").split()}


def stands_for(name: str, kind: str) -> bool:
    """Whether a name stands for a kind of thing: a tree is a plant."""
    return bool(ALIVE & set(stems(name)) & related(kind))


def stage(text: str) -> int | None:
    """The place of the first stage of life in a text."""
    return next((k for k, name in enumerate(STAGES) if name in text.split()), None)
