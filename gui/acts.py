"""Every act of the window by name: what hotkeys, palette and menus have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from core import commands as c
from core.facets import Ranking
from core.world import Action
from gui.console import Console
from gui.docks import Card
from gui.keys import PANEL_KEYS, Keys, written
from gui.main_window import MainWindow
from gui.palette import Entry
from gui.panels.registry import PANELS, TITLES
from gui.theme.tokens import PALETTES
from gui.theme.tokens import TITLES as THEMES
from gui.widgets import Namer

BREAKPOINTS = (
    ("Break when the entropy of a wanted thing is over 1 bit", c.Breakpoint("entropy", level=1.0)),
    ("Break when the entropy of a wanted thing is over 2 bits", c.Breakpoint("entropy", level=2.0)),
    ("Break when the top-two gap is under 0.1", c.Breakpoint("gap", level=0.1)),
    ("Break when the top-two gap is under 0.5", c.Breakpoint("gap", level=0.5)),
    ("Break when tokens are over 10,000", c.Breakpoint("tokens", level=10_000.0)),
)
TEXT_SIZES = (90, 100, 110, 125, 150)


@dataclass(frozen=True, slots=True)
class Act:
    """One act. Without a title it is a key only, and not listed."""

    name: str
    run: Callable[[], object]
    title: str = ""
    icon: str = "right"


@dataclass(frozen=True, slots=True)
class Openers:
    """What opens over the window: the palette, the table of keys, the worst decisions."""

    palette: Callable[[], object]
    keys: Callable[[], object]
    worst: Callable[[], object]


def global_acts(window: MainWindow, openers: Openers) -> tuple[Act, ...]:
    """Acts that are the same at any time."""
    return (*_run_acts(window), *_window_acts(window, openers))


def _run_acts(window: MainWindow) -> tuple[Act, ...]:
    console = window.console
    return (
        Act("run", console.run_or_pause, "Run, pause", "run"),
        Act("step", console.step, "Step one action", "step"),
        Act("checkpoint", partial(console.step, "checkpoint"), "Step one checkpoint", "step"),
        Act("stop", console.stop, "Stop", "stop"),
        Act("back", partial(console.turn_by, -1), "Back one turn", "prev"),
        Act("first", console.first_turn, "First turn", "first"),
        Act("live", console.go_live, "Back to the present", "last"),
        Act("rewind", console.rewind, "Rewind to the turn shown", "rewind"),
        Act("fork", console.fork, "Fork here and compare", "fork"),
        Act("override", window.asked_override.emit, "Override the next action …", "override"),
        Act("ban", console.wishes.toggle_ban, "Ban or allow the selected action", "ban"),
        Act("goal", window.bar.goal.edit, "Edit the goal", "goal"),
        Act("undo", window.context.undo.undo, "Undo", "undo"),
        Act("redo", window.context.undo.redo, "Redo", "redo"),
        Act("deeper", console.wishes.more_simulations, "100 more simulations", "add"),
    )


def _window_acts(window: MainWindow, openers: Openers) -> tuple[Act, ...]:
    walking = window.walking
    return (
        Act("palette", openers.palette),
        Act("worst", openers.worst, "Worst decisions", "fault"),
        Act("keys", openers.keys, "Keys …", "keys"),
        Act("save layout", window.save_layout, "Layout: save", "layout"),
        Act("reset layout", window.reset_layout, "Layout: reset", "layout"),
        Act("frames alone", window.toggle_alone, "Frames alone, or everything again", "frames"),
        Act("full screen", partial(_full_screen, window), "Full screen", "float"),
        Act("next panel", partial(walking.walk, 1), "Next panel", "next"),
        Act("last panel", partial(walking.walk, -1), "Panel before", "prev"),
        Act("next control", partial(walking.control, 1), "Next control", "next"),
        Act("last control", partial(walking.control, -1), "Control before", "prev"),
        *(Act(f"panel {k}", partial(window.go_to_panel, k)) for k in range(1, PANEL_KEYS + 1)),
    )


def _full_screen(window: MainWindow) -> None:
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()


def do_tool(cards: Iterable[Card], key: str) -> bool:
    """Do what the first of the panels in view offers under a key, spelled as it is at first; whether one does."""
    for card in cards:
        for offer in card.offers():
            if offer.key == key:
                offer.run()
                return True
    return False


def entries(window: MainWindow, acts: Iterable[Act], keys: Keys) -> list[Entry]:
    """All that the palette lists now."""
    found = [Entry(act.title, act.icon, act.run, keys.written(act.name)) for act in acts if act.title]
    found += _offered(window)
    found += _run_entries(window.console)
    found += _request_entries(window.console)
    found += _view_entries(window, keys)
    return found


def _offered(window: MainWindow) -> list[Entry]:
    """What the panels in view can do."""
    now = window.context.key_now
    return [Entry(f"{card.title}: {offer.title}", offer.icon, offer.run, written(now(offer.key)))
            for card in window.visible_cards() for offer in card.offers()]


def _run_entries(console: Console) -> list[Entry]:
    """Acts about this run: breakpoints, turns, bans, parameters."""
    snapshot, namer = console.snapshot, Namer()
    names, post = namer.of(snapshot.seen), console.runner.post
    found = [Entry(words, "breakpoint", partial(post, c.SetBreakpoint(point))) for words, point in BREAKPOINTS]
    found += [Entry(f"Clear: break on {p.on} {p.text}{p.level or ''}", "close", partial(post, c.ClearBreakpoint(p)))
              for p in snapshot.breakpoints]
    found += [Entry(f"Go to turn {m.turn}", "prev", partial(console.go_to, m)) for m in console.turns()]
    found += [Entry(f"Rewind to turn {m.turn}", "rewind", partial(post, c.Rewind(m.turn))) for m in console.turns()]
    for action in _actions(console):
        banned = action in snapshot.banned
        command: c.Command = c.Unban(action) if banned else c.Ban(action)
        found.append(Entry(f"{'Allow' if banned else 'Ban'}: {names.phrase(action)}", "ban", partial(post, command)))
        if not banned:
            point = c.SetBreakpoint(c.Breakpoint("action", str(action)))
            found.append(Entry(f"Break before: {names.phrase(action)}", "breakpoint", partial(post, point)))
    found += [Entry(f"Go on with branch {number}", "fork", partial(post, c.Switch(number)))
              for number, _, _ in snapshot.branches if number != snapshot.branch]
    return found


def _actions(console: Console) -> list[Action]:
    """The best actions of the moment, and those that are banned."""
    ranking = console.snapshot.facet(Ranking)
    best = [] if ranking is None else [a.steps[0] for a in ranking.actions[:12]]
    return list(dict.fromkeys([*best, *sorted(console.snapshot.banned, key=str)]))


def _request_entries(console: Console) -> list[Entry]:
    request, choices = console.request, console.choices
    rows = (
        ("Planner", "planner", choices.planners, console.wishes.choose_planner),
        ("Preset", "planner", choices.presets.get(request.planner, ()), console.wishes.choose_preset),
        ("Simulator", "simulator", choices.simulators, console.wishes.choose_simulator),
        ("Scene", "scene", choices.scenes.get(request.simulator, ()), console.wishes.choose_scene),
        ("Provider", "provider", choices.providers, console.wishes.choose_provider),
    )
    return [Entry(f"{what}: {choice.title}", icon, partial(act, choice.name))
            for what, icon, offered, act in rows for choice in offered if choice.available]


def _view_entries(window: MainWindow, keys: Keys) -> list[Entry]:
    number = {name: k + 1 for k, name in enumerate(window.walking.order())}
    found = [Entry(f"Show or hide {TITLES[name]}", "layout", partial(window.toggle_panel, name))
             for name in PANELS if name != "frames"]
    found += [Entry(f"Go to {TITLES[name]}", "right", partial(window.show_panel, name),
                    keys.written(f"panel {number[name]}") if name in number else "") for name in PANELS]
    found += [Entry(f"Theme: {THEMES[name].lower()}", "theme", partial(window.set_theme, name)) for name in PALETTES]
    found += [Entry(f"Text size: {size} %", "text_size", partial(_set_text_size, window, size)) for size in TEXT_SIZES]
    return found


def _set_text_size(window: MainWindow, percent: int) -> None:
    window.set_theme(window.context.theme.name, percent / 100)
