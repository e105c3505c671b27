"""An action that ScienceWorld's engine rejects is no success; what is read or seen is no refusal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.world.vocabulary import Action
from sim.scienceworld import java_process
from sim.scienceworld.sentences import missing_for
from sim.scienceworld.simulator import ScienceWorldSimulator

NEEDED = pytest.mark.skipif(bool(java_process.unavailable()), reason=java_process.unavailable() or "all here")
NAMES = ("table", "glass cup", "door to the kitchen", "substance called water", "red wire's terminal 1")
REJECTED = (
    "No known action matches that input.", "I'm not sure what that means", "<unknown catch>",
    "Unknown action.  Type 'help' for a list of actions, and 'objects' for a list of possible object referents. ",
    "Ambiguous request: Please enter the number for the action you intended (or blank to cancel):\n0:\tpick up cup\n1:\tpick",
    "ERROR: Unknown response (look).  Action cancelled.", "ERROR: Value out of range (9).  Action cancelled.",
    "The {0} appears broken, and can't be activated or deactivated.", "The {0} is not something that can be activated.",
    "The {0} is already activated.", "The {0} is already deactivated.", "Something can't be connected to itself.",
    "It's not clear how to connect something to {0}", "You must disconnect entire objects (such as {0}) instead of just single "
    "terminals", "It's not clear how to disconnect that",
    "{0} on {1} is already connected, and must be disconnected before it can be connected to something else",
    "{0} is already connected, and must be disconnected before it can be connected to something else",
    "Connections must specify specific points of contact on polarized electrical components (e.g. anode, cathode)",
    "Connections must specify specific points of contact on unpolarized electrical components (e.g. terminal 1, terminal 2)",
    "The {0} is not edible.", "It's not clear how to flush that.", "That is already flushing.",
    "<ERROR> The agent is not in a container (this should never happen)", "<ERROR> Invalid agent.",
    "The {0} isn't open, so you can't see inside.", "It's not clear how to look inside of that.", "The {0} is not moveable.",
    "You can't move something into itself.",
    "You can't pick up a liquid directly.  Try pouring it from one container to another, "
    "or dunking empty containers into containers filled with the liquid.", "You can't pick up a gas directly.",
    "That can't be moved there.", "That can't be moved there, because the {0} isn't open.",
    "That object already appears to be in the inventory.", "That object does not appear to be in the inventory.",
    "The {0} can't be poured out because it doesn't appear to be in a container.", "The {0} the {1} is in is not movable.",
    "The {0} can't be poured out, because it's not open.", "I'm not sure how to pour a solid. ",
    "You can't pour a gas directly. ", "The {0} is locked.", "The {0} is not currently passable.",
    "That can't be moved there, because it's not a container.", "The {0} is empty, so there's nothing to pour.",
    "You can't dunk something into itself.", "The {0} is not open.", "The {0} is not a container.",
    "The {0} does not contain any liquids to dunk into.", "The liquids in {0} aren't able to move.",
    "The door is not open.", "The door doesn't appear to go anywhere.", "It's not clear how to get there from here.",
    "Its not clear how to go to/through a {0}.", "Its not clear how to go to {0}.", "The {0} is already open.",
    "The {0} is not openable.", "The {0} is already closed.", "The {0} is not closeable.", "It's not clear how to read that.",
    "I'm not sure how to use those two things together.", "I'm not sure how to use the {0}. ",
)
"""Every text that an action of the engine returns with false, and those of its parser."""
DONE = (
    "The {0} is now activated.", "The {0} is now deactivated.", "The {0} is now open.", "The {0} is now closed.",
    "You move the {0} to the {1}.", "You move to the {0}.", "You pour the contents of the {0} into the {1}.",
    "You focus on the {0}.", "You decide to wait for 10 iterations.", "The {0} was delicious.", "The {0} is now flushing.",
    "{0} has been disconnected", "{0} on {1} is now connected to {0} on {1}", "the thermometer measures 10 degrees",
    "You dunk the {0} into the {1}.", "The {0} and {1} mix to produce salt water.",
    "This room is called the kitchen. In it, you see: \n\tthe agent\n\ta door (that is closed). The {0} is not open.",
    "The book says: The {0} is not moveable.",
    "Mixing the contents of the {0} does not appear to produce anything new.",
)


@pytest.mark.parametrize("text", REJECTED)
def test_every_refusal_of_the_engine_is_one(text: str) -> None:
    for name in NAMES:
        assert missing_for(text.format(name, "wood cupboard")), text


@pytest.mark.parametrize("text", DONE)
def test_what_was_done_is_no_refusal(text: str) -> None:
    for name in NAMES:
        assert missing_for(text.format(name, "wood cupboard")) == "", text


@given(st.sampled_from(REJECTED), st.from_regex(r"[a-c]{1,9}(: ?\n?[a-c]{1,9}){0,3}", fullmatch=True), st.booleans())
def test_a_text_that_quotes_a_refusal_is_none(text: str, more: str, before: bool) -> None:
    quoted = f"You read: {more}: {text}" if before else f"It says {text} {more}"
    assert missing_for(quoted) == ""


@pytest.fixture(scope="module")
def boiling() -> Iterator[ScienceWorldSimulator]:
    with ScienceWorldSimulator.open("boil", {}) as world:
        yield world


@NEEDED
@pytest.mark.parametrize(("sentence", "missing"), [
    ("pick up sink", "moveable"), ("fly to the moon", "sentence"), ("open table", "made for it"), ("go kitchen", "open"),
    ("eat table", "made for it"), ("activate table", "made for it"), ("read table", "made for it"),
])
def test_the_engine_s_refusals_are_no_successes(boiling: ScienceWorldSimulator, sentence: str, missing: str) -> None:
    boiling.reset(0)
    boiling.step(Action("do", ("open door to kitchen",)))
    boiling.step(Action("do", ("go kitchen",)))
    boiling.step(Action("do", ("close door to hallway",)))
    outcome = boiling.step(Action("do", (sentence if sentence != "go kitchen" else "go hallway",)))
    assert not outcome.ok
    assert outcome.precondition == missing
    assert outcome.reason
