"""A kernel small enough to compile in every test: two entries, a function in another file, and a constant in a third."""
