"""Conditions read rows, cells and marks of any facet by what its view says; a breakpoint on one stops a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.readings import Unknown, Value, begins, plain
from core.planning.facets import Facet
from core.planning.measures import FacetIndex
from core.planning.planner import Decision, Thought
from core.session import commands as c
from core.session.breakpoints import Breakpoint, Breakpoints
from core.session.checked_expressions import condition, expression
from core.session.events import BreakpointHit, Event, Paused, Shown
from core.session.expressions import ExpressionError
from core.session.point_checker import Found, PointChecker
from core.session.quantities import State
from core.session.snapshot import Snapshot, fold_all
from core.views.rows import Rows, identifier
from core.views.values import BANNED, CHOSEN, CellMark, Column, Item, Mark, Matrix, Sections, Table, View
from core.world.vocabulary import Observation
from tests.core.session.toys import RIGHT, Folded, Walker, session

COLUMNS = (Column("visits", "count"), Column("goal reached", "state"), Column("states", "state"), Column("Q"))
TABLE = Table((
    Item("a", "open fridge_10", (3, False, frozenset({"open", "cold"}), 0.5)),
    Item("b", "open fridge_1", (41, True, "closed", None), marks=(BANNED,)),
    Item("open drawer", "take mug", (7,), marks=(CHOSEN,)), Item("d", "take mug", (8,))), COLUMNS, title="Choices")
MATRIX = Matrix((Item("mug", "mug"), Item("apple", "apple 2")), (Item("fridge_1", "fridge 1"), Item("sink_1", "sink 1")),
                np.array([[0.25, 0.75], [np.nan, 1.0]]), "probability", (CellMark(0, 1, Mark("pinned")),), title="Places")


@dataclass(frozen=True, slots=True)
class Foreign(Facet):
    """A facet of another package: a table and a matrix."""

    made: ClassVar[list[int]] = []
    extra: int = 0

    def view(self) -> View:
        self.made.append(self.extra)
        return Sections((TABLE, MATRIX))


@dataclass(frozen=True, slots=True)
class Plain(Facet):
    """A facet that describes no view."""

    sure: float = 0.25
    name: str = "mug"


@dataclass(frozen=True, slots=True)
class Broken(Facet):
    """A facet whose view cannot be made."""

    def view(self) -> View:
        raise KeyError("mug")


def shown(*facets: Facet, turn: int = 1) -> Snapshot:
    return fold_all([Event(k, 0.0, turn, 0, Shown(facet)) for k, facet in enumerate(facets)])


NOW = shown(Foreign(), Plain())


@pytest.mark.parametrize(("text", "value"), [
    ('row("open fridge_1").visits', 41), ('row("open fridge").visits', 3), ('row("OPEN  fridge 1").visits > 40', True),
    ('row("open fridge_1").goal_reached == true', True), ('row("open fridge_1").q > 1 or turn == 1', True),
    ('row("open fridge_10").Q', 0.5), ('row("open fridge_10").states ~ "open"', True),
    ('row("open fridge_1").states == "closed"', True), ('row("open drawer").visits', 7), ("row(b).visits", 41),
    ('row("take mug").visits', 7), ("row(mug).fridge_1", 0.25), ("cell(mug, fridge)", 0.25), ("cell(mug, sink_1) + 1", 1.75),
    ('cell("open fridge_1", "goal")', Unknown("“goal reached” of “open fridge_1” is a truth, not a number: it is yes")),
    ('cell("open fridge_1", goal) == true', True), ('cell(apple, sink)', 1.0),
    ('row("apple 2").sink_1 == cell(apple, sink)', True),
    ('marked("open fridge_1", banned)', True), ('marked("open fridge_10", "banned")', False), ("marked(mug, pinned)", True),
    ("rows(foreign)", 6), ("rows(Choices)", 4), ("rows(places)", 2),
    ("row(sure).value", 0.25), ('row(name).value == "mug"', True),
])
def test_what_is_read(text: str, value: Value) -> None:
    assert expression(text).value(NOW) == value


@pytest.mark.parametrize(("text", "why"), [
    ("row(pear).visits",
     "no row of this turn begins with “pear”: there is open fridge_10, open fridge_1, take mug, take mug, …"),
    ('row("take mug").vists', "“take mug” has no column “vists”: there is visits, goal_reached, states, q"),
    ("cell(mug, moon)", "“mug” has no column “moon”: there is fridge_1, sink_1"),
    ('row("open fridge_1").Q', "“Q” of “open fridge_1” is not known"),
    ("cell(apple, fridge)", "“fridge 1” of “apple 2” is not"),
    ('row("take mug").states == "x"', "is not known"),
    ('row("open fridge_1").states < 3', "is a text, not a number: it is closed"),
    ("marked(pear, banned)", "no row of this turn begins with “pear”"), ("rows(choice_list)", "no data of this turn is called"),
])
def test_what_is_not_there_is_said_in_one_line(text: str, why: str) -> None:
    found = expression(text).value(NOW)
    assert isinstance(found, Unknown)
    assert why in found.why
    assert "\n" not in found.why


@pytest.mark.parametrize(("text", "message"), [
    ("row(mug) > 1", "“row” is not written so: write row(text).column"), ("row(mug, sink).x", "write row(text).column"),
    ("cell(mug, sink).x > 1", "write cell(text, column)"), ("row(mug). > 1", "a column is missing after the dot"),
    ('visits("open").x', "write visits(action)"), ("marked(mug, new) > 1", "takes a number, and this is a truth"),
])
def test_what_is_wrong_is_said_where(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match="character") as raised:
        expression(text)
    assert message in str(raised.value)


def test_the_kind_is_the_one_that_the_expression_asks_for() -> None:
    assert condition('row("open fridge_1").goal_reached').value(NOW) is True
    assert expression('row("open fridge_1").visits').kind == "number"
    assert expression('row("open fridge_1").visits == row("open fridge_10").visits').value(NOW) is False
    assert expression('"closed" == row("open fridge_1").states').value(NOW) is True


def test_views_of_other_turns_are_not_read_and_one_that_fails_stops_nothing() -> None:
    assert expression("rows(foreign)").value(Snapshot(turn=2, facets=NOW.facets)) == Unknown(
        "no data of this turn is called “foreign”: there is none")
    assert expression("row(mug).visits").value(shown(Broken())) == Unknown(
        "no row of this turn begins with “mug”: there is none")
    assert expression("row(mug).fridge_1").value(shown(Broken(), Foreign())) == 0.25


def test_a_view_is_made_once_and_only_for_conditions_that_need_it() -> None:
    made, index = Foreign.made, FacetIndex()
    made.clear()
    for text in ("turn == 1", "gap < 1", "turn == 2 and rows(foreign) > 1", "rows(foreign) > 1 and turn == 2"):
        expression(text).test(_state(index))
    assert not made
    for text in ('row("open fridge").visits > 1', "cell(mug, sink) > 1", "marked(mug, new)", "rows(foreign) > 2"):
        expression(text).test(_state(index))
    assert made == [0]


def _state(index: FacetIndex) -> State:
    return State(NOW, None, index)


TEXTS = st.text(st.sampled_from("ab 1_é"), max_size=5)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8), TEXTS)
def test_each_row_of_a_drawn_table_is_found_by_its_text(rows: list[tuple[str, str]], words: str) -> None:
    items = tuple(Item(key, text, (k,)) for k, (key, text) in enumerate(rows))
    found = Rows(Table(items, (Column("n", "count"),)))
    for item in items:
        first = next(other for other in items if plain(other.text) == plain(item.text))
        known = found.find(item.text)
        assert known is not None
        assert known[1].item is first
    begun = [item for item in items if begins(item.text, words) or begins(item.key, words)]
    called = [item for item in items if plain(item.text) == plain(words)] or [
        item for item in items if plain(item.key) == plain(words)]
    one = found.find(words)
    assert (None if one is None else one[1].item) is next(iter(called or begun), None), "the first one in the view"


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_each_cell_of_a_drawn_matrix_is_found_by_the_texts_of_its_row_and_column(n: int, m: int, data: st.DataObject) -> None:
    def names(count: int) -> list[str]:
        return data.draw(st.lists(TEXTS, min_size=count, max_size=count, unique_by=plain))

    down, across = names(n), names(m)
    numbers: npt.NDArray[np.float64] = np.arange(n * m, dtype=float).reshape(n, m)
    matrix = Matrix(tuple(Item(f"key {k}", text) for k, text in enumerate(down)),
                    tuple(Item(f"key {k}", text) for k, text in enumerate(across)), numbers)
    (part,) = Rows(matrix).parts
    for r, row in enumerate(down):
        for k, column in enumerate(across):
            place, found = part.column(column), part.find(row)
            assert (place, found) == (k, (r, True))
            assert part.row(r).cells[k] == numbers[r, k]


@given(st.lists(st.text(max_size=8), max_size=6))
def test_each_column_has_an_identifier(titles: list[str]) -> None:
    part = Rows(Table((Item("a", "a"),), tuple(Column(title) for title in titles))).parts[0]
    assert len(part.names) == len(titles)
    for place, name in enumerate(part.names, 1):
        assert name.isidentifier() or not titles[place - 1].isascii()
        assert identifier(name, place) == name


# --- in a run ---------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Odds(Facet):
    """How sure a planner of another package is of each way."""

    right: float

    def view(self) -> View:
        return Table((Item("left", "go left", (1 - self.right,)), Item("right", "go right", (self.right,))),
                     (Column("how sure", "probability"),))


class Gambler(Walker):
    """Shows a facet of its own, each turn with other numbers."""

    shows = frozenset({Odds})
    turns = 0

    def plan(self, observation: Observation) -> Thought:
        self.turns += 1
        yield Odds(0.25 * self.turns)
        return Decision(RIGHT, "it is likely")


def test_a_breakpoint_on_a_cell_of_a_foreign_facet_stops_a_run() -> None:
    run, ear = session(Gambler())
    run.post(c.SetBreakpoint(Breakpoint('row("go right").how_sure > 0.6')))
    run.post(c.SetBreakpoint(Breakpoint('cell("go left", "how sure") == 0 and rows(odds) == 2', log=True)))
    run.subscribe(lambda event: run.post(c.Resume()) if isinstance(event.what, Paused) else None)
    run.run()
    hits = [(event.turn, event.what.what) for event in ear.events if isinstance(event.what, BreakpointHit)]
    assert hits[0] == (3, 'row("go right").how_sure 0.75')
    assert (4, 'cell("go left", "how sure") 0, rows(odds) 2') in hits
    assert [event.turn for event in ear.events if isinstance(event.what, Paused)] == [3, 4, 5]


def test_a_breakpoint_is_checked_once_at_each_facet() -> None:
    points, found = Breakpoints(condition), list[Found]()
    points.add(Breakpoint("rows(foreign) > 5 and (loops > 9 or turn == 1)"))
    points.add(Breakpoint("rows(foreign) > 5", log=True))
    checker = PointChecker(points)
    see = Folded(lambda event, now: found.extend(checker.see(event, now)))
    see(Event(0, 0.0, 1, 0, Shown(Plain())))
    assert not found
    see(Event(1, 0.0, 1, 0, Shown(Foreign(1))))
    assert Counter(point.log for point, _, _ in found) == {True: 1, False: 1}
