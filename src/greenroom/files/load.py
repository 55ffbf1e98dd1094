"""From paths to a suite: every file is read, and everything that is wrong in any of them is told at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from greenroom.files.casting import Cast, note_misspelled_credentials, read_cast, read_variants
from greenroom.files.finding import find_files
from greenroom.files.layout import Layout, read_layout
from greenroom.files.library import Library
from greenroom.files.mistakes import Ledger
from greenroom.files.nodes import MapNode, text_of
from greenroom.files.suite import Case, Suite
from greenroom.files.validation import note_problems, validate
from greenroom.model.case import Test
from greenroom.model.errors import UserMistake
from greenroom.model.limits import Limits
from greenroom.model.rules import check_test, nearest

_NATIVE = Limits()


def load_files(paths: Sequence[Path], *, environ: Mapping[str, str] | None = None, limits: Limits = _NATIVE) -> Suite:
    """Load the tests of files and folders (none: of the current folder).

    `environ` fills `${NAME}` in secrets. A secret whose variable is not set is left out, and the test that needs it may
    not be played: ask `Suite.require_secrets` once variant and model are chosen.

    Raises:
        FileMistakes: anything is wrong in any file; all of it, with places.
        UserMistake: there is nothing to load.
    """
    files = find_files(paths)
    ledger = Ledger()
    library = Library(ledger)
    cases = [case for file in files for case in _cases_of(file, library, environ or {}, limits)]
    ledger.raise_any()
    if not cases:
        names = ", ".join(f"`{file}`" for file in files[:3])
        raise UserMistake(f"There are no tests in {names}: add some under `tests:`, or name other files.")
    return Suite(tuple(cases), limits)


def _cases_of(file: Path, library: Library, environ: Mapping[str, str], limits: Limits) -> Iterator[Case]:
    layout = read_layout(file, library, environ)
    if layout is None:
        return
    ledger = library.ledger
    cast = read_cast(layout, limits, ledger)
    variants = read_variants(layout, library, environ, limits)
    _note_same_names(layout.tests, ledger)
    for node in layout.tests:
        test = validate(Test, node, ledger)
        if test is None or not _names_an_agent(node, test, layout, ledger):
            continue
        # A test of an agent that has mistakes cannot be held against it.
        player = cast.find(test.agent) if len(cast.players) == len(layout.agents) else None
        if player is None:
            continue
        agent, others = player.agent, cast.others(player.agent)
        problems = check_test(test, agent, others, limits)
        note_problems(problems, node, ledger)
        note_misspelled_credentials(node, test, layout, ledger)
        _check_in_variants(node, test, variants, {problem.message for problem in problems}, limits, ledger)
        yield Case(
            file=file,
            line=node.place.line,
            agent=agent,
            test=test,
            others=others,
            credentials=layout.credentials,
            variants=variants,
            unset_credentials=layout.unset_credentials,
            players=cast.players,
        )


def _check_in_variants(
    node: MapNode, test: Test, variants: Mapping[str, Cast], told: set[str], limits: Limits, ledger: Ledger
) -> None:
    for name, cast in variants.items():
        player = cast.find(test.agent)
        if player is None:
            continue
        found = check_test(test, player.agent, cast.others(player.agent), limits)
        fresh = [problem for problem in found if problem.message not in told]
        note_problems(fresh, node, ledger, lead=f"with the variant `{name}`, ")


def _names_an_agent(node: MapNode, test: Test, layout: Layout, ledger: Ledger) -> bool:
    names = [text_of(part.node.get(key)) for part in layout.agents for key in ("name", "id")]
    known = [name for name in names if name is not None]
    if test.agent is None or test.agent in known:
        return bool(layout.agents)
    ledger.add(node.entries["agent"].value.place, f"there is no agent `{test.agent}`", nearest(test.agent, known))
    return False


def _note_same_names(tests: Iterable[MapNode], ledger: Ledger) -> None:
    seen: dict[str, int] = {}
    for test in tests:
        node = test.get("name")
        name = text_of(node)
        if node is None or name is None:
            continue
        if name in seen:
            ledger.add(node.place, f"two tests are named `{name}` (first in line {seen[name]}): rename one")
        seen.setdefault(name, node.place.line)
