"""The pace of a run: whether and where it stops by itself, so that a person can follow it and label it live."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final, Literal

from core.common.errors import UsageError

Rule = Literal["breakpoints", "full", "hold", "actions"]
MOST_HELD: Final = 3600.0
"""The longest hold in seconds."""
HOLD: Final = re.compile(r"hold ([0-9]{1,4}(?:\.[0-9]{1,3})?)(?: ?s)?(?: a turn)?")


@dataclass(frozen=True, slots=True)
class Pace:
    """When a run stops by itself.

    Attributes:
        rule: `breakpoints`: at breakpoints only; `full`: not even there, a breakpoint is only noted; `hold`: each turn for
            `seconds`, when its action is chosen and before it is executed; `actions`: before each action, until it is resumed.
            With `hold` and `actions` breakpoints stop it too.
        seconds: how long `hold` lasts; 0 for the other rules.
    """

    rule: Rule = "breakpoints"
    seconds: float = 0.0

    @property
    def words(self) -> str:
        """What the run does, such as `hold 2 s a turn`."""
        match self.rule:
            case "full":
                return "full speed, no stops"
            case "hold":
                return f"hold {self.seconds:g} s a turn"
            case "actions":
                return "stop before each action"
        return "stop at breakpoints only"

    def check(self) -> None:
        """Raises UsageError if a run cannot keep it."""
        if self.rule == "hold" and not (math.isfinite(self.seconds) and 0 < self.seconds <= MOST_HELD):
            raise UsageError(f"hold {self.seconds:g} s: give more than 0 and at most {MOST_HELD:g} seconds")


DEFAULT_PACE: Final = Pace()
PACES: Final = (DEFAULT_PACE, Pace("full"), *(Pace("hold", seconds) for seconds in (1.0, 2.0, 5.0, 10.0)), Pace("actions"))
"""Those that are offered; the first one is a run's own."""


def pace_of(text: str) -> Pace:
    """Returns the pace that a text names: its rule, its words, or `hold 2`.

    Raises:
        UsageError: it names none.
    """
    wanted = " ".join(text.lower().split())
    found = next((pace for pace in PACES if wanted == pace.words or wanted == pace.rule != "hold"), None)
    hold = HOLD.fullmatch(wanted)
    pace = found or (Pace("hold", float(hold[1])) if hold is not None else None)
    if pace is None:
        raise UsageError(f"there is no pace '{text}': give breakpoints, full, actions, or hold and the seconds, such as hold 2")
    pace.check()
    return pace
