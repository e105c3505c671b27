"""Hands snapshots to the visible panels, one panel after the other.

Within a turn each panel gets at most one in the interval that it states.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

from core.session.snapshot import Snapshot
from gui.control.bridge import GuiActivity
from gui.window.docks import Card

SPACING = 12
"""Milliseconds between two panels. Qt paints everything that has changed in one pass, which would take too long."""

PREVIEW_MS = 33
"""Milliseconds between two updates of a preview, which follows the pointer."""
PREVIEW_SPACING = 7
"""Milliseconds between two panels that show a preview."""


class Distributor(QObject):
    """Hands out snapshots.

    Those that arrive faster than a panel may redraw are skipped, never queued; the newest always arrives.
    """

    def __init__(self, activity: GuiActivity, is_painting_due: Callable[[], bool]) -> None:
        """Creates a distributor.

        Args:
            activity: told when a panel is updated.
            is_painting_due: returns whether earlier changes have not been painted yet. The next panel waits for that.
        """
        super().__init__()
        self._activity, self._is_painting_due = activity, is_painting_due
        self._snapshot: Snapshot | None = None
        self._preview: Snapshot | None = None
        self._cards: list[Card] = []
        self._due: list[Card] = []
        self._shown: dict[str, Snapshot] = {}
        self._since: dict[str, QElapsedTimer] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)
        self._preview_clock = QElapsedTimer()
        self._preview_timer = QTimer(self)
        self._preview_timer.setSingleShot(True)
        self._preview_timer.timeout.connect(self._show_preview)
        self._preview_queue: list[tuple[Card, Snapshot]] = []
        """Cards that have not yet shown the present preview, or its end, with the snapshot for them."""

    def stop(self) -> None:
        """Stops handing out snapshots."""
        self._timer.stop()
        self._preview_timer.stop()
        self._cards, self._due, self._preview_queue = [], [], []

    def serve(self, card: Card) -> None:
        """Adds a card that receives snapshots."""
        self._cards.append(card)
        card.exposed.connect(partial(self._catch_up, card))

    def offer(self, snapshot: Snapshot) -> None:
        """Takes the newest snapshot."""
        self._snapshot = snapshot
        waiting = {card.name for card in self._due}
        self._due += [card for card in self._cards if card.name not in waiting]
        if self._due and not self._timer.isActive():
            self._timer.start(SPACING if self._shown else 0)  # after the bars and the timeline, which follow at once

    def _catch_up(self, card: Card) -> None:
        """Shows the newest snapshot soon on a card that has come into view: cards out of view are skipped.

        While a preview is being shown, its panels are updated in their own order: all of them show one answer before the next.
        """
        newest, waits = self._newest(card), card in self._due or (self._preview_timer.isActive() and _previews(card))
        if newest is None or self._shown.get(card.name) is newest or waits:
            return
        self._due.append(card)
        if not self._timer.isActive():
            self._timer.start(0)

    def preview(self, snapshot: Snapshot | None) -> None:
        """Takes the snapshot that panels with previews show instead of the newest; None ends the preview."""
        self._preview = snapshot
        if not self._preview_timer.isActive():
            waited = self._preview_clock.elapsed() if self._preview_clock.isValid() else PREVIEW_MS
            self._preview_timer.start(max(0, PREVIEW_MS - waited))

    def _show_preview(self) -> None:
        """Updates one panel after the other; all of them show the same answer before the next answer is taken."""
        if not self._preview_queue:
            self._preview_clock.restart()
            self._preview_queue = [(card, newest) for card in self._cards if _previews(card)
                            and (newest := self._newest(card)) is not None and self._shown.get(card.name) is not newest]
        while self._preview_queue:
            card, snapshot = self._preview_queue.pop(0)
            if self._preview is None:  # the preview ended meanwhile
                snapshot = self._newest(card) or snapshot
            if self._serves(card) and self._shown.get(card.name) is not snapshot:
                self._show(card, snapshot)
                break
        if self._preview_queue:
            self._preview_timer.start(PREVIEW_SPACING)
        elif any(_previews(card) and self._serves(card) and self._shown.get(card.name) is not self._newest(card)
                 for card in self._cards):
            self._preview_timer.start(max(0, PREVIEW_MS - self._preview_clock.elapsed()))

    def _newest(self, card: Card) -> Snapshot | None:
        """The snapshot that a card should show now."""
        return self._preview if self._preview is not None and _previews(card) else self._snapshot

    def has_shown(self, snapshot: Snapshot) -> bool:
        """Returns True if `snapshot` is the newest, and every card in view shows what it should and is painted."""
        return self._snapshot is snapshot and not self._is_painting_due() and not self.stale()

    @property
    def is_idle(self) -> bool:
        """True if no card waits to be shown a snapshot or a preview."""
        return not (self._timer.isActive() or self._preview_timer.isActive())

    def stale(self) -> tuple[str, ...]:
        """Returns the names of the cards in view that do not show what they should."""
        return tuple(card.name for card in self._cards
                     if self._serves(card) and self._shown.get(card.name) is not self._newest(card))

    def show_now(self, card: Card) -> None:
        """Shows the newest snapshot at once on a card that came into view, or is asked while another tab is in front of it."""
        if (newest := self._newest(card)) is not None and self._shown.get(card.name) is not newest:
            self._show(card, newest)

    def _next(self) -> None:
        """Updates one panel. Panels that were drawn too recently wait."""
        if self._is_painting_due():
            self._timer.start(0)
            return
        waits = [self._wait(card) for card in self._due]
        ready = next((k for k, wait in enumerate(waits) if wait == 0), None)
        if ready is None:
            if waits:
                self._timer.start(min(waits))
            return
        card = self._due.pop(ready)
        newest = self._newest(card)
        news = self._serves(card) and self._shown.get(card.name) is not newest
        if self._due:
            self._timer.start(SPACING if news else 0)
        if news and newest is not None:
            self._show(card, newest)

    def _serves(self, card: Card) -> bool:
        """Whether a card is updated: if it is in view. One behind a tab is shown the newest when it comes to the front."""
        return self._snapshot is not None and card.isVisible() and not card.visibleRegion().isEmpty()

    def _turned(self, card: Card) -> bool:
        """Whether the turn or the status differs from what the card shows."""
        old, new = self._shown.get(card.name), self._snapshot
        return old is None or new is None or (old.turn, old.branch, old.status) != (new.turn, new.branch, new.status)

    def _wait(self, card: Card) -> int:
        """Milliseconds until a card may be drawn again; 0 if the turn or the status changed."""
        since = self._since.get(card.name)
        if since is None or card.panel is None or self._turned(card):
            return 0
        return max(0, card.panel.interval - since.elapsed())

    def _show(self, card: Card, snapshot: Snapshot) -> None:
        self._shown[card.name] = snapshot
        self._since.setdefault(card.name, QElapsedTimer()).restart()
        with self._activity.work():
            card.show_snapshot(snapshot)


def _previews(card: Card) -> bool:
    """Whether a card shows previews. A card whose panel was never created shows none."""
    return card.panel is not None and card.panel.previews
