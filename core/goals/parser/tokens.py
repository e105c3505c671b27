"""The words of a task as typed, in their usual spelling, with what each may be: a noun of a household, a verb, a stop."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from core.common.errors import GoalError
from core.goals.parser import word_classes as words
from core.goals.parser.verb_lexicon import VERB_FORMS, Verb
from core.goals.vocabulary import Lexicon

MOST_CHARACTERS = 600
"""The maximum length of a task in words."""
SHORT = {"wanna": "want to", "gonna": "going to", "gotta": "have to", "lemme": "let me", "gimme": "give me", "plz": "please",
         "ya": "you", "u": "you", "pls": "please", "plse": "please", "im": "i 'm", "id": "i 'd", "ive": "i 've", "ill": "i 'll",
         "cuz": "because", "cos": "because", "cause": "because", "coz": "because", "bc": "because", "bcs": "because",
         "becuz": "because", "ur": "your",
         "yr": "your", "r": "are", "whats": "what 's", "wheres": "where 's",
         "teh": "the", "hte": "the", "adn": "and", "nad": "and", "wiht": "with",
         "plaese": "please", "pleas": "please", "plese": "please", "pelase": "please", "pleease": "please", "thx": "thanks",
         "tyvm": "thanks", "thnx": "thanks", "tnx": "thanks", "ty": "thanks", "theyre": "they 're", "youre": "you 're",
         "theres": "there 's", "shes": "she 's", "hes": "he 's", "lets": "let 's", "thats": "that 's", "weve": "we 've",
         "youve": "you 've", "b4": "before", "n": "and", "w": "with", "da": "the", "nd": "and", "coud": "could",
         "shud": "should",
         "cud": "could", "wud": "would", "wld": "would", "cld": "could", "tho": "though", "rly": "really", "abt": "about",
         "em": "them", "'em": "them", "putt": "put", "swich": "switch", "swtich": "switch", "cn": "can", "yu": "you",
         "yuo": "you", "hav": "have", "giv": "give", "ther": "there", "dunno": "do n't know", "til": "until", "wont": "wo n't",
         "cant": "ca n't", "dont": "do n't", "whilst": "while", "mustnt": "must n't", "shouldnt": "should n't", "+": "and",
         "&": "and", "doesnt": "does n't", "didnt": "did n't", "isnt": "is n't", "arent": "are n't", "couldnt": "could n't",
         "wouldnt": "would n't", "havent": "have n't", "hasnt": "has n't", "upto": "up to", "alot": "a lot",
         "cannot": "can not",
         "pliz": "please", "thankyou": "thanks", "neednt": "need n't", "thru": "through", "rn": "right now", "whoever": "who"}
"""Short and swallowed spellings -> the usual ones."""
WORD = re.compile(r"\d+[.)](?=\s+[a-z])|[^\W_]+(?:[-_'][^\W_]+)*'?|'em\b|[-=]+>|→|[,;.!?:…]+|[-–—]+|[+&]|\S")
IN_OR_ON = re.compile(r"\b(?:in(?:side)? ?/ ?on|on ?/ ?in(?:side)?|in or on|on or in)\b(?= )")
"""On a surface, in a container: as the tasks of other benchmarks say it."""
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " \
         "eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
UNITS = {word: number for number, word in enumerate(_UNITS.split())}
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}
LEAST_IN_DIGITS = 13
"""Number words from here on, and zero, become digits."""
NUMBERED = re.compile(r"\b(?:number|no\.|nr\.?)\s*(?=\d)|#\s*(?=\d)")
"""Before the number of one of several: drawer number 2, drawer #2."""
STEP = re.compile(r"\(([1-9]\d?)\) |\bstep ([1-9]\d?)[:.)] ")
"""Before the steps of a list."""
HESITATION = re.compile(r"u+h*m+|u+h+|e+r+m*|h+m+|m+h*m+")
INTERJECTION = re.compile(r"u+g+h*|a+r*g+h+|o+h+|a+h+|e+w+|p+f+t*|w+o+w+|y+a+y+|s+h+|t+s+k+|a+w+|o+w+")
PARTED = re.compile(r"(.+?)(n't|'s|'re|'ve|'ll|'d|'m|s')$")
STOPS = ",;.!?:…-–—"


@dataclass(frozen=True, slots=True)
class Token:
    """One word, or several that are read as one.

    Attributes:
        text: in lower case and the usual spelling, the words of one name joined by underscores.
        start: where it begins in the typed task.
        end: where it ends.
    """

    text: str
    start: int
    end: int


class Tokens:
    """The tokens of a task, with what each may be.

    Attributes:
        typed: the task as typed.
        texts: the text of each token, then an empty text.
        asked: index -> what `core.goals.parser.clauses` found there.
        rooms: the names of rooms here.
        kinds: the kinds of which something exists here.
    """

    def __init__(self, typed: str, tokens: list[Token], lexicon: Lexicon):
        self.typed, self.tokens, self._lexicon = typed, tokens, lexicon
        self.texts = [*(token.text for token in tokens), ""]
        self._nouns: dict[str, bool] = {}
        self.asked: dict[int, list[Any]] = {}
        self.rooms, self.kinds = frozenset(lexicon.rooms), lexicon.kinds_here

    def __len__(self) -> int:
        return len(self.tokens)

    def at(self, i: int) -> str:
        """Returns the text at an index; empty beyond the ends."""
        return self.texts[i] if 0 <= i < len(self.tokens) else ""

    def joined(self, start: int, end: int) -> str:
        """Returns the texts of a range."""
        return " ".join(self.texts[start:end])

    def said(self, start: int, end: int) -> str:
        """Returns a range as it was typed, in lower case."""
        return " ".join(self.typed[self.tokens[start].start:self.tokens[end - 1].end].lower().split())

    def is_room(self, i: int) -> bool:
        """Returns True for the name of a room here."""
        return self.at(i).replace("_", " ") in self.rooms

    def is_fixed(self, start: int, end: int) -> bool:
        """Returns True if words name furniture or a room to which things can be brought, and nothing that can be carried."""
        named = [self.texts[k].replace("_", " ") for k in range(start, end) if self.is_noun(k)]
        if not named or not self._lexicon.is_here(named[-1]):
            return bool(named) and self.is_room(end - 1)
        classes = self._lexicon.classes_of("|".join(self._lexicon.senses(named[-1])))
        return bool(classes) and not classes & self._lexicon.movable and any(map(self._lexicon.holds_things, classes))

    def is_stop(self, i: int) -> bool:
        """Returns True for punctuation."""
        return self.at(i)[:1] in STOPS if self.at(i) else False

    def is_noun(self, i: int) -> bool:
        """Returns True for the name of an object, a kind or a room of a household."""
        word = self.at(i)
        verbs, before = self.verbs(i), self.at(i - 1)
        if before == "n't" or (before in words.BE and any(verb.form == "ing" for verb in verbs)):
            return False  # I can't bear the noise; the book I was reading
        if verbs and (before in _BEFORE_VERB or (before == "to" and verbs[0].form == "base")):
            return False
        if word not in self._nouns:
            known = word in words.ALWAYS_NOUNS or (word.removesuffix("s") in words.ALWAYS_NOUNS and len(word) > 3)
            closed = word in _CLOSED
            self._nouns[word] = bool(word) and not closed and (known or self._lexicon.mentions(word))
        return self._nouns[word]

    def verbs(self, i: int) -> tuple[Verb, ...]:
        """Returns the verb forms that a word may be."""
        return VERB_FORMS.get(self.at(i), ())

    def is_known(self, i: int) -> bool:
        """Returns True for a word of a known class."""
        return self.at(i) in _CLOSED or self.is_noun(i) or bool(self.verbs(i)) or self.at(i) in words.STATES

    def is_capital(self, i: int) -> bool:
        """Returns True for a word that was typed with a capital in a task that was not typed in capitals throughout."""
        return 0 <= i < len(self) and self.typed[self.tokens[i].start].isupper() and not self.typed.isupper()

    def is_misspelt(self, start: int, end: int) -> bool:
        """Returns True if words are the name of something here with a typing fault."""
        return bool(self._lexicon.corrected(self.joined(start, end)))

    @cached_property
    def plain(self) -> str:
        """The task as the readers of clauses see it."""
        return " ".join(self.texts[:-1]).replace("_", " ")


_BEFORE_VERB = words.word_set("i he she we they you n't") | words.MODALS
"""Words after which a noun that is a verb as well is the verb."""
_SPOKEN_STOPS = {"full_stop": ".", "question_mark": "?", "exclamation_mark": "!", "new_line": ".", "as_well_as": "and"}
_CLOSED = frozenset().union(
    words.ARTICLES, words.QUANTIFIERS, words.NUMBERS, words.SUBJECTS, words.SPEAKER, words.BE, words.HAVE, words.DO,
    words.MODALS, words.NEGATIONS, words.QUESTION_WORDS, words.COORDINATORS, words.REASONS, words.CONDITIONS,
    words.EXCEPTIONS, words.TIME_RELATIONS, words.PREPOSITIONS, words.PARTICLES, words.GREETINGS, words.SOFT,
    words.OBJECT_PRONOUNS, words.REPAIRS) | {"here", "more", "less"}


def tokenized(text: str, lexicon: Lexicon) -> Tokens:
    """Returns the tokens of a task.

    Raises:
        GoalError: it is too long.
    """
    if len(text) > MOST_CHARACTERS:
        raise GoalError(f"the task is longer than {MOST_CHARACTERS} characters: say it in fewer words")
    parts = [part for found in WORD.finditer(_folded(text)) for part in _spelled(found)]
    parts = _counted(parts)
    parts = [one for k, one in enumerate(parts) if not (k and one.text == parts[k - 1].text and one.text.isalpha())]
    return _with_its(Tokens(text, _joined(parts, lexicon), lexicon), lexicon)


def _counted(parts: list[Token]) -> list[Token]:
    """Returns the tokens with each number in words, up to a hundred, as one in digits: twenty-one, two dozen, a hundred."""
    done: list[Token] = []
    k = 0
    while k < len(parts):
        number, size = _number_at([part.text for part in parts[k:k + 4]])
        if size:
            done.append(Token(str(number), parts[k].start, parts[k + size - 1].end))
        done += [] if size else [parts[k]]
        k += size or 1
    return done


def _number_at(said: list[str]) -> tuple[int, int]:
    """Returns the number that words begin with and how many words it takes; (0, 0) if they stay as they are."""
    first, second = [*said, ""][0], [*said, "", ""][1]
    many = {"dozen": 12, "hundred": 100}
    if said[:3] == ["half", "a", "dozen"]:
        return 6, 3
    dozen = (first, second) in (("a", "dozen"), ("one", "dozen"))
    if second in many and (first in UNITS or first in ("a", "an")) and not dozen:
        return UNITS.get(first, 1) * many[second], 2
    if first in TENS:
        unit = UNITS.get(second, 0) if UNITS.get(second, 10) < 10 else 0
        return TENS[first] + unit, 1 + bool(unit)
    tens, hyphen, unit_word = first.partition("-")
    if hyphen and tens in TENS and unit_word in UNITS:
        return TENS[tens] + UNITS[unit_word], 1
    number = UNITS.get(first, 1)
    return (number, 1) if number == 0 or number >= LEAST_IN_DIGITS else (0, 0)


def _with_its(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Returns the tokens with "its" as "it 's" where no noun follows: its too dark."""
    done: list[Token] = []
    for k, token in enumerate(t.tokens):
        has_noun = t.is_noun(k + 1) or (t.is_noun(k + 2) and t.at(k + 1) not in _CLOSED)
        if token.text == "of" and t.at(k - 1) in ("turn", "switch"):
            token = replace(token, text="off")
        if token.text == "like" and t.at(k - 1) in ("you", "and", "to", "just") and VERB_FORMS.get(t.at(k + 1)):
            continue  # can you like go
        wrong = token.text == "its" and not has_noun and not (not t.is_known(k + 1) and t.is_stop(k + 2))
        done += [replace(token, text="it"), replace(token, text="'s")] if wrong else [token]
    return Tokens(t.typed, done, lexicon)


def _folded(text: str) -> str:
    """Returns the text in lower case with plain apostrophes and one preposition for "in/on", of the same length."""
    folded = "".join(low if len(low := unicodedata.normalize("NFKC", c).lower()) == 1 else c for c in text)
    folded = IN_OR_ON.sub(lambda found: "at".ljust(len(found[0])), folded)
    folded = STEP.sub(lambda found: f"{found[1] or found[2]}. ".rjust(len(found[0])), folded)
    folded = NUMBERED.sub(lambda found: " " * len(found[0]), folded)
    return folded.translate({ord("’"): "'", ord("‘"): "'", ord("“"): " ", ord("”"): " ", ord('"'): " ", ord("("): ",",
                             ord(")"): ","})


def _spelled(found: re.Match[str]) -> Iterator[Token]:
    """Yields the parts of a word in their usual spelling: don't is do, n't."""
    word = re.sub(r"([^\W\d])\1{2,}", r"\1", found[0])
    if re.fullmatch(r"\d+[.)]", word):
        word = "," if found.start() == 0 else "then"
    elif re.fullmatch(r"[-=]+>|→", word):
        word = "to"
    elif HESITATION.fullmatch(word):
        return
    elif INTERJECTION.fullmatch(word):
        word = "oh"
    parted = PARTED.fullmatch(SHORT.get(word, word))
    said = SHORT.get(word) or (f"{parted[1]} {parted[2]}" if parted and parted[2] != "s'" else word)
    for part in said.split():
        yield Token(part, found.start(), found.end())


_PHRASES = (*words.PHRASES, *(stop.replace("_", " ") for stop in _SPOKEN_STOPS))
_SET_PHRASES = {phrase: phrase.replace(" ", "_") for phrase in _PHRASES}
_SET_PATTERN = re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, _PHRASES))})(?!\S)")


def _joined(parts: list[Token], lexicon: Lexicon) -> list[Token]:
    """Returns the tokens with the words of each name and of each set phrase as one."""
    line = " ".join(part.text for part in parts)
    line = _SET_PATTERN.sub(lambda found: _SET_PHRASES[found[0]], lexicon.join_names(line))
    done: list[Token] = []
    begin = 0
    for text in line.split(" ") if line else ():
        size = len(text)
        end, length = begin, -1
        while end < len(parts) and length < size:
            length += 1 + len(parts[end].text)
            end += 1
        text = _SPOKEN_STOPS.get(text, text)
        done.append(Token(text, parts[begin].start, parts[end - 1].end))
        begin = end
    return done
