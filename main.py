"""Belvedere's command line and composition root: the only file that knows every part."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from core.commands import Stop
from core.errors import BelvedereError, DataError, UsageError
from core.evaluation.contestant import contestant
from core.evaluation.tasks import draw_task
from core.events import Acted, Began, Event, Failed, Recovered
from core.facets import Frame
from core.language.registry import PROVIDERS
from core.launch import Request, build, settings, version
from core.parameters import described
from core.planners.registry import PLANNERS, planner_class
from core.report import report
from core.session import Session, Setup
from core.simulator import Simulator
from core.snapshot import Snapshot, fold
from sim.registry import SIMULATORS, simulator_class

REACHED, NOT_REACHED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
SAMPLE_TASK = "Put one apple inside the fridge"
SUITES = ("rearrangement",)
CONTESTANTS = (
    "llm-mcts", "llm-mcts+wrong_answers=0.2", "llm-mcts+wrong_answers=0.4", "llm-mcts+simulations=25",
    "llm-mcts:paper", "llm-mcts:paper+wrong_answers=0.4", "llm-policy", "llm-policy+wrong_answers=0.2",
    "llm-policy+wrong_answers=0.4", "greedy", "oracle", "uct", "llm-mcts:no-policy", "llm-mcts:uniform-prior",
    "llm-mcts-fully-observable",
)
"""Who takes part in the rearrangement suite unless named: ours, the paper's, wrong models, bounds and ablations."""
PROVIDER_NOTES = {
    "commonsense": "plain rules and placement statistics, offline; not an LLM",
    "openai": "any OpenAI-compatible server; the key comes from the environment or the system's keyring",
    "local": "a GGUF file through llama.cpp (extra local-llm)",
    "human": "you answer every question",
    "replay": "the answers of a recording",
}
LISTS = ("planners", "simulators", "scenes", "tasks", "objects", "verbs", "providers", "parameters")


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
    sweep = commands.add_parser("evaluate", help="a suite over many seeds, in parallel")
    sweep.add_argument("--suite", default="rearrangement", choices=SUITES, help="which suite (default rearrangement)")
    sweep.add_argument("--planner", action="append", default=[], metavar="NAME[:PRESET][+SET=VALUE]", help="who takes part")
    sweep.add_argument("--provider", default="commonsense", metavar="NAME", help="who answers (commonsense: not an LLM)")
    sweep.add_argument("--trials", type=int, default=200, metavar="N", help="seeds a cell (default 200)")
    sweep.add_argument("--jobs", type=int, default=-1, metavar="J", help="processes at once (default: one a core)")
    sweep.add_argument("--max-steps", type=int, default=30, metavar="N", help="steps before giving up (default 30)")
    sweep.add_argument("--out", type=Path, required=True, metavar="DIR", help="where results are kept; a killed sweep goes on")
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
    command.add_argument("--preset", default="", metavar="NAME", help="one of the planner's parameter sets")
    command.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the planner")
    command.add_argument("--provider", default="commonsense", metavar="NAME", help="who answers (commonsense: not an LLM)")
    command.add_argument("--base-url", metavar="URL", help="the model server's address, such as http://127.0.0.1:8080/v1")
    command.add_argument("--model", metavar="NAME", help="the model's name there")
    command.add_argument("--ask", action="append", default=[], metavar="NAME=VALUE", help="a setting of the provider")
    command.add_argument("--no-cache", action="store_true", help="do not use or keep a language model's earlier replies")
    _world_options(command)
    command.add_argument("--task", metavar="TEXT", help="the goal in words (default: one drawn by the seed)")
    command.add_argument("--max-steps", type=int, default=30, metavar="N", help="steps before giving up (default 30)")


def request_of(args: argparse.Namespace) -> Request:
    """The flags as a request."""
    model = settings(args.ask, "--ask", "timeout=30")
    model |= {"base_url": args.base_url} if args.base_url else {}
    model |= {"model": args.model} if args.model else {}
    return Request(args.planner, args.preset, settings(args.set, "--set", "simulations=200"), args.sim, args.scene,
                   settings(args.world, "--world", "seeing=camera"), args.provider, model, args.seed, args.task, args.max_steps,
                   not args.no_cache)


def open_world(args: argparse.Namespace) -> Simulator:
    """The simulator the flags ask for, reset to the seed."""
    world = simulator_class(args.sim).open(args.scene, settings(args.world, "--world", "seeing=camera"))
    world.reset(args.seed)
    return world


class Follower:
    """Follows a run that nobody steers: progress on stderr, the newest snapshot, and what it broke on."""

    def __init__(self, session: Session):
        self.snapshot = Snapshot()
        self.broken: Failed | None = None
        self._session = session
        session.subscribe(self.hear)

    def hear(self, event: Event) -> None:
        """One event. A failure that waits for an operator ends the run: there is none here."""
        self.snapshot = fold(self.snapshot, event)
        match event.what:
            case Began() as began:
                _say(f"{began.planner} in {began.scene}, seed {began.seed}: {began.goal.text}")
            case Acted(outcome=outcome):
                _say(f"  {event.turn:3d}  {outcome.action}{'' if outcome.ok else f'   refused: {outcome.reason}'}")
            case Recovered(message=message):
                _say(f"  {message}")
            case Failed(waits=True) as failed:
                self.broken = failed
                self._session.post(Stop())
            case Failed(message=message):
                _say(f"  {message}")


def follow(setup: Setup) -> Snapshot:
    """Play a run to its end.

    Raises:
        DataError: it broke on something only an operator could mend.
    """
    session = Session(setup)
    follower = Follower(session)
    session.run()
    if follower.broken is not None:
        raise DataError(f"the run stopped: {follower.broken.message}")
    return follower.snapshot


def run(args: argparse.Namespace) -> int:
    """`run`: exit 0 when the goal is reached, 1 when it is not."""
    began = time.perf_counter()
    end = follow(build(request_of(args), simulator_class))
    seconds = time.perf_counter() - began
    value = report(end, seconds)
    word = "reached" if value["success"] else "not reached"
    steps = f"{value['steps']} {'step' if value['steps'] == 1 else 'steps'}"
    _say(f"{word} after {steps}, {seconds:.2f} s" + ("" if value["success"] else f": {value['ended']}"))
    if args.json:
        sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
    return REACHED if value["success"] else NOT_REACHED


def screenshot(args: argparse.Namespace) -> int:
    """`screenshot`: dollhouse and first person side by side."""
    width, height = _size(args.size)
    if args.turns < 0:
        raise UsageError(f"--turns {args.turns}: give 0 or more")
    frames = frames_after(args, args.turns, (width, height))
    save_side_by_side(frames, args.out)
    for notice in {frame.notice for frame in frames if frame.notice}:
        _say(notice)
    _say(f"wrote {args.out}")
    return REACHED


def frames_after(args: argparse.Namespace, turns: int, size: tuple[int, int]) -> list[Frame]:
    """Both cameras after some turns of the run the flags ask for."""
    actions = list(follow(replace(build(request_of(args), simulator_class), most_steps=turns)).path) if turns else []
    with open_world(args) as world:
        for action in actions:
            world.step(action)
        return [world.render(view, *size, still=True) for view in ("dollhouse", "first person")]


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


def evaluate(args: argparse.Namespace) -> int:
    """`evaluate`: play what is missing, then write the table, the episodes as CSV, and a plot."""
    from core.evaluation import sweep, table  # imported here: joblib and its friends take a while

    if args.trials < 1 or args.max_steps < 1:
        raise UsageError("--trials and --max-steps: give at least 1")
    names = args.planner or list(CONTESTANTS)
    plan = sweep.Sweep(tuple(contestant(name) for name in dict.fromkeys(names)), args.trials, args.max_steps, args.provider)
    rows = sweep.play(plan, simulator_class("household").open, args.out, args.jobs)
    text = table.markdown(rows, args.max_steps)
    (args.out / "table.md").write_text(text, encoding="utf-8")
    table.write_csv(rows, args.out / "episodes.csv")
    table.plot(rows, args.max_steps, args.out / "success.png")
    sys.stdout.write(text)
    _say(f"wrote table.md, episodes.csv and success.png to {args.out}")
    return REACHED


def list_parts(args: argparse.Namespace) -> int:
    """`list`: names, and what they are, one a line."""
    match args.what:
        case "planners":
            rows = [(name, _about(planner_class(name))) for name in PLANNERS]
        case "providers":
            rows = [(name, PROVIDER_NOTES[name]) for name in PROVIDERS]
        case "parameters":
            rows = [(f"{name}: {p.name}", f"{p.value}  {p.limits.help}") for name in PLANNERS
                    for p in described(next(iter(planner_class(name).presets.values())))]
        case "simulators":
            rows = [(name, _about(simulator_class(name))) for name in SIMULATORS]
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


def _about(part: type) -> str:
    return (part.__doc__ or "").splitlines()[0]


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


def demo() -> int:
    """Without a command: play the sample episode and leave a picture of how it ended."""
    _say("The console is not part of this version yet; playing the sample episode. See: python main.py --help")
    args = parser().parse_args(["run", "--task", SAMPLE_TASK])
    frames = frames_after(args, args.max_steps, (640, 480))
    path = Path("out") / "episode.png"
    path.parent.mkdir(exist_ok=True)
    save_side_by_side(frames, path)
    _say(f"The last frame is {path}")
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
                return evaluate(args)
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
