"""Facts about the world that a planner asked a model for and computed its answer from: which replies are known to be wrong.

LLM-MCTS, section 4: the model as world model names products of digits or direct flights, and an algorithm does the rest. What a
request asked says itself whether a reply can be checked, and how it is wrong (`AskedFact`).
"""

from __future__ import annotations

from collections.abc import Iterable

from core.recording.failures.run import RecordedCall


def asked_facts(calls: Iterable[RecordedCall]) -> list[RecordedCall]:
    """Returns the calls that asked for a fact, and were answered."""
    return [call for call in calls if call.fact is not None and call.said.strip()]


def is_checked(call: RecordedCall) -> bool:
    """Returns True if the request states what the right reply is."""
    return call.fact is not None and call.fact.is_checked


def wrong_fact(call: RecordedCall) -> str:
    """Returns how a reply about a fact is wrong, in words; empty if it is right, or cannot be checked."""
    return "" if call.fact is None else call.fact.wrong(call.said)
