"""A policy: the limits and billing habits of the surface that a run came through, as data."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from greenroom.model.base import Written
from greenroom.model.limits import Limits
from greenroom.model.llm import Llm

Count = Annotated[int, Field(ge=1)]
Target = Literal["draft", "version"]


class Policy(Written):
    """What holds for a run of one surface. A test keeps the policy of the surface that made it.

    `limits` are the engine's: turns, text, chat and judge seconds, and what a time-out means. Counts that are `None`
    know no bound. `running` is how many runs play at once, of one project or of one developer (`running_per`).
    `charge` says what the project's credits pay for: `tokens` (each request on a platform credential, at its price),
    `run` (`run_price`, in millionths of the currency's unit), or nothing. `refund_on_error` charges nothing for a run
    that came to no verdict: it could not finish, or was stopped. `target` is which state of the agent runs by default.
    Finished runs are kept `retention_days` days and, where `keep_runs_a_test` is set, the newest so many of each test.
    `caller_llm` and `judge_llm` play the caller and judge where neither test nor agent names a model for that.

    Replies that are played at once, and recorded nowhere, are bounded by `running` for each project, and by
    `replies_per_minute`. With `pays_in_part`, one that comes to more than the credits there are is charged what there
    is, and only the next one is refused.
    """

    name: str
    limits: Limits = Field(default_factory=Limits)
    tests_per_agent: Count | None = None
    runs_per_request: Count | None = None
    active_per_project: Count | None = None
    active_per_developer: Count | None = None
    running: Count = 20
    running_per: Literal["project", "developer"] = "project"
    charge: Literal["tokens", "run", "nothing"] = "tokens"
    run_price: Annotated[int, Field(ge=0)] = 0
    refund_on_error: bool = False
    target: Target = "draft"
    retention_days: Count = 30
    keep_runs_a_test: Count | None = None
    replies_per_minute: Count | None = None
    pays_in_part: bool = False
    test_header: str = "X-Greenroom-Test"
    caller_llm: Llm | None = None
    judge_llm: Llm | None = None

    def tenant(self, project_id: str, developer_id: str) -> str:
        """Whose share of the workers a run takes: what may have `running` runs at once."""
        return project_id if self.running_per == "project" else developer_id
