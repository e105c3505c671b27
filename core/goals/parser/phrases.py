"""Finds the phrases in the tokens of a task: noun phrases, phrases of place, and the words that change nothing.

    phrase  := (all | both | each | number | article | adjective)* noun+ [of phrase] [clause about it]
    list    := phrase ((and | or | ,) phrase)*
    place   := preposition phrase

What they mean is read in `core.goals.parser.noun_phrases`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.goals.parser import word_classes as words
from core.goals.parser.tokens import Tokens
from core.goals.parser.verb_lexicon import FORMS_LIKE_NOUNS

DOOR_OF = re.compile(r"(?:the )?(?:doors?|lid) of (?:the )?")
CONTENTS = re.compile(r"(?:the |all )*contents of ")
NEEDED = {"drink": "a drink", "eat": "a piece of food", "read": "a piece of reading", "sweet": "a sweet"}
"""Something to read, something sweet."""
LYING = words.word_set(
    "lying standing sitting left kept currently placed hanging resting stored located put stacked waiting scattered")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase or a place.

    Attributes:
        start: index of its first token.
        end: index after its last token.
        words: as the readers of noun phrases expect it.
        known: True if its noun is one of a household.
        preposition: the preposition before it; empty if there is none.
        head: index of its (first) noun.
        several: True for a plural or a list.
    """

    start: int
    end: int
    words: str
    known: bool
    preposition: str = ""
    head: int = -1
    several: bool = False

    @property
    def said(self) -> str:
        """The phrase with its preposition."""
        return f"{self.preposition} {self.words}".strip()


def noun_phrase(t: Tokens, i: int, *, bare: bool = True) -> Phrase | None:
    """Returns the longest noun phrase that begins at a token.

    Args:
        t: the tokens.
        i: index of its first token.
        bare: True if an unknown word without an article may be its noun.
    """
    if t.at(i) in words.OBJECT_PRONOUNS and (t.at(i) in ("it", "them", "him", "everything") or not _noun_follows(t, i + 1)):
        return _pronoun(t, i)
    if t.at(i) in ("that", "this") and t.at(i + 1) == "one" and not t.is_noun(i + 2):
        return Phrase(i, i + 2, f"{t.at(i)} one", True, head=i)
    if (rest := _rest(t, i)) > i:
        return Phrase(i, rest, "another one" if t.at(i) == "another" else "the rest", True, head=i, several=t.at(i) == "the")
    if t.at(i) in ("every", "each") and t.joined(i + 1 + (t.at(i + 1) == "one"), i + 3 + (t.at(i + 1) == "one")) in (
            "of them", "of these", "of those"):
        return _pronoun(t, i)
    if t.at(i) in ("something", "anything") and t.at(k := i + 1 + (t.at(i + 1) == "to")) in NEEDED:
        k += 2 * (t.at(k + 1) == "to" and t.at(k + 2) in NEEDED)  # something sweet to eat
        return Phrase(i, k + 1, NEEDED[t.at(i + 1 + (t.at(i + 1) == "to"))], True, head=i)
    if t.at(i) in ("whatever", "what", "anything", "all") and (found := _whatever(t, i)) is not None:
        return found
    n = i + (t.at(i) in ("any", "just", "only"))
    if t.at(n) in words.NUMBERS and t.joined(n + 1, n + 3) in ("of them", "of these", "of those"):
        return Phrase(i, n + 3, f"{t.at(n)} of them", True, head=n, several=t.at(n) != "one")
    k = _determined(t, i)
    nouns = _nouns(t, k, definite=k > i, bare=bare)
    if nouns == k or "no" in t.texts[i:k]:
        return None
    owned = noun_phrase(t, nouns + 1) if t.at(nouns) == "'s" and t.at(nouns + 1) not in words.ARTICLES else None
    if owned is not None and owned.known:
        return Phrase(i, owned.end, f"{t.joined(i, nouns)}'s {owned.words}", True, head=owned.head, several=owned.several)
    end = _after(t, nouns)
    known = any(t.is_noun(n) for n in range(k, end))
    return Phrase(i, end, _cleaned(t.joined(i, end)), known, head=nouns - 1, several=_is_plural(t, nouns - 1, t.texts[i:k]))


def _rest(t: Tokens, i: int) -> int:
    """Returns the index after "the rest", "the other ones" and "another (one)"; i if a noun follows, or for other words."""
    if t.at(i) == "another":
        k = i + 1 + (t.at(i + 1) == "one")
    elif t.at(i) == "the" and t.at(i + 1) in ("rest", "others", "remainder"):
        k = i + 2
    elif t.at(i) == "the" and t.at(i + 1) in ("other", "remaining") and t.at(i + 2) in ("one", "ones"):
        k = i + 3
    elif t.at(i) == "the" and t.at(i + 1) == "other" and t.at(i + 2) in words.PLACES | words.MODALS | words.BE | {
            "goes", "belongs", "needs", "has", "wants"}:
        k = i + 2
    else:
        return i
    return i if _noun_follows(t, k) or t.at(k) == "of" else k


def _determined(t: Tokens, i: int) -> int:
    """Returns the index after articles, numbers and quantifiers: "all the", "two of the", "a pair of"."""
    k = i
    while t.at(k) in words.DETERMINERS or t.at(k).isdecimal() or (
            t.at(k) == "of" and k > i and t.at(k - 1) in words.QUANTIFIERS | words.NUMBERS | {"any", "some"}):
        k += 1
    return k


def _pronoun(t: Tokens, i: int) -> Phrase:
    """Returns "it", "both of them", "everything that is on the desk"."""
    end, word = i + 1, t.at(i)
    if word in ("every", "each"):
        end += t.at(end) == "one"
        return Phrase(i, end + 2, "all of them", True, head=i, several=True)
    if word in ("both", "all", "one", "some") and t.at(end) == "of" and t.at(end + 1) in words.OBJECT_PRONOUNS:
        end += 2
    elif word in ("it", "them") and t.at(end) in ("all", "both"):
        return Phrase(i, end + 1, word, True, head=i, several=word == "them")
    after = _after(t, end) if word in ("everything", "all") else end
    if after > end:
        return Phrase(i, after, _cleaned(t.joined(i, after)), True, head=i, several=True)
    said = {"both": "both of them", "him": "it", "her": "it", "some": "one"}.get(word, t.joined(i, end))
    return Phrase(i, end, said, True, head=i, several=word not in ("it", "this", "that", "him", "her", "one", "some"))


def _whatever(t: Tokens, i: int) -> Phrase | None:
    """Returns "whatever (fruit) is on the desk" as "everything (the fruit) on the desk"."""
    one = noun_phrase(t, i + 1) if t.is_noun(i + 1) else None
    k = one.end if one else i + 1
    k += t.at(k) in ("that",)
    if t.at(k) not in ("is", "'s", "are") or t.at(k + 1) not in words.PLACES or (t.at(i) == "what" and one is not None):
        return None
    place = noun_phrase(t, k + 2)
    what = f"the {one.words}" if one else "everything"
    return Phrase(i, place.end, f"{what} {t.at(k + 1)} {place.words}", place.known, head=k - 1, several=True) if place else None


def _cleaned(text: str) -> str:
    """Returns a phrase without what says nothing about the things: "the contents of the sink" is "everything in the sink"."""
    text = CONTENTS.sub("everything in ", text.replace(" what ", " that "))
    text = DOOR_OF.sub("the ", text).replace("exactly ", "").replace("precisely ", "").replace(" 's ", " is ")
    return " ".join(text.split())


def _is_plural(t: Tokens, head: int, said: list[str]) -> bool:
    number = [word for word in said if word in words.NUMBERS or word.isdecimal() or word in ("all", "both", "these", "those")]
    return bool(number and number[0] != "one") or (t.at(head).endswith("s") and not t.at(head).endswith("ss"))


def _noun_follows(t: Tokens, k: int) -> bool:
    word = t.at(k)
    if not word or t.is_stop(k) or word in words.PREPOSITIONS or word in words.PARTICLES:
        return word == "of" and t.at(k - 1) in ("some", "one", "all", "both") and t.at(k + 1) in words.ARTICLES
    adjective = word in words.STATES and t.is_noun(k + 1)  # one sliced apple
    return adjective or t.is_noun(k) or word in words.NUMBERS | words.ARTICLES | {"pair", "couple"} or (
        not t.is_known(k) and t.at(k - 1) not in ("it", "them", "everything"))


def _nouns(t: Tokens, k: int, *, definite: bool, bare: bool) -> int:
    """Returns the index after the adjectives and nouns that begin at k; k if there is no noun."""
    end, last = k, k
    while end < len(t):
        word = t.at(end)
        verb = word in FORMS_LIKE_NOUNS and end > k and last == end and _is_command(t, end)
        if (t.is_noun(end) or word in words.PEOPLE) and not verb:
            end += 1
            last = end
        elif word in words.STATES and word not in words.PARTICLES and (t.is_noun(end + 1) or last == k):
            if last > k:
                break
            end += 1
        elif last == end > k and word.isalpha() and not t.is_known(end) and t.is_misspelt(k, end + 1):
            end += 1  # the bathroom cabnet
            last = end
        elif not t.is_known(end) and word and not t.is_stop(end) and word[0].isalnum() and not (last > k):
            end += 1  # an adjective, or a noun that nothing here has
            if not t.is_noun(end) and (t.is_known(end) or end >= len(t) or t.is_stop(end)):
                last = end if definite or bare else last
        elif definite and last == k and t.verbs(end) and word not in words.STATES:
            end += 1  # the drink, the finished book
            last = end if not t.is_noun(end) else last
        else:
            break
    return last


def _is_command(t: Tokens, k: int) -> bool:
    """Returns True if a word that is a noun as well begins a command: watch the television."""
    following = t.at(k + 1)
    return following in words.ARTICLES or following in words.NUMBERS or following in words.OBJECT_PRONOUNS


def _after(t: Tokens, k: int) -> int:
    """Returns the index after what restricts a noun: "of milk", "that is on the desk", "lying on the desk", a number."""
    if t.at(k).isdecimal():
        k += 1
    if t.at(k) == "of" and (inner := noun_phrase(t, k + 1)) is not None:
        return inner.end
    relative = t.at(k) in ("that", "which") or (t.at(k) in ("what", "who") and t.at(k + 1) in words.BE)
    if relative or t.at(k) in LYING:
        n = k
        if t.at(n) in ("that", "which", "what", "who"):
            n += 1
            n += t.at(n) in words.BE
        while t.at(n) in LYING or t.at(n) in ("still", "now", "currently", "just", "always"):
            n += 1
        if n > k and t.at(n) in words.PLACES and (place := noun_phrase(t, n + 1)) is not None:
            return place.end
        if n > k and t.at(k) in ("that", "which") and t.at(n) in words.STATES and t.at(n - 1) in words.BE:
            return n + 1
    return k


def noun_list(t: Tokens, i: int, *, bare: bool = True, subject: bool = False) -> Phrase | None:
    """Returns the longest list of noun phrases that begins at a token.

    Args:
        t: the tokens.
        i: index of the first token.
        bare: True if an unknown word without an article may be a noun.
        subject: True if a verb may follow the list: the mug and the plate must be clean.
    """
    first = noun_phrase(t, i, bare=bare)
    if first is None:
        return None
    parts, end = [first.words], first.end
    known, joints = first.known, []
    while True:
        k = end
        comma = t.at(k) == ","
        k += comma
        joint = t.at(k) if t.at(k) in ("and", "or", "plus") else ""
        k += bool(joint)
        if joint and (t.at(k) in words.ORDER or t.at(k) in words.SOFT):
            break
        more = noun_phrase(t, k, bare=bool(joint)) if comma or joint or _no_stop(t, k) else None
        if more is None or (comma and not joint and not _continues(t, more)):
            break
        if _begins_clause(t, k, more) and not (subject and joint and not comma):
            break
        joints.append("or" if joint == "or" else "and")
        parts.append(more.words)
        known, end = known and more.known, more.end
    if joints:
        parts[0] = parts[0].removeprefix("both ")
    text = parts[0] + "".join(f" {joint} {part}" for joint, part in zip(joints, parts[1:], strict=True))
    return Phrase(first.start, end, text, known, head=first.head, several=first.several or "and" in joints)


def _no_stop(t: Tokens, k: int) -> bool:
    """Returns True if a list goes on without a comma: the wine glass the plate and the mug."""
    return t.at(k) in words.ARTICLES and t.at(k) not in ("that", "this", "some", "any", "no") and (
        one := noun_phrase(t, k)) is not None and one.known and (t.at(one.end) in ("and", "the") or one.end >= len(t)
                                                                 or t.at(one.end) in words.PLACES)


def _continues(t: Tokens, one: Phrase) -> bool:
    """Returns True if the phrase after a comma goes on with the list: it has a noun of a household and no verb of its own."""
    return one.known or t.at(one.end) in (",", "and", "or", "")


def _begins_clause(t: Tokens, k: int, one: Phrase) -> bool:
    """Returns True if the phrase is the subject of a clause, or a pronoun, or a verb that looks like a noun."""
    if t.at(k) in words.OBJECT_PRONOUNS and one.end == k + 1 and t.at(k) not in ("one",):
        return True
    strange = not t.is_known(k) and t.at(k).isalpha()
    if strange and t.at(k + 1) in words.ARTICLES - {"no"} | words.SPEAKER | {"it", "them"}:
        return True  # and feed the cat
    object_at = k + 1 + (t.at(k + 1) in words.PARTICLES)  # switch on the television
    if any(verb.form == "base" for verb in t.verbs(k)) and (not t.is_noun(k) or noun_phrase(t, object_at) is not None):
        return True
    n = one.end
    while t.at(n) in words.SOFT:
        n += 1
    finite = any(verb.form == "s" for verb in t.verbs(n)) and not t.is_noun(n)
    return finite or t.at(n) in words.BE | words.MODALS | words.HAVE | words.DO or t.at(n) in (
        "needs", "need", "goes", "go", "belongs", "belong", "wants")


def place_phrase(t: Tokens, i: int, *, several: bool = False) -> Phrase | None:
    """Returns the phrase of a preposition and what follows it; None if there is none.

    Args:
        t: the tokens.
        i: index of the preposition.
        several: True if a list of places may follow.
    """
    word = t.at(i)
    if word not in words.PREPOSITIONS:
        return None
    k = i + 1
    if word in ("on", "onto", "from", "in") and t.at(k) in words.PLACES and noun_phrase(t, k) is None:
        word, k = f"{word} {t.at(k)}", k + 1  # from in the fridge
    if t.at(k) == "top" and t.at(k + 1) == "of":
        k += 2
    one = noun_list(t, k) if several else noun_phrase(t, k)
    if one is None or (word == "to" and not one.known and t.at(k) not in words.DETERMINERS
                       and t.at(one.head) not in words.PEOPLE):
        return None
    end, text = one.end, one.words
    while t.at(end) == "or" and (other := noun_phrase(t, end + 1 + (t.at(end + 1) in words.PLACES))) is not None \
            and t.at(end + 1) not in words.SUBJECTS:
        end, text = other.end, f"{text} or {other.words}"
    return Phrase(i, end, text, one.known, word.replace("_", " "), one.head, one.several)
