"""Facts about the world that a planner asked a model for and computed its answer from: which replies are known to be wrong.

LLM-MCTS, section 4: the model as world model names products of digits or direct flights, and an algorithm does the rest. A
reply can be checked if the request states what is needed: two numbers, or a city and the timetable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.planners.decision_lab.recorded_types import FlightsFacts, ProductFacts
from core.recording.failures.run import FACTS, RecordedCall

_NUMBER = re.compile(r"[0-9]+(?:[,_ ][0-9]{3})*")


def asked_facts(calls: Iterable[RecordedCall]) -> list[RecordedCall]:
    """Returns the calls that asked for a fact, and were answered."""
    return [call for call in calls if call.purpose in FACTS and call.said.strip()]


def is_checked(call: RecordedCall) -> bool:
    """Returns True if the request states what the right reply is."""
    return isinstance(call.facts, ProductFacts) or (isinstance(call.facts, FlightsFacts) and bool(call.facts.timetable))


def wrong_fact(call: RecordedCall) -> str:
    """Returns how a reply about a fact is wrong, in words; empty if it is right, or cannot be checked."""
    match call.facts:
        case ProductFacts(first=first, second=second):
            numbers, right = _NUMBER.findall(call.said), str(int(first) * int(second))
            said = re.sub("[^0-9]", "", numbers[-1]).lstrip("0") or "0" if numbers else ""
            return "" if said == right else f"the reply about {first} × {second} was {said or 'no number'}, but it is {right}"
        case FlightsFacts(city=city, timetable=timetable) if timetable:
            return _wrong_flights(call.said, city, timetable)
        case _:
            return ""


def _wrong_flights(said: str, city: str, timetable: str) -> str:
    rows = dict(line.split(": ", 1) for line in timetable.splitlines() if ": " in line)
    right, text = set(rows.get(city, "").split(", ")) - {""}, said.casefold()
    named = {other for other in rows if re.search(rf"\b{re.escape(other.casefold())}\b", text)} - {city}
    if missing := sorted(right - named):
        return f"the reply about the flights from {city} leaves out {missing[0]}"
    return f"the reply about the flights from {city} names {min(named - right)}, where none goes" if named - right else ""
