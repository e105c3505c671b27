"""Rewrites wishes as commands.

"Make sure the fridge is closed and all mugs end up in the sink" becomes "close the fridge and put all mugs in the sink". Only
the form changes here; `core.goals.parser.sentence` parses the commands. Sentences that no command can express (conditions,
alternatives, exceptions, bans) are rejected, naming the word in question. Parsing only the rest would be another task.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from core.common.errors import GoalError

POLITE = re.compile(
    r"^(?:please|(?:could|can|would|will) you(?: please)?|i (?:want|need|would like) you to|i'd like you to"
    r"|you (?:should|must)|robot|now|first|your task is to|the task is to|try to|go and|go ahead and)\b[ ,:]*")
WISH = re.compile(
    r"^(?:make sure|ensure|see to it|take care|be sure|i (?:want|need|wish|would like)|i'd like|have|there (?:should|must) be"
    r"|there (?:is|are))\b(?: (?:that|to have)\b)? *")
AFTERTHOUGHT = re.compile(r"[ ,]+(?:please|for me|as well|too|now|again|at the end|in the end|afterwards)$")
REFUSED = (
    (re.compile(r"\b(don't|do not|never|without|no|not|avoid|neither|nor)\b"),
     "bans are no part of a goal: ban an action instead"),
    (re.compile(r"\b(unless|except|apart from|but|if|when|whenever|until|while|before|after|instead)\b"),
     "a goal has no conditions and exceptions: name what is to be done, thing by thing"),
    (re.compile(r"\b(or|either)\b"), "a goal has no alternatives: choose one"),
    (re.compile(r"\b(respectively)\b"), "say for each thing where it goes"),
    (re.compile(r"\b(exactly|only|at most|no more than|less than|fewer than|more than)\b"),
     "a goal is so many things at least: say how many"),
    (re.compile(r"\b(several|a few|few|many|most|half|enough|plenty|a lot|lots)\b"), "say how many"),
    (re.compile(r"\b(another|(?:one|two|three|\d+) more|the other|other|remaining|rest of)\b"),
     "say how many there are to be in the end"),
)
"""Words that change the meaning of a sentence in a way goals cannot express, and the message for each."""
COPULA = (r"(?:is|are|be|should be|must be|shall be|has to be|have to be|needs to be|need to be|ends? up|should end up|stays?"
          r"|remains?|belongs?|goes|go|should go|must go|should stay)")
IS = re.compile(rf" {COPULA}(?= |$)")
PLACED = r"(?:put |placed |stored |kept |moved |brought |lying |left |put away )?"
WHERE = (r"inside of|inside|into|in|within|on top of|onto|on|upon|to|at|under|beneath")
TURNED = {"on": "switch on", "off": "switch off", "open": "open", "opened": "open", "closed": "close", "shut": "close"}
BECOMES = {"sliced": "slice", "cut": "slice", "chopped": "slice", "cooked": "cook", "heated": "cook", "toasted": "toast",
           "baked": "cook", "boiled": "cook", "fried": "cook", "clean": "wash", "washed": "wash", "rinsed": "wash",
           "filled": "fill"}
STATE = re.compile(rf"(?P<what>.+?) (?:(?:{COPULA}) )?(?:all |both |switched |turned |left |kept )?"
                   rf"(?P<state>{'|'.join(TURNED)}|{'|'.join(BECOMES)})")
PLACE = re.compile(rf"(?P<what>.+?) (?:(?:{COPULA}) )?(?:all |both )?{PLACED}(?P<where>(?:{WHERE}) .+)")
KEPT = re.compile(rf"(?:keep|leave) (?P<what>.+?) (?:switched |turned )?(?P<state>{'|'.join(TURNED)})")
HOUSE = r"\s+(?:in|of|throughout|around) (?:the |this |my )?(?:whole |entire )?(?:house|home|apartment|flat)" \
    r"(?=$|\s*[,;.!?]|\s+(?:and|then|with|using|on|off|in|into|inside|onto|to|from|is|are|be|should|must|has|have|needs?)\b)"
"""A phrase without information about the task; but "in the home office" names a room."""
SPLIT_VERB = r"\b(switch|turn) (?!on\b|off\b)([^,;.]+?) (on|off)(?=$|\s*[,;.]| and | then | in )"
"""Turn the lamp on: rewritten to turn on the lamp."""
JOINT = re.compile(r"(\s*[,;.]\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+)")


def commands(text: str, verbs: str, keep: Callable[[str], str] = str) -> str:
    """Returns a task in lower case as commands.

    "At least" is removed, because every number is a minimum.

    Args:
        text: as the operator wrote it.
        verbs: a pattern of the words that start a command.
        keep: joins the words of each name, so that no part of it is parsed as something else: "after shave", "home office".

    Raises:
        GoalError: the task says something no goal can express.
    """
    plain = text.lower().replace("&", " and ").replace("’", "'").replace("at least ", "")
    bare = _bare(keep(" ".join(plain.split()).strip(" .!?,;")))
    words = re.sub(SPLIT_VERB, r"\1 \3 \2", re.sub(HOUSE, "", bare))
    for pattern, why in REFUSED:
        found = pattern.search(words)
        if found:
            raise GoalError(f"“{found.group(1)}”: {why}", found.group(1))
    reader = _Reader(verbs)
    parts = JOINT.split(words)
    for joint, part in zip(("", *parts[1::2]), parts[::2], strict=True):
        reader.take(joint, part)
    return reader.ended()


class _Reader:
    """Processes the parts of a sentence: commands are kept, the words of a wish are collected until it is complete."""

    def __init__(self, verbs: str):
        self._verbs = re.compile(rf"(?:to |you )?(?=(?:{verbs})\b)")
        self._done: list[str] = []
        self._wish, self._said_so = "", False

    def take(self, joint: str, part: str) -> None:
        """Processes one part and the joint before it."""
        begins = _bare(part)
        wished = WISH.sub("", begins)
        command, kept = self._verbs.match(wished), KEPT.fullmatch(wished)
        if command is not None or kept is not None:
            self._settled()
            told = wished[command.end():] if command is not None else wished
            self._done += [joint, f"{TURNED[kept['state']]} {kept['what']}" if kept is not None else told]
        elif self._wish or wished != begins or not self._done or IS.search(begins):
            self._wish += joint + wished if self._wish else wished
            self._said_so = self._said_so or wished != begins
            said = _command(self._wish) if self._said_so or IS.search(self._wish) else ""
            if said:
                self._done += [" and " if self._done else "", said]
                self._wish, self._said_so = "", False
        else:
            self._done += [joint, begins]

    def ended(self) -> str:
        """Returns all commands."""
        self._settled()
        return "".join(self._done).strip(" ,;.")

    def _settled(self) -> None:
        if self._wish:
            raise GoalError(f"“{self._wish.strip()}” does not begin with a known verb, such as put, open, close, switch on, "
                            "slice, cook, wash or pick up", self._wish.strip())


def _bare(words: str) -> str:
    """Returns the words without polite phrases at both ends."""
    while (shorter := AFTERTHOUGHT.sub("", POLITE.sub("", words))) != words:
        words = shorter
    return words


def _command(wish: str) -> str:
    """Returns the command that fulfils a wish; empty while the wish is incomplete."""
    if (state := STATE.fullmatch(wish)) and not IS.search(state["what"]):
        word = state["state"]
        return f"{TURNED.get(word) or BECOMES[word]} {state['what']}"
    if (place := PLACE.fullmatch(wish)) and not IS.search(place["what"]):
        return f"put {place['what']} {place['where']}"
    return ""
