"""The ranking panel: what is listed, and what the operator says with it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.parameters import Parameters, parameter
from core.planning.facets import Plan
from core.planning.search_facets import RankedAction, Ranking
from core.session.commands import Ban, Command, Deepen, SetParameter, Step, Unban
from core.session.ranking_view import lead_of, ranking_view
from core.session.snapshot import Snapshot
from core.views.values import Table, Tree
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.panels.ranking import RankingPanel
from tests.gui.panels import searches as s
from tests.gui.panels import worlds


@dataclass(frozen=True)
class Searching(Parameters):
    simulations: int = parameter(100, "simulations", low=1, high=1000)


def shown(qtbot: QtBot, snapshot: Snapshot, height: int = 276) -> tuple[RankingPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = RankingPanel(context)
    qtbot.addWidget(panel)
    panel.resize(347, height)
    panel.show()
    panel.show_snapshot(snapshot)
    panel.redraw()
    return panel, context, said


def actions(view: Table | Tree) -> list[Action]:
    return [item.about.action for item in view.items if item.about.action is not None]


def press(qtbot: QtBot, panel: RankingPanel, key: Qt.Key) -> None:
    QTest.keyClick(panel.rows, key)


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, s.snapshot())
    assert not panel.rows.isVisible()
    assert panel.headline() == ""
    press(qtbot, panel, Qt.Key.Key_X)
    press(qtbot, panel, Qt.Key.Key_N)
    assert said == []


def test_lists_actions_best_first_in_words(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(s.ranking()))
    assert panel.rows.isVisible()
    assert panel.headline() == "4 actions · best action leads by 0.8"
    words = [panel.rows.model().index(k, 0).data() for k in range(panel.rows.count())]
    assert words[0] == "walk to the fridge · P .31 · N 27 · Q 6.42 · loss best"
    assert words[1] == "open cabinet 2 · P .16 · N 11 · Q 5.61 · loss 0.8 · after walk to the fridge"  # goes by its last step
    assert words[3] == "walk to the kitchen table · P .10 · N 0"
    panel.grab()


def test_a_ranking_without_a_search_has_probabilities_only(qtbot: QtBot) -> None:
    actions = tuple(RankedAction((action,), p, 0, None, 0.0, None) for action, p in ((s.FRIDGE, 0.9), (s.CABINET, 0.1)))
    panel, _, _ = shown(qtbot, s.snapshot(Ranking(actions, 0, 0)))
    assert [panel.rows.row_words(k) for k in range(2)] == ["walk to the fridge · P .90", "open cabinet 2 · P .10"]
    assert {panel.rows._tone(item) for item in panel.rows.view.items} == {"text"}, "none is faint for want of visits"
    panel.grab()


def test_a_huge_ranking_is_listed_as_a_whole(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(s.ranking(more=5000)))
    assert panel.rows.count() == 5004
    assert not panel.grab().isNull()


def test_enter_previews_an_override_with_the_first_step(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, s.snapshot(s.ranking()))
    asked: list[object] = []
    context.selection.asked_actions.connect(asked.append)
    press(qtbot, panel, Qt.Key.Key_Down)
    press(qtbot, panel, Qt.Key.Key_Down)
    assert context.selection.now == Selected("action", action=s.CABINET)
    press(qtbot, panel, Qt.Key.Key_Return)
    assert asked == [(s.FRIDGE, s.CABINET)]
    assert said == [], "the robot is sent by the override card only"


def test_x_bans_and_allows_and_can_be_undone(qtbot: QtBot) -> None:
    snapshot = s.snapshot(s.ranking())
    panel, context, said = shown(qtbot, snapshot)
    context.selection.select(Selected("action", action=s.MUG))
    press(qtbot, panel, Qt.Key.Key_X)
    context.undo.undo()
    assert said == [Ban(s.MUG), Unban(s.MUG)]
    said.clear()
    panel.show_snapshot(replace(snapshot, banned=frozenset({s.MUG})))
    panel.redraw()
    assert panel.rows.row_words(3) == "grab the mug · banned"
    press(qtbot, panel, Qt.Key.Key_X)
    assert said == [Unban(s.MUG)]


def test_n_searches_an_action_q_all_and_d_deeper(qtbot: QtBot) -> None:
    snapshot = replace(s.snapshot(s.ranking()), parameters=Searching(), status="thinking")
    panel, context, said = shown(qtbot, snapshot)
    context.selection.select(Selected("action", action=s.MUG))
    for key in (Qt.Key.Key_N, Qt.Key.Key_Q, Qt.Key.Key_D):
        press(qtbot, panel, key)
    assert said == [Deepen(s.MUG), Deepen(None), SetParameter("simulations", 200)]
    said.clear()
    panel.show_snapshot(replace(snapshot, status="paused"))
    press(qtbot, panel, Qt.Key.Key_N)
    assert said == [Deepen(s.MUG), Step("checkpoint")]


def test_f_keeps_to_the_goals_things(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(s.ranking()))
    press(qtbot, panel, Qt.Key.Key_F)
    panel.redraw()
    assert actions(panel.rows.view) == [s.TABLE]
    assert panel._note.text() == "Not listed: 3 not about the goal"


def test_nothing_is_said_about_the_past(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, replace(s.snapshot(s.ranking()), parameters=Searching()))
    context.set_live(False)
    context.selection.select(Selected("action", action=s.MUG))
    for key in (Qt.Key.Key_X, Qt.Key.Key_N, Qt.Key.Key_Return):
        press(qtbot, panel, key)
    assert said == []


def test_resting_on_a_row_plays_it_until_the_pointer_leaves(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, s.snapshot(s.ranking()))
    kept = Selected("thing", "fridge_1")
    context.selection.select(kept)
    middle = QPointF(50, 2.5 * panel.rows.row_height()).toPoint()
    QTest.mouseMove(panel.rows.viewport(), middle)
    qtbot.waitUntil(lambda: context.selection.now == Selected("action", action=s.MUG))
    panel.rows.hovered.emit(-1)
    assert context.selection.now == kept


def test_rows_keep_their_places_under_the_pointer() -> None:
    before = actions(ranking_view(s.snapshot(s.ranking())))
    turned = s.snapshot(Ranking(tuple(reversed(s.ranking().actions)), 80, 100))
    assert actions(ranking_view(turned, order=before)) == before
    assert actions(ranking_view(turned)) == before[::-1]


def test_lead_needs_two_values() -> None:
    assert lead_of(Ranking((s.ranked(s.FRIDGE, value=6.0),), 1, 1)) is None


def test_what_is_stale_says_so(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, s.snapshot(s.ranking(), turn=8, facet_turn=7))
    assert panel.grab().width() == 347
    context.theme.become("light", 1.5)
    worlds.dressed(context)
    panel.restyle()
    panel.grab()


def test_chosen_and_best_are_two_marks(qtbot: QtBot) -> None:
    chosen = s.ranked(s.FRIDGE, s.OPEN, visits=116, value=7.20, best=7.22)
    ranking = Ranking((chosen, s.ranked(s.MUG, visits=90, value=7.22, best=7.22)), 206, 300)
    panel, _, _ = shown(qtbot, s.snapshot(ranking))
    assert "chosen" not in panel.rows.row_words(0), "nothing is chosen yet"
    for plan in (Plan(chosen.steps), Plan(chosen.steps[1:], "as planned", continues=True)):
        panel.show_snapshot(s.snapshot(ranking, plan))
        panel.redraw()
        assert panel.headline() == "2 actions · the chosen action is .02 below the best"
        assert panel.rows.row_words(0).endswith("N 116 · Q 7.20 · loss .02 · chosen · after walk to the fridge")
        assert panel.rows.row_words(1).endswith("N 90 · Q 7.22 · loss best")
    panel.show_snapshot(s.snapshot(replace(ranking, budget=206)))
    panel.redraw()
    assert "chosen" in panel.rows.row_words(0), "the search is finished"
