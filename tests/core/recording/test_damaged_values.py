"""Recordings in which one value is damaged: everything reads the rest, and says in a line what is missing and where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from mcap.writer import CompressionType

from core.evaluation.failures import labelled_run
from core.library.summary import file_state, summarise
from core.recording.exports import export_all
from core.recording.keyframes import MARK
from core.recording.reader import open_recording
from core.recording.recovery import recover
from core.session.commands import Look
from tests.core.recording.common import CODEC, recorded
from tests.core.recording.damages import rewritten
from tests.core.recording.foreign import Manner, foreign
from tests.core.recording.test_reader import busy
from tests.long_tests import either

FORMS = ("jsonl", "csv", "html", "labels", "replies")
PLAIN = Manner(chunked=False, crcs=False, compression=CompressionType.NONE)
"""How a program writes that adds no checksums."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "whole.mcap"
    recorded(path, Look(("first person",), 24, 16), cue=busy)
    return path


def kinds(path: Path) -> dict[str, int]:
    """Returns the index of a message of each kind: of the one in the middle."""
    found: dict[str, list[int]] = {}

    def note(place: int, data: bytes) -> bytes:
        if data.startswith(MARK):  # what cannot be read of a keyframe is folded
            return data
        what = json.loads(data)["what"] if data.startswith(b"{") else {"$": "a picture"}
        if data.startswith(b"{") or b"JFIF" in data:  # the boxes of a picture are for other programs
            found.setdefault(what.get("facet", what)["$"], []).append(place)
        return data
    rewritten(path, note, Random(0), odd=0.0)
    return {kind: places[len(places) // 2] for kind, places in found.items()}


def cut(data: bytes) -> bytes:
    return data[:-9]


def of_another_type(data: bytes) -> bytes:
    if not data.startswith(b"{"):
        return data[:60]
    event = json.loads(data)
    event["what"]["extra"] = {"$": "Nonsense"}
    return json.dumps(event, separators=(",", ":")).encode()


def impossible(data: bytes) -> bytes:
    return data[:60] if not data.startswith(b"{") else data.replace(b'"at":', b'"at":9e77', 1)


def damaged_in(whole: Path, place: int, damage: Callable[[bytes], bytes]) -> bytes:
    """Returns a recording with right checksums in which one message is damaged."""
    return rewritten(whole, lambda n, data: damage(data) if n == place else data, Random(0), odd=0.0)


@pytest.mark.parametrize("damage", [cut, of_another_type, impossible])
def test_one_damaged_value_costs_itself_and_is_named_by_everything_that_reads(
        damage: Callable[[bytes], bytes], whole: Path, tmp_path: Path) -> None:
    with open_recording(whole, CODEC) as recording:
        number = len(recording)
    for kind, place in Random(damage.__name__).sample(found := list(kinds(whole).items()), either(3, len(found))):
        path = tmp_path / f"{kind}.mcap"
        path.write_bytes(data := damaged_in(whole, place, damage))
        said = [export_all((path,), form, tmp_path / "out", CODEC).line for form in FORMS]
        said.append(recover(path, codec=CODEC).line)
        with open_recording(path, CODEC, checked=True) as recording:
            labelled_run(recording)
            said.append(recording.notice)
            if kind not in ("Began", "Rewound", "Switched"):  # others refer to these
                assert len(list(recording.events())) == number - (kind != "a picture")
        assert path.read_bytes() == data
        path.write_bytes(foreign(path, PLAIN))
        said.append(summarise(path, file_state(path), CODEC).entry.problem)
        for line in said:
            assert "cannot be read" in line, (kind, line)
            assert "turn" in line
            assert line.isprintable()


def test_without_the_beginning_of_a_branch_the_other_branches_are_read(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(damaged_in(whole, kinds(whole)["Rewound"], cut))
    with open_recording(whole, CODEC) as before, open_recording(path, CODEC, checked=True) as recording:
        turns = [turn.moment for turn in recording.snapshot_at().turns]
        assert {moment.branch for moment in turns} < {turn.branch for turn in before.turns()}
        assert turns == [t.moment for t in before.snapshot_at().turns if t.branch in {moment.branch for moment in turns}]
        assert "values cannot be read: Rewound" in recording.notice


def test_a_damaged_facet_shows_when_the_replay_comes_to_it(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(damaged_in(whole, kinds(whole)["Plan"], of_another_type))
    with open_recording(path, CODEC) as recording:
        recording.read_on()
        assert recording.notice == ""
        for number in recording.numbers:
            recording.snapshot_at(number)
        assert "1 value cannot be read: Plan, turn" in recording.notice


def test_half_a_character_in_a_request_is_no_damage(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    half = b'"content":"\xed\xb2\x80'
    path.write_bytes(damaged_in(whole, kinds(whole)["Asked"], lambda data: data.replace(b'"content":"', half)))
    entry, before = (summarise(one, file_state(one), CODEC).entry for one in (path, whole))
    assert (entry.state, entry.problem) == ("ok", "")
    assert (entry.turns, entry.calls, entry.labels) == (before.turns, before.calls, before.labels)
    assert "cannot be read" not in export_all((path,), "jsonl", tmp_path / "out", CODEC).line
