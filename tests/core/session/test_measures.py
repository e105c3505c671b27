"""Names for conditions come from the classes of facets: any class declares its own, and the table gathers them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from core.common.readings import Unknown, Value
from core.planners.registry import facet_kinds
from core.planning.facets import Facet, Program, ProgramLine, Steps, title_of
from core.planning.measures import Context, Measure, number
from core.recording.types import hints_of, unreadable_field
from core.session.events import Event, Shown
from core.session.quantities import NAMED, QUANTITIES, Quantity, State, gathered
from core.session.snapshot import Snapshot, fold_all


def _new(guess: Guess, at: Context) -> Value:
    before = (at.earlier or {}).get(Guess)
    return guess.sure - (before.sure if isinstance(before, Guess) else 0.0)


@dataclass(frozen=True, slots=True)
class Guess(Facet):
    """A facet as a planner of another package writes it."""

    measures: ClassVar[tuple[Measure[Any], ...]] = (
        number("sure", "how sure it is, 0 to 1", lambda guess: guess.sure),
        Measure("gain", (), "number", "how much surer it is than before", lambda: _new, momentary=True),
        Measure("sure", ("object",), "number", "the same of an object",
                lambda name: lambda guess, at: guess.sure if name == guess.object else Unknown(f"no guess about {name}")),
        number("turns", "how often it guessed in this turn", lambda guess: 1, of_turn=True),
    )
    object: str
    sure: float


@dataclass(frozen=True, slots=True)
class LuckyGuess(Facet):
    """A second kind that declares one of these names, too."""

    measures = (number("sure", "how sure it is, 0 to 1", lambda guess: 1.0),)


RUN = Quantity("turns", (), "number", "turns", "run", frozenset({Event}), lambda: lambda state: Unknown("no turn"))
TABLE = gathered((RUN,), (Guess, LuckyGuess))


def shown(*facets: Facet, turn: int = 1) -> Snapshot:
    return fold_all([Event(k, 0.0, turn, 0, Shown(facet)) for k, facet in enumerate(facets)])


def value(now: Snapshot, name: str, *arguments: str, before: Facet | None = None) -> Value:
    return TABLE[name, len(arguments)].reader(*arguments)(State(now, None if before is None else {type(before): before}))


def test_a_class_declares_the_names_that_are_read_from_it() -> None:
    now = shown(Guess("mug", 0.25))
    assert value(now, "sure") == 0.25
    assert value(now, "sure", "mug") == 0.25
    assert value(now, "sure", "cup") == Unknown("no guess about cup")
    assert TABLE["sure", 1].form == "sure(object)"
    assert TABLE["gain", 0].changes == frozenset({Guess})


def test_what_is_new_is_known_only_beside_the_facet_before() -> None:
    now = shown(Guess("mug", 0.75))
    assert value(now, "gain", before=Guess("mug", 0.25)) == 0.5
    assert value(now, "gain") == Unknown("known only when the guess is shown")


def test_a_name_of_two_kinds_is_read_from_the_one_that_is_shown() -> None:
    assert value(shown(LuckyGuess()), "sure") == 1.0
    assert value(shown(Guess("mug", 0.5)), "sure") == 0.5
    assert TABLE["sure", 0].source == "guess or lucky guess"
    assert value(Snapshot(), "sure") == Unknown("there is no lucky guess yet")


def test_a_name_of_the_run_is_read_from_a_facet_where_the_run_does_not_know_it() -> None:
    assert value(shown(Guess("mug", 0.5)), "turns") == 1
    assert value(Snapshot(turn=2, facets=shown(Guess("mug", 0.5)).facets), "turns") == Unknown("no turn")
    assert (TABLE["turns", 0].source, TABLE["turns", 0].changes) == ("run or guess", frozenset({Event, Guess}))


def test_what_a_class_declares_is_no_field_of_its_values() -> None:
    assert set(hints_of(Guess)) == {"object", "sure"}
    assert not unreadable_field(Guess)


def test_our_names_are_those_of_the_classes_and_agree_where_two_have_one() -> None:
    for kind in facet_kinds():
        for measure in kind.measures:
            known = QUANTITIES[measure.name, len(measure.arguments)]
            assert (known.kind, known.momentary, known.is_action) == (measure.kind, measure.momentary, measure.is_action)
            assert kind in known.changes
    assert {"action", "best"} == NAMED


@pytest.mark.parametrize("plan", [Program, Steps])
def test_a_plan_that_is_under_way_has_a_line(plan: type[Program | Steps]) -> None:
    lines = (ProgramLine("find('apple')"), ProgramLine("grab('apple')"))
    read = QUANTITIES["line", 0].reader()
    assert read(State(shown(plan(lines, 1)))) == "grab('apple')"
    assert read(State(shown(plan(lines)))) == Unknown("no line is under way")


def test_kinds_of_facet_are_named_in_words() -> None:
    assert [title_of(kind) for kind in (Guess, LuckyGuess, Steps)] == ["guess", "lucky guess", "plan in steps"]
