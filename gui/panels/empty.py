"""The page of a panel that has nothing to show: what it waits for, or why nothing will come, and what would bring something."""

from __future__ import annotations

from collections.abc import Callable

from core.planning.facets import Facet
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.widgets import CardState, StateAction, StateCard

Reason = Callable[[Snapshot], str]
"""Returns in one or two sentences why a panel is empty, given a snapshot after which nothing comes."""


def live_offer(context: Context) -> tuple[str, str]:
    """Returns the title and the tip of the button that makes the decision on display live."""
    if context.is_recording():
        return "Take over here", "Start a live run that decides this turn again"
    return "Go back here", "Go back to this decision, on a new branch"


def live_actions(context: Context) -> tuple[StateAction, ...]:
    """Returns the button that makes the decision on display live; none if it is."""
    return () if context.live else (StateAction(live_offer(context)[0], "fork", context.decide_here),)


class EmptyPage(StateCard):
    """A card for a panel without content.

    While a run may still bring something it says what will appear. In a recording, in a past turn and after the end it gives
    the reason, and offers a live run unless the planner never shows such data.

    Args:
        context: says what is shown, and makes the decision on display live.
        icon: the name of one of the theme's icons.
        things: what the panel shows, as it follows `No`: `search tree`.
        hint: what will appear, in one or two sentences.
        reason: why there is nothing although the planner may show it; None: it follows from the kinds.
        kinds: the kinds of facet that the panel shows; empty: it needs none.
        helps: False if a live run would not bring anything either.
    """

    def __init__(self, context: Context, icon: str, things: str, hint: str, reason: Reason | None = None,
                 kinds: frozenset[type[Facet]] = frozenset(), *, helps: bool = True):
        self._waiting = CardState("empty", f"No {things} yet", hint, icon)
        super().__init__(context.theme, self._waiting)
        self._context, self._icon, self._things, self._kinds = context, icon, things, kinds
        self._reason, self.helps = reason or self._usual_reason, helps
        self._snapshot = Snapshot()
        self.is_final = False
        """Whether nothing will come."""
        context.live_changed.connect(lambda _: self.tell(self._snapshot))

    def tell(self, snapshot: Snapshot) -> None:
        """Takes the snapshot that the panel shows."""
        self._snapshot = snapshot
        state = self._waiting
        self.is_final = snapshot.began is not None and not (self._context.live and snapshot.ended is None)
        if self.is_final and snapshot.began is not None:
            never = self._never_shown(snapshot)
            why = f"{self._context.planner_title(snapshot.began.planner)} shows none." if never else self._reason(snapshot)
            actions = live_actions(self._context) if self.helps and not never else ()
            state = CardState("empty", f"No {self._things}", why, self._icon, actions=actions)
        self.show_state(state)

    def _never_shown(self, snapshot: Snapshot) -> bool:
        """Whether the planner shows no such data at all."""
        shows = None if snapshot.began is None else self._context.kinds_of(snapshot.began.planner)
        return bool(self._kinds) and shows is not None and not self._kinds & shows

    def _usual_reason(self, snapshot: Snapshot) -> str:
        planner = "The planner" if snapshot.began is None else self._context.planner_title(snapshot.began.planner)
        if any(snapshot.facet(kind) is not None for kind in self._kinds):
            return f"{planner} has none in turn {snapshot.turn}."
        return f"{planner} has shown none up to turn {snapshot.turn}."
