"""Adding tests to the file that a person wrote, or to a new one beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from greenroom.cli.choosing import Chosen
from greenroom.cli.writing import write_new_files
from greenroom.drafting.from_talk import free_name
from greenroom.files.append import CannotAppend, append_tests
from greenroom.files.mistakes import Ledger
from greenroom.files.nodes import ListNode, MapNode, text_of
from greenroom.files.text_files import read_text
from greenroom.files.yaml_reader import read_yaml
from greenroom.importers.imported import Imported, to_yaml
from greenroom.model.case import Test
from greenroom.model.errors import UserMistake
from greenroom.model.rules import check_test

_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 40


def names_in(file: Path) -> list[str]:
    """The names of the tests that stand in a file, also of those with mistakes; none where it cannot be read."""
    ledger = Ledger()
    text = read_text(file, ledger)
    root = None if text is None else read_yaml(text, file, ledger)
    tests = root.get("tests") if isinstance(root, MapNode) else None
    if not isinstance(tests, ListNode):
        return []
    names = [text_of(test.get("name")) for test in tests.items if isinstance(test, MapNode)]
    return [name for name in names if name is not None]


def for_file(tests: Iterable[Test], chosen: Chosen, taken: Iterable[str]) -> list[Test]:
    """Tests as they can stand in a file of the agents: of the agent that was chosen, where there are several, and each
    under a name of its own."""
    names = list(taken)
    fitted: list[Test] = []
    for test in tests:
        changes: dict[str, object] = {}
        name = free_name(test.name, names)
        names.append(name)
        if name != test.name:
            changes["name"] = name
        if chosen.case.others:
            changes["agent"] = chosen.agent.name
        fitted.append(test.model_copy(update=changes) if changes else test)
    return fitted


def add_tests(tests: Sequence[Test], chosen: Chosen) -> Path:
    """Add tests to the agent's file or, where none can be added to it, to a new file beside it; the file.

    Raises:
        UserMistake: a test does not fit its agent, or nothing can be written.
    """
    for test in tests:
        problems = check_test(test, chosen.agent, chosen.case.others, chosen.limits)
        if problems:
            raise UserMistake(f"The test `{test.name}` cannot be kept: {problems[0].message}.")
    try:
        append_tests(chosen.file, tests)
    except CannotAppend:
        return _write_beside(tests, chosen.file)
    return chosen.file


def new_file_text(tests: Sequence[Test], agent_file: Path, folder: Path) -> str:
    """A test file of its own, for the agents of another one."""
    return to_yaml(Imported(agents=[], tests=list(tests), agent_file=agent_file), folder=folder)


def _write_beside(tests: Sequence[Test], agent_file: Path) -> Path:
    slug = _NOT_IN_A_NAME.sub("-", tests[0].name.casefold()).strip("-")[:_LONGEST_NAME].rstrip("-") or "tests"
    taken = {path.name for path in agent_file.parent.iterdir()}
    number, name = 1, f"{slug}.greenroom.yaml"
    while name in taken:
        number += 1
        name = f"{slug}-{number}.greenroom.yaml"
    path = agent_file.parent / name
    write_new_files({path: new_file_text(tests, agent_file, path.parent)}, force=False)
    return path
