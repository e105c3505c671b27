"""The words that are offered while an expression is typed: documented names, and the objects, actions and keys of the run."""

from __future__ import annotations

import re

from core.planners.llm_state.recorded_types import StateDictionary
from core.planning.facets import Belief, Ranking
from core.session.breakpoints import quoted
from core.session.quantities import QUANTITIES
from core.session.snapshot import Snapshot

NAMES: tuple[str, ...] = tuple(dict.fromkeys(
    q.form.replace("[k]", "[0]") if "." in q.name else f"{q.name}(" if q.arguments else q.name for q in QUANTITIES.values()))
MOST_ACTIONS = 200
TAIL = re.compile(r"[^\W0-9]\w*$")


def tail(text: str) -> str:
    """Returns the end of a text that a completion replaces: the last word, or the text in the last open quotation mark."""
    if text.count('"') % 2:
        return text[text.rindex('"'):]
    found = TAIL.search(text)
    return found.group() if found is not None else ""


def words(snapshot: Snapshot) -> tuple[str, ...]:
    """Returns the names, then objects, places and keys, then actions in quotation marks."""
    belief, states, ranking = snapshot.facet(Belief), snapshot.facet(StateDictionary), snapshot.facet(Ranking)
    seen = snapshot.seen.entities if snapshot.seen is not None else ()
    objects = [*(() if belief is None else (*belief.classes, *belief.places)), *(entity.cls for entity in seen),
               *(() if states is None else (entry.name for entry in states.entries))]
    ranked = () if ranking is None else tuple(step for a in ranking.actions for step in a.steps[-1:])
    listed = () if snapshot.options is None else tuple(action for action, verdict in snapshot.options.options if verdict.ok)
    done = tuple(turn.done for turn in snapshot.line[-20:] if turn.done is not None)
    actions = list(dict.fromkeys(map(str, (*ranked, *listed, *done))))[:MOST_ACTIONS]
    plain = dict.fromkeys(name if name.isidentifier() else quoted(name) for name in objects)
    return (*NAMES, *plain, *map(quoted, dict.fromkeys((*(text.split()[0] for text in actions), *actions))))
