"""A partial reply can be read while its request waits. It is in no event, and is dropped once the reply is complete."""

from __future__ import annotations

import threading

from core.common.errors import ModelError
from core.llm.model import Partial, Waiter
from core.planning.model_requests import ModelReply, ModelRequest
from core.session.events import Asked, Ended, Replied
from core.session.requests import PartialReplies
from tests.core.session.toys import Guide, session

PATIENCE = 20.0


class Typist(Guide):
    """Reports half a reply, and the whole one when the test allows it."""

    name = "typist"

    def __init__(self, fail: list[ModelError] | None = None):
        super().__init__(fail)
        self.half, self.go_on = threading.Event(), threading.Event()

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        assert isinstance(cancelled, Waiter)
        cancelled.on_partial(Partial("ri", 1, 0.5))
        self.half.set()
        while not self.go_on.wait(0.01):
            if cancelled.is_set():
                raise ModelError("the question was withdrawn", "cancelled", retry=True)
        return super().answer(ask, cancelled)


def test_a_partial_reply_belongs_to_its_call_and_vanishes_when_the_reply_comes() -> None:
    typist = Typist()
    run, ear = session(model=typist)
    thread = threading.Thread(target=run.run)
    thread.start()
    assert typist.half.wait(PATIENCE)
    assert run.partials.of(0) == Partial("ri", 1, 0.5)
    assert run.partials.of(99) is None, "of no other question"
    typist.go_on.set()
    thread.join(PATIENCE)
    assert ear.of(Ended)
    assert len(ear.of(Asked)) == len(ear.of(Replied)) > 0
    assert all(run.partials.of(asked.id) is None for asked in ear.of(Asked))
    assert "Partial(" not in "".join(repr(event) for event in ear.events)


def test_what_comes_after_the_reply_is_not_kept() -> None:
    partials = PartialReplies()
    first = partials.callback(3)
    first(Partial("a", 1, 0.1))
    assert partials.of(3) == Partial("a", 1, 0.1)
    second = partials.callback(3)
    assert partials.of(3) is None, "it was asked again"
    first(Partial("ab", 2, 0.1))
    assert partials.of(3) is None
    second(Partial("b", 1, 0.2))
    assert partials.of(3) == Partial("b", 1, 0.2)
    partials.end(3)
    second(Partial("bc", 2, 0.2))
    assert partials.of(3) is None
