"""What NeoPlanner keeps over episodes: updates of its learnings, and graph and learnings as JSON for another run.

The model rewrites learnings; an operator pins, deletes and edits them. Loaded data is validated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.common.errors import DataError, UsageError
from core.common.files import replace_file
from core.common.user_texts import read_text
from core.planners.neoplanner.recorded_types import LONGEST_LINE, Axiom, Learnings
from core.planners.neoplanner.state_space import INVALID, ROOT, State, StateSpace, Tried


# --- learnings --------------------------------------------------------------------
def rewritten(now: Learnings, lines: Iterable[str], episode: int, most: int) -> Learnings:
    """Returns the axioms after the model rewrote them.

    Pinned lines are kept, deleted ones are left out, and unchanged lines keep author and episode. An unusable reply changes
    nothing.
    """
    before = {a.text: a for a in now.axioms}
    kept = [a for a in now.axioms if a.pinned or a.by == "operator"]
    texts = [t for t in dict.fromkeys(lines) if t not in now.struck]
    if not texts:
        return replace(now, episodes=episode)
    held = {a.text for a in kept}
    written = [before.get(t) or Axiom(t, episode=episode) for t in texts if t not in held]
    return Learnings((*kept, *written)[:most], now.struck, episode)


def checked(facet: Learnings) -> Learnings:
    """Returns an operator's version if it is valid.

    Raises:
        UsageError: a line is empty, too long, or duplicate.
    """
    seen: set[str] = set()
    for axiom in facet.axioms:
        text = axiom.text
        if not text.strip() or "\n" in text or len(text) > LONGEST_LINE:
            raise UsageError(f"a learning is one line of 1 to {LONGEST_LINE} characters, not “{text[:40]}”")
        if text in seen:
            raise UsageError(f"“{text[:60]}” is listed twice: change or delete one")
        seen.add(text)
    return facet


# --- the file ---------------------------------------------------------------------
KIND, VERSION = "neoplanner memory", 1


def written(space: StateSpace, learnings: Learnings, task: str) -> str:
    """Returns the memory of a task as JSON text."""
    nodes = [{"key": s.key, "title": s.title, "value": s.value, "visits": s.visits, "menu": s.menu,
              "tried": [[a, t.target, t.reward] for a, t in s.tried.items()]} for s in (space[n] for n in space)]
    lines = [[a.text, a.pinned, a.by, a.episode] for a in learnings.axioms]
    return json.dumps({"kind": KIND, "version": VERSION, "task": task, "starts": space.starts(),
                       "begun": space[ROOT].visits, "nodes": nodes,
                       "axioms": lines, "struck": list(learnings.struck), "episodes": learnings.episodes}, ensure_ascii=False)


def read(text: str, task: str) -> tuple[StateSpace, Learnings]:
    """Returns the memory in a JSON text. If it is of another task, only the learnings are used, since its states differ.

    Raises:
        DataError: the text is no valid memory.
    """
    try:
        value: Any = json.loads(text)
        if value["kind"] != KIND or value["version"] != VERSION:
            raise ValueError("it is of another kind or version")
        learnings = checked(Learnings(tuple(_axiom(*line) for line in value["axioms"]), tuple(map(str, value["struck"])),
                                      int(value["episodes"])))
        space = _space(value) if value["task"] == task else StateSpace()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError, UsageError) as error:
        raise DataError(f"this is no memory of NeoPlanner ({_brief(error)}): choose another file, or none") from error
    return space, learnings


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__


def _axiom(text: Any, pinned: Any, by: Any, episode: Any) -> Axiom:
    if not isinstance(text, str) or not isinstance(pinned, bool) or by not in ("model", "operator"):
        raise ValueError("an axiom is not one")
    return Axiom(text, pinned, by, int(episode))


def _space(value: Any) -> StateSpace:
    space, nodes = StateSpace(), value["nodes"]
    known = range(INVALID, INVALID + 1 + len(nodes))
    for node in nodes:
        space.add(str(node["key"]), str(node["title"]), int(node["menu"]))
    if len(space) != len(nodes):
        raise ValueError("a state is there twice")
    for number, node in enumerate(nodes, INVALID + 1):
        tried = {str(a): Tried(_within(target, known), _finite(reward)) for a, target, reward in node["tried"]}
        space.restore(number, State(str(node["key"]), str(node["title"]), _finite(node["value"]), max(0, int(node["visits"])),
                                    max(1, int(node["menu"])), MappingProxyType(tried)))
    space.restore_starts(tuple(_within(n, known) for n in value["starts"]), max(0, int(value["begun"])))
    return space


def _within(node: Any, known: range) -> int:
    if not isinstance(node, int) or isinstance(node, bool) or node not in known:
        raise ValueError(f"there is no state {node}")
    return node


def _finite(number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise ValueError(f"{number} is no number")
    return float(number)


def resumed(path: str, task: str) -> tuple[StateSpace, Learnings]:
    """Returns the memory in a file; an empty one if the file does not exist.

    Raises:
        DataError: the file cannot be read, or has other content.
    """
    if not path or not Path(path).exists():
        return StateSpace(), Learnings(())
    try:
        text = read_text(Path(path))
    except OSError as error:
        raise DataError(f"the memory {path} cannot be read: {_brief(error)}") from error
    return read(text, task)


def keep(path: str, text: str) -> None:
    """Writes the file completely, or leaves the old one unchanged.

    Raises:
        DataError: the file cannot be written.
    """
    replace_file(Path(path), text.encode(), "choose another file for the memory, in a folder that exists")
