"""What planners show, as plain values: tables, trees, matrices. Every surface is made from them, once for all kinds."""
