"""Sets of labels an operator may give, with a key for each, shared as JSON files."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from core.common.errors import DataError
from core.common.files import replace_file
from core.common.json_fields import MOST_LABELS, MOST_SET_BYTES, MOST_TEXT, read_json

Kind = Literal["point", "state"]
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
CURE = "correct the file or choose another set"
DECISION = "decision"
"""The label of a rating without another label."""
BOOKMARK = "bookmark"
"""The label of a moment to come back to. It judges nothing."""


@dataclass(frozen=True, slots=True)
class Label:
    """One label.

    Attributes:
        kind: a point in time, or a state that begins and ends (its key is held, or pressed twice).
        key: a single character; empty: none.
        colour: `#rrggbb`, or empty for the theme's own.
    """

    name: str
    kind: Kind = "point"
    key: str = ""
    colour: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Labels that belong together."""

    title: str
    labels: tuple[Label, ...]

    def by_key(self, key: str) -> Label | None:
        """Returns the label with a key; None if there is none."""
        return next((label for label in self.labels if label.key and label.key == key), None)


STANDARD = LabelSet("Episode review", (
    Label("searching", "state", key="1", help="looking for something"),
    Label("stuck", "state", key="2", help="no progress"),
    Label("good decision", key="3", help="what a person would have done, too"),
    Label("mistake", key="4", help="a decision that cost steps or success"),
    Label("surprise", key="5", help="worth another look"),
))


def read_labels(path: Path) -> LabelSet:
    """Returns the labels of a file: `{"title": …, "labels": [{"name": …, "kind": "point" | "state", "key": …, "colour": …}]}`.

    Raises:
        DataError: it cannot be read, or is not valid; the message names the label.
    """
    return label_set(read_json(path, CURE, most_bytes=MOST_SET_BYTES), path.name)


def label_set(value: object, name: str) -> LabelSet:
    """Returns the labels of parsed JSON, as in a file.

    Raises:
        DataError: it is not valid; the message begins with `name`.
    """
    if not (isinstance(value, dict) and isinstance(value.get("title"), str) and isinstance(value.get("labels"), list)):
        raise DataError(f"{name}: a set of labels needs a title and a list of labels")
    if len(value["labels"]) > MOST_LABELS:
        raise DataError(f"{name} has {len(value['labels']):,} labels, at most {MOST_LABELS:,} are read: make it smaller")
    labels = tuple(_label(item, f"{name}, label {number}") for number, item in enumerate(value["labels"], 1))
    for what, given in (("name", [x.name for x in labels]), ("key", [x.key for x in labels if x.key])):
        twice = next((g for g, count in Counter(given).items() if count > 1), None)
        if twice is not None:
            raise DataError(f"{name}: the {what} '{twice[:40]}' is given twice")
    return LabelSet(value["title"][:MOST_TEXT], labels)


def as_json(labels: LabelSet) -> dict[str, Any]:
    """Returns a label set as JSON, as `label_set` reads it."""
    return {"title": labels.title, "labels": [{k: v for k, v in asdict(label).items() if v} for label in labels.labels]}


def write_labels(labels: LabelSet, path: Path) -> None:
    """Writes a file that `read_labels` reads.

    Raises:
        DataError: it cannot be written.
    """
    replace_file(path, f"{json.dumps(as_json(labels), ensure_ascii=False, indent=2)}\n".encode(errors="backslashreplace"))


def _label(value: object, place: str) -> Label:
    if not (isinstance(value, dict) and all(isinstance(v, str) for v in value.values()) and value.get("name")):
        raise DataError(f"{place}: a label needs a name, and texts for all else")
    unknown = sorted(set(value) - {"name", "kind", "key", "colour", "help"})
    if unknown:
        raise DataError(f"{place}: unknown {', '.join(unknown)[:80]}; there is name, kind, key, colour, help")
    if len(value["name"]) > MOST_TEXT:
        raise DataError(f"{place}: a name has at most {MOST_TEXT} characters")
    kind = value.get("kind", "point")
    if kind not in ("point", "state"):
        raise DataError(f"{place}: the kind is point or state, not '{kind[:20]}'")
    if len(value.get("key", "")) > 1:
        raise DataError(f"{place}: a key is one character")
    if value.get("colour") and not COLOUR.fullmatch(value["colour"]):
        raise DataError(f"{place}: write the colour as #rrggbb")
    return Label(value["name"], "state" if kind == "state" else "point", value.get("key", ""), value.get("colour", ""),
                 value.get("help", ""))
