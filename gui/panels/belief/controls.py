"""The controls in the belief panel's header: legend, search, filter, and a menu of further options."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QCursor
from PySide6.QtWidgets import QMenu, QWidget, QWidgetAction

from gui.panels.belief.painting import Legend, Scale
from gui.theme import Theme
from gui.widgets import tool_action


class Controls(QObject):
    """Holds the display options of the panel. Emits `changed` when one of them changes."""

    changed = Signal()
    reset = Signal()
    """Emitted to undo all edits of the selected row."""

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(parent)
        self.legend = Legend(theme)
        self.search = tool_action(self, theme, "Find an object", "search", checkable=True, key="Ctrl+F")
        self.goal_only = tool_action(self, theme, "Only the goal's objects", "filter", self.changed.emit, checkable=True,
                                     key="F")
        self.more = tool_action(self, theme, "Order, scale, columns", "parameters", self._open_menu)
        self.order = self._choice("Least sure first", checked=True)
        self.log = self._choice("Logarithmic scale", checked=False)
        self.fold = self._choice("Hide unlikely places", checked=True)
        self._back = QAction("Undo all edits of this row", self)
        self._back.triggered.connect(self.reset)
        self._menu = QMenu(parent)
        self._menu.addActions((self.order, self.log, self.fold))
        self._menu.addSeparator()
        self._menu.addAction(self._back)
        held = QWidgetAction(self)
        held.setDefaultWidget(self.legend)
        self.legend.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, False)  # else it stays hidden
        self.tools: tuple[QAction, ...] = (held, self.search, self.goal_only, self.more)

    def _choice(self, text: str, *, checked: bool) -> QAction:
        action = QAction(text, self)
        action.setCheckable(True)
        action.setChecked(checked)
        action.toggled.connect(self._choose)
        return action

    @property
    def scale(self) -> Scale:
        """Returns the scale of the colours."""
        return "logarithmic" if self.log.isChecked() else "square root"

    def _choose(self) -> None:
        self.legend.show_scale(self.scale)
        self.changed.emit()

    def _open_menu(self) -> None:
        self._menu.popup(QCursor.pos())
