"""Each behaviour of a hostile server against each planner that asks: one line at most, no hang, little memory, no key anywhere.

By default a few of them, others every day; in a long test run all of them (a quarter of an hour).
"""

from __future__ import annotations

import base64
import importlib.util
import itertools
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest
from mcap.reader import make_reader

from tests.core.llm.hostile_servers import BEHAVIOURS, Victim
from tests.long_tests import LONG, either
from tests.loopback.chat_server import Json, Sent, serving

ROOT = Path(__file__).resolve().parents[3]
KEY = 'sk-"Pl4nt\\ed%41/+Zq9&x7!0123456789'
PLANNERS = ("llm-mcts", "llm-policy", "bcr", "llm-state", "progprompt", "inner-monologue")
TIMEOUT, MOST_MEGABYTES = 1.5, 600
MOST_SECONDS = either(120.0, 10.0)
"""Beside all other tests a run may be slow without hanging."""
TODAY = int(time.time() // 86_400)
"""Which few are tried today."""
FEW = 3
NAMES = tuple(BEHAVIOURS)


@dataclass(frozen=True)
class Run:
    """What one planner made of one behaviour."""

    behaviour: str
    planner: str
    code: int | str
    out: str
    err: str
    seconds: float
    megabytes: float
    claims: list[str]

    @property
    def faults(self) -> list[str]:
        """Everything that must not be."""
        lines = self.err.splitlines()
        errors = [line for line in lines if line.startswith("error:")]
        checks = {
            f"exit {self.code}": self.code in (0, 1, 2),
            "traceback": not any(line.startswith("Traceback (most") for line in lines),  # a server's own is quoted in a line
            f"{len(errors)} error lines": len(errors) == (self.code == 2),
            "control characters": all(c.isprintable() or c == "\n" for c in self.err),
            f"{self.seconds:.1f} s": self.seconds < MOST_SECONDS,
            f"{self.megabytes:.0f} MB": self.megabytes < MOST_MEGABYTES,
            f"done though not admissible: {self.claims}": not self.claims,
        }
        return [fault for fault, fine in checks.items() if not fine]

    @property
    def outcome(self) -> str:
        """What happened, in a line."""
        said = [line for line in self.err.splitlines() if line.startswith(("error:", "  warning:"))]
        return " / ".join(line.strip() for line in said) or self.err.strip().rpartition("\n")[2]


def arguments(planner: str, url: str, record: Path) -> list[str]:
    words = ["run", "--planner", planner, "--provider", "openai", "--base-url", url, "--json", "--record", str(record),
             "--no-pictures", "--ask", f"timeout={TIMEOUT}", "--ask", "retries=1", "--ask", "backoff=0", "--max-steps", "4"]
    words += ["--set", "simulations=10"] if planner == "llm-mcts" else []
    return [*words, *(("--sim", "scienceworld") if planner == "neoplanner" else ("--task", "Put one apple inside the fridge"))]


def runs(cases: Mapping[str, tuple[str, ...]], folder: Path) -> Iterator[Run]:
    """Each behaviour against its planners, all in one process; a proper home, cache and working folder of their own."""
    home = folder / "home"
    home.mkdir(parents=True)
    environment = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "XDG_DATA_HOME": str(home / "data"),
                   "XDG_CONFIG_HOME": str(home / "config"), "TMPDIR": str(home), "BELVEDERE_API_KEY": KEY,
                   "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "resources")]), "PATH": os.environ["PATH"],
                   "LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen", "NUMBA_CACHE_DIR": os.environ["NUMBA_CACHE_DIR"]}
    command = [sys.executable, "-m", "tests.core.llm.hostile_runs"]
    todo = [(name, planner) for name, planners in cases.items() for planner in planners]
    with (serving() as other, serving() as server, subprocess.Popen(
            command, cwd=home, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child):
        victim = Victim(KEY, other.base_url)
        for number, (name, planner) in enumerate(todo):
            server.script = partial(acted, name, victim)
            words = arguments(planner, server.base_url, home / f"{number}.mcap")
            line = answer(child, json.dumps({"arguments": words, "household": planner != "neoplanner"}))
            assert line, f"the process died of “{name}” with {planner}"
            yield Run(name, planner, **json.loads(line))
        assert other.requests == [], "a server that the user did not name was sent a prompt"
    leaks = [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file() and holds_key(contents(path))]
    assert not leaks, f"the key is in {leaks}"


def acted(name: str, victim: Victim, body: Json) -> Sent:
    return BEHAVIOURS[name](body, victim)


def answer(child: subprocess.Popen[str], line: str) -> str:
    """The child's answer to a line; it is killed when it gives none in three minutes."""
    assert child.stdin is not None
    assert child.stdout is not None
    timer = threading.Timer(180, child.kill)
    timer.start()
    try:
        child.stdin.write(line + "\n")
        child.stdin.flush()
        return child.stdout.readline()
    finally:
        timer.cancel()


def contents(path: Path) -> bytes:
    """A file's bytes, and what is packed in them."""
    data = path.read_bytes()
    if path.suffix == ".mcap":
        with path.open("rb") as file:
            reader = make_reader(file)
            data += b"".join(m.data for _, _, m in reader.iter_messages())
            data += b"".join(json.dumps(m.metadata, ensure_ascii=False).encode() for m in reader.iter_metadata())
    if path.suffix == ".sqlite":
        with sqlite3.connect(path) as database:
            data += repr(database.execute("SELECT * FROM replies").fetchall()).encode()
    return data


def forms(key: str) -> frozenset[bytes]:
    """The key in all the ways it could be given away."""
    json_form = json.dumps(key)[1:-1]
    halves = [part for text in (key, json_form) for part in (text[:len(text) // 2], text[len(text) // 2:], text)]
    encoded = [base64.b64encode(b"x" * k + key.encode()).decode()[4:36] for k in range(3)]
    escaped = ["".join(f"{mark}{ord(c):0{width}x}" for c in key[:8]) for mark, width in (("\\u", 4), ("\\\\u", 4), ("%", 2))]
    entities = "".join(f"&#{ord(c)};" for c in key[:8])
    quoted = [quote(key, ""), quote(key[:8], ""), entities, key.encode().hex()]
    return frozenset(text.encode() for text in [*halves, *encoded, *escaped, *quoted])


def holds_key(data: bytes) -> bool:
    return any(form in data for form in forms(KEY))


def check(found: list[Run]) -> None:
    bad = [f"{run.behaviour} × {run.planner}: {', '.join(run.faults)}\n{run.err[-1500:]}" for run in found if run.faults]
    bad += [f"{run.behaviour} × {run.planner}: the key is in its output" for run in found
            if holds_key((run.out + run.err).encode("utf-8", "surrogatepass"))]
    assert not bad, "\n".join(bad)


def test_the_search_for_keys_finds_them(tmp_path: Path) -> None:
    packed = base64.b64encode(b"Bearer " + KEY.encode()).decode()
    for text in (KEY, json.dumps(KEY), KEY[:17], KEY[17:], packed, quote(KEY, "")):
        assert holds_key(f"abc {text} def".encode())
    assert not holds_key(b"[key] sk- 01234567")


@pytest.mark.skipif(LONG, reason="all of them are tried")
def test_a_few_hostile_servers(tmp_path: Path) -> None:
    chosen = [NAMES[(TODAY * FEW + k) * 37 % len(NAMES)] for k in range(FEW)]  # 37: neighbours in the table are alike
    cases = {name: (PLANNERS[(TODAY + k) % len(PLANNERS)],) for k, name in enumerate(chosen)}
    check(list(runs(cases, tmp_path)))


@pytest.mark.skipif(not LONG, reason="takes a quarter of an hour: BELVEDERE_LONG_TESTS=1")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES)
def test_all_hostile_servers(name: str, tmp_path: Path) -> None:
    planners = (*PLANNERS, *(("neoplanner",) if importlib.util.find_spec("scienceworld") else ()))
    found = list(runs({name: planners}, tmp_path))
    table = os.environ.get("BELVEDERE_HOSTILE_TABLE")
    if table:
        with Path(table).open("a", encoding="utf-8") as file:
            for run in found:
                figures = f"{run.code}\t{run.seconds:.1f}\t{run.megabytes:.0f}"
                file.write(f"{name}\t{run.planner}\t{figures}\t{run.outcome[:160]}\n")
    check(found)


def test_the_table_is_large_enough() -> None:
    assert len(NAMES) >= 60
    assert {NAMES[k * 37 % len(NAMES)] for k in itertools.islice(itertools.count(), len(NAMES))} == set(NAMES)
