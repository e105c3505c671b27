"""Why a recorded episode failed: a proposed label and its evidence, from the record alone (LLM-MCTS, failure analysis)."""
