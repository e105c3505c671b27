"""Splits a task into clauses: commands in their order, and what must never be.

"After you have closed the fridge, sit down" is "close the fridge", then "sit down". "Without opening the fridge, cook an egg"
is "cook an egg", and never "open the fridge". "Make sure the fridge is closed" is "close the fridge".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from core.goals.parser.context import refuse
from core.goals.parser.earlier import OPPOSITE
from core.goals.parser.phrasing import WELCOME
from core.goals.parser.speech import bare, without_politeness

ONCE_SO = re.compile(r"(?<=[a-z])[ ,;.]+(?:and |but |then )*(?:when|once|after|as soon as) (?:it|they|that|this|everything"
                     r"|both)"
                     r"(?:'s|'re| is| are| has been| have been| was| were)(?: all| both| fully| nice and| properly"
                     r"| nicely)* (?:done|ready"
                     r"|finished|clean|washed|rinsed|cooked|warm|hot|heated(?: up)?|toasted|boiled|fried|baked|sliced|cut"
                     r"|chopped|filled|open"
                     r"|full|in|inside|there|on|off|closed|shut|out)\b[ ,]+(?=[a-z])")
"""After a command: when what it asks for is reached."""
NEVER = re.compile(r"(?:(?:but|and) )?(?:you )?(?:please )?(?:don't|do not|never|avoid|refrain from"
                   r"|make sure (?:you )?(?:not to|don't|do not|never)|(?:you )?(?:must|should|may|can|shall) ?not"
                   r"|(?:you )?(?:mustn't|shouldn't|can't|cannot)|be careful not to|(?:are not|aren't) allowed to"
                   r"|it is (?:forbidden|not allowed) to|take care not to|try not to|no|not)(?: (?:ever|to))? +")
KEEP_OUT = re.compile(r"(?:(?:but|and) )?(?:(?:keep|stay) (?:out of|away from|clear of)|avoid(?! \w+ing\b)) ")
WITHOUT = re.compile(r"[ ,]*\b(?:without|while not|and without|but without)(?: ever)? (?P<what>[a-z]+ing\b[^,;.]*?)(?=\s*[,;.]"
                     r"|$|\s+then\b|\s+and then\b)")
LEAVE_SO = re.compile(r"leave (?P<what>.+?) (?P<state>open|closed|on|off)")
PRONOUN = re.compile(r"\b(?:it|them)\b")
THEN = re.compile(r"[ ,;.]*\b(?:and |but )?(?:then|after that|afterwards|after this|next(?! to)|finally|lastly|as a last step"
                  r"|(?:when|once) (?:that's done|that is done|done|finished|you're done|you are done|you've done that"
                  r"|you have done that|you're finished|you are finished|you have finished|you've finished)(?=,"
                  r"| then))\b(?:,? then\b)?[ ,]+")
AT_LAST = re.compile(r"[ ,]+(?:and|,)\s+((?:(?! and )[^,;.])+?)[ ,]+(?:afterwards|after that|last|at last|finally|(?:when|once"
                     r"|after)(?: you(?:'re| are|'ve| have)| that's| that is)? (?:done|finished|done that|ready))$")
YOU_HAVE = r"(?:you(?: have|'ve)?(?: just| first)?(?: finished| done| are done)? |having |you're done |you are done " \
           r"|having finished )?"
BEFORE_FIRST = re.compile(r"before (?:you (?:go and )?)?(?P<late>[a-z]+\b[^,;.]*?)\s*,\s*(?:first )?(?P<early>.+)")
FIRST_LAST = re.compile(r"(?P<late>.+?)[ ,]+(?:but|and) (?P<early>[^,;.]+?) (?:first|beforehand)")
AFTER_FIRST = re.compile(rf"(?:after|once|when(?= you)"
                         rf"|as soon as) {YOU_HAVE}(?P<early>[a-z]+\b[^,;.]*?)\s*,\s*(?:then )?(?P<late>.+)")
BEFORE_LAST = re.compile(r"(?:first )?(?P<early>.+?)[ ,]+before (?:you (?:go and )?)?(?P<late>[a-z]+\b.*)")
AFTER_LAST = re.compile(rf"(?P<late>.+?)[ ,]+(?:but only |only )?(?:after|once|as soon as"
                        rf"|when(?= you)) {YOU_HAVE}(?P<early>[a-z]+\b.*)")
PARTICIPLES = {"put": "put", "taken": "take", "shut": "shut", "cut": "cut", "brought": "bring", "got": "get", "gone": "go",
               "read": "read", "eaten": "eat", "drunk": "drink", "sat": "sit", "set": "set", "made": "make", "thrown": "throw",
               "held": "hold", "found": "find", "laid": "lay", "lain": "lie", "stood": "stand", "left": "leave", "had": "have",
               "lying": "lie", "done": "do", "washed": "wash", "hung": "hang", "given": "give", "swept": "sweep", "went": "go",
               "ate": "eat", "drank": "drink", "took": "take", "been": "go"}
REFUSED = (
    (re.compile(r"\b(don't|do not|never|without|no|not|avoid|neither|nor)\b"),
     "it is not clear what must never be: say “do not” and one action in a sentence of its own"),
    (re.compile(r"\b(unless|except for|except|apart from|but|if|when|whenever|until|till|while|before|after|instead|rather)\b"),
     "a goal has no conditions and exceptions: name what is to be done, thing by thing"),
    (re.compile(r"\b(respectively)\b"), "say for each thing where it goes"),
    (re.compile(r"\b(only|at most|no more than|less than|fewer than|more than|up to(?= (?:\d|one|two|three|four|five|six|ten"
     r"|an? )))\b"),
     "a goal is so many things at least: say how many"),
    (re.compile(r"\b(several|a few|few|many|most|(?<!in )(?<!into )half|enough|plenty|a lot|lots)\b"), "say how many"),
    (re.compile(r"\b(another|(?:one|two|three|\d+) more|the other|other|remaining|rest of|the rest)\b"),
     "say how many there are to be in the end"),
)
"""Words that change the meaning of a sentence in a way goals cannot express, and the message for each."""
COPULA = (r"(?:is|are|be|should be|must be|shall be|has to be|have to be|needs to be|need to be|ends? up|should end up|stays?"
          r"|remains?|belongs?|goes|go|(?:should|must|has to|needs to|ought to|is|are) (?:be )?going|(?:is|are|was"
          r"|were) (?:supposed|meant) to (?:be|go)|(?:wants|want|ought) to (?:be|go)|(?:is|are) to (?:be|stay|remain)"
          r"|should go|must go|(?:should|must|shall|ha(?:s|ve) to"
          r"|needs? to) (?:stay|remain)|needs to go|need to go|has to go|have to go|(?:can|could|may)(?: all| both)? (?:go|stay"
          r"|be))")
WISH = re.compile(
    r"^(?:make sure|ensure|see to it|see that|take care|be sure|check|(?:i|we) (?:want|need|wish|would like|'d like)|(?:i"
    r"|we)'d like|have|get"
    rf"|it (?:would|will) be {WELCOME} if|i'd like it if|i wish|there (?:should|must|needs to|has to) be|there (?:is"
    rf"|are))\b(?: "
    r"(?:that|to have)\b)? *")
IS = re.compile(rf" {COPULA}(?= |$)")
PLACED = r"(?:put |placed |located |served |arranged |stored |kept |moved |brought |lying |left |put away )?"
WHERE = r"inside of|inside|into|in|within|on top of|onto|on|upon|to|at|under|beneath"
COMMANDS = {"on": "switch on", "off": "switch off", "open": "open", "opened": "open", "closed": "close", "shut": "close",
            "running": "switch on"}
BECOMES = {"sliced": "slice", "cut": "slice", "chopped": "slice", "cooked": "cook", "heated": "cook", "toasted": "toast",
           "baked": "cook", "boiled": "cook", "fried": "cook", "clean": "wash", "washed": "wash", "rinsed": "wash",
           "filled": "fill", "warm": "warm", "hot": "heat", "plugged in": "plug in", "empty": "empty",
           "clear": "clear", "tidy": "tidy"}
STATE = re.compile(rf"(?P<what>.+?) (?:(?:{COPULA}) )?(?:all |both |switched |turned |left "
                   rf"|kept )?(?P<state>{'|'.join(COMMANDS)}|{'|'.join(BECOMES)})")
PLACE = re.compile(rf"(?P<what>.+?) (?:(?:{COPULA}) )?(?:all |both )?{PLACED}(?P<where>(?:{WHERE}) .+)")
GOES = re.compile(rf"(?P<what>.+?) {COPULA} (?:all |both )?{PLACED}(?P<where>(?:{WHERE}) .+)")
KEPT = re.compile(rf"(?:keep|leave) (?P<what>.+?) (?:switched |turned )?(?P<state>{'|'.join(COMMANDS)})")
NOTHING = re.compile(r"(?:there (?:is|are|should be) )?(?:nothing|no things?)(?: is| are| should be| remains)?(?: left)? (?:on"
                     r"|in|inside) (?P<what>.+)")
VERBLESS = re.compile(r"(?P<what>(?:all )?(?:the )?lights?(?: in .+)?) out")
BRIEF_IN = re.compile(r"(?P<what>(?:all |the |my )*[a-z_]+s?) (?P<state>on|off|open|closed|shut) (?P<where>(?:in|of) (?:the"
                      r"|my|our) .+)")
TAKEN = re.compile(r"(?P<what>(?:everything|all|the|my|those|these|that|every|any|both|no) ?[a-z_ ]*?) (?:off(?: of)?|out of"
                   r"|away from) (?P<place>(?:the|my|our) .+)")
BRIEF = re.compile(r"(?:all |every |both |the |my )*[a-z_]+(?: [a-z_]+)?(?: (?:in|on) the [a-z_]+)? (?:on|off|open|closed|shut"
                   r"|running|sliced|chopped|cut|cooked|washed|clean|filled|toasted|heated|boiled|fried)")
COUNTED = re.compile(r"(?P<what>[^,;.]+?) (?:over |back |straight )?(?:in|inside|on|into|onto|to) (?:(?:the|an?|my|our|your|his"
                     r"|her|each|every)(?: of the)? )?[a-z_ ]+")
DETERMINED = re.compile(r"(?:an?|one|two|three|four|five|six|\d+|all|every|both|the|my|our|your|those|these) ")
"""Commands without a verb: lights out, television off, two plates on the table."""
JOINT = re.compile(r"(\s*[,;.!?:]+\s*(?:(?:and|but)\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+|\s+but\s+)")


@dataclass(frozen=True, slots=True)
class Clause:
    """One command.

    Attributes:
        words: it begins with a verb.
        then: True if it comes after what the clauses before it ask for.
        never: True if it must not be done.
    """

    words: str
    then: bool = False
    never: bool = False


class Splitter:
    """Splits sentences into clauses.

    Args:
        verbs: a pattern of the words that start a command.
        is_noun: a pattern of nouns that look like verbs ("the radio and watch").
        spelled: returns the words with their verb spelt right.
        names: returns the noun phrases of words that name objects or furniture.
        mentions: returns True if words name something of a household.
    """

    def __init__(self, verbs: str, is_noun: re.Pattern[str], spelled: Callable[[str], str], names: Callable[[str], list[str]],
                 mentions: Callable[[str], bool]):
        self._verb = re.compile(rf"(?:to |you (?:should |must |can )?|go and |come and |just )?(?=(?:{verbs})(?:(?<= )"
                                rf"|(?![\w'-])))")
        self._known = re.compile(rf"(?:{verbs})(?:(?<= )|(?![\w'-]))")
        self._noun = is_noun
        self.spelled, self.names, self.mentions = spelled, names, mentions

    def clauses(self, words: str) -> list[Clause]:
        """Returns the clauses of a task.

        Raises:
            GoalError: the task says something no goal can express.
        """
        never: list[Clause] = []

        def taken_out(found: re.Match[str]) -> str:
            never.extend(Clause(one, never=True) for one in self._forbidden(found["what"]))
            return ""

        words = ONCE_SO.sub(" then ", WITHOUT.sub(taken_out, words)).strip(" ,;.")
        done: list[Clause] = []
        for sentence in re.split(r"\s*[.;!?]+\s+", words) if words else ():
            done += self._ordered(bare(sentence))
        return done + never

    def _ordered(self, words: str) -> list[Clause]:
        """Returns the clauses of a sentence, with those after "then" and before "before" marked."""
        for pattern in (FIRST_LAST, BEFORE_FIRST, AFTER_FIRST, BEFORE_LAST, AFTER_LAST):
            found = pattern.fullmatch(words)
            if found and self.base_form(found["late"]) and self.base_form(found["early"]):
                first, second = self._named_first(self.base_form(found["early"]), self.base_form(found["late"]))
                early, late = self._ordered(first), self._ordered(second)
                return [*early, Clause(late[0].words, True, late[0].never), *late[1:]]
        words = AT_LAST.sub(r" then \1", words)
        done: list[Clause] = []
        for k, part in enumerate(THEN.split(re.sub(r"^first(?:ly| of all)?,? ", "", words))):
            part = re.sub(r"^first(?:ly)?,? |,? first$", "", bare(part.strip(" ,;.")))
            if not part and k:
                continue
            goes = done and re.match(r"(?:go|walk|head|move|drive|run|come|enter|visit) ", done[-1].words)
            if goes and re.match(r"(?:to|into|the|my) ", part):
                part = f"go {part}" if part.startswith(("to ", "into ")) else f"go to {part}"
            read = self._joined(part)
            done += [Clause(c.words, c.then or (k > 0 and n == 0), c.never) for n, c in enumerate(read)]
        return done

    def _named_first(self, early: str, late: str) -> tuple[str, str]:
        """Returns both clauses with the object named in the first: "after moving it to the desk, type on the keyboard"."""
        found, things = PRONOUN.search(early), self.names(late)
        if found is None or not things or self.names(early[:found.start()]):
            return early, late
        thing = re.split(r" (?:in|on|inside) ", things[0])[0]
        return f"{early[:found.start()]}{thing}{early[found.end():]}", late

    def _joined(self, words: str) -> list[Clause]:
        """Returns the clauses of a sentence without orders: commands, wishes as commands, and prohibitions."""
        reader = _Parts(self)
        parts = JOINT.split(words)
        said = parts[::2]
        for joint, part, after in zip(("", *parts[1::2]), said, (*said[1:], ""), strict=True):
            reader.take(joint, part, after)
        return reader.ended()

    def command(self, words: str) -> str:
        """Returns the words from the verb on if they are a command, else an empty text."""
        found = self._verb.match(words)
        if found is None or self._noun.match(words):
            return ""
        return words[found.end():]

    def is_command(self, words: str) -> bool:
        """Returns True if the words begin with a verb in the base form, and nothing before it."""
        return self._known.match(words) is not None and not self._noun.match(words)

    def base_form(self, words: str) -> str:
        """Returns a clause with its verb in the base form (opening, opened: open); empty if it begins with no known verb."""
        command = self.command(words)
        if command or NEVER.match(words) or KEEP_OUT.match(words) or WISH.match(words):
            return command or words
        first, _, rest = words.partition(" ")
        for base in (PARTICIPLES.get(first, ""), *_bases(first)):
            if base and self._known.match(f"{base} {rest}".strip()):
                return f"{base} {rest}".strip()
        state = STATE.fullmatch(words) or PLACE.fullmatch(words)
        return words if state and IS.search(words) else ""

    def prohibited(self, words: str) -> list[str] | None:
        """Returns the commands that a prohibition forbids, or None if the words are no prohibition."""
        if (found := KEEP_OUT.match(words)) is not None:
            return [f"approach {words[found.end():]}" if "out of" not in found[0] else f"enter {words[found.end():]}"]
        found = NEVER.match(words)
        return self._forbidden(words[found.end():]) if found else None

    def _forbidden(self, words: str) -> list[str]:
        """Returns the commands of "opening the fridge or entering the kitchen"."""
        found: list[str] = []
        for part in re.split(r"(\s+(?:or|nor|and)\s+(?:to )?)", words)[::2]:
            base = self.base_form(part)
            if base:
                found.append(base)
            elif found:
                found[-1] += f" or {part}"
            else:
                raise refuse(words, "it is not clear what must never be: say “do not” and one action in a sentence of its own")
        return found


def _bases(word: str) -> list[str]:
    """Returns possible base forms of a verb: opening, opened -> open; closed -> close; putting -> put."""
    for ending in ("ing", "ied", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[: -len(ending)]
            doubled = [stem[:-1]] if len(stem) > 2 and stem[-1] == stem[-2] else []
            return [f"{stem}y"] if ending == "ied" else [stem, f"{stem}e", *doubled]
    return []


class _Parts:
    """Processes the parts of a sentence: commands are kept, the words of a wish are collected until it is complete."""

    def __init__(self, splitter: Splitter):
        self._splitter = splitter
        self._done: list[Clause] = []
        self._wish, self._said_so, self._brief = "", False, False

    def take(self, joint: str, part: str, after: str) -> None:
        """Processes one part, with the joint before it and the part after it."""
        begins = _without_talk(part, after)
        if not begins:
            return
        forbidden = self._splitter.prohibited(begins)
        if forbidden is not None:
            self._settled()
            kept = LEAVE_SO.fullmatch(forbidden[0])
            self._done += [Clause(f"{COMMANDS[OPPOSITE[kept['state']]]} {kept['what']}")] if kept else \
                [Clause(one, never=True) for one in forbidden]
            return
        wished = WISH.sub("", WISH.sub("", begins))
        wished = re.sub(r" (?:was|were) ", " is ", wished) if wished != begins else wished
        command, kept = self._splitter.command(begins) or self._splitter.command(wished), KEPT.fullmatch(wished)
        if re.match(r"(?:have|get|check) ", begins) and STATE.fullmatch(wished) is not None:
            command = ""  # have all lights off: a wish, not "get all lights"
        if not command and kept is None:
            gerund = re.match(r"[a-z]+ing\b", wished)
            command = self._splitter.base_form(wished) if gerund and not IS.search(wished) else ""
            either = re.match(r"either (.+)", wished)
            needed = re.fullmatch(r"(?P<what>.+?) (?:needs?|wants?|requires?|could do with|could use) (?:a "
                                  r"|some )?(?:good )?(?P<verb>[a-z]+ing)(?: up| out| off)?", wished)
            command = command or (self._splitter.command(either[1]) if either else "")
            command = command or (self._splitter.base_form(f"{needed['verb']} {needed['what']}") if needed else "")
            command = command or ("" if IS.search(wished) else self._splitter.command(self._splitter.spelled(wished)))
        if kept is not None and not command.startswith("leave it"):
            self._settled()
            self._done.append(Clause(f"{COMMANDS[kept['state']]} {kept['what']}"))
        elif command:
            self._settled()
            self._done.append(Clause(command))
        elif self._wish or wished != begins or not self._done or self._brief or IS.search(begins):
            self._wish += joint + wished if self._wish else wished
            self._said_so = self._said_so or wished != begins
            said = _command(self._wish) if self._said_so or IS.search(self._wish) else ""
            said = said or _without_verb(self._wish)
            counted = COUNTED.fullmatch(self._wish)
            named = counted and (DETERMINED.match(self._wish) or self._splitter.mentions(counted["what"]))
            brief = BRIEF.fullmatch(self._wish) or named
            said = said or (_command(self._wish) if brief and (self._brief or not self._done) else "")
            self._brief = self._brief or bool(said and brief)
            if said:
                self._done.append(Clause(said))
                self._wish, self._said_so = "", False
        elif BRIEF.fullmatch(begins) and re.match(r"(?:switch|turn|open|close)\b", self._done[-1].words):
            self._done.append(Clause(_command(begins)))  # turn the lamp on and the television off
        else:
            last = self._done[-1]
            between = " but " if "but" in joint else joint if joint.strip() else " "
            self._done[-1] = Clause(f"{last.words}{between}{begins}", last.then, last.never)

    def ended(self) -> list[Clause]:
        """Returns all clauses.

        Raises:
            GoalError: a part is no command, or the sentence says something no goal can express.
        """
        self._settled()
        for clause in self._done:
            for pattern, why in REFUSED:
                found = pattern.search(clause.words)
                if found:
                    raise refuse(found[1], why)
        return [Clause(c.words.strip(" ,;."), c.then, c.never) for c in self._done]

    def _settled(self) -> None:
        if self._wish:
            raise refuse(self._wish, "this does not begin with a known verb, such as put, open, close, switch on, slice, "
                                     "cook, wash, "
                                     "pick up, go to or sit on")


def _without_talk(part: str, after: str) -> str:
    """Returns a part without politeness. "I need a plate" is a wish to have it, unless "and a fork on the table" follows."""
    placed = COUNTED.fullmatch(after) and DETERMINED.match(after)
    return without_politeness(part) if placed else bare(part)


def _without_verb(words: str) -> str:
    """Returns the command of "lights out", "lights on in the kitchen" or "everything off the desk"; empty for other words."""
    if short := VERBLESS.fullmatch(words):
        return f"switch off {short['what']}"
    if brief := BRIEF_IN.fullmatch(words):
        return f"{COMMANDS[brief['state']]} {brief['what']} {brief['where']}"
    taken = TAKEN.fullmatch(words)
    return f"take {taken['what']} off {taken['place']}" if taken else ""


def _command(wish: str) -> str:
    """Returns the command that fulfils a wish; empty while the wish is incomplete."""
    if nothing := NOTHING.fullmatch(wish):
        return f"empty {nothing['what']}"
    if (state := STATE.fullmatch(wish)) and not IS.search(state["what"]):
        word = state["state"]
        return f"{COMMANDS.get(word) or BECOMES[word]} {state['what']}"
    if (place := GOES.fullmatch(wish) or PLACE.fullmatch(wish)) and not IS.search(place["what"]):
        return f"put {place['what']} {place['where']}"
    return ""
