"""How a reply was understood, compared with what it says: whether its translation into an action or place can be trusted."""

from __future__ import annotations

import difflib
import re
from typing import Final

from core.planning.facets import Grounding, Program

LITERAL: Final = frozenset({"exact", "normalised", "synonym", "probability"})
"""Ways of grounding that keep the meaning."""
NEAR: Final = 0.05
"""Two choices whose scores differ by less are equally likely meant."""
SAME_WORD: Final = 0.75
"""The least similarity of two spellings of one word."""
SHOWN: Final = 60
LONGEST: Final = 200
"""The maximum number of characters of a message of the program in the evidence."""
EMPTY_WORDS: Final = frozenset((
    "the", "a", "an", "to", "of", "in", "on", "at", "inside", "onto", "into", "from", "with", "and", "then", "next", "action",
    "actions", "is", "it", "i", "you", "should", "will", "now", "please"))


def fault_of(grounding: Grounding) -> str:
    """Returns what is wrong with the translation of a reply, in words; empty if nothing is, or the reply is no answer."""
    said = shortened(grounding.said)
    if not said or grounding.how == "refused":
        return ""
    if not grounding.meant or grounding.how == "none":
        near = f"; the nearest was “{grounding.runner_up}”" if grounding.runner_up else ""
        return f"the reply “{said}” could not be resolved{near}"
    if grounding.how in LITERAL:
        return ""
    if other := _other_words(grounding.said, grounding.meant):
        return (f"the reply “{said}” was taken for “{grounding.meant}” by {grounding.how} ({grounding.score:.2f}), which does "
                f"not say “{' '.join(other)}”")
    if grounding.runner_up and grounding.score - grounding.runner_up_score < NEAR:
        return (f"the reply “{said}” was taken for “{grounding.meant}” ({grounding.score:.2f}), but “{grounding.runner_up}” "
                f"fits as well ({grounding.runner_up_score:.2f})")
    return ""


def non_answer(grounding: Grounding) -> str:
    """Returns how a reply is no answer at all (empty, or it declines), in words; empty if it is one."""
    if grounding.how == "refused":
        return f"the reply “{shortened(grounding.said)}” declines to answer"
    return "the reply is empty" if not grounding.said.strip() and not grounding.meant else ""


def line_of(program: Program) -> str:
    """Returns the current line of a program, and the last line that failed before it, in words; empty outside of its lines."""
    if not 0 <= program.current < len(program.lines):
        return ""
    words = f"line {program.current + 1} of the program, “{shortened(program.lines[program.current].text)}”, chose it"
    failed = next((k for k in reversed(range(program.current)) if program.lines[k].state == "failed"), None)
    if failed is None:
        return words
    line = program.lines[failed]
    return f"{words}, after line {failed + 1}, “{shortened(line.text)}”, had failed: {shortened(line.note, LONGEST)}"


def shortened(text: str, most: int = SHOWN) -> str:
    """Returns the beginning of a text in one line, at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most - 1] + "…"


def _other_words(said: str, meant: str) -> list[str]:
    """Returns the words of the first action of a reply that do not occur in what it was taken for, not even misspelt."""
    first = re.split(r"[,;\n.]|\bthen\b", re.sub(r"^\W*\d+\s*[.):]", "", said.strip()))[0]
    known = _words(meant)
    return [word for word in _words(first) if word not in EMPTY_WORDS and not word.isdigit()
            and not difflib.get_close_matches(word, known, 1, SAME_WORD)]


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower().replace("_", " "))[:40]
