"""Names, numbers, and the small widgets."""

from __future__ import annotations

from typing import ClassVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor, QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.world.vocabulary import Action, AgentState, Entity, Observation
from gui.theme import Theme
from gui.widgets import (
    Button,
    CardState,
    Chip,
    ChipLook,
    Header,
    Line,
    Namer,
    Names,
    Picker,
    Segment,
    StaleOverlay,
    StateAction,
    StateCard,
    loss_mark,
    numbers,
    tool_action,
)
from gui.widgets.chooser import Choice
from gui.widgets.meter import tone_of
from gui.widgets.painting import _cut, text_width
from gui.widgets.seed_box import SeedBox


def thing(entity_id: str, name: str) -> Entity:
    return Entity(entity_id, name.replace(" ", "_"), name, "furniture", "kitchen_1")


SEEN = Observation(AgentState("kitchen_1"), (thing("fridge_3", "fridge"), thing("cabinet_2", "cabinet")), (),
                   (thing("cabinet_7", "cabinet"), thing("kitchen_table_2", "kitchen table")))


def test_a_number_only_where_two_share_a_name() -> None:
    names = Names.of(SEEN)
    assert names.display("fridge_3") == "fridge"
    assert names.display("cabinet_2") == "cabinet 2"
    assert names.display("kitchen_table_2") == "kitchen table"
    assert names.full("kitchen_table_2") == "kitchen table 2"
    assert names.display("apple_4") == "apple"
    assert names.display("cabinet_9") == "cabinet 9"


def test_acts_in_words() -> None:
    names = Names.of(SEEN)
    assert names.button(Action("walk", ("cabinet_7",))) == "Walk to cabinet 7"
    assert names.phrase(Action("put_in", ("apple_1", "fridge_3"))) == "put the apple in the fridge"
    assert names.parts(Action("put_on", ("apple_1", "kitchen_table_2"))) == ("put on", "kitchen table")
    assert names.phrase(Action("scan")) == "scan"


def test_names_once_learned_stay() -> None:
    namer = Namer()
    namer.of(SEEN)
    alone = Observation(AgentState("kitchen_1"), (thing("cabinet_2", "cabinet"),), ())
    assert namer.of(alone).display("cabinet_2") == "cabinet 2"
    namer.forget()
    assert namer.of(alone).display("cabinet_2") == "cabinet"


def test_what_past_turns_were_about_has_its_number_though_nobody_sees_it() -> None:
    namer = Namer()
    namer.meet([None, Action("open", ("drawer_1",)), Action("open", ("drawer_2",)), Action("walk", ("fridge_3",))])
    names = namer.of(SEEN)
    assert [names.display(thing) for thing in ("drawer_1", "drawer_2", "fridge_3")] == ["drawer 1", "drawer 2", "fridge"]
    namer.meet([Action("open", ("cabinet_9",))])
    assert namer.of(SEEN).display("cabinet_9") == "cabinet 9"
    namer.forget()
    assert namer.of(SEEN).display("drawer_1") == "drawer"


@pytest.mark.parametrize(("p", "text"), [(0.46, ".46"), (1.0, "1"), (0.999, "1"), (0.001, "<.01"), (0, ""), (None, "–")])
def test_probabilities(p: float | None, text: str) -> None:
    assert numbers.probability(p) == text


@pytest.mark.parametrize(("s", "text"), [(1.84, "1.8 s"), (84.6, "1:24.6"), (59.97, "1:00.0"), (3725, "1:02:05"), (None, "–")])
def test_seconds(s: float | None, text: str) -> None:
    assert numbers.seconds(s) == text


def test_other_numbers() -> None:
    assert numbers.value(-0.4, 1) == "−0.4"
    assert numbers.value(-0.001) == "0.00"
    assert numbers.value(None) == "–"
    assert (numbers.loss(0), numbers.loss(0.84), numbers.loss(None)) == ("best", "0.8", "–")
    assert [numbers.loss(x) for x in (0.05, 0.02, 0.001)] == ["0.1", ".02", "<.01"], "only no loss at all reads as none"
    assert (numbers.compact(842), numbers.compact(9_800), numbers.compact(60_000), numbers.compact(1_200_000)) == (
        "842", "9.8k", "60k", "1.2M")
    assert (numbers.whole(1140), numbers.tokens(842, 31)) == ("1,140", "842 + 31")
    assert (numbers.count(1, "call"), numbers.count(12, "call")) == ("1 call", "12 calls")
    assert numbers.clock(84.6) == "1:24.6"
    assert [numbers.whole_clock(s) for s in (0.2, 33.1, 84.6, 3725.4)] == ["0:01", "0:33", "1:25", "1:02:05"]


def test_losses_have_a_mark_each() -> None:
    assert [loss_mark(loss)[1] for loss in (0.0, 0.8, 3.5, None)] == ["circle", "triangle", "square", "ring"]


def test_meters_warn() -> None:
    assert [tone_of(share) for share in (0.5, 0.8, 0.95)] == ["accent", "warn", "bad"]


def test_a_state_says_and_does(qtbot: QtBot, theme: Theme) -> None:
    done: list[str] = []
    card = StateCard(theme, CardState("missing", "AI2-THOR is not installed", "Install it.", mono="make install-thor",
                                      actions=(StateAction("Copy command", "copy", lambda: done.append("copy")),)))
    qtbot.addWidget(card)
    card.resize(400, 300)
    card.show()
    assert card.accessibleName() == "AI2-THOR is not installed"
    card.findChild(Button).click()  # type: ignore[union-attr]
    assert done == ["copy"]
    card.show_state(CardState("waiting", "Waiting for the model", "It goes on.", inside="3.4 s"))
    assert [b for b in card.findChildren(Button) if b.isVisible()] == []


def test_a_narrow_header_hides_tools_instead_of_clipping(qtbot: QtBot, theme: Theme) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    header = Header(theme, "Search tree", on=holder)
    header.set_tools(tool_action(holder, theme, f"Tool {k}", "fit") for k in range(4))
    header.say("312 nodes")
    holder.resize(600, 60)
    holder.show()
    for width in (500, 120, 500):
        header.resize(width, 28)
        header.show()
        assert all(t.geometry().right() <= width for t in header._tools if not t.isHidden())
    assert not any(t.isHidden() for t in header._tools)


@pytest.mark.parametrize("seed", [3, 4711, 113920, 2_000_000_000])
def test_a_seed_is_shown_whole(qtbot: QtBot, theme: Theme, seed: int) -> None:
    box = SeedBox(theme)
    qtbot.addWidget(box)
    box.show_seed(seed)
    box.show()
    assert box.field.width() - 8 >= text_width(theme, str(seed), "body", 500)


def test_a_picker_greys_what_is_missing(qtbot: QtBot, theme: Theme) -> None:
    picker = Picker(theme, "simulator", "Simulator")
    qtbot.addWidget(picker)
    thor_choice = Choice("thor", "AI2-THOR", available=False, hint="make install-thor")
    picker.offer((Choice("household", "household"), thor_choice), "household")
    household, thor = picker.options()
    assert household.enabled
    assert household.current
    assert not thor.enabled
    assert "make install-thor" in thor.tip
    picker.show()
    picker.open_menu()
    chooser = picker.chooser
    assert chooser is not None
    QTest.keyClick(chooser, Qt.Key.Key_Down)
    with qtbot.waitSignal(picker.picked) as picked:
        QTest.keyClick(chooser, Qt.Key.Key_Return)
    assert picked.args == ["household"], "what is not available is passed over"
    assert chooser.isHidden()


def test_a_picker_paints_another_value_at_once(qtbot: QtBot, theme: Theme) -> None:
    class Painted(Picker):
        titles: ClassVar[list[str]] = []

        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
            self.titles.append(self.accessibleName())
            super().paintEvent(event)

    picker = Painted(theme, "provider", "Provider")
    qtbot.addWidget(picker)
    choices = (Choice("a", "Model"), Choice("b", "Modem"))
    picker.offer(choices, "a")
    picker.show()
    qtbot.waitUntil(lambda: "Provider: Model" in picker.titles)
    picker.offer(choices, "b")
    qtbot.waitUntil(lambda: picker.titles[-1] == "Provider: Modem")


def test_a_long_list_is_grouped_and_filtered_by_typing(qtbot: QtBot, theme: Theme) -> None:
    rooms = (("Kitchens", 0), ("Living rooms", 200), ("Bathrooms", 400))
    scenes = tuple(Choice(f"FloorPlan{base + k}", f"FloorPlan{base + k}", note="iTHOR", group=group)
                   for group, base in rooms for k in range(1, 31))
    picker = Picker(theme, "scene", "Scene")
    qtbot.addWidget(picker)
    picker.offer(scenes, "FloorPlan203")
    picker.show()
    picker.open_menu()
    chooser = picker.chooser
    assert chooser is not None
    assert not chooser._field.isHidden()
    assert chooser._model.rowCount() == len(scenes) + len(rooms), "a heading a group"
    assert chooser._view.currentIndex().data() == "FloorPlan203"
    QTest.keyClicks(chooser._field, "bath 41")
    assert chooser.titles() == [f"FloorPlan{k}" for k in range(410, 420)]
    chooser.look_for("kitchens floorplan3")
    assert chooser.titles()[0] == "FloorPlan3", "whole words come first"
    QTest.keyClick(chooser._field, Qt.Key.Key_Down)
    with qtbot.waitSignal(picker.picked) as picked:
        QTest.keyClick(chooser._field, Qt.Key.Key_Return)
    assert picked.args == ["FloorPlan30"]
    assert chooser.isHidden()


@pytest.mark.parametrize("later", [False, True])
def test_no_option_is_cut_in_a_list_filtered_or_not_or_found_later(qtbot: QtBot, theme: Theme, later: bool) -> None:
    name = "A floor plan of the second floor no. " if later else "FloorPlan"
    scenes = tuple(Choice(f"FloorPlan{k}", f"{name}{k}", note="i", group="Living rooms") for k in range(201, 231))
    picker = Picker(theme, "scene", "Scene")
    qtbot.addWidget(picker)
    picker.offer(() if later else scenes, "FloorPlan201", more=later)
    picker.resize(100, 28)
    picker.show()
    picker.open_menu()
    chooser = picker.chooser
    assert chooser is not None
    picker.offer(scenes, "FloorPlan201")
    assert len(chooser.options) == len(scenes)
    for query in ("", "21"):
        chooser.look_for(query)
        QApplication.processEvents()
        for k in range(chooser._model.rowCount()):
            row = chooser._option(k)
            if row is not None:
                needs = theme.px(28 + 20) + text_width(theme, row.title, "body", 600) + text_width(theme, row.note)
                assert needs <= chooser._view.viewport().width(), (query, row.title)
    chooser.close()


def test_a_mouse_that_rests_where_a_list_opens_or_scrolls_chooses_nothing(qtbot: QtBot, theme: Theme) -> None:
    picker = Picker(theme, "scene", "Scene")
    qtbot.addWidget(picker)
    picker.offer(tuple(Choice(f"FloorPlan{k}", f"FloorPlan{k}", group="Kitchens") for k in range(1, 61)), "FloorPlan40")
    picker.show()
    picker.open_menu()
    chooser = picker.chooser
    assert chooser is not None
    over = chooser._view.viewport().mapToGlobal(QPoint(20, 60))
    chooser.hide()
    QCursor.setPos(over)
    picker.open_menu()
    assert chooser._view.currentIndex().data() == "FloorPlan40"
    for _ in range(20):
        QTest.keyClick(chooser._field, Qt.Key.Key_Down)
    assert chooser._view.currentIndex().data() == "FloorPlan60"
    chooser.hide()
    QCursor.setPos(0, 0)


def test_a_filter_that_finds_nothing_says_so_and_chooses_nothing(qtbot: QtBot, theme: Theme) -> None:
    picker = Picker(theme, "scene", "Scene")
    qtbot.addWidget(picker)
    picker.offer(tuple(Choice(f"s{k}", f"Scene {k}") for k in range(20)), "s1")
    picker.show()
    picker.open_menu()
    chooser = picker.chooser
    assert chooser is not None
    chooser.look_for("castle")
    assert chooser.titles() == []
    assert "castle" in chooser._model.item(0).text()
    with qtbot.assertNotEmitted(picker.picked):
        QTest.keyClick(chooser._field, Qt.Key.Key_Return)
    assert not chooser.isHidden()
    chooser.close()


def test_parts_that_follow_text_size(qtbot: QtBot, theme: Theme, qapp: object) -> None:
    parts = [Chip(theme, ChipLook("on · apple", "warn", "warn_bg", "search", "0/1")), Line(theme, "Frames")]
    for part in parts:
        qtbot.addWidget(part)
    before = [part.sizeHint().width() for part in parts]
    theme.become("dark", 1.5)
    assert all(part.sizeHint().width() > width for part, width in zip(parts, before, strict=True))


def test_a_segment_tells_what_was_chosen(qtbot: QtBot, theme: Theme) -> None:
    segment = Segment(theme, ("First person", "Dollhouse", "Both"), 2)
    qtbot.addWidget(segment)
    with qtbot.waitSignal(segment.chosen) as chosen:
        segment._parts[0].click()
    assert (chosen.args, segment.index) == ([0], 0)


def test_a_overlay_covers_and_lifts(qtbot: QtBot, theme: Theme) -> None:
    panel = QWidget()
    qtbot.addWidget(panel)
    panel.resize(300, 200)
    panel.show()
    overlay = StaleOverlay(theme, panel)
    assert overlay.isHidden()
    overlay.say("From turn 6 · new search in a moment")
    panel.resize(320, 240)
    assert overlay.size() == panel.size()
    overlay.say("")
    assert overlay.isHidden()


def test_ids_in_a_sentence_become_names() -> None:
    names = Names.of(SEEN)
    assert names.with_names("breakpoint: before open cabinet_2, then fridge_3 at 12_000") == (
        "breakpoint: before open cabinet 2, then the fridge at 12_000")
    assert names.with_names("instead of walk kitchen_table_2") == "instead of walk the kitchen table"


@pytest.mark.parametrize(("text", "kept"), [("bathroom cabinet 2", " 2"), ("put in bathroom cabinet 12", " 12")])
def test_a_name_that_is_cut_keeps_its_number(qapp: QApplication, text: str, kept: str) -> None:
    metrics = Theme("dark").metrics("body")
    whole = metrics.horizontalAdvance(text)
    for share in (0.5, 0.7, 0.9):
        cut = _cut(metrics, text, whole * share)
        assert cut.endswith(f"…{kept}")
        assert metrics.horizontalAdvance(cut) <= whole * share + 1
    assert not _cut(metrics, text, metrics.horizontalAdvance(kept)).endswith(kept)
    assert _cut(metrics, "bathroom cabinet", whole * 0.5).endswith("…")
