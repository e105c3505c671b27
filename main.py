"""Belvedere's command line and composition root: the only file that knows every part."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from core.episode import Episode, run_episode
from core.errors import BelvedereError, DataError, UsageError
from core.evaluation.tasks import draw_task
from core.facets import Facet, Frame
from core.goal_text import parse_goal
from core.goals import Goal
from core.lexicon import Lexicon
from core.planner import Decision
from core.planners.registry import PLANNERS, make_planner
from core.report import report, version
from core.simulator import Simulator
from core.world import Outcome
from sim.registry import SIMULATORS, simulator_class

REACHED, NOT_REACHED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
SAMPLE_TASK = "Put one apple inside the fridge"
LISTS = ("planners", "simulators", "scenes", "tasks", "objects", "verbs")


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how to learn more, in one line."""
        self.exit(WRONG_USE, f"error: {message} (see: python {self.prog} --help)\n")


def parser() -> Parser:
    """The command line of design §8, as far as it is built."""
    top = Parser(prog="main.py", description="Belvedere: watch, question and steer the planner of a household robot.")
    top.add_argument("--version", action="version", version=f"belvedere {version()}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    run = commands.add_parser("run", help="play one episode without a window")
    _episode_options(run)
    run.add_argument("--json", action="store_true", help="print one JSON object to stdout")
    shot = commands.add_parser("screenshot", help="a picture of the two cameras after some turns")
    _episode_options(shot)
    shot.add_argument("--turns", type=int, default=0, metavar="N", help="turns to play first (default 0)")
    shot.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to write the PNG")
    shot.add_argument("--size", default="640x480", metavar="WxH", help="pixels of each camera (default 640x480)")
    listing = commands.add_parser("list", help="what there is to choose from")
    listing.add_argument("what", choices=LISTS)
    _world_options(listing)
    return top


def _world_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--sim", default="household", metavar="NAME", help="simulator (default household)")
    command.add_argument("--scene", default="four-rooms-1", metavar="NAME", help="scene name, or a VirtualHome graph file")
    command.add_argument("--world", action="append", default=[], metavar="NAME=VALUE", help="a setting of the simulator")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="the episode's seed (default 0)")


def _episode_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--planner", default="oracle", metavar="NAME", help="planner (default oracle)")
    _world_options(command)
    command.add_argument("--task", metavar="TEXT", help="the goal in words (default: one drawn by the seed)")
    command.add_argument("--max-steps", type=int, default=30, metavar="N", help="steps before giving up (default 30)")


def open_world(args: argparse.Namespace) -> Simulator:
    """The simulator the flags ask for, reset to the seed."""
    options = {}
    for setting in args.world:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise UsageError(f"--world {setting}: write NAME=VALUE, such as --world seeing=camera")
        options[name] = value
    world = simulator_class(args.sim).open(args.scene, options)
    world.reset(args.seed)
    return world


def goal_for(world: Simulator, args: argparse.Namespace) -> Goal:
    """The task in words as a goal of this world, or a task drawn by the seed."""
    if args.task is None:
        return draw_task(world, args.seed)
    goal = parse_goal(args.task, Lexicon(world.reveal().entities))
    if not world.possible(goal):
        why = "too few such things, none that fits, or none made for it"
        raise UsageError(f"“{goal.text}” cannot be reached in {args.scene}, seed {args.seed}: {why}")
    return goal


def play(world: Simulator, args: argparse.Namespace, steps: int) -> Episode:
    """One episode with its progress on stderr."""
    planner = make_planner(args.planner)
    goal = goal_for(world, args)
    _say(f"{args.planner} in {args.scene}, seed {args.seed}: {goal.text}")

    def hear(turn: int, what: Facet | Decision | Outcome) -> None:
        if isinstance(what, Outcome):
            _say(f"  {turn:3d}  {what.action}{'' if what.ok else f'   refused: {what.reason}'}")

    return run_episode(planner, world, goal, args.seed, steps, hear)


def run(args: argparse.Namespace) -> int:
    """`run`: exit 0 when the goal is reached, 1 when it is not."""
    if args.max_steps < 1:
        raise UsageError(f"--max-steps {args.max_steps}: give at least 1")
    began = time.perf_counter()
    with open_world(args) as world:
        episode = play(world, args, args.max_steps)
    seconds = time.perf_counter() - began
    count = len(episode.outcomes)
    _say(f"{'reached' if episode.success else 'not reached'} after {count} {'step' if count == 1 else 'steps'}, {seconds:.2f} s"
         + (f": {episode.ended}" if episode.ended and not episode.success else ""))
    if args.json:
        value = report(episode, planner=args.planner, simulator=args.sim, scene=args.scene, seed=args.seed, seconds=seconds)
        sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
    return REACHED if episode.success else NOT_REACHED


def screenshot(args: argparse.Namespace) -> int:
    """`screenshot`: dollhouse and first person side by side."""
    width, height = _size(args.size)
    if args.turns < 0:
        raise UsageError(f"--turns {args.turns}: give 0 or more")
    with open_world(args) as world:
        if args.turns:
            play(world, args, args.turns)
        frames = [world.render(view, width, height, still=True) for view in ("dollhouse", "first person")]
    save_side_by_side(frames, args.out)
    for notice in {frame.notice for frame in frames if frame.notice}:
        _say(notice)
    _say(f"wrote {args.out}")
    return REACHED


def save_side_by_side(frames: Sequence[Frame], path: Path) -> None:
    """Write frames into one PNG, left to right.

    Raises:
        DataError: the file cannot be written.
    """
    import numpy as np
    from PIL import Image

    try:
        Image.fromarray(np.hstack([frame.pixels for frame in frames])).save(path)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot write {path}: {error}; give a path ending in .png in a folder that exists") from error


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise UsageError(f"--size {text}: write WIDTHxHEIGHT, such as 640x480")
    return int(width), int(height)


def list_parts(args: argparse.Namespace) -> int:
    """`list`: names, and what they are, one a line."""
    match args.what:
        case "planners":
            rows = [(name, _doc(make_planner(name))) for name in PLANNERS]
        case "simulators":
            rows = [(name, (simulator_class(name).__doc__ or "").splitlines()[0]) for name in SIMULATORS]
        case "scenes":
            rows = list(simulator_class(args.sim).scenes())
        case _:
            rows = _of_scene(args)
    width = max((len(name) for name, _ in rows), default=0)
    sys.stdout.writelines(f"{name:{width}}  {about}".rstrip() + "\n" for name, about in rows)
    return REACHED


def _of_scene(args: argparse.Namespace) -> list[tuple[str, str]]:
    with open_world(args) as world:
        if args.what == "verbs":
            return [(s.verb, f"{s.template.format(*(f'‹{r}›' for r in s.roles))}: {s.help}") for s in world.schemas]
        if args.what == "tasks":
            return [(str(seed), _task(world, seed)) for seed in range(args.seed, args.seed + 20)]
        seen = world.reveal()
        return [(e.id, ", ".join(sorted(e.properties))) for e in seen.entities if e.category != "room"]


def _task(world: Simulator, seed: int) -> str:
    world.reset(seed)
    return draw_task(world, seed).text


def _doc(part: object) -> str:
    return (type(part).__doc__ or "").splitlines()[0]


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


def demo() -> int:
    """Without a command: play the sample episode and leave a picture of how it ended."""
    _say("The console is not part of this version yet; playing the sample episode. See: python main.py --help")
    args = parser().parse_args(["run", "--task", SAMPLE_TASK])
    with open_world(args) as world:
        episode = play(world, args, args.max_steps)
        frames = [world.render(view, still=True) for view in ("dollhouse", "first person")]
    path = Path("out") / "episode.png"
    path.parent.mkdir(exist_ok=True)
    save_side_by_side(frames, path)
    _say(f"{'Reached' if episode.success else 'Not reached'} in {len(episode.outcomes)} steps; the last frame is {path}")
    return REACHED if episode.success else NOT_REACHED


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
            case _:
                return demo()
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
