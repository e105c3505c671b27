"""All events of a session, read without the snapshot's fold. Random walks compare the window with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.app.run_request import Request
from core.goals.literals import LiteralProgress
from core.planning.facets import Facet, Frame, Grounded, Moment
from core.session.events import Acted, Asked, AskedAside, Began, Ended, Event, Replied, Rewound, Shown, Standing, TurnBegan
from core.session.session import Session
from core.session.snapshot import Snapshot
from core.world.vocabulary import Observation
from gui.control.runner import MakeListener, SessionListener


@dataclass
class Ledger:
    """All events of one session, in order. Appended on the session's thread, read on any thread."""

    events: list[Event] = field(default_factory=list)

    def hear(self, event: Event) -> None:
        """Takes an event of the session."""
        self.events.append(event)

    @property
    def began(self) -> Began | None:
        """The event that began the session, or None before it."""
        return next((event.what for event in self.events[:1] if isinstance(event.what, Began)), None)

    @property
    def acted(self) -> int:
        """Number of actions done, on all branches."""
        return sum(isinstance(event.what, Acted) for event in tuple(self.events))

    def until(self, number: int) -> Iterator[Event]:
        """Returns the events up to and including a number."""
        return (event for event in tuple(self.events) if event.number <= number)

    def shown(self, number: int) -> dict[tuple[Moment, type[Facet]], list[Facet]]:
        """Returns the facets by the turn and branch in which they were first shown, in order."""
        found: defaultdict[tuple[Moment, type[Facet]], list[Facet]] = defaultdict(list)
        for event in self.until(number):
            what = event.what
            if isinstance(what, Shown) and what.of is None and not isinstance(what.facet, Frame | Grounded):
                found[event.moment, type(what.facet)].append(what.facet)
        return dict(found)

    def line(self, snapshot: Snapshot) -> set[Moment]:
        """Returns every turn that leads to a snapshot, including its own."""
        parents: dict[int, tuple[int | None, int]] = {0: (None, 0)}
        for event in self.until(snapshot.event):
            if isinstance(event.what, Rewound):
                parents[event.what.branch] = event.what.parent, event.what.turn
        found: set[Moment] = set()
        branch: int | None = snapshot.branch
        last = snapshot.turn
        while branch is not None:
            found |= {Moment(branch, turn) for turn in range(last + 1)}
            is_own = branch == snapshot.branch
            branch, leaves = parents[branch]
            # a fork begins in the turn that it leaves, also if its changed world ends the run before that turn begins
            last = leaves if is_own else min(last, leaves)
        return found

    def ends(self, number: int) -> dict[int, list[Ended]]:
        """Returns the ends of each branch since its last turn began."""
        found: defaultdict[int, list[Ended]] = defaultdict(list)
        for event in self.until(number):
            if isinstance(event.what, TurnBegan):
                found[event.branch] = []
            elif isinstance(event.what, Ended):
                found[event.branch].append(event.what)
        return dict(found)

    def progress(self, number: int) -> tuple[LiteralProgress, ...]:
        """Returns the last reported progress of the goal."""
        said: tuple[LiteralProgress, ...] = ()
        for event in self.until(number):
            if isinstance(event.what, TurnBegan | Ended | Standing):
                said = event.what.progress
        return said

    def pictures(self) -> list[Frame]:
        """Returns all pictures that arrived, including late ones."""
        return [event.what.facet for event in tuple(self.events)
                if isinstance(event.what, Shown) and isinstance(event.what.facet, Frame)]

    def seen(self, frame: Frame) -> Observation | None:
        """Returns the observation of the state that a picture claims to show, or None if no event contains it."""
        found = None
        for event in tuple(self.events):
            if event.moment != frame.moment:
                continue
            if isinstance(event.what, TurnBegan) and frame.phase == "before":
                found = event.what.seen
            elif isinstance(event.what, Acted) and frame.phase == "after":
                found = event.what.outcome.observation
        return found

    def answered(self, number: int) -> dict[int, Moment]:
        """Returns the moments in which the answered calls were made."""
        asked: dict[int, Moment] = {}
        answered: dict[int, Moment] = {}
        for event in self.until(number):
            if isinstance(event.what, Asked | AskedAside):
                asked[event.what.id] = event.moment
            elif isinstance(event.what, Replied):
                answered[event.what.id] = asked[event.what.id]
        return answered


class Ledgers:
    """One ledger for each session of a window."""

    def __init__(self) -> None:
        self.all: list[Ledger] = []

    def beside(self, make_listener: MakeListener) -> MakeListener:
        """Wraps the listener so that a ledger receives every event first."""
        def heard(session: Session, request: Request) -> SessionListener:
            ledger = Ledger()
            self.all.append(ledger)
            session.subscribe(ledger.hear)
            return make_listener(session, request)

        return heard

    def of(self, snapshot: Snapshot) -> Ledger | None:
        """Returns the ledger of the session of a live snapshot, or None for a recording."""
        return next((ledger for ledger in self.all if snapshot.began is not None and ledger.began is snapshot.began), None)
