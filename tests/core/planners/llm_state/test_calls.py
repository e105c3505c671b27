"""Lists of calls are read however models write them, and nothing breaks the reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planners.llm_state.calls import MOST_CALLS, Call, read_calls

PLAN = frozenset({"move", "pickup", "placein", "wait"})
STATE = frozenset({"updatestate", "addattribute", "updatereasoning", "generatesummary"})


@pytest.mark.parametrize(("text", "calls"), [
    ("Low-level Action Plan:\n1. move(fridge1)\n2. pickup(cup1)", ["move(fridge1)", "pickup(cup1)"]),
    ("```python\nmove('fridge1')\nplacein(\"cup1\", \"fridge1\")\n```", ["move(fridge1)", "placein(cup1, fridge1)"]),
    ("7. move(lightswitch4) (assuming there is a lightswitch4 in the living room)", ["move(lightswitch4)"]),
    ("- Pick_Up( cup1 )\n* wait()", ["pickup(cup1)", "wait()"]),
    ("move(“fridge1”), then pickup(‘cup1’).", ["move(fridge1)", "pickup(cup1)"]),
    ("First I move(fridge1) and then I think (a lot).", ["move(fridge1)"]),
    ("", []),
])
def test_plans(text: str, calls: list[str]) -> None:
    assert [str(c) for c in read_calls(text, PLAN)[0]] == calls


def test_both_vocabularies_and_quotes_inside() -> None:
    text = ('update_reasoning("It failed because it\'s not in the same room (bathroom), \\"off\\" already.")\n'
            'add_attribute("light1", "off | seen")\ngenerate_summary("fine")')
    found, dropped = read_calls(text, STATE)
    assert [c.name for c in found] == ["updatereasoning", "addattribute", "generatesummary"]
    assert found[0].args == ('It failed because it\'s not in the same room (bathroom), "off" already.',)
    assert found[1].args == ("light1", "off | seen")
    assert dropped == 0


@pytest.mark.parametrize(("text", "dropped"), [
    ("1. move(fridge1\n2. pickup(cup1)", 1), ("1. fly(moon)\n2. move(fridge1)", 1), ("3. move(a(b))", 1),
    ("I would teleport(home) if I could. move(fridge1)", 0),
])
def test_malformed_calls_are_dropped_and_told(text: str, dropped: int) -> None:
    assert read_calls(text, PLAN)[1] == dropped


words = st.text("abcdefghij_0123456789", min_size=1, max_size=12)


@given(st.text(max_size=400))
def test_no_text_breaks_it(text: str) -> None:
    calls, dropped = read_calls(text, PLAN | STATE)
    assert len(calls) <= MOST_CALLS
    assert dropped >= 0
    assert all(c.name in PLAN | STATE for c in calls)


@given(st.lists(st.tuples(st.sampled_from(sorted(PLAN)), st.lists(words, max_size=3)), max_size=8),
       st.sampled_from(['"', "'", ""]), st.sampled_from(["{n}. {call}", "{call}", "- {call}", "`{call}`", "{n}) {call} # why"]))
def test_what_is_written_is_read(plan: list[tuple[str, list[str]]], quote: str, line: str) -> None:
    text = "\n".join(line.format(n=n, call=f"{name}({', '.join(quote + a + quote for a in args)})")
                     for n, (name, args) in enumerate(plan, 1))
    assert read_calls(text, PLAN) == (tuple(Call(name, tuple(args)) for name, args in plan), 0)


@given(st.lists(st.text("abc |_.'()", min_size=1, max_size=30).filter(lambda t: t.strip() == t), min_size=1, max_size=3))
def test_quoted_arguments_keep_what_is_in_them(args: list[str]) -> None:
    text = f"update_state({', '.join(chr(34) + a + chr(34) for a in args)})"
    assert read_calls(text, STATE)[0] == (Call("updatestate", tuple(args)),)
