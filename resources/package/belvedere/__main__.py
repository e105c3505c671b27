"""`python -m belvedere`."""

from belvedere import console_script

console_script()
