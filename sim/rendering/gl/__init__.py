"""Drawing houses with OpenGL."""
