"""The panel of model calls: every request to the model, with its prompt and reply."""
