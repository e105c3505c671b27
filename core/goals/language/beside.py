"""Finds what stands beside a task and says nothing about it: labels, manners, politeness, threats.

    label    list for today:                   manner  with care, in one go, without a sound
    polite   if you can                        easy    no excuses, not too fast, nothing more
    threat   otherwise she gets angry          report  says the doctor
    name     you wonderful machine             heard   do you understand, you never listen

None of these names a thing of a household, says where or in which state anything is to be, or counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.goals.parser import word_classes as words
from core.goals.parser.edges import Edge
from core.goals.parser.tokens import Tokens

COST = 1.1
LONGEST, LONGEST_LABEL = 12, 14
EASY = words.ABSTRACT | words.word_set(
    "need hurry rush more else too so very fast slow slowly quickly long that it matters but much now soon bad right wrong "
    "to be me you i think as if in a any other no not no_rush and or loudly later even")
"""Words beside a negation that then limits nothing."""
LIMITING = words.word_set("now yet today tonight again ever here there")
"""After "not" alone these limit a task: not now."""
PERMITS = words.word_set("can could would will may like want please must wish dare care mind think fancy")
TOLD_OF_YOU = words.word_set("'ve 're have are were was did never always know see look seem do 'd had")
NAMES = words.word_set(
    "thing machine bot robot beauty genius darling angel lot one rascal star fool idiot dear friend hero legend creature")
HEARING = frozenset({"do", "look", "have"})
REPORTS = words.word_set("says said says reckons thinks insists claims swears asks asked")


def beside(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields what may stand beside a task from a token on."""
    for find in RULES:
        end = find(t, i)
        if end > i:
            yield Edge(i, end, "remark", COST + 0.02 * (end - i))


def _stop(t: Tokens, i: int, *, most: int = LONGEST) -> int:
    """Returns the index of the stop or joint after a token; i if it is too far."""
    return next((k for k in range(i + 1, min(len(t), i + most) + 1) if k >= len(t) or t.is_stop(k)), i)


def _opens(t: Tokens, i: int) -> bool:
    return i == 0 or t.is_stop(i - 1) or t.at(i - 1) in words.COORDINATORS | words.GREETINGS | words.SOFT


def _is_plain(t: Tokens, start: int, end: int) -> bool:
    """Returns True for words that name no thing, number, time or condition, and no place."""
    said = set(t.texts[start:end])
    if said & words.CLOCK or said & words.CONDITIONS - {"otherwise", "instead", "rather", "than", "if"}:
        return False
    if said & words.NUMBERS - {"one"} or (any(word.isdecimal() for word in said) and t.at(start) not in NUMBERED):
        return False
    harmless = words.ABSTRACT | words.GENERIC | words.TIMES | words.PEOPLE
    return not any(t.is_noun(k) and t.at(k) not in harmless for k in range(start, end))


NUMBERED = words.word_set("task trial episode step item number job test case run")


def _label(t: Tokens, i: int) -> int:
    """Returns the index of the colon after words that only announce a task."""
    if i and t.at(i - 1)[:1] not in (".", "!", "?", ","):
        return i
    end = _stop(t, i, most=LONGEST_LABEL)
    if t.at(end) != ":" or not _is_plain(t, i, end) or words.NEGATIONS & set(t.texts[i:end]):
        return i
    effect = any(verb.form == "base" for verb in t.verbs(i)) and t.at(i) not in words.FIRST | {"do", "read", "look", "start"}
    return i if effect or "if" in t.texts[i:end] else end


def _manner(t: Tokens, i: int) -> int:
    """Returns the index after "with care" and "in one go"."""
    if t.at(i) not in ("with", "without", "in", "at", "for", "by", "on", "like", "to"):
        return i
    for end in range(i + 2, min(len(t), i + 5) + 1):
        ends = end >= len(t) or t.is_stop(end) or t.at(end) in words.COORDINATORS | words.SOFT
        if t.at(end - 1) in words.ABSTRACT and ends:
            return end if _is_plain(t, i, end) else i
        if end < len(t) and t.is_stop(end):
            return i
    return i


def _easy(t: Tokens, i: int) -> int:
    """Returns the index after a negation that limits nothing: no excuses, not too fast, nothing more."""
    if t.at(i) not in ("no", "not", "nothing", "not_that"):
        return i
    asked = _stop(t, i)
    if t.at(i) == "nothing" and t.at(asked) == "?" and (i == 0 or t.is_stop(i - 1)):
        return asked  # nothing on telly?
    end = i + 1
    while t.at(end) in EASY and end < len(t):
        end += 1
    if end == i + 1 or not (end >= len(t) or t.is_stop(end)):
        return i
    limits = t.at(i) == "not" and t.at(i + 1) in LIMITING and end == i + 2
    return i if limits or t.at(end - 1) in ("to", "a", "in", "and", "or", "any", "other", "me", "you", "no", "not") else end


def _polite_if(t: Tokens, i: int) -> int:
    """Returns the index after "if you can" and "if it were up to me"."""
    if t.at(i) != "if":
        return i
    if t.joined(i, i + 6) == "if it were up to me":
        return i + 6
    if t.at(i + 1) not in ("you", "i", "we", "it") or t.at(i + 2) not in PERMITS:
        return i
    end = i + 3
    while t.at(end) in words.SOFT | {"to", "say", "so", "ask", "that", "manage", "do"}:
        end += 1
    return end if end >= len(t) or t.is_stop(end) else i


def _threat(t: Tokens, i: int) -> int:
    """Returns the index after "or else" and "otherwise she gets angry"."""
    if t.at(i) == "or" and t.at(i + 1) == "else":
        return _stop(t, i) if _is_plain(t, i, _stop(t, i)) else i
    if t.at(i) != "otherwise" or t.at(i + 1) not in words.SUBJECTS | words.ARTICLES:
        return i
    end = _stop(t, i)
    return end if _is_plain(t, i, end) else i


def _other_doing(t: Tokens, i: int) -> int:
    """Returns the index after "instead of standing around"."""
    long = t.joined(i, i + 2) in ("instead of", "rather than")
    k = i + 1 + long
    if not long and t.at(i) not in ("instead_of", "rather_than"):
        return i
    end = _stop(t, i)
    return end if t.at(k).endswith("ing") and _is_plain(t, k, end) and not {"it", "them"} & set(t.texts[k:end]) else i


def _report(t: Tokens, i: int) -> int:
    """Returns the index after "says my wife"."""
    if t.at(i) not in REPORTS or not t.is_stop(i - 1):
        return i
    end = _stop(t, i, most=5)
    k = i + 1 + (t.at(i + 1) in words.ARTICLES)
    person = t.at(k) in words.PEOPLE or not t.is_known(k)
    return end if person and _is_plain(t, i, end) else i


def _name(t: Tokens, i: int) -> int:
    """Returns the index after "you wonderful machine"."""
    end = _stop(t, i, most=5)
    named = t.at(i) == "you" and t.at(end - 1) in NAMES and end - i > 1 and t.is_stop(i - 1)
    return end if named and not any(t.verbs(k) or t.at(k) in words.BE | words.MODALS for k in range(i + 1, end - 1)) else i


def _heard(t: Tokens, i: int) -> int:
    """Returns the index after "do you understand" and "you never listen", which ask for nothing."""
    if not _opens(t, i):
        return i
    asked = t.at(i) in words.DO | words.BE | {"can", "could"} and t.at(i + 1) == "you"
    told = t.at(i) == "you" and t.at(i + 1) in TOLD_OF_YOU
    end = _stop(t, i)
    if not (asked or told) or not _is_plain(t, i, end) or {"it", "them", "to", "n't"} & set(t.texts[i + 1:end]):
        return i
    verbs = (verb for k in range(i + 2, end) for verb in t.verbs(k))
    return i if any(verb.form == "base" and verb.frame not in HEARING for verb in verbs) else end


def _all_said(t: Tokens, i: int) -> int:
    """Returns the index after "that's all (I want)"."""
    if t.at(i) not in ("that", "this") or t.at(i + 1) not in ("'s", "is", "will"):
        return i
    k = i + 2 + (t.at(i + 2) == "be")
    end = _stop(t, i)
    rest = words.SOFT | {"i", "we", "want", "need", "ask", "really", "folks"}
    done = t.at(k) in ("all", "it") and set(t.texts[k + 1:end]) <= rest
    return end if done else i


def _chopped(t: Tokens, i: int) -> int:
    """Returns the index after "chop chop", of which one word is left."""
    return i + 1 if t.at(i) == "chop" and t.is_stop(i + 1) and (i == 0 or t.is_stop(i - 1)) else i


def _with_others(t: Tokens, i: int) -> int:
    """Returns the index after "with the others": that it goes to where they are is said by the place."""
    named = t.at(i) == "with" and t.at(i + 1) == "the" and t.at(i + 2) in ("other", "others", "rest")
    end = i + 3 + (t.at(i + 3) in ("one", "ones"))
    return end if named and (end >= len(t) or t.is_stop(end)) else i


ANNOUNCING = words.word_set(
    "one last more other final quick small little thing request favour favor question just a an next up task job another "
    "first thought note")


def _announced(t: Tokens, i: int) -> int:
    """Returns the index after "one last thing" and "a small request"."""
    end = _stop(t, i, most=5)
    return end if (i == 0 or t.is_stop(i - 1)) and t.is_stop(end) and set(t.texts[i:end]) <= ANNOUNCING | words.SOFT else i


def _favour(t: Tokens, i: int) -> int:
    """Returns the index after "do me a favour (will you)" and "mind your step"."""
    if t.at(i) == "mind" and t.at(i + 1) in words.POSSESSIVES | {"the"} and not t.is_noun(i + 2):
        return i + 3 if i + 3 >= len(t) or t.is_stop(i + 3) else i
    end = _stop(t, i)
    favour = t.at(i) in ("do", "be") and {"favour", "favor", "solid", "kindness", "dear", "love", "angel"} & set(t.texts[i:end])
    return end if favour and _is_plain(t, i, end) and "and" not in t.texts[i:end] else i


def _pointed(t: Tokens, i: int) -> int:
    """Returns the index after "look at this mess"."""
    end = _stop(t, i)
    return end if t.joined(i, i + 2) == "look at" and t.at(end) in ("!", ".", "...") and _is_plain(t, i, end) else i


COMES = words.word_set(
    "come comes came return returns wake wakes arrive arrives get gets am 'm is 's are 're back leave leaves go goes")


def _when_person(t: Tokens, i: int) -> int:
    """Returns the index after "when I come back" in a wish of how things are to be then."""
    if t.at(i) not in ("when", "once", "by_the_time"):
        return i
    k = i + 1 + (t.at(i + 1) in words.ARTICLES)
    person = t.at(k) in ("i", "we", "he", "she", "they") or t.at(k) in words.PEOPLE
    start = next((n + 1 for n in range(i - 1, -1, -1) if t.at(n)[:1] in (".", "!", "?", ";")), 0)
    wished = set(t.texts[start:i]) & (words.WANTS | words.DUTY) or t.joined(i - 3, i - 2) == "to"
    wished = wished or any(t.joined(n, n + 2) == "to be" for n in range(start, i))
    end = _stop(t, i)
    return end if person and wished and t.at(k + 1) in COMES and _is_plain(t, i, end) else i


RULES = (_label, _manner, _easy, _polite_if, _threat, _other_doing, _report, _name, _heard, _all_said, _chopped, _with_others,
         _announced, _favour, _pointed, _when_person)
