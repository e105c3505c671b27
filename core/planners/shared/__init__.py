"""Code that several planners share: base classes for rearrangement, search and reactive planning, and offline policies."""

from core.planners.shared import offline_plan as offline_plan
from core.planners.shared import offline_policy as offline_policy
