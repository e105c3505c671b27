"""Tree search for rearrangement: the model on integers, ways of doing things in it, PUCT, rollouts."""
