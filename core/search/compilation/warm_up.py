"""The entries of the search's kernel in the order in which they are compiled, with arguments of the types they are called with.

A search that is under way gains most from the first one. The others show its tree and repeat its simulations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.search import retrace, simulate
from core.search import tree as trees
from core.search.compilation.kernel import Entry
from core.search.macros import MACROS
from core.search.model import NOWHERE
from core.search.policy_table import empty_table
from core.search.problem import Layout, Place, Problem, Want, knowledge_of
from core.search.rollouts import GREEDY, Belief, Scratch
from core.search.simulate import COMMON, Settings
from core.search.tree import empty_log, empty_tree, empty_trials

Arguments = tuple[object, ...]


def examples() -> tuple[tuple[Entry[..., Any], Arguments], ...]:
    """Returns the entries with example arguments, most urgent first."""
    layout = Layout((("kitchen_1", "kitchen"),), (Place("table_1", "table", "on", 0, False),))
    problem = Problem(layout, (Want((0,), (0,), 1),), 1)
    root = knowledge_of((0, -1, -1, -1), np.zeros(1, np.bool_), (NOWHERE,), np.zeros(1, np.bool_))
    ints, longs = np.zeros(1, np.int32), np.zeros(1, np.int64)
    floats, words = np.zeros(1), np.zeros(1, np.uint64)
    belief = Belief(ints, np.zeros((1, 1)), np.zeros((1, 1)))
    settings = Settings(1, 1.0, 1.0, MACROS, GREEDY, True, True, COMMON, True, 0, 0.5, np.uint64(0), False, False, False)
    tree, trials, log = empty_tree(1, 1, 1), empty_trials(1, 1, 1, 1, 1), empty_log(1)
    scratch = Scratch(ints, ints, ints, floats, floats, ints)
    fixed = problem.model, belief, root, settings, tree
    return (
        (simulate.run, (*fixed, longs, trials, log, empty_table(1, 1, 1), ints, scratch, words, longs)),
        (trees.select, (tree, np.zeros((1, 2), np.int32), np.zeros((1, 2), np.int32))),
        (retrace.summarise, (*fixed, trials, log, scratch, words, floats, ints, 0, retrace.empty_summary(1, 1, 1),
                             retrace.empty_sums(1))),
    )
