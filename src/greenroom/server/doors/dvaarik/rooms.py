"""What this door asks of the rooms: tests that its shape can carry, their runs, and starting them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fastapi.exceptions import RequestValidationError

from greenroom.model.errors import Problem
from greenroom.server.agents import service as agents
from greenroom.server.context import Context
from greenroom.server.doors.dvaarik.mapping import body_of, door_path, native_overrides, told_run, told_test
from greenroom.server.doors.dvaarik.policy import POLICY
from greenroom.server.doors.dvaarik.schemas import MOST_AT_ONCE, RunBody, TestBody
from greenroom.server.doors.dvaarik.wording import RULE, item, tagged
from greenroom.server.problems import Invalid, NotFound
from greenroom.server.runs import service as runs
from greenroom.server.runs.requesting import Desk
from greenroom.server.runs.schemas import RunsWanted
from greenroom.server.security.who import Access
from greenroom.server.tests import service as tests
from greenroom.server.tests.service import Kept

_NO_TEST = "This agent has no such test."
_NO_RUN = "This agent has no such test run."
_IN_THE_BODY = (("overrides",), ("test_ids",))


@dataclass(frozen=True, slots=True)
class Carried:
    """A test that this door can show, in its shape."""

    kept: Kept
    body: TestBody


async def carried_tests(context: Context, access: Access, agent_id: str) -> list[Carried]:
    """The tests of an agent that this door can show, in the order in which they were made.

    Raises:
        NotFound: there is no such agent in this project.
    """
    found = ((kept, body_of(kept.test)) for kept in await tests.load(context, access, agent_id))
    return [Carried(kept, body) for kept, body in found if body is not None]


async def carried_test(context: Context, access: Access, agent_id: str, test_id: str) -> Carried:
    """One of them.

    Raises:
        NotFound: there is no such agent or test in this project, or the door cannot show it.
    """
    kept = await tests.load_one(context, access, agent_id, test_id)
    body = body_of(kept.test)
    if body is None:
        raise NotFound(_NO_TEST)
    return Carried(kept, body)


async def tell(context: Context, agent_id: str, carried: Sequence[Carried]) -> list[dict[str, Any]]:
    """Tests with their last runs."""
    async with context.database.reading() as session:
        last = await runs.last_runs(session, [each.kept.id for each in carried])
    return [told_test(agent_id, each.kept, each.body, last.get(each.kept.id)) for each in carried]


async def find_run(context: Context, access: Access, agent_id: str, run_id: str) -> dict[str, Any]:
    """A run of an agent, of a test that this door can show.

    Raises:
        NotFound: there is no such agent, or it has no such run.
    """
    run = await runs.show(context, access.project_id, run_id)
    if run["agent_id"] != agent_id or run["test_id"] is None:
        raise NotFound(_NO_RUN)
    await carried_test(context, access, agent_id, run["test_id"])
    return run


async def start(desk: Desk, access: Access, agent_id: str, test_ids: Sequence[str], body: RunBody) -> dict[str, Any]:
    """Start a run of each of these tests.

    Raises:
        NotFound, Invalid, Conflict, CannotPay: as for `Desk.start`.
    """
    overrides: dict[str, Any] = {}
    if body.overrides is not None:
        saved = await agents.load(desk.context, access, agent_id, "published")
        overrides = native_overrides(body.overrides, saved.agent)
    wanted = RunsWanted(test_ids=list(test_ids), overrides=overrides, force_primary_failure=body.force_primary_failure)
    with _told_of_a_run():
        answer, _ = await desk.start(access, agent_id, wanted, POLICY)
    return {"runs": [told_run(run) for run in answer["runs"]]}


def choose(carried: Sequence[Carried], wanted: Sequence[str] | None) -> list[str]:
    """The tests that a request to run all of them means.

    Raises:
        Invalid: there are none, or more than one request runs, or one that is named is not there.
    """
    known = [each.kept.id for each in carried]
    if wanted is None:
        if not known:
            raise Invalid("This agent has no tests: save one first.")
        if len(known) > MOST_AT_ONCE:
            raise Invalid(
                f"This agent has {len(known)} tests, and one request runs at most {MOST_AT_ONCE}: "
                f"name up to {MOST_AT_ONCE} in test_ids."
            )
        return known
    missing = [
        Problem(("test_ids", place), "this agent has no test with this id")
        for place, each in enumerate(wanted)
        if each not in known
    ]
    if missing:
        raise Invalid(missing)
    return list(dict.fromkeys(wanted))


@contextmanager
def told_of_a_test(body: TestBody) -> Generator[None]:
    """What the room finds wrong in a test is told at the fields of this door's body."""
    try:
        yield
    except Invalid as refused:
        if any(not each.path for each in refused.errors):
            raise
        data = body.model_dump()
        places = [door_path(each.path) for each in refused.errors]
        raise RequestValidationError(
            [
                item(tagged(place, data), place, RULE, each.message)
                for place, each in zip(places, refused.errors, strict=True)
            ]
        ) from None


@contextmanager
def _told_of_a_run() -> Generator[None]:
    """What the room finds wrong beside the request, such as a test that does not fit its agent any more, is told in a
    sentence: no field of the request is to blame."""
    try:
        yield
    except Invalid as refused:
        if all(each.path[:1] in _IN_THE_BODY for each in refused.errors):
            raise
        raise Invalid(refused.errors[0].message) from None
