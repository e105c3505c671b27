"""The dialog *About*: versions, installed parts, and a report to copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from gui.control.background import BackgroundJobs
from gui.control.parts import ReadFacts, qt_facts
from gui.theme import Theme
from gui.theme.boxes import DIALOG, hbox, vbox
from gui.theme.screens import fit
from gui.widgets import Button, Line, Prose

if TYPE_CHECKING:
    from core.app.facts import Facts

ABOUT = "A desktop console to watch, question and steer the planner of a household robot. MIT License."
PROMISE = "The report has no keys and no names of your folders."


class AboutDialog(QDialog):
    """Lists names and values as soon as they are read. *Copy report* copies them as text.

    Args:
        theme: fonts and colours.
        read: returns what is listed besides the versions of Qt.
        parent: the window.
    """

    def __init__(self, theme: Theme, read: ReadFacts, parent: QWidget):
        super().__init__(parent)
        self.setWindowTitle("About Belvedere")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.report = QPlainTextEdit(readOnly=True)
        self.report.setAccessibleName("Report")
        self.report.setFont(theme.font("small", mono=True))
        self.report.setPlainText("Reading the versions …")
        self.copy = Button(theme, "Copy report", "copy", "primary", self._copy)
        self.copy.setEnabled(False)
        self._said = Line(theme, PROMISE, "small", "muted")
        close = Button(theme, "Close", act=self.reject)
        vbox(theme, Line(theme, "Belvedere", "heading", "text", 650), Prose(theme, ABOUT, "small", "muted"), (self.report, 1),
             self._said, hbox(theme, self.copy, 0, close), on=self, spacing=8, margins=DIALOG)
        fit(self, theme, 620, 520)
        self._jobs = BackgroundJobs("about")
        self._jobs.do(lambda: [*read(), *(qt_facts() if read is not qt_facts else ())], self._show, self._failed)

    def _show(self, facts: Facts) -> None:
        wide = max(len(name) for name, _ in facts)
        self.report.setPlainText("\n".join(f"{name:<{wide}}  {value}" for name, value in facts))
        self.copy.setEnabled(True)

    def _failed(self, error: Exception) -> None:
        self.report.setPlainText(f"The versions could not be read: {error}")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self._said.say("Copied", "good")

    def done(self, result: int) -> None:
        """Closes the dialog. What is still being read is not waited for."""
        self._jobs.close(0)
        super().done(result)
