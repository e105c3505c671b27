"""All entries of the palette at this moment."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from core.session import commands as c
from gui.control.choices import entry_choice
from gui.control.console import Console
from gui.control.key_bindings import KeyBindings, written
from gui.control.snapshot_texts import branch_name
from gui.panels.registry import PANELS
from gui.theme.tokens import PALETTES
from gui.theme.tokens import TITLES as THEMES
from gui.widgets import Namer
from gui.window import palette_completions
from gui.window.actions import WindowAction
from gui.window.main_window import MainWindow
from gui.window.palette import Entry

TEXT_SIZES = (90, 100, 110, 125, 150)


def entries(window: MainWindow, actions: Iterable[WindowAction], keys: KeyBindings) -> list[Entry]:
    """Returns the actions of the window, of the visible panels, of the run, and of its parts."""
    found = [Entry(act.title, act.icon, act.run, keys.written(act.name)) for act in actions if act.title]
    found += _offered(window)
    found += _run_entries(window.console)
    found += _request_entries(window.console)
    found += _view_entries(window, keys)
    return found


def _offered(window: MainWindow) -> list[Entry]:
    """Returns what the visible panels can do."""
    now = window.context.key_now
    return [Entry(f"{card.title}: {offer.title}", offer.icon, offer.run, written(now(offer.key)))
            for card in window.visible_cards() for offer in card.offers()]


def _run_entries(console: Console) -> list[Entry]:
    """Returns actions about this run: breakpoints, turns, bans, parameters, calls."""
    if console.replaying:
        return palette_completions.turns(console, Namer().of(console.snapshot.seen))[:1]
    snapshot, post = console.snapshot, console.runner.post
    names = Namer().of(snapshot.seen)
    found = palette_completions.breakpoints(console, names)
    found += _breakpoint_entries(console)
    found += palette_completions.turns(console, names)
    for action in dict.fromkeys([*palette_completions.best(console), *sorted(snapshot.banned, key=str)]):
        banned = action in snapshot.banned
        phrase = names.phrase(action)
        found.append(Entry(f"{'Allow' if banned else 'Ban'}: {phrase}", "ban",
                           partial(console.run_request.ban_or_allow, action, phrase)))
    found += palette_completions.parameters(console)
    found += palette_completions.calls(console)
    found += [Entry(f"Switch to {'the ' if not number else ''}{branch_name(number)}", "fork", partial(post, c.Switch(number)))
              for number, _, _ in snapshot.branches if number != snapshot.branch]
    return found


def _breakpoint_entries(console: Console) -> list[Entry]:
    standing, found = console.context.standing, []
    for point in standing.points:
        off, name = point in standing.disabled, point.title
        found.append(Entry(f"Delete breakpoint: {name}", "close", partial(console.run_request.clear_breakpoint, point)))
        found.append(Entry(f"Turn breakpoint {'on' if off else 'off'}: {name}", "breakpoint",
                           partial(console.runner.post, c.EnableBreakpoint(point, enabled=off))))
    return found


def _request_entries(console: Console) -> list[Entry]:
    request, choices = console.request, console.choices
    rows = (
        ("Planner", "planner", choices.planners_for(request.simulator), console.run_request.choose_planner),
        ("Preset", "planner", choices.presets.get(request.planner, ()), console.run_request.choose_preset),
        ("Simulator", "simulator", choices.simulators, console.run_request.choose_simulator),
        ("Scene", "scene", choices.scenes.get(request.simulator, ()), console.run_request.choose_scene),
        ("Provider", "provider", tuple(c for c in choices.providers if not c.by_models), console.run_request.choose_provider),
        ("Model", "provider", tuple(map(entry_choice, console.models.entries)), console.run_request.choose_provider),
    )
    return [Entry(f"{what}: {choice.title}", icon, partial(act, choice.name))
            for what, icon, offered, act in rows for choice in offered if choice.available]


def _view_entries(window: MainWindow, keys: KeyBindings) -> list[Entry]:
    number = {name: k + 1 for k, name in enumerate(window.navigation.order())}
    found = [Entry(f"Show or hide {PANELS.title(name)}", "layout", partial(window.toggle_panel, name))
             for name in PANELS if name != "frames"]
    found += [Entry(f"Go to {PANELS.title(name)}", "right", partial(window.show_panel, name),
                    keys.written(f"panel {number[name]}") if name in number else "") for name in PANELS]
    found += [Entry(f"Theme: {THEMES[name].lower()}", "theme", partial(window.set_theme, name)) for name in PALETTES]
    found += [Entry(f"Text size: {size} %", "text_size", partial(_set_text_size, window, size)) for size in TEXT_SIZES]
    return found


def _set_text_size(window: MainWindow, percent: int) -> None:
    window.set_theme(window.context.theme.name, percent / 100)
