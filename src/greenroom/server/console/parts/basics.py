"""Small parts that every page uses: headings, tables, states, figures, buttons that are pressed once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from html import escape

from nicegui import ui
from nicegui.elements.button import Button
from nicegui.elements.mixins.text_element import TextElement

from greenroom.server.problems import Refusal

Handler = Callable[[], Awaitable[None]]
_LOOKS = {
    "main": "unelevated color=primary",
    "plain": "outline color=link",
    "danger": "outline color=danger",
    "small": "flat dense size=sm color=link",
}
STATUSES = ("queued", "running", "passed", "failed", "error", "cancelled")


def heading(text: str, level: int = 2) -> None:
    """A heading below the page's own."""
    ui.html(f"<h{level}>{escape(text)}</h{level}>", sanitize=False)


def status(word: str) -> ui.label:
    """A run's status."""
    return ui.label(word).classes(f"gr-status gr-{word if word in STATUSES else 'queued'}")


def quiet(text: str) -> ui.label:
    """Words that explain."""
    return ui.label(text).classes("gr-quiet")


def empty(text: str) -> ui.label:
    """What stands where there is nothing yet, and says what to do."""
    return ui.label(text).classes("gr-empty")


def moment(time: datetime | str | None) -> ui.element:
    """A time of day, told in the reader's own zone by their browser."""
    if time is None:
        return ui.label("never")
    written = time if isinstance(time, str) else time.isoformat()
    shown = written[:16].replace("T", " ")
    return ui.html(f'<time datetime="{escape(written, quote=True)}">{escape(shown)}</time>', sanitize=False)


def figures(pairs: Sequence[tuple[str, str]]) -> None:
    """Names and figures beside each other."""
    inside = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(figure)}</dd></div>" for name, figure in pairs)
    ui.html(f'<dl class="gr-figures">{inside}</dl>', sanitize=False)


@contextmanager
def card() -> Generator[ui.element]:
    """A framed part of a page."""
    with ui.element("section").classes("gr-card") as section:
        yield section


@contextmanager
def table(caption: str, columns: Sequence[str], *, numbers: Sequence[str] = ()) -> Generator[ui.element]:
    """A table; put `row` and `cell` inside. `numbers` names the columns of figures; the caption is read out."""
    with ui.element("div").classes("gr-scroll"), ui.element("table").classes("gr-table gr-stack") as made:
        made.props(f'aria-label="{escape(caption, quote=True)}"')
        with ui.element("thead"), ui.element("tr"):
            for name in columns:
                head = TextElement(tag="th", text=name).props('scope="col"')
                if name in numbers:
                    head.classes("gr-number")
        with ui.element("tbody") as body:
            yield body


@contextmanager
def cell(column: str, *, number: bool = False) -> Generator[ui.element]:
    """A cell of the row that is being made. `column` is told beside it on a narrow screen."""
    with ui.element("td").props(f'data-label="{escape(column, quote=True)}"') as made:
        if number:
            made.classes("gr-number")
        yield made


@contextmanager
def row() -> Generator[ui.element]:
    """A row of a table."""
    with ui.element("tr") as made:
        yield made


def words(column: str, text: str, *, number: bool = False) -> None:
    """A cell with text."""
    with cell(column, number=number):
        ui.label(text)


def once(handler: Handler) -> Handler:
    """A handler that does nothing while it is still at work, so that a double click acts once."""
    busy = False

    async def guarded() -> None:
        nonlocal busy
        if busy:
            return
        busy = True
        try:
            await handler()
        finally:
            busy = False

    return guarded


def button(text: str, handler: Handler, *, kind: str = "plain") -> Button:
    """A button that acts once at a time. `kind` is `main`, `plain`, `danger` or, in a line of text, `small`."""
    made = ui.button(text)
    made.props(f"no-caps {_LOOKS[kind]}")
    guarded = once(handler)

    async def press() -> None:
        made.props("loading")
        try:
            await guarded()
        finally:
            if not made.is_deleted:
                made.props(remove="loading")

    made.on_click(press)
    return made


async def sure(question: str, yes: str) -> bool:
    """Ask before something that cannot be undone."""
    with ui.dialog() as dialog, ui.card().props(f'role="alertdialog" aria-label="{escape(question, quote=True)}"'):
        ui.label(question)
        with ui.row():
            ui.button("Cancel", on_click=lambda: dialog.submit(False)).props("flat no-caps autofocus")
            ui.button(yes, on_click=lambda: dialog.submit(True)).props("no-caps unelevated color=negative")
    answer = await dialog
    dialog.delete()
    return answer is True


def told(refusal: Refusal) -> str:
    """What a refusal says."""
    return str(refusal.detail)
