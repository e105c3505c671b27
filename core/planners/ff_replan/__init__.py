"""Classical planning: what is known as a task of facts and operators, solved in a process of its own."""
