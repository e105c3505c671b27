"""The household simulator: real and hand-made rooms, rules, two ways of seeing."""
