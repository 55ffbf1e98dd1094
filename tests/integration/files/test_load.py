"""Loading real files: paths, several agents, variants, credentials, and how files may be saved."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from tests.support.written_files import load, the_case, write
from tests.support.wrong_files import AGENT, TEST, mistakes_in

from greenroom.files import FileMistakes, load_files
from greenroom.model.errors import UserMistake
from greenroom.model.limits import Limits


def test_a_case_knows_its_file_its_line_and_its_agent(tmp_path: Path) -> None:
    case = the_case(write(tmp_path, greenroom=AGENT + "\n# The first test.\n" + TEST))
    assert (case.file, case.line, case.test.name, case.agent.name) == (tmp_path / "greenroom.yaml", 5, "Books", "Desk")


@pytest.mark.parametrize(
    ("start", "line_end"),
    [(b"", b"\n"), (b"\xef\xbb\xbf", b"\n"), (b"", b"\r\n"), (b"\xef\xbb\xbf", b"\r\n"), (b"", b"\r")],
)
def test_byte_order_marks_and_line_ends_of_any_system_make_no_difference(
    start: bytes, line_end: bytes, tmp_path: Path
) -> None:
    text = AGENT + TEST + "    checks:\n      - type: says\n        text: |\n          नमस्ते\n          😀\n"
    (tmp_path / "greenroom.yaml").write_bytes(start + text.encode().replace(b"\n", line_end))
    case = the_case(tmp_path)
    assert case.test.checks[0].model_dump()["text"] == "नमस्ते\n😀\n"
    assert mistakes_in(start + (text + "    colour: x\n").encode().replace(b"\n", line_end), tmp_path)[0].startswith(
        "10:5:"
    )


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (AGENT.encode() + b"x-a: caf\xe9\n", "2:9: this is not UTF-8 text: save the file as UTF-8"),
        (AGENT.encode() + b"x-a: \xed\xa0\x80\n", "2:6: this is not UTF-8 text: save the file as UTF-8"),
        (AGENT.encode("utf-16"), "1:1: the file is in UTF-16: save it as UTF-8"),
        (AGENT.encode() + b"x-a: a\x00b\n", "2:7: a NUL character stands here: take it out"),
        (
            AGENT.encode() + b"#" * (2 * 1024 * 1024),
            "1:1: `case.yaml` is larger than 2 MiB: split it, or move big texts into files of their own",
        ),
    ],
)
def test_a_file_that_is_no_text_is_told_at_its_place(data: bytes, told: str, tmp_path: Path) -> None:
    assert mistakes_in(data, tmp_path) == [told]


def test_the_mistakes_of_all_files_are_told_at_once_and_in_their_order(tmp_path: Path) -> None:
    write(tmp_path, b=AGENT + TEST + "    colour: x\n    max_turns: 0\n", a=AGENT + TEST + "    judges: 2\n", c="")
    with pytest.raises(FileMistakes) as caught:
        load_files([tmp_path / "b.yaml", tmp_path / "a.yaml", tmp_path / "c.yaml"])
    assert [(m.file.name, m.line, m.column) for m in caught.value.mistakes] == [
        ("b.yaml", 5, 5),
        ("b.yaml", 6, 16),
        ("a.yaml", 5, 5),
        ("c.yaml", 1, 1),
    ]
    assert len(caught.value.problems) == 4
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_prompt_and_personas_are_read_from_files_beside_the_test_file(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        greenroom="agent: {name: Desk, prompt: prompts/front desk.md}\n"
        "tests:\n  - name: Books\n    caller: {persona: ravi.txt}\n"
        "    variations: [{name: other, persona: ana.txt}]\n",
        **{"prompts__front desk_md": "# Role\nBook.\n\n", "ravi_txt": "Ravi, in a hurry.\n", "ana_txt": "Ana."},
    )
    case = the_case(folder)
    assert case.agent.prompt == "# Role\nBook."
    assert (case.test.caller.persona, case.test.variations[0].persona) == ("Ravi, in a hurry.", "Ana.")


@pytest.mark.parametrize("prompt", ["Answer from notes.txt", "!!str notes.txt", "|-\n    notes.txt"])
def test_a_prompt_that_only_ends_like_a_path_is_a_prompt(prompt: str, tmp_path: Path) -> None:
    folder = write(tmp_path, greenroom=f"agent:\n  name: Desk\n  prompt: {prompt}\n{TEST}", notes_txt="Notes.")
    assert the_case(folder).agent.prompt in ("Answer from notes.txt", "notes.txt")


def test_documents_tools_and_scripts_may_stand_in_files_of_their_own(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        greenroom="agent:\n  name: Desk\n  prompt: Book.\n  tools: parts/tools.json\n"
        "  llm: {model: scripted:desk, script: parts/rules.yaml}\n"
        "  knowledge:\n    documents:\n      - parts/hours.md\n      - {file: parts/prices.txt}\n"
        "      - {name: Way, file: parts/way.md}\n      - {name: Team, text: Six people.}\n" + TEST,
        parts__tools_json='[{"name": "book_slot"}]',
        parts__rules_yaml="- {when: hello, say: Hi}\n",
        parts__hours_md="From nine.\n",
        parts__prices_txt="Ten.",
        parts__way_md="Left.",
    )
    agent = the_case(folder).agent
    assert agent.llm is not None
    assert agent.knowledge is not None
    assert ([tool.name for tool in agent.tools], agent.llm.script[0].say) == (["book_slot"], "Hi")
    assert [(document.name, document.text) for document in agent.knowledge.documents] == [
        ("hours", "From nine.\n"),
        ("prices", "Ten."),
        ("Way", "Left."),
        ("Team", "Six people."),
    ]


def test_a_mistake_in_a_file_that_is_named_is_told_there(tmp_path: Path) -> None:
    text = "agent: {name: Desk, prompt: Book., llm: {model: scripted:desk, script: rules.yaml}}\n" + TEST
    folder = write(tmp_path, greenroom=text, rules_yaml="- say: Hi\n- {whn: x, say: Hi}\n")
    with pytest.raises(FileMistakes) as caught:
        load(folder)
    assert str(caught.value) == f"{tmp_path}/rules.yaml:2:4: unknown field `whn`; did you mean `when`?"


def test_variables_are_text_as_they_are_written(tmp_path: Path) -> None:
    variables = "{price: 4.50, year: 2026, phone: 0612345678, open: true, who: Ana}"
    text = f"agent: {{name: Desk, prompt: Book., variables: {variables}}}\n{TEST}    variables: {{price: 5.00}}\n"
    case = the_case(write(tmp_path, greenroom=text))
    assert case.agent.variables == {
        "price": "4.50",
        "year": "2026",
        "phone": "0612345678",
        "open": "true",
        "who": "Ana",
    }
    assert case.test.variables == {"price": "5.00"}


def test_anchors_may_stand_under_names_that_start_with_x(tmp_path: Path) -> None:
    text = (
        "x-caller: &ravi {persona: Ravi}\n"
        + AGENT
        + "tests:\n  - {name: A, caller: *ravi}\n  - {name: B, caller: *ravi}\n"
    )
    assert [case.test.caller.persona for case in load(write(tmp_path, greenroom=text)).cases] == ["Ravi", "Ravi"]


# Agents


def test_an_agent_may_stand_in_a_file_of_its_own(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        greenroom="agent: agents/desk.yaml\n" + TEST,
        agents__desk_yaml="name: Desk\nprompt: desk.md\n",
        agents__desk_md="Book visits.",
    )
    assert the_case(folder).agent.prompt == "Book visits."


def test_an_agent_may_be_that_of_another_test_file_with_its_variants_and_accounts(tmp_path: Path) -> None:
    more = "credentials: {main: {api_key: k1}, other: {api_key: k2}}\nvariants: {real: {llm: {model: openai:a}}}\n"
    folder = write(
        tmp_path,
        greenroom="agent: desk.yaml\ncredentials: {main: {api_key: mine}}\n" + TEST,
        desk=AGENT + TEST.replace("Books", "Of its own") + more,
    )
    case = the_case(folder)
    assert (case.test.name, list(case.variants)) == ("Books", ["real"])
    assert {name: item.api_key.get_secret_value() for name, item in case.credentials.items()} == {
        "main": "mine",
        "other": "k2",
    }


def test_files_that_lead_in_a_circle_are_a_mistake(tmp_path: Path) -> None:
    folder = write(tmp_path, greenroom="agent: a.yaml\n" + TEST, a="agent: b.yaml\n", b="agent: greenroom.yaml\n")
    with pytest.raises(FileMistakes, match=r"b\.yaml:1:8: .*leads back to itself: write the agent out"):
        load(folder)


def test_of_several_agents_the_first_is_tested_or_the_one_that_is_named(tmp_path: Path) -> None:
    text = (
        "agents:\n  - {name: Desk, prompt: Book., can_hand_off: [Billing]}\n  - {name: Billing, prompt: Bill.}\n"
        "tests:\n  - {name: A, caller: {persona: Ravi}}\n  - {name: B, agent: Billing, caller: {persona: Ravi}}\n"
    )
    first, second = load(write(tmp_path, greenroom=text)).cases
    assert (first.agent.name, list(first.others)) == ("Desk", ["Billing"])
    assert (second.agent.name, list(second.others)) == ("Billing", ["Desk"])


def test_agents_may_be_listed_by_name(tmp_path: Path) -> None:
    text = (
        "agents:\n  desk: {name: The desk, prompt: Book., can_hand_off: [Billing]}\n  Billing: {prompt: Bill.}\n"
        "  archive: archive.yaml\ntests:\n  - {name: A, agent: desk, caller: {persona: Ravi}}\n"
    )
    case = the_case(write(tmp_path, greenroom=text, archive="prompt: File.\n"))
    assert (case.agent.name, case.agent.id) == ("The desk", "desk")
    assert list(case.others) == ["Billing", "archive"]


def test_a_file_that_only_holds_an_agent_has_no_tests(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=r"There are no tests in `.*greenroom\.yaml`"):
        load(write(tmp_path, greenroom=AGENT))


def test_other_limits_may_be_given(tmp_path: Path) -> None:
    folder = write(tmp_path, greenroom=AGENT + TEST + "    max_turns: 60\n")
    assert load_files([folder], limits=Limits(max_turns=60)).limits.max_turns == 60


# Variants and changes


VARIANTS = """
agents:
  - {name: Desk, prompt: Book., greeting: Hello., llm: {model: "openai:a", temperature: 0.2}, can_hand_off: [Billing]}
  - {name: Billing, prompt: Bill., llm: {model: "openai:a"}}
tests:
  - {name: Books, caller: {persona: Ravi}}
variants:
  cheap: {llm: {model: "openai:b"}, greeting: null, agents: {Billing: {prompt: bill.md}}}
"""


def test_a_variant_changes_whole_fields_of_every_agent_and_of_one(tmp_path: Path) -> None:
    suite = load(write(tmp_path, greenroom=VARIANTS, bill_md="Bill less."))
    [case] = suite.with_variant("cheap").cases
    assert case.variant == "cheap"
    assert case.agent.llm is not None
    assert (case.agent.llm.model, case.agent.llm.temperature, case.agent.greeting) == ("openai:b", None, None)
    billing = case.others["Billing"]
    assert billing.llm is not None
    assert (billing.llm.model, billing.prompt, case.agent.prompt) == ("openai:b", "Bill less.", "Book.")
    assert suite.cases[0].agent.greeting == "Hello."


def test_a_file_without_the_variant_keeps_its_agent(tmp_path: Path) -> None:
    folder = write(tmp_path, greenroom=VARIANTS, bill_md="Bill less.", plain=AGENT + TEST)
    suite = load_files([folder]).with_variant("cheap")
    assert [(case.agent.name, case.variant) for case in suite.cases] == [("Desk", "cheap"), ("Desk", None)]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("chep", "There is no variant `chep`; did you mean `cheap`?"),
        ("zz", "There is no variant `zz`; there is `cheap`."),
    ],
)
def test_a_variant_that_no_file_has_is_a_mistake(name: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(UserMistake) as caught:
        load(write(tmp_path, greenroom=VARIANTS, bill_md="Bill less.")).with_variant(name)
    assert str(caught.value) == told


def test_without_variants_none_can_be_chosen(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="the files have no `variants`"):
        load(write(tmp_path, greenroom=AGENT + TEST)).with_variant("cheap")


def test_overrides_change_the_tested_agent_and_another_model_changes_all(tmp_path: Path) -> None:
    suite = load(write(tmp_path, greenroom=VARIANTS, bill_md="Bill less."))
    [changed] = suite.override({"prompt": "Book more."}).with_model("anthropic:c").cases
    assert (changed.agent.prompt, changed.others["Billing"].prompt, changed.overridden) == ("Book more.", "Bill.", True)
    models = [agent.llm.model for agent in (changed.agent, changed.others["Billing"]) if agent.llm]
    assert models == ["anthropic:c", "anthropic:c"]
    assert not suite.cases[0].overridden


def test_an_override_that_a_test_does_not_fit_is_a_mistake(tmp_path: Path) -> None:
    suite = load(write(tmp_path, greenroom=AGENT + TEST + "    tool_results: {book_slot: 1}\n"))
    with pytest.raises(UserMistake, match=r"greenroom\.yaml:3: with these changes, `Books` does not fit: .*no tool"):
        suite.override({"tools": "[]"})


# Secrets
