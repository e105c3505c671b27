"""Renderers: one widget for each kind of view of `core.views.values`, made only from its values."""
