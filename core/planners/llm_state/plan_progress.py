"""The progress of a numbered plan: which calls are done, which failed, which were not reached."""

from __future__ import annotations

from collections.abc import Sequence

from core.llm.grounding.choices import call_name
from core.planning.facets import ProgramLine, Steps


class PlanProgress:
    """Tracks a plan call by call."""

    def __init__(self) -> None:
        self._steps = Steps(())

    @property
    def steps(self) -> Steps:
        """The plan with the state of each call."""
        return self._steps

    def begin(self, calls: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        """Starts tracking another plan."""
        self._steps = Steps(tuple(ProgramLine(f"{call}({', '.join(map(call_name, args))})") for call, args in calls))

    def reach(self, index: int) -> None:
        """Marks a call as current and the calls before it as done."""
        lines = (ProgramLine(x.text, "done", x.note) if k < index and x.state == "waiting" else x
                 for k, x in enumerate(self._steps.lines))
        self._steps = Steps(tuple(lines), index)

    def end(self, why: str = "", *, failed: bool = False) -> None:
        """Ends the plan at the current call.

        Args:
            why: the reason; empty if the call is done.
            failed: True if the call failed, False if the plan was abandoned.
        """
        at = self._steps.current

        def ended(k: int, line: ProgramLine) -> ProgramLine:
            if line.state != "waiting":
                return line
            if k == at:
                return ProgramLine(line.text, "failed" if failed else "skipped" if why else "done", why)
            return ProgramLine(line.text, "done" if k < at else "skipped")

        self._steps = Steps(tuple(ended(k, line) for k, line in enumerate(self._steps.lines)), at)
