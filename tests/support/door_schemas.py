"""A door against its own description: requests made from its OpenAPI document."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any

import schemathesis
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.config._checks import NegativeDataRejectionConfig, NotAServerErrorConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from greenroom.server.app import create_app
from greenroom.server.doors.door import Door
from greenroom.server.doors.opening import open_door
from greenroom.server.settings import Settings

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
_SECONDS = 30


def describe_door(door: Door) -> Any:
    """The schema of a door for schemathesis, made from what the door says of itself."""
    api = schemathesis.openapi.from_dict(open_door(door, create_app(Settings())).openapi())
    api.config.phases.coverage.enabled = False
    api.config.generation.with_security_parameters = False  # the keys are real
    api.config.generation.allow_extra_parameters = False  # an unknown query parameter is nobody's mistake
    api.config.checks.not_a_server_error = NotAServerErrorConfig(expected_statuses=["2xx", "3xx", "4xx"])
    # A request may be refused for another reason before its body is read.
    api.config.checks.negative_data_rejection = NegativeDataRejectionConfig(
        expected_statuses=[400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 429]
    )
    return api


def send_case(case: Case[Any], prefix: str, headers: Mapping[str, str], real: Mapping[str, Callable[[], str]]) -> None:
    """Send a request that was made up, most of the time with ids of real things in its path, and check its answer."""
    for name, drawn in case.path_parameters.items():
        # By what was drawn, not by chance: the same case is the same request whenever it is tried again.
        if name in real and zlib.crc32(str(drawn).encode()) % 4:
            case.path_parameters[name] = real[name]()
    answer = case.call(base_url=prefix, headers=dict(headers), timeout=_SECONDS)
    case.validate_response(answer, checks=CHECKS)
