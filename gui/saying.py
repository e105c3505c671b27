"""Commands that can be taken back: said again the other way round by the undo stack."""

from __future__ import annotations

from PySide6.QtGui import QUndoCommand

from core.commands import Command
from gui.context import Context


class Said(QUndoCommand):
    """Says a command when done, and its opposite when undone. Push it on the context's undo stack; pushing says it."""

    def __init__(self, context: Context, words: str, command: Command, opposite: Command):
        super().__init__(words)
        self._context, self._command, self._opposite = context, command, opposite

    def redo(self) -> None:
        """Say it."""
        self._context.post(self._command)

    def undo(self) -> None:
        """Say the opposite."""
        self._context.post(self._opposite)
