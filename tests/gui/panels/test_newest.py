"""An edit undone or done again is made to the newest facet there is, though its panel was hidden, or shows the past."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planners.bcr.recorded_types import BlockingTree
from core.planners.llm_state.recorded_types import ADD_ATTRIBUTE, StateDictionary, StateEntry
from core.planners.neoplanner.recorded_types import ADD_LINE, Axiom, Learnings
from core.planning.belief_facets import Belief
from core.planning.facets import Facet, Program, ProgramLine
from core.session.commands import Command, Edit
from core.session.events import Shown
from core.session.snapshot import Snapshot
from gui.app import App
from gui.control.context import Context
from gui.panels.base import Panel
from gui.panels.belief.panel import BeliefPanel
from gui.panels.registry import make_panel
from gui.panels.view_panel import ViewPanel
from tests.gui.conftest import MakeApp
from tests.gui.panels import blockings, viewed, worlds
from tests.gui.parts import parts
from tests.gui.settling import settle
from tests.gui.views import test_tree_picture

F = TypeVar("F", bound=Facet)
NEW = 4
"""Turns of the world that the newest facets speak of, and the old ones do not."""


@dataclass(frozen=True)
class Case:
    """One panel that edits a facet.

    Attributes:
        old: what the panel is shown.
        new: what the planner shows next, while it is hidden.
        edit: what the operator does, in the panel.
        kept: whether an edited facet holds what is only in the new one.
        marked: whether it holds the operator's edit.
    """

    panel: str
    old: Facet
    new: Facet
    edit: Callable[[Panel], object]
    kept: Callable[[Facet], bool]
    marked: Callable[[Facet], bool]


def of(kind: type[F], holds: Callable[[F], bool]) -> Callable[[Facet], bool]:
    def asked(facet: Facet) -> bool:
        assert isinstance(facet, kind)
        return holds(facet)

    return asked


TREE = blockings.tree()
GROWN = replace(TREE, nodes=(*TREE.nodes, blockings.leaf(90, 9, "open", "drawer_1")))
LEAF = next(n for n in TREE.nodes if n.text == "open the cabinet 3")


def press_in_picture(panel: Panel, text: str, key: Qt.Key) -> None:
    """Chooses an item of a tree that is drawn as a picture, and presses a key."""
    assert isinstance(panel, ViewPanel)
    test_tree_picture.click(panel, text)
    test_tree_picture.press(panel, key)


def seen_later() -> Belief:
    """The belief once the fridge was looked into in vain."""
    table = worlds.table()
    table.look([0])
    return table.facet({"apple": True, "mug": True, "book": False})


def chosen(tree: BlockingTree) -> bool:
    return any(n.id == LEAF.id and n.state == "chosen" for n in tree.nodes)


ENTRY = StateEntry("apple(1)", "apple_1", ("on the table",), turn=1)
LATER = StateEntry("mug(1)", "mug_1", ("dirty",), turn=NEW)
BOOK, BOOK_LATER = StateDictionary((ENTRY,), turn=1), StateDictionary((ENTRY, LATER), turn=NEW)
LEARNT = Learnings((Axiom("Doors are closed at first.", False, "model", 1),), episodes=1)
LEARNT_LATER = replace(LEARNT, axioms=(*LEARNT.axioms, Axiom("Cups are in the sink.", False, "model", NEW)), episodes=NEW)
CODE = Program((ProgramLine("find('apple')", "done"), ProgramLine("grab('apple')")), 0)
CODE_LATER = Program((ProgramLine("find('apple')", "done"), ProgramLine("grab('apple')", "done")), 1)


def cases() -> list[Case]:
    def choose(panel: Panel) -> None:
        viewed.choose(panel, LEAF.text)
        viewed.press(panel, Qt.Key.Key_E)

    def choose_in_picture(panel: Panel) -> None:
        press_in_picture(panel, LEAF.text, Qt.Key.Key_Return)

    def add(panel: Panel) -> None:
        panel.shown.parts[0].shown.rows.choose(0, tell=True)  # type: ignore[attr-defined]
        panel.make_edit(ADD_ATTRIBUTE, "washed")  # type: ignore[attr-defined]

    def write(panel: Panel) -> None:
        panel.offers()[0].run()
        panel.editor.field.setPlainText("find('apple')\ngrab('apple')\nopen('fridge')")  # type: ignore[attr-defined]
        panel.editor.apply.click()  # type: ignore[attr-defined]

    grown = of(BlockingTree, lambda tree: any(n.id == 90 for n in tree.nodes))
    return [
        Case("candidates", TREE, GROWN, choose, grown, of(BlockingTree, chosen)),
        Case("blocking", TREE, GROWN, choose_in_picture, grown, of(BlockingTree, chosen)),
        Case("belief", worlds.belief(), seen_later(), lambda panel: panel.editor.act(0, 1, "pin"),  # type: ignore[attr-defined]
             of(Belief, lambda belief: bool(belief.looked[0])), of(Belief, lambda belief: bool(belief.pinned[0, 1]))),
        Case("dictionary", BOOK, BOOK_LATER, add,
             of(StateDictionary, lambda book: book.entry("mug(1)") is not None),
             of(StateDictionary, lambda book: "washed" in (book.entry("apple(1)") or ENTRY).attributes)),
        Case("learnings", LEARNT, LEARNT_LATER, lambda panel: panel.sources[0].make_own_edit(ADD_LINE, "Apples are red."),  # type: ignore[attr-defined]
             of(Learnings, lambda now: any(a.episode == NEW and a.by == "model" for a in now.axioms)),
             of(Learnings, lambda now: any(a.by == "operator" for a in now.axioms))),
        Case("program", CODE, CODE_LATER, write, of(Program, lambda program: program.current == 1),
             of(Program, lambda program: program.lines[-1].text == "open('fridge')")),
    ]


CASES = pytest.mark.parametrize("case", cases(), ids=lambda case: case.panel)


class Stage:
    """A panel, and a run that goes on behind it."""

    def __init__(self, qtbot: QtBot, case: Case):
        self.context, self.said = worlds.context()
        self.story = worlds.Story().begin().tell(Shown(case.old))
        self.context.newest = lambda shown: self.story.snapshot
        self.panel = make_panel(case.panel, self.context)
        qtbot.addWidget(self.panel)
        self.panel.resize(640, 360)
        self.panel.show()
        self.panel.show_snapshot(self.story.snapshot)

    @property
    def edited(self) -> Facet:
        """What was said last."""
        last: Command = self.said[-1]
        assert isinstance(last, Edit)
        return last.facet

    @property
    def edits(self) -> int:
        return sum(isinstance(command, Edit) for command in self.said)


@CASES
def test_undo_and_redo_behind_a_hidden_panel(qtbot: QtBot, case: Case) -> None:
    stage = Stage(qtbot, case)
    case.edit(stage.panel)
    assert case.marked(stage.edited)
    stage.panel.hide()
    # The planner takes the edit, thinks on, and shows what came of it; nobody tells the panel.
    taken = stage.edited
    later = with_news(case, taken)
    stage.story.begin().tell(Shown(later))
    stage.context.undo.undo()
    assert stage.edits == 2
    assert case.kept(stage.edited), "the newest, with the edit taken back"
    assert not case.marked(stage.edited)
    stage.story.tell(Shown(stage.edited))
    stage.context.undo.redo()
    assert stage.edits == 3
    assert case.kept(stage.edited)
    assert case.marked(stage.edited)


def with_news(case: Case, taken: Facet) -> Facet:
    """Planner data later, with the operator's edit in it."""
    match taken, case.new:
        case BlockingTree(), BlockingTree():
            return replace(taken, nodes=(*taken.nodes, GROWN.nodes[-1]))
        case Belief(), Belief() as new:
            return replace(new, pinned=taken.pinned)
        case StateDictionary(), StateDictionary():
            return replace(taken, entries=(*taken.entries, LATER), turn=NEW)
        case Learnings(), Learnings():
            return replace(taken, axioms=(*taken.axioms, LEARNT_LATER.axioms[-1]), episodes=NEW)
        case Program(), Program():
            return replace(taken, lines=(*CODE_LATER.lines, taken.lines[-1]), current=1)
        case _:
            raise AssertionError(case.panel)


@CASES
def test_undo_at_once_is_of_the_edit_the_session_has_not_answered_yet(qtbot: QtBot, case: Case) -> None:
    stage = Stage(qtbot, case)
    case.edit(stage.panel)
    stage.context.undo.undo()
    assert stage.edits == 2
    assert not case.marked(stage.edited)
    stage.context.undo.redo()
    assert case.marked(stage.edited)


@CASES
def test_undo_while_the_past_is_looked_at_is_of_the_present_and_the_past_stays_in_view(qtbot: QtBot, case: Case) -> None:
    stage = Stage(qtbot, case)
    case.edit(stage.panel)
    past = stage.story.snapshot
    stage.story.begin().tell(Shown(with_news(case, stage.edited)))
    stage.context.set_live(False)
    stage.panel.show_snapshot(past)
    before = stage.panel.headline()
    stage.context.undo.undo()
    assert case.kept(stage.edited)
    assert not case.marked(stage.edited)
    assert stage.panel.headline() == before


def test_two_panels_of_one_facet_know_of_each_other_s_edits(qtbot: QtBot) -> None:
    """Candidates and blocking tree: the second edit holds the first, though the session has answered neither."""
    context, said = worlds.context()
    now = worlds.Story().begin().tell(Shown(TREE)).snapshot
    panels = [make_panel(name, context) for name in ("candidates", "blocking")]
    for panel in panels:
        qtbot.addWidget(panel)
        panel.show()
        panel.show_snapshot(now)
    viewed.choose(panels[0], LEAF.text)
    viewed.press(panels[0], Qt.Key.Key_E)
    other = next(n for n in TREE.nodes if n.text == "open the cabinet 2")
    press_in_picture(panels[1], other.text, Qt.Key.Key_X)
    last = said[-1]
    assert isinstance(last, Edit)
    assert isinstance(last.facet, BlockingTree)
    assert chosen(last.facet)
    assert any(n.id == other.id and n.state == "banned" for n in last.facet.nodes)


def test_nothing_is_said_where_there_is_nothing_any_more(qtbot: QtBot) -> None:
    for case in cases():
        stage = Stage(qtbot, case)
        case.edit(stage.panel)
        stage.context.newest = lambda shown: Snapshot()
        stage.context.undo.undo()
        assert stage.edits == 1
        assert not stage.context.undo.canRedo(), "an edit of what is no more goes"


def test_contexts_without_a_run_take_what_was_shown_for_the_newest(qtbot: QtBot) -> None:
    context = Context(worlds.context()[0].theme, lambda _: None)
    shown = Snapshot()
    assert context.newest(shown) is shown


def thought(qtbot: QtBot, app: App, turn: int) -> None:
    """Step until there is a belief of this turn."""
    for _ in range(400):
        found = app.bridge.snapshot.facets.get(Belief)
        if found is not None and found[1].turn == turn:
            return
        app.console.step("checkpoint")
        settle(app)
    raise AssertionError("no belief")


def test_undo_behind_a_hidden_panel_is_of_the_newest_belief(qtbot: QtBot, make_app: MakeApp) -> None:
    """The belief is edited, hidden, and goes on; Ctrl Z then takes the edit out of what is believed by then."""
    app = make_app(parts("llm-mcts", "Put one book inside the fridge"))
    dock = app.window.docks["belief"]
    thought(qtbot, app, 1)
    panel = dock.card.panel
    assert isinstance(panel, BeliefPanel)
    qtbot.waitUntil(lambda: panel.editor.belief is app.bridge.snapshot.facet(Belief))
    old = panel.editor.belief
    assert old is not None
    panel.choose(0, 1)
    panel.editor.act(0, 1, "pin")
    dock.hide()
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 2 and app.bridge.snapshot.status == "paused")
    thought(qtbot, app, 2)
    newest = app.bridge.snapshot.facet(Belief)
    assert newest is not None
    said: list[Command] = []
    app.context.post = said.append
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(said))
    edit = said[-1]
    assert isinstance(edit, Edit)
    assert isinstance(edit.facet, Belief)
    assert (edit.facet.looked == newest.looked).all()
    assert (newest.looked != old.looked).any(), "something was learnt meanwhile"
    assert not edit.facet.pinned.any()
