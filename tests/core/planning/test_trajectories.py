"""Expert trajectories as lines of JSON, and which of them are told for a task."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import DataError
from core.goals.literals import Literal
from core.llm.stack import similarity_reply
from core.planning.expert_shots import likeness_ask, likeness_of, most_alike, retrieval_set, retrieved
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.observation_text import observation_text
from core.planning.trajectories import Step, Trajectory, line_of, parsed, read_trajectories
from core.world.vocabulary import AgentState, Entity, Observation, Relation

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=30)
LITERALS = st.builds(Literal, st.sampled_from(["inside", "on"]), WORDS, WORDS, st.integers(1, 10))
TRAJECTORIES = st.builds(
    Trajectory, st.integers(0, 9999), st.integers(0, 1999), WORDS, st.integers(0, 2**62), WORDS,
    st.lists(LITERALS, min_size=1, max_size=4).map(tuple),
    st.lists(st.builds(Step, WORDS, WORDS, WORDS), min_size=1).map(tuple))
ONE = Trajectory(3, 3, "four-rooms-1", 7, "Put one apple on the bed", (Literal("on", "apple", "bed"),),
                 (Step("the bed is inside the bedroom.", "walk bed_1", "walk to the bed"),))


@given(TRAJECTORIES)
def test_a_line_is_read_as_it_was_written(t: Trajectory) -> None:
    line = line_of(t)
    assert "\n" not in line
    assert parsed(line, "here") == t


@pytest.mark.parametrize(("change", "named"), [
    ({"id": -1}, "id"), ({"id": "1"}, "id"), ({"seed": 1.5}, "seed"), ({"steps": []}, "steps"),
    ({"steps": [{}]}, "observation"),
    ({"goal": []}, "goal"), ({"goal": [{"relation": "near"}]}, "relation"), ({"instruction": ""}, "instruction"),
    ({"goal": [{"relation": "on", "subject": "a", "target": "b", "count": 0}]}, "count"), ({"scene": None}, "scene"),
])
def test_a_damaged_field_is_named_in_a_line(change: dict[str, object], named: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f"{line_of(ONE)}\n{json.dumps({**json.loads(line_of(ONE)), 'id': 4, **change})}\n", encoding="utf-8")
    with pytest.raises(DataError, match=f"line 2.*{named}.*examples expert make") as caught:
        list(read_trajectories(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [
    b"{", b"[" * 100_000, b"\xff\xfe", b"[]", b"1" * (2**20 + 1), (line_of(ONE) + "\n").encode() * 2])
@pytest.mark.parametrize("packed", [False, True])
def test_damaged_files_are_refused_in_a_line(content: bytes, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("t.jsonl.gz" if packed else "t.jsonl")
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(DataError) as caught:
        list(read_trajectories(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"no gzip", gzip.compress(b"{}\n" * 1000, mtime=0)[:30]], ids=["no gzip", "cut short"])
def test_a_damaged_or_missing_packed_file_is_refused(content: bytes, tmp_path: Path) -> None:
    for path in (tmp_path / "t.jsonl.gz", tmp_path / "none.jsonl.gz"):
        with pytest.raises(DataError, match="make the file again"):
            list(read_trajectories(path))
        (tmp_path / "t.jsonl.gz").write_bytes(content)


def test_the_observation_tells_all_visible_objects_containers_and_surfaces() -> None:
    fridge = Entity("fridge_1", "fridge", "fridge", "furniture", "kitchen_1", frozenset({"open"}), frozenset({"container"}))
    table = Entity("table_1", "table", "table", "furniture", "kitchen_1", properties=frozenset({"surface"}))
    picture = Entity("picture_1", "picture", "picture", "furniture", "kitchen_1")
    objects = [Entity(f"{name}_1", name, name, "object", "kitchen_1") for name in ("apple", "plate", "ball")]
    kitchen = Entity("kitchen_1", "kitchen", "kitchen", "room")
    seen = Observation(AgentState("kitchen_1", holding=("plate_1",)), (kitchen, *objects, fridge, picture, table),
                       (Relation("inside", "apple_1", "fridge_1"),), landmarks=(Entity("bed_1", "bed", "bed", "furniture"),))
    assert observation_text(seen, lambda entity: entity.partition("_")[0]) == (
        "the fridge is inside the kitchen and is open, the table is inside the kitchen, the apple is inside the fridge, "
        "the plate is in your hand, the ball is inside the kitchen.")


def told(number: int, text: str) -> Trajectory:
    return Trajectory(number, number, "four-rooms-1", 1, text, ONE.goal, ONE.steps)


KNOWN = (told(5, "Put one apple on the bed"), told(2, "Put one apple on the bed"), told(1, "Put one pear inside the fridge"),
         told(9, "Put one book on the sofa"))


def test_the_most_alike_instructions_are_told_each_once_best_first() -> None:
    by_words = most_alike(KNOWN, "put one apple inside the fridge", 3, {})
    assert {t.id for t in by_words[:2]} == {1, 2}
    likeness = {"Put one book on the sofa": 0.9, "Put one apple on the bed": 0.5, "Put one pear inside the fridge": -0.2}
    assert [t.id for t in most_alike(KNOWN, "read", 2, likeness)] == [9, 2]
    assert most_alike(KNOWN, "read", 0, likeness) == ()


def test_without_embeddings_the_reply_says_that_words_are_compared() -> None:
    ask = likeness_ask(KNOWN, "put one apple inside the fridge")
    assert (ask.compare, len(ask.expects.choices)) == ("only", 3)
    reply = similarity_reply(ask, None)
    assert "no sentence embeddings are installed" in reply.note
    assert likeness_of(ask, reply) == {}


def test_retrieval_asks_for_similarities_and_needs_nothing_for_no_shots() -> None:
    with pytest.raises(StopIteration) as none:
        next(retrieved("put one apple inside the fridge", 0))
    assert none.value.value == ()
    asking = retrieved("put one apple inside the fridge", 2)
    ask = next(asking)
    assert isinstance(ask, ModelRequest)
    row = tuple(float("fridge" in text) for text in ask.expects.choices)
    with pytest.raises(StopIteration) as end:
        asking.send(ModelReply((), "sentence embeddings", is_model=False, alike=(row,)))
    assert all("fridge" in t.instruction for t in end.value.value)
    assert len(end.value.value) == 2


def test_the_shipped_set_is_small_and_from_seen_homes() -> None:
    known = retrieval_set()
    assert len(known) == 200
    assert {t.scene for t in known} == {"four-rooms-1", "four-rooms-2"}
    assert all(len(t.steps) <= 30 for t in known)
    assert known is retrieval_set(), "read once"
