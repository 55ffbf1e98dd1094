"""Labels on disk: what people said of the judge's answers, one JSON object a line, only ever added to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from greenroom.grade.calibration import Agreement, Label, agreement_for, question_of
from greenroom.model.errors import UserMistake
from greenroom.model.run import CheckResult
from greenroom.model.text import speakable

LABELS_FILE = "labels.jsonl"


@dataclass(slots=True)
class ReadLabels:
    """The labels of a file, and a sentence with the place of each line that is none."""

    labels: list[Label] = field(default_factory=list[Label])
    passed_over: list[str] = field(default_factory=list[str])


def read_labels(path: Path) -> ReadLabels:
    """Read a file of labels. A line that is none (the last one may have been cut off) takes no other with it.

    Raises:
        UserMistake: there is no such file, or it cannot be read.
    """
    try:
        content = path.read_bytes().decode("utf-8", "replace")
    except OSError as problem:
        why = (problem.strerror or "the system refused").lower()
        raise UserMistake(f"{path}: cannot be read: {why}") from None
    read = ReadLabels()
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            read.labels.append(Label.model_validate_json(line))
        except ValidationError as problem:
            first = problem.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(step) for step in first["loc"])
            why = f"`{place}`: {first['msg'].lower()}" if place else "it is not JSON"
            read.passed_over.append(f"{path}:{number}:1: this line is no label: {why}")
    return read


def add_label(path: Path, label: Label) -> None:
    """Add a label at the end of a file, which is made where there is none. It is on the disk when this returns, and an
    interruption can cost no label but this one.

    Raises:
        UserMistake: it cannot be written.
    """
    line = speakable(json.dumps(label.model_dump(mode="json"), ensure_ascii=False)) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as stream:
            if stream.tell() and not _ends_a_line(stream.fileno(), stream.tell()):
                line = "\n" + line  # what was cut off stays a line of its own
            stream.write(line.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as problem:
        why = (problem.strerror or "the system refused").lower()
        raise UserMistake(f"{path}: cannot be written: {why}; choose another file with --labels") from None


def _ends_a_line(handle: int, size: int) -> bool:
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) == b"\n"


def known_agreement(result: CheckResult, known: Iterable[Agreement]) -> Agreement | None:
    """What is known of the judge on the question of a check; nothing where no judge decides it or it has no labels."""
    question = question_of(result.check)
    return None if question is None else agreement_for(question, known)


def describe_agreement(agreement: Agreement) -> str:
    """In a few words: `the judge was right in 8 of 10 labels, kappa 0.58`."""
    words = f"the judge was right in {agreement.right} of {agreement.labels} labels"
    return words if agreement.kappa is None else f"{words}, kappa {agreement.kappa:.2f}"


def find_labels(files: Iterable[str], folder: Path) -> Sequence[Path]:
    """The files of labels for the tests of some files, whose paths start in `folder`: in the folders of the files, in
    those above them up to `folder`, and in `folder` itself."""
    found: dict[Path, None] = {}
    for place in _folders(files, folder):
        path = place / LABELS_FILE
        if path.is_file():
            found.setdefault(path)
    return list(found)


def _folders(files: Iterable[str], folder: Path) -> Iterable[Path]:
    top = folder.resolve()
    places: dict[Path, None] = {top: None}
    for file in files:
        place = (top / file).resolve().parent
        places.setdefault(place)
        if place.is_relative_to(top):
            for above in place.parents:
                if not above.is_relative_to(top):
                    break
                places.setdefault(above)
    return places
