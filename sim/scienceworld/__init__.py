"""ScienceWorld: thirty kinds of experiment in a text world, run by its own Java program."""
