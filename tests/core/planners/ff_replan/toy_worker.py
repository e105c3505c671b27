"""A solver without packages, for tests: greedy best-first search with the additive heuristic. Speaks as `worker.py` does.

Its first line of stdin may be answered otherwise: a task whose goal has the fact `crash` ends it, `sleep` never ends.
"""

from __future__ import annotations

import heapq
import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

State = frozenset[str]
BIG = 10**6


def met(condition: Iterable[str], state: State) -> bool:
    return all((c.removeprefix("!") in state) != c.startswith("!") for c in condition)


def after(operator: dict[str, Any], state: State) -> State:
    won = {fact for condition, fact in operator["when"] if met(condition, state)}
    return (state - set(operator["drops"])) | set(operator["adds"]) | won


def additive(task: dict[str, Any], state: State) -> int:
    """h_add; a fact that must not hold costs one where it holds."""
    cost = dict.fromkeys(state, 0)
    rules = [(tuple(o["needs"]), fact) for o in task["operators"] for fact in o["adds"]]
    rules += [((*o["needs"], *condition), fact) for o in task["operators"] for condition, fact in o["when"]]

    def of(fact: str) -> int:
        return (fact[1:] in state) if fact.startswith("!") else cost.get(fact, BIG)

    changed = True
    while changed:
        changed = False
        for needs, fact in rules:
            total = 1 + sum(map(of, needs))
            if total < cost.get(fact, BIG):
                cost[fact], changed = total, True
    return sum(min(map(of, part)) for part in task["goal"])


def solve(task: dict[str, Any]) -> list[int] | None:
    start = frozenset(task["facts"])
    queue: list[tuple[int, int, State, list[int]]] = [(additive(task, start), 0, start, [])]
    seen, count = {start}, 0
    while queue:
        value, _, state, plan = heapq.heappop(queue)
        if all(any(met((c,), state) for c in part) for part in task["goal"]):
            return plan
        if value >= BIG:
            return None
        for number, operator in enumerate(task["operators"]):
            if met(operator["needs"], state) and (then := after(operator, state)) not in seen:
                seen.add(then)
                count += 1
                heapq.heappush(queue, (additive(task, then), count, then, [*plan, number]))
    return None


def main() -> None:
    for line in sys.stdin:
        path = Path(line.strip())
        task = json.loads(path.read_text())["task"]
        if ["crash"] in task["goal"]:
            sys.exit(3)
        if ["sleep"] in task["goal"]:
            time.sleep(600)
        part = path.with_name("part")
        part.write_text(json.dumps({"plan": solve(task)}))
        part.rename(path.with_name(f"{path.name}.answer"))


if __name__ == "__main__":
    main()
