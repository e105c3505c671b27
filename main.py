"""Belvedere's command line and composition root: the only file that knows every part."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from core.catalogue import PROVIDER_NOTES, Catalogue, Part, lines
from core.command_line import WRONG_USE, parser, request_of
from core.errors import BelvedereError, UsageError
from core.facets import Frame
from core.goals import Goal
from core.headless import follow
from core.language.budget import Limits
from core.language.registry import PROVIDERS
from core.launch import Request, build, read_goal, settings
from core.planners.registry import PLANNERS, planner_class
from core.recording.examples_command import examples
from core.recording.exports import export
from core.recording.recovery import recover
from core.report import report
from core.session import Setup
from core.simulator import Simulator
from core.stills import save_side_by_side
from sim.registry import SIMULATORS, simulator_class

if TYPE_CHECKING:
    from gui.choices import Choices
    from gui.choices import Request as Wish

REACHED, NOT_REACHED, INTERRUPTED = 0, 1, 130
SAMPLE_TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"
TITLES = {
    "oracle": "Oracle", "llm-mcts": "LLM-MCTS", "llm-mcts-fully-observable": "LLM-MCTS, all seen", "uct": "UCT",
    "llm-policy": "LLM policy", "greedy": "Greedy", "progprompt": "ProgPrompt", "ff-replan": "FF-Replan",
    "inner-monologue": "Inner Monologue", "bcr": "BCR", "llm-state": "LLM-State", "neoplanner": "NeoPlanner",
}
"""What people call the parts whose names are for the command line."""
SAMPLE_SEED = 3
SAMPLE_TASKS = (
    ("Put one apple inside the fridge", "one thing"),
    (SAMPLE_TASK, "two things"),
    ("Put two mugs on the kitchen table and one book on the sofa", "three things"),
    ("Put one milk inside the fridge, then close the fridge", "and a door"),
)
CATALOGUE = Catalogue(SIMULATORS, simulator_class)


def _request(args: argparse.Namespace) -> Request:
    return request_of(args, _scene(args))


def _scene(args: argparse.Namespace) -> str:
    """The scene that was asked for, or the simulator's first."""
    return args.scene or simulator_class(args.sim).scenes()[0][0]


def open_world(args: argparse.Namespace) -> Simulator:
    """The simulator the flags ask for, reset to the seed."""
    world = simulator_class(args.sim).open(_scene(args), settings(args.world, "--world", "seeing=camera"))
    world.reset(args.seed)
    return world


def run(args: argparse.Namespace) -> int:
    """`run`: exit 0 when the goal is reached, 1 when it is not."""
    began = time.perf_counter()
    end = follow(build(_request(args), simulator_class), _say, args.record)
    seconds = time.perf_counter() - began
    value = report(end, seconds)
    word = "reached" if value["success"] else "not reached"
    steps = f"{value['steps']} {'step' if value['steps'] == 1 else 'steps'}"
    _say(f"{word} after {steps}, {seconds:.2f} s" + ("" if value["success"] else f": {value['ended']}"))
    if args.json:
        sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
    return REACHED if value["success"] else NOT_REACHED


def screenshot(args: argparse.Namespace) -> int:
    """`screenshot`: the whole window after some turns, or dollhouse and first person side by side."""
    size = _size(args.size or ("640x480" if args.cameras else "1440x900"))
    if args.turns < 0:
        raise UsageError(f"--turns {args.turns}: give 0 or more")
    if args.cameras:
        frames = frames_after(args, args.turns, size)
        save_side_by_side(frames, args.out)
        for notice in {frame.notice for frame in frames if frame.notice}:
            _say(notice)
    else:
        from gui.app import Parts
        from gui.offscreen import render_window

        request = _request(args)
        parts = Parts(choices(), lambda wish: build(request, simulator_class), goal_of, _wish_of(request))
        render_window(parts, args.turns, args.out, size, args.theme)
    _say(f"wrote {args.out}")
    return REACHED


def frames_after(args: argparse.Namespace, turns: int, size: tuple[int, int]) -> list[Frame]:
    """Both cameras after some turns of the run the flags ask for."""
    actions = list(follow(replace(build(_request(args), simulator_class), most_steps=turns), _say).path) if turns else []
    with open_world(args) as world:
        for action in actions:
            world.step(action)
        return [world.render(view, *size, still=True) for view in ("dollhouse", "first person")]


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise UsageError(f"--size {text}: write WIDTHxHEIGHT, such as 640x480")
    return int(width), int(height)


def list_parts(args: argparse.Namespace) -> int:
    """`list`: names, and what they are, one a line."""
    try:
        sys.stdout.writelines(lines(CATALOGUE.rows(args, lambda: open_world(args))))
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has seen enough; Python would complain once more while it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return REACHED


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


# --- the console ---------------------------------------------------------------


def console() -> int:
    """Without a command: the window; without a display, the same episode headless and a picture of how it ended."""
    if not _has_display():
        _say("There is no display (DISPLAY and WAYLAND_DISPLAY are not set): playing the sample episode without a window.")
        return demo()
    from gui.app import run_console  # imported here: headless commands need no Qt

    return run_console(choices(), make_setup, goal_of, first_wish())


def replay(args: argparse.Namespace) -> int:
    """`replay`: the window over a recording."""
    if not args.file.is_file():
        raise UsageError(f"there is no recording {args.file}: give the path of a .mcap file")
    if not _has_display():
        raise UsageError("there is no display to replay on: try `export` to html, mp4 or jsonl")
    from gui.app import run_console  # imported here: headless commands need no Qt

    return run_console(choices(), make_setup, goal_of, first_wish(), args.file)


def _has_display() -> bool:
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def first_wish() -> Wish:
    """What the console is ready for when it opens."""
    from gui.choices import Request as Wish

    return Wish("llm-mcts", "household", "four-rooms-1", "commonsense", seed=SAMPLE_SEED, task=SAMPLE_TASK)


def _wish_of(request: Request) -> Wish:
    from gui.choices import Request as Wish

    return Wish(request.planner, request.simulator, request.scene, request.provider, request.preset, request.seed,
                request.task or "", max_steps=request.max_steps or 30)


def choices() -> Choices:
    """All parts there are, as the window offers them."""
    from gui.choices import Choice, Choices

    def offered(part: Part) -> Choice:
        return Choice(part.name, TITLES.get(part.name, part.name), not part.missing, part.missing or part.about)

    presets = {name: tuple(Choice(p, p) for p in planner_class(name).presets) for name in PLANNERS}
    simulators = [CATALOGUE.simulator(name) for name in SIMULATORS]
    scenes = {part.name: tuple(Choice(scene, title) for scene, title in part.scenes) for part in simulators}
    providers = tuple(Choice(name, name, hint=PROVIDER_NOTES[name], is_model=name in ("openai", "local")) for name in PROVIDERS
                      if name != "replay")
    return Choices(tuple(offered(CATALOGUE.planner(name)) for name in PLANNERS), tuple(map(offered, simulators)), scenes,
                   providers, presets, SAMPLE_TASKS)


def make_setup(wish: Wish) -> Setup:
    """A session of what the window asks for."""
    parameters = {name: str(value) for name, value in wish.parameters.items()}
    steps = max(wish.max_steps, simulator_class(wish.simulator).most_steps)
    return build(Request(wish.planner, wish.preset, parameters, wish.simulator, wish.scene, {}, wish.provider, {}, wish.seed,
                         wish.task or None, steps, limits=Limits(wish.limits.calls, wish.limits.tokens, wish.limits.cost)),
                 simulator_class)


def goal_of(task: str, simulator: str, scene: str, seed: int) -> Goal:
    """A task in words, read for a scene."""
    with simulator_class(simulator).open(scene, {}) as world:
        world.reset(seed)
        return read_goal(world, task or None, scene, seed)


def demo() -> int:
    """Play the sample episode, and leave pictures of how it ended: the two cameras and the whole window."""
    from gui.app import Parts
    from gui.offscreen import render_window

    args = parser().parse_args(["run", "--task", SAMPLE_TASK, "--seed", str(SAMPLE_SEED)])
    out = Path("out")
    out.mkdir(exist_ok=True)
    save_side_by_side(frames_after(args, args.max_steps, (640, 480)), out / "cameras.png")
    render_window(Parts(choices(), make_setup, goal_of, first_wish()), args.max_steps, out / "window.png")
    _say(f"How it ended: {out / 'cameras.png'} and {out / 'window.png'}")
    return REACHED


def about_recordings(args: argparse.Namespace) -> int:
    """`export`, `recover`, `replay`, `examples`."""
    match args.command:
        case "export":
            _say(f"wrote {export(args.file, args.to, args.out)}")
        case "recover":
            _say(recover(args.file).line)
        case "examples":
            sys.stdout.writelines(f"{line}\n" for line in examples(args))
        case _:
            return replay(args)
    return REACHED


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; every error is one line on stderr and exit 2."""
    try:
        args = parser().parse_args(argv)
        match args.command:
            case "run":
                return run(args)
            case "screenshot":
                return screenshot(args)
            case "list":
                return list_parts(args)
            case "evaluate":
                from core.evaluation.command import evaluate  # imported here: joblib and its friends take a while

                evaluate(args, lambda name: simulator_class(name).open, _say)
                return REACHED
            case "export" | "recover" | "replay" | "examples":
                return about_recordings(args)
            case _:
                return console()
    except BelvedereError as error:
        _say(f"error: {' '.join(str(error).split())}")
        return WRONG_USE
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED


def console_script() -> NoReturn:
    """The entry point `belvedere`."""
    sys.exit(main())


if __name__ == "__main__":
    console_script()
