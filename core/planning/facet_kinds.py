"""The kinds of facet that any planner or world may show."""

from __future__ import annotations

from types import ModuleType

from core.planning import belief_facets, companion, facets, search_facets, simulation_facets
from core.planning.facets import Facet


def facets_in(module: ModuleType) -> tuple[type[Facet], ...]:
    """Returns the kinds of facet that a module defines, in its order."""
    return tuple(found for found in vars(module).values() if isinstance(found, type) and issubclass(found, Facet)
                 and found is not Facet and found.__module__ == module.__name__)


MODULES = (facets, belief_facets, search_facets, simulation_facets, companion)
SHARED: tuple[type[Facet], ...] = tuple(kind for module in MODULES for kind in facets_in(module))
