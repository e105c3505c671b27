"""ScienceWorld: thirty kinds of experiment in a text world, played by its own Java program."""
