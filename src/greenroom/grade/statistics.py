"""What repeats and comparisons say, and how sure one can be of it.

Sources: the interval of a rate is Wilson's score interval (E. B. Wilson, 1927; R. G. Newcombe, "Two-sided confidence
intervals for the single proportion", 1998, method 3). pass^k is the share of draws of k runs, without replacement, in
which all passed (S. Yao et al., "tau-bench", 2024). Paired comparisons use the exact McNemar test (a binomial test on
the pairs that disagree) and Newcombe's interval for paired differences ("Improved confidence intervals for the
difference between binomial proportions based on paired data", 1998, method 10).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

_Z95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval; both ends from 0 to 1 for a rate, from -1 to 1 for a difference."""

    low: float
    high: float


def wilson(passes: int, runs: int) -> Interval:
    """The 95 % interval of a pass rate.

    Raises:
        ValueError: `passes` is not between 0 and `runs`, or there are no runs.
    """
    _check(passes, runs)
    rate, z2 = passes / runs, _Z95**2
    centre = rate + z2 / (2 * runs)
    spread = _Z95 * math.sqrt(rate * (1 - rate) / runs + z2 / (4 * runs * runs))
    # At the edges the formula gives 0 and 1 but for rounding.
    low = 0.0 if passes == 0 else max(0.0, (centre - spread) / (1 + z2 / runs))
    high = 1.0 if passes == runs else min(1.0, (centre + spread) / (1 + z2 / runs))
    return Interval(low, high)


def pass_power(passes: int, runs: int, k: int) -> float:
    """pass^k: how likely k runs all pass, estimated without bias from `passes` of `runs`.

    `k` goes from 1 to `runs`: nothing can be said without bias of more runs than were played.

    Raises:
        ValueError: `k` is out of range, or the counts are impossible.
    """
    _check(passes, runs)
    if not 1 <= k <= runs:
        raise ValueError(f"pass^{k} needs at least {max(k, 1)} finished runs; there are {runs}")
    return math.comb(passes, k) / math.comb(runs, k)


def _check(passes: int, runs: int) -> None:
    if runs < 1:
        raise ValueError("a rate needs at least one finished run")
    if not 0 <= passes <= runs:
        raise ValueError(f"{passes} passes of {runs} runs cannot be")


@dataclass(frozen=True, slots=True)
class Paired:
    """The outcomes of two variants on the same tests and seeds, counted by pair."""

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def pairs(self) -> int:
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def difference(self) -> float:
        """The second's pass rate less the first's, from -1 to 1."""
        return (self.only_second - self.only_first) / self.pairs if self.pairs else 0.0


def mcnemar_exact(paired: Paired) -> float:
    """The two-sided p-value of the exact McNemar test: 1 where no pair disagrees."""
    disagree = paired.only_first + paired.only_second
    if disagree == 0:
        return 1.0
    fewer = min(paired.only_first, paired.only_second)
    tail = sum(math.comb(disagree, i) for i in range(fewer + 1)) / 2**disagree
    return min(1.0, 2 * tail)


def paired_interval(paired: Paired) -> Interval:
    """The 95 % interval of the difference (second less first) of paired pass rates.

    Raises:
        ValueError: there are no pairs.
    """
    n = paired.pairs
    first, second = paired.both + paired.only_first, paired.both + paired.only_second
    one, two = wilson(second, n), wilson(first, n)
    p_one, p_two = second / n, first / n
    margins = first * second * (n - first) * (n - second)
    product = paired.both * paired.neither - paired.only_first * paired.only_second
    # Newcombe's continuity correction holds for positive association only.
    if product > 0:
        product = max(product - n / 2, 0.0)
    phi = product / math.sqrt(margins) if margins else 0.0

    def reach(a: float, b: float) -> float:
        return math.sqrt(max(0.0, a * a - 2 * phi * a * b + b * b))

    low = paired.difference - reach(p_one - one.low, two.high - p_two)
    high = paired.difference + reach(one.high - p_one, p_two - two.low)
    return Interval(max(-1.0, low), min(1.0, high))


def pairs_needed(difference: float, disagreement: float, *, power: float = 0.8) -> int:
    """How many pairs show a difference of this size (0 to 1) at the 5 % level with this power.

    `disagreement` is the share of pairs that disagree; it cannot be less than the difference. Normal approximation of
    the McNemar test (J. T. Connor, "Sample size for testing differences in proportions for the paired-sample design",
    1987).

    Raises:
        ValueError: `difference` is not above 0 and at most 1.
    """
    if not 0 < difference <= 1:
        raise ValueError("a difference to be shown is above 0 and at most 1")
    share = min(1.0, max(disagreement, difference))
    z_power = NormalDist().inv_cdf(power)
    spread = math.sqrt(max(0.0, share - difference * difference))
    return math.ceil(((_Z95 * math.sqrt(share) + z_power * spread) / difference) ** 2)
