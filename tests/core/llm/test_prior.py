"""Where things usually are: names written otherwise, things without statistics, and the insides of what things lie on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planning.offline_answers import PACKING, Prior
from core.planning.prompt_facts import PlaceFact

PRIOR = Prior()
HOME = (
    PlaceFact("toilet_1", "toilet", "bathroom_1", "bathroom", True), PlaceFact("cabinet_1", "bathroom_cabinet", "bathroom_1",
                                                                                "bathroom", True),
    *(PlaceFact(f"dresser_{k}", "dresser", "bedroom_1", "bedroom", True) for k in range(4)),
    PlaceFact("nightstand_1", "nightstand", "bedroom_1", "bedroom", True),
    PlaceFact("cupboard_1", "cupboard", "kitchen_1", "kitchen", True),
    PlaceFact("fridge_1", "fridge", "kitchen_1", "kitchen", True),
    PlaceFact("table_1", "kitchen_table", "kitchen_1", "kitchen", False),
)
WORDS = sorted({word for kind in PRIOR.kinds for word in kind.words})


def over(cls: str) -> dict[str, float]:
    return dict(zip((p.id for p in HOME), PRIOR.over(cls, HOME).tolist(), strict=True))


@given(st.sampled_from(WORDS) | st.text(alphabet="abcdefghij_-", max_size=12))
def test_nothing_is_looked_for_in_a_toilet_before_a_cupboard(cls: str) -> None:
    shares = over(cls)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert all(share >= 0 for share in shares.values())
    assert all(shares["toilet_1"] <= shares[p.id] + 1e-9 for p in HOME)


@pytest.mark.parametrize(("one", "other"), [
    ("tooth_paste", "toothpaste"), ("credit_card", "creditcard"), ("band-aids", "bandaid"), ("chess_board", "chessboard"),
    ("salt_shakers", "saltshaker"), ("Tooth_Brush", "toothbrush"),
])
def test_names_mean_the_same_however_they_are_written(one: str, other: str) -> None:
    assert PRIOR.kind_of_thing(one) is PRIOR.kind_of_thing(other) is not None


@given(st.sampled_from([w for w in WORDS if len(w) >= 6 and w.isalpha() and w not in PACKING]), st.sampled_from(["zq", "qazx"]))
def test_a_compound_is_of_the_kind_of_the_word_it_ends_with(word: str, before: str) -> None:
    kind = PRIOR.kind_of_thing(before + word)
    assert kind is not None
    assert any(word.endswith(w) or w in word for w in kind.words)


def test_a_thing_of_no_known_kind_is_where_many_kinds_are() -> None:
    shares = over("zzyzx")
    assert shares["dresser_0"] > shares["toilet_1"]
    assert shares["cupboard_1"] == max(shares.values()) or shares["table_1"] == max(shares.values())


def test_a_room_s_own_statistics_do_not_answer_for_it() -> None:
    rooms = ["FloorPlan1", "FloorPlan201", "FloorPlan401"]
    for room in rooms:
        assert any(not np.array_equal(Prior(without=room).over(cls, HOME), PRIOR.over(cls, HOME))
                   for cls in ("mug", "apple", "book", "cloth", "toilet_paper", "remote_control", "soap_bar"))
