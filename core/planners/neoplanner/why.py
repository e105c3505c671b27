"""Why NeoPlanner chose an action and not another one, from its state graph, the call that proposed it and its learnings.

Kinds of statement: `plan`, `edge` (where a known action leads, with its values), `bounds` (whether a new action is worth more
than a known one), `objective` (exploring or the task, with its chance), `proposal` (the call that proposed it), `reply`,
`guess`, `restart`, `untried`, `dropped` (proposed, not used), `tried` (done before in this episode), `learning`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from core.planners.neoplanner.prompts import FREE, PURPOSES, RESTART, listed
from core.planners.neoplanner.recorded_types import ActionPlanFacts, Learnings, Scores, StateEdge, StateGraph, StateNode
from core.planners.neoplanner.state_space import INVALID
from core.planning.explanation import AskedCall, DecisionEvidence, Evidence, Sentence
from core.planning.facets import Plan
from core.planning.sentences import link, planned, quoted, replied, said, words
from core.views.wording import count
from core.world.vocabulary import Action, in_words

KNOWN_WAY, PROPOSED, GUESS = "a known way", "proposed", "a guess: nothing usable was proposed"
"""The reasons of a plan."""
LOOP = "loop"
"""`StateGraph.because` of a path that would come back to one of its states."""
MOST_LEARNINGS = 2
SHORTEST_WORD = 4
"""Characters from which a word of an action is looked up in the learnings."""


def why(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns why an action was chosen and not another one."""
    graph = decision.fresh(StateGraph)
    if graph is None:
        return reasons(decision)
    return (*planned(decision, other), *reasons(decision), *_other(decision, graph, other), *_learnings(decision, other))


def reasons(decision: DecisionEvidence) -> tuple[Sentence, ...]:
    """Returns why an action was chosen: what the graph says of it, and the call that proposed it."""
    graph, plan, chosen = decision.fresh(StateGraph), decision.fresh(Plan), decision.chosen
    if graph is None or chosen is None or chosen.verb != FREE:
        return tuple(_restart(decision))
    is_proposed = plan is not None and plan.because != KNOWN_WAY
    return (*_edge(graph, chosen), *_bounds(graph), *_objective(graph),
            *(_source(decision, plan) if plan is not None and is_proposed else ()))


def sentence_of(action: Action) -> str:
    """Returns an action as the planner's graph and prompts write it."""
    return " ".join(action.args[0].split()) if action.verb == FREE and action.args else in_words(action)


def _state(node: StateNode) -> str:
    return f"state {node.id} ({quoted(node.title)})"


# --- the chosen action ----------------------------------------------------------------
def _restart(decision: DecisionEvidence) -> Iterator[Sentence]:
    scores = decision.newest(Scores)
    if scores is not None and decision.chosen is not None and decision.chosen.verb == RESTART:
        yield said("restart", f"The episode is over: its score is {scores.score:g}, the best one so far {scores.best:g}.",
                   Evidence("score", "score"), figures={"score": scores.score, "best": scores.best})


def _edge(graph: StateGraph, action: Action) -> Iterator[Sentence]:
    """Yields where a known action leads from the current state, with reward, value and bound."""
    text, nodes = sentence_of(action), {node.id: node for node in graph.nodes}
    edge = _edge_of(graph, text)
    if edge is None:
        return
    seen = Evidence("state_graph", f"edge: {text}", action)
    if edge.target == INVALID:
        yield said("edge", f"In this state, {quoted(text)} was tried and refused.", seen, figures={})
        return
    target = nodes.get(edge.target)
    if target is None:
        return
    where = "changes nothing: it leads back to" if edge.target == graph.here else "leads to"
    yield said("edge", f"In this state, {quoted(text)} {where} {_state(target)}, whose value is {target.value:.3f} (with its "
                       f"exploration term {target.bound:.3f}, after {count(target.visits, 'visit')}); the best reward on the "
                       f"way there is {edge.reward:.3f} (log-transformed).", seen,
               figures={"state": target.id, "reward": edge.reward, "value": target.value, "bound": target.bound,
                        "visits": target.visits})


def _edge_of(graph: StateGraph, text: str) -> StateEdge | None:
    return next((edge for edge in graph.edges if edge.source == graph.here and text in edge.actions), None)


def _bounds(graph: StateGraph) -> Iterator[Sentence]:
    """Yields what was compared in the current state when the path of this round was selected."""
    here = next((bound for bound in graph.bounds if bound.state == graph.here), None)
    if here is None:
        return
    seen = Evidence("state_graph", f"state {here.state}")
    figures = {"state": here.state, "visits": here.visits, "untried": here.untried, "new": here.new_bound}
    text = (f"At the start of this round, state {here.state} had {count(here.visits, 'visit')} and K = {here.untried:.3f}: a "
            f"new action had the bound {here.new_bound:.3f}")
    if here.known_bound is None:
        yield said("bounds", f"{text}, and no known action leads on.", seen, figures=figures)
        return
    figures["known"] = here.known_bound
    follows = "so a new one was asked for" if here.new_bound > here.known_bound else "so the known one was taken"
    if here == graph.bounds[-1] and graph.because == LOOP:
        follows = "the known one leads back to a state of the path, so the path ended there"
    yield said("bounds", f"{text}, and the best known one, {quoted(here.way)}, {here.known_bound:.3f}; {follows}.", seen,
               figures=figures)


def _objective(graph: StateGraph) -> Iterator[Sentence]:
    if graph.explore_chance is None:
        return
    aim = "to explore" if graph.exploring else "the task"
    yield said("objective", f"The objective of this round is {aim}; the chance of exploring was {graph.explore_chance:.3f} "
                            f"(N = {graph.explored}).", Evidence("state_graph", "round"),
               figures={"chance": graph.explore_chance, "explored": graph.explored})


def _source(decision: DecisionEvidence, plan: Plan) -> Iterator[Sentence]:
    """Yields the call that proposed the chosen action."""
    call, chosen = decision.asked(PURPOSES[0]), decision.chosen
    if call is None or chosen is None:
        return
    asked = [c for c in decision.calls if c.request.purpose == PURPOSES[0]]
    if plan.because == GUESS:
        yield said("guess", f"No usable action was in the last answer of {count(len(asked), 'call')} of this turn; "
                            f"{words(chosen)} is drawn at random.", *map(link, asked or [call]), figures={"calls": len(asked)})
        return
    items = _items(call)
    if sentence_of(chosen) in items:
        place = items.index(sentence_of(chosen)) + 1
        yield said("proposal", f"Call {call.number}, asked in turn {call.turn}, proposes {words(chosen)} as number {place} of "
                               f"{count(len(items), 'line')}.", link(call),
                   figures={"call": call.number, "turn": call.turn, "item": place, "items": len(items)})
    yield replied(call)


def _items(call: AskedCall) -> list[str]:
    """Returns the lines of a reply that proposes actions."""
    return listed(call.reply.texts[0]) if call.reply is not None and call.reply.texts else []


# --- the other action -----------------------------------------------------------------
def _other(decision: DecisionEvidence, graph: StateGraph, other: Action) -> Iterator[Sentence]:
    text = sentence_of(other)
    here = next((node for node in graph.nodes if node.id == graph.here), None)
    known = tuple(_edge(graph, other))
    yield from known
    if not known and here is not None:
        yield said("untried", f"{quoted(text)} was not tried in {_state(here)}, where {here.tried} of {here.menu} actions were "
                              f"tried and {here.refused} refused.", Evidence("state_graph", f"state {here.id}"),
                   figures={"state": here.id, "tried": here.tried, "menu": here.menu, "refused": here.refused})
    call, plan = decision.asked(PURPOSES[0]), decision.fresh(Plan)
    facts = call.request.facts if call is not None else None
    if call is None or not isinstance(facts, ActionPlanFacts):
        return
    ahead = {sentence_of(action) for action in plan.actions} if plan is not None else set()
    done = [step for step in facts.trace if step.action == text]
    if text in _items(call) and text not in ahead and not (decision.chosen is not None and decision.chosen.verb == RESTART):
        reason = "the prompt said to avoid it" if text in facts.avoid else (
            "it is done already, is of no allowed kind, or the plan ended before it")
        yield said("dropped", f"The reply of call {call.number} names {quoted(text)}, but it is not in the plan now: {reason}.",
                   link(call), figures={"call": call.number})
    if done:
        yield said("tried", f"The prompt of call {call.number} tells that {quoted(text)} was done {count(len(done), 'time')} "
                            f"in this episode; the last time the world said {quoted(done[-1].reply)}, and the score changed by "
                            f"{done[-1].reward:g}.", link(call),
                   figures={"call": call.number, "times": len(done), "reward": done[-1].reward})


def _learnings(decision: DecisionEvidence, other: Action) -> Iterator[Sentence]:
    """Yields learnings that name a thing of the other action, and the call that wrote them down."""
    learnings = decision.newest(Learnings)
    wanted = {word for word in sentence_of(other).lower().split()[1:] if len(word) >= SHORTEST_WORD}
    if learnings is None:
        return
    naming = (axiom for axiom in learnings.axioms if wanted & set(axiom.text.lower().split()))
    for axiom in islice(naming, MOST_LEARNINGS):
        call = next((c for c in (*decision.earlier, *decision.calls)
                     if c.request.purpose == PURPOSES[1] and c.request.subject == f"episode {axiom.episode}"), None)
        by = "the operator" if axiom.by == "operator" else f"the model after episode {axiom.episode}"
        yield said("learning", f"A learning by {by} names a thing of it: {quoted(axiom.text)}.",
                   Evidence("learnings", f"learning: {axiom.text}"), *([link(call)] if call is not None else []),
                   figures={} if axiom.by == "operator" else {"episode": axiom.episode})
