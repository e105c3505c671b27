"""What is compiled beforehand is all that planners call: nothing is compiled, or loaded, in the middle of a run."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from core.common.installation import ROOT
from core.search.compilation.decorator import IS_COMPILED

CODE = """
import sys
from core.app.launch import build
from core.app.run_request import Request
from core.search.compilation.warm_up import warm_up
from core.session.session import Session
from sim.registry import simulator_class

def overloads():
    modules = [m for name, m in list(sys.modules.items()) if name.startswith("core.search")]
    return {v.py_func.__qualname__: len(v.signatures) for m in modules for v in vars(m).values() if hasattr(v, "signatures")}

warm_up()
before = overloads()
for planner in ("llm-mcts", "uct", "llm-policy", "greedy"):
    Session(build(Request(planner, task="Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet",
                          seed=3, max_steps=2), simulator_class)).run()
print(before["run"], sorted(name for name, number in overloads().items() if number != before.get(name, 0)))
"""


@pytest.mark.skipif(not IS_COMPILED, reason="nothing is compiled here")
def test_planners_call_only_what_is_compiled_beforehand() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=False, timeout=200,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "1 []"
