"""Equations 1 to 6 of NeoPlanner, walked by hand on three states, and their properties.

The constants are those of the preset `paper`: C = .9, alpha = .2, gamma = .9, n = 3, V default = 0, sigma = .3.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.parameters import described
from core.planners.neoplanner.state_space import (
    INVALID,
    PAPER,
    ROOT,
    TUNED,
    StateSpace,
    bonus,
    explore_chance,
    exploring,
    known_bound,
    select,
    sweep,
    transformed,
    untried,
)

A, B, C = 2, 3, 4  # nodes in the order of their first visit; 0 is the root, 1 the invalid node
DEVIATIONS = {
    "threshold", "edge_rewards", "best_reward", "skip_loops", "skip_idle", "menu_per_thing", "open_loop", "horizon",
    "ask_again", "tries", "guess", "listed", "only_known_kinds", "explore_from", "most_learnings", "lessons", "trace",
    "remarks"}


def walked() -> StateSpace:
    """Two episodes: A, B, C with a reward of 10 on the way to C; then a refused action in A, B, C with a reward of 3.

    |a_A| = 4, |a_B| = 2, |a_C| = 5.
    """
    space = StateSpace()
    assert (space.add("A", "a", 4), space.add("B", "b", 2), space.add("C", "c", 5)) == (A, B, C)
    space.begin(A)
    space.record(A, "go b", B, transformed(0), best=PAPER.best_reward)
    space.record(B, "go c", C, transformed(10), best=PAPER.best_reward)
    space.begin(A)
    space.record(A, "eat door", INVALID, 0.0, best=PAPER.best_reward)
    space.record(A, "go b", B, transformed(0), best=PAPER.best_reward)
    space.record(B, "go c", C, transformed(3), best=PAPER.best_reward)
    return space


def test_the_equations_by_hand() -> None:
    space = walked()

    # Section IV-D: n_s counts the visits; the edge is updated, so it holds the last reward: ln(1 + 3) = 1.386294, not ln 11.
    assert [space[n].visits for n in (ROOT, INVALID, A, B, C)] == [2, 1, 2, 2, 2]
    assert space[B].tried["go c"].reward == pytest.approx(1.386294, abs=1e-6)
    assert space[A].tried["eat door"].target == INVALID

    # Eq. 5, first sweep, last state first. C has no child and stays 0.
    #   V(B) = 0 + .2 (1.386294 + .9 * 0 - 0)        = .277259
    #   V(A) = 0 + .2 (0 + .9 * .277259 - 0)         = .049907
    # Mean change (.277259 + .049907) / 3 = .109055: below .2, where the released code stops; above .001, so it goes on.
    # Second sweep:
    #   V(B) = .277259 + .2 (1.386294 - .277259)     = .499066
    #   V(A) = .049907 + .2 (.9 * .499066 - .049907) = .129757
    once = walked()
    assert sweep(once, replace(PAPER, threshold=0.2)) == 1
    assert [once[n].value for n in (A, B, C)] == pytest.approx([0.049907, 0.277259, 0], abs=1e-6)
    assert sweep(space, replace(PAPER, sweeps=2)) == 2
    assert [space[n].value for n in (A, B, C)] == pytest.approx([0.129757, 0.499066, 0], abs=1e-6)

    # Eq. 1: each state has one parent with N = 2 visits, and 2 visits of its own: .9 sqrt(ln 2 / 2) = .9 * .588705 = .529835.
    #   V+(A) = .129757 + .529835 = .659592, V+(B) = .499066 + .529835 = 1.028901, V+(C) = .529835
    bounds = [space[n].value + bonus(space, n, PAPER) for n in (A, B, C)]
    assert bounds == pytest.approx([0.659592, 1.028901, 0.529835], abs=1e-6)

    # Eq. 4: K_A = ((4 - 2) / 4)^3 = .125 (the refused action counts), K_B = ((2 - 1) / 2)^3 = .125, K_C = 1.
    assert [untried(space, n, PAPER) for n in (A, B, C)] == pytest.approx([0.125, 0.125, 1])

    # Eq. 2: V+explore(A) = V+explore(B) = 0 + .125 * .9 sqrt(ln 2) = .125 * .749299 = .093662; V+explore(C) = .749299.
    assert [exploring(space, n, PAPER) for n in (A, B, C)] == pytest.approx([0.093662, 0.093662, 0.749299], abs=1e-6)

    # Eq. 3: from A, V+K(B) = .499066 + .125 * .529835 = .565295; from B, V+K(C) = 0 + .125 * .529835 = .066229.
    assert known_bound(space, A, space[A].tried["go b"], PAPER) == pytest.approx(0.565295, abs=1e-6)
    assert known_bound(space, B, space[B].tried["go c"], PAPER) == pytest.approx(0.066229, abs=1e-6)

    # selectplan: in A, .093662 < .565295, so "go b" is taken; in B, .093662 > .066229, so the model is asked there.
    found = select(space, A, PAPER)
    assert [leg.action for leg in found.path] == ["go b"]
    assert (found.end, found.because, found.avoid) == (B, "exploring", ("go c",))
    assert [(b.state, b.way, b.visits) for b in found.bounds] == [(A, "go b", 2), (B, "go c", 2)]
    assert [(b.untried, b.new_bound, b.known_bound) for b in found.bounds] == [
        pytest.approx((0.125, 0.093662, 0.565295), abs=1e-6), pytest.approx((0.125, 0.093662, 0.066229), abs=1e-6)]

    # Eq. 6: N = 2: .3 / .693147 = .432809; N = 3: .3 / 1.098612 = .273072; N = 10: .3 / 2.302585 = .130288.
    # For N = 0 and 1 the logarithm is not positive, and the equation gives no probability: the objective is explored.
    assert [explore_chance(PAPER, n) for n in (2, 3, 10)] == pytest.approx([0.432809, 0.273072, 0.130288], abs=1e-6)
    assert [explore_chance(PAPER, n) for n in (0, 1)] == [1, 1]


def forked() -> StateSpace:
    """Two episodes: A, C with a reward of 1; then A, B, C with a reward of 2 at the end.

    |a_A| = 4, |a_B| = 2, |a_C| = 5.
    """
    space = StateSpace()
    a, c, b = space.add("A", "a", 4), space.add("C", "c", 5), space.add("B", "b", 2)
    space.begin(a)
    space.record(a, "go c", c, transformed(1), best=PAPER.best_reward)
    space.begin(a)
    space.record(a, "go b", b, transformed(0), best=PAPER.best_reward)
    space.record(b, "go c", c, transformed(2), best=PAPER.best_reward)
    return space


def test_a_fork_by_hand() -> None:
    """Where several ways lead on and to one state: the N of Eq. 1, the order of Eq. 5, and the choice of `selectplan`."""
    space = forked()
    a, c, b = 2, 3, 4
    assert [space[n].visits for n in (ROOT, a, b, c)] == [2, 2, 1, 2]

    # Eq. 5, one sweep, last state first: B, C, A. The children of A one after the other, in the order they were tried.
    #   V(B) = .2 ln 3 = .219722; V(C) = 0
    #   V(A) = .2 ln 2 = .138629 by "go c", then .138629 + .2 (.9 * .219722 - .138629) = .150454 by "go b"
    sweep(space, replace(PAPER, sweeps=1))
    assert [space[n].value for n in (a, b, c)] == pytest.approx([0.150454, 0.219722, 0], abs=1e-6)

    # Eq. 1: N is the visits of all parents. Of B: n_A = 2, so .9 sqrt(ln 2 / 1) = .749299.
    # Of C: n_A + n_B = 3, so .9 sqrt(ln 3 / 2) = .667037.
    assert [bonus(space, n, PAPER) for n in (b, c)] == pytest.approx([0.749299, 0.667037], abs=1e-6)

    # With V(B) = .1 and V(C) = .15: V+(B) = .849299 is larger than V+(C) = .817037, although V(C) is larger than V(B), and so
    # is V+K(C) = .15 + .125 * .667037 = .233380 than V+K(B) = .1 + .125 * .749299 = .193662. The algorithm goes by V+: to B.
    # Eq. 2 in A: .125 * .9 sqrt(ln 2) = .093662 < .193662, so it goes on. In B: n_B = 1, so Eq. 2 gives 0: on to C, a leaf.
    space.set_value(b, 0.1)
    space.set_value(c, 0.15)
    found = select(space, a, PAPER)
    assert [leg.action for leg in found.path] == ["go b", "go c"]
    assert (found.end, found.because) == (c, "leaf")
    assert found.bounds[0].known_bound == pytest.approx(0.193662, abs=1e-6)

    # V default = .15: Eq. 2 in A gives .15 + .093662 = .243662 > .193662, so the model is asked in A.
    found = select(space, a, replace(PAPER, default_value=0.15))
    assert (found.path, found.end, found.because, found.avoid) == ((), a, "exploring", ("go c", "go b"))


def test_rises_and_falls_do_not_cancel_out() -> None:
    """Section IV-D ends the sweeps when the average change is small. V(B) rises by .2 * .85 = .17, and V(A) falls from 1 by
    .2 (1 - .9 * .17) = .1694: .0002 in sum, but .11 on average, so there is a second sweep."""
    space = StateSpace()
    a, b, c = (space.add(name, name, 4) for name in "ABC")
    space.begin(a)
    space.record(a, "go b", b, 0.0)
    space.record(b, "go c", c, 0.85)
    space.set_value(a, 1.0)
    assert sweep(space, replace(PAPER, sweeps=2)) == 2


def test_an_action_without_effect_is_an_edge_like_any_other_in_the_paper() -> None:
    """Eq. 5 with s' = s: V = 1 + .2 (0 + .9 - 1) = .98; selectplan detects the loop and asks there."""
    space = StateSpace()
    space.begin(space.add("A", "a", 4))
    space.record(A, "look", A, 0.0)
    space.set_value(A, 1.0)
    sweep(space, replace(PAPER, sweeps=1))
    assert space[A].value == pytest.approx(0.98)
    assert select(space, A, PAPER).because == "loop"
    assert select(space, A, TUNED).because == "leaf"


def test_every_deviation_from_the_paper_is_a_parameter_that_differs() -> None:
    tuned = {p.name: p.value for p in described(TUNED)}
    assert {p.name for p in described(PAPER) if p.value != tuned[p.name]} == DEVIATIONS


def chain(states: int, reward: float) -> StateSpace:
    """States in a row; the last step gets the reward."""
    space = StateSpace()
    nodes = [space.add(str(k), "room", 10) for k in range(states)]
    space.begin(nodes[0])
    for k in range(states - 1):
        space.record(nodes[k], "on", nodes[k + 1], transformed(reward) if k == states - 2 else 0.0)
    return space


@given(st.integers(5, 40), st.integers(3, 100))
def test_further_sweeps_matter_on_chains(states: int, reward: int) -> None:
    once, often = chain(states, reward), chain(states, reward)
    sweep(once, replace(PAPER, sweeps=1))
    assert sweep(often, PAPER) > 1
    first = next(iter(often))
    assert often[first].value > once[first].value > 0
    if transformed(reward) * PAPER.step_size / (1 - PAPER.step_size * PAPER.decay) < 0.2 * states:
        assert sweep(chain(states, reward), replace(PAPER, threshold=TUNED.threshold)) == 1


@given(st.lists(st.integers(-100, 100), min_size=1, max_size=20))
def test_an_edge_keeps_its_last_or_its_best_reward(rewards: list[int]) -> None:
    last, best = StateSpace(), StateSpace()
    for space, p in ((last, PAPER), (best, TUNED)):
        source, target = space.add("A", "a", 4), space.add("B", "b", 4)
        for reward in rewards:
            space.record(source, "on", target, transformed(reward), best=p.best_reward)
    assert last[A].tried["on"].reward == transformed(rewards[-1])
    assert best[A].tried["on"].reward == transformed(max(rewards))


@given(st.floats(0, 0.5), st.integers(0, 100), st.integers(0, 1000))
def test_the_chance_to_explore_is_a_probability_that_falls(sigma: float, start: int, explored: int) -> None:
    p = replace(PAPER, explore=sigma, explore_from=start)
    assert 0 <= explore_chance(p, explored + 1) <= explore_chance(p, explored) <= 1
    assert explore_chance(TUNED, explored) == pytest.approx(0.3 / math.log(2 + explored))
    assert explore_chance(replace(p, explore=0.0), explored) == 0
