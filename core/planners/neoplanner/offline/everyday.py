"""Common words and their associations. They are general, not specific to tasks."""

from __future__ import annotations

import re

from core.planners.neoplanner.offline.words import stem, stems, words

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
ANIMALS = """ant bear bee beetle bird butterfly cat chameleon chicken cow crocodile deer dog dove dragonfly duck elephant fish
fly fox frog goat hedgehog horse lion lizard monkey moth mouse owl parrot pig pigeon rabbit rat sheep snail snake spider
squirrel tadpole tiger toad tortoise turtle whale wolf worm"""
PLANTS = "bush cactus fern flower grass moss plant tree vine"
STANDS_FOR = {"animal": ANIMALS, "plant": PLANTS, "living": f"{ANIMALS} {PLANTS}", "ice": "ice", "steam": "steam"}
"""Kind of object -> names that denote such objects."""
KINDS = {stem(kind): names for kind, names in STANDS_FOR.items()}
STAGES = ("seed", "egg", "hatchling", "baby", "larva", "tadpole", "caterpillar", "sprout", "seedling", "pupa", "juvenile",
          "young", "adult", "reproducing")
"""Stages of life in order."""
HOT = ("stove", "oven", "furnace", "hot plate", "fire pit")
COLD = ("freezer", "fridge", "ice")
TEXTS = re.compile(r"\b(?:recipe|note|\w*book|instructions|paper)(?: (?:titled|to|called) .*)?$")
"""Names of readable objects."""
VESSELS = ("cup", "pot", "bowl", "jug", "jar", "beaker")


def related(text: str) -> set[str]:
    """Returns the stems of words associated with the words of a text."""
    return {stem(x) for w in words(text) for x in GOES_WITH.get(w, "").split()}


def stands_for(name: str, kind: str) -> bool:
    """Returns True if a name denotes an object of a kind: a tree is a plant."""
    last = stems(name)[-1:]
    return any(last == [stem(word)] for k in stems(kind) for word in KINDS.get(k, "").split())


def stage(text: str) -> int | None:
    """Returns the index of the first stage of life in a text."""
    return next((k for k, name in enumerate(STAGES) if name in text.split()), None)
