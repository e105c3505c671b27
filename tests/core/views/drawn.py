"""Views of all kinds, drawn at random: sound ones, and absurd ones as a facet of another package may return them."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from hypothesis import strategies as st

from core.views import values as v
from core.world.vocabulary import Action

NUMBERS = st.floats() | st.integers(-10**6, 10**6) | st.sampled_from([0.0, 1.0, 0.46, 1e300, -1e-9])
LONG = st.sampled_from(["x", "word "]).map(lambda text: text * 1000)
TEXTS = st.text(max_size=12) | st.sampled_from(["open fridge_1", "a\nb", "", " "]) | LONG
CELLS = st.none() | st.booleans() | NUMBERS | TEXTS | st.frozensets(st.text("abc", max_size=3), max_size=4)
TONES: st.SearchStrategy[v.Tone] = st.sampled_from(["plain", "planner", "operator", "good", "bad", "warn", "muted"])
KINDS: st.SearchStrategy[v.Kind] = st.sampled_from(get_args(v.Kind))
MARKS = st.lists(st.builds(v.Mark, TEXTS, TONES), max_size=3).map(tuple)
COLUMNS = st.lists(st.builds(v.Column, TEXTS, KINDS, TEXTS), max_size=6).map(tuple)
ABOUTS = st.builds(v.About, st.lists(st.sampled_from(["fridge_1", "apple_1"]), max_size=2).map(tuple),
                   st.none() | st.just(Action("open", ("fridge_1",))), st.text(max_size=3), st.integers(0, 3))
LIMITS = st.tuples(st.floats(-5, 5), st.floats(-5, 5)).map(sorted)
FORMS = st.one_of(
    st.just(v.Press()), st.builds(lambda limits, now: v.Slider(limits[0], limits[1], now), LIMITS, st.floats()),
    st.builds(v.Pick, st.lists(TEXTS, max_size=3).map(tuple), TEXTS),
    st.builds(v.Write, TEXTS, TEXTS, st.sampled_from(["line", "text", "code"])))
EDITS = st.lists(st.builds(v.Edit, st.text("abc", min_size=1, max_size=2), TEXTS, FORMS, st.sampled_from(["", "X", "Delete"]),
                           st.sampled_from(["", "ban", "nothing"])), max_size=3, unique_by=lambda edit: edit.name).map(tuple)
TITLED: dict[str, Any] = {"title": TEXTS, "headline": TEXTS, "note": TEXTS, "is_folded": st.booleans()}


@st.composite
def items(draw: st.DrawFn, columns: int = 0, tree: bool = False, most: int = 12) -> tuple[v.Item, ...]:
    count = draw(st.integers(0, most))
    values = st.lists(CELLS, max_size=columns).map(tuple)
    return tuple(v.Item(draw(st.text("ab", max_size=2)), draw(TEXTS), draw(values), draw(MARKS), draw(ABOUTS), draw(EDITS),
                        draw(TEXTS), draw(TEXTS), draw(st.integers(-1, k - 1)) if tree else -1) for k in range(count))


@st.composite
def tables(draw: st.DrawFn) -> v.Table:
    columns = draw(COLUMNS)
    return v.Table(draw(items(len(columns))), columns, order=draw(st.sampled_from(["", "rank"])), is_code=draw(st.booleans()),
                   notes=draw(st.sampled_from(["beside", "wrapped", "below"])), **_titles(draw))


@st.composite
def trees(draw: st.DrawFn) -> v.Tree:
    columns = draw(COLUMNS)
    weight = draw(st.sampled_from(["", *(column.title for column in columns)]))
    return v.Tree(draw(items(len(columns), tree=True)), columns, weight=weight, chips=draw(st.booleans()), **_titles(draw))


@st.composite
def matrices(draw: st.DrawFn) -> v.Matrix:
    rows, columns = draw(items(most=6)), draw(items(most=6))
    numbers = draw(st.lists(NUMBERS, min_size=len(rows) * len(columns), max_size=len(rows) * len(columns)))
    array = np.array(numbers, float).reshape(len(rows), len(columns))
    cells = st.builds(v.CellMark, st.integers(0, len(rows) - 1), st.integers(0, len(columns) - 1),
                      st.builds(v.Mark, TEXTS, TONES)) if array.size else st.nothing()
    marks = tuple(draw(st.lists(cells, max_size=3))) if array.size else ()
    return v.Matrix(rows, columns, array, draw(KINDS), marks, draw(EDITS), **_titles(draw))


@st.composite
def graphs(draw: st.DrawFn) -> v.Graph:
    columns, link_columns, nodes = draw(COLUMNS), draw(COLUMNS), draw(items(0))
    ends = st.integers(0, len(nodes) - 1)
    texts, values = st.lists(TEXTS, max_size=3).map(tuple), st.lists(CELLS, max_size=len(link_columns)).map(tuple)
    links = draw(st.lists(st.builds(v.Link, ends, ends, texts, values, MARKS),
                          max_size=12)) if nodes else []
    return v.Graph(nodes, tuple(links), columns, link_columns, **_titles(draw))


def _titles(draw: st.DrawFn) -> dict[str, Any]:
    return {name: draw(texts) for name, texts in TITLED.items()}


POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=20).map(tuple)
SERIES = st.builds(v.Series, TEXTS, POINTS, st.sampled_from(get_args(v.SeriesForm)), TONES)
ENDS = st.none() | st.tuples(st.integers(-9, 0), st.integers(1, 9))
CHARTS = st.builds(v.Chart, st.lists(SERIES, max_size=4).map(tuple), TEXTS, TEXTS, x_range=ENDS, y_range=ENDS, **TITLED)
PICTURES = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda size: v.Picture(np.zeros((*size, 3), np.uint8)))
PLAIN = tables() | trees() | matrices() | graphs() | st.builds(v.Text, TEXTS, st.booleans(), **TITLED) | CHARTS | PICTURES
SOUND = st.recursive(PLAIN, lambda parts: st.builds(v.Sections, st.lists(parts, max_size=3).map(tuple), **TITLED), max_leaves=3)

ITEM = v.Item("k", "text")
ABSURD: dict[str, object] = {
    "nothing": None,
    "a text": "a table",
    "the base class": v.View(),
    "no items": v.Table(None),  # type: ignore[arg-type]
    "texts for items": v.Table(("a", "b")),  # type: ignore[arg-type]
    "too many values": v.Table((v.Item("k", "t", (1, 2)),), (v.Column("one"),)),
    "a number of numpy": v.Table((v.Item("k", "t", (np.int64(3),)),), (v.Column("one", "count"),)),  # type: ignore[arg-type]
    "a list as a value": v.Table((v.Item("k", "t", ([1],)),), (v.Column("one"),)),  # type: ignore[arg-type]
    "a number as a text": v.Table((v.Item("k", 3),)),  # type: ignore[arg-type]
    "a parent after its child": v.Tree((v.Item("k", "t", parent=1), v.Item("m", "t"))),
    "its own parent": v.Tree((v.Item("k", "t", parent=0),)),
    "a parent that is not there": v.Tree((v.Item("k", "t", parent=7),)),
    "a parent below -1": v.Tree((v.Item("k", "t", parent=-2),)),
    "another shape": v.Matrix((ITEM,), (ITEM,), np.zeros((2, 1))),
    "a list of numbers": v.Matrix((ITEM,), (ITEM,), [[1.0]]),  # type: ignore[arg-type]
    "a mark beside the cells": v.Matrix((ITEM,), (ITEM,), np.zeros((1, 1)), marks=(v.CellMark(0, 1, v.BEST),)),
    "a link to nowhere": v.Graph((ITEM,), (v.Link(0, 1),)),
    "a point of three": v.Chart((v.Series("s", ((1.0, 2.0, 3.0),)),)),  # type: ignore[arg-type]
    "a point of text": v.Chart((v.Series("s", (("a", 1.0),)),)),  # type: ignore[arg-type]
    "an axis that ends before it begins": v.Chart((), x_range=(1.0, 0.0)),
    "a grey picture": v.Picture(np.zeros((4, 4), np.uint8)),
    "a part that is none": v.Sections((v.Text("a"), "b")),  # type: ignore[arg-type]
    "a slider upside down": v.Table((v.Item("k", "t", edits=(v.Edit("e", "E", v.Slider(2, 1, 1)),)),)),
    "a form without brackets": v.Table((v.Item("k", "t", edits=(v.Edit("e", "E", v.Press),)),)),  # type: ignore[arg-type]
}
