"""FF-Replan: classical planning on what is known, as a task of facts and operators that a separate process solves."""
