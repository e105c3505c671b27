"""The widgets of the override dialog: a field, the table, the reason, whether to tell the planner, and the button."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLineEdit, QRadioButton, QStackedLayout, QVBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets import Button, CardState, Line, Segment, StateCard, Tool, tool_action
from gui.widgets import numbers as say
from gui.window.override_table import Entry, Option, OptionRows


class FindField(QLineEdit):
    """A field that filters. Its arrow keys move in the table below."""

    stepped = Signal(QKeyEvent)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Passes the table's keys on to the table."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.stepped.emit(event)
        else:
            super().keyPressEvent(event)


class CountedSegment(Segment):
    """A segment whose names contain numbers."""

    def say(self, names: tuple[str, ...]) -> None:
        """Changes the names."""
        for part, name in zip(self._parts, names, strict=True):
            part.setText(name)
            part.setAccessibleName(name)


class OverrideCard(QFrame):
    """Texts and widgets of the dialog. Knows nothing of the run."""

    cancelled = Signal()
    accepted = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self.setObjectName("Dialog")
        self.heading = Line(theme, "Override", "heading", "text", 650, shrinks=False)
        self.live = Line(theme, "", "body", "muted")
        self._close = Tool(theme, tool_action(self, theme, "Close (Esc)", "close", self.cancelled.emit))
        self.field = FindField()
        self.which = CountedSegment(theme, ("Possible", "All"), 1, "Which actions")
        self.rows = OptionRows(theme)
        self._state = StateCard(theme)
        self.count = Line(theme, "", "small", "faint")
        self._why = QLineEdit()
        self.tell, self.quiet = QRadioButton("Tell the planner"), QRadioButton("Do not tell")
        self.ban = QCheckBox("Ban its choice this turn")
        self.cancel = Button(theme, "Cancel   Esc", act=self.cancelled.emit)
        self.act = Button(theme, "Override", "override", "operator", act=self.accepted.emit)
        self._tables = QStackedLayout()
        self._lay_out()

    def _lay_out(self) -> None:
        px = self._theme.px
        column = QVBoxLayout(self)
        column.setContentsMargins(px(20), px(14), px(20), px(16))
        column.setSpacing(px(10))
        head = _row(px(10), self.heading, self.live, self._close)
        head.setStretchFactor(self.live, 1)
        column.addLayout(head)
        self.field.setPlaceholderText("Type an action: walk cof…")
        self.field.setAccessibleName("Type an action")
        self.field.setMinimumHeight(px(30))
        top = _row(px(8), self.field, self.which)
        top.setStretchFactor(self.field, 1)
        column.addLayout(top)
        column.addLayout(self._tables, 1)  # before its widgets, or they would be shown as windows of their own
        self._tables.addWidget(self.rows)
        self._tables.addWidget(self._state)
        column.addWidget(self.count)
        self._why.setMinimumHeight(px(30))
        self._why.setAccessibleName("Why")
        why = _row(px(8), Line(self._theme, "Why", "body", "muted", shrinks=False), self._why,
                   Line(self._theme, "kept in the recording", "small", "faint", shrinks=False))
        why.setStretchFactor(self._why, 1)
        column.addLayout(why)
        column.addLayout(self._foot())

    def _foot(self) -> QVBoxLayout:
        px = self._theme.px
        self.tell.setChecked(True)
        self.quiet.setToolTip("The planner is not told; it can only observe the result")
        choices = _row(px(14), self.tell, self.quiet, self.ban)
        choices.addStretch(1)
        acts = _row(px(8), self.cancel, self.act)
        acts.insertStretch(0, 1)
        foot = QVBoxLayout()
        foot.setSpacing(px(8))
        foot.addLayout(choices)
        foot.addLayout(acts)
        return foot

    # --- what it says ------------------------------------------------------
    def begin(self) -> None:
        """Resets the fields when the dialog opens."""
        self.field.clear()
        self._why.clear()
        self.tell.setChecked(True)
        self.ban.setChecked(False)

    def say_turn(self, turn: int, live: str) -> None:
        """Sets the heading, and what the planner would do."""
        self.heading.say(f"Override turn {turn}")
        self.live.say(live)

    def say_ban(self, phrase: str) -> None:
        """Sets the action that the checkbox bans."""
        self.ban.setText(f"Ban {phrase} this turn" if phrase else "Ban its choice this turn")
        self.ban.setEnabled(bool(phrase))

    def say_counts(self, possible: int, total: int) -> None:
        """Sets the numbers in the segment."""
        self.which.say((f"Possible {say.whole(possible)}", f"All {say.whole(total)}"))

    def say_found(self, entries: Sequence[Entry], listed: bool, thing: str) -> None:
        """Shows how many actions match, or why there are none."""
        options = [e for e in entries if isinstance(e, Option)]
        possible = sum(o.verdict.ok for o in options)
        about = f" about {thing}" if thing else ""
        self.count.say(f"{say.whole(possible)} possible and {say.whole(len(options) - possible)} not possible{about}; "
                       "sorted by visits, then prior" if options else "")
        self._tables.setCurrentIndex(int(not options))
        if not listed:
            self._state.show_state(CardState("waiting", "Listing the actions", "They appear at the run's next step."))
        elif not options:
            self._state.show_state(CardState("empty", "No such action", "No action matches these words. Type fewer words.",
                                             "search"))

    def name_act(self, words: str) -> None:
        """Sets the action's name on the button."""
        self.act.dress(f"{words or 'Override'}   Enter", "override")
        self.act.setAccessibleName(words or "Override")
        self.act.setEnabled(bool(words))

    # --- what was chosen ---------------------------------------------------
    def why(self) -> str:
        """The reason that was typed."""
        return self._why.text().strip()

    def tells(self) -> bool:
        """Whether the planner is told."""
        return self.tell.isChecked()

    def bans(self) -> bool:
        """Whether the planner's choice is banned."""
        return self.ban.isChecked() and self.ban.isEnabled()

    def say_why(self, text: str) -> None:
        """Sets the reason."""
        self._why.setText(text)

    def focus_chain(self) -> list[QWidget]:
        """The widgets that Tab goes through, in order."""
        chain: list[QWidget] = [self.field, self.rows, self._why, self.tell, self.quiet, self.ban, self.cancel, self.act]
        return [w for w in chain if w.isVisible() and w.isEnabled()]


def _row(spacing: int, *widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(spacing)
    for widget in widgets:
        row.addWidget(widget)
    return row
