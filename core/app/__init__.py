"""The application without a window: the command line, run requests, launching a session, headless runs."""
