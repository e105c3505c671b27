"""What is drawn of a chart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.views.charts import chart_words, ends_of, lines_of, reduced, words_at
from core.views.values import Chart, Series, SeriesForm

STEPS = ((0.0, 0.0), (2.0, 10.0), (4.0, 30.0))


@pytest.mark.parametrize(("form", "line"), [
    ("line", STEPS), ("points", STEPS), ("stair", ((0, 0), (2, 0), (2, 10), (4, 10), (4, 30))),
    ("area", ((0, 0), (2, 0), (2, 10), (4, 10), (4, 30))),
])
def test_points_are_joined_as_their_series_says(form: SeriesForm, line: tuple[tuple[float, float], ...]) -> None:
    (points,) = lines_of(Chart((Series("score", STEPS, form),)))
    assert points.tolist() == [list(point) for point in line]


def test_points_beyond_an_axis_are_drawn_at_its_end_and_others_are_gaps() -> None:
    series = Series("score", ((0.0, -100.0), (1.0, math.nan), (2.0, 1e300), (20.0, 130.0)))
    chart = Chart((series,), x_range=(0, 10), y_range=(0, 100))
    (points,) = lines_of(chart)
    assert points[[0, 3]].tolist() == [[0, 0], [10, 100]]
    assert np.isnan(points[1:3, 1]).all()
    assert ends_of(chart, [points]) == ((0, 10), (0, 100))


def test_axes_without_ends_reach_from_the_least_to_the_largest() -> None:
    chart = Chart((Series("a", ((1.0, 5.0),)), Series("b", ((3.0, 5.0),))))
    assert ends_of(chart, lines_of(chart)) == ((1, 3), (4.5, 5.5)), "equal numbers are given room"
    assert ends_of(Chart(()), []) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-100, 100)), min_size=1, max_size=400), st.integers(1, 30))
def test_a_reduced_line_has_the_extremes_of_each_column(steps: list[tuple[int, int]], columns: int) -> None:
    xs = np.cumsum([by for by, _ in steps])
    points = np.c_[xs, [y for _, y in steps]].astype(float)
    each = (xs[-1] - xs[0] + 1) / columns
    few = reduced(points, float(xs[0]), each)
    assert len(few) <= max(len(points), 4 * columns)

    def extremes(line: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[tuple[float, ...]]:
        places = np.floor((line[:, 0] - xs[0]) / each)
        columned = [line[places == k, 1] for k in range(columns)]
        return [(ys[0], ys.min(), ys.max(), ys[-1]) for ys in columned if len(ys)]
    assert extremes(few) == extremes(points)


def test_a_chart_in_words() -> None:
    chart = Chart((Series("score", STEPS, "stair"), Series("failed", ((4.0, -100.0),), "points"), Series("none", ())), "steps")
    assert chart_words(chart) == "score: 3 points, last 30 at 4; failed: 1 points, last −100 at 4; none: no points"
    assert words_at(chart, 2.9, 0.5) == "3 steps: score 10", "all places are whole numbers"
    assert words_at(chart, 3.9, 0.5) == "4 steps: score 30 · failed −100"
    assert words_at(chart, 5.0, 0.5) == "", "beside the line, and too far from the point"
    assert words_at(Chart((Series("a", (*STEPS, (4.5, 1.0))),)), 2.9, 0.0) == "2.90: a 10", "the nearest point of a line"
