"""Belvedere's command line and composition root: the only file that knows every part."""

from __future__ import annotations

from core.common import module_path  # noqa: F401 - first: what it says holds for all later imports

# isort: split
import argparse
import contextlib
import errno
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from core.app.command_line import RECORDED, WRONG_USE, model_of, names_model, parsed, parser, request_of
from core.app.run_request import Request, settings
from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError, UsageError
from core.common.parameters import changed, whole_number
from core.common.redaction import Redactor
from core.common.terminal import Interrupted, discard_output, encodable, prepare_streams, raised
from core.common.user_folders import has_current_folder, notice
from core.common.visible import path_text, visible, visible_lines
from core.llm.budget import Limits
from core.llm.keys import keys_in_environment
from core.llm.model import NEED_SETTINGS, PROVIDERS, provider_class
from core.llm.model_config import models_file, read_models
from core.planners.registry import PLANNERS, make_planner, planner_class
from sim.registry import SIMULATORS, simulator_class

# Commands import their own parts, so that the window is shown, or a list printed, before a planner, a world, Qt or what reads
# recordings is loaded (`tests/test_main.py` checks this).
if TYPE_CHECKING:
    from core.app.catalogue import Catalogue, Part
    from core.app.facts import Facts
    from core.app.goal_reading import TaskReading
    from core.app.headless import Played
    from core.app.scene_content import SampleTask
    from core.common.registry import Registry
    from core.planning.facets import Frame
    from core.session.breakpoints import Breakpoint
    from core.session.setup import Setup
    from core.simulator.base import Simulator
    from core.world.vocabulary import Entity
    from gui.control.choices import Choices
    from gui.control.parts import Parts
    from gui.widgets.chooser import Choice

REACHED, NOT_REACHED, AT_BREAKPOINT, INTERRUPTED = 0, 1, 3, 130
SAMPLE_TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"
SAMPLE_SCENE = ("four-rooms-1", "Four rooms 1")
"""Name and title."""
SAMPLE_SEED = 3
MOST_PIXELS = 16_384
"""The largest side of a picture."""
DEMO_TURNS = 30
"""More turns than the sample episode takes."""


def catalogue() -> Catalogue:
    """Returns the catalogue of all planners and simulators."""
    from core.app.catalogue import Catalogue

    return Catalogue(SIMULATORS, simulator_class)


def open_world(args: argparse.Namespace) -> Simulator:
    """Opens the simulator that the flags name, reset to the seed."""
    from core.app.launch import placed

    given = settings(args.world, "--world", "seeing=camera")
    request = placed(Request(simulator=args.sim, scene=path_text(args.scene or ""), world=given), simulator_class)
    world = simulator_class(args.sim).open(request.scene, request.world)
    world.reset(args.seed)
    return world


def run(args: argparse.Namespace) -> int:
    """`run`: returns 0 if the goal is reached, 1 if not (also at a limit or a signal), 3 at a breakpoint, 130 after Ctrl C."""
    from core.app.headless import agreement, follow, report
    from core.app.launch import build

    points = _points(args)
    played = follow(build(request_of(args), simulator_class), _say, args.record, RECORDED[args.views], points=points)
    if played.snapshot.began is None:
        played.check()
    seconds = played.snapshot.at  # without the pictures that are drawn afterwards
    value = report(played.snapshot, seconds, stopped_by=played.stopped_by, cost=played.cost)
    word = "reached" if value["success"] else "not reached"
    if played.beside:
        value["beside"] = beside = agreement(played.beside)
        first = f", first other decision in turn {beside['first_divergence']}" if beside["first_divergence"] else ""
        _say(f"{beside['planner']} would have done the same in {beside['agreed']} of {beside['decisions']} turns{first}")
    steps = f"{value['steps']} {'step' if value['steps'] == 1 else 'steps'}"
    _say(f"{word} after {steps}, {seconds:.2f} s" + ("" if value["success"] else f": {value['ended']}"))
    if args.json:
        clean = Redactor(keys_in_environment()).value(value)
        sys.stdout.write(json.dumps(clean, ensure_ascii=not encodable(clean), indent=2) + "\n")
    if played.recording != args.record:
        _say(f"error: {args.record} was deleted or damaged during the run: the recording is {played.recording}")
        return WRONG_USE
    return _code(played, success=value["success"])


def _points(args: argparse.Namespace) -> list[Breakpoint]:
    """Returns the breakpoints and tracepoints that the flags set.

    Raises:
        UsageError: an expression is wrong.
    """
    if not args.breaks and not args.trace:
        return []
    from core.session.breakpoints import Breakpoint
    from core.session.checked_expressions import check, condition

    return [Breakpoint(check(text, condition, flag).text, log=flag == "--trace")
            for flag, texts in (("--break", args.breaks), ("--trace", args.trace)) for text in texts]


def _code(played: Played, *, success: bool) -> int:
    """Returns the exit code of a run after its report was printed.

    Raises:
        DataError: a failure that only an operator can resolve.
        Interrupted: Ctrl C ended it.
    """
    if played.signal == signal.SIGINT or (played.broken is not None and not played.spent_budget and played.signal is None):
        played.check()
    if played.signal is not None:
        _say(Interrupted(played.signal, played.saved).line)
    return AT_BREAKPOINT if played.at_breakpoint else REACHED if success else NOT_REACHED


def screenshot(args: argparse.Namespace) -> int:
    """`screenshot`: writes a picture of the whole window after some turns, or of both cameras side by side."""
    size = _size(args.size or ("640x480" if args.cameras else "1440x900"))
    if args.cameras:
        from core.recording.pictures import save_side_by_side

        frames = frames_after(args, args.turns, size)
        save_side_by_side(frames, args.out)
        for notice in {frame.notice for frame in frames if frame.notice}:
            _say(notice)
    else:
        from core.app.launch import placed
        from gui.offscreen import render_window

        request = placed(request_of(args), simulator_class)
        render_window(replace(console_parts(request), choices=choices()), args.turns, args.out, size, args.theme)
    _say(f"wrote {args.out}")
    return REACHED


def frames_after(args: argparse.Namespace, turns: int, size: tuple[int, int]) -> list[Frame]:
    """Returns the pictures of both cameras after some turns of the run that the flags describe."""
    from core.app.headless import follow
    from core.app.launch import build

    actions = []
    if turns:
        played = follow(replace(build(request_of(args), simulator_class), most_steps=turns), _say)
        played.check()
        actions = [turn.outcome.action for turn in played.snapshot.line if turn.outcome is not None]
    with open_world(args) as world:
        for action in actions:
            world.step(action)
        return [world.render(view, *size, still=True) for view in ("dollhouse", "first person")]


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    try:
        return whole_number(width, 1, MOST_PIXELS), whole_number(height, 1, MOST_PIXELS)
    except UsageError as error:
        raise UsageError(f"--size {text}: write WIDTHxHEIGHT, such as 640x480, each at most {MOST_PIXELS:,}") from error


def list_parts(args: argparse.Namespace) -> int:
    """`list`: prints names and descriptions, one a line."""
    from core.app.catalogue import lines

    try:
        sys.stdout.writelines(lines(catalogue().rows(args, lambda: open_world(args))))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe
        discard_output()
    return REACHED


def _say(text: str) -> None:
    """Prints lines without keys and without terminal control characters, because they may contain text from servers."""
    clean = Redactor(keys_in_environment()).text(text)
    sys.stderr.write(visible_lines(clean) + "\n")


# --- the console ---------------------------------------------------------------


def console(args: argparse.Namespace) -> int:
    """Without a command: opens the window; without a display, plays the sample episode and writes pictures of its end."""
    request = _asked_first(args)
    if args.given and not _has_display():
        raise UsageError("there is no display to open a window on: write `run` before the options to play without one")
    if not _has_display():
        _say("There is no display (DISPLAY and WAYLAND_DISPLAY are not set): playing the sample episode without a window.")
        return demo()
    from gui.app import run_console

    return run_console(replace(console_parts(request), models=models_file(), record=args.record,
                               show_welcome=not (args.task or args.goal)))


def _asked_first(args: argparse.Namespace) -> Request:
    """Returns the request the window starts with: from the flags, otherwise the sample episode with the model chosen last.

    Raises:
        UsageError: a value is not valid.
        DataError: a file of models cannot be read.
    """
    sample = first_request()
    elsewhere = bool(args.task or args.goal or args.scene or args.world or args.seed is not None
                     or args.sim != sample.simulator)
    seed = (0 if elsewhere else sample.seed) if args.seed is None else args.seed
    request = request_of(argparse.Namespace(**{**vars(args), "seed": seed}))
    for name, registry in ((request.planner, PLANNERS), (request.simulator, SIMULATORS), (request.provider, PROVIDERS)):
        registry.check(name)
    if request.preset or request.parameters:
        make_planner(request.planner, request.preset, request.parameters)
    if names_model(args):
        changed(provider_class(request.provider).settings, request.model)
    else:
        request = _with_own_model(request)
    if not args.scene and args.sim == sample.simulator:
        request = replace(request, scene=sample.scene)
    return request if elsewhere else replace(request, task=sample.task)


def _with_own_model(request: Request) -> Request:
    """Returns the request with the model the user chose last. The window reports a file that cannot be read."""
    with contextlib.suppress(BelvedereError):
        models = read_models(models_file())
        if models.chosen:
            own = models.named(models.chosen)
            limits = own.limits if request.limits == Limits() else request.limits
            return replace(request, provider=own.provider, model=own.options, limits=limits,
                           prices={**own.prices, **request.prices})
    return request


def replay(args: argparse.Namespace) -> int:
    """`replay`: opens the window with a recording."""
    if not args.file.is_file():
        raise UsageError(f"there is no recording {args.file}: give the path of a .mcap file, or of a link to a decision")
    if not _has_display():
        raise UsageError("there is no display to replay on: try `export` to html, mp4 or jsonl")
    from gui.app import run_console

    return run_console(console_parts(first_request()), args.file)


def about_evaluations(args: argparse.Namespace) -> int:
    """`evaluate`, `episode`, `dataset`."""
    match args.command:
        case "evaluate":
            from core.evaluation.command import evaluate

            whole = evaluate(args, model_of(args), lambda name: simulator_class(name).open, _say)
            return REACHED if whole else NOT_REACHED
        case "dataset":
            from core.evaluation.dataset import write_dataset

            write_dataset(args.folders, args.out, _say)
            return REACHED
        case _:
            return episode(args)


def episode(args: argparse.Namespace) -> int:
    """`episode`: plays one episode of an evaluation again, and with --window shows it where it went wrong."""
    from core.evaluation import episode_command

    if args.window and not _has_display():
        raise UsageError("there is no display to open a window on: leave out --window, and open the recording elsewhere")
    found = episode_command.episode(args, lambda name: simulator_class(name).open, _say)
    if found is None or not args.window:
        return REACHED
    from gui.app import run_console

    return run_console(console_parts(first_request()), found.path, found.turn)


def _has_display() -> bool:
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def first_request() -> Request:
    """Returns the request of the sample episode."""
    return Request("llm-mcts", simulator="household", scene=SAMPLE_SCENE[0], seed=SAMPLE_SEED, task=SAMPLE_TASK)


def console_parts(request: Request) -> Parts:
    """Returns what the console is made of and opens with."""
    from core.common.user_folders import cache_folder
    from gui.control.parts import Parts

    return Parts(few_choices(request), choices, make_setup, read_goal, request, draw_task=drawn_task,
                 list_entities=scene_entities, list_tasks=sample_tasks,
                 draw_scene=draw_scene, open_world=open_for_view, read_facts=read_facts,
                 sample=first_request(), pictures=cache_folder() / "scenes")


def few_choices(request: Request) -> Choices:
    """Returns only the parts that a request names, which the window needs until the others are known."""
    from gui.control.choices import Choices
    from gui.widgets.chooser import Choice

    planner, simulator, provider = request.planner, request.simulator, request.provider
    scenes = (Choice(request.scene, dict((SAMPLE_SCENE,)).get(request.scene, request.scene)),)
    needs_settings = provider in NEED_SETTINGS
    return Choices((Choice(planner, PLANNERS.title(planner)),), (Choice(simulator, SIMULATORS.title(simulator)),),
                   {simulator: scenes}, (Choice(provider, PROVIDERS.title(provider), is_model=needs_settings,
                                                by_models=needs_settings),), complete=False)


def choices() -> Choices:
    """Returns all parts as the window lists them. Loads every planner and simulator, which takes half a second."""
    from core.app import launch
    from gui.control.choices import Choices
    from gui.widgets.chooser import Choice

    def offered(part: Part, registry: Registry) -> Choice:
        return Choice(part.name, registry.title(part.name), not part.missing, part.missing or part.about)

    def planner(name: str) -> Choice:
        choice = offered(known.planner(name), PLANNERS)
        if PLANNERS.problem(name):
            return choice
        cls = planner_class(name)
        return replace(choice, shows=cls.shows, layout=cls.layout)

    known, usable = catalogue(), tuple(PLANNERS.usable())
    presets = {name: tuple(Choice(p, p) for p in planner_class(name).presets) for name in usable}
    simulators = [known.simulator(name) for name in SIMULATORS]
    present = {part.name: simulator_class(part.name) for part in simulators if not part.missing}
    unsuited = {name: {p: why for p in usable if (why := launch.unsuited(planner_class(p), cls))}
                for name, cls in present.items()}
    scenes = {part.name: tuple(_scene(scene, title, part.name) for scene, title in part.scenes) for part in simulators}
    return Choices(tuple(map(planner, PLANNERS)), tuple(offered(part, SIMULATORS) for part in simulators), scenes,
                   tuple(choice for choice in map(_provider, PROVIDERS) if choice is not None), presets, unsuited,
                   tuple(name for name in GRAPH_SIMULATORS if name in present),
                   frozenset(name for name, cls in present.items() if cls.own_task))


SCENE_SIZE = (384, 240)
"""Width and height of a scene's picture in pixels, before it is made smaller."""
GRAPH_SIMULATORS = ("household", "virtualhome-graph")
"""Simulators that open household graphs."""
ROOMS = {"Kitchen": "Kitchens", "Living room": "Living rooms", "Bedroom": "Bedrooms", "Bathroom": "Bathrooms"}
"""Groups of single rooms by the first words of their titles; other scenes are homes."""


def _scene(name: str, title: str, simulator: str) -> Choice:
    """Returns a scene as the window lists it: `Kitchen, iTHOR FloorPlan1` is FloorPlan1 in the group of kitchens."""
    from gui.widgets.chooser import Choice

    words, _, rest = title.partition(", ")
    if words in ROOMS:
        return Choice(name, name, hint=title, note=rest.removesuffix(name).strip(), group=ROOMS[words])
    group = "VirtualHome" if simulator.startswith("virtualhome") else "Homes"
    return Choice(name, words, hint=title, note=rest, group=group)


def _provider(name: str) -> Choice | None:
    """A provider as the window lists it; None for one that only repeats a recording."""
    from gui.widgets.chooser import Choice

    if problem := PROVIDERS.problem(name):
        return Choice(name, name, available=False, hint=problem)
    cls = provider_class(name)
    if cls.repeats:
        return None
    return Choice(name, PROVIDERS.title(name), hint=cls.notes, is_model=cls.is_model, by_models=cls.needs_settings)


def make_setup(request: Request) -> Setup:
    """Returns the setup of a session for a request."""
    from core.app.launch import build

    return build(request, simulator_class)


def read_goal(request: Request, cancelled: Cancellation) -> TaskReading:
    """Returns what a request's task means in its scene."""
    from core.app import launch

    return launch.read_goal(request, simulator_class, cancelled)


def scene_entities(request: Request) -> tuple[Entity, ...]:
    """Returns everything in a request's scene."""
    from core.app import scene_content

    return scene_content.scene_entities(request, simulator_class)


def sample_tasks(request: Request, number: int) -> tuple[SampleTask, ...]:
    """Returns tasks that can be done in a request's scene; `number` seeds the draws."""
    from core.app import scene_content

    return scene_content.sample_tasks(request, number, simulator_class)


def draw_scene(simulator: str, scene: str) -> Frame | None:
    """Returns a small picture of a scene from above; None if the simulator is slow or has no rooms."""
    cls = simulator_class(simulator)
    if cls.slow or cls.kind != "rooms":
        return None
    with cls.open(scene, {}) as world:
        world.reset(0)
        return world.render("dollhouse", *SCENE_SIZE, still=True)


def open_for_view(request: Request) -> Simulator:
    """Returns a second simulator of a request's scene, which draws it from all sides."""
    cls = simulator_class(request.simulator)
    if cls.slow or not (cls.free_view and cls.restores):
        raise UsageError(f"{cls.title or cls.name} draws its house from one side only")
    return cls.open(request.scene, request.world)


def read_facts() -> Facts:
    """Returns what a report on this installation lists."""
    from core.app.facts import facts
    from sim.rendering.service import drawn_by

    return facts(catalogue(), drawn_by, keys_in_environment())


def drawn_task(request: Request, number: int) -> str:
    """Returns a random task, as text, for a request's scene; `number` seeds the draw."""
    from core.app import launch

    return launch.drawn_task(request, number, simulator_class)


def demo() -> int:
    """Plays the sample episode and writes pictures of its end: the two cameras and the whole window."""
    from core.recording.pictures import save_side_by_side
    from gui.offscreen import render_window

    args = parser().parse_args(["run", "--task", SAMPLE_TASK, "--seed", str(SAMPLE_SEED)])
    out = Path("out")
    out.mkdir(exist_ok=True)
    save_side_by_side(frames_after(args, DEMO_TURNS, (640, 480)), out / "cameras.png")
    render_window(replace(console_parts(first_request()), choices=choices()), DEMO_TURNS, out / "window.png")
    _say(f"How it ended: {out / 'cameras.png'} and {out / 'window.png'}")
    return REACHED


def about_recordings(args: argparse.Namespace) -> int:
    """`export`, `recover`, `replay`, `examples`."""
    match args.command:
        case "export":
            from core.recording.exports import export_all, send

            _say(export_all(args.files, args.to, args.out, decision=args.decision, watches=args.watch).line)
            if args.endpoint:
                _say(send(args.files, args.to, args.endpoint))
        case "recover":
            from core.recording.recovery import recover

            _say(recover(args.file, args.out).line)
        case "examples" if args.act == "expert":
            from core.evaluation.expert_command import list_set, make_set

            opener = simulator_class("household").open
            lines = make_set(args, opener, _say) if args.expert_act == "make" else list_set(args)
            sys.stdout.writelines(f"{visible(line)}\n" for line in lines)
        case "examples" if args.act == "clone":
            from core.planners.cloned_policy.train_command import train_clone

            sys.stdout.writelines(f"{line}\n" for line in train_clone(args, _say))
        case "examples":
            from core.recording.examples import examples

            sys.stdout.writelines(f"{visible(line)}\n" for line in examples(args))
        case _:
            return replay(args)
    return REACHED


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command. An error is one line on stderr and exit code 2; a signal is one line and exit code 128 + its number."""
    prepare_streams()
    with raised():
        try:
            code = _ended(lambda: _obey(argv))
        except SystemExit as end:  # raised by the parser, which has printed why
            raise SystemExit(_ended(_flushed) or end.code) from None
        return _ended(_flushed) or code


def _flushed() -> int:
    """Flushes standard output while an error can still be reported in one line."""
    sys.stdout.flush()
    return 0


def _ended(act: Callable[[], int]) -> int:
    """Returns the exit code of a part of the command. What ends it early is reported in one line."""
    try:
        return act()
    except BelvedereError as error:
        command = f"; {error.command}" if isinstance(error, UsageError) and error.command else ""
        problem = str(error) + command
    except Interrupted as signalled:
        _say(signalled.line)
        return signalled.code
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except MemoryError:
        problem = "there is not enough memory: close other programs, or choose something smaller"
    except OSError as error:
        problem = _failed(error)
    _say(f"error: {' '.join(problem.split())}")
    return WRONG_USE


def _failed(error: OSError) -> str:
    """Returns what went wrong with a file, or with the output if the error names none."""
    why = error.strerror or str(error)
    if error.filename:
        return f"{why}: {error.filename}"
    if error.errno == errno.ENOENT:  # it is not the output's
        return why if has_current_folder() else "the current folder was deleted: change to one that is there"
    if error.errno in (errno.EMFILE, errno.ENFILE):  # not the output's either
        return "too many files are open at once: close other programs, or allow more (ulimit -n)"
    discard_output()
    return f"cannot write the output: {why}"


def _obey(argv: Sequence[str] | None) -> int:
    """Runs the command that the arguments name."""
    args = parsed(argv)
    if line := notice():
        _say(line)
    match args.command:
        case "run":
            return run(args)
        case "screenshot":
            return screenshot(args)
        case "list":
            return list_parts(args)
        case "evaluate" | "episode" | "dataset":
            return about_evaluations(args)
        case "failures":
            from core.evaluation.failures import failures

            return REACHED if failures(args, _say) else NOT_REACHED
        case "agreement":
            from core.evaluation.annotators_command import annotators_command

            return REACHED if annotators_command(args, _say) else NOT_REACHED
        case "library":
            from core.app.library_command import library

            library(args, _say)
            return REACHED
        case "export" | "recover" | "replay" | "examples":
            return about_recordings(args)
        case _:
            return console(args)


def console_script() -> NoReturn:
    """The entry point `belvedere`."""
    sys.exit(main())


if __name__ == "__main__":
    console_script()
