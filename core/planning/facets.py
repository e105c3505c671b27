"""Facets: what a planner or a world shows. Frozen values, safe to pass between threads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self
from typing import Literal as Choice

import numpy as np
import numpy.typing as npt

from core.common import readings
from core.common.errors import UsageError
from core.common.readings import Unknown
from core.common.recorded import ADDED, recorded_as
from core.goals.literals import LiteralProgress
from core.planning.measures import Measure
from core.views import values as views
from core.views.addresses import Address
from core.views.changes import carried
from core.views.checking import fault
from core.views.fields import fields_tree
from core.views.values import EditValue
from core.world.vocabulary import Action, FloorPoint, Value


@dataclass(frozen=True, slots=True)
class FacetPanel(Value):
    """A panel that shows the view of a facet, or some sections of it.

    Attributes:
        name: its name in layouts.
        title: the text of its tab.
        icon: the name of one of the window's icons.
        about: what will appear in it, in a sentence; empty: what the kind of facet says it is.
        parts: the titles of the sections that it shows; empty: all.
        beside: further kinds of facet, whose views it shows as sections after its own, and which need no panel.
    """

    name: str
    title: str
    icon: str = "info"
    about: str = ""
    parts: tuple[str, ...] = ()
    beside: tuple[type[Facet], ...] = ()


class Facet(Value):
    """A frozen value made of plain data that a planner or world yields to be shown. Every facet is recorded and exported."""

    __slots__ = ()
    facet_title: ClassVar[str] = ""
    """What people call a facet of this kind; empty: the words of the class's name."""
    measures: ClassVar[tuple[Measure[Any], ...]] = ()
    """The names that conditions read from it."""
    icon: ClassVar[str] = "info"
    """The name of one of the window's icons, for its panel."""
    panels: ClassVar[tuple[FacetPanel, ...]] = ()
    """The panels made from its view; empty: one, called as its class."""
    stays: ClassVar[bool] = False
    """True if it holds until the planner shows another: its panel is not marked as old."""
    describes_planner: ClassVar[bool] = False
    """True if it describes the planner itself, not its thoughts in one turn: pages about one decision leave it out."""

    def mentions(self) -> tuple[str, ...]:
        """Returns the names of objects, places and keys in it that an expression may hold: fields complete them."""
        return ()

    def view(self) -> views.View:
        """Returns what it shows, as plain values. Every surface is made from it. By default it is a tree of its fields."""
        return fields_tree(self)

    def edited(self, address: Address, edit: str, value: EditValue) -> Facet:
        """Returns it with one of the edits that its view offers carried out.

        Args:
            address: the item, as `core.views.addresses` describes it.
            edit: the name of the edit.
            value: the new value, of the kind that the form of the edit asks for.

        Raises:
            UsageError: the item is not there any more, or cannot be changed so; in one line.
        """
        raise UsageError(f"{type(self).__name__} cannot be edited here")

    def with_change(self, before: Self, after: Self) -> Self:
        """Returns it with the change that leads from one facet to another, or itself if there is nothing to change.

        Undoing an edit and doing it again use this: they keep what the planner has changed since.
        """
        return carried(self, before, after)

    def file_text(self) -> str:
        """Returns the text of a file that `with_file` reads. Only kinds that define `with_file` are kept in files."""
        raise UsageError(f"{type(self).__name__} cannot be kept in a file")

    def with_file(self, path: Path) -> Facet:
        """Returns it as an operator's file says, checked.

        Raises:
            DataError: the file cannot be read, or not be used here.
        """
        del path
        raise UsageError(f"{type(self).__name__} cannot be read from a file")


def view_of(facet: Facet) -> views.View:
    """Returns the view of a facet; its fields and what is wrong if there is none that can be shown.

    Another program may have written the facet, or another package its view.
    """
    view, wrong, _ = checked_view(facet)
    return replace(view, note=f"its view cannot be shown: {wrong}") if wrong else view


def checked_view(facet: Facet) -> tuple[views.View, str, Exception | None]:
    """Returns the view of a facet; or its fields, what is wrong with its view in one line, and what that raised if it did."""
    try:
        view, raised = facet.view(), None
        wrong = fault(view)
    except Exception as error:  # noqa: BLE001 - the code of another package may raise anything
        wrong, raised = " ".join(f"{type(error).__name__}: {error}".split()), error
    return (fields_tree(facet), wrong, raised) if wrong else (view, "", None)


def title_of(kind: type[Facet]) -> str:
    """Returns what people call a facet of a kind: `search tree`."""
    return kind.facet_title or CAPITAL.sub(" ", kind.__name__).lower()


def heading_of(kind: type[Facet]) -> str:
    """Returns the same as a heading: `Search tree`."""
    title = title_of(kind)
    return title[:1].upper() + title[1:]


CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""What stands between the words of a class's name."""


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A turn of a branch.

    Attributes:
        branch: the number of the branch; 0 is the first.
        turn: from 1; 0 before the first turn.
    """

    branch: int
    turn: int


@dataclass(frozen=True, slots=True)
class Plan(Facet):
    """The actions a planner intends to take, in order, and the reason.

    Attributes:
        continues: they were chosen in an earlier turn; what was shown then about that choice still holds.
    """

    actions: tuple[Action, ...]
    because: str = ""
    continues: bool = field(default=False, metadata=ADDED)

    def view(self) -> views.Table:
        """Returns the actions in their order."""
        items = tuple(views.steps_item((action,)) for action in self.actions)
        return views.Table(items, order="step", note=self.because)


GOAL_COLUMNS = (views.Column("have", "count", "objects that satisfy it"), views.Column("wanted", "count", "objects needed"))


def literal_item(progress: LiteralProgress, marks: tuple[views.Mark, ...] = (),
                 about: views.About = views.NOTHING) -> views.Item:
    """Returns the item of a literal in a view with the columns `GOAL_COLUMNS`: how many objects satisfy it.

    Args:
        progress: the literal with its progress.
        marks: what is special about it, besides whether it is reached.
        about: what it is about.
    """
    literal, reached = progress.literal, (views.REACHED,) if progress.reached else ()
    return views.Item(str(literal), str(literal), (progress.have, literal.count), (*reached, *marks), about)


@dataclass(frozen=True, slots=True)
class GoalProgress(Facet):
    """The progress of each literal of the goal."""

    literals: tuple[LiteralProgress, ...]

    @property
    def reached(self) -> bool:
        """Whether all literals hold."""
        return all(p.reached for p in self.literals)

    def view(self) -> views.Table:
        """Returns a row for each literal: how many objects satisfy it."""
        items = tuple(literal_item(p, about=views.About(p.subjects)) for p in self.literals)
        return views.Table(items, GOAL_COLUMNS, headline=f"{sum(p.reached for p in self.literals)} of {len(items)} reached")


@dataclass(frozen=True, slots=True)
class Grounding:
    """How a planner interpreted one reply.

    Attributes:
        prompt: `ModelRequest.digest` of the request.
        said: the part of the reply that was interpreted.
        meant: the choice it was resolved to; empty if none matches.
        score: 0..1, how well it matches; the score of the nearest choice if none matches.
        how: exact, normalised, synonym, part (of a name), edit (misspelt), embedding, nearest (by its words), probability,
            refused (the reply declines to answer), or none.
        runner_up: the second best choice.
        runner_up_score: 0..1, how well that matches.
        words_only: True if only words were compared because sentence embeddings are not installed.
        untranslated: the number of samples of a free reply that name no action that could be compared with the admissible ones.
        remark: in one line why a reply is not used, and what is done instead; empty if it is used.
    """

    prompt: str
    said: str
    meant: str
    score: float
    how: str
    runner_up: str = ""
    runner_up_score: float = 0.0
    words_only: bool = field(default=False, metadata=ADDED)
    untranslated: int = field(default=0, metadata=ADDED)
    remark: str = field(default="", metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Grounded(Facet):
    """How the latest replies were interpreted."""

    replies: tuple[Grounding, ...]

    def view(self) -> views.Table:
        """Returns a row for each reply: what was said, what it was taken for, and how well it matches."""
        columns = (views.Column("taken for"), views.Column("match", "probability", "how well it matches, 0 to 1"),
                   views.Column("how", "state"), views.Column("second"))
        items = tuple(views.Item(reply.said, reply.said, (reply.meant, reply.score, reply.how, reply.runner_up), (),
                                 views.About(call=reply.prompt), note=reply.remark) for reply in self.replies)
        return views.Table(items, columns)


LineState = Choice["plain", "waiting", "done", "failed", "skipped"]
"""plain: nothing to execute (comments, imports); skipped: not needed or not understood, as the note says."""


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """One line of a plan.

    Attributes:
        text: the line.
        state: how far it was executed.
        note: how it was interpreted, or why it failed, in a few words.
    """

    text: str
    state: LineState = "waiting"
    note: str = ""


def _line(plan: Steps | Program) -> readings.Value:
    return plan.lines[plan.current].text if 0 <= plan.current < len(plan.lines) else Unknown("no line is under way")


LINES: tuple[Measure[Any], ...] = (
    Measure("line", (), "text", "the line of the program or plan under way", lambda: lambda plan, at: _line(plan)),)


@dataclass(frozen=True, slots=True)
class Steps(Facet):
    """The numbered plan a model wrote, and the index of the current step (-1 before the first). It cannot be edited."""

    facet_title = "plan in steps"
    stays = True
    panels = (FacetPanel("plan", "Plan", "plan"),)
    measures = LINES
    lines: tuple[ProgramLine, ...]
    current: int = -1

    def view(self) -> views.Table:
        """Returns the steps in their order."""
        return _lines_table(_lines(self.lines, self.current), self.lines, self.current, order="step")


@dataclass(frozen=True, slots=True)
class Program(Facet):
    """The program a model wrote, as a planner executes it. You can change its code.

    Attributes:
        lines: its lines.
        current: the index of the current line; -1 before the first, the number of lines after the last.
        taken: the number of actions that the current line has taken before this turn; None: not recorded.
    """

    icon, stays = "plan", True
    measures = LINES
    lines: tuple[ProgramLine, ...]
    current: int = -1
    taken: int | None = field(default=None, metadata=ADDED)

    @property
    def text(self) -> str:
        """The code alone."""
        return "\n".join(line.text for line in self.lines)

    def view(self) -> views.Table:
        """Returns the lines in their order."""
        text = self.text
        items = tuple(replace(item, edits=(_rewriting(text, k),)) for k, item in enumerate(_lines(self.lines, self.current)))
        return _lines_table(items, self.lines, self.current, order="line", own=(_rewriting(text, self.current),))

    def edited(self, address: Address, edit: str, value: EditValue) -> Program:
        """Returns it with another text. Lines above the first one that changed are as far as they were."""
        del address
        if edit != "rewrite" or not isinstance(value, str):
            raise UsageError(f"a program cannot be edited by “{edit}”")
        return self._with_text(value)

    def with_change(self, before: Self, after: Self) -> Self:
        """Returns it with the text of another program; itself if its text is another one by now."""
        return self._with_text(after.text) if self.text == before.text else self

    def _with_text(self, text: str) -> Self:
        texts = text.rstrip("\n").split("\n")
        same = next((k for k, (new, old) in enumerate(zip(texts, self.lines, strict=False)) if new != old.text),
                    min(len(texts), len(self.lines)))
        if same == len(texts) == len(self.lines):
            return self
        lines = (*self.lines[:same], *map(ProgramLine, texts[same:]))
        return replace(self, lines=lines, current=min(self.current, same), taken=None)


def _rewriting(text: str, line: int) -> views.Edit:
    return views.Edit("rewrite", "Edit the program", views.Write(text, kind="code", line=line), "E", "edit")


STATES: Mapping[LineState, views.Mark] = MappingProxyType({
    "waiting": views.LEFT, "done": views.DONE, "failed": views.FAILED, "skipped": views.SKIPPED})
"""The mark of a line by its state; a plain line has none."""


def _lines(lines: Sequence[ProgramLine], current: int) -> tuple[views.Item, ...]:
    """Returns lines with how far each was executed and how it was read."""
    marks = (views.NOW if k == current else STATES.get(line.state) for k, line in enumerate(lines))
    return tuple(views.Item(line.text, line.text, (), () if mark is None else (mark,), note=line.note)
                 for line, mark in zip(lines, marks, strict=True))


def _lines_table(items: tuple[views.Item, ...], lines: Sequence[ProgramLine], current: int, order: str,
                 own: tuple[views.Edit, ...] = ()) -> views.Table:
    states = Counter(line.state for line in lines)
    where = f"{order} {current + 1} of {len(lines)}" if 0 <= current < len(lines) else "not started" if current < 0 else "ended"
    told = (where, *(f"{states[state]} {state}" for state in ("failed", "skipped") if states[state]))
    return views.Table(items, order=order, is_code=True, notes="wrapped", headline=" · ".join(told) if lines else "",
                       own_edits=own if lines else ())


View = Choice["first person", "dollhouse"]
Phase = Choice["before", "after", "about"]


@dataclass(frozen=True, slots=True)
class Frame(Facet):
    """A picture of the world in one state.

    Attributes:
        camera: the camera; recordings call it "view".
        turn: the turn whose state is shown, set when the picture is requested, not when it arrives; 0: unknown.
        phase: "before" or "after" the action of that turn. "about": from an old recording that only states the turn in which
            the picture arrived.
        branch: the branch of that turn.
        pixels: (H, W, 3) uint8, RGB, read-only; (H, W, 0) if the picture was never drawn.
        ids: (H, W) uint16; `names[ids[y, x]]` is the entity at a pixel, "" for none; None if the world provides no ids.
        names: the entity names that `ids` refers to; never empty if the picture was drawn.
        boxes: pixel boxes x0, y0, x1, y1 (exclusive) of the entities in sight.
        notice: why the picture is incomplete (no OpenGL) or missing; or empty.
        matrix: 16 numbers, row-major: world (x, y, z, 1) in metres to clip space (OpenGL); empty if the world has none.
        title: what is shown, if the name of the view does not say it ("Room as text"); or empty.
        ways: (id, corners in metres) of the robot's way from where it stands to each room and piece of furniture; may be empty.
    """

    camera: View = field(metadata=recorded_as("view"))
    turn: int = field(default=0, kw_only=True, metadata=ADDED)
    phase: Phase = field(default="before", kw_only=True, metadata=ADDED)
    branch: int = field(default=0, kw_only=True, metadata=ADDED)
    pixels: npt.NDArray[np.uint8]
    ids: npt.NDArray[np.uint16] | None
    names: tuple[str, ...]
    boxes: tuple[tuple[str, tuple[int, int, int, int]], ...] = ()
    notice: str = ""
    matrix: tuple[float, ...] = ()
    title: str = field(default="", metadata=ADDED)
    ways: tuple[tuple[str, tuple[FloorPoint, ...]], ...] = field(default=(), metadata=ADDED)

    @property
    def moment(self) -> Moment:
        """The turn and branch whose state is shown."""
        return Moment(self.branch, self.turn)

    def dated(self, turn: int, branch: int) -> Frame:
        """Returns this picture; if it has no turn, labelled with the turn in which it arrived."""
        return self if self.turn else replace(self, turn=turn, phase="about", branch=branch)

    @property
    def is_missing(self) -> bool:
        """Whether there is no picture; `notice` says why."""
        return not self.names

    def view(self) -> views.Picture | views.Text:
        """Returns the picture, or why there is none."""
        title = self.title or self.camera
        return views.Text(self.notice, title=title) if self.is_missing else views.Picture(self.pixels, title=title)
