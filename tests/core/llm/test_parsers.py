"""Grammars, log-probabilities and replies, by example and by anything hypothesis can think of."""

from __future__ import annotations

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import DataError
from core.llm.completions import Completion, Reply
from core.llm.constrained import FORMS, choices_grammar, fits, form_fields, kind_of, pattern_grammar, unwrapped
from core.llm.logprobs import Position, choice_scores, positions
from core.llm.reply_checks import read_reply, reply_text
from core.llm.server_errors import Trouble
from core.planning.model_requests import Expects, ModelReply

FIELDS = ["choices", "message", "content", "logprobs", "token", "logprob", "top_logprobs", "tokens", "token_logprobs", "usage",
          "prompt_tokens", "finish_reason", "text", "refusal", "x"]
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
                        st.sampled_from(FIELDS), inner, max_size=5), max_leaves=20)


def samples_of(payload: object) -> tuple[Completion, ...]:
    """The samples of a whole reply; none if it is no reply."""
    reply = Reply()
    reply.add(payload)
    reply.is_over = True
    try:
        return reply.judged("HOST", str).samples
    except Trouble:
        return ()


@given(JSON)
def test_no_answer_of_a_server_is_too_odd_to_be_read(payload: object) -> None:
    assert all(isinstance(s.text, str) for s in samples_of(payload))
    old_style = {"tokens": ["a", "b"], "top_logprobs": [payload], "token_logprobs": payload}
    for listing in (payload, {"content": [payload]}, old_style):
        scores = choice_scores(("a", "b", "apple"), positions(listing))
        assert all(value <= 0 and not math.isnan(value) for _, value in scores.values)


@pytest.mark.parametrize(("pattern", "rule"), [
    ("abc", '"a" "b" "c"'), (r"\d+", "[0-9]+"), ("(yes|no)", '("y" "e" "s" | "n" "o")'), ("[a-z_]{2,3}x?", '[a-z_]{2,3} "x"?'),
    (r"^a\.b$", '"a" "." "b"'), (r"[^\]\\]*", "[^\\]\\\\]*"), (r'"\n"', '"\\"" "\\n" "\\""'), ("(?:a|)", '("a" | "")'),
    (r"\W.", "[^A-Za-z0-9_] [^\\n]"), ("a*?", '"a"*'), ("[-a]", "[-a]"), ("cost: 5$", '"c" "o" "s" "t" ":" " " "5"'),
])
def test_grammars_of_patterns(pattern: str, rule: str) -> None:
    assert pattern_grammar(pattern) == f"root ::= {rule}"


@pytest.mark.parametrize("pattern", ["(?=a)b", r"(a)\1", r"\bword", "a++", "(", "a)", "[a", "a^b", "*a", "[[:alpha:]]",
                                     "(?i)a"])
def test_patterns_that_grammars_cannot_say(pattern: str) -> None:
    assert pattern_grammar(pattern) is None


@given(st.text(max_size=30))
def test_any_text_is_no_crash_as_a_pattern(pattern: str) -> None:
    grammar = pattern_grammar(pattern)
    assert grammar is None or grammar.startswith("root ::= ")


@given(st.lists(st.text(min_size=1, max_size=10), min_size=1, max_size=5))
def test_grammars_of_choices_read_back(choices: list[str]) -> None:
    grammar = choices_grammar(choices)
    literals = re.findall(r'"((?:[^"\\]|\\.)*)"', grammar, re.DOTALL)
    escapes = {"n": "\n", "r": "\r", "t": "\t"}
    assert [re.sub(r"\\(.)", lambda m: escapes.get(m[1], m[1]), text, flags=re.DOTALL) for text in literals] == choices


def test_every_kind_of_form_can_be_asked_for() -> None:
    for expects in (Expects(), Expects(choices=("a", "b")), Expects(pattern="[ab]"), Expects(schema='{"type": "object"}')):
        for form in FORMS[kind_of(expects)]:
            assert json.dumps(form_fields(form, expects))
    assert form_fields("grammar", Expects(pattern="(?=a)")) is None


NEEDS_X = '{"type":"object","required":["x"]}'


@pytest.mark.parametrize(("expects", "text", "answer"), [
    (Expects(choices=("a", "b")), " a\n", True), (Expects(choices=("a", "b")), "ab", False),
    (Expects(pattern="a+"), "aaa", True),
    (Expects(pattern="a+"), "aab", False), (Expects(pattern="(a+)+"), "a" * 20_000, False),
    (Expects(), "anything", True),
    (Expects(schema=NEEDS_X), '{"x":1}', True), (Expects(schema='{"type":"array"}'), "[]", True),
    (Expects(schema=NEEDS_X), '{"y":1}', False), (Expects(schema="{}"), "no json", False),
    (Expects(schema="true"), "1", True), (Expects(schema='{"type":"number"}'), "1.5", True)])
def test_whether_a_reply_has_its_form(expects: Expects, text: str, answer: bool) -> None:
    assert fits(expects, text) is answer


@pytest.mark.parametrize(("text", "answer"), [('{"answer": "a"}', "a"), ("a", "a"), ("{}", "{}"),
                                              ('{"answer": 1}', '{"answer": 1}')])
def test_wrapped_choices_are_unwrapped(text: str, answer: str) -> None:
    assert unwrapped("schema", Expects(choices=("a",)), text) == answer


LN = math.log
CHOICES = ("grab apple", "grab plate", "open fridge")


def test_scores_follow_the_tokens() -> None:
    found = choice_scores(CHOICES, (Position("grab", (("grab", LN(0.6)), ("open", LN(0.3)), ("sing", LN(0.1)))),
                                    Position(" apple", ((" apple", math.log(0.75)), (" plate", math.log(0.25))))))
    assert dict(found.values) == {"grab apple": pytest.approx(math.log(0.45)), "grab plate": pytest.approx(math.log(0.15)),
                                  "open fridge": pytest.approx(math.log(0.3))}
    assert not found.shared


def test_what_begins_alike_is_shared_and_said() -> None:
    found = choice_scores(CHOICES, (Position("open", (("open", math.log(0.8)), ("grab", math.log(0.2)))),))
    assert dict(found.values) == {"open fridge": pytest.approx(math.log(0.8)), "grab apple": pytest.approx(math.log(0.1)),
                                  "grab plate": pytest.approx(math.log(0.1))}
    assert found.shared


@pytest.mark.parametrize("lead", [["The", " best", " is", " \""], ['{"answer', '": "'], [" "], ["\n\n"], []])
def test_what_stands_before_the_choice_is_passed_over(lead: list[str]) -> None:
    tokens = (*(Position(t, ((t, -0.01),)) for t in lead), Position("B", (("B", -0.2), ("A", -1.8))))
    assert choice_scores(("A", "B"), tokens).values == (("B", -0.2), ("A", -1.8))


def test_a_choice_may_begin_another() -> None:
    tokens = (Position("apple", (("apple", LN(0.9)),)), Position(" pie", ((" pie", LN(0.25)), ("\n", LN(0.75)))))
    assert dict(choice_scores(("apple", "apple pie"), tokens).values) == {
        "apple": pytest.approx(math.log(0.675)), "apple pie": pytest.approx(math.log(0.225))}


def test_variants_of_a_token_add_up() -> None:
    found = choice_scores(("A", "B"), (Position("A", (("A", math.log(0.5)), (" A", math.log(0.25)), ("B", math.log(0.125)))),))
    assert dict(found.values)["A"] == pytest.approx(math.log(0.75))


def test_another_spelling_of_the_same_beginning_goes_the_same_way() -> None:
    choices = ("inside the fridge", "inside the sink", "on the table")
    tokens = (Position("in", (("in", LN(0.2)), ("inside", LN(0.4)), ("on", LN(0.3)))),
              Position("side the ", (("side the ", 0.0),)),
              Position("fridge", (("fridge", LN(0.25)), ("sink", LN(0.75)))))
    found = choice_scores(choices, tokens)
    assert {c: round(math.exp(v), 6) for c, v in found.values} == dict(zip(choices, (0.15, 0.45, 0.3), strict=True))
    assert not found.shared


TOKENS = st.lists(st.builds(Position, st.sampled_from(["grab", " apple", "open", " ", "fridge", ""]), st.lists(
    st.tuples(st.sampled_from(["grab", " apple", "open", "g", " plate", ""]), st.floats(-50, 0)), max_size=4).map(tuple)),
    max_size=5)


@given(TOKENS)
def test_scores_are_log_probabilities_of_choices(tokens: list[Position]) -> None:
    found = choice_scores(CHOICES, tuple(tokens))
    assert {choice for choice, _ in found.values} <= set(CHOICES)
    assert all(value <= 0 for _, value in found.values)


REPLIES = st.builds(ModelReply, st.lists(st.text(st.characters()), max_size=3).map(tuple), st.text(), st.lists(
    st.tuples(st.text(), st.floats(max_value=0, allow_nan=False)), max_size=3).map(tuple), st.booleans(), st.booleans(),
    st.floats(0, 1e6), st.integers(0, 10**9), st.integers(0, 10**9), st.text())


@given(REPLIES)
def test_replies_survive_being_written(reply: ModelReply) -> None:
    assert read_reply(reply_text(reply)) == reply


@given(JSON)
def test_no_json_is_too_odd_to_be_refused(value: object) -> None:
    with pytest.raises(DataError):
        read_reply(json.dumps([value]))


@pytest.mark.parametrize(("text", "kept", "cut"), [
    ("close kitchen<|im_end|>", "close kitchen", False),
    ("walk to the fridge\n<end_of_turn>\n<start_of_turn>user\nAnd now?", "walk to the fridge\n", False),
    ("<think>open it?<|im_end|></think>grab apple</s> and more", "grab apple", False),
    ("<|im_end|>", "<|im_end|>", True),
    ("a < b and <b>bold</b>", "a < b and <b>bold</b>", True),
])
def test_a_reply_ends_where_the_model_ended_it(text: str, kept: str, cut: bool) -> None:
    (sample,) = samples_of({"choices": [{"message": {"content": text}, "finish_reason": "length"}]})
    assert (sample.text, sample.cut) == (kept, cut)
    assert ("did not stop at" in sample.note) == (not cut)
