"""Algorithm 1 of LLM-State walked by hand on a home of two rooms, with a scripted model and the preset `paper`.

Bedroom: lightswitch1. Kitchen: lightswitch2 and lightswitch3. All lights are on; the robot starts in the bedroom and sees only
the room it is in. There is no lightswitch4. The model hypothesises lightswitch3 and lightswitch4, as in the paper's listing 5.
"""

from __future__ import annotations

from core.goals.literals import Goal, Literal
from core.planners.llm_state.planner import PAPER, TUNED, LlmState, LlmStateParameters
from core.planners.llm_state.recorded_types import StateDictionary
from core.planning.facets import Facet, GoalProgress
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision
from core.world.vocabulary import Action, ActionSchema, AgentState, Category, Entity, Observation, Outcome

SCHEMAS = (ActionSchema("walk", ("room or thing",), "walk to the {0}"),
           ActionSchema("switch_off", ("thing",), "switch off the {0}"))
GOAL = Goal((Literal("is", "lightswitch", None, 3, frozenset({"off"})),), "switch off all the lights in the house")
ROOM_OF = {"lightswitch_1": "bedroom_1", "lightswitch_2": "kitchen_1", "lightswitch_3": "kitchen_1"}


def entity(name: str, category: Category, room: str | None, states: str = "") -> Entity:
    cls = name.rsplit("_", 1)[0]
    return Entity(name, cls, cls, category, room, frozenset(states.split()), frozenset({"switchable"} if room else ()))


class TwoRooms:
    """The home."""

    def __init__(self) -> None:
        self.room, self.near, self.off = "bedroom_1", "", set[str]()

    def observe(self) -> Observation:
        seen = [entity("bedroom_1", "room", None), entity("kitchen_1", "room", None)]
        seen += [entity(name, "furniture", room, "off" if name in self.off else "on")
                 for name, room in ROOM_OF.items() if room == self.room]
        return Observation(AgentState(self.room, (self.near,) if self.near else (), (), 2), tuple(seen), ())

    def step(self, action: Action) -> Outcome:
        (target,) = action.args
        match action.verb:
            case "walk" if target in ("bedroom_1", "kitchen_1"):
                self.room, self.near = target, ""
            case "walk" if ROOM_OF.get(target) == self.room:
                self.near = target
            case "switch_off" if target == self.near and target not in self.off:
                self.off.add(target)
            case _:
                return Outcome(action, False, f"{target} is not in sight", self.observe(), "in sight")
        return Outcome(action, True, "", self.observe())


# --- the script: what the three models answer, iteration by iteration ---------------
ATTENTION = [
    'add_related_objects("lightswitch1")\nadd_related_objects("bedroom1")\nadd_related_objects("lightswitch3")',
    'add_related_objects("lightswitch2")',
    'add_related_objects("lightswitch2")',
]
ESTIMATES = [
    'update_reasoning("Nothing was done yet.")\nupdate_state("bedroom1", "robot_inside")',
    'update_reasoning("It switched off lightswitch1 and lightswitch3. There was no lightswitch4 to move to.")\n'
    'update_state("lightswitch1", "off")\nupdate_state("lightswitch3", "off | in_kitchen1")\n'
    'update_state("lightswitch4", "not_found")',
    'update_reasoning("It is at lightswitch2 now.")\nupdate_state("lightswitch1", "off")\nupdate_state("lightswitch3", "off")\n'
    'update_state("lightswitch2", "close_to_robot")',
]
PLANS = [
    "Low-level Action Plan:\n1. move(lightswitch1)\n2. switchoff(lightswitch1)\n3. move(kitchen1)\n"
    "4. move(lightswitch3) (assuming there is a lightswitch3 in the kitchen)\n5. switchoff(lightswitch3)\n"
    "6. move(lightswitch4) (assuming there is a lightswitch4 in the kitchen)\n7. switchoff(lightswitch4)",
    "Low-level Action Plan:\n1. move(lightswitch2)",
    "Low-level Action Plan:\n1. switchoff(lightswitch2)",
]


class Walk:
    """One episode: the executed actions, the requests in order, and the dictionaries shown."""

    def __init__(self, parameters: LlmStateParameters):
        self.home, self.planner = TwoRooms(), LlmState(parameters)
        self.planner.begin(GOAL, SCHEMAS, 0)
        self.script = {"attention": list(ATTENTION), "state": list(ESTIMATES), "plan": list(PLANS)}
        self.asked: list[ModelRequest] = []
        self.books: list[StateDictionary] = []
        self.reached = False

    def turn(self) -> Outcome | None:
        """Plays one turn; None when the planner ends."""
        thought, decision = self.planner.plan(self.home.observe()), Decision(None)
        sent: ModelReply | None = None
        while True:
            try:
                shown = thought.send(sent)
            except StopIteration as end:
                decision = end.value
                break
            sent = None
            if isinstance(shown, ModelRequest):
                sent = self._answer(shown)
            else:
                self._note(shown)
        if decision.action is None:
            return None
        outcome = self.home.step(decision.action)
        self.planner.update(outcome)
        return outcome

    def _answer(self, ask: ModelRequest) -> ModelReply:
        self.asked.append(ask)
        return ModelReply((self.script[ask.purpose].pop(0),), "script")

    def _note(self, shown: Facet | tuple[ModelRequest, ...]) -> None:
        if isinstance(shown, StateDictionary):
            self.books.append(shown)
        elif isinstance(shown, GoalProgress):
            self.reached = shown.reached

    def prompts(self, purpose: str) -> list[str]:
        return [a.messages[0].content for a in self.asked if a.purpose == purpose]


def entries(book: StateDictionary) -> dict[str, tuple[str, ...]]:
    return {e.name: e.attributes for e in book.entries}


def between(prompt: str, mark: str) -> str:
    return prompt.split(f"***** {mark} start *****")[1].split(f"***** {mark} end *****")[0].strip()


ONE = [("walk lightswitch_1", True), ("switch_off lightswitch_1", True), ("walk kitchen_1", True), ("walk lightswitch_3", True),
       ("switch_off lightswitch_3", True), ("walk lightswitch4", False)]


def test_algorithm_1_line_by_line() -> None:
    walk = Walk(PAPER)
    # Lines 1-2: A_h = [], s^_0 = [].
    # Iteration 1, t = 0. O_0 = {lightswitch1}, rooms bedroom1 and kitchen1.
    #   line 4: s^ = E(O, I) + [] = [lightswitch1, bedroom1, lightswitch3]; lightswitch3 is no object seen, and is kept (IV-B)
    #   line 5: s  = C(s^, [], O): bedroom1: robot_inside, and the summary
    #   line 6: G gives n = 7 actions
    # Lines 7-13: the actions are executed without a further question until one fails:
    #   t  a_t                      r_t   why
    #   0  move(lightswitch1)       1
    #   1  switchoff(lightswitch1)  1
    #   2  move(kitchen1)           1     now O = {lightswitch2, lightswitch3}
    #   3  move(lightswitch3)       1     the hypothesis of line 6 holds
    #   4  switchoff(lightswitch3)  1
    #   5  move(lightswitch4)       0     the hypothesis does not hold: break (line 11); switchoff(lightswitch4) is not executed
    done = [walk.turn() for _ in range(6)]
    assert [(str(o.action), o.ok) for o in done if o is not None] == ONE
    assert [a.purpose for a in walk.asked] == ["attention", "state", "plan"]
    assert between(walk.prompts("attention")[0], "current state") == "(no objects yet)"
    assert between(walk.prompts("state")[0], "robot actions") == "[]"
    assert entries(walk.books[0]) == {"lightswitch1": (), "bedroom1": ("robot_inside",), "lightswitch3": ()}
    # s is what G reads: the entries and the retrospective summary (IV-B.2).
    assert between(walk.prompts("plan")[0], "current state").splitlines() == [
        "lightswitch1: []", "bedroom1: robot_inside", "lightswitch3: []", "Reasoning: Nothing was done yet."]
    # Iteration 2, t = 6. A_h holds the six actions above, the last one with r = 0.
    #   line 4: s^ = [lightswitch2] + [lightswitch1, bedroom1, lightswitch3]
    #   line 5: C sees all of A_h and s^ without the old attributes (IV-C.2: from step 0 onward), and names lightswitch4 itself
    #   line 6: n = 1: move(lightswitch2)
    # Line 8: it succeeds, and the plan is used up.
    done = [walk.turn()]
    assert [(str(o.action), o.ok) for o in done if o is not None] == [("walk lightswitch_2", True)]
    assert [a.purpose for a in walk.asked[3:]] == ["attention", "state", "plan"]
    history = ("[\"['move', 'lightswitch1'](Success)\", \"['switchoff', 'lightswitch1'](Success)\", "
               "\"['move', 'kitchen1'](Success)\", \"['move', 'lightswitch3'](Success)\", "
               "\"['switchoff', 'lightswitch3'](Success)\", \"['move', 'lightswitch4'](Fail)\"]")
    assert between(walk.prompts("state")[1], "robot actions") == history
    assert between(walk.prompts("plan")[1], "history actions") == history
    assert between(walk.prompts("state")[1], "current state") == \
        "lightswitch1: []\nbedroom1: []\nlightswitch3: []\nlightswitch2: []"
    assert entries(walk.books[-1]) == {"lightswitch1": ("off",), "bedroom1": (), "lightswitch3": ("off", "in_kitchen1"),
                                       "lightswitch2": (), "lightswitch4": ("not_found",)}
    # The summary, too, is written from the whole history: it replaces the one before.
    assert walk.books[-1].summary == ("It switched off lightswitch1 and lightswitch3. "
                                      "There was no lightswitch4 to move to.")
    assert between(walk.prompts("plan")[1], "current state").endswith(f"Reasoning: {walk.books[-1].summary}")
    assert "Nothing was done yet" not in walk.prompts("plan")[1]
    # Iteration 3, t = 7. s^ is as before (only-add), with lightswitch4; of it C says nothing now, so nothing is claimed of it.
    #   line 6: n = 1: switchoff(lightswitch2). All lights are off: the loop of line 3 ends.
    done = [walk.turn()]
    assert [(str(o.action), o.ok) for o in done if o is not None] == [("switch_off lightswitch_2", True)]
    assert entries(walk.books[-1])["lightswitch4"] == ()
    assert [e.thing for e in walk.books[-1].entries] == ["lightswitch_1", "bedroom_1", "lightswitch_3", "lightswitch_2", ""]
    assert walk.turn() is None
    assert walk.reached
    # Three iterations, each with one call of E, C and G; eight actions, of which one failed.
    assert [a.purpose for a in walk.asked] == ["attention", "state", "plan"] * 3
    assert not any(walk.script.values())


def test_the_paper_s_prompts_offer_the_paper_s_functions_and_tell_no_more() -> None:
    walk = Walk(PAPER)
    walk.turn()
    text = walk.prompts("plan")[0]
    assert "move(a), switchoff(a), wait()" in text
    assert "done()" not in text


def test_what_tuned_does_otherwise() -> None:
    """The names of objects never seen give no entry and no action there."""
    walk = Walk(TUNED)
    walk.turn()
    assert entries(walk.books[0]) == {"lightswitch1": (), "bedroom1": ("robot_inside",)}
    assert [str(line.action) for line in [walk.turn(), walk.turn()] if line] == ["switch_off lightswitch_1", "walk kitchen_1"]
    assert "done()" in walk.prompts("plan")[0]
