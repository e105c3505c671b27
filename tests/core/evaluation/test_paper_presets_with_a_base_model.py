"""Every suite and every preset `paper…`, with a server that answers as base models do; a second sweep is free of calls."""

from __future__ import annotations

import importlib
import importlib.util
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.evaluation.contestants import contestant, named
from core.evaluation.suites import SUITES, suite
from core.evaluation.sweep import Resources, Sweep, play
from core.planners.registry import PLANNERS, planner_class
from core.suites.contestant import Contestant
from sim.registry import simulator_class
from tests.core.evaluation.test_model_sweeps import empty_cache as empty_cache
from tests.core.evaluation.test_model_sweeps import timeless
from tests.core.llm.test_local import MODEL_PACKAGE, PACKAGE
from tests.long_tests import LONG, either
from tests.loopback.chat_server import ChatServer, Json, Sent, completion, serving

STEPS = either(2, 3)
BRIEFLY = {"llm-mcts": "+simulations=3+world_samples=2", "llm-mcts-fully-observable": "+simulations=3+world_samples=2",
           "neoplanner": "+tries=3"}
"""Planner -> settings that keep its episodes short."""
ROUTES = [f"{group}{a},{group}{b},{people},{people}" for group, people in (("L", "6e6"), ("M", "7e5"))
          for a, b in zip("abcd", "bcde", strict=True)]


def presets(planner: str) -> tuple[str, ...]:
    """Returns the names of a planner's presets that follow its paper."""
    return tuple(name for name in planner_class(planner).presets if name.startswith("paper"))


def of_the_papers(name: str) -> tuple[Contestant, ...]:
    """Returns a suite's contestants that follow a paper, the baselines that ask a model included, with short episodes."""
    found = []
    for text in suite(name).contestants:
        cls, papers = planner_class(named(text)), presets(named(text))
        if not cls.missing() and (contestant(text).preset in papers or (cls.asks and set(papers) in (set(), set(cls.presets)))):
            found.append(contestant(text + BRIEFLY.get(named(text), "")))
    return tuple(found)


def mumbled(body: Json) -> Sent:
    """Returns what base models say in place of an answer: nothing, the prompt again, one of its lines, a word without end."""
    messages = [str(message["content"]) for message in body["messages"]]
    lines = [line for message in messages for line in message.splitlines() if line.strip()]
    draw = zlib.crc32(json.dumps(messages).encode())

    def sample(number: int) -> str:
        kind, line = (draw + number) % 5, lines[(draw // 5 + 7 * number) % len(lines)]
        return ("", messages[-1][:300], line, f"<|im_start|>user\n{line}", "the the the ")[kind]

    texts = [sample(number) for number in range(int(body.get("n", 1)))]
    return completion(*texts, finish="length" if "the the the " in texts else "stop", tokens=(50, 5))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving(mumbled) as running:
        yield running


def test_the_suites_play_every_planner_with_a_preset_of_its_paper() -> None:
    played = {one.planner for name in SUITES for one in of_the_papers(name)}
    assert {name for name in PLANNERS if presets(name) and planner_class(name).asks} <= played


@pytest.mark.parametrize("name", SUITES)
def test_a_sweep_is_played_to_its_end_and_a_second_one_asks_nothing(name: str, server: ChatServer, tmp_path: Path) -> None:
    chosen = suite(name)
    if chosen.simulator == "scienceworld" and importlib.util.find_spec("scienceworld") is None:
        pytest.skip("scienceworld is not installed")
    (tmp_path / "routes.csv").write_text("\n".join(["from,to,from_population,to_population", *ROUTES, ""]))
    world = (("routes", str(tmp_path / "routes.csv")),) if name == "flight-routes" else ()
    options = (("base_url", server.base_url), ("model", "m"), ("retries", "0"))
    ends, contestants = (chosen.cells[0], chosen.cells[-1]), of_the_papers(name)
    halves = [(ends[:1], contestants[::2]), (ends[1:], contestants[1::2])]
    calls = 0
    for number, (cells, some) in enumerate([(ends, contestants)] if LONG or len(contestants) == 1 else halves):
        plan = Sweep(name, some, 1, STEPS, "openai", cells, options=options, world=world)
        calls += played_twice(plan, chosen.simulator, tmp_path / str(number))
    assert 0 < calls <= len(server.requests)


def played_twice(plan: Sweep, simulator: str, folder: Path) -> int:
    """Plays a sweep in two folders. Returns the calls of the first; the second has the same rows without a call."""
    opened = simulator_class(simulator).open
    first, again = (play(plan, opened, folder / name, Resources()) for name in ("first", "again"))
    assert (first.left, first.failures, first.ended) == (0, (), "")
    assert len(first.rows) == len(plan.cells) * len(plan.contestants)
    assert timeless(again.rows) == timeless(first.rows)
    assert first.costs is not None
    assert again.costs is not None
    assert again.costs.used.spent.calls == 0
    return first.costs.used.spent.calls


@pytest.mark.parametrize(("name", "planner", "cell"), [
    ("decision-complexity", "lab-model", 1), ("decision-complexity", "lab-policy", 5), ("blocking", "bcr:paper+tries=1", 0)])
def test_the_same_with_a_real_tiny_model(name: str, planner: str, cell: int, tmp_path: Path) -> None:
    for package in (PACKAGE, MODEL_PACKAGE):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"the package {package} is not installed")
    importlib.import_module(MODEL_PACKAGE).assemble(tmp_path / "tiny.gguf")
    options = (("file", str(tmp_path / "tiny.gguf")), ("context", "2048"), ("max_tokens", "16"))
    chosen = suite(name)
    plan = Sweep(name, (contestant(planner),), 1, 2, "local", (chosen.cells[cell],), options=options)
    assert played_twice(plan, chosen.simulator, tmp_path) > 0
    (tmp_path / "tiny.gguf").unlink()
