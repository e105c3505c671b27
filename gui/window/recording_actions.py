"""Acts about recordings and labels, for hotkeys and palette."""

from __future__ import annotations

from functools import partial

from gui.window.actions import Act
from gui.window.main_window import MainWindow
from gui.window.recording_dialogs import Dialogs


def record_acts(window: MainWindow, dialogs: Dialogs) -> tuple[Act, ...]:
    """Record, replay, label."""
    return (
        Act("record", window.recorders.toggle, "Record, stop recording", "record"),
        Act("bookmark", partial(window.labelling.point, "bookmark"), "Bookmark this moment", "bookmark"),
        Act("rate", dialogs.rate, "Rate this decision …", "check"),
        Act("labels", dialogs.labels, "Labels and annotator …", "note"),
        Act("examples", dialogs.examples, "Examples for prompts …", "learnings"),
        Act("mend", window.labelling.mend, "Labels: end the states that are still open", "note"),
        Act("event back", partial(window.console.replay.step_event, -1), "Recording: back one event", "left"),
        Act("next mark", partial(window.screening.jump, 1), "Recording: next mark", "next"),
        Act("last mark", partial(window.screening.jump, -1), "Recording: previous mark", "prev"),
        Act("next fault", partial(window.screening.jump, 1, "fault"), "Recording: next fault", "fault"),
        Act("next edit", partial(window.screening.jump, 1, "edit", "override"), "Recording: next edit or override", "edit"),
        Act("next label", partial(window.screening.jump, 1, "label"), "Recording: next bookmark or label", "bookmark"),
        Act("next branch", partial(window.screening.jump, 1, "branch"), "Recording: next branch point", "fork"),
        Act("faster", partial(window.screening.faster, 1), "Recording: faster", "run"),
        Act("slower", partial(window.screening.faster, -1), "Recording: slower", "run"),
        Act("open", window.asked_opening.emit, "Open a recording …", "folder"),
        Act("take over", window.screening.take_over, "Recording: take over from here", "fork"),
        Act("leave", window.screening.leave, "Recording: close", "close"),
    )
