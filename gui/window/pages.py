"""The pages *What you see*: what a panel shows, and what its columns and marks mean.

The texts are in `resources/help/panels.md`, which is also a page of the documentation. A panel of another package brings its
own in `Panel.page`, in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape

from core.common.docstrings import docstring
from core.common.installation import RESOURCES
from gui.panels.registry import PANELS, panel_class

FILE = RESOURCES / "help" / "panels.md"
_MEANING = re.compile(r"- \*\*(.+?)\*\*: (.+)")


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a panel.

    Attributes:
        title: the panel's title.
        about: what it shows, as text.
        meanings: each column, mark or word of the panel -> what it means.
        paper: where the paper describes it; empty if it is not from a paper.
    """

    title: str
    about: str
    meanings: Mapping[str, str]
    paper: str = ""

    @property
    def tip(self) -> str:
        """The meanings of all columns and marks, as the rich text of a tooltip, which Qt wraps."""
        return "".join(f"<p>{marked(symbol)}: {marked(meaning)}</p>" for symbol, meaning in self.meanings.items())

    def html(self, muted: str, small: int, body: int, heading: int) -> str:
        """Returns the page as the rich text of Qt: the name of the muted colour, and sizes of texts in pixels.

        Nothing is bold: rich text knows no axes of variable fonts, and Qt would thicken the letters itself.
        """
        rows = "".join(f'<tr><td style="padding:4px 16px 4px 0">{marked(symbol)}</td>'
                       f'<td style="padding:4px 0; color:{muted}">{marked(meaning[:1].upper() + meaning[1:])}</td></tr>'
                       for symbol, meaning in self.meanings.items())
        about = "".join(f"<p>{marked(part)}</p>" for part in self.about.split("\n\n"))
        paper = f'<p style="color:{muted}; font-size:{small}px">In the paper: {marked(self.paper)}</p>' if self.paper else ""
        return (f'<div style="font-size:{body}px"><p style="font-size:{heading}px">{marked(self.title)}</p>'
                f"{about}<table>{rows}</table>{paper}</div>")


def marked(text: str) -> str:
    """Returns a text with emphasis and code of Markdown as HTML."""
    return re.sub(r"\*(.+?)\*|`(.+?)`", lambda found: f"<i>{found[1]}</i>" if found[1] else f"“{found[2]}”", escape(text))


def read_page(title: str, text: str) -> Page:
    """Returns a page from Markdown: text, a list of `- **symbol**: meaning`, and a last line `Paper: …`, each optional."""
    about, meanings, paper = list[str](), dict[str, str](), ""
    for block in re.split(r"\n\s*\n|\n(?=- )", text.strip()):
        line = " ".join(block.split())
        if found := _MEANING.fullmatch(line):
            meanings[found[1]] = found[2]
        elif line.startswith("Paper: "):
            paper = line.removeprefix("Paper: ")
        elif line:
            about.append(line)
    return Page(title, "\n\n".join(about), meanings, paper)


@cache
def _ours() -> Mapping[str, str]:
    """Returns the text under each heading of the file."""
    parts = re.split(r"^## (.+)$", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def page_of(name: str) -> Page:
    """Returns the page of a panel; of a panel of another package without one, what its class says of itself.

    Args:
        name: the panel's name in the registry.
    """
    title = PANELS.title(name)
    if name in PANELS.ours or (title in _ours() and name not in PANELS.of_others()):
        return read_page(title, _ours()[title])
    if PANELS.problem(name):
        return Page(title, PANELS.problem(name), {})
    cls = panel_class(name)
    return read_page(title, str(cls.page) or " ".join(docstring(cls).split()))
