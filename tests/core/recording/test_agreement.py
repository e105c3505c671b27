"""Agreement of annotators: published examples, rules that hold for any labels, decisions of an adjudicator, the command."""

from __future__ import annotations

import csv
import io
import json
import random
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.errors import UsageError
from core.evaluation.annotators_command import annotators_command
from core.recording.agreement.coefficients import alpha, kappa
from core.recording.agreement.compare import Agreement, Choice, Episode, compare, episode_of, held_turns, settlement
from core.recording.agreement.matching import Tolerance, intersection_over_union, matched
from core.recording.annotations import append, final, read_annotations
from core.recording.exports.decisions import decisions
from core.recording.label_turns import TurnSpan
from core.recording.labels import BOOKMARK, DECISION
from core.recording.reader import open_recording, recordings_in
from core.session.annotation import Annotation, Change
from tests.core.recording.common import CODEC, recorded

TURNS = tuple(TurnSpan(0, k, 10.0 * (k - 1), 10.0 * k) for k in range(1, 13))
NO = None


# --- coefficients --------------------------------------------------------------------------
def units(rows: Sequence[Sequence[int | None]]) -> list[dict[str, int]]:
    """Turns a table with a row for each annotator into the ratings of each unit."""
    return [{str(k): value for k, row in enumerate(rows) if (value := row[unit]) is not None} for unit in range(len(rows[0]))]


@pytest.mark.parametrize(("both_yes", "only_first", "only_second", "both_no", "published"), [
    (20, 5, 10, 15, 0.40), (45, 15, 25, 15, 0.1304), (25, 35, 5, 35, 0.2593)])
def test_kappa_of_published_tables(both_yes: int, only_first: int, only_second: int, both_no: int, published: float) -> None:
    """The tables of the encyclopaedia's article on Cohen's kappa: readers of grant proposals, and unequal marginals."""
    first = [1] * (both_yes + only_first) + [0] * (only_second + both_no)
    second = [1] * both_yes + [0] * only_first + [1] * only_second + [0] * both_no
    assert kappa(first, second) == pytest.approx(published, abs=5e-5)


def test_ordinal_alpha_of_krippendorffs_example() -> None:
    # Computing Krippendorff's alpha-reliability (2011), section C: four observers, missing data, ordinal α = .815.
    table = [[1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, 3],
             [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NO], [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO]]
    assert alpha(units(table)) == pytest.approx(0.815, abs=5e-4)


def test_what_is_undefined_has_no_coefficient() -> None:
    assert kappa([], []) is None
    assert kappa([True] * 4, [True] * 4) is None, "both gave one value only: nothing tells agreement from chance"
    assert alpha([]) is None
    assert alpha([{"a": 3}, {"b": 4}]) is None, "no unit was rated twice"
    assert alpha([{"a": 3, "b": 3}]) is None


VALUES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30)


@given(VALUES, st.randoms())
def test_coefficients_are_symmetric_and_ignore_the_order_of_units(values: list[tuple[int, int]], draw: random.Random) -> None:
    shuffled = draw.sample(values, len(values))
    first, second = zip(*values, strict=True)
    ratings, other_way = ([dict(zip(names, pair, strict=True)) for pair in shuffled] for names in ("ab", "ba"))
    assert kappa(first, second) == kappa(second, first) == kappa(*zip(*shuffled, strict=True))
    expected = alpha([{"a": a, "b": b} for a, b in values])
    for found in (alpha(ratings), alpha(other_way)):
        assert found == (expected if expected is None else pytest.approx(expected))
    for value in (kappa(first, second), expected):
        assert value is None or value <= 1


@given(st.lists(st.integers(1, 5), min_size=2, max_size=30).filter(lambda values: len(set(values)) > 1))
def test_perfect_agreement_is_one(values: list[int]) -> None:
    assert kappa(values, values) == 1
    assert alpha([{"a": v, "b": v, "c": v} for v in values]) == 1


def test_independent_annotators_agree_at_the_level_of_chance() -> None:
    draw = random.Random(5)
    first, second = ([draw.choice((1, 1, 2, 3, 5)) for _ in range(4000)] for _ in range(2))
    assert kappa(first, second) == pytest.approx(0, abs=0.05)
    assert alpha([{"a": a, "b": b} for a, b in zip(first, second, strict=True)]) == pytest.approx(0, abs=0.05)


# --- matching ----------------------------------------------------------------------------
SCORES = st.integers(0, 4).flatmap(lambda n: st.integers(0, 4).flatmap(lambda m: st.lists(
    st.lists(st.integers(0, 5), min_size=m, max_size=m), min_size=n, max_size=n)))


@given(SCORES)
def test_the_assignment_is_the_best_of_all(scores: list[list[int]]) -> None:
    rows, columns = range(len(scores)), range(len(scores[0]) if scores else 0)
    pairs = matched(rows, columns, lambda k, m: scores[k][m])
    assert len({k for k, _ in pairs}) == len({m for _, m in pairs}) == len(pairs)
    assert all(scores[k][m] > 0 for k, m in pairs)
    wide = max(len(rows), len(columns))

    def score(k: int, m: int) -> int:
        return scores[k][m] if k < len(rows) and m < len(columns) else 0

    best = max((sum(score(k, m) for k, m in enumerate(order)) for order in permutations(range(wide))), default=0)
    assert sum(scores[k][m] for k, m in pairs) == best


def interval(name: str, at: float, until: float | None, label: str = "stuck") -> Annotation:
    """An interval of an annotator."""
    return Annotation(f"{name} {label} {at}", label, at, until, True, int(at // 10) + 1, annotator=name)


def point(name: str, turn: int, label: str = "mistake", rating: int | None = None) -> Annotation:
    """A point or a rating of an annotator."""
    return Annotation(f"{name} {label} {turn}", label, 10.0 * turn - 5, turn=turn, annotator=name, rating=rating)


def episode(*annotations: Annotation) -> Episode:
    """An episode of twelve turns of ten seconds each."""
    return Episode("one", TURNS, annotations)


def test_overlap_of_intervals() -> None:
    one = interval("a", 0, 20)
    assert intersection_over_union(one, interval("b", 10, 30), 120) == pytest.approx(1 / 3)
    assert intersection_over_union(one, interval("b", 30, 40), 120) == 0
    assert intersection_over_union(interval("a", 60, None), interval("b", 90, 120), 120) == pytest.approx(0.5)
    assert intersection_over_union(interval("a", 5, 5), interval("b", 5, 5), 120) == 1
    assert held_turns(interval("a", 0, 20), episode()) == {(0, 1), (0, 2)}
    assert held_turns(interval("a", 119, None), episode()) == {(0, 12)}


# --- comparing ---------------------------------------------------------------------------
def test_labels_ratings_and_causes_of_two_annotators_by_hand() -> None:
    cause = Annotation("c", "policy failure", 120.0, turn=12, annotator="ann", proposed="unclear")
    found = compare([episode(
        interval("ann", 0, 40), interval("bob", 10, 40), interval("ann", 80, 90), interval("bob", 80, 120),
        point("ann", 3), point("bob", 3), point("ann", 7), point("bob", 8),
        point("ann", 1, DECISION, 4), point("bob", 1, DECISION, 4), point("ann", 2, DECISION, 5), point("bob", 2, DECISION, 2),
        point("ann", 3, DECISION, 1), cause, replace(cause, id="d", label="unclear", annotator="bob"),
        point("companion", 4, "first divergence"))])
    assert (found.annotators, found.pair, found.episodes, found.turns) == (("ann", "bob"), ("ann", "bob"), 1, 12)
    mistake, stuck, rating, why = found.rows
    assert (mistake.label, mistake.first, mistake.second, mistake.matched, mistake.observed) == ("mistake", 2, 2, 1, 10 / 12)
    assert mistake.coefficient == pytest.approx(kappa([k in (3, 7) for k in range(12)], [k in (3, 8) for k in range(12)]))
    assert (stuck.matched, stuck.overlap, stuck.units) == (1, 0.75, 12)
    assert (rating.measure, rating.units, rating.first, rating.second, rating.matched) == ("rating", 2, 3, 2, 1)
    assert rating.coefficient == pytest.approx(alpha([{"a": 4, "b": 4}, {"a": 5, "b": 2}]))
    assert (why.measure, why.units, why.matched) == ("cause", 1, 0)
    assert [(d.label, d.kind) for d in found.disagreements] == [
        ("decision", "rating"), ("mistake", "only one"), ("mistake", "only one"), ("stuck", "extent"),
        ("why it failed", "cause")]


def test_bookmarks_are_no_judgement() -> None:
    marks = (point("ann", 3, BOOKMARK), replace(point("bob", 5, BOOKMARK), note="look here"), point("cleo", 2, BOOKMARK))
    found = compare([episode(*marks, point("ann", 4), point("bob", 4))])
    assert (found.annotators, [row.label for row in found.rows], found.disagreements) == (("ann", "bob"), ["mistake"], ())
    rated = compare([episode(point("ann", 3, BOOKMARK, 2), point("bob", 3, BOOKMARK, 4))])
    assert [(d.label, d.kind) for d in rated.disagreements] == [(BOOKMARK, "rating")]


def test_a_point_before_the_first_turn_is_one_of_it() -> None:
    found = compare([episode(point("ann", 0), point("bob", 1)), episode(point("ann", 1), point("bob", 2))])
    (row,) = found.rows
    assert (row.matched, row.first, row.second) == (1, 2, 2)
    assert row.coefficient is not None
    assert row.coefficient > 0
    assert [d.example.turn for d in found.disagreements] == [1, 2]


def test_points_of_neighbouring_turns_can_count_as_the_same() -> None:
    both = [episode(point("ann", 7), point("bob", 8))]
    assert len(compare(both).disagreements) == 2
    assert not compare(both, (), Tolerance(turns=1)).disagreements


def test_only_episodes_of_both_are_compared() -> None:
    done = Annotation("bob done", "done", 120.0, annotator="bob", role="done")
    alone, finished = episode(point("ann", 2)), episode(point("ann", 2), done)
    assert compare([alone]) == Agreement(("ann",))
    found = compare([alone, finished, alone])
    assert (found.episodes, len(found.disagreements), found.disagreements[0].episode) == (1, 1, 1)
    with pytest.raises(UsageError, match="'cleo' labelled nothing here"):
        compare([finished], ("ann", "cleo"))


LABELLED = st.lists(st.builds(
    lambda name, label, at, length: interval(name, at, at + length, label) if length else point(name, at // 10 + 1, label),
    st.sampled_from(["ann", "bob"]), st.sampled_from(["stuck", "mistake"]), st.integers(0, 119), st.integers(0, 60)),
    max_size=12, unique_by=lambda a: a.id)


@settings(deadline=None)
@given(LABELLED, st.randoms())
def test_agreement_is_symmetric_and_ignores_the_order_of_labels(labels: list[Annotation], draw: random.Random) -> None:
    found = compare([episode(*labels)])
    if not found.pair:
        return
    back = compare([episode(*draw.sample(labels, len(labels)))], ("bob", "ann"))
    assert [(r.label, r.matched, r.observed, r.coefficient) for r in found.rows] == [
        (r.label, r.matched, r.observed, r.coefficient) for r in back.rows]
    for row in found.rows:
        assert row.matched <= min(row.first, row.second)
    told = [key for d in found.disagreements for key in d.ids]
    assert len(told) == len(set(told)) == sum(r.first + r.second - 2 * r.matched for r in found.rows), "each label once"
    assert sorted(told) == sorted(key for d in back.disagreements for key in d.ids)


@settings(deadline=None)
@given(LABELLED)
def test_who_says_the_same_agrees(labels: list[Annotation]) -> None:
    mine = [a for a in labels if a.annotator == "ann"]
    found = compare([episode(*mine, *(replace(a, id=f"copy of {a.id}", annotator="bob") for a in mine))])
    assert not found.disagreements
    assert all(row.coefficient in (1, None) and row.matched == row.first == row.second for row in found.rows)


# --- adjudication --------------------------------------------------------------------------
@settings(deadline=None)
@given(LABELLED, st.lists(st.sampled_from(["first", "second", "none"]), min_size=12, max_size=12))
def test_a_decision_changes_no_label_of_the_annotators(labels: list[Annotation], choices: list[Choice]) -> None:
    found = compare([episode(*labels)])
    decided = [settlement(d, choice, f"cleo {k}", "cleo") for k, (d, choice) in enumerate(
        zip(found.disagreements, choices, strict=False))]
    again = compare([episode(*labels, *decided)])
    assert (again.rows, again.annotators) == (found.rows, found.annotators), "adjudicators are no annotators"
    assert [d.settled for d in again.disagreements][:len(decided)] == decided
    for d, choice, one in zip(found.disagreements, choices, decided, strict=False):
        chosen = {"first": d.first, "second": d.second, "none": None}[choice]
        assert (one.role, one.annotator, one.settles) == ("rejected" if chosen is None else "settled", "cleo", d.ids)
        assert chosen is None or (one.label, one.at, one.until) == (chosen.label, chosen.at, chosen.until)
    kept = final((*labels, *decided))
    gone = {key for one in decided for key in one.settles}
    assert set(kept) == {a for a in labels if a.id not in gone} | {one for one in decided if one.role == "settled"}


# --- files and the command -----------------------------------------------------------------
@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two recordings, one of which two people labelled."""
    for name in ("a", "b"):
        recorded(tmp_path / f"{name}.mcap")
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        first, second, *_ = recording.turns()
    for a in (Annotation("ann 1", "mistake", first.began, turn=1, annotator="ann"),
              Annotation("bob 1", "mistake", first.began, turn=1, annotator="bob"),
              Annotation("ann 2", "=surprise", second.began, turn=2, annotator="ann"),
              Annotation("ann 3", DECISION, second.began, turn=2, annotator="ann", rating=5),
              Annotation("bob 2", DECISION, second.began, turn=2, annotator="bob", rating=2)):
        append(tmp_path / "a.mcap", Change(None, a))
    return tmp_path


def run(folder: Path, say: Callable[[str], object], **wanted: object) -> bool:
    """Runs the command."""
    standard = {"paths": [folder], "pair": (), "overlap": 0.5, "turns": 0, "json": False, "csv": False}
    return annotators_command(Namespace(**{**standard, **wanted}), say)


def test_the_command_prints_a_table_json_and_csv(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []
    assert run(folder, said.append)
    text = capsys.readouterr().out
    assert "ann and bob: 1 recordings" in text
    assert "- a.mcap turn 2: decision: ann 5, bob 2" in text
    assert run(folder, said.append, json=True)
    value = json.loads(capsys.readouterr().out)
    assert [row["label"] for row in value["agreement"]] == ["=surprise", "mistake", "decision"]
    assert value["agreement"][1]["coefficient"] == 1
    assert [d["kind"] for d in value["disagreements"]] == ["only one", "rating"]
    assert run(folder, said.append, csv=True, pair=("bob", "ann"))
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["first_annotator"], row["label"], row["second"]) for row in rows] == [
        ("bob", "'=surprise", "1"), ("bob", "mistake", "1"), ("bob", "decision", "1")]
    assert not said


def test_the_command_says_what_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []
    assert not run(folder / "b.mcap", said.append)
    assert said == ["no recording has labels of two annotators; found labels of: no one"]
    (folder / "c.mcap").write_bytes(b"nothing")
    assert not run(folder, said.append)
    assert said[1].startswith("left out: c.mcap")
    with pytest.raises(UsageError, match="name two annotators"):
        run(folder, said.append, pair=("ann", "ann"))
    (folder / "empty").mkdir()
    with pytest.raises(UsageError, match="no recording"):
        recordings_in([folder / "empty"])
    assert capsys.readouterr().out.count("ann and bob") == 1


def test_decisions_are_recorded_and_exported_in_the_place_of_what_they_settle(folder: Path) -> None:
    path = folder / "a.mcap"
    with open_recording(path, CODEC) as recording:
        found = compare([episode_of(recording)])
    surprise, rating = found.disagreements
    append(path, Change(None, settlement(surprise, "none", "cleo 1", "cleo")))
    append(path, Change(None, settlement(rating, "second", "cleo 2", "cleo")))
    with open_recording(path, CODEC) as recording:
        again = compare([episode_of(recording)])
        known = read_annotations(recording)[0].annotations
        second = decisions(recording)[1]
    assert all(d.settled is not None and d.settled.annotator == "cleo" for d in again.disagreements)
    assert {"ann 2", "ann 3", "bob 2", "cleo 1", "cleo 2"} <= set(known)
    assert (second.rating, "=surprise" in {a.label for a in second.labels}) == (2, False)
