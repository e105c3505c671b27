"""One kind of facet in a panel made from views: its view, how old it is, and its edits as steps that can be undone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.errors import UsageError
from core.planning.facets import Facet, checked_view, heading_of
from core.session.snapshot import Snapshot
from core.views.addresses import Address
from core.views.values import Edit, EditValue, Sections, Table, Tree, View
from core.views.wording import cell_text
from gui.control.context import Context, EditableFacet
from gui.control.edit_steps import EditStep
from gui.control.snapshot_texts import staleness
from gui.views.edit_strip import EditStrip
from gui.views.widget import Choice, plain

log = logging.getLogger(__name__)
SHORT = 40
"""Characters of an item in the name of an edit."""


class ViewSource:
    """The facet of one kind that a panel shows, with its view.

    The view is made only when it is asked for and the facet has changed.

    Args:
        context: see `EditableFacet`.
        kind: the kind of facet.
        redraw: shows the facet again after an edit.

    Attributes:
        kind: the kind of facet.
        view: its view; None while there is no facet.
        wrong: why its view cannot be shown, so that `view` has its fields; empty otherwise.
        stale: how old it is; empty if it is of the present turn.
        own: the forms of the edits of the whole view, such as adding an item.
    """

    def __init__(self, context: Context, kind: type[Facet], redraw: Callable[[], None]):
        self._context, self.kind = context, kind
        self._facet: EditableFacet[Facet] = EditableFacet(context, kind, redraw)
        self._viewed: Facet | None = None
        self._step: EditStep[Facet] | None = None
        self.view: View | None = None
        self.wrong, self.stale = "", ""
        self.own = EditStrip(context.theme)
        self.own.asked.connect(self.make_own_edit)

    @property
    def facet(self) -> Facet | None:
        """The facet to show: the operator's pending edit if there is one, otherwise the newest; None if there is none."""
        return self._facet.shown

    @property
    def is_drawn(self) -> bool:
        """Whether `view` is that of the present facet."""
        return self.facet is self._viewed

    @property
    def can_be_edited(self) -> bool:
        """Whether facets of this kind can be edited at all."""
        return self.kind.edited is not Facet.edited

    def show_snapshot(self, snapshot: Snapshot) -> tuple[object, ...]:
        """Takes the snapshot that the panel shows. Returns what the panel draws of it."""
        self._facet.show_snapshot(snapshot)
        self.stale = staleness(snapshot, self.kind, "new one")
        return snapshot.facet(self.kind), self.facet, self.stale

    def make_view(self) -> None:
        """Makes the view of the facet again. If that fails or is unsound, it is a view of its fields and is logged."""
        facet = self._viewed = self.facet
        self.view, self.wrong = None, ""
        if facet is not None:
            self.view, self.wrong, raised = checked_view(facet)
            if self.wrong:
                log.error("the view of %s cannot be shown: %s", self.kind.__name__, self.wrong, exc_info=raised)

    def show_own(self) -> None:
        """Shows the forms of the edits of the whole view."""
        edits = self.view.own_edits if self.view is not None and self._context.live else ()
        self.own.show_choice(Choice((), "", edits=edits) if edits else None, "")

    def make_own_edit(self, edit: Edit, value: EditValue, drag: int = -1) -> None:
        """Makes an edit of the whole view; see `make_edit`."""
        self.make_edit(Choice((), heading_of(self.kind)), edit, value, drag, self.own)

    def make_edit(self, choice: Choice, edit: Edit, value: EditValue, drag: int, strip: EditStrip) -> None:
        """Makes an edit as a step that can be undone, or lets the strip say why it is refused.

        Args:
            choice: the item, with its address in the view of this facet.
            edit: the edit.
            value: its value.
            drag: edits of one drag are one step; -1: it is a step of its own.
            strip: where the edit was entered.
        """
        now = self._facet.current
        if now is None or not self._context.live:
            return
        after = self._edited(now, choice.address, edit, value)
        strip.say(after if isinstance(after, str) else "")
        if isinstance(after, str):
            return
        merges = (choice.address, edit.name, drag) if drag >= 0 else None
        step = self._step if self._step is not None and merges is not None and self._step.merges == merges else None
        if step is None:
            step = self._step = EditStep(now, after, merges)
        step.after = after
        written = "" if value is None else f" → {plain(cell_text(value, 'value'), SHORT)}"
        self._facet.push_edit(f"{edit.title}: {plain(choice.text, SHORT)}{written}", step.there(now), step.back, merges)

    def _edited(self, now: Facet, address: Address, edit: Edit, value: EditValue) -> Facet | str:
        """Returns the facet with an edit, or why it is not made."""
        if refused := edit.problem(value):
            return refused
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
        several: False if the panel shows one kind of facet only: then its view stays as it is.
    """
    if not several:
        assert sources[0].view is not None
        return Joined(sources[0].view, {})
    parts, owners = list[View](), dict[str, tuple[ViewSource, Address]]()
    all_stale = all(source.stale for source in sources)
    for source in sources:
        view, heading = source.view, heading_of(source.kind)
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


def is_empty(view: View) -> bool:
    """Whether there is nothing in a view, so that the page says what the panel waits for."""
    return isinstance(view, Table | Tree) and not view.items and not view.note and not view.own_edits
