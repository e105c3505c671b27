"""Where something is, from a model's own words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.llm.embeddings import Vectors
from core.llm.grounding import alike_to, ground, ground_action, ground_places, ground_rooms
from core.world.vocabulary import Action
from tests.core.llm.grounding.scoring import WORLDS, Spot, spots

PHRASES = [(world, k, phrase) for world, offers in WORLDS.items() for k, phrase in enumerate(offers["positions"])]
HOME = [Spot("fridge", "kitchen", True), Spot("kitchen table", "kitchen", False), Spot("sink", "kitchen", True),
        Spot("sink", "bathroom", True), Spot("bookshelf", "bedroom", True), Spot("bookshelf", "bedroom", False),
        Spot("desk", "bedroom", False), Spot("coffee machine", "kitchen", True)]


def found(text: str) -> list[tuple[int, ...]]:
    return [answer.spots for answer in ground_places(text, HOME).answers]


@given(st.sampled_from(PHRASES),
       st.sampled_from(["", "Answer: ", "**", "1. ", "- ", "I think it is ", "> ", '"', "The answer is: "]),
       st.sampled_from(["", ".", "!", "**", '"', "\nBecause it is usual.", " <|im_end|>"]), st.booleans())
def test_a_place_on_offer_is_found_in_any_dressing(one: tuple[str, int, str], before: str, after: str, shouted: bool) -> None:
    world, index, phrase = one
    said = before + (phrase.upper() if shouted else phrase) + after
    places = ground_places(said, spots(WORLDS[world]["positions"]))
    assert places.answers[0].spots == (index,), said
    assert len(places.answers) == 1


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    places = ground_places(text, HOME, [0.0] * len(HOME))
    assert (places.how in ("none", "refused")) == (not places.answers)
    assert all(len(a.spots) > 0 and 0 < a.score <= 1 and max(a.spots) < len(HOME) for a in places.answers)
    assert ground_places(text, []).answers == ()


@pytest.mark.parametrize(("text", "answers"), [
    ("In the fridge or on the kitchen table", [(0,), (1,)]),
    ("on the kitchen table, sometimes in the refrigerator", [(1,), (0,)]),
    ("not in the fridge but on the table", [(1,)]), ("It isn't in the fridge. It is on the table.", [(1,)]),
    ("on the table instead of the fridge", [(1,)]), ("never in the fridge", []),
    ("in the sink", [(2, 3)]), ("in the bathroom sink", [(3,)]), ("In the bathroom, in the sink", [(3,)]),
    ("the sink, in the kitchen", [(2,)]), ("in the bookcase", [(4,)]), ("on the bookcase", [(5,)]), ("the bookcases", [(4, 5)]),
    ("beside the sink in the bathroom, on the desk", [(6,), (3,)]), ("in the bathroom", [(3,)]),
    ("a shelf of the fridge", [(0,)]), ("the desk drawer", [(6,)]), ("in the washing machine", []), ("in the garage", []),
    ("Answer: Inside fridge.\nQuestion: what are the possible positions of soap?\nAnswer: On desk.", [(0,)]),
    ("Soap is used at the sink. Answer: on the desk", [(6,), (2, 3)]),
])
def test_first_the_answer_then_what_else_is_said(text: str, answers: list[tuple[int, ...]]) -> None:
    assert found(text) == answers


@pytest.mark.parametrize("text", ["As an AI, I cannot know.", "I don't know where it is.", "None of these.", "unknown", "N/A"])
def test_a_refusal_lands_nowhere_whatever_embeddings_say(text: str) -> None:
    places = ground_places(text, HOME, [0.9] * len(HOME))
    assert (places.answers, places.how) == ((), "refused")
    assert ground_action(text, [(Action("open", ("fridge",)), "open the fridge")], [0.9]).how == "refused"


def test_what_is_denied_is_told_as_the_nearest() -> None:
    places = ground_places("never in the fridge", HOME)
    assert (places.nearest, places.how) == ((0,), "none")
    assert places.nearest_score > 0.9


def test_embeddings_speak_only_where_no_word_does() -> None:
    alike = [0.1] * (len(HOME) - 1) + [0.8]
    assert ground_places("where one brews", HOME, alike).answers[0].spots == (7,)
    assert ground_places("where one brews", HOME, [0.4] * len(HOME)).answers == ()
    assert ground_places("in the frigde", HOME, alike).answers[0].spots == (0,), "spelling comes before embeddings"
    assert ground_places("in the frigde", HOME, alike).how == "edit"


@pytest.mark.parametrize(("text", "rooms"), [
    ("kitchen, living room", (0, 1)), ("In the lounge.", (1,)), ("Not in the kitchen, but in the bathroom", (2,)),
    ("Answer: livingroom", (1,)), ("garage", ()), ("", ()),
])
def test_rooms(text: str, rooms: tuple[int, ...]) -> None:
    assert ground_rooms(text, ["kitchen", "living room", "bathroom"]) == rooms


class Same:
    """An embedder that finds all alike."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 1), np.float32)


@pytest.mark.parametrize("text", ["As an AI, I cannot know.", "open the window", "close the fridge"])
def test_what_the_words_settle_is_not_compared_by_meaning(text: str) -> None:
    offered = ["open the fridge", "open the cabinet", "walk to the sofa"]
    alike = alike_to(text, offered, Same())
    assert len(alike) == 3, "it was compared: nobody is told that embeddings are missing"
    match = ground_action(text, list(enumerate(offered)), alike)
    assert (match.candidate is None) == (text != "open the window")
    assert alike[2] == -1.0


def test_another_thing_of_the_same_last_word_is_not_meant() -> None:
    assert ground("washing machine", ("coffee_machine", "sofa")).candidate is None
    assert ground("vanity cabinet", ("cabinet", "sofa")).candidate == "cabinet"
