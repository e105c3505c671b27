"""Facets as HTML: one function for each kind that planners show, and a list of its parts for a kind of another package."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import fields
from functools import singledispatch
from html import escape
from typing import Any

import numpy as np

from core.planners.bcr.recorded_types import BlockingNode, BlockingTable, BlockingTree
from core.planners.llm_state.recorded_types import StateDictionary, StateHistory
from core.planners.neoplanner.recorded_types import Learnings, Scores, StateGraph
from core.planning.belief_facets import PositionAnswers
from core.planning.companion import CompanionDecision
from core.planning.facets import Plan, Program, ProgramLine, Steps
from core.planning.search_facets import PolicyMixture
from core.planning.simulation_facets import Simulations
from core.recording.exports.html_parts import chip, fact_list, table
from core.world.vocabulary import Action, in_words, named

MOST_ITEMS = 60
"""Items of a list."""
LEAST_COUNT = 0.005
"""Answers that name a place, or its probability, from which on it is listed."""
LONGEST = 300
"""Characters of a value of a kind that is not known here."""


def name_of(entity_id: str) -> str:
    """Returns an id as a name: `kitchen_table_2` is "kitchen table 2"."""
    return entity_id.replace("_", " ")


def action_words(action: Action) -> str:
    """Returns an action in words."""
    return named(in_words(action), name_of)


def percent(share: float) -> str:
    """Returns a share as per cent, with a digit after the point below ten."""
    return f"{100 * share:.1f} %" if 0 < share < 0.1 else f"{100 * share:.0f} %"


def listed(items: Iterable[str], tag: str = "ul") -> str:
    """Returns a list of HTML texts, of at most `MOST_ITEMS`."""
    found = list(items)
    more = len(found) - MOST_ITEMS
    rest = f'<li class="muted">{more} more</li>' if more > 0 else ""
    shown = "".join(f"<li>{item}</li>" for item in found[:MOST_ITEMS])
    return f'<{tag} class="card list">{shown}{rest}</{tag}>' if found else ""


@singledispatch
def facet_html(facet: Any) -> str:
    """Returns a facet as HTML, or "" if it holds nothing to read. Kinds that are not known here are listed by fields."""
    values = ((field.name, str(object.__getattribute__(facet, field.name))) for field in fields(facet))
    return fact_list({name_of(name): text if len(text) <= LONGEST else f"{text[:LONGEST]}…" for name, text in values})


@facet_html.register
def _plan(facet: Plan) -> str:
    because = f"<p>{escape(facet.because)}</p>" if facet.because else ""
    return because + listed((escape(action_words(a)) for a in facet.actions), "ol")


@facet_html.register
def _simulations(facet: Simulations) -> str:
    """Returns the returns of the simulations by the action that they began with."""
    whole, rows = np.all(facet.reached > 0, axis=1), []
    for k in sorted(set(facet.action.tolist()) - {-1}, key=lambda k: -int((facet.action == k).sum()))[:MOST_ITEMS]:
        own = np.flatnonzero(facet.action == k)
        returns = facet.returned[own]
        cells = (f"{len(returns):,}", f"{returns.mean():.2f}", f"{returns.min():.2f}", f"{returns.max():.2f}",
                 percent(float(np.take(whole, own).mean())))
        figures = "".join(f'<td class="n">{text}</td>' for text in cells)
        rows.append(f"<tr><td>{escape(', then '.join(map(action_words, facet.actions[k])))}</td>{figures}</tr>")
    return table(("began with", "simulations", "mean return", "least", "most", "goal reached"), rows) if rows else ""


@facet_html.register
def _companion(facet: CompanionDecision) -> str:
    would = action_words(facet.action) if facet.action is not None else facet.trouble or "nothing left to do"
    return fact_list({"Planner": facet.planner, "Would do": would, "Because": facet.because, "Calls": str(len(facet.calls))})


@facet_html.register
def _positions(facet: PositionAnswers) -> str:
    rows = []
    for answers in facet.classes:
        said = sorted(zip(answers.counts.tolist(), facet.places, strict=True), reverse=True)
        words = ", ".join(f"{name_of(place)} {count:.3g}" for count, place in said if count >= LEAST_COUNT)
        unread = f"; {answers.unread} name no place" if answers.unread else ""
        samples = f"{answers.samples} answers" if answers.samples else "probabilities"
        rows.append(f"<tr><td>{escape(name_of(answers.cls))}</td><td>{samples}</td><td>{escape(words + unread)}</td></tr>")
    return table(("class", "answers", "places that they name, before any smoothing"), rows) if rows else ""


@facet_html.register
def _mixture(facet: PolicyMixture) -> str:
    said = listed(f"sample {k + 1}: {escape(text)}" for k, text in enumerate(facet.samples))
    rows = []
    for k in sorted(range(len(facet.actions)), key=lambda k: -float(facet.model[k]))[:MOST_ITEMS]:
        even, model = facet.parts(k)
        words = ", then ".join(map(action_words, facet.actions[k]))
        rows.append(f'<tr><td>{escape(words)}</td><td class="n">{percent(model)}</td><td class="n">{percent(even)}</td></tr>')
    return f'<p class="muted">{escape(facet.how)}</p>{said}{table(("action", "from the model", "spread evenly"), rows)}'


@facet_html.register
def _blocking(facet: BlockingTree) -> str:
    children: defaultdict[int, list[BlockingNode]] = defaultdict(list)
    for node in facet.nodes:
        children[node.parent].append(node)
    kinds = {"chosen": "planner", "blocked": "bad", "banned": "bad", "reached": "good"}

    def item(node: BlockingNode) -> str:
        below = "".join(map(item, children[node.id]))
        by = chip("by the operator", "operator") if node.by_operator else ""
        state = chip(node.state, kinds.get(node.state, ""))
        return (f'<li>{escape(named(node.text, name_of))} <span class="muted">{node.kind}</span> {state}{by}'
                f"{f'<ul>{below}</ul>' if below else ''}</li>")

    solved = listed(f"turn {b.step}: {escape(named(b.text, name_of))} no longer blocks "
                    f"{escape(named(b.blocked, name_of))}, by {escape(named(b.by, name_of))}" for b in facet.history)
    ids = {node.id for node in facet.nodes}
    roots = "".join(item(node) for node in facet.nodes if node.parent not in ids)
    return f'<div class="card"><ul class="tree">{roots}</ul></div>{solved}'


@facet_html.register
def _dictionary(facet: StateDictionary) -> str:
    rows = []
    for entry in facet.entries:
        marks = [chip(f"+ {a}", "operator" if a in entry.given else "good") if a in entry.added or a in entry.given else chip(a)
                 for a in entry.attributes]
        gone = [a for a in dict.fromkeys((*entry.removed, *entry.refused)) if a not in entry.attributes]
        marks += [chip(f"− {a}", "operator" if a in entry.refused else "bad") for a in gone]
        rows.append(f'<tr><td>{escape(entry.name)}</td><td>{"".join(marks)}</td><td class="n">{entry.turn or "–"}</td></tr>')
    because = f'<p class="muted">{escape(facet.because)}</p>' if facet.because else ""
    summary = f'<p class="card">{escape(facet.summary)}</p>' if facet.summary else ""
    return because + summary + (table(("object", "believed", "last change in turn"), rows) if rows else "")


@facet_html.register
def _history(facet: StateHistory) -> str:
    return listed((f"{escape(deed.call)}({escape(', '.join(deed.args))}): "
                   f"{'done' if deed.ok else escape(deed.note or deed.why or 'failed')}" for deed in facet.deeds), "ol")


@facet_html.register
def _graph(facet: StateGraph) -> str:
    """Returns the states near the robot: its own, those on its path, and the neighbours of these."""
    core = {facet.here, *facet.path}
    near = core | {e.target for e in facet.edges if e.source in core} | {e.source for e in facet.edges if e.target in core}
    rows = []
    for node in (n for n in facet.nodes if n.id in near):
        marks = chip("here", "planner") if node.id == facet.here else ""
        marks += chip("on the path") if node.id in facet.path and node.id != facet.here else ""
        rows.append(f"<tr><td>{node.id}</td><td>{escape(node.title)} "
                    f'<span class="muted">{escape(node.detail)}</span> {marks}</td><td class="n">{node.value:.2f}</td>'
                    f'<td class="n">{node.bound:.2f}</td><td class="n">{node.visits}</td>'
                    f'<td class="n">{node.tried} of {node.menu}</td></tr>')
    edges = [f"{e.source} → {e.target}: {escape(', '.join(e.actions[:3]))} (reward {e.reward:.2f})" for e in facet.edges
             if e.source in core and e.target in near]
    because = f"<p>The path ends: {escape(facet.because)}</p>" if facet.because else ""
    states = table(("", "state", "value", "bound", "visits", "tried"), rows) if rows else ""
    return f'{because}<p class="muted">{len(facet.nodes)} states; those near the robot</p>{states}{listed(edges)}'


@facet_html.register
def _learnings(facet: Learnings) -> str:
    return listed(f"{escape(a.text)} {chip('by the operator', 'operator') if a.by == 'operator' else ''}" for a in facet.axioms)


@facet_html.register
def _scores(facet: Scores) -> str:
    return fact_list({"Score": f"{facet.score:g} of {facet.most:g}", "Best": f"{facet.best:g}",
                      "Interactions": f"{facet.interactions:,}"})


@facet_html.register
def _program(facet: Program) -> str:
    return _lines(facet.lines, facet.current)


@facet_html.register
def _steps(facet: Steps) -> str:
    return _lines(facet.lines, facet.current)


@facet_html.register
def _table(facet: BlockingTable) -> str:
    """Returns "": the table belongs to the planner, not to one decision."""
    del facet
    return ""


def _lines(lines: tuple[ProgramLine, ...], current: int) -> str:
    rows = (f'<tr><td>{chip("now", "planner") if k == current else escape(line.state)}</td>'
            f'<td><code>{escape(line.text)}</code></td><td class="muted">{escape(line.note)}</td></tr>'
            for k, line in enumerate(lines))
    return table(("", "line", "how it was read"), rows) if lines else ""
