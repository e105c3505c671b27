"""What a name in a goal stands for: an entity's id, a class, a kind such as fruit, or several of these."""

from __future__ import annotations

from core.world.vocabulary import GRABBABLE, SWITCHABLE, Entity

THING, LIGHT = "thing", "light"
"""Kinds told by what an entity can do: any object that can be carried, and anything that gives light and has a switch."""
GIVES_LIGHT = ("lamp", "light", "lightswitch")
"""The endings of class names that give light."""
FLOOR = "floor"
"""As a source: what lies on no furniture and in nothing."""
KINDS: dict[str, frozenset[str]] = {}
"""Kind -> its classes, over the classes of all worlds."""


def is_a(entity: Entity, name: str) -> bool:
    """Returns True if an entity has this id, class or kind, or one of several: `apple|pear`."""
    return any(_is_one(entity, one) for one in name.split("|")) if "|" in name else _is_one(entity, name)


def _is_one(entity: Entity, name: str) -> bool:
    if name in (entity.cls, entity.id):
        return True
    if name == THING:
        return entity.category == "object" and GRABBABLE in entity.properties
    if name == LIGHT:
        return SWITCHABLE in entity.properties and entity.cls.endswith(GIVES_LIGHT)
    return name in KINDS and entity.cls in KINDS[name]


def is_several(name: str) -> bool:
    """Returns True if a name stands for objects of different classes, or for one of several named ones."""
    return "|" in name or name in KINDS


def alternatives(name: str) -> tuple[str, ...]:
    """Returns the classes and ids that a name stands for, kinds by their classes; without THING and LIGHT, which name none."""
    found = (cls for one in name.split("|") for cls in (sorted(KINDS[one]) if one in KINDS else (one,)))
    return tuple(dict.fromkeys(cls for cls in found if cls not in (THING, LIGHT)))
