"""The policy that knows nothing."""

from __future__ import annotations

from collections.abc import Sequence

from core.search.model import Macro
from core.search.nodes import Key


class UniformPolicy:
    """All actions alike; never asks."""

    def distribution(self, key: Key, actions: Sequence[Macro]) -> list[float]:
        """1/n each."""
        del key
        return [1.0 / len(actions)] * len(actions)
