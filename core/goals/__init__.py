"""Goals: literals, the parser of sentences, what was achieved in an episode, and goals about objects not known yet."""
