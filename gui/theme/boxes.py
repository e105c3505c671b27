"""Rows and columns of widgets, with sizes at 100 % text size that grow with the text."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLayout, QScrollArea, QVBoxLayout, QWidget

from gui.theme.theme import Theme

Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
"""A widget or a layout, or one with its stretch; a number is a gap in pixels, and 0 a gap that takes the room that is left."""
Box = TypeVar("Box", bound=QBoxLayout)
DIALOG = (22, 18, 22, 18)
"""Margins of a dialog in pixels."""
FLUSH = (0, 0, 0, 0)
"""Margins of a widget that is filled up to its edges."""


def vbox(theme: Theme, *parts: Part, on: QWidget | None = None, spacing: int | None = None,
         margins: tuple[int, int, int, int] | None = None) -> QVBoxLayout:
    """Returns a layout of parts from top to bottom.

    Args:
        theme: scales the sizes.
        parts: what it contains.
        on: the widget that it lays out; None: it becomes part of another layout.
        spacing: pixels between two parts; None: as in the layout around it.
        margins: left, top, right and bottom margin in pixels; None: Qt's.
    """
    return _filled(QVBoxLayout(on) if on is not None else QVBoxLayout(), theme, parts, spacing, margins)


def hbox(theme: Theme, *parts: Part, on: QWidget | None = None, spacing: int | None = None,
         margins: tuple[int, int, int, int] | None = None) -> QHBoxLayout:
    """Returns a layout of parts from left to right; arguments as for `vbox`."""
    return _filled(QHBoxLayout(on) if on is not None else QHBoxLayout(), theme, parts, spacing, margins)


def _filled(box: Box, theme: Theme, parts: tuple[Part, ...], spacing: int | None,
            margins: tuple[int, int, int, int] | None) -> Box:
    if margins is not None:
        box.setContentsMargins(*map(theme.px, margins))
    if spacing is not None:
        box.setSpacing(theme.px(spacing))
    for part in parts:
        content, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(content, QWidget):
            box.addWidget(content, stretch)
        elif isinstance(content, QLayout):
            box.addLayout(content, stretch)
        elif content:
            box.addSpacing(theme.px(content))
        else:
            box.addStretch(1)
    return box


def scrolled(content: QWidget, least: int) -> QScrollArea:
    """Returns an area in which a widget scrolls where it has not enough room, and that is at least so many pixels high."""
    area = QScrollArea()
    area.setWidget(content)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    content.setAutoFillBackground(False)
    area.viewport().setAutoFillBackground(False)
    area.setMinimumHeight(least)
    return area
