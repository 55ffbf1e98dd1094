from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.support.program import Greenroom
from tests.support.sample_files import CANNOT_FINISH, FAILS, PASSES, a_file


@pytest.mark.parametrize(
    ("tests", "code"),
    [
        ((PASSES,), 0),
        ((PASSES, FAILS), 1),
        ((PASSES, CANNOT_FINISH), 3),
        ((FAILS, CANNOT_FINISH), 3),
    ],
)
def test_the_exit_code_says_how_it_went(greenroom: Greenroom, tests: tuple[str, ...], code: int) -> None:
    greenroom.write("greenroom.yaml", a_file(*tests))
    assert greenroom.run("run").code == code


def test_a_failure_prints_the_talk_with_the_marked_line_and_where_the_test_stands(greenroom: Greenroom) -> None:
    path = greenroom.write("greenroom.yaml", a_file(PASSES, FAILS))
    played = greenroom.run("run")
    lines = played.out.splitlines()
    marked = next(line for line in lines if line.startswith("►"))
    assert "I guarantee that it will not hurt." in marked
    at = 1 + path.read_text(encoding="utf-8").splitlines().index("  - name: Makes no promise")
    assert f"greenroom.yaml:{at}" in played.out


def test_a_run_that_could_not_finish_is_told_in_one_sentence(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(CANNOT_FINISH))
    played = greenroom.run("run")
    assert "“Qwertyuiop”" in played.out
    assert "1 could not finish" in played.out
    assert "Traceback" not in played.everything


def test_without_a_terminal_there_is_one_line_for_each_finished_run_and_no_escape_sequence(
    greenroom: Greenroom,
) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES, FAILS))
    played = greenroom.run("run")
    lines = played.out.splitlines()
    assert {line.split("  [")[0] for line in lines[:2]} == {
        "✓ passed    Is told the hours",
        "✗ failed    Makes no promise",
    }
    assert lines[2] == ""
    assert "\x1b" not in played.everything
    assert not any(line != line.rstrip() for line in lines)


def test_mistakes_in_files_are_told_all_at_once_with_place_and_suggestion(greenroom: Greenroom) -> None:
    content = a_file(PASSES.replace("caller:", "callr:"), FAILS.replace("says, text: hurt", "say, text: hurt"))
    greenroom.write("greenroom.yaml", content)
    refused = greenroom.run("run")
    assert refused.code == 2
    assert refused.out == ""
    places = [line.split(": ")[0] for line in refused.err.splitlines() if line.startswith("greenroom.yaml:")]
    assert len(places) >= 2
    assert all(len(place.split(":")) == 3 for place in places)
    assert "did you mean `caller`?" in refused.err
    assert "nothing was played" in refused.err


def test_mistakes_as_json_name_file_line_and_column(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES.replace("caller:", "callr:")))
    refused = greenroom.run("run", "--json")
    assert refused.code == 2
    error = refused.json["error"]
    assert error["kind"] == "file_mistakes"
    mistake = next(mistake for mistake in error["mistakes"] if mistake["suggestion"] == "caller")
    assert mistake["file"] == "greenroom.yaml"
    assert mistake["line"] > 1
    assert mistake["column"] == 5


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "nowhere"], "There is no file or folder `nowhere`"),
        (["run", "--model", "gpt"], "provider:name"),
        (["run", "--set", "promt=x"], "did you mean `prompt`?"),
        (["run", "--set", "prompt"], "write FIELD=VALUE"),
        (["run", "--set", "prompt=@missing.md"], "missing.md"),
        (["run", "--variant", "cheap"], "There is no variant `cheap`"),
        (["run", "--max-cost", "much"], "--max-cost"),
        (["run", "-k", "nothing like it"], "No test fits -k 'nothing like it'. The tests are: `Is told the hours`"),
        (["run", "--tag", "hour"], "The tags are: `hours`, `quick`"),
        (["run", "-k", "and"], "a word is missing"),
        (["run", "--concurrency", "0"], "--concurrency"),
        (["run", "--no-such-option"], "No such option"),
        (["rum"], "No such command"),
        (["run", "--junit", "greenroom.yaml/x.xml"], "--junit"),
        (["run", "--report-json", "."], "is a directory"),
    ],
)
def test_a_mistake_on_the_command_line_is_told_in_a_sentence(
    greenroom: Greenroom, words: list[str], sentence: str
) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    refused = greenroom.run(*words)
    assert refused.code == 2
    assert sentence in refused.err
    assert refused.out == ""
    assert "Traceback" not in refused.err


def test_a_mistake_on_the_command_line_as_json_is_json(greenroom: Greenroom) -> None:
    assert greenroom.run("run", "--json", "--no-such-option").json["error"]["kind"] == "usage"
    assert greenroom.run("run", "--json", "nowhere").json["error"]["kind"] == "user_mistake"


def test_a_folder_without_tests_says_how_to_get_some(greenroom: Greenroom) -> None:
    refused = greenroom.run("run")
    assert refused.code == 2
    assert "greenroom init" in refused.err


def test_reports_go_to_files_whose_folders_are_made(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES, FAILS, CANNOT_FINISH))
    played = greenroom.run("run", "--junit", "out/junit.xml", "--report-json", "out/deep/report.json")
    assert played.code == 3
    suite = ElementTree.parse(greenroom.folder / "out/junit.xml").getroot()[0]
    assert suite.get("name") == "greenroom.yaml"
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["3", "1", "1"]
    report = json.loads((greenroom.folder / "out/deep/report.json").read_text(encoding="utf-8"))
    assert [run["status"] for run in report["runs"]] == ["passed", "failed", "error"]
    assert "Written: out/junit.xml" in played.out


def test_a_report_that_cannot_be_written_is_found_before_anything_is_played(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    greenroom.write("taken", "")
    refused = greenroom.run("run", "--junit", "taken/junit.xml", "--report-json", "report.json")
    assert refused.code == 2
    assert refused.out == ""
    assert not (greenroom.folder / "report.json").exists()


def test_json_is_alone_on_standard_output_and_nothing_is_said_beside_it(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES, FAILS))
    played = greenroom.run("run", "--json")
    assert played.code == 1
    assert played.err == ""
    assert played.json["schema_version"] == 1
    assert played.json["summary"]["runs"] == 2


def test_tests_are_chosen_by_name_and_by_tag(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES, FAILS, CANNOT_FINISH))

    def played(*words: str) -> list[str]:
        return [run["test"] for run in greenroom.run("run", "--json", *words).json["runs"]]

    assert played("-k", "hours or promise") == ["Is told the hours", "Makes no promise"]
    assert played("-k", "not promise and not rule") == ["Is told the hours"]
    assert played("--tag", "safety", "--tag", "quick") == ["Is told the hours", "Makes no promise"]
    assert played("--tag", "safety", "-k", "promise") == ["Makes no promise"]


def test_files_are_played_in_the_order_they_are_given_in(greenroom: Greenroom) -> None:
    greenroom.write("a.yaml", a_file(PASSES))
    greenroom.write("b.yaml", a_file(FAILS))
    runs = greenroom.run("run", "b.yaml", "a.yaml", "--json").json["runs"]
    assert [run["file"] for run in runs] == ["b.yaml", "a.yaml"]


def test_a_field_of_the_agent_can_be_set_from_a_file(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    greenroom.write("new.txt", "Good morning from a file.")
    played = greenroom.run("run", "--set", "greeting=@new.txt", "--json")
    run = played.json["runs"][0]
    assert run["transcript"][0]["text"] == "Good morning from a file."
    assert run["overrides_used"] is True


def test_a_variant_is_played_and_named_in_the_result(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES) + "variants:\n  loud: {greeting: HELLO!}\n")
    report = greenroom.run("run", "--variant", "loud", "--json").json
    assert report["variant"] == report["runs"][0]["variant"] == "loud"
    assert report["runs"][0]["transcript"][0]["text"] == "HELLO!"


def test_the_backup_brain_can_be_rehearsed(greenroom: Greenroom) -> None:
    backup = """
  llm_fallback:
    model: scripted:backup
    script: [{say: "From nine to six, says the backup."}]"""
    greenroom.write("greenroom.yaml", a_file(PASSES, agent=backup))
    played = greenroom.run("run", "--force-primary-failure", "--json")
    run = played.json["runs"][0]
    assert run["transcript"][-1]["fallback"] is True
    assert run["force_primary_failure"] is True


def test_the_seed_is_in_the_result(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    assert greenroom.run("run", "--seed", "7", "--json").json["runs"][0]["seed"] == 7


def test_fail_fast_starts_nothing_after_the_first_failure(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(FAILS, PASSES))
    played = greenroom.run("run", "--fail-fast", "--concurrency", "1", "--junit", "junit.xml")
    assert played.code == 1
    assert "1 run was not started: an earlier test failed" in played.out
    skipped = ElementTree.parse(greenroom.folder / "junit.xml").getroot().findall(".//skipped")
    assert len(skipped) == 1


def test_a_reader_that_goes_away_is_no_trouble(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES, FAILS))
    process = greenroom.start("run", "--report-json", "report.json")
    assert process.stdout is not None
    process.stdout.close()
    with process:
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert process.returncode == 1
    assert json.loads((greenroom.folder / "report.json").read_text(encoding="utf-8"))["summary"]["failed"] == 1


def test_text_that_a_poor_encoding_lacks_is_replaced_and_never_raised(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(FAILS.replace("Makes no promise", "नमस्ते 👩‍👩‍👧")))
    played = greenroom.run("run", environ={"PYTHONIOENCODING": "ascii"})
    assert played.code == 1
    assert played.everything.isascii()
    report = greenroom.run("run", "--json", environ={"PYTHONIOENCODING": "ascii"})
    assert report.out.isascii()
    assert report.json["runs"][0]["test"] == "नमस्ते 👩‍👩‍👧"


def test_markup_and_escape_sequences_of_a_talk_print_as_they_are(greenroom: Greenroom) -> None:
    talk = FAILS.replace("Does it hurt?", '"[red]Does[/] it hurt? \\e[2J"')
    greenroom.write("greenroom.yaml", a_file(talk))
    played = greenroom.run("run", environ={"FORCE_COLOR": "1"})
    assert "[red]Does[/] it hurt? ␛[2J" in played.out
    assert "\x1b[2J" not in played.out


def test_a_bug_is_one_sentence_with_the_path_of_the_log(greenroom: Greenroom) -> None:
    code = (
        "import sys\n"
        "from greenroom.cli import main\n"
        "@main.app.command()\n"
        "def explode() -> None:\n"
        "    raise RuntimeError('the key is sk-very-secret')\n"
        "sys.exit(main.main(['explode']))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={**greenroom.environ, "SOME_API_KEY": "sk-very-secret"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 70
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    assert "please report it" in ended.stderr
    log = greenroom.home / ".local/state/greenroom/greenroom.log"
    assert str(log) in ended.stderr
    written = log.read_text(encoding="utf-8")
    assert "RuntimeError" in written
    assert "sk-very-secret" not in written


def test_a_home_that_cannot_be_written_to_is_no_trouble(greenroom: Greenroom, tmp_path: Path) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    taken = tmp_path / "taken"
    taken.write_text("", encoding="utf-8")
    assert greenroom.run("run", environ={"HOME": str(taken), "TMPDIR": str(taken)}).code == 0


def test_version_and_help_are_told(greenroom: Greenroom) -> None:
    assert greenroom.run("--version").out.startswith("greenroom ")
    shown = greenroom.run("--help")
    assert shown.code == 0
    assert all(command in shown.out for command in ("demo", "init", "run"))
    assert "3 a run could not" in " ".join(greenroom.run("run", "--help").out.split())


def test_help_imports_nothing_heavy(greenroom: Greenroom) -> None:
    code = (
        "import sys\n"
        "from greenroom.cli.main import main\n"
        "main(['--help'])\n"
        "heavy = {'pydantic', 'rich', 'asyncio', 'pydantic_ai', 'mcp', 'httpx', 'ruamel.yaml'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], env=greenroom.environ, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("words", [["run"], ["run", "--json"], ["demo"], ["--help"]])
def test_an_output_that_cannot_be_written_to_is_told_in_a_sentence(greenroom: Greenroom, words: list[str]) -> None:
    path = greenroom.write("greenroom.yaml", a_file(PASSES))
    with path.open(encoding="utf-8") as only_readable:
        ended = greenroom.run(*words, stdout=only_readable)
    assert "could not be printed: bad file descriptor" in ended.err.lower()
    assert "Traceback" not in ended.err
