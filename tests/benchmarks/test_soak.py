"""Ten thousand turns in the window, and two thousand of a planner that asks much: what memory and threads they leave behind.

`pytest tests/benchmarks/test_soak.py --benchmark-enable -s` prints figures on the way; a plain test run plays a few turns.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, ClassVar

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.run_request import Request
from core.goals.literals import Goal, Literal
from core.planning.facets import Grounded, Grounding
from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.planning.planner import Decision, Thought
from core.recording.codec import Codec
from core.recording.paged_list import paged_snapshot
from core.session.events import Acted, Event
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import fold
from core.world.vocabulary import Action, Observation
from gui.app import App
from gui.control.bridge import TurnHistory
from gui.theme import Theme
from gui.window.application import responsive_interpreter
from tests.benchmarks.reference import PYTHON, Alternation, note
from tests.core.session.toys import Guide, Line, Walker
from tests.gui.parts import make_setup, parts

NEVER = Goal((Literal("is", "walker", None, 1, frozenset({"at -1"})),), "Walk to where nobody can")
LONG, SHORT = 10_000, 20
ASKING_LONG, ASKING_SHORT = 2000, 4
PATIENCE_MS = 250_000
"""Longest wait for a tenth of the turns."""
CALLS, PROMPT = 16, 4000
"""Questions a turn, and letters of each."""


class Forgetful(Guide):
    """Does not keep its questions: only what the console keeps is to be measured."""

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        return ModelReply(("right",), self.source, tokens_in=len(ask.messages[-1].content) // 4, tokens_out=1)


def resident_mb() -> float:
    """Memory of this process in MB (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def setup_of(request: Request) -> Setup:
    """The toy, which never reaches its goal."""
    made = make_setup(request)
    return replace(made, goal=NEVER, most_steps=request.max_steps or LONG, models={"guide": Forgetful()})


def test_a_long_run_in_the_window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, benchmark: Any, capsys: Any) -> None:
    turns, beside = LONG if benchmark.enabled else SHORT, Alternation(PYTHON)
    theme, settings = Theme("dark"), QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    theme.apply(qapp)
    given = parts()
    given = replace(given, make_setup=setup_of, request=replace(given.request, max_steps=turns))
    with responsive_interpreter():
        app = App(given, theme, settings)
        app.window.resize(1440, 900)
        app.open(ask=False)
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0, timeout=60_000)
        figures = benchmark.pedantic(lambda: soaked(qtbot, app, turns, beside, is_measured=benchmark.enabled), rounds=1)
        app.window.close()
        app.window.deleteLater()
    if benchmark.enabled:
        note(benchmark, beside.figure("a turn of the toy in the window", turns // 10))
        with capsys.disabled():
            print(f"\n(turn, resident MB, allocated blocks, threads): {figures}")  # noqa: T201 - the figures are what this is for
    assert len(app.bridge.snapshot.line) == turns


def walked(app: App, turns: int) -> bool:
    """Whether so many turns are done."""
    return len(app.bridge.snapshot.line) >= turns


def soaked(qtbot: QtBot, app: App, turns: int, beside: Alternation, *, is_measured: bool) -> list[tuple[int, int, int, int]]:
    """Play, with figures ten times on the way if they are wanted: to look for garbage takes longer than some turns.

    Blocks, not `gc.get_objects()`: that shows other threads' half-made tuples and breaks them (SystemError in tupleobject.c).
    """
    figures = []
    app.console.run()
    for stop in range(turns // 10, turns + 1, turns // 10):
        beside.unit()
        beside.round(partial(qtbot.waitUntil, partial(walked, app, stop), timeout=PATIENCE_MS))
        if not is_measured:
            continue
        gc.collect()
        figures.append((stop, round(resident_mb()), sys.getallocatedblocks(), threading.active_count()))
    beside.unit()
    return figures


class Asker(Walker):
    """Asks as much as a search with a language model for its policy does, and tells what it took the replies for."""

    name: ClassVar[str] = "asker"
    words: ClassVar[list[str]] = [f"word{k}" for k in range(500)]

    def plan(self, observation: Observation) -> Thought:
        asks = tuple(self._question(observation, k) for k in range(CALLS))
        replies = yield asks
        assert isinstance(replies, tuple)
        yield Grounded(tuple(Grounding(ask.digest, reply.texts[0], "right", 0.9, "exact")
                             for ask, reply in zip(asks, replies, strict=True)))
        return Decision(Action("go", ("right",)))

    def _question(self, observation: Observation, number: int) -> ModelRequest:
        """Half of a prompt stands in all of them, and the rest is new."""
        fixed, fresh = Random(0), Random(f"{observation.step} {number}")
        system, user = (" ".join(letters.choices(self.words, k=PROMPT // 16)) for letters in (fixed, fresh))
        messages = (Message("system", system), Message("user", user))
        return ModelRequest("policy", messages, f"step {observation.step}", temperature=0.7)


def test_a_long_run_that_asks_a_language_model(benchmark: Any, capsys: Any) -> None:
    turns, beside = ASKING_LONG if benchmark.enabled else ASKING_SHORT, Alternation(PYTHON)
    run = Session(Setup(Asker(), Line, NEVER, 0, turns, {"guide": Forgetful()}))
    snapshot, past, figures = paged_snapshot(Codec()), TurnHistory(), list[tuple[int, int, int]]()

    def hear(event: Event) -> None:
        nonlocal snapshot
        snapshot = fold(snapshot, event)
        past.keep(snapshot)
        if benchmark.enabled and isinstance(event.what, Acted) and event.turn % (turns // 4) == 0:
            gc.collect()
            figures.append((event.turn, round(resident_mb()), sys.getallocatedblocks()))

    run.subscribe(hear)
    beside.unit()
    benchmark.pedantic(partial(beside.round, run.run), rounds=1)
    beside.unit()
    if benchmark.enabled:
        note(benchmark, beside.figure("a turn with 16 requests", turns))
        with capsys.disabled():
            print(f"\n(turn, resident MB, allocated blocks): {figures}")  # noqa: T201 - the figures are what this is for
    assert len(snapshot.calls) == len(snapshot.groundings) == turns * CALLS
    assert [call.id for call in snapshot.calls[:CALLS]] == list(range(CALLS))
