"""Everything the window says about a run in words, compared with what the run's events say. The walks and a sequence use it."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QWidget

from core.llm.sources import Source, read_source
from core.planning.search_facets import Ranking
from core.session.commands import UseModel
from core.session.events import NOBODY, CommandTaken
from core.session.snapshot import Snapshot
from gui.app import App
from gui.control.snapshot_texts import staleness
from gui.widgets import StaleOverlay, numbers
from tests.gui.ledger import Ledger, Ledgers


def check_words(app: App, ledgers: Ledgers) -> None:
    """Checks all words of a window at rest that are about the run: who answers, seed, turn, age of content, outcome."""
    snapshot, ledger = app.console.snapshot, ledgers.of(app.console.snapshot)
    if ledger is None or app.console.replaying or app.runner.phase != "live" or not app.console.begun:
        return
    check_answerer(app, snapshot, answering(ledger, snapshot.event))
    check_numbers(app, snapshot, ledger)
    check_ages(app)
    check_outcome_words(app, snapshot)


def answering(ledger: Ledger, until: int) -> Source | None:
    """Returns who answers, by the events alone; None: nobody is asked."""
    began = ledger.began
    assert began is not None
    chosen = [event.what.command.name for event in ledger.until(until) if isinstance(event.what, CommandTaken) and event.what.ok
              and isinstance(event.what.command, UseModel)]
    if began.provider == NOBODY:
        return None
    first = read_source(began.answers)
    return first if not chosen or chosen[-1] == first.provider else Source(chosen[-1])


def check_answerer(app: App, snapshot: Snapshot, source: Source | None) -> None:
    """Checks that header, chip and status line name who answers."""
    told = snapshot.source and snapshot.source._replace(title="")
    assert told == source, (told, source)
    if source is None:
        return
    words = app.window.status._answerer_words()[0]
    if source.provider == "human":
        assert words.startswith("You answer"), words
    else:
        named = {source.model, *(c.title for c in app.console.choices.providers if c.name == source.provider)} - {""}
        assert any(words.startswith(f"{one} answers") for one in named), (words, source)
        if snapshot.ended is None:
            chip = app.window.bar.pickers.provider.accessibleName()
            assert chip in {f"Provider: {one}" for one in named}, (chip, source)


def check_numbers(app: App, snapshot: Snapshot, ledger: Ledger) -> None:
    """Checks seed, turn and steps."""
    began, status = ledger.began, app.window.status
    assert began is not None
    assert status._seed.text == f"seed {began.seed}"
    if snapshot.turn:
        assert status.detail.text.startswith(f"turn {snapshot.turn}"), (status.detail.text, snapshot.turn)
    steps = app.window.bar.meters._meters[4].reading
    assert steps.used == numbers.whole(len(snapshot.line)), steps


def check_ages(app: App) -> None:
    """Checks that each panel in view says how old its content is, and that nothing comes 'in a moment' that does not come."""
    shown = app.console.shown
    if app.context.preview.snapshot is not None:
        return
    for card in app.window.visible_cards():
        panel = card.panel
        if panel is None or panel.visibleRegion().isEmpty():
            continue
        for overlay in panel.findChildren(StaleOverlay):
            text = overlay.accessibleName()
            if not text or not overlay.isVisible():
                continue
            found = re.match(r"From turn (\d+)", text)
            if found is None:
                continue  # about a picture
            kinds = panel.facets or {Ranking}
            turns = {moment.turn for kind in kinds if (moment := shown.moment_of(kind)) is not None}
            assert int(found[1]) in turns, (card.name, text, turns)
            if "in a moment" in text:
                assert shown.ended is None, (card.name, text)
                assert shown.status != "paused", (card.name, text)
            assert any(text == staleness(shown, kind, words) for kind in kinds
                       for words in ("new search", "new belief", "the next choice")), (card.name, text)


def check_outcome_words(app: App, snapshot: Snapshot) -> None:
    """Checks that banner, list of runs and closing question count the same turns and name the same end."""
    app.kept_runs.runs.refresh()
    row = app.context.runs.rows[0]
    if snapshot.ended is None or snapshot.outcome.branch != snapshot.branch:
        return
    assert row.turns == len(snapshot.line), (row.turns, len(snapshot.line))
    assert row.outcome in (snapshot.ended.reason, "stopped", "goal reached")
    headings = texts(app.window.stage)
    banner = next((text for text in headings if text.startswith("Goal reached in")), "")
    assert not banner or banner == f"Goal reached in {row.turns} {'turn' if row.turns == 1 else 'turns'}"
    assert bool(banner) <= snapshot.ended.success
    lines = [line for line in app.kept_runs.runs.losses().runs if line.startswith(f"Run {row.number}:")]
    assert all(f", {row.turns} turn" in line and line.endswith(row.outcome) for line in lines), lines


def texts(widget: QWidget) -> list[str]:
    """Returns all texts in view in a widget."""
    return [child.accessibleName() for child in widget.findChildren(QWidget) if child.isVisible() and child.accessibleName()]
