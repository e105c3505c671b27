"""Maps LLM-State's functions to the verbs of the worlds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.llm.grounding.choices import CallNames
from core.planners.llm_state.calls import Call
from core.world.vocabulary import Action, ActionSchema, Observation

VERBS = {
    "move": "walk", "pickup": "grab", "placein": "put_in", "placeon": "put_on", "open": "open", "close": "close",
    "switchon": "switch_on", "switchoff": "switch_off",
}
"""Function in the paper -> verb of the worlds."""
WAIT, DONE = "wait", "done"
"""Functions without a verb: wait one step (only if the world offers that at no cost), and the model's claim that the task is
finished."""


class Vocabulary:
    """The functions of a robot in one world.

    Args:
        schemas: the world's verbs. Verbs without a function in the paper (slice, wash …) are called by their own names.
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
        """The functions a plan may call."""
        return frozenset(self._arity)

    def listed(self) -> str:
        """Returns all functions as the prompt lists them, the paper's first."""
        order = [*(c for c in VERBS if c in self._arity), *sorted(self._arity.keys() - VERBS.keys() - {WAIT, DONE}), WAIT, DONE]
        return ", ".join(f"{call}({', '.join('ab'[: self._arity[call]])})" for call in order)

    def call_of(self, action: Action) -> str:
        """Returns the function of an action."""
        return self._calls.get(action.verb, action.verb.replace("_", ""))

    def grounded(self, call: Call, names: CallNames) -> tuple[str, ...] | None:
        """Returns the ids of a call's arguments; None if their number is wrong or an object was never observed."""
        if self._arity.get(call.name) != len(call.args):
            return None
        found = [names.find(arg) for arg in call.args]
        return tuple(i for i in found if i is not None) if None not in found else None

    def steps(self, call: str, args: tuple[str, ...], world: Observation, *, approach: bool) -> tuple[Action, ...]:
        """Returns the world actions of a call in the current situation; empty if there is nothing to do.

        A walk to another room is included. With `approach`, also the walk to the call's target.
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
        """Returns True if the target is within reach.

        To take an object from a surface, the robot must be next to the object itself.
        """
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
