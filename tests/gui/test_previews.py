"""Previews: a drag in a paused run shows what it would change, is marked as a preview, and leaves nothing behind."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.common.parameters import Limits, Parameter
from core.planning.belief_facets import Belief
from core.planning.facets import Moment
from core.planning.planner import SIMULATIONS, Answer, WhatIf
from core.planning.search_facets import RankedAction, Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.app import App
from gui.control.previews import NOT_REAL, Previews
from gui.panels.belief.panel import BeliefPanel
from gui.panels.frames.panel import FramesPanel
from gui.panels.parameters import ParametersPanel, scrubbed
from gui.panels.ranking import RankingPanel
from gui.window.docks import Card
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import run_out, settle

TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"
LEFT = Qt.MouseButton.LeftButton
Key = Qt.Key
PREVIEWED = ("ranking", "tree")


# --- the preview by itself ------------------------------------------------------
GO = Action("walk", ("kitchen_1",))
PAUSED = Snapshot(status="paused", event=5, turn=2)


def ranking(visits: int) -> Ranking:
    return Ranking((RankedAction((GO,), 1.0, visits, 1.0, 1.0, 0.0),), visits, visits)


class Hand:
    """A preview with the questions it posted and the number of its changes."""

    def __init__(self) -> None:
        self.preview, self.asked, self.changes = Previews(), list[WhatIf | None](), 0
        self.preview.ask_what_if = self.asked.append
        self.preview.changed.connect(self._count)
        self.preview.take_snapshot(PAUSED)

    def ask(self, words: str) -> None:
        """Asks, and waits until the question is posted."""
        self.preview.ask(words)
        self.preview._put()

    def _count(self) -> None:
        self.changes += 1

    @property
    def number(self) -> int:
        return max(q.number for q in self.asked if q is not None)

    def answer(self, number: int, visits: int) -> None:
        self.preview.take_answer(Answer(number, (ranking(visits),)))

    @property
    def shown(self) -> int:
        """Visits in the preview's ranking; 0 without a preview."""
        found = self.preview.snapshot.facet(Ranking) if self.preview.snapshot is not None else None
        return found.simulations if found is not None else 0


def test_answers_of_this_drag_are_shown_and_those_of_an_earlier_one_are_not() -> None:
    hand = Hand()
    hand.ask("apple .3")
    first = hand.number
    hand.ask("apple .4")
    hand.answer(first, 10)
    assert hand.shown == 10, "while a hand moves, the answer to the question before is the newest there is"
    hand.answer(hand.number, 20)
    assert (hand.shown, hand.preview.words) == (20, "apple .4")
    assert hand.preview.snapshot is not None
    assert hand.preview.snapshot.moment_of(Ranking) == PAUSED.moment
    hand.preview.clear()
    assert hand.shown == 0
    assert hand.asked[-1] is None
    hand.answer(hand.number, 30)
    assert hand.shown == 0, "a late answer to an old question"
    hand.ask("mug .1")
    hand.answer(hand.number - 1, 40)
    assert hand.shown == 0
    hand.answer(hand.number, 50)
    assert hand.shown == 50


@pytest.mark.parametrize("after", [
    replace(PAUSED, status="thinking", event=6), replace(PAUSED, turn=3, event=6), replace(PAUSED, branch=1, event=6)])
def test_it_ends_where_the_run_goes_on(after: Snapshot) -> None:
    hand = Hand()
    hand.ask("apple .3")
    hand.answer(hand.number, 10)
    hand.preview.take_snapshot(after)
    assert hand.shown == 0
    hand.answer(hand.number, 20)
    assert hand.shown == 0


def test_news_of_the_same_moment_are_taken_over() -> None:
    hand = Hand()
    hand.ask("apple .3")
    hand.answer(hand.number, 10)
    hand.preview.take_snapshot(replace(PAUSED, event=6, at=9.0))
    assert hand.shown == 10
    assert hand.preview.snapshot is not None
    assert hand.preview.snapshot.at == 9.0


def test_let_go_it_stays_until_the_session_speaks() -> None:
    hand = Hand()
    hand.ask("apple .3")
    hand.answer(hand.number, 10)
    hand.preview.release()
    assert hand.shown == 10
    hand.answer(hand.number, 20)
    assert hand.shown == 10, "what was on its way is not heard any more"
    hand.preview.take_snapshot(replace(PAUSED, event=6))
    assert hand.shown == 0
    assert not hand.preview.cancel()


def test_nothing_is_asked_of_a_run_that_goes_on_or_of_the_past() -> None:
    hand = Hand()
    hand.preview.take_snapshot(replace(PAUSED, status="thinking"))
    hand.ask("apple .3")
    assert hand.asked == []
    assert hand.preview.cancel(), "a drag can be taken back all the same"
    hand.preview.take_snapshot(PAUSED)
    hand.ask("apple .3")
    hand.answer(hand.number, 10)
    hand.preview.set_live(False)
    assert hand.shown == 0
    asked = len(hand.asked)
    hand.ask("apple .4")
    hand.answer(hand.number, 10)
    assert (hand.shown, len(hand.asked)) == (0, asked)


def test_trouble_is_said_once_a_drag() -> None:
    hand, said = Hand(), list[str]()
    hand.preview.troubled.connect(said.append)
    for _ in range(3):
        hand.ask("apple .3")
        hand.preview.take_answer(Answer(hand.number, trouble="it broke"))
    assert said == ["it broke"]


def test_questions_of_one_moment_are_put_as_the_last_of_them(qtbot: QtBot) -> None:
    hand = Hand()
    for k in range(50):
        hand.preview.ask(f"apple .{k}")
    assert [q.number for q in hand.asked if q is not None] == [1], "the first at once"
    qtbot.waitUntil(lambda: len(hand.asked) == 2)
    assert hand.number == 50
    hand.answer(hand.number, 10)
    assert hand.preview.words == "apple .49"
    hand.preview.ask("apple .50")
    hand.preview.clear()
    run_out(hand.preview._pause)
    assert hand.asked[-1] is None, "nothing is asked after the hand let go"


@pytest.mark.parametrize(("value", "steps", "becomes"), [
    (300, 5, 350), (300, -40, 1), (0.95, 4, 0.99), (0.95, 9, 1.0), (0.0, 3, 0.03)])
def test_a_scrubbed_number_stays_allowed(value: float, steps: int, becomes: float) -> None:
    limits = Limits("", 1 if isinstance(value, int) else 0, 1_000_000 if isinstance(value, int) else 1)
    assert scrubbed(Parameter("x", value, limits), steps) == pytest.approx(becomes)


# --- in the window ---------------------------------------------------------------
def panel(app: App, name: str) -> object:
    return card(app, name).fill()


def card(app: App, name: str) -> Card:
    return app.window.stage.card if name == "frames" else app.window.docks[name].card


@pytest.fixture
def paused(qtbot: QtBot, make_app: MakeApp) -> App:
    """LLM-MCTS in the household, paused with a ranking and a belief to drag."""
    given = parts("llm-mcts", TASK)
    app = make_app(replace(given, request=replace(given.request, parameters={"simulations": 60}, seed=3)))
    app.console.step("action")
    settle(app)
    now = app.bridge.snapshot
    assert (now.status, now.turn) == ("paused", 2)
    assert now.facet(Ranking) is not None
    assert belief_panel(app).editor.belief is now.facet(Belief)
    assert belief_panel(app).heatmap.shown is not None
    return app


def belief_panel(app: App) -> BeliefPanel:
    found = panel(app, "belief")
    assert isinstance(found, BeliefPanel)
    return found


def cell(app: App) -> QPoint:
    """A cell that can be dragged, in the heatmap's pixels."""
    heatmap = belief_panel(app).heatmap
    grid, belief = heatmap.geometry_now(), belief_panel(app).editor.belief
    assert grid is not None
    assert belief is not None
    for row, top, high in grid.rows:
        for column, x in grid.columns:
            place = column.places[0]
            if belief.located[row] is None and not column.folded and 0 < belief.probability[row, place] < 0.3:
                return QPoint(int(x + grid.wide / 2), int(top + high / 2))
    raise AssertionError("nothing to drag")


def drag(app: App, at: QPoint, by: int) -> None:
    """Presses a cell and moves it up without releasing it."""
    viewport = belief_panel(app).heatmap.viewport()
    QTest.mousePress(viewport, LEFT, Qt.KeyboardModifier.NoModifier, at)
    for k in range(0, by + 1, 5):
        QTest.mouseMove(viewport, at - QPoint(0, k))


def previewed(qtbot: QtBot, app: App, simulations: int = SIMULATIONS) -> Snapshot:
    """Waits until every panel shows the preview."""
    def there() -> bool:
        shown = app.context.preview.snapshot
        found = shown.facet(Ranking) if shown is not None else None
        return found is not None and found.simulations >= simulations and all(says(app, name) for name in PREVIEWED)

    qtbot.waitUntil(there)
    shown = app.context.preview.snapshot
    assert shown is not None
    return shown


def says(app: App, name: str) -> bool:
    """Whether a panel says that it shows a preview."""
    return NOT_REAL in card(app, name).header.live.text and bool(card(app, name).property("preview"))


def says_nothing(app: App) -> bool:
    return app.context.preview.snapshot is None and not any(says(app, name) for name in (*PREVIEWED, "frames"))


def listed(app: App) -> list[tuple[Action, int]]:
    found = panel(app, "ranking")
    assert isinstance(found, RankingPanel)
    rows = [(item.about.action, item.values[1]) for item in found.rows.view.items]
    return [(action, visits) for action, visits in rows if action is not None and isinstance(visits, int)]


def known(app: App) -> tuple[object, ...]:
    """The run's state without pictures, which may still arrive in events that change nothing else."""
    now = app.bridge.snapshot
    facets = tuple((kind.__name__, id(facet)) for kind, (facet, _) in now.facets.items())
    return facets, now.parameters, now.banned, len(now.marks), len(now.calls), now.turn, now.status


def test_a_dragged_cell_is_previewed_and_esc_brings_back_what_was_shown(qtbot: QtBot, paused: App) -> None:
    app, before, rows, known_then = paused, paused.bridge.snapshot, listed(paused), known(paused)
    was = before.facet(Belief)
    assert was is not None
    drag(app, cell(app), 100)

    def follows() -> bool:
        shown = app.context.preview.snapshot
        belief = shown.facet(Belief) if shown is not None else None
        return belief is not None and bool(np.abs(belief.probability - was.probability).max() > 0.4)

    qtbot.waitUntil(follows)  # the first answers are about the first pixels of the drag
    belief = previewed(qtbot, app).facet(Belief)
    assert belief is not None
    qtbot.waitUntil(lambda: listed(app) != rows)
    frames = panel(app, "frames")
    assert isinstance(frames, FramesPanel)
    qtbot.waitUntil(lambda: says(app, "frames"))
    most = float(belief.probability[belief.objects.index("apple")].max())
    qtbot.waitUntil(lambda: max(dict(frames.panes["dollhouse"].data.glow).values()) == pytest.approx(most))
    assert known(app) == known_then, "the run knows nothing of it"
    QTest.keyClick(app.window.windowHandle(), Key.Key_Escape)
    qtbot.waitUntil(lambda: says_nothing(app))
    qtbot.waitUntil(lambda: listed(app) == rows)
    assert belief_panel(app).editor.belief is was
    viewport = belief_panel(app).heatmap.viewport()
    QTest.mouseMove(viewport, cell(app) - QPoint(0, 60))
    QTest.mouseRelease(viewport, LEFT, Qt.KeyboardModifier.NoModifier, cell(app) - QPoint(0, 60))
    settle(app)
    assert known(app) == known_then, "a drag that was taken back is no edit"
    assert says_nothing(app)


def test_let_go_it_is_the_ordinary_edit_and_the_preview_is_gone(qtbot: QtBot, paused: App) -> None:
    app, at, edits = paused, cell(paused), len(paused.bridge.snapshot.marks)
    drag(app, at, 100)
    previewed(qtbot, app)
    QTest.mouseRelease(belief_panel(app).heatmap.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, at - QPoint(0, 100))
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.marks) > edits)
    qtbot.waitUntil(lambda: says_nothing(app))
    qtbot.waitUntil(lambda: app.bridge.snapshot.status == "paused")
    assert says_nothing(app)


def test_dropped_where_it_began_nothing_is_edited(qtbot: QtBot, paused: App) -> None:
    app, at, known_then = paused, cell(paused), known(paused)
    drag(app, at, 60)
    previewed(qtbot, app, 1)
    QTest.mouseMove(belief_panel(app).heatmap.viewport(), at)
    QTest.mouseRelease(belief_panel(app).heatmap.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, at)
    qtbot.waitUntil(lambda: says_nothing(app))
    settle(app)
    assert known(app) == known_then
    assert app.context.undo.count() == 0


def test_it_is_gone_when_the_past_is_looked_at_or_the_run_goes_on(qtbot: QtBot, paused: App) -> None:
    app, console = paused, paused.console
    for leave, come_back in ((partial(console.go_to, Moment(0, 1)), console.go_live), (console.run, console.pause),
                             (console.again, console.pause)):
        drag(app, cell(app), 100)
        previewed(qtbot, app)
        leave()
        qtbot.waitUntil(lambda: says_nothing(app))
        come_back()
        settle(app)


def test_the_past_shows_none(qtbot: QtBot, paused: App) -> None:
    app = paused
    app.console.go_to(Moment(0, 1))
    asked = list[WhatIf | None]()
    app.context.preview.ask_what_if = asked.append
    app.context.preview.ask("apple .3")
    assert asked == []
    app.console.go_live()


def test_a_number_is_dragged_by_its_name(qtbot: QtBot, paused: App) -> None:
    app = paused
    app.window.show_panel("parameters")
    found = panel(app, "parameters")
    assert isinstance(found, ParametersPanel)
    qtbot.waitUntil(lambda: "exploration" in found.rows and found.rows["exploration"].isVisible())
    row, before = found.rows["exploration"], vars(app.bridge.snapshot.parameters)["exploration"]

    def pull(way: int) -> None:
        QTest.mousePress(row.name, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(4, 4))
        for k in range(0, way + 1, 4):
            QTest.mouseMove(row.name, QPoint(4 + k, 4))

    pull(40)
    shown = previewed(qtbot, app)
    assert app.context.preview.words.startswith("exploration is 2")
    assert vars(shown.parameters)["exploration"] == before, "the run's own parameters stay in sight as they are"
    QTest.keyClick(app.window.windowHandle(), Key.Key_Escape)
    qtbot.waitUntil(lambda: says_nothing(app))
    assert row.field.property("text") == f"{before:g}"
    QTest.mouseRelease(row.name, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(44, 4))
    assert app.context.undo.count() == 0
    pull(40)
    previewed(qtbot, app, 1)
    QTest.mouseRelease(row.name, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(44, 4))
    qtbot.waitUntil(lambda: vars(app.bridge.snapshot.parameters)["exploration"] == pytest.approx(2.0))
    qtbot.waitUntil(lambda: says_nothing(app))


def test_a_held_ban_is_previewed_and_said_when_the_key_is_let_go(qtbot: QtBot, paused: App) -> None:
    app = paused
    found = panel(app, "ranking")
    assert isinstance(found, RankingPanel)
    best, window = listed(app)[0][0], app.window.windowHandle()
    found.rows.setFocus()
    found.rows.choose(0, tell=True)
    QTest.keyPress(window, Key.Key_X)
    shown = previewed(qtbot, app, 1).facet(Ranking)
    assert shown is not None
    assert best not in {r.steps[-1] for r in shown.actions}
    repeated = (QEvent.Type.KeyRelease, QEvent.Type.KeyPress)
    for marked, kind in product((True, False), repeated):  # a held key repeats, not always marked as a repeat
        QApplication.postEvent(window, QKeyEvent(kind, Key.Key_X, Qt.KeyboardModifier.NoModifier, "x", marked))
    settle(app)
    assert app.context.preview.snapshot is not None
    assert app.bridge.snapshot.banned == frozenset()
    QTest.keyClick(window, Key.Key_Escape)
    qtbot.waitUntil(lambda: says_nothing(app))
    QTest.keyRelease(window, Key.Key_X)
    settle(app)
    assert app.bridge.snapshot.banned == frozenset()
    found.rows.choose(0, tell=True)
    QTest.keyClick(window, Key.Key_X)
    qtbot.waitUntil(lambda: app.bridge.snapshot.banned == {best})


def test_a_planner_without_a_search_is_edited_without_a_preview(qtbot: QtBot, make_app: MakeApp) -> None:
    given = parts("greedy", TASK)
    app = make_app(replace(given, request=replace(given.request, seed=3)))
    app.console.step("action")
    qtbot.waitUntil(lambda: app.bridge.snapshot.facet(Belief) is not None and app.bridge.snapshot.status == "paused")
    qtbot.waitUntil(lambda: belief_panel(app).heatmap.shown is not None)
    at, marks = cell(app), len(app.bridge.snapshot.marks)
    drag(app, at, 100)
    settle(app)
    assert says_nothing(app)
    QTest.mouseRelease(belief_panel(app).heatmap.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, at - QPoint(0, 100))
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.marks) > marks)
