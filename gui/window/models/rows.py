"""The list of the user's models: name, where it answers, and a mark on the one in use."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.llm.model_config import ModelConfig
from gui.control.choices import where_words
from gui.theme import Theme
from gui.widgets import RIGHT, draw_text, text_width
from gui.widgets.lists import Rows


class ModelRows(Rows):
    """One row for each model; Enter or a double click uses it."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=28)
        self._entries, self._used = tuple[ModelConfig, ...](), ""
        self.setAccessibleName("Your models")

    def show_entries(self, entries: Sequence[ModelConfig], used: str) -> None:
        """Replaces the rows. `used` is the name of the model that the next run uses."""
        name = self.name
        self._entries, self._used = tuple(entries), used
        names = [entry.name for entry in entries]
        self.refresh()
        self.choose(names.index(name) if name in names else min(max(self.current, 0), len(names) - 1))

    def choose_name(self, name: str) -> None:
        """Makes a model the current row."""
        at = next((k for k, entry in enumerate(self._entries) if entry.name == name), -1)
        self.choose(at, tell=True)

    @property
    def name(self) -> str:
        """The name of the current row's model, or empty."""
        return self._entries[self.current].name if 0 <= self.current < len(self._entries) else ""

    def count(self) -> int:
        """Number of rows."""
        return len(self._entries)

    def row_words(self, index: int) -> str:
        """Describes a model."""
        entry = self._entries[index]
        used = ", used" if entry.name == self._used else ""
        return f"{entry.name}, {entry.provider}, {where_words(entry.provider, entry.options)}{used}"

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints mark, name, and where the model answers."""
        theme, px, entry = self.theme, self.theme.px, self._entries[index]
        if index == self.current:
            painter.fillRect(rect, theme.colour("selection_bg"))
            painter.fillRect(QRectF(0, rect.y(), 3, rect.height()), theme.colour("selection"))
        elif index == self.under:
            painter.fillRect(rect, theme.colour("hover"))
        side = px(14)
        if entry.name == self._used:
            painter.drawPixmap(px(12), int(rect.center().y() - side / 2 + 1), theme.pixmap("check", side, "accent"))
        note = where_words(entry.provider, entry.options)
        room = rect.adjusted(px(34), 0, -px(12), 0)
        name = min(text_width(theme, entry.name, "body", 600), room.width() * 0.6)
        draw_text(painter, theme, QRectF(room.x(), room.y(), name + 2, room.height()), entry.name, "body", "text", 600)
        draw_text(painter, theme, room.adjusted(name + px(14), 0, 0, 0), note, "small", "muted", align=RIGHT)
