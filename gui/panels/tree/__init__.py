"""The search tree panel."""
