"""The dialog *What you see*: the pages of the panels."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QDialog, QTextBrowser, QWidget

from gui.control.context import Context
from gui.panels.registry import PANELS
from gui.theme import Role, Theme
from gui.theme.boxes import DIALOG, hbox, vbox
from gui.theme.screens import fit
from gui.widgets import Line, draw_text
from gui.widgets.lists import ItemRows
from gui.window.pages import page_of

ROLES: tuple[Role, ...] = ("small", "body", "heading")
LIST = 170
"""Width of the list of panels in pixels at 100 % text size."""


class PanelRows(ItemRows[str]):
    """The panels by title."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=24)
        self.setAccessibleName("Panels")

    def row_words(self, index: int) -> str:
        """Returns the title of a panel."""
        return PANELS.title(self.items[index])

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints the title of a panel."""
        self.paint_back(painter, index, rect)
        draw_text(painter, self.theme, rect.adjusted(self.theme.px(10), 0, 0, 0), self.row_words(index), "body")


class PageDialog(QDialog):
    """The pages, beside the running window. Up and Down go through them, Esc closes.

    Args:
        context: the theme.
        parent: the window.
    """

    def __init__(self, context: Context, parent: QWidget):
        super().__init__(parent)
        theme = self._theme = context.theme
        self.setWindowTitle("What you see")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.rows, self.text = PanelRows(theme), QTextBrowser()
        self.text.setAccessibleName("What this panel shows")
        self.text.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.rows.setFixedWidth(theme.px(LIST))
        body = hbox(theme, self.rows, (self.text, 1), spacing=12)
        vbox(theme, Line(theme, "What you see", "heading", "text", 650), (body, 1), on=self, spacing=8,
             margins=DIALOG)
        fit(self, theme, 760, 520)
        self.rows.show_items(tuple(PANELS))
        self.rows.chosen.connect(lambda _: self._show())
        context.theme_changed.connect(self._show)
        self.rows.setFocus()

    def show_panel(self, name: str) -> None:
        """Shows the page of a panel."""
        self.rows.choose(self.rows.items.index(name))
        self.rows.show_row(self.rows.current)
        self._show()

    def _show(self) -> None:
        name = self.rows.chosen_item
        if name is not None:
            small, body, heading = (self._theme.font(role).pixelSize() for role in ROLES)
            self.text.setHtml(page_of(name).html(self._theme.colour("muted").name(), small, body, heading))


def show_page(window: QWidget, context: Context, name: str) -> PageDialog:
    """Shows the page of a panel in the dialog, which is opened if it is not open."""
    opened = next((found for found in window.findChildren(PageDialog) if found.isVisible()), None)
    dialog = opened or PageDialog(context, window)
    dialog.show_panel(name)
    dialog.show()
    dialog.activateWindow()
    return dialog
