"""The dialogs of the console, opened one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QDialog

from gui.app import App
from gui.panels.calls.dialogs import TextsDialog
from gui.theme import Theme
from tests.gui.settling import settle


class Texts(TextsDialog):
    """A dialog of questions to a model."""

    def buttons(self, theme: Theme) -> tuple[()]:
        del theme
        return ()


def dialogs(app: App) -> Iterator[QDialog]:
    """Opens the dialogs and cards of the console, one after the other."""
    window = app.window

    def plan() -> None:
        window.toggle_page(app.pages.evaluations)
        app.pages.evaluations.open_plan()

    def edit() -> None:
        app.run_dialogs.open_models()
        assert app.run_dialogs.models is not None
        app.run_dialogs.models.offer_presets()

    labels = app.tools.dialogs
    openers: tuple[Callable[[], object], ...] = (
        edit, app.run_dialogs.open_batch, labels.agreement, labels.statistics, labels.labels, labels.examples, labels.rate,
        app.actions.show_keys, app.actions.show_about, app.actions.show_page, app.actions.show_worst,
        lambda: Texts(app.context.theme, "Ask", "Sends it.", [("Prompt", "Prompt", "text")] * 3, window).show(), plan)
    for opener in openers:
        opener()
        opened = [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]
        assert opened
        yield from opened
        opened[0].close()
        settle(app)
    window.leave_page()
