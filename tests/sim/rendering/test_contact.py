from __future__ import annotations

import math

import numpy as np
import pytest

from sim.geometry.model import Thing
from sim.rendering.contact import Blocks, flat_gaps, near_pairs, separation, upright_gaps


def some(count: int, seed: int) -> Blocks:
    rng = np.random.default_rng(seed)
    angle, half = rng.uniform(0, 3, count), rng.uniform(0.01, 1.5, (count, 3)) * rng.choice([0.1, 1.0], (count, 1))
    axis = np.column_stack((np.cos(angle), np.sin(angle)))
    return Blocks(np.arange(count), rng.uniform(-3, 3, (count, 3)), axis, half)


@pytest.mark.parametrize(("flat", "upright"), [(0.0, 0.0), (0.3, math.inf), (-0.05, -0.05)])
def test_near_pairs_are_all_pairs_that_are_near(flat: float, upright: float) -> None:
    a, b = some(40, 1), some(60, 2)
    first, second = near_pairs(a, b, flat, upright)
    i, j = np.repeat(np.arange(40), 60), np.tile(np.arange(60), 40)
    one, other = a.taken(i), b.taken(j)
    near = (np.abs(one.centre[:, :2] - other.centre[:, :2]) <= one.extent + other.extent + flat).all(1)
    near &= upright_gaps(one, other) <= upright
    found = list(zip(first.tolist(), second.tolist(), strict=True))
    assert len(set(found)) == len(found) > 10
    assert set(found) == set(zip(i[near].tolist(), j[near].tolist(), strict=True))


@pytest.mark.parametrize("yaw", [0.0, 0.5, math.pi / 2])
def test_a_part_moved_by_its_gap_touches_the_other(yaw: float) -> None:
    a = Blocks.of([Thing("a", "BaseFill", 0, (0.0, 0.0, 0.0), (0.4, 0.2, 1.0), yaw)])
    b = Blocks.of([Thing("b", "BaseFill", 0, (0.1, 1.0, 0.0), (2.0, 0.6, 1.0))])
    gaps, along = separation(a, b)
    assert gaps[0] > 0
    dx, dy = (gaps[0] * along[0]).tolist()
    moved = Blocks.of([Thing("a", "BaseFill", 0, (dx, dy, 0.0), (0.4, 0.2, 1.0), yaw)])
    assert flat_gaps(moved, b)[0] == pytest.approx(0.0, abs=1e-4)


def test_a_lying_cylinder_is_as_long_as_it_lies() -> None:
    rail = Blocks.of([Thing("rail", "TowelHolder", 0, (0.0, 0.0, 0.0), (0.8, 0.1, 0.04))])
    bar = int(np.argmax(rail.half[:, :2].max(1)))
    assert rail.extent[bar, 0] == pytest.approx(0.39, abs=0.02)
    assert rail.half[bar, 2] < 0.02
