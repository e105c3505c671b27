"""The rows of the list: the chips of each entry, their texts and their rectangles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from core.planners.llm_state.recorded_types import StateDictionary, StateEntry
from gui.theme import Theme
from gui.widgets import ChipLook, text_width

CHIP, GAP, TOP, LEFT, FOOT = 19, 5, 24, 12, 6
"""Pixels at text size 100 %: height of a chip, gap between chips, height of a row's first line, left margin, bottom margin."""
UNKNOWN = "nothing known yet"


@dataclass(frozen=True, slots=True)
class Piece:
    """A chip of a row.

    Attributes:
        attribute: the attribute it stands for. Empty for a removed attribute or for the note that nothing is known.
        look: its text and colours.
        rect: its rectangle in pixels, relative to the row.
        struck: whether it is struck through, as a removed attribute is.
    """

    attribute: str
    look: ChipLook
    rect: QRectF
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """An entry with its layout.

    Attributes:
        entry: the entry.
        name: its display name.
        place: its location in words. Empty if unknown.
        changed: whether the last estimate changed it.
        top: the top of the row, in pixels from the top of the unscrolled list.
        high: the height of the row in pixels.
        pieces: its chips.
    """

    entry: StateEntry
    name: str
    place: str
    changed: bool
    top: float
    high: float
    pieces: tuple[Piece, ...]


def in_words(attribute: str, names: Mapping[str, str]) -> str:
    """Returns an attribute as readable text: `in_kitchencabinet2` becomes "in kitchen cabinet 2".

    Args:
        attribute: the attribute.
        names: display names by call name.
    """
    return " ".join(names.get(word, word) for word in attribute.replace(" ", "_").split("_") if word)


def place_of(entry: StateEntry) -> str:
    """Returns the attribute that gives the entry's location (`in_…` or `on_…`). Empty if there is none."""
    return next((a for a in entry.attributes if a.startswith(("in_", "on_"))), "")


def shown(book: StateDictionary, query: str, *, changed_only: bool) -> list[StateEntry]:
    """Returns the entries that match a search: recently changed ones first, those without any knowledge last.

    Args:
        book: the dictionary.
        query: text to find in names and attributes. Case, spaces and underscores are ignored.
        changed_only: leaves out entries that the last estimate did not change.
    """
    def fits(entry: StateEntry) -> bool:
        found = query.lower().replace(" ", "") in f"{entry.name} {' '.join(entry.attributes)}".lower().replace("_", "")
        return found and (not changed_only or is_changed(entry, book))

    found = (e for e in book.entries if fits(e))
    return sorted(found, key=lambda e: (not is_changed(e, book), not (e.attributes or e.removed or e.given)))


def is_changed(entry: StateEntry, book: StateDictionary) -> bool:
    """Returns True if the last estimate changed the entry."""
    return entry.turn == book.turn and bool(entry.added or entry.removed)


def lay_out(theme: Theme, book: StateDictionary, entries: Sequence[StateEntry], names: Mapping[str, str],
            width: float) -> list[Row]:
    """Returns the rows from top to bottom. Chips wrap to the next line at the given width.

    Args:
        theme: gives text widths and the text scale.
        book: the dictionary, which knows the turn of the last estimate.
        entries: one per row.
        names: display names by call name.
        width: of the list, in pixels.
    """
    rows: list[Row] = []
    top = 0.0
    for entry in entries:
        changed, place = is_changed(entry, book), place_of(entry)
        pieces = _pieces(theme, entry, names, width, changed=changed, place=place)
        high = (pieces[-1].rect.bottom() if pieces else theme.px(TOP)) + theme.px(FOOT)
        rows.append(Row(entry, names.get(entry.name, entry.name), in_words(place, names), changed, top, high, pieces))
        top += high
    return rows


def _pieces(theme: Theme, entry: StateEntry, names: Mapping[str, str], width: float, *, changed: bool,
            place: str) -> tuple[Piece, ...]:
    looks: list[tuple[str, ChipLook, bool]] = []
    for attribute in entry.attributes:
        if attribute != place or attribute in entry.given or (changed and attribute in entry.added):
            looks.append((attribute, _look(entry, attribute, names, changed=changed), False))
    if changed:
        looks += [("", ChipLook(in_words(a, names), "faint", "surface", line="solid"), True) for a in entry.removed]
    if not entry.attributes and not looks:
        looks.append(("", ChipLook(UNKNOWN, "warn", "surface", line="dashed"), False))
    return _flow(theme, looks, width)


def _look(entry: StateEntry, attribute: str, names: Mapping[str, str], *, changed: bool) -> ChipLook:
    words = in_words(attribute, names)
    if attribute in entry.given:
        return ChipLook(words, "operator_act", "operator_bg", icon="user", line="solid")
    if "unknown" in attribute or attribute.startswith("?"):
        return ChipLook(f"? {words.lstrip('? ')}", "warn", "surface", line="dashed")
    if changed and attribute in entry.added:
        return ChipLook(f"+ {words}", "good", "good_bg")
    return ChipLook(words, "text", "raised", line="none")


def _flow(theme: Theme, looks: Sequence[tuple[str, ChipLook, bool]], width: float) -> tuple[Piece, ...]:
    px = theme.px
    x, y, right = float(px(LEFT)), float(px(TOP)), width - px(LEFT)
    pieces = []
    for attribute, look, struck in looks:
        wide = min(text_width(theme, look.text, "small", 500) + px(15) + (px(17) if look.icon else 0), right - px(LEFT))
        if x > px(LEFT) and x + wide > right:
            x, y = float(px(LEFT)), y + px(CHIP) + px(4)
        pieces.append(Piece(attribute, look, QRectF(x, y, wide, px(CHIP)), struck))
        x += wide + px(GAP)
    return tuple(pieces)
