"""The language model in a search: as heuristic policy, and as world model that says where objects are and in which rooms.

Builds the requests, parses the replies, and says for each how it was interpreted, with a score, as shown to the operator. The
policy's answers are stored by knowledge state.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from core.llm.grounding import first_action, ground_choice
from core.llm.grounding.choices import steps_of, word_overlap
from core.llm.grounding.match import SCANNED, clauses
from core.llm.grounding.places import Position, counted, positions, read_places, read_rooms
from core.planning.belief import LEAST, from_counts, normalised
from core.planning.facets import ClassAnswers, Grounded, Grounding, MixtureKind, PositionAnswers
from core.planning.model_requests import Expects, ModelReply, ModelRequest, prompt
from core.planning.planner import Sent, Yielded
from core.planning.prompt_facts import ObjectPositionsFacts, PlaceFact, PlaceRoomsFacts
from core.search.policy_prompt import PolicyPrompt
from core.search.problem import Move
from core.search.rearrangement import Rearrangement, Vector
from core.search.search import Answer, Key, Request
from core.world.vocabulary import Value, spaced

# --- interpretation of replies ----------------------------------------------------
SHOWN = 200
"""The maximum number of characters of a reply that are stored with its interpretation."""
MOST_NAMED = 3
"""The maximum number of equally plausible places that are named."""


def understood(ask: ModelRequest, reply: ModelReply, phrases: Sequence[tuple[str, ...]]) -> Grounding:
    """Returns how the first sample was resolved to one of the choices.

    Args:
        ask: the request.
        reply: its reply.
        phrases: for each choice the phrases of its actions.
    """
    sentences = [", ".join(p) for p in phrases]
    if reply.scores:
        return _by_probability(ask, reply, sentences)
    said = (reply.texts[0] if reply.texts else "").strip()
    alike = reply.alike[0] if reply.alike else ()
    match = ground_choice(said, phrases, alike)
    meant = sentences[match.candidate] if match.candidate is not None else ""
    second = sentences[match.runner_up] if match.runner_up is not None else ""
    return Grounding(ask.digest, said[:SHOWN], meant, match.score, match.how, second, match.runner_up_score,
                     words_only(alike, match.how))


def translated(ask: ModelRequest, reply: ModelReply, phrases: Sequence[tuple[str, ...]],
               rows: Sequence[Sequence[float]]) -> Grounding:
    """Returns the admissible action that the samples' first actions resemble most together, as in section 2.3.

    Args:
        ask: the request.
        reply: its reply, free text.
        phrases: (n,) for each admissible action its phrases.
        rows: for each sample its (n,) similarities; empty if it names no action.
    """
    scores, lost = _summed(rows), sum(not row for row in rows)
    if not scores:
        said = (reply.texts[0] if reply.texts else "").strip()
        how = "refused" if clauses(said[:SCANNED]).refused else "none"
        return Grounding(ask.digest, said[:SHOWN], "", 0.0, how, words_only=not reply.alike, untranslated=lost)
    first, second = [*sorted(range(len(scores)), key=lambda k: -scores[k]), 0][:2]
    told = len(rows) - lost
    best = max((k for k, row in enumerate(rows) if row), key=lambda k: rows[k][first])
    share, next_share = (min(1.0, max(0.0, scores[k] / told)) for k in (first, second))
    runner_up = ", ".join(phrases[second]) if len(phrases) > 1 else ""
    how = "embedding" if reply.alike else "nearest"
    return Grounding(ask.digest, first_action(reply.texts[best])[:SHOWN], ", ".join(phrases[first]), share, how, runner_up,
                     next_share if runner_up else 0.0, words_only=not reply.alike, untranslated=lost)


def understood_places(ask: ModelRequest, reply: ModelReply, places: Sequence[Position]) -> Grounding:
    """Returns the place that most samples name, and the second."""
    phrases = [place.phrase for place in places]
    if reply.scores:
        return _by_probability(ask, reply, phrases)
    if not reply.texts:
        return Grounding(ask.digest, "", "", 0.0, "none")
    read = read_places(reply, places)
    votes = Counter(answers.answers[0].spots for answers in read if answers.answers)
    first = next((k for k, answers in enumerate(read) if answers.answers), 0)
    said, shown = reply.texts[first].strip()[:SHOWN], read[first]
    if not votes:
        nearest = _named(shown.nearest, phrases)
        return Grounding(ask.digest, said, "", shown.nearest_score, shown.how, nearest, shown.nearest_score,
                         words_only(reply.alike, shown.how))
    spots, _ = votes.most_common(1)[0]
    answer = next(a.answers[0] for a in read if a.answers and a.answers[0].spots == spots)
    others = Counter(a.spots for answers in read for a in answers.answers if a.spots != spots)
    second = others.most_common(1)[0][0] if others else ()
    score = next((a.score for answers in read for a in answers.answers if a.spots == second), 0.0)
    return Grounding(ask.digest, said, _named(spots, phrases), answer.score, answer.how, _named(second, phrases),
                     min(score, answer.score), words_only(reply.alike, answer.how))


def _named(spots: Sequence[int], phrases: Sequence[str]) -> str:
    """Returns places in words; of many, the first ones and the number of the others."""
    shown = " or ".join(phrases[k] for k in spots[:MOST_NAMED])
    return f"{shown} or {len(spots) - MOST_NAMED} others" if len(spots) > MOST_NAMED else shown


def words_only(alike: Sequence[object], how: str) -> bool:
    """Returns True if embeddings were requested but are not installed, so that only words were compared."""
    return not alike and how in ("none", "edit", "part")


def _by_probability(ask: ModelRequest, reply: ModelReply, sentences: Sequence[str]) -> Grounding:
    known = sorted(((s, c) for c, s in reply.scores if c in sentences and math.isfinite(s)), reverse=True)
    if not known:
        return Grounding(ask.digest, "", "", 0.0, "none")
    total = sum(math.exp(s - known[0][0]) for s, _ in known)
    second = known[1] if len(known) > 1 else None
    return Grounding(ask.digest, known[0][1], known[0][1], 1 / total, "probability", second[1] if second else "",
                     math.exp(second[0] - known[0][0]) / total if second else 0.0)


# --- policy -----------------------------------------------------------------------
SOFTMAX: Mapping[str, MixtureKind] = MappingProxyType({"softmax": "softmax", "mean-softmax": "mean-softmax"})
"""The ways of making a policy from similarities, by the values of the planner's parameter `answers`."""
MOST_ANSWERS = 20_000
"""The maximum number of stored answers; the oldest are removed first."""


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """How the model is asked and how its replies are used. The planner's parameters of the same names document the fields."""

    answers: str = "vote"
    sharpness: float = 1.0
    samples: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    wrong: float = 0.0


@dataclass(frozen=True, slots=True)
class Evidence(Value):
    """How the samples of a reply became an answer. The fields are those of `PolicyMixture`."""

    how: MixtureKind
    samples: tuple[str, ...]
    cosines: Vector
    words_only: bool
    prompt: str


class PolicyModel:
    """The policy of the search. Stores each answer for the episode.

    Deep-copyable: it holds answers, not the state of a search.

    Args:
        settings: the settings.
        salt: the seed of the noise of `PolicySettings.wrong`, constant within an episode.

    Attributes:
        asked: the number of requests built.
    """

    def __init__(self, settings: PolicySettings, salt: int):
        self.settings, self._salt = settings, salt
        self._answers: dict[Key, Answer] = {}
        self._evidence: dict[Key, Evidence] = {}
        self.asked = 0

    def forget(self) -> None:
        """Removes all answers, because the goal or the objects have changed."""
        self._answers, self._evidence = {}, {}

    def answer(self, key: Key) -> Answer | None:
        """Returns the stored answer for a knowledge state; None if it has not been requested."""
        return self._answers.get(key)

    def evidence(self, key: Key) -> Evidence | None:
        """Returns how an answer was made; None if it has not been requested."""
        return self._evidence.get(key)

    # --- requests ---------------------------------------------------------------
    def ask(self, request: Request, briefing: PolicyPrompt) -> ModelRequest:
        """Returns the model request for a knowledge state."""
        self.asked += 1
        ask, s = briefing.ask(request), self.settings
        return replace(ask, samples=s.samples, temperature=s.temperature, top_p=s.top_p,
                       compare="all" if s.answers in SOFTMAX else ask.compare)

    def take(self, request: Request, ask: ModelRequest, reply: ModelReply, briefing: PolicyPrompt) -> Grounding:
        """Parses a reply and stores the answer. An unusable reply gives the uniform prior.

        Returns:
            How the reply was interpreted.
        """
        phrases = briefing.phrases(request)
        rows = similarities(reply, phrases) if ask.against or self.settings.answers in SOFTMAX else []
        while len(self._answers) >= MOST_ANSWERS:
            self._evidence.pop(oldest := next(iter(self._answers)), None)
            self._answers.pop(oldest)
        wrong = self._noise_action(request)
        if wrong is not None:
            self._answers[request.key] = {wrong: 1.0}
        elif self.settings.answers in SOFTMAX:
            self._answers[request.key] = self._softmax(request.moves, rows)
        elif ask.against:
            self._answers[request.key] = _nearest(request.moves, rows)
        else:
            self._answers[request.key] = _votes(request.moves, phrases, reply)
        self._evidence[request.key] = self._evidence_of(request, ask, reply, rows, len(phrases), noise=wrong is not None)
        return translated(ask, reply, phrases, rows) if ask.against else understood(ask, reply, phrases)

    def _noise_action(self, request: Request) -> int | None:
        """Returns a random action to use instead of the answer with probability `wrong`, else None.

        The choice is fixed for each knowledge state; all samples of it are wrong together.
        """
        if self.settings.wrong <= 0:
            return None
        rng = np.random.default_rng((self._salt, zlib.crc32(request.key)))
        if rng.random() >= self.settings.wrong:
            return None
        return request.moves[int(rng.integers(len(request.moves)))].action

    def _softmax(self, moves: Sequence[Move], rows: Sequence[Sequence[float]]) -> Answer:
        """Returns softmax(sharpness * (sum over samples of the cosine - its mean over the actions)), section 2.3.

        With `mean-softmax`, the mean of this softmax for each sample alone, as in the released code.

        Args:
            moves: (n,) the actions.
            rows: for each sample its (n,) similarities; empty if it names no action.
        """
        told = [np.array(row) for row in rows if row]
        if not told:
            return {}
        scores = np.stack(told) if self.settings.answers == "mean-softmax" else np.sum(told, axis=0, keepdims=True)
        centred = self.settings.sharpness * (scores - scores.mean(axis=1, keepdims=True))
        powers = np.exp(centred - centred.max(axis=1, keepdims=True))
        shares = (powers / powers.sum(axis=1, keepdims=True)).mean(axis=0)
        return {move.action: share for move, share in zip(moves, shares.tolist(), strict=True)}

    def _evidence_of(self, request: Request, ask: ModelRequest, reply: ModelReply, rows: Sequence[Sequence[float]],
                     choices: int, *, noise: bool) -> Evidence:
        told = [] if noise else [(k, row) for k, row in enumerate(rows) if row]
        cosines = np.array([row for _, row in told], float).reshape(len(told), choices)
        cosines.setflags(write=False)
        samples = tuple(first_action(reply.texts[k]) for k, _ in told) or tuple(
            first[0] for t in reply.texts if (first := steps_of(t)))
        usual: MixtureKind = "probabilities" if reply.scores else "votes"
        how: MixtureKind = ("noise" if noise else "none" if not self._answers[request.key]
                            else SOFTMAX.get(self.settings.answers, usual))
        words = any(k >= len(reply.alike) or len(reply.alike[k]) != choices for k, _ in told)
        return Evidence(how, tuple(s[:SHOWN] for s in samples), cosines, words, ask.digest)


def similarities(reply: ModelReply, phrases: Sequence[tuple[str, ...]]) -> list[tuple[float, ...]]:
    """Returns for each sample the similarity of its first action to the first action of each choice; () if it names none.

    It is the cosine of sentence embeddings if the reply contains it, else of word counts.
    """
    rows: dict[str, tuple[float, ...]] = {}
    for k, text in enumerate(reply.texts):
        if text not in rows:
            embedded, first = reply.alike[k] if k < len(reply.alike) else (), first_action(text)
            by_words = () if not first or len(embedded) == len(phrases) else tuple(word_overlap(first, p[0]) for p in phrases)
            rows[text] = (by_words if any(by_words) else ()) if not first or by_words else embedded
    return [rows[text] for text in reply.texts]


def _summed(rows: Sequence[Sequence[float]]) -> list[float]:
    """Returns the sum over the samples that name an action; empty if none does."""
    said = [row for row in rows if row]
    return [sum(column) for column in zip(*said, strict=True)] if said else []


def _nearest(moves: Sequence[Move], rows: Sequence[Sequence[float]]) -> Answer:
    """Returns action -> number of samples whose first action is most similar to it (Huang et al. 2022)."""
    votes: dict[int, float] = {}
    for row in rows:
        if row:
            action = moves[max(range(len(row)), key=row.__getitem__)].action
            votes[action] = votes.get(action, 0.0) + 1.0
    return votes


def _votes(moves: Sequence[Move], phrases: Sequence[tuple[str, ...]], reply: ModelReply) -> Answer:
    """Returns action -> number of samples that chose it, or its relative probability if the reply has scores."""
    sentences = {", ".join(p): k for k, p in enumerate(phrases)}
    votes: dict[int, float] = {}
    finite = [(sentences[c], s) for c, s in reply.scores if c in sentences and math.isfinite(s)]
    if finite:
        top = max(s for _, s in finite)
        for k, score in finite:
            votes[moves[k].action] = votes.get(moves[k].action, 0.0) + math.exp(score - top)
        return votes
    for sample, text in enumerate(reply.texts):
        choice = ground_choice(text, phrases, reply.alike[sample] if reply.alike else ()).candidate
        if choice is not None:
            votes[moves[choice].action] = votes.get(moves[choice].action, 0.0) + 1.0
    return votes


def as_replies(sent: Sent) -> tuple[ModelReply, ...]:
    """Returns what was sent back for one request or several, as a tuple."""
    replies = (sent,) if isinstance(sent, ModelReply) else sent
    assert replies is not None, "questions are answered by replies"
    return replies


# --- world model ------------------------------------------------------------------
POSITIONS = "object positions"
NEXT_QUESTION = ("\nQuestion:",)
"""Where a reply ends: the prompts are lists of questions and answers."""
"""The purpose of the request for object positions."""
BATCH = 16
"""The number of classes that are asked about at the same time."""


@dataclass(frozen=True, slots=True)
class WorldModelSettings:
    """How the world model is asked. Each field is documented at the planner parameter of the same name."""

    samples: int = 50
    temperature: float = 0.5
    floor: float = 0.2
    least: float = LEAST
    scores: bool = True


def ask_priors(task: Rearrangement, how: WorldModelSettings) -> Generator[Yielded, Sent, None]:
    """Requests the prior of each class of the belief that has none yet. An unusable reply gives the uniform distribution.

    The goal's classes come first, all together; those of the surroundings follow in batches. With full observation nothing is
    requested, because no place is left where an unseen object could be.

    Args:
        task: the task; receives the priors.
        how: the settings.

    Yields:
        The requests, and how their replies were interpreted.
    """
    if task.world.all_seen:
        return
    goal = [cls for cls in task.classes() if cls not in task.priors]
    rest = [cls for cls in task.all_classes() if cls not in task.priors and cls not in goal]
    for classes in (goal, *(rest[k:k + BATCH] for k in range(0, len(rest), BATCH))):
        yield from _ask_some(classes, task, how)


def _ask_some(classes: Sequence[str], task: Rearrangement, how: WorldModelSettings) -> Generator[Yielded, Sent, None]:
    asks = [*(_positions_ask(cls, task, how) for cls in classes),
            *(_rooms_ask(cls, task, how) for cls in classes if task.unmapped)]
    if not classes or not asks:
        return
    sent = yield tuple(asks)
    assert isinstance(sent, tuple), "several questions are answered by several replies"
    groups = positions(task.place_facts())
    if groups:
        yield Grounded(tuple(understood_places(ask, reply, groups) for ask, reply in zip(asks, sent, strict=True)
                             if ask.purpose == POSITIONS))
    for k, cls in enumerate(classes):
        rooms = sent[len(classes) + k] if task.unmapped else None
        task.set_prior(cls, _vector(task, sent[k], rooms, how))
        task.answers[cls] = _class_answers(cls, asks[k], sent[k], task.place_facts())
    yield PositionAnswers(tuple(p.id for p in task.place_facts()), tuple(task.answers.values()))


def _class_answers(cls: str, ask: ModelRequest, reply: ModelReply, places: Sequence[PlaceFact]) -> ClassAnswers:
    found = counted(reply, places) if places else None
    counts = np.zeros(len(places)) if found is None else found / found.sum() if reply.scores else found
    counts.setflags(write=False)
    unread = 0 if reply.scores else sum(not read.answers for read in read_places(reply, positions(places)))
    return ClassAnswers(cls, 0 if reply.scores else len(reply.texts), counts, unread, ask.digest)


def _positions_ask(cls: str, task: Rearrangement, how: WorldModelSettings) -> ModelRequest:
    places = task.place_facts()
    groups = positions(places)
    fields = {"rooms": _listed(spaced(c) for _, c in task.layout.rooms), "thing": spaced(cls)}
    against: tuple[str, ...] = ()
    if how.scores:  # the reply is one of the choices, so the prompt lists them and its examples use their wording
        expects = Expects(choices=tuple(g.phrase for g in groups))
        messages = prompt("llm_mcts", "object_positions_choice", choices="; ".join(expects.choices), **fields)
    else:
        expects = Expects()
        against = tuple(g.phrase for g in groups)
        messages = prompt("llm_mcts", "object_positions", containers=_listed(g.cls for g in groups if g.inside),
                          surfaces=_listed(g.cls for g in groups if not g.inside), **fields)
    return ModelRequest(POSITIONS, messages, spaced(cls), ObjectPositionsFacts(cls, places), expects, how.samples,
               how.temperature, max_tokens=64, scores=how.scores, compare="unsure", against=against, ends=NEXT_QUESTION)


def _rooms_ask(cls: str, task: Rearrangement, how: WorldModelSettings) -> ModelRequest:
    rooms = tuple(c for _, c in task.layout.rooms)
    messages = prompt("llm_mcts", "place_rooms", rooms=_listed(map(spaced, rooms)), thing=spaced(cls))
    return ModelRequest("place rooms", messages, spaced(cls), PlaceRoomsFacts(cls, rooms), samples=how.samples,
               temperature=how.temperature, max_tokens=32, ends=NEXT_QUESTION)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words)) or "none"


def _vector(task: Rearrangement, reply: ModelReply, rooms: ModelReply | None, how: WorldModelSettings) -> Vector:
    """Returns the prior of appendix C.2: sample counts with a lower bound, normalized, mixed with the uniform by `floor`."""
    places = task.place_facts()
    counts = counted(reply, places) if places else None
    vector = np.zeros(task.columns)
    if counts is not None:
        vector[: len(places)] = from_counts(counts, how.least)
    elif places:
        vector[: len(places)] = 1.0 / len(places)
    share = _unmapped_shares(task, rooms)
    vector = normalised(vector) * (1.0 - share.sum()) if vector.sum() > 0 else vector
    vector[len(places):] = share
    result: Vector = (1.0 - how.floor) * normalised(vector) + how.floor / task.columns
    return result


def _unmapped_shares(task: Rearrangement, rooms: ModelReply | None) -> Vector:
    """Returns the probability of each room without known furniture: (k,)."""
    if rooms is None:
        return np.zeros(task.columns - len(task.place_facts()))
    named = read_rooms(rooms, [c for _, c in task.layout.rooms])
    shares = np.ones(len(task.layout.rooms)) if named is None else named + LEAST
    result: Vector = (shares / shares.sum())[list(task.unmapped)]
    return result
