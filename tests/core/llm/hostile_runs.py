"""Plays runs one after the other in a process of its own, and prints a line of JSON about each.

Standard input: a run a line of JSON, `{"arguments", "household"}`: the arguments of `main.main`, and whether the episode can
be played again, to see whether the world would really have done what was reported.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import core.llm.connection  # noqa: F401 - imports openai, so that the first run's seconds are the server's
import main
from core.world.vocabulary import Action
from sim.registry import simulator_class


def false_claims(value: dict[str, Any], seed: int) -> list[str]:
    """Actions reported as done that the simulator's own verdict forbids in the same episode."""
    found = []
    with simulator_class(value["simulator"]).open(value["scene"], {}) as world:
        world.reset(seed)
        for done in value["actions"]:
            action = Action(done["verb"], tuple(done["args"]))
            if done["ok"] and not world.verdict(action).ok:
                found.append(f"{action}: {world.verdict(action).reason}")
            world.step(action)
    return found


def played(run: dict[str, Any]) -> dict[str, Any]:
    out, err, began = io.StringIO(), io.StringIO(), time.monotonic()
    code: int | str = "raised"
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main.main(run["arguments"])
        except SystemExit as left:
            code = int(left.code or 0)
        except BaseException:  # noqa: BLE001 - any exception is the finding
            traceback.print_exc()
    seconds = time.monotonic() - began
    claims = false_claims(json.loads(out.getvalue()), 0) if out.getvalue() and run["household"] else []
    return {"code": code, "out": out.getvalue(), "err": err.getvalue(), "seconds": seconds, "claims": claims,
            "megabytes": peak_megabytes()}


def peak_megabytes() -> float:
    """The most memory that this program held. What `getrusage` says begins with the memory of the process that started it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM:")) / 1024


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(played(json.loads(line))), flush=True)  # noqa: T201
