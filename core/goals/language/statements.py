"""Tells statements from what asks for something: a clause that tells is left out and shown, and never hides a command.

A statement has a subject and a finite verb, and is about the speaker, others, or how things are. It is none if its subject is
the robot, if a duty, a wish or a place to be is said of a thing, if it limits the task, or if a command begins within it.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.goals.language.chunks import SETTLES, SHIFTS
from core.goals.parser import word_classes as words
from core.goals.parser.clauses import asked
from core.goals.parser.edges import AGENTS, Edge
from core.goals.parser.phrases import Phrase, noun_list
from core.goals.parser.remarks import clings
from core.goals.parser.tokens import Tokens

COST, WORD_COST = 3.0, 0.02
LONGEST = 30
REMARK = "a remark: nothing is done about it"
FORBIDS = "nothing here can forbid that: it is left out"
ENDS = frozenset({"so", "and", "but", "then", "because", "since"})
PERSONS = words.word_set("i we he she they somebody someone everybody everyone people mr mrs ms miss")
LIMITS = words.CONDITIONS - {"rather", "than", "otherwise", "till", "until"} | words.word_set(
    "if unless when whenever once before after while pretend remind instead")
LEADING = words.word_set("because since as so though although and but well now that whereas like cos 'cause yes")
REFERS = words.word_set("it them they that those these")


def statements(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields the statements that may begin at a token, told as left out."""
    start = i
    while t.at(start) in LEADING | words.SOFT | words.GREETINGS and start < i + 4 and not (
            t.at(start) in ("that", "like", "love", "help") and t.at(start + 1) in words.BE | words.MODALS):
        start += 1
    if not _may_begin(t, i) or any(edge.kind != "remark" for edge in asked(t, start)):
        return
    for j in range(start + 2, min(len(t), i + LONGEST) + 1):
        if j == len(t) or t.is_stop(j) or t.at(j) in ENDS:
            if _tells(t, start, j) and "soon" not in t.texts[i:j]:
                yield Edge(i, j, "remark", COST + WORD_COST * (j - i), topics=tuple(_topics(t, start, j)),
                           guess=t.said(i, j), meaning=REMARK)
            elif t.at(j) != "and" and _forbids_unknown(t, start, j):
                yield Edge(i, j, "remark", COST + WORD_COST * (j - i), guess=t.said(i, j), meaning=FORBIDS)
            if j == len(t) or t.at(j) != "and":
                return


def _may_begin(t: Tokens, i: int) -> bool:
    return i == 0 or t.is_stop(i - 1) or t.at(i - 1) in ENDS


def _tells(t: Tokens, i: int, j: int) -> bool:
    """Returns True if a clause tells something and asks for nothing."""
    said = set(t.texts[i:j])
    dislikes = any(t.joined(k, k + 2) == "it when" and t.at(k - 1)[:4] in ("hate", "love", "like") for k in range(i, j))
    unsure = any(t.joined(k, k + 2) == "if you" and t.at(k - 1) in ("know", "sure", "wonder") for k in range(i, j))
    limits = LIMITS - ({"when"} if dislikes else set()) - ({"if"} if unsure else set())
    if said & limits or said & words.CLOCK or t.at(i) in words.QUESTION_WORDS:
        return False
    subject, about_thing = _subject(t, i, j)
    if subject == i or not _finite(t, subject, j):
        return False
    if _obliges(t, i, subject, j, about_thing=about_thing) or (not unsure and _commands(t, subject, j)):
        return False
    return not (t.at(subject) in words.MODALS and about_thing)


def _subject(t: Tokens, i: int, j: int) -> tuple[int, bool]:
    """Returns the index after the subject, and whether it is about things; the index of its first token if there is none."""
    word = t.at(i)
    if word in AGENTS or word in words.QUESTION_WORDS or word in words.NEGATIONS - {"nobody", "nothing"}:
        return i, False
    one = noun_list(t, i, subject=True)
    if one is not None and one.end < j and one.known and t.at(i) not in words.SUBJECTS - words.DETERMINERS:
        end = one.end
        while t.at(end) in words.PLACES and (place := noun_list(t, end + 1)) is not None and place.end < j:
            end = place.end
        return end, True
    if word in PERSONS | words.SUBJECTS:
        name = word in ("mr", "mrs", "ms", "miss")
        return i + 1 + name, word in ("it", "they", "this", "that", "these", "those", "there")
    k = i + (word in words.ARTICLES)
    while k < j and t.at(k).isalpha() and not t.is_noun(k) and not _is_finite(t, k):
        if k > i + 1 and t.at(k - 1).endswith("s") and t.verbs(k):
            return k, False  # his pills go down better
        if k > i + 3 or t.at(k) in words.PREPOSITIONS | words.NEGATIONS | words.SUBJECTS | words.ORDER:
            return i, False
        k += 1
    return k, False


def _is_finite(t: Tokens, k: int) -> bool:
    return t.at(k) in words.BE | words.HAVE | words.DO | words.MODALS or any(verb.form in ("s", "ed") for verb in t.verbs(k))


def _finite(t: Tokens, k: int, j: int) -> bool:
    """Returns True for a finite verb, of a known or an unknown verb."""
    while t.at(k) in words.SOFT | {"all", "both", "never", "always", "only", "often"} and k < j:
        k += 1
    if k >= j:
        return False
    person = t.at(k - 1) in PERSONS | words.SUBJECTS or t.at(k - 1).endswith("s")
    unknown = not t.is_known(k) and t.at(k).isalpha()
    return _is_finite(t, k) or unknown or (person and bool(t.verbs(k)))


def _obliges(t: Tokens, i: int, subject: int, j: int, *, about_thing: bool) -> bool:
    """Returns True if a clause says a duty, a wish or a place: it must be clean, I want the mug, it belongs there."""
    said = set(t.texts[subject:j])
    things = any(t.is_noun(k) for k in range(subject, j))
    duty = any(t.at(k) in words.DUTY or (t.at(k) in ("need", "needs", "has", "have", "ought", "'s", "is", "are") and t.at(
        k + 1) == "to") or t.at(k) in ("supposed", "meant", "allowed", "forbidden") for k in range(subject, j))
    negated = bool(said & words.NEGATIONS) or bool(set(t.texts[i:subject]) & words.NEGATIONS)
    if negated and any(t.is_noun(k) or t.at(k) in words.GENERIC for k in range(i, j)):
        return True
    settles = any(t.at(k) in SETTLES and t.at(k + 1) in words.PLACES and noun_list(t, k + 2) is not None for k in range(i, j))
    placed = things and settles and t.at(i) not in PERSONS and not negated
    wanted = duty or (said & (SETTLES | SHIFTS) and not negated) or said & {"needs", "need", "want", "wants"}
    if placed or (about_thing and wanted):
        return True
    if t.at(j - 1) in ("too", "as_well"):
        return True
    if about_thing and negated and said & words.MODALS:
        return True
    wish = said & words.WANTS and (things or said & REFERS or "you" in said)
    if t.at(i) in ("i", "we") and negated and wish and "to" in said and "you" not in said:
        return False  # I don't want to see it
    return bool(wish) or ("you" in said and duty) or (t.at(i) == "nobody" and bool(said & words.MODALS))


def _commands(t: Tokens, i: int, j: int) -> bool:
    """Returns True if a command begins within a clause."""
    for k in range(i + 1, j):
        edges = [edge for edge in asked(t, k) if edge.kind not in ("brief", "remark") and (edge.object or edge.end > k + 2)]
        if edges and not clings(t, k) and not t.is_noun(k) and t.at(k) not in words.BE | words.HAVE | words.DO | words.SUBJECTS:
            return True
    you = (k for k in range(i, j) if t.at(k) == "you")
    return any({t.at(k - 1), t.at(k + 1)} & words.REQUESTS or any(verb.form == "base" for verb in t.verbs(k + 1)) for k in you)


def _forbids_unknown(t: Tokens, i: int, j: int) -> bool:
    """Returns True for a prohibition of a verb that nothing here knows: don't mix them up."""
    known = any(t.is_noun(k) for k in range(i, j)) or any(t.verbs(k) for k in range(i + 2, j))
    return t.at(i) == "do" and t.at(i + 1) in ("n't", "not") and not known and not t.is_known(i + 2) and i + 2 < j


def _topics(t: Tokens, i: int, j: int) -> Iterator[Phrase]:
    """Yields the things that a pronoun after a statement may mean."""
    k, found = i, list[Phrase]()
    while k < j:
        one = noun_list(t, k, subject=True) if t.is_noun(k) or t.at(k) in words.DETERMINERS else None
        if one is None or not one.known or one.end > j or (one.end == k + 1 and t.at(k) in words.OBJECT_PRONOUNS):
            k += 1
            continue
        if not t.is_room(one.head) and t.at(one.head) not in words.PEOPLE | words.TIMES:
            found.append(one)
        k = one.end
    carried = [one for one in found if not t.is_fixed(one.start, one.end)]
    yield from (one for one in carried or found if t.at(one.start - 1) not in words.PLACES)
