"""Any interleaving of starting, playing, stopping, deleting and crashing keeps the rules of a run's life.

A run is played as a worker plays it, but each request to a model waits until the machine lets it go. A crash is the
end of the task that plays: nothing of it is written any more, and another playing takes the run up.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from cryptography.fernet import Fernet
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from tests.support.service import Service, open_service

from greenroom.brains.scripted import ScriptedBrain
from greenroom.cassettes.wrap import describe
from greenroom.engine import Ports
from greenroom.local import WallClock
from greenroom.model.talk import BrainReply, BrainRequest
from greenroom.remote.connect import open_remote_agents
from greenroom.server.credits import service as credits
from greenroom.server.credits.prices import price_list
from greenroom.server.policies.policy import Policy
from greenroom.server.problems import Conflict
from greenroom.server.queue.steps import fingerprint
from greenroom.server.retention.service import Retention
from greenroom.server.runs import service as runs
from greenroom.server.runs import store
from greenroom.server.runs.journal import open_journal
from greenroom.server.runs.outside import Accounts, Outside
from greenroom.server.runs.playing import Player
from greenroom.server.runs.starting import Owner
from greenroom.server.settings import Settings
from greenroom.tools.knowledge import Bm25Search
from greenroom.tools.real import open_real_tools

CHARGED = Policy(name="charged", charge="run", run_price=1_000, refund_on_error=True)
CREDITS = 5_500  # five runs, and half of one
MAY_FOLLOW = {
    "queued": {"queued", "running", "cancelled"},
    "running": {"running", "passed", "failed", "error", "cancelled"},
}
OVER = {"passed", "failed", "error", "cancelled"}


class HeldBrain:
    """A scripted brain whose every answer waits to be let go. Counts what was asked and what was answered."""

    def __init__(self) -> None:
        self._brain = ScriptedBrain()
        self.asking: asyncio.Event = asyncio.Event()
        self.go: asyncio.Event = asyncio.Event()
        self.answered: list[str] = []

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        self.asking.set()
        await self.go.wait()
        self.go.clear()
        self.answered.append(f"{request.role}:{fingerprint(describe(request))}")
        return await self._brain.reply(request, seconds_left=seconds_left)


class HeldOutside:
    """What runs may reach: the brain that is held."""

    def __init__(self, ports: Ports) -> None:
        self.brain = HeldBrain()
        self._ports = replace(ports, brain=self.brain)

    @asynccontextmanager
    async def of_project(self, project_id: str) -> AsyncGenerator[tuple[Ports, Accounts]]:
        yield self._ports, Accounts()


@dataclass(slots=True)
class Playing:
    """One playing of a run."""

    task: asyncio.Task[None]
    outside: HeldOutside


@dataclass(slots=True)
class Known:
    """What the machine knows of a run."""

    owner: Owner
    status: str = "queued"
    record: dict[str, Any] | None = None
    playing: Playing | None = None
    answered: list[str] = field(default_factory=list[str])


class House:
    """A service with its journal, for all examples."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._folder = tempfile.TemporaryDirectory()
        self.service: Service = self.runner.run(self._open())

    async def _open(self) -> Service:
        settings_ = Settings.model_validate(
            {"data": Path(self._folder.name), "secret_keys": Fernet.generate_key().decode()}
        )
        service = await self._stack.enter_async_context(open_service(settings_, CHARGED))
        self.journal = await self._stack.enter_async_context(open_journal(service.context.database, settings_.url))
        self.prices = price_list(settings_)
        tools = await self._stack.enter_async_context(open_real_tools(allow_private_networks=False))
        remote = await self._stack.enter_async_context(open_remote_agents(allow_private_networks=False))
        self.ports = Ports(brain=ScriptedBrain(), tools=tools, knowledge=Bm25Search(), remote=remote, clock=WallClock())
        return service

    def close(self) -> None:
        self.runner.run(self._stack.aclose())
        self.runner.close()
        self._folder.cleanup()


house: House | None = None


@pytest.fixture(scope="module", autouse=True)
def open_house() -> Generator[None]:
    global house
    house = House()
    yield
    house.close()
    house = None


class Lives(RuleBasedStateMachine):
    """The lives of runs in two projects."""

    known_runs: Bundle[str] = Bundle("known_runs")

    def __init__(self) -> None:
        super().__init__()
        assert house is not None
        self._house = house
        self._service = house.service
        self._known: dict[str, Known] = {}
        self._owners = [self._do(self._new_owner()) for _ in range(2)]

    def _do(self, work: Any) -> Any:
        return self._house.runner.run(work)

    async def _new_owner(self) -> Owner:
        owner = await self._service.add_project()
        await self._service.add_credits(CREDITS, owner)
        return owner

    @rule(target=known_runs, project=st.integers(0, 1))
    def start(self, project: int) -> str:
        owner = self._owners[project]
        try:
            started = self._do(self._service.start(self._service.part(policy=CHARGED), owner=owner))
        except credits.CannotPay:
            standing = self._do(self._service.credits(owner))
            assert standing.available < CHARGED.run_price
            return ""
        self._known[started.runs[0].id] = Known(owner)
        return started.runs[0].id

    @rule(run_id=known_runs)
    def play(self, run_id: str) -> None:
        """A worker takes the run: for the first time, again after a crash, or although another one plays it."""
        if run_id and len([each for each in self._known.values() if each.playing]) < 4:
            self._do(self._play(run_id))

    async def _play(self, run_id: str) -> None:
        known = self._known[run_id]
        before, outside = known.playing, HeldOutside(self._house.ports)
        service, journal = self._service, self._house.journal
        player = Player(service.context, service.policies, cast("Outside", outside), self._house.prices, journal)
        known.playing = Playing(asyncio.create_task(player.play(run_id)), outside)
        await self._settle(run_id)
        if before is not None:  # whoever is superseded learns it before its next request
            before.outside.brain.go.set()
            await asyncio.wait([before.task], timeout=10)
            assert before.task.done()

    @rule(run_id=known_runs)
    def answer(self, run_id: str) -> None:
        """The model answers what the run asks."""
        known = self._known.get(run_id)
        if known is not None and known.playing is not None:
            known.playing.outside.brain.asking.clear()
            known.playing.outside.brain.go.set()
            self._do(self._settle(run_id))

    async def _settle(self, run_id: str) -> None:
        """Go on until the run asks a model, or its playing has ended."""
        known = self._known[run_id]
        playing = known.playing
        assert playing is not None
        asks = asyncio.create_task(playing.outside.brain.asking.wait())
        done, _ = await asyncio.wait([asks, playing.task], timeout=20, return_when=asyncio.FIRST_COMPLETED)
        assert done, "the run neither asks nor ends"
        asks.cancel()
        known.answered += playing.outside.brain.answered
        playing.outside.brain.answered.clear()
        if playing.task.done():
            playing.task.result()
            known.playing = None

    @rule(run_id=known_runs)
    def crash(self, run_id: str) -> None:
        """The worker dies in the middle of a request."""
        known = self._known.get(run_id)
        if known is not None and known.playing is not None:
            self._do(self._crash(known))

    async def _crash(self, known: Known) -> None:
        assert known.playing is not None
        known.playing.task.cancel()
        await asyncio.wait([known.playing.task])
        known.playing = None

    @rule(run_id=known_runs)
    def stop(self, run_id: str) -> None:
        known = self._known.get(run_id)
        if known is None:
            return
        service = self._service
        stopping = runs.cancel(service.context, service.queue, known.owner.project_id, run_id)
        if known.status in OVER:
            with pytest.raises(Conflict, match=f"already finished .{known.status}."):
                self._do(stopping)
            return
        told = self._do(stopping)
        assert told["cancel_requested_at"] is not None
        assert told["status"] == ("cancelled" if known.status == "queued" else "running")

    @precondition(lambda self: bool(self._known))
    @rule(project=st.integers(0, 1))
    def clean(self, project: int) -> None:
        service = self._service
        retention = Retention(service.context, service.queue, service.policies, self._house.prices)
        self._do(retention.clean())

    @invariant()
    def the_rules_hold(self) -> None:
        self._statuses_only_move_forward_and_what_is_over_never_changes()
        self._no_answered_request_is_asked_again()
        self._counts_and_ledgers_agree()

    def _statuses_only_move_forward_and_what_is_over_never_changes(self) -> None:
        for run_id, known in self._known.items():
            shown = self._do(self._service.show(run_id, known.owner))
            status = str(shown["status"])
            if known.status in OVER:
                assert shown == known.record
                continue
            assert status in MAY_FOLLOW[known.status], (known.status, status)
            known.status = status
            if status in OVER:
                known.record = shown
                assert (shown["ended_by"] == "stopped") == (status == "cancelled")
                assert (shown["ended_by"] == "error") == (status == "error")
                assert bool(shown["error"]) == (status == "error")
                assert shown["finished_at"] is not None
                assert shown["charged"] == (0 if self._is_free(shown) else CHARGED.run_price / 1_000_000)

    @staticmethod
    def _is_free(shown: dict[str, Any]) -> bool:
        return shown["status"] in ("error", "cancelled")

    def _no_answered_request_is_asked_again(self) -> None:
        for known in self._known.values():
            assert len(set(known.answered)) == len(known.answered)

    def _counts_and_ledgers_agree(self) -> None:
        for owner in self._owners:
            assert self._do(self._service.balanced(owner))
            waiting = [each for each in self._known.values() if each.owner is owner and each.status not in OVER]
            assert self._do(self._active(owner)) == len(waiting)
            assert self._do(self._service.credits(owner)).held == len(waiting) * CHARGED.run_price

    async def _active(self, owner: Owner) -> int:
        async with self._service.context.database.reading() as session:
            return await store.count_active(session, f"project:{owner.project_id}")

    def teardown(self) -> None:
        for known in self._known.values():
            if known.playing is not None:
                self._do(self._crash(known))


def test_any_interleaving_keeps_the_rules() -> None:
    run_state_machine_as_test(  # pyright: ignore[reportUnknownMemberType] - the library does not say
        Lives,
        settings=settings(
            max_examples=12,
            stateful_step_count=25,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        ),
    )
