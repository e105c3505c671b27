"""Goals as formal text: every goal can be written and read again, and any text is a goal or refused in one line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import GoalError
from core.goals.formal_text import (
    LITERAL,
    MOST_CHARACTERS,
    MOST_COUNT,
    MOST_LITERALS,
    PREDICATES,
    STATES,
    TAKES_TARGET,
    formal,
    is_formal,
    read_formal,
)
from core.goals.kinds import FLOOR, KINDS, LIGHT, THING
from core.goals.literals import ABOUT_ROBOT, ROBOT, Goal, Literal, Predicate
from core.world.vocabulary import ACTS, Category, Entity, spaced

CLASSES: dict[Category, tuple[str, ...]] = {
    "room": ("kitchen", "living_room"), "furniture": ("fridge", "kitchen_table"), "object": ("apple", "pear", "water_glass")}
KNOWN = tuple(Entity(f"{cls}_{n}", cls, spaced(cls), category, "kitchen_1" if category != "room" else None)
              for category, classes in CLASSES.items() for cls in classes for n in (1, 2))
HERE = frozenset(e.cls for e in KNOWN)
ROOMS = sorted({name for e in KNOWN if e.category == "room" for name in (e.id, e.cls)})
THINGS = sorted({name for e in KNOWN if e.category != "room" for name in (e.id, e.cls)}
                | {THING, LIGHT} | {kind for kind, classes in KINDS.items() if classes & HERE})


def several(names: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True).map("|".join)


def states(least: int = 0) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(sorted(STATES)), min_size=least, max_size=3)


@st.composite
def literals(draw: st.DrawFn, stage: int) -> Literal:
    """Any literal that goals can have."""
    predicate = draw(st.sampled_from(get_args(Predicate)))
    never, count, every = draw(st.booleans()), draw(st.integers(1, MOST_COUNT)), draw(st.booleans())
    plain = Literal(predicate, ROBOT, None, 1 if every else count, every=every, stage=stage, never=never,
                    room=draw(st.none() | several(ROOMS)))
    if predicate == "standing":
        return Literal(predicate, ROBOT, stage=stage, never=never)
    subject = draw(several(ROOMS if predicate == "robot_in" else THINGS))
    if predicate in ABOUT_ROBOT:
        return Literal(predicate, subject, None, plain.count, every=every, room=plain.room, stage=stage, never=never)
    target = draw(several(THINGS + (ROOMS if predicate == "inside" else []))) if predicate in TAKES_TARGET else None
    source = target if predicate == "away" else draw(st.none() | several([*THINGS, FLOOR]))
    return Literal(predicate, subject, target, plain.count, draw(states(predicate == "is")), every, plain.room, source,
                   draw(st.none() | several(THINGS)), draw(states()), draw(st.sampled_from(sorted(ACTS))) if predicate == "done"
                   else "", stage, never)


@st.composite
def goals(draw: st.DrawFn) -> Goal:
    """Goals of one to three stages, each literal once."""
    found = [literal for stage in range(draw(st.integers(1, 3)))
             for literal in draw(st.lists(literals(stage), min_size=1, max_size=3, unique=True))]
    return Goal(tuple(found), "")


@given(goals())
def test_every_goal_can_be_written_and_read_again(goal: Goal) -> None:
    text = formal(goal)
    assert read_formal(text, KNOWN).literals == goal.literals
    assert read_formal(text, KNOWN, "as said").text == "as said"
    assert read_formal(text.upper().replace("COUNT", "count"), KNOWN).literals == goal.literals
    assert is_formal(text)
    assert "\n" not in text


@given(st.text(max_size=200) | st.text(alphabet="insdeo()_,=|+ aplfrg12nvt\n", max_size=200) | st.lists(
    st.sampled_from(["inside", "is", "(", ")", "apple", "fridge", ",", "count=", "=", "|", "and", "then", "never", "every", "+",
                     "closed", "standing()", "room=kitchen", "9999999999999999999", "٣", "²"]), max_size=20).map(" ".join))
def test_any_text_is_a_goal_or_refused_in_one_line(text: str) -> None:
    try:
        goal = read_formal(text, KNOWN)
    except GoalError as error:
        message = str(error)
    else:
        message = ""
        assert read_formal(formal(goal), KNOWN).literals == goal.literals
    assert len(message.splitlines()) <= 1


@pytest.mark.parametrize(("text", "why"), [
    ("", "“the end” is no literal: write it as inside(apple, fridge)"), ("put(apple, fridge)", "“put” is no predicate"),
    ("inside(apple)", "inside takes 2 names"), ("standing(apple)", "standing takes 0 names"),
    ("inside(apple, fridge", "is no literal"), ("inside(zeppelin, fridge)", "there is no thing called “zeppelin” here"),
    ("robot_in(fridge)", "there is no room called “fridge” here"), ("is(apple, blue)", "“blue” is no state: there are clean"),
    ("done(juggle, apple)", "“juggle” is no act: there are drink"), ("inside(apple, fridge, count=0)", "write a number from 1"),
    ("inside(apple, fridge, count=²)", "write a number from 1"), ("inside(apple, fridge, colour=red)", "there are the options"),
    ("inside(apple, count=2, fridge)", "write the names first"), ("standing() on(pear, fridge)", "write “and” or “then”"),
    ("inside(apple, fridge) or on(pear, fridge)", "write “and” or “then”"), ("standing() and", "“the end” is no literal"),
    (" and ".join(["inside(apple, fridge)"] * (MOST_LITERALS + 1)), f"at most {MOST_LITERALS}"),
    ("inside(apple, fridge) and " * MOST_CHARACTERS, "longer than 4,000 characters"),
])
def test_errors_name_the_word_and_the_cure(text: str, why: str) -> None:
    with pytest.raises(GoalError) as caught:
        read_formal(text, KNOWN)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["put the apple in the fridge", "", "apple (red)", "never mind", "inside the fridge", "f(x)"])
def test_sentences_are_no_formal_text(text: str) -> None:
    assert not is_formal(text)


def test_every_predicate_and_option_is_documented_by_an_example_that_can_be_read() -> None:
    """docs/goals.md is about a home with everything its examples name."""
    page = (Path(__file__).parents[3] / "docs" / "goals.md").read_text("utf-8")
    examples = [line for block in re.findall(r"```goal\n(.*?)```", page, re.S) for line in block.splitlines() if line.strip()]
    words = set(re.findall(r"[a-z_]+", " ".join(examples)))
    rooms = {"kitchen", "bedroom", "living_room"}
    known = [Entity(f"{name}_1", name, name, "room" if name in rooms else "object") for name in words - KINDS.keys()]
    used = [literal for text in examples for literal in read_formal(text.split("#")[0].strip(), known).literals]
    assert {x.predicate for x in used} == set(PREDICATES)
    assert {x.act for x in used if x.act} == set(ACTS)
    assert all(any(test) for test in zip(*((x.every, x.count > 1, x.room, x.source, x.by, x.was, x.never, x.stage, x.states,
                                            "|" in x.subject) for x in used), strict=True))
    assert all(LITERAL.search(text) for text in examples)
