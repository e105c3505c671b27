"""The JSON object that `run --json` prints about a finished run. Scripts rely on its keys.

`success`, `ended`, `steps`, `goal` and `actions` belong to the branch that determines the outcome of the episode (see
`core.session.outcome`); `branches` has the outcome of each. Calls, tokens, cost and seconds are sums over all branches. `ended`
is the reason in words; `stopped_by` says what stopped the run early (see `core.app.headless.Played`), or is empty.
"""

from __future__ import annotations

from typing import Any

from core.goals.literals import LiteralProgress
from core.llm.reply_checks import uselessness
from core.session.snapshot import Snapshot
from core.session.turns import Turn, line_of


def report(run: Snapshot, seconds: float, *, stopped_by: str = "", cost: float | None = None) -> dict[str, Any]:
    """Returns the report as plain data for JSON.

    Args:
        run: the final snapshot.
        seconds: duration of the whole run.
        stopped_by: `budget`, a signal's name, or the part that failed; empty: the run was not stopped early.
        cost: in the currency of the prices; None: unknown.
    """
    began, outcome = run.began, run.outcome
    assert began is not None, "a run that never began has no report"
    turns = list(run.turns)
    line = line_of(turns, run.branches, outcome.branch)
    return {
        "success": outcome.success,
        "ended": outcome.reason,
        "stopped_by": stopped_by,
        "steps": len(line),
        "task": began.goal.text,
        "goal": [_literal(p) for p in outcome.progress],
        "actions": [_action(turn) for turn in line],
        "branches": [{"branch": o.branch, "success": o.success, "ended": o.reason} for o in run.outcomes],
        # Requests that only compare texts do not reach the model.
        "llm_calls": run.model_calls - sum(call.ask.compare == "only" for call in run.calls),
        "useless_replies": sum(call.reply is not None and call.reply.is_model and bool(uselessness(call.reply))
                               for call in run.calls),
        "tokens": {"in": run.tokens_in, "out": run.tokens_out},
        "cost": cost,
        "seconds": {
            "total": round(seconds, 3),
            "work": round(run.worked, 3),
            "person": round(max(0.0, run.at - run.worked), 3),
            "thinking": round(sum(t.thinking for t in turns), 3),
            "waiting": round(sum(t.waiting for t in turns), 3),
            "simulator": round(sum(t.acting for t in turns), 3),
        },
        "planner": began.planner, "simulator": began.simulator, "scene": began.scene, "provider": began.provider,
        "seed": began.seed, "versions": dict(began.versions),
    }


def _literal(progress: LiteralProgress) -> dict[str, Any]:
    literal = progress.literal
    return {
        "predicate": literal.predicate, "subject": literal.subject, "target": literal.target, "states": sorted(literal.states),
        "count": literal.count, "have": progress.have, "reached": progress.reached,
    }


def _action(turn: Turn) -> dict[str, Any]:
    outcome = turn.outcome
    assert outcome is not None, "turns are kept when they were acted out"
    action = outcome.action
    return {"verb": action.verb, "args": list(action.args), "by": turn.by, "ok": outcome.ok, "reason": outcome.reason}
