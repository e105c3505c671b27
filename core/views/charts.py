"""The points of the lines of a chart, the ends of its axes and its values in words, for the window and for pages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.views.values import Chart, Series
from core.views.wording import cell_text

LARGEST = 1e30
"""Numbers beyond this cannot be drawn."""
WHOLE = 1e9
"""Whole numbers below this are written in full."""
Points = npt.NDArray[np.float64]
"""(n, 2): x and y of each point; NaN: a gap."""


def lines_of(chart: Chart) -> list[Points]:
    """Returns the points through which the line of each series leads. Those that cannot be drawn are gaps."""
    return [_within(chart, _line_of(series)) for series in chart.series]


def _line_of(series: Series) -> Points:
    points = np.array(series.points, float).reshape(-1, 2)
    points[~((np.abs(points) < LARGEST).all(axis=1))] = np.nan
    if series.form not in ("stair", "area") or len(points) < 2:
        return points
    corners = np.repeat(points, 2, axis=0)[:-1]
    corners[1::2, 0] = points[1:, 0]  # level until the next point
    return corners


def _within(chart: Chart, points: Points) -> Points:
    for axis, ends in enumerate((chart.x_range, chart.y_range)):
        if ends is not None:
            points[:, axis] = np.clip(points[:, axis], *ends)
    return points


def ends_of(chart: Chart, lines: list[Points]) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Returns the ends of both axes, far enough apart to tell numbers between them apart; None if there is no point."""
    known = np.concatenate([np.zeros((0, 2)), *lines])
    known = known[~np.isnan(known).any(axis=1)]
    if not len(known):
        return None
    (left, low), (right, high) = known.min(axis=0).tolist(), known.max(axis=0).tolist()
    return chart.x_range or _apart(left, right), chart.y_range or _apart(low, high)


def _apart(low: float, high: float) -> tuple[float, float]:
    least = max(abs(low), abs(high)) * 1e-9
    return (low, high) if high - low > least else (low - max(least, 0.5), high + max(least, 0.5))


def reduced(points: Points, left: float, each: float) -> Points:
    """Returns the first, lowest, highest and last of the points next to each other in a column: no more can be told apart.

    Args:
        points: the points of a line.
        left: where the first column begins.
        each: the width of a column.
    """
    columns = np.floor((points[:, 0] - left) / each)
    starts = np.flatnonzero(np.r_[True, columns[1:] != columns[:-1]])
    if 4 * len(starts) >= len(points):
        return points
    ends, y = np.r_[starts[1:], len(points)] - 1, points[:, 1]
    ys = np.c_[y[starts], np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts), y[ends]]
    found: Points = np.c_[np.repeat(points[starts, 0], 4), ys.ravel()]
    return found


# --- in words ------------------------------------------------------------------------
def number_words(number: float) -> str:
    """Returns a number at an axis: whole ones without digits after the point."""
    return cell_text(round(number) if abs(number) < WHOLE and number == round(number) else number, "value")


def chart_words(chart: Chart) -> str:
    """Returns the last point of each series in words."""
    words = []
    for series in chart.series:
        points = _line_of(series)
        known = points[~np.isnan(points).any(axis=1)]
        last = f", last {number_words(known[-1, 1])} at {number_words(known[-1, 0])}" if len(known) else ""
        words.append(f"{series.name}: {f'{len(series.points):,}' if len(known) else 'no'} points{last}")
    return "; ".join(words)


def words_at(chart: Chart, x: float, near: float) -> str:
    """Returns what the series are at a place of the x axis: `12 interactions: score 30 · best so far 49`; empty beside them.

    Args:
        chart: the chart.
        x: the place.
        near: how far away a point may be that is not joined with others.
    """
    every = (np.array(series.points, float).reshape(-1, 2) for series in chart.series)
    known = [points[np.isfinite(points).all(axis=1)] for points in every]
    if all((points[:, 0] == np.round(points[:, 0])).all() for points in known):
        x = round(x)
    values = [(series.name, _value_at(series, points, x, near)) for series, points in zip(chart.series, known, strict=True)]
    words = " · ".join(f"{name} {number_words(y)}" for name, y in values if y is not None)
    return f"{number_words(x)}{chart.x and f' {chart.x}'}: {words}" if words else ""


def _value_at(series: Series, points: Points, x: float, near: float) -> float | None:
    """Returns the value of a series at a place; of a line that of the nearest point."""
    xs, ys = points.T
    if not len(xs) or (series.form != "points" and not xs.min() <= x <= xs.max()):
        return None
    if series.form in ("stair", "area"):
        return float(ys[np.flatnonzero(xs <= x)[-1]])
    k = int(np.abs(xs - x).argmin())
    return float(ys[k]) if series.form == "line" or abs(xs[k] - x) <= near else None
