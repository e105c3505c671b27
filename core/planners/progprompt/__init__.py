"""ProgPrompt: plans written as programs, parsed as data (never executed as Python), and followed line by line."""
