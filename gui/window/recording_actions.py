"""Actions about recordings and labels, for shortcuts and palette."""

from __future__ import annotations

from functools import partial

from gui.window.actions import WindowAction
from gui.window.main_window import MainWindow
from gui.window.recording_dialogs import RecordingDialogs


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
