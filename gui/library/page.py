"""The page of the library: search, groups, the table, and what can be done with the marked recordings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QStringListModel, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QCompleter, QFileDialog, QListView, QStackedLayout, QWidget

from core.common.user_folders import home
from core.library.entry import FIELDS, Entry
from gui.control.context import Context
from gui.library.acts import Exporting, LibraryActs
from gui.library.shelf import Found, Shelf
from gui.library.table import RecordingTable, next_sort
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import Button, CardState, Line, PopupMenu, Segment, StateCard
from gui.widgets.full_page import FullPage
from gui.widgets.numbers import count, whole
from gui.widgets.search import FindField
from gui.widgets.state_card import StateAction

if TYPE_CHECKING:
    from core.library.scan import Progress

QUICK: Final = (("All", ""), ("Reached", "reached"), ("Failed", "failed"), ("Labelled", "labelled"), ("Trouble", "trouble"))
"""Filters of one click: title, and what stands before the query."""
HINT: Final = "Find: apple fridge   planner:llm-mcts   turns>20   failed   -label:stuck"
READING: Final = "Reading recordings:"
SELECTED: Final = "selected"


class Search(FindField):
    """The search box. Enter and arrow down go to the table, Tab to the completions; Escape leaves the page if it is empty."""

    down = Signal()

    def __init__(self) -> None:
        super().__init__(HINT)
        self.was_empty = False
        self._words = QStringListModel(self)
        self._popup = QCompleter(self._words, self)
        self._popup.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._popup.setMaxVisibleItems(12)
        self._popup.setWidget(self)
        self._list = QListView()
        self._list.setObjectName("Names")
        self._popup.setPopup(self._list)
        self._list.installEventFilter(self)
        self._popup.activated.connect(self._take)

    def restyle(self, theme: Theme) -> None:
        """Takes over the theme's sizes."""
        self.setFixedHeight(theme.px(30))
        self._list.setFont(theme.font("body"))

    def _take(self, text: str) -> None:
        self.setText(text)
        self.textEdited.emit(text)

    def offer(self, completions: tuple[str, ...]) -> None:
        """Shows what the query could become, while the box has the focus."""
        self._words.setStringList(list(completions))
        if completions and self.hasFocus() and self.text():
            self._popup.complete()
            self._list.setCurrentIndex(QModelIndex())  # Qt chooses the first: Enter would take it instead of what was typed
        else:
            self._list.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Chooses among the completions with Tab and arrow up, because arrow down and Enter go to the table and open."""
        if watched is not self._list or not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        step = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}.get(Qt.Key(event.key()))
        if step is not None:
            rows, row = self._words.rowCount(), self._list.currentIndex().row()
            self._list.setCurrentIndex(self._words.index((row + step) % rows if row >= 0 or step > 0 else rows - 1))
        elif event.key() == Qt.Key.Key_Down:
            self._go_down()
        return step is not None or event.key() == Qt.Key.Key_Down

    def _go_down(self) -> None:
        self._list.hide()
        self.down.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Goes to the table on arrow down, and on Enter, unless a completion is chosen."""
        chosen = self._list.isVisible() and self._list.currentIndex().isValid()
        if event.key() == Qt.Key.Key_Down or (event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not chosen):
            self._go_down()
            return
        self.was_empty = not self.text()
        super().keyPressEvent(event)


class LibraryPage(FullPage):
    """The page. It fills the window in place of the console.

    Attributes:
        search: the search box.
        table: the table.
    """

    def __init__(self, context: Context, shelf: Shelf, acts: LibraryActs):
        theme = context.theme
        super().__init__(theme, "Library")
        self._shelf, self._acts, self._found, self._progress = shelf, acts, Found(), ""
        self._exporting = False
        self.search, self.table = Search(), RecordingTable(theme, shelf)
        self.quick = Segment(theme, tuple(title for title, _ in QUICK), what="Quick filter")
        self._count = Line(theme, "", "small", "muted", shrinks=False)
        self._empty = StateCard(theme)
        self._make_buttons()
        self._lay_out()
        self._connect(context)

    def _make_buttons(self) -> None:
        theme = self._theme
        self.sort = Button(theme, "", "equal", act=lambda: self.open_menu(self.sort, self._fill_sort))
        self.group = Button(theme, "", "layout", act=lambda: self.open_menu(self.group, self._fill_group))
        self.places = Button(theme, "", "folder", act=lambda: self.open_menu(self.places, self._fill_folders))
        self.rebuild = Button(theme, "Rebuild the index", "retry", act=self._shelf.rebuild)
        self.rebuild.setToolTip("Read all recordings again. The index holds nothing that is not in them.")
        self.open = Button(theme, "Open", "open", "primary", lambda: self._with_one(self._acts.open))
        self.take_over = Button(theme, "Take over", "fork", "operator", lambda: self._with_one(self._acts.take_over))
        self.take_over.setToolTip("Start a live run that goes on from the end of this recording")
        self.compare = Button(theme, "Compare two", "compare", act=self._compare)
        self.export = Button(theme, "Export …", "save", act=lambda: self.open_menu(self.export, self._fill_export))
        self.cancel = Button(theme, "Cancel", "close", act=self._acts.cancel)
        self.bin = Button(theme, "Move to bin", "close", act=self.discard)
        self.bin.setToolTip("Move the selected recordings and their labels to the system's bin (Del)")
        self.cancel.hide()

    def _lay_out(self) -> None:
        theme = self._theme
        pages, table = QWidget(), QWidget()
        vbox(theme, (self.table, 1), on=table, spacing=0, margins=FLUSH)
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(table)
        self._pages.addWidget(self._empty)
        head = hbox(theme, self.back, 8, self.heading, 6, self._count, 0,
                    self.places, self.rebuild, spacing=6)
        find = hbox(theme, (self.search, 1), self.quick, self.sort, self.group, spacing=6)
        buttons = self.cancel, self.open, self.take_over, self.compare, self.export, self.bin
        foot = hbox(theme, (self.news, 1), *buttons, spacing=6)
        vbox(theme, head, find, (pages, 1), foot, on=self, spacing=8, margins=(12, 10, 12, 10))
        self._restyle()

    def _connect(self, context: Context) -> None:
        shelf, table = self._shelf, self.table
        shelf.found.connect(self.show_found)
        shelf.progressed.connect(self._on_progress)
        shelf.troubled.connect(lambda text: self.say(text, "warn"))
        self._acts.exporting.connect(self._on_exporting)
        self._acts.binned.connect(shelf.forget)
        self.search.textEdited.connect(lambda _: self._ask())
        self.search.down.connect(self._enter_table)
        self.search.closed.connect(self._on_search_closed)
        self.quick.chosen.connect(lambda _: self._ask())
        table.sorted_by.connect(lambda field: self._wish(sort=next_sort(shelf.wish.sort, field)))
        table.folded.connect(self._fold)
        table.marked_changed.connect(self._on_marked)
        table.opened.connect(lambda index: self._with_row(index, self._acts.open))
        table.on_key(Qt.Key.Key_Delete, self.discard)
        table.on_key(Qt.Key.Key_Slash, self.focus_search)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._offer_acts)
        context.theme_changed.connect(self._restyle)
        self._show_wish()
        self._show_buttons()

    def _restyle(self) -> None:
        self.search.restyle(self._theme)

    # --- the answer --------------------------------------------------------
    def show_found(self, found: Found) -> None:
        """Shows an answer, or why there is none."""
        self._found = found
        self.table.show_found(found)
        self.search.offer(found.completions)
        some = f"{whole(found.count)} of {count(found.total, 'recording')}"
        blind = " · labels are hidden: you work blind" if found.wish.blind else ""
        self._count.say((count(found.total, "recording") if found.count == found.total else some) + blind, "muted")
        state = self._state(found)
        self._pages.setCurrentIndex(1 if state is not None else 0)
        if state is not None:
            self._empty.show_state(state)
        self._show_buttons()

    def _state(self, found: Found) -> CardState | None:
        """Returns what to show in place of an empty table."""
        if found.trouble:
            return CardState("failed", "This query is not understood", found.trouble[:1].upper() + found.trouble[1:])
        if found.rows:
            return None
        if found.total:
            return CardState("empty", "Nothing found", "No recording fits this query and filter.", "search",
                             actions=(StateAction("Show all", "undo", self.show_all),))
        if self._progress:
            return CardState("waiting", "Reading the recordings", self._progress)
        folders = ", ".join(str(folder) for folder in self._shelf.folders)
        return CardState("empty", "No recordings yet", f"Press R in the console to record a run, or choose another folder. "
                         f"Looked into: {folders}", "recording",
                         actions=(StateAction("Add a folder …", "folder", self.add_folder),))

    def _on_progress(self, progress: Progress | None) -> None:
        self._progress = ""
        if progress is not None and not progress.is_over:
            self._progress = f"{READING} {whole(progress.done)} of {whole(progress.total)}"
            self.say(self._progress)
        elif progress is not None and (troubles := self._shelf.worth_telling(progress.troubles)):
            self.say(f"Cannot be read: {'; '.join(troubles)}", "warn")
        elif self.news.text.startswith(READING):
            self.say("")

    def say(self, text: str, tone: str = "muted") -> None:
        """Shows a message at the foot of the page, unless that says how far an export is."""
        if not self._exporting:
            super().say(text, tone)

    # --- wishes ------------------------------------------------------------
    def _ask(self) -> None:
        before = QUICK[self.quick.index][1]
        self._wish(query=f"{before} {self.search.text()}".lstrip())

    def _wish(self, **changes: object) -> None:
        self._shelf.ask(replace(self._shelf.wish, **changes))  # type: ignore[arg-type]
        self._show_wish()

    def _show_wish(self) -> None:
        wish = self._shelf.wish
        arrow = "↓" if wish.sort.startswith("-") else "↑"
        self.sort.dress(f"Sort: {FIELDS[wish.sort.removeprefix('-')].title} {arrow}", "equal")
        self.group.dress(f"Group: {FIELDS[wish.group].title if wish.group else 'none'}", "layout")
        folders = self._shelf.folders
        self.places.dress(count(len(folders), "folder") if len(folders) != 1 else folders[0].name or str(folders[0]), "folder")

    def show_all(self) -> None:
        """Clears the search and the filter."""
        self.search.clear()
        self.quick.choose(0)
        self._ask()

    def _fold(self, title: str) -> None:
        self._wish(folded=self._shelf.wish.folded ^ {title})

    def focus_search(self) -> None:
        """Goes to the search box."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _enter_table(self) -> None:
        self.table.setFocus()
        if self.table.current < 0:
            first = next((k for k in range(self.table.count()) if self.table.can_choose(k)), -1)
            self.table.take_row(first)

    def _on_search_closed(self) -> None:
        if self.search.was_empty:
            self.left.emit()
        else:
            self._ask()

    # --- menus -------------------------------------------------------------
    def _fill_sort(self, menu: PopupMenu) -> None:
        now = self._shelf.wish.sort
        for name, field in FIELDS.items():
            menu.add(field.title, partial(self._wish, sort=next_sort(now, name)), checked=now.removeprefix("-") == name)

    def _fill_group(self, menu: PopupMenu) -> None:
        now = self._shelf.wish.group
        menu.add("No groups", partial(self._wish, group="", folded=frozenset()), checked=not now)
        menu.addSeparator()
        for name, field in FIELDS.items():
            if field.groups:
                menu.add(field.title, partial(self._wish, group=name, folded=frozenset()), checked=now == name)

    def _fill_folders(self, menu: PopupMenu) -> None:
        folders = self._shelf.folders
        for folder in folders:
            inner = menu.add_menu(str(folder))
            inner.add("Take off the list", partial(self._change_folders, partial(self._shelf.remove_folder, folder)))
        menu.addSeparator()
        menu.add("Add a folder …", self.add_folder)
        menu.add("Only the usual folders", partial(self._change_folders, self._shelf.choose_usual_folders))

    def add_folder(self) -> None:
        """Lets the operator choose another folder to look into."""
        dialog = QFileDialog(self, "Add a folder with recordings", str(home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ReadOnly)
        dialog.fileSelected.connect(lambda path: self._change_folders(partial(self._shelf.add_folder, Path(path))))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def _change_folders(self, change: Callable[[], None]) -> None:
        change()
        self._show_wish()

    def _fill_export(self, menu: PopupMenu) -> None:
        from core.recording.exports import about  # imported here: the window does not wait for it

        for to, words in about().items():
            menu.add(f"{to}: {words}", partial(self._choose_place, to))

    def _choose_place(self, to: str) -> None:
        dialog = QFileDialog(self, f"Export as {to}: choose a folder", str(self._shelf.folders[0]))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda path: self._acts.export(self.table.chosen_entries, to, Path(path)))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def _offer_acts(self, at: QPoint) -> None:
        menu = PopupMenu(self)
        for button in (self.open, self.take_over, self.compare, self.export, self.bin):
            if button.isEnabled():
                menu.add(button.accessibleName(), button.click)
        menu.open_at(self.table.viewport().mapToGlobal(at))

    # --- what is done with recordings ----------------------------------------
    def marked_paths(self) -> tuple[Path, ...]:
        """Returns the recordings that are marked, if they are several."""
        entries = self.table.chosen_entries
        return tuple(entry.path for entry in entries) if len(entries) > 1 else ()

    def _with_one(self, act: Callable[[Entry], object]) -> None:
        entries = self.table.chosen_entries
        if len(entries) == 1:
            act(entries[0])

    def _with_row(self, index: int, act: Callable[[Entry], object]) -> None:
        row = self.table.item(index)
        if isinstance(row, Entry):
            act(row)

    def _compare(self) -> None:
        entries = self.table.chosen_entries
        if len(entries) == 2:
            self._acts.compare(*entries)

    def discard(self) -> None:
        """Moves the marked recordings to the bin. Those that are gone are taken off the list."""
        entries = self.table.chosen_entries
        gone = [entry for entry in entries if entry.state == "gone"]
        if gone:
            self._shelf.forget([entry.path for entry in gone])
        if len(entries) > len(gone):
            self._acts.move_to_bin([entry for entry in entries if entry not in gone])

    def _on_marked(self) -> None:
        number = len(self.table.marked)
        if number > 1 or self.news.text.endswith(SELECTED):
            self.say(f"{whole(number)} {SELECTED}" if number > 1 else "")
        self._show_buttons()

    def _show_buttons(self) -> None:
        entries = self.table.chosen_entries
        usable = [entry for entry in entries if entry.state != "gone"]
        one = len(entries) == 1 and bool(usable)
        can = {self.open: one, self.take_over: one, self.compare: len(usable) == len(entries) == 2,
               self.export: bool(usable) and not self._exporting, self.bin: bool(entries)}
        focused = self.window().focusWidget()
        if any(button is focused and not enabled for button, enabled in can.items()):
            self.table.setFocus()  # Qt would give the focus to the next button, which may be the one of the bin
        for button, enabled in can.items():
            button.setEnabled(enabled)
        gone = bool(entries) and not usable
        self.bin.dress("Take off the list" if gone else "Move to bin", "close")

    def _on_exporting(self, exporting: Exporting | None) -> None:
        self._exporting = exporting is not None
        self.cancel.setVisible(self._exporting)
        if exporting is not None:
            self.news.say(f"Exporting as {exporting.to}: {exporting.done} of {count(exporting.total, 'recording')}", "muted")
        self._show_buttons()

    # --- Qt ----------------------------------------------------------------
    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Looks at the folders, and gives the search box the focus."""
        super().showEvent(event)
        self._shelf.watch(shown=True)
        self.focus_search()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Ends looking at the folders; an update under way goes on."""
        super().hideEvent(event)
        self._shelf.watch(shown=False)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Looks at the folders again when the window becomes the active one: files may have changed meanwhile."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isVisible() and self.isActiveWindow():
            self._shelf.rescan()
