"""What several planners share: their base classes for rearrangement, search and reacting, and offline policies."""

from core.planners.shared import offline_policy as offline_policy
