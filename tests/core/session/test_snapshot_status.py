"""The status in the snapshot of a run that is paused while requests wait."""

from __future__ import annotations

from core.planning.model_requests import ModelReply, ModelRequest
from core.session.events import Asked, Event, Failed, Paused, Replied, Resumed
from core.session.snapshot import fold_all

ASKED = Event(0, 0.0, 1, 0, Asked(0, ModelRequest("where", ()), "model"))
ANSWERED = Event(2, 2.0, 1, 0, Replied(0, ModelReply(("there",), "model")))


def test_an_answer_does_not_end_a_pause() -> None:
    paused = fold_all([ASKED, Event(1, 1.0, 1, 0, Paused("asked to")), ANSWERED])
    assert (paused.status, paused.waiting) == ("paused", ())
    assert fold_all([Event(3, 3.0, 1, 0, Resumed())], paused).status == "thinking"


def test_a_run_that_goes_on_still_waits() -> None:
    told = [ASKED, Event(1, 1.0, 1, 0, Paused("asked to")), Event(2, 2.0, 1, 0, Resumed())]
    assert fold_all(told).status == "waiting"
    assert fold_all([*told, ANSWERED]).status == "thinking"


def test_an_answer_mends_the_model_and_nothing_else() -> None:
    full = Failed("recorder", "disk", "No space left on device", options=("Try again",))
    down = Failed("model", "down", "nobody answers", options=("Try again",))
    assert fold_all([ASKED, Event(1, 1.0, 1, 0, full), ANSWERED]).failure == full
    assert fold_all([ASKED, Event(1, 1.0, 1, 0, down), ANSWERED]).failure is None


def test_an_answer_leaves_the_failures_of_other_requests() -> None:
    """Two requests have failed. The first reply mends one; the run still waits for the other."""
    other = Event(1, 1.0, 1, 0, Asked(1, ModelRequest("how", ()), "model"))
    downs = [Failed("model", "down", f"call {call}", options=("Try again",), call=call) for call in (0, 1)]
    failed = [Event(2, 2.0, 1, 0, downs[0]), Event(3, 3.0, 1, 0, downs[1])]
    answers = [Event(4 + call, 4.0, 1, 0, Replied(call, ModelReply(("there",), "model"))) for call in (0, 1)]
    for first, second in ((0, 1), (1, 0)):
        now = fold_all([ASKED, other, *failed, answers[first]])
        assert (now.status, now.failure) == ("failed", downs[second])
        assert fold_all([answers[second]], now).failure is None
