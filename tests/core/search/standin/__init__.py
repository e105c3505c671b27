"""A kernel small enough to compile in every test: an entry, the function it calls in another file, a constant in a third; and another entry."""
