"""Words that restrict which thing is meant: where it is, in which state, and clauses such as "that's lying on the desk"."""

from __future__ import annotations

import re

STATE_WORDS = {
    "sliced": "sliced", "cut": "sliced", "chopped": "sliced", "cooked": "cooked", "boiled": "cooked", "fried": "cooked",
    "heated": "cooked", "toasted": "cooked", "baked": "cooked", "warmed": "cooked",
    "hot": "cooked", "warm": "cooked", "clean": "clean",
    "washed": "clean", "filled": "filled", "full": "filled",
}
"""Adjective -> state that the object must have in the end."""
WAS_WORDS = {"dirty": "dirty", "unwashed": "dirty", "open": "open", "opened": "open", "closed": "closed", "shut": "closed"}
"""Adjective -> state that the object has now, which tells it from others."""
OUT_OF = r"from off|from inside|from in|from on|from|off of|off|out of"
AT = r"inside of|inside|into|in|within|on top of|onto|on|upon|at|under|beneath|underneath|to|towards|near|next to|beside" \
     r"|behind|in front of|between|over|above|below|around|against|by"
WITHIN = r"inside of|inside|in|within|on top of|on|upon|at"
"""Prepositions of where something is."""
PREPOSITION = re.compile(rf"(?:^|\s+)({OUT_OF}|{AT})(?=\s+)")
STILL = r"(?:(?:currently|now|still|right now|just|already|presently|usually) )*"
LYING = r"(?:lying|standing|sitting|left|kept|currently|placed|hanging|resting|found|stored|located|put|stacked|waiting|which" \
        r"|laying)(?: (?:about|around|down|there|over there|out|up))?"
RELATIVE = re.compile(
    rf"\s+(?:that|which|who)(?:'?s|'re| is| are| was| were| has been| have been| you(?:'ll| will| can)? (?:find|see)| i (?:left"
    rf"|put)| lies| lie| stands| stand| sits| sit| lives?| hangs?)?\s+{STILL}(?:{LYING}\s+)?{STILL}(?=(?:{OUT_OF}|{AT})\s)"
    rf"|\s+(?:{LYING})\s+(?=(?:{OUT_OF}|{AT})\s)")
STATED = re.compile(r"\s+(?:that|which)(?:'?s|'re| is| are| was| were| looks?| has been| have been)\s+"
                    rf"{STILL}(?:all )?(?=(?:{'|'.join((*WAS_WORDS, *STATE_WORDS))})\b)")
ABOUT = re.compile(r"(?<=\w) (?:(?:that|which)(?:'s|'re| is| are) )?(?:just )?(?:lying|scattered|left|strewn|sitting"
                   r"|standing) (?:about|around)(?: the place)?(?=$| and |,)")


def restricted(words: str) -> str:
    """Returns words with clauses about a thing as phrases: "the mug that's lying on the desk" is "the mug from on the desk"."""
    words = ABOUT.sub("", STATED.sub(" ", words))
    parts, end = [], 0
    for found in RELATIVE.finditer(words):
        at = re.match(r"(in|inside|on|on top of|upon|at|within|inside of) ", words[found.end():])
        parts += [words[end:found.start()], " from " if at else " "]
        end = found.end()
        if at and at[1] not in ("in", "inside", "on"):
            parts.append("in " if at[1] in ("within", "inside of") else "on ")
            end += at.end()
    return "".join([*parts, words[end:]])


def split_places(words: str) -> tuple[str, list[tuple[str, str]]]:
    """Returns the phrase before the first preposition, and (preposition, words after it) of each."""
    words = restricted(words)
    found = list(PREPOSITION.finditer(words))
    ends = [*(m.start() for m in found[1:]), len(words)][: len(found)]
    return words[: found[0].start()].strip() if found else words.strip(), \
        [(m[1], words[m.end():end].strip()) for m, end in zip(found, ends, strict=True)]
