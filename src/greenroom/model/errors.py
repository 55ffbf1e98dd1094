"""Every error that Greenroom raises on purpose.

    GreenroomError            the base: its message is one plain sentence for the person who must act
    ├── UserMistake           something the user wrote is wrong; says where and what to write instead
    ├── RunError              the run cannot go on; becomes its `error`
    │   └── BrainFailed       a model could not answer, after its retries
    ├── Stopped               the run was asked to stop, and stops before its next model request
    └── OutOfTime             the talk's or the judge's time limit passed

A bug is any other exception: it goes to the log with its traceback and never to a user.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class GreenroomError(Exception):
    """The base of every error that Greenroom raises on purpose."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in something a person wrote.

    `path` leads to the field from the root of what was checked (`("tests", 0, "checks", 2, "text")`).
    """

    path: tuple[str | int, ...]
    message: str


class UserMistake(GreenroomError):
    """Something the user wrote is wrong. `problems` holds all mistakes that were found, at least one."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems: tuple[Problem, ...] = tuple(problems) or (Problem((), message),)


class RunError(GreenroomError):
    """The run cannot go on; the message becomes its `error`."""


class BrainFault(StrEnum):
    """Why a model could not answer."""

    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    UNAUTHORISED = "unauthorised"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    REJECTED = "rejected"
    MALFORMED = "malformed"
    UNKNOWN_MODEL = "unknown_model"
    NO_RULE = "no_rule"
    NO_CREDENTIAL = "no_credential"


class BrainFailed(RunError):
    """A model could not answer, after its retries.

    `fault` says why; `status` is the provider's HTTP status where there was one; `retry_after` is how many
    seconds the provider asked to wait, where it did.
    """

    def __init__(
        self, message: str, *, fault: BrainFault, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.fault = fault
        self.status = status
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments do not survive the default pickling, and durable queues pickle errors.
        return _rebuild_brain_failed, (str(self), self.fault, self.status, self.retry_after)


def _rebuild_brain_failed(
    message: str, fault: BrainFault, status: int | None, retry_after: float | None
) -> BrainFailed:
    return BrainFailed(message, fault=fault, status=status, retry_after=retry_after)


class Stopped(GreenroomError):
    """The run was asked to stop."""


class OutOfTime(GreenroomError):
    """The time limit of the talk or of the judge passed."""
