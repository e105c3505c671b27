"""Inner Monologue: the model names one action at a time and gets feedback about its result (Huang et al., 2022)."""
