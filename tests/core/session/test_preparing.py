"""A run does not wait for machine code: it tells what goes on beside it, and once why the search stays slow, if it does."""

from __future__ import annotations

import pytest

from core.app.headless import follow
from core.session.commands import Pause, Resume
from core.session.events import Acted, Ended, Event, Failed, Shown, TurnBegan
from tests.core.session.held import WORDS, Held, Searcher
from tests.core.session.toys import session


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    made = Held()
    monkeypatch.setattr("core.session.search_code.preparation", made)
    return made


def test_a_run_does_not_wait(held: Held) -> None:
    run, ear = session(Searcher())
    told: list[str] = []
    run.subscribe(lambda event: told.append(run.preparing))
    assert run.run().success
    assert ear.of(Shown)
    assert not ear.of(Failed)
    assert set(told) == {WORDS}, "it went on all the time"


def test_it_is_not_told_any_more_once_it_is_over(held: Held) -> None:
    run, ear = session(Searcher())

    def end(event: Event) -> None:
        if isinstance(event.what, Acted):
            held.end()

    run.subscribe(end)
    assert run.run().success
    assert not ear.of(Failed)
    assert run.preparing == ""


def test_what_makes_it_slower_is_told_once_and_waits_for_nobody(held: Held) -> None:
    run, ear = session(Searcher())

    def end(event: Event) -> None:
        if isinstance(event.what, TurnBegan):
            held.end("the search runs interpreted")

    run.subscribe(end)
    assert run.run().success
    assert len(ear.of(TurnBegan)) > 1
    assert [(f.part, f.message, f.waits) for f in ear.of(Failed)] == [("planner", "the search runs interpreted", False)]


def test_a_planner_that_does_not_search_makes_nobody_compile(held: Held) -> None:
    run, _ = session()
    assert run.run().success
    assert held.asked == 0
    assert run.preparing == ""


def test_pausing_does_not_wait_either(held: Held) -> None:
    run, ear = session(Searcher())

    def go_on(event: Event) -> None:
        if isinstance(event.what, TurnBegan) and event.turn == 1:
            run.post(Pause())
            run.post(Resume())

    run.subscribe(go_on)
    assert run.run().success
    assert ear.of(Ended)[0].success


def test_a_run_without_a_window_tells_it_once(held: Held) -> None:
    run, _ = session(Searcher())
    said: list[str] = []
    assert follow(run.setup, said.append).snapshot.outcome.success
    assert said[1] == f"  {WORDS}; meanwhile it runs interpreted"
    assert sum(WORDS in line for line in said) == 1
