"""Plays one run as a worker does: from wherever it stands up to its end, exactly once."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass

from greenroom.engine import play_test
from greenroom.model.errors import GreenroomError, RunError, Stopped
from greenroom.model.run import Run
from greenroom.model.talk import BrainReply, BrainRequest
from greenroom.server.context import Context
from greenroom.server.credits.prices import PriceList
from greenroom.server.policies.service import Policies
from greenroom.server.queue.clock import RunClock
from greenroom.server.queue.ports import durable
from greenroom.server.queue.steps import Remembered, RememberedSteps
from greenroom.server.queue.turnstile import Turnstile
from greenroom.server.runs import ending, store
from greenroom.server.runs.account import RunAccount
from greenroom.server.runs.journal import Journal
from greenroom.server.runs.material import Material
from greenroom.server.runs.outside import Outside
from greenroom.server.runs.recording import Recording, Superseded
from greenroom.server.runs.store import Begun, RunRow

_log = logging.getLogger("greenroom.runs")
_BROKE = "Greenroom itself failed in this run; the log has the details. Please report it."
_CAP = "The batch of this run has reached the most that the project allows one batch to cost."


@dataclass(slots=True)
class Checkpoint:
    """What a run passes before each request: the store is brought up to date, and asked whether the run may go on.
    `cap` is what its batch may cost."""

    recording: Recording
    account: RunAccount
    cap: int | None

    async def pass_tool(self) -> None:
        """See `Gate.pass_tool`."""
        await self.recording.write()

    async def pass_model(self, request: BrainRequest | None) -> BrainRequest | None:
        """See `Gate.pass_model`."""
        standing = await self.recording.write()
        if standing.stop:
            raise Stopped("The run was asked to stop.")
        # What a model without a public price costs is only known by what this run is charged for it.
        if self.cap is not None and max(standing.spent, self.account.charged) >= self.cap:
            raise RunError(_CAP)
        return None if request is None else await self.account.allow(request)

    def answered(self, request: BrainRequest, reply: BrainReply | None) -> None:
        """See `Gate.answered`."""
        self.account.answered(request, reply)


class Player:
    """Plays the runs of every project."""

    def __init__(
        self, context: Context, policies: Policies, outside: Outside, prices: PriceList, journal: Journal
    ) -> None:
        self._context = context
        self._policies = policies
        self._outside = outside
        self._prices = prices
        self._journal = journal
        self._turnstile = Turnstile()

    async def play(self, run_id: str) -> None:
        """Play a run up to its end, unless it is over or another worker takes it over meanwhile."""
        execution = str(uuid.uuid4())
        async with self._context.database.writing() as session:
            begun = await store.begin(session, run_id, execution, self._context.now())
        if begun is None:
            return
        try:
            await self._play(begun, execution)
        except Superseded:
            _log.info("run %s is played elsewhere", run_id)
        except GreenroomError as problem:
            await self._give_up(begun.row, execution, str(problem))
        except Exception:  # noqa: BLE001 - the run must end, whatever broke
            _log.exception("run %s: Greenroom failed", run_id)
            await self._give_up(begun.row, execution, _BROKE)

    async def _play(self, begun: Begun, execution: str) -> None:
        context, row = self._context, begun.row
        if begun.sealed is None:
            raise RunError("What this run was to play is gone.")
        plan = Material.unseal(begun.sealed, context.vault).plan(row)
        batch_id = row.batch_id if begun.cap is not None else None
        recording = Recording(self._journal, self._prices, row.id, execution, batch_id)
        earlier: dict[int, tuple[str, Remembered]] = {}
        if begun.is_again:
            async with context.database.reading() as session:
                await recording.load(session)
                earlier = await store.steps_of(session, row.id)
        else:
            recording.number = row.last_event
        policy = self._policies.find(row.policy)
        async with self._outside.of_project(row.project_id) as (ports, accounts):
            counts = policy.charge == "tokens"
            account = RunAccount(context.database, self._prices, row.id, accounts.platform, counts)
            gate = Checkpoint(recording, account, begun.cap)
            clock = RunClock(row.started_at or context.now())
            steps = RememberedSteps(recording, earlier)
            run = await play_test(plan, durable(ports, steps, clock, gate, self._turnstile), recording)
        charge = account.charged
        if policy.charge == "run":
            charge = policy.run_price
        if policy.refund_on_error and run.status not in ("passed", "failed"):
            charge = 0
        await self._end(row, run, recording, charge)

    async def _end(self, row: RunRow, run: Run, recording: Recording, charge: int) -> None:
        context = self._context
        await recording.write()  # what follows is the end: nothing is written about the run behind it
        async with context.database.writing() as session:
            ended = await ending.end_run(
                session,
                context,
                row,
                run,
                self._prices,
                execution=recording.execution,
                charge=charge,
                last_event=recording.number,
            )
        if not ended:
            raise Superseded

    async def _give_up(self, row: RunRow, execution: str, sentence: str) -> None:
        async with self._context.database.writing() as session:
            await ending.end_broken(session, self._context, row, self._prices, sentence, execution=execution)
