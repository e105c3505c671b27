"""A planner that looks for missing objects in the room that a language model names, its facet, and its offline answer."""

from collections.abc import Generator
from dataclasses import dataclass, replace

from core.goals.literals import Goal
from core.goals.progress import progress
from core.planning import offline_answers
from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.exploration import next_chore, next_look
from core.planning.facets import Facet, GoalProgress
from core.planning.model_requests import Expects, Message, ModelReply, ModelRequest
from core.planning.offline_answers import Prior
from core.planning.planner import Decision, Planner, Thought
from core.planning.regression import Memory, Stuck
from core.views.addresses import Address
from core.views.values import CHOSEN, Edit, EditValue, Item, Table
from core.world.known_world import KnownWorld
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome


# --- the facet: what the planner shows -------------------------------------------
@dataclass(frozen=True, slots=True)
class Guess(Facet):
    """Where the model would look first.

    Attributes:
        sought: the class of the object.
        room: the class of the room; empty if the reply names none.
        rooms: the classes the model could choose from.
    """

    sought: str
    room: str
    rooms: tuple[str, ...]

    def view(self) -> Table:
        """Returns a row for each room. The one to look in first is marked, and each can be chosen instead."""
        first = Edit("first", "Look here first", key="L", icon="search")
        rows = tuple(Item(room, room.replace("_", " "), marks=(CHOSEN,) if room == self.room else (), edits=(first,))
                     for room in self.rooms)
        return Table(rows, headline=f"looks for {self.sought}")

    def edited(self, address: Address, edit: str, value: EditValue) -> Facet:
        """Returns the guess with the room that the operator chose."""
        return replace(self, room=address[0])


# --- the model request and its offline answer --------------------------------------
@dataclass(frozen=True, slots=True)
class GuessFacts:
    """What the prompt is built from, for the provider without a language model."""

    sought: str
    rooms: tuple[str, ...]


def answer_offline(facts: GuessFacts, ask: ModelRequest, prior: Prior) -> str:
    """Returns the room in which objects of this class are most often."""
    return facts.rooms[int(prior.rooms(facts.sought, facts.rooms).argmax())]


offline_answers.register(GuessFacts, answer_offline)


def guess(sought: str, rooms: tuple[str, ...]) -> Generator[ModelRequest, ModelReply, Guess]:
    """Asks the model for a room. Yields the request and is sent the reply."""
    text = f"In which room would you look first for the object '{sought}'? Answer with one of: {', '.join(rooms)}."
    facts = GuessFacts(sought, rooms)
    reply = yield ModelRequest("room", (Message("user", text),), sought, facts=facts, expects=Expects(choices=rooms))
    said = "".join(reply.texts[:1]).strip()
    return Guess(sought, said if said in rooms else "", rooms)


# --- the planner -------------------------------------------------------------------
class Seeker(Planner):
    """Works on the objects it has seen, and looks for the others in the room that the model names."""

    name, title, asks = "seeker", "Seeker", True
    shows, edits = frozenset({GoalProgress, Guess}), frozenset({Guess})
    layout = {"left": (("guess",), ("goal", "log")), "right": (("calls",), ("scene",))}  # noqa: RUF012 - never changed

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: the room that the model named."""
        found = decision.newest(Guess)
        if found is None or not found.room:
            return ()
        text = f"The model names the {found.room} for the {found.sought}, out of {len(found.rooms)} rooms."
        return (Sentence("room", text, (Evidence("guess", "the model's room"),), {"rooms": len(found.rooms)}),)

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts an episode."""
        self.goal, self.verbs = goal, frozenset(schema.verb for schema in schemas)
        self.world, self.memory, self.tried = KnownWorld(), Memory(), frozenset[Action]()
        self.guess: Guess | None = None

    def plan(self, observation: Observation) -> Thought:
        """Decides on one action. Each yield is a checkpoint, at which the operator may step in."""
        self.world.see(observation)
        yield GoalProgress(progress(self.goal, self.world.merged()))
        try:
            action = next_chore(self.goal, self.world.merged(), self.memory, self.verbs)
            if action is None or action not in self.banned:
                return Decision(action, "the goal is reached" if action is None else "a step towards the goal")
            because = "the step towards the goal is banned"
        except Stuck as stuck:
            because = str(stuck)
        if self.guess is None:
            rooms = tuple(sorted({e.cls for e in self.world.entities.values() if e.category == "room"}))
            self.guess = yield from guess(self.goal.literals[0].subject, rooms)
        yield self.guess
        rooms = {e.id for e in self.world.entities.values() if e.category == "room" and e.cls == self.guess.room}
        here = rooms | {e.id for e in self.world.entities.values() if e.room in rooms}
        looks = (next_look(self.world, self.verbs, self.banned, self.tried, partial=observation.partial, among=among)
                 for among in (here, ()))
        return Decision(next(filter(None, looks), None), because)

    def accept(self, facet: Facet) -> None:
        """Takes the guess that the operator edited. The next look uses it."""
        if not isinstance(facet, Guess):
            super().accept(facet)  # refuses it
        else:
            self.guess = facet

    def update(self, outcome: Outcome) -> None:
        """Takes note of what an action did."""
        self.memory.update(outcome)
        self.tried |= {outcome.action}
