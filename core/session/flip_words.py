"""What would change a decision, in words: each quantity with the values at which another action would be chosen."""

from __future__ import annotations

from typing import Protocol

from core.planning.simulation_facets import Margin, Margins
from core.world.vocabulary import Action, in_words

CHANGES = "What would change this decision"
MOST_LINES = 6


class Wordings(Protocol):
    """How objects and actions are called."""

    def definite(self, entity_id: str) -> str:
        """Returns the name of an object as part of a sentence: `the fridge`."""
        ...

    def with_names(self, text: str) -> str:
        """Returns a text with names in place of ids."""
        ...

    def phrase(self, action: Action) -> str:
        """Returns an action as a phrase."""
        ...


class _Ids:
    """Writes ids instead of names. The window replaces them by names."""

    def definite(self, entity_id: str) -> str:
        return entity_id

    def with_names(self, text: str) -> str:
        return text

    def phrase(self, action: Action) -> str:
        return in_words(action)


IDS: Wordings = _Ids()
RELATIONS = {"inside": "in", "on": "on", "floor": "on the floor of"}


def margin_words(margin: Margin, names: Wordings) -> str:
    """Returns one quantity and the values at which the decision changes, as a sentence."""
    return f"{quantity_words(margin, names)}, now {flip_value(margin, margin.value)}: {flip_words(margin, names)}."


def quantity_words(margin: Margin, names: Wordings) -> str:
    """Returns what a margin is about, as the beginning of a sentence."""
    if margin.kind == "belief":
        return f"The {margin.name} {RELATIONS[margin.relation]} {names.definite(margin.place)}"
    return f"The prior of “{names.with_names(margin.name)}”" if margin.kind == "prior" else f"The parameter {margin.name}"


def flip_words(margin: Margin, names: Wordings) -> str:
    """Returns at which values which other action would be chosen: `at .42 or more the robot would open the fridge`."""
    if margin.on_edge:
        return "on the edge, rounding alone changes the choice"
    if not margin.flips:
        return f"no flip found from {flip_value(margin, margin.low)} to {flip_value(margin, margin.high)}"
    told = [f"at {flip_value(margin, flip.at)} or {way} the robot would {names.phrase(flip.action)}"
            for flip, way in ((margin.down, "less"), (margin.up, "more")) if flip is not None]
    if margin.up is None and margin.high > margin.value:
        told.append(f"no flip found up to {flip_value(margin, margin.high)}")
    return "; ".join(told)


def flip_of(margin: Margin, action: Action, *, chosen: bool) -> str:
    """Returns from which prior on an action would be chosen, or no longer: `≥.31`, `≤.05`; empty if that is not known."""
    if margin.on_edge:
        return ""
    if chosen:
        return f"≤{flip_value(margin, margin.down.at)}" if margin.down is not None else ""
    return f"≥{flip_value(margin, margin.up.at)}" if margin.up is not None and margin.up.action == action else ""


def near_words(margin: Margin, names: Wordings) -> str:
    """Returns a quantity that has a flip, with the nearest one in short: `the apple in the fridge ≥.42`."""
    what = quantity_words(margin, names)
    at = min(margin.flips, key=lambda value: abs(value - margin.value))
    flip = "on the edge" if margin.on_edge else f"{'≥' if at > margin.value else '≤'} {flip_value(margin, at)}"
    return f"{what[:1].lower()}{what[1:]} {flip}"


def nearest(margins: Margins) -> Margin | None:
    """Returns the margin whose flip is nearest; None if no flip was found."""
    near = [margin for margin in margins.margins if margin.nearest is not None]
    return min(near, key=lambda margin: margin.nearest or 0.0, default=None)


def flip_value(margin: Margin, value: float) -> str:
    """Returns a value with as many digits as the search for flips is precise: `.42` or, of a parameter, `0.42` or `130`."""
    if margin.kind != "parameter":
        text = f"{value:.2f}"
        return text[:-1] if text in ("0.00", "1.00") else text.removeprefix("0")
    return f"{value:,.0f}" if value == round(value) else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def margin_lines(margins: Margins, names: Wordings) -> list[str]:
    """Returns what would change the decision, the nearest first, and for how much no change was found."""
    if margins.trouble:
        return [margins.trouble]
    near = [margin for margin in margins.margins if margin.nearest is not None]
    near.sort(key=lambda margin: margin.nearest or 0.0)
    lines = [margin_words(margin, names) for margin in near[:MOST_LINES]]
    if len(near) > MOST_LINES:
        lines.append(f"{len(near) - MOST_LINES} more are shown with the cells of the belief, or are further away.")
    rest = len(margins.margins) - len(near)
    if rest:
        lines.append(f"No flip found for {rest} other quantities, each tried over its whole range.")
    if not margins.complete:
        lines.append("More are being tried …")
    return lines
