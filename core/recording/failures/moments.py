"""The turns of a failed run to look at first, and the one where it went wrong: from what each turn brought."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Final

from core.planning.facets import Moment
from core.recording.failures.labels import Cause, Evidence, KeyMoment, MomentKind, TurnResult
from core.recording.failures.lost_turns import Kind, Yield, phrase_of
from core.recording.failures.run import RecordedRun

BROUGHT: Final[Mapping[Kind, str]] = MappingProxyType({
    "progress": "brought the goal nearer", "find": "showed an object of the goal", "look": "showed a place for the first time",
})


def results(yields: Iterable[Yield], evidence: Iterable[Evidence]) -> Mapping[Moment, TurnResult]:
    """Returns what each turn brought, in words. Lost are the turns that some evidence counts as lost."""
    lost = {number: one.text for one in evidence if one.cost for number in one.turns}
    return MappingProxyType({
        one.turn.moment: TurnResult(_brought(one) or lost.get(one.turn.number, ""), one.turn.number in lost,
                                    is_progress(one)) for one in yields})


def key_moments(run: RecordedRun, yields: Sequence[Yield], label: Cause, evidence: Iterable[Evidence]) -> tuple[KeyMoment, ...]:
    """Returns the turns to look at first, at most one of each kind, in order.

    Args:
        run: the failed run.
        yields: what each of its turns brought.
        label: the proposed label.
        evidence: what speaks for this and other labels.
    """
    found = list[KeyMoment]()
    costly = sorted((one for one in evidence if one.turns and one.cost),
                    key=lambda one: (-one.cost, one.label != label, one.turns))
    mine = next((one for one in costly if one.label == label), None)
    moments = {turn.number: turn.moment for turn in run.every_turn}
    found += [] if mine is None else [KeyMoment("cause", moments[mine.best_turn], mine.sentence)]
    found += [KeyMoment("most lost", moments[one.best_turn], one.sentence) for one in costly[:1] if one is not mine]
    undone = next((one for one in yields if one.kind == "undone"), None)
    loops = [tuple(turns) for loop, turns in groupby(yields, lambda one: one.loop) if loop >= 0]
    last = next((one for one in reversed(yields) if is_progress(one)), None)
    found += [] if undone is None else [_key("part lost", undone)]
    found += [_key("loop", max(loops, key=len)[0])] if loops else []  # of equally long ones the first
    found += [] if last is None else [_key("last progress", last)]
    for turn in run.every_turn:
        if turn.diverged is not None:
            would = phrase_of(turn.diverged.other)
            text = f"{turn.diverged.planner} would {f'choose “{would}”' if would else 'give up'}"
            found.append(KeyMoment("divergence", turn.moment, f"Turn {turn.number}: {text}."))
            break
    return tuple(sorted(found, key=lambda one: one.moment.turn))


def where_it_went_wrong(run: RecordedRun, moments: Iterable[KeyMoment]) -> Moment | None:
    """Returns the turn to open a failed run at; None if no turn was begun.

    It is the turn of the cause, else that of the costliest evidence. Without one, it is where a part of the goal was undone, a
    loop began, or a second planner would have done something else; without those, the turn after the last progress.
    """
    found = {one.kind: one.moment for one in moments}
    best: tuple[MomentKind, ...] = ("cause", "most lost", "part lost", "loop", "divergence")
    known = next((found[kind] for kind in best if kind in found), None)
    if known is not None:
        return known
    turns, last = [turn.moment for turn in run.every_turn], found.get("last progress")
    after = turns if last is None else [moment for moment in turns if moment.turn > last.turn]
    return next(iter(after), last)


def _key(kind: MomentKind, one: Yield) -> KeyMoment:
    return KeyMoment(kind, one.turn.moment, f"Turn {one.turn.number}: “{phrase_of(one.turn.action)}” {_brought(one)}.")


def is_progress(one: Yield) -> bool:
    """Returns True if a turn brought the goal nearer, or showed an object of it."""
    return one.kind == "find" or (one.kind == "progress" and one.is_sure)


def _brought(one: Yield) -> str:
    return one.why or (BROUGHT.get(one.kind, "") if one.is_sure else "")
