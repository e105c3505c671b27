"""State cards of any size show all their text."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from gui.theme import Theme
from gui.widgets import CardState, StateAction, StateCard

TEXT = "After each episode the learner writes down what was learnt. You can add a line yourself."
STATES = (CardState("empty", "Nothing learnt yet", TEXT),
          CardState("missing", "AI2-THOR is not installed", TEXT, mono="make install-thor"),
          CardState("failed", "The model does not answer", TEXT, actions=(StateAction("Again", "run"), StateAction("Stop"))))


def cut(card: StateCard) -> list[str]:
    """Texts of a card that are lower than they need to be."""
    return [f"{card.height()} high: {label.height()} of {label.heightForWidth(label.width())}: {label.text()[:20]}"
            for label in card.findChildren(QLabel)
            if label.isVisible() and label.height() + 2 < label.heightForWidth(label.width())]


@pytest.mark.parametrize("scale", [0.9, 1.0, 1.25, 1.5])
@pytest.mark.parametrize("state", STATES, ids=lambda state: state.kind)
def test_words_of_a_card_are_whole_at_every_height(qtbot: QtBot, theme: Theme, qapp: QApplication, state: CardState,
                                                   scale: float) -> None:
    theme.become("dark", scale)
    theme.apply(qapp)
    card = StateCard(theme, state)
    qtbot.addWidget(card)
    card.show()
    least = theme.px(80)  # heading and buttons
    for width in (260, 410):
        for height in range(least, theme.px(280), 7):
            card.resize(width, height)
            qapp.processEvents()
            assert not cut(card), f"{width} wide"


def test_a_heading_of_two_lines_has_the_room_of_the_margins(qtbot: QtBot, theme: Theme, qapp: QApplication) -> None:
    """As in the panel of breakpoints in the smallest dock, above its field."""
    card = StateCard(theme, CardState("empty", "No breakpoints yet", TEXT))
    qtbot.addWidget(card)
    card.show()
    card.resize(120, 120)
    qapp.processEvents()
    for height in (120, 36, 120, 36):
        card.resize(120, height)
        qapp.processEvents()
        assert not cut(card)
