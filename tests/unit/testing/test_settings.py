"""What options, marks and settings ask for, and what they come to together."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.files.overrides import read_assignments
from greenroom.files.suite import Case
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.errors import UserMistake
from greenroom.model.llm import Llm, ScriptRule
from greenroom.testing import Persona, Script, judge
from greenroom.testing.budget import Budget, OverBudget
from greenroom.testing.cassettes import cassette_path
from greenroom.testing.items import mark_of
from greenroom.testing.paid import may_cost
from greenroom.testing.settings import Marked, Settings, read_dollars, read_marked, read_rate

FILE = Path("tests/test_booking.py")


def test_the_command_line_overrules_a_mark_which_overrules_the_configuration_and_the_test() -> None:
    asked = Settings(repeat=5, min_pass_rate=0.5, cassettes="replay", usual_cassettes="auto")
    usual = Settings(usual_cassettes="auto")
    marked = Marked(cassette="record", repeat=3, min_pass_rate=0.8)
    assert (asked.repeat_for(marked, 2), asked.rate_for(marked, 0.9), asked.cassette_for(marked)) == (5, 0.5, "replay")
    assert (usual.repeat_for(marked, 2), usual.rate_for(marked, 0.9), usual.cassette_for(marked)) == (3, 0.8, "record")
    plain = Marked()
    assert (usual.repeat_for(plain, 2), usual.rate_for(plain, 0.9), usual.cassette_for(plain)) == (2, 0.9, "auto")
    assert (Settings().repeat_for(plain, None), Settings().rate_for(plain), Settings().cassette_for(plain)) == (
        1,
        1.0,
        "off",
    )
    assert Settings(min_pass_rate=0.0).rate_for(marked) == 0.0


@pytest.mark.parametrize(("text", "rate"), [("0.8", 0.8), ("80%", 0.8), ("1", 1.0), ("0", 0.0)])
def test_a_share_is_read_as_a_number_and_as_percent(text: str, rate: float) -> None:
    assert read_rate(text, "the value") == pytest.approx(rate)


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (lambda: read_rate("1.5", "the value"), "the value is a share from 0 to 1"),
        (lambda: read_rate("nan", "the value"), "the value is a share from 0 to 1"),
        (lambda: read_dollars("-1", "the value"), "an amount of US dollars above zero, for example 0.50, not `-1`"),
        (lambda: read_dollars("inf", "the value"), "an amount of US dollars above zero"),
        (lambda: read_assignments(["prompt"], "--greenroom-set"), "write FIELD=VALUE"),
        (lambda: read_marked({"repeat": 0}), "`repeat` is a whole number from 1 to 1000, not `0`"),
        (lambda: read_marked({"cassette": "on"}), "is record, replay, auto or off, not `on`"),
        (lambda: read_marked({}, positional=1), "not a value without a name"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(read: Any, sentence: str) -> None:
    with pytest.raises(UserMistake) as told:
        read()
    assert sentence in str(told.value)


def test_several_processes_share_one_budget(tmp_path: Path) -> None:
    ledger = tmp_path / "spent"
    one, other = Budget(Decimal("1.00"), ledger), Budget(Decimal("1.00"), ledger)
    one.spend(Decimal("0.4"))
    other.spend(Decimal("0.5"))
    assert one.left() == other.left() == Decimal("0.1")
    one.spend(Decimal("0.1"))
    with pytest.raises(OverBudget, match="--greenroom-max-cost"):
        other.left()


def test_a_budget_without_a_limit_has_no_end() -> None:
    budget = Budget()
    budget.spend(Decimal(1000))
    assert budget.left() is None


def test_cassettes_lie_beside_the_file_one_for_each_test() -> None:
    assert cassette_path(FILE, "test_moves") == Path("tests/cassettes/test_booking.py/test_moves.json")
    assert cassette_path(FILE, "Moves a booking") == Path("tests/cassettes/test_booking.py/Moves-a-booking.json")


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_two_tests_share_a_cassette_and_every_name_fits_a_file_system(one: str, other: str) -> None:
    paths = [cassette_path(FILE, name) for name in (one, other)]
    assert (paths[0] == paths[1]) == (one == other)
    for path in paths:
        assert path.parent == Path("tests/cassettes/test_booking.py")
        assert len(path.name.encode("utf-8", "surrogatepass")) <= 255
        assert re.fullmatch(r"[\w.-]+", path.name)


@given(st.text(max_size=40))
def test_the_mark_of_a_tag_can_be_asked_for_with_m(tag: str) -> None:
    mark = mark_of(tag)
    assert mark is None or (re.fullmatch(r"(\w|\+|-|\.|/)+", mark) and not mark.startswith("_"))


def test_tags_keep_their_names_where_they_can() -> None:
    assert [mark_of(tag) for tag in ("booking", "v1.2", "slow-ish", "very slow!", "日本", "skipif", "!")] == [
        "booking",
        "v1.2",
        "slow-ish",
        "very_slow",
        "日本",
        None,
        None,
    ]


SCRIPTED = Llm(model="scripted:s", script=[ScriptRule(say="Hi")])
PAID = Llm(model="openai:gpt-4.1-mini")
HERE = Llm(model="openai-compatible:m", base_url="http://localhost:8000/v1")


def _case(caller: Any, checks: Any = (), **agent: Any) -> Case:
    prompted: dict[str, Any] = {"name": "A", "prompt": "You answer.", **agent}
    return Case(FILE, 1, Agent(**prompted), Test(name="t", caller=caller, checks=list(checks)))


@pytest.mark.parametrize(
    ("case", "usual", "costs"),
    [
        (_case(Script("Hi"), llm=SCRIPTED), None, False),
        (_case(Script("Hi"), llm=HERE), None, False),
        (_case(Script("Hi"), llm=Llm(model="ollama:llama3")), None, False),
        (_case(Script("Hi"), llm=PAID), None, True),
        (_case(Script("Hi"), llm=SCRIPTED, llm_fallback=PAID), None, True),
        (_case(Script("Hi"), llm=SCRIPTED, caller_llm=PAID, judge_llm=PAID), None, False),
        (_case(Persona("Ravi"), llm=SCRIPTED, caller_llm=PAID), None, True),
        (_case(Script("Hi"), [judge("Polite?")], llm=SCRIPTED, judge_llm=PAID), None, True),
        (_case(Script("Hi"), remote={"type": "openai", "url": "https://agents.example.com/v1"}), None, True),
        (_case(Script("Hi"), remote={"type": "openai", "url": "http://127.0.0.1:9/v1"}), None, False),
        (_case(Script("Hi"), remote={"type": "python", "target": "bot:reply"}), "openai:gpt-4.1-mini", False),
        (_case(Persona("Ravi"), remote={"type": "python", "target": "bot:reply"}), "openai:gpt-4.1-mini", True),
        (_case(Persona("Ravi"), remote={"type": "python", "target": "bot:reply"}), "ollama:llama3", False),
    ],
)
def test_a_test_may_cost_when_it_asks_a_model_or_an_agent_elsewhere(case: Case, usual: str | None, costs: bool) -> None:
    assert may_cost(case, usual) is costs
