"""Inner Monologue: the model names one action at a time and hears what came of it (Huang et al., 2022)."""

from core.planners.inner_monologue import offline as offline
