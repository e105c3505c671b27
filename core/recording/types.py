"""All types of Belvedere that a recording may hold, by name. Types of other packages are in `registered_types`."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from core.common import parameters
from core.goals import literals
from core.goals.vocabulary import Word
from core.planners.bcr import prompt_facts as blocking_facts
from core.planners.decision_lab import prompt_facts as lab_facts
from core.planners.inner_monologue.prompt_facts import MonologueFacts
from core.planners.llm_state import prompt_facts as llm_state_facts
from core.planners.llm_state.history import Deed
from core.planners.neoplanner import prompt_facts as neoplanner_facts
from core.planners.progprompt.prompt_facts import ProgramFacts, ThingFact
from core.planning import facets, model_requests
from core.planning import prompt_facts as facts
from core.planning.moment import Moment
from core.session import annotation, commands, events
from core.session.turns import Call
from core.world import vocabulary

PAYLOADS: tuple[type[events.Payload], ...] = (
    events.Began, events.TurnBegan, events.Shown, events.Asked, events.AskedAside, events.Replied, events.CommandTaken,
    events.Paused, events.Resumed, events.Decided, events.Acted, events.Failed, events.Recovered, events.Rewound,
    events.Switched, events.Standing, events.ActionsListed, events.Annotated, events.Relabelled, events.Ended,
    events.BreakpointHit,
)
COMMANDS: tuple[type[commands.Command], ...] = (
    commands.Pause, commands.Resume, commands.Hold, commands.Release, commands.Step, commands.Stop, commands.Override,
    commands.Ban, commands.Unban,
    commands.Edit, commands.Answer, commands.AskAgain, commands.AskAside, commands.Retry, commands.UseModel,
    commands.SetParameter, commands.Deepen,
    commands.SetGoal, commands.SetSteps, commands.SetLimits, commands.SetBreakpoint,
    commands.ClearBreakpoint, commands.EnableBreakpoint, commands.Rewind, commands.Fork,
    commands.Switch, commands.Look, commands.KeepPictures, commands.ListActions, commands.Annotate, commands.Relabel,
)
FACETS: tuple[type[facets.Facet], ...] = (
    facets.Frame, facets.Plan, facets.GoalProgress, facets.Belief, facets.Ranking, facets.SearchTree, facets.Grounded,
    facets.BlockingTree, facets.Program, facets.Steps, facets.StateDictionary,
    facets.StateGraph, facets.Learnings, facets.Scores,
)
GATHERED: tuple[type[facets.Facet], ...] = (facets.Grounded,)
"""Facets that accumulate in a snapshot. All others replace the facet of the same kind that was shown before."""
VALUES: tuple[type, ...] = (
    events.Event, Moment, annotation.Annotation, annotation.Change, commands.Breakpoint,
    facets.RankedAction, facets.TreeNode, facets.Grounding, facets.ProgramLine, facets.BlockingNode, facets.ResolvedBranch,
    facets.StateEntry,
    facets.StateNode, facets.StateEdge, facets.Axiom,
    vocabulary.Entity, vocabulary.AgentState, vocabulary.Observation, vocabulary.Action, vocabulary.ActionSchema,
    vocabulary.Verdict, vocabulary.Outcome,
    literals.Literal, literals.LiteralProgress, literals.Goal,
    model_requests.Message, model_requests.Expects, model_requests.Ask, model_requests.Reply,
)
FACTS: tuple[type, ...] = (
    facts.PlaceFact, facts.ObjectPositionsFacts, facts.PlaceRoomsFacts, facts.GoalFacts, facts.PolicyFacts, Word,
    MonologueFacts, ProgramFacts, ThingFact,
    blocking_facts.CandidateFact, blocking_facts.SelectionFacts,
    llm_state_facts.AttentionFacts, llm_state_facts.EstimateFacts, llm_state_facts.PlanFacts, Deed,
    neoplanner_facts.ActionPlanFacts, neoplanner_facts.LearnerFacts, neoplanner_facts.RoomSeen, neoplanner_facts.StepTaken,
    lab_facts.ProductFacts, lab_facts.PathFacts, lab_facts.FlightsFacts,
)
BESIDE: tuple[type, ...] = (Call,)
"""Types that a run keeps in separate files beside the recording. No event holds one."""
TYPES: tuple[type, ...] = (*PAYLOADS, *COMMANDS, *FACETS, *VALUES, *FACTS, *BESIDE, parameters.Parameters)
ADDED: Mapping[type, frozenset[str]] = MappingProxyType({
    events.Event: frozenset({"worked"}), events.Shown: frozenset({"of"}), events.Rewound: frozenset({"present"}),
    commands.Rewind: frozenset({"branch"}), commands.Fork: frozenset({"branch"}),
    facets.Frame: frozenset({"turn", "phase", "branch", "title"}),
    model_requests.Reply: frozenset({"misfit", "first_token", "rate"}),
})
"""Fields that recordings of earlier formats lack. Their defaults mean that nothing is known."""
MARKERS: tuple[type, ...] = (events.Payload, commands.Command, facets.Facet, parameters.Parameters)
"""Base classes: where one is annotated, any of its subclasses may occur."""
SHARED: tuple[type, ...] = (vocabulary.Entity, vocabulary.Action, facts.PlaceFact, Word, literals.Literal)
"""Small values that recur throughout an episode. Equal ones are decoded to one shared object."""
EQUAL: tuple[type, ...] = (vocabulary.Action,)
"""Those of `SHARED` that planners create again each time: encoding one again is cheaper than recognising it."""
WIDE: tuple[type, ...] = (vocabulary.Observation,)
"""Large values that mostly hold the same parts as the one before. They are encoded part by part, and equal parts once."""
TWICE: tuple[type, ...] = (model_requests.Ask,)
"""Values that are encoded in an event and shortly afterwards in a file beside the recording. The bytes are kept until then."""


@cache
def hints_of(cls: Any) -> dict[str, Any]:
    """Returns the annotations of a class, resolved."""
    return typing.get_type_hints(cls)
