"""The decision lab: questions with a checked answer, to compare a language model as policy and as world model."""
