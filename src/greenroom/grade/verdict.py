"""Whether a run passed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from greenroom.model.case import Test
from greenroom.model.run import CheckResult, Scorecard


def verdict(test: Test, results: Sequence[CheckResult], scorecard: Scorecard | None) -> Literal["passed", "failed"]:
    """The verdict on a finished run whose checks were all graded.

    Where checks are required, all of them must hold; one that was not graded does not hold. Where none is required
    and there is a scorecard, its score must reach `test.pass_score`. Where neither is the case (no checks, or only
    optional ones without a criterion), the run has finished, and that is all that was asked of it.
    """
    required = [result for result in results if result.check.required]
    if required:
        return "passed" if all(result.passed is True for result in required) else "failed"
    if scorecard is not None:
        return "passed" if scorecard.score >= test.pass_score else "failed"
    return "passed"
