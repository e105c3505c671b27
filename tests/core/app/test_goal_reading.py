"""The door by which tasks become goals: who reads, what is on record, what it costs, and how it is cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.app.command_line import parsed, request_of
from core.app.goal_reading import TaskReading, read_task
from core.app.headless import follow, report
from core.app.launch import build, goal_of, read_goal
from core.app.run_request import Request
from core.common.cancellation import Cancellation
from core.common.errors import GoalError, ModelError, UsageError
from core.goals.formal_text import formal
from core.goals.literals import Literal
from core.llm.budget import Limits
from core.llm.model import LanguageModel
from core.recording.calls import write_replies
from core.recording.reader import open_recording
from core.session import events as e
from core.session.commands import Stop
from core.session.session import Session
from core.session.snapshot import fold_all
from sim.household.simulator import HouseholdSimulator
from sim.registry import simulator_class
from tests.core.llm.test_goal_translation import NONSENSE, Scripted, cases, world_of
from tests.core.planners.by_hand import home
from tests.core.session.test_session import in_thread, told
from tests.core.session.toys import Ear
from tests.core.session.toys import session as toy_session
from tests.long_tests import either
from tests.loopback.chat_server import ChatServer, completion, serving
from tests.waiting import PATIENCE, until

STRANGE = "Wouldn't one apple look splendid, all chilly within my fridge?"
"""A task that no rule reads."""
APPLE = (Literal("inside", "apple", "fridge"),)
GOOD, BAD = completion("inside(apple, fridge)"), completion("I would fetch the apple.")


@pytest.fixture(scope="module")
def world() -> HouseholdSimulator:
    return home()


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving(lambda body: GOOD) as server:
        yield server


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def request(server: ChatServer, **parts: object) -> Request:
    return replace(Request(planner="oracle", provider="openai", model={"base_url": server.base_url, "model": "m"}, task=STRANGE,
                           seed=10_000), **parts)  # type: ignore[arg-type]


def refusing() -> Callable[[], LanguageModel | None]:
    def opened() -> LanguageModel | None:
        raise AssertionError("nobody may ask")
    return opened


def cause(read: TaskReading) -> str:
    assert read.reading.goal is None
    assert read.reading.refusal is not None
    with pytest.raises(GoalError):
        assert read.goal
    return str(read.reading.refusal)


# --- who reads ------------------------------------------------------------------------
def test_what_rules_understand_is_not_put_to_a_model(world: HouseholdSimulator) -> None:
    read = read_task(world, "Put one apple inside the fridge", 0, refusing())
    assert (read.goal.literals, read.reading.by, read.calls) == (APPLE, "rules", ())
    assert "only" in cause(read_task(world, "put nine apples in the fridge", 0, refusing())), "understood, and not possible"


def test_formal_text_is_read_by_nobody(world: HouseholdSimulator) -> None:
    read = read_task(world, "inside(apple, fridge)", 0, refusing())
    assert (read.goal.literals, read.reading.by) == (APPLE, "formal")
    assert "there is no thing called “zeppelin” here; try" in cause(read_task(world, "inside(zeppelin, fridge)", 0, refusing()))
    assert "cannot be done here" in cause(read_task(world, "inside(apple, fridge, count=9)", 0, refusing()))


@pytest.mark.parametrize("provider", ["commonsense", "human"])
def test_the_offline_rules_and_the_operator_do_not_pose_as_a_model(provider: str) -> None:
    read = read_goal(Request(task=STRANGE, provider=provider, seed=10_000), simulator_class)
    assert read.calls == ()
    assert "language model" not in cause(read)


def test_a_model_reads_what_rules_do_not_understand(server: ChatServer) -> None:
    read = read_goal(request(server), simulator_class)
    assert (read.goal.literals, read.goal.text, read.reading.by) == (APPLE, STRANGE, "model")
    [(ask, reply)] = read.calls
    assert reply.texts == ("inside(apple, fridge)",)
    assert ask.messages[0].content.endswith(f"Goal: {STRANGE}\nFormal goal:")
    assert any("inside" in str(body) and ({"structured_outputs", "guided_regex", "grammar"} & body.keys())
               for body in server.requests), "the server is asked to keep to the form"


def test_a_server_that_ignores_the_form_is_repaired(server: ChatServer) -> None:
    server.script = lambda body: GOOD if len(body["messages"]) > 1 else BAD
    read = read_goal(request(server), simulator_class)
    assert read.goal.literals == APPLE
    assert "it states no formal goal" in server.requests[-1]["messages"][-1]["content"]


def test_nonsense_is_refused_and_shown_with_tasks_that_work(server: ChatServer) -> None:
    server.script = lambda body: BAD
    read = read_goal(request(server), simulator_class)
    message = cause(read)
    assert "the language model answered “I would fetch the apple.”, which is not taken: it states no formal goal" in message
    assert len(read.calls) == 2
    assert read.reading.unknown, "the words that the rules did not understand are underlined"
    assert read.reading.refusal is not None
    for suggestion in read.reading.refusal.suggestions:
        assert goal_of(request(server, task=suggestion), simulator_class).literals
    assert "\n" not in message


def test_through_the_door_all_are_right_whose_answers_are() -> None:
    """The model repeats its nonsense when it is told the error. Sentences that the rules read never reach it."""
    asked = 0
    for k, case in enumerate(cases()[::either(3, 1)]):
        nonsense = list(NONSENSE.values())[k // 10 % len(NONSENSE)](case)
        answer = nonsense if k % 10 == 4 else formal(case.goal)
        model = Scripted(lambda ask, text=answer: text)  # type: ignore[misc]
        read = read_task(world_of(case.scene), case.text, 3, lambda model=model: model).reading  # type: ignore[misc]
        if not model.asked:
            continue
        is_right = read.goal is not None and read.goal.literals == case.goal.literals
        asked += 1
        assert is_right or (answer is nonsense and (read.guesses or (read.refusal is not None and read.refusal.suggestions)))
    assert asked >= either(20, 60)


def test_a_server_that_is_down_leaves_the_refusal_of_the_rules(server: ChatServer) -> None:
    gone = request(server, model={"base_url": "http://127.0.0.1:9/v1", "model": "m", "retries": "0"})
    assert "the language model gave no answer: " in cause(read_goal(gone, simulator_class))
    unset = request(server, model={"base_url": "no address"})
    assert "the language model cannot be asked: " in cause(read_goal(unset, simulator_class))


def test_a_reading_can_be_cancelled(server: ChatServer) -> None:
    server.script = server.hang
    cancelled, errors = Cancellation(), list[ModelError]()

    def read() -> None:
        try:
            read_goal(request(server), simulator_class, cancelled)
        except ModelError as error:
            errors.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    assert server.hanging.wait(PATIENCE)
    cancelled.set()
    thread.join(10)
    assert [error.kind for error in errors] == ["cancelled"]


# --- what it costs ----------------------------------------------------------------------
def test_a_reading_is_cached_and_counted(server: ChatServer) -> None:
    first = read_goal(request(server), simulator_class)
    asked = len(server.requests)
    second = read_goal(request(server), simulator_class)
    assert len(server.requests) == asked
    assert [reply.cached for _, reply in (*first.calls, *second.calls)] == [False, True]
    read_goal(request(server, cache=False), simulator_class)
    assert len(server.requests) > asked
    assert "the budget is used up" in cause(read_goal(request(server, cache=False, limits=Limits(calls=0)), simulator_class))


def test_the_run_that_follows_shares_the_budget(server: ChatServer) -> None:
    setup = build(request(server, planner="llm-policy", limits=Limits(calls=5)), simulator_class)
    assert setup.budget is not None
    assert setup.budget.spent.calls == len(setup.calls) == 1
    Session(setup).close()


# --- what is on record ------------------------------------------------------------------
def test_a_run_records_the_calls_that_read_its_goal(server: ChatServer, tmp_path: Path) -> None:
    played = follow(build(request(server), simulator_class), lambda line: None, tmp_path / "a.mcap")
    assert played.snapshot.ended is not None
    assert played.snapshot.ended.success
    assert report(played.snapshot, 0.0)["llm_calls"] == 1
    with open_recording(tmp_path / "a.mcap") as recording:
        end, early = recording.snapshot_at(), recording.snapshot_at(turn=1)
        assert end.began is not None
        assert (end.began.goal.literals, end.began.goal.text) == (APPLE, STRANGE)
        [call] = end.calls
        assert (call.by, call.ask.purpose, call.turn) == ("operator", "goal reading", 0)
        assert call.reply is not None
        assert call.reply.texts == ("inside(apple, fridge)",)
        assert len(early.calls) == 1
        assert not end.waiting
        assert not end.aside
        write_replies(recording, tmp_path / "replies.jsonl")
    asked = len(server.requests)
    again = request(server, provider="replay", model={"file": str(tmp_path / "replies.jsonl")})
    assert read_goal(again, simulator_class).goal.literals == APPLE, "a replay reads the same goal"
    assert len(server.requests) == asked


def test_a_run_without_a_window_says_what_was_understood(server: ChatServer) -> None:
    server.script = lambda body: completion("inside(apple, fridge) and on(book, sofa)")
    said: list[str] = []
    played = follow(build(request(server, task=f"{STRANGE} My pear too", max_steps=1), simulator_class), said.append)
    assert said[:3] == [f"understood: inside(apple, fridge) and on(book, sofa) (read by openai m at {server.base_url})",
                        "  guessed: book, sofa; or leave it out: --goal 'inside(apple, fridge)'", "  not in the goal: “pear”"]
    assert report(played.snapshot, 0.0)["formal_goal"] == "inside(apple, fridge) and on(book, sofa)"
    said.clear()
    follow(build(request(server, task="Put one apple inside the fridge", max_steps=1), simulator_class), said.append)
    assert said[0] == "understood: inside(apple, fridge)", "what was understood is always said"
    assert not any("guessed" in line for line in said)


def test_a_running_session_records_a_new_goals_calls(server: ChatServer) -> None:
    calls = read_goal(request(server), simulator_class).calls
    run, ear = toy_session()
    ear.when(told(e.Ended))
    thread = in_thread(run, linger=True)
    run.note_calls(calls)
    run.note_calls(())
    until(lambda: bool(ear.of(e.AskedAside)) and any(call.by == "operator" for call in fold_all(ear.events).calls))
    numbers = [event.what.id for event in ear.events if isinstance(event.what, e.Asked | e.AskedAside)]
    assert len(numbers) == len(set(numbers))
    assert [what.ask for what in ear.of(e.AskedAside)] == [ask for ask, _ in calls]
    run.post(Stop())
    thread.join(5)
    assert not thread.is_alive()


# --- the command line -------------------------------------------------------------------
def test_a_goal_is_given_as_formal_text() -> None:
    given = request_of(parsed(["run", "--goal", "inside(apple, fridge)", "--seed", "10000"]))
    assert goal_of(given, simulator_class).literals == APPLE
    assert goal_of(given, simulator_class).text == "inside(apple, fridge)"
    both = request_of(parsed(["run", "--goal", "inside(apple, fridge)", "--task", "Cool the apple", "--seed", "10000"]))
    assert goal_of(both, simulator_class).text == "Cool the apple"
    with pytest.raises(UsageError, match="--goal is empty"):
        request_of(parsed(["run", "--goal", " "]))


@pytest.mark.parametrize(("goal", "words"), [
    ("inside(apple fridge)", "inside takes 2 names"), ("put(apple, fridge)", "“put” is no predicate"),
    ("inside(zeppelin, fridge)", "no thing called “zeppelin”"), ("Put one apple inside the fridge", "is no literal"),
    ("inside(apple, fridge, count=40)", "this cannot be done here"),
])
def test_a_wrong_goal_is_an_error_in_one_line_with_a_cure(goal: str, words: str) -> None:
    given = request_of(parsed(["run", "--goal", goal, "--seed", "10000"]))
    with pytest.raises(GoalError) as caught:
        build(given, simulator_class)
    assert words in str(caught.value)
    assert "; try “" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_run_reaches_a_formal_goal_in_stages() -> None:
    given = Request(planner="oracle", goal="holds(apple) then inside(apple, fridge) and is(fridge, closed)", seed=10_000)
    run = Session(build(given, simulator_class))
    ear = Ear(run)
    assert run.run().success
    assert ear.of(e.Began)[0].goal.last_stage == 1


@pytest.mark.parametrize("text", ["Do not open the fridge", "never is(fridge, open)"])
def test_a_goal_that_only_forbids_is_refused(text: str) -> None:
    with HouseholdSimulator.open("four-rooms-2", {}) as world:
        world.reset(0)
        refusal = read_task(world, text, 0).reading.refusal
        assert refusal is not None
        assert "say also what is to be done" in str(refusal)
        assert refusal.suggestions


@pytest.mark.parametrize("sign", ["\u200b", "\u200e", "\u2060", "\ufeff", "\u00ad", "\u3164", "\ufe0f"])
def test_what_shows_nothing_in_a_pasted_task_changes_nothing(world: HouseholdSimulator, sign: str) -> None:
    for task in ("Put one apple inside the fridge", "inside(apple, fridge)"):
        plain = read_task(world, task, 10_000).goal
        for pasted in (f"{sign}{task}", f"{task}{sign}", task.replace("apple", f"ap{sign}ple"),
                       task.replace(" ", f"\u00a0{sign}")):
            assert read_task(world, pasted, 10_000).goal == plain
