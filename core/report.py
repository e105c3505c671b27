"""An episode as the JSON object that `run --json` prints. Its keys are a promise to scripts."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

from core.episode import Episode
from core.goals import LiteralProgress
from core.world import Outcome


def report(episode: Episode, *, planner: str, simulator: str, scene: str, seed: int, seconds: float) -> dict[str, Any]:
    """Plain data for JSON; `seconds` is the whole run's, start-up included."""
    return {
        "success": episode.success,
        "ended": episode.ended or ("goal reached" if episode.success else "steps used up"),
        "steps": len(episode.outcomes),
        "task": episode.goal.text,
        "goal": [_literal(p) for p in episode.literals],
        "actions": [_action(o) for o in episode.outcomes],
        "llm_calls": 0,
        "tokens": {"in": 0, "out": 0},
        "seconds": {
            "total": round(seconds, 3), "thinking": round(episode.thinking, 3), "waiting": 0.0,
            "simulator": round(episode.acting, 3),
        },
        "planner": planner, "simulator": simulator, "scene": scene, "seed": seed,
        "versions": {"belvedere": version(), "python": platform.python_version(), "numpy": metadata.version("numpy")},
    }


def version() -> str:
    """Belvedere's own version; "source" where it runs without having been installed."""
    try:
        return metadata.version("belvedere")
    except metadata.PackageNotFoundError:
        return "source"


def _literal(progress: LiteralProgress) -> dict[str, Any]:
    literal = progress.literal
    return {
        "predicate": literal.predicate, "subject": literal.subject, "target": literal.target, "states": sorted(literal.states),
        "count": literal.count, "have": progress.have, "reached": progress.reached,
    }


def _action(outcome: Outcome) -> dict[str, Any]:
    return {"verb": outcome.action.verb, "args": list(outcome.action.args), "ok": outcome.ok, "reason": outcome.reason}
