"""The mind and its session: world vocabulary, goals, planners. Pure Python: no Qt, no simulator package, no GUI."""

import os

# numpy reads this when it is loaded, which parts of core do later. A product of small matrices is fastest on one thread: two
# wait for each other in a busy loop. Beside a window that painted, a decision of the cloned policy took 47 ms instead of 5.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
