"""The written algorithm of multiplication, over a table of products of two digits. LLM-MCTS, section 1."""

from __future__ import annotations

from collections.abc import Mapping

Digits = tuple[str, str]


def entries_for(first: str, second: str) -> tuple[Digits, ...]:
    """Returns the entries of the table that the algorithm looks up, each once, in the order of use."""
    return tuple(dict.fromkeys((a, b) for b in reversed(second) for a in reversed(first)))


def multiplied(first: str, second: str, table: Mapping[Digits, int]) -> str:
    """Returns the product as decimal digits, without leading zeros.

    Args:
        first: the first factor, decimal digits.
        second: the second factor, decimal digits.
        table: (digit, digit) -> their product. A wrong entry gives a wrong result.
    """
    columns = [0] * (len(first) + len(second))  # units first
    for shift, b in enumerate(reversed(second)):
        for place, a in enumerate(reversed(first)):
            columns[shift + place] += table[a, b]
    digits, carry = [], 0
    for column in columns:
        carry, digit = divmod(column + carry, 10)
        digits.append(str(digit))
    return f"{carry or ''}{''.join(reversed(digits))}".lstrip("0") or "0"
