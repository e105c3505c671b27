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
from core.planners.bcr import recorded_types as bcr
from core.planners.inner_monologue.recorded_types import MonologueFacts
from core.planners.llm_state import recorded_types as llm_state
from core.planners.neoplanner import recorded_types as neoplanner
from core.planners.progprompt import recorded_types as progprompt
from core.planning import facets, model_requests
from core.planning import prompt_facts as facts
from core.planning.facets import Moment
from core.session import annotation, commands, events
from core.session.breakpoints import Breakpoint
from core.session.turns import Call
from core.world import vocabulary

PAYLOADS: tuple[type[events.Payload], ...] = (
    events.Began, events.TurnBegan, events.Shown, events.Asked, events.AskedAside, events.Replied, events.CommandTaken,
    events.Paused, events.Resumed, events.Decided, events.Acted, events.Failed, events.Recovered, events.Rewound,
    events.Switched, events.Standing, events.ActionsListed, events.Annotated, events.Relabelled, events.Ended,
    events.BreakpointHit,
)
COMMANDS: tuple[type[commands.Command], ...] = tuple(
    found for found in vars(commands).values()
    if isinstance(found, type) and issubclass(found, commands.Command) and found is not commands.Command)
"""Every command: each class of the module is recorded under its name."""
FACETS: tuple[type[facets.Facet], ...] = (
    facets.Frame, facets.Plan, facets.GoalProgress, facets.Belief, facets.Ranking, facets.SearchTree, facets.Grounded,
    bcr.BlockingTree, progprompt.Program, facets.Steps, llm_state.StateDictionary,
    neoplanner.StateGraph, neoplanner.Learnings, neoplanner.Scores,
)
GATHERED: tuple[type[facets.Facet], ...] = (facets.Grounded,)
"""Facets that accumulate in a snapshot. All others replace the facet of the same kind that was shown before."""
VALUES: tuple[type, ...] = (
    events.Event, Moment, annotation.Annotation, annotation.Change, Breakpoint,
    facets.RankedAction, facets.TreeNode, facets.Grounding, facets.ProgramLine, bcr.BlockingNode, bcr.ResolvedBranch,
    llm_state.StateEntry,
    neoplanner.StateNode, neoplanner.StateEdge, neoplanner.Axiom,
    vocabulary.Entity, vocabulary.AgentState, vocabulary.Observation, vocabulary.Action, vocabulary.ActionSchema,
    vocabulary.Verdict, vocabulary.Outcome,
    literals.Literal, literals.LiteralProgress, literals.Goal,
    model_requests.Message, model_requests.Expects, model_requests.Ask, model_requests.Reply,
)
FACTS: tuple[type, ...] = (
    facts.PlaceFact, facts.ObjectPositionsFacts, facts.PlaceRoomsFacts, facts.GoalFacts, facts.PolicyFacts, Word,
    MonologueFacts, progprompt.ProgramFacts, progprompt.ThingFact,
    bcr.CandidateFact, bcr.SelectionFacts,
    llm_state.AttentionFacts, llm_state.EstimateFacts, llm_state.PlanFacts, llm_state.Deed,
    neoplanner.ActionPlanFacts, neoplanner.LearnerFacts, neoplanner.RoomSeen, neoplanner.StepTaken,
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
