"""The table of the window's actions, from which its keys, the key dialog, the menus and the command palette are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from gui.control.console import Console
from gui.control.kept_settings import KeptSettings
from gui.control.key_labels import normal
from gui.control.parts import ReadFacts
from gui.recordings.example_keeping import ExampleKeeper
from gui.recordings.label_dialogs import LabelDialogs
from gui.recordings.sharing import DecisionSharing
from gui.recordings.unsaved_labels import UnsavedLabels
from gui.recordings.viewer import RecordingExport
from gui.widgets import tool_action
from gui.widgets.keyboard import MeantKeys, is_text
from gui.window.about import AboutDialog
from gui.window.documents import Documents
from gui.window.keys import OTHER_KEYS, KeyBindings, KeyDialog, KeyRow
from gui.window.main_window import MainWindow
from gui.window.menus import MenuEntry, MenuName, Menus, MenuSources
from gui.window.page_dialog import show_page
from gui.window.palette import Entry, Palette
from gui.window.palette_entries import entries, export_entries
from gui.window.tour import Tour
from gui.window.worst_decisions import WorstDialog


@dataclass(frozen=True, slots=True)
class WindowAction:
    """One action of the window. It is always enabled: if it is not possible now, it says why in the status line.

    Attributes:
        name: identifies it, also in the settings.
        title: its text in the palette and in the key dialog.
        key: its default key; empty: none until the operator gives it one.
        icon: the name of one of the theme's icons.
        menu: the menu that has it.
        group: its group in that menu; lines separate groups.
        run: what it does.
        listed: whether the palette lists it.
        over_page: whether it makes sense while a page lies over the console. Otherwise the page is left first, because it hides
            what the action opens.
    """

    name: str
    title: str
    key: str
    icon: str
    menu: MenuName
    group: int
    run: Callable[[Actions], object]
    listed: bool = True
    over_page: bool = True


def _go_to_panel(number: int) -> WindowAction:
    return WindowAction(f"panel {number}", f"Go to panel {number}", f"Ctrl+{number}", "right",
                        "View", 9, lambda a: a.window.go_to_panel(number), listed=False)


ACTIONS: tuple[WindowAction, ...] = (
    WindowAction("run", "Run, pause", "Space", "run", "Run", 1, lambda a: a.console.run_or_pause()),
    WindowAction("step", "Step one action", "Right", "step", "Run", 1, lambda a: a.console.step()),
    WindowAction("checkpoint", "Step one checkpoint", "Shift+Right", "step", "Run", 1, lambda a: a.console.step("checkpoint")),
    WindowAction("divergence", "Run to the next divergence of the two planners", "Shift+D", "compare", "Run", 1,
                 lambda a: a.console.run_to_divergence()),
    WindowAction("pace", "Pace: hold each turn, stop before each action …", "Ctrl+P", "pause", "Run", 1,
                 lambda a: a.window.bar.controls.offer_paces(), over_page=False),
    WindowAction("stop", "Stop the run", "Ctrl+.", "stop", "Run", 1, lambda a: a.console.stop()),
    WindowAction("back", "Back one turn", "Left", "prev", "Run", 3, lambda a: a.console.turn_by(-1)),
    WindowAction("first", "First turn", "Home", "first", "Run", 3, lambda a: a.console.first_turn()),
    WindowAction("live", "Back to the present", "End", "last", "Run", 3, lambda a: a.console.go_live()),
    WindowAction("rewind", "Rewind to the turn shown", "Ctrl+Left", "rewind", "Run", 3, lambda a: a.console.rewind()),
    WindowAction("fork", "Fork here and compare", "Ctrl+Shift+F", "fork", "Run", 3, lambda a: a.console.fork()),
    WindowAction("override", "Override the next action …", "O", "override", "Run", 2,
                 lambda a: a.window.asked_override.emit(), over_page=False),
    WindowAction("change world", "Change the world: move or alter the selected object, in a fork …", "Shift+O", "boxes",
                 "Run", 2,
                 lambda a: a.console.context.selection.asked_changes.emit(""), over_page=False),
    WindowAction("ban", "Ban or allow the selected action", "X", "ban", "Run", 2, lambda a: a.console.run_request.toggle_ban()),
    WindowAction("goal", "Edit the goal", "Ctrl+G", "goal", "Edit", 2, lambda a: a.window.bar.goal.edit(), over_page=False),
    WindowAction("ask", "New task: what should the robot do? …", "", "goal", "Edit", 2,
                 lambda a: a.window.ask_task(), over_page=False),
    WindowAction("tasks", "Choose a task for this scene …", "Ctrl+T", "plan", "Edit", 2,
                 lambda a: a.console.asked_tasks.emit(), over_page=False),
    WindowAction("things", "Objects of this scene …", "Ctrl+Shift+T", "boxes", "Edit", 2,
                 lambda a: a.console.asked_things.emit(), over_page=False),
    WindowAction("draw task", "Draw another task for this scene", "", "dice", "Edit", 2, lambda a: a.console.asked_task.emit()),
    WindowAction("roll seed", "Draw another seed", "", "dice", "Edit", 3, lambda a: a.console.run_request.roll_seed()),
    WindowAction("models", "Models: add, edit, test, choose …", "Ctrl+M", "provider", "Tools", 4,
                 lambda a: a.console.asked_models.emit()),
    WindowAction("undo", "Undo", "Ctrl+Z", "undo", "Edit", 1, lambda a: a.console.undoing.undo()),
    WindowAction("redo", "Redo", "Ctrl+Shift+Z", "redo", "Edit", 1, lambda a: a.console.undoing.redo()),
    WindowAction("deeper", "100 more simulations", "D", "add", "Run", 2, lambda a: a.console.run_request.more_simulations()),
    WindowAction("palette", "Command palette", "Ctrl+K", "palette", "Tools", 1, lambda a: a.open_palette(), listed=False),
    WindowAction("worst", "Worst decisions", "M", "fault", "Tools", 2, lambda a: a.show_worst()),
    WindowAction("page", "What you see: the panel with the focus", "F1", "help", "Help", 1, lambda a: a.show_page()),
    WindowAction("tour", "Guided tour: two minutes with the sample episode", "", "next", "Help", 1,
                 lambda a: a.tour.begin(), over_page=False),
    WindowAction("keys", "Keyboard shortcuts …", "Ctrl+F1", "keys", "Help", 2, lambda a: a.show_keys()),
    WindowAction("about", "About Belvedere: versions, and a report to copy …", "", "info", "Help", 3,
                 lambda a: a.show_about()),
    WindowAction("menu", "Menu", "F10", "menu", "Tools", 1, lambda a: a.menus.open(), listed=False),
    WindowAction("save layout", "Layout: save", "", "layout", "View", 2, lambda a: a.window.save_layout()),
    WindowAction("reset layout", "Layout: reset", "", "layout", "View", 2, lambda a: a.window.reset_layout()),
    WindowAction("visitors", "For visitors: large frames, what the robot does and why; or all panels", "F11", "frames",
                 "View", 1, lambda a: a.window.toggle_visitors()),
    WindowAction("quit", "Quit", "Ctrl+Q", "close", "File", 4, lambda a: a.window.close()),
    WindowAction("full screen", "Full screen", "Shift+F11", "float", "View", 1,
                 lambda a: a.window.setWindowState(a.window.windowState() ^ Qt.WindowState.WindowFullScreen)),
    WindowAction("next panel", "Next panel", "Tab", "next", "View", 3, lambda a: a.window.navigation.go_by(1)),
    WindowAction("last panel", "Previous panel", "Shift+Tab", "prev", "View", 3, lambda a: a.window.navigation.go_by(-1)),
    WindowAction("next control", "Next control", "Ctrl+Tab", "next", "View", 3, lambda a: a.window.navigation.go_to_control(1)),
    WindowAction("last control", "Previous control", "Ctrl+Shift+Tab", "prev", "View", 3,
                 lambda a: a.window.navigation.go_to_control(-1)),
    *map(_go_to_panel, range(1, 10)),
    WindowAction("record", "Record, stop recording", "R", "record", "Record", 1, lambda a: a.window.recorders.toggle()),
    WindowAction("batch", "Record a batch of episodes …", "Ctrl+B", "record", "Record", 1,
                 lambda a: a.window.asked_batch.emit("open")),
    WindowAction("skip episode", "Batch: skip this episode", "", "next", "Record", 1,
                 lambda a: a.window.asked_batch.emit("skip")),
    WindowAction("stop batch", "Batch: stop, continue later", "", "stop", "Record", 1,
                 lambda a: a.window.asked_batch.emit("stop")),
    WindowAction("bookmark", "Bookmark this moment", "K", "bookmark", "Record", 2,
                 lambda a: a.window.labelling.point("bookmark")),
    WindowAction("rate", "Rate this decision …", "Ctrl+R", "check", "Record", 2, lambda a: a.dialogs.rate(), over_page=False),
    WindowAction("why", "Why this action and not another?", "W", "info", "Tools", 2, lambda a: a.window.show_panel("why")),
    WindowAction("failure", "Why did the episode fail? …", "Shift+W", "fault", "Tools", 2,
                 lambda a: a.window.failures.open(a.window)),
    WindowAction("labels", "Labels and annotator …", "", "note", "Record", 2, lambda a: a.dialogs.labels()),
    WindowAction("label set", "Labels: use the next label set", "Shift+L", "labels", "Record", 2,
                 lambda a: a.window.labelling.switch()),
    WindowAction("finish", "Labels: I have finished this one, or go on", "", "check", "Record", 2,
                 lambda a: a.window.labelling.finish(finished=not a.window.labelling.finished)),
    WindowAction("next review", "Next recording to review", "Ctrl+N", "next", "Record", 3,
                 lambda a: a.window.asked_review.emit(False)),
    WindowAction("finish review", "Labels: I have finished this one; open the next to review", "Shift+N", "check", "Record", 3,
                 lambda a: a.window.asked_review.emit(True)),
    WindowAction("agreement", "Agreement of annotators …", "Shift+A", "compare", "Tools", 3, lambda a: a.dialogs.agreement()),
    WindowAction("statistics", "Statistics of a folder …", "", "scatter", "Tools", 3, lambda a: a.dialogs.statistics()),
    WindowAction("share", "Share this decision …", "", "save", "File", 2, lambda a: a.sharing.ask()),
    WindowAction("keep example", "Keep this decision as an example", "", "learnings", "Record", 3, lambda a: a.keeper.keep()),
    WindowAction("examples", "Examples for prompts …", "", "learnings", "Record", 3, lambda a: a.dialogs.examples()),
    WindowAction("elsewhere", "Labels: save those that could not be saved elsewhere …", "", "folder", "Record", 2,
                 lambda a: a.unsaved.save_elsewhere()),
    WindowAction("mend", "Labels: end the states that are still open", "", "note", "Record", 2,
                 lambda a: a.window.labelling.end_open_states()),
    WindowAction("event back", "Recording: back one event", "Shift+Left", "left", "Record", 4,
                 lambda a: a.console.replay.step_event(-1)),
    WindowAction("next mark", "Recording: next mark", "]", "next", "Record", 4, lambda a: a.window.viewer.jump(1)),
    WindowAction("last mark", "Recording: previous mark", "[", "prev", "Record", 4, lambda a: a.window.viewer.jump(-1)),
    WindowAction("next fault", "Recording: next fault", "", "fault", "Record", 4, lambda a: a.window.viewer.jump(1, "fault")),
    WindowAction("next edit", "Recording: next edit, override or change of the world", "", "edit", "Record", 4,
                 lambda a: a.window.viewer.jump(1, "edit", "override", "world")),
    WindowAction("next label", "Recording: next bookmark or label", "", "bookmark", "Record", 4,
                 lambda a: a.window.viewer.jump(1, "label")),
    WindowAction("next branch", "Recording: next branch point", "", "fork", "Record", 4,
                 lambda a: a.window.viewer.jump(1, "rewind")),
    WindowAction("faster", "Recording: faster", ">", "run", "Record", 4, lambda a: a.window.viewer.faster(1)),
    WindowAction("slower", "Recording: slower", "<", "run", "Record", 4, lambda a: a.window.viewer.faster(-1)),
    WindowAction("open", "Open a recording …", "Ctrl+O", "folder", "File", 1, lambda a: a.window.asked_opening.emit()),
    WindowAction("open graph", "Open a household graph as a scene …", "Ctrl+Shift+O", "scene", "File", 1,
                 lambda a: a.console.asked_graph.emit()),
    WindowAction("library", "Library: all recordings …", "Ctrl+L", "runs", "File", 1,
                 lambda a: a.window.asked_library.emit()),
    WindowAction("evaluations", "Evaluations: play a suite, see results …", "Ctrl+E", "scatter", "Tools", 3,
                 lambda a: a.window.asked_evaluations.emit()),
    WindowAction("take over", "Recording: take over from here", "", "fork", "Record", 1, lambda a: a.window.viewer.take_over()),
    WindowAction("leave", "Recording: close", "", "close", "File", 3, lambda a: a.window.viewer.leave()),
)
"""All actions, in the order of the palette."""
NOT_IN_MENUS = frozenset({"menu"})
"""Actions that would do nothing in a menu: the one that opens it."""
MACOS_ROLES = MappingProxyType({"about": QAction.MenuRole.AboutRole, "quit": QAction.MenuRole.QuitRole})
"""Actions that macOS shows in the menu of the application. It would otherwise choose them by their titles."""
TOOLS: Mapping[str, str] = MappingProxyType({
    "P": "Path, or pin in Belief",
    "L": "Labels",
    "B": "Boxes",
    "G": "Belief glow",
    "0": "Fit, or show the whole house",
    "+": "Dollhouse: nearer",
    "-": "Dollhouse: farther",
    "Alt+Left": "Dollhouse: move left",
    "Alt+Right": "Dollhouse: move right",
    "Alt+Up": "Dollhouse: move up",
    "Alt+Down": "Dollhouse: move down",
    "V": "Follow the principal variation or live branch",
    "F": "Only the goal's objects",
    "Ctrl+F": "Find in the panel",
    "E": "Edit the selected cell, chip or node",
    "N": "More visits for the selected action",
    "Q": "Equalise visits",
    "A": "Answer the waiting call",
})
"""Keys of the panels' tools. The key goes to the first visible panel that has a tool with it; the panel with the focus comes
first."""


def tool_name(key: str) -> str:
    """Returns the name of the tool that has this key by default, as the settings and the key dialog use it."""
    return f"tool {key}"


DEFAULTS: Mapping[str, str] = MappingProxyType(
    {act.name: act.key for act in ACTIONS if act.key} | {tool_name(key): key for key in TOOLS})
"""The default keys, by the name of the action or tool."""


class Actions(QObject):
    """The actions of one window: a QAction each, with the key in force, and the dialogs they open over the window.

    Lists and canvases handle some letters themselves while they have the focus, by their default keys. If the operator changed
    such a key, the focused widget receives the default key in its place, and no longer receives a press of the default key
    itself. Letters act only while no text field has the focus, because Qt sends them to the field first.

    Attributes:
        window: the window that the actions change.
        console: its run.
        dialogs: opens the dialogs about labels and examples.
        sharing: writes decisions for others.
        keeper: keeps decisions as examples.
        unsaved: saves labels in another place.
        menus: the menus.
        tour: the guided tour.
    """

    window: MainWindow
    console: Console
    dialogs: LabelDialogs
    sharing: DecisionSharing
    keeper: ExampleKeeper
    unsaved: UnsavedLabels
    menus: Menus
    tour: Tour

    def __init__(self, window: MainWindow, dialogs: LabelDialogs, unsaved: UnsavedLabels, exporter: RecordingExport,
                 sharing: DecisionSharing, keeper: ExampleKeeper, documents: Documents, read_facts: ReadFacts,
                 settings: KeptSettings):
        super().__init__(window)
        self._read_facts = read_facts
        self._meant_keys = MeantKeys(window)
        self.tour = Tour(window, settings)
        self.window, self.console, self.dialogs, self._exporter = window, window.console, dialogs, exporter
        self.sharing, self.keeper, self.unsaved = sharing, keeper, unsaved
        self.keys = KeyBindings(settings, DEFAULTS)
        self.palette = Palette(window.context.theme, window, self.entries)
        self._actions = {act.name: self._add(act.title, act.icon, partial(self._run, act), act.name) for act in ACTIONS}
        tools = {key: self._add(title, "right", partial(self.use_tool, key)) for key, title in TOOLS.items()}
        self._actions |= {tool_name(key): action for key, action in tools.items()}
        self.menus = Menus(window, self._menu_rows(), tools, MenuSources(
            self._offered_keys, self.entries, documents.recent_entries, partial(export_entries, exporter),
            self._run_entry, self._look_for, window.bar.menu_anchor))
        self._add(OTHER_KEYS["Esc"], "close", self._on_escape).setShortcut(QKeySequence("Esc"))
        self._focus: QWidget | None = None
        self._translated: dict[str, str] = {}
        self._unused_defaults: frozenset[str] = frozenset()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)
        window.context.key_now = self.now
        window.bar.use_actions(self._actions)
        window.visitor_bar.use_actions(self._actions)
        self.keys.changed.connect(self._bind)
        window.context.theme_changed.connect(self._restyle)
        self._bind()

    def _add(self, title: str, icon: str, run: Callable[[], object], name: str = "") -> QAction:
        action = tool_action(self, self.window.context.theme, title, icon, run)
        action.setMenuRole(MACOS_ROLES.get(name, QAction.MenuRole.NoRole))
        self.window.addAction(action)
        return action

    def _run(self, act: WindowAction) -> None:
        if not act.over_page:
            self.window.leave_page()
        act.run(self)

    def named(self, name: str) -> QAction:
        """Returns the action of a name, see `ACTIONS`."""
        return self._actions[name]

    def _menu_rows(self) -> list[MenuEntry]:
        """Returns the actions of the menus; those that go to a panel by its number are in a submenu, by its title."""
        return [MenuEntry(act.menu, act.group, self._actions[act.name]) for act in ACTIONS
                if act.name not in NOT_IN_MENUS and not act.name.startswith("panel ")]

    def _restyle(self) -> None:
        for action in self._actions.values():
            action.setIcon(self.window.context.theme.icon(str(action.data())))

    def now(self, key: str) -> str:
        """The present key of an action or a panel's tool, given its default key."""
        name = next((name for name, first in DEFAULTS.items() if first == key), "")
        return self.keys.of(name) if name else key

    def _bind(self) -> None:
        for name, action in self._actions.items():
            action.setShortcut(QKeySequence(self.keys.of(name)))
        moved = [(first, now) for first, now in self.keys.moved() if len(first.removeprefix("Ctrl+")) == 1]
        self._translated = {now: first for first, now in moved if now}
        used = {self.keys.of(name) for name in self._actions}
        self._unused_defaults = frozenset(first for first, _ in moved) - self._translated.keys() - used
        self.window.context.keys_changed.emit()

    # --- what they open ------------------------------------------------------
    def entries(self) -> list[Entry]:
        """Returns what the palette lists now."""
        listed = [Entry(act.title, act.icon, self._actions[act.name].trigger, self.keys.written(act.name))
                  for act in ACTIONS if act.listed]
        return listed + entries(self.window, self.keys, self._exporter)

    def open_palette(self, entry: Entry | None = None) -> None:
        """Opens the command palette, or what it asks for an entry that needs a word or number."""
        self.console.asked_choices.emit()
        self.palette.open_palette(entry)

    def _run_entry(self, entry: Entry) -> None:
        """Runs an entry of the palette that was chosen in a menu."""
        if entry.complete is not None:
            self.open_palette(entry)
        else:
            entry.run()

    def _look_for(self, title: str) -> None:
        self.open_palette()
        self.palette.look_for(title)

    def show_page(self, name: str = "") -> None:
        """Opens the page *What you see* of a panel, by default of the one with the focus."""
        focus = QApplication.focusWidget()
        focused = next((card.name for card in self.window.cards() if focus is not None and card.isAncestorOf(focus)), "frames")
        show_page(self.window, self.window.context, name or focused)

    def show_about(self) -> None:
        """Opens the dialog with the versions."""
        AboutDialog(self.window.context.theme, self._read_facts, self.window).open()

    def key_rows(self) -> list[KeyRow]:
        """Returns the rows of the key dialog: actions with a default key, tools, fixed keys, and actions without a key."""
        rows = [KeyRow(act.title, act.name) for act in ACTIONS if act.key]
        rows += [KeyRow(title, tool_name(key)) for key, title in TOOLS.items()]
        rows += [KeyRow(title, key=key) for key, title in OTHER_KEYS.items()]
        return rows + [KeyRow(act.title, act.name) for act in ACTIONS if not act.key]

    def show_keys(self) -> None:
        """Opens the dialog of all keyboard shortcuts."""
        labels = self.window.labelling.set
        KeyDialog(self.window.context.theme, self.keys, self.key_rows(),
                  lambda key: label.name if (label := labels.by_key(key.lower())) is not None else "", self.window).open()

    def show_worst(self) -> None:
        """Opens the dialog of the worst decisions, or raises the one that is open."""
        opened = next((d for d in self.window.findChildren(WorstDialog) if d.isVisible()), None)
        dialog = opened or WorstDialog(self.console, self.window)
        dialog.show()
        dialog.activateWindow()

    def _offered_keys(self) -> Iterator[str]:
        return (offer.key for _, offer in self.window.offers() if offer.key)

    def use_tool(self, key: str) -> bool:
        """Runs what the first of the visible panels offers under a default key. Returns True if one does."""
        offers = (offer for _, offer in self.window.offers() if offer.key == key)
        found = next(offers, None)
        if found is not None:
            found.run()
        return found is not None

    # --- keys that the widget with the focus handles itself --------------------------------
    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        del old
        if self._focus is not None and isValid(self._focus):
            self._focus.removeEventFilter(self)
        self._focus = None
        if new is not None and new.window() is self.window:
            self._focus = new
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Leaves Tab to text fields and to what lies over the window, and translates changed letters to their default keys."""
        if not isinstance(event, QKeyEvent) or not isinstance(watched, QWidget):
            return False
        asking = event.type() == QEvent.Type.ShortcutOverride
        if event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab) and asking and self.window.navigation.keeps_tab(watched):
            event.accept()
            return True
        if is_text(watched) or not (asking or event.type() == QEvent.Type.KeyPress):
            return False
        pressed = normal(QKeySequence(event.keyCombination()).toString())
        if pressed in self._unused_defaults:
            event.ignore()
            return True
        first = self._translated.get(pressed)
        return first is not None and self._send_default_key(watched, event, first)

    def _send_default_key(self, watched: QWidget, event: QKeyEvent, first: str) -> bool:
        letter = first.removeprefix("Ctrl+")
        modifiers = Qt.KeyboardModifier.NoModifier if first == letter else Qt.KeyboardModifier.ControlModifier
        translated = QKeyEvent(event.type(), ord(letter), modifiers, letter.lower() if first == letter else "")
        translated.ignore()
        watched.removeEventFilter(self)
        try:
            QApplication.sendEvent(watched, translated)
        finally:
            watched.installEventFilter(self)
        event.setAccepted(translated.isAccepted())
        return True

    # --- Esc -----------------------------------------------------------------
    def _on_escape(self) -> None:
        """Cancels a drag, or closes what is open, or else leaves the past. A run goes on."""
        window = self.window
        if window.context.preview.cancel():
            return
        if self.palette.isVisible():
            self.palette.leave()
        elif window.bar.goal.editing:
            window.bar.goal.leave()
        elif not (window.leave_frames_only() or window.notices.close() or window.close_card()) and not window.console.replaying:
            window.console.go_live()
