"""Commands and runs: the command line, run requests, launching a session, runs without a window."""
