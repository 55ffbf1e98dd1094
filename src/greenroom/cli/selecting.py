"""Which runs are to be played: the tests of the files, changed and chosen as the command line says."""

from __future__ import annotations

import os
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from greenroom.batch import plan_runs
from greenroom.cli.keywords import Matcher, keyword_matcher
from greenroom.cli.playing import Planned, shown_path
from greenroom.files.load import load_files
from greenroom.files.overrides import read_assignments
from greenroom.files.suite import Case, Suite
from greenroom.model.errors import UserMistake
from greenroom.model.limits import Limits
from greenroom.model.llm import Credential
from greenroom.report.printable import printable_line

_NAMES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Selection:
    """The runs to play, the credentials that their models are asked with, and the tests that they come from."""

    planned: Sequence[Planned]
    credentials: Mapping[str, Credential]
    cases: Sequence[Case] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Which tests are played, and how often: `repeat` stands instead of what the files say."""

    keyword: str | None = None
    tags: Sequence[str] = ()
    repeat: int | None = None
    seed: int = 0
    force_primary_failure: bool = False

    @property
    def keyword_fits(self) -> Matcher:
        """What tells whether a name fits the keyword expression.

        Raises:
            UserMistake: the expression cannot be read.
        """
        return keyword_matcher(self.keyword) if self.keyword is not None else lambda _: True


def select(
    paths: Sequence[Path],
    *,
    keyword: str | None = None,
    tags: Sequence[str] = (),
    variant: str | None = None,
    model: str | None = None,
    settings: Sequence[str] = (),
    seed: int = 0,
    force_primary_failure: bool = False,
    repeat: int | None = None,
    needs_secrets: bool = True,
) -> Selection:
    """Load the files, change the agents, and choose the runs. `needs_secrets` is false where recorded answers may make
    them superfluous.

    Raises:
        UserMistake: something in the files or in what was asked for is wrong, or no test fits.
    """
    choice = Choice(keyword, tags, repeat, seed, force_primary_failure)
    suite = _changed(load_suite(paths), variant, model, read_assignments(settings, "--set"))
    chosen = choose(suite, choice)
    cases = [case for case, _ in chosen]
    if needs_secrets:
        replace(suite, cases=tuple(cases)).require_secrets()
    planned = [entry for _, entries in chosen for entry in entries]
    return Selection(told_apart(planned, suite), credentials_of(cases), cases)


def load_suite(paths: Sequence[Path]) -> Suite:
    """Load the tests of files and folders; without any, of the folder where the process is.

    Raises:
        UserMistake: something in them is wrong, or there are none.
    """
    return load_files(paths or [Path()], environ=os.environ)


def choose(suite: Suite, choice: Choice) -> list[tuple[Case, list[Planned]]]:
    """The tests that fit, each with its runs.

    Raises:
        UserMistake: none does.
    """
    fits = choice.keyword_fits
    chosen: list[tuple[Case, list[Planned]]] = []
    for case in suite.cases:
        if choice.tags and not any(tag in case.test.tags for tag in choice.tags):
            continue
        planned = plan(case, choice, suite.limits)
        entries = [entry for entry in planned if fits(f"{entry.title} {entry.plan.agent.name}")]
        if entries:
            chosen.append((case, entries))
    if not chosen:
        raise UserMistake(_nothing_fits(suite, choice.keyword, choice.tags))
    return chosen


def plan(case: Case, choice: Choice, limits: Limits) -> list[Planned]:
    """The runs of a test."""
    test = case.test if choice.repeat is None else case.test.model_copy(update={"repeat": choice.repeat})
    plans = plan_runs(
        test,
        case.agent,
        case.others,
        new_id=lambda: f"run_{uuid.uuid4().hex}",
        seed=choice.seed,
        limits=limits,
        variant=case.variant,
        overrides_used=case.overridden,
        force_primary_failure=choice.force_primary_failure,
    )
    return [Planned(one, shown_path(case.file), case.line) for one in plans]


def told_apart(planned: Sequence[Planned], suite: Suite) -> list[Planned]:
    """The same runs; those of tests that have the same name in several files of the suite know their file, so that a
    recording never hands one of them the answers of another."""
    names = Counter(case.test.name for case in suite.cases)
    return [
        replace(entry, plan=replace(entry.plan, place=entry.file)) if names[entry.plan.test.name] > 1 else entry
        for entry in planned
    ]


def credentials_of(cases: Iterable[Case]) -> dict[str, Credential]:
    """The credentials of all cases together.

    Raises:
        UserMistake: two files give the same name to different accounts.
    """
    together: dict[str, Credential] = {}
    for case in cases:
        for name, credential in case.credentials.items():
            if together.setdefault(name, credential) != credential:
                raise UserMistake(
                    f"{shown_path(case.file)}: the credential `{name}` is another account in another of these files; "
                    "rename one of them, or run the files one by one"
                )
    return together


def _changed(suite: Suite, variant: str | None, model: str | None, settings: dict[str, str]) -> Suite:
    if variant is not None:
        suite = suite.with_variant(variant)
    if model is not None:
        suite = suite.with_model(model)
    return suite.override(settings) if settings else suite


def _nothing_fits(suite: Suite, keyword: str | None, tags: Sequence[str]) -> str:
    if not suite.cases:
        return "There are no tests in these files: write some under `tests:`, or run `greenroom init`."
    asked = [f"-k {keyword!r}"] if keyword is not None else []
    asked += [f"--tag {tag}" for tag in tags]
    known = sorted({tag for case in suite.cases for tag in case.test.tags})
    names = [printable_line(case.test.name) for case in suite.cases]
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    listed = ", ".join(f"`{name}`" for name in names[:_NAMES_SHOWN])
    hint = f" The tags are: {', '.join(f'`{printable_line(tag)}`' for tag in known)}." if tags and known else ""
    return f"No test fits {' and '.join(asked)}. The tests are: {listed}{more}.{hint}"
