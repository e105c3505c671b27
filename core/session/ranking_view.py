"""The ranking at one moment as a view: what the planner chose, what is banned, and what would change the choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from core.goals.literals import Goal
from core.planning.facets import Plan
from core.planning.search_facets import LOSS, MEAN_RETURN, PRIOR, VISITS, PolicyMixture, RankedAction, Ranking
from core.planning.simulation_facets import Margins
from core.session.flip_words import IDS, flip_of, margin_words, near_words, nearest
from core.session.snapshot import Snapshot
from core.views.values import BANNED, CHOSEN, About, Cell, Column, Item, Mark, Table
from core.views.wording import count, lead, whole
from core.world.vocabulary import Action, in_words

FLIPS = Column("flips", "text", "the prior at which the choice changes to this action, or away from it", -1)


def choice_of(snapshot: Snapshot) -> RankedAction | None:
    """Returns the action of the newest ranking that the planner chose. Of a finished search that is the first one.

    None while it has not chosen one of them.
    """
    ranking, plan = snapshot.facet(Ranking), snapshot.facet(Plan)
    if ranking is None or not ranking.actions:
        return None
    if plan is None or (not plan.continues and snapshot.moment_of(Plan) != snapshot.moment_of(Ranking)):
        return ranking.actions[0] if 0 < ranking.budget <= ranking.simulations else None
    if not plan.actions:
        return None
    return next((r for r in ranking.actions if r.steps[-len(plan.actions):] == plan.actions), None)


def mixture_of(snapshot: Snapshot) -> PolicyMixture | None:
    """Returns the parts of the priors if they were shown in the turn of the ranking."""
    is_same = snapshot.moment_of(PolicyMixture) == snapshot.moment_of(Ranking)
    return snapshot.facet(PolicyMixture) if is_same else None


def ranking_view(now: Snapshot, margins: Margins | None = None, *, goal: Goal | None = None, parts: PolicyMixture | None = None,
                 order: Sequence[Action] = ()) -> Table:
    """Returns the actions, best first, then those that are banned. An action is called what its last step is.

    Args:
        now: the moment, at which there is a ranking.
        margins: what would change the decision; None: that is not known.
        goal: lists only actions about objects of this goal; None: all actions.
        parts: shows how the priors are made, in place of visits and values; None: visits and values.
        order: the order to keep while rows must not move.
    """
    ranking, chosen = now.facet(Ranking), choice_of(now)
    assert ranking is not None, "there is one"
    searched = ranking.budget > 0 or any(r.visits for r in ranking.actions)
    ranked = [r for r in ranking.actions if r.steps and r.steps[-1] not in now.banned]
    kept = [r for r in ranked if goal is None or is_about(goal, r.steps[-1])]
    if order:
        place = {action: k for k, action in enumerate(order)}
        kept.sort(key=lambda r: place.get(r.steps[-1], len(place)))
    index = {steps: k for k, steps in enumerate(parts.actions)} if parts is not None else {}
    flips = _flips([r.steps[-1] for r in kept], margins) if parts is None else {}
    with_flips = any(short for short, _ in flips.values())
    rows = list[Item]()
    for r in kept:
        short, told = flips.get(r.steps[-1], ("", ()))
        numbers: tuple[Cell, ...] = (r.prior, r.visits, r.value, r.loss) if searched else (r.prior,)
        values = parts.values(index.get(r.steps), r.prior) if parts is not None else (*[short or None] * with_flips, *numbers)
        rows.append(_item(r.steps, values, (CHOSEN,) * (r is chosen), told))
    rows += [_item((action,), (), (BANNED,)) for action in sorted(now.banned, key=str)]
    figures: tuple[Column, ...] = (PRIOR, VISITS, MEAN_RETURN, LOSS) if searched else (PRIOR,)
    columns = (PRIOR, *parts.columns()) if parts is not None else (*[FLIPS] * with_flips, *figures)
    headline = parts.summary() if parts is not None else _headline(ranking, chosen, margins)
    return Table(tuple(rows), columns, texts=Column("action"),
                 weight=VISITS.title if searched and parts is None else "", headline=headline,
                 note=" · ".join(filter(None, (_left_out(now, len(ranked) - len(kept)), _said(parts)))))


def _item(steps: Sequence[Action], values: tuple[Cell, ...], marks: tuple[Mark, ...], told: Iterable[str] = ()) -> Item:
    *before, words = map(in_words, steps)
    note = f"after {', then '.join(before)}" if before else ""
    return Item(", then ".join((*before, words)), words, values, marks, About(steps[-1].args, steps[-1]), note=note,
                hint="\n".join(told))


def _flips(actions: Sequence[Action], margins: Margins | None) -> Mapping[Action, tuple[str, tuple[str, ...]]]:
    """Returns the prior at which the choice changes, in short and in sentences, for each action that has something to tell."""
    if margins is None:
        return MappingProxyType({})
    priors, near = {margin.name: margin for margin in margins.margins if margin.kind == "prior"}, nearest(margins)
    found = dict[Action, tuple[str, tuple[str, ...]]]()
    for action in actions:
        margin, is_chosen = priors.get(in_words(action)), action == margins.chosen
        told = () if margin is None else (margin_words(margin, IDS),)
        if is_chosen and near is not None and near is not margin:
            told = (*told, f"The nearest flip: {margin_words(near, IDS)}")
        if told:
            found[action] = flip_of(margin, action, chosen=is_chosen) if margin is not None else "", told
    return found


def is_about(goal: Goal, action: Action) -> bool:
    """Returns True if the action has an object or location that the goal names."""
    named = {name for literal in goal.literals for name in (literal.subject, literal.target) if name}
    classes = (arg.rpartition("_") for arg in action.args)
    return any(arg in named for arg in action.args) or any(cls in named for cls, _, number in classes if number.isdecimal())


def _headline(ranking: Ranking, chosen: RankedAction | None, margins: Margins | None) -> str:
    """Returns the number of actions, by how much the best one leads, and the nearest flip of the decision."""
    words, gap = [count(len(ranking.actions), "action")], lead_of(ranking)
    if chosen is not None and chosen.loss:
        words.append(f"the chosen action is {lead(chosen.loss)} below the best")
    elif gap is not None:
        words.append(f"{'best' if chosen is None else 'chosen'} action leads by {lead(gap)}")
    if margins is not None and (near := nearest(margins)) is not None:
        words.append(f"nearest flip: {near_words(near, IDS)}")
    return " · ".join(words)


def lead_of(ranking: Ranking) -> float | None:
    """Returns by how much the best action's value exceeds the next one's; None if fewer than two have a value."""
    values = sorted((r.value for r in ranking.actions if r.value is not None), reverse=True)
    return values[0] - values[1] if len(values) > 1 else None


def _said(parts: PolicyMixture | None) -> str:
    """Returns what the samples of the model's answer said, where no column is about them."""
    return f"Said: {' · '.join(parts.samples)}" if parts is not None and parts.samples and not len(parts.cosines) else ""


def _left_out(now: Snapshot, filtered: int) -> str:
    """Returns a line that counts the actions that are not listed."""
    options = now.options.options if now.options is not None and not now.options.thing else ()
    impossible = sum(not verdict.ok for _, verdict in options)
    parts = [f"{whole(n)} {what}" for n, what in ((filtered, "not about the goal"), (impossible, "not possible now")) if n]
    return f"Not listed: {' · '.join(parts)}" if parts else ""
