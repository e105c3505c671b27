"""What every panel is given: the theme, the one selection, the undo stack, and a way to say things to the session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from core.app.run_request import Request
from core.llm.budget import Price
from core.llm.waiter import Partial
from core.planning.facets import Facet
from core.session.commands import Command
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.event_log import EventLog
from gui.control.pending_edits import PendingEdits
from gui.control.previews import Previews
from gui.control.run_list import RunList
from gui.control.standing_breakpoints import StandingBreakpoints
from gui.theme import Theme


@dataclass(frozen=True, slots=True)
class Selected:
    """The one selection: a thing, room or place by its id, an action, a call or a turn by its number."""

    kind: Literal["thing", "action", "call", "turn"]
    id: str = ""
    action: Action | None = None
    number: int = -1


class Selection(QObject):
    """Shared by all panels: click a thing in one, and it is selected everywhere."""

    changed = Signal(object)
    """Selected, or None."""
    asked_override = Signal(str)
    """A thing was double-clicked: open the override dialog filtered to it."""
    asked_actions = Signal(object)
    """A tuple of Actions was double-clicked: open the override dialog with the first that is possible chosen."""
    asked_turn = Signal(int, int)
    """Branch and number of a turn that is to be looked at."""
    pointed = Signal(object)
    """Selected, or None: the pointer rests on it in one panel, so others may show it for that moment. Nothing is selected."""

    def __init__(self) -> None:
        super().__init__()
        self._now: Selected | None = None

    @property
    def now(self) -> Selected | None:
        """What is selected."""
        return self._now

    def select(self, selected: Selected | None) -> None:
        """Change it; telling the same again tells nobody."""
        if selected != self._now:
            self._now = selected
            self.changed.emit(selected)

    def thing(self) -> str:
        """The id of the selected thing, or empty."""
        return self._now.id if self._now is not None and self._now.kind == "thing" else ""


class Context(QObject):
    """What all panels share; made by the composition root. The run's state is the snapshot's, not kept here.

    Args:
        post: says a command to the session; safe at any time, does nothing when there is no run.
        live: False while a recording or the past is shown: panels must not offer edits then.
    """

    theme_changed = Signal()
    live_changed = Signal(bool)
    keys_changed = Signal()
    """`key_now` answers otherwise from now on."""
    asked_undo = Signal()
    """Undo the operator's last act."""
    went_on = Signal()
    """`newest` answers otherwise from now on."""

    def __init__(self, theme: Theme, post: Callable[[Command], None]):
        super().__init__()
        self.theme, self.post = theme, post
        self.claimed: frozenset[type[Facet]] = frozenset()
        """Kinds of facet that panels of other packages show."""
        self.selection = Selection()
        self.undo = QUndoStack(self)
        self.key_now: Callable[[str], str] = _same
        """The key that an act or a panel's tool has now, by the one it had at first."""
        self.newest: Callable[[Snapshot], Snapshot] = _same_snapshot
        """The newest snapshot of the run or recording, by the last one a panel was shown.

        That one is older where the panel was hidden meanwhile, or the past is looked at.
        """
        self.become: Callable[[Callable[[Request], Request]], None] = _no_request
        """Changes what the next runs are asked to be; takes what returns the new request by the present one."""
        self.partial: Callable[[int], Partial | None] = _nothing_yet
        """What came so far of the reply to a waiting call of the run."""
        self.price: Callable[[str], Price | None] = _no_price
        """What a million tokens of an answerer cost, where prices are known."""
        self.preparing: Callable[[], str] = str
        """What the run's first search waits for, in words; empty: nothing."""
        self.pending_edits = PendingEdits()
        """Edits that the session has not answered yet."""
        self.runs = RunList()
        """Runs of this window."""
        self.standing = StandingBreakpoints()
        """The operator's breakpoints."""
        self.event_log = EventLog()
        """What a live run tells."""
        self.preview = Previews()
        """What the planner would show of what is dragged."""
        self.live_changed.connect(self.preview.set_live)
        self._live = True

    @property
    def live(self) -> bool:
        """Whether what is shown is the running present."""
        return self._live

    def set_live(self, live: bool) -> None:
        """Present or past."""
        if live != self._live:
            self._live = live
            self.live_changed.emit(live)


def _same(key: str) -> str:
    return key


def _no_request(change: Callable[[Request], Request]) -> None:
    """Without a console there is no request."""
    del change
def _nothing_yet(call: int) -> Partial | None:
    del call
    return None


def _no_price(source: str) -> Price | None:
    del source
    return None


def _same_snapshot(shown: Snapshot) -> Snapshot:
    return shown
