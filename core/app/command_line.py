"""The parser of the command line, and the run request it makes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

from core.app.run_request import Request, settings
from core.common.errors import UsageError
from core.common.installation import program, version
from core.common.parameters import MOST, whole_number
from core.common.redaction import Redactor
from core.common.user_folders import expanded
from core.common.visible import path_text, visible
from core.llm.budget import read_limits, read_prices
from core.llm.keys import keys_in_environment
from core.llm.model import OFFLINE
from core.llm.model_config import ModelConfig, read_models
from core.planners.registry import read_choice

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

    from core.planning.facets import Moment, View

WRONG_USE = 2
MOST_SEED = 10**18
MOST_JOBS = 1_000
RECORDED: Mapping[str, tuple[View, ...]] = MappingProxyType({
    "both": ("first person", "dollhouse"), "first-person": ("first person",), "dollhouse": ("dollhouse",), "none": ()})
"""The views of `run --views`."""
LISTS = ("planners", "simulators", "scenes", "tasks", "objects", "verbs", "providers", "parameters")


class Parser(argparse.ArgumentParser):
    """An argument parser whose error messages are one line, and whose options take values that begin with a dash."""

    def parse_known_args(self, args: Sequence[str] | None = None,  # type: ignore[override]
                         namespace: argparse.Namespace | None = None) -> tuple[argparse.Namespace, list[str]]:
        """Parses words; `--sort -turns` is `--sort=-turns`, because there is no option `-turns`."""
        found: list[str] = []
        for word in sys.argv[1:] if args is None else args:
            before = self._option_string_actions.get(found[-1]) if found and "--" not in found else None
            if before is not None and before.nargs is None and word[:1] == "-" and not self._is_option(word):
                found[-1] += f"={word}"
            else:
                found.append(word)
        return super().parse_known_args(found, namespace)

    def _is_option(self, word: str) -> bool:
        name = word.partition("=")[0]
        return any(option == name or (name[:2] == "--" and option.startswith(name)) for option in self._option_string_actions)

    def error(self, message: str) -> NoReturn:
        """Prints what is wrong and how to learn more, in one line, and exits."""
        message = visible(Redactor(keys_in_environment()).text(message))
        self.exit(WRONG_USE, f"error: {message} (see: {self.prog} --help)\n")


    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Prints the help. Raises if it cannot be written; the base class would ignore that."""
        (file or sys.stdout).write(self.format_help())


class Version(argparse.Action):
    """The action of `--version`."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: str | Sequence[object] | None,
                 option_string: str | None = None) -> NoReturn:
        """Prints the version and exits."""
        sys.stdout.write(f"belvedere {version()}\n")
        parser.exit()


class Names(Container[str]):
    """Names that are looked up when one is given or all are listed.

    Args:
        find: returns them; it may load modules and look for other packages.
    """

    def __init__(self, find: Callable[[], Iterable[str]]):
        self._find = find

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self._find())

    def __iter__(self) -> Iterator[str]:
        return iter(self._find())


def _forms() -> Iterable[str]:
    from core.recording.exports import EXPORTS  # imported here: its modules load what reads recordings

    return EXPORTS


def _suites() -> Iterable[str]:
    from core.evaluation.suites import SUITES  # imported here: it loads simulators' and planners' interfaces

    return SUITES


def parser() -> Parser:
    """Returns the parser of the command line."""
    top = Parser(prog=program(), description="Belvedere: watch, question and steer the planner of a household robot.")
    top.add_argument("--version", action=Version, nargs=0, help="print the version")
    window = top.add_argument_group("the window", "What it opens with; with a COMMAND, options stand after that.")
    _episode_options(window)
    window.add_argument("--record", action="store_true", help="record from the start")
    top.set_defaults(seed=None)  # the seed of the sample episode, unless another scene is chosen
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    run = commands.add_parser("run", help="play one episode without a window")
    _episode_options(run)
    run.add_argument("--json", action="store_true", help="print one JSON object to stdout")
    run.add_argument("--record", type=Path, metavar="FILE", help="write the episode and its pictures to an MCAP file")
    run.add_argument("--break", action="append", default=[], dest="breaks", metavar="EXPR",
                     help="end the run where this is true, such as 'gap < 0.2 and turn > 3' (docs/expressions.md); exit code 3")
    run.add_argument("--trace", action="append", default=[], metavar="EXPR", help="print a line whenever this is true")
    pictures = run.add_mutually_exclusive_group()
    pictures.add_argument("--views", default="both", choices=tuple(RECORDED), help="which pictures to record (default both)")
    pictures.add_argument("--no-pictures", action="store_const", dest="views", const="none", help="record none")
    shot = commands.add_parser("screenshot", help="a picture of the whole window, or of the two cameras, after some turns")
    _episode_options(shot)
    shot.add_argument("--turns", type=_from(0), default=0, metavar="N", help="turns to play first (default 0)")
    shot.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to write the PNG")
    shot.add_argument("--cameras", action="store_true", help="the two cameras side by side instead of the window")
    shot.add_argument("--size", metavar="WxH", help="pixels of the window (1440x900) or of each camera (640x480)")
    shot.add_argument("--theme", default="dark", choices=("dark", "light", "cvd"), help="the window's palette")
    sweep = commands.add_parser("evaluate", help="a suite over many seeds, in parallel")
    sweep.add_argument("--suite", default="rearrangement", choices=Names(_suites), metavar="SUITE",
                       help="%(choices)s (default rearrangement)")
    sweep.add_argument("--planner", action="append", default=[], metavar="NAME[:PRESET][+SET=VALUE]", help="who takes part")
    _beside_options(sweep)
    sweep.add_argument("--world", action="append", default=[], type=_setting, metavar="NAME=VALUE",
                       help="a setting of the suite's simulator")
    _model_options(sweep)
    sweep.add_argument("--no-cache", action="store_true", help="do not use or keep a language model's earlier replies")
    sweep.add_argument("--cell", action="append", default=[], metavar="NAME", help="play only this cell; may be repeated")
    sweep.add_argument("--trials", type=_from(1), metavar="N", help="seeds a cell (default: the suite's)")
    sweep.add_argument("--first-seed", type=_from(0), default=0, metavar="N", help="the first of them (default 0)")
    sweep.add_argument("--jobs", type=_jobs, default=-1, metavar="J",
                       help="processes at once (default: one a core)")
    sweep.add_argument("--backend", default="processes", choices=("processes", "dask"), help="who does the work (processes)")
    sweep.add_argument("--scheduler", default="", metavar="ADDRESS", help="of the Dask cluster, such as tcp://HOST:8786")
    sweep.add_argument("--max-steps", type=_from(1), metavar="N", help="steps before giving up (default: the suite's)")
    sweep.add_argument("--out", type=Path, required=True, metavar="DIR", help="where results are kept; a killed sweep goes on")
    sweep.add_argument("--while-input", action="store_true", help=argparse.SUPPRESS)  # for the window: pause when stdin ends
    one = commands.add_parser("episode", help="one episode of an evaluation, played again from its seed and recorded")
    one.add_argument("folder", type=Path, metavar="DIR", help="the results; without --seed its failed episodes are listed")
    one.add_argument("--planner", default="", metavar="TEXT", help="as in the table")
    one.add_argument("--cell", default="", metavar="NAME", help="the column of the table")
    one.add_argument("--seed", type=_from(0), metavar="N", help="play the one with this seed again")
    one.add_argument("--out", type=Path, metavar="FILE", help="the recording (default: in DIR/episodes)")
    form = one.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object to stdout")
    form.add_argument("--window", action="store_true", help="open it in the window where it went wrong")
    rows = commands.add_parser("dataset", help="results of evaluations as one table, with a data card")
    rows.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="the results")
    rows.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to write CSV, Parquet and README.md")
    export = commands.add_parser("export", help="a recording in another form, or many as one dataset")
    export.add_argument("files", type=Path, nargs="+", metavar="FILE",
                        help="the recording (.mcap), which is only read; labels, lerobot, otlp and rrd take many")
    export.add_argument("--to", required=True, choices=Names(_forms), metavar="FORM", help="%(choices)s")
    export.add_argument("--out", type=Path, required=True, metavar="PATH", help="where to write it")
    export.add_argument("--decision", type=_decision, metavar="BRANCH:TURN", help="only one decision, such as 0:5 (html, link)")
    export.add_argument("--endpoint", default="", metavar="URL", help="otlp: also send it to a server, by OTLP over HTTP")
    export.add_argument("--watch", action="append", default=[], metavar="EXPR",
                        help="csv: one more column, such as gap; html: a plot")
    why = commands.add_parser("failures", help="why recorded episodes failed, counted per planner")
    why.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="recordings (.mcap), or folders that hold some")
    why.add_argument("--out", type=Path, metavar="FILE", help="write one line per episode as CSV")
    why.add_argument("--evidence", action="store_true", help="print what speaks for each label")
    _agreement_options(commands.add_parser("agreement", help="how far two annotators of recordings agree"))
    _library_options(commands.add_parser("library", help="find recordings by what is in them"))
    recover = commands.add_parser("recover", help="save what can be read of a recording that was cut off as a whole new file")
    recover.add_argument("file", type=Path, metavar="FILE", help="the recording (.mcap); it is not changed")
    recover.add_argument("--out", type=Path, metavar="PATH", help="the new file (default: 'NAME recovered.mcap' beside it)")
    replay = commands.add_parser("replay", help="show a recording in the window")
    replay.add_argument("file", type=Path, metavar="FILE", help="the recording (.mcap), or a link to a decision")
    _examples_options(commands.add_parser("examples", help="decisions worth imitating, quoted in the prompts of LLM-MCTS"))
    listing = commands.add_parser("list", help="what there is to choose from")
    listing.add_argument("what", choices=LISTS)
    _world_options(listing)
    return top


def _library_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER", help="default: your recordings and autosaves")
    parser.add_argument("--find", default="", metavar="QUERY", help="such as 'failed planner:llm-mcts turns>20 apple'")
    parser.add_argument("--sort", default="-date", metavar="FIELD", help="a field; with - the largest come first (-date)")
    parser.add_argument("--json", action="store_true", help="print one JSON list to stdout")
    parser.add_argument("--rebuild", action="store_true", help="read all recordings again")
    parser.add_argument("--index", type=Path, metavar="FILE", help="the index to use (default: in your cache)")


def parsed(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Returns the parsed arguments, by default those of this process. `given` says whether there were any.

    Exits with a one-line error if they are not valid. Options before a command are an error, too, because they would not reach
    it.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    top = parser()
    args = top.parse_args(words)
    if args.command is not None and (before := words[:words.index(args.command)]):
        top.error(f"{before[0]} stands before '{args.command}': write options after the command")
    args.given = bool(words)
    return args


def _from(low: int, high: int = MOST) -> Callable[[str], int]:
    """Returns what reads a whole number from `low` to `high`."""
    def read(text: str) -> int:
        try:
            return whole_number(text, low, high)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


def _jobs(text: str) -> int:
    return -1 if text == "-1" else _from(1, MOST_JOBS)(text)


def _decision(text: str) -> Moment:
    from core.planning.facets import Moment  # imported here: the window and lists do not wait for numpy

    branch, _, turn = text.partition(":")
    try:
        return Moment(whole_number(branch), whole_number(turn, 1))
    except UsageError as error:
        raise argparse.ArgumentTypeError(f"'{text}': give BRANCH:TURN, such as 0:5 for turn 5 of the main line") from error


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"'{text}': give a number from 0 to 1")
    return value


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}': give NAME=VALUE, such as seeing=camera")
    return name, value


def _agreement_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="recordings (.mcap), or folders that hold some")
    command.add_argument("--pair", nargs=2, default=(), metavar="NAME", help="the two (default: those with most in common)")
    command.add_argument("--overlap", type=_share, default=0.5, metavar="X",
                         help="least intersection over union of two intervals that are the same, 0 to 1 (default 0.5)")
    command.add_argument("--turns", type=_from(0), default=0, metavar="N",
                         help="largest distance of two points that are the same (default 0)")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object, with all disagreements")
    form.add_argument("--csv", action="store_true", help="print the table as CSV")


def _examples_options(command: argparse.ArgumentParser) -> None:
    acts = command.add_subparsers(dest="act", metavar="ACT", parser_class=Parser, required=True)
    acts.add_parser("list", help="those that are kept, with their numbers")
    add = acts.add_parser("add", help="corrections and successes of a recording")
    add.add_argument("file", type=Path, metavar="FILE", help="the recording (.mcap)")
    add.add_argument("--turn", type=_from(1), action="append", default=[], metavar="N", help="only that of this turn")
    remove = acts.add_parser("remove", help="forget some")
    remove.add_argument("number", type=_from(1), nargs="+", metavar="N", help="its number in the list")
    _expert_options(acts.add_parser(
        "expert", help="whole trajectories of the expert: make a set, or list those that a prompt would show"))
    _clone_options(acts.add_parser(
        "clone", help="weights of the planner cloned-policy, learned from whole trajectories of the expert"))


def _expert_options(command: argparse.ArgumentParser) -> None:
    acts = command.add_subparsers(dest="expert_act", metavar="ACT", parser_class=Parser, required=True)
    make = acts.add_parser("make", help="play tasks in the seen homes; a killed run goes on with the same command")
    make.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the set is written")
    make.add_argument("--tasks", type=_from(1), default=2000, metavar="N", help="tasks (default 2000)")
    make.add_argument("--trajectories", type=_from(1), default=10_000, metavar="N", help="in all (default 10000)")
    make.add_argument("--retrieval", type=_from(0), default=200, metavar="N", help="prompt examples of these (200)")
    make.add_argument("--seed", type=_from(0), default=17, metavar="N", help="of all draws (default 17)")
    make.add_argument("--only-retrieval", action="store_true", help="make only the trajectories drawn as prompt examples")
    make.add_argument("--jobs", type=_jobs, default=-1, metavar="J",
                      help="processes at once (default: one a core)")
    listing = acts.add_parser("list", help="the first ones, or those told for a task")
    listing.add_argument("--like", metavar="TEXT", help="the task")
    listing.add_argument("--shots", type=_from(1), default=3, metavar="K", help="how many (default 3)")
    listing.add_argument("--file", type=Path, metavar="FILE", help="a file of trajectories (default: the shipped ones)")


def _clone_options(command: argparse.ArgumentParser) -> None:
    acts = command.add_subparsers(dest="clone_act", metavar="ACT", parser_class=Parser, required=True)
    train = acts.add_parser("train", help="needs torch; a killed run goes on with the same command")
    train.add_argument("--expert", type=Path, required=True, metavar="DIR", help="an expert set, or one of its files")
    train.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the weights are written (.npz)")
    train.add_argument("--epochs", type=_from(1), default=8, metavar="N", help="how often each step is seen (default 8)")
    train.add_argument("--detours", type=_share, default=0.0, metavar="X",
                       help="share of the trajectories learned once more after a detour, 0 to 1 (default 0, as in the paper)")
    train.add_argument("--seed", type=_from(0), default=17, metavar="N", help="of all draws (default 17)")
    train.add_argument("--threads", type=_from(1), default=1, metavar="N", help="of torch (default 1)")


def _world_options(command: argparse._ActionsContainer) -> None:
    command.add_argument("--sim", default="household", metavar="NAME", help="simulator (default household)")
    command.add_argument("--scene", metavar="NAME", help="scene, or a VirtualHome graph file (default: the first)")
    command.add_argument("--world", action="append", default=[], metavar="NAME=VALUE", help="a setting of the simulator")
    command.add_argument("--seed", type=_from(0, MOST_SEED), default=0, metavar="N", help="the episode's seed (default 0)")


def _episode_options(command: argparse._ActionsContainer) -> None:
    command.add_argument("--planner", default="llm-mcts", metavar="NAME[:PRESET][+SET=VALUE]",
                         help="planner (default llm-mcts)")
    command.add_argument("--preset", default="", metavar="NAME", help="one of the planner's parameter sets")
    command.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the planner")
    _beside_options(command)
    command.add_argument("--beside-model-config", metavar="FILE[#NAME]", help="who answers it (default: as the first one)")
    _model_options(command)
    command.add_argument("--no-cache", action="store_true", help="do not use or keep a language model's earlier replies")
    _world_options(command)
    command.add_argument("--task", metavar="TEXT", help="the goal in words (default: one drawn by the seed)")
    command.add_argument("--goal", metavar="FORMAL", help="the goal as formal text, such as 'inside(apple, fridge)'")
    command.add_argument("--max-steps", type=_from(1), metavar="N",
                         help="steps before giving up (default 30, or the world's own)")


def _beside_options(command: argparse._ActionsContainer) -> None:
    command.add_argument("--beside", default="", metavar="NAME[:PRESET][+SET=VALUE]",
                         help="a second planner that only thinks, each turn")
    command.add_argument("--beside-set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of it")


def _model_options(command: argparse._ActionsContainer) -> None:
    command.add_argument("--model-config", metavar="FILE[#NAME]", help="a TOML file of models; the flags below override it")
    command.add_argument("--provider", metavar="NAME", help="who answers (default commonsense: not an LLM)")
    command.add_argument("--base-url", metavar="URL", help="the model server's address, such as http://127.0.0.1:8080/v1")
    command.add_argument("--model", metavar="NAME", help="the model's name there")
    command.add_argument("--ask", action="append", default=[], metavar="NAME=VALUE", help="a setting of the provider")
    command.add_argument("--limit", action="append", default=[], metavar="NAME=N", help="most calls, tokens or cost in all")
    command.add_argument("--prices", default="", metavar="MODEL=IN/OUT", help="per million tokens, for a limit of cost")


def model_of(args: argparse.Namespace) -> ModelConfig:
    """Returns the model's configuration: the entry of a file, overridden by single flags.

    Raises:
        UsageError: a value is not valid.
        DataError: the file cannot be read.
    """
    base = _from_file(args.model_config) if args.model_config else ModelConfig("", OFFLINE)
    if args.provider and args.provider != base.provider:
        base = ModelConfig("", args.provider)
    options = {**base.options, **settings(args.ask, "--ask", "timeout=30")}
    options |= {"base_url": args.base_url} if args.base_url else {}
    options |= {"model": args.model} if args.model else {}
    limits = read_limits(settings(args.limit, "--limit", "calls=200")) if args.limit else base.limits
    return replace(base, options=options, limits=limits)


def _from_file(text: str) -> ModelConfig:
    """Returns the entry of `FILE` that is chosen there, or the only one, or the one that `FILE#NAME` names."""
    path, name = expanded(text), ""
    if not path.is_file() and "#" in text:
        file, _, name = text.rpartition("#")
        path = expanded(file)
    if not path.is_file():
        raise UsageError(f"--model-config {text}: there is no file {path}")
    found = read_models(path)
    only = found.entries[0].name if len(found.entries) == 1 else ""
    if not (name := name or found.chosen or only):
        names = ", ".join(entry.name for entry in found.entries) or "it holds none"
        raise UsageError(f"--model-config {text}: which model? Write {path.name}#NAME ({names})")
    return found.named(name)


def names_model(args: argparse.Namespace) -> bool:
    """Returns True if the flags name a model."""
    return bool(args.model_config or args.provider or args.base_url or args.model or args.ask)


def request_of(args: argparse.Namespace) -> Request:
    """Returns the flags as a request.

    Raises:
        UsageError: a value is not valid.
    """
    if args.task is not None and not args.task.strip():
        raise UsageError("--task is empty: write what the robot should do, or leave it out to have a task drawn by the seed")
    if args.goal is not None and not args.goal.strip():
        raise UsageError("--goal is empty: write formal text such as 'inside(apple, fridge)', or the goal in words as --task")
    from core.evaluation.contestants import with_settings

    model, beside, planner = model_of(args), with_settings(args.beside, args.beside_set), read_choice(args.planner)
    if args.preset and planner.preset not in ("", args.preset):
        raise UsageError(f"--preset {args.preset}: --planner {args.planner} names another one; leave one of them out")
    given = {**dict(planner.settings), **settings(args.set, "--set", "simulations=200")}
    other = _from_file(args.beside_model_config) if args.beside_model_config else None
    return Request(planner.planner, args.preset or planner.preset, given, args.sim,
                   path_text(args.scene or ""), settings(args.world, "--world", "seeing=camera"), model.provider,
                   model.options, args.seed, args.task or args.goal or "", args.max_steps,
                   not args.no_cache, model.limits, {**model.prices, **read_prices(args.prices)},
                   goal=args.goal or "", beside=beside, beside_provider="" if other is None else other.provider,
                   beside_model={} if other is None else other.options)
