"""Random commands of an operator: in any order, nothing is assigned to a wrong turn, branch or run, and nothing is lost.

See `tests/walk_seeds.py` for more of them. Every eighth one runs in the household.
"""

from __future__ import annotations

import csv
import json
import threading
from dataclasses import fields
from pathlib import Path
from random import Random

import pytest
from mcap.reader import make_reader

from core.app.headless import report
from core.app.launch import build
from core.app.run_request import Request
from core.library.summary import file_state, summarise
from core.planning.facets import Plan
from core.recording.exports import export
from core.recording.reader import Recording, open_recording
from core.recording.recorder import Recorder
from core.recording.writer import Limits
from core.session import commands as c
from core.session import events as e
from core.session.outcome import reason_in_words
from core.session.session import Session
from core.session.setup import Beside, Setup
from core.session.snapshot import Snapshot
from core.session.turns import line_of
from core.simulator.base import WorldChange
from sim.registry import simulator_class
from tests.core.recording.common import CODEC, same
from tests.core.session.toys import LEFT, RIGHT, Guide, Line, Mortal, SlowLine, SlowMortal
from tests.core.session.walking import Minded, Onlooker, Operator, Witness, anything, of_planner, walk_to
from tests.walk_seeds import number_of_walks, walk_seeds

WALKS = number_of_walks(5)
ACTS = 45
PATIENCE = 30.0
QUICK = Limits(sync=3600.0, patience=60.0)
PLANNERS = ("greedy", "oracle", "bcr", "llm-mcts", "llm-state", "progprompt", "inner-monologue", "uct")
TOYS = anything(lambda random, now: Plan((), f"mine {random.randrange(9)}"), (LEFT, RIGHT), map(walk_to, (3, 5, 7)),
                lambda random: c.SetParameter("looks", random.randrange(4)),
                [WorldChange("walker_1", "state", f"at {k}") for k in (0, 1, 2, 4, 5, 7, 12)])


def walked(session: Session, random: Random, acts: object, path: Path) -> tuple[Witness, list[c.Command]]:
    """Plays a session with a witness, a recorder and an operator."""
    witness = Witness(session)
    operator = Operator(session, witness, random, acts, ACTS)  # type: ignore[arg-type]
    session.subscribe(witness.hear)
    recorder = Recorder(path, session.report, codec=CODEC, limits=QUICK)
    session.follow(recorder.on_event)
    session.subscribe(operator.hear)
    broken: list[BaseException] = []

    def run() -> None:
        try:
            session.run(linger=True)
        except BaseException as error:
            broken.append(error)
            raise

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), f"the session waits for nothing at {witness.events[-1]}"
    recorder.close()
    assert not broken, f"the session broke: {broken[0]!r}"
    assert not witness.wrong, witness.wrong
    return witness, operator.said


@pytest.mark.parametrize("seed", walk_seeds(WALKS))
def test_whatever_an_operator_does_everything_is_told_where_it_belongs(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    world = random.choice((Line, Line, SlowLine))
    models = {"guide": Guide(), "other": Guide()}
    beside = Beside(Onlooker(), Guide(), "onlooker") if random.randrange(2) else None
    session = Session(Setup(Minded(), world, walk_to(5), random.randrange(3), random.choice((3, 8, 30)), models,
                            {"scene": "line"}, beside=beside))
    witness, said = walked(session, random, TOYS, tmp_path / "a.mcap")
    compare(witness, said, tmp_path / "a.mcap", random)


@pytest.mark.parametrize("seed", walk_seeds(WALKS))
def test_the_same_holds_of_a_simulator_that_keeps_dying(tmp_path: Path, seed: int) -> None:
    random, fates = Random(seed), Random(seed)
    world, often = random.choice((Mortal, SlowMortal)), random.choice((0.1, 0.4, 0.7))
    session = Session(Setup(Minded(), lambda: world(lambda: fates.random() < often), walk_to(5), 0, random.choice((3, 8, 30)),
                            {"guide": Guide(), "other": Guide()}, {"scene": "line"}))
    witness, said = walked(session, random, TOYS, tmp_path / "a.mcap")
    compare(witness, said, tmp_path / "a.mcap", random)


@pytest.mark.parametrize("seed", walk_seeds(1, max(1, WALKS // 8)))
def test_the_same_holds_of_real_planners_in_the_household(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    planner = random.choice(PLANNERS)
    few = {"simulations": 12} if planner in ("llm-mcts", "uct") else {}
    task = "put one apple in the fridge and one mug in the sink"
    session = Session(build(Request(planner=planner, parameters=few, scene="FloorPlan1", seed=random.randrange(5), task=task,
                                    max_steps=random.choice((4, 9, 25)), cache=False), simulator_class))
    first = session.setup.goal
    world = session.setup.make_world()
    world.reset(session.setup.seed)
    changes = [change for entity in world.reveal().entities for change in world.possible_changes(entity.id)]
    acts = anything(of_planner(session.setup.planner), random.sample(world.admissible(), 6), (first,),
                    lambda random: c.SetParameter("nothing", random.randrange(4)), random.sample(changes, 6))
    world.close()
    witness, said = walked(session, random, acts, tmp_path / "a.mcap")
    compare(witness, said, tmp_path / "a.mcap", random)


def compare(witness: Witness, said: list[c.Command], path: Path, random: Random) -> None:
    """Checks that the file, and everything derived from it, agrees with the live run."""
    live = witness.now
    assert len(said) >= 1
    with open_recording(path, CODEC) as recording:
        for number in sorted(random.sample(range(len(witness.events)), min(40, len(witness.events)))):
            alike(recording.snapshot_at(number), witness.snapshots[number], f"event {number}, {witness.events[number].what}")
        alike(recording.snapshot_at(), live, "the end")
        assert [(turn.moment, turn.done) for turn in recording.snapshot_at().turns] == witness.acted, "an acted turn is lost"
        compare_outcomes(recording, live, path)


def alike(found: Snapshot, live: Snapshot, where: str) -> None:
    odd = [f.name for f in fields(Snapshot) if not same(getattr(found, f.name), getattr(live, f.name))]
    assert not odd, f"{where}: {odd}"


def compare_outcomes(recording: Recording, live: Snapshot, path: Path) -> None:
    """Checks that the snapshot, the file's metadata and every export have the same outcome."""
    outcome, words = live.outcome, {o.branch: o.words for o in live.outcomes}
    with path.open("rb") as file:
        said = [m.metadata for m in make_reader(file).iter_metadata() if m.name == "belvedere.end"]
    assert said[-1] == {"success": str(outcome.success).lower(), "reason": outcome.reason, "branch": str(outcome.branch)}
    table = export(path, "csv", path.with_suffix(".csv"), CODEC)
    with table.open(encoding="utf-8-sig", newline="") as rows:
        finished = [row for row in csv.DictReader(rows) if not row["turn_state"]]
        for row, turn in zip(finished, live.turns, strict=True):
            assert (row["branch_outcome"], row["episode_outcome"]) == (words[turn.branch], outcome.words)
            assert float(row["work_s"]) == pytest.approx(turn.work, abs=2e-3)
            assert float(row["ended_s"]) - float(row["began_s"]) == pytest.approx(turn.work, abs=3e-3)
    lines = export(path, "jsonl", path.with_suffix(".jsonl"), CODEC).read_text("utf-8").splitlines()
    head = json.loads(lines[0])
    assert (head["outcome"]["reason"], head["outcome"]["branch"]) == (outcome.reason, outcome.branch)
    assert [b["reason"] for b in head["branches"]] == [o.reason for o in live.outcomes]
    assert all(g["reached"] for g in head["outcome"]["goal"]) == outcome.success
    page = export(path, "html", path.with_suffix(".html"), CODEC).read_text("utf-8")
    kind = "warn" if outcome.reason == "cut off" else "good" if outcome.success else "bad"
    assert f'<span class="chip {kind}">' in page
    assert (page.count('<span class="chip good">✓') == len(outcome.progress)) == outcome.success
    value = report(live, live.at)
    assert (value["success"], value["ended"]) == (outcome.success, outcome.reason)
    assert all(goal["reached"] for goal in value["goal"]) == outcome.success
    assert value["steps"] == len(line_of(live.turns, live.branches, outcome.branch))
    entry = summarise(path, file_state(path), CODEC).entry
    assert (entry.turns, entry.branches, entry.interventions, entry.calls, entry.tokens) == (
        value["steps"], len(live.branches), live.interventions, live.model_calls, live.tokens_in + live.tokens_out)
    assert (entry.result == "reached", entry.outcome) == (outcome.success, reason_in_words(outcome.reason))


@pytest.mark.parametrize("after", [(), (c.Rewind(2), c.Pause()), (c.Fork(3), c.Pause()), (c.Fork(),), (c.Switch(0),),
                                   (c.SetSteps(40),), (c.SetGoal(walk_to(7)),), (c.Edit(Plan((), "late")),)])
def test_what_was_reached_stays_reached(tmp_path: Path, after: tuple[c.Command, ...]) -> None:
    """Closing the window after the end, or going back to look and then closing it, does not change the end."""
    session = Session(Setup(Minded(), Line, walk_to(3), 0, 9, {"guide": Guide()}, {"scene": "line"}))
    witness, left = Witness(session), list(after)

    def operate(event: e.Event) -> None:
        if isinstance(event.what, e.Ended | e.Paused):
            for command in left or [c.Stop()]:
                session.post(command)
            ended = isinstance(event.what, e.Ended) and left and not isinstance(left[0], c.Rewind | c.Fork | c.Switch)
            left.clear()
            if ended:
                session.post(c.Stop())

    session.subscribe(witness.hear)
    recorder = Recorder(tmp_path / "a.mcap", session.report, codec=CODEC, limits=QUICK)
    session.follow(recorder.on_event)
    session.subscribe(operate)
    if isinstance(after[0] if after else None, c.Switch):
        left.append(c.Stop())
    session.run(linger=True)
    recorder.close()
    assert not witness.wrong, witness.wrong
    assert witness.now.outcome.success
    assert next(x.what.success for x in witness.events if isinstance(x.what, e.Ended))
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        compare_outcomes(recording, witness.now, tmp_path / "a.mcap")
