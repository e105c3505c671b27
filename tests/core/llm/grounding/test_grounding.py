"""From what models say to what can be done."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import MissingPart
from core.goals.vocabulary import SYNONYMS
from core.llm.embeddings import MiniLM, Vectors
from core.llm.grounding import Match, alike_to, ground, ground_action
from core.world.vocabulary import Action

NAMES = ("kitchen_table", "fridge", "bathroom_cabinet", "kitchen_cabinet", "cutlery_fork", "cutlery_knife", "sofa",
         "kitchen_counter")
THINGS = ("apple 1", "apple 2", "fridge", "kitchen table", "cutlery knife", "plate", "dishwasher", "mug")
VERBS = (("walk_to", "walk to the {}"), ("grab", "grab the {}"), ("open", "open the {}"), ("close", "close the {}"))
ACTIONS = [(Action(verb, (thing,)), phrase.format(thing)) for verb, phrase in VERBS for thing in THINGS] + [
    (Action("put_in", ("apple 1", "fridge")), "put the apple 1 inside the fridge"),
    (Action("put_on", ("apple 1", "kitchen table")), "put the apple 1 on the kitchen table"),
    (Action("switch_on", ("lamp",)), "switch on the lamp"), (Action("switch_off", ("lamp",)), "switch off the lamp"),
    (Action("done"), "done")]


@pytest.mark.parametrize(("text", "candidate", "how"), [
    ("kitchen_table", "kitchen_table", "exact"), ("the Kitchen Tables", "kitchen_table", "normalised"),
    ("kitchentable", "kitchen_table", "normalised"), ("KitchenTable", "kitchen_table", "normalised"),
    ("couch", "sofa", "synonym"),
    ("Inside fridge.", "fridge", "normalised"), ("a refrigerator", "fridge", "synonym"), ("refrigerators", "fridge", "synonym"),
    ("the fork", "cutlery_fork", "synonym"), ("soffa", "sofa", "edit"), ("table", "kitchen_table", "part"),
    ("On kitchen counter, Inside fridge", "kitchen_counter", "normalised"), ("microwave", None, "none"), ("", None, "none"),
])
def test_names(text: str, candidate: str | None, how: str) -> None:
    match = ground(text, NAMES)
    assert (match.candidate, match.how) == (candidate, how)


def test_a_name_that_could_be_two_says_so() -> None:
    match = ground("cabinet", NAMES)
    assert {match.candidate, match.runner_up} == {"bathroom_cabinet", "kitchen_cabinet"}
    assert match.score == match.runner_up_score < 0.8


def test_a_synonym_is_not_used_where_the_word_itself_is() -> None:
    assert ground("take the cup", ("mug", "cup")).candidate == "cup"
    assert ground("the cup", ("mug", "plate")).candidate == "mug"


@pytest.mark.parametrize(("text", "action", "how"), [
    ("grab the apple 2", "grab apple 2", "exact"), ("Grab apple 2.", "grab apple 2", "normalised"),
    ("Next actions: grab the apple, walk to the fridge, open the fridge", "grab apple 1", "normalised"),
    ("1. **Open the fridge**\n2. Grab the plate", "open fridge", "normalised"),
    ("- open fridge\n- grab plate", "open fridge", "normalised"),
    ("Goal: put one apple inside the fridge\nCompleted actions: walk to the kitchen table\nNext actions: open fridge.",
     "open fridge", "normalised"),
    ("I see that I did walk to the fridge. The best next action is to \"grab the plate\"!", "grab plate", "normalised"),
    ("I would take the cup", "grab mug", "synonym"), ("turn off the lamp", "switch_off lamp", "synonym"),
    ("swich off the lmp", "switch_off lamp", "edit"), ("place apple in refrigerator", "put_in apple 1 fridge", "synonym"),
    ("put the aple on kitchentable", "put_on apple 1 kitchen table", "edit"),
    ("You should not open the fridge; instead grab the plate.", "grab plate", "normalised"),
    ('{"action": "grab", "object": "plate"}', "grab plate", "normalised"),
    ('{"thought": "I must open the fridge later", "action": "walk to the plate"}', "walk_to plate", "normalised"),
    ('Sure: ["open the fridge", "grab the plate"]', "open fridge", "normalised"),
    ("pick up the knife", "grab cutlery knife", "synonym"), ("walk to the red apple 2", "walk_to apple 2", "normalised"),
    ("Done.", "done", "normalised"),
    ("First, go to the fridge and then open it.", "walk_to fridge", "synonym"), ("grab the apple 7", "grab apple 1", "edit"),
])
def test_actions(text: str, action: str, how: str) -> None:
    match = ground_action(text, ACTIONS)
    assert (str(match.candidate), match.how) == (action, how)


@pytest.mark.parametrize("text", ["", "   ", "!!!", "nimm den Apfel", "пойди на кухню", "冷蔵庫を開けて", "heat the soup", "{}",
                                  "null", "🙂" * 50, "the the the", "1 2 3"])
def test_what_means_nothing_here_is_none(text: str) -> None:
    match = ground_action(text, ACTIONS)
    assert (match.candidate, match.how) == (None, "none")
    assert match.score < 0.7


def test_a_near_miss_is_told() -> None:
    match = ground_action("grab the spaceship", ACTIONS)
    assert match.candidate is None
    assert match.runner_up is not None
    assert match.score == match.runner_up_score > 0


def test_an_opposite_is_no_typing_error() -> None:
    only_on = [pair for pair in ACTIONS if pair[0].verb == "switch_on"]
    assert ground_action("switch off the lamp", only_on).how == "none"
    assert ground_action("close the fridge", [(Action("open", ("fridge",)), "open the fridge")]).how == "none"


def test_one_action_by_its_number() -> None:
    match = ground_action("grab the apple", ACTIONS)
    assert (str(match.candidate), str(match.runner_up)) == ("grab apple 1", "grab apple 2")
    assert match.score == match.runner_up_score


@pytest.mark.parametrize("unit", ["lorem ipsum ", "grap the appl, ", "a", "[", '{"a":', "\n,", "1 ", "open ", " ", '"', "- ",
                                  "**", "\n", "not "])
def test_a_megabyte_is_no_trouble(unit: str) -> None:
    text = unit * (10**6 // len(unit))
    assert ground_action(text, ACTIONS).how in ("none", "edit")
    assert ground(text, NAMES).how == "none"
    assert ground_action(text + "\nNext action: grab the plate", ACTIONS).candidate == Action("grab", ("plate",))


@given(st.text(max_size=200))
def test_any_text_gives_a_sound_match(text: str) -> None:
    matches: list[Match[Action] | Match[str]] = [ground_action(text, ACTIONS), ground_action(text, []), ground(text, NAMES),
                                                 ground(text, ["", "the", *NAMES])]
    for match in matches:
        assert 0 <= match.runner_up_score <= match.score <= 1
        assert (match.candidate is None) == (match.how in ("none", "refused"))


@given(st.sampled_from(ACTIONS), st.sampled_from(["", "Sure! ", "Next actions: ", "1. ", "> ", "I will ", "```\n"]),
       st.sampled_from(["", ".", ", walk to the sofa", "\nBecause it is there.", "!"]), st.booleans())
def test_a_phrase_is_found_in_any_dressing(pair: tuple[Action, str], before: str, after: str, shouted: bool) -> None:
    said = before + (pair[1].upper() if shouted else pair[1]) + after
    assert ground_action(said, ACTIONS).candidate == pair[0]


@given(st.sampled_from(sorted(SYNONYMS.items())))
def test_every_synonym_of_the_lexicon_is_understood(pair: tuple[str, str]) -> None:
    assert ground(f"the {pair[0]}", [pair[1], "spaceship"]).candidate == pair[1]


class Colours:
    """An embedder that knows colours only."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        table = {"red": (1.0, 0.0), "crimson": (0.9, 0.436), "sky": (0.1, 0.995), "blue": (0.0, 1.0),
                 "rust": (0.4, 0.0)}
        return np.array([table.get(text, (-1.0, 0.0)) for text in texts], np.float32)


@pytest.mark.parametrize(("text", "candidate", "score"), [("crimson", "red", 0.9), ("sky", "blue", 0.995),
                                                          ("so so, crimson, sky", "red", 0.9)])
def test_embeddings_come_last(text: str, candidate: str, score: float) -> None:
    alike = alike_to(text, ("red", "blue"), Colours())
    assert ground("reds", ("red", "blue"), alike).how == "normalised"
    match = ground(text, ("red", "blue"), alike)
    assert (match.candidate, match.how) == (candidate, "embedding")
    assert match.score == pytest.approx(score)


def test_an_unlikely_embedding_is_none_but_told() -> None:
    match = ground("rust", ("blue", "red"), alike_to("rust", ("blue", "red"), Colours()))
    assert (match.candidate, match.how, match.runner_up) == (None, "none", "red")
    assert match.score == match.runner_up_score == pytest.approx(0.4)
    match = ground("spam", ("blue", "red"), alike_to("spam", ("blue", "red"), Colours()))
    assert (match.candidate, match.how, match.score, match.runner_up) == (None, "none", 0.0, None), "nothing is near"


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    model = MiniLM()
    try:
        model.encode(["apple"])
    except MissingPart as missing:
        pytest.skip(str(missing))
    return model


def test_minilm_for_real(minilm: MiniLM) -> None:
    vectors = minilm.encode(["kitchen table", "fridge", "kitchen table"])
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert np.array_equal(vectors[0], vectors[2])
    assert minilm.encode([]).shape == (0, 384)
    places = ("kitchen_table", "fridge", "sofa")
    match = ground("cold cupboard", places, alike_to("cold cupboard", places, minilm))
    assert (match.candidate, match.how) == ("fridge", "embedding")
    assert 0 < match.score < 1
    some = [a for a in ACTIONS if a[0].args in (("plate",), ("fridge",))]
    action = ground_action("Gather up the dish", some, alike_to("Gather up the dish", [phrase for _, phrase in some], minilm))
    assert action.how in ("embedding", "none")
