"""LLM-State's actions and the verbs of the worlds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.llm.call_names import CallNames
from core.planners.llm_state.calls import Call
from core.world.vocabulary import Action, ActionSchema, Observation

VERBS = {
    "move": "walk", "pickup": "grab", "placein": "put_in", "placeon": "put_on", "open": "open", "close": "close",
    "switchon": "switch_on", "switchoff": "switch_off",
}
"""The paper's function -> the worlds' verb."""
WAIT, DONE = "wait", "done"
"""Passes the time, where a world has no such verb at no cost; and the model's word that nothing is left to do."""


class Vocabulary:
    """The functions a robot in one world has.

    Args:
        schemas: the world's verbs; those the paper has no function for (slice, wash …) are called by their own names.
    """

    def __init__(self, schemas: Iterable[ActionSchema]):
        arity = {schema.verb: len(schema.roles) for schema in schemas}
        ours = {call: verb for call, verb in VERBS.items() if verb in arity}
        others = {verb.replace("_", ""): verb for verb in arity if verb not in ours.values()}
        self.verbs = {**others, **ours}
        self._arity = {call: arity[verb] for call, verb in self.verbs.items()} | {DONE: 0}
        self._arity.setdefault(WAIT, 0)
        self._calls = {verb: call for call, verb in self.verbs.items()}

    @property
    def names(self) -> frozenset[str]:
        """What a plan may call."""
        return frozenset(self._arity)

    def listed(self) -> str:
        """All functions as the prompt lists them, the paper's first."""
        order = [*(c for c in VERBS if c in self._arity), *sorted(self._arity.keys() - VERBS.keys() - {WAIT, DONE}), WAIT, DONE]
        return ", ".join(f"{call}({', '.join('ab'[: self._arity[call]])})" for call in order)

    def call_of(self, action: Action) -> str:
        """The function that does an action."""
        return self._calls.get(action.verb, action.verb.replace("_", ""))

    def grounded(self, call: Call, names: CallNames) -> tuple[str, ...] | None:
        """The ids a call is about; None when it is malformed: another number of arguments, or things nobody has seen."""
        if self._arity.get(call.name) != len(call.args):
            return None
        found = [names.find(arg) for arg in call.args]
        return tuple(i for i in found if i is not None) if None not in found else None

    def steps(self, call: str, args: tuple[str, ...], world: Observation, *, approach: bool) -> tuple[Action, ...]:
        """The world's actions a call takes here: another room first; with `approach`, also the way to what it is about.

        Nothing, where the robot already is where it should go, or has nothing to wait with.
        """
        if call == "move":
            return self._way(args[0], world)
        if call not in self.verbs:
            return ()
        action = Action(self.verbs[call], args)
        target = args[-1] if args else ""
        if not approach or not args or target in world.agent.holding or self._touches(action, target, world):
            return (action,)
        return (*self._way(target, world), action)

    @staticmethod
    def _touches(action: Action, target: str, world: Observation) -> bool:
        """Within reach; a thing is taken from a table only by who stands at the thing itself."""
        near: Sequence[str] = world.agent.near
        link = world.holder.get(target)
        on_table = link is not None and link.kind == "on" and action.verb == "grab"
        return target in near[:1] if on_table else target in near

    @staticmethod
    def _way(target: str, world: Observation) -> tuple[Action, ...]:
        entity = world.by_id.get(target)
        room = target if entity is None or entity.category == "room" else entity.room
        way = (Action("walk", (room,)),) if room and room != world.agent.room else ()
        if target == room or target in world.agent.near[:1] or target in world.agent.holding:
            return way
        return (*way, Action("walk", (target,)))
