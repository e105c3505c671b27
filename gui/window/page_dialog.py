"""The dialog *What you see*: the pages of the panels."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QTextBrowser, QWidget

from core.views.values import Item
from gui.control.context import Context
from gui.panels.registry import PANELS
from gui.theme import Role
from gui.theme.boxes import DIALOG, hbox, vbox
from gui.theme.screens import fit
from gui.views.object_list import ObjectList
from gui.widgets import Line
from gui.window.pages import page_of

ROLES: tuple[Role, ...] = ("small", "body", "heading")
LIST = 170
"""Width of the list of panels in pixels at 100 % text size."""


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
        self.list = ObjectList[str](theme, "Panels", lambda name: Item(name, PANELS.title(name)))
        self.text = QTextBrowser()
        self.text.setAccessibleName("What this panel shows")
        self.text.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.list.setFixedWidth(theme.px(LIST))
        body = hbox(theme, self.list, (self.text, 1), spacing=12)
        vbox(theme, Line(theme, "What you see", "heading", "text", 650), (body, 1), on=self, spacing=8,
             margins=DIALOG)
        fit(self, theme, 760, 520)
        self.list.show_objects(tuple(PANELS))
        self.list.chosen.connect(self._show)
        context.theme_changed.connect(self._show)
        self.list.setFocus()

    def show_panel(self, name: str) -> None:
        """Shows the page of a panel."""
        self.list.choose_object(self.list.objects.index(name))
        self._show()

    def _show(self) -> None:
        name = self.list.chosen_object
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
