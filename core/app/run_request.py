"""The request for a run, in names and settings: the same for the command line, the console and a recording taken over.

It holds texts only. No part of a run is imported here, so that making a request is fast (see `core.app.launch`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from core.common.errors import UsageError
from core.common.parameters import Value
from core.common.registry import near_misses
from core.llm.budget import Limits, Price
from core.llm.model import OFFLINE

NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Request:
    """The request for a run.

    Attributes:
        preset: a named parameter set of the planner; empty: its default.
        parameters: single parameters, as values or as text, which override the preset.
        scene: empty: the simulator's first.
        world: the simulator's own settings.
        model: the provider's own settings (base_url, model …); never a key.
        task: the goal in words; empty: the simulator's own, or one drawn by the seed.
        beside: a second planner that only thinks, as `planner[:preset][+name=value …]`; empty: none.
        beside_provider, beside_model: who answers it, and the settings; empty: the same provider and settings.
        goal: the goal as formal text (`core.goals.formal_text`); it wins over `task`, which is then only the sentence that the
            goal keeps. Whoever changes `task` alone clears it.
        max_steps: None: the simulator's default.
        cache: keep language models' replies for later runs.
        limits: of calls, tokens and cost.
        prices: of models, per million tokens; a limit of cost needs them.
        examples: the folder of the example set; None: the user's.
    """

    planner: str = "llm-mcts"
    preset: str = ""
    parameters: Mapping[str, Value] = field(default_factory=lambda: NONE)
    simulator: str = "household"
    scene: str = "four-rooms-1"
    world: Mapping[str, str] = field(default_factory=lambda: NONE)
    provider: str = OFFLINE
    model: Mapping[str, str] = field(default_factory=lambda: NONE)
    seed: int = 0
    task: str = ""
    max_steps: int | None = None
    cache: bool = True
    limits: Limits = field(default_factory=Limits)
    prices: Mapping[str, Price] = field(default_factory=lambda: MappingProxyType({}))
    examples: Path | None = None
    goal: str = ""
    beside: str = ""
    beside_provider: str = ""
    beside_model: Mapping[str, str] = field(default_factory=lambda: NONE)


def settings(pairs: list[str], flag: str, example: str) -> dict[str, str]:
    """Returns `NAME=VALUE` flags as a mapping.

    Raises:
        UsageError: a flag has another form.
    """
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"{flag} {pair}: write NAME=VALUE, such as {flag} {example}{near_misses(pair, [example])}")
        found[name] = value
    return found
