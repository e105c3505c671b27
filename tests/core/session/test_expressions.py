"""The language of conditions: what it means, how it words errors, and that no text can break it or take long."""

from __future__ import annotations

import string
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.common.readings import ActionText, Read, Unknown, Value, begins, plain
from core.planners.llm_state.recorded_types import StateDictionary, StateEntry
from core.planning.belief_facets import Belief
from core.planning.facets import Facet
from core.planning.search_facets import RankedAction, Ranking
from core.session.checked_expressions import Expression, condition, expression, in_words, watch
from core.session.events import Event, Shown
from core.session.expressions import (
    MOST_CHARACTERS,
    ExpressionError,
    Reference,
    cheap_first,
    compiled,
    parse,
)
from core.session.quantities import QUANTITIES, State
from core.session.snapshot import Snapshot, fold_all
from core.world.vocabulary import Action

TOKENS = st.sampled_from([
    *"+-*/()[]<>~,.", "<=", ">=", "==", "!=", "and", "or", "not", "true", "false", '"open"', "'x'", "“y”", '"', "=", "0", "1.5",
    "3", "1e400", "literal[0].reached", "literal", "apple", "fridge", "__class__", "entropy(apple)", 'visits("open fridge")',
    *(q.name for q in QUANTITIES.values())])
TEXTS = st.one_of(st.text(max_size=60), st.lists(TOKENS, max_size=40).map(" ".join),
                  st.text(string.printable, max_size=MOST_CHARACTERS + 20))


def ranked(text: str, visits: int, value: float | None, prior: float = 0.1) -> RankedAction:
    return RankedAction(tuple(Action(*_parts(step)) for step in text.split("; ")), prior, visits, value, 0.1, None)


def _parts(text: str) -> tuple[str, tuple[str, ...]]:
    verb, *args = text.split()
    return verb, tuple(args)


def belief(*rows: tuple[float, ...]) -> Belief:
    found = np.array(rows)
    none = np.zeros(found.shape, bool)
    return Belief(("apple", "apple 2", "mug"), ("apple", "apple", "mug"), (True, True, False), (None, "apple_2", None),
                  ("fridge_1", "table_1", "fridge_10", "sink_1"), found, found, np.zeros(4, bool), none, none)


RANKING = Ranking((ranked("walk kitchen_1; open fridge_1", 41, 2.5, 0.5), ranked("open fridge_10", 9, 2.25, 0.25),
                   ranked("close fridge_1", 0, None)), 50, 100)
SHOWN: tuple[Facet, ...] = (RANKING, belief((0.5, 0.5, 0, 0), (0, 0, 0, 1), (0.25, 0.25, 0.25, 0.25)),
                            StateDictionary((StateEntry("fridge1", "fridge_1", ("is open", "cold")),)))
NOW = fold_all([Event(k, 0.0, 3, 0, Shown(facet)) for k, facet in enumerate(SHOWN)])


@pytest.mark.parametrize(("text", "value"), [
    ("1 + 2 * 3 - 4 / 2", 5.0), ("(1 + 2) * 3", 9.0), ("-2 - -3", 1.0), ("2 - 1 - 1", 0.0), ("8 / 4 / 2", 1.0),
    ("not 1 > 2 and 2 > 1", True), ("1 > 2 or 2 > 1 and 3 > 2", True), ("not (1 < 2 or 1 < 2)", False), ("1e3 == 1000", True),
    ("turn", 3), ("turn == 3 and gap < 0.3", True), ("gap", 0.25), ("simulations >= 50", True),
    ('visits("open fridge")', 50), ('visits("open fridge_1")', 41), ("visits(walk)", 41), ('value("open fri")', 2.5),
    ('prior("open fridge")', 0.75), ('visits("walk") > 40', True), ("best == 'walk'", True), ('best ~ "kitchen"', True),
    ("visits(best)", 41), ("entropy(apple)", 1.0), ('entropy("apple 2")', 0.0), ("entropy(mug)", 2.0), ("entropy", 1.0),
    ("belief(apple, fridge)", 0.5), ("belief(apple, fridge_10)", 0.0), ("belief(mug, fridge)", 0.5), ("found(apple)", True),
    ("found(mug)", False), ('state(fridge1) ~ "OPEN"', True), ('state("fridge_1") == "is open, cold"', True),
])
def test_what_it_means(text: str, value: Value) -> None:
    assert expression(text).value(NOW) == value


@pytest.mark.parametrize(("text", "why"), [
    ("nodes", "there is no search tree yet"), ("conditions > 2", "there is no blocking tree yet"),
    ("entropy(pear) < 1", "“pear”"),
    ("belief(apple, moon)", "“moon”"), ("state(pear) ~ 'x'", "“pear”"), ('value("close fridge_1")', "not visited"),
    ("visits(jump)", "jump"), ("1 / (turn - 3)", "division by zero"), ("reply ~ 'x'", "no reply"),
    ("action == 'x'", "no action"),
    ("not nodes > 3", "search tree"), ("turn == 3 and nodes > 3", "search tree"), ("score > 1", "score"),
    ('visits(action)', "no action"), ("literal[0].reached", "not judged"), ('new_condition != ""', "known only when"),
])
def test_what_is_not_known_is_unknown_with_the_reason(text: str, why: str) -> None:
    found = expression(text).value(NOW)
    assert isinstance(found, Unknown)
    assert why in found.why
    assert in_words(found).startswith("unknown: ")


@pytest.mark.parametrize(("text", "value"), [("turn == 3 or nodes > 3", True), ("nodes > 3 or turn == 3", True),
                                             ("nodes > 3 and turn == 1", False), ("turn == 1 and nodes > 3", False)])
def test_the_unknown_does_not_matter_where_the_rest_decides(text: str, value: bool) -> None:
    assert expression(text).value(NOW) is value


def test_a_decision_of_another_turn_is_not_this_turns() -> None:
    later = Snapshot(turn=4, facets=NOW.facets)
    assert expression("gap").value(later) == Unknown("no ranking is shown in this turn")
    assert expression("entropy").value(later) == 1.0


@pytest.mark.parametrize(("text", "message"), [
    ("", "character 1: nothing is written"), ("gap <", "character 6: a value is missing before the end"),
    ("gap = 3", "character 5: “=” compares nothing: write =="), ("gap < 0.2 turn", "character 11: “turn” follows"),
    ("entrpy > 1", "character 1: there is no name “entrpy”: did you mean entropy?"), ("(gap", "character 5: “)” is missing"),
    ('action == "open', "character 11: this quotation mark is never closed"),
    ("1 < gap < 2", "character 9: a comparison has two"),
    ("gap < apple", "there is no name “apple”: "), ("action < 3", "“<” takes a number, and this is a text"),
    ("action == 3", "a text is compared with a number"), ("gap and turn", "“and” takes a truth"), ("gap ~ 'x'", "takes a text"),
    ("entropy(apple, mug)", "“entropy” is not written so: write entropy or entropy(object)"),
    ("literal.reached", "“.” follows"), ("literal[x].reached", "an index is a whole number"),
    ("literal(0)", "literal[k].reached"),
    ("literal[0]", "“.” is missing"), ("gap.real", "“.” follows a complete expression"),
    ("turn; turn", "“;” has no meaning here"),
    ("literal[0].__class__", "“literal” is not written so"), ("not " * 40 + "refused", "nested deeper than 30"),
    ("(" * 40, "nested deeper than 30"), ("1+" * 200, "more than 120 words"), ("x" * 501, "longer than 500"),
    ("gap", "this is a number and never true: compare it, such as gap > 1"), ("action", "compare it, such as action ~ \"…\""),
    ("1 < 2", "this never changes"), ("action()", "nothing stands in the brackets: write a name"),
])
def test_errors_name_the_place_the_cause_and_the_cure(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=r"^character \d+: .+: .+") as error:
        condition(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert 0 <= error.value.start < error.value.end


def test_a_text_cannot_be_plotted() -> None:
    assert watch("gap").kind == "number"
    assert watch("gap < 1").kind == "truth"
    with pytest.raises(ExpressionError, match="a text cannot be plotted"):
        watch("action")


@given(TEXTS)
@example("-" * 500)
@example("(" * 500)
@example('"' * 500)
@example("not " * 125)
@example("1*" * 60)
@example("tokens*" * 59 + "tokens")
@example("calls-" * 59 + "1e308*1e308")
@example("literal[" + "9" * 480 + "].reached")
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_it(text: str) -> None:
    holds_for_any(text)


def holds_for_any(text: str) -> None:
    """Asserts that a text is refused by the language's own error, or has a value of its kind on any snapshot."""
    began = time.perf_counter()
    error, found = tried(text)
    if error is not None:
        assert "\n" not in str(error)
        assert error.start <= len(text)
    if found is not None:
        for now in (Snapshot(), NOW):
            is_of_kind(found, found.value(now))
            assert all(in_words(value) for _, value in found.readings(now))
    assert time.perf_counter() - began < 5.0, "no text takes long: usually under a millisecond"


def tried(text: str) -> tuple[ExpressionError | None, Expression | None]:
    try:
        return None, expression(text)
    except ExpressionError as error:
        return error, None


def is_of_kind(found: Expression, value: Value) -> None:
    kinds: dict[str, tuple[type, ...]] = {"number": (int, float), "truth": (bool,), "text": (str,)}
    is_truth = isinstance(value, bool)
    assert isinstance(value, Unknown) or (isinstance(value, kinds[found.kind]) and (found.kind == "truth") == is_truth)


@given(st.text(max_size=30), st.text(max_size=30))
def test_an_action_equals_what_it_begins_with(text: str, more: str) -> None:
    assert begins(f"{text} {more}", text)
    assert begins(text, "")
    without = text.replace("'", "")
    def look(name: Reference) -> Read[None]:
        return lambda state: ActionText(f"{without} {more}")

    assert compiled(parse(f"action == '{without}'"), look)(None) is True


WORDS = st.lists(st.sampled_from(["open", "OPEN", "fri", "fridge", "fridge_1", "1", "10", "ß", "SS", "_", " ", "\t", "İ"]),
                 max_size=6).map("".join)


@given(WORDS | st.text(max_size=30), WORDS | st.text(max_size=10), st.booleans())
def test_a_text_in_the_expression_compares_as_a_name_does(value: str, text: str, is_action: bool) -> None:
    known = text.replace("'", "")
    read = {"of": ActionText(value) if is_action else value, "what": known}
    def look(name: Reference) -> Read[None]:
        return lambda state: read[name.name]

    for sign in ("==", "!=", "~"):
        assert compiled(parse(f"of {sign} '{known}'"), look)(None) is compiled(parse(f"of {sign} what"), look)(None)
    assert compiled(parse(f"of ~ '{known}'"), look)(None) is (plain(known) in plain(value))


@pytest.mark.parametrize(("action", "text", "is_so"), [
    ("open fridge_1", "open fridge", True), ("open fridge_1", "open fri", True), ("open fridge_10", "open fridge_1", False),
    ("reopen fridge_1", "open", False), ("open fridge_1", "OPEN  fridge 1", True), ("open", "open fridge", False)])
def test_how_an_action_begins(action: str, text: str, is_so: bool) -> None:
    assert begins(action, text) is is_so


STEPS = st.builds(Action, st.sampled_from(["open", "put_in", "walk"]),
                  st.lists(st.sampled_from(["fridge_1", "fridge_10", "apple_1", "Fridge_1"]), max_size=2).map(tuple))


@given(st.lists(st.lists(STEPS, min_size=1, max_size=3), min_size=1, max_size=8),
       st.sampled_from(["", "open", "op", "put in", "put_in app", "walk fridge_1", "walk FRIDGE 1", "open fridge 10", "put"]))
def test_names_of_ranked_actions_look_at_every_first_and_last_step(rows: list[list[Action]], text: str) -> None:
    ranking = Ranking(tuple(RankedAction(tuple(steps), 0.1, 2 ** k, 1.0, 0.1, 0.0) for k, steps in enumerate(rows)), 1, 1)
    wanted = sum(row.visits for row in ranking.actions if begins(str(row.steps[0]), text) or begins(str(row.steps[-1]), text))
    found = expression(f"visits('{text}')").value(fold_all([Event(0, 0.0, 3, 0, Shown(ranking))]))
    assert found == wanted or (isinstance(found, Unknown) and not wanted)


TRUTHS = st.recursive(
    st.sampled_from(["turn == 3", "turn == 4", "gap < 0.3", "gap > 0.3", "nodes > 3", "refused", "entropy(apple) == 1"]),
    lambda inner: inner.map(lambda text: f"not ({text})") | st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
        lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"), max_leaves=8)


@given(TRUTHS)
def test_a_condition_that_reads_cheap_names_first_holds_in_the_same_states(text: str) -> None:
    found, state = expression(text), State(NOW)
    value, tested = found.read(state), found.test(state)
    assert tested is value or (isinstance(tested, Unknown) and isinstance(value, Unknown))


@pytest.mark.parametrize(("text", "value", "reads"), [
    ("gap and turn", False, ["turn"]), ("gap or turn", True, ["turn"]), ("not (gap and turn)", False, ["turn"]),
    ("gap and turn", True, ["turn", "gap"]), ("turn or gap", False, ["turn", "gap"]),
    ("(gap or gap) and turn", False, ["turn"])])
def test_what_takes_long_is_read_only_if_the_rest_does_not_decide(text: str, value: bool, reads: list[str]) -> None:
    read: list[str] = []

    def look(name: Reference) -> Read[None]:
        def reader(state: None) -> Value:
            read.append(name.name)
            return value
        return reader

    compiled(cheap_first(parse(text), lambda name: name.name == "turn"), look)(None)
    assert read == reads


def test_what_shows_nothing_in_a_pasted_expression_changes_nothing() -> None:
    plain, pasted = condition("gap < 0.2 and turn > 3"), condition("\ufeffga\u200bp\u00a0< 0.2 and turn\u2060 > 3")
    assert (pasted.text, pasted.root) == (plain.text, plain.root)
