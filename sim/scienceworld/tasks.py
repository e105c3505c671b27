"""The thirty tasks by ScienceWorld's names, and the number of variations of each."""

from __future__ import annotations

from core.world.vocabulary import spaced

VARIATIONS = {
    "boil": 30, "change-the-state-of-matter-of": 30, "chemistry-mix": 32, "chemistry-mix-paint-secondary-color": 36,
    "chemistry-mix-paint-tertiary-color": 36, "find-animal": 300, "find-living-thing": 300,
    "find-non-living-thing": 300, "find-plant": 300, "freeze": 30, "grow-fruit": 126, "grow-plant": 126,
    "identify-life-stages-1": 14, "identify-life-stages-2": 10, "inclined-plane-determine-angle": 168,
    "inclined-plane-friction-named-surfaces": 1386, "inclined-plane-friction-unnamed-surfaces": 162,
    "lifespan-longest-lived": 125, "lifespan-longest-lived-then-shortest-lived": 125, "lifespan-shortest-lived": 125,
    "measure-melting-point-known-substance": 436, "measure-melting-point-unknown-substance": 300, "melt": 30,
    "mendelian-genetics-known-plant": 120, "mendelian-genetics-unknown-plant": 480, "power-component": 20,
    "power-component-renewable-vs-nonrenewable-energy": 20, "test-conductivity": 900,
    "test-conductivity-of-unknown-substances": 600, "use-thermometer": 540,
}


def titles() -> tuple[tuple[str, str], ...]:
    """Returns (name, title) of every task."""
    return tuple((name, title(name)) for name in VARIATIONS)


def title(name: str) -> str:
    """Returns a task's title: `find-plant` -> `Find plant, 300 variations`."""
    return f"{spaced(name.replace('-', '_')).capitalize()}, {VARIATIONS[name]} variations"
