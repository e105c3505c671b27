"""A panel that shows where the planner looks first."""

from PySide6.QtWidgets import QLabel, QVBoxLayout

from belvedere_seeker.planner import Guess
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.base import Panel


class GuessPanel(Panel):
    """Shows the newest `Guess`: the sought object, and the rooms with the chosen one marked."""

    name, title, icon = "guess", "Guess", "search"
    facets = frozenset({Guess})

    def __init__(self, context: Context):
        super().__init__(context)
        self._guess: Guess | None = None
        self._label = QLabel("Rooms appear here when the planner looks for an object.")
        self._label.setWordWrap(True)
        column = QVBoxLayout(self)
        column.addWidget(self._label)
        column.addStretch(1)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest guess. Returns at once if it is the one already shown."""
        newest = snapshot.facet(Guess)
        if newest is self._guess:
            return
        self._guess = newest
        rooms = [] if newest is None else [f"{'→' if room == newest.room else '·'} {room}" for room in newest.rooms]
        self._label.setText("\n".join(rooms))

    def headline(self) -> str:
        """Returns the text on the right of the panel's header."""
        return "" if self._guess is None else f"looks for {self._guess.sought}"
