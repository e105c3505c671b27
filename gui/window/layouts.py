"""The layout of a planner: the panels and their places, kept as text in the settings.

Pure data: `layout_fitting` fits it to a window, `arrangement` applies it. The designed layouts are in `resources/layouts.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any

from core.common.installation import RESOURCES
from core.planning.facets import Facet
from gui.control.kept_settings import KeptSettings
from gui.panels.registry import PANELS, needs

Group = tuple[str, ...]
"""Panels that share one place as tabs; the first is raised."""


Rows = tuple[Group, ...]
"""Groups of one side, from top to bottom; of the bottom, from left to right."""
Floating = tuple[str, int, int, int, int]
"""A panel in a window of its own: name, x, y, width, height on the screen."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One arrangement around the frames.

    Attributes:
        left, right, bottom: groups around the frames.
        wide: (left, right) widths in pixels, at `sized_for`.
        left_shares, right_shares: heights of the groups as shares; empty: equal heights.
        high: height of the bottom in pixels if the column is 644 high.
        across: whether the bottom spans the window, under left and right.
        raised: panels in front of their tab group; a group without one shows its first panel.
        floating: panels in windows of their own.
        sized_for: width of the window in which the operator sized the sides; 0: widths follow the design rule.
    """

    left: Rows
    right: Rows
    bottom: Rows = ()
    wide: tuple[int, int] = (347, 420)
    left_shares: tuple[int, ...] = ()
    right_shares: tuple[int, ...] = ()
    high: int = 312
    across: bool = False
    raised: frozenset[str] = frozenset()
    floating: tuple[Floating, ...] = ()
    sized_for: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all panels placed."""
        return (*(name for group in self.groups for name in group), *(name for name, *_ in self.floating))

    @property
    def groups(self) -> Rows:
        """All groups: left, right, bottom."""
        return (*self.left, *self.right, *self.bottom)

    def front_of(self, group: Group) -> str:
        """The panel in front of a group."""
        return next((name for name in group if name in self.raised), group[0])

    def only(self, keep: Callable[[str], bool]) -> Layout:
        """Returns the layout without the panels for which `keep` is False."""
        def side(groups: Rows, shares: tuple[int, ...]) -> tuple[Rows, tuple[int, ...]]:
            parts = shares if len(shares) == len(groups) else (1,) * len(groups)
            kept = [(tuple(filter(keep, group)), share) for group, share in zip(groups, parts, strict=True)]
            kept = [(group, share) for group, share in kept if group]
            return tuple(group for group, _ in kept), tuple(share for _, share in kept)

        left, left_shares = side(self.left, self.left_shares)
        right, right_shares = side(self.right, self.right_shares)
        return replace(self, left=left, left_shares=left_shares, right=right, right_shares=right_shares,
                       bottom=side(self.bottom, ())[0], raised=frozenset(filter(keep, self.raised)),
                       floating=tuple(f for f in self.floating if keep(f[0])))

    def added(self, name: str, *, front: bool = True) -> Layout:
        """Returns the layout with one more panel, as a tab: under the frames for a wide panel, beside the log for others."""
        if name in self.names:
            return self.raising(name) if front else self
        if not self.groups or (name in WIDE and not self.bottom):
            return replace(self, bottom=(*self.bottom, (name,)))
        groups = self.bottom if name in WIDE else self.groups
        beside = next((group for group in groups if "log" in group), groups[-1])
        grown = self.regrouped(lambda group: (*group, name) if group == beside else group)
        return grown.raising(name) if front else grown.raising(self.front_of(beside))

    def raising(self, name: str) -> Layout:
        """Returns the layout with a panel in front of its group."""
        group = next((group for group in self.groups if name in group), ())
        return replace(self, raised=(self.raised - set(group)) | {name})

    def regrouped(self, change: Callable[[Group], Group]) -> Layout:
        """Returns the layout with every group changed; no group may become empty."""
        return replace(self, left=tuple(map(change, self.left)), right=tuple(map(change, self.right)),
                       bottom=tuple(map(change, self.bottom)))


WIDE = frozenset({"tree", "blocking", "state_graph", "compare"})
"""Panels that go under the frames if a layout does not place them."""
Shows = Collection[type[Facet]]
"""The kinds of facet a planner shows."""
Declared = Mapping[str, Rows]
"""What a planner declares of its layout (`Planner.layout`): groups by side, "left", "right" or "bottom"."""
NOTHING_DECLARED: Declared = MappingProxyType({})


def layout_for(shows: Shows | None, declared: Declared = NOTHING_DECLARED) -> Layout:
    """Returns the layout designed for a planner, with no panel that stays empty.

    A panel of another package, or of its facet, is added if the planner shows what it needs.

    Args:
        shows: the kinds of facet the planner shows; None while that is not known: the searching layout.
        declared: the layout the planner declares; empty: the first kind of facet in `BY_FACET` that it shows decides.
    """
    if shows is None:
        return BY_FACET["SearchTree"]
    kinds = {kind.__name__ for kind in shows}
    by_facet = next((layout for kind, layout in BY_FACET.items() if kind in kinds), PLAIN)
    found = (_declared(declared) if declared else by_facet).only(lambda name: has_something_to_show(name, shows))
    for name in PANELS.of_others():
        if needs(name) & frozenset(shows) and name not in found.names:
            found = found.added(name)
    return found


def _declared(declared: Declared) -> Layout:
    found = Layout(declared.get("left", ()), declared.get("right", ()), declared.get("bottom", ()))
    return _once(found, [name for name in PANELS if name != "frames"])


def _once(layout: Layout, known: Collection[str]) -> Layout:
    """Returns the layout with each known panel once, and no others."""
    left = set(known)

    def keep(name: str) -> bool:
        is_first = name in left
        left.discard(name)
        return is_first

    return replace(layout.only(keep), raised=layout.raised & set(known))


def has_something_to_show(name: str, shows: Shows | None) -> bool:
    """Returns True if a panel ever has content for a planner: it needs no facet, or one that the planner shows."""
    wanted = needs(name)
    return not wanted or shows is None or any(kind in wanted for kind in shows)


LAYOUT_VERSION = 3
"""Versions 1 and 2 were states of Qt: they contain panels of other planners and are not read."""
MOST_PIXELS = 20_000


def load(settings: KeptSettings, planner: str, known: Collection[str]) -> Layout | None:
    """Returns the layout the operator left for a planner, or None.

    Args:
        settings: where it is stored.
        planner: its name in the registry.
        known: names of the existing panels; others are left out.
    """
    text = settings.value(f"layout/{planner}")
    if not isinstance(text, str):
        return None
    try:
        found = _layout(json.loads(text))
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    return _once(found, known)


def store(settings: KeptSettings, planner: str, layout: Layout) -> None:
    """Stores a layout for a planner."""
    kept = {"version": LAYOUT_VERSION, **asdict(layout), "raised": sorted(layout.raised)}
    settings.set_value(f"layout/{planner}", json.dumps(kept))


def forget(settings: KeptSettings, planner: str) -> None:
    """Deletes the stored layout of a planner."""
    settings.remove(f"layout/{planner}")


def _layout(kept: Any) -> Layout:
    """Returns a layout from JSON.

    Raises:
        KeyError, TypeError, ValueError: it is not a layout, or of another version.
    """
    left, right, bottom = (tuple(tuple(group) for group in kept[side] if group) for side in ("left", "right", "bottom"))
    one, other = kept["wide"]
    floating = tuple((name, x, y, width, height) for name, x, y, width, height in kept["floating"])
    found = Layout(left, right, bottom, (one, other), tuple(kept["left_shares"]), tuple(kept["right_shares"]), kept["high"],
                   kept["across"] is True, frozenset(kept["raised"]), floating, kept["sized_for"])
    pixels = (one, other, found.high, *found.left_shares, *found.right_shares, *(n for *_, w, h in floating for n in (w, h)))
    places = (found.sized_for, *(n for _, x, y, *_ in floating for n in (x, y)))
    bounded = all(type(n) is int and abs(n) <= MOST_PIXELS for n in (*pixels, *places))
    named = all(isinstance(name, str) for name in (*found.names, *found.raised))
    if kept["version"] != LAYOUT_VERSION or not (bounded and named) or min(*pixels, found.sized_for + 1) <= 0:
        raise ValueError("no layout of this version")
    return found


def _designed() -> dict[str, Layout]:
    """Reads the designed layouts. They have the form of stored ones, without the fields that have their default."""
    kept = json.loads((RESOURCES / "layouts.json").read_bytes())
    default = {"version": LAYOUT_VERSION, **asdict(Layout((), ()))}
    return {kind: _layout({**default, **fields}) for kind, fields in kept.items()}


_DESIGNED = _designed()
PLAIN = _DESIGNED.pop("")
"""The layout for all other planners. They rarely call a model."""
BY_FACET: Mapping[str, Layout] = MappingProxyType(_DESIGNED)
"""The layout for planners that show a kind of facet. The first kind that the planner shows decides."""
