"""Every value is encoded as JSON and decoded unchanged. Foreign or damaged JSON is refused in one line."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.common import parameters
from core.common.errors import DataError
from core.common.parameters import Parameters
from core.planning import facets
from core.planning.facets import Facet, Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.search_facets import RankedAction, Ranking, SearchTree, TreeNode
from core.recording.codec import Codec
from core.recording.types import COMMANDS, FACETS, MARKERS, PAYLOADS, TYPES, UnknownFacet
from core.session import commands, events
from core.session.events import Acted, Event, Payload, Replied, Shown, TurnBegan
from core.world.vocabulary import Action, AgentState, Observation, Outcome, Pose
from tests.core.recording import strategies
from tests.core.recording.common import CODEC, same
from tests.core.session.toys import WalkerParameters
from tests.long_tests import either

EASY = settings(max_examples=either(7, 100), deadline=None,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.mark.parametrize("kind", [c for c in TYPES if c not in MARKERS], ids=str)
@EASY
@given(st.data())
def test_every_kind_comes_back_exactly_in_either_form(kind: type, data: st.DataObject) -> None:
    value: object = data.draw(strategies.of(kind))
    text = CODEC.dumps(value)
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert text.isascii()
    assert "\n" not in text
    back: object = CODEC.loads(text, kind)
    assert same(back, value)
    assert CODEC.dumps(back) == text
    quick = CODEC.encode(value)
    json.loads(quick, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert b"\n" not in quick
    back = CODEC.loads(quick, kind)
    assert same(back, value)
    assert CODEC.encode(back) == quick == Codec((WalkerParameters,)).encode(value)


NUMBERS = st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e308, 0.1 + 0.2, 2**53 + 1, 2**64, -2**63 - 1])


@EASY
@given(NUMBERS, NUMBERS)
def test_numbers_json_has_no_word_for_are_kept_wherever_they_stand(a: float, b: float) -> None:
    action = Action("go", ("left",))
    told = Replied(1, ModelReply(("yes", "null"), "a", scores=(("x", a),), seconds=b, alike=((a, b), ())))
    seen = Observation(AgentState(None, pose=Pose(0.0, a, b)), (), (), score=a)
    tree = Shown(SearchTree((TreeNode(0, -1, None, (), 3, a, b),), 0))
    ranking = Shown(Ranking((RankedAction((action,), a, 0, None, 0.0, b), RankedAction((), 0.0, 0, a, b, None)), 0, 0))
    for what in (told, Acted(Outcome(action, True, "", seen), "planner", a, b), tree, ranking):
        assert same(CODEC.loads(CODEC.encode(what), Payload), what)


def test_a_value_of_another_type_than_annotated_is_written_as_what_it_is() -> None:
    odd: Any = ModelReply(texts=("x",), source="a", seconds=np.float64(1.5), tokens_in=np.int64(3))  # type: ignore[arg-type]
    assert CODEC.loads(CODEC.encode(odd), ModelReply) == replace(odd, seconds=1.5, tokens_in=3)
    for wrong in (Shown(Action("go")), TurnBegan(None, ()), Plan((object(),))):  # type: ignore[arg-type]
        with pytest.raises(DataError):
            CODEC.loads(CODEC.encode(wrong), Payload)


def test_recordings_of_the_first_format_have_the_class_of_everything() -> None:
    plan = Shown(Plan((Action("go", ("left",)),), "because"))
    assert CODEC.dumps(plan).count('"$"') == 3
    assert CODEC.encode(plan).count(b'"$"') == 2
    assert CODEC.loads(CODEC.dumps(plan), Payload) == CODEC.loads(CODEC.encode(plan), Payload) == plan


@EASY
@given(strategies.of(Event))
def test_events_begin_with_what_a_catalogue_needs(event: Event) -> None:
    head = f'{{"$":"Event","number":{event.number},"at":'
    assert CODEC.dumps(event).startswith(head)
    assert CODEC.encode(event).startswith(head.encode())


@pytest.mark.parametrize(("base", "table"), [(commands.Command, COMMANDS), (facets.Facet, FACETS), (Payload, PAYLOADS)])
def test_the_tables_hold_every_kind_of_the_core(base: type, table: tuple[type, ...]) -> None:
    homes = (*(f"{home.__name__}." for home in (commands, events)), "core.planning.", "core.planners.")
    kinds: list[type] = base.__subclasses__()
    assert {c.__name__ for c in kinds if f"{c.__module__}.".startswith(homes)} == {c.__name__ for c in table}


def test_names_are_unique_so_that_a_tag_says_what_a_thing_is() -> None:
    assert len({c.__name__ for c in TYPES}) == len(TYPES)


@dataclass(frozen=True)
class Stranger(Facet):
    text: str = ""


@dataclass(frozen=True)
class StrangeParameters(parameters.Parameters):
    depth: int = 3


@pytest.mark.parametrize("value", [Stranger(), StrangeParameters(), object(), {1: 2}, print, np.array([1j]), Shown(Stranger())])
def test_unknown_types_are_refused(value: object) -> None:
    with pytest.raises(DataError):
        Codec().dumps(value)
    with pytest.raises(DataError):
        Codec().encode(value)


def test_a_plug_in_brings_its_own_types() -> None:
    codec = Codec((Stranger, StrangeParameters))
    shown = Shown(Stranger("hello"))
    assert codec.loads(codec.dumps(shown), Payload) == codec.loads(codec.encode(shown), Payload) == shown
    assert codec.loads(codec.dumps(StrangeParameters(5)), parameters.Parameters) == StrangeParameters(5)


def test_what_belongs_to_a_package_that_is_not_installed_is_left_out_where_a_recording_is_read() -> None:
    foreign = Codec((Stranger, StrangeParameters))
    edit, shown = commands.Edit(Stranger("hello")), Shown(Stranger("hello"))
    codec = Codec().forgiving()
    assert codec.left_out == frozenset()
    found = codec.loads(foreign.encode(edit), commands.Command)
    assert isinstance(found, commands.Edit)
    assert found.facet == UnknownFacet("Stranger")
    assert codec.loads(foreign.encode(StrangeParameters(5)), parameters.Parameters) == parameters.Parameters()
    ask = codec.loads(b'{"$":"Ask","purpose":"p","messages":[],"subject":"","facts":{"$":"StrangeFacts","x":1},'
                      b'"expects":{"choices":[],"pattern":"","schema":""},"samples":1,"temperature":0.0,"top_p":1.0,'
                      b'"max_tokens":9,"scores":false,"fresh":0,"compare":"no"}', ModelRequest)
    assert ask.facts is None
    assert codec.left_out == {"Stranger", "StrangeParameters", "StrangeFacts"}
    assert not codec.knows_facet("Stranger")
    assert foreign.knows_facet("Stranger")
    for text in ('{"$":"not a name"}', '{"$":"Event"}', '{"$":3}', "[]"):
        with pytest.raises(DataError):
            codec.loads(text, Facet)
    with pytest.raises(DataError):
        Codec().loads(foreign.encode(shown), Payload)


ACTION = '{"$":"Action","verb":"open","args":["fridge_1"]}'
FOREIGN: list[tuple[str, type]] = [
    ("", Action), ("null", Action), ("[]", Action), ("{}", Action), ('{"verb":"open"}', Action), ('{"text":"x"}', Facet),
    ('{"$":null,"verb":"open","args":[]}', Action), ("{", Action), ("[" * 100_000, Action),
    ("1" * 5000, Action),
    (ACTION.replace("Action", "Event"), Action), (ACTION.replace('"open"', "3"), Action),
    (ACTION.replace('"open"', "null"), Action),
    (ACTION.replace('["fridge_1"]', '"fridge_1"'), Action), (ACTION.replace('"verb"', '"word"'), Action),
    (ACTION.replace("}", ',"more":1}'), Action), ('{"$":"Action","verb":"open"}', Action),
    ('{"$":"os.system","command":"true"}', Payload), ('{"$":"Plan"}', Payload), ('{"$":["Plan"]}', Facet), (ACTION, Facet),
    ('{"$":"Pause"}', Payload), ('{"$":"Step","to":"moon"}', commands.Command), ('{"$":"Step","to":[]}', commands.Command),
    ('{"$":"Rewind","turn":1.5,"resample":false}', commands.Command),
    ('{"$":"Rewind","turn":true,"resample":false}', commands.Command),
    ('{"$":"Rewind","turn":1,"resample":0}', commands.Command),
    ('{"$":"SetParameter","name":"x","value":[1]}', commands.Command),
    ('{"$":"NoSuchParameters","depth":3}', parameters.Parameters),
]


@pytest.mark.parametrize(("text", "kind"), FOREIGN, ids=range(len(FOREIGN)))
def test_foreign_json_is_refused_in_a_line(text: str, kind: type) -> None:
    with pytest.raises(DataError) as caught:
        CODEC.loads(text, kind)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


ARRAYS: list[dict[str, Any]] = [
    {"dtype": "|O"}, {"dtype": "<f8"}, {"shape": [10**6, 10**6]}, {"shape": [-1]}, {"shape": 4}, {"shape": [2]}, {"data": "!"},
    {"data": None}, {"zlib": True}, {"shape": [1] * 40}, {"shape": [2**40]}, {"data": "é"}, {"shape": [4.0]},
]


@pytest.mark.parametrize("damage", ARRAYS, ids=str)
def test_arrays_that_lie_are_refused_before_memory_is_taken(damage: dict[str, Any]) -> None:
    frame = facets.Frame("dollhouse", np.zeros((2, 2, 3), np.uint8), None, ("",))
    plain = CODEC.plain(frame)
    plain["pixels"] |= damage
    with pytest.raises(DataError):
        CODEC.value(plain, Facet)


def test_arrays_come_back_read_only() -> None:
    frame = facets.Frame("dollhouse", np.zeros((90, 90, 3), np.uint8), np.zeros((90, 90), np.uint16), ("",))
    back = CODEC.loads(CODEC.dumps(frame), facets.Frame)
    assert not back.pixels.flags.writeable
    assert back.ids is not None
    assert not back.ids.flags.writeable


LEAVES = st.none() | st.booleans() | st.integers() | st.sampled_from(["Event", "Acted", "array", "Plan"])
KEYS = st.sampled_from(["$", "number", "what", "at", "actions", "because"])


@EASY
@given(st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)))
def test_any_json_is_a_value_or_a_refusal(plain: object) -> None:
    for kind in (Event, Facet, Observation, parameters.Parameters):
        with pytest.raises(DataError):
            CODEC.value(plain, kind)


def test_equal_small_values_are_kept_once() -> None:
    plan = Plan((Action("go", ("left",)), Action("go", ("left",))))
    back = CODEC.loads(CODEC.dumps(plan), Plan)
    assert back.actions[0] is back.actions[1]


def test_parameters_of_an_earlier_version_are_read_with_the_defaults_of_what_came_since() -> None:
    plain = CODEC.plain(WalkerParameters(7))
    del plain["looks"]
    assert CODEC.value(plain, Parameters) == WalkerParameters()
    with pytest.raises(DataError, match="unknown"):
        CODEC.value({**plain, "looks": 1, "hops": 3}, Parameters)
