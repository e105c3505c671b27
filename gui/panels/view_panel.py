"""A panel made from views: of kinds of facet or of anything else, with the selection both ways, and their edits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import QEvent, QKeyCombination, QPoint, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QStackedLayout, QWidget

from core.common.docstrings import docstring
from core.planning.facets import Facet, FacetPanel, heading_of, title_of
from core.session.commands import ListActions
from core.session.snapshot import Snapshot
from core.views.addresses import Address, items_of
from core.views.values import About, Edit, EditValue, Matrix, Press, Sections, Tick, View
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.panels.base import Offer, Panel, thing_entries
from gui.panels.empty import EmptyPage
from gui.theme.boxes import FLUSH, vbox
from gui.theme.icons import ICONS
from gui.views.edit_strip import EditStrip
from gui.views.file_tools import FileTools
from gui.views.sections import renderer_of
from gui.views.source import SHORT, FacetSource, Joined, ViewSource, joined
from gui.views.text_editor import TextEditor, is_long
from gui.views.widget import Key, ViewWidget, is_empty, keys_of, plain
from gui.widgets import PopupMenu, Prose, StaleOverlay, tool_action
from gui.widgets.search import FindField

MAIN_KEY = "E"
"""The key that makes the main edit of what is chosen, wherever the keyboard is."""


class ViewPanel(Panel):
    """Shows a view, or several as sections: the newest facets of some kinds, or what `make_sources` of a subclass says.

    A view is made only when what it is made of has changed and the panel is visible. See `panel_for`.
    """

    kinds: ClassVar[tuple[type[Facet], ...]] = ()
    titles: ClassVar[tuple[str, ...]] = ()
    """The titles of the sections that it shows of each view; empty: all."""
    hint: ClassVar[str] = ""
    """What will appear, in a sentence; empty: what the first kind of facet says it is."""
    icon: ClassVar[str] = "info"
    needs_live: ClassVar[str] = "Editing this"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot = Snapshot()
        self.sources = self.make_sources()
        self._joined: Joined | None = None
        self._follows, self._titled = True, self.title
        self._asked: Address | None = None
        """The address of what a form was asked for; see `ViewWidget.is_picture`."""
        self._shown_tools: tuple[QAction, ...] = ()
        self.shown: ViewWidget[Any] | None = None
        """The renderer; None while nothing was shown."""
        self.strip, self.query = EditStrip(theme), FindField(f"Find in {self.title.lower()}")
        self._wrong, self._note = Prose(theme, "", "small", "bad"), Prose(theme)
        self._find = tool_action(self, theme, "Find", "search", checkable=True, key="Ctrl+F")
        self._undo = tool_action(self, theme, "Undo the last edit here", "undo", partial(context.undo_edit, *self.kinds))
        self._place = QWidget()
        self._room = QStackedLayout(self._place)
        body = QWidget()
        vbox(theme, self.query, self._wrong, (self._place, 1), self._note, self.strip,
             *(source.own for source in self.sources), on=body, spacing=0, margins=FLUSH)
        self._overlay = StaleOverlay(theme, self._place)
        footer, upper = self.footer(), QWidget()
        if footer:
            vbox(theme, (upper, 1), *footer, on=self, spacing=0, margins=FLUSH)
        self._pages = self.stack(self.empty_page(), body, upper if footer else None)
        for part in (self._wrong, self._note):
            part.setContentsMargins(theme.px(8), theme.px(3), theme.px(8), theme.px(3))
            part.hide()
        self.query.opened_by(self._find)
        self.query.textChanged.connect(lambda _: self._search())
        self.strip.asked.connect(self.make_edit)
        self.strip.closed.connect(self._end_form)
        self.strip.listing.connect(lambda: context.post(ListActions()))
        self.strip.written.connect(self.begin_edit)
        for source in self.sources:
            source.own.written.connect(partial(self._enter, source.own, source.make_own_edit))
        self.editor: TextEditor | None = None
        """Writes a text of several lines in the place of what is shown; None while nothing is written."""
        context.selection.changed.connect(self._on_selected)
        context.live_changed.connect(self._on_live)
        context.undo.indexChanged.connect(self._on_steps)
        self._on_steps()

    def naming(self) -> Callable[[str], str]:
        """Returns what puts the names of things in the place of their ids."""
        return self.context.names.of(self._snapshot).label

    def make_sources(self) -> tuple[ViewSource, ...]:
        """Returns what the panel shows: by default the facets of its kinds."""
        return tuple(FacetSource(self.context, kind, self.redraw, self.titles) for kind in self.kinds)

    def empty_page(self) -> EmptyPage:
        """Returns the page to show while there is nothing to show."""
        hint = self.hint or about_of(self.kinds[0]).partition("\n\n")[0]
        return self.nothing(self.icon, plain(self.title).lower(), hint)

    def footer(self) -> Sequence[QWidget]:
        """Returns what stands below the view, also while that is empty."""
        return ()

    # --- what it shows -------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest facets, or the operator's pending edits of them, or what else the view is made of."""
        if snapshot.began is not self._snapshot.began:
            self.leave_editor()  # what is written is of another run
        self._snapshot = snapshot
        drawn = [part for source in self.sources for part in source.show_snapshot(snapshot)]
        possible = snapshot.options if self.strip.takes_actions else None
        is_other = self.has_changed(*drawn, self.context.names.of(snapshot), possible)
        if is_other or any(source.is_due for source in self.sources):  # an edit draws the panel without a snapshot
            self.redraw()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Shows what came while the panel was hidden."""
        super().showEvent(event)
        self.redraw()

    def redraw(self) -> None:
        """Draws the panel again, if it is visible; otherwise when it comes into view."""
        sources = [source for source in self.sources if source.parts() is not None]
        self._pages.setCurrentIndex(int(bool(sources)))
        if not sources and self._joined is not None:
            self._joined = None
            self.headline_changed.emit()
        if sources and self.isVisible():
            self._make(sources)
        self._overlay.say(sources[0].stale if sources and all(source.stale for source in sources) else "")
        if not sources or not self.isVisible():
            return
        views = [source.view for source in sources if source.view is not None]
        self._pages.setCurrentIndex(int(not all(map(is_empty, views)) or not self._wrong.isHidden()))
        if self.shown is not None and self._joined is not None:
            self.shown.named = self.naming()
            self.shown.show_view(self._joined.view)
            self._find.setEnabled(self.shown.search(self.words()))
            if (tools := tuple(self.shown.tools())) != self._shown_tools:
                self._shown_tools = tools
                self.tools_changed.emit()
            self._follow()
            self._show_choice()

    def _make(self, sources: Sequence[ViewSource]) -> None:
        """Makes the views of the facets that have changed, and joins all."""
        for source in self.sources:
            if source.is_due:
                source.make_view()
        if self._joined is not None and len(self.sources) == 1 and self._joined.view is self.sources[0].view:
            return
        self._joined = joined(sources, several=len(self.sources) > 1)
        wrong = [source.wrong for source in sources if source.wrong]
        self._wrong.say("\n".join(wrong))
        self._wrong.setHidden(not wrong)
        self._note.say(plain(self._joined.view.note))
        self._note.setHidden(not self._joined.view.note)
        self._dress(self._joined.view)
        self.headline_changed.emit()

    def _dress(self, view: View) -> None:
        """Makes the renderer of a kind of view, unless it is there. A view may say another title than that of its class."""
        if (title := plain(view.title, 40) or self.title) != self._titled:
            self._titled = title
            self.retitled.emit(title)
        cls = renderer_of(view)
        if type(self.shown) is not cls:
            old, self.shown = self.shown, cls(self.context.theme)
            self._room.addWidget(self.shown)
            self._room.setCurrentWidget(self.editor or self.shown)
            QWidget.setTabOrder(self.query, self.shown)  # it is made last, but stands before the strips and the footer
            self.shown.setAccessibleName(self.title)
            self.shown.chosen.connect(self._select)
            self.shown.opened.connect(self._open)
            self.shown.menu.connect(self._open_menu)
            self.shown.ticked.connect(self._tick)
            self._overlay.raise_()
            if old is not None:
                self._room.removeWidget(old)
                old.deleteLater()
        if self.needs_live:
            self.offer.want(self.has_edits(view))

    def has_edits(self, view: View) -> bool:
        """Returns True if there is something in it that needs a live planner."""
        return _has_edits(view)

    def headline(self) -> str:
        """Returns what the view says of itself in a few words."""
        told = plain(self._joined.view.headline, 160) if self._joined is not None and self._wrong.isHidden() else ""
        return self.context.names.of(self._snapshot).with_names(told)

    def tools(self) -> tuple[QAction, ...]:
        """Returns finding, the tools of the renderers, and undoing for a kind that can be edited."""
        undo = (self._undo,) if any(source.can_be_edited for source in self.sources) else ()
        return (self._find, *self._shown_tools, *undo)

    def restyle(self) -> None:
        """Applies the theme's colours and fonts again."""
        if self.shown is not None and self._joined is not None:
            self.shown.show_view(self._joined.view)
        super().restyle()

    def words(self) -> list[str]:
        """Returns the words, in lower case, that all rows must have to be shown."""
        return self.query.text().lower().split()

    def _search(self) -> None:
        if self.shown is not None:
            self.shown.search(self.words())

    def _on_steps(self, _: int = 0) -> None:
        self._undo.setEnabled(bool(self.context.last_edit(*self.kinds)))

    # --- the selection -------------------------------------------------------
    def _select(self) -> None:
        """Selects what the chosen item is about, everywhere."""
        choice = self.shown.choice() if self.shown is not None else None
        if choice is not None and (selected := self._selected(choice.about)) is not None:
            self._follows = False
            self.context.selection.select(selected)
            self._follows = True
        self._show_choice()

    def _selected(self, about: About) -> Selected | None:
        if about.action is not None:
            return Selected("action", action=about.action)
        if about.things:
            return Selected("thing", about.things[0])
        if about.call:
            calls = [call.id for call in self._snapshot.calls if call.ask.digest == about.call]
            return Selected("call", number=calls[-1]) if calls else None
        return Selected("turn", number=about.turn) if about.turn else None

    def _on_selected(self, _: Selected | None) -> None:
        if self._follows and self.isVisible():
            self._follow()
            self._show_choice()

    def _follow(self) -> None:
        """Marks the items about what is selected; an item that is about nothing stays chosen."""
        if self.shown is None:
            return
        keys, choice = self._keys(self.context.selection.now), self.shown.choice()
        if keys or (choice is not None and any(keys_of(choice.about))):
            self.shown.mark(keys)

    def _keys(self, selected: Selected | None) -> frozenset[Key]:
        if selected is None:
            return frozenset()
        match selected.kind:
            case "thing":
                return frozenset({("thing", selected.id)})
            case "action":
                return frozenset({("action", selected.action)})
            case "turn":
                return frozenset({("turn", selected.number)})
            case "call":
                return frozenset(("call", call.ask.digest) for call in self._snapshot.calls if call.id == selected.number)
        return frozenset()

    def _open(self) -> None:
        """Makes the main edit of what is chosen; or previews an override with what that is about."""
        choice = self.shown.choice() if self.shown is not None else None
        if (edit := _main(self._edits())) is not None:
            self.begin_edit(edit)
        elif choice is None or not self.context.live:
            return
        elif choice.about.action is not None:
            self.context.selection.asked_actions.emit((choice.about.action,))
        elif choice.about.things:
            self.context.selection.asked_override.emit(choice.about.things[0])

    def _tick(self) -> None:
        if (edit := next((edit for edit in self._edits() if isinstance(edit.form, Tick)), None)) is not None:
            self.make_edit(edit, None)

    # --- edits ---------------------------------------------------------------
    def _edits(self) -> tuple[Edit, ...]:
        choice = self.shown.choice() if self.shown is not None else None
        if choice is None or self._joined is None:
            return ()
        return self._joined.source_of(choice, self.sources[0])[0].makeable(choice.edits)

    def _show_choice(self) -> None:
        choice, edits = self.shown.choice() if self.shown is not None else None, self._edits()
        is_asked = choice is not None and choice.address == self._asked
        has_forms = bool(edits) and self.shown is not None and (is_asked or not self.shown.is_picture)
        if choice is None or not has_forms:
            self.strip.show_choice(None, "")
        else:
            self.strip.show_choice(replace(choice, edits=edits), self.naming()(choice.text))
        if self.strip.takes_actions:
            self.strip.offer(self._actions())
        for source in self.sources:
            source.show_own(choice.edits if choice is not None else ())

    def _actions(self) -> list[tuple[Action, str]]:
        """Returns the actions that can be written, with their words: those listed as admissible, and those shown."""
        options, names = self._snapshot.options, self.context.names.of(self._snapshot)
        listed = [action for action, verdict in options.options if verdict.ok] if options is not None else []
        views = self._joined.view.children() if self._joined is not None else ()
        shown = [item.about.action for view in views for item in items_of(view) if item.about.action is not None]
        return [(action, names.phrase(action)) for action in dict.fromkeys((*listed, *shown))]

    def begin_edit(self, edit: Edit) -> None:
        """Makes an edit of what is chosen, if it has no value, or begins to enter its value."""
        choice = self.shown.choice() if self.shown is not None else None
        if isinstance(edit.form, Press | Tick):
            self.make_edit(edit, None)
        elif choice is not None and self._joined is not None:
            self._asked = choice.address
            self._show_choice()
            source, at = self._joined.source_of(choice, self.sources[0])
            self._enter(self.strip, lambda edit, value: source.make_edit(at, edit, value, -1, self.strip), edit)

    def _enter(self, strip: EditStrip, make: Callable[[Edit, EditValue], None], edit: Edit) -> None:
        """Begins an edit: a text of several lines is written in the place of what is shown."""
        if isinstance(edit.form, Press | Tick):
            make(edit, None)
        elif not is_long(edit):
            if (form := strip.form(edit.name)) is not None:
                form.begin()
        elif self.editor is None:
            self.editor = TextEditor(self.context.theme, edit)
            self._room.addWidget(self.editor)
            self._room.setCurrentWidget(self.editor)
            self.editor.done.connect(partial(self._finish, make))
            self.editor.cancelled.connect(self.leave_editor)
            self.editor.begin()

    def _finish(self, make: Callable[[Edit, EditValue], None], edit: Edit, text: str) -> None:
        self.leave_editor()
        make(edit, text)

    def leave_editor(self) -> None:
        """Shows again what the editor took the place of. What was written is dropped."""
        if self.editor is not None and self.shown is not None:
            self._room.setCurrentWidget(self.shown)
            self._room.removeWidget(self.editor)
            self.editor.deleteLater()
            self.editor = None
            self.shown.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_live(self, live: bool) -> None:
        if not live:
            self.leave_editor()
        self._show_choice()

    def _end_form(self) -> None:
        self._asked = None
        self._show_choice()

    def make_edit(self, edit: Edit, value: EditValue, drag: int = -1) -> None:
        """Makes an edit of what is chosen, as a step that can be undone. Says why if it is refused.

        Args:
            edit: the edit.
            value: its value.
            drag: edits of one drag are one step; -1: it is a step of its own.
        """
        choice = self.shown.choice() if self.shown is not None else None
        if choice is not None and self._joined is not None:
            self._asked = None
            source, choice = self._joined.source_of(choice, self.sources[0])
            source.make_edit(choice, edit, value, drag, self.strip)

    def _begins(self) -> Iterator[tuple[Edit, Callable[[], None], str]]:
        """Yields the edits that can be made now, what begins each, and of what it is: of what is chosen, then of the whole."""
        choice = self.shown.choice() if self.shown is not None else None
        named = "" if choice is None else self.context.names.of(self._snapshot).with_names(plain(choice.text, SHORT))
        yield from ((edit, partial(self.begin_edit, edit), f": {named}") for edit in self._edits())
        for source in self.sources:
            for edit in source.makeable(source.view.own_edits) if source.view is not None else ():
                yield edit, partial(self._enter, source.own, source.make_own_edit, edit), ""

    def offers(self) -> Sequence[Offer]:
        """Returns the edits of what is chosen, and of the whole."""
        main = _main(self._edits())
        return tuple(Offer(f"{edit.title}{named}", begin, MAIN_KEY if edit is main else edit.key,
                           edit.icon if edit.icon in ICONS else "edit") for edit, begin, named in self._begins())

    def _open_menu(self, at: QPoint) -> None:
        choice = self.shown.choice() if self.shown is not None else None
        if self.shown is None or choice is None:
            return
        menu = PopupMenu(self)
        entries: list[tuple[str, Callable[[], object]]] = [
            (edit.title if isinstance(edit.form, Press) else f"{edit.title} …", partial(self.begin_edit, edit))
            for edit in self._edits()]
        selection, about = self.context.selection, choice.about
        if about.action is not None and self.context.live:
            entries.append(("Preview this override …", partial(selection.asked_actions.emit, (about.action,))))
        entries += [("Copy the text", partial(QApplication.clipboard().setText, choice.text)),
                    *self.shown.menu_entries().items()]
        if about.things:
            name = self.context.names.of(self._snapshot).definite(about.things[0])
            entries += thing_entries(self.context, about.things[0], name)
        for title, act in entries:
            menu.add(title, act)
        menu.open_at(at)

    # --- keys ----------------------------------------------------------------
    def _begin_of(self, event: QKeyEvent) -> Callable[[], None] | None:
        """Returns what begins the edit of a key."""
        if isinstance(QApplication.focusWidget(), FindField | QPlainTextEdit):
            return None
        pressed = QKeyCombination(event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier, Qt.Key(event.key()))
        key = QKeySequence(pressed).toString()
        return next((begin for edit, begin, _ in self._begins() if edit.key and QKeySequence(edit.key).toString() == key), None)

    def event(self, event: QEvent) -> bool:
        """Keeps the keys of the edits of what is chosen from the shortcuts of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._begin_of(event) is not None:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Makes the edit of a key."""
        if (begin := self._begin_of(event)) is not None:
            begin()
        else:
            super().keyPressEvent(event)


class FilePanel(ViewPanel):
    """Shows a kind of facet that is kept in files, too."""

    def __init__(self, context: Context):
        super().__init__(context)
        self.files = FileTools(self, context.theme, title_of(self.kinds[0]), self.save, self.load)

    def tools(self) -> tuple[QAction, ...]:
        """Returns loading and saving, too."""
        return (*self.files.tools, *super().tools())

    def _show_choice(self) -> None:
        super()._show_choice()
        is_there = self.sources[0].parts() is not None
        self.files.allow(save=is_there, load=is_there and self.context.live)

    def save(self, path: str) -> None:
        """Writes the facet that is shown to a file."""
        self._tell(lambda source: source.save(Path(path)))

    def load(self, path: str) -> None:
        """Puts what a file says in the place of the facet, as one edit that can be undone."""
        self._tell(lambda source: source.load(Path(path)))

    def _tell(self, done: Callable[[FacetSource], str]) -> None:
        source = self.sources[0]
        assert isinstance(source, FacetSource), "it shows a kind of facet"
        self.strip.say(done(source))


def _main(edits: Sequence[Edit]) -> Edit | None:
    """Returns what a double click does: the edit of the Return key, or else the first one that has a value."""
    return next((edit for edit in edits if edit.key == "Return"),
                next((edit for edit in edits if not isinstance(edit.form, Press)), None))


def _has_edits(view: View) -> bool:
    """Whether there is an edit that needs a live planner."""
    if isinstance(view, Sections):
        return any(map(_has_edits, view.parts))
    edits = (*view.own_edits, *(edit for item in items_of(view) for edit in item.edits))
    return any(not edit.any_time for edit in edits) or (isinstance(view, Matrix) and bool(view.edits))


def name_of(kind: type[Facet]) -> str:
    """Returns the name of the panel of a kind of facet: `GoalProgress` gives `goal_progress`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).lower()


def about_of(kind: type[Facet]) -> str:
    """Returns what a kind of facet says it is: its docstring up to the list of its attributes, in paragraphs."""
    text = re.split(r"\n\s*Attributes:", docstring(kind))[0]
    if text.startswith(f"{kind.__name__}("):  # what dataclasses put in the place of a missing docstring
        text = ""
    found = "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))
    return found or f"The newest {title_of(kind)} of the planner."


def panel_for(*kinds: type[Facet], panel: FacetPanel | None = None) -> type[ViewPanel]:
    """Returns the class of a panel of one or several kinds of facet.

    Args:
        kinds: the kinds, in the order of their sections. What the first one says of itself is the page about the panel.
        panel: its name, title and icon, and the sections that it shows; None: as the first kind is called, all sections.
    """
    first = kinds[0]
    panel = panel or FacetPanel(name_of(first), heading_of(first), first.icon)
    base = ViewPanel if first.with_file is Facet.with_file else FilePanel
    return type(f"{first.__name__}Panel", (base,), {
        "__doc__": about_of(first), "__module__": __name__, "kinds": kinds, "facets": frozenset(kinds), "name": panel.name,
        "title": panel.title, "icon": panel.icon, "hint": panel.about, "titles": panel.parts})
