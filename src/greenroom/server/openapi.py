"""The description of the API: what FastAPI knows of itself, and what it cannot know: agents and tests as bodies, who
may call what, and how problems are told."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts
from pydantic.json_schema import models_json_schema

from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.server.routing import Route

Schema = dict[str, Any]
_REF = "#/components/schemas/"

_AGENT_EXAMPLE: Schema = {
    "name": "Northline Dental",
    "prompt": "You book visits for {{company}}.",
    "greeting": "{{company}}, this is Maya. How can I help?",
    "variables": {"company": "Northline Dental"},
    "llm": {"model": "openai:gpt-4.1-mini", "credential": "openai-main"},
    "tools": [{"name": "book_slot", "description": "Book a visit"}],
    "can_end_call": True,
}
_TEST_EXAMPLE: Schema = {
    "name": "Moves a booking",
    "caller": {"persona": "Ravi, a regular. He wants to move Saturday 4 PM to Monday morning."},
    "max_turns": 6,
    "tool_results": {"book_slot": {"ok": True, "slot": "Monday 10:00"}},
    "checks": [{"type": "says", "text": "Monday"}],
    "tags": ["booking"],
}


def _body(name: str, example: Schema) -> Schema:
    media = {"schema": {"$ref": _REF + name}, "example": example}
    return {"requestBody": {"required": True, "content": {"application/json": media}}}


def _patch(name: str, example: Schema) -> Schema:
    schema: Schema = {
        "type": "object",
        "description": f"A JSON Merge Patch (RFC 7396) of {name}: fields that are given take the place of what is "
        "there, and `null` takes a field out.",
    }
    media = {"schema": schema, "example": example}
    content = {"application/merge-patch+json": media, "application/json": media}
    return {"requestBody": {"required": True, "content": content}}


AGENT_BODY = _body("Agent", _AGENT_EXAMPLE)
AGENT_PATCH = _patch("the agent", {"greeting": "Good morning, this is Maya."})
TEST_BODY = _body("Test", _TEST_EXAMPLE)
TEST_PATCH = _patch("the test", {"max_turns": 8})

_PROBLEM: Schema = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong, as in RFC 9457.",
    "required": ["type", "title", "status", "detail", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "One sentence that says what to do."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": ["string", "null"]}, "message": {"type": "string"}},
            },
        },
        "request_id": {"type": "string"},
    },
    "examples": [
        {
            "type": "about:blank",
            "title": "Something in the request is wrong",
            "status": 422,
            "detail": "`name` is missing: an agent needs it",
            "errors": [{"field": "name", "message": "`name` is missing: an agent needs it"}],
            "request_id": "req_01jq0m3v9a4n6r8t2w5y7z1b3d",
        }
    ],
}
_PROBLEM_ANSWER: Schema = {
    "description": "A problem.",
    "content": {"application/problem+json": {"schema": {"$ref": _REF + "Problem"}}},
}
_BEARER: Schema = {"type": "http", "scheme": "bearer", "description": "A key of the project, or a session's token."}
_IDEMPOTENCY_KEY: Schema = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "description": "Sent again with the same key, the request is not carried out twice: it gets the same answer.",
}


def describe(app: FastAPI) -> Schema:
    """The OpenAPI description of an app, made once."""
    if app.openapi_schema is None:
        app.openapi_schema = _describe(app)
    return app.openapi_schema


def native_routes(app: FastAPI) -> list[Route]:
    """The routes of the native API."""
    found = (each.original_route for each in iter_route_contexts(app.routes))
    return [route for route in found if isinstance(route, Route)]


def _describe(app: FastAPI) -> Schema:
    whole = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    components = whole.setdefault("components", {})
    schemas: Schema = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    _, written = models_json_schema([(Agent, "validation"), (Test, "validation")], ref_template=_REF + "{model}")
    schemas.update(written["$defs"] | {"Problem": _PROBLEM})
    for name in ("Agent", "Test"):
        schemas[name]["properties"].pop("id", None)
    components["securitySchemes"] = {"bearer": _BEARER}
    access = {(method, route.path_format): route for route in native_routes(app) for method in route.methods or ()}
    for path, operations in whole["paths"].items():
        for method, operation in operations.items():
            _complete(operation, method, access.get((method.upper(), path)))
    return whole


def _complete(operation: Schema, method: str, route: Route | None) -> None:
    answers: Schema = operation["responses"]
    answers.pop("422", None)
    answers["default"] = _PROBLEM_ANSWER
    required = route.required_access if route else None
    if required is None:
        return
    operation["security"] = [{"bearer": []}]
    operation["x-scope"] = required.scope.value if required.scope else None
    needed = f"Needs the scope `{required.scope}`." if required.scope else "Any key will do."
    operation["description"] = f"{operation.get('description', '')}\n\n{needed}".strip()
    if method == "post":
        operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
