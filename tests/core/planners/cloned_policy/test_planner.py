"""The cloned policy: its network against numbers by hand and against torch, its files, its samples, and episodes."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.common.errors import DataError
from core.common.installation import ROOT
from core.common.terminal import Interrupted
from core.goals.progress import reached
from core.planners.cloned_policy.network import MOST_BYTES, Arrays, Network, Sizes, load, save, shapes, softmax
from core.planners.cloned_policy.planner import WEIGHTS, ClonedPolicy, ClonedPolicyParameters
from core.planners.cloned_policy.samples import homes_of, samples_of
from core.planners.cloned_policy.text import Scene, Vocabulary, goal_clauses, seen_clauses
from core.planners.cloned_policy.training import Batches, Recipe, Table, first_weights, forward, spelling_of, trained
from core.planners.registry import make_planner
from core.planning.expert_shots import retrieval_set
from core.planning.observation_text import observation_text
from core.planning.search_facets import Ranking
from main import main
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import goal_of, home, play, turn

ORIGIN = {"trajectories": 1, "detours": 0, "samples": 2, "seed": 3, "epochs": 4}
SMALL = Sizes(width=16, blocks=2, heads=4)
HAS_TORCH = importlib.util.find_spec("torch") is not None
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed")


@pytest.fixture
def world() -> Iterator[HouseholdSimulator]:
    with home("four-rooms-1", 5) as found:
        yield found


def network(vocabulary: Vocabulary, sizes: Sizes = SMALL) -> Network:
    rng = np.random.default_rng(1)
    arrays = {name: rng.normal(0, 0.5, shape).astype(np.float16).astype(np.float32)
              for name, shape in shapes(sizes, vocabulary).items()}
    return Network(sizes, vocabulary, arrays, ORIGIN)


# --- the network ---------------------------------------------------------------------------
def by_hand() -> Network:
    """Words along the axes, queries of 0 (so that all rows are read alike), values as they are, no other layer."""
    sizes, vocabulary = Sizes(width=4, blocks=1, heads=1), Vocabulary(("a", "b", "c"), "abcd")
    arrays: dict[str, Any] = {name: np.zeros(shape, np.float32) for name, shape in shapes(sizes, vocabulary).items()}
    arrays["words"] = 4 * np.eye(3, 4, dtype=np.float32)
    arrays["0.value"] = arrays["0.out"] = np.eye(4, dtype=np.float32)
    arrays["characters"][3] = [0, 0, 0, 4]
    arrays["score"] = np.array([1, 2, 3, 4], np.float32)
    for name in ("clause.norm", "seen.norm", "last.norm", "0.norm", "0.norm2"):
        arrays[name][0] = 1
    return Network(sizes, vocabulary, arrays, ORIGIN)


def test_scores_worked_out_by_hand() -> None:
    # With s = 1/sqrt(3), a normalized word is 3s at its place and -s elsewhere. Choice b reads the mean of goal a and seen c:
    # s (1, -1, 1, -1). b + that = s (0, 2, 0, -2), normalized (0, sqrt 2, 0, -sqrt 2), times (1, 2, 3, 4): -2 sqrt 2.
    # Choice a: s (3, -1, -1, -1) + s (1, -1, 1, -1) = s (4, -2, 0, -2), of variance 6 s^2: (4 - 4 - 8) / sqrt 6.
    scene = Scene(("a",), (), ("c",), ("b", "a"))
    assert by_hand().scores(scene) == pytest.approx([-2 * 2**0.5, -8 / 6**0.5], abs=1e-4)


def test_an_unknown_word_is_the_mean_of_its_known_characters() -> None:
    # "dd" is 4 on the last axis; "?d" leaves out what is unknown. s (-1, -1, -1, 3) + s (1, -1, 1, -1) = s (0, -2, 0, 2).
    scores = by_hand().scores(Scene(("a",), (), ("c",), ("dd", "?d", "")))
    assert scores[:2] == pytest.approx([2 * 2**0.5] * 2, abs=1e-4)
    assert np.isfinite(scores).all()


def test_a_choice_is_scored_alike_whatever_else_is_listed() -> None:
    scene = Scene(("put 1 apple inside the fridge",), ("walk to the kitchen", "open the fridge"),
                  ("the apple is on the desk",), ("grab the apple", "walk to the desk", "close the fridge"))
    net = network(Vocabulary.of((*scene.goal, *scene.past, *scene.seen, *scene.choices)))
    alone = [net.scores(replace(scene, choices=(choice,)))[0] for choice in scene.choices]
    assert net.scores(scene) == pytest.approx(alone, abs=1e-4)
    assert net.scores(replace(scene, past=scene.past[::-1])) != pytest.approx(alone, abs=1e-4), "the order of actions matters"
    assert softmax(net.scores(scene)).sum() == pytest.approx(1)


def some_samples(most: int = 12) -> Table:
    known = retrieval_set()[:most]
    homes = homes_of(known)
    return Table(sample for t in known for sample in samples_of(t, homes[t.scene]))


@needs_torch
@pytest.mark.parametrize("unknown", ["", "fridge"])
def test_torch_computes_the_same_scores(unknown: str) -> None:
    torch = importlib.import_module("torch")
    table = some_samples()
    vocabulary = Vocabulary.of(table.index)
    net = network(vocabulary)
    arrays = {name: torch.tensor(value) for name, value in net.arrays.items()}
    spelled = torch.tensor([word == unknown for word in vocabulary.words])
    rows = np.arange(len(table.rows), dtype=np.int32)[::3]
    batch = Batches(table, vocabulary).make(rows, np.random.default_rng(0), 1000)
    found = forward(torch, arrays, batch, SMALL.heads, torch.from_numpy(spelling_of(vocabulary)), spelled).numpy()
    kept = [k for k, word in enumerate(vocabulary.words) if word != unknown]
    known = Vocabulary(tuple(vocabulary.words[k] for k in kept), vocabulary.characters)
    alone = Network(SMALL, known, {**net.arrays, "words": net.arrays["words"][kept]}, ORIGIN)
    clauses = list(table.index)
    for row, scores in zip(rows, found, strict=True):
        goals, context, seen, choices, taken = table.rows[row]
        texts = [tuple(clauses[k] for k in part) for part in (context[:goals], context[goals:], seen, choices)]
        own = alone.scores(Scene(*texts))
        assert scores[0] == pytest.approx(own[taken], abs=1e-3), "the expert's comes first"
        assert sorted(scores[:len(own)]) == pytest.approx(sorted(own), abs=1e-3)
        assert np.isneginf(scores[len(own):]).all()


# --- training ------------------------------------------------------------------------------
QUICK = Recipe(epochs=3, batch=16, sizes=Sizes(width=8, blocks=1, heads=2))


@needs_torch
def test_an_interrupted_training_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    table = some_samples(6)
    vocabulary = Vocabulary.of(table.index)

    def train(checkpoint: Path, say: Callable[[str], None]) -> Arrays:
        return trained(table, table, vocabulary, QUICK, checkpoint, 1, say)

    def stop(line: str) -> None:
        raise Interrupted(2, line)

    lines: list[str] = []
    whole = train(tmp_path / "whole.npz", lines.append)
    assert [line.partition(":")[0] for line in lines] == ["epoch 1 of 3", "epoch 2 of 3", "epoch 3 of 3"]
    with pytest.raises(Interrupted) as signalled:
        train(tmp_path / "killed.npz", stop)
    assert "go on with the same command" in signalled.value.saved
    again = train(tmp_path / "killed.npz", lines.append)
    for name, value in whole.items():
        assert again[name] == pytest.approx(value, abs=1e-6)
    with pytest.raises(DataError, match="another training"):
        trained(table, table, vocabulary, replace(QUICK, seed=4), tmp_path / "whole.npz", 1, lines.append)
    (tmp_path / "whole.npz").write_bytes(b"x")
    with pytest.raises(DataError, match="damaged"):
        train(tmp_path / "whole.npz", lines.append)


@needs_torch
def test_the_command_writes_weights_that_the_planner_uses(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                                          world: HouseholdSimulator) -> None:
    expert = Path("resources/expert/retrieval.jsonl.gz").resolve()
    out = tmp_path / "new" / "policy.npz"
    assert main(["examples", "clone", "train", "--expert", str(expert), "--out", str(out), "--epochs", "1",
                 "--detours", "0.5"]) == 0
    assert f"--set weights={out}" in capsys.readouterr().out
    assert load(out).origin["trajectories"] > 150
    planner = make_planner("cloned-policy", "", {"weights": str(out)})
    assert play(planner, world, goal_of(world, "put one apple inside the fridge"), most=3)


def test_flags_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["examples", "clone", "train", "--expert", str(tmp_path), "--out", str(tmp_path / "policy.npz")]
    for wrong, said in ((("--detours", "2"), "from 0 to 1"), (("--detours", "x"), "from 0 to 1"),
                        (("--epochs", "0"), "from 1 on")):
        with pytest.raises(SystemExit):
            main([*flags, *wrong])
        assert said in capsys.readouterr().err
    assert main(flags) == 2
    err = capsys.readouterr().err
    assert ("trajectories.jsonl cannot be read" if HAS_TORCH else "needs torch, not installed here: ") in err
    assert err.count("\n") == 1


def test_first_weights_follow_from_the_seed() -> None:
    vocabulary = Vocabulary(("a", "b"), "ab")
    first, again, other = (first_weights(Recipe(seed=seed), vocabulary) for seed in (1, 1, 2))
    assert {name: a.shape for name, a in first.items()} == shapes(Recipe().sizes, vocabulary)
    assert all((first[name] == again[name]).all() for name in first)
    assert (first["words"] != other["words"]).any()


# --- samples ---------------------------------------------------------------------------------
def test_a_sample_has_what_the_trajectory_tells_and_the_expert_s_choice() -> None:
    known = retrieval_set()
    homes = homes_of(known)
    assert all(home.rooms == ("bathroom", "bedroom", "kitchen", "living room") for home in homes.values())
    for t in known[::20]:
        samples = list(samples_of(t, homes[t.scene]))
        phrases = [step.phrase for step in t.steps]
        assert [s.scene.choices[s.taken] for s in samples] == phrases
        assert samples[-1].scene.past == tuple(phrases[:-1])
        assert all(s.scene.goal == goal_clauses(t.goal) for s in samples)
        assert [s.scene.seen for s in samples] == [seen_clauses(step.observation) for step in t.steps]


def test_a_detour_keeps_the_expert_s_actions_and_opens_nothing_it_needs() -> None:
    known = retrieval_set()
    homes = homes_of(known)
    longer = 0
    for t in known[::10]:
        phrases = [step.phrase for step in t.steps]
        samples = list(samples_of(t, homes[t.scene], np.random.default_rng(t.id)))
        assert [s.scene.choices[s.taken] for s in samples] == phrases[len(phrases) - len(samples):]
        past = samples[-1].scene.past
        opened = [p for p in past if p.startswith("open the ") and p not in phrases]
        longer += len(past) > len(phrases) - 1
        shown = {clause for s in samples for clause in s.scene.seen}
        for name in (p.removeprefix("open the ") for p in opened):
            assert not any(clause.startswith(f"the {name} is") and clause.endswith("closed") for clause in shown)
    assert longer > 10


# --- files -----------------------------------------------------------------------------------
def test_a_saved_network_is_read_as_it_was(tmp_path: Path) -> None:
    net = network(Vocabulary(("the", "walk"), "abc"))
    save(net, tmp_path / "one.npz")
    save(net, tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    found = load(tmp_path / "one.npz")
    assert (found.sizes, found.vocabulary, dict(found.origin)) == (net.sizes, net.vocabulary, ORIGIN)
    assert all((found.arrays[name] == value).all() and not found.arrays[name].flags.writeable
               for name, value in net.arrays.items())


def changed(path: Path, name: str, array: np.ndarray[Any, Any] | None) -> None:
    """Replaces one array of a file; None removes it."""
    with zipfile.ZipFile(path) as file:
        parts = {entry: file.read(entry) for entry in file.namelist()}
    parts.pop(f"{name}.npy")
    if array is not None:
        stream = BytesIO()
        np.lib.format.write_array(stream, array, allow_pickle=array.dtype == object)
        parts[f"{name}.npy"] = stream.getvalue()
    with zipfile.ZipFile(path, "w") as file:
        for entry, data in parts.items():
            file.writestr(entry, data)


def about(path: Path, **values: object) -> np.ndarray[Any, Any]:
    with np.load(path) as file:
        return np.frombuffer(json.dumps({**json.loads(file["about"].tobytes()), **values}).encode(), np.uint8)


@pytest.mark.parametrize(("damage", "said"), [
    (lambda path: path.unlink(), "cannot be read"),
    (lambda path: path.write_bytes(b"weights"), "is no file of weights"),
    (lambda path: path.write_bytes(path.read_bytes()[:900]), "is no file of weights"),
    (lambda path: path.write_bytes(bytes(MOST_BYTES + 1)), "more than 12 MB"),
    (lambda path: changed(path, "score", None), "score"),
    (lambda path: changed(path, "score", np.zeros(3, np.float16)), "score has the shape"),
    (lambda path: changed(path, "score", np.zeros(16, np.float32)), "of float32, expected"),
    (lambda path: changed(path, "score", np.full(16, np.nan, np.float16)), "score holds values that are no numbers"),
    (lambda path: changed(path, "score", np.array([print] * 16, object)), "score has the shape"),
    (lambda path: changed(path, "about", np.zeros(4, np.uint8)), "is no file of weights"),
    (lambda path: changed(path, "about", about(path, format=99)), "is of format 99, this program reads 1"),
    (lambda path: changed(path, "about", about(path, width=10**9)), "width"),
    (lambda path: changed(path, "about", about(path, heads=3)), "does not divide the width"),
    (lambda path: changed(path, "about", about(path, words=[1])), "words"),
])
def test_a_damaged_file_is_refused_in_one_line(tmp_path: Path, damage: Callable[[Path], object], said: str) -> None:
    path = tmp_path / "policy.npz"
    save(network(Vocabulary(("the", "walk"), "abc")), path)
    damage(path)
    with pytest.raises(DataError, match=said) as caught:
        make_planner("cloned-policy", "", {"weights": str(path)})
    assert "examples clone train" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_weights_may_change_during_a_run_and_a_wrong_file_ends_it_with_the_reason(world: HouseholdSimulator) -> None:
    planner = ClonedPolicy()
    planner.begin(goal_of(world, "put one apple inside the fridge"), world.schemas, 0)
    assert turn(planner, world).decision.action is not None
    planner.parameters = ClonedPolicyParameters("plain")
    assert turn(planner, world).decision.action is not None
    planner.parameters = ClonedPolicyParameters("absent.npz")
    assert "absent.npz cannot be read" in turn(planner, world).decision.because


@pytest.mark.parametrize("name", ["detours", "plain"])
def test_the_shipped_weights_are_small_and_of_seen_homes_only(name: str) -> None:
    path = WEIGHTS / f"{name}.npz"
    net = load(path)
    assert sum(a.size for a in net.arrays.values()) <= 10_000_000
    assert path.stat().st_size <= MOST_BYTES
    assert net.origin["trajectories"] > 1900
    assert (net.origin["detours"] > 0) == (name == "detours")


# --- episodes ----------------------------------------------------------------------------------
def test_it_reaches_a_goal_and_shows_the_probabilities(world: HouseholdSimulator) -> None:
    planner, goal = ClonedPolicy(), goal_of(world, "put one apple inside the fridge")
    planner.begin(goal, world.schemas, 0)
    shown = turn(planner, world)
    ranking = shown.last(Ranking)
    assert shown.asked == []
    assert ranking.actions[0].steps == (shown.decision.action,)
    assert sum(r.prior for r in ranking.actions) == pytest.approx(1, abs=1e-4)
    assert [r.prior for r in ranking.actions] == sorted((r.prior for r in ranking.actions), reverse=True)
    play(planner, world, goal)
    assert reached(goal, world.reveal())


THREADS = """
import os
from core.planners.cloned_policy.network import load
from core.planners.cloned_policy.planner import WEIGHTS
from core.planners.cloned_policy.text import Scene
clause = "one apple inside the fridge"
load(WEIGHTS / "plain.npz").scores(Scene((clause,), (), (clause,) * 200, (clause,) * 200))
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted as Linux lists them")
def test_one_thread_multiplies_its_matrices() -> None:
    """Two would wait for each other in a busy loop, while the window paints on the other core."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", THREADS], cwd=ROOT, env={**environment, "PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True, check=False, timeout=100)
    assert done.stdout.strip() == "1", done.stderr


def test_a_goal_it_has_not_learned_ends_the_run_with_the_reason(world: HouseholdSimulator) -> None:
    planner = ClonedPolicy()
    planner.begin(goal_of(world, "put one apple inside the fridge and open the microwave"), world.schemas, 0)
    decision = turn(planner, world).decision
    assert decision.action is None
    assert decision.because.startswith("it has only learned to bring objects to furniture, not “")


def test_equal_seeds_give_equal_actions(world: HouseholdSimulator) -> None:
    start = world.save()

    def actions(seed: int) -> list[str]:
        world.restore(start)
        planner = ClonedPolicy(ClonedPolicyParameters(temperature=3.0))
        planner.begin(goal_of(world, "put one apple inside the fridge"), world.schemas, seed)
        found = []
        for _ in range(6):
            action = turn(planner, world).decision.action
            assert action is not None
            planner.update(world.step(action))
            found.append(str(action))
        return found

    assert actions(1) == actions(1)
    assert actions(1) != actions(2)


def test_without_repeats_no_action_is_done_twice_while_nothing_changes(world: HouseholdSimulator) -> None:
    planner = ClonedPolicy()
    planner.begin(goal_of(world, "put one apple inside the fridge"), world.schemas, 0)
    done = set()
    for _ in range(25):
        action = turn(planner, world).decision.action
        if action is None:
            break
        seen = observation_text(world.observe(), planner.names())
        assert (seen, action) not in done
        done.add((seen, action))
        planner.update(world.step(action))
