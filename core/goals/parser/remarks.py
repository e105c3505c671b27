"""Tells what asks for nothing from what may change a task: reasons, reports, questions, times, interjections.

A remark is a clause with a subject and a finite verb, a question, a purpose, or a fragment without a noun of a household. Words
that may change the task are never part of one: negations about things, conditions, clock times, duties, numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.goals.parser import word_classes as words
from core.goals.parser.clauses import asked
from core.goals.parser.commands import said_at, verb_at
from core.goals.parser.edges import Edge
from core.goals.parser.phrases import LYING, Phrase, noun_list, noun_phrase, place_phrase
from core.goals.parser.restrictions import WAS_WORDS
from core.goals.parser.tokens import Tokens
from core.goals.parser.verb_lexicon import FORMS_LIKE_NOUNS

HIDDEN = 100
HIDING = 2.5
"""The cost of a remark for each command that might begin in it."""
MOST_WORDS = 40
"""The longest remark."""
CLINGING = (words.DETERMINERS | words.PREPOSITIONS - {"like"} | words.MODALS | words.BE | words.NEGATIONS | words.SUBJECTS
            | words.REASONS | words.CONDITIONS | words.TIME_RELATIONS | words.COORDINATORS | words.HAVE | words.DO
            | words.SPEAKER
            | words.word_set("going always stop forget forgot hate hates refuses refuse pretend remind")) - {
                "that", "this", "there", "in", "on", "off", "up", "out", "it", "them", "me", "us", "around", "again"}
"""Words to which the verb after them belongs."""
UNABLE = words.word_set(
    "find see reach remember know sleep hear get stand seem think wait help feel manage believe understand")
BOUNDS = words.COORDINATORS | words.word_set("because since cos so")
EASY = words.word_set("rush hurry worries problem pressure else bother trouble idea wonder doubt")
"""After "no" and "nothing": no rush."""
PERMITTED = words.word_set("allowed permitted supposed eat drink have")
"""What a person may not do: it says nothing about the robot."""
LEADS = words.word_set("because since as so though although and but or cause now well that while in_case whereas like "
                       "by_the_time")
"""Words before a remark."""


def remarks(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields the remarks that may begin at a token, each with every end that it may have."""
    lead = i
    while t.at(lead) in LEADS and lead < i + 3 and not (
            t.at(lead) == "that" and t.at(lead + 1) in words.BE | words.MODALS | words.HAVE):
        if t.joined(lead, lead + 3) == "as soon as":
            break
        lead += 1
    lead += 2 * (t.joined(lead, lead + 2) == "for when")
    if _asks(t, lead) and (lead == i or t.at(lead - 1) in ("so", "and", "but", "or", "well", "now")):
        return
    if (end := _label_end(t, i)) > i:
        yield Edge(i, end, "remark", 0.5)
    for end, hidden in _ends(t, i, lead):
        edge = _remark(t, i, lead, end)
        if edge is not None and hidden < HIDDEN and not (hidden and any(t.is_noun(k) for k in range(lead, end))):
            yield replace(edge, cost=edge.cost + HIDING * hidden)


def _label_end(t: Tokens, i: int) -> int:
    """Returns the index of the colon after a label at the beginning, such as "trial nine:"; i if there is none."""
    colon = next((k for k in range(i + 1, i + 4) if t.at(k) == ":"), 0)
    names = colon and not any(t.is_noun(k) or t.at(k) in words.NEGATIONS for k in range(i, colon))
    return colon if i == 0 and names else i


def clings(t: Tokens, k: int) -> bool:
    """Returns True if a word belongs to the one before it: "to put", "the wrong place"."""
    return t.at(k - 1) in CLINGING or (k > 1 and not t.is_known(k - 1) and t.at(k - 2) in words.DETERMINERS
                                       and not t.is_stop(k - 1) and t.at(k) in FORMS_LIKE_NOUNS)


def _is_past(t: Tokens, lead: int, k: int) -> bool:
    """Returns True for the verb of a report: my daughter put the mug away."""
    subject = t.at(k - 1) in words.PEOPLE or (lead == k - 2 and t.at(lead) in words.POSSESSIVES)
    return subject and any(verb.form == "ed" for verb in t.verbs(k))


def _asks(t: Tokens, k: int) -> bool:
    """Returns True if something known is asked for from a token on."""
    return any(edge.kind != "remark" and any(
        t.is_noun(n) or t.at(n) in words.OBJECT_PRONOUNS for n in range(edge.start, edge.end)) for edge in asked(t, k))


def _ends(t: Tokens, i: int, lead: int) -> Iterator[tuple[int, int]]:
    """Yields where a remark may end: at a stop, before a joint, or where something is asked for; and how much it then hides."""
    asks = 0
    for k in range(max(lead, i) + 1, min(len(t), i + MOST_WORDS) + 1):
        if k == len(t) or t.is_stop(k):
            yield k, asks
            return
        if t.at(k) in BOUNDS:
            yield k, asks
            asks += HIDDEN * any(edge.kind not in ("brief", "remark") and not (edge.bare and t.at(k) == "and")
                                 for edge in asked(t, k + 1))
            asks += t.at(k) == "so" and any(edge.kind == "brief" for edge in asked(t, k + 1))
        elif t.at(k) not in words.PLACES and not clings(t, k) and not _is_past(t, lead, k) and any(
                edge.kind != "remark" and (edge.kind != "brief" or edge.end >= len(t)) for edge in asked(t, k)):
            yield k, asks
            asks += 1


def _remark(t: Tokens, i: int, lead: int, end: int) -> Edge | None:
    said = t.texts[lead:end]
    if not said:
        return None
    named = set(said)
    things = [k for k in range(lead, end) if t.is_noun(k) and not _of_person(t, k)]
    tells = _tells(t, lead, end)
    timed = named & words.CLOCK and not tells and t.at(lead) not in ("thanks", "ta", "cheers")
    if timed or _is_condition(t, lead, named, things):
        return None
    asks = t.at(lead) in words.QUESTION_WORDS | words.BE | words.DO | words.HAVE | {"can", "could", "would", "will"} and (
        t.at(end) == "?" or t.at(lead) not in ("have", "do", "can", "could", "would", "will"))
    reason = lead > i and t.at(i) not in ("and", "but", "or", "well", "now")
    if not _harmless(t, lead, end, named, things, tells=tells or asks, reason=reason):
        return None
    topics = tuple(_topics(t, lead, end))
    length = 0.02 * (end - i)
    if tells or asks:
        return Edge(i, end, "remark", 2 + length, topics=topics)
    if things:
        return _purpose(t, i, end) if t.at(lead) in ("to", "for") or reason else None
    fragment = _is_fragment(t, i, lead, end, named, reason=reason)
    return Edge(i, end, "remark", 2.4 + 2 * length, topics=topics) if fragment else None


def _of_person(t: Tokens, k: int) -> bool:
    return t.at(k) in words.TIMES or t.at(k) in words.PEOPLE


def _is_condition(t: Tokens, lead: int, named: set[str], things: list[int]) -> bool:
    """Returns True if the words limit the task: if, unless, until, when the bell rings."""
    told_only = not things and t.at(lead) in words.SUBJECTS | {"for"} and named & {"only"} and not named & words.NUMBERS
    limits = named & (words.CONDITIONS - {"if", "than", "rather", "till", "until", "whenever"})
    if (limits and not told_only) or t.at(lead) in ("until", "till"):
        return True
    if "if" in named and "mind" not in t.texts[lead:lead + 4] and (things or not named & words.POLITE_IF):
        return True
    if t.at(lead) in ("when", "whenever", "once") or t.joined(lead, lead + 3) == "as soon as":
        return bool(things) or not (named & words.POLITE_IF or "can" in named) or "you" not in named
    if t.at(lead) == "after" and t.at(lead + 1) not in words.TIMES:
        return bool(things) or bool(named & words.SUBJECTS - {"you"})
    return False


def _tells(t: Tokens, lead: int, end: int) -> bool:
    """Returns True for a subject with a finite verb."""
    k = lead
    while t.at(k) in words.GREETINGS | words.SOFT | {"before", "after", "while", "by", "when", "if", "once"} and k < end:
        k += 1
    if t.at(k) in ("with", "for", "at", "in", "on", "after", "by") and (one := noun_phrase(t, k + 1)) is not None:
        k = one.end + (t.at(one.end) == ",")
    if t.at(k) in ("ca", "could") and t.at(k + 1) == "n't" and t.at(k + 2) in UNABLE:
        return True  # can't find my phone
    after = _subject_end(t, k, end)
    if after == k:
        return False
    if t.at(after) in ("i", "we", "you", "he", "she", "they") and after > k + 1:  # the mug I used is dirty
        after = next((n for n in range(after + 1, min(end, after + 6)) if t.at(n) in words.BE | words.MODALS), after)
    while t.at(after) in words.SOFT or t.at(after) in ("all", "both", "she", "he", "it", "they"):
        after += 1
    if after >= end or (t.at(k) == "you" and verb_at(t, after) is not None):
        return False
    auxiliary = t.at(after) in words.BE | words.HAVE | words.DO | words.MODALS
    finite = auxiliary or any(verb.form in ("s", "ed") for verb in t.verbs(after))
    finite = finite or _plural_does(t, k, after)
    placed = t.at(after) in words.PREPOSITIONS | words.ARTICLES  # and it in the fridge
    return finite or not t.is_known(after) or (t.at(k) in words.SUBJECTS and not t.is_noun(after) and not placed)


def _plural_does(t: Tokens, k: int, after: int) -> bool:
    """Returns True for people in the plural with a verb after them: the twins leave paper everywhere."""
    people = noun_phrase(t, k)
    return people is not None and people.end == after and people.several and not people.known and bool(t.verbs(after))


def _subject_end(t: Tokens, k: int, end: int) -> int:
    """Returns the index after the subject that begins at k, with the places after it; k if there is none."""
    if t.at(k) in words.SUBJECTS and t.at(k) not in words.QUESTION_WORDS:
        points = t.at(k) in ("this", "that", "these", "those", "some", "one")
        one = noun_phrase(t, k) if points and t.is_noun(k + 1) else None
        unknown = points and not t.is_known(k + 1) and t.at(k + 2) in words.BE
        return one.end if one is not None else k + 1 + unknown
    if t.at(k) in words.POSSESSIVES and not t.is_noun(k + 1) and t.at(k + 2) not in words.PREPOSITIONS:
        return k + 2  # my back hurts
    one = noun_list(t, k, subject=True)
    if one is None or one.end >= end:
        return k
    after = one.end
    while t.at(after) in words.PLACES and (place := noun_phrase(t, after + 1)) is not None and place.end < end:
        after = place.end
    return after


def _harmless(t: Tokens, lead: int, end: int, named: set[str], things: list[int], *, tells: bool, reason: bool) -> bool:
    """Returns True if no word of a remark may change the task."""
    if named & CORRECTIONS or named & {"forbidden", "pretend", "remind", "instead", "except", "unless"}:
        return False
    if "if" in named:
        return "terrible" not in named  # a polite one
    negated = named & (words.NEGATIONS - {"without"}) or ("without" in named and things)
    if negated and not reason and not _is_easy(t, lead, end) and not _only_tells(t, lead, named, things, tells=tells):
        return False
    if any(t.at(k) == "you" and t.at(k - 1) in words.WANTS for k in range(lead + 1, end)):
        return False
    if not things or reason:
        return True
    if (t.at(end - 1) in ("too", "as_well") or named & {"also", "likewise"}) and t.at(lead) not in ("i", "we"):
        return False  # the plate needs it too
    duty = any(t.at(k) in words.DUTY or (t.at(k) in ("need", "needs", "has", "have", "ought") and t.at(k + 1) == "to")
               for k in range(lead, end))
    if duty and t.at(lead) not in ("i", "we", "how", "who", "what", "where", "why"):
        return False
    wish = t.at(lead) in ("i", "we") and named & words.WANTS and not named & {"n't", "not"}
    return not wish and not named & {"belongs", "belong", "goes"}


CORRECTIONS = frozenset({"no_wait", "i_mean", "i_meant", "scratch_that", "make_that", "or_rather"})


def _only_tells(t: Tokens, lead: int, named: set[str], things: list[int], *, tells: bool) -> bool:
    """Returns True if a negated clause forbids nothing: I can't find the mug, it's not far, he may not have any."""
    unable = bool(named & UNABLE)
    is_person = t.at(lead) in words.OTHERS | words.PEOPLE
    is_person = is_person or (not t.is_known(lead) and t.at(lead + 1) in words.MODALS | words.DO)
    forbids_all = t.at(lead) in ("nobody", "no_one") and named & words.MODALS  # also the robot: "nobody may touch it"
    if tells and is_person and not forbids_all and not things:
        return True  # such as "Tommy won't leave it alone" and "nobody is using it"
    if tells and (_says_state(t, lead) or (t.at(lead) in ("he", "she") and named & PERMITTED and not things)):
        return True
    if things and not (tells and unable):
        return False
    refers = named & {"it", "them", "that", "ones", "any"} and t.at(lead) not in ("it", "that", "this")
    if not tells or (refers and not unable):
        return False
    return t.at(lead) != "you" and not (named & {"want", "like"} and named & {"it", "them", "you"})


def _says_state(t: Tokens, lead: int) -> bool:
    """Returns True for a subject that is not in a state: the plate is not clean."""
    subject = noun_list(t, lead, subject=True)
    k = subject.end if subject is not None else lead + 1
    negated = t.at(k + 1) in ("not", "n't") and t.at(k) in ("is", "are", "'s", "'re", "was", "were")
    return negated and t.at(k + 2) in words.STATES and (k + 3 >= len(t) or t.is_stop(k + 3) or t.at(k + 3) in BOUNDS)


def _is_easy(t: Tokens, lead: int, end: int) -> bool:
    """Returns True if the only negation of the words means nothing: no rush, nothing else, never mind."""
    return any(t.at(k) in words.NEGATIONS and t.at(k + 1) in EASY for k in range(lead, end))


def _purpose(t: Tokens, i: int, end: int) -> Edge | None:
    """Returns the remark of a reason with things of a household: because the mug is dirty, to change the sheets."""
    return Edge(i, end, "remark", 2.3, topics=()) if t.at(i) in ("because", "since", "as", "so", "for") and any(
        t.at(k) in words.SUBJECTS | words.BE for k in range(i, end)) else None


def _is_fragment(t: Tokens, i: int, lead: int, end: int, named: set[str], *, reason: bool) -> bool:
    """Returns True for words without a noun of a household that are no command of something unknown."""
    first = soft_start(t, lead)
    no_such = t.at(first) == "no" and not t.is_known(first + 1) and not named & words.NEGATIONS - {"no"}
    easy = no_such or _is_easy(t, lead, end)
    number = named & words.NUMBERS - {"one"} or (any(word.isdecimal() for word in named) and not (i == 0 and t.is_stop(end)))
    placed = t.at(lead) in words.PREPOSITIONS | words.PARTICLES and t.at(i) != "to" and t.at(lead + 1) != "to"
    if placed or number or (named & words.NEGATIONS and not easy) or named & (words.ORDER - {"second", "next"}):
        return False
    if t.at(i) == "to":
        gives = any(verb.frame in ("bring", "hold") for k in range(i) for verb in t.verbs(k))
        name = end - i < 2 or (end - i == 2 and gives) or t.is_capital(i + 1)  # to John
        return not name and t.at(i + 1) not in words.DETERMINERS | words.PEOPLE | words.OBJECT_PRONOUNS | words.SUBJECTS
    if reason:
        return not said_at(t, lead)
    if t.at(lead) == "be":
        return t.at(lead + 1) not in words.DETERMINERS and t.at(i) == "and"
    if t.at(i) in ("or", "and"):
        return False
    if t.at(first) in words.ARTICLES - {"this", "that", "no", "any"} or t.at(first) in words.OBJECT_PRONOUNS:
        return t.is_stop(end) and first == lead and i == 0 and noun_list(t, lead) is None
    return not is_unknown_command(t, first) and (verb_at(t, first) is None or t.is_noun(first))


def soft_start(t: Tokens, k: int) -> int:
    """Returns the index of the first word that is no greeting."""
    while t.at(k) in words.GREETINGS or t.at(k) in words.SOFT:
        k += 1
    return k


LEAST_GERUND = 5
AFTER_VERB = words.word_set("it them him her to on with up down for as like")
EXCLAIMS = words.word_set(
    "what such oh at in for like ah ugh quite same this that all god wow man boy here there how so of with by going being "
    "not too very way time late")


def is_unknown_command(t: Tokens, k: int) -> bool:
    """Returns True if a command of something unknown may begin here: feed the cat, call me a taxi, be a dinosaur."""
    word, after = t.at(k), t.at(k + 1)
    thing = t.is_noun(k) and after not in words.ARTICLES | {"it", "them"}
    gerund = word.endswith("ing") and len(word) > LEAST_GERUND
    if not word or t.is_stop(k) or thing or gerund or word in EXCLAIMS or word.isdecimal():
        return False
    if word in words.SUBJECTS | words.MODALS | words.DETERMINERS | words.PREPOSITIONS | words.NEGATIONS | words.QUESTION_WORDS:
        return False
    if word in words.BE | words.DO | words.GREETINGS | words.SOFT | words.SPEAKER | {"need", "got", "whatever"} or (
            t.verbs(k) and verb_at(t, k) is None):
        return False
    if word in words.COORDINATORS | words.REASONS | words.CONDITIONS | words.TIME_RELATIONS | words.HAVE:
        return False
    follows = after in words.ARTICLES - {"no"} or after in words.SPEAKER | words.PEOPLE | AFTER_VERB
    return follows or (t.is_noun(k + 1) and not t.is_noun(k)) or (k == 0 and len(t) == 1)


def unknown_command(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields a command whose verb is not known; a task with one is refused."""
    k = i + (t.at(i) in ("to",))
    if verb_at(t, k) is None and is_unknown_command(t, k):
        end = k + 1
        while end < len(t) and not t.is_stop(end) and t.at(end) not in ("and", "but", "then"):
            end += 1
        yield Edge(i, end, "unknown", 1.7)


def _topics(t: Tokens, lead: int, end: int) -> Iterator[Phrase]:
    """Yields the phrases that a pronoun after a remark may mean: its subject, or what there is; where these are now, too."""
    k, found = lead, list[Phrase]()
    while k < end:
        if t.is_noun(k) or t.at(k) in words.DETERMINERS:
            one = noun_list(t, k, subject=True)
            refers = one is not None and one.end == k + 1 and t.at(k) in words.OBJECT_PRONOUNS
            named = not refers or (t.at(k) == "one" and t.at(k - 1) != "which")  # there is one in the fridge
            if one is not None and named and one.known and one.end <= end and not _of_person(t, one.head):
                found.append(one)
                k = one.end
                continue
        k += 1
    refers = any(t.at(n) in ("it", "them", "they") for n in range(lead, end))
    for n, one in enumerate(found):
        before = t.at(one.start - 1)
        if (before in words.PLACES | {"for"} and (found[:n] or refers)) or t.at(one.head).replace("_", " ") in t.rooms:
            continue
        place = found[n + 1] if n + 1 < len(found) and t.at(found[n + 1].start - 1) in ("in", "on", "inside") else None
        between = t.texts[one.end:place.start - 1] if place is not None else []
        is_there = place is not None and all(word in words.BE | words.SOFT | LYING | {"over"} for word in between)
        text = one.words
        for article in ("a ", "an ", "some ", "any "):
            text = f"the {text.removeprefix(article)}" if text.startswith(article) else text
        state = WAS_WORDS.get(t.at(one.end + 1)) if t.at(one.end) in words.BE and t.at(one.start) in words.NUMBERS else None
        if state:  # two of the three knives are dirty
            text = f"{t.at(one.start)} {state} {t.at(one.head)}"
        if place is not None and is_there:
            text = f"{text} {t.at(place.start - 1)} {place.words}"
        yield Phrase(one.start, one.end, text, True, head=one.head, several=one.several)


def topic(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields a phrase alone that later words are about: his glasses! take them to the bedroom."""
    one = noun_list(t, i)
    if one is None or not one.known or (t.at(i) in words.OBJECT_PRONOUNS and one.end == i + 1):
        return
    end = soft_start(t, one.end)
    place = place_phrase(t, end) if t.at(one.head) in words.GENERIC else None
    end = place.end if place is not None else end
    if t.is_stop(end):
        text = one.words
        for article in ("a ", "an ", "some ", "any "):
            text = f"the {text.removeprefix(article)}" if text.startswith(article) else text
        yield Edge(i, end, "topic", 1.8, topics=(Phrase(i, one.end, text, True, head=one.head, several=one.several),))
