"""The blocking tree panel."""
