"""What `greenroom generate` does: asks a model for tests, or makes one of a call, and keeps those that are wanted."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.text import Text

from greenroom.cli.adding import add_tests, for_file, names_in, new_file_text
from greenroom.cli.asking import open_lines, picked
from greenroom.cli.author import Author, Used
from greenroom.cli.choosing import AgentWishes, Chosen, choose
from greenroom.cli.draft_view import show_drafts
from greenroom.cli.exits import ExitCode
from greenroom.cli.log import keep_log
from greenroom.cli.output import Output
from greenroom.cli.playing import shown_path
from greenroom.cli.sources import CallSource, FailedRuns, Source, read_call, read_failed_runs
from greenroom.cli.writing import write_new_files
from greenroom.drafting.draft import DraftOptions
from greenroom.drafting.from_talk import lines_of, reply_of, script_of
from greenroom.drafting.reading import DraftKind
from greenroom.files.dump import dump_test
from greenroom.files.nodes import plain
from greenroom.model.case import Test
from greenroom.model.errors import UserMistake
from greenroom.report.figures import plural

_USUAL_COUNT, _USUAL_COUNT_A_FAILURE = 5, 2


@dataclass(frozen=True, slots=True)
class GenerateWishes:
    """Everything that the command line of `greenroom generate` asks for."""

    chosen: AgentWishes = field(default_factory=AgentWishes)
    from_call: str | None = None
    from_run: Path | None = None
    test: str | None = None
    as_script: bool = False
    as_reply: bool = False
    name: str | None = None
    count: int | None = None
    kinds: tuple[DraftKind, ...] = ()
    focus: str | None = None
    language: str | None = None
    model: str | None = None
    save: bool = False
    out: Path | None = None
    force: bool = False
    as_json: bool = False

    @property
    def is_free(self) -> bool:
        """Whether no model is asked."""
        return self.as_script or self.as_reply


@dataclass(slots=True)
class Generated:
    """What came of it."""

    tests: list[Test]
    dropped: list[str] = field(default_factory=list[str])
    used: Used = field(default_factory=lambda: Used())
    problems: list[str] = field(default_factory=list[str])
    saved_to: Path | None = None


def generate_tests(wishes: GenerateWishes) -> int:
    """Draft the tests that were asked for; the exit code.

    Raises:
        UserMistake: something in the files or on the command line is wrong; nothing was asked.
        RunError: no model could be asked, or nothing usable came of it.
    """
    keep_log()
    _check(wishes)
    output = Output.open(as_json=wishes.as_json)
    source = _read_source(wishes)
    if isinstance(source, FailedRuns):
        wishes = replace(wishes, chosen=source.fill_in(wishes.chosen))
    if wishes.is_free and wishes.chosen == AgentWishes() and not (wishes.save or wishes.out):
        # A test of a call by itself: whose agent it is for does not matter yet.
        return _hand_over(Generated([_free_test(wishes, source, "agent")]), None, wishes, output)
    chosen = choose(wishes.chosen, needs_secrets=not wishes.is_free)
    if wishes.out is not None and wishes.out.exists() and not wishes.force:
        raise UserMistake(f"{wishes.out} is there already: nothing was drafted; add --force to overwrite")
    if wishes.is_free:
        return _hand_over(Generated([_free_test(wishes, source, chosen.agent.name)]), chosen, wishes, output)
    generated = _draft(wishes, chosen, source, output)
    return _hand_over(generated, chosen, wishes, output)


def _check(wishes: GenerateWishes) -> None:
    def refuse(words: str) -> None:
        raise UserMistake(words)

    if wishes.from_call is not None and wishes.from_run is not None:
        refuse("--from-call and --from-run exclude each other: take one out")
    if wishes.save and wishes.out is not None:
        refuse("--save and --out exclude each other: take one out")
    if wishes.as_script and wishes.as_reply:
        refuse("--as-script and --as-reply exclude each other: take one out")
    if wishes.is_free and wishes.from_call is None:
        refuse("--as-script and --as-reply make a test of a real call: add --from-call FILE")
    if wishes.is_free and (wishes.model or wishes.focus or wishes.language or wishes.kinds or wishes.count):
        refuse("--as-script and --as-reply ask no model: take --model, --focus, --language, --kind and --count out")
    if wishes.name is not None and not wishes.is_free:
        refuse("--name names the test of --as-script or --as-reply: drafted tests have names of their own")
    if wishes.test is not None and wishes.from_run is None:
        refuse("--test chooses among the runs of a report: add --from-run REPORT.json")


def _read_source(wishes: GenerateWishes) -> Source:
    if wishes.from_call is not None:
        return read_call(wishes.from_call)
    if wishes.from_run is not None:
        return read_failed_runs(wishes.from_run, wishes.test)
    return None


def _free_test(wishes: GenerateWishes, source: Source, agent: str) -> Test:
    assert isinstance(source, CallSource)  # noqa: S101 - checked before
    lines = lines_of(source.lines, agent)
    return (script_of if wishes.as_script else reply_of)(lines, (), wishes.name)


def _draft(wishes: GenerateWishes, chosen: Chosen, source: Source, output: Output) -> Generated:
    usual = _USUAL_COUNT_A_FAILURE if isinstance(source, FailedRuns) else _USUAL_COUNT
    options = DraftOptions(
        count=wishes.count or usual,
        kinds=wishes.kinds or ("simulation",),
        focus=wishes.focus,
        language=wishes.language,
        known=tuple(names_in(chosen.file)),
    )
    author = Author(chosen, wishes.model, output)
    drafted = author.draft(source, options)
    return Generated(drafted.tests, drafted.dropped, drafted.used, drafted.problems)


# What becomes of them


def _hand_over(generated: Generated, chosen: Chosen | None, wishes: GenerateWishes, output: Output) -> int:
    code = ExitCode.COULD_NOT_FINISH if generated.problems else ExitCode.ALL_PASSED
    _tell_progress(generated, output)
    tests = generated.tests
    if chosen is not None:
        tests = for_file(tests, chosen, names_in(chosen.file))
    if wishes.out is not None and chosen is not None:
        text = new_file_text(tests, chosen.file, wishes.out.parent)
        (generated.saved_to,) = write_new_files({wishes.out: text}, force=wishes.force)
    elif wishes.save and chosen is not None:
        generated.saved_to = add_tests(tests, chosen)
    elif chosen is not None and not wishes.as_json and sys.stdin.isatty() and sys.stdout.isatty():
        return _offer(tests, generated, chosen, output) or code
    if wishes.as_json:
        output.print_json(_as_json(tests, generated))
    elif generated.saved_to is not None:
        for test in tests:
            output.say(Text(f"  {test.name}"))
        _tell_saved(tests, generated.saved_to, output)
    else:
        sys.stdout.write(as_yaml(tests))
    if not all(test.checks for test in tests):
        output.say_aside(Text("It checks nothing yet: say under `checks` what must hold.", style="yellow"))
    return code


def _tell_progress(generated: Generated, output: Output) -> None:
    for problem in generated.dropped:
        output.say_aside(Text(f"Dropped: {problem}", style="yellow"))
    for problem in generated.problems:
        output.say_aside(Text(problem, style="bold red"))
    if generated.used.requests:
        what = plural(len(generated.tests), "test")
        output.say_aside(Text(f"{what} drafted by {generated.used.model}: {generated.used}", style="dim"))


def _offer(tests: Sequence[Test], generated: Generated, chosen: Chosen, output: Output) -> int:
    """Let a person pick which tests to keep; those are added to the agent's file."""
    for part in show_drafts(tests, output.signs):
        output.say(part)
    output.say()
    lines = open_lines()
    while True:
        answer = lines.next(f"Which to keep in {shown_path(chosen.file)}? (Enter: all, 0: none, or such as 1,3-5) ")
        kept = [] if answer is None else picked(answer, len(tests))
        if kept is not None:
            break
    if not kept:
        output.say(Text("Nothing was kept. With --out FILE they are written into a file of their own."))
        return ExitCode.ALL_PASSED
    keeping = [tests[index] for index in kept]
    generated.saved_to = add_tests(keeping, chosen)
    _tell_saved(keeping, generated.saved_to, output)
    return ExitCode.ALL_PASSED


def _tell_saved(tests: Sequence[Test], path: Path, output: Output) -> None:
    output.say(Text(f"Saved {plural(len(tests), 'test')} to ").append(shown_path(path), style="bold"))
    output.say()
    output.say_next([(f"greenroom run {shown_path(path)}", "plays them")])


def as_yaml(tests: Sequence[Test]) -> str:
    """Tests as the `tests` of a file."""
    return "tests:\n" + "".join(
        "  - "
        + "".join(
            f"    {line}" if line.strip() else line for line in dump_test(test).splitlines(keepends=True)
        ).removeprefix("    ")
        for test in tests
    )


def _as_json(tests: Sequence[Test], generated: Generated) -> str:
    result = {
        "tests": [as_data(test) for test in tests],
        "dropped": generated.dropped,
        "problems": generated.problems,
        "used": generated.used.as_data(),
        "saved_to": str(generated.saved_to) if generated.saved_to else None,
    }
    return json.dumps(result, ensure_ascii=False, indent=2)


def as_data(test: Test) -> object:
    """A test as it stands in a file, as plain data."""
    from greenroom.files.mistakes import Ledger
    from greenroom.files.yaml_reader import read_yaml

    node = read_yaml(dump_test(test), Path("test"), Ledger())
    return plain(node) if node is not None else None
