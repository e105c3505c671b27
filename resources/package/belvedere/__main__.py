"""`python -m belvedere`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current folder, whose modules may have the names of others

from belvedere import console_script

console_script()
