"""A link to a moment: a small file that says which recording, which decision of it, and what to look at there."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.common.errors import DataError
from core.common.files import replace_file
from core.common.json_fields import Field, read_json
from core.common.visible import path_of, path_text
from core.planning.facets import Moment

if TYPE_CHECKING:
    from core.recording.reader import Recording

SUFFIX = ".belvedere-link"
KIND = "belvedere link"
CURE = "make the link again with “Share this decision …”"
MOST_BYTES, MOST_PANELS, MOST_NAME = 2**16, 40, 1000


@dataclass(frozen=True, slots=True)
class Permalink:
    """What a link says.

    Attributes:
        recording: the name of the recording's file, without a folder.
        identity: `Recording.identity` of the run.
        branch, turn: the decision.
        selected: the id of the selected object; empty: none.
        panels: the names of the panels to look at.
    """

    recording: str
    identity: str
    branch: int
    turn: int
    selected: str = ""
    panels: tuple[str, ...] = ()

    @property
    def moment(self) -> Moment:
        """The turn and its branch."""
        return Moment(self.branch, self.turn)

    def number_in(self, recording: Recording) -> int:
        """Returns the number of the event at which the decision is shown.

        Raises:
            DataError: it is a recording of another run, or does not hold the turn.
        """
        if recording.identity != self.identity:
            raise DataError(f"{recording.path.name} records another run ({recording.identity}) than the link leads to "
                            f"({self.identity}): choose the recording that the link was made from, {self.recording}")
        return recording.decided_at(self.moment)

    def write(self, path: Path) -> Path:
        """Writes the link as JSON.

        Raises:
            DataError: it cannot be written.
        """
        content = {"kind": KIND, "version": 1, **asdict(self), "recording": path_text(self.recording)}
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        replace_file(path, text.encode(errors="backslashreplace"), "choose another place")
        return path


def read_link(path: Path) -> Permalink:
    """Reads a link.

    Raises:
        DataError: the file cannot be read, or is no link.
    """
    content = Field(read_json(path, CURE, most_bytes=MOST_BYTES), str(path), CURE)
    if content.field("kind").value != KIND or content.field("version").value != 1:
        content.fail("is no link of this version of Belvedere")
    name = str(path_of(content.field("recording").text(MOST_NAME)))
    if Path(name).name != name or "\\" in name or "\0" in name:  # a link must not lead to other folders
        content.field("recording").fail("is no plain file name")
    panels = content.field("panels").texts(MOST_PANELS) if content.has("panels") else ()
    selected = content.field("selected").value if content.has("selected") else ""
    if not isinstance(selected, str):
        content.field("selected").fail("is no text")
    return Permalink(name, content.field("identity").text(), content.field("branch").whole(0, 10**9),
                     content.field("turn").whole(1, 10**9), selected[:200], tuple(panels))


def beside(path: Path, link: Permalink) -> Path | None:
    """Returns the link's recording if it is in the same folder as the link; None if it is not."""
    found = path.with_name(link.recording)
    return found if found.is_file() else None


def not_beside(path: Path, link: Permalink) -> str:
    """Returns in one line what to do about a recording that is not beside its link."""
    return f"{link.recording} is not in {path.parent}: choose where it is, or put it beside {path.name}"


def write(recording: Recording, out: Path, decision: Moment | None = None, *, selected: str = "", panels: tuple[str, ...] = ()
          ) -> Path:
    """Writes a link to a decision, by default to the last one.

    Raises:
        DataError: there is no such decision.
    """
    turns = recording.turns()
    if decision is None and not turns:
        raise DataError(f"{recording.path.name} holds no turn: there is no decision to link to")
    moment = decision or Moment(turns[-1].branch, turns[-1].number)
    recording.decided_at(moment)
    return Permalink(recording.path.name, recording.identity, moment.branch, moment.turn, selected, panels).write(out)
