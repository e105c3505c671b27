"""docs/expressions.md lists every name, and its examples are expressions."""

from __future__ import annotations

import re
from pathlib import Path

from core.session.checked_expressions import expression
from core.session.expressions import MOST_CHARACTERS, MOST_NESTED, MOST_TOKENS
from core.session.quantities import QUANTITIES

PAGE = (Path(__file__).parents[2] / "docs" / "expressions.md").read_text("utf-8")


def table() -> str:
    """Returns the table of names as the page holds it."""
    rows = [f"| `{q.form}` | {q.kind} | {q.about} | {q.source} |" for q in QUANTITIES.values()]
    return "\n".join(("| Name | Kind | What it is | From |", "|---|---|---|---|", *rows))


def test_the_page_lists_the_names_as_they_are() -> None:
    assert table() in PAGE, f"put this table into docs/expressions.md:\n{table()}"
    limits = f"at most {MOST_CHARACTERS} characters, {MOST_TOKENS} words and signs, {MOST_NESTED} levels"
    assert limits in " ".join(PAGE.split())


def test_the_examples_are_expressions() -> None:
    examples = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0].splitlines()
    assert len(examples) > 8
    for line in examples:
        assert expression(re.split(r"\s{2,}", line)[0]), line
