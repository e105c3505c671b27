"""Texts about a snapshot: budgets and state for the bar and the status line, and how old a panel's content is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from core.llm.budget import Price
from core.llm.human import Human
from core.llm.model import Partial, prompt_tokens
from core.planning.facets import Facet, Moment, Plan
from core.planning.search_facets import Ranking, SearchTree
from core.session.pace import DEFAULT_PACE
from core.session.snapshot import Snapshot
from core.session.turns import Call, Mark, Turn
from core.world.vocabulary import Action
from gui.widgets import Names, numbers
from gui.widgets.meter import Reading

PartialOf = Callable[[int], Partial | None]
"""Returns the part of the reply to a call that has arrived so far."""
PriceOf = Callable[[str], Price | None]
"""Returns the price of an answerer, or None if it is not known."""


def budget_of(snapshot: Snapshot, most_steps: int | None, compiling: str) -> tuple[Reading, Reading, Reading, Reading, Reading]:
    """Returns the readings of the five meters: simulations, model calls, tokens, this turn, steps.

    Args:
        snapshot: the state of the run.
        most_steps: shown if the run does not say how many it may take.
        compiling: what the search waits for until it is compiled; empty if nothing.
    """
    ranking = snapshot.fresh(Ranking)
    done, limit = (ranking.simulations, ranking.budget) if ranking is not None else (0, 0)
    simulations = Reading(numbers.NOTHING)
    if limit:
        simulations = Reading(numbers.whole(done), f"/{numbers.compact(limit)}", done / limit)
    tokens, limits = snapshot.tokens_in + snapshot.tokens_out, snapshot.limits
    most, steps = snapshot.most_steps or most_steps, len(snapshot.line)
    return (
        simulations,
        _limited(numbers.whole(snapshot.model_calls), snapshot.model_calls, limits.calls),
        _limited(numbers.compact(tokens), tokens, limits.tokens),
        _turn(snapshot, ranking, compiling),
        Reading(numbers.whole(steps), f"/{most}" if most else "", steps / most if most else None),
    )


def _limited(used: str, count: int, limit: int | None) -> Reading:
    if limit is None:
        return Reading(used)
    return Reading(used, f"/{numbers.compact(limit)}", count / limit if limit else 1.0)


def _turn(snapshot: Snapshot, ranking: Ranking | None, compiling: str) -> Reading:
    """The estimated time left of the search; without a search, the time the turn has taken; or why that does not count now."""
    if snapshot.current is None or snapshot.status in ("paused", "ended", "idle"):
        return Reading(numbers.NOTHING)
    if snapshot.status == "waiting" and asks_operator(snapshot):
        return Reading("your answer")
    if snapshot.status == "thinking" and compiling:
        return Reading("compiling")
    gone = max(0.0, snapshot.worked - snapshot.current.work_began)
    if ranking is not None and 0 < ranking.simulations < ranking.budget and gone > 0.05:
        share = ranking.simulations / ranking.budget
        return Reading(f"{numbers.seconds(gone / share * (1 - share))} left", "", min(share, 0.79))
    return Reading(numbers.seconds(gone))


def asks_operator(snapshot: Snapshot) -> bool:
    """Returns True if the operator answers the requests of the run."""
    return snapshot.source is not None and snapshot.source.provider == Human.name


def state_words(snapshot: Snapshot, begun: bool, phase: str) -> tuple[str, str]:
    """Returns the state of the run and its tone, for the left end of the status line."""
    if phase == "preparing" and snapshot.status == "idle":
        return "○ Opening the scene", "muted"
    if phase == "stopping":
        return "○ Stopping", "muted"
    if not begun and snapshot.ended is None:
        return "○ Ready", "muted"
    return _status_words(snapshot)


def run_word(running: bool, replaying: bool, *, can_run_again: bool) -> str:
    """Returns what the button that runs and pauses does now, in a word or two."""
    return "Pause" if running else "Play" if replaying else "Run again" if can_run_again else "Run"


def _status_words(snapshot: Snapshot) -> tuple[str, str]:
    match snapshot.status:
        case "waiting":
            return f"● Waiting for {'your answer' if asks_operator(snapshot) else 'the model'}", "accent"
        case "paused" if snapshot.held:
            return f"● Held for {snapshot.held:g} s", "accent"
        case "paused":
            return "○ Paused", "warn"
        case "failed":
            return "■ Stopped by an error", "bad"
        case "ended":
            reached = snapshot.ended is not None and snapshot.ended.success
            return ("● Goal reached", "good") if reached else ("○ Ended", "muted")
        case "idle":
            return "○ Ready", "muted"
    return ("● Searching", "accent") if snapshot.fresh(SearchTree) is not None else ("● Thinking", "accent")


def most_cost(calls: Sequence[Call], price: PriceOf) -> float | None:
    """The most that some waiting calls can cost, in the currency of the prices, or None if one of them has no price."""
    total = 0.0
    for call in calls:
        found, ask = price(call.source), call.ask
        if found is None:
            return None
        prompt = prompt_tokens(ask)
        total += found.of(prompt, max(1, ask.samples) * ask.max_tokens)
    return total


def waiting_words(calls: Sequence[Call], elapsed: float, partial: PartialOf, price: PriceOf) -> str:
    """Describes the waiting calls by purpose, time, tokens and greatest cost: `policy · 4.2 s · 31 tokens · up to 0.0042`."""
    purposes = dict.fromkeys(call.ask.purpose for call in calls)
    what = ", ".join(purposes) if len(calls) == 1 else f"{numbers.count(len(calls), 'answer')}: {', '.join(purposes)}"
    parts = [what, numbers.seconds(elapsed)]
    tokens = sum(found.tokens for call in calls if (found := partial(call.id)) is not None)
    parts += [numbers.count(tokens, "token")] if tokens else []
    cost = most_cost(calls, price)
    parts += [f"up to {cost:.4f}"] if cost else []
    return " · ".join(parts)


def detail_words(snapshot: Snapshot, names: Names) -> str:
    """Turn and numbers beside the state: `turn 7 · 312 nodes · 1,140 simulations/s`."""
    parts = [f"turn {snapshot.turn}"] if snapshot.turn else []
    parts += [changed] if (changed := world_change_words(snapshot.world_changes)) else []
    tree, ranking = snapshot.fresh(SearchTree), snapshot.fresh(Ranking)
    if tree is not None:
        parts.append(numbers.count(len(tree.nodes) + tree.folded, "node"))
    if ranking is not None and snapshot.current is not None:
        gone = snapshot.worked - snapshot.current.work_began
        if gone > 0.1 and ranking.simulations and snapshot.status == "thinking":
            parts.append(f"{numbers.whole(round(ranking.simulations / gone))} simulations/s")
    if snapshot.pace != DEFAULT_PACE and snapshot.ended is None:
        parts.append(snapshot.pace.words)
    told = snapshot.pause in ("", "asked to", snapshot.pace.words) or snapshot.pause.startswith("breakpoint: ")
    if snapshot.status == "paused" and not told:
        parts.append(names.with_names(snapshot.pause))
    return " · ".join(parts)


def world_change_words(changes: Iterable[Mark]) -> str:
    """Returns in which turns the operator changed the world: `world changed in turns 3 and 5`; empty if in none."""
    *others, last = [str(turn) for turn in dict.fromkeys(mark.turn for mark in changes)] or [""]
    before = f"turns {', '.join(others)} and" if others else "turn"
    return f"world changed in {before} {last}" if last else ""


def considered(snapshot: Snapshot, turn: Turn) -> tuple[Action | None, str]:
    """Returns what the turn under way is about, and the word before it.

    This is the action being done (`now`), or the best one so far (`considering`). Without an action, the word says what the run
    does: `thinking` or `paused`.
    """
    if turn.action is not None:
        return turn.action, "now"
    plan, ranking = snapshot.fresh(Plan), snapshot.fresh(Ranking)
    if plan is not None and plan.actions:
        return plan.actions[0], "considering"  # a ranking may be from an earlier decision, whose first steps are done
    if ranking is not None and ranking.actions:
        return ranking.actions[0].steps[0], "considering"
    return None, "paused" if snapshot.status == "paused" else "thinking"


AT_REST = frozenset({"paused", "failed", "ended"})
"""States in which the run does not move on, so that a person reads what is shown."""


def staleness(snapshot: Snapshot, kind: type[Facet], new: str) -> str:
    """Returns `From turn 6 · new search in a moment`.

    Empty if the newest facet of the kind is from the present turn, or about a choice that the present turn continues.

    Args:
        snapshot: the moment shown.
        kind: the facet that the panel shows.
        new: what will replace it: `new search`.
    """
    moment = snapshot.moment_of(kind)
    if moment is None or snapshot.is_present(moment):
        return ""
    plan = snapshot.fresh(Plan)
    if plan is not None and plan.continues:
        return ""
    place = f"From {_place(moment, snapshot)}"
    if snapshot.ended is not None:
        return place
    return f"{place} · {new} {'when the run goes on' if snapshot.status == 'paused' else 'in a moment'}"


def age(snapshot: Snapshot, kinds: Iterable[type[Facet]]) -> str:
    """Returns `from turn 6` if the run is at rest and no facet of these kinds is from the present turn, otherwise empty."""
    moments = {moment for kind in kinds if (moment := snapshot.moment_of(kind)) is not None}
    if not moments or any(map(snapshot.is_present, moments)) or snapshot.status not in AT_REST:
        return ""
    return f"from {_place(max(moments, key=lambda moment: moment.turn), snapshot)}"


def _place(moment: Moment, snapshot: Snapshot) -> str:
    """Formats the turn, with its branch if the present branch also has a turn of that number."""
    if moment.branch == snapshot.branch or moment.turn < snapshot.turn:
        return f"turn {moment.turn}"
    return f"turn {moment.turn} of {f'branch {moment.branch}' if moment.branch else 'the main line'}"


def branch_name(number: int) -> str:
    """Returns the name of a branch. Branch 0 is the main line, from which the others fork."""
    return f"branch {number}" if number else "main line"
