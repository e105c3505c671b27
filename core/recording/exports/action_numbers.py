"""The numbers of verbs and entity classes in datasets: the same in every export of every simulator.

They are in `resources/export/action_numbers.json`, which is only appended to: see `build_action_numbers.py` beside it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final, Self

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.world.vocabulary import Action

FILE: Final = RESOURCES / "export" / "action_numbers.json"
NONE: Final = 0
"""The action has no such argument."""
OTHER: Final = 1
"""A verb or class without a number; the action's text names it."""
FIRST: Final = 2
ORDINAL: Final = re.compile(r"_\d+$")
MOST_ARGUMENTS: Final = 2
"""The maximum over all verbs of all simulators."""


@dataclass(frozen=True, slots=True)
class ActionNumbers:
    """The numbers of verbs and classes.

    Attributes:
        verbs: the first has the number `FIRST`, the others follow.
        classes: of objects, furniture and rooms; numbered likewise.
    """

    verbs: tuple[str, ...]
    classes: tuple[str, ...]

    @classmethod
    def load(cls) -> Self:
        """Returns the numbers of this version.

        Raises:
            DataError: the file is missing or damaged.
        """
        try:
            table = json.loads(FILE.read_text("utf-8"))
            return cls(tuple(table["verbs"]), tuple(table["classes"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"{FILE} cannot be read: {error}; install Belvedere again") from error

    def of(self, action: Action) -> tuple[int, int, int]:
        """Returns the numbers of the verb and of the classes of its first and second argument."""
        first, second = (self._class(id_) for id_ in (*action.args, "", "")[:MOST_ARGUMENTS])
        return self.verb(action.verb), first, second

    def verb(self, verb: str) -> int:
        """Returns the number of a verb."""
        return FIRST + self.verbs.index(verb) if verb in self.verbs else OTHER

    def _class(self, id_: str) -> int:
        if not id_:
            return NONE
        name = ORDINAL.sub("", id_)
        return FIRST + self.classes.index(name) if name in self.classes else OTHER
