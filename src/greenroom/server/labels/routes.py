"""Labels of judged checks."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from greenroom.server.context import CurrentContext
from greenroom.server.labels import service
from greenroom.server.labels.schemas import AgreementAnswer, LabelAnswer, LabelsOfRun, LabelWish
from greenroom.server.labels.service import LabelRow
from greenroom.server.routing import ReadsTests, Route, WritesTests

router = APIRouter(prefix="/v1", tags=["labels"], route_class=Route)


@router.get("/runs/{run_id}/labels", response_model=LabelsOfRun, summary="List a run's labels")
async def list_labels(context: CurrentContext, access: ReadsTests, run_id: str) -> dict[str, Any]:
    """List what people said about the judge's words on a run."""
    return {"items": await service.of_run(context, access, run_id)}


@router.post("/runs/{run_id}/labels", response_model=LabelAnswer, status_code=201, summary="Label a check")
async def add_label(context: CurrentContext, access: WritesTests, run_id: str, wish: LabelWish) -> LabelRow:
    """Say whether the judge was right about a check. Said again of the same check, the last word counts."""
    return await service.add(context, access, run_id, wish.check, wish.right, wish.note)


@router.get("/agreement", response_model=AgreementAnswer, summary="Show how often the judge is right")
async def show_agreement(
    context: CurrentContext,
    access: ReadsTests,
    agent_id: Annotated[str | None, Query(max_length=100, description="Only labels of runs of this agent.")] = None,
) -> dict[str, Any]:
    """Show how well the judge agrees with people, question by question, the worst first."""
    return await service.agreement_of(context, access, agent_id)
