"""Watched expressions in the exported pages: their curves and values are those of the recording."""

from __future__ import annotations

import itertools
import re
from html import escape
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from core.common.readings import Unknown
from core.planning.facets import Moment
from core.recording.exports import export_all
from core.recording.exports.decisions import values_by_turn
from core.recording.exports.watch_plots import ABOVE, HIGH, _plot
from core.recording.reader import open_recording
from core.session.checked_expressions import in_words, watch
from core.session.turns import Turn
from core.world.vocabulary import AgentState
from tests.core.recording.test_decision_page import Page, played


def test_watches_are_plotted_with_the_values_that_a_recording_has(tmp_path: Path) -> None:
    path = played("uct", tmp_path / "a.mcap", {"simulations": "40"})
    texts = ("gap", "literal[0].reached", "turn", "conditions", "turn < 3")
    page = export_all((path,), "html", tmp_path / "a.html", watches=texts).path.read_text("utf-8")
    with open_recording(path) as recording:
        values = values_by_turn(recording, [watch(text) for text in texts])
        now = recording.snapshot_at(recording.decided_at(Moment(0, 2)))
    section = page.partition("<h2>Watches</h2>")[2].partition("<h2>")[0]
    plots = dict(re.findall(r"<h3>(.*?)</h3>(<svg.*?</svg>)", section))
    for k, text in enumerate(texts):
        known = [f"turn {moment.turn}: {in_words(of[k])}" for moment, of in values.items() if not isinstance(of[k], Unknown)]
        points = plots.get(escape(text), "")
        assert re.findall(r"<title>(.*?)</title>", points) == [escape(line) for line in known]
        assert len(re.findall("<circle", points)) == len(known)
    assert "conditions" not in plots
    assert "has no value in any turn" in section
    rows = re.findall(r"<tr><td>\d+, main line</td>.*?</tr>", section)
    assert [re.findall(r'<td class="n">(.*?)</td>', row) for row in rows] == [
        [escape(in_words(value)) for value in row] for row in values.values()]
    decision = export_all((path,), "html", tmp_path / "d.html", decision=Moment(0, 2), watches=texts).path.read_text("utf-8")
    section = decision.partition("<h2>Watches</h2>")[2].partition("<h2>")[0]
    shown = re.findall(r'<tr><td>(.*?)</td><td class="n">(.*?)</td></tr>', section)
    assert shown == [(escape(text), escape(in_words(watch(text).value(now)))) for text in texts]
    Page(decision)


VALUES = st.lists(st.none() | st.booleans() | st.floats(-1e300, 1e300), min_size=1, max_size=9)


@given(VALUES)
def test_a_curve_has_a_point_for_each_known_value_within_the_plot(values: list[float | None]) -> None:
    turns = [Turn(number, 0, 0.0, AgentState(None)) for number in range(1, len(values) + 1)]
    known = [float(value) for value in values if value is not None]
    of_turn = {turn.moment: Unknown("") if value is None else value for turn, value in zip(turns, values, strict=True)}
    plot = _plot("x", of_turn, {0: turns}, 0)
    heights = [float(y) for y in re.findall(r'cy="(.*?)"', plot)]
    assert len(heights) == len(known)
    assert all(ABOVE <= y <= HIGH for y in heights)
    pairs = zip(itertools.pairwise(known), itertools.pairwise(heights), strict=True)
    assert all((y >= later_y if value <= later else y <= later_y) for (value, later), (y, later_y) in pairs), "upwards"
