"""Applies what the operator did to the docks to the wanted layout. Pure functions, no widgets."""

from __future__ import annotations

from dataclasses import replace

from gui.window.layout_fitting import DESIGNED_HIGH, Room
from gui.window.layouts import Layout, Rows


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
