"""The suite tests the installed package, and runs only in the environments of `make versions`."""

collect_ignore = ["suite"]
