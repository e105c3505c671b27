"""How every kind of thing is drawn."""
