"""ProgPrompt: the model writes the plan as a program with asserts, which is executed line by line.

Singh et al.: ProgPrompt: Generating Situated Robot Task Plans using Large Language Models (2022). The variants are those of the
comparisons in the blocking-conditions paper (section V-C) and LLM-State (section IV): with `find`, which locates an object by
itself; without it, so that the program must search; and with a new program when one ends before the goal is reached
(LLM-State's extension). `find` is not given any positions: it is a search that costs its steps.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.goals.progress import progress
from core.goals.tracker import GoalTracker
from core.planners.progprompt import offline as offline  # registers the offline answers
from core.planners.progprompt.execution import Execution, Interpretation, NameResolver, StepContext
from core.planners.progprompt.program import lines_of
from core.planners.progprompt.recorded_types import ProgramFacts, ThingFact
from core.planners.progprompt.why import why
from core.planners.shared.reactive_planner import ReactivePlanner
from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.facets import Facet, GoalProgress, Grounded, Grounding, Plan, Program
from core.planning.model_requests import ModelReply, ModelRequest, prompt
from core.planning.names import Names
from core.planning.planner import Decision, Sent, Turn, Yielded
from core.planning.prompt_facts import PlaceFact, place_facts
from core.planning.regression import Regression
from core.planning.search_facets import Ranking, considered
from core.world.known_world import KnownWorld
from core.world.vocabulary import OPENABLE, SWITCHABLE, Action, ActionSchema, Observation, Outcome, spaced

MOST_TOKENS = 1500


@dataclass(frozen=True)
class ProgPromptParameters(Parameters):
    """Parameters of the programs and the model requests."""

    find: bool = parameter(True, "programs may call find, which searches for a thing by itself")
    programs: int = parameter(4, "programs written for a goal: the first, and others when one ends short of it", low=1, high=50)
    line_actions: int = parameter(40, "actions one line may take; a search that takes longer has failed", low=1, high=1000)
    temperature: float = parameter(0.0, "temperature of the answers; -1: as the model is set", low=-1, high=2)


class ProgPrompt(ReactivePlanner):
    """Executes a program with asserts that the model writes, line by line."""

    name: ClassVar[str] = "progprompt"
    title: ClassVar[str] = "ProgPrompt"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({GoalProgress, Grounded, Plan, Program, Ranking})
    edits: ClassVar[frozenset[type[Facet]]] = frozenset({Program})
    presets: ClassVar[Mapping[str, Parameters]] = {
        "default": ProgPromptParameters(), "no-find": ProgPromptParameters(find=False),
        "once": ProgPromptParameters(programs=1),
    }
    asks: ClassVar[bool] = True
    parameters: ProgPromptParameters

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the line of the program, and the call that wrote it."""
        return why(decision, other)

    def forget(self) -> None:
        """Discards the program, which was for the old goal."""
        self._execution: Execution | None = None
        self._written, self._digest = 0, ""

    def accept(self, facet: Facet) -> None:
        """Applies an operator's program. Execution continues at the first line that differs, or at the current line.

        Raises:
            UsageError: there are too many lines, or a line is too long.
        """
        if not isinstance(facet, Program):
            super().accept(facet)
            return
        if self._execution is None:
            self._execution = Execution(())
        self._execution.edit(facet)
        self.restart()

    def update(self, outcome: Outcome) -> None:
        """Records the executed action: the current line is done, has failed, or continues."""
        super().update(outcome)
        if self._execution is not None:
            self._execution.update(outcome.action, outcome.reason, ok=outcome.ok)

    def choose(self, seen: Observation) -> Turn:
        """Continues the program to its next action; requests another program when it has ended."""
        while True:
            if self._execution is None or self._execution.ended:
                if self._written >= self.parameters.programs:
                    return Decision(None, self._why_stopped())
                yield from self._write()
                if self.interrupted():
                    return None
            assert self._execution is not None, "written"
            context = self._step_context(seen)
            action, interpretations = self._execution.run(context, self._world.merged(), self.parameters.line_actions)
            yield self._execution.facet()
            if interpretations and not self.interrupted():
                yield Grounded(tuple(map(self._grounding, interpretations)))
            if self.interrupted():
                return None
            if action is not None:
                yield considered(context.possible, action)
                return (yield from self.decide((action,), "the program's line"))

    def _why_stopped(self) -> str:
        """Returns why no further program is written."""
        reason = f"{self._written} program{'s' * (self._written != 1)} ended short of the goal"
        if self._execution is None or not self._execution.steps:
            return f"{reason}; the last one has no action in it"
        failed = self._execution.failures()
        return f"{reason}; the last line that failed: {failed[-1]}" if failed else reason

    def _write(self) -> Generator[Yielded, Sent, None]:
        """Requests a program. An unreadable reply counts as a program that has ended."""
        failed = self._execution.failures() if self._execution is not None else ()
        facts = program_facts(self._world, self._aim, self._schemas, self.names(), failed, finds=self.parameters.find)
        ask = ask_program(facts, self._schemas, self._written + 1, self.parameters.temperature)
        reply = yield ask
        assert isinstance(reply, ModelReply), "one question, one reply"
        if self.interrupted():
            return
        self._use_reply(ask, reply)

    def _use_reply(self, ask: ModelRequest, reply: ModelReply) -> None:
        self._written, self._digest = self._written + 1, ask.digest
        self._execution = Execution(lines_of(reply.texts[0] if reply.texts else ""))
        self._memory.looked_from.clear()

    def _step_context(self, seen: Observation) -> StepContext:
        """Returns the situation of this turn."""
        world = self._world.merged()
        kept = frozenset(s for p in self.progress().literals if p.literal.predicate in ("inside", "on")
                         for s in p.subjects[: p.literal.count])
        regression = Regression(world, self._memory, kept, self._verbs)
        names = self.names()
        means = NameResolver(self._world, self._aim.pursued, names, regression, kept)
        return StepContext(self._world, seen, self.possible(seen), self._schemas, names, means, regression,
                           self.banned | frozenset(self._memory.refused), self.parameters.find)

    def _grounding(self, taken: Interpretation) -> Grounding:
        return Grounding(self._digest, taken.said, taken.meant, taken.score, taken.how)


def program_facts(world: KnownWorld, aim: GoalTracker, schemas: tuple[ActionSchema, ...], names: Names,
                  failed: tuple[str, ...], *, finds: bool) -> ProgramFacts:
    """Returns the facts of the prompt."""
    goal = aim.pursued
    done = tuple(report.have for report in progress(goal, world.merged()))
    verbs = (*(("find",) if finds else ()), *(s.verb for s in schemas))
    rooms = tuple((names(e.id), e.cls) for e in world.entities.values() if e.category == "room")
    places = tuple(PlaceFact(names(p.id), p.cls, names(p.room), p.room_cls, p.inside)
                   for p in place_facts(world.entities.values()))
    return ProgramFacts(goal, done, verbs, tuple(_things(world, goal, names)), places, rooms, failed,
                        tuple(map(names, aim.hidden)))


def _things(world: KnownWorld, goal: Goal, names: Names) -> Iterator[ThingFact]:
    """Yields all known entities, then classes of the goal that were never seen."""
    switches = {r.object: r.subject for r in world.merged().relations if r.kind == "controls"}
    for e in world.entities.values():
        if e.category != "room":
            yield ThingFact(names(e.id), e.cls, e.category, e.properties, names(switches.get(e.id, e.id)))
    known = {e.cls for e in world.entities.values()} | set(world.entities)
    wanted = (x for literal in goal.literals for x in (literal.subject, literal.target) if x is not None and x not in known)
    for cls in dict.fromkeys(wanted):
        yield ThingFact(spaced(cls), cls, "wanted", frozenset(), spaced(cls))


def ask_program(facts: ProgramFacts, schemas: tuple[ActionSchema, ...], number: int, temperature: float) -> ModelRequest:
    """Returns the request; `number` counts the programs of an episode from 1."""
    roles = {s.verb: s.roles for s in schemas} | {"find": ("thing",)}
    actions = ", ".join(" ".join((v, *(f"<{role}>" for role in roles[v]))) for v in facts.verbs)
    objects = ", ".join(repr(t.name) for t in facts.things)
    before = "\n".join(f"# failed before: {line}" for line in facts.failed)
    text = facts.goal.in_words
    left = [f"{n} of {x.count}: {x}" for x, n in zip(facts.goal.literals, facts.done, strict=True) if n]
    goal = f"{text} (done so far: {'; '.join(left)})" if left else text
    messages = prompt("progprompt", "find" if "find" in facts.verbs else "no_find", actions=actions, objects=objects,
                      notes=_notes(facts), before=before, function=_function_name(text), goal=goal)
    return ModelRequest("program", messages, f"program {number}", facts, temperature=temperature, max_tokens=MOST_TOKENS,
                        ends=("\ndef ", "\nfrom "))


def _notes(facts: ProgramFacts) -> str:
    """Returns what the list of objects does not contain: rooms, doors, switches."""
    notes = [f"# rooms: {', '.join(name for name, _ in facts.rooms)}"] if facts.rooms else []
    for flag, words in ((OPENABLE, "can be opened"), (SWITCHABLE, "can be switched")):
        found = [t.name for t in facts.things if flag in t.properties]
        notes += [f"# {words}: {', '.join(found)}"] if found else []
    where = dict.fromkeys(f"{p.id} in the {p.room}" for p in facts.places)
    notes += [f"# furniture: {', '.join(where)}"] if where else []
    notes += [f"# not looked into yet: {', '.join(facts.unseen)}"] if facts.unseen else []
    notes += [f"# the {t.switch} switches the {t.name}" for t in facts.things if t.switch != t.name]
    return "\n".join(notes)


def _function_name(text: str) -> str:
    """Returns the task as a function name: `put_one_apple_inside_the_fridge`."""
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))[:80] or "task"
