"""Views as HTML. There is one function for each kind of view. Ids are replaced by names, and all texts are escaped."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator, Sequence
from html import escape

import numpy as np
import numpy.typing as npt
from PIL import Image

from core.recording.exports.html_parts import chip, name_of, table
from core.views.charts import ends_of, lines_of, number_words
from core.views.values import (
    Cell,
    Chart,
    Column,
    Graph,
    Item,
    Link,
    Mark,
    Matrix,
    Picture,
    Sections,
    Table,
    Text,
    Tree,
    View,
)
from core.views.wording import cell_text
from core.world.vocabulary import named

MOST_ITEMS = 60
"""Rows, nodes or links of a view, and cells of a row of a matrix; a line says how many are left out."""
MOST_TEXTS = 3
"""Texts of a link."""
LONGEST = 2000
"""Characters of a text."""
WIDE, HIGH = 480, 120
"""Pixels of a chart."""
DASHES = ("6 3", "2 2", "8 3 2 3")
"""What tells the lines of a chart apart, besides the first one."""


def view_html(view: View) -> str:
    """Returns a view as HTML, or "" if it holds nothing to read."""
    body = _body(view)
    return f'<p class="muted">{_text(view.note)}</p>{body}' if view.note and (body or not isinstance(view, Sections)) else body


def _body(view: View) -> str:
    match view:
        case Sections(parts):
            bodies = ((part.title, view_html(part)) for part in parts)
            return "".join(f'<p class="muted">{_text(title)}</p>{body}' if title else body for title, body in bodies if body)
        case Table():
            return _table(view)
        case Tree():
            return _tree(view)
        case Matrix():
            return _matrix(view)
        case Graph():
            return _graph(view)
        case Text(text, is_code):
            body = f"<pre>{escape(text[:LONGEST])}</pre>" if is_code else f'<p class="card">{_text(text[:LONGEST])}</p>'
            return body if text else ""
        case Chart():
            return _chart(view)
        case Picture(pixels):
            return _picture(pixels)
    return ""


def _text(text: str) -> str:
    return escape(named(text, name_of))


def _more(count: int, what: str) -> str:
    return f'<p class="muted">{count - MOST_ITEMS:,} more {what}</p>' if count > MOST_ITEMS else ""


# --- items -------------------------------------------------------------------------
def _chips(marks: Iterable[Mark]) -> str:
    return "".join(chip(named(mark.word, name_of), "" if mark.tone in ("plain", "muted") else mark.tone) for mark in marks)


def _title(item: Item, *, is_code: bool = False) -> str:
    """Returns what an item says, with what is special about it."""
    text = f"<code>{escape(item.text)}</code>" if is_code else _text(item.text)
    more = " · ".join(filter(None, (item.place, item.note)))
    small = f'<span class="muted">{_text(more)}</span> ' if more else ""
    return f"{text} {small}{_chips(item.marks)}"


def _cell(value: Cell, column: Column) -> str:
    """Returns a table cell: a set as chips, numbers to the right."""
    if isinstance(value, frozenset):
        return f"<td>{''.join(chip(named(word, name_of)) for word in sorted(value))}</td>"
    if column.kind == "code":
        return f"<td><code>{escape(cell_text(value, column.kind))}</code></td>"
    words = escape(cell_text(value, column.kind)) if not isinstance(value, str) else _text(value)
    return f"<td>{words}</td>" if column.kind in ("text", "state") else f'<td class="n">{words}</td>'


def _used(columns: Sequence[Column], items: Sequence[Item]) -> list[int]:
    """Returns the columns of which at least one value is known."""
    return [k for k in range(len(columns)) if any(len(item.values) > k and item.values[k] is not None for item in items)]


def _rows(items: Sequence[Item], columns: Sequence[Column], order: str = "", texts: str = "", *, is_code: bool = False) -> str:
    if not items:
        return ""
    used = _used(columns, items)
    rows = (f"<tr>{f'<td>{rank}</td>' if order else ''}<td>{_title(item, is_code=is_code)}</td>"
            + "".join(_cell(item.values[k] if len(item.values) > k else None, columns[k]) for k in used) + "</tr>"
            for rank, item in enumerate(items[:MOST_ITEMS], 1))
    head = (*((order,) if order else ()), texts, *(columns[k].title for k in used))
    return table(head, rows) + _more(len(items), "rows")


def _table(view: Table) -> str:
    return _rows(view.items, view.columns, view.order, view.texts.title, is_code=view.is_code)


def _tree(view: Tree) -> str:
    """Returns nested lists. Nodes are left out from the end, with all that is below them."""
    shown = view.items[:MOST_ITEMS]
    below: dict[int, list[int]] = {}
    for k, item in enumerate(shown):
        below.setdefault(item.parent, []).append(k)

    def branch(k: int) -> Iterator[str]:
        item = shown[k]
        values = " · ".join(f"{column.title} {cell_text(value, column.kind)}" for column, value in
                            zip(view.columns, item.values, strict=False) if value is not None and not isinstance(value, str))
        words = " · ".join(filter(None, (*(_text(v) for v in item.values if isinstance(v, str)), escape(values))))
        yield f'<li>{_title(item)} <span class="muted">{words}</span>'
        if k in below:
            yield "<ul>"
            for child in below[k]:
                yield from branch(child)
            yield "</ul>"
        yield "</li>"

    body = "".join(part for root in below.get(-1, ()) for part in branch(root))
    return f'<div class="card"><ul class="tree">{body}</ul></div>{_more(len(view.items), "nodes")}' if body else ""


def _matrix(view: Matrix) -> str:
    """Returns a row for each row: the columns whose number is not 0, the largest first."""
    rows = []
    for k, item in enumerate(view.rows[:MOST_ITEMS]):
        numbers = view.numbers[k]
        order = [j for j in np.argsort(-numbers, kind="stable").tolist() if numbers[j]]
        marks = {mark.column: mark.mark.word for mark in view.marks if mark.row == k}
        cells = [f"{view.columns[j].text} {cell_text(float(numbers[j]), view.kind)}{f' ({marks[j]})' if j in marks else ''}"
                 for j in order[:MOST_ITEMS]]
        cells += [f"{len(order) - MOST_ITEMS:,} more"] if len(order) > MOST_ITEMS else []
        rows.append(f"<tr><td>{_title(item)}</td><td>{_text(', '.join(cells))}</td></tr>")
    return table(("", "the largest first"), rows) + _more(len(view.rows), "rows") if rows else ""


def _graph(view: Graph) -> str:
    """Returns the nodes and the links. Of a large graph, the marked nodes and their neighbours come first."""
    marked = {k for k, node in enumerate(view.nodes) if node.marks}
    near = marked | {link.target for link in view.links if link.source in marked}
    near |= {link.source for link in view.links if link.target in marked}
    order = sorted(range(len(view.nodes)), key=lambda k: (k not in near) if len(view.nodes) > MOST_ITEMS else False)
    shown = set(order[:MOST_ITEMS])
    links = [link for link in view.links if {link.source, link.target} <= shown]
    items = [_link(view, link) for link in links[:MOST_ITEMS]]
    listed = f'<ul class="card list">{"".join(f"<li>{item}</li>" for item in items)}</ul>' if items else ""
    return _rows([view.nodes[k] for k in order], view.columns) + listed + _more(len(links), "links")


def _link(graph: Graph, link: Link) -> str:
    ends = f"{graph.nodes[link.source].text} → {graph.nodes[link.target].text}"
    values = [f"{column.title} {cell_text(value, column.kind)}"
              for column, value in zip(graph.link_columns, link.values, strict=False)]
    words = ": ".join(filter(None, (ends, ", ".join(link.texts[:MOST_TEXTS]))))
    return f"{_text(words)} {_text(', '.join(values))}{_chips(link.marks)}"


# --- pictures ------------------------------------------------------------------------
def _chart(view: Chart) -> str:
    """Returns the series in one picture, each with its range in words."""
    lines = lines_of(view)
    ends = ends_of(view, lines)
    if ends is None:
        return ""
    (left, right), (low, high) = ends
    drawn, told = list[str](), list[str]()
    for series, points in zip(view.series, lines, strict=True):
        known = points[np.isfinite(points).all(axis=1)]
        if not len(known):
            continue
        told.append(f"{series.name}: {number_words(known[:, 1].min())} to {number_words(known[:, 1].max())}")
        at = (known - (left, low)) / (right - left, high - low) * (WIDE, -HIGH) + (0, HIGH)
        if series.form == "points":
            drawn += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="currentColor"/>' for x, y in at]
        else:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
            dashes = f' stroke-dasharray="{DASHES[len(told) % len(DASHES)]}"' if len(told) > 1 else ""
            drawn.append(f'<polyline points="{path}" fill="none" stroke="currentColor" stroke-width="1.5"{dashes}/>')
    return (f'<p class="muted">{_text(" · ".join(told))}</p><svg viewBox="-4 -4 {WIDE + 8} {HIGH + 8}" role="img">'
            f'{"".join(drawn)}</svg>')


def _picture(pixels: npt.NDArray[np.uint8]) -> str:
    if not pixels.size:
        return ""
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "PNG")
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}">'
