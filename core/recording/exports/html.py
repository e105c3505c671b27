"""One HTML page with everything: pictures, timeline, decisions, calls and labels. Readable offline and without scripts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from core.common.visible import readable
from core.planning.facets import Moment
from core.planning.simulation_facets import Margins
from core.recording.annotations import final
from core.recording.calls import calls
from core.recording.exports.decision_page import decision_page
from core.recording.exports.decisions import Decision, decisions
from core.recording.exports.html_parts import (
    POLICY,
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
    resource,
    table,
)
from core.recording.exports.timeline import Pictures, spread
from core.recording.exports.watch_plots import watch_section
from core.recording.label_turns import TurnLabels, label_words, turns_of
from core.recording.losses import turn_words
from core.recording.mcap_messages import answers_of
from core.recording.reader import Recording
from core.session.annotation import Annotation
from core.session.checked_expressions import Expression
from core.session.outcome import CUT_OFF
from core.session.snapshot import Snapshot
from core.session.turns import Call, Mark, Turn
from core.views.wording import count
from core.world.vocabulary import named

MOST_PICTURES = 150
WIDTH = 416
LEFT_OUT = '<p class="muted">pictures left out to keep this page small</p>'
Calls = dict[tuple[int, int], list[Call]]


def write(recording: Recording, out: Path, decision: Moment | None = None, watches: Sequence[Expression] = (),
          margins: Margins | None = None) -> Path:
    """Writes the page of the episode, or of one decision, with the watched expressions.

    Args:
        recording: the recording.
        out: the file.
        decision: the turn; None: the page of the episode.
        watches: expressions to plot, or to show with their values at the decision.
        margins: what would change the decision; None: that is not known.

    Raises:
        DataError: there is no such decision.
    """
    with out.open("w", encoding="utf-8", errors="replace") as file:
        for part in _page(recording, watches) if decision is None else decision_page(recording, decision, watches, margins):
            file.write(part + "\n")
    return out


def _page(recording: Recording, watches: Sequence[Expression]) -> Iterator[str]:
    end, labels = recording.snapshot_at(), TurnLabels.of(recording)
    made = decisions(recording, labels)
    asked: Calls = defaultdict(list)
    for call in calls(recording):
        asked[call.branch, call.turn].append(call)
    title = recording.metadata.get("goal") or readable(recording.path.stem)
    yield page_head(title, f"{POLICY}; script-src 'unsafe-inline'")
    rules = bool(end.calls) and not any(call.reply is not None and call.reply.is_model for call in end.calls)
    yield _heading(recording, end, title, len(made), rules)
    given = tuple(_on_workclock(a, recording) for a in labels.given if a.role != "done")
    yield "<h2>Timeline</h2>" + _timeline(recording, made, end.marks, final(given))
    yield from _labels(labels, given, made)
    yield watch_section(recording, end, watches)
    yield "<h2>Decisions</h2>" + _filters()
    pictures, wanted = Pictures.of(recording), set(spread(len(made), MOST_PICTURES))
    for number, decision in enumerate(made):
        shots = _shots(pictures, decision.turn) if number in wanted else LEFT_OUT
        yield _decision(number, decision, asked[decision.turn.branch, decision.turn.number], shots)
    if not made:
        yield '<p class="card muted">Nothing was done in this episode.</p>'
        yield from _scene(recording, pictures)
    yield f"</main><script>{resource('page.js')}</script></body></html>"


# --- the top ---------------------------------------------------------------
def _heading(recording: Recording, end: Snapshot, title: str, count: int, rules: bool) -> str:
    about = recording.metadata
    outcome = end.outcome
    result, kind = ("cut off", "warn") if outcome.reason == CUT_OFF else (outcome.words, "good" if outcome.success else "bad")
    facts = {
        "Planner": about.get("planner", ""), "Scene": about.get("scene", ""),
        "Answers from": answers_of(about) + (", not a language model" if rules else ""),
        "Seed": about.get("seed", ""), "Decisions": str(count), "Time": clock(recording.worked),
        "Calls": str(end.model_calls), "Tokens": f"{end.tokens_in:,} in, {end.tokens_out:,} out",
        "Recorded": about.get("began", "")[:16].replace("T", " "),
    }
    branches = _branches(end) if len(end.branches) > 1 else ""
    return (f"{chip(result, kind)}<h1>{escape(title)}</h1>{goal_chips(outcome.progress)}{notice_line(recording)}"
            f"{fact_list(facts)}{branches}")


def _branches(end: Snapshot) -> str:
    """Returns the outcome of each branch; the first line says which one is the episode's."""
    rows = "".join(f"<tr><td>{branch_words(o.branch)}</td><td>{escape(o.words)}</td>"
                   f"<td>{sum(p.reached for p in o.progress)} of {len(o.progress)}</td></tr>" for o in end.outcomes)
    return (f'<p class="muted">The outcome is that of the {branch_words(end.outcome.branch)}.</p>'
            f'{table(("branch", "outcome", "goal"), rows)}')


def _timeline(recording: Recording, made: tuple[Decision, ...], marks: Iterable[Mark],
              labels: Sequence[Annotation]) -> str:
    """Returns the timeline: turns as blocks that link to their decisions, marks above them, a row of each label below.

    Like all times of the page, its clock stands still while the session waits for a person.
    """
    width, scale = 1040.0, 1040.0 / max(recording.worked, 1e-6)
    parts = [f'<svg class="card" viewBox="0 0 1040 {74 + 16 * len({a.label for a in labels})}" role="img" '
             f'aria-label="{len(made)} turns in {clock(recording.worked)}">']
    for number, decision in enumerate(made):
        turn = decision.turn
        left, right = turn.work_began * scale, (turn.work_ended or turn.work_began) * scale
        refused = turn.outcome is not None and not turn.outcome.ok
        stroke = ' stroke="var(--bad)" stroke-width="2" stroke-dasharray="3 2"' if refused else ""
        wide = max(1.0, right - left - 1)
        parts.append(f'<a href="#d{number}"><rect x="{left:.1f}" y="34" width="{wide:.1f}" height="26" rx="3" '
                     f'fill="var(--{turn.by})"{stroke}><title>{turn.number}: {escape(_done(decision))}</title></rect></a>')
    for mark in marks:
        colour = "bad" if mark.kind == "fault" else "operator"
        about = f"{mark.kind}, {turn_words(Moment(mark.branch, mark.turn))}: {named(mark.text, name_of)[:200]}"
        parts.append(f'<path d="M{recording.worked_at(mark.at) * scale:.1f} 30 l-5 -9 h10 z" fill="var(--{colour})">'
                     f"<title>{escape(about)}</title></path>")
    parts += _label_rows(labels, scale)
    for k in range(6):
        x, anchor = k * width / 5, ("start", "middle", "end")[(k > 0) + (k == 5)]
        parts.append(f'<text x="{x:.0f}" y="12" text-anchor="{anchor}">{clock(recording.worked * k / 5)}</text>')
    return "".join(parts) + "</svg>"


def _label_rows(labels: Sequence[Annotation], scale: float) -> Iterator[str]:
    names = dict.fromkeys(a.label for a in labels)
    for row, name in enumerate(names):
        y, own, end = 70 + 16 * row, [a for a in labels if a.label == name], 0.0
        for a in own:
            wide = max(4.0, ((a.until if a.until is not None else a.at) - a.at) * scale)
            end = max(end, a.at * scale + wide)
            yield (f'<rect x="{a.at * scale:.1f}" y="{y}" width="{wide:.1f}" height="10" rx="2" fill="var(--operator)">'
                   f"<title>{escape(a.label)} ({escape(a.annotator or 'somebody')})</title></rect>")
        side = f'x="{end + 6:.1f}"' if end < 860 else f'x="{own[0].at * scale - 6:.1f}" text-anchor="end"'
        yield f'<text {side} y="{y + 9}">{escape(name)}</text>'


def _labels(labels: TurnLabels, given: tuple[Annotation, ...], made: tuple[Decision, ...]) -> Iterator[str]:
    """Yields the table of all labels by time, including overrides, because an override is a judgement of the decision."""
    on_wall = {a.id: a for a in labels.given}
    rows = [(a.at, _span(a), _turns(labels, on_wall[a.id]), label_words(a)) for a in given]
    rows += [(d.turn.work_began, clock(d.turn.work_began), turn_words(d.turn.moment), f"override · {_done(d)}")
             for d in made if d.turn.by == "operator"]
    if rows:
        cells = [f"<tr><td>{when}</td><td>{turn}</td><td>{escape(words)}</td></tr>" for _, when, turn, words in sorted(rows)]
        yield f"<h2>Labels</h2>{table(('when', 'counts in', 'label'), cells)}"


def _turns(labels: TurnLabels, a: Annotation) -> str:
    """Returns the turns in which a label counts, in words."""
    words = [turn_words(moment, labels.state(moment)) for moment in turns_of(a, labels.spans)]
    return words[0] if len(words) == 1 else f"{words[0]} to {words[-1]}"


def _on_workclock(a: Annotation, recording: Recording) -> Annotation:
    return replace(a, at=recording.worked_at(a.at), until=None if a.until is None else recording.worked_at(a.until))


def _span(a: Annotation) -> str:
    return f"{clock(a.at)} to {clock(a.until)}" if a.until is not None else clock(a.at) + (", still open" if a.state else "")


def _filters() -> str:
    kinds = {"operator": "by the operator", "refused": "refused", "labelled": "labelled", "asked": "with calls"}
    boxes = "".join(f'<label><input type="checkbox" value="{k}"> {text}</label>' for k, text in kinds.items())
    return f'<div class="bar"><input type="search" id="find" placeholder="Find in decisions, prompts and replies">{boxes}' \
           '<span class="muted" id="shown"></span></div>'


# --- one decision ----------------------------------------------------------
def _decision(number: int, decision: Decision, asked: list[Call], shots: str) -> str:
    turn = decision.turn
    refused = turn.outcome is not None and not turn.outcome.ok
    kinds = [turn.by] + ["refused"] * refused + ["labelled"] * bool(decision.labels) + ["asked"] * bool(asked)
    chips = [f'<span class="chip {turn.by}">{turn.by}</span>']
    if refused and turn.outcome is not None:
        chips.append(f'<span class="chip bad">✕ refused: {escape(named(turn.outcome.reason, name_of))}</span>')
    chips += [f'<span class="chip operator">{escape(label_words(a))}</span>' for a in decision.labels]
    why = f"<p>{escape(named(turn.because, name_of))}</p>" if turn.because else ""
    instead = f'<p class="muted">instead of {escape(action_words(turn.instead_of))}</p>' if turn.instead_of else ""
    branch = f" · branch {turn.branch}" if turn.branch else ""
    return (f'<article class="card turn" id="d{number}" data-kinds="{" ".join(kinds)}"><div><header><span class="number">'
            f"{clock(turn.work_began)} · {turn.number}{branch}</span><h3>{escape(_done(decision))}</h3></header>{why}{instead}"
            f'<div>{"".join(chips)}</div><div class="muted">{cost_words(turn)}</div></div>{shots}{_calls(asked)}</article>')


def _done(decision: Decision) -> str:
    done = decision.turn.done
    return "nothing" if done is None else action_words(done)


def _calls(asked: list[Call]) -> str:
    if not asked:
        return ""
    inner = "".join(f'<p class="muted">{escape(call_head(call))}</p>{call_texts(call)}' for call in asked)
    return f"<details><summary>{count(len(asked), 'call')}</summary>{inner}</details>"


def _scene(recording: Recording, pictures: Pictures) -> Iterator[str]:
    """Yields the pictures of the only turn of an episode without decisions, as of one whose goal held at the start."""
    for turn in recording.turns()[-1:]:
        shots = "".join(figure(shot, view, turn.number, WIDTH) for view in pictures.views
                        if (shot := pictures.before(view, turn)) is not None)
        yield f'<article class="card turn"><div class="shots">{shots}</div></article>' if shots else ""


def _shots(pictures: Pictures, turn: Turn) -> str:
    """Returns the turn's own pictures, and those after its action if there are any; a text where a picture is missing."""
    found = [figure(pictures.before(view, turn), view, turn.number, WIDTH) for view in pictures.views]
    later = ((view, pictures.after(view, turn)) for view in pictures.views)
    after = [figure(shot, view, turn.number, WIDTH) for view, shot in later if shot is not None]
    rows = "".join(f'<div class="shots">{"".join(row)}</div>' for row in (found, after) if row)
    return f"<div>{rows}</div>" if rows else ""


