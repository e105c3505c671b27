"""The score over interactions and episodes."""

from __future__ import annotations

from core.planners.neoplanner.recorded_types import Scores

MOST_POINTS = 4000

NOTHING = Scores(((0, 0.0),), (), 0, 0.0, 0.0, 0)


def after_action(now: Scores, score: float) -> Scores:
    """Returns the scores after one more interaction."""
    count = now.interactions + 1
    points = now.points if score == now.score else (*now.points, (count, score))[-MOST_POINTS:]
    best, best_at = (score, count) if score > now.best else (now.best, now.best_at)
    return Scores(points, now.ends, count, score, best, best_at, now.most)


def after_episode(now: Scores) -> Scores:
    """Returns the scores after the end of an episode; the next one starts at 0."""
    ends = (*now.ends, (now.interactions, now.score))[-MOST_POINTS:]
    points = now.points if now.score == 0 else (*now.points, (now.interactions, 0.0))[-MOST_POINTS:]
    return Scores(points, ends, now.interactions, 0.0, now.best, now.best_at, now.most)
