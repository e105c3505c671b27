"""Providers of replies to model requests: language models, and offline sources that are marked as such."""
