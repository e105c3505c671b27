"""Toy worlds whose pictures show which state they are of, and what each picture of a run must show."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

import numpy as np

from core.planning.facets import Frame, Phase, View
from core.planning.moment import Moment
from core.session.events import Acted, Event, Shown, TurnBegan
from core.world.vocabulary import Observation
from tests.core.session.toys import Line

BRIGHTER = 20
"""Grey levels between two places, so that a JPEG still tells them apart."""
State = tuple[Moment, Phase]


def frame_of(view: View, place: int, width: int, height: int) -> Frame:
    """A picture as grey as the place is far, and with the place as the name of every pixel."""
    pixels = np.full((height, width, 3), BRIGHTER * place, np.uint8)
    return Frame(view, pixels, np.ones((height, width), np.uint16), ("", f"at {place}"))


class Pictured(Line):
    """Draws more slowly than it is walked on; a shot shows the moment it was taken at."""

    name: ClassVar[str] = "pictured"
    seconds: ClassVar[float] = 0.004

    def shot(self, view: View, width: int = 64, height: int = 64, *, still: bool = False) -> Callable[[], Frame]:
        place = self.place

        def draw() -> Frame:
            time.sleep(random.random() * 2 * self.seconds)
            return frame_of(view, place, width, height)

        return draw


class Present(Pictured):
    """Draws what is there at the time of drawing, as a game engine does."""

    keeps_shots: ClassVar[int] = 0

    def shot(self, view: View, width: int = 64, height: int = 64, *, still: bool = False) -> Callable[[], Frame]:
        def draw() -> Frame:
            time.sleep(random.random() * 2 * self.seconds)
            return frame_of(view, self.place, width, height)

        return draw


def place_in(frame: Frame) -> int:
    """Which place a picture shows."""
    return round(float(frame.pixels.mean()) / BRIGHTER)


def place_of(seen: Observation) -> int:
    (state,) = seen.by_id["walker_1"].states
    return int(state.split()[1])


def states(events: Iterable[Event]) -> dict[State, set[int]]:
    """Where the walker stood before and after the action of each turn."""
    found: dict[State, set[int]] = {}
    for event in events:
        moment, what = Moment(event.branch, event.turn), event.what
        if isinstance(what, TurnBegan):
            found.setdefault((moment, "before"), set()).add(place_of(what.seen))
        elif isinstance(what, Acted):
            found.setdefault((moment, "after"), set()).add(place_of(what.outcome.observation))
    return found


def frames_in(events: Iterable[Event]) -> Iterator[Frame]:
    for event in events:
        if isinstance(event.what, Shown) and isinstance(event.what.facet, Frame):
            yield event.what.facet


def is_true(frame: Frame, known: dict[State, set[int]]) -> bool:
    """Whether a picture shows the state that it says, and its ids agree with its pixels."""
    place = place_in(frame)
    return place in known.get((frame.moment, frame.phase), set()) and frame.names[1:] in ((), (f"at {place}",))
