"""pytest as a person starts it, in a project of their own."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.support.pytest_project import Outcome, Project
from tests.support.sample_files import CANNOT_FINISH, FAILS, PASSES, a_file


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path / "work")


VARIED = """
  - name: Asks in two moods
    caller: {persona: Ravi wants to know when you open.}
    variations: [{name: calm, opening_line: When do you open?}, {name: angry, opening_line: "When do you OPEN?!"}]
    max_turns: 1
    checks: [{type: says, text: nine}]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with test files and nothing else."""
    project = Project(tmp_path_factory.mktemp("files"))
    project.write("greenroom.yaml", a_file(PASSES, FAILS, CANNOT_FINISH, VARIED))
    project.write("more/front.greenroom.yaml", a_file(PASSES))
    project.write("more/other.yaml", a_file(PASSES))
    project.write("more/not-ours.yaml", "services: {web: {image: nginx}}\n")
    return project


@pytest.fixture(scope="module")
def played(place: Project) -> Outcome:
    """Its tests, played once."""
    return place.test("--junit-xml=junit.xml", "-v")


def test_every_test_and_variation_of_the_files_with_our_names_is_an_item(place: Project) -> None:
    assert place.collected() == [
        "greenroom.yaml::Is told the hours",
        "greenroom.yaml::Makes no promise",
        "greenroom.yaml::Says what no rule knows",
        "greenroom.yaml::Asks in two moods[calm]",
        "greenroom.yaml::Asks in two moods[angry]",
        "more/front.greenroom.yaml::Is told the hours",
    ]


def test_another_file_is_collected_when_it_is_named_or_fits_the_setting(place: Project) -> None:
    other = ["more/other.yaml::Is told the hours"]
    assert place.collected("more/other.yaml") == other
    assert place.collected("-o", "greenroom_files=oth*.yaml", "more")[-1:] == other
    assert place.collected("-o", "greenroom_files=more/**/o*.yaml", "more")[-1:] == other
    assert place.test("more/not-ours.yaml").out.count("no tests ran") == 1


def test_a_single_test_is_chosen_by_its_id_its_words_and_its_tags(place: Project) -> None:
    assert place.collected("greenroom.yaml::Asks in two moods") == [
        "greenroom.yaml::Asks in two moods[calm]",
        "greenroom.yaml::Asks in two moods[angry]",
    ]
    assert place.collected("-k", "moods and angry") == ["greenroom.yaml::Asks in two moods[angry]"]
    assert place.collected("-m", "safety") == ["greenroom.yaml::Makes no promise"]
    assert len(place.collected("-m", "hours and not broken")) == 2


def test_a_failure_shows_the_talk_with_the_marked_line_and_no_traceback(played: Outcome, place: Project) -> None:
    assert played.code == 1
    assert played.counts == {"failed": 2, "passed": 4}
    failure = played.section("Makes no promise")
    marked = next(line for line in failure.splitlines() if line.startswith("►"))
    assert "I guarantee that it will not hurt." in marked
    lines = place.folder.joinpath("greenroom.yaml").read_text(encoding="utf-8").splitlines()
    assert f"greenroom.yaml:{1 + lines.index('  - name: Makes no promise')}" in failure
    assert "Traceback" not in played.out
    assert "src/greenroom" not in played.out


def test_a_run_that_could_not_finish_fails_with_its_sentence(played: Outcome) -> None:
    assert "“Qwertyuiop”" in played.section("Says what no rule knows")


def test_the_short_summary_says_what_broke(played: Outcome) -> None:
    line = next(line for line in played.out.splitlines() if line.startswith("FAILED greenroom.yaml::Makes"))
    assert 'Makes no promise: never_says "guarantee"' in line


def test_the_summary_at_the_end_counts_talks_tokens_and_cost(played: Outcome) -> None:
    sums = played.section("Greenroom").strip().splitlines()[0]
    assert re.fullmatch(r"6 talks: 4 passed, 1 failed, 1 could not finish · ~[\d,]+ tokens · cost \$0", sums)


def test_junit_holds_the_sentence_the_talk_and_the_figures(played: Outcome, place: Project) -> None:
    cases = {
        case.get("name"): case for case in ElementTree.parse(place.folder / "junit.xml").getroot().iter("testcase")
    }
    failed = cases["Makes no promise"]
    failure = failed.find("failure")
    assert failure is not None
    assert (failure.get("message") or "").startswith('Makes no promise: never_says "guarantee"')
    assert "►  1 agent" in (failure.text or "")
    properties = {entry.get("name"): entry.get("value") for entry in failed.iter("property")}
    assert properties["greenroom_runs"] == "1"
    assert properties["greenroom_cost"] == "$0"
    assert properties["greenroom_ended_by"] == "script_ended"


def test_workers_of_xdist_tell_the_same(place: Project) -> None:
    played = place.test("-n", "2", "--junit-xml=xdist.xml")
    assert played.counts == {"failed": 2, "passed": 4}
    assert "►  1 agent  I guarantee that it will not hurt." in played.out
    assert 'FAILED greenroom.yaml::Makes no promise - Makes no promise: never_says "guarantee"' in played.out
    assert "6 talks: 4 passed, 1 failed, 1 could not finish" in played.section("Greenroom")
    xml = (place.folder / "xdist.xml").read_text(encoding="utf-8")
    assert 'message="Makes no promise: never_says' in xml
    assert "greenroom_tokens" in xml


def test_mistakes_in_a_file_are_collection_errors_with_their_places_and_no_traceback(project: Project) -> None:
    content = a_file(PASSES.replace("caller:", "callr:"), FAILS.replace("says, text: hurt", "say, text: hurt"))
    project.write("greenroom.yaml", content)
    project.write("fine.greenroom.yaml", a_file(PASSES))
    refused = project.test()
    assert refused.code == 2
    told = refused.section("ERROR collecting greenroom.yaml").strip().splitlines()
    assert all(re.match(r"greenroom\.yaml:\d+:\d+: ", line) for line in told)
    assert any("did you mean `caller`?" in line for line in told)
    assert any("unknown check type `say`" in line for line in told)
    assert "Traceback" not in refused.out
    assert project.test("--continue-on-collection-errors").counts == {"passed": 1, "error": 1}


def test_a_file_of_agents_alone_is_no_mistake(project: Project) -> None:
    project.write("greenroom.yaml", a_file().partition("tests:")[0])
    project.write("hours.greenroom.yaml", "agent: greenroom.yaml\ntests:" + PASSES)
    assert project.test().counts == {"passed": 1}


def test_names_and_tags_that_pytest_cannot_hold_are_changed_and_still_chosen(project: Project) -> None:
    strange = PASSES.replace("Is told the hours", '"Says:: a [b] c\\n d"').replace(
        "[hours, quick]", '["very slow!", skipif]'
    )
    project.write("greenroom.yaml", a_file(strange))
    assert project.collected("-m", "very_slow") == ["greenroom.yaml::Says: a [b] c d"]
    assert project.test("greenroom.yaml::Says: a [b] c d").counts == {"passed": 1}


VARIANTS = """
variants:
  honest: {llm: {model: "scripted:honest", script: [{say: "It may hurt a little."}]}}
"""


def test_a_variant_a_model_and_a_field_are_changed_from_the_command_line(project: Project) -> None:
    project.write("greenroom.yaml", a_file(FAILS) + VARIANTS)
    project.write("other.greenroom.yaml", a_file(PASSES))
    assert project.test("--greenroom-variant=honest").counts == {"passed": 2}
    named = project.test("--greenroom-variant=honset")
    assert named.counts == {"failed": 2}
    assert "There is no variant `honset`: there is `honest`." in named.out
    project.write("prompt.md", "You are brief.")
    assert (
        project.test("--greenroom-set", "prompt=@prompt.md", "--greenroom-set", "language=en", "-k", "hours").code == 0
    )
    refused = project.test("--greenroom-set", "promt=x")
    assert "--greenroom-set promt: there is no field `promt`; did you mean `prompt`?" in refused.out
    assert "Traceback" not in refused.out


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--greenroom-repeat=0", "write a whole number from 1 to 1000, not `0`"),
        ("--greenroom-min-pass-rate=80", "the value is a share from 0 to 1, for example 0.8 or 80%, not `80`"),
        ("--greenroom-cassettes=rewind", "the value is record, replay, auto or off, not `rewind`"),
        ("--greenroom-max-cost=free", "the value is an amount of US dollars above zero"),
        ("--greenroom-set=prompt", "--greenroom-set prompt: write FIELD=VALUE"),
    ],
)
def test_an_option_that_cannot_be_read_ends_pytest_with_a_sentence(project: Project, option: str, told: str) -> None:
    project.write("greenroom.yaml", a_file(PASSES))
    refused = project.test(option)
    assert refused.code == 4
    assert told in refused.err
    assert "Traceback" not in refused.err
