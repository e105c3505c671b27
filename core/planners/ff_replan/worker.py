"""Solves tasks with unified-planning's Fast Downward engine: each line of stdin names a JSON file in the folder that is given.

The answer is written beside it. The folder is removed when the input ends: the parent process may have been killed.

Run as a script in a child process, because loading the packages takes a second, a hard task takes long, and either may be
killed at any time. It imports no other module of this project.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

ENGINE = "fast-downward"
OPTIONS = {"fast_downward_alias": "lama-first", "fast_downward_translate_options": ["--invariant-generation-max-time", "0"]}
"""Greedy best-first search with the FF heuristic and landmarks; the first plan is enough. Searching for invariants among ground
operators takes minutes without benefit."""


def problem_of(task: dict[str, Any], up: Any) -> Any:
    """Returns the task as a unified-planning problem over propositions."""
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
    """Returns the indices of a plan's operators; None if there is no plan."""
    up = importlib.import_module("unified_planning.shortcuts")
    up.get_environment().credits_stream = None
    with up.OneshotPlanner(name=ENGINE, params=OPTIONS) as planner:
        result = planner.solve(problem_of(task, up), timeout=seconds)
    return None if result.plan is None else [int(a.action.name[1:]) for a in result.plan.actions]


def answered(path: Path) -> dict[str, Any]:
    """Returns the answer to the task in a file: a plan, none, or the error."""
    try:
        question = json.loads(path.read_text(encoding="utf-8"))
        return {"plan": solve(question["task"], question["seconds"])}
    except Exception as error:  # noqa: BLE001 - any error of the engine is reported to the parent process
        return {"trouble": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}


def main(folder: str) -> int:
    """Answers every file named on stdin until the input ends. An answer file appears complete or not at all."""
    for line in sys.stdin:
        path = Path(line.strip())
        unfinished = path.with_name(f"{path.name}.part")
        unfinished.write_text(json.dumps(answered(path)), encoding="utf-8")
        unfinished.rename(path.with_name(f"{path.name}.answer"))
    shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
