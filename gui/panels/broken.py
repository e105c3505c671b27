"""What stands in the place of another package's panel that cannot be used: the reason, and what to do about it."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout

from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.base import Panel
from gui.widgets import EmptyState


class BrokenPanel(Panel):
    """Shows why a panel cannot be used.

    Args:
        reason: one line.
    """

    name: ClassVar[str] = "broken"
    title: ClassVar[str] = "Broken panel"
    icon: ClassVar[str] = "info"

    def __init__(self, context: Context, reason: str):
        super().__init__(context)
        column = QVBoxLayout(self)
        column.addWidget(EmptyState(context.theme, "info", "This panel cannot be used", reason))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Do nothing: no snapshot changes the reason."""
        del snapshot
