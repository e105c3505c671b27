"""Questions about where something is are recognized and answered from what is known; tasks stay tasks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.app.goal_reading import read_task
from core.goals.parser.questions import asked_about
from core.goals.vocabulary import Lexicon
from core.planning.belief_facets import Belief
from core.planning.whereabouts import where_is
from core.world.vocabulary import Relation
from tests.core.goals.measure_sentences import opened

SCENE = "four-rooms-1"
ASKED = ("where is the {}?", "where's my {}", "have you seen my {}", "do you know where the {} is?", "wheres my {} gone",
         "I can't find my {}, where is it?", "tell me where the {} is", "mum, where did you put the {}?")


def lexicon() -> Lexicon:
    seen = opened(SCENE).reveal()
    return Lexicon(seen.entities, seen.relations)


@pytest.mark.parametrize("form", ASKED)
@pytest.mark.parametrize(("noun", "about"), [("teddy bear", "teddy_bear"), ("remote", "remote_control"), ("fruit", "fruit")])
def test_a_question_says_what_it_is_about(form: str, noun: str, about: str) -> None:
    question = asked_about(form.format(noun), lexicon())
    assert question is not None
    assert (question.about, question.noun) == (about, f"the {noun}")


@pytest.mark.parametrize("text", ["put the mug where the plate is", "close the fridge", "where are you?", "where is my puppy?",
                                  "put the milk back where it belongs", "what is that?", ""])
def test_tasks_and_questions_about_nothing_here_are_none(text: str) -> None:
    assert asked_about(text, lexicon()) is None


def test_a_question_in_place_of_a_task_is_answered_and_a_task_about_it_offered() -> None:
    reading = read_task(opened(SCENE), "where is my teddy bear?", 0).reading
    assert reading.question is not None
    assert str(reading.refusal).startswith("The teddy bear: not seen yet, most likely ")
    assert reading.refusal is not None
    assert reading.refusal.suggestions[0] == "Bring me the teddy bear"
    assert read_task(opened(SCENE), "where is the plate? bring it to me", 0).reading.question is None


def test_the_answer_is_what_was_seen_and_otherwise_what_is_believed() -> None:
    world = opened(SCENE)
    question = asked_about("where is my teddy bear?", lexicon())
    assert question is not None
    seen = world.observe()
    bear = next(e for e in world.reveal().entities if e.cls == "teddy_bear")
    bed = next(e for e in world.reveal().entities if e.cls == "bed")
    found = replace(seen, entities=(*(e for e in seen.entities if e.id != bed.id), bear, bed),
                    relations=(Relation("on", bear.id, bed.id),))
    assert where_is(question, found) == "The teddy bear is on the bed in the bedroom."
    held = replace(found, agent=replace(found.agent, holding=(bear.id,)), relations=())
    assert where_is(question, held) == "The teddy bear is in the robot's hand."
    shares = np.array([[0.75, 0.22, 0.03]])
    none = np.zeros((1, 3), bool)
    belief = Belief(("teddy bear",), ("teddy_bear",), (True,), (None,), (bed.id, "sofa_1", "desk_1"), shares, shares,
                    np.zeros(3, bool), none, none)
    told = where_is(question, seen, belief)
    assert told == "The teddy bear: not seen yet, most likely on the bed (75%), or on sofa 1 (22%)."
