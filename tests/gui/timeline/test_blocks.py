"""Blocks created when needed equal those created at once, and turns are found without scanning all blocks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.common.shared_list import SharedList
from core.planning.facets import Moment
from core.session.snapshot import Snapshot, fold
from core.session.turns import line_of
from gui.timeline.model import MOST_KEPT, BlockCache, Blocks, block_of, story_of
from gui.widgets import Names
from tests.core.session.test_branch_comparison import STEPS, Step, played
from tests.gui.long_runs import Counted, counted, following
from tests.gui.panels import branches
from tests.gui.timeline.lines import NAMES, Drawn, lines


@given(lines())
def test_a_block_is_what_it_would_be_made_eagerly(drawn: Drawn) -> None:
    blocks, eager = drawn.blocks, drawn.eager
    assert list(blocks) == eager
    assert [blocks[k] for k in range(-len(eager), 0)] == eager
    assert list(blocks[-12:]) == eager[-12:]
    assert [blocks.span(k) for k in range(len(eager))] == [(b.began, b.ended) for b in eager]
    assert blocks.branches() == {b.moment.branch for b in eager}


@given(lines(), st.integers(0, 70), st.integers(0, 2), st.floats(-5, 400))
def test_turns_are_found_by_number_and_time(drawn: Drawn, number: int, branch: int, seconds: float) -> None:
    blocks, eager = drawn.blocks, drawn.eager
    assert blocks.place(number) == next((k for k, b in enumerate(eager) if b.moment.turn == number), None)
    moment = Moment(branch, number)
    assert blocks.place_of(moment) == next((k for k, b in enumerate(eager) if b.moment == moment), None)
    begun = [k for k, b in enumerate(eager) if b.began <= seconds]
    assert not eager or blocks.last_begun(seconds) == (begun[-1] if begun else 0)


@given(STEPS)
def test_a_story_told_on_is_the_story_told_anew(steps: list[Step]) -> None:
    """Through forks, switches, ends and turns that are played again."""
    cache, now = BlockCache(), Snapshot()
    for event in played(steps).events:
        before, now = now, fold(now, event)
        told, story = story_of(now, NAMES, True, cache), story_of(now, NAMES)
        live = now.current if now.status != "ended" else None
        line = [t for t in line_of(now.turns, now.branches, now.branch) if live is None or t.number < live.number]
        assert [b for b in story.blocks if b.tone != "live"] == [block_of(t, NAMES) for t in line]
        assert list(told.blocks) == list(story.blocks)
        assert told == story, "the same story is equal, whoever made its blocks"
        told_before = story_of(before, NAMES)
        assert told != told_before or list(told.blocks) == list(told_before.blocks), "what is equal is not laid out again"
        assert [b.moment.turn for b in told.blocks] == sorted({b.moment.turn for b in told.blocks}), "each turn once"


def test_stories_differ_where_the_run_went_on() -> None:
    first, second = following(30, 1)
    one, other = story_of(first, NAMES), story_of(second, NAMES)
    assert one != other
    assert one == story_of(first, NAMES)
    assert story_of(first, Names()) != one, "things may have other names"


def test_what_is_out_of_sight_is_not_looked_at() -> None:
    snapshots, counts = counted(following(1200, 1))
    cache = BlockCache()
    story_of(snapshots[0], NAMES, True, cache)
    before = sum(count.looks for count in counts)
    story = story_of(snapshots[1], NAMES, True, cache)
    assert story != story_of(snapshots[0], NAMES, True, cache)
    list(story.blocks[-40:])
    assert sum(count.looks for count in counts) - before < 3 * 200 + 100


def test_words_are_kept_while_they_hold_and_let_go_in_time() -> None:
    end = following(MOST_KEPT + 50, 0)[0]
    cache, names = BlockCache(), Names()
    blocks = Blocks(end.line, None, names, cache)
    assert blocks[3] is blocks[3]
    assert Blocks(SharedList(end.line), None, names, cache)[3] is blocks[3], "another list of the same turns"
    assert Blocks(end.line, None, Names(), cache)[3] is not blocks[3]
    kept = Counted(list(end.line))
    assert len(list(Blocks(SharedList.beginning(kept, len(kept)), None, names, cache))) == len(end.line)
    assert len(cache._kept) <= MOST_KEPT


def test_without_a_turn_it_says_whether_turns_may_still_come() -> None:
    run = branches.Run()
    assert story_of(run.snapshot, NAMES).no_blocks.startswith("Turns appear here")
    assert story_of(run.end("goal reached", success=True).snapshot, NAMES).no_blocks == "No turns: goal reached"
