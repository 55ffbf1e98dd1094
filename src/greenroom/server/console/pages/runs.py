"""The runs of a project: the newest first, filtered, a page at a time."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from nicegui import ui

from greenroom.model.errors import UserMistake
from greenroom.server.agents import service as agents
from greenroom.server.console.frame import frame, may_not
from greenroom.server.console.parts.basics import STATUSES, button, cell, empty, moment, row, status, table, words
from greenroom.server.console.session import SignedIn, Visitor
from greenroom.server.database.ids import is_id
from greenroom.server.paging import MOST, Wish, read_cursor
from greenroom.server.runs import service as runs
from greenroom.server.runs.service import Filters
from greenroom.server.security.scopes import Scope

_AT_ONCE = 50
_LOOK_EVERY = 2.0
_COLUMNS = ("Test", "Agent", "Status", "Checks", "Cost", "Started")
_UNFINISHED = ("queued", "running")


@ui.page("/p/{project_id}/runs", response_timeout=30)
async def list_runs(visitor: SignedIn, request: Request) -> None:
    """All runs, or those of one agent, test, batch or status."""
    with frame(visitor, "Runs", "runs"):
        if may_not(visitor, Scope.TESTS_READ):
            return
        asked = request.query_params
        filters = Filters(
            agent_id=_id(asked.get("agent"), "agt"),
            test_id=_id(asked.get("test"), "tst"),
            batch_id=_id(asked.get("batch"), "bat"),
            status=[each for each in asked.getlist("status") if each in STATUSES] or None,
        )
        await _draw_filters(visitor, filters)
        await RunsTable(visitor, filters).open()


async def _draw_filters(visitor: Visitor, filters: Filters) -> None:
    known = await agents.list_agents(visitor.context, visitor.access, Wish(MOST))
    names: dict[str, str] = {"": "Any agent", **{each["id"]: each["name"] for each in known["items"]}}
    if filters.agent_id and filters.agent_id not in names:
        names[filters.agent_id] = filters.agent_id
    statuses = {"": "Any status", **{each: each for each in STATUSES}}
    with ui.element("div").classes("gr-filters").props('role="search" aria-label="Filter the runs"'):
        agent = ui.select(names, value=filters.agent_id or "", label="Agent").props("outlined dense")
        status_ = ui.select(statuses, value=(filters.status or [""])[0], label="Status").props("outlined dense")

        def go() -> None:
            wanted = [(name, value) for name, value in (("agent", agent.value), ("status", status_.value)) if value]
            query = "&".join(f"{name}={value}" for name, value in wanted)
            ui.navigate.to(visitor.address("runs") + (f"?{query}" if query else ""))

        agent.on_value_change(go)
        status_.on_value_change(go)
        if filters.test_id or filters.batch_id:
            ui.link("Show all runs", visitor.address("runs"))


class RunsTable:
    """A table of runs that goes on as they do, and further down on request."""

    def __init__(self, visitor: Visitor, filters: Filters, *, count: int = _AT_ONCE) -> None:
        self._visitor = visitor
        self._filters = filters
        self._count = count
        self._shown: list[dict[str, Any]] = []
        self._next: str | None = None

    async def open(self) -> None:
        """Draw the first page."""
        self._place = ui.element("div")
        await self._read(fresh=True)
        self._timer = ui.timer(_LOOK_EVERY, self._look)

    async def _look(self) -> None:
        if len(self._shown) <= self._count:
            async with self._visitor.acting(Scope.TESTS_READ):
                await self._read(fresh=True)

    async def _more(self) -> None:
        async with self._visitor.acting(Scope.TESTS_READ):
            await self._read(fresh=False)

    async def _read(self, *, fresh: bool) -> None:
        after = None if fresh or self._next is None else read_cursor(self._next)
        wish = Wish(self._count, after)
        page = await runs.list_runs(self._visitor.context, self._visitor.project_id, self._filters, wish)
        found: list[dict[str, Any]] = page["items"] if fresh else [*self._shown, *page["items"]]
        if found == self._shown and self._place.default_slot.children:
            return
        self._shown, self._next = found, page["next_cursor"]
        self._draw()

    def _draw(self) -> None:
        self._place.clear()
        with self._place:
            if not self._shown:
                empty("There is no such run yet: open an agent and run its tests.")
                return
            with table("Runs", _COLUMNS, numbers=("Checks", "Cost")):
                for each in self._shown:
                    run_row(self._visitor, each)
            if self._next:
                button("Show more", self._more)


def run_row(visitor: Visitor, run: dict[str, Any]) -> None:
    """A run as a row of a table of runs."""
    with row():
        with cell("Test"):
            ui.link(title_of(run), visitor.address("runs", run["id"]))
            if run["overrides_used"]:
                ui.label("with changes").classes("gr-quiet")
        words("Agent", f"{run['agent']} {'v' + str(run['agent_version']) if run['agent_version'] else '(draft)'}")
        with cell("Status"):
            status(run["status"])
        words("Checks", f"{run['passed_checks']} of {run['total_checks']}", number=True)
        words("Cost", "unknown" if run["cost"] is None else f"{run['cost']:.4f}".rstrip("0").rstrip("."), number=True)
        with cell("Started"):
            moment(run["started_at"] or run["created_at"])


def title_of(run: dict[str, Any]) -> str:
    """A run's name: its test, with variation, variant and number of the repeat where there are any."""
    name = f"{run['test']} [{run['variation']}]" if run["variation"] else str(run["test"])
    name = f"{name} #{run['repeat_index'] + 1}" if run["repeat_index"] else name
    return f"{name} ({run['variant']})" if run["variant"] else name


def _id(text: str | None, prefix: str) -> str | None:
    if text is None or text == "":
        return None
    if not is_id(text, prefix):  # pyright: ignore[reportArgumentType] - the prefixes above
        raise UserMistake("This address names nothing that there could be.")
    return text
