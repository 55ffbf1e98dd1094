"""The log of the service: one JSON object a line on standard error, or coloured lines in a terminal."""

from __future__ import annotations

import logging
import sys

import structlog


def keep_log(level: str) -> None:
    """Send the service's own lines and those of its libraries to standard error, from `level` on."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    ending: list[structlog.typing.Processor] = (
        [structlog.dev.ConsoleRenderer()]
        if sys.stderr.isatty()
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(ensure_ascii=False)]
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *ending],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # Each request has a line of ours already, and libraries tell of requests to providers with their whole URL.
    for name in ("uvicorn.access", "httpx", "httpcore", "aiosqlite", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
