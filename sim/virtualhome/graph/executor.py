"""The apartments of the package `virtualhome-eval`, and its ScriptExecutor with exact saving and plain refusals.

The package keeps sets whose order depends on how they were filled, and picks from them (for example what the robot stands at
after a grab). After every action its state is therefore rebuilt from the relations and states that hold, so that equal graphs
behave alike.
"""

from __future__ import annotations

import importlib
import importlib.util
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from core.common.errors import DataError, MissingPart, UsageError
from core.common.registry import near_misses
from core.common.visible import path_of
from core.world.vocabulary import definite, spaced
from sim.rendering.graph import read_graph
from sim.virtualhome.common.apartment_state import HANDS, Graph, Node, character_in, node_of

PACKAGE = "virtualhome_eval"
MISSING = "simulator 'virtualhome-graph' needs the package 'virtualhome-eval', not installed here: " \
          "pip install --no-deps virtualhome-eval"
DATA = Path("dataset", "programs_processed_precond_nograb_morepreconds")
RUN = Path("TrimmedTestScene1_graph", "results_intentions_march-13-18")


def package_folder() -> Path:
    """Returns the folder of the package without importing it.

    Raises:
        MissingPart: it is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingPart(MISSING)
    return Path(spec.submodule_search_locations[0])


def graph_files() -> dict[str, Path]:
    """Returns scene -> its file, by name: `file628_2`."""
    found = (package_folder() / DATA / "init_and_final_graphs" / RUN).glob("file*.json")
    return {path.stem: path for path in sorted(found, key=lambda p: (*_number(p.stem), p.stem))}


def _number(stem: str) -> tuple[int, ...]:
    return tuple(int(part) for part in stem.removeprefix("file").split("_") if part.isdecimal())


@lru_cache(1)
def titles() -> tuple[tuple[str, str], ...]:
    """Returns (name, title) of every apartment. The title tells what the program for it does."""
    return tuple((name, f"VirtualHome apartment {name.removeprefix('file')} · {program(name)[0]}") for name in graph_files())


def program(scene: str) -> tuple[str, tuple[str, ...]]:
    """Returns the title of the program written for an apartment, and its lines.

    Raises:
        MissingPart: the package is not installed, or lacks the program.
    """
    path = package_folder() / DATA / "executable_programs" / RUN / f"{scene}.txt"
    if not path.is_file():
        raise MissingPart(f"the package '{PACKAGE}' lacks {path.name}: install it again")
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines[0].strip() if lines else scene, tuple(line.strip() for line in lines if line.startswith("["))


def load(scene: str) -> dict[str, Any]:
    """Returns the graph of an apartment by name, or of a file.

    Raises:
        UsageError: no such apartment or file.
        DataError: the file is damaged.
        MissingPart: the package is not installed.
    """
    if scene.endswith((".json", ".json.gz")):
        if not path_of(scene).is_file():
            raise UsageError(f"no such graph file: {scene}")
        return read_graph(path_of(scene))
    files = graph_files()
    if scene not in files:
        hint = near_misses(scene, files)
        command = "" if hint else "see: python main.py list scenes --sim virtualhome-graph"
        raise UsageError(f"unknown scene '{scene}'{hint}", command=command)
    return read_graph(files[scene])


Json = dict[str, Any]


class Refusal(NamedTuple):
    """Why the executor refuses a line: the short name of what failed, and a sentence."""

    precondition: str
    reason: str


REFUSALS = (
    ("is not close to", "within reach"), ("free hand", "a free hand"), ("inside other closed", "open"), ("not open", "open"),
    ("still on", "switched off"), ("not holding", "held"), ("is not closed", "not open"), ("is not off", "not on"),
    ("is not on", "not off"), ("is unplugged", "plugged in"), ("is sitting", "standing"), ("is lying", "standing"),
    ("not facing", "facing"), ("Too many things", "room"), ("already grabbed", "not held"), ("not found", "in sight"),
)
"""Part of an executor's message -> the short name. The first match counts."""
OTHERWISE = "made for it"
"""The short name for all other messages."""


class Executor:
    """One apartment.

    Args:
        raw: the apartment's graph, as VirtualHome writes it.
        name: the scene, for messages.

    Raises:
        MissingPart: the package is not installed.
        DataError: the graph has no character, or states the package does not know.
    """

    def __init__(self, raw: Json, name: str):
        modules = _modules()
        self._environment, self._execution, self._scripts = modules
        self._name, self._raw = name, raw
        try:
            self._base = self._environment.EnvironmentGraph(raw)
        except (KeyError, TypeError) as error:
            raise DataError(f"{name} holds what the evolving graph does not know ({error}): export it again") from error
        self._relation = self._environment.Relation
        self.character = character_in({n["id"]: node_of(n) for n in raw["nodes"]}, name)
        self._state = self._fresh()

    def _fresh(self) -> Any:
        return self._environment.EnvironmentState(self._base, {}, instance_selection=True)

    def begin(self) -> None:
        """Returns to the state in the apartment's file."""
        self._state = self._fresh()

    # --- acting ----------------------------------------------------------------
    def attempt(self, lines: Sequence[str]) -> Refusal | None:
        """Returns the executor's refusal of a script, or None. Nothing changes."""
        *before, last = lines
        state = self._after(before)
        if isinstance(state, Refusal):
            return state
        done = self._do(last, state, modify=False)
        return done if isinstance(done, Refusal) else None

    def run(self, lines: Sequence[str]) -> Refusal | None:
        """Runs a script completely or not at all. Returns the refusal, or None."""
        state = self._after(lines)
        if isinstance(state, Refusal):
            return state
        self._state = self._settled(state)
        return None

    def _after(self, lines: Sequence[str]) -> Any:
        state = self._state
        for line in lines:
            state = self._do(line, state, modify=True)
            if isinstance(state, Refusal):
                return state
        return state

    def _do(self, line: str, state: Any, *, modify: bool) -> Any:
        info = self._execution.ExecutionInfo(eval_mode=True)
        script = self._scripts.Script([self._scripts.parse_script_line(line, 0)])
        states = self._execution.ScriptExecutor.call_action_method(script, state, info, 0, modify)
        done = next(states, None)
        return self._refusal(info.messages) if done is None else done

    def _refusal(self, messages: Sequence[str]) -> Refusal:
        words = messages[0].split(" when executing ")[0] if messages else "VirtualHome does not do this here"
        words = re.sub(rf"<\w+> \({self.character}\)", "the robot", words)
        words = re.sub(r"<([^>]+)> \((\d+)\)", lambda m: definite(spaced(f"{m[1]}_{m[2]}")), words)
        short = next((name for part, name in REFUSALS if part in words), OTHERWISE)
        return Refusal(short, words)

    # --- the state as plain data ---------------------------------------------------
    def graph(self) -> Graph:
        """Returns the present graph."""
        state, relation = self._state, self._relation
        nodes = {n.id: _node(n) for n in state.get_nodes()}
        inside = {i: tuple(sorted(state.get_node_ids_from(i, relation.INSIDE))) for i in nodes}
        on = {i: tuple(sorted(state.get_node_ids_from(i, relation.ON))) for i in nodes}
        held = tuple(i for hand in HANDS for i in state.get_node_ids_from(self.character, relation[hand]))
        return Graph(nodes, inside, on, held, frozenset(self._close(on)), self.character)

    def _close(self, on: Mapping[int, Sequence[int]]) -> Iterator[int]:
        """Yields what the executor counts as close: CLOSE, CLOSE to that, or ON that."""
        first = set(self._state.get_node_ids_from(self.character, self._relation.CLOSE))
        yield from first
        for node in first:
            yield from self._state.get_node_ids_from(node, self._relation.CLOSE)
        yield from (node for node, holders in on.items() if not first.isdisjoint(holders))

    def relocate(self, things: Mapping[int, int]) -> None:
        """Puts objects into rooms: node -> room. For the package, what lies on them does not move."""
        relation = self._relation.INSIDE
        for thing, room in sorted(things.items()):
            node = self._state.get_node(thing)
            for old in sorted(self._state.get_node_ids_from(thing, relation)):
                if self._state.get_node(old).category == "Rooms" and old != room:
                    self._state.delete_edge(node, relation, self._state.get_node(old))
            self._state.add_edge(node, relation, self._state.get_node(room))
        self._state = self._settled(self._state)

    def attach(self, links: Sequence[tuple[int, str, int]]) -> bool:
        """Puts objects (first) ON or INSIDE others (last). Returns True if there was anything to do."""
        state = self._state
        for thing, relation, holder in links:
            state.add_edge(state.get_node(thing), self._relation[relation], state.get_node(holder))
        self._state = self._settled(state)
        return bool(links)

    def put(self, thing: int, relation: str, holder: int, cargo: Sequence[tuple[int, str, int]]) -> None:
        """Puts an object ON or INSIDE another at once, with its cargo: (object, relation, holder).

        If it is held, the hand is free then. The robot is close to it then if it is close to the holder.
        """
        kinds, state = self._relation, self._state
        near = holder in state.get_node_ids_from(self.character, kinds.CLOSE)
        for moved in (thing, *(link[0] for link in cargo)):
            for kind in (kinds.INSIDE, kinds.ON, kinds.CLOSE):
                for other in sorted(state.get_node_ids_from(moved, kind)):
                    if kind == kinds.CLOSE:
                        state.delete_edge(state.get_node(other), kind, state.get_node(moved))
                    if kind == kinds.CLOSE or state.get_node(other).category != "Rooms":
                        state.delete_edge(state.get_node(moved), kind, state.get_node(other))
            state.delete_edge(state.get_node(self.character), kinds.CLOSE, state.get_node(moved))
        for hand in HANDS:
            state.delete_edge(state.get_node(self.character), kinds[hand], state.get_node(thing))
        state.executor_data.pop((self._scripts.Action.GRAB, thing), None)
        if near:
            state.add_edge(state.get_node(self.character), kinds.CLOSE, state.get_node(thing))
            state.add_edge(state.get_node(thing), kinds.CLOSE, state.get_node(self.character))
        self.attach(((thing, relation, holder), *cargo))

    def set_state(self, thing: int, state: str, instead_of: str) -> None:
        """Gives an object a state of VirtualHome's in place of another, empty if there is none."""
        node = self._state.get_node(thing).copy()
        node.states = {s for s in node.states if s.name != instead_of} | {self._environment.State[state]}
        self._state._new_nodes[thing] = node
        self._state = self._settled(self._state)

    def changes(self) -> Json:
        """Returns everything that differs from the apartment's file. Equal states give equal changes."""
        state = self._state
        edges = {f"{start} {relation.name}": sorted(state.get_node_ids_from(start, relation))
                 for start, relation in sorted(state._new_edges_from, key=lambda k: (k[0], k[1].value))}
        nodes = {str(i): sorted(s.name for s in node.states) for i, node in sorted(state._new_nodes.items())}
        left = {str(key[1]): [place.id, relation.name] for key, (place, relation) in state.executor_data.items()}
        return {"edges": edges, "states": nodes, "left": left}

    def load(self, changes: Json) -> None:
        """Replaces the state by `changes()` of this apartment.

        Raises:
            DataError: they are of another apartment, or damaged.
        """
        try:
            self._state = self._loaded(changes)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(f"not a saved state of {self._name} ({type(error).__name__}: {error}): save it again") from error

    def _loaded(self, changes: Json) -> Any:
        state = self._fresh()
        for key, targets in changes["edges"].items():
            start, relation = key.split(" ")
            for node in (int(start), *targets):
                self._known(node)
            self._write(state, (int(start), self._relation[relation]), set(map(int, targets)))
        for i, names in changes["states"].items():
            node = self._known(int(i)).copy()
            node.states = {self._environment.State[name] for name in names}
            state._new_nodes[int(i)] = node
        for i, (place, relation) in changes["left"].items():
            key = (self._scripts.Action.GRAB, self._known(int(i)).id)
            state.executor_data[key] = (self._known(place), self._relation[relation])
        return self._settled(state)

    def _known(self, node: int) -> Any:
        found = self._base.get_node(node)
        if found is None:
            raise KeyError(f"node {node}")
        return found

    def _settled(self, state: Any) -> Any:
        """Returns the same state rebuilt from what holds alone."""
        fresh = self._fresh()
        touched = {*state._new_edges_from, *state._removed_edges_from}
        for key in sorted(touched, key=lambda k: (k[0], k[1].value)):
            self._write(fresh, key, state.get_node_ids_from(*key))
        for i, node in sorted(state._new_nodes.items()):
            if node.states != self._base.get_node(i).states:
                fresh._new_nodes[i] = node.copy()
        for key, (place, relation) in sorted(state.executor_data.items(), key=lambda item: item[0][1]):
            fresh.executor_data[key] = (self._base.get_node(place.id), relation)
        return fresh

    def _write(self, state: Any, key: tuple[int, Any], targets: set[int]) -> None:
        first = set(self._base.get_node_ids_from(*key))
        if targets == first:
            return
        state._new_edges_from[key] = set(sorted(targets))  # sets filled in the same order are iterated in the same order
        if first - targets:
            state._removed_edges_from[key] = first - targets


def _node(node: Any) -> Node:
    return Node(node.id, node.class_name, node.category, frozenset(p.name for p in node.properties),
                frozenset(s.name for s in node.states))


def _modules() -> tuple[Any, Any, Any]:
    """Returns the package's environment, execution and scripts modules.

    Importing them seeds Python's random generator, so its state is restored afterwards.

    Raises:
        MissingPart: it is not installed.
    """
    state = random.getstate()
    path = f"{PACKAGE}.simulation.evolving_graph"
    try:
        environment, execution, scripts = (importlib.import_module(f"{path}.{name}")
                                           for name in ("environment", "execution", "scripts"))
    except ModuleNotFoundError as error:
        raise MissingPart(MISSING if error.name == PACKAGE else f"{MISSING} (it asks for '{error.name}')") from error
    finally:
        random.setstate(state)
    return environment, execution, scripts
