"""What is said of content from an earlier turn."""

from __future__ import annotations

from dataclasses import replace

from core.events import Ended
from core.facets import Belief, Ranking
from gui.staleness import staleness
from tests.gui.panels import searches


def test_only_what_is_of_an_earlier_turn_is_stale() -> None:
    now = searches.snapshot(searches.ranking(3), turn=7, facet_turn=6)
    assert staleness(now, Ranking, "new search") == "From turn 6 · new search in a moment"
    assert staleness(now, Belief, "new belief") == ""
    assert staleness(searches.snapshot(searches.ranking(3)), Ranking, "new search") == ""


def test_a_paused_run_promises_nothing_and_an_ended_one_is_as_it_is() -> None:
    now = searches.snapshot(searches.ranking(3), turn=7, facet_turn=6)
    assert staleness(replace(now, status="paused"), Ranking, "new search").endswith("when the run goes on")
    assert staleness(replace(now, ended=Ended(True, "goal reached", ())), Ranking, "new search") == ""
