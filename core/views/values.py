"""Views: how a facet describes itself as plain frozen values, without saying how it is drawn.

A facet returns a view from `Facet.view`. From it come the panel in the window, the page of an export, plain text, the
comparison of two turns, names for conditions, and the rows of a table of values. A view holds no functions, so it can be stored
and sent.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from core.world.vocabulary import Action, Value, in_words

T = TypeVar("T")
Cell = float | int | str | bool | frozenset[str] | None
"""One value of an item. None: not known, or not there."""
Kind = Literal["text", "code", "count", "probability", "similarity", "value", "loss", "state", "time"]
"""What the values of a column are, which says how they are written: a count is a whole number, a probability lies in 0..1 and
has a bar, a similarity in −1..1 is a coloured cell, a loss is how far a value is below the best one, a value is any other
number, a state is one word or a set of words, a time is in seconds, code keeps its spaces."""
Tone = Literal["plain", "planner", "operator", "good", "bad", "warn", "aim", "muted"]
"""The colour of a mark: what the planner does, what an operator did, how good it is, or that it is wanted."""
Shape = Literal["", "box", "pill", "octagon", "diamond"]
"""The outline of an item where a tree is drawn as a picture."""


@dataclass(frozen=True, slots=True)
class Mark(Value):
    """A word that is shown beside an item, with a colour that says the same.

    Attributes:
        word: one to three words in lower case.
        tone: its colour.
        is_passing: True if it says what has just changed; then it says nothing when two turns are compared.
    """

    word: str
    tone: Tone = "plain"
    is_passing: bool = False


CHOSEN, HERE, NOW = Mark("chosen", "planner"), Mark("here", "planner"), Mark("now", "planner")
NEW, BEST, GOAL = Mark("new", "good", is_passing=True), Mark("best", "good"), Mark("goal", "good")
DONE, REACHED = Mark("done", "good"), Mark("reached", "good")
FAILED, BLOCKED, BANNED = Mark("failed", "bad"), Mark("blocked", "bad"), Mark("banned", "operator")
EDITED, PINNED = Mark("by the operator", "operator"), Mark("pinned", "operator")
LEFT, SKIPPED, START = Mark("not done", "muted"), Mark("skipped", "muted"), Mark("start", "muted")
POSSIBLY, FRONTIER = Mark("possibly"), Mark("frontier")
DASHED = frozenset({POSSIBLY, FRONTIER})
"""Marks of what is not certain or not known yet: in pictures it has a dashed outline."""


@dataclass(frozen=True, slots=True)
class About(Value):
    """What an item is about. Selecting the item selects the same elsewhere, and the other way round.

    Attributes:
        things: ids of entities.
        action: an action.
        call: `ModelRequest.digest` of a model request.
        turn: the number of a turn; 0: none.
    """

    things: tuple[str, ...] = ()
    action: Action | None = None
    call: str = ""
    turn: int = 0


NOTHING = About()


# --- edits -------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Press(Value):
    """An edit without a value, such as *ban*."""


@dataclass(frozen=True, slots=True)
class Tick(Press):
    """A press that turns something on or off. `now`: whether it is on, which a list shows at the left of its row."""

    now: bool = False


@dataclass(frozen=True, slots=True)
class Slider(Value):
    """A number between two others.

    Attributes:
        low, high: the limits, inclusive.
        now: its present value.
        step: the smallest change; 0: any.
    """

    low: float
    high: float
    now: float
    step: float = 0.0


@dataclass(frozen=True, slots=True)
class Pick(Value):
    """One of several texts; `now` is the present one."""

    options: tuple[str, ...]
    now: str = ""


@dataclass(frozen=True, slots=True)
class Write(Value):
    """A text.

    Attributes:
        now: the present text.
        hint: the text that an empty field shows.
        kind: a line, or several lines of text or code.
        line: of several, the line in which writing begins, from 0; -1: the last.
    """

    now: str = ""
    hint: str = ""
    kind: Literal["line", "text", "code"] = "line"
    line: int = -1


@dataclass(frozen=True, slots=True)
class Act(Write):
    """An action, written in any words; the value is the nearest possible one as its verb and ids: `open drawer_3`."""


Form = Press | Slider | Pick | Write | Act
EditValue = float | str | None
"""The value of an edit: of a slider a number, of a choice or a text a text, of a press None."""


@dataclass(frozen=True, slots=True)
class Edit(Value):
    """A change of one item that an operator can make. `Facet.edited` carries it out.

    Attributes:
        name: identifies it among the edits of its item.
        title: what a menu calls it: `Ban this action`.
        form: how its value is entered.
        key: the key that does it while the item is chosen, such as `X`; empty if there is none. `Return`: also a double click.
        icon: the name of one of the window's icons; empty: a plain one.
        about: what it does, in one line, if the title does not say it.
        any_time: True if it can be made while the past is shown, because it changes nothing of the run.
    """

    name: str
    title: str
    form: Form = Press()
    key: str = ""
    icon: str = ""
    about: str = ""
    any_time: bool = False

    def problem(self, value: EditValue) -> str:
        """Returns why this edit cannot have a value, in one line; empty if it can."""
        match self.form:
            case Press() if value is not None:
                return f"“{self.title}” has no value: leave it out"
            case Slider(low, high) if not isinstance(value, float | int) or not low <= value <= high:
                return f"“{self.title}” is a number from {low:g} to {high:g}"
            case Pick(options) if value not in options:
                return f"“{self.title}” is one of {', '.join(options[:10])}"
            case Write() if not isinstance(value, str):
                return f"“{self.title}” is a text"
        return ""


# --- items -------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Column(Value):
    """A named value that each item of a view has.

    Attributes:
        title: a word or a symbol: `visits`, `Q`.
        kind: what its values are.
        about: what it means, with its unit, in one line.
        importance: where there is little room, the least important columns are left out first; of equals the last one. Those
            below 0 are shown only where the texts of the items have room to spare.
        tone: the colour of its texts.
    """

    title: str
    kind: Kind = "text"
    about: str = ""
    importance: int = 0
    tone: Tone = "plain"


UNTITLED = Column("")


@dataclass(frozen=True, slots=True)
class Item(Value):
    """A row of a table, a node of a tree or a graph, a row or a column of a matrix.

    Attributes:
        key: identifies it among its siblings, in every turn and every run: what it is, never its place. Equal keys are told
            apart by their order.
        text: what it says.
        values: one for each column of its view; those left out are not known.
        marks: what is special about it.
        about: what it is about.
        edits: what an operator can change about it.
        note: more about it in small print, in a few words.
        place: where it is, as text, if that can change: `in fridge_1`.
        parent: in a tree, the index of its parent, which comes before it; -1 at the root.
        shape: its outline in a picture. A tree in which an item has one is drawn as boxes joined by lines, not in rows.
        brief: its text in one or two short lines, for a picture; empty: `text`.
        hint: what else is to be said about it, in sentences; shown while the pointer rests on it.
    """

    key: str
    text: str
    values: tuple[Cell, ...] = ()
    marks: tuple[Mark, ...] = ()
    about: About = NOTHING
    edits: tuple[Edit, ...] = ()
    note: str = ""
    place: str = ""
    parent: int = -1
    shape: Shape = ""
    brief: str = ""
    hint: str = ""

    def edit(self, name: str) -> Edit | None:
        """Returns the edit of a name, or None."""
        return next((edit for edit in self.edits if edit.name == name), None)


# --- views ---------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class View(Value):
    """The base class of all views.

    Attributes:
        title: what it shows, where several views stand together; else empty.
        headline: its content in a few words.
        note: a sentence about all of it.
        own_edits: edits of no single item, such as adding one. Their address is ().
        repeats: True of a section whose items are in another section, too: comparisons leave it out.
        is_folded: True if it stands folded at first among the sections of a panel, because it is seldom read.
    """

    title: str = ""
    headline: str = ""
    note: str = ""
    own_edits: tuple[Edit, ...] = ()
    repeats: bool = False
    is_folded: bool = False

    def children(self) -> Iterator[View]:
        """Yields the views that this one is made of; of a plain view, itself."""
        yield self


Notes = Literal["beside", "wrapped", "below"]
"""Where the notes of rows stand: beside the texts, cut; below where there is no room beside; or always below."""


@dataclass(frozen=True, slots=True)
class Table(View):
    """Items in rows.

    Attributes:
        items: the rows, from top to bottom.
        columns: their values.
        texts: what the texts of the rows are.
        order: what the place of a row is called: `rank`, `step`. Empty if the order says nothing.
        weight: the title of the column that says how much an item matters, such as its visits; empty if none does.
        is_code: True if the texts of the rows are code.
        notes: where the notes of the rows stand.
    """

    items: tuple[Item, ...]
    columns: tuple[Column, ...] = ()
    texts: Column = field(default=UNTITLED, kw_only=True)
    order: str = field(default="", kw_only=True)
    weight: str = field(default="", kw_only=True)
    is_code: bool = field(default=False, kw_only=True)
    notes: Notes = field(default="beside", kw_only=True)


@dataclass(frozen=True, slots=True)
class Tree(View):
    """Items below each other. See `tree_of` to make one of nested objects.

    Attributes:
        items: parents before their children; `Item.parent` is the index of the parent.
        columns: their values.
        texts: what the texts of the items are; its colour is that of items without children.
        moves: True if an item can move from one parent to another. Otherwise items with one key below two parents are two.
        chips: True if items without children stand side by side, as chips in the row of their parent.
        weight: as in `Table`.
    """

    items: tuple[Item, ...]
    columns: tuple[Column, ...] = ()
    texts: Column = field(default=UNTITLED, kw_only=True)
    moves: bool = field(default=False, kw_only=True)
    chips: bool = field(default=False, kw_only=True)
    weight: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class CellMark(Value):
    """A mark of one cell of a matrix."""

    row: int
    column: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class Matrix(View):
    """Numbers by two kinds of thing: n rows, m columns.

    Attributes:
        rows: (n,) items.
        columns: (m,) items.
        numbers: (n, m) float64, read-only; NaN: no value.
        kind: what the numbers are.
        marks: the marks of cells.
        edits: what an operator can change about any cell. The present value of a slider is that of the cell.
    """

    rows: tuple[Item, ...]
    columns: tuple[Item, ...]
    numbers: npt.NDArray[np.float64]
    kind: Kind = "value"
    marks: tuple[CellMark, ...] = ()
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Link(Value):
    """A directed connection of two nodes of a graph.

    Attributes:
        source, target: indices of nodes.
        texts: what leads from one to the other, such as actions.
        values: one for each of the graph's `link_columns`.
        marks: what is special about it.
    """

    source: int
    target: int
    texts: tuple[str, ...] = ()
    values: tuple[Cell, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph(View):
    """Items connected by links.

    Attributes:
        nodes: the items.
        links: the connections.
        columns: the values of the nodes.
        link_columns: the values of the links.
        weight: the title of the column of nodes that is shown as a level, too; empty if none is.
    """

    nodes: tuple[Item, ...]
    links: tuple[Link, ...]
    columns: tuple[Column, ...] = ()
    link_columns: tuple[Column, ...] = ()
    weight: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Text(View):
    """A text: sentences, or code, whose spaces are kept."""

    text: str
    is_code: bool = False


SeriesForm = Literal["line", "stair", "area", "points"]
"""How points are joined: straight; level until the next one; the same, with the space below filled; not at all."""


@dataclass(frozen=True, slots=True)
class Series(Value):
    """Points of one name in a chart.

    Attributes:
        name: what they are.
        points: (x, y) of each, in the order in which they are joined.
        form: how they are joined.
        tone: their colour, and the shape of points that are not joined; plain: one of the series' own.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    form: SeriesForm = "line"
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Chart(View):
    """Numbers over a common axis.

    Attributes:
        series: the points.
        x, y: the titles of the axes, with their units.
        x_range, y_range: the ends of the axes; None: the least and the largest number. Points beyond are drawn at the end.
    """

    series: tuple[Series, ...]
    x: str = ""
    y: str = ""
    x_range: tuple[float, float] | None = field(default=None, kw_only=True)
    y_range: tuple[float, float] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Picture(View):
    """A picture: (H, W, 3) uint8, RGB, read-only."""

    pixels: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Sections(View):
    """Several views, from top to bottom, each with a title of its own."""

    parts: tuple[View, ...]

    def children(self) -> Iterator[View]:
        """Yields the plain views in it."""
        for part in self.parts:
            yield from part.children()


# --- making them ---------------------------------------------------------------------
def steps_item(steps: Sequence[Action], values: tuple[Cell, ...] = (), marks: tuple[Mark, ...] = (), *, text: str = "",
               note: str = "") -> Item:
    """Returns the item of an action, or of the steps of a macro action. It is about the last step, which names the action.

    Args:
        steps: one or more primitive actions.
        values: as in `Item`.
        marks: as in `Item`.
        text: what it says; empty: the steps in words.
        note: as in `Item`.
    """
    words = ", then ".join(map(in_words, steps))
    things = tuple(dict.fromkeys(thing for step in steps for thing in step.args))
    return Item(words, text or words, values, marks, About(things, steps[-1] if steps else None), note=note)


def tree_of(roots: Iterable[T], children: Callable[[T], Iterable[T]], item: Callable[[T], Item],
            columns: Sequence[Column] = (), *, most: int = 100_000) -> Tree:
    """Returns a tree of nested objects.

    Args:
        roots: the objects at the root.
        children: returns the objects below one.
        item: returns the item of an object; its parent is set here.
        columns: the values of the items.
        most: the number of items from which on the rest is left out, which also ends a tree that contains itself.
    """
    found: list[Item] = []
    left = [(node, -1) for node in reversed(list(roots))]
    while left and len(found) < most:
        node, parent = left.pop()
        made = item(node)
        found.append(Item(made.key, made.text, made.values, made.marks, made.about, made.edits, made.note, made.place, parent,
                          made.shape, made.brief, made.hint))
        left += [(child, len(found) - 1) for child in reversed(list(children(node)))]
    note = f"only the first {most:,} items" if left else ""
    return Tree(tuple(found), tuple(columns), note=note)


def numbered(keys: Iterable[Hashable]) -> Iterator[tuple[Hashable, int]]:
    """Yields each key with how often it came so far, from 1: this tells equal keys apart by their order."""
    seen: dict[Hashable, int] = {}
    for key in keys:
        seen[key] = seen.get(key, 0) + 1
        yield key, seen[key]
