"""What stands below the first line of rows: chips for items without children, and notes that have no room beside the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from core.views.values import FAILED, NEW, Item, Table, Tree
from gui.theme import Role, Theme
from gui.views.outline import Outline
from gui.views.tones import edge_of, look_of
from gui.views.widget import plain
from gui.widgets import ChipLook, draw_chip, flow_chips

CHIP, FOOT = 19, 6
"""Pixels at text size 100 %: the height of a chip, and the margin below what stands below a row."""
MOST_ITEMS = 10_000
"""Of a view with more items only the first lines of rows are shown."""
MOST_NOTE = 2_000
"""Characters of a note below a row."""
WRAP = int(Qt.TextFlag.TextWordWrap)


@dataclass(frozen=True, slots=True)
class Chip:
    """A chip of a row.

    Attributes:
        index: its item.
        look: its text and colours.
        rect: where it is, in pixels from the left of the list and from the top of the row.
    """

    index: int
    look: ChipLook
    rect: QRectF


@dataclass(frozen=True, slots=True)
class Block:
    """What stands below the first line of a row.

    Attributes:
        height: of all of it, in pixels.
        chips: the chips.
        note: a note, empty if it stands beside the text.
        left, width: where it is, in pixels.
    """

    height: int
    chips: tuple[Chip, ...]
    note: str
    left: float
    width: float

    def chip_at(self, point: QPointF) -> int:
        """Returns the item of the chip at a point, from the top left of the row; -1 if there is none."""
        return next((chip.index for chip in self.chips if chip.rect.contains(point)), -1)


EMPTY = Block(0, (), "", 0.0, 0.0)


def has_blocks(view: Table | Tree) -> bool:
    """Whether anything may stand below the first lines of the rows of a view."""
    return (view.chips if isinstance(view, Tree) else view.notes != "beside") and len(view.items) <= MOST_ITEMS


class RowBlocks:
    """Lays out and paints what stands below the first lines of rows.

    Args:
        theme: the fonts and sizes.
        outline: the items.
        first: the height of the first line of a row.
        role: the font of notes.
    """

    def __init__(self, theme: Theme, outline: Outline, first: int, role: Role = "micro"):
        self._theme, self._outline, self._first, self._role = theme, outline, first, role
        self._blocks: dict[int, Block] = {}

    def of(self, index: int) -> Block:
        """Returns the block of an item, which has no height if there is none."""
        return self._blocks.get(index, EMPTY)

    def lay_out(self, index: int, left: float, right: float, note: str, named: Callable[[str], str]) -> Block:
        """Makes and returns the block of an item.

        Args:
            index: the item.
            left: where the room for it begins, in pixels from the left of the list.
            right: where it ends.
            note: a note that has no room in the first line; empty if there is none.
            named: returns a text with names in place of ids.
        """
        theme, width, items = self._theme, max(1.0, right - left), self._outline.items
        found = self._outline.chips_of(index)
        looks = [chip_look(items[k], named) for k in found]
        rects = flow_chips(theme, looks, width, CHIP)
        chips = tuple(Chip(k, look, rect.translated(left, self._first))
                      for k, look, rect in zip(found, looks, rects, strict=True))
        height = rects[-1].bottom() if rects else 0.0
        note = plain(named(note), MOST_NOTE)
        height += _note_height(theme, note, width, self._role) if note else 0
        block = Block(round(height + theme.px(FOOT)) if height else 0, chips, note, left, width)
        self._blocks[index] = block
        return block

    def paint(self, painter: QPainter, index: int, row: QRectF, chosen: int) -> None:
        """Paints the block of an item, and a frame around the chip that is chosen."""
        theme, block = self._theme, self.of(index)
        for chip in block.chips:
            rect = chip.rect.translated(0, row.y())
            draw_chip(painter, theme, rect, chip.look)
            if chip.index == chosen:
                painter.setPen(QPen(theme.colour("selection"), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(rect, 4, 4)
        if block.note:
            high = _note_height(theme, block.note, block.width, self._role)
            room = QRectF(block.left, row.bottom() - theme.px(FOOT) - high, block.width, high)
            painter.setFont(theme.font(self._role, 400))
            painter.setPen(theme.colour("bad" if FAILED in self._outline.items[index].marks else "muted"))
            painter.drawText(room, WRAP, block.note)


def _note_height(theme: Theme, note: str, width: float, role: Role) -> int:
    return ceil(theme.metrics(role).boundingRect(QRectF(0, 0, width, 100_000), WRAP, note).height())


def chip_look(item: Item, named: Callable[[str], str]) -> ChipLook:
    """Returns the look of an item as a chip: its marks give the colour and the sign."""
    text, tone = named(plain(item.text, 80)), edge_of(item.marks)
    if tone is None:
        faint = any(mark.tone == "muted" for mark in item.marks)
        return ChipLook(text, "muted" if faint else "text", "raised")
    look = look_of(tone)
    if tone == "warn":
        return ChipLook(text, look.ink, "surface", line="dashed")
    return ChipLook(f"+ {text}" if NEW in item.marks else text, look.ink, look.fill,
                    icon="user" if tone == "operator" else "", line="solid" if tone == "operator" else "none")
