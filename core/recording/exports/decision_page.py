"""One HTML page of one decision: everything a recording holds of one turn of one branch. Needs no other file and no script."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape

import numpy as np

from core.common.visible import readable
from core.planning.belief_facets import Belief
from core.planning.explanation import ALONE, Sentence
from core.planning.facets import Frame, GoalProgress, Grounded, Grounding, Moment, heading_of, view_of
from core.planning.search_facets import Ranking, SearchTree, TreeNode
from core.planning.simulation_facets import Margins
from core.recording.exports.html_parts import (
    action_words,
    branch_words,
    call_head,
    call_texts,
    chip,
    clock,
    cost_words,
    fact_list,
    figure,
    goal_chips,
    name_of,
    notice_line,
    page_head,
    percent,
    table,
)
from core.recording.exports.timeline import Pictures
from core.recording.exports.view_html import view_html
from core.recording.exports.watch_plots import watched_values
from core.recording.label_turns import TurnLabels, label_words
from core.recording.mcap_messages import answers_of
from core.recording.reader import Recording
from core.recording.takeover import commands_by_turn
from core.session.annotation import Annotation
from core.session.checked_expressions import Expression
from core.session.command import Wording
from core.session.events import CommandTaken, Shown
from core.session.explaining import evidence_of, explain, others_of
from core.session.flip_words import CHANGES, margin_lines
from core.session.snapshot import Snapshot
from core.session.turns import Call, Turn
from core.views.wording import count
from core.world.vocabulary import Action, definite, named

MOST_ROWS, MOST_CHILDREN = 40, 6
"""Rows of the ranking, and branches of the tree beside each action of the best line."""
MOST_CALLS, MOST_PROMPT, MOST_TEXT = 60, 60_000, 1_000_000
"""Calls, characters of a prompt or reply, and of all together: a page should stay under 3 MB."""
MOST_OTHERS = 3
"""Actions that the choice is compared with."""
LEAST_BELIEF = 0.005
"""Places in which no listed object has this probability are left out."""
WIDTH = 640
"""Pixels of a picture's longer side."""
OWN_SECTION = (Frame, GoalProgress, Grounded, Ranking, SearchTree, Belief)


def decision_page(recording: Recording, moment: Moment, watches: Sequence[Expression] = (),
                  margins: Margins | None = None) -> Iterator[str]:
    """Yields the page in parts.

    Args:
        recording: the recording.
        moment: the turn.
        watches: expressions whose values are shown.
        margins: what would change the decision, which no recording holds; None: that is not known.

    Values are those at the end of the decision: when its action was executed, or, in a turn without one, when the run left it.

    Raises:
        DataError: the recording holds no such turn, or a part of it is damaged.
    """
    number = recording.decided_at(moment)
    now = recording.snapshot_at(number)
    turn = now.current or next(t for t in reversed(now.turns) if t.moment == moment)
    calls = [c for c in now.calls if (c.branch, c.turn) == (moment.branch, moment.turn)]
    calls += [c for c in now.waiting if (c.branch, c.turn) == (moment.branch, moment.turn)]
    yield _heading(recording, now, turn)
    yield _pictures(Pictures.of(recording), turn, recording.snapshot_at())
    yield _interventions(commands_by_turn(recording, number)[moment], turn)
    yield _labels(TurnLabels.of(recording).by_turn.get(moment, ()))
    yield _why(now)
    yield _flips(margins)
    yield watched_values(now, watches)
    if (ranking := now.fresh(Ranking)) is not None and ranking.actions:
        yield _ranking(ranking, turn, now)
    if (tree := now.fresh(SearchTree)) is not None and tree.nodes:
        yield _tree(tree)
    if (belief := now.fresh(Belief)) is not None:
        yield _belief(belief)
    yield _calls(calls, _groundings(recording, moment, number))
    for kind, (facet, shown) in now.facets.items():
        if kind not in OWN_SECTION and not facet.describes_planner and (body := view_html(view_of(facet))):
            older = "" if shown == moment else f'<p class="muted">as shown in turn {shown.turn}, unchanged since</p>'
            yield f"<h2>{escape(heading_of(kind))}</h2>{older}{body}"
    yield (f'<p class="muted">From {escape(readable(recording.path.name))}, run {recording.identity}. '
           f"Only what this recording holds of the turn is shown.</p></main></body></html>")


# --- the top ---------------------------------------------------------------
def _heading(recording: Recording, now: Snapshot, turn: Turn) -> str:
    about, goal = recording.metadata, recording.metadata.get("goal", "")
    done = action_words(turn.done) if turn.done is not None else "no action"
    refused = turn.outcome is not None and not turn.outcome.ok
    chips = [chip(f"chosen by the {turn.by}", turn.by)]
    if turn.outcome is not None and refused:
        chips.append(chip(f"✕ refused: {named(turn.outcome.reason, name_of)}", "bad"))
    if turn.outcome is None:
        chips.append(chip("not executed", "warn"))
    why = f"<p>{escape(named(turn.because, name_of))}</p>" if turn.because else ""
    instead = f'<p class="muted">instead of {escape(action_words(turn.instead_of))}</p>' if turn.instead_of else ""
    facts = {
        "Turn": f"{turn.number}, {branch_words(turn.branch)}", "Planner": about.get("planner", ""),
        "Scene": about.get("scene", ""), "Answers from": answers_of(about), "Seed": about.get("seed", ""),
        "Began after": clock(turn.work_began), "Recorded": about.get("began", "")[:16].replace("T", " "),
    }
    title = f"Turn {turn.number}: {done}"
    return (f"{page_head(title)}{''.join(chips)}<h1>{escape(title)}</h1>{why}{instead}<p>{escape(goal)}</p>"
            f"{goal_chips(now.progress)}{notice_line(recording)}{fact_list(facts)}"
            f'<p class="muted">{cost_words(turn)}</p>')


def _pictures(pictures: Pictures, turn: Turn, end: Snapshot) -> str:
    """Returns the pictures before and after the action. The beginning of the next turn counts as after it."""
    following = next((t for t in end.turns if t.moment == Moment(turn.branch, turn.number + 1)), None)
    rows = []
    for view in pictures.views:
        after = pictures.after(view, turn)
        if after is None and following is not None and (later := pictures.before(view, following)) is not None:
            after = replace(later, phase="after")
        shots = [figure(shot, view, turn.number, WIDTH) for shot in (pictures.before(view, turn), after)]
        rows.append(f'<div class="shots wide">{"".join(shots[:1] if after is None else shots)}</div>')
    return f"<h2>Before and after</h2>{''.join(rows)}" if rows else ""


def _interventions(taken: Sequence[CommandTaken], turn: Turn) -> str:
    """Returns what the operator changed in the turn."""
    lines = [x.command.line(Wording(action_words, name_of, before=x.before)) for x in taken if x.command.is_intervention]
    rows = "".join(f"<li>{escape(named(line, name_of))}</li>" for line in lines if line)
    if not rows and turn.by == "operator" and turn.done is not None:
        rows = f"<li>Override: {escape(action_words(turn.done))}</li>"
    return f'<h2>Interventions of the operator</h2><ul class="card list">{rows}</ul>' if rows else ""


def _labels(labels: Sequence[Annotation]) -> str:
    rows = "".join(f"<li>{escape(label_words(a))}</li>" for a in labels)
    return f'<h2>Labels</h2><ul class="card list">{rows}</ul>' if rows else ""


def _why(now: Snapshot) -> str:
    """Returns why the planner's action was chosen and not the next best ones, as far as there is evidence.

    The sentences are those of the window's panel. Each is told once; without another action, the choice is explained alone.
    """
    evidence, parts, told = evidence_of(now), list[str](), set[str]()
    if evidence is None:
        return ""
    chosen = action_words(evidence.chosen) if evidence.chosen is not None else "no action"
    for other in (*others_of(now, evidence)[:MOST_OTHERS], None):
        if other is None and parts:
            break
        sentences = [s for s in explain(now, other, evidence) if s.text not in told and (other is None or s.claim not in ALONE)]
        told |= {s.text for s in sentences}
        items = "".join(f"<li>{escape(named(s.text, name_of))} {_source(s)}</li>" for s in sentences)
        if items:
            title = chosen if other is None else f"{chosen} and not {action_words(other)}"
            parts.append(f'<article class="card"><h3>{escape(title)}</h3><ul>{items}</ul></article>')
    return f"<h2>Why</h2>{''.join(parts)}" if parts else ""


class _PageNames:
    """How the page calls objects and actions."""

    def definite(self, entity_id: str) -> str:
        return definite(name_of(entity_id))

    def with_names(self, text: str) -> str:
        return named(text, name_of)

    def phrase(self, action: Action) -> str:
        return action_words(action)


def _flips(margins: Margins | None) -> str:
    """Returns what would change the decision."""
    if margins is None:
        return ""
    items = "".join(f"<li>{escape(line)}</li>" for line in margin_lines(margins, _PageNames()))
    return f'<h2>{CHANGES}</h2><ul class="card list">{items}</ul>'


def _source(sentence: Sentence) -> str:
    """Returns where the figures of a sentence are from, besides the actions that it names."""
    return f'<span class="muted">{escape("; ".join(x.label for x in sentence.evidence if x.action is None))}</span>'


# --- the search --------------------------------------------------------------
def _ranking(ranking: Ranking, turn: Turn, now: Snapshot) -> str:
    """Returns the ranked actions; their figures only if a search made them."""
    rows = []
    for place, ranked in enumerate(ranking.actions[:MOST_ROWS], 1):
        first = ranked.steps[0] if ranked.steps else None
        words = ", then ".join(map(action_words, ranked.steps))
        is_chosen = first is not None and first == turn.done
        marks = (chip("chosen", turn.by) if is_chosen else "") + (chip("banned", "bad") if first in now.banned else "")
        value = "–" if ranked.value is None else f"{ranked.value:.2f}"
        loss = "–" if ranked.loss is None else "best" if ranked.loss == 0 else f"{ranked.loss:.2f}"
        figures = (percent(ranked.prior), f"{ranked.visits:,}", percent(ranked.share), value, loss) if ranking.budget else ()
        cells = "".join(f'<td class="n">{text}</td>' for text in figures)
        rows.append(f"<tr><td>{place}</td><td>{escape(words)} {marks}</td>{cells}</tr>")
    more = len(ranking.actions) - MOST_ROWS
    rest = f'<p class="muted">{more} more actions</p>' if more > 0 else ""
    searched = f'<p class="muted">{ranking.simulations:,} of {ranking.budget:,} simulations</p>' if ranking.budget else ""
    head = ("", "action", "prior", "visits", "share", "value", "loss") if ranking.budget else ("", "action")
    return f"<h2>Ranking</h2>{searched}{table(head, rows)}{rest}"


def _tree(tree: SearchTree) -> str:
    """Returns the best line, with what was searched beside each of its actions."""
    children: defaultdict[int, list[TreeNode]] = defaultdict(list)
    for node in tree.nodes:
        children[node.parent].append(node)
    best, roots = frozenset(tree.expected), children[-1]
    folded = f"; {tree.folded:,} nodes are not in the recording" if tree.folded else ""
    return (f'<h2>Search tree</h2><p class="muted">the best line is marked{folded}</p><div class="card"><ul class="tree">'
            f"{''.join(_node(root, children, best) for root in roots)}</ul></div>")


def _node(node: TreeNode, children: dict[int, list[TreeNode]], best: frozenset[int]) -> str:
    below = sorted(children[node.id], key=lambda n: (n.id not in best, -n.visits))
    on_line = node.id in best or node.parent == -1
    listed = below[:MOST_CHILDREN] if on_line else []
    left = below[len(listed):]
    inner = "".join(_node(child, children, best) for child in listed)
    if left:
        visits = sum(n.visits for n in left)
        inner += f'<li class="muted">+ {len(left)} not shown, {count(visits, "visit")}</li>'
    words = "now" if node.action is None else action_words(node.action)
    seen = "".join(f" · {escape(thing)} in {escape(name_of(place))}" for thing, place in node.observed)
    goal = chip("goal reached", "good") if node.reached else ""
    line = (f'{escape(words)}{seen} <span class="muted">visits {node.visits:,}, value {node.value:.2f}, '
            f"prior {percent(node.prior)}</span> {goal}")
    line = f"<b>{line}</b>" if node.id in best else line
    return f"<li>{line}{f'<ul>{inner}</ul>' if inner else ''}</li>"


def _belief(belief: Belief) -> str:
    """Returns a column for each object that the goal names (for all if it names none), over the places where they may be."""
    objects = [k for k, wanted in enumerate(belief.wanted) if wanted] or list(range(len(belief.objects)))
    if not objects:
        return ""
    places = np.flatnonzero((belief.probability[objects] >= LEAST_BELIEF).any(axis=0)).tolist()
    rows = [f"<tr><td>{escape(name_of(belief.places[place]))}</td>{''.join(_cell(belief, k, place) for k in objects)}</tr>"
            for place in places]
    found = [f"{name_of(located)}, found" if (located := belief.located[k]) else belief.called(k)
             for k in objects]
    note = (f"○ looked there · pinned or ruled out: by the operator · in brackets what it was before any observation, if it "
            f"differs · places with less than {percent(LEAST_BELIEF)} are left out")
    return f'<h2>Belief</h2><div class="scroll">{table(("place", *found), rows)}</div><p class="muted">{note}</p>'


def _cell(belief: Belief, row: int, place: int) -> str:
    chance = float(belief.probability[row, place])
    marks = [word for word, holds in (("○", belief.looked[place]), ("pinned", belief.pinned[row, place]),
                                      ("ruled out", belief.zeroed[row, place])) if holds]
    heat, now, before = round(100 * chance ** 0.5), percent(chance), percent(float(belief.prior[row, place]))
    marks += [f"({before})"] if before != now and (chance > 0 or marks) else []
    return (f'<td style="background:color-mix(in srgb,var(--heat) {heat}%,transparent)">{now if chance > 0 else ""} '
            f'<span class="muted">{" ".join(marks)}</span></td>')


# --- the model ---------------------------------------------------------------
def _groundings(recording: Recording, moment: Moment, number: int) -> dict[str, list[Grounding]]:
    """Returns how the replies of the turn were interpreted, by the digest of their prompts."""
    found: defaultdict[str, list[Grounding]] = defaultdict(list)
    for event in recording.of_kind("Grounded"):
        what = event.what
        if event.number <= number and event.moment == moment and isinstance(what, Shown) and isinstance(what.facet, Grounded):
            for grounding in what.facet.replies:
                found[grounding.prompt].append(grounding)
    return found


def _calls(calls: Sequence[Call], groundings: dict[str, list[Grounding]]) -> str:
    if not calls:
        return ""
    parts, most = [], min(MOST_PROMPT, MOST_TEXT // (2 * min(len(calls), MOST_CALLS)))
    for call in calls[:MOST_CALLS]:
        read = "".join(f"<p>{escape(_reading(g))}</p>" for g in groundings.get(call.ask.digest, ()))
        whose = chip("asked by the operator, beside the run", "operator") if call.by == "operator" else ""
        note = f'<p class="muted">{escape(call.reply.note)}</p>' if call.reply is not None and call.reply.note else ""
        parts.append(f'<article class="card"><h3>Call {call.id} {whose}</h3><p class="muted">{escape(call_head(call))}</p>'
                     f"{call_texts(call, most)}{note}{read}</article>")
    more = f'<p class="muted">{len(calls) - MOST_CALLS} more calls</p>' if len(calls) > MOST_CALLS else ""
    return f"<h2>Calls to the model</h2>{''.join(parts)}{more}"


def _reading(grounding: Grounding) -> str:
    """Returns in a line how a reply was read."""
    said = f"“{grounding.said}”" if grounding.said else "The reply"
    if grounding.remark:
        return f"{said}: {grounding.remark}"
    if not grounding.meant:
        return f"{said} was read as none of the choices"
    second = f"; the next best is {grounding.runner_up} ({percent(grounding.runner_up_score)})" if grounding.runner_up else ""
    return f"{said} was read as {grounding.meant} ({grounding.how}, {percent(grounding.score)}){second}"
