"""Hands snapshots to the panels in view: one after the other, dense ones at most every 100 ms."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

from core.session.snapshot import Snapshot
from gui.control.giving_way import GivingWay
from gui.theme.tokens import MOTION
from gui.window.docks import Card

SPACING = 12
"""Milliseconds between two panels: Qt paints all that changed within 5 ms in one go, and that would be a long one."""

PREVIEW_MS = 33
"""Milliseconds between two pictures of a preview: it follows the hand."""
PREVIEW_SPACING = 7
"""Milliseconds between two panels that follow the hand."""


class Distributor(QObject):
    """What arrives faster than a panel may redraw is left out, never queued up; the newest always gets through."""

    def __init__(self, way: GivingWay) -> None:
        super().__init__()
        self._way = way
        self._snapshot: Snapshot | None = None
        self._preview: Snapshot | None = None
        self._cards: list[Card] = []
        self._due: list[Card] = []
        self._shown: dict[str, Snapshot] = {}
        self._since: dict[str, QElapsedTimer] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)
        self._previewed = QElapsedTimer()
        self._following = QTimer(self)
        self._following.setSingleShot(True)
        self._following.timeout.connect(self._follow)
        self._behind: list[tuple[Card, Snapshot]] = []
        """Panels that are still to show what the others show of the preview, or of its end."""

    def stop(self) -> None:
        """Serve nobody any more."""
        self._timer.stop()
        self._following.stop()
        self._cards, self._due, self._behind = [], [], []

    def serve(self, cards: Iterable[Card]) -> None:
        """Serve these cards from now on."""
        self._cards = list(cards)

    def offer(self, snapshot: Snapshot) -> None:
        """The newest to show."""
        self._snapshot = snapshot
        waiting = {card.name for card in self._due}
        self._due += [card for card in self._cards if card.name not in waiting]
        if self._due and not self._timer.isActive():
            self._timer.start(0)

    def preview(self, snapshot: Snapshot | None) -> None:
        """What panels that take previews are to show in the place of the newest; None: that again."""
        self._preview = snapshot
        if not self._following.isActive():
            waited = self._previewed.elapsed() if self._previewed.isValid() else PREVIEW_MS
            self._following.start(max(0, PREVIEW_MS - waited))

    def _follow(self) -> None:
        """One panel after the other; all show the same answer before the next one is taken."""
        if not self._behind:
            self._previewed.restart()
            self._behind = [(card, newest) for card in self._cards if _previews(card)
                            and (newest := self._newest(card)) is not None and self._shown.get(card.name) is not newest]
        while self._behind:
            card, snapshot = self._behind.pop(0)
            if self._preview is None:  # it ended meanwhile: nothing of it is shown any more
                snapshot = self._newest(card) or snapshot
            if self._serves(card) and self._shown.get(card.name) is not snapshot:
                self._show(card, snapshot)
                break
        if self._behind:
            self._following.start(PREVIEW_SPACING)
        elif any(_previews(card) and self._serves(card) and self._shown.get(card.name) is not self._newest(card)
                 for card in self._cards):
            self._following.start(max(0, PREVIEW_MS - self._previewed.elapsed()))

    def _newest(self, card: Card) -> Snapshot | None:
        """What a card is to show now."""
        return self._preview if self._preview is not None and _previews(card) else self._snapshot

    def show_now(self, card: Card) -> None:
        """It came into view: show it the newest at once."""
        if (newest := self._newest(card)) is not None:
            self._show(card, newest)

    def _next(self) -> None:
        """One panel; those that were drawn too lately wait."""
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
        """Those in view; those behind a tab once a turn, and not before there is something to show."""
        if not card.isVisible() or self._snapshot is None:
            return False
        if not card.visibleRegion().isEmpty():
            return True
        return self._snapshot.event >= 0 and self._turned(card)

    def _turned(self, card: Card) -> bool:
        """Whether turn or status are others than those that were shown last."""
        old, new = self._shown.get(card.name), self._snapshot
        return old is None or new is None or (old.turn, old.branch, old.status) != (new.turn, new.branch, new.status)

    def _wait(self, card: Card) -> int:
        """Milliseconds until it may be drawn again: at once when turn or status changed, and for pictures."""
        since = self._since.get(card.name)
        if since is None or card.name == "frames" or self._turned(card):
            return 0
        return max(0, MOTION["publish"] - since.elapsed())

    def _show(self, card: Card, snapshot: Snapshot) -> None:
        self._shown[card.name] = snapshot
        self._since.setdefault(card.name, QElapsedTimer()).restart()
        with self._way.work():
            card.show_snapshot(snapshot)


def _previews(card: Card) -> bool:
    """Whether a card shows previews; one that was never shown has nothing to follow a hand with."""
    return card.panel is not None and card.panel.previews
