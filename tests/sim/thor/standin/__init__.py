"""A stand-in for AI2-THOR's Unity player: the real protocol, real iTHOR rooms, plain rules instead of physics.

It is a program of its own, started by the real controller: `python -m tests.sim.thor.standin`.
"""
