"""The operator and recordings as answerers, and the registry."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from core.common.cancellation import Cancellation
from core.common.errors import DataError, MissingPart, ModelError, UsageError
from core.llm.human import Human
from core.llm.model import PROVIDERS, open_model
from core.llm.replay import Replay, save_replies
from core.planning.model_requests import ModelReply
from tests.core.llm.common import ask, never


def test_the_operator_answers() -> None:
    human, replies = Human(), []
    threads = [threading.Thread(target=lambda: replies.append(human.answer(ask(samples=2), never()))) for _ in range(2)]
    for thread in threads:
        thread.start()
    while len(human.pending()) < 2:
        threading.Event().wait(0.001)
    key = human.pending()[0][0]
    assert key == ask(samples=2).key("human")
    assert not human.reply("no such key", "x")
    assert human.reply(key, "first")
    assert human.reply(key, "second")
    for thread in threads:
        thread.join()
    assert sorted(r.texts for r in replies) == [("first",) * 2, ("second",) * 2]
    assert not any(r.is_model for r in replies)
    assert human.pending() == ()
    assert not human.reply(key, "too late")


@pytest.mark.parametrize("closes", [False, True])
def test_a_withdrawn_question_waits_for_nobody(closes: bool) -> None:
    human, cancelled = Human(), Cancellation()
    threading.Timer(0.02, human.close if closes else cancelled.set).start()
    with pytest.raises(ModelError) as caught:
        human.answer(ask(), cancelled)
    assert caught.value.kind == "cancelled"
    assert human.pending() == ()


def test_a_recording_answers_in_order() -> None:
    key = ask().key("openai m")
    replay = Replay({key: [ModelReply(("one",), "openai m"), ModelReply(("two",), "openai m")]})
    assert [replay.answer(ask(), never()).texts[0] for _ in range(3)] == ["one", "two", "two"]
    assert (replay.source, replay.answer(ask(), never()).source) == ("replay of openai m", "openai m")


def test_what_was_not_recorded_is_refused() -> None:
    replay = Replay({ask().key("a"): ModelReply(("x",), "a"), ask("b").key("b"): ModelReply(("y",), "b")})
    assert replay.source == "replay"
    with pytest.raises(ModelError, match="no such question") as caught:
        replay.answer(ask("something else", subject="milk"), never())
    assert (caught.value.kind, caught.value.retry) == ("refused", False)


def test_a_recording_in_a_file(tmp_path: Path) -> None:
    full = ModelReply(("\ud800 \n ü", ""), "openai m", (("a", -0.5),), True, False, 1.5, 3, 4, "note")
    path = tmp_path / "replies.jsonl"
    path.write_text("an older file")
    save_replies(path, [(ask().key("openai m"), replace(full, texts=("old",))), (ask().key("openai m"), full)])
    replay = open_model("replay", {"file": str(path)})
    assert replay.answer(ask(), never()).texts == ("old",)
    assert replay.answer(ask(), never()) == full


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"key": "x"}', '{"key": "x", "reply": {"texts": "no", "source": "s"}}',
                                  '{"key": "x", "reply": {"texts": [], "source": "s", "scores": [1]}}',
                                  '{"key": "x", "reply": {"texts": [], "source": "s", "tokens_in": "many"}}', "[" * 100_000])
def test_a_damaged_recording(line: str, tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text("\n" + line + "\n")
    with pytest.raises(DataError, match="line 2"):
        Replay(path)
    with pytest.raises(UsageError, match="line 2"):
        open_model("replay", {"file": str(path)})


def test_opening_by_name(tmp_path: Path) -> None:
    assert open_model("human", {}).source == "human"
    with pytest.raises(UsageError, match="did you mean 'human'"):
        open_model("humann", {})
    with pytest.raises(UsageError, match="unknown parameter"):
        open_model("human", {"patience": "none"})
    with pytest.raises(UsageError, match="which recording"):
        open_model("replay", {})
    with pytest.raises(MissingPart, match="no recording"):
        open_model("replay", {"file": str(tmp_path / "none")})
    assert set(PROVIDERS) == {"commonsense", "openai", "local", "human", "replay"}
