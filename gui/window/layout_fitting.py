"""Fits a layout to a window, and follows what the operator does to it. Pure arithmetic without widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gui.window.layouts import Group, Layout, Rows

GAP = 6
"""Pixels between two cards."""
FRAMES = 240
"""Least width and height of the frames in pixels."""
GROUP, COLUMN = 150, 150
"""Height and width that a group of panels needs to be useful, in pixels at 100 % text size."""
DESIGNED_HIGH = 644
"""Height of the columns for which `Layout.high` is given."""
SIDES = (0.29, 0.31)
"""Largest share of the window that the left and right side get by design."""


@dataclass(frozen=True, slots=True)
class Room:
    """What the panels share with the frames: pixels between the bars, and the text size (1 is 100 %)."""

    width: int
    height: int
    scale: float = 1.0

    @property
    def group(self) -> int:
        """Least height of a group, in pixels."""
        return round(GROUP * self.scale)

    @property
    def column(self) -> int:
        """Least width of a side, in pixels."""
        return round(COLUMN * self.scale)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes in pixels: widths of the sides, height of the bottom, heights of the groups of each side."""

    left: int
    right: int
    bottom: int
    left_heights: tuple[int, ...]
    right_heights: tuple[int, ...]


def fitted(layout: Layout, room: Room) -> Layout:
    """Returns the layout with groups merged into tabs until every group and the frames have the room they need.

    The bottom becomes tabs of a side if it would leave the frames less than `FRAMES`. Groups of a side are merged if they would
    be lower than `GROUP`.
    """
    if layout.bottom and room.height < FRAMES + GAP + room.group:
        layout = _without_bottom(layout)
    if layout.bottom:
        layout = replace(layout, bottom=_merged_row(layout.bottom, room))
    high = _column(layout, room)
    left, left_shares = _merged(layout.left, layout.left_shares, high, room.group, layout.front_of)
    right, right_shares = _merged(layout.right, layout.right_shares, high, room.group, layout.front_of)
    fit = replace(layout, left=left, left_shares=left_shares, right=right, right_shares=right_shares)
    fronts = frozenset(fit.front_of(group) for group in fit.groups)
    return replace(fit, raised=fronts)


def sizes(layout: Layout, room: Room) -> Sizes:
    """Returns the sizes of the groups of a fitted layout."""
    left, right = widths(layout, room)
    high = _column(layout, room)
    return Sizes(left, right, bottom_height(layout, room),
                 _heights(high, layout.left_shares, len(layout.left), room.group),
                 _heights(high, layout.right_shares, len(layout.right), room.group))


def widths(layout: Layout, room: Room) -> tuple[int, int]:
    """Returns the left and right widths: 60 % of extra width goes to the centre, 20 % to each side; narrow windows shrink all.

    Larger text asks for wider sides, up to a share of the window. Widths that the operator chose keep their share of the
    window. The frames always keep their least width.
    """
    left, right = (float(wide) for wide in layout.wide)
    if layout.sized_for:
        left, right = left * room.width / layout.sized_for, right * room.width / layout.sized_for
    else:
        extra = max(0, room.width - 1440) // 5
        factor = max(0.8, min(1.0, room.width / 1440))
        left, right = left * factor + extra, right * factor + extra
        left = max(left, min(left * room.scale, room.width * SIDES[0]))
        right = max(right, min(right * room.scale, room.width * SIDES[1]))
    left = max(left, room.column) if layout.left else 0.0
    right = max(right, room.column) if layout.right else 0.0
    most = room.width - FRAMES - GAP * (bool(layout.left) + bool(layout.right))
    if left + right > most:
        left, right = left * most / (left + right), right * most / (left + right)
    return int(left), int(right)


def bottom_height(layout: Layout, room: Room) -> int:
    """Height of the bottom in pixels; 0 if there is none."""
    if not layout.bottom:
        return 0
    wanted = round(room.height * layout.high / DESIGNED_HIGH)
    return max(room.group, min(wanted, room.height - FRAMES - GAP))


def shared(total: int, shares: tuple[int, ...], count: int) -> list[int]:
    """Splits a height by shares; equally if there are none."""
    parts = shares if len(shares) == count else (1,) * count
    whole = sum(parts)
    return [max(1, total * part // whole) for part in parts]


def _column(layout: Layout, room: Room) -> int:
    """Height of the sides in pixels; a bottom that spans the window lies under them."""
    return room.height - (bottom_height(layout, room) + GAP if layout.across and layout.bottom else 0)


def _without_bottom(layout: Layout) -> Layout:
    """Moves the bottom's panels, as front tabs, to the last group of the right side, or of the left if there is no right."""
    names = tuple(name for group in layout.bottom for name in group)
    front = layout.front_of(layout.bottom[0])
    bare = replace(layout, bottom=(), across=False)
    if layout.right:
        last = (*names, *layout.right[-1])
        bare = replace(bare, right=(*layout.right[:-1], last))
    elif layout.left:
        last = (*layout.left[-1], *names)
        bare = replace(bare, left=(*layout.left[:-1], last))
    else:
        bare, last = replace(bare, right=(names,)), names
    return replace(bare, raised=(layout.raised - set(last)) | {front})


def _merged_row(groups: Rows, room: Room) -> Rows:
    """Merges groups side by side until each is wide enough even between both sides."""
    most = max(1, int(room.width * (1 - sum(SIDES))) // (room.column + GAP))
    if len(groups) <= most:
        return groups
    return (*groups[:most - 1], tuple(name for group in groups[most - 1:] for name in group))


def _merged(groups: Rows, shares: tuple[int, ...], high: int, least: int,
            front_of: Callable[[Group], str]) -> tuple[Rows, tuple[int, ...]]:
    """Merges groups above each other, the two smallest neighbours first, until each has the least height.

    The front of the upper group stays in front: it comes first in the new group.
    """
    rows = list(groups)
    parts = list(shares) if len(shares) == len(rows) else [1] * len(rows)
    while len(rows) > 1 and high < len(rows) * least + (len(rows) - 1) * GAP:
        k = min(range(len(rows) - 1), key=lambda k: parts[k] + parts[k + 1])
        front = front_of(rows[k])
        rest = tuple(name for name in (*rows[k], *rows[k + 1]) if name != front)
        rows[k:k + 2] = [(front, *rest)]
        parts[k:k + 2] = [parts[k] + parts[k + 1]]
    return tuple(rows), tuple(parts)


def _heights(total: int, shares: tuple[int, ...], count: int, least: int) -> tuple[int, ...]:
    """Splits a side's height by shares; no group gets less than the least height if there is room for that."""
    if not count:
        return ()
    room = total - GAP * (count - 1)
    found = [max(float(least), float(high)) for high in shared(room, shares, count)]
    over = sum(found) - room
    for k in sorted(range(count), key=lambda k: -found[k]):
        give = max(0.0, min(over, found[k] - least))
        found[k] -= give
        over -= give
    return tuple(int(high) for high in found)


def as_arranged(layout: Layout) -> tuple[object, ...]:
    """Returns what makes arrangements differ: sides, groups, floating panels; not sizes, fronts or order."""
    return (*(frozenset(frozenset(group) for group in rows) for rows in (layout.left, layout.right, layout.bottom)),
            frozenset(name for name, *_ in layout.floating))


def reconciled(wanted: Layout, applied: Layout, seen: Layout) -> Layout:
    """Returns the wanted layout after the operator moved, floated or closed panels.

    Args:
        wanted: the layout before the change.
        applied: what was in the window before: the same, or with groups merged for lack of room.
        seen: what is in the window now.
    """
    if as_arranged(wanted) == as_arranged(applied):
        return replace(
            wanted, left=seen.left, right=seen.right, bottom=seen.bottom, floating=seen.floating, raised=seen.raised,
            left_shares=wanted.left_shares if len(seen.left) == len(wanted.left) else seen.left_shares,
            right_shares=wanted.right_shares if len(seen.right) == len(wanted.right) else seen.right_shares)
    for name in (*applied.names, *seen.names):
        if _place(applied, name) != _place(seen, name):
            wanted = _moved(wanted, name, seen)
    return wanted


def resized(wanted: Layout, before: Layout, after: Layout, room: Room) -> Layout:
    """Returns the wanted layout after the operator dragged a gap between docks.

    Args:
        wanted: the layout before the drag.
        before: the window's docks when the mouse was pressed.
        after: the window's docks when it was released.
        room: what docks and frames share.
    """
    if after.wide != before.wide:
        wanted = replace(wanted, wide=after.wide, sized_for=room.width)
    if as_arranged(wanted) != as_arranged(after):
        return wanted  # groups are merged, so their heights do not tell the wanted heights
    if after.high != before.high and after.bottom:
        wanted = replace(wanted, high=max(1, round(after.high * DESIGNED_HIGH / max(1, room.height))))
    if after.left_shares != before.left_shares:
        wanted = replace(wanted, left_shares=after.left_shares)
    if after.right_shares != before.right_shares:
        wanted = replace(wanted, right_shares=after.right_shares)
    return wanted


def _place(layout: Layout, name: str) -> str:
    """The side a panel is on, `floating`, or empty."""
    for side, rows in (("left", layout.left), ("right", layout.right), ("bottom", layout.bottom)):
        if any(name in group for group in rows):
            return side
    return "floating" if any(name == f[0] for f in layout.floating) else ""


def _moved(wanted: Layout, name: str, seen: Layout) -> Layout:
    """Returns the layout with one panel where it is seen: beside a panel it shares tabs with, or in a group of its own."""
    wanted, side = wanted.only(lambda other: other != name), _place(seen, name)
    if not side:
        return wanted
    if side == "floating":
        return replace(wanted, floating=(*wanted.floating, *(f for f in seen.floating if f[0] == name)))
    mates = next(group for group in seen.groups if name in group)
    rows: Rows = wanted.left if side == "left" else wanted.right if side == "right" else wanted.bottom
    beside = next((group for group in rows if set(group) & set(mates)), None)
    if beside is not None:
        return wanted.regrouped(lambda group: (*group, name) if group == beside else group).raising(name)
    match side:
        case "left":
            return replace(wanted, left=(*rows, (name,)), left_shares=())
        case "right":
            return replace(wanted, right=(*rows, (name,)), right_shares=())
        case _:
            return replace(wanted, bottom=(*rows, (name,)))
