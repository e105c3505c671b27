"""The state dictionary as it is shown and edited: its view, and each edit that the view offers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.common.errors import UsageError
from core.planners.llm_state.recorded_types import (
    Deed,
    PastSummary,
    StateDictionary,
    StateEntry,
    StateHistory,
    attribute_set,
    in_words,
)
from core.planning.facets import checked_view
from core.views.addresses import Address
from core.views.values import Edit, EditValue, Item, Sections, Table, Tree, View, Write
from core.views.wording import item_words

BOOK = StateDictionary((
    StateEntry("fridge1", "fridge_1", ("in_kitchen1", "open", "searched"), ("open", "searched"), ("closed",), turn=2),
    StateEntry("cabinet1", "cabinet_1", ("in_kitchen1", "closed", "contents_unknown"), turn=1),
    StateEntry("apple1", "apple_1", ("on_plate1", "clean", "ripe"), given=("ripe",), turn=1),
    StateEntry("kitchen1", "kitchen_1"),
    StateEntry("mug1", "mug_1", ("in_hand",), turn=1, locked=True),
), "The robot opened the fridge. Then it could not grab the mug, perhaps because no hand was free.", 2, "an action failed")
PAST = StateHistory((Deed("move", ("fridge_1",), True), Deed("pickup", ("mug_1",), False, "reach", "the mug is out of reach"),
                     Deed("pickup", ("apple_1",), True, source="plate_1")),
                    (PastSummary("Nothing yet.", 1, "the first look"), PastSummary("Look there!", 2),
                     PastSummary(BOOK.summary, 3, BOOK.because)))


def parts(facet: StateDictionary | StateHistory) -> tuple[View, ...]:
    view, wrong, _ = checked_view(facet)
    assert wrong == ""
    assert isinstance(view, Sections)
    return view.parts


def items(facet: StateDictionary | StateHistory, section: int = 0) -> tuple[Item, ...]:
    view = parts(facet)[section]
    assert isinstance(view, Table | Tree)
    return view.items


def offered(book: StateDictionary, name: str, attribute: str = "") -> dict[str, Edit]:
    found = items(book)
    at = next(k for k, item in enumerate(found) if item.parent < 0 and item.key == name)
    item = next(item for item in found if item.parent == at and item.key == attribute) if attribute else found[at]
    return {edit.name: edit for edit in item.edits}


def done(book: StateDictionary, edit: str, *address: str, value: EditValue = None) -> StateEntry | None:
    assert edit in offered(book, *address), "it is offered"
    after = book.edited(("Objects", *address), edit, value)
    assert [e for e in after.entries if e.name != address[0]] == [e for e in book.entries if e.name != address[0]]
    return after.entry(address[0])


def test_what_changed_comes_first_and_what_is_not_known_last() -> None:
    shown = [item_words(item) for item in items(BOOK) if item.parent < 0]
    assert shown == [
        "fridge 1 · in kitchen 1 · 2 · changed · − closed", "cabinet 1 · in kitchen 1 · 1", "apple 1 · on plate 1 · 1",
        "mug 1 · in hand · 1 · locked", "kitchen 1 · nothing known"]
    assert BOOK.view().headline == "5 objects · 1 changed"
    assert StateDictionary().view().headline == ""


def test_attributes_say_what_is_special_about_them() -> None:
    assert [item_words(item) for item in items(BOOK) if item.parent >= 0] == [
        "open · new", "searched · new", "closed", "contents unknown · unknown", "clean", "ripe · by the operator"]
    given = replace(BOOK, entries=(StateEntry("mug1", attributes=("in_hand",), given=("in_hand",), refused=("wet",)),))
    assert [item_words(item) for item in items(given)] == ["mug 1 · in hand · − wet", "in hand · by the operator"]


def test_words_are_set_apart() -> None:
    spaced = {"kitchencabinet2": "kitchen cabinet 2"}
    assert in_words("in_kitchencabinet2", spaced) == "in kitchen cabinet 2"
    assert in_words("no room_for_cup1") == "no room for cup 1"
    assert in_words("x1_2") == "x1 2"


def test_attributes_are_added_changed_and_removed() -> None:
    entry = done(BOOK, "attribute", "apple1", value=" very | cold \n ")
    assert entry is not None
    assert (entry.attributes[-1], entry.given) == ("very cold", ("ripe", "very cold"))
    entry = done(BOOK, "change", "cabinet1", "closed", value="ajar")
    assert entry is not None
    assert entry.attributes == ("in_kitchen1", "ajar", "contents_unknown")
    assert (entry.given, entry.refused) == (("ajar",), ("closed",))
    for edit, value in (("remove", None), ("change", "")):
        entry = done(BOOK, edit, "apple1", "clean", value=value)
        assert entry is not None
        assert (entry.attributes, entry.refused) == (("on_plate1", "ripe"), ("clean",))
    form = offered(BOOK, "cabinet1", "closed")["change"].form
    assert isinstance(form, Write)
    assert form.now == "closed"


def test_objects_are_locked_deleted_and_added() -> None:
    locked = done(BOOK, "lock", "apple1")
    assert locked is not None
    assert locked.locked
    unlocked = done(BOOK, "unlock", "mug1")
    assert unlocked is not None
    assert not unlocked.locked
    assert done(BOOK, "delete", "mug1") is None
    without = BOOK.edited(("Objects", "mug1"), "delete", None)
    assert without.deleted == ("mug1",)
    again = without.edited((), "add", "Mug 1")
    assert (again.entries[-1], again.deleted) == (StateEntry("mug1", turn=2), ())


def test_the_summary_is_written_and_left_to_the_model() -> None:
    mine = BOOK.edited((), "summary", "I moved\nthe mug myself.")
    assert (mine.summary, mine.summary_given) == ("I moved the mug myself.", True)
    assert (parts(BOOK)[1].headline, parts(mine)[1].headline) == ("estimated because an action failed", "yours")
    left = mine.edited((), "summary", " ")
    assert (left.summary, left.summary_given) == ("I moved the mug myself.", False)


@pytest.mark.parametrize(("address", "edit", "value"), [
    ((), "add", "fridge 1"), ((), "add", " | "), (("Objects", "sink1"), "lock", None), (("Objects", "mug1"), "paint", None),
    (("Objects", "mug1", "wet"), "remove", None), (("Objects", "mug1", "in_hand"), "lock", None), (("Summary",), "lock", None)])
def test_what_cannot_be_edited_is_refused_in_one_line(address: Address, edit: str, value: EditValue) -> None:
    with pytest.raises(UsageError) as refused:
        BOOK.edited(address, edit, value)
    assert "\n" not in str(refused.value)


def test_edits_leave_the_rest_alone() -> None:
    entry = BOOK.entries[2]
    assert attribute_set(entry, "", "clean") is entry
    assert attribute_set(attribute_set(entry, "clean", ""), "", "clean").refused == ()


def test_an_edit_is_undone_in_what_was_estimated_since() -> None:
    edited = BOOK.edited(("Objects", "cabinet1", "closed"), "change", "ajar")
    newer = replace(edited, summary="newer", turn=3)
    assert newer.with_change(edited, BOOK) == replace(BOOK, summary="newer", turn=3)
    without = BOOK.edited(("Objects", "mug1"), "delete", None)
    assert replace(without, turn=3).with_change(without, BOOK) == replace(BOOK, turn=3)


def test_the_history_tells_actions_and_summaries() -> None:
    assert [item_words(item) for item in items(PAST)] == [
        "move fridge_1 · done", "pickup mug_1 · failed · the mug is out of reach", "pickup apple_1 · done · from plate_1"]
    assert parts(PAST)[0].headline == "3 actions · 1 failed"
    assert [item_words(item) for item in items(PAST, 1)][:2] == ["the first look · 1 · Nothing yet.", "yours · 2 · Look there!"]
