"""Numbers that users write: whatever they are, they are taken or refused in a short line."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from core.common.errors import UsageError
from core.common.parameters import MOST, Parameters, changed, parameter, whole_number

LONG = "9" * 400
ODD = (LONG, "9" * 5000, f"-{LONG}", f"{LONG}.5", "1e400", "nan", "inf", "-inf", "0x10", "", "²", "5\u200b")


@dataclass(frozen=True)
class Numbers(Parameters):
    """One parameter of each kind."""

    whole: int = parameter(1, "a whole number without limits")
    share: float = parameter(0.5, "any number")


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize("name", ["whole", "share"])
def test_an_odd_number_is_refused_in_a_short_line(name: str, text: str) -> None:
    with pytest.raises(UsageError) as raised:
        changed(Numbers(), {name: text})
    assert str(raised.value).startswith(f"{name}=")
    assert len(str(raised.value)) < 120


@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan")])
def test_an_odd_number_of_a_file_is_refused(value: float) -> None:
    for name in ("whole", "share"):
        with pytest.raises(UsageError):
            changed(Numbers(), {name: value})


@pytest.mark.parametrize("text", ODD)
def test_an_odd_text_is_no_whole_number(text: str) -> None:
    with pytest.raises(UsageError, match="give a whole number from 0 on"):
        whole_number(text)


def test_plain_numbers_are_taken() -> None:
    assert changed(Numbers(), {"whole": "12", "share": 1e-3}) == Numbers(12, 1e-3)
    assert (whole_number(" 7 "), whole_number("-1", -1, 5), whole_number(str(MOST))) == (7, -1, MOST)
    with pytest.raises(UsageError, match="'6': give a whole number from -1 to 5"):
        whole_number("6", -1, 5)
