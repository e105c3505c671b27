"""The past that goals refer to: where objects were when the goal was given, and which appliance gave them their states."""

from __future__ import annotations

from dataclasses import dataclass

from core.world.vocabulary import TREATED_BY, Observation, Value


@dataclass(frozen=True, slots=True)
class GoalRecord(Value):
    """The history of an episode, as far as goals refer to it.

    Attributes:
        known: True if the episode was observed; otherwise nothing is known about the past.
        sources: (object, id of a holder it was in or on when first seen).
        treated: (object, state, class or id of the appliance it was in when it got the state).
    """

    known: bool = False
    sources: frozenset[tuple[str, str]] = frozenset()
    treated: frozenset[tuple[str, str, str]] = frozenset()

    def sources_of(self, thing: str) -> tuple[str, ...]:
        """Returns the ids of the holders an object was first in or on."""
        return tuple(holder for one, holder in self.sources if one == thing)

    def given_by(self, thing: str, state: str, appliance: str) -> bool:
        """Returns True if an object got a state in an appliance (class or id)."""
        return (thing, state, appliance) in self.treated

    def after(self, before: Observation, now: Observation) -> GoalRecord:
        """Returns the record extended by one observation: objects seen for the first time, and new states."""
        seen = {thing for thing, _ in self.sources}
        fresh = [e.id for e in now.entities if e.category == "object" and e.id not in seen and e.id not in now.agent.holding]
        sources = self.sources.union((t, holder) for t in fresh for holder in lies_at(t, now))
        treated = self.treated.union(
            (e.id, state, name) for e in now.entities if e.category == "object"
            for state in e.states & TREATED_BY.keys() if e.id in before.by_id and state not in before.by_id[e.id].states
            for link in now.holders(e.id) if link.object in now.by_id
            for name in (link.object, now.by_id[link.object].cls))
        if self.known and (len(sources), len(treated)) == (len(self.sources), len(self.treated)):
            return self  # most turns add nothing: they share one record
        return GoalRecord(True, sources, treated)


UNKNOWN = GoalRecord()


def lies_at(thing: str, world: Observation) -> list[str]:
    """Returns the ids of the holders of an object, up to the furniture, but not what the furniture stands on."""
    found: list[str] = []
    for link in world.holders(thing):
        found.append(link.object)
        holder = world.by_id.get(link.object)
        if holder is None or holder.category != "object":
            break
    return found


class GoalWatch:
    """Updates the record with each observation."""

    def __init__(self, record: GoalRecord = UNKNOWN):
        self.record = record
        self._before: Observation | None = None

    def see(self, world: Observation) -> GoalRecord:
        """Adds an observation and returns the record."""
        self.record, self._before = self.record.after(self._before or world, world), world
        return self.record
