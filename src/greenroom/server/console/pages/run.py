"""One run: live while it plays, and all there is to understand when it is over."""

from __future__ import annotations

from typing import Any

from fastapi import Response
from nicegui import app as nicegui
from nicegui import ui

from greenroom.model.run import Run
from greenroom.report.describe import describe_end
from greenroom.report.figures import run_cost, run_seconds, run_tokens, seconds
from greenroom.report.html.page import html_page
from greenroom.report.results import Report, ReportedRun, make_report
from greenroom.server.console.frame import frame, may_not
from greenroom.server.console.parts import verdict
from greenroom.server.console.parts.basics import button, figures, heading, status
from greenroom.server.console.parts.talk import Talk
from greenroom.server.console.session import SignedIn, Visitor
from greenroom.server.labels import service as labels
from greenroom.server.runs import service as runs
from greenroom.server.runs.schemas import RunsWanted
from greenroom.server.runs.telling import told_run
from greenroom.server.security.scopes import Scope

_LOOK_EVERY = 0.4


@ui.page("/p/{project_id}/runs/{run_id}", response_timeout=30)
async def show_run(visitor: SignedIn, run_id: str) -> None:
    """A run, as it stands and as it goes on."""
    shown = await runs.show(visitor.context, visitor.project_id, run_id)
    trail = (
        ("Agents", visitor.address("agents")),
        (shown["agent"], visitor.address("agents", shown["agent_id"])),
        ("Runs", visitor.address("runs") + f"?agent={shown['agent_id']}"),
    )
    with frame(visitor, shown["test"], "runs", trail=trail):
        if may_not(visitor, Scope.TESTS_READ):
            return
        await _RunPage(visitor, shown).open()


class _RunPage:
    def __init__(self, visitor: Visitor, shown: dict[str, Any]) -> None:
        self._visitor = visitor
        self._shown = shown
        self._run_id: str = shown["id"]
        self._labels: dict[int, bool] = {}
        self._side_state: object = None

    async def open(self) -> None:
        await self._read_labels()
        self._head = ui.element("div").props('aria-live="polite"')
        self._buttons = ui.element("div").classes("gr-row")
        with ui.element("div").classes("gr-run"):
            with ui.element("section").props('aria-label="Talk"'):
                heading("Talk")
                self._talk = Talk()
                self._waiting = ui.label("").classes("gr-quiet").props('role="status"')
            with ui.element("section").props('aria-label="Results"'):
                self._side = ui.element("div")
        self._draw()
        if not self._run.is_over:
            self._timer = ui.timer(_LOOK_EVERY, self._look)

    @property
    def _run(self) -> Run:
        return told_run(self._shown)

    async def _look(self) -> None:
        async with self._visitor.acting(Scope.TESTS_READ) as access:
            self._shown = await runs.show(self._visitor.context, access.project_id, self._run_id)
            self._draw()
        if self._run.is_over:
            self._timer.cancel()

    def _draw(self) -> None:
        run = self._run
        self._draw_head(run)
        self._talk.show(run)
        waiting = {"queued": "Waits for its turn…", "running": "Playing…"}.get(run.status, "")
        if run.status == "running" and run.cancel_requested_at:
            waiting = "Stops before its next request to a model…"
        if not waiting and not run.transcript:
            waiting = "Nothing was said in this run."
        self._waiting.set_text(waiting)
        state = (run.status, run.checks, run.usage, run.scorecard, run.warnings, dict(self._labels))
        if state != self._side_state:
            self._side_state = state
            self._side.clear()
            with self._side:
                verdict.checks(run, self._labels, self._label if self._visitor.may(Scope.TESTS_WRITE) else None)
                verdict.scorecard(run)
                verdict.warnings(run)
                verdict.usage(run)

    def _draw_head(self, run: Run) -> None:
        shown = self._shown
        version = f"version {run.agent_version}" if run.agent_version else "the draft"
        if run.overrides_used:
            version += " with changes"
        length = run_seconds(run)
        pairs = [
            ("Agent", f"{run.agent}, {version}"),
            ("Turns", str(run.turns)),
            ("Checks held", f"{shown['passed_checks']} of {shown['total_checks']}"),
            ("Tokens", run_tokens(run)),
            ("Cost", run_cost(run)),
        ]
        if length is not None:
            pairs.append(("Took", seconds(length)))
        if run.variation:
            pairs.insert(1, ("Variation", run.variation))
        if run.variant:
            pairs.insert(1, ("Variant", run.variant))
        self._head.clear()
        with self._head:
            with ui.element("div").classes("gr-row"):
                status(run.status)
                if run.is_over:
                    ui.label(describe_end(run))
                if run.force_primary_failure:
                    ui.label("rehearses the backup brain").classes("gr-status gr-error")
            if run.error:
                ui.label(run.error).classes("gr-said").props('role="alert"')
            figures(pairs)
        self._buttons.clear()
        with self._buttons:
            self._draw_buttons(run)

    def _draw_buttons(self, run: Run) -> None:
        may_run = self._visitor.may(Scope.TESTS_RUN)
        if not run.is_over and may_run:
            stop = button("Stop", self._stop, kind="danger")
            stop.set_enabled(run.cancel_requested_at is None)
        if run.is_over and may_run and run.test_id:
            button("Run again", self._again, kind="main")
        ui.button("Copy link", on_click=self._copy).props("flat no-caps color=link")
        base = f"/console/projects/{self._visitor.project_id}/runs/{self._run_id}"
        ui.link("JSON", f"{base}.json").props('download aria-label="Download this run as JSON"')
        ui.link("HTML", f"{base}.html").props('download aria-label="Download this run as a page"')
        if run.test_id:
            ui.link("History of this test", self._visitor.address("tests", run.test_id, "history"))

    def _copy(self) -> None:
        ui.run_javascript("navigator.clipboard && navigator.clipboard.writeText(location.href.split('#')[0])")
        ui.notify("The link is copied: members of this project can open it.", type="positive")

    async def _stop(self) -> None:
        house = self._visitor.house
        async with self._visitor.acting(Scope.TESTS_RUN) as access:
            self._shown = await runs.cancel(house.context, house.queue, access.project_id, self._run_id)
            self._draw()

    async def _again(self) -> None:
        run = self._run
        async with self._visitor.acting(Scope.TESTS_RUN) as access:
            wanted = RunsWanted(
                test_ids=[str(run.test_id)],
                target="draft" if run.agent_version is None else "published",
                force_primary_failure=run.force_primary_failure,
                repeat=1,
            )
            answer, _ = await self._visitor.house.desk.start(access, str(run.agent_id), wanted)
            ui.navigate.to(self._visitor.address("runs", answer["runs"][0]["id"]))

    async def _label(self, place: int, right: bool) -> None:
        async with self._visitor.acting(Scope.TESTS_WRITE) as access:
            await labels.add(self._visitor.context, access, self._run_id, place, right, "")
            await self._read_labels()
            self._draw()

    async def _read_labels(self) -> None:
        rows = await labels.of_run(self._visitor.context, self._visitor.access, self._run_id)
        self._labels = {row.check: row.right for row in rows}


@nicegui.get("/console/projects/{project_id}/runs/{run_id}.json", include_in_schema=False)
async def download_json(visitor: SignedIn, run_id: str) -> Response:
    """A run as the file that `greenroom report` reads."""
    report = await _report(visitor, run_id)
    return _file(report.model_dump_json(indent=2), "application/json", f"{run_id}.json")


@nicegui.get("/console/projects/{project_id}/runs/{run_id}.html", include_in_schema=False)
async def download_html(visitor: SignedIn, run_id: str) -> Response:
    """A run as a page in one file."""
    report = await _report(visitor, run_id)
    return _file(html_page(report), "text/html; charset=utf-8", f"{run_id}.html")


async def _report(visitor: Visitor, run_id: str) -> Report:
    run = told_run(await runs.show(visitor.context, visitor.project_id, run_id))
    began = run.started_at or run.created_at or visitor.context.now()
    return make_report([ReportedRun.of(run)], [], started_at=began, finished_at=run.finished_at or began)


def _file(content: str, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    return Response(content.encode("utf-8", "backslashreplace"), media_type=media_type, headers=headers)
