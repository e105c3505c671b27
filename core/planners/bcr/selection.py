"""The selection engine: the paper's eight-part prompt, and the interpretation of the model's reply (BCR, §IV)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.goals.literals import Goal
from core.llm.grounding import ground_action
from core.planners.bcr.conditions import CONDITIONS, Need, Situation
from core.planners.bcr.recorded_types import CandidateFact, SelectionFacts
from core.planners.bcr.tree import Node, Tree
from core.planning.facets import Grounding
from core.planning.model_requests import OPEN, Ask, Expects, Message, Reply, prompt
from core.planning.prompt_facts import PlaceFact
from core.search.translation import Names
from core.world.action_phrases import definite
from core.world.vocabulary import CONTAINER, Action, ActionSchema

FORM = re.compile(r"\$\$\s*(.+?)\s*\$\$", re.DOTALL)
SURE = 0.85
"""The minimum score at which a reply counts as one of the candidates."""
SHOWN = 200
UNKNOWN = {"?cuts": "something that cuts", "?heats": "something that heats", "?rinses": "sink with its tap",
           "?brews": "coffee machine"}


class Words:
    """The phrases of actions and needs."""

    def __init__(self, now: Situation, schemas: Sequence[ActionSchema]):
        self._names, self._schemas = Names(now.view.entities, schemas), {s.verb: s for s in schemas}

    def thing(self, term: str) -> str:
        """Returns the name of an object, a class, one more of a class, or a wanted property."""
        cls, _, source = term.removeprefix("+").partition("@")
        if source:
            return f"{self._names(cls)} from {definite(self._names(source))}"
        other = "other " if term.startswith("+") else ""
        return UNKNOWN.get(term) or other + self._names(cls)

    def action(self, action: Action) -> str:
        """Returns an action as a phrase: `put the mug inside the coffee machine`."""
        schema, names = self._schemas.get(action.verb), tuple(self.thing(a) for a in action.args)
        return schema.phrase(names) if schema and len(schema.roles) == len(names) else " ".join((action.verb, *names))

    def actions(self, actions: Iterable[Action]) -> tuple[str, ...]:
        """Returns the phrases of several actions; equal phrases are extended by their ids."""
        listed = list(actions)
        phrases = [self.action(a) for a in listed]
        return tuple(p if phrases.count(p) == 1 else f"{p} ({' '.join(a.args)})" for p, a in zip(phrases, listed, strict=True))

    def blocks(self, need: Need) -> str:
        """Returns the phrase of a blocking condition: `the mug is not in view`."""
        return self._filled(CONDITIONS[need.kind].blocks, need)

    def resolved(self, need: Need) -> str:
        """Returns the phrase of a resolved condition: `the mug in view`."""
        return self._filled(CONDITIONS[need.kind].resolved, need)

    def about(self, need: Need) -> str:
        """Returns the arguments of a need: `mug · coffee machine`."""
        return " · ".join(map(self.thing, need.args))

    def short(self, action: Action) -> tuple[str, str]:
        """Returns an action as two short lines: verb and object, then the target."""
        things = [self.thing(a) for a in action.args]
        return " ".join((action.verb.replace("_", " "), *things[:1])), " ".join(things[1:])

    def _filled(self, text: str, need: Need) -> str:
        return text.format(*(definite(self.thing(arg)) for arg in need.args), *("the thing",) * 2)


@dataclass(frozen=True)
class Choice:
    """The candidates of one selection and its situation.

    Attributes:
        goal: the literals.
        now: the situation.
        tree: the trees of all literals.
        nodes: the candidates.
        schemas: the verbs of the world.
        done: indices of the literals that hold.
        history: the executed actions.
        notes: recent refusals.
    """

    goal: Goal
    now: Situation
    tree: Tree
    nodes: tuple[Node, ...]
    schemas: tuple[ActionSchema, ...]
    done: tuple[int, ...]
    history: tuple[Action, ...]
    notes: tuple[str, ...] = ()

    @property
    def actions(self) -> tuple[Action, ...]:
        """The candidates' actions."""
        return tuple(n.action for n in self.nodes if n.action is not None)

    def ask(self, complaints: tuple[str, ...], *, listed: bool, fresh: int) -> Ask:
        """Returns the model request: eight parts, one message each.

        Args:
            complaints: notes about earlier replies.
            listed: True to constrain the reply to the list.
            fresh: the resampling round.
        """
        words = Words(self.now, self.schemas)
        spoken = words.actions(self.actions)
        phrases = tuple(f"$$ {p} $$" for p in spoken)
        messages = self._messages(words, phrases, complaints)
        return Ask("selection", messages, f"{len(phrases)} candidates", self.facts(spoken), Expects(phrases if listed else ()),
                   temperature=OPEN, max_tokens=300, fresh=fresh)

    def _messages(self, words: Words, phrases: tuple[str, ...], complaints: tuple[str, ...]) -> tuple[Message, ...]:
        agent, literals = self.now.view.agent, self.goal.literals
        blocked = dict.fromkeys(f"cannot {words.action(parent.action)}: {words.blocks(node.need)}"
                                for node in self.tree.nodes.values() if node.kind == "condition" and node.need is not None
                                and (parent := self.tree.nodes[node.parent]).action is not None)
        lines = [f"{p} – {self._why(n, words)}" for n, p in zip(self.nodes, phrases, strict=True)]
        remain = [f"[{k + 1}] {x}" for k, x in enumerate(literals) if k not in self.done]
        return (
            *prompt("bcr", "role"), *prompt("bcr", "instructions"),
            *prompt("bcr", "history", room=words.thing(agent.room or "house"),
                    holding=", ".join(f"the {words.thing(h)}" for h in agent.holding) or "nothing",
                    actions=_listed(words.action(a) for a in self.history)),
            *prompt("bcr", "done", done=_listed(f"[{k + 1}] {literals[k]}" for k in self.done)),
            *prompt("bcr", "candidates", candidates="\n".join(lines)),
            *prompt("bcr", "goals", goals=_listed(remain)),
            *prompt("bcr", "errors", errors=_listed((*blocked, *self.notes, *complaints))),
            *prompt("bcr", "form"),
        )

    def _why(self, node: Node, words: Words) -> str:
        """Returns the purpose of an action and the literal it serves."""
        need = self.need_of(node)
        if need is None:
            return f"achieves [{node.goal + 1}]"
        return f"{'' if node.certain else 'possibly '}resolves “{words.blocks(need)}” of [{node.goal + 1}]"

    def need_of(self, node: Node) -> Need | None:
        """Returns the need a candidate may bring about; None if it achieves a literal."""
        return self.tree.nodes[node.parent].need

    def facts(self, spoken: tuple[str, ...]) -> SelectionFacts:
        """Returns the facts of the request."""
        agent = self.now.view.agent
        return SelectionFacts(self.goal, self.done, tuple(map(self._fact, self.nodes, spoken)),
                              tuple((h, self._cls(h)) for h in agent.holding), tuple(map(str, self.history)))

    def _fact(self, node: Node, spoken: str) -> CandidateFact:
        need, action = self.need_of(node), node.action
        assert action is not None, "a candidate is an action"
        subject = need.args[0] if need is not None and need.args else (action.args or ("",))[0]
        return CandidateFact(str(action), spoken, node.goal, self.tree.depth(node), need.kind if need else "",
                             self._cls(subject), node.certain, self._place(action))

    def _cls(self, term: str) -> str:
        entity = self.now.entity(term)
        return entity.cls if entity is not None else term.removeprefix("+").partition("@")[0]

    def _place(self, action: Action) -> PlaceFact | None:
        entity = self.now.entity(action.args[-1]) if action.args else None
        if entity is None or entity.category == "object":
            return None
        room = entity.id if entity.category == "room" else entity.room or ""
        return PlaceFact(entity.id, entity.cls, room, self._cls(room), CONTAINER in entity.properties)

    # --- the answer -----------------------------------------------------------
    def understand(self, ask: Ask, reply: Reply) -> tuple[Action | None, Grounding]:
        """Interprets a reply.

        Returns:
            The candidate that the reply names between its marks, or None if it names none clearly; and the interpretation.
        """
        said = reply.texts[0] if reply.texts else ""
        phrases = Words(self.now, self.schemas).actions(self.actions)
        spoken = dict(zip(self.actions, phrases, strict=True))
        marked = FORM.findall(said[:20_000])
        nearest = Grounding(ask.digest, (marked[0] if marked else said)[:SHOWN], "", 0.0, "none")
        for text in marked or [said]:
            match = ground_action(text, list(spoken.items()))
            clear = match.runner_up is None or match.runner_up_score < match.score or match.how == "exact"
            second = spoken[match.runner_up] if match.runner_up is not None else ""
            if match.candidate is not None and match.score >= SURE and clear:
                return match.candidate, Grounding(ask.digest, text[:SHOWN], spoken[match.candidate], match.score, match.how,
                                                  second, match.runner_up_score)
            near = match.candidate or match.runner_up
            if near is not None and match.score > nearest.score:
                nearest = replace(nearest, said=text[:SHOWN], score=match.score, runner_up=spoken[near],
                                  runner_up_score=match.score)
            if match.how == "refused":
                nearest = replace(nearest, how="refused")
        return None, nearest


def _listed(parts: Iterable[str]) -> str:
    return "; ".join(parts) or "none"
