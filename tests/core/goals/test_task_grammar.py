"""The grammar of tasks: tokens keep their place, verbs of a frame mean the same, covers leave no word out."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.app.goal_reading import read_task
from core.common.errors import GoalError
from core.goals.formal_text import formal
from core.goals.parser.cover import covered
from core.goals.parser.tokens import Tokens, tokenized
from core.goals.parser.verb_lexicon import VERB_FORMS, Verb
from core.goals.vocabulary import Lexicon
from tests.core.goals.measure_sentences import opened
from tests.core.goals.test_how_people_say_it import goal, read

FRAMES = {
    # frame/plain verb: the task around the verb, the goal
    "put/put": ("{} the mug in the sink", "inside(mug, sink)"),
    "bring/bring": ("{} the book to the bedroom", "inside(book, bedroom)"),
    "change/slice": ("{} the banana", "is(banana, sliced)"),
    "change/wash": ("{} the plate", "is(plate, clean)"),
    "open/open": ("{} the fridge", "is(fridge, open)"),
    "go/go": ("{} to the bedroom", "robot_in(bedroom)"),
    "sit/sit": ("{} on the sofa", "sitting(sofa)"),
    "act/touch": ("{} the candle", "done(touch, candle)"),
}
ASIDES = ("it's getting late", "my back hurts", "the kids are asleep", "I can't find my shoes", "thanks", "what a mess",
          "mum is ill")
SHORT_TASKS = ("close the fridge", "put the mug in the sink", "the radio should be off", "i want a plate on the kitchen table",
               "two mugs on the desk", "don't open the microwave", "could you wash the plate", "lights out")


def tokens(text: str) -> Tokens:
    seen = opened("four-rooms-1").reveal()
    return tokenized(text, Lexicon(seen.entities, seen.relations))


def verbs_of(frame: str) -> list[Verb]:
    return [verb for verbs in VERB_FORMS.values() for verb in verbs
            if f"{verb.frame}/{verb.plain}" == frame and verb.form == "base"]


@pytest.mark.parametrize("frame", FRAMES)
def test_verbs_of_a_frame_mean_the_same(frame: str) -> None:
    task, expected = FRAMES[frame]
    wrong = {verb.lemma: said for verb in verbs_of(frame) if "_" not in verb.lemma
             and (said := goal(task.format(verb.lemma))) != expected}
    assert len(verbs_of(frame)) > 1
    assert not wrong


@pytest.mark.parametrize("asked", ["could you {}", "please {}", "i want you to {}", "robot, {}", "you must {}",
                                   "would you mind {}",
                                   "it would be lovely if you could {}", "do me a favour and {}", "let's {}"])
def test_a_request_is_the_command_in_it(asked: str) -> None:
    for verb in ("close", "open"):
        form = {"close": "closing", "open": "opening"}[verb] if asked.startswith("would you mind") else verb
        assert goal(asked.format(f"{form} the fridge")) == goal(f"{verb} the fridge")


@given(st.lists(st.sampled_from(SHORT_TASKS + ASIDES), min_size=1, max_size=4), st.sampled_from([". ", "! ", "; "]))
@settings(max_examples=60, deadline=None)
def test_a_cover_has_no_gaps_and_every_task_is_in_it(parts: list[str], stop: str) -> None:
    t = tokens(stop.join(parts))
    cover = covered(t)
    assert not isinstance(cover, int), parts
    covered_tokens = {k for edge, _ in cover for k in range(edge.start, edge.end)}
    assert all(t.is_stop(k) or t.at(k) == "thanks" for k in range(len(t)) if k not in covered_tokens)
    asked = [clause for edge, _ in cover for clause in edge.clauses]
    assert len(asked) == sum(part in SHORT_TASKS for part in parts)


@given(st.text(max_size=80))
@settings(max_examples=80, deadline=None)
def test_tokens_are_in_the_typed_task_in_their_order(text: str) -> None:
    found = tokens(text).tokens
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(a.start <= b.start for a, b in itertools.pairwise(found))


@pytest.mark.parametrize(("text", "expected"), [
    ("the apples in the fridge, after that the bananas",
     "inside(apple, fridge, count=every) then inside(banana, fridge, count=every)"),
    ("the radio should be off and the television too", "is(radio, off) and is(television, off)"),
    ("open the dishwasher and afterwards the fridge", "is(dishwasher, open) then is(fridge, open)"),
    ("wash the plate, then onto the desk", "is(plate, clean) then on(plate, desk)"),
    ("on the desk put two candles", "on(candle, desk, count=2)"),
    ("the book and the mug, both on the desk", "on(book, desk) and on(mug, desk)"),
    ("make sure the radio is off and the fridge is closed", "is(radio, off) and is(fridge, closed)"),
    ("my book must be on the desk, could you bring it", "holds(book, source=desk)"),
    ("both the radio and the television are on, switch them off", "is(radio, off) and is(television, off)"),
])
def test_what_is_left_unsaid_is_completed(text: str, expected: str) -> None:
    assert goal(text) == expected


@pytest.mark.parametrize("text", [
    "put the mug in the sink and sit next to it", "let there be light in the bedroom",
    "lie on the bed no wait that looks silly",
    "bring me the thing for changing channels",
    "put but one apple in the fridge", "i want you to dance, close the fridge", "he refuses to close the fridge",
    "no apples, close the fridge", "close the fridge or the microwave must stay open", "bring the book to John",
    "the fridge should not be opened before you wash the plate", "I hope you did not put the mug in the fridge",
    "I'm not saying you should close the fridge", "you needn't close the fridge", "do not just close the fridge",
    "bring me the mug and tell me a story", "let go of the mug", "did you put the mug in the sink?",
    "you put the mug in the sink yesterday", "I would never put the mug in the sink", "show me how to open the fridge",
    "stop washing the plate", "open everything but the fridge", "put every second book on the desk",
    "put a mug and no plate in the sink", "the plate and not the mug goes in the sink", "do anything but close the fridge",
    "the fridge should be open or the microwave closed", "I don't think you should close the fridge",
])
def test_what_may_mean_something_else_is_refused(text: str) -> None:
    assert read(text).goal is None


def test_a_word_after_a_name_is_corrected_or_refused_and_never_left_out() -> None:
    assert goal("put the mug in the bathroom cabnet") == "inside(mug, bathroom_cabinet)"
    for task, word in (("put the mug in the kitchen xyzzy", "xyzzy"), ("close the fridge blorf", "blorf")):
        refusal = read(task).refusal
        assert refusal is not None
        assert word in str(refusal)


@pytest.mark.parametrize(("text", "expected"), [
    ("have a seat on the sofa", "sitting(sofa)"), ("the book would look nicer on the desk", "on(book, desk)"),
    ("I want the mug on the desk washed", "is(mug, clean, source=desk)"),
    ("trial nine: close the fridge", "is(fridge, closed)"), ("is there any chance I could have an apple?", "holds(apple)"),
    ("plate back in the cabinet", "inside(plate, cabinet)"), ("the plate is not clean, wash it please", "is(plate, clean)"),
    ("close the fridge, he is not allowed to have any", "is(fridge, closed)"),
])
def test_what_is_wished_told_or_permitted(text: str, expected: str) -> None:
    assert goal(text) == expected


@pytest.mark.parametrize("text", [
    "the television must be both on and off", "the fridge must be open and the fridge must also be closed",
    "I want the television on and the television off",
])
def test_wishes_for_opposite_states_are_refused_and_commands_follow_each_other(text: str) -> None:
    with pytest.raises(GoalError, match="cannot both be"):
        read_task(opened("four-rooms-1"), text, 0).goal  # noqa: B018 - it is the property that raises
    assert goal("switch on the television. switch off the television") == "is(television, off)"


@pytest.mark.parametrize("person", ["grandma", "Margaret", "my brother", "the nurse", "her"])
def test_a_person_to_whom_something_goes_is_named_in_the_refusal_and_the_speaker_offered(person: str) -> None:
    refusal = read_task(opened("four-rooms-1"), f"give the book to {person}", 0).reading.refusal
    assert refusal is not None
    assert person.lower() in str(refusal)
    assert refusal.suggestions[0] == "give the book to me"


@pytest.mark.parametrize("person", ["grandma", "Margaret", "my brother", "the nurse", "her"])
@pytest.mark.parametrize("form", ["bring {} the book", "could you hand {} the book?"])
def test_what_a_person_is_given_is_held_for_them_and_told(form: str, person: str) -> None:
    reading = read_task(opened("four-rooms-1"), form.format(person), 0).reading
    assert reading.goal is not None
    assert formal(reading.goal) == "holds(book)"
    assert "nobody to give it to" in {guess.words: guess.taken for guess in reading.guesses}[person.lower()]


@pytest.mark.parametrize(("text", "expected"), [
    ("take the milk out of the fridge and give it to me", "holds(milk, source=fridge)"),
    ("take the milk from the fridge, heat it in the microwave and hand it to me afterwards",
     "holds(milk, states=cooked, source=fridge, by=microwave)"),
    ("there is a pie in the fridge, take it out", "away(pie, fridge)"),
    ("the pears in the fridge, put them on the desk", "on(pear, desk, count=every, source=fridge)"),
    ("The pillows need to come off the bed, I'm on the sofa, so put them there", "on(pillow, sofa, count=every, source=bed)"),
    ("put the candle on the bookshelf... wait, it looks better on the desk, put it there", "on(candle, desk)"),
    ("there's a chicken sitting on the desk, that should be in the fridge", "inside(chicken, fridge, source=desk)"),
    ("the toaster is free, so slice the bread and toast it", "is(bread_slice, cooked+sliced, by=toaster)"),
    ("close the fridge, visitors need somewhere to sit", "is(fridge, closed)"),
    ("turn the ligths off", "is(light, off, count=every)"),
    ("wash every one of the plates", "is(plate, clean, count=every)"),
    ("the plates are dirty, wash every one of them", "is(plate, clean, count=every)"),
])
def test_what_is_held_lies_or_is_told_in_the_words_around_it(text: str, expected: str) -> None:
    assert goal(text) == expected


@pytest.mark.parametrize("liquid", ["coffee", "some water", "hot tea"])
def test_liquid_in_a_vessel_fills_it(liquid: str) -> None:
    for form in ("put {} in the mug", "{} in the mug please", "pour {} into the mug"):
        assert goal(form.format(liquid)) == "is(mug, filled)"


def test_a_word_after_a_wish_that_nobody_understands_is_named() -> None:
    for task in ("I'd like the plum a bit wobblier", "I want the radio on the desk right now wobblier"):
        refusal = read(task).refusal
        assert refusal is not None
        assert "wobblier" in str(refusal)


@pytest.mark.parametrize("text", ["the fridge is not to be opened, close it", "she is not allowed to open the fridge",
                                  "he should not have the fridge open"])
def test_a_negation_about_things_is_never_a_remark(text: str) -> None:
    assert read(text).goal is None
