"""Our search beside pomdp-py's POUCT (Cython) on the same domain, both with uniform rollouts over relevant primitive actions.

`pip install -e ".[bench]"`, then `pytest tests/benchmarks -k pomdp --benchmark-enable -s`: the figure is the ratio of the two.
"""

from __future__ import annotations

from typing import Any

import pytest

from core.search.search import Options
from tests.benchmarks.homes import four_rooms
from tests.benchmarks.reference import Reference, in_units


@pytest.mark.benchmark(group="uniform rollouts, relevant primitives")
@pytest.mark.parametrize("simulations", [100, 1000])
def test_simulations_beside_pomdp_py(benchmark: Any, simulations: int) -> None:
    pytest.importorskip("pomdp_py", reason='pip install -e ".[bench]"')
    from tests.benchmarks.pomdp_py_search import DEPTH, DISCOUNT, EXPLORATION, plan_uniformly

    beginning, theirs = four_rooms(), plan_uniformly(simulations)
    options = Options(exploration=EXPLORATION, discount=DISCOUNT, depth=DEPTH, actions="relevant", rollout="uniform",
                      worlds="each")
    assert theirs() == simulations
    found = in_units(benchmark, Reference(f"{simulations} simulations of pomdp-py", theirs),
                     lambda: beginning.search(options, simulations), f"{simulations} simulations of ours, uniform", repeats=10)
    assert found.simulations == simulations
