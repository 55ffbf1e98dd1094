"""The pytest plugin: collects test files, gives the `greenroom` fixture, and sums up what was played.

pytest loads it in every project where Greenroom is installed. So nothing of Greenroom is imported here before there is
a test file or a test that uses the fixture.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import pytest

if TYPE_CHECKING:
    from greenroom.testing.fixture import Greenroom
    from greenroom.testing.played import Played
    from greenroom.testing.records import Sums
    from greenroom.testing.session import Session

Value = TypeVar("Value")

_ENDINGS = (".yaml", ".yml")
_OWN_NAMES = tuple(f"greenroom{ending}" for ending in _ENDINGS)
_LEAST_WIDTH, _MOST_WIDTH = 60, 120
_MAX_COST = "--greenroom-max-cost"
_FIGURES = "greenroom_figures"
_LEDGER, _WIDTH = "greenroom_ledger", "greenroom_width"

_SESSION = pytest.StashKey["Session"]()
_LEDGER_FILE = pytest.StashKey[Path]()


# Options


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add Greenroom's options and settings."""
    group = parser.getgroup("greenroom", "testing conversational agents (Greenroom)")
    add: Callable[..., None] = group.addoption
    add("--greenroom-repeat", type=_repeat, metavar="N", help="Play each test N times.")
    add("--greenroom-min-pass-rate", type=_rate, metavar="RATE", help="The share of a test's runs that must pass: 0.8.")
    add("--greenroom-variant", metavar="NAME", help="Play the agents as this variant of their files.")
    add("--greenroom-model", metavar="PROVIDER:NAME", help="Play every agent with this model instead of its own.")
    add(
        "--greenroom-set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="Change a field of the agents; give it again for one more.",
    )
    add(
        "--greenroom-cassettes",
        type=_cassettes,
        metavar="MODE",
        help="record: ask the models, and keep their answers; replay: answer from what was kept; auto: replay, and "
        "record what is missing; off.",
    )
    add(
        _MAX_COST,
        type=_dollars,
        metavar="USD",
        help="Once the tests have cost this much, in US dollars, the rest is skipped.",
    )
    parser.addini("greenroom_files", "More YAML files that hold tests: patterns of names or of paths.", "args", [])
    parser.addini("greenroom_llm", "The model that plays caller and judge of agents without one.", "string", "")
    parser.addini("greenroom_cassettes", "How cassettes are used where neither option nor mark says it.", "string", "")


def _repeat(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 1000):
        raise argparse.ArgumentTypeError(f"write a whole number from 1 to 1000, not `{text}`")
    return int(text)


def _rate(text: str) -> float:
    from greenroom.testing.settings import read_rate

    return _read(read_rate, text, "the value")


def _cassettes(text: str) -> str:
    from greenroom.testing.settings import read_cassette_wish

    return _read(read_cassette_wish, text, "the value")


def _dollars(text: str) -> object:
    from greenroom.testing.settings import read_dollars

    return _read(read_dollars, text, "the value")


def _read(read: Callable[[str, str], Value], text: str, what: str) -> Value:
    from greenroom.model.errors import UserMistake

    try:
        return read(text, what)
    except UserMistake as mistake:
        raise argparse.ArgumentTypeError(str(mistake)) from None


def pytest_configure(config: pytest.Config) -> None:
    """Make Greenroom's marks known, and refuse settings that cannot be read."""
    config.addinivalue_line(
        "markers",
        "greenroom(cassette=None, repeat=None, min_pass_rate=None): how Greenroom plays the talks of this test",
    )
    config.addinivalue_line("markers", "greenroom_paid: tests that ask a model which may cost money")
    config.pluginmanager.register(_Summary(), "greenroom_summary")
    if config.getini("greenroom_cassettes") or config.getoption("greenroom_set"):
        _session(config)


def _session(config: pytest.Config) -> Session:
    """Greenroom's session, made when it is first needed.

    Raises:
        pytest.UsageError: a setting cannot be read.
    """
    session = config.stash.get(_SESSION, None)
    if session is None:
        from greenroom.model.errors import UserMistake

        try:
            session = config.stash[_SESSION] = _open_session(config)
        except UserMistake as mistake:
            raise pytest.UsageError(str(mistake)) from None
    return session


def _open_session(config: pytest.Config) -> Session:
    from greenroom.files.overrides import read_assignments
    from greenroom.testing.budget import Budget
    from greenroom.testing.session import Session
    from greenroom.testing.settings import Settings, read_cassette_wish

    usual = config.getini("greenroom_cassettes")
    settings = Settings(
        repeat=config.getoption("greenroom_repeat"),
        min_pass_rate=config.getoption("greenroom_min_pass_rate"),
        variant=config.getoption("greenroom_variant"),
        model=config.getoption("greenroom_model"),
        changes=read_assignments(config.getoption("greenroom_set") or [], "--greenroom-set"),
        cassettes=config.getoption("greenroom_cassettes"),
        usual_cassettes=read_cassette_wish(usual, "The setting `greenroom_cassettes`") if usual else None,
        max_cost_usd=config.getoption("greenroom_max_cost"),
        llm=config.getini("greenroom_llm") or None,
    )
    given = _workerinput(config)
    ledger = given.get(_LEDGER)
    budget = Budget(settings.max_cost_usd, Path(ledger) if ledger else None)
    return Session(settings, budget, given.get(_WIDTH) or _width(config))


def _workerinput(config: pytest.Config) -> dict[str, Any]:
    """What the controller of pytest-xdist told this worker; nothing where this is no worker."""
    return getattr(config, "workerinput", {})


def _width(config: pytest.Config) -> int:
    if not config.pluginmanager.hasplugin("terminalreporter"):
        return _MOST_WIDTH
    return max(_LEAST_WIDTH, min(_MOST_WIDTH, config.get_terminal_writer().fullwidth))


# Test files


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the files that are Greenroom's by name, by the setting `greenroom_files`, or by the command line."""
    if file_path.suffix not in _ENDINGS or not _is_ours(file_path, parent):
        return None
    return GreenroomFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType] - untyped


class GreenroomFile(pytest.File):
    """A test file. It stands here since pytest also makes nodes of files whose tests it does not want."""

    def collect(self) -> Iterator[pytest.Item]:
        """The file's tests. Its mistakes are collection errors, told with their places and without a traceback."""
        from greenroom.testing.items import Unreadable, items_of

        try:
            yield from items_of(self, _session(self.config))
        except Unreadable as mistakes:
            raise self.CollectError(str(mistakes)) from None


def _is_ours(path: Path, parent: pytest.Collector) -> bool:
    if path.name in _OWN_NAMES or path.name.endswith(tuple(f".{name}" for name in _OWN_NAMES)):
        return True
    if any(_fits(pattern, path, parent.config) for pattern in parent.config.getini("greenroom_files")):
        return True
    if not parent.session.isinitpath(path):
        return False
    from greenroom.files.finding import holds_tests

    return holds_tests(path)


def _fits(pattern: str, path: Path, config: pytest.Config) -> bool:
    if "/" not in pattern:
        return fnmatch(path.name, pattern)
    if not path.is_relative_to(config.rootpath):
        return False
    place = path.relative_to(config.rootpath).as_posix()
    # `**/` also stands for no folder at all.
    return fnmatch(place, pattern) or fnmatch(place, pattern.replace("**/", ""))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tell of a variant that no file has."""
    variant = config.getoption("greenroom_variant")
    if variant is not None and "greenroom.testing.items" in sys.modules:
        from greenroom.testing.items import refuse_unknown_variant

        refuse_unknown_variant(items, variant)


# Tests in Python


@pytest.fixture
def greenroom(request: pytest.FixtureRequest) -> Greenroom:
    """Plays talks with an agent: `await greenroom.play(agent, caller=…, checks=[…])`, or `greenroom.play_sync(…)`."""
    from greenroom.testing.fixture import Greenroom
    from greenroom.testing.records import keep, marked_by

    item: pytest.Item = request.node

    def keep_played(played: Played) -> None:
        keep(item, played)

    def skip(reason: str) -> NoReturn:
        __tracebackhide__ = True
        pytest.skip(reason)

    name = item.nodeid.partition("::")[2].replace("::", ".") or item.name
    return Greenroom(_session(request.config), item.path, name, lambda: marked_by(item), keep_played, skip)


# Reports


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to a test's report what was played in it."""
    report = yield
    if "greenroom.testing.records" in sys.modules:
        from greenroom.testing.records import add_to_report

        add_to_report(item, call, report)
    return report


class _Summary:
    """Hears of every report, also of those that the workers of pytest-xdist send, and tells the sums at the end."""

    def __init__(self) -> None:
        self._sums: Sums | None = None
        self._unplayed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what was played for one report."""
        figures = vars(report).get(_FIGURES)
        if figures is not None:
            from greenroom.testing.records import Sums

            self._sums = self._sums or Sums()
            self._sums.add(figures)
        if report.skipped and _MAX_COST in str(report.longrepr):
            self._unplayed += 1

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell the sums, where anything was played."""
        if self._sums is None and not self._unplayed:
            return
        terminalreporter.section("Greenroom", sep="-")
        for line in self._sums.lines() if self._sums else ():
            terminalreporter.write_line(line)
        if self._unplayed:
            tests = "1 test was" if self._unplayed == 1 else f"{self._unplayed} tests were"
            terminalreporter.write_line(f"{tests} skipped, since the budget of {_MAX_COST} is used up.", yellow=True)
        if self._sums and not self._sums.cost_complete and terminalreporter.config.getoption("greenroom_max_cost"):
            terminalreporter.write_line(
                f"The price of some model is not known: {_MAX_COST} holds only for what is known.", yellow=True
            )


# pytest-xdist


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker how wide talks are shown, and where all workers count what they spend."""
    config: pytest.Config = node.config
    node.workerinput[_WIDTH] = _width(config)
    if config.getoption("greenroom_max_cost") is not None:
        node.workerinput[_LEDGER] = str(_ledger(config))


def _ledger(config: pytest.Config) -> Path:
    if config.stash.get(_LEDGER_FILE, None) is None:
        handle, name = tempfile.mkstemp(prefix="greenroom-spent-")
        os.close(handle)
        config.stash[_LEDGER_FILE] = Path(name)
    return config.stash[_LEDGER_FILE]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove what the workers shared."""
    ledger = config.stash.get(_LEDGER_FILE, None)
    if ledger is not None:
        ledger.unlink(missing_ok=True)
