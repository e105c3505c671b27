"""What planners show of a belief: where objects may be, and the answers that the prior is made of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core.common.recorded import ADDED
from core.planning.belief_measures import OF_BELIEF
from core.planning.facets import Facet
from core.views import values as views
from core.world.vocabulary import Value

RULED_OUT = views.Mark("ruled out", "operator")


@dataclass(frozen=True, slots=True)
class Belief(Facet):
    """The belief over object positions: n objects by m places.

    Attributes:
        objects: (n,) row labels; two objects of one class are `apple` and `apple 2`.
        classes: (n,) the class of each row.
        wanted: (n,) whether the class of each row occurs in the goal.
        located: (n,) the id of the object if it was found, else None.
        places: (m,) ids of the columns.
        probability: (n, m) float64, read-only; each row sums to 1. A found object that is in no column, such as one that is
            held, has 0 everywhere.
        prior: (n, m) the probabilities before any observation.
        looked: (m,) bool: the contents of the place have been observed.
        pinned: (n, m) bool: fixed by the operator.
        zeroed: (n, m) bool: ruled out by the operator.
        barred: (n, m) bool: the goal would already be reached if the object were there, so the probability is 0 unless an
            operator changes it. None in recordings older than this field.
    """

    measures = OF_BELIEF
    objects: tuple[str, ...]
    classes: tuple[str, ...]
    wanted: tuple[bool, ...]
    located: tuple[str | None, ...]
    places: tuple[str, ...]
    probability: npt.NDArray[np.float64]
    prior: npt.NDArray[np.float64]
    looked: npt.NDArray[np.bool_]
    pinned: npt.NDArray[np.bool_]
    zeroed: npt.NDArray[np.bool_]
    barred: npt.NDArray[np.bool_] | None = field(default=None, metadata=ADDED)

    def view(self) -> views.Matrix:
        """Returns the probabilities, objects by places."""
        seen: set[str] = set()
        columns = []
        for place, looked in zip(self.places, self.looked.tolist(), strict=True):
            on_top = ", on top" if place in seen else ""  # furniture with two columns: its inside, then its top
            seen.add(place)
            marks = (views.Mark("seen", "muted"),) if looked else ()
            columns.append(views.Item(place, f"{place}{on_top}", (), marks, views.About((place,))))
        marked = [views.CellMark(row, column, mark) for array, mark in ((self.pinned, views.PINNED), (self.zeroed, RULED_OUT))
                  for row, column in np.argwhere(array).tolist()]
        return views.Matrix(tuple(map(self._row, range(len(self.objects)))), tuple(columns), self.probability, "probability",
                            tuple(marked))

    def _row(self, row: int) -> views.Item:
        name, found, chances = self.objects[row], self.located[row], self.probability[row]
        where = self.places[int(chances.argmax())] if len(chances) else ""
        place = f"found: {found}" if found is not None else f"most likely {where}"
        return views.Item(name, name, (), (), views.About((found,) if found is not None else ()), place=place)

    def mentions(self) -> tuple[str, ...]:
        """Returns the classes and places."""
        return *self.classes, *self.places

    def called(self, row: int) -> str:
        """Returns what a row is about: the id of a found object, otherwise its label.

        A label has a number of its own, which says nothing about ids: if another object of the class was found, the row is
        `another apple`, and the next ones `another apple (2)`.
        """
        located, cls = self.located[row], self.classes[row]
        if located is not None:
            return located
        alike = [k for k, other in enumerate(self.classes) if other == cls]
        if all(self.located[k] is None for k in alike):
            return self.objects[row]
        number = sum(self.located[k] is None for k in alike if k <= row)
        return f"another {cls.replace('_', ' ')}{f' ({number})' if number > 1 else ''}"

    def bars(self, row: int) -> npt.NDArray[np.bool_]:
        """Returns the barred places of a row: (m,) bool."""
        return np.zeros(len(self.places), bool) if self.barred is None else self.barred[row]


@dataclass(frozen=True, slots=True)
class ClassAnswers(Value):
    """What the model answered about where objects of one class are. LLM-MCTS, section 2.2 and appendix C.2.

    Attributes:
        cls: the class.
        samples: M, the number of answers; 0 if the model gave probabilities instead.
        counts: (p,) float64, read-only: how many answers name each place, before any smoothing; an answer that may refer to
            several places counts for each in equal parts. With probabilities: the probability of each place.
        unread: the number of answers that name no place.
        prompt: `ModelRequest.digest` of the request.
    """

    cls: str
    samples: int
    counts: npt.NDArray[np.float64]
    unread: int
    prompt: str = ""


def _answers_row(answers: ClassAnswers) -> views.Item:
    samples = f"{answers.samples} answers" if answers.samples else "probabilities"
    unread = f", {answers.unread} name no place" if answers.unread else ""
    name = answers.cls.replace("_", " ")
    return views.Item(answers.cls, name, (), (), views.About(call=answers.prompt), note=f"{samples}{unread}")


@dataclass(frozen=True, slots=True)
class PositionAnswers(Facet):
    """The answers that the prior of the belief is made of.

    Attributes:
        places: (p,) ids of the places.
        classes: the classes asked about.
    """

    places: tuple[str, ...]
    classes: tuple[ClassAnswers, ...]

    def view(self) -> views.Matrix:
        """Returns how many answers name each place, or the probabilities that the model gave, classes by places."""
        numbers = np.array([answers.counts for answers in self.classes]).reshape(len(self.classes), len(self.places))
        numbers.setflags(write=False)
        columns = tuple(views.Item(place, place, about=views.About((place,))) for place in self.places)
        return views.Matrix(tuple(map(_answers_row, self.classes)), columns, numbers, "value",
                            note="Answers that name each place, before any smoothing.")

    def about(self, cls: str) -> ClassAnswers | None:
        """Returns the answers about a class; None if it was not asked about."""
        return next((answers for answers in self.classes if answers.cls == cls), None)
