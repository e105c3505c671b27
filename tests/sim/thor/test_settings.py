"""Options of AI2-THOR's player: checked before anything starts, each refusal one line."""

from __future__ import annotations

import pytest

from core.common.errors import UsageError
from sim.thor.player import QUALITIES, Setting


@pytest.mark.parametrize(("options", "words"), [
    ({"platform": "Windows"}, "auto, Linux64 or CloudRendering"), ({"display": "left"}, "such as :0"),
    ({"display": ":0; rm -rf"}, "such as :0"), ({"gpu_device": "0"}, "for platform=CloudRendering"),
    ({"platform": "CloudRendering", "gpu_device": "-1"}, "number of a graphics card"),
    ({"platform": "CloudRendering", "gpu_device": "first"}, "number of a graphics card"),
    ({"platform": "CloudRendering", "display": ":0"}, "only one of the two"), ({"quality": "DONOTUSE"}, "Very Low"),
    ({"start_timeout": "0"}, "give seconds"), ({"start_timeout": "nan"}, "give seconds"), ({"timeout": "4e9"}, "give seconds"),
    ({"width": "800"}, "unknown world option 'width'"),
])
def test_what_makes_no_sense_is_refused_in_one_line(options: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        Setting.read(options)
    assert "\n" not in str(caught.value)


def test_values_are_read_whatever_their_capitals_and_blanks() -> None:
    read = Setting.read({"platform": "cloud-rendering", "gpu_device": "1", "quality": "very low", "start_timeout": "90"})
    assert (read.platform, read.gpu_device, read.quality, read.start_timeout) == ("CloudRendering", 1, "Very Low", 90.0)


def test_a_start_may_take_as_long_as_in_ai2thors_own_controller() -> None:
    assert Setting.read({}).start_timeout == 300.0


def test_the_display_is_the_one_named_or_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":3")
    assert Setting.read({}).x_display() == ":3"
    assert Setting.read({"display": "far:10.0"}).x_display() == "far:10.0"
    assert Setting.read({"platform": "CloudRendering"}).x_display() is None


@pytest.mark.parametrize("executable", ["", "/some/player"])
def test_no_display_is_said_with_both_cures(monkeypatch: pytest.MonkeyPatch, executable: str) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(UsageError, match=r"one as 'display'.*'platform' to CloudRendering") as caught:
        Setting.read({"executable": executable}).x_display()
    assert "\n" not in str(caught.value)


def test_qualities_are_the_packages_own() -> None:
    theirs = pytest.importorskip("ai2thor._quality_settings").QUALITY_SETTINGS
    assert set(QUALITIES) == {name for name, number in theirs.items() if number > 0 and "WebGL" not in name}
