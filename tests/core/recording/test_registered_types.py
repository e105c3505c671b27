"""Facts of other packages: recorded if an offline answer is registered for them, refused if they could not be read again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from core.common.errors import DataError
from core.planning import offline_answers
from core.planning.model_requests import Message, ModelRequest
from core.recording.codec import Codec
from core.recording.types import is_registered
from core.world.vocabulary import Action


@dataclass(frozen=True)
class Part:
    action: Action
    weight: float | None = None


@dataclass(frozen=True)
class HuntFacts:
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class OddFacts:
    anything: object


@dataclass(frozen=True)
class CountFacts:
    seen: tuple[str, ...]
    tally: np.ndarray


@dataclass(frozen=True)
class ArrayFacts:
    tally: npt.NDArray[np.int64]


def _named_as_ours() -> type:
    """Returns a class of another package that has the name of one of ours."""
    return dataclass(frozen=True)(type("GoalFacts", (), {"__annotations__": {"text": str}}))


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> type:
    monkeypatch.setattr(offline_answers, "_RULES", dict(offline_answers._RULES))
    ours = _named_as_ours()
    for facts in (HuntFacts, OddFacts, CountFacts, ArrayFacts, ours):
        offline_answers.register(facts, lambda facts, ask, prior: "")
    return ours


def asked(facts: object) -> ModelRequest:
    return ModelRequest("hunt", (Message("user", "Where?"),), facts=facts)


def test_facts_with_an_offline_answer_are_recorded_with_their_parts(registered: type) -> None:
    ask = asked(HuntFacts((Part(Action("open", ("fridge_1",)), 0.5), Part(Action("scan")))))
    codec = Codec()
    assert codec.loads(codec.encode(ask), ModelRequest) == codec.loads(codec.dumps(ask), ModelRequest) == ask


def test_what_could_not_be_read_again_is_refused(registered: type) -> None:
    hidden: Any = registered
    for facts, why in ((hidden("put the apple on the table"), "of a name that Belvedere does not use"),
                       (OddFacts(3), "its field anything is annotated object: use str, int")):
        assert not is_registered(type(facts))
        with pytest.raises(DataError, match=why):
            Codec().encode(asked(facts))


def test_an_array_of_no_kind_of_number_is_refused_when_it_is_written(registered: type) -> None:
    codec = Codec()
    with pytest.raises(DataError, match=r"a CountFacts .*: its field tally is annotated ndarray: use .*NDArray"):
        codec.encode(asked(CountFacts((), np.zeros(3))))
    again = codec.loads(codec.encode(asked(ArrayFacts(np.arange(3)))), ModelRequest)
    assert isinstance(again.facts, ArrayFacts)
    assert again.facts.tally.tolist() == [0, 1, 2]
