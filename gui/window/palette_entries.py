"""All entries of the palette at this moment, with completions for those that need a number or a word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from heapq import nlargest
from itertools import islice
from operator import itemgetter

from core.common.errors import UsageError
from core.common.parameters import Parameter, changed, described
from core.common.shared_list import SharedList
from core.llm.human import Human
from core.planning.facets import Moment
from core.planning.search_facets import Ranking
from core.session import commands as c
from core.session.breakpoints import Breakpoint, before_action
from core.session.checked_expressions import condition, watch
from core.session.expressions import ExpressionError
from core.session.pace import PACES, Pace, pace_of
from core.session.turns import Call, Turn, first_from
from core.world.vocabulary import Action
from gui.control.choices import MODEL, answerer_of_source, entry_choice, planner_choices
from gui.control.console import Console
from gui.control.key_labels import written
from gui.control.snapshot_texts import branch_name
from gui.control.watches import MOST as MOST_WATCHES
from gui.panels.registry import PANELS
from gui.recordings.viewer import RecordingExport
from gui.theme.tokens import PALETTES
from gui.theme.tokens import TITLES as THEMES
from gui.widgets import Names
from gui.widgets.numbers import count
from gui.window.keys import KeyBindings
from gui.window.main_window import MainWindow
from gui.window.palette import Complete, Entry, fuzzy, message_entry, needs_input, ranked

MOST_LISTED = 200
"""Number of turns and calls listed."""
MOST_SEARCHED = 4000
"""Number of turns searched by text. Any turn is found by its number."""
A_TURN = "Number of a turn, 1 or more"
EXAMPLE = "An expression, such as gap < 0.2 and turn > 3"
NUMBER = "Type {} as a number, 0 or more"
TEXT_SIZES = (90, 100, 110, 125, 150)


def entries(window: MainWindow, keys: KeyBindings, exporter: RecordingExport) -> list[Entry]:
    """Returns what the palette lists besides the window's actions: what the visible panels, the run and its parts offer."""
    return [*_offered(window), *_run_entries(window.console), *_request_entries(window.console), *_view_entries(window, keys),
            *_watch_entries(window.console),
            needs_input("Pace …", "pause", partial(_paces, window.console), "One of these, or hold and the seconds: hold 3"),
            needs_input("Export as …", "save", partial(export_entries, exporter), "A format: html, mp4, csv …")]


def breakpoints(console: Console, names: Names) -> list[Entry]:
    """Returns an entry for each ready-made condition a run can pause on, and those for any expression."""
    def stop(expression: str) -> Callable[[], object]:
        return partial(console.run_request.set_breakpoint, Breakpoint(expression))

    def listing(words: str, expression: str, offered: tuple[float, ...], refused: str, whole: bool = False) -> Complete:
        """Returns a completion of a breakpoint at a number, which `words` and `expression` format."""
        def complete(text: str) -> list[Entry]:
            found = [Entry(words.format(x), "breakpoint", stop(expression.format(x))) for x in _numbers(text, offered)
                     if not whole or (x == int(x) and x >= 1)]
            return found or [message_entry(refused)]

        return complete

    # Breakpoints outlive a run, so any turn is possible: a later one, one to rewind to, one of the next run.
    now = 0 if console.snapshot.ended is not None else console.snapshot.turn
    over = listing("Break when the entropy of a goal object is over {:g} bits", "entropy > {:.12g}", (0.5, 1, 2),
                   NUMBER.format("bits"))
    under = listing("Break when the top-two gap is under {:g}", "gap < {:.12g}", (0.1, 0.5, 1), NUMBER.format("a value"))
    tokens = listing("Break when tokens are over {:,.0f}", "tokens > {:.12g}", (1000, 10_000, 100_000), NUMBER.format("tokens"))
    turn = listing("Break at turn {:.0f}", "turn == {:.0f}", (now + 1, now + 5), A_TURN, whole=True)
    return [
        needs_input("Break when entropy is over …", "breakpoint", over, "Entropy of a goal object in bits, such as 1.5"),
        needs_input("Break when the top-two gap is under …", "breakpoint", under,
                    "Difference of the two best values, such as 0.5"),
        needs_input("Break when tokens are over …", "breakpoint", tokens, "Tokens of all calls, such as 10000"),
        needs_input("Break at turn …", "breakpoint", turn, A_TURN),
        Entry("Break on a new blocking condition", "breakpoint", stop('new_condition != ""')),
        needs_input("Break when …", "breakpoint", _typed("Break when", condition, lambda text: stop(text)()), EXAMPLE),
        needs_input("Log when …", "log", _typed("Log when", condition, lambda text: console.run_request.set_breakpoint(
            Breakpoint(text, log=True))), EXAMPLE),
        needs_input("Break before action …", "breakpoint", partial(_before, console, names),
                    "An action, or how it begins: open"),
    ]


def _typed(words: str, checked: Callable[[str], object], act: Callable[[str], object]) -> Complete:
    """Returns a completion of an expression: an entry that uses it, or what is wrong with it."""
    def complete(text: str) -> list[Entry]:
        try:
            checked(text)
        except ExpressionError as error:
            return [message_entry(str(error).capitalize())]
        return [Entry(f"{words} {text}", "breakpoint", partial(act, text))]

    return complete


def _numbers(text: str, offered: tuple[float, ...]) -> tuple[float, ...]:
    """Returns the typed number, or the ones offered if nothing was typed."""
    if not text:
        return offered
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return ()
    return (value,) if 0 <= value < float("inf") else ()


def _before(console: Console, names: Names, text: str) -> list[Entry]:
    """Returns breakpoints for the known actions, and one for all actions that begin with the typed text."""
    options = console.snapshot.options

    def entry(words: str, begins: str) -> Entry:
        return Entry(words, "breakpoint", partial(console.run_request.set_breakpoint, Breakpoint(before_action(begins))))

    listed = [a for a, verdict in options.options if verdict.ok] if options is not None else []
    found = [entry(f"Break before: {names.phrase(a)}", str(a)) for a in dict.fromkeys((*best(console), *listed))]
    begins = entry(f"Break before any action that begins with “{text}”", text)
    return [*ranked(text, found), *((begins,) if text else ())]


def best(console: Console, most: int = 12) -> list[Action]:
    """Returns the best actions of the present ranking."""
    ranking = console.snapshot.facet(Ranking)
    return [] if ranking is None else list(dict.fromkeys(a.steps[0] for a in ranking.actions if a.steps))[:most]


# --- turns ---------------------------------------------------------------------------
def turns(console: Console, names: Names) -> list[Entry]:
    """Returns entries to show, rewind to or fork at any turn of the line that leads to the present."""
    def listing(words: str, icon: str, act: Callable[[Moment], object]) -> Complete:
        def complete(text: str) -> list[Entry]:
            found = [Entry(f"{words} {turn.number}: {names.phrase(turn.done)}" if turn.done is not None
                           else f"{words} {turn.number}", icon, partial(act, turn.moment))
                     for turn in matching_turns(console.story.line, text, names)]
            return found or [message_entry("There is no such turn on this branch")]

        return complete

    acts = (("Go to turn", "prev", console.go_to), ("Rewind to turn", "rewind", console.rewind),
            ("Fork at turn", "fork", console.fork))
    return [needs_input(f"{words} …", icon, listing(words, icon, act), "A turn number or an action")
            for words, icon, act in acts]


def matching_turns(line: SharedList[Turn], text: str, names: Names) -> list[Turn]:
    """Returns the turn with this number; otherwise turns whose action matches the text, best match first, then newest first.

    Each action is matched once, however many turns did it, so that typing stays fast in a long run.
    """
    if text.isdecimal():
        place = first_from(line, int(text))
        if place < len(line) and line[place].number == int(text):
            return [line[place]]
    recent = islice(reversed(line), MOST_SEARCHED if text else MOST_LISTED)
    likeness = cache(lambda action: fuzzy(text, names.phrase(action) if action is not None else ""))
    fitting = [(score, turn) for turn in recent if (score := likeness(turn.done)) is not None]
    return [turn for _, turn in nlargest(MOST_LISTED, fitting, key=itemgetter(0))]


# --- parameters -------------------------------------------------------------------------
def parameters(console: Console) -> list[Entry]:
    """Returns an entry for each parameter of the planner."""
    return [needs_input(f"Set {_words(p.name)} … (now {p.value})", "parameters", partial(_values, console, p), _hint(p))
            for p in described(console.snapshot.parameters)]


def _values(console: Console, parameter: Parameter, text: str) -> list[Entry]:
    """Returns the values that the typed text may mean, or the reason why there is none."""
    offered = parameter.limits.choices or (("yes", "no") if isinstance(parameter.value, bool) else ())
    typed = [value for value in offered if text.lower() in value.lower()] or ([text] if text else [])
    found = []
    for value in typed:
        try:
            new = vars(changed(console.snapshot.parameters, {parameter.name: value}))[parameter.name]
        except UsageError as error:
            return [message_entry(str(error))]
        found.append(Entry(f"Set {_words(parameter.name)} to {value}", "parameters",
                           partial(console.run_request.set_parameter, parameter.name, new)))
    return found or [message_entry(_hint(parameter))]


def _words(name: str) -> str:
    return name.replace("_", " ")


def _hint(parameter: Parameter) -> str:
    limits = parameter.limits
    bounds = f", {limits.low:g} to {limits.high:g}" if limits.low > -float("inf") and limits.high < float("inf") else ""
    return f"{limits.help[:1].upper()}{limits.help[1:]}{bounds} {limits.unit}".rstrip()


# --- calls -----------------------------------------------------------------------------
def calls(console: Console) -> list[Entry]:
    """Returns entries to repeat calls and to change who answers."""
    snapshot, post = console.snapshot, console.runner.post
    if not len(snapshot.calls) and not snapshot.waiting:
        return []
    first = snapshot.began.source if snapshot.began is not None else None
    others = () if first is None else ((Human.name, "Answer calls myself", "user"), (
        first.provider, f"Let {answerer_of_source(first, console.choices, console.models).title} answer calls", "provider"))
    return [
        needs_input("Ask call … again", "retry", partial(_again, console), "A call number or its subject"),
        *(Entry(title, icon, partial(post, c.UseModel(name))) for name, title, icon in others
          if snapshot.source is None or name != snapshot.source.provider),
    ]


def _again(console: Console, text: str) -> list[Entry]:
    """Returns entries that repeat calls. Waiting calls are asked again; for answered calls the run goes back to their turn."""
    snapshot, post = console.snapshot, console.runner.post
    answered = [call for call in reversed(snapshot.calls[-MOST_LISTED:]) if call.branch == snapshot.branch]
    found = [(call.id, Entry(f"Ask call {call.id} again: {_about(call)}", "retry", partial(post, c.AskAgain(call.id))))
             for call in snapshot.waiting]
    found += [(call.id, Entry(f"Ask call {call.id} again, back in turn {call.turn}: {_about(call)}", "retry",
                              partial(post, c.Rewind(call.turn, resample=True, branch=call.branch)))) for call in answered]
    exact = [entry for number, entry in found if text == str(number)]
    known = count(len(found), "call")
    return exact or ranked(text, [entry for _, entry in found]) or [message_entry(f"No match in the last {known}")]


def _about(call: Call) -> str:
    return f"{call.ask.purpose} {call.ask.subject}".strip()


def export_entries(exporter: RecordingExport, text: str = "") -> list[Entry]:
    """Returns an entry for each format a recording can be exported to, or those that match a text."""
    from core.recording.exports import about  # imported here: the window does not wait for it

    return ranked(text, [Entry(f"{to}: {words}", "save", partial(exporter.write, to)) for to, words in about().items()])


def _paces(console: Console, text: str) -> list[Entry]:
    """Returns the paces that are offered, and the one that was typed."""
    typed, trouble = tuple[Pace, ...](), ""
    try:
        typed = (pace_of(text),) if text else ()
    except UsageError as error:
        trouble = str(error)
    found = [Entry(f"Pace: {pace.words}", "pause", partial(console.run_request.set_pace, pace))
             for pace in dict.fromkeys((*typed, *PACES))]
    return (found if typed else ranked(text, found)) or [message_entry(trouble.capitalize())]


def _offered(window: MainWindow) -> list[Entry]:
    now = window.context.key_now
    return [Entry(f"{card.title}: {offer.title}", offer.icon, offer.run, written(now(offer.key)))
            for card, offer in window.offers()]


def _run_entries(console: Console) -> list[Entry]:
    if console.replaying:
        return turns(console, console.context.names.of(console.snapshot))[:1]
    snapshot, post = console.snapshot, console.runner.post
    names = console.context.names.of(snapshot)
    found = breakpoints(console, names)
    found += _breakpoint_entries(console)
    found += turns(console, names)
    for action in dict.fromkeys([*best(console), *sorted(snapshot.banned, key=str)]):
        banned = action in snapshot.banned
        phrase = names.phrase(action)
        found.append(Entry(f"{'Allow' if banned else 'Ban'}: {phrase}", "ban",
                           partial(console.run_request.ban_or_allow, action, phrase)))
    found += parameters(console)
    found += calls(console)
    found += [Entry(f"Switch to {'the ' if not number else ''}{branch_name(number)}", "fork", partial(post, c.Switch(number)))
              for number, _, _ in snapshot.branches if number != snapshot.branch]
    return found


def _breakpoint_entries(console: Console) -> list[Entry]:
    operators, found = console.context.breakpoints, []
    for point in operators.points:
        off, name = point in operators.disabled, point.title
        found.append(Entry(f"Delete breakpoint: {name}", "close", partial(console.run_request.clear_breakpoint, point)))
        found.append(Entry(f"Turn breakpoint {'on' if off else 'off'}: {name}", "breakpoint",
                           partial(console.runner.post, c.EnableBreakpoint(point, enabled=off))))
    return found


def _watch_entries(console: Console) -> list[Entry]:
    watches = console.context.watches
    add = needs_input("Watch …", "scatter", _typed("Watch", watch, watches.add), "An expression, such as gap or entropy(apple)")
    return [*((add,) if len(watches.watched) < MOST_WATCHES else ()),
            *(Entry(f"Stop watching {found.text}", "close", partial(watches.remove, found.text)) for found in watches.watched)]


def _request_entries(console: Console) -> list[Entry]:
    request, choices = console.request, console.choices
    rows = (
        ("Planner", "planner", choices.planners_for(request.simulator), console.run_request.choose_planner),
        ("Second planner, only thinks", "compare", planner_choices(request, choices)[len(choices.planners):],
         console.run_request.choose_planner),
        ("Preset", "planner", choices.presets.get(request.planner, ()), partial(console.run_request.choose, "preset")),
        ("Simulator", "simulator", choices.simulators, console.run_request.choose_simulator),
        ("Scene", "scene", choices.scenes.get(request.simulator, ()), partial(console.run_request.choose, "scene")),
        ("Provider", "provider", tuple(c for c in choices.providers if not c.by_models), console.run_request.choose_provider),
        ("Model", "provider", tuple(map(entry_choice, console.models.entries)), console.run_request.choose_provider),
        ("Model of the second planner", "provider", tuple(map(entry_choice, console.models.entries)) if request.beside else (),
         partial(_choose_second_model, console)),
    )
    return [Entry(f"{what}: {choice.title}", icon, partial(act, choice.name))
            for what, icon, offered, act in rows for choice in offered if choice.available]


def _choose_second_model(console: Console, name: str) -> None:
    """Lets one of the user's models answer the planner that only thinks."""
    entry = console.models.find(name.removeprefix(MODEL))
    if entry is not None:
        request = replace(console.request, beside_provider=entry.provider, beside_model=entry.options)
        console.choose(request, f"Model of the second planner: {entry.name}")


def _view_entries(window: MainWindow, keys: KeyBindings) -> list[Entry]:
    number = {name: k + 1 for k, name in enumerate(window.navigation.order())}
    found = [Entry(f"Show or hide {PANELS.title(name)}", "layout", partial(window.toggle_panel, name))
             for name in PANELS if name != "frames"]
    found += [Entry(f"Go to {PANELS.title(name)}", "right", partial(window.show_panel, name),
                    keys.written(f"panel {number[name]}") if name in number else "") for name in PANELS]
    found += [Entry(f"Theme: {THEMES[name].lower()}", "theme", partial(window.set_theme, name)) for name in PALETTES]
    name = window.context.theme.name
    found += [Entry(f"Text size: {size} %", "text_size", partial(window.set_theme, name, size / 100)) for size in TEXT_SIZES]
    return found
