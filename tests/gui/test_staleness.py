"""The note on content from an earlier turn."""

from __future__ import annotations

from dataclasses import replace

from core.planning.belief_facets import Belief
from core.planning.search_facets import Ranking
from core.session.events import Ended
from gui.control.snapshot_texts import age, staleness
from tests.gui.panels import searches


def test_only_what_is_of_an_earlier_turn_is_stale() -> None:
    now = searches.snapshot(searches.ranking(3), turn=7, facet_turn=6)
    assert staleness(now, Ranking, "new search") == "From turn 6 · new search in a moment"
    assert staleness(now, Belief, "new belief") == ""
    assert staleness(searches.snapshot(searches.ranking(3)), Ranking, "new search") == ""


def test_a_paused_run_promises_nothing_soon_and_an_ended_one_nothing() -> None:
    now = searches.snapshot(searches.ranking(3), turn=7, facet_turn=6)
    assert staleness(replace(now, status="paused"), Ranking, "new search").endswith("when the run goes on")
    assert staleness(replace(now, ended=Ended(True, "goal reached", ())), Ranking, "new search") == "From turn 6"


def test_what_another_branch_showed_is_not_of_the_present() -> None:
    now = replace(searches.snapshot(searches.ranking(3), turn=7, facet_turn=7), branch=2)
    assert staleness(now, Ranking, "new search") == "From turn 7 of the main line · new search in a moment"
    assert staleness(replace(now, turn=8), Ranking, "new search") == "From turn 7 · new search in a moment"


def test_a_header_names_the_turn_only_where_the_run_stands_still() -> None:
    now = searches.snapshot(searches.ranking(3), turn=7, facet_turn=6)
    assert [age(replace(now, status=status), (Ranking,)) for status in ("thinking", "paused", "ended")] == [
        "", "from turn 6", "from turn 6"]
    assert age(replace(now, turn=6, status="paused"), (Ranking,)) == ""
    assert age(replace(now, status="paused"), (Belief,)) == ""
