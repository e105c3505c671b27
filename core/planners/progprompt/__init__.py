"""Plans written as programs (ProgPrompt): read, never run as Python; carried out line by line against what is seen."""

from core.planners.progprompt import offline as offline
