"""Which formats can be imported: Greenroom's own importers, and those that other packages bring.

A package adds one by an entry point of the group `greenroom.importers` that leads to an `Importer`:

    [project.entry-points."greenroom.importers"]
    my-tool = "my_package.greenroom:importer"
"""

from __future__ import annotations

import dataclasses
import importlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from greenroom.importers.imported import Imported, ImportOptions
from greenroom.importers.parsing import MAX_BYTES, read_document, read_lines
from greenroom.model.base import Json
from greenroom.model.errors import UserMistake
from greenroom.model.rules import nearest

GROUP = "greenroom.importers"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Importer:
    """A format that can be imported.

    `name` is what it is called on the command line, `title` what people call it, `describe` one line on which files
    are meant. `extensions` are the endings of its files, with the dot. `read` takes the bytes of a file and gives what
    they hold, or raises `UserMistake` with the place and what to do; the name of the file is added to its message.
    `recognises` says whether plain data (of JSON or YAML; for JSON lines, the list of them) looks like the format.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    describe: str
    read: Callable[[bytes, ImportOptions], Imported]
    recognises: Callable[[Json], bool] = lambda _root: False


def importers() -> Mapping[str, Importer]:
    """All importers by name: Greenroom's own first, which keep their names."""
    found = dict(_OWN)
    for point in entry_points(group=GROUP):
        if point.name in found:
            _log.warning("the importer `%s` of %s is passed over: the name is taken", point.name, point.value)
        else:
            found[point.name] = _loaded(point)
    return found


def detect(data: bytes, filename: str) -> str | None:
    """The name of the format that a file is of; `None` where no importer knows it for certain."""
    root = _plain(data, filename)
    if root is None:
        return None
    ending = Path(filename).suffix.lower()
    known = importers().values()
    for importer in sorted(known, key=lambda importer: ending not in importer.extensions):
        if importer.recognises(root):
            return importer.name
    return None


def import_file(format: str | None, path: Path, options: ImportOptions | None = None) -> Imported:
    """Import a file. Without a `format`, it is told from what the file holds.

    Raises:
        UserMistake: there is no such format or file, or the file (or the agent's file) cannot be read; all that is
            wrong is named with its place.
    """
    given = _with_agents(options or ImportOptions())
    known = importers()
    if format is not None and format not in known:
        raise UserMistake(_no_such_format(format, known))
    data = _read_bytes(path)
    name = format or detect(data, path.name)
    if name is None:
        raise UserMistake(f"{path}: it is not clear what made this file: name the format, one of {_listed(known)}.")
    try:
        return known[name].read(data, given)
    except UserMistake as mistake:
        lines = str(mistake).splitlines()
        raise UserMistake("\n".join([f"{path}: {lines[0]}", *(f"  {line}" for line in lines[1:])])) from None


def _with_agents(options: ImportOptions) -> ImportOptions:
    if options.agent is None or options.agents:
        return options
    from greenroom.importers.agent_file import read_agents

    return dataclasses.replace(options, agents=read_agents(options.agent, options.limits))


def _read_bytes(path: Path) -> bytes:
    from greenroom.files.text_files import why_unreadable

    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserMistake(f"{why_unreadable(path, error)}.") from None


def _no_such_format(format: str, known: Mapping[str, Importer]) -> str:
    near = nearest(format, known)
    hint = f"did you mean `{near}`?" if near else f"there is {_listed(known)}."
    return f"There is no format `{format}`; {hint}"


def _listed(known: Mapping[str, Importer]) -> str:
    return ", ".join(f"`{name}`" for name in known)


def _plain(data: bytes, filename: str) -> Json:
    """What a file holds, as plain data; nothing where it cannot be read."""
    try:
        if filename.lower().endswith((".jsonl", ".ndjson")):
            return _first_lines(data)
        return read_document(data).root
    except UserMistake:
        try:
            return _first_lines(data)
        except UserMistake:
            return None


def _first_lines(data: bytes) -> Json:
    """The first of some JSON lines: one is enough to tell the format."""
    lines, _ = read_lines(data.lstrip().split(b"\n", 1)[0])
    return [line for _, line in lines]


# Greenroom's own


def _own(name: str, title: str, extensions: tuple[str, ...], describe: str) -> Importer:
    """An importer whose module is not loaded before it is used."""
    module = f"greenroom.importers.{name}"

    def read(data: bytes, options: ImportOptions) -> Imported:
        return importlib.import_module(module).read(data, options)

    def recognises(root: Json) -> bool:
        return bool(importlib.import_module(module).recognises(root))

    return Importer(name, title, extensions, describe, read, recognises)


_OWN: Mapping[str, Importer] = {
    importer.name: importer
    for importer in (
        _own(
            "elevenlabs",
            "ElevenLabs agent tests",
            (".json",),
            "simulation, next reply and tool tests, as the API and the command line's `test_configs` hold them",
        ),
        _own(
            "vapi",
            "Vapi evals and simulations",
            (".json", ".yml", ".yaml"),
            "evals, scenarios, personalities and simulations, as the API and its files hold them",
        ),
        _own(
            "dialogflow",
            "Dialogflow CX test cases",
            (".json",),
            "test cases, as the API and an agent's exported `testCases` folder hold them",
        ),
        _own(
            "promptfoo",
            "promptfoo configurations",
            (".yaml", ".yml", ".json"),
            "`promptfooconfig.yaml`, with tests of prompts and of a simulated user",
        ),
        _own("livekit", "LiveKit scenarios", (".yaml", ".yml", ".json"), "`scenarios.yaml` of agent simulations"),
        _own(
            "chat",
            "OpenAI-style chats",
            (".jsonl", ".ndjson", ".json"),
            '`{"messages": [...]}`, one recorded chat a line',
        ),
    )
}


# Those of other packages


def _loaded(point: EntryPoint) -> Importer:
    """The importer that an entry point leads to; where it leads to none, one that says so when it is used."""
    try:
        loaded: object = point.load()
    except Exception as error:  # noqa: BLE001 - a broken package must not take the others down
        _log.warning("the importer `%s` could not be loaded", point.name, exc_info=error)
        return _broken(point, "it could not be loaded")
    return loaded if isinstance(loaded, Importer) else _broken(point, "what it leads to is no importer")


def _broken(point: EntryPoint, why: str) -> Importer:
    def read(_data: bytes, _options: ImportOptions) -> Imported:
        raise UserMistake(f"the importer `{point.name}` ({point.value}) cannot be used: {why}")

    return Importer(point.name, point.name, (), why, read)
