"""The parts of LLM-State: names and calls as its prompts write them, the history, the dictionary, the wording."""
