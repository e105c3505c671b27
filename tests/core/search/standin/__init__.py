"""A kernel small enough to compile in every test: two compiled functions in two files, and a constant in a third."""
