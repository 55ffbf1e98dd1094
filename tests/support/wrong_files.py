"""Files with mistakes, and what is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenroom.files import FileMistakes, load_files

AGENT = (
    "agent: {name: Desk, prompt: Book visits., "
    "tools: [{name: book_slot, parameters: {type: object, properties: {day: {type: string}}}}]}\n"
)
TEST = "tests:\n  - name: Books\n    caller: {persona: Ravi wants a visit.}\n"


def mistakes_in(text: str | bytes, folder: Path) -> list[str]:
    """What is told of a file with this text, without the file's name: `LINE:COLUMN: MESSAGE`."""
    file = folder / "case.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileMistakes) as caught:
        load_files([file])
    lines = str(caught.value).splitlines()
    assert lines == [str(mistake) for mistake in caught.value.mistakes]
    assert all(mistake.file == file for mistake in caught.value.mistakes)
    return [line.removeprefix(f"{file}:").replace(f"{folder}/", "") for line in lines]
