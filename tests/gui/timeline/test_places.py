"""Positions of turns, marks and labels, and what is at a pixel, agree with plain definitions for any run and view."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.common.shared_list import SharedList
from core.session.annotation import Annotation
from core.session.turns import Mark
from gui.theme import theme_named
from gui.timeline.layout import BlockLayout, lay_out, seconds_at, x_at, x_of
from gui.timeline.model import ByTurn, Marks, Story, flag_of
from gui.timeline.tracks import Bar, Tracked, end_of
from gui.timeline.viewport import Viewport
from tests.gui.long_runs import Counted
from tests.gui.timeline.lines import (
    NAMES,
    Drawn,
    labels_given,
    laid_plainly,
    lines,
    marks,
    under_plainly,
    x_of_plainly,
    x_plainly,
)

ROOMS = st.floats(50, 2000)
TRACKS = ("error", "pause")


@given(lines(), ROOMS, st.floats(1, 60), st.floats(-50, 2500))
def test_blocks_lie_as_their_definition_says(drawn: Drawn, room: float, least: float, x: float) -> None:
    lay, plain = lay_out(drawn.blocks, room, least), laid_plainly([b.seconds for b in drawn.eager], room, least)
    assert [part for span in lay.spans for part in span] == pytest.approx([part for span in plain for part in span])
    assert lay.end == pytest.approx(sum(width for _, width in plain))
    assume(all(abs(left - x) > 1e-6 for left, _ in plain))
    assert not plain or lay.index_at(x) == under_plainly(x, plain)


def test_many_blocks_are_as_wide_as_the_least_and_none_is_asked() -> None:
    many = Counted([Drawn((), None)] * 5000)
    lay = lay_out(many, 900.0, 26.0)
    assert many.looks == 0
    assert (lay.spans[3], lay.spans[-1], lay.end) == ((78.0, 26.0), (129_974.0, 26.0), 130_000.0)
    assert list(lay.spans[1:3]) == [(26.0, 26.0), (52.0, 26.0)]
    assert [lay.index_at(x) for x in (-5.0, 0.0, 25.9, 26.0, 1e9)] == [0, 0, 0, 1, 4999]


@given(lines(), ROOMS, st.floats(0, 300), st.integers(0, 70), st.integers(0, 2))
def test_moments_and_marks_lie_where_their_definition_says(drawn: Drawn, room: float, seconds: float, turn: int,
                                                           branch: int) -> None:
    blocks, eager = drawn.blocks, drawn.eager
    lay = lay_out(blocks, room, 26.0)
    assert x_at(seconds, blocks, lay) == pytest.approx(x_plainly(seconds, eager, lay))
    flag = flag_of(Mark(seconds, turn, "edit", "so", branch), NAMES)
    assert x_of(flag, blocks, lay) == pytest.approx(x_of_plainly(seconds, turn, branch, eager, lay))


@given(lines(), ROOMS, st.floats(0, 1))
def test_a_pixel_and_its_moment_are_the_same_place(drawn: Drawn, room: float, part: float) -> None:
    blocks = drawn.blocks
    lay = lay_out(blocks, room, 26.0)
    assume(all(ended - began > 0.01 for began, ended in map(blocks.span, range(len(blocks)))))
    assert x_at(seconds_at(part * lay.end, blocks, lay), blocks, lay) == pytest.approx(part * lay.end, abs=0.01)


def anywhere(mark: Mark) -> bool:
    return True


class Untracked:
    """A track window that must not be used."""

    first = count = 0


def sight_of(drawn: Drawn, found: list[Mark], width: int, offset: float) -> Viewport:
    sight = Viewport(theme_named("dark"), Untracked())  # type: ignore[arg-type]
    sight.follow, sight.offset = False, offset
    sight.arrange(Story(drawn.blocks, SharedList(found), NAMES, "", 300.0, ended=True), width)
    return sight


@given(lines(), marks(), labels_given(), st.integers(200, 1500), st.floats(0, 1500))
def test_marks_in_sight_are_those_placed_among_all(drawn: Drawn, found: list[Mark], labels: list[Annotation], width: int,
                                                   offset: float) -> None:
    sight = sight_of(drawn, found, width, offset)
    low, high = sight.pixels
    flags = sight.flags(ByTurn(labels))
    placed = sorted(x for flag in flags if (x := x_of(flag, sight.story.blocks, sight.layout)) is not None)
    numbers = {block.moment.turn for block in drawn.eager}
    within: list[Mark | Annotation] = [mark for mark in found if mark.turn in numbers]  # not beside the line, as labels are
    places = [(what.at, what.turn, what.branch) for what in (*within, *labels)]
    plain = sorted(x for place in places if (x := x_of_plainly(*place, drawn.eager, sight.layout)) is not None)
    assert [x for x in placed if low <= x <= high] == pytest.approx([x for x in plain if low <= x <= high])
    for beside in ([x for x in plain if x < low][-1:], [x for x in plain if x > high][:1]):
        assert all(any(x == pytest.approx(near) for x in placed) for near in beside), "words reach in from there, or end there"


@given(lines(), st.integers(200, 1500), st.floats(0, 1500))
def test_blocks_in_sight_are_those_that_reach_into_it(drawn: Drawn, width: int, offset: float) -> None:
    sight = sight_of(drawn, [], width, offset)
    low, high = sight.pixels
    reach = {k for k, (left, wide) in enumerate(sight.layout.spans) if left + wide > low + 1e-6 and left < high - 1e-6}
    assert reach <= set(sight.shown())
    assert len(sight.shown()) <= len(reach) + 2


def bars_plainly(found: list[Annotation], drawn: Drawn, lay: BlockLayout, now: float) -> list[Bar]:
    branches = {b.moment.branch for b in drawn.eager}
    return [Bar(a, TRACKS.index(a.label), x_plainly(a.at, drawn.eager, lay),
                x_plainly(end_of(a, max(a.at, now)), drawn.eager, lay))
            for a in found if a.label in TRACKS and (a.branch in branches or not a.turn or (not branches and a.turn == 1))]


@given(lines(), labels_given(), ROOMS, st.floats(0, 2000), st.floats(10, 2000))
def test_bars_in_sight_are_those_among_all(drawn: Drawn, found: list[Annotation], room: float, low: float, wide: float) -> None:
    lay, tracked = lay_out(drawn.blocks, room, 26.0), Tracked(TRACKS, found)
    plain = bars_plainly(found, drawn, lay, 310.0)
    everything = tracked.bars(drawn.blocks, lay, 310.0)
    assert [(b.annotation, b.track) for b in everything] == [(b.annotation, b.track) for b in plain]
    assert [x for b in everything for x in (b.left, b.right)] == pytest.approx([x for b in plain for x in (b.left, b.right)])
    inside = tracked.bars(drawn.blocks, lay, 310.0, (low, low + wide))
    assert [b for b in everything if b.right >= low and b.left <= low + wide] == [
        b for b in inside if b.right >= low and b.left <= low + wide]
    assert [b for b in everything if b in inside] == list(inside), "in the order they were made"


def test_labels_of_a_recording_without_turns_are_drawn_at_the_left_edge() -> None:
    """They could not be seen, clicked or deleted: the goal held from the start, say."""
    nothing, point = Drawn((), None), Annotation("a", "error", 0.4, None, False, 1, 0)
    bookmark, state = replace(point, id="b", label="bookmark"), replace(point, id="c", label="pause", state=True, until=0.9)
    lay = lay_out(nothing.blocks, 900.0, 26.0)
    bars = Tracked(TRACKS, (point, bookmark, state)).bars(nothing.blocks, lay, 1.0, (-900.0, 900.0))
    assert [(bar.annotation.id, bar.left, bar.right) for bar in bars] == [("a", 0.0, 0.0), ("c", 0.0, 0.0)]
    sight = sight_of(nothing, [], 900, 0.0)
    assert [x_of(flag, sight.story.blocks, sight.layout) for flag in sight.flags(ByTurn((bookmark,)))] == [0.0]


@given(lines(), labels_given(), st.floats(0, 300))
def test_what_is_dragged_is_always_there(drawn: Drawn, found: list[Annotation], at: float) -> None:
    assume(drawn.turns)
    mine = next((a for a in found if a.label in TRACKS), None)
    assume(mine is not None)
    assert mine is not None
    moved = replace(mine, at=at, until=None, turn=0)
    lay = lay_out(drawn.blocks, 900.0, 26.0)
    bars = Tracked(TRACKS, found).bars(drawn.blocks, lay, 310.0, (1e6, 1e6 + 1), moved)
    assert [b.annotation for b in bars if b.annotation.id == mine.id] == [moved]


@given(marks(), st.lists(st.integers(0, 30), max_size=6), st.integers(0, 70), st.integers(0, 70))
def test_marks_of_a_log_that_grows_are_those_of_the_log(found: list[Mark], lengths: list[int], first: int, last: int) -> None:
    whole, by_turn = SharedList(found), Marks()
    for length in (*lengths, len(found)):
        log = SharedList.beginning(found, min(length, len(found)))
        assert by_turn.of(log).within(first, last, anywhere) == ByTurn(log).within(first, last, anywhere)
    assert by_turn.of(whole).within(first, last, anywhere) == ByTurn(found).within(first, last, anywhere), "of another list"
