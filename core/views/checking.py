"""Whether a view is sound: indices and lengths fit, and all parts are of the types that they are declared with.

A facet of another package may return anything. Whoever draws or writes a view checks it first, and can rely on it then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from core.views.values import (
    About,
    CellMark,
    Chart,
    Column,
    Edit,
    Graph,
    Item,
    Link,
    Mark,
    Matrix,
    Picture,
    Press,
    Sections,
    Series,
    Slider,
    Table,
    Text,
    Tree,
    View,
)

MOST_DEPTH = 8
"""Sections within sections."""
CELLS = (float, int, str, frozenset, type(None))


def fault(view: object, depth: int = 0) -> str:
    """Returns in one line what is wrong with a view; empty if it is sound. Numbers may be NaN or infinite."""
    if not isinstance(view, View):
        return f"view() returns {_a(type(view))}, not a view"
    return _all((view.title, view.headline, view.note), str, "its title, headline and note") or _edits(
        view.own_edits) or _part(view, depth)


def _part(view: View, depth: int) -> str:
    match view:
        case Table(items, columns) | Tree(items, columns):
            checks = (lambda: _items(items, "items"), lambda: _columns(columns), lambda: _values(items, columns))
            return _first(*checks) or (_parents(items) if isinstance(view, Tree) else "")
        case Matrix():
            return _matrix(view)
        case Graph():
            return _graph(view)
        case Text(text):
            return "" if isinstance(text, str) else f"its text is {_a(type(text))}"
        case Chart():
            return _chart(view)
        case Picture(pixels):
            return _picture(pixels)
        case Sections(parts):
            return _sections(parts, depth)
    return f"there is nothing that shows {_a(type(view))}"


def _a(kind: type) -> str:
    return f"{'an' if kind.__name__[:1].lower() in 'aeiou' else 'a'} {kind.__name__}"


def _all(parts: Iterable[object], kinds: type | tuple[type, ...], what: str) -> str:
    """Returns which type among some values is not one of those wanted; empty if all are."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    wrong = next((kind for kind in set(map(type, parts)) if not issubclass(kind, kinds)), None)
    return "" if wrong is None else f"{what} hold {_a(wrong)}, not {_a(kinds[0])}"


def _first(*checks: Callable[[], str]) -> str:
    """Returns the first fault; later checks rely on those before."""
    return next((found for check in checks if (found := check())), "")


def _sequence(parts: object, what: str) -> str:
    return "" if isinstance(parts, tuple | list) else f"its {what} are {_a(type(parts))}, not a tuple"


def _items(items: Sequence[Item], what: str) -> str:
    return _first(
        lambda: _sequence(items, what),
        lambda: _all(items, Item, f"its {what}"),
        lambda: _all((text for item in items
                      for text in (item.key, item.text, item.note, item.place, item.shape, item.brief, item.hint)),
                     str, f"key, text, note, place, shape, brief and hint of its {what}"),
        lambda: _all((part for item in items for part in (item.values, item.marks, item.edits)), (tuple, list),
                     f"values, marks and edits of its {what}"),
        lambda: _marks(chain.from_iterable(item.marks for item in items)),
        lambda: _edits(chain.from_iterable(item.edits for item in items)),
        lambda: _all((item.about for item in items), About, f"what its {what} are about"),
        lambda: _all((item.about.things for item in items), (tuple, list), "things of an about"),
        lambda: _cells(chain.from_iterable(item.values for item in items)))


def _marks(marks: Iterable[Mark]) -> str:
    marks = list(marks)
    return _all(marks, Mark, "its marks") or _all((mark.word for mark in marks), str, "its marks")


def _edits(edits: Iterable[Edit]) -> str:
    edits = list(edits)
    if found := _all(edits, Edit, "its edits"):
        return found
    for edit in edits:
        if isinstance(edit.form, Slider) and not (edit.form.low <= edit.form.high and abs(edit.form.low) < np.inf
                                                  and abs(edit.form.high) < np.inf):
            return f"the slider of “{edit.title}” goes from {edit.form.low} to {edit.form.high}"
        if isinstance(edit.form, type) or edit.form is None:
            return f"the form of “{edit.title}” is {edit.form!r}: write {Press.__name__}(), with brackets"
    return ""


def _cells(values: Iterable[object]) -> str:
    values = list(values)
    if found := _all(values, CELLS, "its values"):
        return f"{found}: write float(…), int(…) or str(…)"
    return _all(chain.from_iterable(value for value in values if isinstance(value, frozenset)), str, "sets among its values")


def _columns(columns: Sequence[Column]) -> str:
    return _first(lambda: _sequence(columns, "columns"), lambda: _all(columns, Column, "its columns"),
                  lambda: _all((column.title for column in columns), str, "titles of its columns"))


def _values(items: Sequence[Item], columns: Sequence[Column]) -> str:
    most = len(columns)
    wrong = next((item for item in items if len(item.values) > most), None)
    return "" if wrong is None else f"“{wrong.text[:40]}” has {len(wrong.values)} values for {most} columns"


def _parents(items: Sequence[Item]) -> str:
    if found := _all((item.parent for item in items), int, "parents of its items"):
        return found
    wrong = next((k for k, item in enumerate(items) if not -1 <= item.parent < k), None)
    return "" if wrong is None else (f"the parent of item {wrong} is {items[wrong].parent}: it must be the index of an item "
                                     "before it, or -1")


def _matrix(view: Matrix) -> str:
    def numbers() -> str:
        if not isinstance(view.numbers, np.ndarray) or view.numbers.dtype.kind not in "biuf":
            return "its numbers are no array of numbers"
        shape = (len(view.rows), len(view.columns))
        if view.numbers.shape == shape or (view.numbers.size == 0 and 0 in shape):
            return ""
        return f"its numbers have the shape {view.numbers.shape} for {shape[0]} rows and {shape[1]} columns"

    def marks() -> str:
        if found := _sequence(view.marks, "marks") or _all(view.marks, CellMark, "its marks"):
            return found
        wrong = next((m for m in view.marks if not (0 <= m.row < len(view.rows) and 0 <= m.column < len(view.columns))), None)
        return "" if wrong is None else f"there is no cell {wrong.row}, {wrong.column}, which has a mark"

    return _first(lambda: _items(view.rows, "rows"), lambda: _items(view.columns, "columns"), numbers, marks,
                  lambda: _marks(mark.mark for mark in view.marks), lambda: _edits(view.edits))


def _graph(view: Graph) -> str:
    def links() -> str:
        if found := (_sequence(view.links, "links") or _all(view.links, Link, "its links")
                     or _all((link.texts for link in view.links), (tuple, list), "texts of its links")
                     or _all(chain.from_iterable(link.texts for link in view.links), str, "texts of its links")
                     or _all((end for link in view.links for end in (link.source, link.target)), int, "ends of its links")):
            return found
        most = len(view.nodes)
        wrong = next((link for link in view.links if not (0 <= link.source < most and 0 <= link.target < most)), None)
        return "" if wrong is None else f"a link leads from node {wrong.source} to {wrong.target}, of {most} nodes"

    return _first(lambda: _items(view.nodes, "nodes"), lambda: _columns(view.columns),
                  lambda: _values(view.nodes, view.columns), lambda: _columns(view.link_columns), links,
                  lambda: _cells(v for link in view.links for v in link.values),
                  lambda: _marks(mark for link in view.links for mark in link.marks))


def _chart(view: Chart) -> str:
    def points() -> str:
        if found := _all((one.name for one in series), str, "names of its series"):
            return found
        for one in series:
            if found := _all(one.points, (tuple, list), f"points of “{one.name}”"):
                return found
            if any(len(point) != 2 for point in one.points):
                return f"a point of “{one.name}” has not two numbers"
            if found := _all(chain.from_iterable(one.points), (float, int), f"points of “{one.name}”"):
                return found
        return ""

    def ranges() -> str:
        wrong = next((ends for ends in (view.x_range, view.y_range) if ends is not None
                      and not (len(ends) == 2 and -np.inf < ends[0] < ends[1] < np.inf)), None)
        return "" if wrong is None else f"an axis goes from {wrong[0]} to {wrong[-1]}"

    series = view.series
    return _first(lambda: _sequence(series, "series"), lambda: _all(series, Series, "its series"), points, ranges)


def _picture(pixels: object) -> str:
    if not isinstance(pixels, np.ndarray) or pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] not in (0, 3):
        return "its pixels are no array (height, width, 3) of uint8"
    return ""


def _sections(parts: Sequence[View], depth: int) -> str:
    if depth >= MOST_DEPTH:
        return f"more than {MOST_DEPTH} sections lie in each other"
    if found := _sequence(parts, "sections"):
        return found
    return next((f"{part.title or f'section {k}'}: {found}" if isinstance(part, View) else found
                 for k, part in enumerate(parts, 1) if (found := fault(part, depth + 1))), "")
