"""The inbox tells whether commands wait in it, whatever else does."""

from __future__ import annotations

from core.session.commands import Pause, Resume
from core.session.inbox import Done, Inbox


def test_commands_wait_from_when_they_are_put_until_they_are_taken() -> None:
    inbox = Inbox(lambda waits: None)
    found: list[bool] = []
    for item in (Done(), Pause(), Done(), Resume(), Done()):
        inbox.put(item)
    while inbox.take(0) is not None:
        found.append(inbox.has_commands)
    assert found == [True, True, True, False, False]
    inbox.put(Done())
    assert not inbox.has_commands
