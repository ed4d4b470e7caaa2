"""pass@k: the chance that one of k answers passes all unit tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pass_at_k(samples: int, passed: int, k: int) -> float:
    """Estimate the chance that k answers hold a passing one (Chen et al. 2021, unbiased).

    It is 1 - C(samples - passed, k) / C(samples, k), as a product that does not overflow.
    samples=5 passed=2 k=1 -> 0.4     samples=5 passed=0 k=1 -> 0.0     samples=2 k=5 -> nan
    """
    return float(passes_at_k(np.array([samples]), np.array([passed]), k)[0])


def passes_at_k(samples: NDArray[np.int64], passed: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """`pass_at_k` for many cells at once; NaN where a cell has fewer than k samples."""
    missed = np.ones(len(samples))
    with np.errstate(divide="ignore", invalid="ignore"):
        for drawn in range(k):
            missed *= np.maximum(samples - passed - drawn, 0) / (samples - drawn)
    # Undefined for fewer than k samples: 1.0 there would flatter whoever answered least.
    return np.where(samples >= k, 1 - missed, np.nan)
