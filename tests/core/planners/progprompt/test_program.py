from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planners.progprompt.program import (
    LONGEST_LINE,
    MOST_LINES,
    Condition,
    Instruction,
    Step,
    holds,
    lines_of,
    read_condition,
    read_program,
)
from core.world.vocabulary import AgentState, Entity, Observation, Relation

PROGRAM = """def put_the_apple_in_the_fridge():
    # 0: take the apple
    find('apple')
    grab("apple")
    assert('close' to 'fridge')
        else: find('fridge')
    assert('fridge' is 'opened')
        else: open('fridge')
    putin('apple', 'fridge')
    # done"""


def read(text: str) -> tuple[Instruction, ...]:
    return read_program(lines_of(text))


def steps(text: str) -> list[Step]:
    return [i.step for i in read(text) if i.step is not None]


def test_the_published_dialect() -> None:
    program = read(PROGRAM)
    assert [i.kind for i in program] == ["plain", "plain", "step", "step", "check", "step", "check", "step", "step", "plain"]
    assert program[2].step == Step("find", ("apple",))
    assert program[4].condition == Condition("near", "fridge")
    assert program[5].guards == ((4, False),)
    assert program[7].guards == ((6, False),)
    assert program[8].step == Step("putin", ("apple", "fridge"))
    assert program[8].guards == ()


@pytest.mark.parametrize("text", [
    f"Sure! Here is the program:\n```python\n{PROGRAM}\n```\nIt first finds the apple.",
    PROGRAM.replace("\n", "\r\n"), PROGRAM.replace("'", '"'), PROGRAM.replace("    ", "\t"),
    PROGRAM.replace("find('apple')", "robot.find('apple');"),
    PROGRAM.replace("'apple', 'fridge'", "obj='apple', target='fridge'"),
])
def test_other_ways_to_write_it(text: str) -> None:
    assert [(s.verb, s.names) for s in steps(text)] == [(s.verb, s.names) for s in steps(PROGRAM)]


def test_real_python() -> None:
    program = read("if not is_open('fridge'):\n    open('fridge')\n    if near('apple'):\n        grab('apple')\n"
                   "else:\n    close('fridge')\nfind('x')")
    assert program[0].condition == Condition("state", "fridge", "open", negated=True)
    assert program[1].guards == ((0, True),)
    assert program[3].guards == ((0, True), (2, True))
    assert program[5].guards == ((0, False),)
    assert program[6].guards == ()


@pytest.mark.parametrize(("text", "meant"), [
    ("('close' to 'fridge')", Condition("near", "fridge")),
    ("('fridge' is 'opened')", Condition("state", "fridge", "open")),
    ("('stove' is 'switched_on')", Condition("state", "stove", "on")),
    ("('lamp' is 'on')", Condition("state", "lamp", "on")),
    ("('apple' in 'hands')", Condition("held", "apple")),
    ("holding('apple')", Condition("held", "apple")),
    ("('apple' is 'seen')", Condition("seen", "apple")),
    ("('apple' on 'table')", Condition("on", "apple", "table")),
    ("('apple' inside 'fridge')", Condition("inside", "apple", "fridge")),
    ("not is_closed(\"fridge\")", Condition("state", "fridge", "closed", negated=True)),
    ("('fridge' sings)", None),
    ("", None),
])
def test_conditions(text: str, meant: Condition | None) -> None:
    assert read_condition(text) == meant


def test_conditions_are_asked_of_what_is_known() -> None:
    things = (Entity("fridge_1", "fridge", "fridge", "furniture", "k", frozenset({"open"})),
              Entity("apple_1", "apple", "apple", "object"))
    world = Observation(AgentState("k", ("fridge_1",)), things, (Relation("inside", "apple_1", "fridge_1"),))

    def means(name: str) -> tuple[str, ...]:
        return tuple(e.id for e in things if e.cls == name)

    asked = {"'close' to 'fridge'": True, "'fridge' is 'opened'": True, "'apple' in 'fridge'": True, "'apple' is 'seen'": True,
             "not held('apple')": True, "'pear' is 'seen'": False, "'fridge' is 'closed'": False, "'apple' on 'fridge'": False,
             "'close' to 'pear'": False}
    for text, true in asked.items():
        condition = read_condition(text)
        assert condition is not None
        assert holds(condition, world, means) == true, text


@given(st.text(max_size=2000))
def test_any_text_is_read_and_never_run(text: str) -> None:
    lines = lines_of(text)
    program = read_program(lines)
    assert len(program) == len(lines) <= MOST_LINES
    assert all(len(line) <= LONGEST_LINE * 4 for line in lines)
    assert all(number < k for k, i in enumerate(program) for number, _ in i.guards)


CODE = st.lists(st.sampled_from([
    "find('apple')", "grab(apple)", "assert('close' to 'fridge')", "else: open('fridge')", "    else:", "if near('x'):",
    "    __import__('os').system('true')", "eval('1')", "f(1or 2)", "grab('\\d')", "put(", ")", "lambda: 0", "x = 3",
    "for k in y:", "while True:",
    "find(find('apple'))", "# no", "\tswitchon('lamp')", "find('" + "(" * 200 + "')", "a" * 400, "f(*args, **kw)", "assert",
]), max_size=30).map("\n".join)


@given(CODE)
def test_odd_code_is_read_line_by_line(text: str) -> None:
    for instruction in read(text):
        if instruction.kind == "step":
            assert instruction.step is not None
            assert all(instruction.step.names)
            assert len(instruction.step.names) <= 3


def test_endless_replies_are_cut() -> None:
    assert len(lines_of("grab('apple')\n" * 100_000)) == MOST_LINES
    assert len(lines_of("x" * 1_000_000)[0]) == LONGEST_LINE
