"""A run waits for its search to be ready before the first decision, accepts commands meanwhile, and reports the wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from core.app.headless import follow
from core.session.commands import Override, Pause, Resume, Stop
from core.session.events import Acted, CommandTaken, Ended, Event, Failed, Paused, Shown, TurnBegan
from tests.core.session.held import WORDS, Held, Searcher
from tests.core.session.toys import RIGHT, Ear, session

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Held]]:
    monkeypatch.setattr("core.session.session.Preparation", Held)
    Held.made.clear()
    yield Held.made
    assert all(one.closed or one.is_over or not one.began for one in Held.made), "what a session started ends with it"


class Played:
    """A session on a thread, with moments to wait for."""

    def __init__(self) -> None:
        self.run, self.ear = session(Searcher())
        self._news = threading.Condition()
        self.run.subscribe(self._hear)
        self.thread = threading.Thread(target=self.run.run)
        self.thread.start()

    def _hear(self, event: Event) -> None:
        with self._news:
            self._news.notify_all()

    def until(self, kind: type, count: int = 1) -> None:
        """Waits until so many events of a kind have arrived."""
        with self._news:
            assert self._news.wait_for(lambda: len(self.ear.of(kind)) >= count, PATIENCE)

    def join(self) -> Ear:
        """Waits until the run is over."""
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        return self.ear


def test_no_thought_before_it_is_ready(held: list[Held]) -> None:
    played = Played()
    played.until(TurnBegan)
    assert played.run.preparing == WORDS
    played.run.post(Pause())
    played.until(Paused)
    played.run.post(Resume())
    played.until(CommandTaken, 2)
    assert not played.ear.of(Shown), "all this time it waited"
    held[0].end()
    ear = played.join()
    assert ear.of(Ended)[0].success
    assert ear.of(Shown)
    assert not ear.of(Failed)
    assert played.run.preparing == ""


def test_a_run_paused_meanwhile_stays_paused(held: list[Held]) -> None:
    played = Played()
    played.run.post(Pause())
    played.until(Paused)
    held[0].end("slower than it could be")
    played.until(Failed)
    assert not played.ear.of(Shown)
    played.run.post(Stop())
    assert not played.join().of(Shown)


def test_stop_does_not_wait(held: list[Held]) -> None:
    played = Played()
    played.until(TurnBegan)
    played.run.post(Stop())
    assert played.join().of(Ended)[0].reason == "stopped by the operator"
    assert (held[0].is_over, held[0].closed) == (False, True)


def test_an_override_does_not_wait(held: list[Held]) -> None:
    played = Played()
    played.until(TurnBegan)
    played.run.post(Override(RIGHT))
    played.until(Acted)
    played.until(TurnBegan, 2)
    assert played.ear.of(Acted)[0].by == "operator"
    assert played.run.preparing == WORDS
    held[0].end()
    assert played.join().of(Ended)[0].success


def test_what_makes_it_slower_is_told_once_and_waits_for_nobody(held: list[Held]) -> None:
    played = Played()
    played.until(TurnBegan)
    held[0].end("the search runs interpreted")
    told = played.join().of(Failed)
    assert [(f.part, f.message, f.waits) for f in told] == [("planner", "the search runs interpreted", False)]


def test_a_planner_that_does_not_search_waits_for_nothing(held: list[Held]) -> None:
    run, _ = session()
    assert run.run().success
    assert not held
    assert run.preparing == ""


def test_a_run_without_a_window_says_it(held: list[Held]) -> None:
    run, _ = session(Searcher())
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        if line.startswith("  … "):  # nothing was said for a while
            held[-1].end("the search runs interpreted")

    assert follow(run.setup, say, quiet=0.02).snapshot.outcome.success
    assert said[1:4] == [f"  {WORDS}", f"  … {WORDS}", "  the search runs interpreted"]
