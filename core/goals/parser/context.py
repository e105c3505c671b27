"""What one reading of a sentence knows: the words of the world, and the meanings chosen for words that have several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from core.common.errors import GoalError
from core.goals.literals import Literal
from core.goals.vocabulary import Lexicon

Usual = Callable[[str], tuple[str, ...]]
"""Class of an object -> classes of furniture where it usually is, likeliest first."""
MOST_MEANINGS = 5
"""The maximum number of meanings of a word that are offered."""
Meaning = TypeVar("Meaning")


def nowhere(cls: str) -> tuple[str, ...]:
    """Returns no places: nothing is known about where objects usually are."""
    del cls
    return ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A word with more than one meaning, and the one that was taken.

    Attributes:
        words: the words of the sentence.
        taken: the meaning taken, in words.
        others: (number, words) of the other meanings.
    """

    words: str
    taken: str
    others: tuple[tuple[int, str], ...]


@dataclass
class Context:
    """One reading.

    Attributes:
        lexicon: the words of the world.
        sentence: the sentence in lower case.
        usual: where objects usually are.
        decided: words -> number of the meaning to take; of other words the first, the likeliest.
        choices: the words with several meanings, in the order in which they were read.
        then: True while a clause is read that comes after those before it.
        so_far: the literals of the clauses before the one that is read.
        background: (start, end) in the typed task of words that are no part of it, such as reasons.
    """

    lexicon: Lexicon
    sentence: str = ""
    usual: Usual = nowhere
    decided: Mapping[str, int] = field(default_factory=dict)
    choices: dict[str, Choice] = field(default_factory=dict)
    then: bool = False
    so_far: list[Literal] = field(default_factory=list)
    background: list[tuple[int, int]] = field(default_factory=list)

    def choose(self, words: str, meanings: Sequence[tuple[str, Meaning]]) -> Meaning:
        """Returns the decided or likeliest meaning of words.

        Args:
            words: the words of the sentence.
            meanings: (in words, value), likeliest first; a single one is worth telling as well.
        """
        meanings = meanings[:MOST_MEANINGS]
        words = words.replace("_", " ")
        taken = min(self.decided.get(words, 0), len(meanings) - 1)
        others = tuple((k, said) for k, (said, _) in enumerate(meanings) if k != taken)
        self.choices[words] = Choice(words, meanings[taken][0], others)
        return meanings[taken][1]

    def tell(self, words: str, meaning: str) -> None:
        """Adds words of which only one meaning is possible here, but not the plain one."""
        self.choose(words, [(meaning, None)])


def refuse(words: str, why: str, instead: Sequence[str] = ()) -> GoalError:
    """Returns the error that words cannot be part of a goal."""
    plain = words.strip(" ,;.").replace("_", " ")
    return GoalError(f"“{plain}”: {why}", plain, instead)
