"""An edit of a facet as a step that can be undone and done again, whatever the facet has become since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from core.planning.facets import Facet
from core.views.changes import same

F = TypeVar("F", bound=Facet)


class EditStep(Generic[F]):
    """What an edit, or a drag of several, changed.

    Args:
        before: the facet that was edited.
        after: what it became.
        merges: successive edits with the same value, other than None, are one step.
    """

    def __init__(self, before: F, after: F, merges: object = None):
        self.before, self.after, self.merges = before, after, merges

    def there(self, first: F) -> Callable[[F], F | None]:
        """Returns what does it: at first with the facet that was edited, later with another.

        It gives None for a facet in which there is nothing to change any more.
        """
        return lambda now: self.after if now is first else _changed(now, self.before, self.after)

    def back(self, now: F) -> F | None:
        """Undoes it; None: there is nothing to undo in this facet."""
        return _changed(now, self.after, self.before)


def _changed(now: F, before: F, after: F) -> F | None:
    found = now.with_change(before, after)
    return None if same(found, now) else found
