"""Goals: literals, reading a sentence, what an episode has achieved, and goals about objects that are not known yet."""
