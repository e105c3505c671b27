"""The header of a panel: title, one line about its content, and tools at the right."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QSizePolicy, QWidget, QWidgetAction

from gui.theme import Theme
from gui.theme.boxes import hbox
from gui.widgets.buttons import Tool
from gui.widgets.text import Line

LEAST_LIVE = 72
"""Width in pixels below which a content line that does not fit is left out."""


class Header(QFrame):
    """A header of 28 px. In a tab group the tab shows the title, and the header only the content line."""

    def __init__(self, theme: Theme, title: str, on: QWidget | None = None):
        """Builds a header of the widget `on`."""
        super().__init__(on)
        self._theme = theme
        self.setObjectName("Header")
        self.title = Line(theme, title, "title", "text", 650, shrinks=False)
        self.live = Line(theme, "", "small", "muted", least=LEAST_LIVE)
        self.live.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._tools: list[QWidget] = []
        self._left_out = 0
        """How many tools, from the left, are of no use now."""
        self._row = hbox(theme, self.title, 4, (self.live, 1), on=self)
        # A header narrower than its tools hides some and does not widen its panel. Their keys and the palette still work.
        self._row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        self._restyle()

    def set_tools(self, tools: Iterable[QAction]) -> None:
        """Sets the tools at the right. They may be `QWidgetAction`s with their own widget (a segment, a legend)."""
        for old in self._tools:
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._tools, self._left_out = [_widget_of(self._theme, action) for action in tools], 0
        for tool in self._tools:
            self._row.addWidget(tool)
        self._fit()

    def say(self, text: str, tone: str = "muted") -> None:
        """Changes the content line."""
        self.live.say(text, tone)

    def show_title(self, shown: bool) -> None:
        """Shows or hides the title."""
        self.title.setVisible(shown)
        self._fit()

    def leave_out(self, tools: int) -> None:
        """Hides so many tools, from the left, whatever room there is."""
        if tools != self._left_out:
            self._left_out = tools
            self._fit()

    def event(self, event: QEvent) -> bool:
        """Decides again which tools fit when the size of one changed, for instance after a change of the text size."""
        taken = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return taken

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Decides which tools fit. Legends are hidden first, then plain tools from the left, then segments."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Decides which tools fit, because changes were not laid out while the header was hidden."""
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        px = self._theme.px
        room = self.width() - px(52) - (0 if self.title.isHidden() else self.title.sizeHint().width() + px(10))
        widths = {tool: max(tool.sizeHint().width(), tool.minimumWidth()) + px(3) for tool in self._tools}
        kept = set(self._tools[self._left_out:])
        last = self._tools[-1:]
        plain = [t for t in self._tools[:-1] if isinstance(t, Tool)]
        own = [t for t in self._tools if not isinstance(t, Tool)]
        legends = [t for t in own if not t.findChildren(QAbstractButton)]
        segments = [t for t in own if t not in legends]
        for tool in (*legends, *plain, *segments, *last):
            if sum(widths[t] for t in kept) <= room:
                break
            kept.discard(tool)
        for tool in self._tools:
            if tool.isHidden() and tool.isVisible():
                tool.show()  # Qt can leave a widget visible that was hidden while its panel was moved
            if tool.isHidden() == (tool in kept):
                tool.setVisible(tool in kept)
        self._row.activate()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the sizes of the theme again."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(10), 0, px(5), 0)
        self._row.setSpacing(px(3))
        self.setFixedHeight(px(28))
        self.setMinimumWidth(px(80))


def _widget_of(theme: Theme, action: QAction) -> QWidget:
    if isinstance(action, QWidgetAction) and action.defaultWidget() is not None:
        return action.defaultWidget()
    return Tool(theme, action)
