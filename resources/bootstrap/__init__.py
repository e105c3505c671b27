"""Set-up of a fresh machine for ``make``: the virtual environment, its packages, the system libraries.

Standard library only, and syntax that Python 3.8 still reads, so that an old Python meets a clear line and not a traceback.
"""
