"""What runs write down while they play: for all of them together, and never for one that is played elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from tests.support.service import Service, open_service

from greenroom.server.runs import old_store, store
from greenroom.server.runs.journal import Entry, Journal, Standing, open_journal
from greenroom.server.settings import Settings


@pytest.fixture
async def service(settings: Settings) -> AsyncGenerator[Service]:
    async with open_service(settings) as opened:
        yield opened


@pytest.fixture
async def journal(service: Service) -> AsyncGenerator[Journal]:
    async with open_journal(service.context.database, service.context.settings.url) as opened:
        yield opened


async def begun(service: Service, count: int = 1) -> list[str]:
    """Runs that the execution `mine` plays."""
    run_ids: list[str] = []
    for _ in range(count):
        (run,) = (await service.start()).runs
        async with service.context.database.writing() as session:
            assert await store.begin(session, run.id, "mine", service.context.now())
        run_ids.append(run.id)
    return run_ids


def entry(run_id: str, number: int, execution: str = "mine", **more: Any) -> Entry:
    """An entry with a step, an event, and what else is given."""
    step = {"run_id": run_id, "number": number, "name": f"model.agent:{number}", "outcome": {"answer": "é 🙂"}}
    event = {"run_id": run_id, "number": number + 1, "key": f"grading/{number}", "body": {"event": "grading"}}
    return Entry(run_id, execution, steps=[step], events=[event], **more)


async def steps(service: Service, run_id: str) -> list[int]:
    async with service.context.database.reading() as session:
        return sorted(await store.steps_of(session, run_id))


async def transactions(service: Service, journal: Journal, entries: list[Entry]) -> tuple[list[Standing], int]:
    """How the runs stand once all is committed, and how many transactions that took."""
    made = 0
    write = journal._write

    def counting(*given: Any) -> Any:
        nonlocal made
        made += 1
        return write(*given)

    journal._write = counting  # pyright: ignore[reportAttributeAccessIssue] - watched
    return list(await asyncio.gather(*(journal.commit(each) for each in entries))), made


async def test_what_gathers_from_many_runs_is_one_transaction(service: Service, journal: Journal) -> None:
    run_ids = await begun(service, 8)
    standings, made = await transactions(service, journal, [entry(run_id, 1) for run_id in run_ids])
    assert standings == [Standing(plays=True)] * 8
    assert made == 1
    assert [await steps(service, run_id) for run_id in run_ids] == [[1]] * 8


async def test_what_was_handed_in_is_committed_with_what_follows(service: Service, journal: Journal) -> None:
    (run_id,) = await begun(service)
    journal.hand_in(entry(run_id, 1))
    journal.hand_in(entry(run_id, 2, figures={"input_tokens": 7, "last_event": 3}))
    assert (await journal.commit(Entry(run_id, "mine"))).plays
    assert await steps(service, run_id) == [1, 2]
    shown = await service.show(run_id)
    assert shown["input_tokens"] == 7


async def test_what_nobody_waits_for_is_committed_all_the_same(service: Service, journal: Journal) -> None:
    (run_id,) = await begun(service)
    journal.hand_in(entry(run_id, 1))
    async with asyncio.timeout(10):
        while not await steps(service, run_id):  # noqa: ASYNC110 - another connection writes them
            await asyncio.sleep(0.01)


async def test_an_execution_that_was_superseded_writes_nothing(service: Service, journal: Journal) -> None:
    one, other = await begun(service, 2)
    async with service.context.database.writing() as session:
        await store.begin(session, one, "another", service.context.now())
    standings, _ = await transactions(service, journal, [entry(one, 1), entry(other, 1), entry(one, 2, "another")])
    assert [standing.plays for standing in standings] == [False, True, True]
    assert await steps(service, one) == [2]
    assert await steps(service, other) == [1]


async def test_a_run_learns_that_it_was_asked_to_stop(service: Service, journal: Journal) -> None:
    (run_id,) = await begun(service)
    async with service.context.database.writing() as session:
        await store.ask_to_stop(session, run_id, service.context.now())
    assert await journal.commit(Entry(run_id, "mine")) == Standing(plays=True, stop=True)


async def test_a_run_learns_what_its_batch_has_spent(service: Service, journal: Journal) -> None:
    started = (await service.start(service.part(), service.part())).runs
    async with service.context.database.writing() as session:
        for run in started:
            await store.begin(session, run.id, "mine", service.context.now())
    entries = [Entry(run.id, "mine", run.batch_id, figures={"cost": 30}) for run in started]
    assert [each.spent for each in await asyncio.gather(*map(journal.commit, entries))] == [60, 60]


async def test_a_commit_whose_answer_was_lost_is_made_again_without_harm(service: Service, journal: Journal) -> None:
    (run_id,) = await begun(service)
    await journal.commit(entry(run_id, 1))
    assert (await journal.commit(entry(run_id, 1))).plays
    assert await steps(service, run_id) == [1]


async def test_runs_wait_while_the_database_is_away(service: Service, journal: Journal) -> None:
    (run_id,) = await begun(service)
    write, away = journal._write, [3]

    def sometimes_away(*given: Any) -> Any:
        if away[0]:
            away[0] -= 1
            raise OperationalError("SELECT 1", {}, ConnectionError("gone"))
        return write(*given)

    journal._write = sometimes_away  # pyright: ignore[reportAttributeAccessIssue] - a database that goes away
    assert (await journal.commit(entry(run_id, 1))).plays
    assert away == [0]
    assert await steps(service, run_id) == [1]


async def test_a_bug_reaches_the_run_that_met_it_and_no_other(service: Service, journal: Journal) -> None:
    one, other = await begun(service, 2)
    with pytest.raises(Exception, match=r"no_such_column|Unconsumed"):
        await journal.commit(Entry(one, "mine", figures={"no_such_column": 1}))
    assert (await journal.commit(entry(other, 1))).plays


async def test_steps_go_with_the_events(service: Service, journal: Journal) -> None:
    (run_id,) = await begun(service)
    await journal.commit(entry(run_id, 1))
    async with service.context.database.writing() as session:
        await session.execute(text("UPDATE runs SET finished_at = created_at"))
        assert await old_store.drop_old_events(session, service.context.now(), 10) == [run_id]
    assert await steps(service, run_id) == []
