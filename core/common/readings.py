"""What a name in a condition can have as its value, and how the texts of conditions are compared with those of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeVar

Kind = Literal["number", "text", "truth"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Stands for a value that is not known.

    Attributes:
        why: the reason, such as `this planner shows no search tree`.
    """

    why: str


class ActionText(str):
    """An action as text. It equals every text that it begins with."""

    __slots__ = ()


Value = float | str | bool | Unknown
S = TypeVar("S")
Read = Callable[[S], Value]
"""Computes a value from what names are read from."""


def plain(text: str) -> str:
    """Returns a text in lower case with single spaces, in which ids such as `fridge_1` are words."""
    return " ".join(text.casefold().replace("_", " ").split())


plain_name = lru_cache(maxsize=1024)(plain)
"""`plain`, remembered: what planners show names the same things again and again."""


def begins(text: str, with_words: str) -> bool:
    """Returns True if a text begins with these words. The last word may be cut short, but not a number."""
    return beginning(with_words)(text)


def beginning(words: str) -> Callable[[str], bool]:
    """Returns the function that tells whether a text begins with these words, see `begins`."""
    test = beginning_of_plain(plain(words))
    return lambda text: test(plain(text))


def beginning_of_plain(start: str) -> Callable[[str], bool]:
    """Returns the function that tells whether a plain text begins with another plain text, see `begins`."""
    if not start or not start.split(" ")[-1].isdigit():
        return lambda text: text.startswith(start)
    whole = f"{start} "
    return lambda text: text == start or text.startswith(whole)
