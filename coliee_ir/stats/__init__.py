"""Statistics on sums over queries: resampling, classical tests, corrections for multiple testing.

The defaults are here, since every command line knows them.
"""

from typing import Final

N_RESAMPLES: Final = 10_000
SEED: Final = 2026
CONFIDENCE_LEVEL: Final = 0.95
