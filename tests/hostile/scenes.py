"""Hostile scenes by seed: graphs, iTHOR files and homes with wrong types, missing keys, absurd numbers, chains and bombs."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from sim.household.homes.reader import HOMES
from sim.household.scenes import ITHOR, SCENES_FOLDER

Json = Any
ODD: tuple[Json, ...] = (
    None, True, False, -1, 0, 2**31, 2**63, 10**400, 1e308, -1e300, 1e-300, float("nan"), float("inf"), -0.0, "", "7", "1e5",
    "x" * 5000, "\udc80", "\0\n\r", "é" * 300, [], {}, [[]], [{}], [None], {"": []}, "Rooms", "INSIDE", [1, 2, 3],
    ["1", "2", "3"],
    {"center": [0, 0, 0], "size": [0, 0, 0]}, {"center": [1e4, 0, 0], "size": [300, 3, 300]},
)
Mutate = Callable[[Json, Random], Json]


# --- what is harmed ----------------------------------------------------------
@cache
def _apartment() -> Json:
    graph = json.loads(gzip.decompress((SCENES_FOLDER / "graphs" / "apartment-721.json.gz").read_bytes()))
    return graph.get("init_graph", graph)


@cache
def _rooms() -> Json:
    table = json.loads(gzip.decompress(ITHOR.read_bytes()))
    return {kind: table[kind][:1] for kind in ("kitchens", "living_rooms", "bedrooms", "bathrooms")}


@cache
def _home() -> Json:
    return json.loads((HOMES / "four-rooms-1.json").read_text())


def small() -> Json:
    """A house of three rooms with boxes for everything."""
    nodes = [_node(k + 1, name, "Rooms", box=([5.0 * k, 1.3, 2.5], [5.0, 2.6, 5.0]))
             for k, name in enumerate(("kitchen", "bathroom", "bedroom"))]
    edges, sizes = [], {"table": 1.2, "fridge": 0.8, "bed": 1.9, "plate": 0.2, "mug": 0.1, "apple": 0.1}
    for k, (cls, size) in enumerate(sizes.items()):
        room, at = k % 3, 10 + k
        nodes.append(_node(at, cls, "Furniture" if size > 0.5 else "Props", ([5.0 * room, size / 2, 2.0], [size] * 3)))
        edges.append(_edge(at, room + 1, "INSIDE"))
    edges += [_edge(13, 10, "ON"), _edge(15, 11, "INSIDE"), _edge(14, 13, "ON")]
    return {"nodes": nodes, "edges": edges}


def _node(number: int, cls: str, category: str, box: tuple[list[float], list[float]] | None = None) -> Json:
    properties = ["GRABBABLE"] if category == "Props" else ["SURFACES", "CONTAINERS", "CAN_OPEN"]
    node: Json = {"id": number, "class_name": cls, "category": category, "properties": properties, "states": ["CLOSED"]}
    return node if box is None else {**node, "bounding_box": {"center": box[0], "size": box[1]}}


def _edge(a: int, b: int, relation: str) -> Json:
    return {"from_id": a, "to_id": b, "relation_type": relation}


# --- any JSON ----------------------------------------------------------------
def _places(value: Json, random: Random) -> tuple[Json, Any]:
    """A random container in a value, and one of its keys; deep ones as often as shallow ones."""
    place: tuple[Json, Any] | None = None
    for _ in range(random.randrange(1, 8)):
        keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
        if not keys:
            break
        place = value, random.choice(keys)
        value = value[place[1]]
    return place or ({"": 0}, "")


def swapped(value: Json, random: Random) -> Json:
    for _ in range(random.choice((1, 1, 3, 20))):
        holder, key = _places(value, random)
        holder[key] = deepcopy(random.choice(ODD))
    return value


def without_keys(value: Json, random: Random) -> Json:
    for _ in range(random.choice((1, 1, 5))):
        holder, key = _places(value, random)
        del holder[key]
    return value


def numbers_times(value: Json, random: Random) -> Json:
    """All numbers of a part grow, shrink, or become texts."""
    factor = random.choice((0, -1, 1e-9, 10.0, 60.0, 300.0, 1e4, 1e300, 1e308, "text"))
    holder, key = _places(value, random)
    for inner, at in list(_numbers(holder[key])) or [(holder, key)]:
        if isinstance(inner[at], int | float):
            inner[at] = str(inner[at]) if factor == "text" else inner[at] * factor
    return value


def _numbers(value: Json) -> Iterator[tuple[Json, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        if type(inner) in (int, float):
            yield value, key
        else:
            yield from _numbers(inner)


def nested(value: Json, random: Random) -> Json:
    deep: Json = []
    for _ in range(random.choice((50, 400, 900))):
        deep = [deep] if random.random() < 0.5 else {"a": deep}
    holder, key = _places(value, random)
    holder[key] = deep
    return value


def doubled(value: Json, random: Random) -> Json:
    """A part stands twice, or a thousand times."""
    holder, key = _places(value, random)
    if isinstance(holder, list):
        holder += [deepcopy(holder[key])] * random.choice((1, 1, 1000))
    return value


ANY: tuple[Mutate, ...] = (swapped, swapped, without_keys, numbers_times, numbers_times, nested, doubled)


# --- graphs --------------------------------------------------------------------
def circle(graph: Json, random: Random) -> Json:
    ids = [n["id"] for n in graph["nodes"]]
    ring = random.sample(ids, min(len(ids), random.choice((1, 2, 5))))
    relation = random.choice(("INSIDE", "ON"))
    graph["edges"] += [_edge(a, b, relation) for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)]
    return graph


def chain(graph: Json, random: Random) -> Json:
    count, relation = random.choice((10, 63, 64, 65, 500, 3000)), random.choice(("INSIDE", "ON"))
    graph["nodes"] += [_node(10_000 + k, "plate", "Props") for k in range(count)]
    graph["edges"] += [_edge(10_000 + k, 10_001 + k, relation) for k in range(count - 1)]
    return graph


def crowd(graph: Json, random: Random) -> Json:
    """Many things, with or without a box, loose or on one another's holder."""
    count = random.choice((300, 1000, 4000, 6000, 20_000))
    cls = random.choice(("table", "mug", "chair", "rug", "curtain", "lamp", "x"))
    boxed, on = random.random() < 0.4, random.random() < 0.5
    for k in range(count):
        box = ([random.uniform(0, 15), 0.5, random.uniform(0, 5)], [random.uniform(0, 3)] * 3) if boxed else None
        graph["nodes"].append(_node(20_000 + k, cls, random.choice(("Props", "Furniture", "Decor")), box))
        graph["edges"].append(_edge(20_000 + k, random.choice(graph["nodes"][:3])["id"], "INSIDE"))
        if on:
            graph["edges"].append(_edge(20_000 + k, random.choice(graph["nodes"])["id"], "ON"))
    return graph


def many_rooms(graph: Json, random: Random) -> Json:
    """Rooms without a box, or with boxes that overlap at random."""
    boxed = random.random() < 0.6
    for k in range(random.choice((5, 12, 36, 39, 300))):
        box = ([random.uniform(0, 40), 1.0, random.uniform(0, 40)], [random.uniform(0.5, 20), 2.0, random.uniform(0.5, 20)])
        graph["nodes"].append(_node(30_000 + k, random.choice(("bedroom", "kitchen", "hall")), "Rooms", box if boxed else None))
    return graph


def openings(graph: Json, random: Random) -> Json:
    for k in range(random.choice((3, 100, 3000))):
        box = ([random.uniform(-3, 15), 1.0, random.uniform(-1, 6)], [random.uniform(0, 3), 2.0, 0.1])
        cls, category = random.choice(("door", "window", "doorjamb")), random.choice(("Doors", "Windows"))
        graph["nodes"].append(_node(40_000 + k, cls, category, box))
    return graph


def many_edges(graph: Json, random: Random) -> Json:
    ids = [n["id"] for n in graph["nodes"]]
    for _ in range(random.choice((1000, 30_000, 250_000))):
        relation = random.choice(("CLOSE", "FACING", "ON", "BETWEEN"))
        graph["edges"].append(_edge(random.choice(ids), random.choice(ids), relation))
    return graph


def stretched(graph: Json, random: Random) -> Json:
    """All boxes moved or scaled."""
    scale, shift = random.choice((0.0, 0.01, 0.2, 3.2, 4.0, 60.0, 1e4)), random.choice((0.0, 0.0, 3e3, 1e6))
    for node in graph["nodes"]:
        box = node.get("bounding_box")
        if box:
            box["center"], box["size"] = [v * scale + shift for v in box["center"]], [v * scale for v in box["size"]]
    return graph


GRAPHS: tuple[Mutate, ...] = (circle, chain, crowd, crowd, many_rooms, openings, many_edges, stretched)


# --- bytes -----------------------------------------------------------------------
def _written(value: Json, random: Random) -> bytes:
    text = json.dumps(value)
    how = random.randrange(12)
    if how == 0:
        return text.encode(random.choice(("utf-16", "utf-32", "utf-8-sig", "utf-16-be")))
    if how == 1:
        data = bytearray(text.encode())
        for _ in range(random.choice((1, 20))):
            data[random.randrange(len(data))] = random.randrange(256)
        return bytes(data)
    if how == 2:
        return text.encode()[:random.randrange(len(text))]
    return text.encode()


def _packed(data: bytes, random: Random) -> bytes:
    whole = gzip.compress(data, 1)
    match random.randrange(8):
        case 0:
            return whole[:random.randrange(len(whole))]
        case 1:
            return whole + b"garbage"
        case 2:
            return data
        case 3:
            return whole + gzip.compress(b" " * 40 * 2**20, 1)
        case _:
            return whole


def _bomb(begin: bytes, piece: bytes, count: int, end: bytes) -> bytes:
    """A gzip file of `count` equal pieces, made without unpacking it."""
    packer = zlib.compressobj(1, wbits=31)
    many = piece * 100_000
    parts = [packer.compress(begin)]
    parts += [packer.compress(many) for _ in range(count // 100_000)]
    return b"".join([*parts, packer.compress(piece * (count % 100_000) + end), packer.flush()])


BOMBS: tuple[Callable[[], bytes], ...] = (
    lambda: _bomb(b"", b"[", 200_000, b""), lambda: _bomb(b"", b'{"nodes":', 200_000, b""),
    lambda: _bomb(b"[", b" " * 100, 7_000_000, b"]"), lambda: _bomb(b"[", b"[],", 10_000_000, b"0]"),
    lambda: _bomb(b'{"nodes":[', b"{},", 8_000_000, b'{}],"edges":[]}'), lambda: _bomb(b'"', b"a", 31 * 2**20, b'"'),
    lambda: _bomb(b"", b"9", 10**7, b""), lambda: b"", lambda: b"\0" * 1000, lambda: _bomb(b"[", b"0,", 900_000, b"0]"),
    lambda: _bomb(b'{"nodes":[],"edges":[', b"[],", 900_000, b"0]}"), lambda: _bomb(b'{"":{"":', b'{"":', 900, b"0"),
    lambda: _bomb(b"[", b'{"":[]},', 450_000, b"0]"),
)


def hostile(seed: int, folder: Path) -> tuple[str, str, Path]:
    """What it is (graph, rooms or home), what was done to it, and the file."""
    random = Random(seed)
    if random.random() < 0.06:
        path = folder / f"{seed}.json.gz"
        number = random.randrange(len(BOMBS))
        path.write_bytes(BOMBS[number]())
        return random.choice(("graph", "rooms")), f"bomb {number}", path
    kind = random.choices(("graph", "rooms", "home"), (8, 1, 1))[0]
    graphs: tuple[Callable[[], Json], ...] = (small, small, _apartment)
    whole: dict[str, Callable[[], Json]] = {"graph": random.choice(graphs), "rooms": _rooms, "home": _home}
    value = deepcopy(whole[kind]())
    applied: list[str] = []
    for _ in range(random.choice((1, 1, 2, 3))):
        mutate = random.choice((*ANY, *GRAPHS, *GRAPHS) if kind == "graph" and not applied else ANY)
        value = mutate(value, random)
        applied.append(mutate.__name__)
    data, packed = _written(value, random), kind == "rooms" or random.random() < 0.3
    path = folder / f"{seed}.json{'.gz' if packed else ''}"
    path.write_bytes(_packed(data, random) if packed else data)
    return kind, ", ".join(applied), path
