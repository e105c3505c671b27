"""Panels show of kept recordings what they did: words and pictures.

`python -m tests.goldens.panels` compares all of them, with `--write` it writes them anew after a wanted change.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from gui.panels.registry import PANELS
from tests.goldens import panels
from tests.long_tests import either

SOME = ("ranking", "blocking_table", "dictionary", "calls", "frames")


@pytest.mark.parametrize("name", either(SOME, panels.PANELS))
def test_a_panel_shows_what_it_did(name: str, qapp: QApplication) -> None:
    assert not panels.difference(panels.recorded()[name], panels.drawn(name, qapp))


def test_all_our_panels_are_kept() -> None:
    assert set(panels.PANELS) == set(panels.recorded()) == set(PANELS) - set(PANELS.foreign)


def test_a_panel_that_differs_is_told_with_what_differs() -> None:
    look = panels.recorded()["goal"]
    told = panels.difference(look, replace(look, words=(*look.words[:-1], "pie is sliced: 1 of 1")))
    assert told.splitlines()[-1] == "+ pie is sliced: 1 of 1"
    shifted = replace(look, cells=look.cells[::-1])
    assert panels.difference(look, shifted).startswith("the picture differs in ")
