"""LiveKit `scenarios.yaml`: each scenario becomes a persona, and what is expected of the agent a criterion."""

from __future__ import annotations

from collections.abc import Mapping

from greenroom.importers.builder import Builder
from greenroom.importers.checks import Checks
from greenroom.importers.drafts import GIVEN
from greenroom.importers.imported import Imported, ImportOptions
from greenroom.importers.parsing import read_document
from greenroom.importers.source import Fields
from greenroom.model.base import Json
from greenroom.model.checks import Criterion

TITLE = "LiveKit"
MAX_TURNS = 20
"""A simulation ends when its user is done: it has no number of turns of its own."""

_STATE = "data that the agent's own code reads: give the agent what it should know in `variables` or by its tools"
_KEPT = "it says where LiveKit keeps it"


def recognises(root: Json) -> bool:
    """Whether data looks like scenarios of LiveKit."""
    scenarios = root.get("scenarios") if isinstance(root, dict) else None
    return isinstance(scenarios, list) and any(_is_scenario(item) for item in scenarios)


def _is_scenario(item: Json) -> bool:
    return isinstance(item, Mapping) and "instructions" in item and ("agent_expectations" in item or "label" in item)


def read(data: bytes, options: ImportOptions) -> Imported:
    """Read a file of scenarios, YAML or JSON.

    Raises:
        UserMistake: it is neither, or holds no scenario.
    """
    document = read_document(data)
    builder = Builder(options, document.notes, TITLE)
    if isinstance(document.root, dict):
        fields = Fields(document.root, (), builder.notes)
        fields.drop("id", _KEPT)
        if builder.options.agents:
            fields.drop("name", GIVEN)
        builder.agent(name=fields.text("name"), path=fields.at("name"))
        for scenario in fields.children("scenarios"):
            _read_scenario(scenario, builder)
    return builder.finish()


def _read_scenario(fields: Fields, builder: Builder) -> None:
    for name in ("project_id", "group_id", "source_room_id", "created_at", "status", "error"):
        fields.drop(name, _KEPT)
    variables = fields.scalars("metadata") | _scalars_of_userdata(fields)
    checks = Checks(builder.notes)
    expected = (fields.text("agent_expectations") or "").strip()
    if expected:
        checks.add(fields.at("agent_expectations"), "what is expected", lambda: Criterion(text=expected))
    persona = (fields.text("instructions") or "").strip()
    if not persona:
        fields.note("this scenario", "it has no `instructions`, which say who calls")
        return
    builder.test(
        builder.agent(),
        fields.path,
        {
            "name": fields.text("label"),
            "id": fields.text("id"),
            "caller": {"persona": persona},
            "max_turns": MAX_TURNS,
            "variables": variables or None,
            "tags": _tags(fields) or None,
            "checks": checks.made,
        },
    )


def _tags(fields: Fields) -> list[str]:
    if isinstance(fields.peek("tags"), dict):
        return [f"{name}:{value}" for name, value in fields.scalars("tags").items()]
    return fields.texts("tags")


def _scalars_of_userdata(fields: Fields) -> dict[str, str]:
    """The single values of the data that the agent reads. What is deeper is for its code alone."""
    userdata = fields.child("userdata")
    if userdata is None:
        return {}
    found: dict[str, str] = {}
    for name in userdata.names():
        if isinstance(userdata.peek(name), dict | list):
            userdata.drop(name, _STATE)
        elif (value := userdata.text(name)) is not None:
            found[name] = value
    return found
