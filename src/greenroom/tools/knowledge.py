"""Search in an agent's knowledge: passages ranked by BM25, in memory."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from greenroom.model.agent import Knowledge
from greenroom.model.text import speakable
from greenroom.play.ports import Passage
from greenroom.tools.passages import split
from greenroom.tools.words import index_words, loose_query_words, query_words

if TYPE_CHECKING:
    from bm25s import BM25

_KEPT_INDEXES = 16
_LONGEST_QUERY = 2000


@dataclass(frozen=True, slots=True)
class _Index:
    """The passages of a knowledge base, its words, and how passages rank; `ranking` is `None` where there are no
    words to find."""

    passages: tuple[Passage, ...]
    vocabulary: frozenset[str]
    ranking: BM25 | None


class Bm25Search:
    """Searches knowledge bases. Keeps the indexes of those it saw last; one object serves one event loop.

    Indexing and searching run in a thread, so that a large base holds up no other talk.
    """

    def __init__(self) -> None:
        self._indexes: OrderedDict[str, _Index] = OrderedDict()
        self._building: dict[str, asyncio.Task[_Index]] = {}
        self._keys: OrderedDict[int, tuple[Knowledge, str]] = OrderedDict()

    async def search(self, knowledge: Knowledge, query: str, limit: int) -> tuple[Passage, ...]:
        """The best passages for `query`, best first, at most `limit`; equally good ones in the order of the
        documents; none where no word fits."""
        if limit <= 0 or not knowledge.documents or not query.strip():
            return ()
        index = await self._index(knowledge)
        return await asyncio.to_thread(_best, index, query[:_LONGEST_QUERY], limit)

    async def _index(self, knowledge: Knowledge) -> _Index:
        key = await self._key(knowledge)
        known = self._indexes.get(key)
        if known is not None:
            self._indexes.move_to_end(key)
            return known
        task = self._building.get(key)
        if task is None:
            task = self._building[key] = asyncio.create_task(self._build(key, knowledge))
        return await asyncio.shield(task)

    async def _build(self, key: str, knowledge: Knowledge) -> _Index:
        try:
            index = await asyncio.to_thread(_build_index, knowledge)
        finally:
            del self._building[key]
        self._indexes[key] = index
        while len(self._indexes) > _KEPT_INDEXES:
            self._indexes.popitem(last=False)
        return index

    async def _key(self, knowledge: Knowledge) -> str:
        """What the content of `knowledge` hashes to; known at once for an object seen lately."""
        seen = self._keys.get(id(knowledge))
        if seen is not None and seen[0] is knowledge:
            self._keys.move_to_end(id(knowledge))
            return seen[1]
        key = await asyncio.to_thread(_hash, knowledge)
        self._keys[id(knowledge)] = (knowledge, key)
        while len(self._keys) > _KEPT_INDEXES:
            self._keys.popitem(last=False)
        return key


def _hash(knowledge: Knowledge) -> str:
    digest = hashlib.sha256()
    for document in knowledge.documents:
        for part in (document.name, document.text):
            content = part.encode("utf-8", errors="surrogatepass")
            digest.update(len(content).to_bytes(8, "big"))
            digest.update(content)
    return digest.hexdigest()


def _build_index(knowledge: Knowledge) -> _Index:
    passages: list[Passage] = []
    vocabulary: dict[str, int] = {}
    found: list[list[int]] = []
    for document in knowledge.documents:
        name = speakable(document.name)
        title = index_words(name)
        for text in split(document.text):
            if not text.strip():
                continue
            words = title + index_words(text)
            passages.append(Passage(name, speakable(text.strip())))
            # One passage at a time: a single long call would hold the interpreter, and with it the event loop.
            found.append([vocabulary.setdefault(word, len(vocabulary)) for word in words])
    known = frozenset(vocabulary)
    return _Index(tuple(passages), known, _rank(found, vocabulary) if vocabulary else None)


def _rank(found: list[list[int]], vocabulary: dict[str, int]) -> BM25:
    from bm25s import BM25

    ranking = BM25(method="lucene")
    ranking.index((found, vocabulary), show_progress=False)  # pyright: ignore[reportUnknownMemberType] - untyped
    return ranking


def _best(index: _Index, query: str, limit: int) -> tuple[Passage, ...]:
    return _ranked(index, query_words(query), limit) or _ranked(index, loose_query_words(query), limit)


def _ranked(index: _Index, words: Sequence[str], limit: int) -> tuple[Passage, ...]:
    if index.ranking is None:
        return ()
    known = [word for word in dict.fromkeys(words) if word in index.vocabulary]
    if not known:
        return ()
    scores: list[float] = index.ranking.get_scores(known).tolist()  # pyright: ignore[reportUnknownMemberType]
    fitting = sorted((-score, place) for place, score in enumerate(scores) if score > 0)
    return tuple(
        Passage(index.passages[place].document, index.passages[place].text, -negative)
        for negative, place in fitting[:limit]
    )
