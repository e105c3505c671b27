"""The program panel: the code with its current line and the result of each line. The operator can edit it."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QStackedLayout

from core.planning.facets import Program
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.control.editable_facet import EditableFacet
from gui.panels.base import Panel
from gui.panels.program.program_editor import EditProgram, TextEditor, with_text
from gui.widgets import EmptyState, tool_action
from gui.widgets.lists import CodeView
from gui.widgets.numbers import count


class ProgramPanel(Panel):
    """The program panel. It shows a plan as code, as ProgPrompt writes it."""

    name: ClassVar[str] = "program"
    title: ClassVar[str] = "Program"
    facets = frozenset({Program})
    icon: ClassVar[str] = "plan"

    def __init__(self, context: Context):
        super().__init__(context)
        self._told: Program | None = None
        self._held = EditableFacet(context, Program)
        self._edited: Program | None = None
        self._empty = EmptyState(context.theme, "plan", "No program yet",
                                 "The plan that the model writes as code, and its progress, appear here.")
        self.code, self.editor = CodeView(context.theme, "Lines of the program"), TextEditor(context.theme)
        self._stack = QStackedLayout(self)
        for widget in (self._empty, self.code, self.editor):
            self._stack.addWidget(widget)
        self._edit = tool_action(self, context.theme, "Edit the program", "edit", self.edit, key="E")
        self.code.wanted_edit.connect(self.edit)
        self.editor.done.connect(self._use)
        self.editor.given_up.connect(self._leave)
        context.live_changed.connect(lambda _: self._live())
        self._live()

    @property
    def program(self) -> Program | None:
        """The program to show: the operator's pending edit if there is one, otherwise the session's latest."""
        return self._held.shown

    # --- what it shows -------------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest program."""
        program = snapshot.facet(Program)
        self._held.show_snapshot(snapshot)
        if program is self._told:
            return
        self._told = program
        self._draw()

    def headline(self) -> str:
        """Returns the current line, and the number of failed and skipped lines."""
        program = self.program
        if program is None or not program.lines:
            return ""
        states = Counter(line.state for line in program.lines)
        where = f"line {program.current + 1} of {len(program.lines)}" if 0 <= program.current < len(program.lines) else (
            "not started" if program.current < 0 else "ended")
        return " · ".join([where, *(f"{states[s]} {s}" for s in ("failed", "skipped") if states[s])])

    def tools(self) -> tuple[QAction, ...]:
        """Returns the edit action."""
        return (self._edit,)

    def restyle(self) -> None:
        """Takes the colours and sizes of the theme again."""
        self._draw()

    def _draw(self) -> None:
        program = self.program
        if self._edited is None:
            self._stack.setCurrentWidget(self.code if program is not None else self._empty)
        self.code.show_program(program or Program(()))
        self._live()

    def _live(self) -> None:
        self._edit.setEnabled(self.context.live and self.program is not None)
        if not self.context.live and self._edited is not None:
            self._leave()

    # --- the operator's edits --------------------------------------------------------
    def edit(self, line: int = -1) -> None:
        """Opens the code as text, with the cursor in the given line, or in the current line without one."""
        program = self.program
        if program is None or not self.context.live or self._edited is not None:
            return
        self._edited = program
        self._stack.setCurrentWidget(self.editor)
        self.editor.begin(program.text, line if line >= 0 else program.current)

    def _leave(self) -> None:
        self._edited = None
        self._draw()
        self.code.setFocus()

    def _use(self, text: str) -> None:
        """Applies an edit through the undo stack.

        The program may have advanced since the edit began, so only its text is changed.
        """
        before, now = self._edited, self._held.current
        self._edited = None
        if before is not None and now is not None and text.rstrip("\n") != now.text:
            after = with_text(now, text)
            differing = sum(a.text != b.text for a, b in zip(now.lines, after.lines, strict=False))
            lines = max(1, differing + abs(len(after.lines) - len(now.lines)))
            self.context.undo.push(EditProgram(f"changed {count(lines, 'line')} of the program", now, after,
                                               lambda: self._held.current, self._say))
        self._leave()

    def _say(self, program: Program, why: str) -> None:
        self._held.post_edit(program, why)
        self._draw()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Opens the editor on E."""
        if event.key() == Qt.Key.Key_E and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.edit()
        else:
            super().keyPressEvent(event)
