"""Test files as pytest sees them: a file of tests, and an item for each test and variation."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import Any

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback, TerminalRepr

from greenroom.files.load import load_files
from greenroom.files.mistakes import FileMistakes
from greenroom.files.suite import Case, Suite
from greenroom.model.errors import GreenroomError, UserMistake
from greenroom.testing.budget import OverBudget
from greenroom.testing.cassettes import Cassette
from greenroom.testing.changes import change
from greenroom.testing.paid import may_cost
from greenroom.testing.played import TalkFailed
from greenroom.testing.records import keep, marked_by
from greenroom.testing.session import Playing, Session, run_now

_NOT_IN_MARKS = re.compile(r"[^\w.+/-]+")
_NO_MARKS = frozenset({"filterwarnings", "parametrize", "skipif", "usefixtures", "greenroom", "greenroom_paid"})


class Unreadable(Exception):
    """A test file has mistakes; the message tells all of them with their places."""


def items_of(file: pytest.File, session: Session) -> Iterator[GreenroomItem]:
    """An item for each test of a file, or for each variation of a test that has some; none where there are no tests.

    Raises:
        Unreadable: the file has mistakes, or an option of the session does not fit its agents.
    """
    suite = _load(file.path, session)
    if suite is None:
        return
    names: set[str] = set()
    for case in suite.cases:
        for name, single in _singles(case):
            # Two names may differ only in signs that a node's name cannot hold.
            unique = next(found for found in chain([name], _numbered(name)) if found not in names)
            names.add(unique)
            yield GreenroomItem.of(file, unique, single, session)


def _load(path: Path, session: Session) -> Suite | None:
    try:
        suite = load_files([Path(_shown(path))], environ=os.environ)
    except FileMistakes as mistakes:
        raise Unreadable(str(mistakes)) from None
    except UserMistake:
        return None  # nothing is wrong in it, and there is no test in it: others share its agents
    try:
        return change(suite, session.settings)
    except UserMistake as mistake:
        raise Unreadable(str(mistake)) from None


class GreenroomItem(pytest.Item):
    """A test of a file, in one variation. It plays all repeats, and passes where enough of them do."""

    case: Case
    greenroom: Session
    problem: str | None = None
    """Why it cannot be played, where that is known before."""

    @classmethod
    def of(cls, parent: pytest.File, name: str, case: Case, session: Session) -> GreenroomItem:
        """The item of a case."""
        item = cls.from_parent(parent, name=name)  # pyright: ignore[reportUnknownMemberType] - untyped in pytest
        item.greenroom = session
        item.case = case
        item.extra_keyword_matches.add(case.agent.name)
        for tag in case.test.tags:
            mark = mark_of(tag)
            if mark is not None:
                item.add_marker(_known_mark(item.config, mark))
        settings = session.settings
        if may_cost(case, settings.llm) and settings.cassettes != "replay":
            item.add_marker("greenroom_paid")
        return item

    def runtest(self) -> None:
        """Play the test.

        Raises:
            TalkFailed: too few of its runs passed.
            UserMistake: it cannot be played as it is.
        """
        if self.problem is not None:
            raise UserMistake(self.problem)
        settings, marked, test = self.greenroom.settings, marked_by(self), self.case.test
        playing = Playing(
            cassette=Cassette(self.path, self.name, settings.cassette_for(marked)),
            repeat=settings.repeat_for(marked, test.repeat),
            min_pass_rate=settings.rate_for(marked),
        )
        try:
            played = run_now(self.greenroom.play(self.case, playing))
        except OverBudget as spent:
            if spent.played is not None:
                keep(self, spent.played)
            pytest.skip(str(spent))
        keep(self, played)
        played.assert_passed()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str | TerminalRepr:
        """The talk, or what is wrong, without a traceback: it would lead through Greenroom's own code."""
        match excinfo.value:
            case TalkFailed() as failure:
                return _shown_failure(self, failure)
            case GreenroomError() as problem:
                return str(problem)
            case _:
                return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the test is written: the file, and its line counted from 0."""
        return self.path, self.case.line - 1, self.name


def mark_of(tag: str) -> str | None:
    """The mark of a tag: the tag, with `_` for what `-m` cannot read; `None` for marks that mean more to pytest."""
    mark = _NOT_IN_MARKS.sub("_", tag.strip()).strip("_")
    return None if not mark or mark in _NO_MARKS else mark


def refuse_unknown_variant(items: list[pytest.Item], wanted: str) -> None:
    """Make every test of a file fail with one sentence where no file knows the variant that was asked for."""
    ours = [item for item in items if isinstance(item, GreenroomItem)]
    known = list(dict.fromkeys(name for item in ours for name in item.case.variants))
    if wanted in known:
        return
    choice = f"there is {', '.join(f'`{name}`' for name in known)}" if known else "the files have no `variants`"
    for item in ours:
        item.problem = f"There is no variant `{wanted}`: {choice}. Correct --greenroom-variant."


def _singles(case: Case) -> Iterator[tuple[str, Case]]:
    """The case for each of its variations, and what the item is called; the case itself where it has none."""
    name = " ".join(case.test.name.split()).replace("::", ":")
    if not case.test.variations:
        yield name, case
    for variation in case.test.variations:
        single = case.test.model_copy(update={"variations": [variation]})
        yield f"{name}[{' '.join(variation.name.split()).replace('::', ':')}]", replace(case, test=single)


def _numbered(name: str) -> Iterator[str]:
    return (f"{name} ({number})" for number in count(2))


def _known_mark(config: pytest.Config, mark: str) -> str:
    """The mark, made known to pytest, which may be told to refuse others."""
    known = config.stash.setdefault(_MARKS, set())
    if mark not in known:
        known.add(mark)
        config.addinivalue_line("markers", f"{mark}: tests with this tag in a Greenroom file")
    return mark


_MARKS = pytest.StashKey[set[str]]()


def _shown_failure(item: GreenroomItem, failure: TalkFailed) -> TerminalRepr:
    """What pytest shows of an exception, with the talk in the place of the traceback: so the short summary and JUnit
    get the sentence, and pytest-xdist can carry it."""
    # pytest has no public way to make one; a plain text would lose the sentence.
    entry = ReprEntryNative([f"{failure.talk or failure.summary}\n"])
    place = ReprFileLocation(_shown(item.path), item.case.line, failure.summary)
    return ReprExceptionInfo(ReprTraceback([entry], None, "native"), place)


def _shown(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
