"""Tables 1 to 3 of the LLM-MCTS paper as it prints them, with the seconds of our decisions beside table 3."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from core.suites.suite import Measure, Row
from core.suites.table import figure, grid, titled

PUBLISHED: Mapping[str, tuple[float | None, ...]] = MappingProxyType({
    "UCT": (0.0,) * 10,
    "GPT-2 policy": (81.3, 59.0, 41.2, 30.9, 2.3, 65.5, 39.9, 33.4, 12.8, 1.1),
    "GPT-3.5 policy": (83.4, 47.0, 74.3, 48.2, 5.4, 74.3, 43.3, 67.8, 54.0, 6.9),
    "LLM-MCTS": (91.4, 71.2, 88.1, 72.6, 33.6, 82.9, 71.9, 79.3, 70.4, 38.8),
    "no heuristic policy": (0.0,) * 10,
    "uniform state prior": (3.2, 0.0, 1.1, 0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 0.0),
    "fully observable": (94.0, 80.7, 94.3, 78.5, 34.0, 85.1, 77.5, 82.2, 76.6, 37.9),
})
"""Success in per cent (tables 1 and 2): Simple, Comp, NovelSimple, NovelComp(2), NovelComp(3), seen and then unseen."""
PUBLISHED_ERRORS: Mapping[str, tuple[float, ...]] = MappingProxyType({
    "UCT": (0.0,) * 10,
    "GPT-2 policy": (2.4, 6.7, 7.1, 2.8, 1.5, 3.4, 5.2, 6.4, 3.9, 0.9),
    "GPT-3.5 policy": (6.8, 7.8, 4.0, 8.8, 2.0, 5.0, 4.0, 4.9, 3.0, 2.1),
    "LLM-MCTS": (3.3, 6.2, 4.3, 6.9, 3.1, 3.2, 5.6, 3.3, 6.4, 3.4),
    "no heuristic policy": (0.0,) * 10,
    "uniform state prior": (1.1, 0.0, 0.4, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.0),
    "fully observable": (2.1, 3.3, 2.4, 4.0, 4.4, 5.0, 3.2, 3.3, 3.1, 2.9),
})
"""The standard errors of these figures."""
TABLE_3 = (("LLM-MCTS", "67.83±18.92"), ("GPT-3.5 policy", "1.19±0.81"), ("UCT", "120.0±0.0"), ("GPT-2 policy", "0.33±0.07"))
"""Seconds of a one-step decision in Simple tasks, means ± standard errors; UCT was limited to 120 seconds."""
SECONDS_PER_ACTION = Measure("seconds per action", "Seconds per action", digits=2)


def table_3(rows: Sequence[Row], offline: Collection[str]) -> str:
    """Returns table 3 as Markdown: the published seconds of a decision, then ours.

    Args:
        rows: the episodes of Simple tasks; those without their origin or without an action are not counted.
        offline: contestants whose requests no language model answered.
    """
    seconds: dict[str, list[float]] = {}
    for row in rows:
        if row.origin is not None and row.origin.turns:
            seconds.setdefault(row.contestant, []).append(row.origin.seconds / row.origin.turns)
    ours = [[titled(name, offline), str(figure(values, SECONDS_PER_ACTION))] for name, values in seconds.items()]
    table = grid(["", SECONDS_PER_ACTION.title], [*ours, *([f"*published: {name}*", text] for name, text in TABLE_3)])
    return ("Table 3, one action in Simple tasks. Ours include the simulator's time. A reply from the cache takes none, so "
            f"compare first runs only:\n\n{table}")
