"""Description lengths of policies and world models, in bits. LLM-MCTS, sections 1, 4.1 and 4.2.

A policy is a table with an entry for each problem. A world model is a small table and an algorithm of constant size. By theorem
4.1 (Occam's razor) the hypothesis with the shorter description has the smaller bound on its expected loss.
"""

from __future__ import annotations

import ast
import inspect
import math
import zlib
from dataclasses import dataclass
from functools import cache

from core.planners.decision_lab.uniform_cost import search
from core.planners.decision_lab.written_multiplication import multiplied

BITS_PER_DIGIT = math.log2(10)


@dataclass(frozen=True, slots=True)
class Lengths:
    """The description lengths of both methods, in bits."""

    policy: float
    model: float


def multiplication(digits: int) -> Lengths:
    """Returns the lengths for two factors of `digits` digits (section 1).

    Policy: 10^2n products of 2n digits. Model: 100 products of two digits, and written multiplication.
    """
    return Lengths(10.0**(2 * digits) * 2 * digits * BITS_PER_DIGIT, 100 * 2 * BITS_PER_DIGIT + _bits_of_multiplication())


def journey(cities: int, flights: int) -> Lengths:
    """Returns the lengths for journeys between `cities` cities (section 4.1).

    Policy: the next city for each pair of present city and destination, n² log n. Model: an adjacency list with each flight in
    both directions, log n for each entry, and uniform-cost search.
    """
    city = math.log2(cities)
    return Lengths(cities**2 * city, 2 * flights * city + _bits_of_search())


def rearrangement(objects: int, containers: int, rooms: int, composed: int = 1) -> Lengths:
    """Returns the lengths for object rearrangement (section 4.2), with the constants of the O notation set to 1.

    Policy: (m n)^N log(m + k). Model: n log(m + k) + m log k.

    Args:
        objects: n, movable objects.
        containers: m.
        rooms: k.
        composed: N, the number of tasks that are composed.
    """
    place = math.log2(containers + rooms)
    return Lengths(float(containers * objects)**composed * place, objects * place + containers * math.log2(max(2, rooms)))


@cache
def _bits_of_multiplication() -> int:
    return compressed_bits(inspect.getsource(multiplied))


@cache
def _bits_of_search() -> int:
    return compressed_bits(inspect.getsource(search))


def compressed_bits(source: str) -> int:
    """Returns the size of a Python function without its docstring and comments, compressed by zlib, in bits."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return 8 * len(zlib.compress(ast.unparse(tree).encode(), 9))
