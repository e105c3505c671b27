"""How much text the operator bar shows in a width. It depends on the width alone, not on what was before."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from core.llm.model_config import ModelConfig
from core.planners.registry import PLANNERS, planner_class
from gui.app import App
from gui.window.operator_bar import bar_fit
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts

WIDTHS = (1024, 1280, 1440, 1920, 2560)
MOST_CUT = 2
"""Pixels by which a picker may be narrower than its value, because shares of a width are rounded."""


def looks(qtbot: QtBot, app: App, width: int) -> tuple[bool, bool, int]:
    """Whether buttons have text, whether the seed has its dice, and the pixels of both rows, at a width of the window."""
    bar = app.window.bar
    app.window.resize(width, 900)
    qtbot.waitUntil(lambda: bar.width() > width - 40 and bar.geometry().right() <= width)
    return bool(bar.controls.step.text()), not bar.pickers.seed.dice.isHidden(), bar.controls.width()


def test_a_width_looks_the_same_whatever_was_before(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    growing = [looks(qtbot, app, width) for width in WIDTHS]
    shrinking = [looks(qtbot, app, width) for width in reversed(WIDTHS)]
    assert growing == shrinking[::-1]


def test_buttons_have_words_where_there_is_room(qtbot: QtBot, make_app: MakeApp) -> None:
    """At 1440 px, from the start and after every change of the planner, pickers show their values beside buttons with text."""
    app = make_app(parts("llm-mcts", TASK))
    bar = app.window.bar
    for name in (name for name in PLANNERS if not planner_class(name).missing()):
        app.console.choose(replace(app.console.request, planner=name, preset="", parameters={}))
        assert bar.controls.step.text(), name
        pickers = (bar.pickers.planner, bar.pickers.simulator, bar.pickers.scene, bar.pickers.provider)
        qtbot.waitUntil(lambda: all(p.width() >= p.natural_width() - MOST_CUT for p in pickers))  # noqa: B023


def test_another_name_of_the_model_is_given_its_room(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    app.console.choose(replace(app.console.request, provider="openai", model={"model": "a model with a long name"}))
    bar, request = app.window.bar, app.console.request
    before = bar.pickers.natural_width()
    app.console.models.put(ModelConfig("short", request.provider, dict(request.model)))
    scale, dice = app.context.theme.scale, bar.pickers.seed.dice_width()
    assert bar.pickers.natural_width() < before
    fit = bar_fit(bar.width() - app.context.theme.px(42), bar.pickers.natural_width(), dice, scale)
    qtbot.waitUntil(lambda: bar.controls.width() == fit.left)


@given(room=st.integers(900, 3000), whole=st.integers(100, 1200), scale=st.sampled_from((0.9, 1.0, 1.25, 1.5)))
def test_more_room_never_says_less(room: int, whole: int, scale: float) -> None:
    less, more = (bar_fit(r, whole, round(24 * scale), scale) for r in (room, room + 1))
    assert (less.words, less.dice, less.columns) <= (more.words, more.dice, more.columns)
    assert less.left <= room
    assert not less.dice or less.words
