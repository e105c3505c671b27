"""Sentences to goals, and what is said about sentences that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import UsageError
from core.goals.kinds import THING as ANYTHING
from core.goals.literals import Literal
from core.goals.parser.sentence import parse_goal
from core.goals.vocabulary import Lexicon, singulars
from core.suites.tasks import sentence
from core.world.vocabulary import CONTAINER, GRABBABLE, SURFACE, Entity

PLACES = {
    "fridge": {CONTAINER},
    "kitchen_table": {SURFACE},
    "coffee_table": {SURFACE},
    "bathroom_cabinet": {CONTAINER},
    "sofa": {SURFACE},
    "dishwasher": {CONTAINER},
    "kitchen_cabinet": {CONTAINER},
    "bookshelf": {SURFACE},
    "floor_lamp": set(),
    "dish_bowl": {CONTAINER},
    "television": set(),
    "stove": {CONTAINER, SURFACE},
}
THINGS = (
    "apple",
    "plum",
    "plate",
    "toothbrush",
    "book",
    "cutlery_knife",
    "water_glass",
    "glasses",
    "bread_slice",
    "bell_pepper",
    "mug",
)


def lexicon() -> Lexicon:
    entities = [
        Entity(f"{c}_{n}", c, c.replace("_", " "), "furniture", properties=frozenset(p))
        for c, p in PLACES.items()
        for n in (1, 2)
    ]
    entities += [
        Entity(f"{c}_{n}", c, c.replace("_", " "), "object", properties=frozenset({GRABBABLE})) for c in THINGS for n in (1, 2)
    ]
    return Lexicon([Entity("kitchen_1", "kitchen", "kitchen", "room"), *entities])


def is_(cls: str, *states: str, holding: str | None = None, every: bool = False, stage: int = 0) -> Literal:
    return Literal("is", cls, None, 1, frozenset(states), holding=holding, every=every, stage=stage)


CASES: list[tuple[str, list[Literal]]] = [
    ("Put one apple inside the fridge", [Literal("inside", "apple", "fridge")]),
    (
        "put two plums in the fridge and a book on the sofa, then close the fridge",
        [Literal("inside", "plum", "fridge", 2), Literal("on", "book", "sofa"),
         is_("fridge", "closed", holding="plum", every=True, stage=1)],
    ),
    (
        "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet.",
        [Literal("on", "apple", "kitchen_table"), Literal("inside", "toothbrush", "bathroom_cabinet")],
    ),
    (
        "place 3 plates and two mugs in the dishwasher",
        [Literal("inside", "plate", "dishwasher", 3), Literal("inside", "mug", "dishwasher", 2)],
    ),
    ("Please move the apple_2 to fridge 1!", [Literal("inside", "apple_2", "fridge_1")]),
    ("bring a bellpepper to the coffeetable", [Literal("on", "bell_pepper", "coffee_table")]),
    ("put the knives onto the couch", [Literal("on", "cutlery_knife", "sofa", every=True)]),
    ("put the book in the coffee table", [Literal("on", "book", "coffee_table")]),
    (
        "put a sliced apple and a washed plate in the bowl",
        [
            Literal("inside", "apple", "dish_bowl", 1, frozenset({"sliced"})),
            Literal("inside", "plate", "dish_bowl", 1, frozenset({"clean"})),
        ],
    ),
    ("Turn the TV off; switch on the floor lamp", [is_("television", "off"), is_("floor_lamp", "on")]),
    ("open the fridge, cut the apple and wash the mug", [is_("fridge", "open"), is_("apple", "sliced"), is_("mug", "clean")]),
    ("pick up the mug", [Literal("holds", "mug")]),
    ("put one apple in the fridge and one apple in the fridge", [Literal("inside", "apple", "fridge", 2)]),
    ("put the spectacles on the bookshelf", [Literal("on", "glasses", "bookshelf")]),
    ("put one glasses on the bookshelf", [Literal("on", "glasses", "bookshelf")]),
    ("put all drinking glasses on the sofa", [Literal("on", "water_glass", "sofa", every=True)]),
    ("Make sure that all mugs end up in the dishwasher", [Literal("inside", "mug", "dishwasher", every=True)]),
    ("put every plum in the fridge then close it",
     [Literal("inside", "plum", "fridge", every=True), is_("fridge", "closed", holding="plum", every=True, stage=1)]),
    ("The apple and the plum should be in the fridge, and the fridge must be closed.",
     [Literal("inside", "apple", "fridge"), Literal("inside", "plum", "fridge"), is_("fridge", "closed", holding="apple"),
      is_("fridge", "closed", holding="plum")]),
    ("ensure the tv is off and put a mug on the sofa", [is_("television", "off"), Literal("on", "mug", "sofa")]),
    ("I want two apples in the fridge please", [Literal("inside", "apple", "fridge", 2)]),
    ("there should be at least two plums on the coffee table", [Literal("on", "plum", "coffee_table", 2)]),
    ("make sure to wash a plate and put it on the sofa", [Literal("on", "plate", "sofa", 1, frozenset({"clean"}))]),
    ("keep the fridge closed and leave the dishwasher open", [is_("fridge", "closed"), is_("dishwasher", "open")]),
    ("open the fridge, put an apple in it, then close it",
     [Literal("inside", "apple", "fridge"), is_("fridge", "closed", holding="apple", stage=1)]),
    ("slice the apple and put the slices on the sofa", [Literal("on", "apple", "sofa", 1, frozenset({"sliced"}))]),
    ("get a mug, wash a plate and put them on the sofa",
     [Literal("on", "mug", "sofa"), Literal("on", "plate", "sofa", 1, frozenset({"clean"}))]),
    ("put an apple in the fridge, wash a plate and put it on the sofa",
     [Literal("inside", "apple", "fridge"), Literal("on", "plate", "sofa", 1, frozenset({"clean"}))]),
    ("get two apples and a plum to the coffee table",
     [Literal("on", "apple", "coffee_table", 2), Literal("on", "plum", "coffee_table")]),
    ("move a mug and all books from the bookshelf to the sofa",
     [Literal("on", "mug", "sofa", source="bookshelf"), Literal("on", "book", "sofa", every=True, source="bookshelf")]),
    ("take everything off the sofa", [Literal("away", ANYTHING, "sofa", every=True, source="sofa")]),
    ("wash all the plates", [Literal("is", "plate", None, 1, frozenset({"clean"}), every=True)]),
    ("put a couple of books on the sofa", [Literal("on", "book", "sofa", 2)]),
]


@pytest.mark.parametrize(("text", "literals"), CASES)
def test_sentences(text: str, literals: list[Literal]) -> None:
    goal = parse_goal(text, lexicon())
    assert list(goal.literals) == literals
    assert goal.text == text.strip()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "empty"),
        ("Tidy up", "tidy up"),
        ("put one unicorn in the fridge", "unicorn"),
        ("put one aqle in the fridge", "aqle"),
        ("put the apple on the moon", "moon"),
        ("put the apple", "place"),
        ("put several plums in the fridge", "several"),
        ("put everything in the fridge", "from where"),
        ("switch off everything", "all lights"),
        ("put the apple in the fridge but not the plum", "plum"),
        ("if the fridge is open, close it", "conditions"),
        ("put another apple in the fridge", "in the end"),
        ("put the apple in two fridges", "one place"),
        ("put the apple under the sofa", "under"),
        ("put the mug next to the sofa", "next to"),
        ("put the mug on every sofa", "one place"),
        ("what is in the fridge?", "asks something"),
        ("bring the mug to grandma", "grandma"),
        ("put every mug on a different sofa", "different"),
        ("sit down", "sit down on"),
        ("open the fridge or close the dishwasher", "close the dishwasher"),
        ("put the red apple in the fridge", "red apple"),
        ("x" * 700, "600"),
        ("put the apple on the kitchen", "is a room"),
        ("put it in the fridge", "it"),
        ("open the fridge and put it on the sofa", "it"),
        ("make sure that the apple and the plum", "plum"),
        ("put the apple on the television", "television"),
        ("put in the fridge", "which"),
        ("put 99 apples in the fridge", "99"),
        ("zap the fridge", "zap"),
    ],
)
def test_what_is_wrong_is_named_in_one_line(text: str, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_goal(text, lexicon())
    assert named.lower() in str(caught.value).lower()
    assert "\n" not in str(caught.value)


@given(st.text(max_size=80))
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        goal = parse_goal(text, lexicon())
    except UsageError:
        return
    assert goal.literals


THING = st.sampled_from(THINGS)
PLACE = st.sampled_from([p for p, flags in PLACES.items() if len(flags) == 1])


@given(st.lists(st.tuples(THING, PLACE, st.integers(1, 3)), min_size=1, max_size=3, unique_by=lambda t: t[0]))
def test_what_the_suites_say_is_understood(parts: list[tuple[str, str, int]]) -> None:
    literals = tuple(Literal("inside" if CONTAINER in PLACES[p] else "on", t, p, n) for t, p, n in parts)
    assert parse_goal(sentence(literals), lexicon()).literals == literals


def test_a_home_may_have_the_other_word() -> None:
    couch = Lexicon([Entity("couch_1", "couch", "couch", "furniture", properties=frozenset({SURFACE})),
                     Entity("closet_1", "closet", "closet", "furniture"),
                     Entity("cupboard_1", "cupboard", "cupboard", "furniture")])
    assert couch.find("sofa") == "couch"
    assert couch.find("sofas") == "couch"
    with pytest.raises(UsageError, match="closet or cupboard"):
        couch.find("cabinet")  # two words of this home could be meant


def test_plurals() -> None:
    assert "cherry" in singulars("cherries")
    assert "water glass" in singulars("water glasses")
    assert "kitchen knife" in singulars("kitchen knives")
    assert singulars("moss") == []


@pytest.mark.parametrize("said", ["in/on", "in / on", "on/in", "inside/on", "in or on", "on or in"])
def test_in_or_on_is_inside_a_container_and_on_a_surface(said: str) -> None:
    for place, relation in (("fridge 1", "inside"), ("sofa 2", "on"), ("stove 1", "inside")):
        goal = parse_goal(f"put mug 1 {said} {place}", lexicon())
        assert [(x.predicate, x.subject, x.target) for x in goal.literals] == [(relation, "mug_1", place.replace(" ", "_"))]
