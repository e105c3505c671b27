"""The table of the window's actions, from which its keys, the key dialog and the command palette are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from PySide6.QtCore import QEvent, QObject, QSettings, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from gui.control.console import Console
from gui.control.key_labels import normal
from gui.recordings.example_keeping import ExampleKeeper
from gui.recordings.label_dialogs import LabelDialogs
from gui.recordings.sharing import DecisionSharing
from gui.recordings.viewer import RecordingExport
from gui.widgets import tool_action
from gui.window.docks import is_text
from gui.window.keys import OTHER_KEYS, KeyBindings, KeyDialog, KeyRow
from gui.window.main_window import MainWindow
from gui.window.palette import Entry, Palette
from gui.window.palette_entries import entries
from gui.window.worst_decisions import WorstDialog


@dataclass(frozen=True, slots=True)
class WindowAction:
    """One action of the window. It is always enabled: if it is not possible now, it says why in the status line.

    Attributes:
        name: identifies it, also in the settings.
        title: its text in the palette and in the key dialog.
        key: its default key; empty: none until the operator gives it one.
        icon: the name of one of the theme's icons.
        run: what it does.
        listed: whether the palette lists it.
    """

    name: str
    title: str
    key: str
    icon: str
    run: Callable[[Actions], object]
    listed: bool = True


def _go_to_panel(number: int) -> WindowAction:
    return WindowAction(f"panel {number}", f"Go to panel {number}", f"Ctrl+{number}", "right",
                        lambda a: a.window.go_to_panel(number), listed=False)


ACTIONS: tuple[WindowAction, ...] = (
    WindowAction("run", "Run, pause", "Space", "run", lambda a: a.console.run_or_pause()),
    WindowAction("step", "Step one action", "Right", "step", lambda a: a.console.step()),
    WindowAction("checkpoint", "Step one checkpoint", "Shift+Right", "step", lambda a: a.console.step("checkpoint")),
    WindowAction("divergence", "Run to the next divergence of the two planners", "Shift+D", "compare",
                 lambda a: a.console.run_to_divergence()),
    WindowAction("pace", "Pace: hold each turn, stop before each action …", "Ctrl+P", "pause",
                 lambda a: a.window.bar.controls.offer_paces()),
    WindowAction("stop", "Stop the run", "Ctrl+.", "stop", lambda a: a.console.stop()),
    WindowAction("back", "Back one turn", "Left", "prev", lambda a: a.console.turn_by(-1)),
    WindowAction("first", "First turn", "Home", "first", lambda a: a.console.first_turn()),
    WindowAction("live", "Back to the present", "End", "last", lambda a: a.console.go_live()),
    WindowAction("rewind", "Rewind to the turn shown", "Ctrl+Left", "rewind", lambda a: a.console.rewind()),
    WindowAction("fork", "Fork here and compare", "Ctrl+Shift+F", "fork", lambda a: a.console.fork()),
    WindowAction("override", "Override the next action …", "O", "override", lambda a: a.window.asked_override.emit()),
    WindowAction("change world", "Change the world: move or alter the selected object, in a fork …", "Shift+O", "boxes",
                 lambda a: a.console.context.selection.asked_changes.emit("")),
    WindowAction("ban", "Ban or allow the selected action", "X", "ban", lambda a: a.console.run_request.toggle_ban()),
    WindowAction("goal", "Edit the goal", "Ctrl+G", "goal", lambda a: a.window.bar.goal.edit()),
    WindowAction("ask", "New task: what should the robot do? …", "", "goal", lambda a: a.window.ask_task()),
    WindowAction("tasks", "Choose a task for this scene …", "Ctrl+T", "plan", lambda a: a.console.asked_tasks.emit()),
    WindowAction("things", "Objects of this scene …", "Ctrl+Shift+T", "boxes", lambda a: a.console.asked_things.emit()),
    WindowAction("draw task", "Draw another task for this scene", "", "dice", lambda a: a.console.asked_task.emit()),
    WindowAction("roll seed", "Draw another seed", "", "dice", lambda a: a.console.run_request.roll_seed()),
    WindowAction("models", "Models: add, edit, test, choose …", "Ctrl+M", "provider", lambda a: a.console.asked_models.emit()),
    WindowAction("undo", "Undo", "Ctrl+Z", "undo", lambda a: a.console.undoing.undo()),
    WindowAction("redo", "Redo", "Ctrl+Shift+Z", "redo", lambda a: a.console.undoing.redo()),
    WindowAction("deeper", "100 more simulations", "D", "add", lambda a: a.console.run_request.more_simulations()),
    WindowAction("palette", "Command palette", "Ctrl+K", "palette", lambda a: a.open_palette(), listed=False),
    WindowAction("worst", "Worst decisions", "M", "fault", lambda a: a.show_worst()),
    WindowAction("keys", "Keyboard shortcuts …", "F1", "keys", lambda a: a.show_keys()),
    WindowAction("save layout", "Layout: save", "", "layout", lambda a: a.window.save_layout()),
    WindowAction("reset layout", "Layout: reset", "", "layout", lambda a: a.window.reset_layout()),
    WindowAction("frames alone", "Show only the frames, or all panels", "F11", "frames",
                 lambda a: a.window.toggle_frames_only()),
    WindowAction("quit", "Quit", "Ctrl+Q", "close", lambda a: a.window.close()),
    WindowAction("full screen", "Full screen", "Shift+F11", "float",
                 lambda a: a.window.setWindowState(a.window.windowState() ^ Qt.WindowState.WindowFullScreen)),
    WindowAction("next panel", "Next panel", "Tab", "next", lambda a: a.window.navigation.go_by(1)),
    WindowAction("last panel", "Previous panel", "Shift+Tab", "prev", lambda a: a.window.navigation.go_by(-1)),
    WindowAction("next control", "Next control", "Ctrl+Tab", "next", lambda a: a.window.navigation.go_to_control(1)),
    WindowAction("last control", "Previous control", "Ctrl+Shift+Tab", "prev", lambda a: a.window.navigation.go_to_control(-1)),
    *map(_go_to_panel, range(1, 10)),
    WindowAction("record", "Record, stop recording", "R", "record", lambda a: a.window.recorders.toggle()),
    WindowAction("batch", "Record a batch of episodes …", "Ctrl+B", "record", lambda a: a.window.asked_batch.emit("open")),
    WindowAction("skip episode", "Batch: skip this episode", "", "next", lambda a: a.window.asked_batch.emit("skip")),
    WindowAction("stop batch", "Batch: stop, continue later", "", "stop", lambda a: a.window.asked_batch.emit("stop")),
    WindowAction("bookmark", "Bookmark this moment", "K", "bookmark", lambda a: a.window.labelling.point("bookmark")),
    WindowAction("rate", "Rate this decision …", "Ctrl+R", "check", lambda a: a.dialogs.rate()),
    WindowAction("why", "Why this action and not another?", "W", "info", lambda a: a.window.show_panel("why")),
    WindowAction("failure", "Why did the episode fail? …", "Shift+W", "fault", lambda a: a.window.failures.open(a.window)),
    WindowAction("labels", "Labels and annotator …", "", "note", lambda a: a.dialogs.labels()),
    WindowAction("label set", "Labels: use the next label set", "Shift+L", "labels", lambda a: a.window.labelling.switch()),
    WindowAction("finish", "Labels: I have finished this one, or go on", "", "check",
                 lambda a: a.window.labelling.finish(finished=not a.window.labelling.finished)),
    WindowAction("next review", "Next recording to review", "Ctrl+N", "next", lambda a: a.window.asked_review.emit(False)),
    WindowAction("finish review", "Labels: I have finished this one; open the next to review", "Shift+N", "check",
                 lambda a: a.window.asked_review.emit(True)),
    WindowAction("agreement", "Agreement of annotators …", "Shift+A", "compare", lambda a: a.dialogs.agreement()),
    WindowAction("statistics", "Statistics of a folder …", "", "scatter", lambda a: a.dialogs.statistics()),
    WindowAction("share", "Share this decision …", "", "save", lambda a: a.sharing.ask()),
    WindowAction("keep example", "Keep this decision as an example", "", "learnings", lambda a: a.keeper.keep()),
    WindowAction("examples", "Examples for prompts …", "", "learnings", lambda a: a.dialogs.examples()),
    WindowAction("mend", "Labels: end the states that are still open", "", "note",
                 lambda a: a.window.labelling.end_open_states()),
    WindowAction("event back", "Recording: back one event", "Shift+Left", "left", lambda a: a.console.replay.step_event(-1)),
    WindowAction("next mark", "Recording: next mark", "]", "next", lambda a: a.window.viewer.jump(1)),
    WindowAction("last mark", "Recording: previous mark", "[", "prev", lambda a: a.window.viewer.jump(-1)),
    WindowAction("next fault", "Recording: next fault", "", "fault", lambda a: a.window.viewer.jump(1, "fault")),
    WindowAction("next edit", "Recording: next edit, override or change of the world", "", "edit",
                 lambda a: a.window.viewer.jump(1, "edit", "override", "world")),
    WindowAction("next label", "Recording: next bookmark or label", "", "bookmark", lambda a: a.window.viewer.jump(1, "label")),
    WindowAction("next branch", "Recording: next branch point", "", "fork", lambda a: a.window.viewer.jump(1, "branch")),
    WindowAction("faster", "Recording: faster", ">", "run", lambda a: a.window.viewer.faster(1)),
    WindowAction("slower", "Recording: slower", "<", "run", lambda a: a.window.viewer.faster(-1)),
    WindowAction("open", "Open a recording …", "Ctrl+O", "folder", lambda a: a.window.asked_opening.emit()),
    WindowAction("library", "Library: all recordings …", "Ctrl+L", "runs", lambda a: a.window.asked_library.emit()),
    WindowAction("take over", "Recording: take over from here", "", "fork", lambda a: a.window.viewer.take_over()),
    WindowAction("leave", "Recording: close", "", "close", lambda a: a.window.viewer.leave()),
)
"""All actions, in the order of the palette."""
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
    """

    window: MainWindow
    console: Console
    dialogs: LabelDialogs
    sharing: DecisionSharing
    keeper: ExampleKeeper

    def __init__(self, window: MainWindow, dialogs: LabelDialogs, exporter: RecordingExport, sharing: DecisionSharing,
                 keeper: ExampleKeeper, settings: QSettings):
        super().__init__(window)
        self.window, self.console, self.dialogs, self._exporter = window, window.console, dialogs, exporter
        self.sharing, self.keeper = sharing, keeper
        self.keys = KeyBindings(settings, DEFAULTS)
        self.palette = Palette(window.context.theme, window, self.entries)
        self._actions = {act.name: self._add(act.title, act.icon, partial(act.run, self)) for act in ACTIONS}
        for key, title in TOOLS.items():
            self._actions[tool_name(key)] = self._add(title, "right", partial(self.use_tool, key))
        self._add(OTHER_KEYS["Esc"], "close", self._on_escape).setShortcut(QKeySequence("Esc"))
        self._focus: QWidget | None = None
        self._translated: dict[str, str] = {}
        self._unused_defaults: frozenset[str] = frozenset()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)
        window.context.key_now = self.now
        window.bar.use_actions(self._actions)
        self.keys.changed.connect(self._bind)
        self._bind()

    def _add(self, title: str, icon: str, run: Callable[[], object]) -> QAction:
        action = tool_action(self, self.window.context.theme, title, icon, run)
        self.window.addAction(action)
        return action

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

    def open_palette(self) -> None:
        """Opens the command palette."""
        self.console.asked_choices.emit()
        self.palette.open_palette()

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

    def use_tool(self, key: str) -> bool:
        """Runs what the first of the visible panels offers under a default key. Returns True if one does."""
        offers = (offer for card in self.window.visible_cards() for offer in card.offers() if offer.key == key)
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
