"""Events arrive in order, and late listeners receive the end of a turn when it is written."""

from __future__ import annotations

from core.session.event_bus import EventBus, Writing
from core.session.events import Event, Paused


class Slow:
    """A write that finishes when the test says so, or when it is waited for."""

    def __init__(self) -> None:
        self.safe = False
        self.waited = 0

    def done(self) -> bool:
        return self.safe

    def wait(self) -> None:
        self.waited += 1
        self.safe = True


class Writer:
    """Keeps the events it receives; every third event is the end of a turn."""

    def __init__(self) -> None:
        self.heard: list[int] = []
        self.writings: list[Slow] = []

    def hear(self, event: Event) -> Writing | None:
        self.heard.append(event.number)
        if event.number % 3 != 2:
            return None
        self.writings.append(Slow())
        return self.writings[-1]


def tell(bus: EventBus, count: int) -> None:
    for _ in range(count):
        bus.emit(Paused("asked to"))


def test_those_after_a_writer_hear_of_a_turn_when_it_is_written() -> None:
    bus, writer = EventBus(), Writer()
    early: list[int] = []
    late: list[int] = []
    bus.subscribe(lambda event: early.append(event.number))
    bus.subscribe(writer.hear)
    bus.subscribe(lambda event: late.append(event.number))
    tell(bus, 5)
    assert (early, writer.heard, late) == ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1])
    writer.writings[0].safe = True
    bus.deliver(wait=False)
    assert late == [0, 1, 2, 3, 4]
    tell(bus, 6)
    assert late == [0, 1, 2, 3, 4]
    bus.deliver(wait=True)
    assert early == writer.heard == late == list(range(11))
    assert [w.waited for w in writer.writings] == [0, 1, 1]


def test_a_second_writer_is_waited_for_too_and_receives_each_event_once() -> None:
    bus, first, second = EventBus(), Writer(), Writer()
    late: list[int] = []
    too_early: list[int] = []

    def listen(event: Event) -> None:
        late.append(event.number)
        if event.number % 3 == 2 and not all(w.writings[event.number // 3].safe for w in (first, second)):
            too_early.append(event.number)

    bus.subscribe(first.hear)
    tell(bus, 4)
    bus.subscribe(second.hear)  # while event 2 waits for the first writer: so those that come now receive it, and what follows
    bus.subscribe(listen)
    tell(bus, 9)
    assert (len(first.heard), second.heard, late) == (13, [], []), "event 2 is not written yet"
    bus.deliver(wait=True)
    assert second.heard == late == list(range(2, 13))
    tell(bus, 9)
    bus.deliver(wait=True)
    assert first.heard == list(range(22))
    assert second.heard == late == list(range(2, 22))
    assert too_early == []
    assert [len(w.writings) for w in (first, second)] == [7, 7], "events 2, 5, 8, 11, 14, 17 and 20"
    assert all(w.safe for w in (*first.writings, *second.writings))


def test_without_a_writer_everything_is_heard_at_once() -> None:
    bus = EventBus()
    heard: list[int] = []
    bus.subscribe(lambda event: heard.append(event.number))
    tell(bus, 4)
    assert heard == [0, 1, 2, 3]
