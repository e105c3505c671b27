"""The options of an override: every listed action with the planner's ranking, or why it is not possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.planning.facets import Plan, RankedAction, Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action, Verdict
from gui.widgets import Names


@dataclass(frozen=True, slots=True)
class Option:
    """One action.

    Attributes:
        action: the action.
        phrase: the action as text.
        verdict: whether it is possible, and if not, why.
        ranked: its place in the planner's ranking, or None.
    """

    action: Action
    phrase: str
    verdict: Verdict
    ranked: RankedAction | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """A line between options."""

    text: str


Entry = Option | Heading


def planners_choice(snapshot: Snapshot) -> Action | None:
    """The action that the planner would do next, or None if it is not known."""
    if snapshot.current is not None and snapshot.current.action is not None:
        return snapshot.current.action
    ranking, plan = snapshot.fresh(Ranking), snapshot.fresh(Plan)
    if plan is not None and plan.actions:
        return plan.actions[0]  # a ranking may be from an earlier decision, whose first steps are done
    return ranking.actions[0].steps[0] if ranking is not None and ranking.actions else None


def numbers(snapshot: Snapshot) -> Mapping[Action, RankedAction]:
    """First action -> the best entry of the planner's ranking that begins with it."""
    ranking = snapshot.fresh(Ranking)
    found: dict[Action, RankedAction] = {}
    for ranked in ranking.actions if ranking is not None else ():
        if ranked.steps:
            found.setdefault(ranked.steps[0], ranked)
    return found


def make_options(listed: Iterable[tuple[Action, Verdict]], known: Mapping[Action, RankedAction],
                 names: Names) -> tuple[Option, ...]:
    """Returns the options in order: possible ones by visits, then prior; then impossible ones, those with a remedy first."""
    found = [Option(action, names.phrase(action), verdict, known.get(action) if verdict.ok else None)
             for action, verdict in listed]
    return tuple(sorted(found, key=_order))


def _order(option: Option) -> tuple[bool, int, float, bool, str]:
    ranked = option.ranked
    visits, prior = (ranked.visits, ranked.prior) if ranked is not None else (-1, 0.0)
    return not option.verdict.ok, -visits, -prior, option.verdict.remedy is None, option.phrase


def matching(options: Sequence[Option], text: str, *, impossible: bool) -> tuple[Entry, ...]:
    """Returns the options that match the typed text: every word begins a word of the phrase.

    Impossible ones are under a heading.
    """
    words = text.lower().split()
    fitting = [o for o in options if _matches(o, words)]
    possible = [o for o in fitting if o.verdict.ok]
    rest = [o for o in fitting if not o.verdict.ok] if impossible else []
    return (*possible, *((Heading("Not possible now"),) if rest else ()), *rest)


def _matches(option: Option, words: Sequence[str]) -> bool:
    theirs = option.phrase.lower().split()
    return all(any(own.startswith(word) for own in theirs) for word in words)
