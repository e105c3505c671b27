"""Solves tasks with unified-planning's Fast Downward engine: a line of stdin names a JSON file, its answer is laid beside.

Run as a script in a process of its own: loading the packages takes a second, a hard task takes long, and either may be ended at
any time. It stands alone and imports nothing of ours.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

ENGINE = "fast-downward"
OPTIONS = {"fast_downward_alias": "lama-first", "fast_downward_translate_options": ["--invariant-generation-max-time", "0"]}
"""Greedy best-first search with the FF heuristic and landmarks; the first plan will do. Looking for invariants among ground
operators takes minutes and is of no use to it."""


def problem_of(task: dict[str, Any], up: Any) -> Any:
    """The task as a unified-planning problem of propositions."""
    problem = up.Problem("task")
    fluents: dict[str, Any] = {}

    def fact(name: str) -> Any:
        plain = name.removeprefix("!")
        if plain not in fluents:
            fluents[plain] = up.Fluent(f"f{len(fluents)}", up.BoolType())
            problem.add_fluent(fluents[plain], default_initial_value=False)
        return up.Not(fluents[plain]) if name.startswith("!") else fluents[plain]

    for number, operator in enumerate(task["operators"]):
        action = up.InstantaneousAction(f"o{number}")
        for need in operator["needs"]:
            action.add_precondition(fact(need))
        adds = set(operator["adds"])
        for name in sorted(set(operator["drops"]) - adds):
            action.add_effect(fact(name), False)
        for name in sorted(adds):
            action.add_effect(fact(name), True)
        for condition, name in operator["when"]:
            action.add_effect(fact(name), True, up.And([fact(c) for c in condition]))
        problem.add_action(action)
    for name in task["facts"]:
        problem.set_initial_value(fact(name), True)
    for part in task["goal"]:
        problem.add_goal(up.Or([fact(name) for name in part]) if len(part) != 1 else fact(part[0]))
    return problem


def solve(task: dict[str, Any], seconds: float) -> list[int] | None:
    """Numbers of the operators of a plan; None where there is none."""
    up = importlib.import_module("unified_planning.shortcuts")
    up.get_environment().credits_stream = None
    with up.OneshotPlanner(name=ENGINE, params=OPTIONS) as planner:
        result = planner.solve(problem_of(task, up), timeout=seconds)
    return None if result.plan is None else [int(a.action.name[1:]) for a in result.plan.actions]


def answered(path: Path) -> dict[str, Any]:
    """The answer to the question in a file: a plan, none, or what went wrong."""
    try:
        question = json.loads(path.read_text(encoding="utf-8"))
        return {"plan": solve(question["task"], question["seconds"])}
    except Exception as error:  # noqa: BLE001 - whatever the engine meets with is told to whoever asked
        return {"trouble": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}


def main() -> int:
    """Answer every file that a line of stdin names, until there are no more; an answer appears whole or not at all."""
    for line in sys.stdin:
        path = Path(line.strip())
        unfinished = path.with_name(f"{path.name}.part")
        unfinished.write_text(json.dumps(answered(path)), encoding="utf-8")
        unfinished.rename(path.with_name(f"{path.name}.answer"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
