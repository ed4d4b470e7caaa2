"""Quantiles of the normal and of Student's t distribution: two functions of a library of 100 MB."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p
from statistics import NormalDist

_TINY = 1e-300
_STEPS = 300
_MANY = 200
"""Degrees of freedom from which on the expansion is right to 10 digits; it is much faster."""


def normal_quantile(probability: float) -> float:
    """0.975 -> 1.96."""
    return NormalDist().inv_cdf(probability)


@lru_cache(maxsize=1024)
def t_quantile(probability: float, degrees: float) -> float:
    """0.975 with 13 degrees of freedom -> 2.160; with infinitely many, the normal quantile."""
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    if degrees >= _MANY:
        return _expanded(normal_quantile(probability), degrees)
    low, high = 0.0, 1.0
    while t_probability(high, degrees) < probability:
        low, high = high, 2 * high
    middle = (low + high) / 2
    while low < middle < high:  # until the gap is down to the precision of a float
        low, high = (middle, high) if t_probability(middle, degrees) < probability else (low, middle)
        middle = (low + high) / 2
    return middle


def _expanded(x: float, degrees: float) -> float:
    """The quantile of t from that of the normal distribution (Abramowitz and Stegun, 26.7.5)."""
    return (
        x
        + (x**3 + x) / 4 / degrees
        + (5 * x**5 + 16 * x**3 + 3 * x) / 96 / degrees**2
        + (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384 / degrees**3
        + (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160 / degrees**4
    )


def t_probability(value: float, degrees: float) -> float:
    """Chance that a t-distributed number is at most `value`."""
    tail = _incomplete_beta(degrees / (degrees + value * value), degrees / 2, 0.5) / 2
    return tail if value < 0 else 1 - tail


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # there the fraction converges slowly; the mirror image does not
        return 1 - _incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    return front * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """Its continued fraction, by Lentz's method (NIST Handbook of Mathematical Functions, 8.17.22)."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away_from_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY
