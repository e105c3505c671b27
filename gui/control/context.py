"""What every panel is given: the theme, the selection, the undo stack, and a function that posts commands to the session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from core.app.run_request import Request
from core.llm.budget import Price
from core.llm.model import Partial
from core.planning.facets import Facet
from core.session.commands import Command
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.editable_facet import PendingEdits
from gui.control.event_log import EventLog
from gui.control.frame_images import FrameImages
from gui.control.previews import Previews
from gui.control.run_list import RunList
from gui.control.standing_breakpoints import StandingBreakpoints
from gui.theme import Theme


@dataclass(frozen=True, slots=True)
class Selected:
    """The one selection: an object, room or location by its id, an action, or a model call or turn by its number."""

    kind: Literal["thing", "action", "call", "turn"]
    id: str = ""
    action: Action | None = None
    number: int = -1


class Selection(QObject):
    """The selection shared by all panels: an object clicked in one panel is selected in all of them."""

    changed = Signal(object)
    """Selected, or None."""
    asked_override = Signal(str)
    """The id of an object that was double-clicked: open the override dialog filtered to it."""
    asked_actions = Signal(object)
    """A tuple of Actions that was double-clicked: open the override dialog and choose the first one that is possible."""
    asked_turn = Signal(int, int)
    """Branch and number of a turn that should be shown."""
    pointed = Signal(object)
    """Selected, or None: the pointer rests on it in one panel, and others may highlight it. The selection does not change."""

    def __init__(self) -> None:
        super().__init__()
        self._now: Selected | None = None

    @property
    def now(self) -> Selected | None:
        """The present selection, or None."""
        return self._now

    def select(self, selected: Selected | None) -> None:
        """Changes the selection. Emits `changed` only if it differs from the present one."""
        if selected != self._now:
            self._now = selected
            self.changed.emit(selected)

    def thing(self) -> str:
        """The id of the selected object, or empty."""
        return self._now.id if self._now is not None and self._now.kind == "thing" else ""


class Context(QObject):
    """State and functions that all panels share; made by the composition root. The run's state is in the snapshot, not here.

    Args:
        theme: the colours and fonts in force.
        post: sends a command to the session; safe at any time, does nothing when there is no run.

    Attributes:
        live: False while a recording or a past turn is shown; panels must not offer edits then.
    """

    theme_changed = Signal()
    live_changed = Signal(bool)
    keys_changed = Signal()
    """`key_now` returns other keys from now on."""
    asked_undo = Signal()
    """Undo the operator's last action."""
    newest_changed = Signal()
    """`newest` returns another snapshot from now on."""

    def __init__(self, theme: Theme, post: Callable[[Command], None]):
        super().__init__()
        self.theme, self.post = theme, post
        self.claimed: frozenset[type[Facet]] = frozenset()
        """Kinds of facet that panels of other packages show."""
        self.selection = Selection()
        self.undo = QUndoStack(self)
        self.key_now: Callable[[str], str] = _same
        """Returns the present key of an action or tool, given its default key."""
        self.newest: Callable[[Snapshot], Snapshot] = _same_snapshot
        """Returns the newest snapshot of the run or recording, given the last one a panel was shown. The panel's is older if
        the panel was hidden meanwhile or the past is shown."""
        self.change_request: Callable[[Callable[[Request], Request]], None] = _no_request
        """Changes the request of the next runs. Takes a function that returns the new request, given the present one."""
        self.partial: Callable[[int], Partial | None] = _nothing_yet
        """Returns the part of the reply to a waiting call that has arrived so far."""
        self.price: Callable[[str], Price | None] = _no_price
        """Returns the price of a million tokens of an answerer, or None if it is not known."""
        self.preparing: Callable[[], str] = str
        """Returns what the run's first search waits for, as text; empty if nothing."""
        self.pending_edits = PendingEdits()
        """Edits that the session has not answered yet."""
        self.runs = RunList()
        """The runs of this window."""
        self.standing = StandingBreakpoints()
        """The operator's breakpoints."""
        self.event_log = EventLog()
        """The log lines of a live run."""
        self.images = FrameImages()
        """The images of the newest frames."""
        self.preview = Previews()
        """The what-if preview of the change that is being dragged."""
        self.live_changed.connect(self.preview.set_live)
        self._live = True

    @property
    def live(self) -> bool:
        """Whether the newest state of a run is shown."""
        return self._live

    def set_live(self, live: bool) -> None:
        """Sets whether the newest state of a run is shown."""
        if live != self._live:
            self._live = live
            self.live_changed.emit(live)


def _same(key: str) -> str:
    return key


def _no_request(change: Callable[[Request], Request]) -> None:
    """Does nothing: without a console there is no request."""
    del change


def _nothing_yet(call: int) -> Partial | None:
    del call
    return None


def _no_price(source: str) -> Price | None:
    del source
    return None


def _same_snapshot(shown: Snapshot) -> Snapshot:
    return shown
