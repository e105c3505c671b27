"""All constants of NeoPlanner, with the paper's values and ours."""

from __future__ import annotations

from dataclasses import dataclass

from core.common.parameters import Parameters, parameter


@dataclass(frozen=True)
class NeoParameters(Parameters):
    """Parameters of NeoPlanner; the help texts give the paper's names of the constants."""

    graph: bool = parameter(True, "plan on the state-space graph and avoid what was tried; off: only what the model proposes")
    exploration: float = parameter(0.9, "C: weight of the exploration term (eq. 1)", low=0, high=100)
    step_size: float = parameter(0.2, "alpha: step size of the TD update (eq. 5)", low=0.001, high=1)
    decay: float = parameter(0.9, "gamma: decay of later rewards (eq. 5)", low=0, high=1)
    nonlinearity: float = parameter(3.0, "n: how fast K falls as actions are tried (eq. 4)", low=1, high=20)
    sweeps: int = parameter(10, "TD sweeps after each round at most", low=1, high=1000)
    threshold: float = parameter(0.2, "sweeps end when the mean absolute change of the values is below this", low=0, high=10)
    default_value: float = parameter(0.0, "V default: value of a state not visited yet (eq. 2)", low=-10, high=10)
    edge_rewards: bool = parameter(True, "choose among ways on by reward and value of what follows; off: by its value alone")
    skip_loops: bool = parameter(True, "a path never comes back to a state; off: it ends where the best way on comes back")
    menu_per_thing: float = parameter(3.0, "actions worth trying in a state, for each thing in sight (|a_s|); "
                                           "0: every filling of every kind of action", low=0, high=100)
    rounds: int = parameter(4, "rounds of planning and doing in an episode", low=1, high=100)
    horizon: int = parameter(8, "proposed actions done in a round", low=1, high=200)
    ask_again: bool = parameter(True, "ask again within a round when an answer is done before the horizon")
    tries: int = parameter(2, "answers without one usable action before a random one is taken", low=1, high=10)
    explore: float = parameter(0.3, "sigma: the objective is to explore with a chance of sigma/ln N (eq. 6)", low=0, high=0.5)
    learner: bool = parameter(True, "write down after each episode what was learnt, and read it in the next")
    most_learnings: int = parameter(400, "lines kept of what was learnt", low=1, high=5000)
    trace: int = parameter(40, "steps of the episode that the prompt tells", low=0, high=500)
    temperature: float = parameter(0.5, "temperature of the proposals; -1: as the model is set", low=-1, high=2)
    stand_in: str = parameter("words", "how the offline provider (not an LLM) answers: plain rules with a table of everyday "
                                       "words, plain rules, or careful random", choices=("words", "rules", "random"))
    memory: str = parameter("", "file (JSON) that graph and learnings are resumed from and saved to after each episode; "
                                "empty: a blank memory")


TUNED = NeoParameters()
PAPER = NeoParameters(edge_rewards=False, skip_loops=False, menu_per_thing=0.0, ask_again=False, horizon=200)
"""The paper's settings: one reply for each round, all of it executed; only V(s') decides among known actions; |a_s| counts
every possible sentence. TUNED changes what keeps these from completing a small world: V(s') does not include the reward on
the way to s', and rewards given once in an episode look to the graph like rewards for repeating a loop."""
