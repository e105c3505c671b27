"""What a panel made from views shows: a facet with its age and its edits as steps, or a view that a function makes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from core.common.errors import DataError, UsageError
from core.common.files import replace_file
from core.planning.facets import Facet, checked_view, heading_of, title_of
from core.session.snapshot import Snapshot
from core.views.addresses import Address, items_of
from core.views.changes import same
from core.views.fields import fields_tree
from core.views.values import Edit, EditValue, Sections, View
from core.views.wording import cell_text
from gui.control.background import NewestJob
from gui.control.context import Context, EditableFacet
from gui.control.edit_steps import EditStep
from gui.control.snapshot_texts import staleness
from gui.views.edit_strip import EditStrip
from gui.views.text_editor import is_long
from gui.views.widget import Choice, plain

log = logging.getLogger(__name__)
LARGE = 5_000
"""Items of a view from which on the next one is made off the GUI thread: to make and check 100,000 takes 0.2 s."""
LAID_OUT = "an earlier state: the new one is being laid out"
SHORT = 40
"""Characters of an item in the name of an edit."""


class ViewSource:
    """Something that a panel shows by a view. The view is made only when it is asked for and what it is made of has changed.

    Args:
        context: says whether the present is shown.
        heading: what people call it.

    Attributes:
        heading: what people call it.
        view: its view; None while there is nothing to show.
        wrong: why its own view cannot be shown, so that `view` is another one; empty otherwise.
        stale: how old it is; empty if it is of the present turn.
        own: the forms of the edits of the whole view, such as adding an item.
    """

    can_be_edited = False
    """Whether it has edits that are undone by kinds of facet."""

    def __init__(self, context: Context, heading: str):
        self._context, self.heading = context, heading
        self._made_of: tuple[object, ...] | None = None
        self.view: View | None = None
        self.wrong, self.stale = "", ""
        self.own = EditStrip(context.theme)
        self.own.asked.connect(self.make_own_edit)

    # --- for subclasses ------------------------------------------------------
    def parts(self) -> tuple[object, ...] | None:
        """Returns what the view is made of now, compared by identity, texts and numbers by value; None: nothing is there."""
        raise NotImplementedError

    def _make(self) -> View:
        """Returns the view of the present parts. It is sound, see `core.views.checking.fault`."""
        raise NotImplementedError

    def show_snapshot(self, snapshot: Snapshot) -> tuple[object, ...]:
        """Takes the snapshot that the panel shows. Returns what the panel draws of it."""
        raise NotImplementedError

    def _carry_out(self, choice: Choice, edit: Edit, value: EditValue, drag: int) -> str:
        """Makes an edit, which can have this value; see `make_edit`. Returns why it is refused, or an empty text."""
        raise NotImplementedError

    # --- for panels ----------------------------------------------------------
    def makeable(self, edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """Returns the edits that can be made now: in the present all."""
        return tuple(edit for edit in edits if edit.any_time or self._context.live)

    @property
    def is_due(self) -> bool:
        """Whether `view` is not that of the present parts, and that one is not being made."""
        return not are_same(self.parts(), self._made_of)

    def make_view(self) -> None:
        """Makes the view again."""
        self._made_of = self.parts()
        self.wrong = ""
        self.view = None if self._made_of is None else self._make()

    def show_own(self, beside: Collection[Edit] = ()) -> None:
        """Shows the forms of the edits of the whole view, except those that are offered for what is chosen beside them."""
        names = {edit.name for edit in beside}
        edits = self.makeable(self.view.own_edits) if self.view is not None else ()
        edits = tuple(edit for edit in edits if edit.name not in names)
        self.own.show_choice(Choice((), "", edits=edits) if edits else None, "")

    def make_own_edit(self, edit: Edit, value: EditValue, drag: int = -1) -> None:
        """Makes an edit of the whole view; see `make_edit`."""
        self.make_edit(Choice((), self.heading), edit, value, drag, self.own)

    def make_edit(self, choice: Choice, edit: Edit, value: EditValue, drag: int, strip: EditStrip) -> None:
        """Makes an edit as a step that can be undone, or lets the strip say why it is refused.

        Args:
            choice: the item, with its address in the view of this source.
            edit: the edit.
            value: its value.
            drag: edits of one drag are one step; -1: it is a step of its own.
            strip: where the edit was entered.
        """
        if self.makeable((edit,)):
            strip.say(edit.problem(value) or self._carry_out(choice, edit, value, drag))


class MadeSource(ViewSource):
    """A view that a function makes of a snapshot, or of the state of the window.

    Args:
        context: see `ViewSource`.
        heading: see `ViewSource`.
        parts: returns what the view is made of, given the snapshot; None: there is nothing to show. See `ViewSource.parts`.
        make: returns the view, given the snapshot.
        edit: makes an edit of what is chosen, and returns why not, or an empty text; None: the view has no edits.
    """

    def __init__(self, context: Context, heading: str, parts: Callable[[Snapshot], tuple[object, ...] | None],
                 make: Callable[[Snapshot], View], edit: Callable[[Choice, Edit, EditValue], str] | None = None):
        super().__init__(context, heading)
        self._parts, self._made, self._edit = parts, make, edit
        self._snapshot = Snapshot()

    def parts(self) -> tuple[object, ...] | None:
        """Returns what the view is made of now."""
        return self._parts(self._snapshot)

    def _make(self) -> View:
        return self._made(self._snapshot)

    def show_snapshot(self, snapshot: Snapshot) -> tuple[object, ...]:
        """Takes the snapshot that the panel shows."""
        self._snapshot = snapshot
        return self.parts() or ()

    def _carry_out(self, choice: Choice, edit: Edit, value: EditValue, drag: int) -> str:
        return "" if self._edit is None else self._edit(choice, edit, value)


class FacetSource(ViewSource):
    """The facet of one kind that a panel shows: the operator's pending edit if there is one, otherwise the newest.

    Args:
        context: see `EditableFacet`.
        kind: the kind of facet.
        redraw: shows the facet again after an edit.
        titles: the titles of the sections that are shown; empty: all.
    """

    def __init__(self, context: Context, kind: type[Facet], redraw: Callable[[], None], titles: Sequence[str] = ()):
        super().__init__(context, heading_of(kind))
        self.kind, self._titles = kind, titles
        self._before: Address = ()
        """What stands before addresses of `view` in the whole view of the facet."""
        self.can_be_edited = kind.edited is not Facet.edited
        self._facet: EditableFacet[Facet] = EditableFacet(context, kind, redraw)
        self._redraw, self._large = redraw, NewestJob(context.jobs, self.own)
        self._age = ""
        """How old the facet is; see `stale`."""
        self._awaited: Facet | None = None
        """The facet whose view is being made."""
        self._step: EditStep[Facet] | None = None

    def parts(self) -> tuple[object, ...] | None:
        """Returns the facet."""
        return None if (facet := self._facet.shown) is None else (facet,)

    def show_snapshot(self, snapshot: Snapshot) -> tuple[object, ...]:
        """Takes the snapshot that the panel shows."""
        self._facet.show_snapshot(snapshot)
        self._age = "" if self.kind.stays or self.kind.describes_planner else staleness(snapshot, self.kind, "new one")
        self._tell_age()
        return snapshot.facet(self.kind), self._facet.shown, self.stale

    def _tell_age(self) -> None:
        self.stale = self._age if self._awaited is None else LAID_OUT

    @property
    def is_due(self) -> bool:
        """Whether `view` is not that of the present facet, and that one is not being made."""
        return super().is_due and self._facet.shown is not self._awaited

    def make_view(self) -> None:
        """Makes the view again. While a large one is being made, `view` stays the former one."""
        facet = self._facet.shown
        if facet is None or self.view is None or sum(len(items_of(part)) for part in self.view.children()) < LARGE:
            self._awaited = None
            self._tell_age()
            super().make_view()
        else:
            self._awaited = facet
            self._tell_age()
            self._large.do(partial(checked_view, facet), partial(self._take, facet),
                           lambda error: self._take(facet, (fields_tree(facet), str(error), error)))

    def _take(self, facet: Facet, made: tuple[View, str, Exception | None]) -> None:
        """Takes a view that was made off the GUI thread, unless another facet is shown meanwhile."""
        if facet is self._awaited:
            self._awaited, self._made_of = None, (facet,)
            self._tell_age()
            self.view = self._chosen(*made)
            self._redraw()

    def _make(self) -> View:
        """Returns the view of the facet. If that fails or is unsound, it is a view of its fields and is logged."""
        assert self._facet.shown is not None
        return self._chosen(*self._context.views.of(self._facet.shown, checked_view))

    def _chosen(self, view: View, wrong: str, raised: Exception | None) -> View:
        """Returns what is shown of a view of the facet, and says what is wrong with it."""
        self.wrong = ""
        if wrong:
            self.wrong = f"The view of {self.kind.__name__} cannot be shown: {plain(wrong)}"
            log.error("the view of %s cannot be shown: %s", self.kind.__name__, wrong, exc_info=raised)
        if wrong or not self._titles or not isinstance(view, Sections):
            self._before = ()
            return view
        parts = tuple(part for part in view.parts if part.title in self._titles)
        self._before = (parts[0].title,) if len(parts) == 1 else ()
        return parts[0] if len(parts) == 1 else replace(view, parts=parts)

    def _carry_out(self, choice: Choice, edit: Edit, value: EditValue, drag: int) -> str:
        now = self._facet.current
        after = "" if now is None else self._edited(now, (*self._before, *choice.address), edit, value)
        if now is None or isinstance(after, str):
            return str(after)
        if same(after, now):
            return ""
        merges = (choice.address, edit.name, drag) if drag >= 0 else None
        step = self._step if self._step is not None and merges is not None and self._step.merges == merges else None
        if step is None:
            step = self._step = EditStep(now, after, merges)
        step.after = after
        written = "" if value is None or is_long(edit) else f" → {plain(cell_text(value, 'value'), SHORT)}"
        self._facet.push_edit(f"{edit.title}: {plain(choice.text, SHORT)}{written}", step.there(now), step.back, merges)
        return ""

    def save(self, path: Path) -> str:
        """Writes the facet to a file, completely or not at all. Returns why it cannot be written; empty if it is."""
        facet = self._facet.shown
        try:
            if facet is not None:
                replace_file(path, facet.file_text().encode())
        except DataError as error:
            return str(error)
        return ""

    def load(self, path: Path) -> str:
        """Puts what a file says in the place of the facet, as a step that can be undone. Returns why not; empty if it does."""
        now = self._facet.current
        if now is None or not self._context.live:
            return ""
        try:
            step = EditStep(now, now.with_file(path))
        except DataError as error:
            return str(error)
        self._facet.push_edit(f"{title_of(self.kind)} from {path.name}", step.there(now), step.back)
        return ""

    def _edited(self, now: Facet, address: Address, edit: Edit, value: EditValue) -> Facet | str:
        """Returns the facet with an edit, or why it is not made."""
        try:
            after = now.edited(address, edit.name, value)
        except UsageError as refusal:
            return str(refusal)
        except Exception as error:
            log.error("the edit %s of %s failed", edit.name, self.kind.__name__, exc_info=error)
            return f"“{edit.title}” failed: {type(error).__name__}: {error}"
        if type(after) is not self.kind:
            return f"“{edit.title}” failed: edited() returns {type(after).__name__}, not {self.kind.__name__}"
        return after


@dataclass(frozen=True, slots=True)
class Joined:
    """The views of several sources as one.

    Attributes:
        view: the view of the only source, or the sections of all.
        owners: by the title of a section: its source, and what stands before the rest of an address in the view of that.
    """

    view: View
    owners: Mapping[str, tuple[ViewSource, Address]]

    def source_of(self, choice: Choice, only: ViewSource) -> tuple[ViewSource, Choice]:
        """Returns the source of what is chosen (`only` without sections), and the choice with its address in that view."""
        if not self.owners or not choice.address:
            return only, choice
        source, before = self.owners[choice.address[0]]
        return source, replace(choice, address=(*before, *choice.address[1:]))


def joined(sources: Sequence[ViewSource], *, several: bool) -> Joined:
    """Returns the views of some sources as one.

    Args:
        sources: those that have a view, one or more, in order.
        several: False if the panel has one source only: then its view stays as it is.
    """
    if not several:
        assert sources[0].view is not None
        return Joined(sources[0].view, {})
    parts, owners = list[View](), dict[str, tuple[ViewSource, Address]]()
    all_stale = all(source.stale for source in sources)
    for source in sources:
        view, heading = source.view, source.heading
        assert view is not None
        for part in view.parts if isinstance(view, Sections) else (view,):
            title = part.title or heading
            title = title if title not in owners else f"{heading}: {title}"
            owners[title] = source, (part.title,) if isinstance(view, Sections) else ()
            words = "" if all_stale else source.stale, part.headline if isinstance(view, Sections) else ""
            parts.append(replace(part, title=title, headline=" · ".join(filter(None, words))))
    views = [source.view for source in sources if source.view is not None]
    return Joined(Sections(tuple(parts), headline=" · ".join(filter(None, (view.headline for view in views))),
                           note=" ".join(filter(None, (view.note for view in views)))), owners)


def are_same(some: tuple[object, ...] | None, others: tuple[object, ...] | None) -> bool:
    """Returns True if the parts of two views are the same objects. Numbers and texts count by value."""
    if some is None or others is None or len(some) != len(others):
        return some is others
    return all(one is other or (isinstance(one, int | str) and one == other) for one, other in zip(some, others, strict=True))
