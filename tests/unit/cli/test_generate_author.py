"""Which model drafts, and from which runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.runs import a_failed_run, a_report, a_run
from tests.support.talks import make_agent, make_test, real_llm

from greenroom.cli.adding import for_file
from greenroom.cli.author import author_of
from greenroom.cli.choosing import AgentWishes, Chosen
from greenroom.cli.generating import as_data, as_yaml
from greenroom.cli.sources import FailedRuns, read_failed_runs
from greenroom.files.suite import Case
from greenroom.model.agent import Agent
from greenroom.model.errors import UserMistake
from greenroom.model.llm import Llm
from greenroom.report.json_report import write_json

SERVER = Llm(model="openai-compatible:small", base_url="http://127.0.0.1:1/v1", credential="mine")


def chosen(agent: Agent, *others: Agent) -> Chosen:
    return Chosen(Case(Path("f.yaml"), 1, agent, make_test("x"), {other.name: other for other in others}))


def test_the_judge_drafts_before_the_brain_and_a_named_model_before_both() -> None:
    both = chosen(make_agent(llm=real_llm("brain"), judge_llm=real_llm("judge")))
    assert author_of(both, None).model == "openai:judge"
    assert author_of(chosen(make_agent(llm=real_llm("brain"))), None).model == "openai:brain"
    assert author_of(both, "anthropic:big").model == "anthropic:big"


def test_a_named_model_of_the_same_provider_keeps_its_address_and_account() -> None:
    llm = author_of(chosen(make_agent(llm=SERVER)), "openai-compatible:big")
    assert (llm.model, llm.base_url, llm.credential) == ("openai-compatible:big", SERVER.base_url, "mine")
    other = author_of(chosen(make_agent(llm=SERVER)), "openai:big")
    assert (other.base_url, other.credential) == (None, None)


@pytest.mark.parametrize(("model", "sentence"), [("big", "provider:name"), ("openai-compatible:x", "needs `base_url`")])
def test_what_is_no_model_is_refused(model: str, sentence: str) -> None:
    with pytest.raises(UserMistake, match=sentence):
        author_of(chosen(make_agent(llm=real_llm())), model)


def test_one_failed_run_is_taken_for_each_test_and_variation(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    runs = [
        a_failed_run(id="1"),
        a_failed_run(id="2", repeat_index=1),
        a_failed_run(id="3", variation="Angry"),
        a_run(id="4", test="Other"),
    ]
    write_json(a_report(*runs), path)
    assert [run.id for run in read_failed_runs(path, None).runs] == ["1", "3"]
    with pytest.raises(UserMistake, match="no run of `Other` failed"):
        read_failed_runs(path, "Other")


def test_the_agent_of_the_failed_runs_is_meant_unless_there_are_several() -> None:
    one = FailedRuns(Path("r.json"), [a_failed_run(), a_failed_run(test="Other")])
    assert one.fill_in(AgentWishes(file=Path("f.yaml"))) == AgentWishes(Path("f.yaml"), "Northline Dental")
    several = FailedRuns(Path("r.json"), [a_failed_run(), a_failed_run(agent="Billing")])
    with pytest.raises(UserMistake, match="several agents"):
        several.fill_in(AgentWishes())
    elsewhere = FailedRuns(Path("r.json"), [a_failed_run(), a_failed_run(file="other.yaml")])
    with pytest.raises(UserMistake, match="several files"):
        elsewhere.fill_in(AgentWishes())


def test_tests_for_a_file_of_several_agents_name_theirs_and_no_name_comes_twice() -> None:
    tests = [make_test("a", name="A"), make_test("b", name="A"), make_test("c", name="B")]
    fitted = for_file(tests, chosen(make_agent(), make_agent(name="Billing")), ["A"])
    assert [(test.name, test.agent) for test in fitted] == [
        ("A (2)", "Front desk"),
        ("A (3)", "Front desk"),
        ("B", "Front desk"),
    ]
    assert for_file(tests[2:], chosen(make_agent()), []) == tests[2:]


def test_tests_are_printed_as_a_file_holds_them() -> None:
    test = make_test("Hi", name="Greets")
    assert as_yaml([test]) == "tests:\n  - name: Greets\n    caller:\n      messages:\n        - Hi\n"
    assert as_data(test) == {"name": "Greets", "caller": {"messages": ["Hi"]}}
