"""Layouts as values: the panels of a planner's layout, fitting to any window, and what the settings may contain."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray

from core.planners.registry import PLANNERS, planner_class
from gui.control.kept_settings import KeptSettings
from gui.panels.registry import PANELS, needs
from gui.window.layout_fitting import FRAMES, GAP, Room, as_arranged, fitted, reconciled, resized, sizes
from gui.window.layouts import BY_FACET, LAYOUT_VERSION, PLAIN, Layout, has_something_to_show, layout_for, load, store

DOCKS = tuple(name for name in PANELS if name != "frames")
ROOMS = st.builds(Room, st.integers(1012, 3840), st.integers(330, 2000), st.floats(0.9, 1.5))


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Any layout of the panels, each at most once."""
    names = draw(st.lists(st.sampled_from(DOCKS), unique=True, max_size=len(DOCKS)))
    groups: list[tuple[str, ...]] = []
    while names:
        size = draw(st.integers(1, 4))
        groups.append(tuple(names[:size]))
        names = names[size:]
    sides = [draw(st.integers(0, 2)) for _ in groups]
    left, right, bottom = (tuple(g for g, at in zip(groups, sides, strict=True) if at == side) for side in range(3))
    pixels = st.integers(1, 2000)
    raised = frozenset(draw(st.sampled_from(group)) for group in groups if draw(st.booleans()))
    left_shares, right_shares = (tuple(draw(pixels) for _ in rows) for rows in (left, right))
    return Layout(left, right, bottom, (draw(pixels), draw(pixels)), left_shares, right_shares, draw(st.integers(1, 450)),
                  draw(st.booleans()), raised, (), draw(st.one_of(st.just(0), st.integers(1000, 3000))))


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_designed_layout_holds_no_panel_that_stays_empty(planner: str) -> None:
    shows = planner_class(planner).shows
    layout = layout_for(shows)
    assert layout.groups
    for name in layout.names:
        assert not needs(name) or needs(name) & shows, f"{name} has nothing to show for {planner}"
    main = {name for name in PANELS if needs(name) & shows} - {"ranking", "scatter"}
    assert main <= set(layout.names), "what a planner shows has its panel in the layout"


def test_a_planner_may_declare_its_layout() -> None:
    shows = planner_class("oracle").shows
    declared = {"left": (("goal", "log", "goal"), ("no such panel",)), "bottom": (("belief",), ("runs", "frames"))}
    layout = layout_for(shows, declared)
    assert (layout.left, layout.right, layout.bottom) == ((("goal", "log"),), (), (("runs",),))
    assert layout_for(shows, {}) == layout_for(shows)


@settings(deadline=None)
@given(st.one_of(layouts(), st.sampled_from([PLAIN, *BY_FACET.values()])), ROOMS)
def test_any_layout_fits_any_window(layout: Layout, room: Room) -> None:
    fit = fitted(layout, room)
    assert sorted(fit.names) == sorted(layout.names), "no panel is lost or doubled"
    found = sizes(fit, room)
    assert room.width - found.left - found.right - GAP * (bool(fit.left) + bool(fit.right)) >= FRAMES
    assert room.height - (found.bottom + GAP if fit.bottom else 0) >= FRAMES
    column = room.height - (found.bottom + GAP if fit.across and fit.bottom else 0)
    for rows, heights in ((fit.left, found.left_heights), (fit.right, found.right_heights)):
        assert len(rows) == len(heights)
        assert sum(heights) + GAP * max(0, len(heights) - 1) <= column
        assert len(rows) < 2 or min(heights) >= room.group - 1
    for group in fit.groups:
        assert fit.front_of(group) in group


@given(layouts())
def test_a_roomy_window_changes_nothing(layout: Layout) -> None:
    roomy = Room(12_000, 12_000)
    assert as_arranged(fitted(layout, roomy)) == as_arranged(layout)


@given(layouts(), st.sampled_from(list(PLANNERS)))
def test_what_is_kept_for_a_planner_is_its_own(layout: Layout, planner: str) -> None:
    shows = planner_class(planner).shows
    own = layout.only(lambda name: has_something_to_show(name, shows))
    assert {n for n in layout.names if not (needs(n) or shows) & shows}.isdisjoint(own.names)
    assert len(own.left_shares) == len(own.left)


@given(layouts(), ROOMS, st.data())
def test_a_panel_that_is_closed_or_moved_in_a_narrow_window_is_so_in_a_wide_one(
        layout: Layout, room: Room, data: st.DataObject) -> None:
    applied = fitted(layout, room)
    if not applied.names:
        return
    name = data.draw(st.sampled_from(applied.names))
    closed = applied.only(lambda other: other != name)
    wanted = reconciled(layout, applied, closed)
    assert sorted(wanted.names) == sorted(closed.names)
    for side in ("left", "right", "bottom"):
        stay = {other for group in getattr(layout, side) for other in group} - {name}
        assert stay == {other for group in getattr(wanted, side) for other in group}, "the others stay where they are"
    if any(name in group for group in applied.left):
        return
    moved = replace(closed, left=(*closed.left, (name,)), left_shares=())
    there = reconciled(layout, applied, moved)
    assert sorted(there.names) == sorted(layout.names)
    assert any(name in group for group in there.left)


def test_sizes_an_operator_drags_follow_the_window() -> None:
    room = Room(1428, 650)
    before = replace(PLAIN, wide=(347, 396), left_shares=(300, 340))
    after = replace(before, wide=(500, 396), left_shares=(400, 240))
    wanted = resized(PLAIN, before, after, room)
    assert sizes(wanted, room).left == 500
    assert sizes(wanted, Room(2856, 650)).left == 1000
    top, low = sizes(wanted, room).left_heights
    assert 1.6 < top / low < 1.7


@given(layouts())
def test_the_settings_give_back_what_they_were_given(layout: Layout) -> None:
    kept = KeptSettings()
    store(kept, "oracle", layout)
    assert load(kept, "oracle", DOCKS) == layout


JUNK = st.recursive(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
FIELDS = ("left", "right", "bottom", "wide", "left_shares", "right_shares", "high", "across", "raised", "floating", "sized_for")


@given(st.dictionaries(st.sampled_from(FIELDS), JUNK), JUNK)
def test_damaged_settings_are_dropped_or_healed(changes: dict[str, object], other: object) -> None:
    kept = KeptSettings()
    good = {"version": LAYOUT_VERSION, "left": [["log", "log", "nowhere"]], "right": [["log"]], "bottom": [], "high": 300,
            "wide": [300, 300], "left_shares": [], "right_shares": [], "across": False, "raised": [], "floating": [],
            "sized_for": 0}
    for text in (json.dumps(good), json.dumps(good | changes), json.dumps(other), str(other)):
        kept.set_value("layout/oracle", text)
        found = load(kept, "oracle", DOCKS)
        if found is not None:
            assert set(found.names) <= set(DOCKS)
            assert len(found.names) == len(set(found.names))
            assert not sizes(fitted(found, Room(1268, 470)), Room(1268, 470)).left < 0
    kept.set_value("layout/oracle", json.dumps(good))
    healed = load(kept, "oracle", DOCKS)
    assert healed is not None
    assert healed.groups == (("log",),)


def test_states_of_qt_that_earlier_versions_kept_are_dropped() -> None:
    kept = KeptSettings()
    kept.set_value("layout/llm-state", QByteArray(b"\x00\x00\x00\xff\x00\x00\x00\x00\xfd"))
    assert load(kept, "llm-state", DOCKS) is None
