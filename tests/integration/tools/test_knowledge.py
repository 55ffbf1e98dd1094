"""Search in knowledge, with the real index."""

from __future__ import annotations

import asyncio

import pytest

from greenroom.model.agent import Document, Knowledge
from greenroom.tools.knowledge import Bm25Search


def base(*texts: str, **named: str) -> Knowledge:
    documents = [Document(name=f"Note {place}", text=text) for place, text in enumerate(texts)]
    return Knowledge(documents=documents + [Document(name=name, text=text) for name, text in named.items()])


async def found(knowledge: Knowledge, query: str, limit: int = 3) -> list[str]:
    return [passage.text for passage in await Bm25Search().search(knowledge, query, limit)]


SHOP = base(
    "Open from nine to six, closed on Sundays.",
    "A refund takes five days once the parcel is back.",
    "We deliver to Pune and Mumbai; the café serves tea.",
    "हम सोमवार को सुबह नौ बजे खुलते हैं।",
    "退款需要五个工作日。我们周日休息。",
    "نفتح في الساعة التاسعة صباحًا.",
    "เปิดทุกวันเวลาเก้าโมงเช้า",
    "예약을 취소하려면 전화하세요.",
    "日曜日は休みです。",
)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("how long does a REFUND take?", "A refund takes"),
        ("cafe", "We deliver"),
        ("CAFÉ", "We deliver"),
        ("सोमवार को कब खुलते हैं", "हम सोमवार"),
        ("怎么退款", "退款需要"),
        ("退", "退款需要"),
        ("想退钱", "退款需要"),
        ("صباحا", "نفتح"),
        ("เก้าโมง", "เปิดทุกวัน"),
        ("예약 취소", "예약을"),
        ("日曜日", "日曜日は"),
        ("re\u200bfund\x00", "A refund"),
    ],
)
async def test_a_question_finds_its_passage_in_any_script(query: str, text: str) -> None:
    assert (await found(SHOP, query))[0].startswith(text)


@pytest.mark.parametrize("query", ["", "   ", "🍕🎉", "?!…", "\x00", "\ud83d", "xylophone", "مرحبا"])
async def test_a_query_that_fits_nothing_finds_nothing(query: str) -> None:
    assert await found(SHOP, query) == []


@pytest.mark.parametrize("knowledge", [Knowledge(), base(""), base("🎉🎉🎉", "   "), base("", "\n\n")])
async def test_knowledge_without_words_finds_nothing(knowledge: Knowledge) -> None:
    assert await found(knowledge, "refund") == []


async def test_a_passage_says_which_document_it_is_of_and_its_name_counts() -> None:
    knowledge = base(Returns="Send it back in the box.", Hours="Nine to six.")
    [passage] = await Bm25Search().search(knowledge, "returns", 3)
    assert (passage.document, passage.text) == ("Returns", "Send it back in the box.")
    assert passage.score > 0


async def test_the_best_passages_come_first_at_most_as_many_as_asked_for() -> None:
    knowledge = base("Tea.", "Tea and tea and tea, tea at all hours.", "Coffee.", "Tea with milk and a biscuit.")
    passages = await Bm25Search().search(knowledge, "tea", 2)
    scores = [passage.score for passage in passages]
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    assert await found(knowledge, "tea", 0) == []


async def test_equally_good_passages_keep_the_order_of_the_documents() -> None:
    knowledge = Knowledge(documents=[Document(name=f"Doc {place}", text="The same tea.") for place in range(30)])
    passages = await Bm25Search().search(knowledge, "tea", 30)
    assert [passage.document for passage in passages] == [f"Doc {place}" for place in range(30)]


async def test_every_word_of_a_long_document_can_be_found() -> None:
    text = " ".join(f"fact{number} stands here." for number in range(2000))
    knowledge = base(text)
    search = Bm25Search()
    for number in (0, 3, 777, 1999):
        [passage] = await search.search(knowledge, f"fact{number}", 5)
        assert f"fact{number} " in passage.text
        assert len(passage.text) <= 900


async def test_text_that_cannot_be_stored_is_cleaned_in_passages() -> None:
    [text] = await found(base("The pin\x00 is \ud83d here."), "pin")
    assert text == "The pin� is � here."


async def test_searches_at_once_share_an_index_and_other_talks_go_on_meanwhile() -> None:
    knowledge = base(" ".join(f"word{number % 5000} and more." for number in range(60_000)))
    search = Bm25Search()
    turns = 0

    async def other_talk() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    talking = asyncio.create_task(other_talk())
    results = await asyncio.gather(*(search.search(knowledge, "word4321", 2) for _ in range(5)))
    talking.cancel()
    assert turns > 20
    assert results[0]
    assert all(result == results[0] for result in results)


async def test_a_search_that_is_stopped_does_not_stop_the_others() -> None:
    knowledge = base(" ".join(f"word{number}" for number in range(5000)))
    search = Bm25Search()
    first = asyncio.create_task(search.search(knowledge, "word7", 1))
    second = asyncio.create_task(search.search(knowledge, "word7", 1))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second)[0].text


async def test_knowledge_of_the_same_content_finds_the_same_and_a_change_is_seen() -> None:
    search = Bm25Search()
    first = await search.search(base("Open at nine."), "nine", 1)
    assert first == await search.search(base("Open at nine."), "nine", 1) != ()
    assert await search.search(base("Open at ten."), "nine", 1) == ()
    for number in range(40):
        [passage] = await search.search(base(f"Open at hour{number}."), "open", 1)
        assert passage.text == f"Open at hour{number}."
