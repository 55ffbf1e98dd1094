"""Which runs are to be played: the tests of the files, changed and chosen as the command line says."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from greenroom.batch import plan_runs
from greenroom.cli.keywords import keyword_matcher
from greenroom.cli.playing import Planned, shown_path
from greenroom.files.load import load_files
from greenroom.files.suite import Case, Suite
from greenroom.model.errors import UserMistake
from greenroom.model.limits import Limits
from greenroom.model.llm import Credential
from greenroom.report.printable import printable_line

_NAMES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Selection:
    """The runs to play, and the credentials that their models are asked with."""

    planned: Sequence[Planned]
    credentials: Mapping[str, Credential]


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
) -> Selection:
    """Load the files, change the agents, and choose the runs.

    Raises:
        UserMistake: something in the files or in what was asked for is wrong, or no test fits.
    """
    fits = keyword_matcher(keyword) if keyword is not None else None
    suite = _changed(load_files(paths or [Path()], environ=os.environ), variant, model, read_settings(settings))
    chosen: list[Case] = []
    planned: list[Planned] = []
    for case in suite.cases:
        entries = [
            entry
            for entry in _plan(case, seed, suite.limits, force_primary_failure)
            if _has_tag(case, tags) and (fits is None or fits(f"{entry.title} {entry.plan.agent.name}"))
        ]
        if entries:
            chosen.append(case)
            planned.extend(entries)
    if not planned:
        raise UserMistake(_nothing_fits(suite, keyword, tags))
    replace(suite, cases=tuple(chosen)).require_secrets()
    return Selection(planned, credentials_of(chosen))


def read_settings(settings: Sequence[str]) -> dict[str, str]:
    """The fields that `--set KEY=VALUE` names, and their values as written.

    Raises:
        UserMistake: one is not written so.
    """
    read: dict[str, str] = {}
    for setting in settings:
        key, sign, value = setting.partition("=")
        if not sign or not key.strip():
            raise UserMistake(f"--set {setting}: write KEY=VALUE, for example --set prompt=@prompts/new.md")
        read[key.strip()] = value
    return read


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


def _has_tag(case: Case, tags: Sequence[str]) -> bool:
    return not tags or any(tag in case.test.tags for tag in tags)


def _plan(case: Case, seed: int, limits: Limits, force_primary_failure: bool) -> Iterator[Planned]:
    plans = plan_runs(
        case.test,
        case.agent,
        case.others,
        new_id=lambda: f"run_{uuid.uuid4().hex}",
        seed=seed,
        limits=limits,
        variant=case.variant,
        overrides_used=case.overridden,
        force_primary_failure=force_primary_failure,
    )
    return (Planned(plan, shown_path(case.file), case.line) for plan in plans)


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
