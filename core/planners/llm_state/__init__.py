"""LLM-State: a language model maintains objects with attributes and a summary of the past, and plans from them."""
