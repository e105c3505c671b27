"""What is compiled beforehand is all that planners call: nothing is compiled, or loaded, in the middle of a run."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from core.common.installation import ROOT
from core.search.compilation.availability import interpreted_note

CODE = """
from core.app.launch import build
from core.app.run_request import Request
from core.search.compilation import compile, machine_code, warm_up
from core.session.session import Session
from sim.registry import simulator_class

made = []
whole = machine_code.machine_code
def kept(entry, arguments):
    made.append(whole(entry, arguments))
    return made[-1]
machine_code.machine_code = kept
compile.load()
for planner in ("llm-mcts", "uct", "llm-policy", "greedy"):
    Session(build(Request(planner, task="Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet",
                          seed=3, max_steps=2), simulator_class)).run()
print(len(made) == len(warm_up.examples()), all(entry.is_compiled for entry, _ in warm_up.examples()))
print([len(code.signatures) for code, _ in made])
"""


@pytest.mark.skipif(bool(interpreted_note()), reason="nothing is compiled here")
def test_planners_call_only_what_is_compiled_beforehand() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=False, timeout=200,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True True", "[1, 1, 1]"]
