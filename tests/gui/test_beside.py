"""What asks hides nothing of what is judged: cards and dialogs open beside the frames, notices lie under them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from gui.app import App
from gui.control.undo import Final
from gui.theme import screens
from gui.theme.screens import beside
from gui.widgets import Banner, Line, Prose
from tests.gui.conftest import MakeApp
from tests.gui.looking import area, cut_labels
from tests.gui.parts import parts
from tests.gui.settling import lay_out, settle
from tests.gui.test_failure_labels import failed_run

rects = st.builds(QRect, st.integers(0, 1200), st.integers(0, 800), st.integers(20, 1400), st.integers(20, 900))
ROOM = QRect(8, 8, 1424, 884)


@given(rects, st.integers(100, 372), st.integers(60, 180))
def test_a_card_lies_in_the_room_and_beside_its_target_if_it_fits(pointed: QRect, wide: int, high: int) -> None:
    pointed, size, least = pointed.intersected(ROOM), QSize(372, 180), QSize(wide, high)
    if pointed.isEmpty():
        return
    placed = beside(pointed, size, ROOM, 10, least)
    assert ROOM.contains(placed)
    across = max(pointed.left() - ROOM.left(), ROOM.right() - pointed.right())
    down = max(pointed.top() - ROOM.top(), ROOM.bottom() - pointed.bottom())
    assert not (placed.intersects(pointed) and (across >= wide + 10 or down >= high + 10)), (placed, pointed)
    if across >= size.width() + 10 or down >= size.height() + 10:
        assert placed.size() == size, "it is made smaller only where it must be"


def dialogs(app: App) -> dict[str, Callable[[], QDialog | None]]:
    """What opens each dialog that is about what the frames show."""
    return {"label": lambda: app.tools.dialogs.open_label(app.labelling.rated()), "rating": app.tools.dialogs.rate,
            "labels": app.tools.dialogs.labels, "agreement": app.tools.dialogs.agreement,
            "failure": lambda: app.labels.failures.open(app.window)}


@pytest.mark.parametrize(("size", "scale"), [((1280, 720), 1.0), ((1920, 1080), 1.5)])
def test_dialogs_about_a_moment_hide_no_frames(qtbot: QtBot, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch,
                                               size: tuple[int, int], scale: float) -> None:
    monkeypatch.setattr(screens, "areas", lambda: [QRect(0, 0, size[0] + 4, size[1] + 4)])
    app = failed_run(qtbot, make_app)
    app.window.set_theme("dark", scale)
    app.window.setGeometry(0, 0, *size)
    lay_out(app.window)
    settle(app)
    frames = app.context.judged()
    assert not frames.isEmpty()
    for name, opens in dialogs(app).items():
        dialog = opens()
        assert dialog is not None
        settle(app)
        assert not dialog.frameGeometry().intersects(frames), (name, dialog.frameGeometry(), frames)
        dialog.close()
        settle(app)


def cut(banner: Banner) -> Iterator[str]:
    """Yields the texts of a banner that cannot be read whole."""
    for line in banner.findChildren(Line):
        if not line.isVisible() or line.width() + 1 < line.sizeHint().width() - 2:
            yield line.text
    for prose in banner.findChildren(Prose):
        if not prose.isVisible() or prose.height() < prose.heightForWidth(prose.width()):
            yield prose.text()


def notices(app: App) -> dict[str, Callable[[], object]]:
    """What shows each notice."""
    notes = app.window.notices
    return {"name": lambda: notes.offer_name(lambda: None),
            "example": lambda: notes.offer_example(Moment(0, 1), lambda _: None),
            "undo": lambda: notes.offer_rewind(Final("put the toothbrush on the bathroom counter", 0, 3)),
            "document": lambda: notes.offer_document("003 a recording with a long name.mcap", lambda: None),
            "unreadable": lambda: notes.report_unreadable("odd.mcap", "it is no recording, " * 8 + "and so on", lambda: None),
            "left": lambda: notes.report_left(("The recording 003 was cut off after turn 12, and its last labels are kept",))}


@pytest.mark.parametrize(("size", "scale"), [((1280, 720), 1.0), ((1024, 600), 1.5)])
def test_notices_lie_under_the_frames_and_are_read_whole(qtbot: QtBot, make_app: MakeApp, size: tuple[int, int],
                                                         scale: float) -> None:
    app = failed_run(qtbot, make_app)
    window, box = app.window, app.window.notices.box
    window.set_theme("dark", scale)
    window.resize(*size)
    lay_out(window)
    settle(app)
    for name, shows in notices(app).items():
        shows()
        settle(app)
        banner = box.content
        assert isinstance(banner, Banner), name
        assert box.isVisible(), name
        assert window.rect().contains(area(window, box)), name
        assert not area(window, box).intersects(area(window, window.stage.card)), name
        assert not list(cut(banner)), name
        window.notices.close()
        settle(app)
    assert window.stage.has_state, "how the run ended is shown again"
    assert not box.isVisible()


SCREENS = [((1280, 720), 1.0), ((1920, 1080), 1.0), ((1920, 1080), 1.5), ((2560, 1440), 1.25)]


@pytest.mark.parametrize(("size", "scale"), SCREENS, ids=str)
def test_the_override_hides_and_dims_no_frames(qtbot: QtBot, make_app: MakeApp, size: tuple[int, int], scale: float) -> None:
    app = make_app(parts())
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0 and app.bridge.snapshot.status == "paused")
    app.window.set_theme("dark", scale)
    app.window.resize(*size)
    lay_out(app.window)
    settle(app)
    frames = area(app.window, app.window.stage.card)
    inner = frames.adjusted(8, 8, -8, -64)  # the card's shadow lies at their lower edge
    before = app.window.grab(inner).toImage()
    dialog = app.run_dialogs.override
    dialog.ask()
    qtbot.waitUntil(lambda: bool(dialog.card.rows.items))
    settle(app)
    card = area(app.window, dialog.card)
    assert app.window.rect().contains(card)
    assert not card.intersects(frames)
    assert dialog.card.rows.height() >= 3 * app.context.theme.px(26), "a few actions can be read at once"
    assert not list(cut_labels(dialog.card))
    assert app.window.grab(inner).toImage() == before, "they are as bright as before"
