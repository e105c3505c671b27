"""How far annotators agree: matched labels, coefficients of agreement, disagreements, and decisions of an adjudicator."""
