"""BCR in a session: it accepts commands at every checkpoint, and a rewound run repeats itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.goals.parser.sentence import parse_goal
from core.goals.vocabulary import Lexicon
from core.llm.commonsense import Commonsense
from core.planners.bcr.planner import Bcr
from core.planners.bcr.recorded_types import BlockingTable, BlockingTree, TableRow
from core.recording.reader import open_recording
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import fold_all
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.recording.common import CODEC, recorder_of
from tests.core.session.test_session import moves, told
from tests.core.session.toys import Ear

TASK = "put one mug inside the coffee machine and switch on the coffee machine"


def kitchen() -> HouseholdSimulator:
    return HouseholdSimulator.open("FloorPlan5", {"seeing": "camera"})


def running(steps: int = 60) -> tuple[Session, Ear]:
    with kitchen() as simulator:
        simulator.reset(3)
        goal = parse_goal(TASK, Lexicon(simulator.reveal().entities))
    made = Session(Setup(Bcr(), kitchen, goal, 3, steps, {"commonsense": Commonsense()}, {"scene": "FloorPlan5"}))
    return made, Ear(made)


def last_tree(ear: Ear) -> BlockingTree:
    return [s.facet for s in ear.of(e.Shown) if isinstance(s.facet, BlockingTree)][-1]


def test_it_pauses_obeys_and_reaches_the_goal() -> None:
    run, ear = running()
    scan = Action("scan")
    ear.when(told(e.TurnBegan, 2), c.Pause())
    ear.when(told(e.Paused), c.SetParameter("places", 3), c.Ban(scan), c.Step("checkpoint"))
    ear.when(told(e.Paused, nth=2), c.Step("action"))
    ear.when(told(e.Paused, nth=3), c.Override(scan), c.Resume())
    assert run.run().success
    assert [x for x in moves(ear) if "operator" in x] == ["operator scan"]
    assert "planner scan" not in moves(ear)[2:]
    taken = ear.of(e.CommandTaken)
    assert all(t.ok for t in taken)


def test_an_operators_choice_in_the_tree_is_what_is_done() -> None:
    run, ear = running()
    wished: list[str] = []

    def meddle(event: e.Event) -> None:
        tree = event.what.facet if isinstance(event.what, e.Shown) else None
        if wished or event.turn < 2 or not isinstance(tree, BlockingTree):
            return
        free = [n for n in tree.nodes if n.state == "candidate" and n.action is not None and n.action.verb == "walk"]
        if len(free) > 2:
            one = free[-1]
            nodes = tuple(replace(n, state="chosen", by_operator=True) if n is one else n for n in tree.nodes)
            wished.append(str(one.action))
            run.post(c.Edit(BlockingTree(nodes, tree.history, tree.loops), "look there first"))

    run.subscribe(meddle)
    assert run.run().success
    acted = [(event.turn, event.what) for event in ear.events if isinstance(event.what, e.Acted | e.CommandTaken)]
    at = next(k for k, (_, what) in enumerate(acted) if isinstance(what, e.CommandTaken))
    done = acted[at + 1][1]
    assert isinstance(done, e.Acted)
    assert str(done.outcome.action) == wished[0]


def test_an_edited_table_is_told_recorded_and_taken_back_by_a_rewind(tmp_path: Path) -> None:
    run, ear = running(8)
    made: list[BlockingTable] = []

    def meddle(event: e.Event) -> None:
        table = event.what.facet if isinstance(event.what, e.Shown) else None
        if isinstance(table, BlockingTable) and not made:
            made.append(replace(table, resolved_by=(*table.resolved_by[:-1], TableRow("allowed", ()))))
        if made and event.turn == 2 and isinstance(event.what, e.TurnBegan) and len(ear.of(e.CommandTaken)) == 0:
            run.post(c.Edit(made[0], "nothing helps against a refusal"))
            run.post(c.Edit(replace(made[0], blocked_by=(TableRow("fly", ()),)), "this cannot be"))
        if event.turn == 4 and isinstance(event.what, e.TurnBegan) and not ear.of(e.Rewound):
            run.post(c.Rewind(1))

    run.subscribe(meddle)
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    run.run()
    recorder.close()
    taken = [what for what in ear.of(e.CommandTaken) if isinstance(what.command, c.Edit)]
    assert [what.ok for what in taken] == [True, False]
    assert "“fly”" in taken[1].reason
    back = next(k for k, event in enumerate(ear.events) if isinstance(event.what, e.Rewound))
    before, after = fold_all(ear.events[:back]), fold_all(ear.events)
    edited, again = before.facet(BlockingTable), after.facet(BlockingTable)
    assert edited is not None
    assert again is not None
    assert edited.resolved_by[-1] == TableRow("allowed", ())
    assert again.resolved_by[-1].entries, "before the edit the table was another one"
    assert [mark.kind for mark in before.marks] == ["edit"]
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert recording.snapshot_at(ear.events[back - 1].number).facet(BlockingTable) == edited
        assert recording.snapshot_at().facet(BlockingTable) == again


def test_a_rewound_run_repeats_itself() -> None:
    run, ear = running()
    ear.when(told(e.TurnBegan, 5), c.Rewind(2))
    assert run.run().success
    done = moves(ear)
    assert done[1:4] == done[4:7]
    assert fold_all(ear.events).status == "ended"
