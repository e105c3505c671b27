"""The widgets that panels share: painted marks and text, chips, meters, buttons, names, numbers and state cards."""

from __future__ import annotations

from core.world.vocabulary import verb_words
from gui.widgets.buttons import Button, PopupMenu, Segment, Tool, tool_action, tool_key
from gui.widgets.chooser import Picker
from gui.widgets.header import Header
from gui.widgets.meter import Meter, Reading
from gui.widgets.names import Namer, Names, glyph
from gui.widgets.painting import (
    CENTRE,
    LEFT,
    RIGHT,
    SMOOTH,
    draw_block,
    draw_loss,
    draw_mark,
    draw_text,
    loss_mark,
    rounded,
    saved,
    text_width,
)
from gui.widgets.state_card import Banner, CardState, EmptyState, StaleOverlay, StateAction, StateCard
from gui.widgets.text import Chip, ChipLook, Line, Prose, TextField, chip_width, draw_chip, flow_chips

__all__ = [
    "CENTRE",
    "LEFT",
    "RIGHT",
    "SMOOTH",
    "Banner",
    "Button",
    "CardState",
    "Chip",
    "ChipLook",
    "EmptyState",
    "Header",
    "Line",
    "Meter",
    "Namer",
    "Names",
    "Picker",
    "PopupMenu",
    "Prose",
    "Reading",
    "Segment",
    "StaleOverlay",
    "StateAction",
    "StateCard",
    "TextField",
    "Tool",
    "chip_width",
    "draw_block",
    "draw_chip",
    "draw_loss",
    "draw_mark",
    "draw_text",
    "flow_chips",
    "glyph",
    "loss_mark",
    "rounded",
    "saved",
    "text_width",
    "tool_action",
    "tool_key",
    "verb_words",
]
