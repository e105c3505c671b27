"""A reader can wait until everything that was recorded is on disk."""

from __future__ import annotations

import threading
from pathlib import Path

from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from tests.core.recording.common import CODEC
from tests.core.session.toys import session


def test_a_file_holds_the_end_of_a_run_once_it_was_waited_for_also_on_a_slow_disk(tmp_path: Path) -> None:
    """The window hears of the end half a second late at most; the disk may take longer."""
    run, ear = session()
    run.run()
    path, disk = tmp_path / "a.mcap", threading.Event()
    recorder = Recorder(path, lambda said: None)
    recorder._send(disk.wait)  # the thread that writes is busy
    for event in ear.events:
        recorder.on_event(event)
    waiting = threading.Thread(target=recorder.catch_up)
    waiting.start()
    assert waiting.is_alive(), "nothing is written yet"
    disk.set()
    waiting.join()
    with open_recording(path, CODEC) as recording:
        assert recording.snapshot_at().ended is not None
    recorder.close()
