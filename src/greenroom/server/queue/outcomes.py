"""What a step may come to, as plain data: an answer, or why there is none. Both are remembered alike, since a run that
is taken up again must fail where it failed before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from pydantic import TypeAdapter

from greenroom.model.errors import BrainFailed, BrainFault, OutOfTime, RunError, Stopped
from greenroom.server.queue.steps import Remembered

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Codec(Generic[Answer]):
    """Writes the outcomes of one kind of step down, and reads them."""

    answers: TypeAdapter[Answer]

    def answer(self, answer: Answer, at: float) -> Remembered:
        """An answer that came `at` so many seconds into the run."""
        return {"at": at, "answer": self.answers.dump_python(answer, mode="json")}

    def read(self, outcome: Remembered) -> Answer:
        """The answer.

        Raises:
            BrainFailed, RunError, OutOfTime, Stopped: there was none.
        """
        if "answer" in outcome:
            return self.answers.validate_python(outcome["answer"])
        raise _error(outcome)


def failure(error: RunError | OutOfTime | Stopped, at: float) -> Remembered:
    """Why there is no answer."""
    outcome: Remembered = {"at": at, "message": str(error)}
    match error:
        case BrainFailed():
            outcome |= {
                "failed": "brain",
                "fault": error.fault.value,
                "status": error.status,
                "retry_after": error.retry_after,
            }
        case RunError():
            outcome["failed"] = "run"
        case OutOfTime():
            outcome["failed"] = "late"
        case Stopped():
            outcome["failed"] = "stopped"
    return outcome


def moment(outcome: Remembered) -> float:
    """How many seconds into the run it came."""
    return float(cast("float", outcome["at"]))  # written as a number just above


def _error(outcome: Remembered) -> Exception:
    message = str(outcome["message"])
    match outcome.get("failed"):
        case "brain":
            return BrainFailed(
                message,
                fault=BrainFault(outcome["fault"]),
                status=cast("int | None", outcome["status"]),  # as `failure` wrote them
                retry_after=cast("float | None", outcome["retry_after"]),
            )
        case "late":
            return OutOfTime(message)
        case "stopped":
            return Stopped(message)
        case _:
            return RunError(message)
