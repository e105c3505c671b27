"""What the inner function reads: a change here must reach the machine code of both."""

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
