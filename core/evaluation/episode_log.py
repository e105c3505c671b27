"""An episode of a suite as the events of a session, so that it can be recorded, and what is kept of it in its row.

A suite plays without a session (`core.evaluation.episode.drive`). Played again from its seed with a recorder as listener, the
same code makes the recording.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from core.common.errors import RendererError
from core.common.installation import versions
from core.evaluation.episode import EpisodeWatch
from core.goals.formal_text import formal
from core.goals.literals import Goal, LiteralProgress
from core.planning.companion import CompanionDecision
from core.planning.facets import Facet, Phase, View
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner
from core.recording.failures.causes import propose
from core.recording.failures.labels import Proposal
from core.recording.failures.run import READ
from core.session.engine import Happening
from core.session.event_bus import EventBus, Follower
from core.session.events import (
    NOBODY,
    Acted,
    Asked,
    Began,
    Diverged,
    Ended,
    Event,
    Failed,
    Replied,
    Shown,
    TurnBegan,
)
from core.simulator.base import Simulator
from core.suites.origin import Origin
from core.world.vocabulary import Action

SIZE: Final = 640, 480
"""Width and height of recorded pictures in pixels."""


class EpisodeLog(EpisodeWatch):
    """Hears an episode and emits the events of a session. One object for each episode.

    Args:
        planner: the planner's name in the registry.
        simulator: the simulator's name in the registry.
        provider: who answers.

    Attributes:
        followers: receive every event with the snapshot after it; a recorder is one. Without any, no snapshots are made.
        views: the pictures to draw at each turn.
        scene, world: what was opened last before the episode began.
        origin: what is kept in the row; None until the episode is over.
        proposal: why it failed; None until it is over, and if it did not.
    """

    def __init__(self, planner: str, simulator: str, provider: str):
        self._names = planner, simulator, provider
        self.followers: tuple[Follower, ...] = ()
        self.views: tuple[View, ...] = ()
        self.scene, self.world = "", dict[str, str]()
        self.origin: Origin | None = None
        self.proposal: Proposal | None = None
        self._since = time.perf_counter()
        self._bus, self._events, self._actions = EventBus(folds=False), list[Event](), list[str]()
        self._goal, self._seeds, self._limit = Goal(()), (0, 0), 0
        self._asked, self._used = 0, (0, 0, 0)

    def opened(self, scene: str, world: Mapping[str, str]) -> None:
        """Notes the scene of a simulator that the suite takes."""
        self.scene, self.world = scene, dict(world)

    def begin(self, planner: Planner, simulator: Simulator, goal: Goal, seed: int, world_seed: int, limit: int) -> None:
        """The episode begins."""
        self._bus = EventBus(folds=bool(self.followers))
        for follower in self.followers:
            self._bus.follow(follower)
        self._bus.subscribe(self._keep)
        self._goal, self._seeds, self._limit = goal, (world_seed, seed), limit
        name, world, provider = self._names
        self._bus.emit(Began(name, world, self.scene, provider if planner.asks else NOBODY, world_seed, goal,
                             planner.parameters, limit, versions(), world=tuple(sorted(self.world.items())),
                             planner_seed=None if seed == world_seed else seed))

    def _keep(self, event: Event) -> None:
        """Keeps what the analysis of a failure reads."""
        what = event.what
        if type(what.facet if isinstance(what, Shown) else what).__name__ in READ:
            self._events.append(event)

    def happened(self, what: Happening, simulator: Simulator) -> None:
        """A turn begins, the planner shows a facet, has decided, or an action was executed."""
        if isinstance(what, TurnBegan):
            self._bus.turn += 1
        elif isinstance(what, Acted):
            self._actions.append(f"{what.outcome.action} {what.outcome.ok}")
        self._bus.emit(Shown(what) if isinstance(what, Facet) else what)
        if isinstance(what, TurnBegan):
            self._draw(simulator, "before")

    def _draw(self, simulator: Simulator, phase: Phase) -> None:
        for view in self.views:
            try:
                with self._bus.clock.resting("pause"):  # the episode was played without pictures
                    frame = simulator.render(view, *SIZE)
            except RendererError as error:
                self.views = ()
                self._bus.emit(Failed("camera", "renderer", str(error), waits=False))
                return
            self._bus.emit(Shown(replace(frame, turn=self._bus.turn, phase=phase, branch=0)))

    def replied(self, ask: ModelRequest, reply: ModelReply, source: str) -> None:
        """A model request was answered."""
        self._asked += 1
        self._bus.emit(Asked(self._asked, ask, source))
        self._bus.emit(Replied(self._asked, reply))
        if not reply.cached and ask.compare != "only":
            calls, tokens_in, tokens_out = self._used
            self._used = calls + 1, tokens_in + reply.tokens_in, tokens_out + reply.tokens_out

    def beside(self, chosen: Action | None, other: Decision | None, name: str) -> None:
        """A second planner has thought about the same turn; without `other` it could not decide."""
        if other is None:
            return
        self._bus.emit(Shown(CompanionDecision(name, other.action, other.because, chosen)))
        if other.action != chosen:
            self._bus.emit(Diverged(chosen, other.action, name))

    def end(self, simulator: Simulator, progress: tuple[LiteralProgress, ...], reason: str) -> None:
        """The episode is over."""
        success = all(p.reached for p in progress)
        if self._actions:
            self._draw(simulator, "after")
        self._bus.emit(Ended(success, reason, progress))
        self._bus.deliver(wait=True)
        self.proposal = None if success else propose(self._events)
        label, turn, because = "", 0, ""
        if self.proposal is not None:
            label, because, opens_at = self.proposal.label, self.proposal.because, self.proposal.opens_at
            turn = 0 if opens_at is None else opens_at.turn
        digest = hashlib.sha256("\n".join(self._actions).encode()).hexdigest()[:16]
        seconds = round(time.perf_counter() - self._since, 3)
        self.origin = Origin(self.scene, self.world, *self._seeds, formal(self._goal), self._goal.text, self._limit, success,
                             reason, len(self._actions), digest, seconds, *self._used, label, turn, because)
        self._events.clear()
