"""The window's actions by name, shared by shortcuts, palette and menus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from gui.control.key_bindings import PANEL_KEYS
from gui.recordings.label_dialogs import RecordingDialogs
from gui.window.docks import Card
from gui.window.main_window import MainWindow


@dataclass(frozen=True, slots=True)
class WindowAction:
    """One action. Without a title it is only a shortcut and is not listed in the palette."""

    name: str
    run: Callable[[], object]
    title: str = ""
    icon: str = "right"


@dataclass(frozen=True, slots=True)
class Openers:
    """Functions that open what lies over the window: the palette, the table of shortcuts, the worst decisions."""

    palette: Callable[[], object]
    keys: Callable[[], object]
    worst: Callable[[], object]


def global_actions(window: MainWindow, openers: Openers) -> tuple[WindowAction, ...]:
    """Returns the actions that are available at any time."""
    return (*_run_actions(window), *_window_actions(window, openers))


def _run_actions(window: MainWindow) -> tuple[WindowAction, ...]:
    console = window.console
    return (
        WindowAction("run", console.run_or_pause, "Run, pause", "run"),
        WindowAction("step", console.step, "Step one action", "step"),
        WindowAction("checkpoint", partial(console.step, "checkpoint"), "Step one checkpoint", "step"),
        WindowAction("stop", console.stop, "Stop the run", "stop"),
        WindowAction("back", partial(console.turn_by, -1), "Back one turn", "prev"),
        WindowAction("first", console.first_turn, "First turn", "first"),
        WindowAction("live", console.go_live, "Back to the present", "last"),
        WindowAction("rewind", lambda: console.rewind(), "Rewind to the turn shown", "rewind"),
        WindowAction("fork", lambda: console.fork(), "Fork here and compare", "fork"),
        WindowAction("override", window.asked_override.emit, "Override the next action …", "override"),
        WindowAction("ban", console.run_request.toggle_ban, "Ban or allow the selected action", "ban"),
        WindowAction("goal", window.bar.goal.edit, "Edit the goal", "goal"),
        WindowAction("ask", partial(window.ask_task, recordings=True), "New task: what should the robot do? …", "goal"),
        WindowAction("draw task", console.asked_task.emit, "Draw another task for this scene", "dice"),
        WindowAction("roll seed", console.run_request.roll_seed, "Draw another seed", "dice"),
        WindowAction("models", console.asked_models.emit, "Models: add, edit, test, choose …", "provider"),
        WindowAction("undo", console.undoing.undo, "Undo", "undo"),
        WindowAction("redo", console.undoing.redo, "Redo", "redo"),
        WindowAction("deeper", console.run_request.more_simulations, "100 more simulations", "add"),
    )


def _window_actions(window: MainWindow, openers: Openers) -> tuple[WindowAction, ...]:
    navigation = window.navigation
    return (
        WindowAction("palette", openers.palette),
        WindowAction("worst", openers.worst, "Worst decisions", "fault"),
        WindowAction("keys", openers.keys, "Keyboard shortcuts …", "keys"),
        WindowAction("save layout", window.save_layout, "Layout: save", "layout"),
        WindowAction("reset layout", window.reset_layout, "Layout: reset", "layout"),
        WindowAction("frames alone", window.toggle_frames_only, "Show only the frames, or all panels", "frames"),
        WindowAction("quit", window.close, "Quit", "close"),
        WindowAction("full screen", partial(_full_screen, window), "Full screen", "float"),
        WindowAction("next panel", partial(navigation.go_by, 1), "Next panel", "next"),
        WindowAction("last panel", partial(navigation.go_by, -1), "Previous panel", "prev"),
        WindowAction("next control", partial(navigation.go_to_control, 1), "Next control", "next"),
        WindowAction("last control", partial(navigation.go_to_control, -1), "Previous control", "prev"),
        *(WindowAction(f"panel {k}", partial(window.go_to_panel, k)) for k in range(1, PANEL_KEYS + 1)),
    )


def _full_screen(window: MainWindow) -> None:
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()


def recording_actions(window: MainWindow, dialogs: RecordingDialogs) -> tuple[WindowAction, ...]:
    """Returns the actions to record, replay and label."""
    return (
        WindowAction("record", window.recorders.toggle, "Record, stop recording", "record"),
        WindowAction("bookmark", partial(window.labelling.point, "bookmark"), "Bookmark this moment", "bookmark"),
        WindowAction("rate", dialogs.rate, "Rate this decision …", "check"),
        WindowAction("labels", dialogs.labels, "Labels and annotator …", "note"),
        WindowAction("examples", dialogs.examples, "Examples for prompts …", "learnings"),
        WindowAction("mend", window.labelling.end_open_states, "Labels: end the states that are still open", "note"),
        WindowAction("event back", partial(window.console.replay.step_event, -1), "Recording: back one event", "left"),
        WindowAction("next mark", partial(window.viewer.jump, 1), "Recording: next mark", "next"),
        WindowAction("last mark", partial(window.viewer.jump, -1), "Recording: previous mark", "prev"),
        WindowAction("next fault", partial(window.viewer.jump, 1, "fault"), "Recording: next fault", "fault"),
        WindowAction("next edit", partial(window.viewer.jump, 1, "edit", "override"), "Recording: next edit or override",
                     "edit"),
        WindowAction("next label", partial(window.viewer.jump, 1, "label"), "Recording: next bookmark or label", "bookmark"),
        WindowAction("next branch", partial(window.viewer.jump, 1, "branch"), "Recording: next branch point", "fork"),
        WindowAction("faster", partial(window.viewer.faster, 1), "Recording: faster", "run"),
        WindowAction("slower", partial(window.viewer.faster, -1), "Recording: slower", "run"),
        WindowAction("open", window.asked_opening.emit, "Open a recording …", "folder"),
        WindowAction("take over", window.viewer.take_over, "Recording: take over from here", "fork"),
        WindowAction("leave", window.viewer.leave, "Recording: close", "close"),
    )


def do_tool(cards: Iterable[Card], key: str) -> bool:
    """Runs what the first of the visible panels offers under a key. Returns True if one does.

    Args:
        cards: the cards in the order in which they are asked.
        key: the default key of the tool.
    """
    for card in cards:
        for offer in card.offers():
            if offer.key == key:
                offer.run()
                return True
    return False
