"""What the service counts about itself, in Prometheus' format."""

from __future__ import annotations

import hmac

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, Counter, GCCollector, Histogram, PlatformCollector, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from greenroom.server.context import CurrentContext
from greenroom.server.problems import NotSignedIn

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

router = APIRouter(tags=["operations"])


class Metrics:
    """The figures of one process. Rooms may add their own to `registry`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self._requests = Counter(
            "greenroom_http_requests", "Requests answered.", ("method", "route", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "greenroom_http_request_seconds",
            "Time until a request was answered.",
            ("method", "route"),
            registry=self.registry,
            buckets=_BUCKETS,
        )

    def note_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request. `route` is its template, so that ids make no labels."""
        known = method if method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS") else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)

    def text(self) -> bytes:
        """The figures, as Prometheus reads them."""
        return generate_latest(self.registry)


@router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"example": "greenroom_http_requests_total{…} 1.0"}}}},
)
async def show_metrics(request: Request, context: CurrentContext) -> Response:
    """Show what this process counts about itself. Where a token is set, it must come as a bearer token."""
    token = context.settings.metrics_token
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if token is not None and not hmac.compare_digest(given.encode(), token.get_secret_value().encode()):
        raise NotSignedIn("Send the token of the metrics, as `Authorization: Bearer TOKEN`.")
    metrics: Metrics = request.app.state.metrics
    return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)
