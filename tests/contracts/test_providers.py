"""What every provider promises, whichever it is. A new one is taken up by its line in the registry or its entry point."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator, Mapping

import pytest

from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError, MissingPart, ModelError, UsageError
from core.llm.model import PROVIDERS, LanguageModel, open_model
from core.planners.registry import PLANNERS, planner_class
from core.planning import offline_answers
from core.planning.model_requests import Expects, Message, ModelReply, ModelRequest
from core.planning.prompt_facts import GoalFacts, ObjectPositionsFacts, PlaceFact, PlaceRoomsFacts
from core.recording.types import FACTS
from tests.loopback.chat_server import ChatServer, serving
from tests.waiting import PATIENCE

PLACES = (PlaceFact("fridge_1", "fridge", "kitchen_1", "kitchen", True),
          PlaceFact("table_1", "table", "kitchen_1", "kitchen", False))
PLAIN = ModelRequest("policy", (Message("user", "What is next?"),), "next")
CHOICE = ModelRequest("policy", (Message("user", "Which?"),), "next",
                      expects=Expects(choices=("open the fridge", "close the fridge")))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving() as found:
        yield found


def opened(name: str, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> LanguageModel:
    """A provider that can answer here, or a skip with what is missing."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    options: Mapping[str, Mapping[str, str]] = {"openai": {"base_url": server.base_url, "model": "m", "timeout": "20"}}
    try:
        return open_model(name, options.get(name, {}))
    except (MissingPart, UsageError) as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", PROVIDERS)
def test_it_says_what_it_is(name: str) -> None:
    cls = PROVIDERS.load(name)
    assert inspect.isclass(cls)
    assert issubclass(cls, LanguageModel)
    assert cls.name == name
    assert (cls.__doc__ or "").strip()


@pytest.mark.parametrize("name", PROVIDERS)
def test_unknown_settings_are_named_in_one_line(name: str) -> None:
    with pytest.raises(BelvedereError) as caught:
        open_model(name, {"no such setting": "1"})
    assert "\n" not in str(caught.value)


def answer_or_reason(model: LanguageModel, ask: ModelRequest, cancelled: Cancellation) -> ModelReply | str:
    try:
        return model.answer(ask, cancelled)
    except ModelError as error:
        return str(error)


@pytest.mark.parametrize("name", PROVIDERS)
def test_it_answers_or_says_why_not(name: str, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    model = opened(name, server, monkeypatch)
    assert model.source
    assert "sk-planted" not in model.source
    for ask in (PLAIN, CHOICE):
        gave_up = Cancellation()
        timer = threading.Timer(0.3, gave_up.set)  # a person never answers here
        timer.start()
        reply = answer_or_reason(model, ask, gave_up)
        timer.cancel()
        if isinstance(reply, ModelReply):
            assert reply.is_model == model.is_model
            assert reply.source == model.source
        else:
            assert reply
            assert "\n" not in reply
    model.close()
    model.close()


@pytest.mark.parametrize("name", PROVIDERS)
def test_nobody_is_kept_waiting(name: str, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    model = opened(name, server, monkeypatch)
    cancelled, ended = Cancellation(), threading.Event()
    cancelled.set()

    def ask() -> None:
        answer_or_reason(model, PLAIN, cancelled)
        ended.set()

    threading.Thread(target=ask, daemon=True).start()
    assert ended.wait(PATIENCE)
    model.close()


FAMILIES = (
    ObjectPositionsFacts("apple", PLACES), PlaceRoomsFacts("fridge", ("kitchen", "bathroom")),
)


@pytest.mark.parametrize("facts", FAMILIES, ids=lambda f: type(f).__name__)
def test_commonsense_answers_from_the_facts_alone(facts: object) -> None:
    """The words of the prompt are not read: the facts are what the prompt was made of."""
    messages = (Message("user", "Put the apple in the fridge"),)
    with_words = open_model("commonsense", {}).answer(ModelRequest("a", messages, facts=facts),
                                                      Cancellation())
    without = open_model("commonsense", {}).answer(ModelRequest("b", (Message("user", ""),), facts=facts), Cancellation())
    assert with_words.texts == without.texts
    assert with_words.texts[0]
    assert not with_words.is_model


def test_commonsense_repeats_itself() -> None:
    model = open_model("commonsense", {})
    ask = ModelRequest("positions", (Message("user", "?"),), facts=FAMILIES[0], samples=50)
    first = model.answer(ask, Cancellation())
    assert len(first.texts) == 50
    assert model.answer(ask, Cancellation()) == first


def test_commonsense_knows_every_family_that_a_recording_may_hold() -> None:
    """A family of prompts nobody can answer offline would end every offline run that asks it. No run asks `GoalFacts`."""
    for name in PLANNERS:
        planner_class(name)  # a planner's package registers its rules
    answered = {kind.__name__ for kind in offline_answers.answered()} | {ObjectPositionsFacts.__name__}
    helpers = {"PlaceFact", "ThingFact", "Word"}
    only_models = {GoalFacts.__name__}
    families = {c.__name__ for c in FACTS if c.__name__.endswith("Facts")}
    assert families >= {"PolicyFacts", "GoalFacts", "ProgramFacts", "MonologueFacts"}
    assert families - helpers - only_models <= answered
    assert not only_models & answered
