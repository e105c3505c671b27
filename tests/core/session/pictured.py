"""Toy simulators whose pictures show which state they are of, and the expected pictures of a run."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

import numpy as np

from core.planning.facets import Frame, Moment, Phase, View
from core.session.events import Acted, Event, Shown, TurnBegan
from core.world.vocabulary import Observation
from tests.core.session.toys import Line

BRIGHTER = 20
"""Grey levels between two places, so that a JPEG still tells them apart."""
State = tuple[Moment, Phase]


def frame_of(view: View, place: int, width: int, height: int) -> Frame:
    """Returns a picture whose grey level is the position, with the position as the name of every pixel."""
    pixels = np.full((height, width, 3), BRIGHTER * place, np.uint8)
    return Frame(view, pixels, np.ones((height, width), np.uint16), ("", f"at {place}"))


class Pictured(Line):
    """Draws more slowly than it walks. A shot shows the moment at which it was taken."""

    name: ClassVar[str] = "pictured"
    seconds: ClassVar[float] = 0.004

    def shot(self, view: View, width: int = 64, height: int = 64, *, still: bool = False) -> Callable[[], Frame]:
        place = self.place

        def draw() -> Frame:
            time.sleep(random.random() * 2 * self.seconds)
            return frame_of(view, place, width, height)

        return draw


class Present(Pictured):
    """Draws the state at the time of drawing, as a game engine does."""

    keeps_shots: ClassVar[int] = 0

    def shot(self, view: View, width: int = 64, height: int = 64, *, still: bool = False) -> Callable[[], Frame]:
        def draw() -> Frame:
            time.sleep(random.random() * 2 * self.seconds)
            return frame_of(view, self.place, width, height)

        return draw


def place_in(frame: Frame) -> int:
    """Returns which position a picture shows."""
    return round(float(frame.pixels.mean()) / BRIGHTER)


def place_of(seen: Observation) -> int:
    (state,) = seen.by_id["walker_1"].states
    return int(state.split()[1])


def states(events: Iterable[Event]) -> dict[State, set[int]]:
    """Returns the walker's position before and after the action of each turn."""
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
    """Returns True if a picture shows the state that it claims, and its ids agree with its pixels."""
    place = place_in(frame)
    return place in known.get((frame.moment, frame.phase), set()) and frame.names[1:] in ((), (f"at {place}",))
