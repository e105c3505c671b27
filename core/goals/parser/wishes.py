"""Finds wishes and states: I want the lamp off, the milk belongs in the fridge, a plate on the table would be nice, lights out.

wish  := subject wants phrase [to be] (state | place | participle); may I have phrase; the goal is phrase (state | place)
state := phrase must (be | stay | go) (state | place | participle); phrase belongs place; phrase needs washing
brief := phrase (state | place)
"""

from __future__ import annotations

from collections.abc import Iterator

from core.goals.parser import word_classes as words
from core.goals.parser.commands import INTO, LIGHT_NOUNS, OUT, verb_at
from core.goals.parser.edges import AGENTS, ASKERS, MOST_ASKING, Edge, ends_clause, soft
from core.goals.parser.phrases import Phrase, noun_list, noun_phrase, place_phrase
from core.goals.parser.predicates import Predicates, predicate, predicates
from core.goals.parser.tokens import Tokens

HOPES = words.word_set("chance appreciate possibility wish like love ask")
HAVING = words.word_set("have get borrow see take use")


def wish_head(t: Tokens, i: int) -> tuple[int, bool] | None:
    """Returns the index after the words of wishing, and whether a whole clause follows; None if nothing is wished."""
    k = soft(t, i + 2) if t.at(i) in words.REQUESTS and t.at(i + 1) == "you" else i
    if t.at(k) in words.ENSURE:
        k = soft(t, k + 1)
        return k + (t.at(k) == "that"), True
    hoped = _hoped(t, i)
    if hoped is not None:
        return hoped
    thing = _had(t, soft(t, i))
    return (thing, False) if thing else _wanted(t, i)


def _had(t: Tokens, k: int) -> int:
    """Returns the index after "may I have", "what about", "there must be", "have" and "you have"; 0 if it is none of these."""
    if t.at(k) in ("can", "could", "may", "might", "shall") and t.at(k + 1) in ("i", "we"):
        k = soft(t, k + 2)
        return k + 1 + (t.at(k + 1) in words.SPEAKER) if t.at(k) in HAVING else 0
    if (t.at(k) == "let" and t.at(k + 1) in words.SPEAKER and t.at(k + 2) in HAVING) or (
            t.at(k) == "there" and t.at(k + 1) in words.DUTY and t.at(k + 2) == "be"):
        return k + 3
    if t.at(k) in ("what", "how") and t.at(k + 1) == "about":
        return k + 2
    if t.at(k) in ("have", "get"):
        one = noun_phrase(t, k + 1)
        made = one is not None and (t.at(one.end) in words.STATES | {"ready"} or any(v.form == "ed" for v in t.verbs(one.end)))
        return k + 1 if made and one is not None and t.at(one.head) not in LIGHT_NOUNS else 0  # have a seat on the sofa
    thing = noun_list(t, k + 2) if t.at(k) == "you" and t.at(k + 1) in words.HAVE | {"got"} else None
    after = soft(t, thing.end) if thing is not None else 0
    for_me = thing is not None and (t.joined(after, after + 2) in ("for me", "for us") or "for_me" in t.texts[thing.end:after])
    return k + 2 if for_me else 0


def _wisher(t: Tokens, i: int) -> int:
    """Returns the index after who wishes: I, my mother, Mrs Jones, or nobody in "would love"; -1 if nobody wishes."""
    k = soft(t, i)
    if t.at(k) in ("want", "need", "fancy") or (t.at(k) in ("would", "'d") and t.at(k + 1) in ("love", "like")):
        return k if k == i else -1
    if (t.at(k) in ("my", "our", "the") and t.at(k + 1) in words.PEOPLE) or t.at(k) in ("mr", "mrs", "ms", "miss"):
        return k + 2
    named = not t.is_known(k) and t.at(k + 1) in ("needs", "wants", "wanted") and t.at(k)[:1].isalpha()
    person = named or t.at(k) in words.PEOPLE or t.at(k - 1) in words.PEOPLE
    return k + 1 if person or t.at(k) in ("i", "we", "he", "she", "they") else -1


def _wanted(t: Tokens, i: int) -> tuple[int, bool] | None:
    """Returns what `wish_head` does for "I would like"."""
    k = _wisher(t, i)
    if k < 0:
        return None
    start = k
    while (t.at(k) in BEFORE_WANTS or t.at(k) in words.SOFT) and t.joined(k, k + 2) != "do with":
        k += 1
    said = t.texts[start:k]
    if t.at(k) in ("like", "likes", "love", "loves", "prefer") and not {"'d", "would", "should"} & set(said):
        return None  # we like it cold
    does_with = t.at(k - 1) == "could" and t.joined(k, k + 2) == "do with"
    has = bool({"'ll", "will", "rather"} & set(said)) and t.at(start - 1) != "we" and t.at(k) in ("have", "take")
    if t.at(k) not in words.WANTS and not does_with and not has:
        return None
    k = soft(t, k + 1 + does_with)
    k += 2 * (t.at(k) == "to" and t.at(k + 1) in HAVING)
    if t.at(k) == "it" and t.at(k + 1) == "if":
        return k + 2, True
    return k + (t.at(k) == "that"), t.at(k) == "that"


BEFORE_WANTS = words.word_set("be 'd would should really also do am 'm will 'll are could just rather")
"""Between a subject and its verb of wishing."""


def _more_wished(t: Tokens, k: int) -> Predicates | None:
    """Returns what else is wished after "and": make sure the lamp is off and (that) the fridge is closed."""
    k += t.at(k) == ","
    if t.at(k) != "and":
        return None
    k += 1 + (t.at(k + 1) == "that")
    subject = noun_list(t, k, subject=True)
    if subject is None or t.at(subject.end) not in words.BE or verb_at(t, k) is not None:
        return None
    return predicates(t, subject, subject.end, wished=True)


GOAL_IS = words.word_set("is are : = that has have includes")
GOAL_WORDS = words.word_set(
    "goal goals target aim objective mission task state final desired end required wanted configuration situation "
    "arrangement layout condition intended")


def _hoped(t: Tokens, i: int) -> tuple[int, bool] | None:
    """Returns what `wish_head` does for impersonal wishes: it would be good if, any chance of, the desired state is."""
    if t.at(i) == "all" and t.at(i + 1) in ("i", "we") and t.at(i + 2) in words.WANTS:  # all I need is
        k = soft(t, i + 3)
        return (k + 1, False) if t.at(k) in ("is", "'s") else None
    k, welcome = i, False
    goal = t.at(i + (t.at(i) in words.ARTICLES)) in GOAL_WORDS
    while k < len(t) and k - i < MOST_ASKING:
        word = t.at(k)
        if t.is_noun(k) or word in words.NEGATIONS or word in ASKERS - {"robot"} or word in words.CONDITIONS - {"if"}:
            return None
        if goal and (word in GOAL_IS or (word == "be" and t.at(k - 1) in words.DUTY)):
            k += 1 + (t.at(k + 1) in ("that", "to")) + (t.joined(k + 1, k + 3) == "to have")
            return (k, t.at(k - 1) == "that") if noun_phrase(t, k) is not None and t.at(k) != "to" else None
        if t.is_stop(k):
            return None
        if welcome and word in ("i", "we") and t.at(k + 1) in words.MODALS and t.at(k + 2) in HAVING:
            return k + 3, False  # is there any chance I could have
        welcome = welcome or word in words.WELCOME | HOPES
        hinge = _hope_hinge(t, k, welcome=welcome)
        if hinge is not None:
            return k + 1, hinge
        k += 1
    return None


def _hope_hinge(t: Tokens, k: int, *, welcome: bool) -> bool | None:
    """Returns whether a whole clause of what is wished follows; None if the word does not lead to it."""
    word, before = t.at(k), t.at(k - 1)
    clause = (word == "that" and before == "such") or (welcome and word in ("if", "that"))
    if clause and noun_phrase(t, k + 1) is not None:
        return True
    asked = before == "you" and t.at(k - 2) in ("trouble", "bother", "ask")
    if word == "for" and (asked or (welcome and before in words.WELCOME)):
        return False
    having = (word == "of" and before in ("chance", "possibility")) or (word == "have" and before == "to")
    return False if welcome and having and verb_at(t, k + 1, "ing") is None else None


def wished(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields a wish for a thing, for where it is, or for its state."""
    head = wish_head(t, i)
    if head is None:
        return
    k, whole = soft(t, head[0]), head[1]
    if (free := _freed(t, k)) is not None:
        yield Edge(i, free[0], "wish", 1.0, (free[1],))
        return
    if t.at(k) in AGENTS or t.at(k) == "to" or t.at(k) in words.NEGATIONS:
        return
    subject = noun_list(t, k, subject=whole)
    if subject is None:
        return
    said = False
    for place in _places_after(t, subject):  # the lamp in the kitchen; the lamp in the kitchen off
        if (found := predicates(t, place, place.end, wished=True)) is None:
            continue
        said, (end, clauses, skipped) = True, _with_on_it(t, place, found)
        while (more := _more_wished(t, end)) is not None:
            end, clauses, skipped = more[0], clauses + more[1], skipped + more[2]
        yield Edge(i, end, "wish", 1.0, clauses, skipped, shape=_wish_shape(clauses, subject))
    if not said and not whole and t.at(subject.end) not in words.BE:
        yield _wished_thing(t, i, subject)


def _wish_shape(clauses: tuple[str, ...], subject: Phrase | None) -> str:
    """Returns the last clause with "{}" for its subject: "and the lights too" goes on with it."""
    shape = clauses[-1].replace(f" {subject.words}", " {}", 1) if clauses and subject is not None else ""
    return shape if "{}" in shape else ""


def _wished_thing(t: Tokens, i: int, subject: Phrase) -> Edge:
    """Returns the wish for a thing, with the places after it: a plate on the table for the guests."""
    end, said, to_me = subject.end, subject.words, True
    skipped: list[tuple[int, int]] = []
    while t.at(end) in words.PREPOSITIONS or t.at(end) in words.SOFT:
        place = place_phrase(t, end)
        after = end + 1 if t.at(end) in words.SOFT else place.end if place is not None else end
        if place is None and t.at(end) in ("for", "to", "with") and t.at(end + 1) in words.SPEAKER | {"him", "her", "them"}:
            after = end + 2
            skipped.append((end, after))
        if after == end:
            break
        if place is not None and place.preposition in ("for", "with") and (
                not place.known or t.at(place.head) in words.PEOPLE | words.TIMES):
            skipped.append((end, after))
        elif place is not None:
            said, to_me = f"{said} {place.said}", to_me and place.preposition not in INTO
        end = after
    return Edge(i, end, "wish", 1.0, (f"bring {said} to me" if to_me else f"put {said}",), tuple(skipped))


REMAINS = words.word_set("may can left remains remain stays stay lying standing")
"""Before the place of what must not be there."""


def _freed(t: Tokens, k: int) -> tuple[int, str] | None:
    """Returns the end and the command of "no food (is) on the bed", "0 apples may be there", "nothing remains in the sink"."""
    if t.at(k) == "there":
        k += 1
        while t.at(k) in words.BE | words.DUTY | {"be"}:
            k += 1
    counted = t.at(k) in ("no", "0")
    if not counted and t.at(k) not in ("nothing", "none"):
        return None
    one = noun_list(t, k + 1) if counted else None
    if counted and (one is None or not one.known):
        return None
    n = one.end if one is not None else k + 1
    while t.at(n) in words.BE | words.SOFT | words.DUTY | REMAINS:
        n += 1
    place = place_phrase(t, n) if t.at(n) in ("on", "in", "inside") else None
    if place is None:
        return None
    return place.end, f"empty {place.words}" if one is None else f"take every {one.words} off {place.words}"


def stated(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields how or where a thing must be: the fridge should be closed, the milk belongs there, the mug needs washing."""
    if (free := _freed(t, i)) is not None and ends_clause(t, soft(t, free[0])) and t.at(free[0]) != "?":
        yield Edge(i, free[0], "wish", 1.0, (free[1],))
        return
    if t.at(i) in words.SUBJECTS and t.at(i) not in ("it", "they", "this", "that", "these", "those", "there"):
        return
    things = {"it", "they", "this", "that", "these", "those"}
    asks = t.at(i) in ("can", "could", "may") and t.at(i + 1) not in words.SUBJECTS - things
    i += asks
    subject = noun_list(t, i, subject=True)
    if subject is None or (not subject.known and t.at(i) not in words.OBJECT_PRONOUNS | {"they"}):
        if t.at(i) == "they":
            subject = Phrase(i, i + 1, "them", True, head=i, several=True)
        else:
            return
    for place in _places_after(t, subject):
        except_end, left_out = _left_out(t, place)
        found = predicates(t, place, except_end, wished=False, duty=asks)
        if found is not None:
            end, clauses, skipped = _with_on_it(t, place, found)
            clauses = tuple(f"{one} {words.EXCEPT} {left_out}" for one in clauses) if left_out else clauses
            never = clauses and clauses[0].startswith("!")
            clauses = tuple(one.removeprefix("!") for one in clauses)
            yield Edge(i - asks, end, "never" if never else "wish", 1.0, clauses, skipped, shape=_wish_shape(clauses, subject))
            return


def _left_out(t: Tokens, subject: Phrase) -> tuple[int, str]:
    """Returns the index after "except the desk lamp" and the phrase; (the end of the subject, "") if nothing is left out."""
    k = subject.end
    k += t.at(k) == "," and t.at(k + 1) in words.EXCEPTIONS
    but = t.at(k) == "but" and subject.words.split()[0] in ("all", "every", "each", "everything")
    one = noun_list(t, k + 1) if but or t.at(k) in words.EXCEPTIONS else None
    if one is None or not one.known:
        return subject.end, ""
    return one.end + (t.at(one.end) == "," and not but), one.words


def _with_on_it(t: Tokens, subject: Phrase, found: Predicates) -> Predicates:
    """Returns the predicates with "with the potato on it" after them as one more clause."""
    end, clauses, skipped = found
    k = end + (t.at(end) == ",")
    if t.at(k) != "with" or (thing := noun_list(t, k + 1)) is None or not thing.known:
        return found
    if t.at(thing.end) not in ("on", "in", "inside") or t.at(thing.end + 1) not in ("it", "them"):
        return found
    head = subject.words.split(" from ")[0]
    return thing.end + 2, (*clauses, f"put {thing.words} {t.at(thing.end)} {head}"), skipped


def _places_after(t: Tokens, subject: Phrase) -> Iterator[Phrase]:
    """Yields a subject, and the subject with the places after it: the mug on the desk."""
    yield subject
    place = place_phrase(t, subject.end) if t.at(subject.end) in words.PLACES else None
    if place is not None:
        yield Phrase(subject.start, place.end, f"{subject.words} {place.said}", subject.known, head=subject.head,
                     several=subject.several)


def brief(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields what a phrase with a place or a state asks for without a verb: two plates on the table; lights out."""
    subject = noun_list(t, i)
    pronoun = subject is not None and t.at(i) in words.OBJECT_PRONOUNS - {"everything", "both", "all"} and subject.end == i + 1
    if subject is None or pronoun or not subject.known or subject.words in ("it", "them", "this", "that"):
        return
    k = _before_place(t, soft(t, subject.end))
    if (welcome := _is_welcome(t, k)) > k:
        yield Edge(i, welcome, "wish", 1.0, (f"bring {subject.words} to me",))
        return
    asked = soft(t, k + 1) if t.at(k) == "," else k  # a glass of milk, please
    if i == 0 and t.at(asked - 1) == "please" and asked >= len(t):
        k = asked
        yield Edge(i, k, "wish", 1.2, (f"bring {subject.words} to me",))
        return
    found = _placed(t, subject, k) or _in_state(t, subject, k)
    if found is None:
        return
    end, text = soft(t, found[0]), found[1]
    if t.at(subject.head) in words.GENERIC and t.at(end) in ("?", ":"):
        return  # the thing on the table? two things from the fridge: what they are is said before or after
    more = _with_on_it(t, subject, (end, (text,), ()))
    if more[0] > end and ends_clause(t, more[0]):
        yield Edge(i, more[0], "brief", 1.5, more[1])
    if (welcome := _is_welcome(t, end)) > end:
        text = f"bring {text.removeprefix('take ')} to me" if text.startswith("take ") else text
        yield Edge(i, welcome, "wish", 1.0, (text,))
        return
    stop = _for_somebody(t, end)
    skipped = ((end, stop),) if stop > end else ()
    runs_on = t.at(stop) in ("it", "i", "we", "he", "she", "they") and t.at(stop + 1) in words.BE | words.HAVE
    if ends_clause(t, stop) or t.at(stop) == "where" or runs_on:
        yield Edge(i, stop, "brief", 1.5, (text,), skipped, shape=text.replace(subject.words, "{}", 1))


def _placed(t: Tokens, subject: Phrase, k: int) -> tuple[int, str] | None:
    """Returns the end and the command of a phrase and its places: toys off the bed; the mug from the desk in the sink."""
    place = place_phrase(t, k) if t.at(k) in words.PLACES else None
    if place is None or place.preposition not in INTO | OUT:
        return None
    verb = "put" if place.preposition in INTO else "take"
    also = t.at(place.end) == "and" and verb == "take"
    after = _before_place(t, place.end + also)
    more = place_phrase(t, after) if t.at(after) in words.PLACES else None
    if more is None:
        return place.end, f"{verb} {subject.words} {place.said}"
    if more.preposition in INTO and verb == "take":
        return more.end, f"put {subject.words} from {place.words} {more.said}"
    return more.end, f"{verb} {subject.words} {place.said} {more.said}"


def _before_place(t: Tokens, k: int) -> int:
    """Returns the index after "back" before a place: the milk back in the fridge."""
    return k + (t.at(k) == "back" and t.at(k + 1) in words.PLACES)


def _in_state(t: Tokens, subject: Phrase, k: int) -> tuple[int, str] | None:
    """Returns the end and the command of a phrase and its state: lights out in the kitchen; carrots sliced."""
    changed = any(verb.form == "ed" and verb.frame == "change" for verb in t.verbs(k))
    found = predicate(t, subject, k, bare=True, never=False) if t.at(k) in words.STATES or changed else None
    if found is None:
        return None
    more = place_phrase(t, found[0]) if t.at(found[0]) in ("in", "of") else None
    return (more.end, f"{found[1][0]} {more.said}") if more is not None else (found[0], found[1][0])


def _for_somebody(t: Tokens, k: int) -> int:
    """Returns the index after "for the kids" and "for me"; k if nobody is named."""
    if t.at(k) != "for":
        return k
    whom = place_phrase(t, k)
    if whom is None:
        return k + 2 if t.at(k + 1) in ("me", "us", "him", "her", "them") else k
    return whom.end if not whom.known or t.at(whom.head) in words.PEOPLE | words.TIMES else k


def _is_welcome(t: Tokens, k: int) -> int:
    """Returns the index after "would be lovely"; k if these words are not there."""
    n = k + 1
    if t.at(k) not in ("would", "'d", "will") or t.at(n) != "be":
        return k
    while t.at(n + 1) in words.SOFT | {"so", "most", "absolutely", "a", "much"}:
        n += 1
    praised = not t.is_known(n + 1) and t.at(n + 1).isalpha() and (n + 2 >= len(t) or t.is_stop(n + 2))  # would be grand
    return n + 2 if praised or t.at(n + 1) in words.WELCOME | {"help"} else k
